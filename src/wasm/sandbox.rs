//! A sandbox on this side of the boundary.
//!
//! Everything crosses as JSON text: what a sandbox is made of, programs, what a program needs next
//! and what tools gave. Values in it are in their lossless form.

use wasm_bindgen::prelude::*;

use crate::diagnostic::{Diagnostic, line_and_column};
use crate::lisp::{CallRecord, Known, Limits, Outcome, Signal};
use crate::message::utf16_len;
use crate::sandbox::{Call, Reply, Sandbox, SandboxRequest};
use crate::turn::memory_of;
use crate::value::{Map, Names, Str, Value, append_json, write_json_string};

use super::error::Failure;
use super::incoming_value;
use super::options::parse_signature;
use super::scratch::incoming;

/// Where programs run.
#[wasm_bindgen]
pub struct SandboxHandle {
    sandbox: Sandbox,
    /// The program that runs, in which errors have their place.
    source: String,
}

#[wasm_bindgen]
impl SandboxHandle {
    /// A sandbox made of `{data, tools, memory, recent, limits}`: values by name, the signatures
    /// of tools by name (null: none), definitions, the last results, and numbers.
    #[wasm_bindgen(constructor)]
    pub fn new(length: usize) -> Result<SandboxHandle, Failure> {
        let Value::Map(parts) = incoming_value(length)? else { return Err(malformed("a sandbox")) };
        Ok(SandboxHandle { sandbox: sandbox_of(&parts)?, source: String::new() })
    }

    /// Names of tools and data that builtins hide in their bare form, a warning for each.
    #[wasm_bindgen(js_name = hiddenNames)]
    pub fn hidden_names(&self) -> Vec<String> {
        self.sandbox.hidden_names().to_vec()
    }

    /// Begins the program in the scratch buffer; `now` is in milliseconds since 1970. What it
    /// needs next: `{calls: [{id, tool, args}]}`, `{pause: true}`, or `{done: …}`. Behind the last
    /// one stand lines of JSON that the host keeps as they are: the program's value, and the value
    /// of each name in `changed`.
    pub fn start(&mut self, length: usize, now: f64) -> Result<String, Failure> {
        self.source = incoming(length)?.to_string();
        let step = self.sandbox.start(&self.source, now as i64);
        Ok(self.json(step))
    }

    /// Goes on behind a pause.
    #[wasm_bindgen(js_name = resume)]
    pub fn resume(&mut self) -> String {
        let step = self.sandbox.resume();
        self.json(step)
    }

    /// Goes on with what tools gave: `[{id, result, error, durationMs}]`.
    pub fn answer(&mut self, length: usize) -> Result<String, Failure> {
        let mut replies = Vec::new();
        for answer in answers(length)?.iter() {
            replies.push(reply(answer)?);
        }
        let step = self.sandbox.answer(replies);
        Ok(self.json(step))
    }

    /// Ends the program with an error of that kind and message.
    pub fn stop(&mut self, kind: &str, length: usize) -> Result<String, Failure> {
        let kind = if kind == "timeout" { "timeout" } else { "aborted" };
        let step = self.sandbox.stop(Diagnostic::new(kind, incoming(length)?.to_string()));
        Ok(self.json(step))
    }

    fn json(&self, step: SandboxRequest) -> String {
        let mut out = String::new();
        match step {
            SandboxRequest::Pause => out.push_str("{\"pause\":true}"),
            SandboxRequest::Calls(calls) => {
                out.push('{');
                write_calls(&calls, &mut out);
                out.push('}');
            }
            SandboxRequest::Done(ended, warnings) => {
                out.push_str("{\"done\":");
                self.write_ended(&ended, &warnings, &mut out);
                out.push_str("}\n");
                append_json(ended.result.as_ref().unwrap_or(&Value::Nil), &mut out);
                for (_, value) in ended.changed.iter() {
                    out.push('\n');
                    append_json(value, &mut out);
                }
            }
        }
        out
    }

