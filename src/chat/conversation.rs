//! A conversation, and the request that follows it.

use std::ops::Range;
use std::rc::Rc;

use super::known_messages::read_messages;
use super::message::ChatMessage;
use super::units::{HistoryProblem, Units};
use crate::value::{JsonError, Str};

/// Messages, the oldest first. It never changes; several conversations may share messages.
#[derive(Clone, Debug, Default)]
pub struct Conversation {
    /// The messages.
    pub messages: Vec<Rc<ChatMessage>>,
}

/// The request that is sent after the history. It is not part of the history: it is never compressed, but it counts
/// towards every limit.
#[derive(Clone, Debug, Default)]
pub struct Exchange {
    /// The messages of the request. None when the host gave none: then the request consists of the question and the
    /// tool results at the end of the conversation that wait for an answer.
    pub messages: Option<Vec<Rc<ChatMessage>>>,
    /// The indexes of the messages that are the question of the exchange at the end of the conversation. None when the
    /// host does not specify them: then the question is the last message of a user.
    pub question: Option<Range<usize>>,
    /// The tools that the model may call, each as JSON.
    pub tools: Vec<Str>,
    /// The schema of the answer, as JSON.
    pub schema: Option<Str>,
    /// Tokens that the provider counts in each request besides those that are counted here.
    pub fixed_tokens: usize,
    /// Milliseconds since the previous request, when known.
    pub pause: Option<f64>,
    /// True when no request follows immediately, so that the pause continues.
    pub is_idle: bool,
}

impl Conversation {
    /// A conversation with `more` messages at its end.
    pub fn with(&self, more: impl IntoIterator<Item = ChatMessage>) -> Conversation {
        let mut messages = self.messages.clone();
        messages.extend(more.into_iter().map(Rc::new));
        Conversation { messages }
    }

    /// Reads messages from the JSON of a list. Those of the same content that are in use are shared. Returns None when the
    /// JSON describes no messages.
    pub fn read(text: &str) -> Result<Option<Vec<Rc<ChatMessage>>>, Box<JsonError>> {
        read_messages(text)
    }

    /// Returns the problems for which providers refuse a history: calls without results, results without calls, empty
    /// messages.
    pub fn lint(&self) -> Vec<HistoryProblem> {
        Units::of(&self.messages).problems
    }
}
