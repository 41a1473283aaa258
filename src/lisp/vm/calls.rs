//! Calls and returns.
//!
//! A call's arguments are in consecutive registers. A function of the program gets a frame whose
//! registers begin there; a builtin that calls functions gets a frame that [`Vm::advance`] steps;
//! every other callee returns its result at once.

use std::rc::Rc;

use super::fiber::{Callee, CodeFrame, Exit, Fiber, FiberState, Fork, Frame, NativeFrame};
use super::outgoing::{OUTGOING, OutgoingCheck, arguments, check_small};
use super::registers::{clear, fill, put};
use super::{RunningProgram, Vm};
use crate::lisp::builtins::check_arity;
use crate::lisp::chunk::{Arity, Function};
use crate::lisp::fault::{EvalResult, Fault, error, error_with_hint};
use crate::lisp::lookup::look_up;
use crate::lisp::meter::Meter;
use crate::lisp::native::{Begin, Builtin, Context, Effects, Native, Next, Steps};
use crate::lisp::sequence::LONG;
use crate::value::{Closure, Value, Vector, taken};

/// How execution continues after a call or a return.
pub(super) enum Flow {
    /// The code of this frame runs. The frame is not in [`Fiber::frames`].
    Code(CodeFrame),
    /// The fiber stops.
    Exit(Exit),
}

/// The input with which the top frame continues.
pub(super) enum Input {
    /// The result of its call; `None` when it begins or resumes without a result.
    Value(Option<Value>),
    /// The next request of the builtin on top.
    Next(Next),
}

/// The state of a call.
enum Called {
    /// It has returned.
    Value(Value),
    /// This frame of a function must run.
    Code(CodeFrame),
    /// The frame of a builtin is on top.
    Native,
    /// It needs the host.
    Exit(Exit),
}

impl NativeFrame {
    /// Steps the builtin with the result of its call.
    #[inline(always)]
    pub(super) fn step(&mut self, meter: &mut Meter, effects: &mut Effects, result: Option<Value>) -> EvalResult<Next> {
        self.steps.step(&mut Context { meter, effects, name: self.builtin.name }, result)
    }
}

impl Vm {
    /// Makes a call of the code frame on top, with `count` arguments in the registers from `first`.
    pub(super) fn call(
        &mut self,
        run: &mut RunningProgram,
        fiber: &mut Fiber,
        callee: Callee,
        first: usize,
        count: usize,
    ) -> EvalResult<Flow> {
        match self.begin(run, fiber, callee, first, count)? {
            Called::Value(value) => self.advance(run, fiber, Input::Value(Some(value))),
            Called::Native => self.advance(run, fiber, Input::Value(None)),
            Called::Exit(exit) => Ok(Flow::Exit(exit)),
            Called::Code(frame) => {
                let pauses = if run.meter.step() { run.meter.take_due() } else { Ok(false) };
                if let Ok(false) = pauses {
                    return Ok(Flow::Code(frame));
                }
                fiber.frames.push(Frame::Code(frame));
                pauses.map(|_| Flow::Exit(Exit::Pause))
            }
        }
    }

