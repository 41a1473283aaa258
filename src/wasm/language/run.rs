//! Exports for runs of agents.

use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::*;

use crate::compression::RenderOptions;
use crate::diagnostic::Diagnostic;
use crate::subagent::run::{self, Finished, Run, RunConfig, RunRequest};
use crate::subagent::system_prompt::{self, system_prompt_with};
use crate::value::{from_json, to_json};

use super::Requested;
use super::sandbox::{HostCallRecord, ProgramLimitOptions, SandboxOptions, read_replies};
use crate::wasm::error::Failure;
use crate::wasm::read::read;
use crate::wasm::scratch::incoming;
use crate::wasm::turns::incoming_value;
use crate::wasm::turns::options::{parse_signature, shown_with};
use crate::wasm::types::Count;
use crate::wasm::write::to_object;

/// A run, which returns requests and is resumed with their answers.
#[wasm_bindgen]
pub struct RunHandle {
    run: Run,
}

#[wasm_bindgen]
impl RunHandle {
    /// A run of [`RunOptions`]. The JSON of the data, values by name, is in the scratch buffer.
    #[wasm_bindgen(constructor)]
    pub fn new(options: &JsValue, data_length: usize) -> Result<RunHandle, Failure> {
        let data = incoming_value(data_length)?;
        let options: RunOptions = read(options, "")?;
        let signature = options.signature.map(|text| parse_signature(&text, "`signature`")).transpose()?;
        let Count(max_turns) = options.max_turns;
        let config = RunConfig {
            signature,
            validation: options.validation.unwrap_or_default().into(),
            max_turns: u32::try_from(max_turns).unwrap_or(u32::MAX),
        };
        let Count(turns) = options.turns;
        let sandbox = options.sandbox.sandbox(&data)?;
        let run = Run::new(config, sandbox, data, u32::try_from(turns).unwrap_or(u32::MAX));
        Ok(RunHandle { run })
    }

    /// Starts the run, and returns what it needs next, a [`RunRequestRecord`].
    pub fn start(&mut self) -> Requested {
        let request = self.run.start();
        self.requested(request)
    }

    /// Resumes with the model's reply in the scratch buffer; `now` is in milliseconds since 1970.
    pub fn reply(&mut self, length: usize, now: f64, asked_at: Option<f64>) -> Requested {
        let text = incoming(length)?.to_string();
        self.run.asked_at(asked_at);
        let request = self.run.reply(&text, now as i64);
        self.requested(request)
    }

    /// Resumes with the results of tools, a list of [`ToolReplyOptions`].
    pub fn answer(&mut self, replies: &JsValue) -> Requested {
        let replies = read_replies(self.run.sandbox(), replies)?;
        let request = self.run.answer(replies);
        self.requested(request)
    }

    /// Resumes after a pause.
    pub fn resume(&mut self) -> Requested {
        let request = self.run.resume();
        self.requested(request)
    }

    /// Ends the program with the error of a timeout.
    #[wasm_bindgen(js_name = timeOut)]
    pub fn time_out(&mut self, message: String) -> Requested {
        let request = self.run.stop_program(Diagnostic::new("timeout", message));
        self.requested(request)
    }

    /// Ends the program with the error of a crash, after these results of tools, a list of [`ToolReplyOptions`].
    #[wasm_bindgen(js_name = endCrashed)]
    pub fn end_crashed(&mut self, replies: &JsValue, code: &str, message: String, hint: String) -> Requested {
        let replies = read_replies(self.run.sandbox(), replies)?;
        let request = self.run.stop_program_after(replies, crash(code, message, hint));
        self.requested(request)
    }

    /// Ends a turn without running its program, which crashes. The reply with the program is in the scratch buffer.
    /// `calls` is the JSON of the calls of tools that the program had made, each as its number, the name and the
    /// arguments; `replies` is a list of [`ToolReplyOptions`].
    #[wasm_bindgen(js_name = skipCrashed)]
    pub fn skip_crashed(
        &mut self,
        length: usize,
        calls: &str,
        replies: &JsValue,
        code: &str,
        message: String,
        hint: String,
    ) -> Requested {
        let text = incoming(length)?.to_string();
        let replies = read_replies(self.run.sandbox(), replies)?;
        let request = self.run.skip_program(&text, &from_json(calls)?, replies, &crash(code, message, hint));
        self.requested(request)
    }

    /// Ends the run with the failure `reason`, after these results of tools, a list of [`ToolReplyOptions`].
    pub fn end(&mut self, reason: &str, message: &str, replies: &JsValue) -> Requested {
        let replies = read_replies(self.run.sandbox(), replies)?;
        let request = self.run.end(reason, message, replies);
        self.requested(request)
    }

