//! Liveness analysis: which registers are read again.
//!
//! A copy from a register that is not read again becomes a move, so that a collection with one owner is
//! changed in place: `(recur (conj acc x))` costs as much as a push.

use super::chunk::{CONSTANT, Capture, Code, Op, Operand, Reg};

/// Code whose instructions times registers exceed this keeps its copies: finding moves would take
/// longer than they save.
const MAX_WORK: usize = 1 << 22;

/// Replaces labels with their positions, and copies with moves.
pub(super) fn finish(code: &mut Code, labels: &[usize]) {
    for op in &mut code.ops {
        if let Some(to) = target_mut(op) {
            *to = labels[usize::from(*to)] as u16;
        }
    }
    for handler in &mut code.handlers {
        for label in [&mut handler.start, &mut handler.end, &mut handler.to] {
            *label = labels[usize::from(*label)] as u16;
        }
    }
    shorten(code);
    let words = code.registers.div_ceil(64).max(1);
    if code.ops.len() * words * (1 + code.handlers.len()) > MAX_WORK / 64 {
        return;
    }
    let mut at_targets: Vec<Option<Box<[u64]>>> = vec![None; code.ops.len() + 1];
    for op in &mut code.ops {
        if let Some(to) = target_mut(op) {
            at_targets[usize::from(*to)] = Some(vec![0; words].into());
        }
    }
    for handler in &code.handlers {
        at_targets[usize::from(handler.to)] = Some(vec![0; words].into());
    }
    // The live registers at the head of a loop depend on the whole loop: repeat until nothing is added.
    while pass(code, &mut at_targets, words, false) {}
    pass(code, &mut at_targets, words, true);
}

/// Replaces jumps to jumps with their last target, and jumps to returns with returns: the branches of an
/// `if` at the end of a function need neither the jump nor the copy of their value.
fn shorten(code: &mut Code) {
    for index in (0..code.ops.len()).rev() {
        let mut op = code.ops[index];
        // Only forward jumps: instructions further down are final, those further up are not.
        if let Some(to) = target_mut(&mut op)
            && usize::from(*to) > index
            && let Some(Op::Jump { to: end }) = code.ops.get(usize::from(*to))
            && end > to
        {
            *to = *end;
        }
        if let Op::Jump { to } = op
            && let Some(Op::Return { from }) = code.ops.get(usize::from(to))
        {
            op = Op::Return { from: *from };
        }
        if let Op::Move { dst, from } = op
            && let Some(Op::Return { from: result }) = code.ops.get(index + 1)
            && dst == *result
        {
            op = Op::Return { from };
        }
        code.ops[index] = op;
    }
}

/// Walks the code backwards; returns true when a jump target has more live registers than before.
fn pass(code: &mut Code, at_targets: &mut [Option<Box<[u64]>>], words: usize, replace: bool) -> bool {
    let mut live: Vec<u64> = vec![0; words];
    let mut grew = false;
    for index in (0..code.ops.len()).rev() {
        let op = code.ops[index];
        if matches!(op, Op::Return { .. } | Op::Jump { .. } | Op::Back { .. } | Op::Recur { .. } | Op::NoClause { .. })
        {
            live.fill(0);
        }
        if let Some(to) = target_mut(&mut code.ops[index])
            && let Some(target) = &at_targets[usize::from(*to)]
        {
            live.iter_mut().zip(target.iter()).for_each(|(live, there)| *live |= there);
        }
        if let Op::Move { dst, from } = op
            && replace
            && !has(&live, from)
        {
            code.ops[index] = Op::Take { dst, from };
        }
        writes(&op, &mut |register| live[usize::from(register) / 64] &= !(1 << (register % 64)));
        reads(&op, code, &mut |register| live[usize::from(register) / 64] |= 1 << (register % 64));
        // An error may occur before the instruction writes, and after it has read.
        for handler in code.handlers.iter().filter(|handler| (handler.start..handler.end).contains(&(index as u16))) {
            if let Some(target) = &at_targets[usize::from(handler.to)] {
                let dst = live[usize::from(handler.dst) / 64] & 1 << (handler.dst % 64);
                live.iter_mut().zip(target.iter()).for_each(|(live, there)| *live |= there);
                let word = &mut live[usize::from(handler.dst) / 64];
                *word = *word & !(1 << (handler.dst % 64)) | dst;
            }
        }
        if let Some(target) = &mut at_targets[index] {
            for (there, live) in target.iter_mut().zip(&mut live) {
                grew |= *live & !*there != 0;
                *there |= *live;
                *live |= *there;
            }
        }
    }
    grew
}

