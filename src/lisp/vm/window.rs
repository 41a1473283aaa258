//! Instructions that need nothing but registers, frames and definitions: most of what runs.
//!
//! They stand apart from those that need the whole machine, so that the registers, the code and the
//! place in it can stay in registers of the processor. A plain value is moved by its kind and its
//! number: copying all its bytes at once would wait for the two parts that were just written.

use std::rc::Rc;

use super::call::{Linked, enter, too_deep};
use super::execute::is_truthy;
use super::fiber::{Callee, CodeFrame, Frame};
use super::lookup::get_otherwise;
use super::{get_flexible, look_up};
use crate::lisp::builtins::{self, check_arity};
use crate::lisp::chunk::{CONSTANT, Comparison, Op, Operand};
use crate::lisp::equality::equal;
use crate::lisp::fault::{Outcome, describe, error, error_with_hint};
use crate::lisp::globals::Globals;
use crate::lisp::meter::Meter;
use crate::lisp::native::{Context, Effects, Native, Next};
use crate::lisp::number::{Arithmetic, arithmetic, compare};
use crate::lisp::sequence::{self, to_vector};
use crate::value::{Label, Map, Set, Value, Vector, taken};

/// What most instructions can reach.
pub(super) struct Window<'a> {
    /// The frames around the one that runs.
    pub frames: &'a mut Vec<Frame>,
    /// Those of all frames.
    pub registers: &'a mut Vec<Value>,
    pub meter: &'a mut Meter,
    pub effects: &'a mut Effects,
    /// The definitions; none in a branch, which may have some of its own.
    pub globals: Option<&'a Globals>,
    /// What closures that can run here are linked to.
    pub home: &'a Rc<()>,
    /// Frames of the fibers around this one.
    pub depth: usize,
}

/// Why a window closes.
pub(super) enum Stop {
    /// Something is due; when the instruction is still to be run, its step has been counted too early.
    Due { again: bool },
    /// This instruction needs the machine; the frame's place is behind it.
    At(Op),
    /// The frame has ended, and this is what the builtin that called it wants next.
    Next(Outcome<Next>),
}

/// Puts a value into a register. What needs no dropping is overwritten without a look at it.
#[inline(always)]
pub(super) fn put(register: &mut Value, value: Value) {
    if register.is_plain() {
        std::mem::forget(std::mem::replace(register, value));
    } else {
        *register = value;
    }
}

/// Empties registers of what has to be dropped.
#[inline(always)]
pub(super) fn clear(registers: &mut [Value]) {
    for register in registers {
        if !register.is_plain() {
            *register = Value::Nil;
        }
    }
}

/// Puts a copy of a value into a register.
#[inline(always)]
fn store(register: &mut Value, value: &Value) {
    match value {
        Value::Nil => put(register, Value::Nil),
        Value::Bool(value) => put(register, Value::Bool(*value)),
        Value::Int(value) => put(register, Value::Int(*value)),
        Value::Float(value) => put(register, Value::Float(*value)),
        value => put(register, value.clone()),
    }
}

/// The same where it is not worth its code.
fn load(register: &mut Value, value: &Value) {
    store(register, value);
}

/// Copies a register.
#[inline(always)]
fn copy(registers: &mut [Value], from: usize, to: usize) {
    match registers[from] {
        Value::Nil => put(&mut registers[to], Value::Nil),
        Value::Bool(value) => put(&mut registers[to], Value::Bool(value)),
        Value::Int(value) => put(&mut registers[to], Value::Int(value)),
        Value::Float(value) => put(&mut registers[to], Value::Float(value)),
        ref value => {
            let value = value.clone();
            put(&mut registers[to], value);
        }
    }
}

/// Moves a register whose value is not read again.
#[inline(always)]
fn transfer(registers: &mut [Value], from: usize, to: usize) {
    match registers[from] {
        Value::Nil => put(&mut registers[to], Value::Nil),
        Value::Bool(value) => put(&mut registers[to], Value::Bool(value)),
        Value::Int(value) => put(&mut registers[to], Value::Int(value)),
        Value::Float(value) => put(&mut registers[to], Value::Float(value)),
        ref mut value => {
            let value = std::mem::take(value);
            put(&mut registers[to], value);
        }
    }
}

