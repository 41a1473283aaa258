//! How far a strategy has searched a history, kept with the messages from request to request.

use std::cell::RefCell;
use std::rc::{Rc, Weak};

use super::accounting::{CountKey, Counts};
use super::fate::Hold;
use super::history::{ManagedHistory, Slot};
use super::message::ChatMessage;
use super::parameters::HistoryStrategy;
use super::reduction::Reduction;
use super::tiers::{FoldStep, keep_before};
use crate::names::ShownNames;

/// The reductions that a strategy finds in a history.
pub(super) struct FoundReductions {
    /// In batches, the oldest first.
    pub reductions: Vec<Reduction>,
    /// In messages before this one, the strategy finds none in any later request.
    pub decided: usize,
    /// The folds that earlier requests have computed, if they lead to a digest.
    pub folds: Rc<RefCell<Vec<FoldStep>>>,
}

/// How far a strategy has searched a history. A search in a history that begins with the same messages goes on from
/// there.
#[derive(Debug, Default)]
pub(super) struct SearchProgress {
    /// What was found, before it was divided into batches.
    pub found: Vec<Reduction>,
    /// How many rounds or results were searched.
    pub searched: usize,
    /// The messages before this one have added their names to `shown`.
    pub next: usize,
    pub shown: Rc<ShownNames>,
    /// The folds of what was found that a request has computed.
    pub folds: Rc<RefCell<Vec<FoldStep>>>,
}

/// A search with everything that it depends on. The last message that was read has it, so that it lasts as long as the
/// conversation, and is found whether a host keeps the conversation or appends to it.
#[derive(Debug)]
pub(super) struct KeptSearch {
    strategy: HistoryStrategy,
    count_key: CountKey,
    /// The number of messages of the request. In a shorter one, less is due.
    length: usize,
    /// The messages before `progress.next`, as they are before strategies, with their units.
    messages: Vec<ReadMessage>,
    progress: SearchProgress,
}

#[derive(Debug)]
struct ReadMessage {
    message: Weak<ChatMessage>,
    hold: Option<Hold>,
    unit: usize,
}

impl SearchProgress {
    /// Takes the search of a beginning of this history from its message, or begins one. `shown` are the names in the
    /// settled messages; `end_of` gives the end of a round or result by its number.
    pub fn take(
        history: &ManagedHistory,
        strategy: &HistoryStrategy,
        counts: &Counts,
        shown: &Rc<ShownNames>,
        end_of: &dyn Fn(usize) -> Option<usize>,
    ) -> SearchProgress {
        let before = (history.settled.messages > 0).then_some(shown);
        // A question is no longer held when another one follows. A search reads its names alone, held or not.
        let is_free = |hold: Option<Hold>| matches!(hold, None | Some(Hold::Pending));
        let is_same = |((read, slot), unit): ((&ReadMessage, &Slot), &usize)| {
            let is_alone = || history.units.ranges[*unit].len() == 1 && !slot.message.shares_unit();
            let is_held_alike = read.hold == slot.hold || (is_free(read.hold) && is_free(slot.hold) && is_alone());
            read.message.as_ptr() == Rc::as_ptr(&slot.message) && read.unit == *unit && is_held_alike
        };
        for (index, slot) in history.slots.iter().enumerate().rev() {
            let fits = |kept: &KeptSearch| {
                kept.messages.len() == index + 1
                    && kept.length <= history.slots.len() + history.request_messages
                    && kept.progress.searched.checked_sub(1).and_then(end_of) == Some(index + 1)
                    && kept.strategy == *strategy
                    && kept.count_key == counts.count_key()
                    && kept.progress.shown.is_after(before)
                    && kept.messages.iter().zip(&history.slots).zip(&history.units.of).all(is_same)
            };
            if let Some(kept) = slot.message.kept.take_if(fits) {
                let mut messages = kept.messages.iter().zip(&history.slots);
                if let Some(changed) = messages.position(|(read, slot)| read.hold != slot.hold) {
                    keep_before(&kept.progress.folds, &kept.progress.found, changed);
                }
                return kept.progress;
            }
        }
        let shown = before.map_or_else(ShownNames::default, ShownNames::after);
        SearchProgress { shown: Rc::new(shown), ..SearchProgress::default() }
    }

    /// The search after more was found, up to `searched` and `next`, with the names after its own; without that, the same.
    pub fn extended(mut self, more: Option<(&[Reduction], usize, usize, ShownNames)>) -> SearchProgress {
        if let Some((found, searched, next, shown)) = more {
            self.found.extend_from_slice(&found[self.found.len()..]);
            (self.searched, self.next) = (searched, next);
            // What only this search refers to is added to without a copy.
            self.shown = Rc::default();
            self.shown = shown.joined();
        }
        self
    }

    /// Keeps the search with the last message that it has read.
    pub fn keep(self, history: &ManagedHistory, strategy: &HistoryStrategy, counts: &Counts) {
        let Some((last, _)) = history.slots[..self.next].split_last() else { return };
        let slots = history.slots[..self.next].iter().zip(&history.units.of);
        let messages = slots.map(|(slot, unit)| {
            let message = Rc::downgrade(&slot.message);
            ReadMessage { message, hold: slot.hold, unit: *unit }
        });
        let kept = KeptSearch {
            strategy: strategy.clone(),
            count_key: counts.count_key(),
            length: history.slots.len() + history.request_messages,
            messages: messages.collect(),
            progress: self,
        };
        last.message.kept.0.replace(Some(Box::new(kept)));
    }
}
