//! Faults: why a program ends early.

use crate::diagnostic::Diagnostic;
use crate::value::{PrintOptions, Value, to_clojure};

/// Why a program ends early.
#[derive(Clone, Debug)]
pub enum Fault {
    /// An error.
    Error(Diagnostic),
    /// An error whose exception a program or a tool made: see [`exception`](super::exception).
    Thrown(Diagnostic, Value),
    /// The program called `return`.
    Return(Value),
    /// The program called `fail`.
    Fail(Value),
}

impl Fault {
    /// Returns the error.
    pub fn problem_mut(&mut self) -> Option<&mut Diagnostic> {
        match self {
            Fault::Error(problem) | Fault::Thrown(problem, _) => Some(problem),
            Fault::Return(_) | Fault::Fail(_) => None,
        }
    }
}

/// The result of evaluating something, or the fault that ended the program.
pub type EvalResult<T = Value> = Result<T, Box<Fault>>;

/// Returns an error without a hint.
#[cold]
pub fn error<T>(kind: &'static str, message: impl Into<String>) -> EvalResult<T> {
    Err(Box::new(Fault::Error(Diagnostic::new(kind, message))))
}

/// Returns an error with a hint.
#[cold]
pub fn error_with_hint<T>(kind: &'static str, message: impl Into<String>, hint: impl Into<String>) -> EvalResult<T> {
    Err(Box::new(Fault::Error(Diagnostic::new(kind, message).with_hint(hint))))
}

/// Returns the error of a diagnostic.
#[cold]
pub fn refuse<T>(problem: Diagnostic) -> EvalResult<T> {
    Err(Box::new(Fault::Error(problem)))
}

/// Returns the error for a value of the wrong type: `name` takes `expected` and got `got`; `hint` may be empty.
#[cold]
pub fn type_error<T>(name: &str, expected: &str, got: &Value, hint: &str) -> EvalResult<T> {
    let message = format!("`{name}` takes {expected}, got {}", describe(got));
    match hint {
        "" => error("type_error", message),
        _ => error_with_hint("type_error", message, hint),
    }
}

/// Describes a value in a message: its type and a short text of it.
pub fn describe(value: &Value) -> String {
    let noun = match value {
        Value::Nil => return "nil".into(),
        Value::Bool(_) => "the boolean",
        Value::Int(_) | Value::BigInt(_) => "the integer",
        Value::Float(_) => "the float",
        Value::Str(_) => "the string",
        Value::Keyword(_) => "the keyword",
        Value::Vector(_) => "the vector",
        Value::Map(_) => "the map",
        Value::Set(_) => "the set",
        Value::Closure(_) | Value::Builtin(_) => "the function",
        Value::Var(_) if value.atom_number().is_some() => return "an atom (`@` reads it)".into(),
        Value::Var(_) => "the var",
        Value::Regex(_) => "the regex",
        Value::Date(_) | Value::Day(_) => "the date",
    };
    format!("{noun} `{}`", shown(value))
}

/// Returns a short text of a value for a message.
pub fn shown(value: &Value) -> String {
    if !is_short(value) {
        return "...".into();
    }
    let options = PrintOptions { limit: Some(SHOWN), printable_limit: Some(40), filter_hidden: true };
    to_clojure(value, &options).text
}

/// How many items a message shows of each collection.
const SHOWN: usize = 3;

/// The largest number of entries of a map or set that a message shows: the printer visits all of its entries to choose
/// the shown ones.
const MANY: usize = 10_000;

/// The total bits of integers up to which a message shows them; an integer of 10,000 digits has fewer.
const MANY_BITS: u64 = 40_000;

/// Returns whether a value can be printed in a message by visiting few values. A collection that contains the same
/// collection twice, at many levels, prints exponentially large even when little of each level is shown.
fn is_short(value: &Value) -> bool {
    let (mut pending, mut bits) = (vec![value], 0);
    for _ in 0..1000 {
        match pending.pop() {
            None => return true,
            Some(Value::Set(items)) if items.len() > MANY => return false,
            Some(Value::Map(entries)) if entries.len() > MANY => return false,
            Some(Value::Vector(items)) => pending.extend(items.iter().take(SHOWN)),
            // The printer sorts entries by the texts of their keys to find those that it shows.
            Some(Value::Set(items)) => pending.extend(items.iter().filter(|item| item.is_collection()).take(1000)),
            Some(Value::Map(entries)) => {
                let is_shown = |position, key: &Value| position < SHOWN || key.is_collection();
                let entries = entries.iter().enumerate().filter(|(position, (key, _))| is_shown(*position, key));
                entries.take(1000).for_each(|(_, (key, value))| pending.extend([key, value]));
            }
            // Writing an integer takes time that grows with the square of its digits.
            Some(Value::BigInt(integer)) => {
                bits += integer.bits();
                if bits > MANY_BITS {
                    return false;
                }
            }
            Some(_) => {}
        }
    }
    false
}
