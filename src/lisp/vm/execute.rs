//! Executing instructions.

use std::rc::Rc;

use super::call::enter;
use super::fiber::{Callee, CodeFrame, Fiber, Fork, Frame, NativeFrame, State};
use super::window::{Window, put};
use super::{Pending, Run, Vm, census, placed};
use crate::diagnostic::{Diagnostic, Span};
use crate::lisp::builtins::check_arity;
use crate::lisp::chunk::{Capture, Function, Op};
use crate::lisp::fault::{Fault, Outcome};
use crate::lisp::globals::Global;
use crate::lisp::meter::Due;
use crate::lisp::native::{Begin, Context, Native, Next};
use crate::value::{Captured, Closure, Compiled, Value, taken};

/// Why a fiber does not run on.
pub(super) enum Exit {
    Ended(Outcome),
    Wait(Pending, usize),
    Fork(Fork),
    Pause,
}

/// What frames hand over to each other.
enum Flow {
    /// The frame on top has ended with a value.
    Returned(Value),
    /// Another frame is on top.
    Entered,
    /// The fiber can't go on.
    Exit(Exit),
}

impl Vm {
    /// Runs a fiber until it ends, waits, forks or pauses.
    pub(super) fn execute(&mut self, run: &mut Run, fiber: &mut Fiber) -> Exit {
        let mut delivered = match std::mem::replace(&mut fiber.state, State::Ready(None)) {
            State::Ready(answer) => answer,
            _ => None,
        };
        loop {
            if let Some(Err(fault)) = delivered {
                let span = self.span_of(fiber, None);
                return Exit::Ended(Err(placed(fault, span)));
            }
            let answer = delivered.take().and_then(Result::ok);
            let flow = match fiber.frames.last() {
                None => return Exit::Ended(Ok(answer.unwrap_or_default())),
                Some(Frame::Native(_)) => {
                    let flow = self.native(run, fiber, answer);
                    flow.map_err(|fault| placed(fault, self.span_of(fiber, None)))
                }
                Some(Frame::Code(_)) => {
                    let Some(Frame::Code(mut frame)) = fiber.frames.pop() else { unreachable!("just seen") };
                    if let Some(value) = answer {
                        fiber.registers[frame.base + usize::from(frame.dst)] = value;
                    }
                    let flow = self.code(run, fiber, &mut frame);
                    match flow {
                        Err(fault) => Err(placed(fault, self.span_of(fiber, Some(&frame)))),
                        Ok(Flow::Exit(exit)) => {
                            fiber.frames.push(Frame::Code(frame));
                            return exit;
                        }
                        flow => flow,
                    }
                }
            };
            match flow {
                Ok(Flow::Returned(value)) => delivered = Some(Ok(value)),
                Ok(Flow::Entered) => {}
                Ok(Flow::Exit(exit)) => return exit,
                Err(fault) => return Exit::Ended(Err(fault)),
            }
        }
    }

    /// The place in the program's source that is being run: that of the innermost frame which is
    /// code of this program.
    fn span_of(&self, fiber: &Fiber, top: Option<&CodeFrame>) -> Option<Span> {
        let frames = fiber.frames.iter().rev().filter_map(|frame| match frame {
            Frame::Code(frame) => Some(frame),
            Frame::Native(_) => None,
        });
        let mut frames = top.into_iter().chain(frames);
        let frame = frames.find(|frame| frame.code.program == self.programs)?;
        frame.code.spans.get(frame.at.saturating_sub(1)).copied()
    }

    /// Does what is due; true when the fiber has to pause.
    #[cold]
    fn attend(&mut self, run: &mut Run, fiber: &Fiber) -> Outcome<bool> {
        match run.meter.take_due()? {
            Due::Nothing => Ok(false),
            Due::Pause => Ok(true),
            Due::Count => {
                let bytes = census::count(self, run, fiber);
                run.meter.counted(bytes);
                if bytes > run.meter.limits.heap_bytes { run.meter.heap_exceeded() } else { Ok(false) }
            }
        }
    }

