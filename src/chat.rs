//! Keeps the history of a chat within limits.
//!
//! A [`Conversation`] becomes a history, whose messages each have a [`Fate`]. [`plan`] runs the strategies on it, without
//! asking a model: a [`Plan`] holds the requests for the summaries that are needed. [`apply`] inserts the summaries and
//! enforces the limits, or fails and changes nothing. A tool call and its results form one unit, which no stage divides.

mod accounting;
mod apply;
mod arrived;
mod clear_results;
mod content_keys;
mod conversation;
mod digest;
mod digest_facts;
mod digest_line;
mod draft;
mod edits;
mod error;
mod fate;
mod grouping;
mod handle;
mod history;
mod host;
mod known_messages;
mod limits;
mod manage;
mod media;
mod message;
mod outcome;
mod overflow;
mod parameters;
mod plan;
mod program_line;
mod read_message;
mod reduction;
mod references;
mod replay;
mod requests;
mod search;
mod settle;
mod settled;
mod stop;
mod summary_names;
mod tiers;
mod transcript;
mod units;
mod worth;

pub use accounting::{Counts, Provider};
pub use content_keys::content_keys;
pub use conversation::{Conversation, Exchange};
pub use error::ChatError;
pub use fate::{Fate, MessageFate, Stub, StubbedPart};
pub use handle::handle_of;
pub use manage::{Planned, apply, plan};
pub use media::NotedText;
pub use message::{Approval, ChatMessage, Part, ResultOutcome, Summary};
pub use outcome::{Applied, Entry, HistoryOutcome, SentMessage, TokenChange};
pub use parameters::{
    Clearing, Concept, Digest, HistoryStrategy, HostGroup, HostPlan, OnOverflow, Parameters, SummaryPlace, Thresholds,
    ToolNames, When,
};
pub use plan::Plan;
pub use requests::{Group, SummaryRequest};
pub use settled::Settled;
pub use stop::{HostQuestion, Stop};
pub use units::{HistoryProblem, HistoryRule};
