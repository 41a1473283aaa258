//! The strategy that replaces old tool results with stubs.

use std::cell::Cell;
use std::rc::Rc;

use super::accounting::Counts;
use super::fate::Stub;
use super::history::ManagedHistory;
use super::message::{ChatMessage, Part, ResultOutcome, ResultPart};
use super::reduction::{PieceChange, Reduction, add_names, in_batches};
use crate::names::{ShownNames, list_names};
use crate::value::Str;

/// Which results are cleared.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clearing {
    /// How many of the last results stay.
    pub keep: usize,
    /// The least number of tokens that a batch saves.
    pub at_least: usize,
    /// How many names of a result its stub lists.
    pub names: usize,
}

/// Returns the reductions that clear results, the oldest first. A result is cleared when its message may be changed and
/// its stub is shorter.
pub(super) fn clearances(
    history: &ManagedHistory,
    strategy: &Str,
    clearing: Clearing,
    counts: &mut Counts,
) -> Vec<Reduction> {
    let Clearing { keep, at_least, names } = clearing;
    let slots = history.slots.iter().enumerate();
    let positions: Vec<(usize, usize)> = slots
        .flat_map(|(index, slot)| (0..slot.message.results().count()).map(move |result| (index, result)))
        .collect();
    let messages = history.slots.len() + history.request_messages;
    let answered: Vec<usize> = history.units.ranges.iter().map(|unit| history.answered_at(unit)).collect();
    let mut found: Vec<Reduction> = Vec::new();
    let mut shown = ShownNames::default();
    let mut next = 0;
    for (position, (index, result)) in positions.iter().copied().enumerate() {
        let Some((last_kept, _)) = positions.get(position + keep) else { break };
        if names > 0 {
            let newer = history.slots[next..=index].iter().filter(|slot| slot.is_present());
            newer.for_each(|slot| add_names(&slot.message, false, &mut shown));
            next = index + 1;
        }
        // A result that no model has read yet is not cleared.
        let due = (last_kept + 1).max(answered[history.units.of[index]]);
        let slot = &history.slots[index];
        let Some(ResultPart { name, text, outcome, is_server }) = slot.message.results().nth(result) else { continue };
        let may_clear = due <= messages && slot.is_free() && !is_server && !is_stub(text);
        let stub = may_clear.then(|| stub_text(name, outcome, &list_names(text, names, &mut shown)));
        let saved = stub.as_ref().map_or(0, |stub| counts.noted(text).saturating_sub(counts.text(stub)));
        let Some(stub) = stub.filter(|_| saved > 0) else {
            if names > 0 {
                shown.add(text);
            }
            continue;
        };
        let change = PieceChange::Stub(Stub { result, text: stub });
        found.push(Reduction { covers: index..index + 1, change, strategy: strategy.clone(), saved, due });
    }
    in_batches(&mut found, at_least);
    found
}

/// Replaces results with their stubs, and ignores all other reductions.
pub(super) fn clear(history: &mut ManagedHistory, reductions: &[Reduction], counts: &mut Counts) {
    for message in reductions.chunk_by(|left, right| left.index() == right.index()) {
        let stubs = message.iter().filter_map(|reduction| match &reduction.change {
            PieceChange::Stub(stub) => Some(stub.clone()),
            PieceChange::Lines(_) => None,
        });
        let slot = &mut history.slots[message[0].index()];
        let before = slot.stubs.len();
        slot.stubs.extend(stubs);
        if slot.stubs.len() == before {
            continue;
        }
        slot.message = Rc::new(with_stubs(&slot.message, &slot.stubs));
        slot.tokens = counts.message(&slot.message);
        slot.mark_stubbed(&message[0].strategy);
    }
}

fn stub_text(tool: &str, outcome: ResultOutcome, names: &str) -> Str {
    let of = if tool.is_empty() { "" } else { " of " };
    let in_it = if names.is_empty() { "" } else { "; names in it: " };
    format!("[an old result{of}{tool}{}, cleared{in_it}{names}]", outcome.note()).into()
}

/// True for a text made by [`stub_text`]. It is not cleared again, because a text that was sent must not change.
fn is_stub(text: &str) -> bool {
    text.starts_with("[an old result") && text.ends_with(']') && text.contains(", cleared")
}

/// A copy of the message with stubs in place of some results.
pub(super) fn with_stubs(message: &ChatMessage, stubs: &[Stub]) -> ChatMessage {
    let mut message = ChatMessage { tokens: Cell::default(), ..message.clone() };
    let results = message.parts.iter_mut().filter_map(|part| match part {
        Part::Result { text, .. } => Some(text),
        _ => None,
    });
    for (index, text) in results.enumerate() {
        if let Some(stub) = stubs.iter().find(|stub| stub.result == index) {
            *text = stub.text.clone().into();
        }
    }
    message
}
