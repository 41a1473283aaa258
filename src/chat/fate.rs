//! What happens to each message of a history.

use crate::value::Str;

/// What happens to a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It stays as it is.
    Kept,
    /// A summary replaces it.
    Summarized,
    /// It is removed.
    Dropped,
    /// It stays, and stubs replace some of its tool results or the arguments of calls.
    Stubbed,
}

impl Fate {
    /// True when the message is in the new conversation.
    pub(super) fn stays(self) -> bool {
        matches!(self, Fate::Kept | Fate::Stubbed)
    }

    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Fate::Kept => "kept",
            Fate::Summarized => "summarized",
            Fate::Dropped => "dropped",
            Fate::Stubbed => "stubbed",
        }
    }
}

/// The fate of one message of the conversation that was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageFate {
    /// What happens to it.
    pub fate: Fate,
    /// The strategy or limit that decided it, or why the message may not be touched: `system`, `pinned`, `pending` or
    /// `compaction`.
    pub reason: Option<Str>,
    /// The tokens of the message before any change.
    pub tokens: usize,
}

/// A short text that replaces a tool result or the arguments of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stub {
    /// The part that changes.
    pub part: StubbedPart,
    /// The text in its place; for arguments a JSON object.
    pub text: Str,
}

/// A part of a message that a stub shortens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StubbedPart {
    /// The result at this index among the results of the message.
    Result(usize),
    /// The call at this index among the calls of the message.
    Call(usize),
}

/// Why no strategy and no limit may touch a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hold {
    /// It instructs the model.
    System,
    /// It is pinned, or half of a pair whose other half is.
    Pinned,
    /// It waits for an answer of the model or of a tool.
    Pending,
    /// It has the last summary that the provider made, or the provider ignores it because of that summary. Such a message
    /// is dropped from the beginning.
    Compaction,
}

impl Hold {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Hold::System => "system",
            Hold::Pinned => "pinned",
            Hold::Pending => "pending",
            Hold::Compaction => "compaction",
        }
    }
}
