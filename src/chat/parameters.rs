//! What a caller asks for (FR-001…010).

use super::accounting::Provider;
use crate::value::Str;

/// How a history is managed. Without strategies and limits nothing happens (FR-002).
#[derive(Clone, Debug)]
pub struct Parameters {
    /// One after the other; only the last may ask for summaries.
    pub strategies: Vec<Strategy>,
    /// When the strategies run; None: always, or with a limit when that is exceeded.
    pub when: Option<When>,
    /// With fewer messages than these, system messages aside, no strategy runs.
    pub min_messages: usize,
    /// So many messages are left at least, as long as there are so many.
    pub keep_at_least: usize,
    /// Tokens that may be sent.
    pub max_tokens: Option<usize>,
    /// Tokens of those that are left for the reply.
    pub reserve_tokens: usize,
    /// Messages that may be sent.
    pub max_history_size: Option<usize>,
    /// What a model is told to do with the messages that it summarises.
    pub summary_prompt: Option<Str>,
    /// Who says the summaries.
    pub summary_role: Str,
    /// A longer request for a summary is asked in pieces.
    pub summary_max_tokens: Option<usize>,
    /// Who counts how.
    pub provider: Provider,
}

impl Default for Parameters {
    fn default() -> Self {
        Parameters {
            strategies: Vec::new(),
            when: None,
            min_messages: 10,
            keep_at_least: 2,
            max_tokens: None,
            reserve_tokens: 0,
            max_history_size: None,
            summary_prompt: None,
            summary_role: "user".into(),
            summary_max_tokens: None,
            provider: Provider::OpenAi,
        }
    }
}

/// When strategies run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// On every call.
    Always,
    /// When a limit is exceeded.
    OverLimit,
}

/// What becomes of old messages (FR-003).
#[derive(Clone, Debug)]
pub enum Strategy {
    /// Everything into one summary.
    WholeHistory,
    /// Everything before the last messages into one summary.
    LastMessages(usize),
    /// Groups of so many messages into a summary each.
    Chunked(usize),
    /// Everything before that time, in milliseconds since 1970, into one summary.
    FromTimestamp(i64),
    /// Everything between two system messages into a summary each.
    PerSystemMessage,
    /// What is known about each of these, in place of everything.
    RetrieveFacts(Vec<Concept>),
    /// Results of tools, but for the last ones, are replaced by a word about it.
    ClearToolResults {
        /// How many results are left as they are.
        keep: usize,
    },
    /// The host's own, and what it said when it was asked.
    Host {
        /// As reports call it.
        name: Str,
        /// None until it was asked.
        plan: Option<HostPlan>,
    },
}

/// What facts are gathered about.
#[derive(Clone, Debug)]
pub struct Concept {
    /// Its name.
    pub name: Str,
    /// What it means, as far as that is said.
    pub description: Str,
}

/// What a host's strategy says, by the places of the messages that it was shown.
#[derive(Clone, Debug, Default)]
pub struct HostPlan {
    /// What stays.
    pub keep: Vec<usize>,
    /// What becomes summaries.
    pub summarize: Vec<HostGroup>,
    /// What is left out.
    pub drop: Vec<usize>,
}

/// Messages that become one summary.
#[derive(Clone, Debug, Default)]
pub struct HostGroup {
    /// Which.
    pub covers: Vec<usize>,
    /// What the model is told to do with them.
    pub prompt: Option<Str>,
}

impl Strategy {
    /// As reports call it.
    pub fn name(&self) -> Str {
        match self {
            Strategy::WholeHistory => "wholeHistory",
            Strategy::LastMessages(_) => "lastNMessages",
            Strategy::Chunked(_) => "chunked",
            Strategy::FromTimestamp(_) => "fromTimestamp",
            Strategy::PerSystemMessage => "wholeHistoryMultipleSystemMessages",
            Strategy::RetrieveFacts(_) => "retrieveFacts",
            Strategy::ClearToolResults { .. } => "clearToolResults",
            Strategy::Host { name, .. } => name,
        }
        .into()
    }
}
