//! The record of one cycle of a model's work: its reply, the program, and the effects of the program.

use std::fmt;
use std::rc::Rc;

use crate::value::{self, JsonError, MAX_NESTING, Map, Names, Str, Value, is_keyword_name};

/// Values by name, in the order in which the names were defined.
pub type Memory = Rc<Names<Value>>;

/// Version of the JSON of a turn.
const VERSION: i64 = 1;

/// Levels of JSON around the arguments of a call; there are fewer around other values.
const OUTER: usize = 3;

/// One cycle: immutable, cheap to clone.
#[derive(Clone, Debug, PartialEq)]
pub struct Turn(Rc<Record>);

#[derive(Debug, PartialEq)]
struct Record {
    success: bool,
    init: TurnInit,
}

/// The members of a turn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TurnInit {
    /// Number of the turn, from 1.
    pub number: u32,
    /// The model's whole reply, reasoning included.
    pub raw_response: Str,
    /// The program in the reply; none when it contained none.
    pub program: Option<Str>,
    /// The program's result; in a failed turn `{:reason … :message … :hint …}`, never nil.
    pub result: Value,
    /// One entry for each `println`.
    pub prints: Vec<Str>,
    /// Every call, in order, including those before an error.
    pub tool_calls: Vec<ToolCall>,
    /// All definitions after the turn. None: unknown, read as those before it.
    pub memory: Option<Memory>,
    /// Docstrings by name.
    pub docs: Vec<(Str, Str)>,
    /// Names that this turn defined. None: those whose values differ from the memory before.
    pub defined: Option<Vec<Str>>,
}

/// A call that a program made.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolCall {
    /// The tool's name, without `tool/`.
    pub name: Str,
    /// A map; a vector for positional arguments; nil without arguments.
    pub args: Value,
    /// What the tool returned.
    pub result: Value,
    /// The message of the tool's error.
    pub error: Option<Str>,
    /// Duration in milliseconds, when the host measured it.
    pub duration_ms: Option<f64>,
    /// The saved step of the agent that this call ran, when the tool is an agent.
    pub step: Option<Value>,
}

impl Turn {
    /// A turn whose program succeeded.
    pub fn success(init: TurnInit) -> Turn {
        Turn(Rc::new(Record { success: true, init }))
    }

    /// A turn that ended in an error, or whose reply contained no program.
    pub fn failure(init: TurnInit) -> Turn {
        Turn(Rc::new(Record { success: false, init }))
    }

    /// True when the program succeeded.
    pub fn is_success(&self) -> bool {
        self.0.success
    }

    /// Number of the turn, from 1.
    pub fn number(&self) -> u32 {
        self.0.init.number
    }

    /// The model's whole reply.
    pub fn raw_response(&self) -> &str {
        &self.0.init.raw_response
    }

    /// The program in the reply.
    pub fn program(&self) -> Option<&str> {
        self.0.init.program.as_deref()
    }

    /// The program's result, or what it failed with.
    pub fn result(&self) -> &Value {
        &self.0.init.result
    }

    /// One entry for each `println`.
    pub fn prints(&self) -> &[Str] {
        &self.0.init.prints
    }

    /// Every call, in order.
    pub fn tool_calls(&self) -> &[ToolCall] {
        &self.0.init.tool_calls
    }

    /// All definitions after the turn, when they are known.
    pub fn memory(&self) -> Option<&Memory> {
        self.0.init.memory.as_ref()
    }

    /// The docstring that this turn gave to `name`.
    pub fn doc(&self, name: &str) -> Option<&str> {
        self.0.init.docs.iter().rev().find(|(found, _)| **found == *name).map(|(_, doc)| &**doc)
    }

    /// Names that this turn defined, when they are known.
    pub fn defined(&self) -> Option<&[Str]> {
        self.0.init.defined.as_deref()
    }

    /// The message of a failed turn, and its hint if there is one.
    pub fn failure_text(&self) -> (String, Option<String>) {
        let text = |value: &Value| match value {
            Value::Str(text) => text.to_string(),
            other => value::to_clojure(other, &value::PrintOptions::default()).text,
        };
        let Value::Map(details) = self.result() else { return (text(self.result()), None) };
        let named = |name: &str| {
            let found = details.iter().find(|(key, _)| key.key_name() == Some(name));
            found.map(|(_, value)| value).filter(|value| !matches!(value, Value::Nil))
        };
        let hint = named("hint").map(text);
        match named("message").or_else(|| named("reason")) {
            Some(message) => (text(message), hint),
            None => (text(self.result()), None),
        }
    }