    /// Continues the frame on top, and steps builtins until code is to run or the fiber stops.
    pub(super) fn advance(
        &mut self,
        run: &mut RunningProgram,
        fiber: &mut Fiber,
        mut input: Input,
    ) -> EvalResult<Flow> {
        loop {
            let next = match input {
                Input::Next(next) => next,
                Input::Value(value) => match fiber.frames.pop() {
                    None => return Ok(Flow::Exit(Exit::Ended(Ok(value.unwrap_or_default())))),
                    Some(Frame::Code(frame)) => {
                        if let Some(value) = value {
                            put(&mut fiber.registers[frame.base + usize::from(frame.dst)], value);
                        }
                        return Ok(Flow::Code(frame));
                    }
                    Some(native) => {
                        fiber.frames.push(native);
                        if run.meter.step() && run.meter.take_due()? {
                            // The step is taken and counted again after the pause.
                            run.meter.fuel -= 1;
                            fiber.state = FiberState::Ready(value.map(Ok));
                            return Ok(Flow::Exit(Exit::Pause));
                        }
                        let Some(Frame::Native(native)) = fiber.frames.last_mut() else { unreachable!("just pushed") };
                        native.step(&mut run.meter, &mut fiber.effects, value)?
                    }
                },
            };
            let Some(Frame::Native(native)) = fiber.frames.last_mut() else { unreachable!("only builtins request") };
            let (mut one, mut two);
            let mut many = Vec::new();
            let args: &mut [Value] = match next {
                Next::Done(value) => {
                    fiber.frames.pop();
                    input = Input::Value(Some(value));
                    continue;
                }
                Next::Continue => {
                    run.meter.take_due()?;
                    return Ok(Flow::Exit(Exit::Pause));
                }
                Next::Fork(jobs) => {
                    return Ok(Flow::Exit(Exit::Fork(Fork::new(jobs, native.builtin.name))));
                }
                Next::Call(value) => {
                    one = [value];
                    &mut one
                }
                Next::Call2(left, right) => {
                    two = [left, right];
                    &mut two
                }
                Next::CallAll(values) => {
                    many = values;
                    &mut many
                }
                Next::CallOther(function, values) => {
                    let callee = self.callee(run, fiber, function)?;
                    if let Some(Frame::Native(native)) = fiber.frames.last_mut() {
                        native.function = callee;
                    }
                    many = values;
                    &mut many
                }
            };
            let Some(Frame::Native(native)) = fiber.frames.last() else { unreachable!("only builtins request") };
            // Callees that need no registers are called here.
            let value = match &native.function {
                Callee::Builtin(builtin) => match &builtin.code {
                    Native::Plain(code) => {
                        check_arity(builtin, args.len())?;
                        let (meter, effects) = (&mut run.meter, &mut fiber.effects);
                        match code(&mut Context { meter, effects, name: builtin.name }, args) {
                            Ok(value) => Some(value),
                            Err(fault) => {
                                let (builtin, top) = (*builtin, native.top);
                                begin_work(fiber, builtin, top, *fault)?;
                                input = Input::Value(None);
                                continue;
                            }
                        }
                    }
                    Native::Steps(_) => None,
                },
                Callee::Lookup(value) => Some(look_up(value, args)?),
                _ => None,
            };
            if value.is_some() {
                input = Input::Value(value);
                continue;
            }
            let (first, count, callee) = (native.top, args.len(), native.function.clone());
            self.check_depth(run, fiber)?;
            // One or two values are not in `many`.
            let called = if count > LONG.max(2) {
                self.begin_long(run, fiber, callee, first, many)?
            } else {
                fill(&mut fiber.registers, first, args);
                self.begin(run, fiber, callee, first, count)?
            };
            input = match called {
                Called::Value(value) => Input::Value(Some(value)),
                Called::Native => Input::Value(None),
                Called::Code(frame) => return Ok(Flow::Code(frame)),
                Called::Exit(exit) => return Ok(Flow::Exit(exit)),
            };
        }
    }

    /// Begins a call with arguments in registers.
    fn begin(
        &mut self,
        run: &mut RunningProgram,
        fiber: &mut Fiber,
        mut callee: Callee,
        first: usize,
        mut count: usize,
    ) -> EvalResult<Called> {
        loop {
            let args = &mut fiber.registers[first..first + count];
            let builtin = match callee {
                Callee::Function(function, closure) => {
                    self.check_depth(run, fiber)?;
                    return enter(&mut fiber.registers, &function, &closure, first, count).map(Called::Code);
                }
                Callee::Tool(name) => {
                    let args = taken(args);
                    if !is_size_counted(fiber) && !check_small(&mut run.meter, &arguments(&args))? {
                        let tool = format!("tool/{name}").into();
                        push_work(fiber, &OUTGOING, first, OutgoingCheck::before(tool, args));
                        return Ok(Called::Native);
                    }
                    return self.call_tool(run, fiber, &name, args).map(Called::Exit);
                }
                Callee::Lookup(value) => {
                    let found = look_up(&value, args)?;
                    clear(args);
                    return Ok(Called::Value(found));
                }
                Callee::Builtin(builtin) => builtin,
            };
            check_arity(builtin, count)?;
            let mut context = Context { meter: &mut run.meter, effects: &mut fiber.effects, name: builtin.name };
            let begun = match &builtin.code {
                Native::Plain(code) => code(&mut context, args).map(Begin::Done),
                Native::Steps(begin) => begin(&mut context, args),
            };
            clear(args);
            let begun = match begun {
                Ok(begun) => begun,
                Err(fault) => {
                    begin_work(fiber, builtin, first, *fault)?;
                    return Ok(Called::Native);
                }
            };
            match begun {
                Begin::Done(value) => return Ok(Called::Value(value)),
                Begin::Work(steps) => {
                    push_work(fiber, builtin, first, steps);
                    return Ok(Called::Native);
                }
                Begin::Steps(function, steps) => return self.push_steps(run, fiber, builtin, first, (function, steps)),
                Begin::Call(function, mut args) => {
                    callee = self.callee(run, fiber, function)?;
                    count = args.len();
                    fill(&mut fiber.registers, first, &mut args);
                    if run.meter.step() && run.meter.fuel >= run.meter.limits.fuel {
                        run.meter.take_due()?;
                    }
                }
            }
        }
    }

