//! Why a history could not be managed.

use crate::value::Value;

/// Why a history could not be managed. The conversation is unchanged.
#[derive(Clone, Debug, PartialEq)]
pub struct ChatError {
    /// A code in snake case, such as `request_over_budget`.
    pub code: &'static str,
    /// What is wrong, for readers.
    pub message: String,
    /// What to do about it.
    pub hint: Option<&'static str>,
    /// The facts by name.
    pub details: Vec<(&'static str, Value)>,
}

impl ChatError {
    pub(super) fn new(code: &'static str, message: String) -> ChatError {
        ChatError { code, message, hint: None, details: Vec::new() }
    }

    pub(super) fn with(mut self, name: &'static str, value: impl Into<Value>) -> ChatError {
        self.details.push((name, value.into()));
        self
    }

    pub(super) fn hint(mut self, hint: &'static str) -> ChatError {
        self.hint = Some(hint);
        self
    }
}

/// A number with its noun: `1 message`, `12 messages`.
pub(super) fn counted(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}
