//! Exports for sandboxes. Values are passed as JSON text.

use js_sys::Array;
use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::*;

use crate::diagnostic::Diagnostic;
use crate::lisp::{Outcome, ProgramLimits, Progress, Signal, ToolReply, ToolRequest, Vm};
use crate::value::garbage::{drop_later, free_leftovers};
use crate::value::{Value, from_json, to_json};

use super::Requested;
use crate::wasm::error::{DiagnosticRecord, Failure, Positions};
use crate::wasm::read::read;
use crate::wasm::scratch::incoming;
use crate::wasm::turns::incoming_value;
use crate::wasm::turns::options::{data_of, read_tools};
use crate::wasm::types::Amount;
use crate::wasm::write::to_object;

/// Where programs run.
#[wasm_bindgen]
pub struct SandboxHandle {
    sandbox: Vm,
    /// The source of the running program, to which the spans of errors refer.
    source: String,
}

#[wasm_bindgen]
impl SandboxHandle {
    /// A sandbox of [`SandboxOptions`]. The JSON of the data, values by name, is in the scratch buffer.
    #[wasm_bindgen(constructor)]
    pub fn new(options: &JsValue, data_length: usize) -> Result<SandboxHandle, Failure> {
        let data = incoming_value(data_length)?;
        let options: SandboxOptions = read(options, "")?;
        Ok(SandboxHandle { sandbox: options.sandbox(&data)?, source: String::new() })
    }

    /// A warning for each name of tools and data that a builtin hides when it is written without its namespace.
    #[wasm_bindgen(js_name = hiddenNames)]
    pub fn hidden_names(&self) -> Vec<String> {
        self.sandbox.hidden_names().to_vec()
    }

    /// Starts the program in the scratch buffer; `now` is in milliseconds since 1970. Returns what it needs next, a
    /// [`ProgramRequestRecord`].
    pub fn start(&mut self, length: usize, now: f64) -> Requested {
        self.source = incoming(length)?.to_string();
        let progress = self.sandbox.start(&self.source, now as i64);
        self.requested(progress)
    }

    /// Resumes after a pause.
    pub fn resume(&mut self) -> Requested {
        let progress = self.sandbox.resume();
        self.requested(progress)
    }

    /// Resumes with the results of tools, a list of [`ToolReplyOptions`].
    pub fn answer(&mut self, replies: &JsValue) -> Requested {
        let replies = read_replies(&mut self.sandbox, replies)?;
        let progress = self.sandbox.answer(replies);
        self.requested(progress)
    }

    /// Ends the program with the error of a timeout.
    #[wasm_bindgen(js_name = timeOut)]
    pub fn time_out(&mut self, message: String) -> Requested {
        let progress = self.sandbox.stop(Diagnostic::new("timeout", message));
        self.requested(progress)
    }

    /// Ends the program because the host aborts it, after these results of tools, a list of [`ToolReplyOptions`].
    pub fn abort(&mut self, message: String, replies: &JsValue) -> Requested {
        let replies = read_replies(&mut self.sandbox, replies)?;
        self.sandbox.deliver(replies);
        let progress = self.sandbox.stop(Diagnostic::new("aborted", message));
        self.requested(progress)
    }

    fn requested(&self, progress: Progress) -> Requested {
        Ok(match progress {
            Progress::Pause => to_object(&ProgramRequestRecord { pause: Some(true), calls: None, done: None }),
            Progress::Calls(requests) => {
                let calls = HostCallRecord::list(&requests);
                to_object(&ProgramRequestRecord { pause: None, calls: Some(calls), done: None })
            }
            Progress::Done(outcome) => {
                let done = OutcomeRecord::of(&outcome, &self.source);
                let record = to_object(&ProgramRequestRecord { pause: None, calls: None, done: Some(done) });
                drop_later(outcome);
                record
            }
        })
    }
}

/// Frees some of the values that ended programs held, which takes half a millisecond. Returns true when more are left.
#[wasm_bindgen(js_name = freeSome)]
pub fn free_some() -> bool {
    !free_leftovers(10_000)
}

