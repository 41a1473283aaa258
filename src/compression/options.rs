//! The options of a rendering.

use std::rc::Rc;

use crate::costs::Prices;
use crate::lisp::ToolSpec;
use crate::signature::Signature;
use crate::value::{PrintOptions, Str, Value};

/// All inputs of a rendering except the turns and the memory.
#[derive(Clone, Debug)]
pub struct RenderOptions {
    /// The task. The first USER message begins with it.
    pub mission: Str,
    /// The SYSTEM message: static text.
    pub system_prompt: Str,
    /// The tools that `tool/` lists, by name.
    pub tools: Vec<(Str, Rc<ToolSpec>)>,
    /// The most tokens of that list. None: any number.
    pub tool_budget: Option<usize>,
    /// The values that `data/` lists, by name.
    pub data: Vec<(Str, Value)>,
    /// The type of the expected result.
    pub signature: Option<Signature>,
    /// Descriptions of the signature's fields, by dotted path.
    pub field_descriptions: Vec<(Str, Str)>,
    /// The number of turns an agent has. The turns left are these minus the turns so far.
    pub max_turns: usize,
    /// Turns left; overrides the number that follows from `max_turns`.
    pub turns_left: Option<usize>,
    /// None: every turn is shown as it was.
    pub strategy: Option<Strategy>,
    /// How much is shown.
    pub limits: Limits,
}

/// A strategy with its own options.
#[derive(Clone, Debug, PartialEq)]
pub enum Strategy {
    /// All turns in one USER message.
    SingleUserCoalesced,
    /// The last turns as they were, all before them in one USER message.
    RollingWindow {
        /// How many turns stay as they were.
        keep: usize,
    },
    /// A program and a summary for each turn.
    PerTurnSummary,
    /// One USER message whose dynamic sections are reduced to a token budget.
    Aggressive {
        /// The most tokens that the dynamic sections may have.
        budget: usize,
        /// How they are counted.
        counting: Counting,
    },
    /// A folded state that stays the same, followed by what each later turn added, until another fold is worth its
    /// price.
    Journal(Journal),
}

/// The options of [`Strategy::Journal`].
#[derive(Clone, Debug, PartialEq)]
pub struct Journal {
    /// How many turns a fold leaves as they are.
    pub keep: usize,
    /// The prices of tokens.
    pub prices: Prices,
    /// The turns are folded when the loss of not folding reaches this multiple of the price of a fold.
    pub patience: f64,
    /// The most tokens that everything except the stable prefix may have. None: any number.
    pub budget: Option<usize>,
    /// How tokens are counted.
    pub counting: Counting,
}

impl Journal {
    /// The default options.
    pub const DEFAULT: Journal =
        Journal { keep: 1, prices: Prices::DEFAULT, patience: 1.0, budget: None, counting: Counting::Estimate };
}

impl Strategy {
    /// Every strategy with its default options.
    pub const ALL: [Strategy; 5] = [
        Strategy::SingleUserCoalesced,
        Strategy::RollingWindow { keep: 2 },
        Strategy::PerTurnSummary,
        Strategy::Aggressive { budget: 1000, counting: Counting::Estimate },
        Strategy::Journal(Journal::DEFAULT),
    ];

    /// The name in options.
    pub fn name(&self) -> &'static str {
        match self {
            Strategy::SingleUserCoalesced => "single-user-coalesced",
            Strategy::RollingWindow { .. } => "rolling-window",
            Strategy::PerTurnSummary => "per-turn-summary",
            Strategy::Aggressive { .. } => "aggressive",
            Strategy::Journal(_) => "journal",
        }
    }

    /// The strategy with this name and its default options.
    pub fn named(name: &str) -> Option<Strategy> {
        Strategy::ALL.into_iter().find(|strategy| strategy.name() == name)
    }
}

/// How the tokens of a text are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counting {
    /// By the built-in estimate.
    Estimate,
    /// By the host: rendering fails with the texts whose counts are missing.
    Host,
}

/// How much of a history is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The number of prints: the newest are shown.
    pub println: usize,
    /// The number of tool calls: the newest are shown.
    pub tool_calls: usize,
    /// Items of each collection in a sample.
    pub sample: usize,
    /// Graphemes of a string in a sample, as [`PrintOptions::printable_limit`]; words are not cut in two.
    pub sample_printable: usize,
    /// Names of a text that are listed after its sample.
    pub sample_names: usize,
    /// Characters of one print, and of the result of a turn that is shown as it was.
    pub print_length: usize,
    /// Whether calls are shown with their results.
    pub tool_results: bool,
    /// Whether prints are shown in shorter forms in which every name and number stays readable.
    pub lossless: bool,
    /// Whether a journal shows the turns: the output of a turn is limited by characters, not by prints, and a definition
    /// of a turn with calls has a sample unless the output shows its value.
    pub journal: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            println: 15,
            tool_calls: 20,
            sample: 3,
            sample_printable: 80,
            sample_names: 0,
            print_length: 2000,
            tool_results: false,
            lossless: false,
            journal: false,
        }
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
            tool_budget: None,
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
    /// The default of `max_turns`.
    pub const MAX_TURNS: usize = 5;

    /// The strategy that applies: none when there is one turn only, which is never compressed.
    pub fn applied_strategy(&self) -> Option<&Strategy> {
        self.strategy.as_ref().filter(|_| self.max_turns != 1)
    }

    /// The turns left after the first `done` of `all` turns.
    pub fn turns_left_after(&self, done: usize, all: usize) -> usize {
        match self.turns_left {
            Some(left) => left.saturating_add(all - done),
            None => self.max_turns.saturating_sub(done),
        }
    }
}