    /// The turn as JSON. [`Turn::from_json`] restores an equal turn, whose JSON has the same bytes.
    pub fn to_json(&self) -> String {
        let init = &self.0.init;
        let mut out = String::from("{");
        member(&mut out, "version", &Value::Int(VERSION));
        member(&mut out, "number", &Value::Int(init.number.into()));
        member(&mut out, "success", &Value::Bool(self.0.success));
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
        if let Some(memory) = &init.memory {
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
        out.push('}');
        out
    }

    /// Reads the JSON of a turn. Absent members take their defaults.
    pub fn from_json(text: &str) -> Result<Turn, TurnError> {
        let (saved, depth) = value::from_json_around(text, OUTER).map_err(TurnError::Json)?;
        read(&saved, depth).map_err(|error| *error)
    }
}

/// The entries of a map as a memory; none unless all keys are keywords or strings.
pub fn memory_of(names: &Value) -> Option<Memory> {
    let Value::Map(entries) = names else { return None };
    let mut names = Names::default();
    for (key, value) in entries.iter() {
        names.insert(name_of(key)?.clone(), value.clone());
    }
    Some(Rc::new(names))
}

fn name_of(key: &Value) -> Option<&Str> {
    match key {
        Value::Str(name) | Value::Keyword(name) => Some(name),
        _ => None,
    }
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
fn read(saved: &Value, depth: usize) -> Result<Turn, Box<TurnError>> {
    let fields = Fields::of(saved, "")?;
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
    };
    Ok(if success { Turn::success(init) } else { Turn::failure(init) })
}

/// The members of a JSON object.
struct Fields<'a>(&'a value::Map);

