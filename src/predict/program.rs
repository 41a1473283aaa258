//! Programs, which write requests for inputs and read outputs from replies.

use super::adapter::Adapter;
use super::notation::label;
use super::turns::{BadTurn, Turns};
use super::{prompt, reply};
use crate::diagnostic::Diagnostic;
use crate::message::Role;
use crate::signature::{Coerced, ExtraFields, Field, Mismatch, Side, Signature, values_of};
use crate::value::{Map, Str, Value};

/// A call of a model, without the inputs.
pub struct Program {
    signature: Signature,
    /// The fields of a turn of the history.
    turns: Turns,
    adapter: Adapter,
    /// When empty, the request names the inputs and outputs instead.
    instructions: Str,
    demos: Vec<(Role, String)>,
}

/// The messages of a request, in three parts.
#[derive(Debug, PartialEq, Eq)]
pub struct ModelRequest {
    /// The system message of adapters that have one, then a user and an assistant message for each demo.
    pub before: Vec<(Role, String)>,
    /// The user and the assistant message of each turn of the history.
    pub history: Vec<[String; 2]>,
    /// The last user message. It does not depend on the history.
    pub request: String,
    /// Which inputs were dropped or coerced.
    pub warnings: Vec<String>,
}

/// Why no request can be written.
#[derive(Debug, PartialEq, Eq)]
pub enum RequestError {
    /// The inputs do not fit the signature.
    Inputs(Vec<Mismatch>),
    /// A turn of the history does not fit the signature.
    History(BadTurn),
}

/// Why no program can be made.
#[derive(Debug)]
pub enum ProgramError {
    /// No request can be written for the signature.
    Signature(Diagnostic),
    /// A demo does not fit the signature.
    Demo(BadTurn),
}

impl Program {
    /// Makes a program. `turns` is the signature of the history's turns when those have other outputs than the request.
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

    /// Writes the request for `inputs`, a map by name, after the turns of a history.
    pub fn request(&self, inputs: &Value, history: &[Value]) -> Result<ModelRequest, RequestError> {
        let coerced = self.signature.coerce(inputs, Side::Input, ExtraFields::Dropped).map_err(RequestError::Inputs)?;
        let Coerced { value, warnings } = coerced;
        let Value::Map(inputs) = value else { return Err(RequestError::Inputs(Vec::new())) };
        let pair = |(index, turn)| self.turns.pair(index, turn, Adapter::Default);
        let history = history.iter().enumerate().map(pair).collect::<Result<_, _>>().map_err(RequestError::History)?;
        let system = prompt::system(&self.signature, self.adapter, &self.instructions);
        let mut before: Vec<_> = system.map(|text| (Role::System, text)).into_iter().collect();
        before.extend_from_slice(&self.demos);
        let request = prompt::request(&self.signature, self.adapter, &self.instructions, &self.shown(&inputs));
        Ok(ModelRequest { before, history, request, warnings })
    }

    /// Reads all outputs from a reply; an optional one that is absent is nil. The errors say what is wrong with the
    /// reply.
    pub fn outputs(&self, reply: &str) -> Result<Coerced, Vec<Mismatch>> {
        let fields = self.signature.outputs();
        let found = reply::read(fields, self.adapter, reply)?;
        let coerced = self.signature.coerce(&Value::Map(found), Side::Output, ExtraFields::Dropped)?;
        let Value::Map(found) = &coerced.value else { return Ok(coerced) };
        let entries = fields.iter().zip(values_of(fields, found));
        let all = entries.map(|(field, value)| (Value::keyword(&field.name), value.cloned().unwrap_or_default()));
        Ok(Coerced { value: Value::map(all), warnings: coerced.warnings })
    }

    /// The user message that replaces `request` after an invalid reply to it.
    pub fn repair(&self, request: &str, reply: &str, problems: &[Mismatch]) -> String {
        prompt::repair(request, reply, problems)
    }

    /// JSON Schema of the reply.
    pub fn schema(&self) -> String {
        prompt::schema(&self.signature)
    }

    /// The inputs that the model sees, each with its value.
    fn shown<'p>(&'p self, inputs: &'p Map) -> Vec<(&'p str, &'p Value)> {
        let fields = &self.signature.parameters;
        let shown = |field: &Field| !field.hidden() && !field.is_history();
        let values = fields.iter().zip(values_of(fields, inputs)).filter(|(field, _)| shown(field));
        let is_given = |field: &Field, value: &Value| !(field.optional && *value == Value::Nil);
        values
            .filter_map(|(field, value)| {
                value.filter(|value| is_given(field, value)).map(|value| (&*field.name, value))
            })
            .collect()
    }
}

/// Checks that there are outputs, that the model may write them, and that all labels differ.
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
