//! What messages are rendered from, beside the turns.

use crate::signature::Signature;
use crate::value::{PrintOptions, Str, Value};

/// Everything but the turns and the memory.
#[derive(Clone, Debug)]
pub struct RenderOptions {
    /// The task. It always stands first in the first USER message (MSG-003, MSG-007).
    pub mission: Str,
    /// The SYSTEM message: static text (ARC-008).
    pub system_prompt: Str,
    /// What `tool/` holds.
    pub tools: Vec<Tool>,
    /// What `data/` holds (NS-008).
    pub data: Vec<(Str, Value)>,
    /// What is expected back.
    pub signature: Option<Signature>,
    /// What single fields of the signature mean, by dotted path.
    pub field_descriptions: Vec<(Str, Str)>,
    /// Turns in all; those left are these less the turns so far (ARC-006).
    pub max_turns: usize,
    /// Turns left, when the host knows better.
    pub turns_left: Option<usize>,
    /// None: every turn is shown as it was.
    pub strategy: Option<Strategy>,
    /// How much is shown.
    pub limits: Limits,
}

/// A tool as it is listed.
#[derive(Clone, Debug)]
pub struct Tool {
    /// Without `tool/`.
    pub name: Str,
    /// None: listed with `(...) -> :any`.
    pub signature: Option<Signature>,
    /// What it does, in a few words.
    pub description: Option<Str>,
}

/// A strategy with its own options (ARC-003).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// All turns in one USER message (ARC-005).
    SingleUserCoalesced,
    /// The last turns as they were, all before them in one USER message.
    RollingWindow {
        /// How many turns stay as they were.
        keep: usize,
    },
    /// A program and a summary for each turn.
    PerTurnSummary,
    /// One USER message whose changing part is squeezed.
    Aggressive {
        /// Tokens that the changing part may have.
        budget: usize,
        /// Who counts them.
        counting: Counting,
    },
}

impl Strategy {
    /// Every strategy with its default options.
    pub const ALL: [Strategy; 4] = [
        Strategy::SingleUserCoalesced,
        Strategy::RollingWindow { keep: 2 },
        Strategy::PerTurnSummary,
        Strategy::Aggressive { budget: 1000, counting: Counting::Estimate },
    ];

    /// The name that options use.
    pub fn name(&self) -> &'static str {
        match self {
            Strategy::SingleUserCoalesced => "single-user-coalesced",
            Strategy::RollingWindow { .. } => "rolling-window",
            Strategy::PerTurnSummary => "per-turn-summary",
            Strategy::Aggressive { .. } => "aggressive",
        }
    }

    /// The strategy of that name, with its default options.
    pub fn named(name: &str) -> Option<Strategy> {
        Strategy::ALL.into_iter().find(|strategy| strategy.name() == name)
    }
}

/// Who counts the tokens of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counting {
    /// The built-in estimate.
    Estimate,
    /// The host: rendering asks for the counts that it lacks.
    Host,
}

/// How much of a history is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// `println` calls, the newest (API-004).
    pub println: usize,
    /// Tool calls, the newest (API-005).
    pub tool_calls: usize,
    /// Items of each collection in a sample (TRN-002).
    pub sample: usize,
    /// Characters of a string in a sample (TRN-002).
    pub sample_printable: usize,
    /// Characters of one print, and of a result that is shown as feedback (TRN-011).
    pub print_length: usize,
    /// Whether a call shows what it gave.
    pub tool_results: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { println: 15, tool_calls: 20, sample: 3, sample_printable: 80, print_length: 2000, tool_results: false }
    }
}

impl Limits {
    /// How samples are printed.
    pub fn sample_options(&self) -> PrintOptions {
        PrintOptions { limit: Some(self.sample), printable_limit: Some(self.sample_printable), filter_hidden: true }
    }
}

impl Default for RenderOptions {
    fn default() -> Self {
        RenderOptions {
            mission: "".into(),
            system_prompt: "".into(),
            tools: Vec::new(),
            data: Vec::new(),
            signature: None,
            field_descriptions: Vec::new(),
            max_turns: RenderOptions::MAX_TURNS,
            turns_left: None,
            strategy: Some(Strategy::SingleUserCoalesced),
            limits: Limits::default(),
        }
    }
}

impl RenderOptions {
    /// How many turns an agent has when nothing is said.
    pub const MAX_TURNS: usize = 5;

    /// The strategy that applies: a single turn is never compressed (SS-001).
    pub fn applied_strategy(&self) -> Option<&Strategy> {
        self.strategy.as_ref().filter(|_| self.max_turns != 1)
    }

    /// What was left when `done` of `all` turns were over.
    pub fn turns_left_after(&self, done: usize, all: usize) -> usize {
        match self.turns_left {
            Some(left) => left.saturating_add(all - done),
            None => self.max_turns.saturating_sub(done),
        }
    }
}