    fn write_ended(&self, ended: &Outcome, warnings: &[String], out: &mut String) {
        out.push_str("{\"ok\":");
        out.push_str(if ended.result.is_ok() { "true" } else { "false" });
        out.push_str(",\"error\":");
        match &ended.result {
            Ok(_) => out.push_str("null"),
            Err(problem) => write_diagnostic(problem, &self.source, out),
        }
        out.push_str(",\"signal\":");
        out.push_str(match ended.signal {
            None => "null",
            Some(Signal::Return) => "\"return\"",
            Some(Signal::Fail) => "\"fail\"",
        });
        out.push_str(",\"prints\":[");
        list(&ended.prints, out, |line, out| write_json_string(line, out));
        out.push_str("],\"toolCalls\":[");
        list(&ended.calls, out, write_record);
        out.push_str("],\"changed\":[");
        list(ended.changed.iter(), out, |(name, _), out| write_json_string(name, out));
        out.push_str("],\"defined\":[");
        list(ended.defined.iter(), out, |(name, doc), out| {
            out.push('[');
            write_json_string(name, out);
            out.push(',');
            write_text(doc.as_deref(), out);
            out.push(']');
        });
        out.push_str("],\"warnings\":[");
        list(warnings, out, |warning, out| write_json_string(warning, out));
        out.push_str("],\"fuelUsed\":");
        out.push_str(&ended.fuel.to_string());
        out.push('}');
    }
}

pub(super) fn malformed(what: &str) -> Failure {
    Failure::new("internal", format!("what was sent is not the JSON of {what}"))
}

/// A sandbox of the members that [`SandboxHandle::new`] lists.
pub(super) fn sandbox_of(parts: &Map) -> Result<Sandbox, Failure> {
    let named = |name: &str| -> Names<Value> {
        let values = memory_of(parts.get_keyword(name).unwrap_or(&Value::Nil)).unwrap_or_default();
        values.iter().map(|(name, value)| (name.clone(), value.clone())).collect()
    };
    let mut tools = Names::default();
    for (name, signature) in named("tools").iter() {
        let signature = match signature.as_str() {
            Some(text) => Some(parse_signature(text, &format!("the signature of the tool \"{name}\""))?),
            None => None,
        };
        tools.insert(name.clone(), signature);
    }
    let limits = parts.get_keyword("limits").map(limits).unwrap_or_default();
    let mut sandbox = Sandbox::new(named("data"), tools, named("memory"), limits);
    if let Some(Value::Vector(recent)) = parts.get_keyword("recent") {
        let at = |index| recent.get(index).cloned().unwrap_or_default();
        sandbox.set_recent([at(0), at(1), at(2)]);
    }
    Ok(sandbox)
}

/// The answers that the host sent: `[{id, result, error, durationMs}]`.
pub(super) fn answers(length: usize) -> Result<Vec<Map>, Failure> {
    let Value::Vector(answers) = incoming_value(length)? else { return Err(malformed("answers")) };
    let mut members = Vec::new();
    for answer in answers.iter() {
        let Value::Map(answer) = answer else { return Err(malformed("answers")) };
        members.push(answer.clone());
    }
    Ok(members)
}

fn limits(given: &Value) -> Limits {
    let mut limits = Limits::default();
    let number = |name: &str| match given {
        Value::Map(map) => match map.get_keyword(name) {
            Some(Value::Int(number)) => u64::try_from(*number).ok(),
            Some(Value::Float(number)) => Some(*number as u64),
            _ => None,
        },
        _ => None,
    };
    let size = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    for (name, place) in [
        ("fuel", &mut limits.fuel),
        ("heapBytes", &mut limits.heap_bytes),
        ("loopIterations", &mut limits.loop_iterations),
    ] {
        *place = number(name).unwrap_or(*place);
    }
    for (name, place) in [
        ("depth", &mut limits.depth),
        ("collectionSize", &mut limits.collection_size),
        ("prints", &mut limits.prints),
        ("printLength", &mut limits.print_length),
        ("toolCalls", &mut limits.tool_calls),
    ] {
        *place = number(name).map_or(*place, size);
    }
    limits
}