/// The options of a sandbox.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::wasm) struct SandboxOptions {
    /// As for [`read_tools`].
    tools: String,
    /// Definitions of earlier programs.
    memory: Vec<NamedValue>,
    /// `*1`, `*2`, `*3`, as JSON.
    recent: Vec<String>,
    /// `*calls`, as JSON.
    calls: Option<String>,
    /// Names that failed programs defined.
    rolled_back: Vec<String>,
    limits: Option<ProgramLimitOptions>,
}

#[derive(Deserialize)]
struct NamedValue {
    name: String,
    /// JSON.
    value: String,
}

/// The limits of one program.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub(in crate::wasm) struct ProgramLimitOptions {
    fuel: Option<Amount>,
    heap_bytes: Option<Amount>,
    depth: Option<Amount>,
    loop_iterations: Option<Amount>,
    collection_size: Option<Amount>,
    prints: Option<Amount>,
    print_length: Option<Amount>,
    tool_calls: Option<Amount>,
    #[allow(dead_code, reason = "read so that a wrong value is refused; the host's clock measures it")]
    timeout_ms: Option<Amount>,
}

/// The answer of a tool: the JSON of its result, or the message of its error, with the JSON of the data of the error.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ToolReplyOptions {
    id: f64,
    result: Option<String>,
    error: Option<String>,
    /// JSON of the arguments with which the call was made in place of the requested ones.
    args: Option<String>,
    #[serde(default)]
    is_denied: bool,
    duration_ms: Option<f64>,
    /// JSON of the step of the nested agent, when the tool is one.
    step: Option<String>,
}

impl SandboxOptions {
    pub fn sandbox(&self, data: &Value) -> Result<Vm, Failure> {
        let tools = read_tools(&self.tools)?.into_iter().collect();
        let limits = self.limits.as_ref().map(ProgramLimitOptions::limits).unwrap_or_default();
        let mut sandbox = Vm::new(data_of(data)?, tools, limits);
        for NamedValue { name, value } in &self.memory {
            sandbox.define(&name.as_str().into(), from_json(value)?);
        }
        let mut recent = [Value::Nil, Value::Nil, Value::Nil];
        for (slot, json) in recent.iter_mut().zip(&self.recent) {
            *slot = from_json(json)?;
        }
        sandbox.set_recent(recent);
        if let Some(calls) = &self.calls {
            sandbox.set_calls(from_json(calls)?);
        }
        self.rolled_back.iter().for_each(|name| sandbox.note_rolled_back(&name.as_str().into()));
        Ok(sandbox)
    }
}

impl ProgramLimitOptions {
    fn limits(&self) -> ProgramLimits {
        let usual = ProgramLimits::default();
        let number = |given: Option<Amount>, usual| given.map_or(usual, |Amount(number)| number);
        let size = |given: Option<Amount>, usual| given.map_or(usual, Amount::size);
        ProgramLimits {
            fuel: number(self.fuel, usual.fuel),
            heap_bytes: number(self.heap_bytes, usual.heap_bytes),
            depth: size(self.depth, usual.depth),
            loop_iterations: number(self.loop_iterations, usual.loop_iterations),
            collection_size: size(self.collection_size, usual.collection_size),
            prints: size(self.prints, usual.prints),
            print_length: size(self.print_length, usual.print_length),
            tool_calls: size(self.tool_calls, usual.tool_calls),
            ..usual
        }
    }
}

/// Reads the results of tools one after the other, so that the texts of only one are in memory at a time. The steps of
/// nested agents do not count as memory of the program.
pub(in crate::wasm) fn read_replies(sandbox: &mut Vm, replies: &JsValue) -> Result<Vec<ToolReply>, Failure> {
    let replies = Array::from(replies);
    let each = replies.iter().enumerate().map(|(position, given)| {
        let given: ToolReplyOptions = read(&given, &format!("replies[{position}]"))?;
        let reply = sandbox.hold(|| given.reply(), given.id as usize)?;
        Ok(ToolReply { step: given.step.as_deref().map(from_json).transpose()?, ..reply })
    });
    each.collect()
}

