//! The JSON of a turn: its members and a version.

use std::cell::OnceCell;
use std::fmt;
use std::ops::Range;
use std::rc::Rc;

use crate::value::{self, JsonError, MAX_NESTING, Map, Str, Value, is_keyword_name};

use super::outline::Outline;
use super::{Memory, Stored, ToolCall, Turn, TurnInit, memory_of, name_of};
use crate::text::join;

/// Version of the JSON of a turn.
const VERSION: i64 = 1;

/// Levels of JSON around the arguments of a call; there are fewer around other values.
const OUTER: usize = 3;

/// The latest time of a `Date` in JavaScript. Up to it, whole milliseconds are exact in a float.
const MAX_MILLIS: f64 = 8.64e15;

impl Turn {
    /// The turn as JSON. [`Turn::from_json`] restores an equal turn, whose JSON has the same bytes.
    pub fn to_json(&self) -> String {
        let init = self.record();
        let mut out = String::from("{");
        member(&mut out, "version", &Value::Int(VERSION));
        member(&mut out, "number", &Value::Int(init.number.into()));
        member(&mut out, "success", &Value::Bool(self.is_success()));
        member(&mut out, "rawResponse", &Value::Str(init.raw_response.clone()));
        member(&mut out, "program", &optional_text(&init.program));
        member(&mut out, "result", &init.result);
        member(&mut out, "prints", &list_of(&init.prints));
        out.push_str(",\"toolCalls\":[");
        for (index, call) in init.tool_calls.iter().enumerate() {
            out.push_str(if index > 0 { ",{" } else { "{" });
            member(&mut out, "name", &Value::Str(call.name.clone()));
            member(&mut out, "args", &call.args);
            member(&mut out, "result", &call.result);
            member(&mut out, "error", &optional_text(&call.error));
            member(&mut out, "durationMs", &call.duration_ms.map_or(Value::Nil, number));
            if let Some(step) = &call.step {
                member(&mut out, "step", step);
            }
            out.push('}');
        }
        out.push(']');
        if let Some(memory) = self.memory() {
            let mut names = Vec::new();
            for (name, value) in memory.iter() {
                names.push(key(name));
                names.push(value.clone());
            }
            member(&mut out, "memory", &Value::Map(Map::alternating(names)));
        }
        let mut docs = Vec::new();
        for (name, doc) in &init.docs {
            docs.push(key(name));
            docs.push(Value::Str(doc.clone()));
        }
        member(&mut out, "docs", &Value::Map(Map::alternating(docs)));
        if let Some(defined) = &init.defined {
            member(&mut out, "defined", &list_of(defined));
        }
        if let Some(at) = init.at {
            member(&mut out, "at", &number(at));
        }
        out.push('}');
        out
    }

    /// Reads the JSON of a turn. Absent members take their defaults.
    pub fn from_json(text: &str) -> Result<Turn, TurnError> {
        let (success, init) = parse(text).map_err(|error| *error)?;
        Ok(Turn::new(success, init))
    }

    /// Reads the JSON of a turn that the package's encoder wrote: values are parsed when they are first
    /// needed. A text of an unusual form is parsed at once, as by [`Turn::from_json`].
    pub fn from_encoded(text: &str) -> Result<Turn, TurnError> {
        let Some((outline, memory)) = Outline::read(text) else { return Turn::from_json(text) };
        let encoded = Some(Encoded { text: text.into(), memory });
        Ok(Turn(Rc::new(Stored { outline, record: OnceCell::new(), memory: OnceCell::new(), encoded })))
    }
}

/// The JSON of a turn whose outline was read.
pub(super) struct Encoded {
    text: Box<str>,
    /// The range of the memory in the text; empty when there is none.
    memory: Range<usize>,
}

impl Encoded {
    /// The members of the turn without the memory.
    pub fn record(&self) -> TurnInit {
        let slice = |range: Range<usize>| self.text.get(range).unwrap_or_default();
        let (before, after) = (slice(0..self.memory.start), slice(self.memory.end..self.text.len()));
        let filler = if self.memory.is_empty() { "" } else { "null" };
        let (_, init) = parse(&[before, filler, after].concat()).expect("an encoded turn can be parsed");
        init
    }

