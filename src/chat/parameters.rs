//! The parameters of a call.

use super::accounting::Provider;
use crate::arrival::Arrival;
use crate::costs::Prices;
use crate::value::Str;

/// How a history is managed. Without strategies and limits it does not change.
#[derive(Clone, Debug)]
pub struct Parameters {
    /// The strategies in the order in which they run. Only the last may ask for summaries.
    pub strategies: Vec<HistoryStrategy>,
    /// When the strategies run. None means `WorthIt` for a digest, otherwise `OverLimit` with a limit and `Always` without.
    pub when: Option<When>,
    /// Within the limits, no strategy runs on fewer messages than these, system messages not counted.
    pub min_messages: usize,
    /// Strategies leave at least this many messages, if the history has them.
    pub keep_at_least: usize,
    /// The largest number of tokens that may be sent.
    pub max_tokens: Option<usize>,
    /// The sizes within `max_tokens` at which reducing begins and ends.
    pub token_thresholds: Thresholds,
    /// Tokens of `max_tokens` that are kept free for the reply.
    pub reserve_tokens: usize,
    /// The largest number of messages that may be sent.
    pub max_history_size: Option<usize>,
    /// The sizes within `max_history_size` at which reducing begins and ends.
    pub message_thresholds: Thresholds,
    /// What is done when messages that may not be removed exceed a limit.
    pub on_overflow: OnOverflow,
    /// True when the messages that a cut leaves must not begin with an answer or a result.
    pub starts_with_user: bool,
    /// Instructions for the model that writes summaries, instead of the built-in ones.
    pub summary_prompt: Option<Str>,
    /// The role of summary messages.
    pub summary_role: Str,
    /// The largest request for a summary, in tokens. A larger one is split.
    pub summary_max_tokens: Option<usize>,
    /// How many names and values that a summary leaves out are listed below it.
    pub summary_names: usize,
    /// The provider whose requests are counted.
    pub provider: Provider,
    /// The prices of tokens.
    pub prices: Prices,
    /// Folding is worth it when the loss of not folding reaches this multiple of the price of a fold.
    pub patience: f64,
    /// Where summaries are asked for.
    pub summary_place: SummaryPlace,
    /// True when the report includes the cost of the request also where it decides nothing.
    pub reports_cost: bool,
    /// How results are written from the first request on that has them; None as they are.
    pub arrival: Option<Arrival>,
}

impl Default for Parameters {
    fn default() -> Self {
        Parameters {
            strategies: Vec::new(),
            when: None,
            min_messages: 10,
            keep_at_least: 2,
            max_tokens: None,
            token_thresholds: Thresholds::default(),
            reserve_tokens: 0,
            max_history_size: None,
            message_thresholds: Thresholds::default(),
            on_overflow: OnOverflow::Error,
            starts_with_user: true,
            summary_prompt: None,
            summary_role: "user".into(),
            summary_max_tokens: None,
            summary_names: 0,
            provider: Provider::OpenAi,
            prices: Prices::DEFAULT,
            patience: 1.0,
            summary_place: SummaryPlace::Separate,
            reports_cost: false,
            arrival: None,
        }
    }
}

impl Parameters {
    /// The limits, in the order in which they are enforced.
    pub(super) fn limits(&self) -> impl Iterator<Item = Limit> + use<> {
        let tokens = self.max_tokens.map(|max| max.saturating_sub(self.reserve_tokens));
        let tokens = tokens.map(|max| Limit::Tokens(self.token_thresholds.within(max)));
        let messages = self.max_history_size.map(|max| Limit::Messages(self.message_thresholds.within(max)));
        tokens.into_iter().chain(messages)
    }

    /// The size above which messages are removed to meet a limit. Without a strategy, only that reduces a history.
    pub(super) fn cut_above(&self, limit: Limit) -> usize {
        if self.strategies.is_empty() { limit.trigger() } else { limit.max() }
    }