fn has(live: &[u64], register: Reg) -> bool {
    live[usize::from(register) / 64] & 1 << (register % 64) != 0
}

fn target_mut(op: &mut Op) -> Option<&mut u16> {
    match op {
        Op::Jump { to }
        | Op::Back { to }
        | Op::JumpIfNot { to, .. }
        | Op::JumpIf { to, .. }
        | Op::JumpIfNil { to, .. }
        | Op::JumpUnless { to, .. }
        | Op::JumpIfMissing { to, .. }
        | Op::JumpIfDefined { to, .. }
        | Op::Next { to, .. }
        | Op::Recur { head: to, .. } => Some(to),
        _ => None,
    }
}

fn writes(op: &Op, write: &mut dyn FnMut(Reg)) {
    match *op {
        Op::Const { dst, .. }
        | Op::Move { dst, .. }
        | Op::Take { dst, .. }
        | Op::Captured { dst, .. }
        | Op::Itself { dst }
        | Op::Global { dst, .. }
        | Op::Atom { dst, .. }
        | Op::Data { dst, .. }
        | Op::Recent { dst, .. }
        | Op::Closure { dst, .. }
        | Op::Vector { dst, .. }
        | Op::Map { dst, .. }
        | Op::Set { dst, .. }
        | Op::Add { dst, .. }
        | Op::Subtract { dst, .. }
        | Op::Multiply { dst, .. }
        | Op::Compare { dst, .. }
        | Op::Not { dst, .. }
        | Op::IsNil { dst, .. }
        | Op::Key { dst, .. }
        | Op::Field { dst, .. }
        | Op::Nth { dst, .. }
        | Op::Rest { dst, .. }
        | Op::Options { dst, .. }
        | Op::Call { dst, .. }
        | Op::CallGlobal { dst, .. }
        | Op::CallBuiltin { dst, .. }
        | Op::CallTool { dst, .. } => write(dst),
        Op::Recur { count, to, .. } => (0..u16::from(count)).for_each(|index| write(to + index)),
        _ => {}
    }
}

fn reads(op: &Op, code: &Code, read: &mut dyn FnMut(Reg)) {
    let operand = |operand: Operand, read: &mut dyn FnMut(Reg)| {
        if operand & CONSTANT == 0 {
            read(operand);
        }
    };
    match *op {
        Op::Move { from, .. }
        | Op::Take { from, .. }
        | Op::Field { from, .. }
        | Op::Nth { from, .. }
        | Op::Rest { from, .. }
        | Op::Options { from, .. }
        | Op::Define { from, .. }
        | Op::Rethrow { from }
        | Op::Return { from } => read(from),
        Op::JumpIfNot { test, .. } | Op::JumpIf { test, .. } | Op::JumpIfNil { test, .. } => read(test),
        Op::JumpIfMissing { map, .. } => read(map),
        Op::NoClause { value } => read(value),
        Op::Vector { base, count, .. } | Op::Map { base, count, .. } | Op::Set { base, count, .. } => {
            (base..base + count).for_each(read);
        }
        Op::JumpUnless { left, right, .. }
        | Op::Add { left, right, .. }
        | Op::Subtract { left, right, .. }
        | Op::Multiply { left, right, .. }
        | Op::Compare { left, right, .. } => {
            operand(left, read);
            operand(right, read);
        }
        Op::Not { from, .. } | Op::IsNil { from, .. } | Op::Key { from, .. } => operand(from, read),
        Op::Closure { function, .. } => {
            for (_, capture) in &code.functions[usize::from(function)].captures {
                if let Capture::Register(register) = capture {
                    read(*register);
                }
            }
        }
        Op::Call { base, count, .. } => (base..=base + count).for_each(read),
        Op::CallGlobal { count, base, .. } | Op::CallBuiltin { count, base, .. } | Op::CallTool { count, base, .. } => {
            (base + 1..=base + u16::from(count)).for_each(read);
        }
        Op::Recur { count, from, to, .. } => {
            (from..from + u16::from(count)).for_each(&mut *read);
            read(to + u16::from(count));
        }
        Op::Iterate { items } => read(items),
        Op::Next { items, .. } => {
            read(items);
            read(items + 1);
        }
        Op::Push { items, value } => {
            read(items);
            read(value);
        }
        _ => {}
    }
}
