//! Rendering, with the fold kept open from one rendering to the next.

use std::rc::Rc;

use crate::message::{Message, utf16_len};
use crate::turn::{Memory, Turn};

use super::budget::{Budget, Counts};
use super::definitions::DefinitionLines;
use super::dropped::{Dropped, dropped};
use super::fold::History;
use super::options::{RenderOptions, Strategy};
use super::page::Page;
use super::prefix::{stable_prefix, system_page};
use super::rolling_window::older_turns;
use super::view::{View, Written};
use super::{aggressive, per_turn_summary, rolling_window, single_user_coalesced, uncompressed};

/// A history that is rendered again and again. Adding a turn costs the size of that turn, and
/// rendering costs the size of the messages; the bytes are those of [`to_messages`].
#[derive(Debug)]
pub struct Renderer {
    options: RenderOptions,
    system: Page,
    prefix: Page,
    history: History,
    lines: DefinitionLines,
    counts: Counts,
    previous: Rc<Vec<Message>>,
}

/// Messages, and the account of what they show.
#[derive(Debug)]
pub struct Rendered {
    /// What the model is sent. Shared with the renderer, which compares the next ones with them.
    pub messages: Rc<Vec<Message>>,
    /// How much of the history it shows.
    pub stats: Stats,
    /// How the budget was met, where the strategy has one.
    pub budget: Option<Budget>,
    /// UTF-16 units from the first message on that are the same as in the rendering before.
    pub shared_prefix: usize,
    /// Messages from the first on that are the same as in the rendering before.
    pub kept: usize,
}

/// How much of a history is shown. Totals are what is shown and what is dropped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// The strategy's name; none when there was none.
    pub strategy: Option<&'static str>,
    /// Turns that are not shown as they were: folded, or summarised.
    pub turns_compressed: usize,
    /// Calls of all turns.
    pub tool_calls_total: usize,
    /// Calls that are shown.
    pub tool_calls_shown: usize,
    /// Prints of all turns.
    pub prints_total: usize,
    /// Prints that are shown.
    pub prints_shown: usize,
    /// Failed turns whose error is not shown (ERR-003).
    pub errors_collapsed: usize,
}

/// Texts that the host must count before a message can be rendered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingCounts(pub Vec<String>);

/// The messages that a model is sent after these turns (ARC-003, ARC-004). `memory` is what the
/// `user/` section shows; none: what the last turn left.
///
/// Pure: the same arguments give the same bytes.
pub fn to_messages(
    turns: impl IntoIterator<Item = Turn>,
    memory: Option<Memory>,
    options: RenderOptions,
) -> Result<Rendered, MissingCounts> {
    Renderer::new(options, turns).render(memory)
}

impl Renderer {
    /// A renderer of these turns.
    pub fn new(options: RenderOptions, turns: impl IntoIterator<Item = Turn>) -> Renderer {
        Renderer {
            system: system_page(&options),
            prefix: stable_prefix(&options),
            options,
            history: History::new(turns),
            lines: DefinitionLines::default(),
            counts: Counts::default(),
            previous: Rc::default(),
        }
    }

    /// How many turns there are.
    pub fn len(&self) -> usize {
        self.history.len()
    }

    /// True without turns.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds a turn at the end.
    pub fn push(&mut self, turn: Turn) {
        self.history.push(turn);
    }

    /// Puts a turn before the one at `index`; at the end when there is none.
    ///
    /// # Panics
    ///
    /// When `index` is larger than the number of turns.
    pub fn insert(&mut self, index: usize, turn: Turn) {
        self.history.insert(index, turn);
    }

    /// Puts a turn in the place of another.
    ///
    /// # Panics
    ///
    /// When there is no turn at `index`.
    pub fn replace(&mut self, index: usize, turn: Turn) {
        self.history.replace(index, turn);
    }

    /// Takes a turn out.
    ///
    /// # Panics
    ///
    /// When there is no turn at `index`.
    pub fn remove(&mut self, index: usize) {
        self.history.remove(index);
    }

    /// Renders with other options from now on.
    pub fn set_options(&mut self, options: RenderOptions) {
        self.system = system_page(&options);
        self.prefix = stable_prefix(&options);
        self.options = options;
        self.history.forget();
        self.lines.clear();
        self.counts = Counts::default();
    }

