//! Changes that make a history shorter without a model, one piece at a time.

use std::ops::Range;

use super::fate::Stub;
use super::history::ManagedHistory;
use super::message::{ChatMessage, Part};
use crate::names::ShownNames;
use crate::value::Str;

/// A piece of a history that becomes shorter.
#[derive(Clone, Debug)]
pub(super) struct Reduction {
    /// The indexes of its messages.
    pub covers: Range<usize>,
    pub change: PieceChange,
    pub strategy: Str,
    /// The tokens that this saves.
    pub saved: usize,
    /// The number of messages of the first request in which it can be applied.
    pub due: usize,
}

/// What happens to a piece.
#[derive(Clone, Debug)]
pub(super) enum PieceChange {
    /// A stub replaces a result or arguments in its message.
    Stub(Stub),
    /// These lines replace its messages.
    Lines(Str),
}

impl Reduction {
    /// The index of the first message that it changes.
    pub fn index(&self) -> usize {
        self.covers.start
    }

    /// The tokens that are left of its messages.
    pub fn left(&self, history: &ManagedHistory) -> usize {
        let covered: usize = history.slots[self.covers.clone()].iter().map(|slot| slot.tokens_before).sum();
        covered.saturating_sub(self.saved)
    }

    /// True when its messages are replaced.
    pub fn is_lines(&self) -> bool {
        matches!(self.change, PieceChange::Lines(_))
    }
}

/// Adds the names in a message. Of calls and results for which `stays` is false, only the tools are added.
pub(super) fn add_names(message: &ChatMessage, stays: impl Fn(&Part) -> bool, shown: &mut ShownNames) {
    for part in &message.parts {
        match part {
            Part::Text(text) | Part::Other(text) | Part::Compaction { text, .. } => text.add_names(shown),
            Part::Result { text, .. } | Part::Call { args: text, .. } if stays(part) => text.add_names(shown),
            Part::Result { name, .. } | Part::Call { name, .. } => shown.add(name),
            Part::Reasoning(_) | Part::Media(_) | Part::Approval(_) => {}
        }
    }
}

/// Groups reductions into batches, from the oldest on, each of which saves at least `at_least` tokens; the reductions
/// of a batch are due together. Removes those that do not fill a batch yet. A batch depends only on the messages up to
/// its due request, so a host that passes the whole history each time gets the same batches.
pub(super) fn in_batches(reductions: &mut Vec<Reduction>, at_least: usize) {
    let (mut batch, mut size) = (0, 0);
    for last in 0..reductions.len() {
        size += reductions[last].saved;
        if size > 0 && size >= at_least {
            let due = reductions[last].due;
            reductions[batch..=last].iter_mut().for_each(|reduction| reduction.due = due);
            (batch, size) = (last + 1, 0);
        }
    }
    reductions.truncate(batch);
}

/// Splits reductions into runs: consecutive rounds are one run, every other reduction is a run of its own.
pub(super) fn runs(reductions: &[Reduction]) -> impl Iterator<Item = &[Reduction]> {
    reductions.chunk_by(|left, right| left.is_lines() && left.covers.end == right.covers.start)
}

/// The ends of the batches of reductions.
pub(super) fn batch_ends(reductions: &[Reduction]) -> Vec<usize> {
    let batches = reductions.chunk_by(|left, right| left.due == right.due);
    let ends = batches.scan(0, |end, batch| {
        *end += batch.len();
        Some(*end)
    });
    ends.collect()
}
