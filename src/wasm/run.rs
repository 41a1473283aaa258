//! A run of an agent on this side of the boundary: JSON text in and out, as with a sandbox.

use wasm_bindgen::prelude::*;

use crate::diagnostic::Diagnostic;
use crate::sandbox::Sandbox;
use crate::subagent::run::{Run, RunConfig, RunRequest, Validation};
use crate::subagent::system_prompt::system_prompt_with;
use crate::value::{Map, Value, append_json, write_json_string};

use super::error::Failure;
use super::incoming_value;
use super::options::parse_signature;
use super::sandbox::{answers, list, malformed, reply, sandbox_of, write_calls};
use super::scratch::incoming;

/// A run that asks and is answered.
#[wasm_bindgen]
pub struct RunHandle {
    run: Run,
}

#[wasm_bindgen]
impl RunHandle {
    /// A run made of what a sandbox is made of, and `{signature, validation, maxTurns, turns, inputs}`: a text or null,
    /// the name of a mode, numbers, values by name.
    #[wasm_bindgen(constructor)]
    pub fn new(length: usize) -> Result<RunHandle, Failure> {
        let Value::Map(parts) = incoming_value(length)? else { return Err(malformed("a run")) };
        let sandbox: Sandbox = sandbox_of(&parts)?;
        let signature = match parts.get_keyword("signature").and_then(Value::as_str) {
            Some(text) => Some(parse_signature(text, "`signature`")?),
            None => None,
        };
        let validation = parts.get_keyword("validation").and_then(Value::as_str).and_then(Validation::named);
        let validation = validation.unwrap_or_default();
        let terms = RunConfig { signature, validation, max_turns: count(&parts, "maxTurns") };
        let inputs = parts.get_keyword("data").cloned().unwrap_or_default();
        Ok(RunHandle { run: Run::new(terms, sandbox, inputs, count(&parts, "turns")) })
    }

    /// Begins. What the run needs next: `{calls: [{id, tool, args}]}`, `{pause: true}`, `{ask: turn}` or
    /// `{done: {ok, return, reason, message, details}}`, with `turns`, those that ended, as the texts of their JSON, `order`,
    /// the numbers of their calls, and `warnings`.
    pub fn start(&mut self) -> String {
        let request = self.run.start();
        self.json(request)
    }

    /// Goes on with the model's reply in the scratch buffer; `now` is in milliseconds since 1970.
    pub fn reply(&mut self, length: usize, now: f64) -> Result<String, Failure> {
        let text = incoming(length)?.to_string();
        let request = self.run.reply(&text, now as i64);
        Ok(self.json(request))
    }

    /// Goes on with what tools gave: `[{id, result, error, durationMs, step}]`.
    pub fn answer(&mut self, length: usize) -> Result<String, Failure> {
        let mut replies = Vec::new();
        for answer in answers(length)?.iter() {
            let reply = reply(answer)?;
            if let Some(step) = answer.get_keyword("step") {
                self.run.remember_nested(reply.id, step.clone());
            }
            replies.push(reply);
        }
        let request = self.run.answer(replies);
        Ok(self.json(request))
    }

    /// Goes on behind a pause.
    #[wasm_bindgen(js_name = resume)]
    pub fn resume(&mut self) -> String {
        let request = self.run.resume();
        self.json(request)
    }

    /// Ends the program with an error: its time is over.
    #[wasm_bindgen(js_name = stopProgram)]
    pub fn stop_program(&mut self, length: usize) -> Result<String, Failure> {
        let request = self.run.stop_program(Diagnostic::new("timeout", incoming(length)?.to_string()));
        Ok(self.json(request))
    }

    /// Ends the run for that reason, with the message in the scratch buffer.
    pub fn end(&mut self, reason: &str, length: usize) -> Result<String, Failure> {
        let message = incoming(length)?.to_string();
        let request = self.run.end(reason, &message);
        Ok(self.json(request))
    }

    fn json(&mut self, request: RunRequest) -> String {
        let mut out = String::from("{");
        match request {
            RunRequest::AskModel(turn) => {
                out.push_str("\"ask\":");
                append_json(&Value::Int(turn.into()), &mut out);
            }
            RunRequest::CallTools(calls) => write_calls(&calls, &mut out),
            RunRequest::Pause => out.push_str("\"pause\":true"),
            RunRequest::Done(outcome) => {
                out.push_str("\"done\":{\"ok\":");
                out.push_str(if outcome.is_ok() { "true,\"return\":" } else { "false,\"reason\":" });
                match outcome {
                    Ok(value) => append_json(&value, &mut out),
                    Err(failure) => {
                        write_json_string(&failure.reason, &mut out);
                        out.push_str(",\"message\":");
                        write_json_string(&failure.message, &mut out);
                        out.push_str(",\"details\":");
                        append_json(&failure.details, &mut out);
                    }
                }
                out.push('}');
            }
        }
        out.push_str(",\"turns\":[");
        let finished = self.run.take_turns();
        list(&finished, &mut out, |finished, out| write_json_string(&finished.turn.to_json(), out));
        out.push_str("],\"order\":[");
        list(&finished, &mut out, |finished, out| {
            out.push('[');
            list(&finished.call_ids, out, |id, out| out.push_str(&id.to_string()));
            out.push(']');
        });
        out.push_str("],\"warnings\":[");
        list(self.run.take_warnings(), &mut out, |warning, out| write_json_string(&warning, out));
        out.push_str("]}");
        out
    }
}

fn count(parts: &Map, name: &str) -> u32 {
    match parts.get_keyword(name) {
        Some(Value::Int(number)) => u32::try_from(*number).unwrap_or(u32::MAX),
        _ => 0,
    }
}

/// The built-in system prompt of an agent that has so many turns, with parts of it replaced.
#[wasm_bindgen(js_name = systemPrompt)]
pub fn system_prompt(max_turns: usize, language_spec: Option<String>, output_format: Option<String>) -> String {
    system_prompt_with(max_turns, language_spec.as_deref(), output_format.as_deref())
}

/// The inputs of the signature in the scratch buffer: JSON, `[[name, optional]]`.
#[wasm_bindgen(js_name = signatureInputs)]
pub fn signature_inputs(length: usize) -> Result<String, Failure> {
    let signature = parse_signature(&incoming(length)?, "`signature`")?;
    let mut out = String::from("[");
    list(signature.parameters.iter(), &mut out, |field, out| {
        out.push('[');
        write_json_string(&field.name, out);
        out.push_str(if field.optional { ",true]" } else { ",false]" });
    });
    out.push(']');
    Ok(out)
}
