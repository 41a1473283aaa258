//! What a model is told of a signature.

use super::lines::{label, write_lines, write_marked, write_marker};
use super::{Adapter, Program};
use crate::signature::{Field, Mismatch, Type};
use crate::value::{Value, write_canonical_json, write_json};

/// How much of a reply that could not be used is shown again, in characters.
const REPLY_SHOWN: usize = 2000;

impl Program {
    /// The system message, of adapters that have one.
    pub(super) fn system(&self) -> Option<String> {
        let mut out = self.task();
        match self.adapter {
            Adapter::Default => return None,
            Adapter::Chat => {
                out.push_str("Write each output below its marker, in this order, and nothing else:");
                for field in self.asked() {
                    out.push_str("\n\n");
                    write_marker(&field.name, &mut out);
                    out.push_str("\n(");
                    write_wanted(field, &mut out);
                    out.push(')');
                }
            }
            Adapter::Json => {
                out.push_str("Reply with one JSON object and nothing else. It has to fit this JSON Schema:\n");
                out.push_str(&self.schema());
            }
        }
        Some(out)
    }

    /// What the user asks now.
    pub(super) fn current(&self, given: &[(&str, &Value)]) -> String {
        let mut out = String::new();
        let blank = if given.is_empty() { "" } else { "\n\n" };
        match self.adapter {
            Adapter::Default => {
                out = self.task();
                out.push_str(
                    "Reply with a line `Field: value` for each of these, in this order, and nothing else. \
                     Indent further lines of a value by two spaces.",
                );
                for field in self.asked() {
                    out.push_str("\n- ");
                    out.push_str(&label(&field.name));
                    out.push_str(": ");
                    write_wanted(field, &mut out);
                }
                out.push_str(blank);
                write_lines(given, &mut out);
            }
            Adapter::Chat => {
                write_marked(given, &mut out);
                out.push_str(blank);
                out.push_str("Reply with ");
                let markers = self.asked().map(|field| {
                    let mut marker = String::from("`");
                    write_marker(&field.name, &mut marker);
                    marker + "`"
                });
                out.push_str(&markers.collect::<Vec<_>>().join(", "));
                out.push('.');
            }
            Adapter::Json => {
                write_lines(given, &mut out);
                out.push_str(blank);
                out.push_str("Reply with one JSON object that has ");
                out.push_str(&names(self.asked()));
                out.push('.');
            }
        }
        out
    }

    /// The instructions, and what the inputs are where somebody said it; then a blank line.
    fn task(&self) -> String {
        let shown = || self.signature.parameters.iter().filter(|field| !field.hidden() && !field.is_history());
        let mut out = match &*self.instructions {
            "" => format!("From {}, work out {}.", names(shown()), names(self.asked())),
            given => given.to_owned(),
        };
        out.push_str("\n\n");
        let mut described = 0;
        for field in shown() {
            let Some(description) = &field.description else { continue };
            out.push_str(if described == 0 { "The inputs:\n- " } else { "\n- " });
            out.push_str(&match self.adapter {
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
    fn asked(&self) -> impl Iterator<Item = &Field> {
        self.signature.outputs().iter().filter(|field| !field.hidden())
    }
}

fn names<'f>(fields: impl Iterator<Item = &'f Field>) -> String {
    fields.map(|field| format!("`{}`", field.name)).collect::<Vec<_>>().join(", ")
}

/// `a whole number, or null: how many there are`
fn write_wanted(field: &Field, out: &mut String) {
    match &field.ty {
        Type::String => out.push_str("text"),
        Type::Int => out.push_str("a whole number"),
        Type::Float => out.push_str("a number"),
        Type::Bool => out.push_str("true or false"),
        Type::Keyword => out.push_str("a name"),
        Type::Any => out.push_str("any JSON"),
        Type::Map => out.push_str("a JSON object"),
        Type::OneOf(options) => {
            out.push_str("one of ");
            let texts = options.iter().map(|option| {
                let mut text = String::new();
                write_canonical_json(option, &mut text);
                text
            });
            out.push_str(&texts.collect::<Vec<_>>().join(", "));
        }
        other => {
            out.push_str("JSON of the schema ");
            // A schema has nothing that JSON lacks.
            let _ = write_json(&other.json_schema(), out);
        }
    }
    out.push_str(if field.optional { ", or null" } else { "" });
    if let Some(description) = &field.description {
        out.push_str(": ");
        out.push_str(&on_one_line(description));
    }
}

fn on_one_line(text: &str) -> String {
    text.split(['\n', '\r']).map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

/// The request again, with what was wrong with the reply to it.
pub fn repair(request: &str, reply: &str, problems: &[Mismatch]) -> String {
    let mut out = request.to_owned();
    out.push_str("\n\nA reply to this could not be used:\n  ");
    let end = reply.char_indices().nth(REPLY_SHOWN).map(|(place, _)| place);
    let shown = &reply[..end.unwrap_or(reply.len())];
    out.push_str(&shown.lines().collect::<Vec<_>>().join("\n  "));
    out.push_str(if end.is_some() { "..." } else { "" });
    out.push_str("\n\nWhat is wrong with it:");
    for problem in problems {
        out.push_str("\n- ");
        out.push_str(&on_one_line(&problem.to_string()));
    }
    out.push_str("\n\nReply again, with everything that is wanted.");
    out
}
