//! The record of one cycle of a model's work: its reply, the program, and the effects of the program.

mod outline;
mod saved;

use std::cell::OnceCell;
use std::fmt;
use std::rc::Rc;

pub use crate::lisp::ToolCall;
use crate::value::{self, Names, Str, Value};

use outline::Outline;
use saved::Encoded;
pub use saved::TurnError;

/// Values by name, in the order in which the names were defined.
pub type Memory = Rc<Names<Value>>;

/// One cycle: immutable, cheap to clone.
///
/// A turn from the package's encoder is kept as its text. Its record and its memory are parsed when they
/// are first needed: a message shows a few of a thousand turns.
#[derive(Clone)]
pub struct Turn(Rc<Stored>);

struct Stored {
    outline: Outline,
    /// The members without the memory, which is most of a long turn and is needed only for the last one.
    record: OnceCell<TurnInit>,
    memory: OnceCell<Option<Memory>>,
    /// The text from which `record` and `memory` are parsed; none in a turn that was built.
    encoded: Option<Encoded>,
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
    /// All definitions after the turn. None: unknown, and treated as those before it.
    pub memory: Option<Memory>,
    /// Docstrings by name.
    pub docs: Vec<(Str, Str)>,
    /// Names that this turn defined. None: those whose values differ from the memory before. In a failed turn: names that
    /// its program would have defined, none of which is kept.
    pub defined: Option<Vec<Str>>,
    /// When the request for the reply of this turn was sent, in milliseconds since 1970.
    pub at: Option<f64>,
}

impl Turn {
    /// A turn whose program succeeded.
    pub fn success(init: TurnInit) -> Turn {
        Turn::new(true, init)
    }

    /// A turn that ended in an error, or whose reply contained no program.
    pub fn failure(init: TurnInit) -> Turn {
        Turn::new(false, init)
    }

    fn new(success: bool, mut init: TurnInit) -> Turn {
        let outline = Outline::of(success, &init);
        let memory = OnceCell::from(init.memory.take());
        Turn(Rc::new(Stored { outline, record: OnceCell::from(init), memory, encoded: None }))
    }

    /// The turn with other prints, as many as it has.
    pub fn with_prints(&self, prints: Vec<Str>) -> Turn {
        let record = TurnInit { prints, memory: self.memory().cloned(), ..self.record().clone() };
        Turn::new(self.is_success(), record)
    }

    fn record(&self) -> &TurnInit {
        self.0.record.get_or_init(|| self.0.encoded.as_ref().map_or_else(TurnInit::default, Encoded::record))
    }

    /// True when both are clones of one turn.
    pub fn is_same(&self, other: &Turn) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }

    /// True when the program succeeded.
    pub fn is_success(&self) -> bool {
        self.0.outline.success
    }

    /// True when [`Turn::memory`] is known.
    pub fn has_memory(&self) -> bool {
        self.0.outline.has_memory
    }

    /// Number of [`Turn::prints`].
    pub fn print_count(&self) -> usize {
        self.0.outline.prints
    }

    /// Number of [`Turn::tool_calls`].
    pub fn tool_call_count(&self) -> usize {
        self.0.outline.tool_calls
    }

    /// Number of the turn, from 1.
    pub fn number(&self) -> u32 {
        self.record().number
    }

    /// The model's whole reply.
    pub fn raw_response(&self) -> &str {
        &self.record().raw_response
    }

    /// When the request for the reply of this turn was sent, in milliseconds since 1970.
    pub fn at(&self) -> Option<f64> {
        self.record().at
    }

    /// The program in the reply.
    pub fn program(&self) -> Option<&str> {
        self.record().program.as_deref()
    }

    /// The program's result, or the details of its failure.
    pub fn result(&self) -> &Value {
        &self.record().result
    }

    /// One entry for each `println`.
    pub fn prints(&self) -> &[Str] {
        &self.record().prints
    }

    /// Every call, in order.
    pub fn tool_calls(&self) -> &[ToolCall] {
        &self.record().tool_calls
    }

    /// All definitions after the turn, when they are known.
    pub fn memory(&self) -> Option<&Memory> {
        self.0.memory.get_or_init(|| self.0.encoded.as_ref().and_then(Encoded::memory)).as_ref()
    }

    /// The docstring that this turn gave to `name`.
    pub fn doc(&self, name: &str) -> Option<&str> {
        self.record().docs.iter().rev().find(|(found, _)| **found == *name).map(|(_, doc)| &**doc)
    }

    /// Names that this turn defined, when they are known; in a failed turn those that were not kept.
    pub fn defined(&self) -> Option<&[Str]> {
        self.0.outline.defined.as_deref()
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
}

impl PartialEq for Turn {
    fn eq(&self, other: &Turn) -> bool {
        self.is_same(other)
            || (self.is_success() == other.is_success()
                && self.record() == other.record()
                && self.memory() == other.memory())
    }
}

impl fmt::Debug for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut turn = f.debug_struct("Turn");
        turn.field("success", &self.is_success())
            .field("record", self.record())
            .field("memory", &self.memory())
            .finish()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::MAX_NESTING;

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
            at: Some(1_700_000_000_000.0),
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
            (r#"{"success":true,"at":"now"}"#, "`at` of a turn must be a number of milliseconds"),
            (r#"{"success":true,"at":1e308}"#, "`at` of a turn must be a number of milliseconds"),
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
