//! A program and a summary for each turn.

use crate::compression::definitions::Origin;
use crate::compression::items::{Content, Item, is_unnamed, omitted_sample, reason};
use crate::compression::options::{Limits, RenderOptions};
use crate::compression::selection::Selection;
use crate::compression::state::RenderState;
use crate::turn::Turn;
use crate::value::Str;

use super::single_turn::{failed_calls, own_definitions, print_items};

/// Selects for each turn its program and its definitions, calls and prints, or its error. The limits apply to each
/// turn, so that messages sent before never change.
pub fn select<'a>(options: &RenderOptions, state: &'a mut RenderState) -> Selection<'a> {
    let history = &mut state.history;
    let mut before: Option<Turn> = None;
    let mut turns = Vec::with_capacity(history.len());
    for index in 0..history.len() {
        let selection = history.turn_selection(index, |slot| {
            let defined = slot.defined(before.as_ref());
            let result = Content::Definition("*1".into(), Some(slot.turn.result().clone()));
            items(&slot.turn, &defined, result, &options.limits)
        });
        if selection.turn.has_memory() {
            before = Some(selection.turn.clone());
        }
        turns.push(selection);
    }
    Selection { folded: None, turns, budget: None, journal: None }
}

/// The items of a turn. `result` is the item for the result of a turn that neither defined nor printed.
pub fn items(turn: &Turn, defined: &[Str], result: Content, limits: &Limits) -> Vec<Item> {
    let mut items = vec![Item::shown(Content::Program)];
    items.extend(own_definitions(turn, defined));
    if is_unnamed(turn, defined, true) {
        items.push(Item::shown(result));
    }
    for name in defined {
        match turn.memory().and_then(|memory| memory.get(name)) {
            None => items.push(Item::omitted(Content::Definition(name.clone(), None), reason::NOT_IN_MEMORY)),
            Some(value) => {
                let origin = Origin::own(turn, None, (name, value), limits);
                if let Some(reason) = omitted_sample(name, value, origin.sample) {
                    items.push(Item::omitted(Content::Sample(name.clone(), value.clone()), reason));
                }
            }
        }
    }
    if turn.is_success() {
        let calls = turn.tool_call_count();
        for call in 0..calls {
            let is_over = call < calls.saturating_sub(limits.tool_calls);
            items.push(Item { content: Content::ToolCall(call), omitted: is_over.then_some(reason::TOOL_CALL_LIMIT) });
        }
    } else {
        items.extend(failed_calls(turn, limits));
    }
    items.extend(print_items(turn, limits.println, limits));
    if !turn.is_success() {
        items.push(Item::shown(Content::Error));
    }
    items
}
