//! What a plan needs from the host before it can be made or applied.

use super::accounting::Counts;
use super::error::ChatError;
use super::fate::Stub;
use crate::value::Str;

/// Why planning or applying stopped. After the host has supplied what is missing, the caller starts over: both are pure
/// functions of their input.
#[derive(Debug)]
pub enum Stop {
    /// It can not succeed.
    Failed(ChatError),
    /// The host has to count the tokens of these texts.
    Count(Vec<Str>),
    /// The host has to run one of its own strategies.
    AskHost(HostQuestion),
}

/// The input of a strategy of the host.
#[derive(Debug)]
pub struct HostQuestion {
    /// Its index among the strategies.
    pub strategy: usize,
    /// The messages that are left: the index in the conversation, and the tokens.
    pub messages: Vec<(usize, usize)>,
    /// Messages with results that an earlier strategy cleared: the index in the conversation, and the stubs.
    pub stubs: Vec<(usize, Vec<Stub>)>,
}

impl From<ChatError> for Stop {
    fn from(error: ChatError) -> Stop {
        Stop::Failed(error)
    }
}

/// Stops when the host has to count texts. Sums are meaningless until this succeeds.
pub(super) fn require_counts(counts: &mut Counts) -> Result<(), Stop> {
    let missing = counts.take_missing();
    if missing.is_empty() { Ok(()) } else { Err(Stop::Count(missing)) }
}
