//! The result of applying a plan.

use std::rc::Rc;

use super::conversation::Conversation;
use super::fate::{MessageFate, Stub};
use super::message::ChatMessage;
use crate::costs::RequestCost;

/// What the strategies and limits did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HistoryOutcome {
    /// There was nothing to do.
    Unchanged,
    /// There was a strategy, but it did not run.
    Skipped,
    /// A strategy changed the history.
    Applied,
    /// Only a limit removed messages.
    Trimmed,
}

impl HistoryOutcome {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            HistoryOutcome::Unchanged => "unchanged",
            HistoryOutcome::Skipped => "skipped",
            HistoryOutcome::Applied => "applied",
            HistoryOutcome::Trimmed => "trimmed",
        }
    }
}

/// Where a message of the new conversation comes from, for callers that own the messages.
#[derive(Clone, Debug)]
pub enum Entry {
    /// The message at that index of the old conversation.
    Kept(usize),
    /// The message at that index with stubs in some of its parts.
    Stubbed(usize, Vec<Stub>),
    /// A new summary.
    Summary(Rc<ChatMessage>),
}

/// A message as it is sent.
#[derive(Clone, Debug)]
pub struct SentMessage {
    pub(super) message: Rc<ChatMessage>,
    /// The texts in it that replace results of the message in the conversation.
    pub texts: Vec<Stub>,
}

/// Tokens of everything that is sent: history, request, tools and schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenChange {
    /// With the old conversation.
    pub before: usize,
    /// With the new conversation.
    pub after: usize,
}

/// The result of applying a plan.
#[derive(Clone, Debug)]
pub struct Applied {
    /// The kind of change.
    pub outcome: HistoryOutcome,
    /// Why no strategy changed anything.
    pub reason: Option<String>,
    /// How many messages at the beginning of the old conversation were settled. They stay, and the new conversation
    /// begins with them.
    pub settled: usize,
    /// The messages of the new conversation that follow the settled ones.
    pub conversation: Conversation,
    /// Where each of these messages comes from.
    pub entries: Vec<Entry>,
    /// The fate of each message of the old conversation that was not settled.
    pub fates: Vec<MessageFate>,
    /// Warnings for the caller.
    pub warnings: Vec<String>,
    /// For each group of the plan, whether its messages stay because it has no summary.
    pub unsummarized: Vec<bool>,
    /// How many summaries were inserted.
    pub inserted: usize,
    /// Tokens of everything that is sent.
    pub tokens: TokenChange,
    /// What is sent of each of these messages.
    pub sent: Vec<SentMessage>,
    /// For each message of the old conversation, whether limits removed it from the previous request.
    pub(super) was_removed: Vec<bool>,
    /// The cost of the request, when it decides or is reported.
    pub cost: Option<RequestCost>,
}
