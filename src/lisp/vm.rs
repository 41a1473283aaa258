//! The virtual machine. Frames and registers are on the heap, so that a program can wait for a tool,
//! pause, and nest calls to the limit without using the stack of the host.

mod branches;
mod calls;
mod control;
mod data;
mod definitions_size;
mod dispatch;
mod fiber;
mod link;
mod outgoing;
mod registers;
mod resolve;
mod schedule;
mod tools;
mod unwind;

use std::rc::Rc;

use super::cells::Atoms;
use super::check::combined;
use super::chunk::Function;
use super::compiler::{CompileContext, compile};
use super::fault::{EvalResult, Fault, refuse};
use super::globals::{Global, Globals};
use super::meter::{Meter, ProgramLimits};
use super::native::Effects;
use super::tool::{ToolCall, ToolRequest, ToolSpec};
use crate::allocated;
use crate::diagnostic::Diagnostic;
use crate::value::garbage::{self, Freed, Garbage};
use crate::value::{Closure, Names, Str, Value};
use crate::work;
use definitions_size::SizeCount;
use fiber::Fiber;

/// A machine that runs programs one after the other. The programs share definitions, data and tools. Its only inputs are
/// programs, the current time, and the host's replies to the calls of tools.
pub struct Vm {
    globals: Globals,
    data: Names<Value>,
    tools: Rc<Names<Rc<ToolSpec>>>,
    /// Warnings about the names of tools and data.
    hidden_names: Vec<String>,
    /// `*1`, `*2`, `*3`
    recent: [Value; 3],
    /// `*calls`
    calls: Value,
    /// The names that failed programs defined. Using such a name while it is undefined gives a separate error.
    rolled_back: Names<()>,
    /// The names that the last program would define.
    declared: Names<()>,
    limits: ProgramLimits,
    /// The number of programs that have begun.
    programs: u32,
    /// Identifies this machine: compiled code refers to names by their index in its `globals`.
    home: Rc<()>,
    /// Functions by their source, for closures that have no code yet. Builtins often make closures from the
    /// same few sources, as in `(update m k (fnil inc 0))`.
    compiled: Names<Rc<Function>>,
    /// The program that begins once the definitions are counted.
    next: Option<NextProgram>,
    run: Option<RunningProgram>,
    held: HeldBytes,
    /// Values that the program dropped and that are not freed yet.
    garbage: Garbage,
    /// The bytes of deferred values of this machine that were freed and are not subtracted from `held` yet.
    freed: Freed,
}

/// A program that waits for the definitions to be counted.
struct NextProgram {
    source: Str,
    now: i64,
    counting: SizeCount,
}

/// The number of values that are freed in a slice.
const FREED: usize = 25_000;

/// Up to this many fibers are dropped at once.
const FEW_FIBERS: usize = 100;

/// With more garbage than this, in values, a slice only frees.
const MUCH_GARBAGE: usize = 200_000;

/// The bytes that a machine holds.
#[derive(Default)]
struct HeldBytes {
    /// The bytes of the definitions and the program. Values that the host took with the outcomes of programs are
    /// included until the definitions are counted again.
    bytes: i64,
    /// The bytes of the definitions when they were last counted.
    counted: i64,
}

/// The state of a program that has begun and not ended.
struct RunningProgram {
    meter: Meter,
    /// The fibers by number: 0 is the program itself, the others are branches. `None` for the running fiber
    /// and for free numbers.
    fibers: Vec<Option<Fiber>>,
    free: Vec<usize>,
    /// The numbers of fibers that can run, in order.
    ready: std::collections::VecDeque<usize>,
    /// The indexes and previous values of the globals that the program set, which are restored when it fails.
    undo: Vec<(usize, Global)>,
    /// The fibers that called tools, by the numbers of the calls; `None` for a call whose arguments were refused.
    callers: Vec<Option<usize>>,
    /// The calls that the host has to make next.
    requests: Vec<ToolRequest>,
    /// Warnings about arguments that were changed to fit signatures.
    warnings: Vec<String>,
    /// The result, while its size and the size of the definitions are counted.
    result: Option<EvalResult>,
}

/// What a program needs next, or its outcome.
#[derive(Debug)]
pub enum Progress {
    /// The host must call these tools, concurrently; [`Vm::answer`] takes their replies.
    Calls(Vec<ToolRequest>),
    /// A slice of steps is over: the host checks its clock, and [`Vm::resume`] continues.
    Pause,
    /// The program has ended.
    Done(Box<Outcome>),
}