impl Window<'_> {
    /// Runs instructions of a frame, and of those that it calls, up to what needs the machine.
    pub fn run(&mut self, frame: &mut CodeFrame) -> Outcome<Stop> {
        let Window { frames, registers: all, meter, effects, globals, home, depth } = self;
        let mut at = frame.at;
        let mut base = frame.base;
        let mut code = &*frame.code;
        let (mut ops, mut constants) = (code.ops.as_slice(), code.constants.as_slice());
        let mut registers = all.get_mut(base..).unwrap_or_default();
        macro_rules! register {
            ($register:expr) => {
                registers[usize::from($register)]
            };
        }
        macro_rules! set {
            ($register:expr, $value:expr) => {{
                let value = $value;
                put(&mut registers[usize::from($register)], value);
            }};
        }
        macro_rules! operand {
            ($operand:expr) => {
                operand(registers, constants, $operand)
            };
        }
        macro_rules! taken_run {
            ($base:expr, $count:expr) => {
                taken(registers.get_mut(usize::from($base)..usize::from($base + $count)).unwrap_or_default())
            };
        }
        // What fails says where.
        macro_rules! checked {
            ($outcome:expr) => {
                match $outcome {
                    Ok(value) => value,
                    Err(fault) => {
                        frame.at = at;
                        return Err(fault);
                    }
                }
            };
        }
        macro_rules! step {
            () => {
                if meter.step() {
                    frame.at = at;
                    return Ok(Stop::Due { again: false });
                }
            };
        }
        macro_rules! leave {
            ($op:expr) => {{
                frame.at = at;
                return Ok(Stop::At($op));
            }};
        }
        // The frame that runs is another one.
        macro_rules! change {
            () => {{
                at = frame.at;
                base = frame.base;
                code = &*frame.code;
                (ops, constants) = (code.ops.as_slice(), code.constants.as_slice());
                registers = all.get_mut(base..).unwrap_or_default();
            }};
        }
        macro_rules! enter {
            ($function:expr, $closure:expr, $first:expr, $count:expr, $dst:expr) => {{
                frame.at = at;
                frame.dst = $dst;
                if *depth + frames.len() >= meter.limits.depth {
                    return too_deep(meter.limits.depth);
                }
                let first = base + usize::from($first) + 1;
                let entered = enter(all, $function, $closure, first, usize::from($count))?;
                frames.push(Frame::Code(std::mem::replace(frame, entered)));
                change!();
                step!();
            }};
        }
        macro_rules! arithmetic {
            ($kind:expr, $checked:expr, $operator:tt, $dst:expr, $left:expr, $right:expr) => {{
                let (left, right) = (operand!($left), operand!($right));
                if let (Value::Int(left), Value::Int(right)) = (left, right)
                    && let Some(value) = $checked(*left, *right)
                {
                    set!($dst, Value::Int(value));
                } else if let (Value::Float(left), Value::Float(right)) = (left, right) {
                    set!($dst, Value::Float(left $operator right));
                } else {
                    set!($dst, checked!(arithmetic($kind, left, right)));
                }
            }};
        }
        loop {
            let op = &ops[at];
            at += 1;
            match *op {
                Op::Const { dst, constant } => store(&mut register!(dst), &constants[usize::from(constant)]),
                Op::Move { dst, from } => copy(registers, usize::from(from), usize::from(dst)),
                Op::Take { dst, from } => transfer(registers, usize::from(from), usize::from(dst)),
                Op::Captured { dst, index } => {
                    let captured =
                        frame.closure.as_ref().and_then(|closure| closure.captured.0.get(usize::from(index)));
                    if let Some((_, value)) = captured {
                        load(&mut register!(dst), value);
                    }
                }
                Op::Vector { dst, base, count } => {
                    checked!(meter.elements(usize::from(count)));
                    let items: Vec<Value> = taken_run!(base, count);
                    set!(dst, Value::Vector(Vector::from(items)));
                }
                Op::Map { dst, base, count } => {
                    checked!(meter.elements(usize::from(count)));
                    let items = taken_run!(base, count);
                    set!(dst, Value::Map(Map::alternating(items)));
                }
                Op::Set { dst, base, count } => {
                    checked!(meter.elements(usize::from(count)));
                    set!(dst, Value::Set(Set::from(taken_run!(base, count))));
                }
                Op::Jump { to } => at = usize::from(to),
                Op::Back { to } => {
                    at = usize::from(to);
                    step!();
                }
                Op::JumpIfNot { test, to } => {
                    if !is_truthy(&register!(test)) {
                        at = usize::from(to);
                    }
                }
                Op::JumpIf { test, to } => {
                    if is_truthy(&register!(test)) {
                        at = usize::from(to);
                    }
                }
                Op::JumpIfNil { test, to } => {
                    if matches!(register!(test), Value::Nil) {
                        at = usize::from(to);
                    }
                }
                Op::JumpUnless { comparison, left, right, to } => {
                    if !checked!(compared(comparison, operand!(left), operand!(right))) {
                        at = usize::from(to);
                    }
                }
                Op::JumpIfMissing { map, key, to } => {
                    let has = match &register!(map) {
                        Value::Map(map) => get_flexible(map, &constants[usize::from(key)]).is_some(),
                        _ => false,
                    };
                    if !has {
                        at = usize::from(to);
                    }
                }
                Op::Add { dst, left, right } => {
                    arithmetic!(Arithmetic::Add, i64::checked_add, +, dst, left, right);
                }
                Op::Subtract { dst, left, right } => {
                    arithmetic!(Arithmetic::Subtract, i64::checked_sub, -, dst, left, right);
                }
                Op::Multiply { dst, left, right } => {
                    arithmetic!(Arithmetic::Multiply, small_product, *, dst, left, right);
                }
                Op::Compare { comparison, dst, left, right } => {
                    let holds = checked!(compared(comparison, operand!(left), operand!(right)));
                    set!(dst, Value::Bool(holds));
                }
                Op::Not { dst, from } => {
                    let truthy = is_truthy(operand!(from));
                    set!(dst, Value::Bool(!truthy));
                }
                Op::IsNil { dst, from } => {
                    let nil = matches!(operand!(from), Value::Nil);
                    set!(dst, Value::Bool(nil));
                }
                Op::Key { dst, from, key } => {
                    let key = &code.keys[usize::from(key)];
                    let value = match operand!(from) {
                        Value::Map(map) => match map.get_placed(&key.keyword, &key.place) {
                            Some(Value::Int(value)) => Value::Int(*value),
                            Some(value) => value.clone(),
                            None => get_otherwise(map, &key.keyword).cloned().unwrap_or_default(),
                        },
                        other => checked!(look_up(&key.keyword, std::slice::from_ref(other))),
                    };
                    set!(dst, value);
                }
                Op::Field { dst, from, key } => {
                    let value = checked!(field(&constants[usize::from(key)], &register!(from)));
                    set!(dst, value);
                }
                Op::Nth { dst, from, index } => {
                    let value = checked!(nth(&register!(from), usize::from(index)));
                    set!(dst, value);
                }
                Op::Rest { dst, from, index } => {
                    let rest = checked!(rest(&register!(from), usize::from(index), meter));
                    set!(dst, rest);
                }
                Op::Options { dst, from } => {
                    let options = checked!(options(std::mem::take(&mut register!(from))));
                    set!(dst, options);
                }
                Op::Call { dst, base: first, count } => {
                    let linked = match &register!(first) {
                        Value::Closure(closure) => closure.compiled.get::<Linked>(),
                        _ => None,
                    };
                    let Some(linked) = linked.filter(|linked| Rc::ptr_eq(&linked.home, home)) else { leave!(*op) };
                    let function = linked.function.clone();
                    let Value::Closure(closure) = std::mem::take(&mut register!(first)) else { leave!(*op) };
                    enter!(&function, &closure, first, count, dst);
                }
                Op::CallGlobal { count, dst, base: first, name } => {
                    let called = globals.and_then(|globals| globals.function(usize::from(name)));
                    let Some((function, closure)) = called else { leave!(*op) };
                    enter!(function, closure, first, count, dst);
                }
                Op::CallBuiltin { count, dst, base, builtin } => {
                    let builtin = builtins::at(builtin);
                    checked!(check_arity(builtin, usize::from(count)));
                    let Native::Plain(code) = &builtin.code else { leave!(*op) };
                    if meter.step() {
                        // The call is still to be made.
                        frame.at = at - 1;
                        return Ok(Stop::Due { again: true });
                    }
                    let first = usize::from(base) + 1;
                    let args = registers.get_mut(first..first + usize::from(count)).unwrap_or_default();
                    let mut context = Context { meter, effects, name: builtin.name };
                    let value = checked!(code(&mut context, args));
                    clear(args);
                    set!(dst, value);
                }
                Op::Return { from } => {
                    code.returned.set(Some(Label::of(&register!(from))));
                    let (size, from) = (code.registers, usize::from(from));
                    match frames.last_mut() {
                        Some(Frame::Code(_)) => {
                            // A loop by hand: at this level of optimization, iterators are calls.
                            let mut place = 0;
                            while place < size {
                                let register = &mut registers[place];
                                if place != from && !register.is_plain() {
                                    *register = Value::Nil;
                                }
                                place += 1;
                            }
                            let Some(Frame::Code(caller)) = frames.pop() else { unreachable!("just seen") };
                            transfer(all, base + from, caller.base + usize::from(caller.dst));
                            *frame = caller;
                        }
                        Some(Frame::Native(native)) => {
                            if meter.step() {
                                // The result is still to be returned.
                                frame.at = at - 1;
                                return Ok(Stop::Due { again: true });
                            }
                            let value = std::mem::take(&mut registers[from]);
                            clear(registers.get_mut(..size).unwrap_or_default());
                            let mut context = Context { meter, effects, name: native.builtin.name };
                            let next = match native.steps.step(&mut context, Some(value)) {
                                Ok(next) => next,
                                Err(fault) => return Ok(Stop::Next(Err(fault))),
                            };
                            // What calls the same function again has its frame here.
                            let count = match next {
                                Next::Call(value) if is_frame_of(frame, &native.function, 1) => {
                                    put(&mut all[base], value);
                                    1
                                }
                                Next::Call2(left, right) if is_frame_of(frame, &native.function, 2) => {
                                    put(&mut all[base], left);
                                    put(&mut all[base + 1], right);
                                    2
                                }
                                next => return Ok(Stop::Next(Ok(next))),
                            };
                            put(&mut all[base + count], Value::Nil);
                            frame.at = 0;
                        }
                        None => leave!(*op),
                    }
                    change!();
                }
                Op::Recur { count, from, to, head } => {
                    let counter = to + u16::from(count);
                    let rounds = match register!(counter) {
                        Value::Int(rounds) => rounds + 1,
                        _ => 1,
                    };
                    if rounds as u64 > meter.limits.loop_iterations {
                        checked!(loop_limit(meter.limits.loop_iterations));
                    }
                    set!(counter, Value::Int(rounds));
                    for index in 0..usize::from(count) {
                        transfer(registers, usize::from(from) + index, usize::from(to) + index);
                    }
                    at = usize::from(head);
                    step!();
                }
                Op::Iterate { items } => {
                    let vector = checked!(to_vector("for", &register!(items)));
                    checked!(meter.elements(vector.len()));
                    set!(items, Value::Vector(vector));
                    set!(items + 1, Value::Int(0));
                }
                Op::Next { dst, items, to } => {
                    let next = match (&register!(items), &register!(items + 1)) {
                        (Value::Vector(items), Value::Int(place)) => {
                            items.get(*place as usize).map(|item| (item.clone(), place + 1))
                        }
                        _ => None,
                    };
                    match next {
                        Some((value, next)) => {
                            set!(dst, value);
                            set!(items + 1, Value::Int(next));
                        }
                        None => {
                            set!(items, Value::Nil);
                            at = usize::from(to);
                        }
                    }
                }
                Op::Push { items, value } => {
                    let value = std::mem::take(&mut register!(value));
                    checked!(meter.elements(1));
                    if let Value::Vector(items) = &mut register!(items) {
                        if items.len() >= meter.limits.collection_size {
                            checked!(meter.elements(items.len() + 1));
                        }
                        items.push(value);
                    }
                }
                Op::NoClause { value } => {
                    let message = format!("no clause matches {}", describe(&register!(value)));
                    checked!(error_with_hint("no_matching_clause", message, "add a default as the last part"))
                }
                op => leave!(op),
            }
        }
    }
}

