//! Renders a history, and keeps its fold from one rendering to the next.

use std::rc::Rc;

use crate::costs::RequestCost;
use crate::message::{Message, utf16_len};
use crate::turn::{Memory, Turn};

use super::budget::Budget;
use super::fold::History;
use super::options::{RenderOptions, Strategy};
use super::state::RenderState;
use super::strategies::select;
use super::writer::{Dropped, Stats, Writer};

/// Renders a history repeatedly. Adding a turn costs the size of that turn, and rendering costs the size of the
/// messages. The messages are byte for byte those of a new renderer with the same turns and options.
#[derive(Debug)]
pub struct Renderer {
    writer: Writer,
    state: RenderState,
    previous: Rc<Vec<Message>>,
}

/// Messages, and how much of the history they show.
#[derive(Debug)]
pub struct Rendered {
    /// The messages for the model. Shared with the renderer, which compares the next messages with them.
    pub messages: Rc<Vec<Message>>,
    /// How much of the history the messages show.
    pub stats: Stats,
    /// The outcome of the budget, for a strategy that has one.
    pub budget: Option<Budget>,
    /// Of a journal: how many UTF-16 units of the last message the next request repeats, unless it is folded.
    pub repeated: Option<usize>,
    /// The positions where the request should be marked for the provider's cache: at most four, in order.
    pub breakpoints: Vec<Breakpoint>,
    /// The cost of the request, for a strategy that has prices.
    pub cost: Option<RequestCost>,
    /// UTF-16 units at the beginning of the messages that are the same as in the previous rendering.
    pub shared_prefix: usize,
    /// The number of messages at the beginning that are the same as in the previous rendering.
    pub kept: usize,
}

/// A position in the messages up to which a later request repeats them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Breakpoint {
    /// Index of the message.
    pub message: usize,
    /// Offset in its text in UTF-16 units.
    pub offset: usize,
}

/// Texts that the host must count before a message can be rendered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingCounts(pub Vec<String>);

impl Renderer {
    /// A renderer of these turns.
    pub fn new(options: RenderOptions, turns: impl IntoIterator<Item = Turn>) -> Renderer {
        let is_lossless = options.limits.lossless;
        let mut history = History::new(turns, is_lossless);
        history.show_results_of(&options.tools);
        Renderer {
            writer: Writer::new(options),
            state: RenderState { history, ..RenderState::default() },
            previous: Rc::default(),
        }
    }

    /// The options that it renders with.
    pub fn options(&self) -> &RenderOptions {
        &self.writer.options
    }

    /// Adds a turn at the end.
    pub fn push(&mut self, turn: Turn) {
        self.state.history.push(turn);
    }

    /// Inserts a turn before the one at `index`, or at the end when `index` is the number of turns.
    ///
    /// # Panics
    ///
    /// When `index` is larger than the number of turns.
    pub fn insert(&mut self, index: usize, turn: Turn) {
        self.state.history.insert(index, turn);
    }

    /// Replaces the turn at `index`.
    ///
    /// # Panics
    ///
    /// When there is no turn at `index`.
    pub fn replace(&mut self, index: usize, turn: Turn) {
        self.state.history.replace(index, turn);
    }

    /// Removes the turn at `index`.
    ///
    /// # Panics
    ///
    /// When there is no turn at `index`.
    pub fn remove(&mut self, index: usize) {
        self.state.history.remove(index);
    }

    /// Sets the time at which the request with the next messages is sent, in milliseconds since 1970.
    pub fn set_time(&mut self, at: Option<f64>) {
        self.state.at = at;
    }

    /// Replaces the options for all later renderings.
    pub fn set_options(&mut self, options: RenderOptions) {
        self.state.reset(options.limits.lossless);
        self.state.history.show_results_of(&options.tools);
        self.writer = Writer::new(options);
    }

    /// Renders the messages after these turns. `memory` is what the `user/` section shows; None means the memory after
    /// the last turn.
    pub fn render(&mut self, memory: Option<Memory>) -> Result<Rendered, MissingCounts> {
        let all = self.state.history.len();
        // The first USER message is about as long as in the previous rendering.
        let capacity = self.previous.get(1).map_or(0, |message| message.text.len());
        let selection = select(&self.writer.options, &mut self.state, memory);
        let (messages, repeated) = self.writer.messages(&selection, all, capacity);
        let messages = Rc::new(messages);
        let stats = self.writer.stats(&selection);
        let budget = selection.budget;
        let repeated = selection.journal.is_some().then_some(repeated);
        let breakpoints = breakpoints(&self.writer, &messages, repeated);
        let cost = selection.journal.map(|journal| journal.cost);
        self.check_counts()?;
        let (shared_prefix, kept) = shared_prefix(&self.previous, &messages);
        self.previous = messages.clone();
        Ok(Rendered { messages, stats, budget, repeated, breakpoints, cost, shared_prefix, kept })
    }

    /// The items that [`Renderer::render`] omits, and the reasons.
    pub fn dropped(&mut self, memory: Option<Memory>) -> Result<Vec<Dropped>, MissingCounts> {
        let dropped = self.writer.dropped(&select(&self.writer.options, &mut self.state, memory));
        self.check_counts()?;
        Ok(dropped)
    }

    /// Stores the host's counts of the [`MissingCounts`], in their order.
    pub fn supply_counts(&mut self, counts: impl IntoIterator<Item = usize>) {
        self.state.counts.supply(counts);
    }

    fn check_counts(&self) -> Result<(), MissingCounts> {
        match self.state.counts.missing() {
            [] => Ok(()),
            missing => Err(MissingCounts(missing.to_vec())),
        }
    }
}

/// The ends of the SYSTEM message and of the part that does not depend on turns; when messages are only appended, also
/// those of the previous request and of this one. `repeated` is the value that a journal has.
fn breakpoints(writer: &Writer, messages: &[Message], repeated: Option<usize>) -> Vec<Breakpoint> {
    let end = |message: usize| {
        let offset = messages[message].sections.last().map_or(0, |section| section.end);
        Breakpoint { message, offset }
    };
    let last = messages.len() - 1;
    let mut positions = vec![end(0)];
    match writer.options.applied_strategy() {
        None | Some(Strategy::PerTurnSummary | Strategy::Journal(_)) => {
            // The previous request ended two messages earlier.
            let before = last.checked_sub(2).filter(|before| *before > 1);
            positions.extend([Some(1).filter(|first| *first < last), before].into_iter().flatten().map(end));
            positions.push(Breakpoint { offset: repeated.unwrap_or(end(last).offset), ..end(last) });
        }
        Some(_) => positions.push(Breakpoint { message: 1, offset: writer.stable_length() }),
    }
    positions.retain(|position| position.offset > 0);
    positions.dedup();
    positions
}

/// The length of the common beginning of two lists of messages: in UTF-16 units, and in whole messages.
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

/// The length of the common beginning of two texts in bytes. Compares eight at a time.
fn same_bytes(left: &[u8], right: &[u8]) -> usize {
    let (left_words, _) = left.as_chunks::<8>();
    let (right_words, _) = right.as_chunks::<8>();
    let words = left_words.iter().zip(right_words);
    let same = 8 * words.take_while(|(left, right)| u64::from_ne_bytes(**left) == u64::from_ne_bytes(**right)).count();
    same + left[same..].iter().zip(&right[same..]).take_while(|(left, right)| left == right).count()
}