impl<'a> Fields<'a> {
    fn of(value: &'a Value, path: &str) -> Result<Fields<'a>, Box<TurnError>> {
        match value {
            Value::Map(entries) => Ok(Fields(entries)),
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

fn tool_calls(fields: &Fields<'_>) -> Result<Vec<ToolCall>, Box<TurnError>> {
    let mut calls = Vec::new();
    let Some(saved) = fields.list("toolCalls", "a list of calls")? else { return Ok(calls) };
    for (index, call) in saved.iter().enumerate() {
        let path = format!("toolCalls[{index}]");
        let fields = Fields::of(call, &path)?;
        let name = match fields.get("name") {
            Some(Value::Str(name)) if !name.is_empty() => name.clone(),
            _ => return wrong(format!("{path}.name"), "the tool's name"),
        };
        let args = fields.get("args").cloned().unwrap_or_default();
        if !matches!(args, Value::Nil | Value::Map(_) | Value::Vector(_)) {
            return wrong(format!("{path}.args"), "an object, or a list of positional arguments");
        }
        let duration_ms = match fields.known("durationMs") {
            None => None,
            Some(Value::Int(millis)) if *millis >= 0 => Some(*millis as f64),
            Some(Value::Float(millis)) if *millis >= 0.0 && millis.is_finite() => Some(*millis),
            Some(_) => return wrong(format!("{path}.durationMs"), "a number of milliseconds"),
        };
        let result = fields.get("result").cloned().unwrap_or_default();
        let error = fields.text(&path, "error")?;
        calls.push(ToolCall { name, args, result, error, duration_ms, step: fields.known("step").cloned() });
    }
    Ok(calls)
}

fn docs(fields: &Fields<'_>) -> Result<Vec<(Str, Str)>, Box<TurnError>> {
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

/// A duration as JSON writes it: whole milliseconds without a fraction.
fn number(millis: f64) -> Value {
    if millis.fract() == 0.0 && millis.abs() < 9e15 { Value::Int(millis as i64) } else { Value::Float(millis) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> TurnInit {
        let memory = [("x".into(), Value::Float(2.0)), ("first name".into(), Value::keyword("k"))];
        TurnInit {
            number: 3,
            raw_response: "thinking…\n```clojure\n(def x 2.0)\n```".into(),
            program: Some("(def x 2.0)".into()),
            result: Value::Var("x".into()),
            prints: vec!["a\nb".into(), "".into()],
            tool_calls: vec![ToolCall {
                name: "search".into(),
                args: Value::map([(Value::keyword("q"), "x".into())]),
                result: Value::set([1.into()]),
                error: None,
                duration_ms: Some(12.5),
                step: Some(Value::map([(Value::keyword("ok"), true.into())])),
            }],
            memory: Some(Rc::new(memory.into_iter().collect())),
            docs: vec![("x".into(), "the number".into())],
            defined: Some(vec!["x".into()]),
        }
    }

    #[test]
    fn a_saved_turn_loads_to_the_same_bytes() {
        for turn in [Turn::success(sample()), Turn::failure(sample()), Turn::success(TurnInit::default())] {
            let saved = turn.to_json();
            let loaded = Turn::from_json(&saved).unwrap();
            assert_eq!(loaded, turn);
            assert_eq!(loaded.to_json(), saved);
        }
    }

    #[test]
    fn values_may_be_nested_up_to_the_limit_wherever_they_are() {
        let nested = |levels| (0..levels).fold(Value::Nil, |inner, _| Value::vector([inner]));
        let turns = |levels: usize| {
            let memory: Memory = Rc::new([("x".into(), nested(levels - 1))].into_iter().collect());
            let call = ToolCall { name: "f".into(), ..ToolCall::default() };
            let calls =
                [ToolCall { args: nested(levels), ..call.clone() }, ToolCall { result: nested(levels), ..call }];
            let [args, result] = calls.map(|call| TurnInit { tool_calls: vec![call], ..TurnInit::default() });
            let inits = [
                TurnInit { result: nested(levels), ..TurnInit::default() },
                TurnInit { memory: Some(memory), ..TurnInit::default() },
                args,
                result,
            ];
            inits.map(Turn::success)
        };
        for turn in turns(MAX_NESTING) {
            assert!(Turn::from_json(&turn.to_json()).is_ok_and(|loaded| loaded == turn));
        }
        for turn in turns(MAX_NESTING + 1) {
            let error = Turn::from_json(&turn.to_json()).unwrap_err().to_string();
            assert!(error.contains("1000 levels deep"), "{error}");
        }
    }

    #[test]
    fn absent_memory_and_defined_stay_absent() {
        let turn = Turn::from_json(r#"{"success":true}"#).unwrap();
        assert_eq!((turn.memory(), turn.defined(), turn.number()), (None, None, 1));
        assert!(!turn.to_json().contains("memory") && !turn.to_json().contains("defined"));
    }

    #[test]
    fn errors_name_the_member() {
        let cases = [
            (r#"{}"#, "`success` of a turn must be true or false"),
            (r#"[]"#, "a turn must be an object"),
            (r#"{"success":true,"version":9}"#, "a turn saved as version 9 can't be read: this is version 1"),
            (r#"{"success":true,"prints":["a",1]}"#, "`prints[1]` of a turn must be a text"),
            (
                r#"{"success":true,"toolCalls":[{"name":"a"},{}]}"#,
                "`toolCalls[1].name` of a turn must be the tool's name",
            ),
            (
                r#"{"success":true,"toolCalls":[{"name":"a","args":3}]}"#,
                "`toolCalls[0].args` of a turn must be an object, or a list of positional arguments",
            ),
            (r#"{"success":true,"memory":[1]}"#, "`memory` of a turn must be an object of names"),
            (r#"{"success":true,"docs":{"f":1}}"#, "`docs.f` of a turn must be a text"),
            (r#"{"success":true,"number":-1}"#, "`number` of a turn must be a whole number from 0 up"),
            (r#"{"success":false}"#, "`result` of a turn must be what it failed with, `{reason, message}`"),
            (r#"{"success":false,"result":{}}"#, "`result` of a turn must be what it failed with, `{reason, message}`"),
        ];
        for (saved, message) in cases {
            assert_eq!(Turn::from_json(saved).unwrap_err().to_string(), message);
        }
    }

    #[test]
    fn failure_text_reads_message_reason_and_hint() {
        let failed = |result| Turn::failure(TurnInit { result, ..TurnInit::default() }).failure_text();
        let details = [("reason", "unbound_var"), ("message", "`x` is not defined"), ("hint", "define it")];
        let details = Value::map(details.map(|(name, text)| (Value::keyword(name), text.into())));
        assert_eq!(failed(details), ("`x` is not defined".into(), Some("define it".into())));
        assert_eq!(failed("plain".into()), ("plain".into(), None));
        let timeout = [("reason", "timeout".into()), ("message", Value::Nil), ("hint", Value::Nil)];
        let timeout = Value::map(timeout.map(|(name, value)| (Value::keyword(name), value)));
        assert_eq!(failed(timeout), ("timeout".into(), None));
        assert_eq!(failed(Value::map([(Value::keyword("a"), 1.into())])), ("{:a 1}".into(), None));
    }
}