    fn when(&self) -> When {
        self.when.unwrap_or_else(|| match self.strategies.last() {
            Some(HistoryStrategy::Digest(_)) => When::WorthIt,
            _ if self.limits().next().is_some() => When::OverLimit,
            _ => When::Always,
        })
    }

    /// True when strategies run on any history, not only on one that exceeds a limit.
    pub(super) fn runs_always(&self) -> bool {
        self.when() != When::OverLimit
    }

    /// True when strategies run only if that is worth its price.
    pub fn weighs(&self) -> bool {
        self.when() == When::WorthIt
    }
}

/// Where summaries are asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SummaryPlace {
    /// In requests of their own, with a transcript.
    #[default]
    Separate,
    /// After the conversation as it was sent, most of which is in the cache.
    Behind,
}

/// When strategies run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// On every call.
    Always,
    /// When a limit is exceeded.
    OverLimit,
    /// When not folding has cost `patience` times the price of folding, or a limit is exceeded.
    WorthIt,
}

/// What is done when messages that may not be removed exceed a limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnOverflow {
    /// The history is refused.
    #[default]
    Error,
    /// It is sent all the same.
    Send,
    /// Tool results that no model has read yet are cut.
    TruncateResults,
}

/// The sizes at which reducing a history begins and ends. A number up to 1 is a share of the limit, a larger one a size
/// in the unit of the limit.
#[derive(Clone, Copy, Debug)]
pub struct Thresholds {
    /// Above it, reducing begins.
    pub trigger: f64,
    /// The size to which a history is cut; None for 0.7 of the trigger.
    pub target: Option<f64>,
}

impl Default for Thresholds {
    fn default() -> Self {
        Thresholds { trigger: 1.0, target: None }
    }
}

impl Thresholds {
    /// The default share of the trigger to which a history is cut.
    const TARGET: f64 = 0.7;

    /// The trigger and the target with a limit of `max`, as they were given.
    pub fn sizes(self, max: usize) -> (f64, f64) {
        let size = |given: f64| if given <= 1.0 { max as f64 * given } else { given };
        let trigger = size(self.trigger);
        (trigger, self.target.map_or(trigger * Self::TARGET, size))
    }

    fn within(self, max: usize) -> Sizes {
        let size = |given: f64| if given <= 1.0 { (max as f64 * given) as usize } else { (given as usize).min(max) };
        let trigger = size(self.trigger);
        let target = self.target.map_or((trigger as f64 * Self::TARGET) as usize, |target| size(target).min(trigger));
        Sizes { max, trigger, target }
    }
}

/// A limit on what is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Limit {
    /// `maxTokens` less `reserveTokens`.
    Tokens(Sizes),
    /// `maxHistorySize`.
    Messages(Sizes),
}

/// The sizes of a limit, in its unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sizes {
    max: usize,
    trigger: usize,
    target: usize,
}

impl Limit {
    /// The name of the parameter.
    pub fn name(self) -> &'static str {
        match self {
            Limit::Tokens(..) => "maxTokens",
            Limit::Messages(..) => "maxHistorySize",
        }
    }

    /// The name of its unit.
    pub fn unit(self) -> &'static str {
        match self {
            Limit::Tokens(..) => "tokens",
            Limit::Messages(..) => "messages",
        }
    }

    fn sizes(self) -> Sizes {
        match self {
            Limit::Tokens(sizes) | Limit::Messages(sizes) => sizes,
        }
    }

    /// The largest size within it.
    pub fn max(self) -> usize {
        self.sizes().max
    }

    /// The size above which reducing begins.
    pub fn trigger(self) -> usize {
        self.sizes().trigger
    }

    /// The size to which a history is cut.
    pub fn target(self) -> usize {
        self.sizes().target
    }

    /// The size of one message of `tokens` tokens.
    pub fn weight(self, tokens: usize) -> usize {
        match self {
            Limit::Tokens(..) => tokens,
            Limit::Messages(..) => 1,
        }
    }
}

