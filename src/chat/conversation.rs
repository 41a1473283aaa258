//! A conversation, and what is said right now.

use std::rc::Rc;

use super::message::ChatMessage;
use super::units::{Problem, Units};
use crate::value::{Str, Value};

/// Messages in the order in which they were said. It never changes; another one may share its messages.
#[derive(Clone, Debug, Default)]
pub struct Conversation {
    /// The messages.
    pub messages: Vec<Rc<ChatMessage>>,
}

/// The request that is about to be sent and everything behind it, calls and results. It is no part of
/// the history: nothing of it is compressed, and it counts in every limit.
#[derive(Clone, Debug, Default)]
pub struct Exchange {
    /// The messages; None when the host did not say, and what waits for an answer at the end of the
    /// conversation takes their place.
    pub messages: Option<Vec<Rc<ChatMessage>>>,
    /// The tools that the model may call, as JSON.
    pub tools: Vec<Str>,
    /// The schema of the answer, as JSON.
    pub schema: Option<Str>,
}

impl Exchange {
    /// The messages that are sent behind the conversation.
    pub fn request(&self) -> &[Rc<ChatMessage>] {
        self.messages.as_deref().unwrap_or_default()
    }
}

impl Conversation {
    /// This one with more messages behind it.
    pub fn with(&self, more: impl IntoIterator<Item = ChatMessage>) -> Conversation {
        let mut messages = self.messages.clone();
        for message in more {
            messages.push(Rc::new(message));
        }
        Conversation { messages }
    }

    /// The messages that a list of values describes; None when one describes none.
    pub fn read(values: &Value) -> Option<Vec<ChatMessage>> {
        let Value::Vector(values) = values else { return None };
        values.iter().map(ChatMessage::read).collect()
    }

    /// Calls without results, results without calls, and what else providers refuse.
    pub fn lint(&self) -> Vec<Problem> {
        Units::of(&self.messages).problems
    }
}