/// The outcome of a program.
#[derive(Debug)]
pub struct Outcome {
    /// Its value, or its error.
    pub result: Result<Value, Diagnostic>,
    /// Set when the program ended itself.
    pub signal: Option<Signal>,
    /// The lines that it printed.
    pub prints: Vec<Str>,
    /// The tools that it called, in order. A call that was refused and ended the program is in its error alone.
    pub calls: Vec<ToolCall>,
    /// The numbers of these calls.
    pub call_ids: Vec<usize>,
    /// The names that it defined, in order, with their docstrings. When it failed, the names that it would
    /// have defined, without docstrings.
    pub defined: Names<Option<Str>>,
    /// The definitions that the program changed.
    pub changed: Names<Value>,
    /// Warnings about arguments that were changed to fit the signatures of tools.
    pub warnings: Vec<String>,
    /// The number of steps that it took.
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

impl Drop for Vm {
    fn drop(&mut self) {
        let values =
            (std::mem::take(&mut self.globals), std::mem::take(&mut self.data), std::mem::take(&mut self.recent));
        self.abandon();
        garbage::drop_later((values, std::mem::take(&mut self.calls)));
        garbage::defer_to_host(std::mem::take(&mut self.garbage), &self.freed);
    }
}

impl Vm {
    /// Creates a machine without definitions.
    pub fn new(data: Names<Value>, tools: Names<Rc<ToolSpec>>, limits: ProgramLimits) -> Vm {
        Vm {
            globals: Globals::default(),
            hidden_names: tools::hidden("tool", &tools).chain(tools::hidden("data", &data)).collect(),
            data,
            tools: Rc::new(tools),
            recent: Default::default(),
            calls: Value::vector([]),
            rolled_back: Names::default(),
            declared: Names::default(),
            limits,
            programs: 0,
            home: Rc::new(()),
            compiled: Names::default(),
            next: None,
            run: None,
            held: HeldBytes::default(),
            garbage: Garbage::default(),
            freed: Freed::default(),
        }
    }

    /// Defines a name, as a program would.
    pub fn define(&mut self, name: &Str, value: Value) {
        let position = self.globals.position(name);
        self.compiled = Names::default();
        // Forces a count of the definitions when the next program begins.
        self.held.bytes = self.max_bytes();
        let function = self.function_of(&value);
        self.globals.set(position, Global { value: Some(value), function });
    }

    /// Declares a name of the data, so that it is nil instead of an error. Does nothing when the name, or one that
    /// differs only in `-` and `_`, has a value.
    pub fn declare_data(&mut self, name: &Str) {
        if self.find_data(name).is_none() {
            self.data.insert(name.clone(), Value::Nil);
        }
    }

    /// Returns the definitions, in the order in which their names were first mentioned.
    pub fn definitions(&self) -> impl Iterator<Item = (&Str, &Value)> {
        self.globals.definitions()
    }

    /// Returns the values of `*1`, `*2` and `*3`.
    pub fn recent(&self) -> &[Value; 3] {
        &self.recent
    }

    /// Sets the values of `*1`, `*2` and `*3`.
    pub fn set_recent(&mut self, recent: [Value; 3]) {
        self.recent = recent;
    }

    /// Records a name that a failed program defined, so that an error about that name says so.
    pub fn note_rolled_back(&mut self, name: &Str) {
        self.rolled_back.insert(name.clone(), ());
    }

    /// Begins a program and abandons one that has not ended. `now` is the time in milliseconds since 1970.
    pub fn start(&mut self, source: &str, now: i64) -> Progress {
        self.abandon();
        self.held.bytes -= self.freed.take();
        let uncertain = self.held.bytes - self.held.counted;
        self.next = None;
        if uncertain > self.max_bytes() / 16 {
            self.next = Some(NextProgram { source: source.into(), now, counting: SizeCount::of(self) });
            return self.count_definitions();
        }
        self.run_program(source, now)
    }

    /// Drops the running program, its fibers later.
    fn abandon(&mut self) {
        if let Some(mut run) = self.run.take() {
            if run.fibers.len() > FEW_FIBERS {
                garbage::drop_items_later(std::mem::take(&mut run.fibers), &self.freed);
            }
            garbage::drop_later(run);
        }
    }