    fn code(&mut self, run: &mut Run, fiber: &mut Fiber, frame: &mut CodeFrame) -> Outcome<Flow> {
        let mut base = frame.base;
        macro_rules! register {
            ($register:expr) => {
                fiber.registers[base + usize::from($register)]
            };
        }
        macro_rules! step {
            () => {
                if run.meter.step() && self.attend(run, fiber)? {
                    return Ok(Flow::Exit(Exit::Pause));
                }
            };
        }
        macro_rules! enter {
            ($function:expr, $closure:expr, $first:expr, $count:expr, $dst:expr) => {{
                frame.dst = $dst;
                self.check_depth(run, fiber)?;
                let entered = enter(&mut fiber.registers, $function, $closure, $first, $count)?;
                fiber.frames.push(Frame::Code(std::mem::replace(frame, entered)));
                base = frame.base;
                step!();
            }};
        }
        loop {
            let CodeFrame { code, closure, at, .. } = &mut *frame;
            let mut window = Window {
                registers: &mut fiber.registers[base..base + code.registers],
                code,
                closure: closure.as_deref(),
                meter: &mut run.meter,
                effects: &mut fiber.effects,
            };
            let op = window.run(at)?;
            let Some(op) = op else {
                if self.attend(run, fiber)? {
                    return Ok(Flow::Exit(Exit::Pause));
                }
                continue;
            };
            match op {
                Op::Itself { dst } => {
                    register!(dst) = frame.closure.clone().map(Value::Closure).unwrap_or_default();
                }
                Op::Global { dst, name } => register!(dst) = self.global_value(run, fiber, usize::from(name))?,
                Op::Data { dst, name } => {
                    let name = &frame.code.constants[usize::from(name)];
                    register!(dst) = self.data_value(name.as_str().unwrap_or_default())?;
                }
                Op::Recent { dst, index } => register!(dst) = self.recent[usize::from(index)].clone(),
                Op::Closure { dst, function } => {
                    let function = frame.code.functions[usize::from(function)].clone();
                    register!(dst) = self.make_closure(run, fiber, frame, function)?;
                }
                Op::JumpIfDefined { name, to } => {
                    if self.find_global(run, fiber, usize::from(name)).is_some() {
                        frame.at = usize::from(to);
                    }
                }
                Op::Call { dst, base: first, count } => {
                    let first = base + usize::from(first);
                    let callee = std::mem::take(&mut fiber.registers[first]);
                    match self.callee(run, fiber, callee)? {
                        Callee::Function(function, closure) => {
                            enter!(&function, &closure, first + 1, usize::from(count), dst);
                        }
                        callee => {
                            frame.dst = dst;
                            match self.call_other(run, fiber, callee, first + 1, usize::from(count))? {
                                Called::Value(value) => register!(dst) = value,
                                Called::Enter(function, closure, first, count) => {
                                    enter!(&function, &closure, first, count, dst)
                                }
                                Called::Native(native) => {
                                    fiber.frames.push(Frame::Code(self.leave(frame)));
                                    fiber.frames.push(Frame::Native(native));
                                    return Ok(Flow::Entered);
                                }
                                Called::Exit(exit) => return Ok(Flow::Exit(exit)),
                            }
                        }
                    }
                }
                Op::CallGlobal { count, dst, base: first, name } => {
                    let first = base + usize::from(first);
                    let in_branch;
                    let global = match fiber.parent {
                        None => Some(self.globals.get(usize::from(name))),
                        Some(_) => {
                            in_branch = self.find_global(run, fiber, usize::from(name)).cloned();
                            in_branch.as_ref()
                        }
                    };
                    match global {
                        Some(Global { value: Some(Value::Closure(closure)), function: Some(function) }) => {
                            enter!(function, closure, first + 1, usize::from(count), dst);
                        }
                        _ => {
                            fiber.registers[first] = self.global_value(run, fiber, usize::from(name))?;
                            // The same call, now that its value is known.
                            let callee = std::mem::take(&mut fiber.registers[first]);
                            let callee = self.callee(run, fiber, callee)?;
                            frame.dst = dst;
                            match self.call_other(run, fiber, callee, first + 1, usize::from(count))? {
                                Called::Value(value) => register!(dst) = value,
                                Called::Enter(function, closure, first, count) => {
                                    enter!(&function, &closure, first, count, dst)
                                }
                                Called::Native(native) => {
                                    fiber.frames.push(Frame::Code(self.leave(frame)));
                                    fiber.frames.push(Frame::Native(native));
                                    return Ok(Flow::Entered);
                                }
                                Called::Exit(exit) => return Ok(Flow::Exit(exit)),
                            }
                        }
                    }
                }
                Op::CallBuiltin { count, dst, base: first, builtin } => {
                    let first = base + usize::from(first) + 1;
                    let builtin = crate::lisp::builtins::at(builtin);
                    frame.dst = dst;
                    match self.call_other(run, fiber, Callee::Builtin(builtin), first, usize::from(count))? {
                        Called::Value(value) => register!(dst) = value,
                        Called::Enter(function, closure, first, count) => {
                            enter!(&function, &closure, first, count, dst)
                        }
                        Called::Native(native) => {
                            fiber.frames.push(Frame::Code(self.leave(frame)));
                            fiber.frames.push(Frame::Native(native));
                            return Ok(Flow::Entered);
                        }
                        Called::Exit(exit) => return Ok(Flow::Exit(exit)),
                    }
                }
                Op::CallTool { count, dst, base: first, name } => {
                    let first = base + usize::from(first) + 1;
                    frame.dst = dst;
                    let name = frame.code.constants[usize::from(name)].clone();
                    let args = taken(&mut fiber.registers[first..first + usize::from(count)]);
                    return self.call_tool(run, fiber, name.as_str().unwrap_or_default(), args).map(Flow::Exit);
                }
                Op::Define { name, from, doc } => {
                    let value = std::mem::take(&mut register!(from));
                    let doc = frame.code.constants.get(usize::from(doc)).and_then(Value::as_str);
                    self.define_in(run, fiber, usize::from(name), value, doc);
                }
                Op::Return { from } => {
                    let value = std::mem::take(&mut register!(from));
                    let size = frame.code.registers;
                    fiber.registers[base..base + size].iter_mut().for_each(|register| put(register, Value::Nil));
                    frame.code.returned.set(Some(label_of(&value)));
                    match fiber.frames.last() {
                        Some(Frame::Code(_)) => {
                            let Some(Frame::Code(caller)) = fiber.frames.pop() else { unreachable!("just seen") };
                            *frame = caller;
                            base = frame.base;
                            register!(frame.dst) = value;
                        }
                        _ => return Ok(Flow::Returned(value)),
                    }
                }
                _ => unreachable!("all others need nothing but their window"),
            }
        }
    }

