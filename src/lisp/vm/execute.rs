//! Executing instructions.

use std::rc::Rc;

use super::call::enter;
use super::fiber::{Callee, CodeFrame, Fiber, Fork, Frame, NativeFrame, State};
use super::window::{Stop, Window, clear, put};
use super::{Pending, Run, Vm, census, placed};
use crate::diagnostic::{Diagnostic, Span};
use crate::lisp::builtins::{self, check_arity};
use crate::lisp::chunk::{Capture, Function, Op};
use crate::lisp::fault::{Fault, Outcome};
use crate::lisp::meter::Due;
use crate::lisp::native::{Begin, Context, Native, Next};
use crate::value::{Captured, Closure, Compiled, Label, Value, taken};

/// Why a fiber does not run on.
pub(super) enum Exit {
    Outcome(Outcome),
    Wait(Pending, usize),
    Fork(Fork),
    Pause,
}

/// What frames hand over to each other.
enum Flow {
    /// The frame on top has ended with a value.
    Returned(Value),
    /// The frame on top has ended, and this is what the builtin below wants next.
    Stepped(Outcome<Next>),
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
        let mut next = None;
        loop {
            if let Some(Err(fault)) = delivered {
                let span = self.span_of(fiber, None);
                return Exit::Outcome(Err(placed(fault, span)));
            }
            let answer = delivered.take().and_then(Result::ok);
            let flow = match fiber.frames.last() {
                None => return Exit::Outcome(Ok(answer.unwrap_or_default())),
                Some(Frame::Native(_)) => {
                    let flow = self.native(run, fiber, answer, next.take());
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
                Ok(Flow::Stepped(Ok(stepped))) => next = Some(stepped),
                Ok(Flow::Stepped(Err(fault))) => return Exit::Outcome(Err(placed(fault, self.span_of(fiber, None)))),
                Ok(Flow::Entered) => {}
                Ok(Flow::Exit(exit)) => return exit,
                Err(fault) => return Exit::Outcome(Err(fault)),
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
        loop {
            let mut window = Window {
                frames: &mut fiber.frames,
                registers: &mut fiber.registers,
                meter: &mut run.meter,
                effects: &mut fiber.effects,
                globals: fiber.parent.is_none().then_some(&self.globals),
                home: &self.home,
                depth: fiber.depth,
            };
            let stop = window.run(frame)?;
            let base = frame.base;
            macro_rules! register {
                ($register:expr) => {
                    fiber.registers[base + usize::from($register)]
                };
            }
            let op = match stop {
                Stop::At(op) => op,
                Stop::Next(next) => return Ok(Flow::Stepped(next)),
                Stop::Due { again } => {
                    let pauses = self.attend(run, fiber)?;
                    run.meter.fuel -= u64::from(again);
                    if pauses {
                        return Ok(Flow::Exit(Exit::Pause));
                    }
                    continue;
                }
            };
            let (callee, first, count, dst) = match op {
                Op::Call { dst, base: first, count } => {
                    let callee = std::mem::take(&mut register!(first));
                    (self.callee(run, fiber, callee)?, first, usize::from(count), dst)
                }
                Op::CallGlobal { count, dst, base: first, name } => {
                    let callee = self.global_value(run, fiber, usize::from(name))?;
                    (self.callee(run, fiber, callee)?, first, usize::from(count), dst)
                }
                Op::CallBuiltin { count, dst, base: first, builtin } => {
                    (Callee::Builtin(builtins::at(builtin)), first, usize::from(count), dst)
                }
                Op::CallTool { count, dst, base: first, name } => {
                    let name = frame.code.constants[usize::from(name)].as_str().unwrap_or_default();
                    (Callee::Tool(name.into()), first, usize::from(count), dst)
                }
                Op::Return { from } => {
                    let value = std::mem::take(&mut register!(from));
                    frame.code.returned.set(Some(Label::of(&value)));
                    clear(fiber.registers.get_mut(base..base + frame.code.registers).unwrap_or_default());
                    return Ok(Flow::Returned(value));
                }
                op => {
                    self.instruction(run, fiber, frame, op)?;
                    continue;
                }
            };
            frame.dst = dst;
            let first = base + usize::from(first) + 1;
            match self.call_other(run, fiber, callee, first, count)? {
                Called::Value(value) => register!(dst) = value,
                Called::Enter(function, closure, count) => {
                    self.check_depth(run, fiber)?;
                    let entered = enter(&mut fiber.registers, &function, &closure, first, count)?;
                    fiber.frames.push(Frame::Code(std::mem::replace(frame, entered)));
                    if run.meter.step() && self.attend(run, fiber)? {
                        return Ok(Flow::Exit(Exit::Pause));
                    }
                }
                Called::Native(native) => {
                    fiber.frames.push(Frame::Code(frame.clone()));
                    fiber.frames.push(Frame::Native(native));
                    return Ok(Flow::Entered);
                }
                Called::Exit(exit) => return Ok(Flow::Exit(exit)),
            }
        }
    }

    /// An instruction that needs the machine, and changes no frames.
    fn instruction(&mut self, run: &mut Run, fiber: &mut Fiber, frame: &mut CodeFrame, op: Op) -> Outcome<()> {
        let (dst, value) = match op {
            Op::Itself { dst } => (dst, frame.closure.clone().map(Value::Closure).unwrap_or_default()),
            Op::Global { dst, name } => (dst, self.global_value(run, fiber, usize::from(name))?),
            Op::Data { dst, name } => {
                let name = &frame.code.constants[usize::from(name)];
                (dst, self.data_value(name.as_str().unwrap_or_default())?)
            }
            Op::Recent { dst, index } => (dst, self.recent[usize::from(index)].clone()),
            Op::Closure { dst, function } => {
                let function = frame.code.functions[usize::from(function)].clone();
                (dst, self.make_closure(run, fiber, frame, function)?)
            }
            Op::JumpIfDefined { name, to } => {
                if self.find_global(run, fiber, usize::from(name)).is_some() {
                    frame.at = usize::from(to);
                }
                return Ok(());
            }
            Op::Define { name, from, doc } => {
                let value = std::mem::take(&mut fiber.registers[frame.base + usize::from(from)]);
                let doc = frame.code.constants.get(usize::from(doc)).and_then(Value::as_str);
                self.define_in(run, fiber, usize::from(name), value, doc);
                return Ok(());
            }
            _ => unreachable!("all others need nothing but their window"),
        };
        fiber.registers[frame.base + usize::from(dst)] = value;
        Ok(())
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
    fn native(
        &mut self,
        run: &mut Run,
        fiber: &mut Fiber,
        mut answer: Option<Value>,
        mut next: Option<Next>,
    ) -> Outcome<Flow> {
        loop {
            if next.is_none() && run.meter.step() && self.attend(run, fiber)? {
                // The step is taken, and counted, behind the pause.
                run.meter.fuel -= 1;
                fiber.state = State::Ready(answer.map(Ok));
                return Ok(Flow::Exit(Exit::Pause));
            }
            let depth = fiber.depth + fiber.frames.len();
            let Some(Frame::Native(native)) = fiber.frames.last_mut() else { unreachable!("a builtin is on top") };
            let mut context = Context { meter: &mut run.meter, effects: &mut fiber.effects, name: native.builtin.name };
            let wanted = match next.take() {
                Some(next) => next,
                None => native.steps.step(&mut context, answer.take())?,
            };
            let mut one;
            let mut two;
            let mut many;
            let args: &mut [Value] = match wanted {
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
            place(&mut fiber.registers, first, args);
            if depth >= run.meter.limits.depth {
                self.check_depth(run, fiber)?;
            }
            let mut frame = match &native.function {
                Callee::Function(function, closure) => enter(&mut fiber.registers, function, closure, first, count)?,
                callee => {
                    let callee = callee.clone();
                    match self.call_other(run, fiber, callee, first, count)? {
                        Called::Value(value) => {
                            answer = Some(value);
                            continue;
                        }
                        Called::Enter(function, closure, count) => {
                            enter(&mut fiber.registers, &function, &closure, first, count)?
                        }
                        Called::Native(inner) => {
                            fiber.frames.push(Frame::Native(inner));
                            continue;
                        }
                        Called::Exit(exit) => return Ok(Flow::Exit(exit)),
                    }
                }
            };
            // A function that calls no builtin of this kind gives its answer right here.
            match self.code(run, fiber, &mut frame) {
                Ok(Flow::Returned(value)) => answer = Some(value),
                Ok(Flow::Stepped(stepped)) => next = Some(stepped?),
                Ok(Flow::Entered) => return Ok(Flow::Entered),
                Ok(Flow::Exit(exit)) => {
                    fiber.frames.push(Frame::Code(frame));
                    return Ok(Flow::Exit(exit));
                }
                Err(fault) => return Err(placed(fault, self.span_of(fiber, Some(&frame)))),
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
                Callee::Function(function, closure) => return Ok(Called::Enter(function, closure, count)),
                Callee::Tool(name) => {
                    let args = taken(registers);
                    return self.call_tool(run, fiber, &name, args).map(Called::Exit);
                }
                Callee::Lookup(value) => {
                    let found = super::look_up(&value, registers)?;
                    clear(registers);
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
            clear(registers);
            match begun {
                Begin::Done(value) => return Ok(Called::Value(value)),
                Begin::Steps(function, steps) => {
                    let function = self.callee(run, fiber, function)?;
                    self.check_depth(run, fiber)?;
                    return Ok(Called::Native(Box::new(NativeFrame { builtin, function, steps, top: first })));
                }
                Begin::Call(function, mut args) => {
                    callee = self.callee(run, fiber, function)?;
                    count = args.len();
                    place(&mut fiber.registers, first, &mut args);
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
    /// A function is to be entered with so many arguments.
    Enter(Rc<Function>, Rc<Closure>, usize),
    Native(Box<NativeFrame>),
    Exit(Exit),
}

/// nil and false are falsy.
#[inline(always)]
pub(crate) fn is_truthy(value: &Value) -> bool {
    !matches!(value, Value::Nil | Value::Bool(false))
}

/// Puts arguments into registers.
fn place(registers: &mut Vec<Value>, first: usize, args: &mut [Value]) {
    if registers.len() < first + args.len() {
        registers.resize(first + args.len(), Value::Nil);
    }
    for (register, value) in registers.iter_mut().skip(first).zip(args) {
        put(register, std::mem::take(value));
    }
}

/// An error that is raised where a call waits.
pub(super) fn raised(problem: Diagnostic) -> Box<Fault> {
    Box::new(Fault::Error(problem))
}