/// What happens to old messages.
#[derive(Clone, Debug, PartialEq)]
pub enum HistoryStrategy {
    /// One summary replaces all messages.
    WholeHistory,
    /// One summary replaces all messages before the last ones.
    LastMessages(usize),
    /// A summary replaces each group of at least this many messages.
    Chunked(usize),
    /// One summary replaces all messages before a time, in milliseconds since 1970.
    FromTimestamp(i64),
    /// A summary replaces all messages between two system messages.
    PerSystemMessage,
    /// One message with the facts about these concepts replaces all messages.
    RetrieveFacts(Vec<Concept>),
    /// Stubs replace the results of tools except the last ones.
    ClearToolResults(Clearing),
    /// Lines replace rounds of calls and results except the last ones.
    Digest(Digest),
    /// A strategy of the host.
    Host {
        /// Its name in reports.
        name: Str,
        /// Its answer. None until it has been asked.
        plan: Option<HostPlan>,
    },
}

/// What is cleared.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Clearing {
    /// How many of the last results stay, with their calls.
    pub keep: usize,
    /// The least number of tokens that a batch saves.
    pub at_least: usize,
    /// How many names of the cleared text a stub lists.
    pub names: usize,
    /// Tools whose results and arguments stay.
    pub exclude: Vec<Str>,
    /// Tools whose arguments are cleared too.
    pub inputs: ToolNames,
}

/// A selection of tools.
#[derive(Clone, Debug, PartialEq)]
pub enum ToolNames {
    /// All tools.
    All,
    /// The tools with these names.
    Only(Vec<Str>),
}

impl Default for ToolNames {
    fn default() -> Self {
        ToolNames::Only(Vec::new())
    }
}

impl ToolNames {
    /// True when the tool is one of the selection.
    pub(super) fn has(&self, tool: &Str) -> bool {
        match self {
            ToolNames::All => true,
            ToolNames::Only(names) => names.contains(tool),
        }
    }
}

/// How rounds are folded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Digest {
    /// How many of the last rounds stay.
    pub keep: usize,
    /// The least number of tokens that a batch saves.
    pub at_least: usize,
    /// How many names from the texts that are cut a line lists.
    pub names: usize,
    /// How many characters of a long result, and of each argument, a line shows. Other lengths are multiples of it.
    pub head: usize,
    /// True when lines begin with the handles of their results.
    pub has_handles: bool,
}

/// A subject that facts are gathered about.
#[derive(Clone, Debug, PartialEq)]
pub struct Concept {
    /// Its name.
    pub name: Str,
    /// Its meaning; may be empty.
    pub description: Str,
}

/// The answer of a host's strategy, by indexes of messages in the conversation. Each message that it was shown is in
/// exactly one of the lists.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HostPlan {
    /// Messages that stay.
    pub keep: Vec<usize>,
    /// Messages that summaries replace.
    pub summarize: Vec<HostGroup>,
    /// Messages that are removed.
    pub drop: Vec<usize>,
}

/// Messages that one summary replaces.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HostGroup {
    /// Their indexes.
    pub covers: Vec<usize>,
    /// Instructions for the model that writes the summary.
    pub prompt: Option<Str>,
}

impl HistoryStrategy {
    /// The name in reports.
    pub fn name(&self) -> Str {
        match self {
            HistoryStrategy::WholeHistory => "wholeHistory",
            HistoryStrategy::LastMessages(_) => "lastNMessages",
            HistoryStrategy::Chunked(_) => "chunked",
            HistoryStrategy::FromTimestamp(_) => "fromTimestamp",
            HistoryStrategy::PerSystemMessage => "wholeHistoryMultipleSystemMessages",
            HistoryStrategy::RetrieveFacts(_) => "retrieveFacts",
            HistoryStrategy::ClearToolResults(_) => "clearToolResults",
            HistoryStrategy::Digest(_) => "digest",
            HistoryStrategy::Host { name, .. } => name,
        }
        .into()
    }
}