    /// Moves a frame out that is not the one on top any more.
    fn leave(&self, frame: &CodeFrame) -> CodeFrame {
        CodeFrame {
            code: frame.code.clone(),
            closure: frame.closure.clone(),
            at: frame.at,
            base: frame.base,
            dst: frame.dst,
        }
    }

    fn make_closure(&mut self, run: &mut Run, fiber: &Fiber, frame: &CodeFrame, function: Rc<Function>) -> Outcome {
        run.meter.allocate(96 + 32 * function.captures.len() as u64)?;
        let captured = function.captures.iter().map(|(name, capture)| {
            let value = match capture {
                Capture::Register(register) => fiber.registers[frame.base + usize::from(*register)].clone(),
                Capture::Captured(index) => {
                    let closure =
                        frame.closure.as_ref().and_then(|closure| closure.captured.0.get(usize::from(*index)));
                    closure.map(|(_, value)| value.clone()).unwrap_or_default()
                }
                Capture::Itself => frame.closure.clone().map(Value::Closure).unwrap_or_default(),
            };
            (name.clone(), value)
        });
        Ok(Value::Closure(Rc::new(Closure {
            params: function.params.clone(),
            source: Some(function.source.clone()),
            captured: Captured(captured.collect()),
            compiled: Compiled::new(Rc::new(super::call::Linked {
                home: self.home.clone(),
                function: function.clone(),
            })),
            ..Closure::default()
        })))
    }

