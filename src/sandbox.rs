//! The sandbox that runs a host's programs: a machine, the tools with their signatures, and the definitions that
//! programs leave to the next ones.

use crate::allocated::counted;
use crate::diagnostic::Diagnostic;
use crate::lisp::{self, CallRecord, Outcome, Pending, ProgramLimits, Progress, Vm};
use crate::signature::{Mismatch, Signature};
use crate::value::garbage::{self, drop_later};
use crate::value::{Names, Str, Value};

/// The number of values that are freed at a time, which takes half a millisecond. The result of a program waits until
/// the first of them are freed.
const FREED: usize = 10_000;

/// Frees some of the values that ended programs held. Returns true when more are left.
pub fn free_some() -> bool {
    !garbage::free_leftovers(FREED)
}

/// A sandbox. Its only inputs are programs, the current time, and the results of tools.
pub struct Sandbox {
    vm: Vm,
    tools: Names<Option<Signature>>,
    /// The tools whose arguments the host checks.
    host_checked: Names<()>,
    /// The calls of the program, by their numbers.
    calls: Vec<CallState>,
    /// The calls that have not been requested from the host yet.
    unrequested: Vec<Call>,
    /// Warnings about arguments that were changed to fit signatures.
    warnings: Vec<String>,
    shadowed: Vec<String>,
}

/// The state of a call of a program.
#[derive(Clone)]
enum CallState {
    /// The host has not answered it yet.
    Waiting(Call),
    /// It was not made, because its arguments did not fit the signature.
    Refused,
    /// The host has answered it.
    Answered,
}

/// What a program needs next, or its outcome.
#[derive(Debug)]
pub enum SandboxRequest {
    /// The host is to call these tools, concurrently.
    Calls(Vec<Call>),
    /// A time slice is over: the host checks its clock and resumes.
    Pause,
    /// The outcome of the program, and warnings about arguments that were changed to fit signatures.
    Done(Box<Outcome>, Vec<String>),
}

/// A tool call that the host makes.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The number of the call in the program.
    pub id: usize,
    /// The tool's name.
    pub tool: Str,
    /// A map of arguments by name, or a vector of positional values.
    pub args: Value,
}

/// The result of a tool call.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// The number of the call.
    pub id: usize,
    /// The value, or the message of the error.
    pub result: Result<Value, String>,
    /// The data of the error, a map, if it has any.
    pub data: Value,
    /// Whether the error says that the call was not approved, which programs can't catch.
    pub is_denied: bool,
    /// The duration in milliseconds, when the host measured it.
    pub duration_ms: Option<f64>,
}

impl Sandbox {
    /// A sandbox with data, tools, of which some have descriptions, and the definitions of earlier programs (`memory`).
    pub fn new(
        data: Names<Value>,
        tools: Names<Option<Signature>>,
        descriptions: &Names<Str>,
        memory: Names<Value>,
        limits: ProgramLimits,
    ) -> Sandbox {
        let mut shadowed = Vec::new();
        shadowed.extend(shadowed_names("tool", &tools));
        shadowed.extend(shadowed_names("data", &data));
        let documented =
            tools.iter().map(|(name, signature)| (name.clone(), documentation(name, signature, descriptions)));
        let mut vm = Vm::new(data, documented.collect(), limits);
        memory.iter().for_each(|(name, value)| vm.define(name, value.clone()));
        Sandbox {
            vm,
            tools,
            host_checked: Names::default(),
            calls: Vec::new(),
            unrequested: Vec::new(),
            warnings: Vec::new(),
            shadowed,
        }
    }

    /// Leaves the check of a tool's arguments to the host, which has their schema: the signature only names them.
    pub fn leave_to_host(&mut self, tool: &Str) {
        self.host_checked.insert(tool.clone(), ());
    }

    /// A warning for each tool and each name of the data that a builtin shadows when it is written without its
    /// namespace.
    pub fn hidden_names(&self) -> &[String] {
        &self.shadowed
    }

    /// Declares a name of the data, for an input that may be absent: its value is nil unless it was given.
    pub fn declare_data(&mut self, name: &Str) {
        self.vm.declare_data(name);
    }

    /// Sets `*1`, `*2`, `*3`: the results of the latest programs, newest first.
    pub fn set_recent(&mut self, recent: [Value; 3]) {
        self.vm.set_recent(recent);
    }

    /// The values of `*1`, `*2`, `*3`.
    pub fn recent(&self) -> &[Value; 3] {
        self.vm.recent()
    }

    /// The value of `*calls`: the calls of the failed programs since the last one that succeeded.
    pub fn calls(&self) -> &Value {
        self.vm.calls()
    }

