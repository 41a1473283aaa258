//! A conversation, and the request that follows it.

use std::ops::Range;
use std::rc::Rc;

use super::message::ChatMessage;
use super::units::{Problem, Units};
use crate::value::{Str, Value};

/// Messages, the oldest first. It never changes; several conversations may share messages.
#[derive(Clone, Debug, Default)]
pub struct Conversation {
    /// The messages.
    pub messages: Vec<Rc<ChatMessage>>,
}

/// What is sent after the history. It is no part of the history: nothing of it is compressed, and it counts in every
/// limit.
#[derive(Clone, Debug, Default)]
pub struct Exchange {
    /// The request. None when the host gave none: then the question and the results at the end of the conversation that
    /// wait for an answer are the request.
    pub messages: Option<Vec<Rc<ChatMessage>>>,
    /// The messages of the conversation that are the question of the exchange at its end. None where the host does not
    /// say: then the last message of a user is.
    pub question: Option<Range<usize>>,
    /// The tools that the model may call, each as JSON.
    pub tools: Vec<Str>,
    /// The schema of the answer, as JSON.
    pub schema: Option<Str>,
    /// Milliseconds since the request before, when they are known.
    pub pause: Option<f64>,
    /// True when no request follows at once: the pause goes on.
    pub is_idle: bool,
}

impl Conversation {
    /// A conversation with `more` messages at its end.
    pub fn with(&self, more: impl IntoIterator<Item = ChatMessage>) -> Conversation {
        let mut messages = self.messages.clone();
        messages.extend(more.into_iter().map(Rc::new));
        Conversation { messages }
    }

    /// The messages that a vector of maps describes; None when one of them describes none.
    pub fn read(values: &Value) -> Option<Vec<ChatMessage>> {
        let Value::Vector(values) = values else { return None };
        values.iter().map(ChatMessage::read).collect()
    }

    /// What providers refuse: calls without results, results without calls, empty messages.
    pub fn lint(&self) -> Vec<Problem> {
        Units::of(&self.messages).problems
    }
}
