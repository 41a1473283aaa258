//! Calls and returns.
//!
//! A call's arguments are in consecutive registers. A function of the program gets a frame whose
//! registers begin there; a builtin that calls functions gets a frame that [`Vm::advance`] steps;
//! every other callee returns its result at once.

use std::rc::Rc;

use super::fiber::{Callee, CodeFrame, Exit, Fiber, FiberState, Fork, Frame, NativeFrame};
use super::outgoing::{arguments, check, check_small};
use super::registers::{clear, fill, put};
use super::{RunningProgram, Vm};
use crate::lisp::builtins::check_arity;
use crate::lisp::chunk::{Arity, Function};
use crate::lisp::fault::{EvalResult, error, error_with_hint};
use crate::lisp::lookup::look_up;
use crate::lisp::meter::Meter;
use crate::lisp::native::{Begin, Context, Effects, Next, Steps};
use crate::lisp::task::{AsyncSteps, request};
use crate::text::join;
use crate::value::{Closure, Value, Vector, taken};

/// With more arguments, a call does not copy the rest of them into registers first.
const MANY_ARGUMENTS: usize = 10_000;

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
pub(super) enum Called {
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
        self.steps.step(&mut Context { meter, effects, name: self.name }, result)
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
        let called = self.begin(run, fiber, callee, first, count)?;
        self.proceed(run, fiber, called)
    }

    /// Continues after a call by the code frame on top.
    pub(super) fn proceed(&mut self, run: &mut RunningProgram, fiber: &mut Fiber, called: Called) -> EvalResult<Flow> {
        match called {
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
                    return Ok(Flow::Exit(Exit::Fork(Fork::new(jobs, native.name))));
                }
                Next::CallTool(tool, args) => return self.call_tool(run, fiber, &tool, args).map(Flow::Exit),
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
            let first = native.top;
            // Callees that need no registers are called here.
            let called = match &native.function {
                Callee::Builtin(builtin) => {
                    let builtin = *builtin;
                    check_arity(builtin, args.len())?;
                    let (meter, effects) = (&mut run.meter, &mut fiber.effects);
                    match builtin.begin(&mut Context { meter, effects, name: builtin.name }, args)? {
                        Begin::Done(value) => Called::Value(value),
                        begun => self.follow(run, fiber, (builtin.name, first), begun)?,
                    }
                }
                Callee::Lookup(value) => Called::Value(look_up(value, args)?),
                callee => {
                    let callee = callee.clone();
                    self.check_depth(run, fiber)?;
                    if args.len() > MANY_ARGUMENTS {
                        // One or two values are not in `many`.
                        self.begin_with(run, fiber, callee, first, many)?
                    } else {
                        let count = args.len();
                        fill(&mut fiber.registers, first, args);
                        self.begin(run, fiber, callee, first, count)?
                    }
                }
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
        callee: Callee,
        first: usize,
        count: usize,
    ) -> EvalResult<Called> {
        let args = &mut fiber.registers[first..first + count];
        match callee {
            Callee::Function(function, closure) => {
                self.check_depth(run, fiber)?;
                enter(&mut fiber.registers, &function, &closure, first, count).map(Called::Code)
            }
            Callee::Builtin(builtin) => {
                check_arity(builtin, count)?;
                let (meter, effects) = (&mut run.meter, &mut fiber.effects);
                let begun = builtin.begin(&mut Context { meter, effects, name: builtin.name }, args);
                clear(args);
                self.follow(run, fiber, (builtin.name, first), begun?)
            }
            Callee::Tool(_) => {
                let args = taken(args);
                self.begin_with(run, fiber, callee, first, args)
            }
            Callee::Lookup(value) => {
                let found = look_up(&value, args)?;
                clear(args);
                Ok(Called::Value(found))
            }
        }
    }

    /// Begins a call with a list of arguments. Only functions of the program move them into registers, which are free
    /// from `first` on; the rest of the arguments of a variadic function becomes a vector without being copied.
    fn begin_with(
        &mut self,
        run: &mut RunningProgram,
        fiber: &mut Fiber,
        callee: Callee,
        first: usize,
        args: Vec<Value>,
    ) -> EvalResult<Called> {
        let (mut callee, mut args) = (callee, args);
        loop {
            match callee {
                Callee::Builtin(builtin) => {
                    check_arity(builtin, args.len())?;
                    let (meter, effects) = (&mut run.meter, &mut fiber.effects);
                    match builtin.begin(&mut Context { meter, effects, name: builtin.name }, &mut args)? {
                        // Does not recurse: `(apply apply …)` may be nested as deeply as memory allows.
                        Begin::Call(function, next) => (callee, args) = self.next_call(run, fiber, function, next)?,
                        begun => return self.follow(run, fiber, (builtin.name, first), begun),
                    }
                }
                Callee::Function(function, closure) => {
                    self.check_depth(run, fiber)?;
                    let count = args.len();
                    let arity = arity_for(&function, count)?;
                    if arity.variadic && count > MANY_ARGUMENTS {
                        let rest = args.split_off(arity.required);
                        // The counter of `recur` follows the parameters.
                        args.extend([Value::from(rest), Value::Nil]);
                        fill(&mut fiber.registers, first, &mut args);
                        return Ok(Called::Code(code_frame(&mut fiber.registers, &function, arity, &closure, first)));
                    }
                    fill(&mut fiber.registers, first, &mut args);
                    return enter(&mut fiber.registers, &function, &closure, first, count).map(Called::Code);
                }
                Callee::Tool(name) => {
                    if check_small(&mut run.meter, &arguments(&args))? {
                        return self.call_tool(run, fiber, &name, args).map(Called::Exit);
                    }
                    let call = async {
                        check(arguments(&args)).await;
                        Ok(request(Next::CallTool(name, args)).await)
                    };
                    push_work(fiber, "tool", first, AsyncSteps::new(call));
                    return Ok(Called::Native);
                }
                Callee::Lookup(value) => return look_up(&value, &args).map(Called::Value),
            }
        }
    }

    /// Returns the callee and the arguments of a call that a builtin requests in place of its own, and counts a step.
    fn next_call(
        &mut self,
        run: &mut RunningProgram,
        fiber: &Fiber,
        function: Value,
        args: Vec<Value>,
    ) -> EvalResult<(Callee, Vec<Value>)> {
        let callee = self.callee(run, fiber, function)?;
        if run.meter.step() && run.meter.fuel >= run.meter.limits.fuel {
            run.meter.take_due()?;
        }
        Ok((callee, args))
    }

    /// Continues a builtin that has begun. Registers are free from `top` on.
    pub(super) fn follow(
        &mut self,
        run: &mut RunningProgram,
        fiber: &mut Fiber,
        (name, top): (&'static str, usize),
        begun: Begin,
    ) -> EvalResult<Called> {
        Ok(match begun {
            Begin::Done(value) => Called::Value(value),
            Begin::Work(steps) => {
                push_work(fiber, name, top, steps);
                Called::Native
            }
            Begin::Steps(function, steps) => {
                let function = self.callee(run, fiber, function)?;
                self.check_depth(run, fiber)?;
                fiber.frames.push(Frame::Native(Box::new(NativeFrame { name, function, steps, top })));
                Called::Native
            }
            Begin::Call(function, args) => {
                let (callee, args) = self.next_call(run, fiber, function, args)?;
                self.begin_with(run, fiber, callee, top, args)?
            }
        })
    }

    /// Fails when calls are nested too deep for another call by the top frame. The frame of a calling builtin
    /// counts; the frame of calling code does not.
    fn check_depth(&self, run: &RunningProgram, fiber: &Fiber) -> EvalResult<()> {
        let calling_code = usize::from(matches!(fiber.frames.last(), Some(Frame::Code(_))));
        check_depth(fiber.depth + fiber.frames.len() - calling_code, run.meter.limits.depth)
    }
}

/// Pushes the frame of a builtin that has no single function to call. Registers are free from `top` on.
pub(super) fn push_work(fiber: &mut Fiber, name: &'static str, top: usize, steps: Box<dyn Steps>) {
    let frame = NativeFrame { name, function: Callee::Lookup(Value::Nil), steps, top };
    fiber.frames.push(Frame::Native(Box::new(frame)));
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
        join(counts, " or ")
    );
    error("arity_error", message)
}

#[cold]
fn too_deep<T>(limit: usize) -> EvalResult<T> {
    let hint = "check that the recursion ends; go over collections with `map` or `reduce`, or use `loop` and `recur`";
    error_with_hint("depth_exceeded", format!("calls are nested deeper than {limit}"), hint)
}