    /// The messages after these turns, as [`to_messages`] gives them.
    pub fn render(&mut self, memory: Option<Memory>) -> Result<Rendered, MissingCounts> {
        let mut view = self.view(memory);
        let strategy = view.options.applied_strategy().cloned();
        let written = match &strategy {
            None => uncompressed::render(&mut view),
            Some(Strategy::SingleUserCoalesced) => single_user_coalesced::render(&mut view),
            Some(Strategy::RollingWindow { keep }) => rolling_window::render(&mut view, *keep),
            Some(Strategy::PerTurnSummary) => per_turn_summary::render(&mut view),
            Some(Strategy::Aggressive { budget, counting }) => aggressive::render(&mut view, *budget, *counting),
        };
        self.check_counts()?;
        let stats = self.stats(strategy.as_ref(), &written);
        let (shared_prefix, kept) = shared_prefix(&self.previous, &written.messages);
        let messages = Rc::new(written.messages);
        self.previous = messages.clone();
        Ok(Rendered { messages, stats, budget: written.budget, shared_prefix, kept })
    }

    /// What [`Renderer::render`] leaves out, and by which rule.
    pub fn dropped(&mut self, memory: Option<Memory>) -> Result<Vec<Dropped>, MissingCounts> {
        let dropped = dropped(&mut self.view(memory));
        self.check_counts()?;
        Ok(dropped)
    }

    /// The host's counts of the texts that were missing, in their order.
    pub fn supply_counts(&mut self, counts: impl IntoIterator<Item = usize>) {
        self.counts.supply(counts);
    }

    fn view(&mut self, memory: Option<Memory>) -> View<'_> {
        View {
            options: &self.options,
            system: &self.system,
            prefix: &self.prefix,
            history: &mut self.history,
            lines: &mut self.lines,
            counts: &mut self.counts,
            room: self.previous.last().map_or(0, |message| message.text.len()),
            memory,
        }
    }

    fn check_counts(&self) -> Result<(), MissingCounts> {
        match self.counts.missing() {
            [] => Ok(()),
            missing => Err(MissingCounts(missing.to_vec())),
        }
    }

    fn stats(&mut self, strategy: Option<&Strategy>, written: &Written) -> Stats {
        let limits = self.options.limits.clone();
        let turns = self.history.len();
        let folded = match strategy {
            None | Some(Strategy::PerTurnSummary) => 0,
            Some(Strategy::RollingWindow { keep }) => older_turns(turns, *keep),
            Some(Strategy::SingleUserCoalesced | Strategy::Aggressive { .. }) => turns,
        };
        let fold = self.history.fold(folded, &limits);
        let mut stats = Stats {
            strategy: strategy.map(Strategy::name),
            turns_compressed: if matches!(strategy, Some(Strategy::PerTurnSummary)) { turns } else { folded },
            tool_calls_total: fold.calls_total(),
            tool_calls_shown: fold.calls_shown(&limits) - written.calls_gone,
            prints_total: fold.prints_total(),
            prints_shown: fold.prints_shown(&limits) - written.prints_gone,
            errors_collapsed: fold.failed() - usize::from(fold.standing_error().is_some()),
        };
        let own_limits = matches!(strategy, Some(Strategy::PerTurnSummary));
        for turn in self.history.turns().skip(folded) {
            let (calls, prints) = (turn.tool_calls().len(), turn.prints().len());
            stats.tool_calls_total += calls;
            stats.prints_total += prints;
            stats.tool_calls_shown += if own_limits { calls.min(limits.tool_calls) } else { calls };
            stats.prints_shown += match own_limits {
                false => prints,
                true if turn.is_success() => prints.min(limits.println),
                true => 0,
            };
        }
        stats
    }
}

/// UTF-16 units that two lists of messages have in common from their start, and whole messages.
fn shared_prefix(before: &[Message], after: &[Message]) -> (usize, usize) {
    let mut shared = 0;
    let common = before.len().min(after.len());
    for (kept, (before, after)) in before.iter().zip(after).enumerate() {
        if before.role != after.role {
            return (shared, kept);
        }
        let mut end = same_bytes(before.text.as_bytes(), after.text.as_bytes());
        if end == before.text.len() && end == after.text.len() {
            shared += after.sections.last().map_or(0, |section| section.end);
            continue;
        }
        while !after.text.is_char_boundary(end) {
            end -= 1;
        }
        return (shared + utf16_len(&after.text[..end]), kept);
    }
    (shared, common)
}

/// How many bytes two texts have in common from their start; looks at eight at a time.
fn same_bytes(left: &[u8], right: &[u8]) -> usize {
    let (left_words, _) = left.as_chunks::<8>();
    let (right_words, _) = right.as_chunks::<8>();
    let words = left_words.iter().zip(right_words);
    let same = 8 * words.take_while(|(left, right)| u64::from_ne_bytes(**left) == u64::from_ne_bytes(**right)).count();
    same + left[same..].iter().zip(&right[same..]).take_while(|(left, right)| left == right).count()
}
