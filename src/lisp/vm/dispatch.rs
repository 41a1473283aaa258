//! The dispatch loop: executes the instructions of a fiber until it ends or has to stop.
//!
//! The loop selects an instruction and delegates its work to the file of its construct: [`calls`]
//! for calls and returns, [`data`] for values, [`control`] for comparisons and loops,
//! [`names`](super::names) for definitions. The running frame, its instruction pointer and its
//! registers are local variables, so that they stay in registers of the processor; all other frames
//! are in [`Fiber::frames`].

use super::calls::{self, Flow, Input, enter, push_work};
use super::control::long_comparison;
use super::fiber::{Callee, CodeFrame, Exit, Fiber, FiberState, Frame};
use super::link::linked;
use super::registers::{clear, copy, operand, put, store, store_call, transfer};
use super::{RunningProgram, Vm, control, data};
use crate::diagnostic::Span;
use crate::lisp::builtins::{self, check_arity};
use crate::lisp::chunk::{Op, Reg};
use crate::lisp::equality::is_truthy;
use crate::lisp::fault::{EvalResult, Fault};
use crate::lisp::native::{Begin, Context, Native, Next};
use crate::value::{Label, Value, Vector, taken};

/// The reason why the instruction loop leaves the running frame.
enum FrameExit {
    /// A call of a callee without a frame: the callee, its first argument register, and the number of arguments.
    Call(Callee, usize, usize),
    /// The frame has returned to a builtin, which makes this request.
    Next(Next),
    /// The meter must check limits or pause. With `again`, the instruction has had no effect and is executed again.
    Due { again: bool },
    /// The frame has failed.
    Fault(Box<Fault>),
    /// The comparison of this instruction takes long.
    Comparison,
    /// The builtin with this name has begun. Registers are free from this one on.
    Begun(&'static str, usize, Begin),
}

impl Vm {
    /// Runs a fiber until it ends, waits, forks or pauses.
    pub(super) fn execute(&mut self, run: &mut RunningProgram, fiber: &mut Fiber) -> Exit {
        loop {
            let mut fault = match self.dispatch(run, fiber) {
                Ok(exit) => return exit,
                Err(fault) => fault,
            };
            if let Some(problem) = fault.problem_mut()
                && problem.span.is_none()
            {
                problem.span = self.span_of(fiber);
            }
            if let Err(fault) = self.unwind(run, fiber, fault) {
                return Exit::Ended(Err(fault));
            }
        }
    }

    /// Returns the source span of the current instruction of the innermost frame that runs code of this
    /// program.
    fn span_of(&self, fiber: &Fiber) -> Option<Span> {
        let mut frames = fiber.frames.iter().rev().filter_map(|frame| match frame {
            Frame::Code(frame) => Some(frame),
            Frame::Native(_) => None,
        });
        let frame = frames.find(|frame| frame.code.program == self.programs)?;
        frame.code.spans.get(frame.at.saturating_sub(1)).copied()
    }