    /// Counts a piece of the definitions, and begins the program when all are counted.
    fn count_definitions(&mut self) -> Progress {
        let Some(mut next) = self.next.take() else { return Progress::Pause };
        let Some(counted) = next.counting.advance() else {
            self.next = Some(next);
            return Progress::Pause;
        };
        self.held = HeldBytes { bytes: counted, counted };
        // The new count does not include values that are still to be freed.
        self.freed = Freed::default();
        self.run_program(&next.source, next.now)
    }

    fn run_program(&mut self, source: &str, now: i64) -> Progress {
        let is_all_free = self.free_leftovers() && self.garbage.len() == 0;
        self.with_allowance(|vm| match vm.begin_program(source, now) {
            Progress::Pause if is_all_free => vm.drive(),
            begun => begun,
        })
    }

    fn begin_program(&mut self, source: &str, now: i64) -> Progress {
        self.programs += 1;
        let context = CompileContext { globals: &mut self.globals, program: self.programs };
        self.declared = Names::default();
        let mut mentions = Vec::new();
        let compiled = compile(source, context, &mut self.declared, Some(&mut mentions));
        let function = match (compiled, self.are_known(&mentions)) {
            (Ok(function), true) => function,
            (compiled, _) => {
                let problems = self.all_problems(compiled.err().unwrap_or_default(), &mentions);
                let problem = combined(problems, source);
                return self.end(refuse(problem.unwrap_or_else(|| Diagnostic::new("internal", "no problem is known"))));
            }
        };
        let meter = Meter { tools: self.tools.clone(), ..Meter::new(self.limits.clone(), now) };
        let fiber = Fiber::of_program(function);
        self.run = Some(RunningProgram {
            meter,
            fibers: vec![Some(fiber)],
            free: Vec::new(),
            ready: [0].into(),
            undo: Vec::new(),
            callers: Vec::new(),
            requests: Vec::new(),
            warnings: Vec::new(),
            result: None,
        });
        Progress::Pause
    }

    /// Continues after a pause.
    pub fn resume(&mut self) -> Progress {
        if self.next.is_some() {
            return self.count_definitions();
        }
        if !self.free_leftovers() {
            return Progress::Pause;
        }
        let is_short_of_memory = self.left() < self.max_bytes() / 4;
        match self.garbage.len() {
            0 => self.with_allowance(Vm::drive),
            garbage if garbage > MUCH_GARBAGE || is_short_of_memory => self.with_allowance(|_| Progress::Pause),
            _ => self.with_allowance(Vm::drive),
        }
    }

    /// Frees some values of earlier programs; returns true when none are left.
    fn free_leftovers(&mut self) -> bool {
        let is_all_free = garbage::free_leftovers(FREED);
        self.held.bytes -= self.freed.take();
        is_all_free
    }

    /// Ends the program with an error, such as a timeout or an abort by the host.
    pub fn stop(&mut self, problem: Diagnostic) -> Progress {
        self.next = None;
        self.with_allowance(|vm| vm.end(Err(Box::new(Fault::Error(problem)))))
    }

    /// Runs `go` with the rest of the program's memory allowance, and updates the bytes that are held. Values that
    /// the program drops are freed in pieces, one of them here.
    fn with_allowance(&mut self, go: impl FnOnce(&mut Vm) -> Progress) -> Progress {
        allocated::allow(self.left());
        self.garbage.free(FREED);
        let outer = garbage::begin(Some(std::mem::take(&mut self.garbage)));
        let progress = go(self);
        work::set_program(0);
        self.garbage = garbage::begin(outer).unwrap_or_default();
        if !self.is_running() && self.garbage.len() > 0 {
            garbage::defer_to_host(std::mem::take(&mut self.garbage), &self.freed);
        }
        self.held.bytes = self.max_bytes() - allocated::disallow();
        progress
    }

    /// Returns the bytes that the program may still allocate; negative when it is over its limit.
    fn left(&self) -> i64 {
        self.max_bytes() - self.held.bytes
    }

    fn max_bytes(&self) -> i64 {
        self.limits.heap_bytes.min(1 << 60) as i64
    }

    /// Returns true while a program has begun and not ended.
    pub fn is_running(&self) -> bool {
        self.run.is_some() || self.next.is_some()
    }

