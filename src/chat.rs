//! Histories of chats: what of them is kept, what a summary takes the place of, what is left out.
//!
//! A plan is made of a conversation without asking anyone: it says what becomes of every message,
//! and holds the questions whose answers are the summaries. With those answers it is applied, or
//! it fails, and then nothing has changed. A tool call and its results are one unit everywhere.

mod accounting;
mod apply;
mod conversation;
mod grouping;
mod limits;
mod message;
mod parameters;
mod plan;
mod transcript;
mod units;

pub use accounting::{Counts, Provider};
pub use apply::{Applied, Entry, apply};
pub use conversation::{Conversation, Exchange};
pub use limits::Limit;
pub use message::{ChatMessage, Part, Summary};
pub use parameters::{Concept, HostGroup, HostPlan, Parameters, Strategy, When};
pub use plan::{Fate, HistoryOutcome, HostQuestion, Plan, Planned, Stop, plan};
pub use units::{Problem, ProblemKind};

use crate::value::Value;

/// Why a history could not be managed. Nothing has changed then.
#[derive(Clone, Debug, PartialEq)]
pub struct ChatError {
    /// Snake case, such as `request_over_budget`.
    pub code: &'static str,
    /// For readers.
    pub message: String,
    /// What to do about it.
    pub hint: Option<&'static str>,
    /// The facts by name.
    pub details: Vec<(&'static str, Value)>,
}

impl ChatError {
    fn new(code: &'static str, message: String) -> ChatError {
        ChatError { code, message, hint: None, details: Vec::new() }
    }

    fn with(mut self, name: &'static str, value: impl Into<Value>) -> ChatError {
        self.details.push((name, value.into()));
        self
    }

    fn hint(mut self, hint: &'static str) -> ChatError {
        self.hint = Some(hint);
        self
    }
}

/// A number for people: `1 message`, `12 messages`.
fn counted(number: usize, thing: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {thing}{plural}")
}