    #[inline(never)]
    fn dispatch(&mut self, run: &mut RunningProgram, fiber: &mut Fiber) -> EvalResult<Exit> {
        let delivered = match std::mem::replace(&mut fiber.state, FiberState::Ready(None)) {
            FiberState::Ready(delivered) => delivered.transpose()?,
            _ => None,
        };
        let mut frame = match self.advance(run, fiber, Input::Value(delivered))? {
            Flow::Code(frame) => frame,
            Flow::Exit(exit) => return Ok(exit),
        };
        loop {
            let mut at = frame.at;
            let mut base = frame.base;
            let mut code = &*frame.code;
            let (mut ops, mut constants) = (code.ops.as_slice(), code.constants.as_slice());
            let mut registers = fiber.registers.get_mut(base..).unwrap_or_default();
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
            let stop = loop {
                macro_rules! checked {
                    ($outcome:expr) => {
                        match $outcome {
                            Ok(value) => value,
                            Err(fault) => break FrameExit::Fault(fault),
                        }
                    };
                }
                macro_rules! compared {
                    ($comparison:expr, $left:expr, $right:expr) => {
                        match control::compare($comparison, operand!($left), operand!($right), &mut run.meter) {
                            Ok(holds) => holds,
                            Err(Some(fault)) => break FrameExit::Fault(fault),
                            Err(None) => break FrameExit::Comparison,
                        }
                    };
                }
                // Counts a step after an instruction was executed.
                macro_rules! step {
                    () => {
                        if run.meter.step() {
                            break FrameExit::Due { again: false };
                        }
                    };
                }
                // Evaluates an expression that borrows the whole fiber, then borrows its registers again.
                macro_rules! with_fiber {
                    ($result:expr) => {{
                        let result = $result;
                        registers = fiber.registers.get_mut(base..).unwrap_or_default();
                        result
                    }};
                }
                // Loads the local variables from `frame` after another frame became the running one.
                macro_rules! switch {
                    () => {{
                        at = frame.at;
                        base = frame.base;
                        code = &*frame.code;
                        (ops, constants) = (code.ops.as_slice(), code.constants.as_slice());
                        registers = fiber.registers.get_mut(base..).unwrap_or_default();
                    }};
                }
                // Calls a function of the program.
                macro_rules! enter {
                    ($function:expr, $closure:expr, $first:expr, $count:expr, $dst:expr) => {{
                        frame.at = at;
                        frame.dst = $dst;
                        checked!(calls::check_depth(fiber.depth + fiber.frames.len(), run.meter.limits.depth));
                        let first = base + usize::from($first) + 1;
                        let entered =
                            checked!(enter(&mut fiber.registers, $function, $closure, first, usize::from($count)));
                        fiber.frames.push(Frame::Code(std::mem::replace(&mut frame, entered)));
                        switch!();
                        step!();
                    }};
                }
                // Calls any other callee.
                macro_rules! call {
                    ($callee:expr, $first:expr, $count:expr, $dst:expr) => {{
                        frame.dst = $dst;
                        break FrameExit::Call($callee, base + usize::from($first) + 1, usize::from($count));
                    }};
                }
                let op = &ops[at];
                at += 1;
                match *op {
                    Op::Const { dst, constant } => store(&mut register!(dst), &constants[usize::from(constant)]),
                    Op::Move { dst, from } => copy(registers, usize::from(from), usize::from(dst)),
                    Op::Take { dst, from } => transfer(registers, usize::from(from), usize::from(dst)),
                    Op::Captured { dst, index } => {
                        if let Some(value) = data::captured(frame.closure.as_deref(), index) {
                            store_call(&mut register!(dst), value);
                        }
                    }
                    Op::Itself { dst } => {
                        set!(dst, frame.closure.clone().map(Value::Closure).unwrap_or_default());
                    }
                    Op::Global { dst, name } => {
                        let value = checked!(with_fiber!(self.global_value(run, fiber, usize::from(name))));
                        set!(dst, value);
                    }
                    Op::Atom { dst, name } => {
                        let value = checked!(with_fiber!(self.defined_atom(run, fiber, usize::from(name))));
                        set!(dst, value);
                    }
                    Op::Data { dst, name } => {
                        let name = constants[usize::from(name)].as_str().unwrap_or_default();
                        match self.find_data(name) {
                            Some(value) => store(&mut register!(dst), value),
                            None => checked!(self.no_data(name)),
                        }
                    }
                    Op::Recent { dst, index } => {
                        store_call(&mut register!(dst), self.recent.get(usize::from(index)).unwrap_or(&self.calls));
                    }
                    Op::Vector { dst, base, count } => {
                        checked!(run.meter.elements(usize::from(count)));
                        set!(dst, Value::Vector(Vector::from(taken_run!(base, count))));
                    }
                    Op::Map { dst, base, count } => {
                        checked!(run.meter.elements(usize::from(count)));
                        set!(dst, checked!(data::map(taken_run!(base, count))));
                    }
                    Op::Set { dst, base, count } => {
                        checked!(run.meter.elements(usize::from(count)));
                        set!(dst, checked!(data::set(taken_run!(base, count))));
                    }
                    Op::Closure { dst, function } => {
                        let function = &code.functions[usize::from(function)];
                        set!(dst, checked!(self.make_closure(&mut run.meter, &frame, registers, function)));
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
                        if !compared!(comparison, left, right) {
                            at = usize::from(to);
                        }
                    }
                    Op::JumpIfMissing { map, key, to } => {
                        if !control::has_key(&register!(map), &constants[usize::from(key)]) {
                            at = usize::from(to);
                        }
                    }
                    Op::JumpIfDefined { name, to } => {
                        if with_fiber!(self.find_global(run, fiber, usize::from(name)).is_some()) {
                            at = usize::from(to);
                        }
                    }
                    Op::Add { dst, left, right } => {
                        checked!(data::add(registers, constants, (dst, left, right)));
                    }
                    Op::Subtract { dst, left, right } => {
                        checked!(data::subtract(registers, constants, (dst, left, right)));
                    }
                    Op::Multiply { dst, left, right } => {
                        checked!(data::multiply(registers, constants, (dst, left, right)));
                    }
                    Op::Compare { comparison, dst, left, right } => {
                        let holds = compared!(comparison, left, right);
                        set!(dst, Value::Bool(holds));
                    }
                    Op::Not { dst, from } => set!(dst, Value::Bool(!is_truthy(operand!(from)))),
                    Op::IsNil { dst, from } => set!(dst, Value::Bool(matches!(operand!(from), Value::Nil))),
                    Op::Key { dst, from, key } => {
                        set!(dst, checked!(data::key(&code.keys[usize::from(key)], operand!(from))));
                    }
                    Op::Field { dst, from, key } => {
                        set!(dst, checked!(data::field(&constants[usize::from(key)], &register!(from))));
                    }
                    Op::Nth { dst, from, index } => {
                        set!(dst, checked!(data::nth(&register!(from), usize::from(index))));
                    }
                    Op::Rest { dst, from, index } => {
                        set!(dst, checked!(data::rest(&register!(from), usize::from(index), &mut run.meter)));
                    }
                    Op::Options { dst, from } => {
                        set!(dst, checked!(data::options(std::mem::take(&mut register!(from)))));
                    }
                    Op::Call { dst, base: first, count } => {
                        let callee = std::mem::take(&mut register!(first));
                        if let Value::Closure(closure) = &callee
                            && let Some(function) = linked(closure, &self.home)
                        {
                            enter!(function, closure, first, count, dst);
                        } else {
                            call!(checked!(self.callee(run, fiber, callee)), first, count, dst);
                        }
                    }
                    Op::CallGlobal { count, dst, base: first, name } => {
                        // A branch may have its own definitions.
                        let is_branch = fiber.parent.is_some();
                        match self.globals.function(usize::from(name)).filter(|_| !is_branch) {
                            Some((function, closure)) => enter!(function, closure, first, count, dst),
                            None => {
                                let callee = checked!(self.global_callee(run, fiber, usize::from(name)));
                                call!(callee, first, count, dst);
                            }
                        }
                    }
                    Op::CallBuiltin { count, dst, base: first, builtin } => {
                        let builtin = builtins::at(builtin);
                        checked!(check_arity(builtin, usize::from(count)));
                        if run.meter.step() {
                            break FrameExit::Due { again: true };
                        }
                        let first = usize::from(first) + 1;
                        let args = registers.get_mut(first..first + usize::from(count)).unwrap_or_default();
                        let mut context =
                            Context { meter: &mut run.meter, effects: &mut fiber.effects, name: builtin.name };
                        let value = match &builtin.code {
                            Native::Plain(code) => checked!(code(&mut context, args)),
                            Native::Steps(begin) => match checked!(begin(&mut context, args)) {
                                Begin::Done(value) => value,
                                begun => {
                                    clear(args);
                                    frame.dst = dst;
                                    break FrameExit::Begun(builtin.name, base + first, begun);
                                }
                            },
                        };
                        clear(args);
                        set!(dst, value);
                    }
                    Op::CallTool { count, dst, base: first, name } => {
                        let name = constants[usize::from(name)].as_str().unwrap_or_default();
                        call!(Callee::Tool(name.into()), first, count, dst);
                    }
                    Op::Return { from } => {
                        let (size, from) = (code.registers, usize::from(from));
                        code.returned.set(Some(Label::of(&registers[from])));
                        match fiber.frames.last_mut() {
                            Some(Frame::Code(_)) => {
                                // Plain loops, because iterators compile to calls at this optimization level.
                                let own = &mut registers[..size];
                                let (mut position, mut are_plain) = (0, true);
                                while position < size {
                                    are_plain &= own[position].is_plain();
                                    position += 1;
                                }
                                while !are_plain && position > 0 {
                                    position -= 1;
                                    if position != from && !own[position].is_plain() {
                                        own[position] = Value::Nil;
                                    }
                                }
                                let Some(Frame::Code(caller)) = fiber.frames.pop() else { unreachable!("just seen") };
                                transfer(&mut fiber.registers, base + from, caller.base + usize::from(caller.dst));
                                frame = caller;
                                switch!();
                            }
                            Some(Frame::Native(native)) => {
                                if run.meter.step() {
                                    break FrameExit::Due { again: true };
                                }
                                let value = std::mem::take(&mut registers[from]);
                                clear(registers.get_mut(..size).unwrap_or_default());
                                let next = native.step(&mut run.meter, &mut fiber.effects, Some(value))?;
                                match calls::repeat(next, &native.function, &frame, registers) {
                                    None => at = 0,
                                    Some(next) => break FrameExit::Next(next),
                                }
                            }
                            None => {
                                let value = std::mem::take(&mut registers[from]);
                                clear(registers.get_mut(..size).unwrap_or_default());
                                return Ok(Exit::Ended(Ok(value)));
                            }
                        }
                    }
                    Op::Recur { count, from, to, head } => {
                        let counter = to + u16::from(count);
                        let rounds =
                            checked!(control::next_round(&register!(counter), run.meter.limits.loop_iterations));
                        set!(counter, Value::Int(rounds));
                        for index in 0..usize::from(count) {
                            transfer(registers, usize::from(from) + index, usize::from(to) + index);
                        }
                        at = usize::from(head);
                        step!();
                    }
                    Op::Iterate { items } => {
                        set!(items + 1, Value::Int(0));
                        set!(items, checked!(control::iterated(&register!(items), &mut run.meter)));
                    }
                    Op::Next { dst, items, to } => {
                        match control::next_element(&register!(items), &register!(items + 1)) {
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
                        checked!(data::push(&mut register!(items), value, &mut run.meter));
                    }
                    Op::Define { name, from, doc } => {
                        let value = std::mem::take(&mut register!(from));
                        let doc = constants.get(usize::from(doc)).and_then(Value::as_str);
                        with_fiber!(self.define_in(run, fiber, usize::from(name), value, doc));
                    }
                    Op::Rethrow { from } => checked!(rethrow(&register!(from))),
                    Op::NoClause { value } => checked!(control::no_clause(&register!(value))),
                }
            };
            frame.at = at;
            let flow = match stop {
                FrameExit::Call(callee, first, count) => {
                    fiber.frames.push(Frame::Code(frame));
                    self.call(run, fiber, callee, first, count)?
                }
                FrameExit::Next(next) => self.advance(run, fiber, Input::Next(next))?,
                FrameExit::Due { again } => {
                    // An instruction that is executed again counts its step again.
                    frame.at -= usize::from(again);
                    let pauses = run.meter.take_due();
                    if let Ok(false) = pauses {
                        run.meter.fuel -= u64::from(again);
                        continue;
                    }
                    fiber.frames.push(Frame::Code(frame));
                    pauses?;
                    run.meter.fuel -= u64::from(again);
                    Flow::Exit(Exit::Pause)
                }
                FrameExit::Begun(name, top, begun) => {
                    fiber.frames.push(Frame::Code(frame));
                    let begun = self.follow(run, fiber, (name, top), begun)?;
                    self.proceed(run, fiber, begun)?
                }
                FrameExit::Comparison => {
                    begin_comparison(fiber, frame);
                    self.advance(run, fiber, Input::Value(None))?
                }
                FrameExit::Fault(fault) => {
                    // The frame gives the position of the error.
                    fiber.frames.push(Frame::Code(frame));
                    return Err(fault);
                }
            };
            match flow {
                Flow::Code(next) => frame = next,
                Flow::Exit(exit) => return Ok(exit),
            }
        }
    }
}

/// Fails with the fault that a `finally` has suspended, if there is one.
#[cold]
fn rethrow(suspended: &Value) -> EvalResult<()> {
    Fault::resumed(suspended).map_or(Ok(()), Err)
}

/// Begins the long comparison of the last instruction, which is executed again afterwards.
#[cold]
fn begin_comparison(fiber: &mut Fiber, frame: CodeFrame) {
    let mut frame = frame;
    frame.at -= 1;
    let (base, free) = (frame.base, frame.code.registers);
    let registers = fiber.registers.get(base..).unwrap_or_default();
    let steps = match frame.code.ops[frame.at] {
        Op::Compare { left, right, .. } | Op::JumpUnless { left, right, .. } => {
            let value = |position| operand(registers, &frame.code.constants, position).clone();
            long_comparison(value(left), value(right))
        }
        _ => unreachable!("only comparisons take long"),
    };
    // The result of the comparison frame goes to an unused register.
    frame.dst = free as Reg;
    if fiber.registers.len() <= base + free {
        fiber.registers.resize(base + free + 1, Value::Nil);
    }
    fiber.frames.push(Frame::Code(frame));
    push_work(fiber, "=", base + free, steps);
}
