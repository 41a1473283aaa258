//! Settles the messages about which a plan leaves nothing to be decided.

use std::rc::Rc;

use super::conversation::Exchange;
use super::fate::Fate;
use super::history::{ManagedHistory, Slot};
use super::parameters::{HistoryStrategy, Parameters};
use super::settled::Settled;
use super::{clear_results, replay};

impl Settled {
    /// True when the settled messages stay in the request with this history.
    pub(super) fn holds(&self, history: &ManagedHistory, parameters: &Parameters) -> bool {
        self.end() == 0
            || (!parameters.limits().any(|limit| history.triggers(limit))
                && history.slots.iter().all(|slot| slot.message.compaction().is_none()))
    }

    /// Settles the messages about which a plan leaves nothing to be decided. `history` is what the plan made of the
    /// messages that were not settled; its strategies have decided about those before `decided`.
    pub(super) fn advance(
        &mut self,
        history: &ManagedHistory,
        decided: usize,
        parameters: &Parameters,
        exchange: &Exchange,
    ) {
        let end = if may_settle(history, parameters, exchange) { self.next_end(history, decided) } else { 0 };
        if end > usize::from(self.question.is_some()) {
            self.settle(history, end, parameters);
        }
    }

    /// The number of slots at the beginning of a history that can be settled.
    fn next_end(&self, history: &ManagedHistory, decided: usize) -> usize {
        let mut end = 0;
        let mut last_answer = if self.sums.answers == 0 { usize::MAX } else { 0 };
        // More messages may join the last unit.
        let units = history.units.ranges.split_last().map_or(&[][..], |(_, units)| units);
        for unit in units {
            let slots = &history.slots[unit.clone()];
            let is_torn = slots.len() > 1 && slots.iter().any(|slot| slot.message.is_question());
            let is_kept = slots.iter().all(|slot| slot.fate == Fate::Kept);
            if unit.end > decided || !is_kept || is_torn || !history.is_finished(unit) {
                break;
            }
            // The costs of a request depend on the last answer before it.
            if slots.iter().any(|slot| *slot.message.role == *"assistant") {
                last_answer = unit.start;
            }
            end = unit.end;
        }
        end = end.min(last_answer);
        let is_first = |slot: &&Slot| !slot.message.is_system();
        let begins_with_answer =
            || history.slots[..end].iter().find(is_first).is_none_or(|slot| slot.message.is_answer());
        // Limits may remove answers at the beginning.
        if self.end() == 0 && begins_with_answer() { 0 } else { end }
    }

    /// Settles the first `end` messages of a history.
    fn settle(&mut self, history: &ManagedHistory, end: usize, parameters: &Parameters) {
        let slots = &history.slots[..end];
        let settled = self.sums.messages;
        let question = slots.iter().rposition(|slot| slot.message.is_question());
        let index_of = |position: usize| match self.question {
            Some(question) if position == 0 => question,
            _ => settled + position,
        };
        let next = question.map(index_of);
        if let Some(HistoryStrategy::ClearToolResults(clearing)) = parameters.strategies.first() {
            // A search after settled messages refers to their names, which are copied while anything does.
            if settled > 0 {
                history.slots.iter().for_each(|slot| drop(slot.given.kept.0.take()));
            }
            clear_results::add_shown(history, 0..end, clearing, Rc::make_mut(&mut self.shown));
        }
        self.sums.summarized = replay::summarized_in(slots).map_or(self.sums.summarized, |messages| settled + messages);
        for slot in slots.iter().enumerate().filter(|(position, _)| Some(*position) != question).map(|(_, slot)| slot) {
            self.sums.messages += 1;
            self.sums.tokens += slot.tokens;
            self.sums.counted += usize::from(!slot.message.is_system());
            self.sums.answers += usize::from(*slot.message.role == *"assistant");
        }
        self.question = next;
    }
}

/// True when messages can be settled: nothing but one strategy without a model changes them, or nothing at all within
/// the limits, and the sums are all that is needed of them.
fn may_settle(history: &ManagedHistory, parameters: &Parameters, exchange: &Exchange) -> bool {
    let is_known = match &*parameters.strategies {
        [] => true,
        [HistoryStrategy::ClearToolResults(_) | HistoryStrategy::Digest(_)] => true,
        _ => !parameters.runs_always(),
    };
    is_known
        && (!parameters.reports_cost || parameters.weighs())
        && exchange.messages.is_none()
        && exchange.question.is_none()
        && !history.is_truncated
        && parameters.arrival.is_none()
        && !parameters.limits().any(|limit| history.triggered_before(limit))
        && history.slots.iter().all(|slot| slot.message.compaction().is_none())
}