impl ToolReplyOptions {
    fn reply(&self) -> Result<ToolReply, Failure> {
        let value = self.result.as_deref().map(from_json).transpose()?.unwrap_or_default();
        let (result, data) = match &self.error {
            Some(message) => (Err(message.clone()), value),
            None => (Ok(value), Value::Nil),
        };
        let args = self.args.as_deref().map(from_json).transpose()?;
        let (is_denied, duration_ms) = (self.is_denied, self.duration_ms);
        Ok(ToolReply { data, args, is_denied, duration_ms, ..ToolReply::new(self.id as usize, result) })
    }
}

/// What a program needs next: one of these members.
#[derive(Serialize)]
struct ProgramRequestRecord<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pause: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    calls: Option<Vec<HostCallRecord<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    done: Option<OutcomeRecord<'a>>,
}

/// A tool call that the host makes.
#[derive(Serialize)]
pub(in crate::wasm) struct HostCallRecord<'a> {
    id: usize,
    tool: &'a str,
    /// JSON.
    args: String,
}

impl<'a> HostCallRecord<'a> {
    pub fn list(requests: &'a [ToolRequest]) -> Vec<HostCallRecord<'a>> {
        let record = |request: &'a ToolRequest| {
            let ToolRequest { id, tool, args } = request;
            HostCallRecord { id: *id, tool, args: to_json(args) }
        };
        requests.iter().map(record).collect()
    }
}

/// The outcome of a program.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct OutcomeRecord<'a> {
    ok: bool,
    /// JSON.
    value: String,
    error: Option<DiagnosticRecord<'a>>,
    signal: Option<&'static str>,
    prints: Vec<&'a str>,
    tool_calls: Vec<ToolCallRecord<'a>>,
    /// The definitions that differ from those before the program.
    changed: Vec<DefinitionRecord<'a>>,
    defined: Vec<DocumentedName<'a>>,
    warnings: &'a [String],
    fuel_used: u64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ToolCallRecord<'a> {
    name: &'a str,
    /// JSON.
    args: String,
    /// JSON.
    result: String,
    error: Option<&'a str>,
    duration_ms: Option<f64>,
}

#[derive(Serialize)]
struct DefinitionRecord<'a> {
    name: &'a str,
    /// JSON.
    value: String,
}

#[derive(Serialize)]
struct DocumentedName<'a> {
    name: &'a str,
    doc: Option<&'a str>,
}

impl<'a> OutcomeRecord<'a> {
    fn of(outcome: &'a Outcome, source: &str) -> OutcomeRecord<'a> {
        let nil = Value::Nil;
        OutcomeRecord {
            ok: outcome.result.is_ok(),
            value: to_json(outcome.result.as_ref().unwrap_or(&nil)),
            error: outcome.result.as_ref().err().map(|problem| DiagnosticRecord::of(problem, &Positions::new(source))),
            signal: outcome.signal.map(|signal| match signal {
                Signal::Return => "return",
                Signal::Fail => "fail",
            }),
            prints: outcome.prints.iter().map(|print| &**print).collect(),
            tool_calls: outcome
                .calls
                .iter()
                .map(|call| ToolCallRecord {
                    name: &call.name,
                    args: to_json(&call.args),
                    result: to_json(&call.result),
                    error: call.error.as_deref(),
                    duration_ms: call.duration_ms,
                })
                .collect(),
            changed: outcome
                .changed
                .iter()
                .map(|(name, value)| DefinitionRecord { name, value: to_json(value) })
                .collect(),
            defined: outcome.defined.iter().map(|(name, doc)| DocumentedName { name, doc: doc.as_deref() }).collect(),
            warnings: &outcome.warnings,
            fuel_used: outcome.fuel,
        }
    }
}
