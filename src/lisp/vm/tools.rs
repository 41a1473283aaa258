//! Calls of tools, which the host answers.

use super::fiber::{Exit, Fiber, FiberState};
use super::{Answer, Pending, RunningProgram, Vm};
use crate::lisp::exception;
use crate::lisp::fault::{EvalResult, error_with_hint, refuse};
use crate::lisp::native::CallRecord;
use crate::lisp::unknown;
use crate::value::Value;

impl Vm {
    /// Calls a tool: the fiber waits for the answer.
    pub(super) fn call_tool(
        &mut self,
        run: &mut RunningProgram,
        fiber: &mut Fiber,
        name: &str,
        args: Vec<Value>,
    ) -> EvalResult<Exit> {
        let Some((name, _)) = self.tools.get_entry(name) else {
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
        let record =
            CallRecord { id, name: name.clone(), args: Value::Nil, result: None, error: None, duration_ms: None };
        fiber.effects.calls.push(record);
        Ok(Exit::Wait(Pending { id, tool: name.clone(), args }, fiber.effects.calls.len() - 1))
    }

    /// Records the answer to a call and makes the fiber that waits for it ready.
    pub(super) fn take_answer(&mut self, answer: Answer) {
        let Some(run) = &mut self.run else { return };
        let Some(number) = run.callers.get(answer.id).copied() else { return };
        let Some(Some(fiber)) = run.fibers.get_mut(number) else { return };
        let record = match &fiber.state {
            FiberState::Waiting(pending, record) if pending.id == answer.id => *record,
            _ => return,
        };
        let record = &mut fiber.effects.calls[record];
        record.args = answer.args;
        record.duration_ms = answer.duration_ms;
        let result = match answer.result {
            Ok(value) => {
                record.result = Some(value.clone());
                Ok(value)
            }
            Err(problem) => {
                record.error = Some(problem.message.clone());
                record.result = Some(answer.data).filter(|data| !matches!(data, Value::Nil));
                Err(exception::tool_fault(problem, record))
            }
        };
        fiber.state = FiberState::Ready(Some(result));
        run.ready.push_back(number);
    }
}

/// Returns the waiting calls, in the order of their branches.
pub(super) fn waiting_calls(run: &RunningProgram) -> Vec<Pending> {
    let (mut waiting, mut pending) = (Vec::new(), vec![0]);
    while let Some(number) = pending.pop() {
        match run.fibers[number].as_ref().map(|fiber| &fiber.state) {
            Some(FiberState::Waiting(call, _)) => waiting.push(call.clone()),
            Some(FiberState::Forked(fork)) => pending.extend(fork.children.iter().rev().flatten()),
            _ => {}
        }
    }
    waiting
}
