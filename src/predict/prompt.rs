//! The texts of requests.

use super::adapter::Adapter;
use super::notation::{label, write_lines, write_marked, write_marker};
use crate::signature::{Field, Mismatch, Side, Signature, Type};
use crate::text::join;
use crate::unicode::on_one_line;
use crate::value::{Value, write_canonical_json, write_json};

/// The largest part of an invalid reply that is quoted, in characters.
const QUOTED: usize = 2000;

/// The system message; None for adapters without one.
pub fn system(signature: &Signature, adapter: Adapter, instructions: &str) -> Option<String> {
    let mut out = task(signature, adapter, instructions);
    match adapter {
        Adapter::Default => return None,
        Adapter::Chat => {
            out.push_str("Write each output below its marker, in this order, and nothing else:");
            for field in outputs(signature) {
                out.push_str("\n\n");
                write_marker(&field.name, &mut out);
                out.push_str("\n(");
                write_expected(field, &mut out);
                out.push(')');
            }
        }
        Adapter::Json => {
            out.push_str("Reply with one JSON object and nothing else. It has to fit this JSON Schema:\n");
            out.push_str(&schema(signature));
        }
    }
    Some(out)
}

/// JSON Schema of the reply.
pub fn schema(signature: &Signature) -> String {
    let mut out = String::new();
    // Not canonical JSON: the order of the members tells the model the order of the outputs. A schema has no value that
    // JSON lacks.
    let _ = write_json(&signature.json_schema(Side::Output, &[], true), &mut out);
    out
}

/// The last user message, with the inputs.
pub fn request(signature: &Signature, adapter: Adapter, instructions: &str, inputs: &[(&str, &Value)]) -> String {
    let mut out = String::new();
    let blank = if inputs.is_empty() { "" } else { "\n\n" };
    match adapter {
        Adapter::Default => {
            out = task(signature, adapter, instructions);
            out.push_str(
                "Reply with a line `Field: value` for each of these, in this order, and nothing else. \
                 Indent further lines of a value by two spaces.",
            );
            for field in outputs(signature) {
                out.push_str("\n- ");
                out.push_str(&label(&field.name));
                out.push_str(": ");
                write_expected(field, &mut out);
            }
            out.push_str(blank);
            write_lines(inputs, &mut out);
        }
        Adapter::Chat => {
            write_marked(inputs, &mut out);
            out.push_str(blank);
            out.push_str("Reply with ");
            let markers = outputs(signature).map(|field| {
                let mut marker = String::from("`");
                write_marker(&field.name, &mut marker);
                marker + "`"
            });
            out.push_str(&join(markers, ", "));
            out.push('.');
        }
        Adapter::Json => {
            write_lines(inputs, &mut out);
            out.push_str(blank);
            out.push_str("Reply with one JSON object that has ");
            out.push_str(&names(outputs(signature)));
            out.push('.');
        }
    }
    out
}

/// The instructions with the descriptions of the inputs, and a blank line.
fn task(signature: &Signature, adapter: Adapter, instructions: &str) -> String {
    let inputs = || signature.parameters.iter().filter(|field| !field.hidden() && !field.is_history());
    let mut out = match instructions {
        "" if inputs().next().is_none() => format!("Work out {}.", names(outputs(signature))),
        "" => format!("From {}, work out {}.", names(inputs()), names(outputs(signature))),
        given => given.to_owned(),
    };
    out.push_str("\n\n");
    let mut described = 0;
    for field in inputs() {
        let Some(description) = &field.description else { continue };
        out.push_str(if described == 0 { "The inputs:\n- " } else { "\n- " });
        out.push_str(&match adapter {
            Adapter::Chat => field.name.clone(),
            _ => label(&field.name),
        });
        out.push_str(": ");
        out.push_str(&on_one_line(description));
        described += 1;
    }
    out.push_str(if described > 0 { "\n\n" } else { "" });
    out
}

/// The outputs that the model writes.
fn outputs(signature: &Signature) -> impl Iterator<Item = &Field> {
    signature.outputs().iter().filter(|field| !field.hidden())
}

fn names<'f>(fields: impl Iterator<Item = &'f Field>) -> String {
    join(fields.map(|field| format!("`{}`", field.name)), ", ")
}

/// Writes the type and the description of an output, such as `a whole number, or null: how many there are`.
fn write_expected(field: &Field, out: &mut String) {
    match field.ty.unless_nil() {
        Type::String => out.push_str("text"),
        Type::Int => out.push_str("a whole number"),
        Type::Float => out.push_str("a number"),
        Type::Bool => out.push_str("true or false"),
        Type::Keyword => out.push_str("a name"),
        Type::Any => out.push_str("any JSON"),
        Type::Map => out.push_str("a JSON object"),
        Type::OneOf(options) => {
            out.push_str("one of ");
            for (index, option) in options.iter().enumerate() {
                out.push_str(if index > 0 { ", " } else { "" });
                write_canonical_json(option, out);
            }
        }
        other => {
            out.push_str("JSON of the schema ");
            let _ = write_json(&other.json_schema(), out);
        }
    }
    out.push_str(if field.optional || field.ty.may_be_nil() { ", or null" } else { "" });
    if let Some(description) = &field.description {
        out.push_str(": ");
        out.push_str(&on_one_line(description));
    }
}

/// The request, followed by an invalid reply to it and its problems.
pub fn repair(request: &str, reply: &str, problems: &[Mismatch]) -> String {
    let mut out = request.to_owned();
    out.push_str("\n\nA reply to this could not be used:\n  ");
    let end = reply.char_indices().nth(QUOTED).map_or(reply.len(), |(end, _)| end);
    out.push_str(&join(reply[..end].lines(), "\n  "));
    out.push_str(if end < reply.len() { "..." } else { "" });
    out.push_str("\n\nWhat is wrong with it:");
    for problem in problems {
        out.push_str("\n- ");
        out.push_str(&on_one_line(&problem.to_string()));
    }
    out.push_str("\n\nReply again, with everything that is wanted.");
    out
}