    /// Steps the builtin on top, which calls functions, until it ends or something else has to run.
    fn native(&mut self, run: &mut Run, fiber: &mut Fiber, mut answer: Option<Value>) -> Outcome<Flow> {
        loop {
            if run.meter.step() && self.attend(run, fiber)? {
                fiber.state = State::Ready(answer.map(Ok));
                return Ok(Flow::Exit(Exit::Pause));
            }
            let depth = fiber.depth + fiber.frames.len();
            let Some(Frame::Native(native)) = fiber.frames.last_mut() else { unreachable!("a builtin is on top") };
            let mut context = Context { meter: &mut run.meter, effects: &mut fiber.effects, name: native.builtin.name };
            let next = native.steps.step(&mut context, answer.take())?;
            let mut one;
            let mut two;
            let mut many;
            let args: &mut [Value] = match next {
                Next::Done(value) => {
                    fiber.frames.pop();
                    return Ok(Flow::Returned(value));
                }
                Next::Fork(mut jobs) => {
                    jobs.reverse();
                    let name = native.builtin.name;
                    let fork = Fork { jobs, begun: 0, ended: 0, results: Vec::new(), children: Vec::new(), name };
                    return Ok(Flow::Exit(Exit::Fork(fork)));
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
            let Some(Frame::Native(native)) = fiber.frames.last() else { unreachable!("a builtin is on top") };
            match &native.function {
                Callee::Builtin(builtin) => {
                    if let Native::Plain(code) = &builtin.code {
                        check_arity(builtin, args.len())?;
                        let mut context =
                            Context { meter: &mut run.meter, effects: &mut fiber.effects, name: builtin.name };
                        answer = Some(code(&mut context, args)?);
                        continue;
                    }
                }
                Callee::Lookup(value) => {
                    answer = Some(super::look_up(value, args)?);
                    continue;
                }
                _ => {}
            }
            let (first, count) = (native.top, args.len());
            if fiber.registers.len() < first + count {
                fiber.registers.resize(first + count, Value::Nil);
            }
            for (place, value) in args.iter_mut().enumerate() {
                put(&mut fiber.registers[first + place], std::mem::take(value));
            }
            if depth >= run.meter.limits.depth {
                self.check_depth(run, fiber)?;
            }
            if let Callee::Function(function, closure) = &native.function {
                let frame = enter(&mut fiber.registers, function, closure, first, count)?;
                fiber.frames.push(Frame::Code(frame));
                return Ok(Flow::Entered);
            }
            let callee = native.function.clone();
            match self.call_other(run, fiber, callee, first, count)? {
                Called::Value(value) => answer = Some(value),
                Called::Enter(function, closure, first, count) => {
                    let frame = enter(&mut fiber.registers, &function, &closure, first, count)?;
                    fiber.frames.push(Frame::Code(frame));
                    return Ok(Flow::Entered);
                }
                Called::Native(inner) => fiber.frames.push(Frame::Native(inner)),
                Called::Exit(exit) => return Ok(Flow::Exit(exit)),
            }
        }
    }

    /// Calls what is no function of the program, with arguments that stand in registers.
    fn call_other(
        &mut self,
        run: &mut Run,
        fiber: &mut Fiber,
        callee: Callee,
        first: usize,
        count: usize,
    ) -> Outcome<Called> {
        let mut callee = callee;
        let mut count = count;
        loop {
            let registers = &mut fiber.registers[first..first + count];
            let builtin = match callee {
                Callee::Function(function, closure) => return Ok(Called::Enter(function, closure, first, count)),
                Callee::Tool(name) => {
                    let args = taken(registers);
                    return self.call_tool(run, fiber, &name, args).map(Called::Exit);
                }
                Callee::Lookup(value) => {
                    let found = super::look_up(&value, registers)?;
                    registers.fill(Value::Nil);
                    return Ok(Called::Value(found));
                }
                Callee::Builtin(builtin) => builtin,
            };
            check_arity(builtin, count)?;
            let mut context = Context { meter: &mut run.meter, effects: &mut fiber.effects, name: builtin.name };
            let begun = match &builtin.code {
                Native::Plain(code) => Begin::Done(code(&mut context, registers)?),
                Native::Steps(begin) => begin(&mut context, registers)?,
            };
            registers.fill(Value::Nil);
            match begun {
                Begin::Done(value) => return Ok(Called::Value(value)),
                Begin::Steps(function, steps) => {
                    let function = self.callee(run, fiber, function)?;
                    self.check_depth(run, fiber)?;
                    return Ok(Called::Native(NativeFrame { builtin, function, steps, top: first }));
                }
                Begin::Call(function, args) => {
                    callee = self.callee(run, fiber, function)?;
                    count = args.len();
                    if fiber.registers.len() < first + count {
                        fiber.registers.resize(first + count, Value::Nil);
                    }
                    for (place, value) in args.into_iter().enumerate() {
                        fiber.registers[first + place] = value;
                    }
                    if run.meter.step() && run.meter.fuel >= run.meter.limits.fuel {
                        run.meter.take_due()?;
                    }
                }
            }
        }
    }
}

/// What came of a call.
enum Called {
    Value(Value),
    /// A function is to be entered with arguments in registers: the first, and how many.
    Enter(Rc<Function>, Rc<Closure>, usize, usize),
    Native(NativeFrame),
    Exit(Exit),
}

/// nil and false are falsy.
#[inline(always)]
pub(crate) fn is_truthy(value: &Value) -> bool {
    !matches!(value, Value::Nil | Value::Bool(false))
}

fn label_of(value: &Value) -> crate::lisp::chunk::Label {
    match value {
        Value::Nil => ("nil", None),
        Value::Bool(_) => ("boolean", None),
        Value::Int(_) | Value::BigInt(_) => ("integer", None),
        Value::Float(_) => ("float", None),
        Value::Str(_) => ("string", None),
        Value::Keyword(_) => ("keyword", None),
        Value::Vector(items) => ("list", Some(items.len())),
        Value::Map(entries) => ("map", Some(entries.len())),
        Value::Set(items) => ("set", Some(items.len())),
        Value::Closure(_) => ("#fn[...]", None),
        Value::Builtin(_) => ("fn", None),
        Value::Var(_) => ("var", None),
        Value::Regex(_) => ("regex", None),
        Value::Date(_) => ("date", None),
    }
}

/// An error that is raised where a call waits.
pub(super) fn raised(problem: Diagnostic) -> Box<Fault> {
    Box::new(Fault::Error(problem))
}