    /// Pushes the frame of a builtin that calls a function, step by step.
    fn push_steps(
        &mut self,
        run: &RunningProgram,
        fiber: &mut Fiber,
        builtin: &'static Builtin,
        top: usize,
        (function, steps): (Value, Box<dyn Steps>),
    ) -> EvalResult<Called> {
        let function = self.callee(run, fiber, function)?;
        self.check_depth(run, fiber)?;
        fiber.frames.push(Frame::Native(Box::new(NativeFrame { builtin, function, steps, top })));
        Ok(Called::Native)
    }

    /// Begins a call with so many arguments that moving them into registers takes as long as a slice: builtins take the
    /// list itself, and a variadic function gets the rest of the arguments as one vector.
    #[cold]
    fn begin_long(
        &mut self,
        run: &mut RunningProgram,
        fiber: &mut Fiber,
        callee: Callee,
        first: usize,
        args: Vec<Value>,
    ) -> EvalResult<Called> {
        let count = args.len();
        let mut args = args;
        match &callee {
            Callee::Function(function, closure) => {
                let arity = arity_for(function, count)?;
                if arity.variadic {
                    let rest = args.split_off(arity.required);
                    // The counter of `recur` follows the parameters.
                    args.extend([Value::from(rest), Value::Nil]);
                    fill(&mut fiber.registers, first, &mut args);
                    return Ok(Called::Code(code_frame(&mut fiber.registers, function, arity, closure, first)));
                }
            }
            Callee::Builtin(builtin @ Builtin { code: Native::Steps(begin), .. }) => {
                check_arity(builtin, count)?;
                let mut context = Context { meter: &mut run.meter, effects: &mut fiber.effects, name: builtin.name };
                match begin(&mut context, &mut args) {
                    Ok(Begin::Done(value)) => return Ok(Called::Value(value)),
                    Ok(Begin::Work(steps)) => push_work(fiber, builtin, first, steps),
                    Ok(Begin::Steps(function, steps)) => {
                        return self.push_steps(run, fiber, builtin, first, (function, steps));
                    }
                    Ok(Begin::Call(function, args)) => {
                        let callee = self.callee(run, fiber, function)?;
                        return self.begin_long(run, fiber, callee, first, args);
                    }
                    Err(fault) => begin_work(fiber, builtin, first, *fault)?,
                }
                return Ok(Called::Native);
            }
            _ => {}
        }
        fill(&mut fiber.registers, first, &mut args);
        self.begin(run, fiber, callee, first, count)
    }

    /// Fails when calls are nested too deep for another call by the top frame. The frame of a calling builtin
    /// counts; the frame of calling code does not.
    fn check_depth(&self, run: &RunningProgram, fiber: &Fiber) -> EvalResult<()> {
        let calling_code = usize::from(matches!(fiber.frames.last(), Some(Frame::Code(_))));
        check_depth(fiber.depth + fiber.frames.len() - calling_code, run.meter.limits.depth)
    }
}

/// Pushes the frame of a builtin that continues in pieces after [`Fault::Suspended`]; fails with any other fault.
#[cold]
pub(super) fn begin_work(fiber: &mut Fiber, builtin: &'static Builtin, top: usize, fault: Fault) -> EvalResult<()> {
    match (fault, fiber.effects.work.0.take()) {
        (Fault::Suspended, Some(steps)) => {
            push_work(fiber, builtin, top, steps);
            Ok(())
        }
        (fault, _) => Err(Box::new(fault)),
    }
}