/// The arity of a function that takes exactly so many arguments, when the frame is one of it.
#[inline(always)]
fn is_frame_of(frame: &CodeFrame, function: &Callee, count: usize) -> bool {
    match function {
        Callee::Function(function, _) => match function.arities.as_slice() {
            [only] => only.required == count && !only.variadic && Rc::ptr_eq(&only.code, &frame.code),
            _ => false,
        },
        _ => false,
    }
}

#[inline(always)]
fn operand<'a>(registers: &'a [Value], constants: &'a [Value], operand: Operand) -> &'a Value {
    match operand & CONSTANT {
        0 => &registers[usize::from(operand)],
        _ => &constants[usize::from(operand & !CONSTANT)],
    }
}

/// The product, when it can be had without looking at the upper half.
#[inline(always)]
fn small_product(left: i64, right: i64) -> Option<i64> {
    let is_small = |number: i64| number == i64::from(number as i32);
    (is_small(left) && is_small(right)).then(|| left.wrapping_mul(right))
}

#[inline(always)]
fn compared(comparison: Comparison, left: &Value, right: &Value) -> Outcome<bool> {
    if let (Value::Int(left), Value::Int(right)) = (left, right) {
        let order = u8::from(left < right) | u8::from(left == right) << 1 | u8::from(left > right) << 2;
        return Ok(order & comparison as u8 != 0);
    }
    compared_slowly(comparison, left, right)
}