pub(super) fn reply(reply: &Map) -> Result<Reply, Failure> {
    let Some(Value::Int(id)) = reply.get_keyword("id") else { return Err(malformed("answers")) };
    let result = match reply.get_keyword("error").and_then(Value::as_str) {
        Some(message) => Err(message.to_owned()),
        None => Ok(reply.get_keyword("result").cloned().unwrap_or_default()),
    };
    let duration_ms = match reply.get_keyword("durationMs") {
        Some(Value::Float(number)) => Some(*number),
        Some(Value::Int(number)) => Some(*number as f64),
        _ => None,
    };
    Ok(Reply { id: *id as usize, result, duration_ms })
}

/// Writes items with commas between them.
pub(super) fn list<T>(items: impl IntoIterator<Item = T>, out: &mut String, write: impl Fn(T, &mut String)) {
    for (index, item) in items.into_iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        write(item, out);
    }
}

/// `"calls":[{"id":…,"tool":…,"args":…}]`
pub(super) fn write_calls(calls: &[Call], out: &mut String) {
    out.push_str("\"calls\":[");
    list(calls, out, write_call);
    out.push(']');
}

fn write_call(call: &Call, out: &mut String) {
    out.push_str("{\"id\":");
    out.push_str(&call.id.to_string());
    out.push_str(",\"tool\":");
    write_json_string(&call.tool, out);
    out.push_str(",\"args\":");
    append_json(&call.args, out);
    out.push('}');
}

fn write_record(call: &CallRecord, out: &mut String) {
    out.push_str("{\"name\":");
    write_json_string(&call.name, out);
    out.push_str(",\"args\":");
    append_json(&call.args, out);
    out.push_str(",\"result\":");
    append_json(call.result.as_ref().unwrap_or(&Value::Nil), out);
    out.push_str(",\"error\":");
    write_text(call.error.as_deref(), out);
    out.push_str(",\"durationMs\":");
    match call.duration_ms {
        Some(duration) => append_json(&Value::Float(duration), out),
        None => out.push_str("null"),
    }
    out.push('}');
}

fn write_text(text: Option<&str>, out: &mut String) {
    match text {
        Some(text) => write_json_string(text, out),
        None => out.push_str("null"),
    }
}

/// A problem with its place in UTF-16 units.
pub(super) fn write_diagnostic(problem: &Diagnostic, source: &str, out: &mut String) {
    out.push_str("{\"kind\":");
    write_json_string(problem.kind, out);
    out.push_str(",\"message\":");
    write_json_string(&problem.message, out);
    out.push_str(",\"hint\":");
    write_text(problem.hint.as_deref(), out);
    out.push_str(",\"span\":");
    match problem.span {
        None => out.push_str("null"),
        Some(span) => {
            let utf16 = |offset: usize| source.get(..offset).map_or(source.len(), utf16_len);
            let (line, column) = line_and_column(source, span.start);
            let places = [("start", utf16(span.start)), ("end", utf16(span.end)), ("line", line), ("column", column)];
            out.push('{');
            list(places, out, |(name, place), out| {
                write_json_string(name, out);
                out.push(':');
                out.push_str(&place.to_string());
            });
            out.push('}');
        }
    }
    out.push('}');
}

/// The source, the byte at `offset`, and the names that a program may use.
pub(super) fn program(given: &Value) -> Result<(Str, usize, Known), Failure> {
    let Value::Map(parts) = given else { return Err(malformed("a program")) };
    let Some(Value::Str(source)) = parts.get_keyword("source") else { return Err(malformed("a program")) };
    let names = |name: &str| match parts.get_keyword(name) {
        Some(Value::Vector(names)) => Some(names.iter().filter_map(Value::as_str).map(Str::from).collect()),
        _ => None,
    };
    let units = match parts.get_keyword("offset") {
        Some(Value::Int(units)) => usize::try_from(*units).unwrap_or_default(),
        _ => 0,
    };
    let mut seen = 0;
    let offset = source.char_indices().find(|(_, character)| {
        let is_there = seen >= units;
        seen += character.len_utf16();
        is_there
    });
    let offset = offset.map_or(source.len(), |(offset, _)| offset);
    Ok((source.clone(), offset, Known { tools: names("tools"), data: names("data"), memory: names("memory") }))
}