    /// Sets the value of `*calls`.
    pub fn set_calls(&mut self, calls: Value) {
        self.vm.set_calls(calls);
    }

    /// Sets `*calls` after a program that failed with an error of this kind: `before`, then its calls. Without their
    /// results when the memory was used up, because these would use up that of the next program.
    pub fn keep_calls(&mut self, before: &Value, calls: &[CallRecord], kind: &str) {
        let is_without_results = matches!(kind, "memory_exceeded" | "out_of_memory");
        let (kept, bytes) = counted(|| {
            let before = match before {
                Value::Vector(before) => before.as_slice(),
                _ => &[],
            };
            let all = before.iter().cloned().chain(calls.iter().map(CallRecord::as_value));
            let kept = all.map(|call| match call {
                Value::Map(mut members) if is_without_results => {
                    members.remove(&Value::keyword("result"));
                    Value::Map(members)
                }
                call => call,
            });
            Value::vector(kept)
        });
        self.vm.hold(bytes);
        self.set_calls(kept);
    }

    /// Records a name that a failed program defined, so that an error about that name says so.
    pub fn note_rolled_back(&mut self, name: &Str) {
        self.vm.note_rolled_back(name);
    }

    /// All definitions, by name.
    pub fn memory(&self) -> impl Iterator<Item = (&Str, &Value)> {
        self.vm.definitions()
    }

    /// Starts a program; `now` is in milliseconds since 1970.
    pub fn start(&mut self, source: &str, now: i64) -> SandboxRequest {
        drop_later((std::mem::take(&mut self.calls), std::mem::take(&mut self.unrequested)));
        self.warnings.clear();
        let progress = self.vm.start(source, now);
        self.step(progress)
    }

    /// Resumes the program after a [`SandboxRequest::Pause`].
    pub fn resume(&mut self) -> SandboxRequest {
        let progress = self.vm.resume();
        self.step(progress)
    }

    /// Makes the result of a call and counts its bytes as the program's. When the program has no memory left, the
    /// result is an error, and the program ends when it receives the result.
    pub fn hold<T>(&mut self, make: impl FnOnce() -> Result<Reply, T>, id: usize) -> Result<Reply, T> {
        if self.vm.left() < 0 {
            let result = Err("there is no memory left for its result".into());
            return Ok(Reply { id, result, data: Value::Nil, is_denied: false, duration_ms: None });
        }
        let (reply, bytes) = counted(make);
        self.vm.hold(bytes);
        reply
    }

    /// Resumes the program with results of calls. Calls without a result keep waiting.
    pub fn answer(&mut self, replies: Vec<Reply>) -> SandboxRequest {
        let answers = self.answers(replies);
        let progress = self.vm.answer(answers);
        self.step(progress)
    }

    /// Records results of calls without resuming the program.
    pub fn deliver(&mut self, replies: Vec<Reply>) {
        let answers = self.answers(replies);
        self.vm.deliver(answers);
    }

    fn answers(&mut self, replies: Vec<Reply>) -> Vec<lisp::Answer> {
        let answers = replies.into_iter().filter_map(|reply| {
            let asked = self.calls.get_mut(reply.id).filter(|asked| matches!(asked, CallState::Waiting(_)))?;
            let CallState::Waiting(call) = std::mem::replace(asked, CallState::Answered) else { return None };
            let result = reply.result.map_err(|message| {
                let message = format!("`{}` failed: {message}", call.tool);
                match reply.is_denied {
                    true => Diagnostic::new("tool_denied", message).with_hint("go on without it"),
                    false => {
                        Diagnostic::new("tool_error", message).with_hint(lisp::catching_hint(&call.tool, &call.args))
                    }
                }
            });
            Some(lisp::Answer {
                id: call.id,
                args: call.args,
                result,
                data: reply.data,
                duration_ms: reply.duration_ms,
            })
        });
        answers.collect()
    }

    /// Ends the program with an error, such as a timeout.
    pub fn stop(&mut self, problem: Diagnostic) -> SandboxRequest {
        let progress = self.vm.stop(problem);
        self.step(progress)
    }

    /// Whether a program is running or suspended.
    pub fn is_running(&self) -> bool {
        self.vm.is_running()
    }