    /// The memory of the turn.
    pub fn memory(&self) -> Option<Memory> {
        let json = self.text.get(self.memory.clone()).filter(|json| !json.is_empty())?;
        memory_of(&value::from_json(json).expect("an encoded memory can be parsed"))
    }
}

fn parse(text: &str) -> Result<(bool, TurnInit), Box<TurnError>> {
    let (saved, depth) = value::from_json_around(text, OUTER).map_err(TurnError::Json)?;
    read(&saved, depth)
}

/// Why a text is not the JSON of a turn.
#[derive(Clone, Debug, PartialEq)]
pub enum TurnError {
    /// The text is not the JSON of a value.
    Json(JsonError),
    /// The version is unknown.
    Version(String),
    /// A member has the wrong type.
    Field {
        /// The path of the member, such as `toolCalls[2].name`.
        path: String,
        /// What the member must be.
        expected: &'static str,
    },
}

impl fmt::Display for TurnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TurnError::Json(error) => error.fmt(f),
            TurnError::Version(found) => {
                write!(f, "a turn saved as version {found} can't be read: this is version {VERSION}")
            }
            TurnError::Field { path, expected } if path.is_empty() => write!(f, "a turn must be {expected}"),
            TurnError::Field { path, expected } => write!(f, "`{path}` of a turn must be {expected}"),
        }
    }
}

impl std::error::Error for TurnError {}

fn wrong<T>(path: impl Into<String>, expected: &'static str) -> Result<T, Box<TurnError>> {
    Err(Box::new(TurnError::Field { path: path.into(), expected }))
}

/// Reads a saved turn. `depth` is how deep its JSON is nested.
fn read(saved: &Value, depth: usize) -> Result<(bool, TurnInit), Box<TurnError>> {
    let fields = SavedMembers::of(saved, "")?;
    if depth > MAX_NESTING + 1 {
        // The limit of the whole allows for the levels around values in calls. Other values have fewer levels around
        // them, so the limit is checked for each of them alone.
        for value in ["result", "memory"].into_iter().filter_map(|name| fields.get(name)) {
            value::from_json(&value::to_json(value)).map_err(TurnError::Json)?;
        }
    }
    match fields.get("version") {
        None | Some(Value::Int(VERSION)) => {}
        Some(other) => return Err(Box::new(TurnError::Version(value::to_json(other)))),
    }
    let success = match fields.get("success") {
        Some(Value::Bool(success)) => *success,
        _ => return wrong("success", "true or false"),
    };
    let number = match fields.get("number") {
        None => Some(1),
        Some(Value::Int(number)) => u32::try_from(*number).ok(),
        Some(_) => None,
    };
    let Some(number) = number else { return wrong("number", "a whole number from 0 up") };
    let result = fields.get("result").cloned().unwrap_or_default();
    if !success && result.is_nil_or_empty() {
        return wrong("result", "what it failed with, `{reason, message}`");
    }
    let init = TurnInit {
        number,
        raw_response: fields.text("", "rawResponse")?.unwrap_or_default(),
        program: fields.text("", "program")?,
        result,
        prints: fields.texts("prints")?.unwrap_or_default(),
        tool_calls: tool_calls(&fields)?,
        memory: match fields.known("memory") {
            None => None,
            Some(names) => match memory_of(names) {
                None => return wrong("memory", "an object of names"),
                memory => memory,
            },
        },
        docs: docs(&fields)?,
        defined: fields.texts("defined")?,
        at: fields.millis("", "at")?,
    };
    Ok((success, init))
}

/// The members of a JSON object.
struct SavedMembers<'a>(&'a value::Map);

impl<'a> SavedMembers<'a> {
    fn of(value: &'a Value, path: &str) -> Result<SavedMembers<'a>, Box<TurnError>> {
        match value {
            Value::Map(entries) => Ok(SavedMembers(entries)),
            _ => wrong(path, "an object"),
        }
    }

    fn get(&self, name: &str) -> Option<&'a Value> {
        self.0.get_keyword(name)
    }