    fn requested(&mut self, request: RunRequest) -> Requested {
        let turns = self.run.take_turns();
        let warnings = self.run.take_warnings();
        let mut record = RunRequestRecord {
            ask: None,
            calls: None,
            pause: None,
            done: None,
            turns: turns.iter().map(FinishedRecord::of).collect(),
            warnings: &warnings,
        };
        match &request {
            RunRequest::AskModel(turn) => record.ask = Some(*turn),
            RunRequest::CallTools(requests) => record.calls = Some(HostCallRecord::list(requests)),
            RunRequest::Pause => record.pause = Some(true),
            RunRequest::Done(Ok(value)) => record.done = Some(ResultRecord::Returned { returned: to_json(value) }),
            RunRequest::Done(Err(run::RunFailure { reason, message, details })) => {
                record.done = Some(ResultRecord::Failed { reason, message, details: to_json(details) });
            }
        }
        Ok(to_object(&record))
    }
}

/// The error of a program that stopped the instance of the wasm, for the model.
fn crash(code: &str, message: String, hint: String) -> Diagnostic {
    let kind = if code == "out_of_memory" { "out_of_memory" } else { "internal" };
    Diagnostic::new(kind, message).with_hint(hint)
}

/// The options of a run.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RunOptions {
    sandbox: SandboxOptions,
    signature: Option<String>,
    validation: Option<Validation>,
    max_turns: Count<1>,
    /// How many turns have ended.
    turns: Count<0>,
}

/// What is done with values that do not fit the signature.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase")]
enum Validation {
    #[default]
    Enabled,
    Strict,
    Warn,
    Disabled,
}

impl From<Validation> for run::Validation {
    fn from(validation: Validation) -> run::Validation {
        match validation {
            Validation::Enabled => run::Validation::Enabled,
            Validation::Strict => run::Validation::Strict,
            Validation::Warn => run::Validation::Warn,
            Validation::Disabled => run::Validation::Disabled,
        }
    }
}

/// What a run needs next, one of the first four members, and the turns and warnings since the last request.
#[derive(Serialize)]
struct RunRequestRecord<'a> {
    /// The model's reply for the turn of that number.
    #[serde(skip_serializing_if = "Option::is_none")]
    ask: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    calls: Option<Vec<HostCallRecord<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pause: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    done: Option<ResultRecord<'a>>,
    turns: Vec<FinishedRecord<'a>>,
    warnings: &'a [String],
}

/// The result of a run: JSON of what the program returned, or why the run failed.
#[derive(Serialize)]
#[serde(untagged)]
enum ResultRecord<'a> {
    Returned { returned: String },
    Failed { reason: &'a str, message: &'a str, details: String },
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FinishedRecord<'a> {
    /// The turn as saved.
    json: String,
    /// The numbers under which its calls were requested, in the order of the turn's calls.
    call_ids: &'a [usize],
}

impl FinishedRecord<'_> {
    fn of(finished: &Finished) -> FinishedRecord<'_> {
        FinishedRecord { json: finished.turn.to_json(), call_ids: &finished.call_ids }
    }
}

/// Checks the options of an agent that are read in Rust, and returns an [`AgentRecord`].
#[wasm_bindgen(js_name = checkAgent)]
pub fn check_agent(options: &JsValue) -> Result<JsValue, Failure> {
    let options: AgentOptions = read(options, "")?;
    let signature = options.signature.map(|text| parse_signature(&text, "`signature`")).transpose()?;
    let fields = signature.iter().flat_map(|signature| signature.parameters.iter());
    Ok(to_object(&AgentRecord {
        max_turns: options.max_turns.map_or(RenderOptions::MAX_TURNS, |Count(count)| count),
        inputs: fields.map(|field| InputRecord { name: &field.name, optional: field.optional }).collect(),
    }))
}

/// Options of an agent.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct AgentOptions {
    signature: Option<String>,
    max_turns: Option<Count<1>>,
    #[allow(
        dead_code,
        reason = "read here so that a wrong value is refused when the agent is made; each sandbox reads its own"
    )]
    validation: Option<Validation>,
    #[allow(
        dead_code,
        reason = "read here so that a wrong value is refused when the agent is made; each sandbox reads its own"
    )]
    limits: Option<ProgramLimitOptions>,
}

/// Facts that follow from the options of an agent.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AgentRecord<'a> {
    max_turns: usize,
    /// Of the signature.
    inputs: Vec<InputRecord<'a>>,
}

#[derive(Serialize)]
struct InputRecord<'a> {
    name: &'a str,
    optional: bool,
}

/// The language for a model that runs programs with a tool.
#[wasm_bindgen(js_name = toolLanguage)]
pub fn tool_language() -> String {
    system_prompt::tool_language()
}

/// The built-in system prompt of an agent with `max_turns` turns and this setting of compression, with parts of it replaced.
#[wasm_bindgen(js_name = systemPrompt)]
pub fn system_prompt(
    max_turns: usize,
    compression: &JsValue,
    language_spec: Option<String>,
    output_format: Option<String>,
) -> Result<String, Failure> {
    let shown = shown_with(compression)?;
    Ok(system_prompt_with(max_turns, &shown, language_spec.as_deref(), output_format.as_deref()))
}