    fn step(&mut self, mut progress: Progress) -> SandboxRequest {
        loop {
            match progress {
                Progress::Pause => return SandboxRequest::Pause,
                Progress::Done(mut ended) => {
                    let calls = std::mem::take(&mut self.calls);
                    for call in ended.calls.iter_mut().filter(|call| call.result.is_none() && call.error.is_none()) {
                        call.error = Some("the program ended before it answered".into());
                        if let Some(CallState::Waiting(made)) = calls.get(call.id) {
                            call.args = made.args.clone();
                        }
                    }
                    // A refused call that ended the program is reported by its error only.
                    let error = ended.result.as_ref().err().map(|problem| &problem.message);
                    ended.calls.retain(|call| {
                        !matches!(calls.get(call.id), Some(CallState::Refused))
                            || error.is_none_or(|error| call.error.as_ref().is_none_or(|own| !error.contains(own)))
                    });
                    drop_later(calls);
                    match &ended.result {
                        Ok(_) => self.set_calls(Value::vector([])),
                        Err(problem) => self.keep_calls(&self.calls().clone(), &ended.calls, problem.kind),
                    }
                    return SandboxRequest::Done(ended, std::mem::take(&mut self.warnings));
                }
                Progress::Calls(waiting) => {
                    let mut refused = Vec::new();
                    // Call numbers increase, and all waiting calls are listed each time.
                    let known = self.calls.len();
                    for pending in waiting.iter().filter(|pending| pending.id >= known) {
                        if self.calls.len() <= pending.id {
                            self.calls.resize(pending.id + 1, CallState::Answered);
                        }
                        match self.call(pending) {
                            Ok(call) => {
                                self.calls[pending.id] = CallState::Waiting(call.clone());
                                self.unrequested.push(call);
                            }
                            Err(problem) => {
                                let args = positional(&pending.args);
                                self.calls[pending.id] = CallState::Refused;
                                refused.push(lisp::Answer {
                                    id: pending.id,
                                    args,
                                    result: Err(problem),
                                    data: Value::Nil,
                                    duration_ms: None,
                                });
                            }
                        }
                    }
                    if refused.is_empty() {
                        return SandboxRequest::Calls(std::mem::take(&mut self.unrequested));
                    }
                    progress = self.vm.answer(refused);
                }
            }
        }
    }

    /// Makes the call. Its arguments fit the signature, when the tool has one and the host does not check them.
    fn call(&mut self, pending: &Pending) -> Result<Call, Diagnostic> {
        let signature = self.tools.get(&pending.tool).and_then(Option::as_ref);
        let args = match signature {
            None => positional(&pending.args),
            Some(signature) if self.host_checked.get(&pending.tool).is_some() => {
                let (named, bytes) = counted(|| signature.unchecked_arguments(&pending.args));
                self.vm.hold(bytes);
                Value::Map(named.map_err(|mismatches| refused(&pending.tool, signature, &mismatches))?)
            }
            Some(signature) => {
                let (fitted, bytes) = counted(|| signature.arguments(&pending.args));
                self.vm.hold(bytes);
                match fitted {
                    Ok(fitted) => {
                        let named = |warning: &String| format!("tool/{}: {warning}", pending.tool);
                        self.warnings.extend(fitted.warnings.iter().map(named));
                        fitted.value
                    }
                    Err(mismatches) => return Err(refused(&pending.tool, signature, &mismatches)),
                }
            }
        };
        Ok(Call { id: pending.id, tool: pending.tool.clone(), args })
    }
}

fn shadowed_names<T>(namespace: &str, names: &Names<T>) -> impl Iterator<Item = String> {
    let shadowed = names.iter().filter(|(name, _)| lisp::is_builtin(name));
    shadowed.map(move |(name, _)| {
        format!("`{name}` alone is a function of the language: programs must write `{namespace}/{name}`")
    })
}

/// How a tool is called, and what it does.
fn documentation(name: &Str, signature: &Option<Signature>, descriptions: &Names<Str>) -> Str {
    let usage = match signature {
        Some(signature) => {
            format!("tool/{name}({}) -> {}", signature.parameters_text(true), signature.returns_text(true))
        }
        None => format!("tool/{name}"),
    };
    match descriptions.get(name) {
        Some(description) => format!("{usage}\n{}", description.trim()).into(),
        None => usage.into(),
    }
}

/// The arguments of a tool without a signature: a single map is arguments by name, anything else is positional.
fn positional(args: &[Value]) -> Value {
    match args {
        [Value::Map(map)] => Value::Map(map.clone()),
        [] => Value::map([]),
        args => Value::vector(args.iter().cloned()),
    }
}

/// The error for arguments that do not fit the signature.
fn refused(tool: &str, signature: &Signature, mismatches: &[Mismatch]) -> Diagnostic {
    let problems = mismatches.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
    let hint = format!("its parameters are `{}`", signature.parameters_text(true));
    Diagnostic::new("validation_error", format!("`tool/{tool}` can't be called: {problems}")).with_hint(hint)
}
