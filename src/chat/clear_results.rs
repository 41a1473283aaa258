//! The strategy that replaces old tool results, and the arguments of their calls, with stubs.

use std::ops::Range;
use std::rc::Rc;

use super::accounting::Counts;
use super::fate::{Stub, StubbedPart};
use super::history::ManagedHistory;
use super::media::NotedText;
use super::message::{CallPart, ChatMessage, Part, ResultOutcome, ResultPart};
use super::parameters::{Clearing, HistoryStrategy};
use super::reduction::{PieceChange, Reduction, add_names, in_batches};
use super::search::{FoundReductions, SearchProgress};
use crate::names::{ShownNames, list_names};
use crate::value::{Str, write_json_string};

/// Returns the reductions that clear results and arguments, in the order of the results. A part is cleared when its
/// message may be changed and its stub is shorter. `shown` are the names in the settled messages.
pub(super) fn clearances(
    history: &ManagedHistory,
    strategy: &HistoryStrategy,
    clearing: &Clearing,
    shown: &Rc<ShownNames>,
    counts: &mut Counts,
) -> FoundReductions {
    let Clearing { keep, at_least, names, .. } = *clearing;
    let positions: Vec<(usize, usize)> = results_in(history, 0..history.slots.len()).collect();
    let messages = history.slots.len() + history.request_messages;
    let answered: Vec<usize> = history.units.ranges.iter().map(|unit| history.answered_at(unit)).collect();
    let misses = counts.misses();
    let end_of = |position: usize| positions.get(position).map(|(index, _)| index + 1);
    let before = SearchProgress::take(history, strategy, counts, shown, &end_of);
    let mut shown = ShownNames::after(&before.shown);
    let (mut found, mut searched, mut next) = (before.found.clone(), before.searched, before.next);
    let first = found.first().map(|first| history.unit_start(first.index()));
    let (mut decided, mut is_finished) = (first.unwrap_or(history.slots.len()), true);
    for (position, (index, result)) in positions.iter().copied().enumerate().skip(searched) {
        let Some((last_kept, _)) = positions.get(position + keep) else {
            decided = decided.min(history.unit_start(index));
            break;
        };
        searched += 1;
        is_finished &= history.is_closed(&history.units.ranges[history.units.of[index]]);
        if names > 0 {
            let newer = history.slots[next..=index].iter().filter(|slot| slot.is_present());
            newer.for_each(|slot| add_lasting_names(&slot.message, clearing, &mut shown));
        }
        next = index + 1;
        // A result that no model has read yet is not cleared.
        let due = (last_kept + 1).max(answered[history.units.of[index]]);
        let ClearableResult { tool, own, input } = ClearableResult::at(history, (index, result), clearing);
        let may_clear = due <= messages && !own.is_server && !clearing.exclude.contains(tool);
        if due > messages {
            decided = decided.min(history.unit_start(index));
            is_finished = false;
        }
        for (index, part, text) in input.into_iter().chain([(index, StubbedPart::Result(result), own.text)]) {
            let stub = (may_clear && history.slots[index].is_free() && !is_stub(text)).then(|| {
                let names = list_names(text, ", ", names, &mut shown);
                match part {
                    StubbedPart::Result(_) => result_stub(tool, own.outcome, &names),
                    StubbedPart::Call(_) => input_stub(&names),
                }
            });
            let saved = stub.as_ref().map_or(0, |stub| counts.noted(text).saturating_sub(counts.text(stub)));
            if let Some(text) = stub.filter(|_| saved > 0) {
                decided = decided.min(history.unit_start(index));
                let change = PieceChange::Stub(Stub { part, text });
                found.push(Reduction { covers: index..index + 1, change, strategy: strategy.name(), saved, due });
            } else if names > 0 {
                text.add_names(&mut shown);
            }
        }
    }
    let is_kept = is_finished && counts.misses() == misses;
    before.extended(is_kept.then_some((&found, searched, next, shown))).keep(history, strategy, counts);
    in_batches(&mut found, at_least);
    FoundReductions { reductions: found, decided, folds: Rc::default() }
}

/// The results in some messages: the index of the message, and the index among its results.
fn results_in(history: &ManagedHistory, messages: Range<usize>) -> impl Iterator<Item = (usize, usize)> {
    messages.flat_map(|index| (0..history.slots[index].message.results().count()).map(move |result| (index, result)))
}

