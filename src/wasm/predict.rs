//! Programs on this side of the boundary. Like a signature, a program crosses with each call: beside the history that
//! comes with it, it is small.

use wasm_bindgen::prelude::*;

use crate::message::Role;
use crate::predict::{Adapter, BadTurn, ModelRequest, Program, ProgramError, RequestError};
use crate::signature::Mismatch;
use crate::value::{Map, Value, from_json_around, write_json_string};

use super::error::{Detail, Failure, MismatchRecord};
use super::parts::{list, malformed};
use super::scratch::incoming;
use super::signature::{signature_in, write_fit};

/// Checks the program in the scratch buffer, JSON of `{signature, turns, adapter, instructions, demos}`; gives the JSON
/// Schema of its replies.
#[wasm_bindgen(js_name = checkProgram)]
pub fn check_program(length: usize) -> Result<String, Failure> {
    Ok(program_of(&parts(length)?)?.schema())
}

/// The request of a program: in the scratch buffer is a program with `{inputs, more, history}`, `more` being further inputs. JSON of `{before, history, request}`
/// comes out, messages as `[role, text]`, pairs of the history as two texts.
#[wasm_bindgen(js_name = programRequest)]
pub fn program_request(length: usize) -> Result<String, Failure> {
    let parts = parts(length)?;
    let mut inputs = parts.get_keyword("inputs").cloned().unwrap_or_default();
    if let (Value::Map(inputs), Some(Value::Map(more))) = (&mut inputs, parts.get_keyword("more")) {
        more.iter().for_each(|(name, value)| inputs.insert(name.clone(), value.clone()));
    }
    match program_of(&parts)?.request(&inputs, vector(&parts, "history")) {
        Ok(request) => Ok(json(&request)),
        Err(RequestError::Inputs(problems)) => Err(misfit(&problems)),
        Err(RequestError::History(turn)) => Err(bad_turn("invalid_history_element", "element", &turn)),
    }
}

/// The outputs in a reply: in the scratch buffer is a program with `{reply, request}`. JSON of `{value, warnings}` comes
/// out, or of `{problems, repair}`, the last being the message to ask again with.
#[wasm_bindgen(js_name = programOutputs)]
pub fn program_outputs(length: usize) -> Result<String, Failure> {
    let parts = parts(length)?;
    let program = program_of(&parts)?;
    let fit = program.outputs(text(&parts, "reply"));
    let mut out = String::new();
    write_fit(&fit, &mut out);
    if let Err(problems) = &fit {
        out.pop();
        out.push_str(",\"repair\":");
        write_json_string(&program.repair(text(&parts, "request"), text(&parts, "reply"), problems), &mut out);
        out.push('}');
    }
    Ok(out)
}

fn parts(length: usize) -> Result<Map, Failure> {
    // A turn stands in a list of a program.
    match from_json_around(&incoming(length)?, 2)? {
        (Value::Map(parts), _) => Ok(parts),
        _ => Err(malformed("a program")),
    }
}

fn program_of(parts: &Map) -> Result<Program, Failure> {
    let Some(adapter) = Adapter::named(text(parts, "adapter")) else { return Err(malformed("a program")) };
    let turns = parts.get_keyword("turns").map(|_| signature_in(parts, "turns")).transpose()?;
    let signature = signature_in(parts, "signature")?;
    let made = Program::new(signature, turns.as_ref(), adapter, text(parts, "instructions"), vector(parts, "demos"));
    made.map_err(|problem| match problem {
        ProgramError::Signature(problem) => Failure::diagnostic(&problem, ""),
        ProgramError::Demo(turn) => bad_turn("invalid_demo", "demo", &turn),
    })
}

fn bad_turn(code: &'static str, what: &str, turn: &BadTurn) -> Failure {
    let why = match turn.reason {
        "missing_input_fields" => "has none of the inputs",
        "missing_output_fields" => "has none of the outputs",
        _ => "is no object of values by name",
    };
    Failure::new(code, format!("{what} {} {why}", turn.index))
        .with_detail("index", turn.index)
        .with_detail("reason", turn.reason)
        .with_hint("it holds some inputs and some outputs of the signature, under their names")
}

fn text<'p>(parts: &'p Map, name: &str) -> &'p str {
    parts.get_keyword(name).and_then(Value::as_str).unwrap_or_default()
}

fn vector<'p>(parts: &'p Map, name: &str) -> &'p [Value] {
    match parts.get_keyword(name) {
        Some(Value::Vector(items)) => items.as_slice(),
        _ => &[],
    }
}

fn json(request: &ModelRequest) -> String {
    let mut out = String::from("{\"before\":[");
    list(&request.before, &mut out, |(role, text), out| {
        let role = match role {
            Role::System => "[\"system\",",
            Role::User => "[\"user\",",
            Role::Assistant => "[\"assistant\",",
        };
        out.push_str(role);
        write_json_string(text, out);
        out.push(']');
    });
    out.push_str("],\"history\":[");
    list(&request.history, &mut out, |pair, out| {
        out.push('[');
        list(pair, out, |text, out| write_json_string(text, out));
        out.push(']');
    });
    out.push_str("],\"request\":");
    write_json_string(&request.request, &mut out);
    out.push('}');
    out
}

/// The inputs do not fit.
fn misfit(problems: &[Mismatch]) -> Failure {
    let mut message = String::from("the inputs do not fit the signature");
    for (index, problem) in problems.iter().enumerate() {
        message.push_str(if index > 0 { "; " } else { ": " });
        message.push_str(&problem.to_string());
    }
    let problems = problems.iter().map(MismatchRecord::of).collect();
    Failure::new("validation_error", message)
        .with_detail("side", "input")
        .with_detail("problems", Detail::Problems(problems))
}
