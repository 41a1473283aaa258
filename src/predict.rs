//! Typed calls of a model: inputs and the conversation so far → messages; a reply → outputs.
//!
//! Nothing here asks a model. A [`Program`] renders a [`ModelRequest`], reads what came back, and says how to ask again
//! when that can't be used.

mod lines;
mod prompt;
mod reply;
mod turns;

pub use turns::BadTurn;

use crate::diagnostic::Diagnostic;
use crate::message::Role;
use crate::signature::{Coerced, ExtraFields, Mismatch, Side, Signature, values_of};
use crate::value::{Map, Str, Value, write_canonical_json};

use lines::label;
use turns::Turns;

/// How a request and its reply are written. Turns of a history look alike with all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Adapter {
    /// Everything in one message, `Field: value` in both directions.
    Default,
    /// A system message with the instructions, and a marker above each value.
    Chat,
    /// A system message with the instructions, and a JSON object as the reply.
    Json,
}

impl Adapter {
    /// The adapter of that name.
    pub fn named(name: &str) -> Option<Adapter> {
        match name {
            "default" => Some(Adapter::Default),
            "chat" => Some(Adapter::Chat),
            "json" => Some(Adapter::Json),
            _ => None,
        }
    }
}

/// What a model is called with, apart from the inputs of each call.
pub struct Program {
    signature: Signature,
    /// What turns of the conversation are made of.
    turns: Turns,
    adapter: Adapter,
    /// Empty when the signature has to speak for itself.
    instructions: Str,
    demos: Vec<(Role, String)>,
}

/// A request, in the order of its parts.
#[derive(Debug, PartialEq, Eq)]
pub struct ModelRequest {
    /// The system message of adapters that have one, then a user and an assistant message for each demo.
    pub before: Vec<(Role, String)>,
    /// What the user and the assistant said in each turn of the history.
    pub history: Vec<[String; 2]>,
    /// What the user asks now. No history changes a byte of it.
    pub request: String,
}

/// Why there is no request.
#[derive(Debug, PartialEq, Eq)]
pub enum RequestError {
    /// The inputs do not fit.
    Inputs(Vec<Mismatch>),
    /// A turn of the history is none of this program.
    History(BadTurn),
}

/// Why there is no program.
#[derive(Debug)]
pub enum ProgramError {
    /// The signature can't be asked for.
    Signature(Diagnostic),
    /// A demo is no turn of this program.
    Demo(BadTurn),
}

impl Program {
    /// A program. `turns` is the signature of the history's turns, where those have other outputs than the request: a
    /// step of a longer way knows what the whole way gave before.
    pub fn new(
        signature: Signature,
        turns: Option<&Signature>,
        adapter: Adapter,
        instructions: &str,
        demos: &[Value],
    ) -> Result<Program, ProgramError> {
        check(&signature).map_err(ProgramError::Signature)?;
        let own = Turns::of(&signature);
        let mut rendered = Vec::new();
        for (index, demo) in demos.iter().enumerate() {
            let [user, assistant] = own.pair(index, demo, adapter).map_err(ProgramError::Demo)?;
            rendered.push((Role::User, user));
            rendered.push((Role::Assistant, assistant));
        }
        let turns = turns.map_or(own, Turns::of);
        Ok(Program { signature, turns, adapter, instructions: instructions.into(), demos: rendered })
    }

    /// The request for these inputs, a map by their names, behind the turns of a history. Everything is checked first.
    pub fn request(&self, inputs: &Value, history: &[Value]) -> Result<ModelRequest, RequestError> {
        let coerced = self.signature.coerce(inputs, Side::Input, ExtraFields::Dropped).map_err(RequestError::Inputs)?;
        let Value::Map(inputs) = coerced.value else { return Err(RequestError::Inputs(Vec::new())) };
        let mut pairs = Vec::new();
        for (index, turn) in history.iter().enumerate() {
            // The same in every adapter, so that a conversation can go on with another one.
            pairs.push(self.turns.pair(index, turn, Adapter::Default).map_err(RequestError::History)?);
        }
        let mut before: Vec<(Role, String)> = self.system().into_iter().map(|text| (Role::System, text)).collect();
        before.extend_from_slice(&self.demos);
        Ok(ModelRequest { before, history: pairs, request: self.current(&self.given(&inputs)) })
    }

    /// The outputs in a reply, all of them: an optional one that is not there is nil. Or what is wrong with it.
    pub fn outputs(&self, reply: &str) -> Result<Coerced, Vec<Mismatch>> {
        let found = reply::read(self.signature.outputs(), self.adapter, reply)?;
        let coerced = self.signature.coerce(&Value::Map(found), Side::Output, ExtraFields::Dropped)?;
        let Value::Map(found) = &coerced.value else { return Ok(coerced) };
        let values = values_of(self.signature.outputs(), found);
        let entries = self.signature.outputs().iter().zip(values);
        let all = entries.map(|(field, value)| (Value::keyword(&field.name), value.cloned().unwrap_or_default()));
        Ok(Coerced { value: Value::map(all), warnings: coerced.warnings })
    }

    /// What the user asks in place of `request` when the reply to it could not be used.
    pub fn repair(&self, request: &str, reply: &str, problems: &[Mismatch]) -> String {
        prompt::repair(request, reply, problems)
    }

    /// JSON Schema of the reply.
    pub fn schema(&self) -> String {
        let mut out = String::new();
        let schema = self.signature.json_schema(Side::Output, &[], true);
        // In the order in which it was made: it tells the order of the members that are wanted.
        let _ = crate::value::write_json(&schema, &mut out);
        out
    }

    /// The inputs that are shown, each with its value.
    fn given<'p>(&'p self, inputs: &'p Map) -> Vec<(&'p str, &'p Value)> {
        let values = values_of(&self.signature.parameters, inputs);
        let mut given = Vec::new();
        for (field, value) in self.signature.parameters.iter().zip(values) {
            if let Some(value) = value
                && !field.hidden()
                && !field.is_history()
                && !(field.optional && *value == Value::Nil)
            {
                given.push((&*field.name, value));
            }
        }
        given
    }
}

/// What a model is asked for must be told apart, and be asked for.
fn check(signature: &Signature) -> Result<(), Diagnostic> {
    let refused = |message: String, hint| Err(Diagnostic::new("invalid_signature", message).with_hint(hint));
    if signature.outputs().is_empty() {
        return refused("a program returns named outputs".into(), "write `question -> answer`");
    }
    let mut labels: Vec<(String, &str)> = Vec::new();
    for field in signature.parameters.iter().chain(signature.outputs()) {
        let label = label(&field.name);
        if let Some((_, other)) = labels.iter().find(|(known, _)| *known == label) {
            let message = format!("`{other}` and `{}` look alike in messages, as `{label}`", field.name);
            return refused(message, "give one of them another name");
        }
        labels.push((label, &field.name));
    }
    match signature.outputs().iter().find(|field| field.hidden() && !field.optional) {
        Some(field) => {
            refused(format!("no model is asked for `{}`, which is hidden", field.name), "leave out the `_` before it")
        }
        None => Ok(()),
    }
}

/// `{"answer":…,"score":…}`, in the order of the fields.
fn write_object(entries: &[(&str, &Value)], out: &mut String) {
    out.push('{');
    for (index, (name, value)) in entries.iter().enumerate() {
        out.push_str(if index > 0 { "," } else { "" });
        crate::value::write_json_string(name, out);
        out.push(':');
        write_canonical_json(value, out);
    }
    out.push('}');
}
