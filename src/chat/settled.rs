//! The beginning of a conversation that later requests do not change.

use std::borrow::Cow;
use std::rc::Rc;

use super::conversation::Conversation;
use super::message::ChatMessage;
use crate::names::ShownNames;

/// The messages at the beginning of a conversation about which everything is decided: with the same parameters, no later
/// request changes them unless a limit is exceeded. Of these messages, a plan needs only the sums and the names. So a
/// request takes time in proportion to the messages about which something is still to be decided, and not to all
/// messages. The default settles none.
///
/// It holds for a conversation that begins with the messages that are settled, and for the parameters and the counter by
/// which it was made.
#[derive(Debug, Default)]
pub struct Settled {
    pub(super) sums: SettledSums,
    /// The index of the last question, when it is before the end of these messages. It is not one of them, because it
    /// waits for an answer as long as no other question follows.
    pub(super) question: Option<usize>,
    /// The names in them.
    pub(super) shown: Rc<ShownNames>,
}

/// What a plan needs of the settled messages.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SettledSums {
    /// How many they are.
    pub messages: usize,
    pub tokens: usize,
    /// How many of them are not system messages.
    pub counted: usize,
    /// How many of them are answers of the model.
    pub answers: usize,
    /// The number of messages of the request that asked for the last summary in them; 0 without one.
    pub summarized: usize,
}

impl Settled {
    /// The index of the first message after the settled ones.
    pub fn end(&self) -> usize {
        self.sums.messages + usize::from(self.question.is_some())
    }

    /// The messages that are not settled.
    pub(super) fn rest<'c>(&self, conversation: &'c Conversation) -> Cow<'c, [Rc<ChatMessage>]> {
        let after = &conversation.messages[self.end()..];
        match self.question {
            None => Cow::Borrowed(after),
            Some(question) => conversation.messages[question..=question].iter().chain(after).cloned().collect(),
        }
    }
}