    /// Ends the run with the result of the program.
    fn end(&mut self, result: Result<Value, Box<Fault>>) -> Progress {
        let mut effects = Effects::default();
        // A program that is stopped before it begins has declared nothing.
        let declared = std::mem::take(&mut self.declared);
        let (mut fuel, mut undo, mut callers, mut warnings) = (0, Vec::new(), Vec::new(), Vec::new());
        let mut atoms = Atoms::default();
        if let Some(mut run) = self.run.take() {
            fuel = run.meter.fuel;
            // Includes the effects of abandoned branches.
            effects = schedule::collect_effects(&mut run.fibers, 0);
            (undo, callers, warnings, atoms) = (run.undo, run.callers, run.warnings, run.meter.atoms);
            if run.fibers.len() > FEW_FIBERS {
                garbage::drop_items_later(run.fibers, &self.freed);
            }
        }
        let (result, signal) = match result.map_err(|fault| *fault) {
            Ok(value) => (Ok(value), None),
            Err(Fault::Return(value)) => (Ok(value), Some(Signal::Return)),
            Err(Fault::Fail(value)) => (Ok(value), Some(Signal::Fail)),
            Err(Fault::Error(problem) | Fault::Thrown(problem, _)) => (Err(problem), None),
        };
        // Atoms end with their program; their values stay.
        let result = result.map(|value| atoms.value(&value).cloned().unwrap_or(value));
        let (mut changed, mut defined) = (Names::default(), Names::default());
        match &result {
            Ok(value) => {
                self.recent.rotate_right(1);
                self.recent[0] = value.clone();
                for (name, _) in &effects.defined {
                    let value = self.globals.definition(name).and_then(|value| atoms.value(value));
                    if let Some(value) = value.cloned() {
                        let position = self.globals.position(name);
                        let function = self.function_of(&value);
                        self.globals.set(position, Global { value: Some(value), function });
                    }
                }
                changed = self.note_return_types();
                for (name, doc) in effects.defined {
                    let value = self.globals.definition(&name).cloned().unwrap_or_default();
                    changed.insert(name.clone(), value);
                    defined.insert(name, doc);
                }
            }
            Err(_) => {
                // Includes the declared names, because a program may fail within a definition.
                for name in
                    declared.into_iter().map(|(name, ())| name).chain(effects.defined.into_iter().map(|(name, _)| name))
                {
                    self.note_rolled_back(&name);
                    defined.insert(name, None);
                }
                for (position, global) in undo.into_iter().rev() {
                    self.globals.set(position, global);
                }
                self.forget_return_types();
            }
        }
        let Effects { prints, mut calls, .. } = effects;
        if let Err(problem) = &result {
            calls.retain(|(id, call)| {
                let is_its_error = |error: &Str| problem.message.contains(&**error);
                callers[*id].is_some() || !call.error.as_ref().is_some_and(is_its_error)
            });
        }
        let (call_ids, calls): (Vec<_>, Vec<_>) = calls.into_iter().unzip();
        match &result {
            Ok(_) => self.set_calls(Value::vector([])),
            Err(problem) => self.keep_calls(&self.calls.clone(), &calls, problem.kind),
        }
        Progress::Done(Box::new(Outcome { result, signal, prints, calls, call_ids, defined, changed, warnings, fuel }))
    }

    /// Records the type of the last result of each function; returns the definitions that it changes.
    fn note_return_types(&mut self) -> Names<Value> {
        let mut changed = Names::default();
        for position in 0..self.globals.len() {
            let global = self.globals.get(position);
            let (Some(Value::Closure(closure)), Some(function)) = (&global.value, &global.function) else { continue };
            // A function may have several names.
            let Some(label) = function.returned.get() else { continue };
            let label = label.text();
            if closure.return_type.as_deref() != Some(&label) {
                let closure = Closure { return_type: Some(label.into()), ..(**closure).clone() };
                let (function, value) = (Some(function.clone()), Value::Closure(Rc::new(closure)));
                changed.insert(self.globals.name(position).clone(), value.clone());
                self.globals.set(position, Global { value: Some(value), function });
            }
        }
        self.forget_return_types();
        changed
    }

    fn forget_return_types(&self) {
        for position in 0..self.globals.len() {
            if let Some(function) = &self.globals.get(position).function {
                function.returned.set(None);
            }
        }
    }
}

#[cfg(test)]
mod tests;
