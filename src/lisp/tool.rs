//! Tools, and a call of one: the request to the host, its reply, and the record of both.

use super::exception;
use super::fault::{EvalResult, Fault};
use crate::diagnostic::Diagnostic;
use crate::signature::Signature;
use crate::text::join;
use crate::unicode::on_one_line;
use crate::value::{Str, Value};

/// A tool that programs can call.
#[derive(Clone, Debug, Default)]
pub struct ToolSpec {
    /// Its parameters; without a signature, it takes any arguments.
    pub signature: Option<Signature>,
    /// What it does.
    pub description: Option<Str>,
    /// Descriptions of parameters by their dotted paths.
    pub field_descriptions: Vec<(Str, Str)>,
    /// Whether the host checks the arguments, because it has their schema: the signature only names them.
    pub is_checked_by_host: bool,
}

/// A call that the host makes.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolRequest {
    /// The number of the call in the program, which the reply repeats.
    pub id: usize,
    /// The tool's name.
    pub tool: Str,
    /// A map of arguments by name, or a vector of positional values.
    pub args: Value,
}

/// The host's reply to a [`ToolRequest`].
#[derive(Clone, Debug, PartialEq)]
pub struct ToolReply {
    /// The number of the call.
    pub id: usize,
    /// The value, or the message of the error.
    pub result: Result<Value, String>,
    /// The data of the error, a map; nil without any.
    pub data: Value,
    /// The arguments with which the call was made in place of the requested ones.
    pub args: Option<Value>,
    /// Whether the error says that the call was not approved, which programs can't catch.
    pub is_denied: bool,
    /// The duration in milliseconds, when the host measured it.
    pub duration_ms: Option<f64>,
    /// The saved step of the agent that the call ran, when the tool is an agent.
    pub step: Option<Value>,
}

/// The record of a call that a program made.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolCall {
    /// The tool's name, without `tool/`.
    pub name: Str,
    /// A map of arguments by name; a vector of positional ones; nil without arguments.
    pub args: Value,
    /// The value that the tool returned; of a call that failed the data of its error.
    pub result: Value,
    /// The message of the error.
    pub error: Option<Str>,
    /// The duration in milliseconds, when the host measured it.
    pub duration_ms: Option<f64>,
    /// The saved step of the agent that the call ran, when the tool is an agent.
    pub step: Option<Value>,
}

impl ToolSpec {
    /// `tool/name(params) -> return`.
    pub fn usage(&self, name: &str) -> String {
        match &self.signature {
            Some(signature) => {
                format!("tool/{name}({}) -> {}", signature.parameters_text(true), signature.returns_text(true))
            }
            None => format!("tool/{name}(...) -> :any"),
        }
    }

    /// The usage and the description.
    pub fn line(&self, name: &str) -> String {
        let usage = self.usage(name);
        let description = self.description.as_deref().map(on_one_line).filter(|text| !text.is_empty());
        match description {
            Some(description) => format!("{usage}  ; {description}"),
            None => usage,
        }
    }

    /// The usage, the description and the parameters.
    pub fn documentation(&self, name: &str) -> String {
        let description = self.description.iter().map(|text| text.trim().to_owned());
        join([self.usage(name)].into_iter().chain(description).chain(self.parameter_lines()), "\n")
    }

    /// The lines that describe the parameters.
    pub fn parameter_lines(&self) -> Vec<String> {
        let paths = self.signature.as_ref().map(Signature::parameter_paths).unwrap_or_default();
        described_lines(&paths, &self.field_descriptions)
    }
}

/// The lines below a type that describe its fields, in the order of the paths.
pub fn described_lines(paths: &[String], descriptions: &[(Str, Str)]) -> Vec<String> {
    let of = |path: &String| descriptions.iter().find(|(described, _)| **described == **path);
    let line = |(path, text): &(Str, Str)| format!(";   {path}: {}", on_one_line(text));
    paths.iter().filter_map(of).map(line).collect()
}

impl ToolReply {
    /// A reply without anything but a result.
    pub fn new(id: usize, result: Result<Value, String>) -> ToolReply {
        ToolReply { id, result, data: Value::Nil, args: None, is_denied: false, duration_ms: None, step: None }
    }
}

impl ToolCall {
    /// A call without a reply.
    pub fn new(name: Str, args: Value) -> ToolCall {
        ToolCall { name, args, ..ToolCall::default() }
    }

    /// Records that the program ended before the reply arrived.
    pub fn abandon(&mut self) {
        self.error = Some("the program ended before it answered".into());
    }

    /// Records the reply; returns the result of the call for the program.
    pub fn take(&mut self, reply: ToolReply) -> EvalResult {
        self.duration_ms = reply.duration_ms;
        self.step = reply.step;
        if let Some(args) = reply.args {
            self.args = args;
        }
        let message = match reply.result {
            Ok(value) => {
                self.result = value.clone();
                return Ok(value);
            }
            Err(message) => format!("`{}` failed: {message}", self.name),
        };
        self.result = reply.data;
        let (kind, hint) = match reply.is_denied {
            true => ("tool_denied", "go on without it".to_owned()),
            false => ("tool_error", exception::catching_hint(&self.name, &self.args)),
        };
        Err(self.fail(Diagnostic::new(kind, message).with_hint(hint)))
    }

    /// Records an error; returns it for the program.
    pub fn fail(&mut self, problem: Diagnostic) -> Box<Fault> {
        self.error = Some(problem.message.as_str().into());
        exception::tool_fault(problem, &self.name, &self.args, &self.result)
    }

    /// Returns the call as programs read it in `*calls`: a map with `:tool`, `:args`, and `:result` or `:error`, and with
    /// the `:data` of the error, if any.
    pub fn as_value(&self) -> Value {
        let mut members = vec![("tool", Value::Str(self.name.clone())), ("args", self.args.clone())];
        match &self.error {
            Some(error) => {
                members.push(("error", Value::Str(error.clone())));
                if !matches!(self.result, Value::Nil) {
                    members.push(("data", self.result.clone()));
                }
            }
            None => members.push(("result", self.result.clone())),
        }
        Value::map(members.into_iter().map(|(key, value)| (Value::keyword(key), value)))
    }
}
