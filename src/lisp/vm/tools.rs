//! Calls of tools, to which the host replies, and `*calls`.

use super::fiber::{Exit, Fiber, FiberState};
use super::{Progress, RunningProgram, Vm};
use crate::allocated::counted;
use crate::diagnostic::Diagnostic;
use crate::lisp::fault::{EvalResult, error_with_hint, refuse};
use crate::lisp::tool::{ToolCall, ToolReply, ToolRequest, ToolSpec};
use crate::lisp::{is_builtin, unknown};
use crate::text::join;
use crate::value::garbage::drop_later;
use crate::value::{Names, Value};

impl Vm {
    /// Returns a warning for each tool and each name of the data that a builtin hides when it is written without its
    /// namespace.
    pub fn hidden_names(&self) -> &[String] {
        &self.hidden_names
    }

    /// Calls a tool: the fiber waits for the reply. Fails when the arguments do not fit the signature.
    pub(super) fn call_tool(
        &mut self,
        run: &mut RunningProgram,
        fiber: &mut Fiber,
        name: &str,
        args: Vec<Value>,
    ) -> EvalResult<Exit> {
        let Some((name, tool)) = self.tools.get_entry(name) else {
            return refuse(unknown::no_tool(name, self.tools.iter().map(|(name, _)| &**name), true));
        };
        // Fails if a key was refused, because the arguments may depend on it.
        run.meter.visit(0)?;
        let id = run.callers.len();
        if id >= run.meter.limits.tool_calls {
            let message = format!("the program called tools more than {} times", run.meter.limits.tool_calls);
            return error_with_hint(
                "tool_call_limit_exceeded",
                message,
                "ask for several things in one call, or go on in the next turn",
            );
        }
        let calls = &mut fiber.effects.calls;
        match fitted(name, tool, &args, &mut run.warnings) {
            Ok(args) => {
                calls.push((id, ToolCall::new(name.clone(), args.clone())));
                run.requests.push(ToolRequest { id, tool: name.clone(), args });
                Ok(Exit::Wait(calls.len() - 1))
            }
            Err(problem) => {
                let mut call = ToolCall::new(name.clone(), positional(args));
                let fault = call.fail(problem);
                calls.push((id, call));
                run.callers.push(None);
                Err(fault)
            }
        }
    }

    /// Makes the reply to a call and counts its bytes as the program's. When the program has no memory left, the reply is
    /// an error, and the program ends when it receives it.
    pub fn hold<T>(&mut self, make: impl FnOnce() -> Result<ToolReply, T>, id: usize) -> Result<ToolReply, T> {
        if self.left() < 0 {
            return Ok(ToolReply::new(id, Err("there is no memory left for its result".into())));
        }
        let (reply, bytes) = counted(make);
        self.held.bytes += bytes;
        reply
    }

    /// Continues with replies to calls. A call without a reply keeps waiting.
    pub fn answer(&mut self, replies: Vec<ToolReply>) -> Progress {
        self.deliver(replies);
        self.resume()
    }

    /// Records replies to calls, and does not continue.
    pub fn deliver(&mut self, replies: Vec<ToolReply>) {
        for reply in replies {
            self.take_reply(reply);
        }
    }

    /// Records the reply to a call and makes the fiber that waits for it ready.
    fn take_reply(&mut self, reply: ToolReply) {
        let Some(run) = &mut self.run else { return };
        let Some(Some(number)) = run.callers.get(reply.id).copied() else { return };
        let Some(Some(fiber)) = run.fibers.get_mut(number) else { return };
        let FiberState::Waiting(record) = fiber.state else { return };
        let (id, call) = &mut fiber.effects.calls[record];
        if *id == reply.id {
            fiber.state = FiberState::Ready(Some(call.take(reply)));
            run.ready.push_back(number);
        }
    }

    /// Returns the value of `*calls`: the calls of the failed programs since the last one that succeeded.
    pub fn calls(&self) -> &Value {
        &self.calls
    }

    /// Sets the value of `*calls`.
    pub fn set_calls(&mut self, calls: Value) {
        drop_later(std::mem::replace(&mut self.calls, calls));
    }

    /// Sets `*calls` after a program that failed with an error of this kind: `before`, then its calls. Without their
    /// results when the memory was used up, because these would use up that of the next program.
    pub fn keep_calls(&mut self, before: &Value, calls: &[ToolCall], kind: &str) {
        let is_without_results = matches!(kind, "memory_exceeded" | "out_of_memory");
        let (kept, bytes) = counted(|| {
            let before = match before {
                Value::Vector(before) => before.as_slice(),
                _ => &[],
            };
            let all = before.iter().cloned().chain(calls.iter().map(ToolCall::as_value));
            let kept = all.map(|call| match call {
                Value::Map(mut members) if is_without_results => {
                    members.remove(&Value::keyword("result"));
                    Value::Map(members)
                }
                call => call,
            });
            Value::vector(kept)
        });
        self.held.bytes += bytes;
        self.set_calls(kept);
    }
}

/// Returns a warning for each name that a builtin hides when it is written without its namespace.
pub(super) fn hidden<'a, T: 'a>(namespace: &str, names: &'a Names<T>) -> impl Iterator<Item = String> {
    let hidden = names.iter().filter(|(name, _)| is_builtin(name));
    hidden.map(move |(name, _)| {
        format!("`{name}` alone is a function of the language: programs must write `{namespace}/{name}`")
    })
}

/// Returns the arguments of a call, which fit the signature when the tool has one and the host does not check them.
fn fitted(name: &str, tool: &ToolSpec, args: &[Value], warnings: &mut Vec<String>) -> Result<Value, Diagnostic> {
    let Some(signature) = &tool.signature else { return Ok(positional(args.to_vec())) };
    let fitted = match tool.is_checked_by_host {
        true => signature.unchecked_arguments(args).map(Value::Map),
        false => signature.arguments(args).map(|fitted| {
            warnings.extend(fitted.warnings.iter().map(|warning| format!("tool/{name}: {warning}")));
            fitted.value
        }),
    };
    fitted.map_err(|mismatches| {
        let problems = join(mismatches.iter().map(ToString::to_string), "; ");
        let hint = format!("its parameters are `{}`", signature.parameters_text(true));
        Diagnostic::new("validation_error", format!("`tool/{name}` can't be called: {problems}")).with_hint(hint)
    })
}

/// Returns the arguments of a tool without a signature: a single map is arguments by name, anything else is positional.
fn positional(args: Vec<Value>) -> Value {
    match args.as_slice() {
        [Value::Map(map)] => Value::Map(map.clone()),
        [] => Value::map([]),
        _ => Value::from(args),
    }
}