/// Adds the names in a message that are shown whether its results are cleared or not. What may be cleared is shown only
/// once it is known to stay.
fn add_lasting_names(message: &ChatMessage, clearing: &Clearing, shown: &mut ShownNames) {
    let is_cleared = |tool: &Str| clearing.inputs.has(tool) && !clearing.exclude.contains(tool);
    let stays = |part: &Part| matches!(part, Part::Call { name, .. } if !is_cleared(name));
    add_names(message, stays, shown);
}

/// Adds the names in settled messages, whose results stay.
pub(super) fn add_shown(history: &ManagedHistory, settled: Range<usize>, clearing: &Clearing, shown: &mut ShownNames) {
    if clearing.names == 0 {
        return;
    }
    history.slots[settled.clone()].iter().for_each(|slot| add_lasting_names(&slot.message, clearing, shown));
    for place in results_in(history, settled) {
        let ClearableResult { own, input, .. } = ClearableResult::at(history, place, clearing);
        input.into_iter().for_each(|(_, _, args)| args.add_names(shown));
        own.text.add_names(shown);
    }
}

/// A result that may be cleared.
struct ClearableResult<'h> {
    tool: &'h Str,
    own: ResultPart<'h>,
    /// The arguments of its call, when they are cleared with it.
    input: Option<(usize, StubbedPart, &'h NotedText)>,
}

impl<'h> ClearableResult<'h> {
    /// `place` has the index of the message, and the index among its results.
    fn at(history: &'h ManagedHistory, place: (usize, usize), clearing: &Clearing) -> Self {
        let (index, result) = place;
        let own = history.slots[index].message.results().nth(result).expect("the place is of a result");
        let call = call_of(history, place, own);
        let tool = call.map_or(own.name, |(_, _, call)| call.name);
        let input = call.filter(|(_, _, call)| clearing.inputs.has(tool) && !has_fixed_form(call.name));
        let input = input.map(|(index, call, CallPart { args, .. })| (index, StubbedPart::Call(call), args));
        ClearableResult { tool, own, input }
    }
}

/// Returns the call that a result answers: the index of its message, its index among the calls of that message, and the
/// call. `place` has the same two indexes of the result. Calls of a unit with the same id, or of the same tool without
/// ids, are answered in their order.
fn call_of<'h>(
    history: &'h ManagedHistory,
    place: (usize, usize),
    result: ResultPart<'_>,
) -> Option<(usize, usize, CallPart<'h>)> {
    let start = history.unit_start(place.0);
    let is_same = |id: &Str, name: &Str| id == result.id && (!id.is_empty() || name == result.name);
    let unit = || (start..=place.0).map(|index| (index, &history.slots[index].message));
    let results = unit().flat_map(|(index, message)| message.results().enumerate().map(move |own| (index, own)));
    let before = results.take_while(|(index, (result, _))| (*index, *result) < place);
    let answered = before.filter(|(_, (_, own))| is_same(own.id, own.name)).count();
    let calls = unit().flat_map(|(index, message)| message.calls().enumerate().map(move |own| (index, own)));
    let mut calls = calls.filter(|(_, (_, own))| !own.is_server && is_same(own.id, own.name));
    calls.nth(answered).map(|(index, (call, own))| (index, call, own))
}

/// Replaces parts with their stubs, and ignores all other reductions.
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
        slot.message = Rc::new(slot.message.with_stubs(&slot.stubs));
        slot.tokens = counts.message(&slot.message);
        slot.mark_stubbed(&message[0].strategy);
    }
}

fn result_stub(tool: &str, outcome: ResultOutcome, names: &str) -> Str {
    let of = if tool.is_empty() { "" } else { " of " };
    let in_it = if names.is_empty() { "" } else { "; names in it: " };
    format!("[an old result{of}{tool}{}, cleared{in_it}{names}]", outcome.note()).into()
}

/// True for calls of OpenAI's own tools, such as `computer_call`: their names are the types of items, whose members are
/// the arguments.
fn has_fixed_form(tool: &str) -> bool {
    tool.ends_with("_call")
}

/// Arguments in place of old ones. Providers require an object; an empty one would look like a call without arguments.
fn input_stub(names: &str) -> Str {
    let in_them = if names.is_empty() { "" } else { "; names in them: " };
    let mut stub = "{\"cleared\":".to_owned();
    write_json_string(&format!("old arguments{in_them}{names}"), &mut stub);
    stub.push('}');
    stub.into()
}

/// True for a stub. It is not cleared again, because a text that was sent must not change.
fn is_stub(text: &str) -> bool {
    let is_result = text.starts_with("[an old result") && text.ends_with(']') && text.contains(", cleared");
    is_result || text.starts_with("{\"cleared\":\"old arguments")
}
