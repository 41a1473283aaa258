//! The machine that runs code: frames and registers on the heap, so that a program can wait for a
//! tool, pause, and call as deeply as it may, without a frame of Rust.

mod call;
mod census;
mod execute;
mod extent;
mod fiber;
mod lookup;
mod schedule;
mod window;

use std::rc::Rc;

use super::chunk::Function;
use super::compiler::{Surroundings, compile};
use super::fault::Fault;
use super::globals::{Global, Globals};
use super::meter::{Limits, Meter};
use super::native::{CallRecord, Effects};
use crate::diagnostic::{Diagnostic, Span};
use crate::value::{Closure, Names, Str, Value};

use fiber::Fiber;

pub(super) use execute::is_truthy;
pub(super) use lookup::{get_flexible, look_up};

/// Where programs run: definitions, data, the tools' names, the last results.
pub struct Vm {
    globals: Globals,
    data: Names<Value>,
    tools: Names<()>,
    /// `*1`, `*2`, `*3`
    recent: [Value; 3],
    limits: Limits,
    /// How many programs have begun.
    programs: u32,
    /// Code refers to names by place, which only means something here.
    home: Rc<()>,
    /// Functions by their source, of closures that came without code. The library makes closures
    /// of few sources again and again, as in `(update m k (fnil inc 0))`.
    compiled: Names<Rc<Function>>,
    run: Option<Run>,
}

/// A program under way.
struct Run {
    meter: Meter,
    /// Branches by number; 0 is the program itself.
    fibers: Vec<Option<Fiber>>,
    free: Vec<usize>,
    /// Branches that can go on, in order.
    ready: std::collections::VecDeque<usize>,
    /// What stood where definitions were made, to be put back when the program fails.
    undo: Vec<(usize, Global)>,
    tool_calls: usize,
}

/// What a program needs next, or what came of it.
#[derive(Debug)]
pub enum Progress {
    /// Tools are to be called; they are answered by [`Vm::answer`].
    Calls(Vec<Pending>),
    /// Some time has passed; [`Vm::resume`] goes on.
    Pause,
    /// The program has ended.
    Done(Box<Outcome>),
}

/// A tool call that waits.
#[derive(Clone, Debug, PartialEq)]
pub struct Pending {
    /// Its number in the program, for the answer.
    pub id: usize,
    /// The tool's name.
    pub tool: Str,
    /// The values it is called with.
    pub args: Vec<Value>,
}

/// What a tool gave.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The number of the call.
    pub id: usize,
    /// What the tool was given, as it is recorded.
    pub args: Value,
    /// What it gave, or why it gave nothing.
    pub result: Result<Value, Diagnostic>,
    /// How long it took.
    pub duration_ms: Option<f64>,
}

/// What came of a program.
#[derive(Debug)]
pub struct Outcome {
    /// Its value, or its error.
    pub result: Result<Value, Diagnostic>,
    /// Set when it ended itself.
    pub signal: Option<Signal>,
    /// What it printed.
    pub prints: Vec<Str>,
    /// The tools that it called.
    pub calls: Vec<CallRecord>,
    /// The names that it defined, in order, with their docstrings; none when it failed.
    pub defined: Names<Option<Str>>,
    /// The definitions that differ from before.
    pub changed: Names<Value>,
    /// The steps that it took.
    pub fuel: u64,
}

/// How a program ended itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// `(return value)`
    Return,
    /// `(fail value)`
    Fail,
}

impl Vm {
    /// A machine without definitions.
    pub fn new(data: Names<Value>, tools: Names<()>, limits: Limits) -> Vm {
        Vm {
            globals: Globals::default(),
            data,
            tools,
            recent: Default::default(),
            limits,
            programs: 0,
            home: Rc::new(()),
            compiled: Names::default(),
            run: None,
        }
    }

    /// Defines a name, as a program would.
    pub fn define(&mut self, name: &Str, value: Value) {
        let place = self.globals.place(name);
        self.compiled = Names::default();
        let function = self.function_of(&value);
        self.globals.set(place, Global { value: Some(value), function });
    }

    /// The definitions, in the order in which their names were first mentioned.
    pub fn definitions(&self) -> impl Iterator<Item = (&Str, &Value)> {
        self.globals.definitions()
    }

    /// `*1`, `*2`, `*3`
    pub fn recent(&self) -> &[Value; 3] {
        &self.recent
    }

    /// Sets `*1`, `*2`, `*3`.
    pub fn set_recent(&mut self, recent: [Value; 3]) {
        self.recent = recent;
    }

