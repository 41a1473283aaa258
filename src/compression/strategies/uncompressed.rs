//! No strategy: every turn as it was, the model's reply and the result of its program, or what it defined.

use std::rc::Rc;

use crate::compression::fold::{History, TurnSlot};
use crate::compression::items::{Content, Item, TurnSelection};
use crate::compression::options::{Limits, RenderOptions};
use crate::compression::selection::Selection;
use crate::compression::state::RenderState;
use crate::turn::Turn;
use crate::value::Value;

use super::single_turn::{failed_calls, own_definitions, print_items};

/// Every turn on its own. A new turn only appends messages, so everything sent before can be cached.
pub fn select<'a>(options: &RenderOptions, state: &'a mut RenderState) -> Selection<'a> {
    Selection { folded: None, turns: turns_from(options, &mut state.history, 0), budget: None, journal: None }
}

/// The turns from `first` on as they were.
pub fn turns_from(options: &RenderOptions, history: &mut History, first: usize) -> Vec<Rc<TurnSelection>> {
    let items = |slot: &mut TurnSlot| items(&slot.turn, &options.limits);
    (first..history.len()).map(|index| history.turn_selection(index, items)).collect()
}

/// A turn as it was.
pub fn items(turn: &Turn, limits: &Limits) -> Vec<Item> {
    let mut items = vec![Item::shown(Content::Reply)];
    if !turn.is_success() {
        items.extend(failed_calls(turn, limits));
    } else if turn.tool_calls().iter().any(|call| call.error.is_some()) {
        // The program does not show which of its calls failed.
        items.extend((0..turn.tool_call_count()).map(|call| Item::shown(Content::ToolCall(call))));
    }
    items.extend(print_items(turn, usize::MAX, limits));
    let before = items.len();
    if let (true, Value::Var(_), Some(defined)) = (turn.is_success(), turn.result(), turn.defined()) {
        // The result of a definition is its name only.
        items.extend(own_definitions(turn, defined));
    }
    if items.len() == before {
        items.push(Item::shown(if turn.is_success() { Content::Result } else { Content::Error }));
    }
    items
}