/// Pushes the frame of a builtin that has no single function to call. Registers are free from `top` on.
pub(super) fn push_work(fiber: &mut Fiber, builtin: &'static Builtin, top: usize, steps: Box<dyn Steps>) {
    let frame = NativeFrame { builtin, function: Callee::Lookup(Value::Nil), steps, top };
    fiber.frames.push(Frame::Native(Box::new(frame)));
}

/// Returns whether the size of a tool call's arguments is counted already: [`OutgoingCheck`] makes the call.
fn is_size_counted(fiber: &Fiber) -> bool {
    matches!(fiber.frames.last(), Some(Frame::Native(native)) if std::ptr::eq(native.builtin, &OUTGOING))
}

/// Fails when one more frame would exceed the limit.
#[inline(always)]
pub(super) fn check_depth(frames: usize, limit: usize) -> EvalResult<()> {
    if frames >= limit { too_deep(limit) } else { Ok(()) }
}

/// Creates the frame of a function whose arguments are in the registers from `first`.
#[inline]
pub(super) fn enter(
    registers: &mut Vec<Value>,
    function: &Function,
    closure: &Rc<Closure>,
    first: usize,
    count: usize,
) -> EvalResult<CodeFrame> {
    let arity = match function.arities.as_slice() {
        [only] if only.required == count && !only.variadic => only,
        _ => arity_for(function, count)?,
    };
    let frame = code_frame(registers, function, arity, closure, first);
    let mut params = count;
    if arity.variadic {
        params = arity.required + 1;
        let rest = first + arity.required..first + count;
        let rest = Vector::from(taken(registers.get_mut(rest).unwrap_or_default()));
        registers[first + arity.required] = if rest.is_empty() { Value::Nil } else { Value::Vector(rest) };
    }
    // The counter of `recur` follows the parameters.
    put(&mut registers.as_mut_slice()[first + params], Value::Nil);
    Ok(frame)
}

/// Returns the arity that takes `count` arguments; an exact one before a variadic one.
fn arity_for(function: &Function, count: usize) -> EvalResult<&Arity> {
    let arities = &function.arities;
    let exact = arities.iter().find(|arity| !arity.variadic && arity.required == count);
    match exact.or_else(|| arities.iter().find(|arity| arity.variadic && arity.required <= count)) {
        Some(arity) => Ok(arity),
        None => wrong_count(function, count),
    }
}

/// Creates the frame of a function, and makes room for its registers.
#[inline(always)]
fn code_frame(
    registers: &mut Vec<Value>,
    function: &Function,
    arity: &Arity,
    closure: &Rc<Closure>,
    first: usize,
) -> CodeFrame {
    let code = arity.code.clone();
    if registers.len() < first + code.registers {
        registers.resize(first + code.registers, Value::Nil);
    }
    let closure = if function.needs_closure { Some(closure.clone()) } else { None };
    CodeFrame { code, closure, at: 0, base: first, dst: 0 }
}

/// Prepares a returned frame to run again if the builtin that called it requests another call of the same
/// function with one or two arguments; returns any other request.
#[inline(always)]
pub(super) fn repeat(next: Next, function: &Callee, frame: &CodeFrame, registers: &mut [Value]) -> Option<Next> {
    let count = match next {
        Next::Call(value) if is_frame_of(frame, function, 1) => {
            put(&mut registers[0], value);
            1
        }
        Next::Call2(left, right) if is_frame_of(frame, function, 2) => {
            put(&mut registers[0], left);
            put(&mut registers[1], right);
            2
        }
        next => return Some(next),
    };
    put(&mut registers[count], Value::Nil);
    None
}

/// Returns whether a frame runs the only arity of a function and that takes exactly `count` arguments.
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

#[cold]
fn wrong_count<T>(function: &Function, count: usize) -> EvalResult<T> {
    let counts = function.arities.iter().map(|arity| match arity.variadic {
        true => format!("at least {}", arity.required),
        false => arity.required.to_string(),
    });
    let name = function.name.as_deref().map(|name| format!(" `{name}`")).unwrap_or_default();
    let message = format!(
        "the function{name} with the parameters `[{}]` takes {} arguments, got {count}",
        function.params,
        counts.collect::<Vec<_>>().join(" or ")
    );
    error("arity_error", message)
}

#[cold]
fn too_deep<T>(limit: usize) -> EvalResult<T> {
    let hint = "check that the recursion ends; go over collections with `map` or `reduce`, or use `loop` and `recur`";
    error_with_hint("depth_exceeded", format!("calls are nested deeper than {limit}"), hint)
}