    /// Begins a program at a time in milliseconds since 1970. What ran before is given up.
    pub fn start(&mut self, source: &str, now: i64) -> Progress {
        self.run = None;
        self.programs += 1;
        let surroundings = Surroundings { globals: &mut self.globals, program: self.programs };
        let function = match compile(source, surroundings, None) {
            Ok(function) => function,
            Err(mut problems) => return self.stop(problems.swap_remove(0)),
        };
        let meter = Meter::new(self.limits.clone(), now);
        let fiber = Fiber::of_program(function);
        self.run = Some(Run {
            meter,
            fibers: vec![Some(fiber)],
            free: Vec::new(),
            ready: [0].into(),
            undo: Vec::new(),
            tool_calls: 0,
        });
        self.drive()
    }

    /// Goes on behind a pause.
    pub fn resume(&mut self) -> Progress {
        self.drive()
    }

    /// Goes on with what tools gave. A call that is not answered goes on waiting.
    pub fn answer(&mut self, answers: Vec<Answer>) -> Progress {
        for answer in answers {
            self.take_answer(answer);
        }
        self.drive()
    }

    /// Ends the program with an error: its time is over, or the host gave it up.
    pub fn stop(&mut self, problem: Diagnostic) -> Progress {
        self.end(Err(Box::new(Fault::Error(problem))))
    }

    /// True while a program is under way.
    pub fn is_running(&self) -> bool {
        self.run.is_some()
    }

    /// Ends the run with the result of the program.
    fn end(&mut self, result: Result<Value, Box<Fault>>) -> Progress {
        let mut effects = Effects::default();
        let (mut fuel, mut undo) = (0, Vec::new());
        if let Some(mut run) = self.run.take() {
            fuel = run.meter.fuel;
            // Branches that are given up have done what they did.
            effects = schedule::collect_effects(&mut run.fibers, 0);
            undo = run.undo;
        }
        let result = result.map_err(|fault| *fault);
        let value = match &result {
            Ok(value) | Err(Fault::Return(value) | Fault::Fail(value)) => Some(value),
            Err(Fault::Error(_)) => None,
        };
        let problem = value.and_then(|value| {
            let most = self.limits.heap_bytes;
            let defined = effects
                .defined
                .iter()
                .find_map(|(name, _)| extent::problem(self.globals.definition(name)?, &format!("`{name}`"), most));
            extent::problem(value, "the result", most).or(defined)
        });
        let result = problem.map_or(result, |problem| Err(Fault::Error(problem)));
        let (result, signal) = match result {
            Ok(value) => (Ok(value), None),
            Err(Fault::Return(value)) => (Ok(value), Some(Signal::Return)),
            Err(Fault::Fail(value)) => (Ok(value), Some(Signal::Fail)),
            Err(Fault::Error(problem)) => (Err(problem), None),
        };
        let (mut changed, mut defined) = (Names::default(), Names::default());
        match &result {
            Ok(value) => {
                self.recent.rotate_right(1);
                self.recent[0] = value.clone();
                changed = self.note_return_types();
                for (name, doc) in effects.defined {
                    let value = self.globals.definition(&name).cloned().unwrap_or_default();
                    changed.insert(name.clone(), value);
                    defined.insert(name, doc);
                }
            }
            Err(_) => {
                for (place, global) in undo.into_iter().rev() {
                    self.globals.set(place, global);
                }
                self.forget_return_types();
            }
        }
        let Effects { prints, calls, .. } = effects;
        Progress::Done(Box::new(Outcome { result, signal, prints, calls, defined, changed, fuel }))
    }

    /// Keeps, with each function, the type of what it returned last (PRE-003); gives those that it
    /// changes.
    fn note_return_types(&mut self) -> Names<Value> {
        let mut changed = Names::default();
        for place in 0..self.globals.len() {
            let global = self.globals.get(place);
            let (Some(Value::Closure(closure)), Some(function)) = (&global.value, &global.function) else { continue };
            // A function may have several names.
            let Some(label) = function.returned.get() else { continue };
            let label = label.text();
            if closure.return_type.as_deref() != Some(&label) {
                let closure = Closure { return_type: Some(label.into()), ..(**closure).clone() };
                let (function, value) = (Some(function.clone()), Value::Closure(Rc::new(closure)));
                changed.insert(self.globals.name(place).clone(), value.clone());
                self.globals.set(place, Global { value: Some(value), function });
            }
        }
        self.forget_return_types();
        changed
    }

    fn forget_return_types(&self) {
        for place in 0..self.globals.len() {
            if let Some(function) = &self.globals.get(place).function {
                function.returned.set(None);
            }
        }
    }
}

/// Gives an error its place, unless it has one.
fn placed(mut fault: Box<Fault>, span: Option<Span>) -> Box<Fault> {
    if let Fault::Error(problem) = &mut *fault
        && problem.span.is_none()
    {
        problem.span = span;
    }
    fault
}

#[cfg(test)]
mod tests;
