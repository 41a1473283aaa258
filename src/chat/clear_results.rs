//! The strategy that replaces old tool results, and the arguments of their calls, with stubs.

use std::cell::Cell;
use std::rc::Rc;

use super::accounting::Counts;
use super::fate::{Stub, StubbedPart};
use super::history::ManagedHistory;
use super::message::{CallPart, ChatMessage, Part, ResultOutcome, ResultPart};
use super::parameters::Clearing;
use super::reduction::{PieceChange, Reduction, add_names, in_batches};
use crate::names::{ShownNames, list_names};
use crate::value::{Str, write_json_string};

/// Returns the reductions that clear results and arguments, in the order of the results. A part is cleared when its
/// message may be changed and its stub is shorter.
pub(super) fn clearances(
    history: &ManagedHistory,
    strategy: &Str,
    clearing: &Clearing,
    counts: &mut Counts,
) -> Vec<Reduction> {
    let Clearing { keep, at_least, names, .. } = *clearing;
    let slots = history.slots.iter().enumerate();
    let positions: Vec<(usize, usize)> = slots
        .flat_map(|(index, slot)| (0..slot.message.results().count()).map(move |result| (index, result)))
        .collect();
    let messages = history.slots.len() + history.request_messages;
    let answered: Vec<usize> = history.units.ranges.iter().map(|unit| history.answered_at(unit)).collect();
    let is_cleared = |tool: &Str| clearing.inputs.has(tool) && !clearing.exclude.contains(tool);
    // What may be cleared is shown only once it is known to stay.
    let stays = |part: &Part| match part {
        Part::Call { name, .. } => !is_cleared(name),
        _ => false,
    };
    let mut found: Vec<Reduction> = Vec::new();
    let mut shown = ShownNames::default();
    let mut next = 0;
    for (position, (index, result)) in positions.iter().copied().enumerate() {
        let Some((last_kept, _)) = positions.get(position + keep) else { break };
        if names > 0 {
            let newer = history.slots[next..=index].iter().filter(|slot| slot.is_present());
            newer.for_each(|slot| add_names(&slot.message, stays, &mut shown));
            next = index + 1;
        }
        // A result that no model has read yet is not cleared.
        let due = (last_kept + 1).max(answered[history.units.of[index]]);
        let Some(own) = history.slots[index].message.results().nth(result) else { continue };
        let call = call_of(history, (index, result), own);
        let tool = call.map_or(own.name, |(_, _, call)| call.name);
        let may_clear = due <= messages && !own.is_server && !clearing.exclude.contains(tool);
        let input = call.filter(|(_, _, call)| clearing.inputs.has(tool) && !has_fixed_form(call.name));
        let input = input.map(|(index, call, CallPart { args, .. })| (index, StubbedPart::Call(call), args));
        for (index, part, text) in input.into_iter().chain([(index, StubbedPart::Result(result), own.text)]) {
            let stub = (may_clear && history.slots[index].is_free() && !is_stub(text)).then(|| {
                let names = list_names(text, names, &mut shown);
                match part {
                    StubbedPart::Result(_) => result_stub(tool, own.outcome, &names),
                    StubbedPart::Call(_) => input_stub(&names),
                }
            });
            let saved = stub.as_ref().map_or(0, |stub| counts.noted(text).saturating_sub(counts.text(stub)));
            if let Some(text) = stub.filter(|_| saved > 0) {
                let change = PieceChange::Stub(Stub { part, text });
                found.push(Reduction { covers: index..index + 1, change, strategy: strategy.clone(), saved, due });
            } else if names > 0 {
                text.add_names(&mut shown);
            }
        }
    }
    in_batches(&mut found, at_least);
    found
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
        slot.message = Rc::new(with_stubs(&slot.message, &slot.stubs));
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

/// A copy of the message with stubs in place of some parts.
pub(super) fn with_stubs(message: &ChatMessage, stubs: &[Stub]) -> ChatMessage {
    let mut message = ChatMessage { tokens: Cell::default(), ..message.clone() };
    let (mut results, mut calls) = (0, 0);
    for part in &mut message.parts {
        let (own, text) = match part {
            Part::Result { text, .. } => (StubbedPart::Result(results), text),
            Part::Call { args, .. } => (StubbedPart::Call(calls), args),
            _ => continue,
        };
        match own {
            StubbedPart::Result(_) => results += 1,
            StubbedPart::Call(_) => calls += 1,
        }
        if let Some(stub) = stubs.iter().find(|stub| stub.part == own) {
            *text = stub.text.clone().into();
        }
    }
    message
}