fn compared_slowly(comparison: Comparison, left: &Value, right: &Value) -> Outcome<bool> {
    match (comparison, left, right) {
        (Comparison::Equal, left, right) => Ok(equal(left, right)),
        _ => compare(comparison, left, right),
    }
}

/// The value of a key in what a pattern takes apart.
fn field(key: &Value, from: &Value) -> Outcome {
    match from {
        Value::Map(map) => Ok(get_flexible(map, key).cloned().unwrap_or_default()),
        Value::Nil => Ok(Value::Nil),
        other => destructure_error("a map or nil", other),
    }
}

/// An element of what a pattern takes apart.
fn nth(from: &Value, index: usize) -> Outcome {
    match from {
        Value::Vector(items) => Ok(items.get(index).cloned().unwrap_or_default()),
        Value::Nil => Ok(Value::Nil),
        Value::Str(text) => Ok(sequence::character_at(text, index)),
        other => destructure_error("a vector, a string or nil", other),
    }
}

fn rest(from: &Value, index: usize, meter: &mut Meter) -> Outcome {
    if !matches!(from, Value::Vector(_) | Value::Nil | Value::Str(_)) {
        return destructure_error("a vector, a string or nil", from);
    }
    let mut items = to_vector("&", from)?;
    let count = items.len();
    if index >= count {
        return Ok(Value::Nil);
    }
    let copied = items.keep(index, count);
    match from {
        Value::Vector(_) => meter.copies(copied)?,
        // Its characters became values.
        _ => meter.elements(count)?,
    }
    Ok(Value::Vector(items))
}

#[cold]
fn loop_limit<T>(limit: u64) -> Outcome<T> {
    let hint = "check that it ends; go over collections with `map`, `reduce` or `doseq` instead";
    error_with_hint("loop_limit_exceeded", format!("a loop went around more than {limit} times"), hint)
}

#[cold]
fn destructure_error<T>(expected: &str, got: &Value) -> Outcome<T> {
    error("destructure_error", format!("the pattern takes {expected} apart, got {}", describe(got)))
}

/// The map of trailing keys and values: `(f :a 1)`, or `(f {:a 1})`.
fn options(rest: Value) -> Outcome {
    let items = match &rest {
        Value::Vector(items) => items.as_slice(),
        _ => return Ok(rest),
    };
    match items {
        [Value::Map(map)] => Ok(Value::Map(map.clone())),
        items if items.len().is_multiple_of(2) => Ok(Value::Map(Map::alternating(items.to_vec()))),
        [.., last] => error("destructure_error", format!("the key {} has no value", describe(last))),
        [] => Ok(Value::Nil),
    }
}
