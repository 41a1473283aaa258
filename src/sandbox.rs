//! Where a host runs programs: a machine, the tools with their signatures, and what is kept from
//! one program to the next.

use crate::diagnostic::Diagnostic;
use crate::lisp::{self, Limits, Outcome, Pending, Progress, Vm};
use crate::signature::{Mismatch, Signature};
use crate::value::{Names, Str, Value};

/// A sandbox. Its only inputs are programs, the time, and what tools gave.
pub struct Sandbox {
    vm: Vm,
    tools: Names<Option<Signature>>,
    /// The calls that the host was asked for, with what each was given, by their numbers.
    asked: Vec<Call>,
    /// The numbers of calls that were never made, for their arguments did not fit.
    refused: Vec<usize>,
    warnings: Vec<String>,
    hidden: Vec<String>,
}

/// What a program needs next, or what came of it.
#[derive(Debug)]
pub enum SandboxRequest {
    /// These tools are to be called, side by side.
    Calls(Vec<Call>),
    /// A slice of time is over: the host looks at its clock and goes on.
    Pause,
    /// The program has ended; what was done to arguments to fit signatures.
    Done(Box<Outcome>, Vec<String>),
}

/// A tool call that the host makes.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// Its number in the program.
    pub id: usize,
    /// The tool's name.
    pub tool: Str,
    /// A map of arguments by name, or a vector of positional values.
    pub args: Value,
}

/// What a tool gave.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// The number of the call.
    pub id: usize,
    /// The result, or the message of the error.
    pub result: Result<Value, String>,
    /// How long it took, in milliseconds.
    pub duration_ms: Option<f64>,
}

impl Sandbox {
    /// A sandbox with data and tools, and definitions from before.
    pub fn new(data: Names<Value>, tools: Names<Option<Signature>>, memory: Names<Value>, limits: Limits) -> Sandbox {
        let mut hidden = Vec::new();
        note_hidden("tool", &tools, &mut hidden);
        note_hidden("data", &data, &mut hidden);
        let names = tools.iter().map(|(name, _)| (name.clone(), ())).collect();
        let mut vm = Vm::new(data, names, limits);
        memory.iter().for_each(|(name, value)| vm.define(name, value.clone()));
        Sandbox { vm, tools, asked: Vec::new(), refused: Vec::new(), warnings: Vec::new(), hidden }
    }

    /// A warning for each tool and each name of the data that a builtin hides in its bare form (NS-004, NS-005).
    pub fn hidden_names(&self) -> &[String] {
        &self.hidden
    }

    /// Sets `*1`, `*2`, `*3`.
    pub fn set_recent(&mut self, recent: [Value; 3]) {
        self.vm.set_recent(recent);
    }

    /// `*1`, `*2`, `*3`
    pub fn recent(&self) -> &[Value; 3] {
        self.vm.recent()
    }

    /// The definitions.
    pub fn memory(&self) -> impl Iterator<Item = (&Str, &Value)> {
        self.vm.definitions()
    }

    /// Begins a program, at a time in milliseconds since 1970.
    pub fn start(&mut self, source: &str, now: i64) -> SandboxRequest {
        self.asked.clear();
        self.refused.clear();
        self.warnings.clear();
        let progress = self.vm.start(source, now);
        self.step(progress)
    }

    /// Goes on behind a pause.
    pub fn resume(&mut self) -> SandboxRequest {
        let progress = self.vm.resume();
        self.step(progress)
    }

    /// Goes on with what tools gave. Calls that are not answered go on waiting.
    pub fn answer(&mut self, replies: Vec<Reply>) -> SandboxRequest {
        let answers = replies.into_iter().filter_map(|reply| {
            let place = self.asked.iter().position(|call| call.id == reply.id)?;
            let call = self.asked.swap_remove(place);
            let result = reply.result.map_err(|message| {
                Diagnostic::new("tool_error", format!("`{}` failed: {message}", call.tool))
                    .with_hint("call it with other arguments, or go on without it")
            });
            Some(lisp::Answer { id: call.id, args: call.args, result, duration_ms: reply.duration_ms })
        });
        let answers = answers.collect();
        let progress = self.vm.answer(answers);
        self.step(progress)
    }

    /// Ends the program with an error: its time is over, or the host gave it up.
    pub fn stop(&mut self, problem: Diagnostic) -> SandboxRequest {
        let progress = self.vm.stop(problem);
        self.step(progress)
    }

    /// True while a program is under way.
    pub fn is_running(&self) -> bool {
        self.vm.is_running()
    }

    fn step(&mut self, mut progress: Progress) -> SandboxRequest {
        loop {
            match progress {
                Progress::Pause => return SandboxRequest::Pause,
                Progress::Done(mut ended) => {
                    // The error tells of them; a list of calls that were made must not.
                    let refused = &self.refused;
                    ended.calls.retain(|call| !refused.contains(&call.id));
                    return SandboxRequest::Done(ended, std::mem::take(&mut self.warnings));
                }
                Progress::Calls(waiting) => {
                    let mut refused = Vec::new();
                    let mut calls = Vec::new();
                    for pending in waiting {
                        if self.asked.iter().any(|call| call.id == pending.id) {
                            continue;
                        }
                        match self.call(&pending) {
                            Ok(call) => calls.push(call),
                            Err(problem) => {
                                let args = positional(&pending.args);
                                self.refused.push(pending.id);
                                refused.push(lisp::Answer {
                                    id: pending.id,
                                    args,
                                    result: Err(problem),
                                    duration_ms: None,
                                });
                            }
                        }
                    }
                    if refused.is_empty() {
                        self.asked.extend(calls.iter().cloned());
                        return SandboxRequest::Calls(calls);
                    }
                    progress = self.vm.answer(refused);
                }
            }
        }
    }

    /// The call as the host makes it and as it is recorded.
    fn call(&mut self, pending: &Pending) -> Result<Call, Diagnostic> {
        let signature = self.tools.get(&pending.tool).and_then(Option::as_ref);
        let args = match signature {
            None => positional(&pending.args),
            Some(signature) => match signature.arguments(&pending.args) {
                Ok(fitted) => {
                    let named = |warning: &String| format!("tool/{}: {warning}", pending.tool);
                    self.warnings.extend(fitted.warnings.iter().map(named));
                    fitted.value
                }
                Err(mismatches) => return Err(refused(&pending.tool, signature, &mismatches)),
            },
        };
        Ok(Call { id: pending.id, tool: pending.tool.clone(), args })
    }
}

fn note_hidden<T>(space: &str, names: &Names<T>, hidden: &mut Vec<String>) {
    for (name, _) in names.iter().filter(|(name, _)| lisp::is_builtin(name)) {
        hidden.push(format!("`{name}` alone is a function of the language: programs must write `{space}/{name}`"));
    }
}

/// Arguments without a signature: one map is arguments by name, everything else is positional.
fn positional(args: &[Value]) -> Value {
    match args {
        [Value::Map(map)] => Value::Map(map.clone()),
        [] => Value::map([]),
        args => Value::vector(args.iter().cloned()),
    }
}

/// The error of arguments that do not fit the signature.
fn refused(tool: &str, signature: &Signature, mismatches: &[Mismatch]) -> Diagnostic {
    let problems = mismatches.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
    let hint = format!("its parameters are `{}`", signature.parameters_text(true));
    Diagnostic::new("validation_error", format!("`tool/{tool}` can't be called: {problems}")).with_hint(hint)
}