    /// The member, unless it is absent or null.
    fn known(&self, name: &str) -> Option<&'a Value> {
        self.get(name).filter(|value| !matches!(value, Value::Nil))
    }

    fn text(&self, path: &str, name: &str) -> Result<Option<Str>, Box<TurnError>> {
        match self.known(name) {
            None => Ok(None),
            Some(Value::Str(text)) => Ok(Some(text.clone())),
            Some(_) if path.is_empty() => wrong(name, "a text"),
            Some(_) => wrong(format!("{path}.{name}"), "a text or null"),
        }
    }

    /// Reads milliseconds, from 0 to [`MAX_MILLIS`].
    fn millis(&self, path: &str, name: &str) -> Result<Option<f64>, Box<TurnError>> {
        let millis = match self.known(name) {
            None => return Ok(None),
            Some(Value::Int(millis)) => *millis as f64,
            Some(Value::Float(millis)) => *millis,
            Some(_) => f64::NAN,
        };
        if (0.0..=MAX_MILLIS).contains(&millis) {
            return Ok(Some(millis));
        }
        let dot = if path.is_empty() { "" } else { "." };
        wrong(join([path, dot, name], ""), "a number of milliseconds")
    }

    fn texts(&self, name: &str) -> Result<Option<Vec<Str>>, Box<TurnError>> {
        let Some(items) = self.list(name, "a list of texts")? else { return Ok(None) };
        let mut texts = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            let Value::Str(text) = item else { return wrong(format!("{name}[{index}]"), "a text") };
            texts.push(text.clone());
        }
        Ok(Some(texts))
    }

    fn list(&self, name: &str, expected: &'static str) -> Result<Option<&'a value::Vector>, Box<TurnError>> {
        match self.known(name) {
            None => Ok(None),
            Some(Value::Vector(items)) => Ok(Some(items)),
            Some(_) => wrong(name, expected),
        }
    }
}

fn tool_calls(fields: &SavedMembers<'_>) -> Result<Vec<ToolCall>, Box<TurnError>> {
    let mut calls = Vec::new();
    let Some(saved) = fields.list("toolCalls", "a list of calls")? else { return Ok(calls) };
    for (index, call) in saved.iter().enumerate() {
        let path = format!("toolCalls[{index}]");
        let fields = SavedMembers::of(call, &path)?;
        let name = match fields.get("name") {
            Some(Value::Str(name)) if !name.is_empty() => name.clone(),
            _ => return wrong(format!("{path}.name"), "the tool's name"),
        };
        let args = fields.get("args").cloned().unwrap_or_default();
        if !matches!(args, Value::Nil | Value::Map(_) | Value::Vector(_)) {
            return wrong(format!("{path}.args"), "an object, or a list of positional arguments");
        }
        let duration_ms = fields.millis(&path, "durationMs")?;
        let result = fields.get("result").cloned().unwrap_or_default();
        let error = fields.text(&path, "error")?;
        calls.push(ToolCall { name, args, result, error, duration_ms, step: fields.known("step").cloned() });
    }
    Ok(calls)
}

fn docs(fields: &SavedMembers<'_>) -> Result<Vec<(Str, Str)>, Box<TurnError>> {
    let mut docs = Vec::new();
    let entries = match fields.known("docs") {
        None => return Ok(docs),
        Some(Value::Map(entries)) => entries,
        Some(_) => return wrong("docs", "an object of docstrings by name"),
    };
    for (name, doc) in entries.iter() {
        match (name_of(name), doc) {
            (Some(name), Value::Str(doc)) => docs.push((name.clone(), doc.clone())),
            (name, _) => return wrong(format!("docs.{}", name.map_or("?", |name| name)), "a text"),
        }
    }
    Ok(docs)
}

/// Appends a member to the JSON object at the end of `out`.
fn member(out: &mut String, name: &str, value: &Value) {
    out.push_str(if out.ends_with('{') { "\"" } else { ",\"" });
    out.push_str(name);
    out.push_str("\":");
    value::append_json(value, out);
}

fn key(name: &Str) -> Value {
    if is_keyword_name(name) { Value::Keyword(name.clone()) } else { Value::Str(name.clone()) }
}

fn list_of(texts: &[Str]) -> Value {
    Value::vector(texts.iter().cloned().map(Value::Str))
}

fn optional_text(text: &Option<Str>) -> Value {
    text.clone().map_or(Value::Nil, Value::Str)
}

/// A time or duration as JSON writes it: whole milliseconds without a fraction.
fn number(millis: f64) -> Value {
    if millis.fract() == 0.0 && millis.abs() <= MAX_MILLIS { Value::Int(millis as i64) } else { Value::Float(millis) }
}
