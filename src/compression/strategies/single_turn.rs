//! Items of a turn that is shown on its own.

use crate::compression::calls::FailedCalls;
use crate::compression::definitions;
use crate::compression::items::{Content, Item, reason};
use crate::compression::options::Limits;
use crate::compression::text::cut;
use crate::turn::Turn;
use crate::value::{Str, in_order};

/// The definitions of a turn in display order, each name once; none when the turn has no memory.
pub fn own_definitions(turn: &Turn, defined: &[Str]) -> Vec<Item> {
    let Some(memory) = turn.memory() else { return Vec::new() };
    let mut own: Vec<_> = defined.iter().filter_map(|name| memory.get_entry(name)).collect();
    own = in_order(&own, definitions::order).copied().collect();
    own.dedup_by_key(|(name, _)| *name);
    own.into_iter().map(|(name, value)| Item::shown(Content::Definition(name.clone(), Some(value.clone())))).collect()
}

/// The calls of a turn that failed, in the order in which they are shown.
pub fn failed_calls(turn: &Turn, limits: &Limits) -> impl Iterator<Item = Item> {
    let FailedCalls { shown, omitted } = FailedCalls::of(turn, limits);
    let shown = shown.into_iter().map(|(index, _)| Item::shown(Content::ToolCall(index)));
    let omitted = omitted.into_iter().map(|index| Item::omitted(Content::ToolCall(index), reason::TOOL_CALL_LIMIT));
    shown.chain(omitted)
}

/// A print that is shown, and its end when the print is too long.
pub fn print_items(position: usize, print: &str, limits: &Limits) -> impl Iterator<Item = Item> {
    let end = cut(print, limits.print_length).1;
    let end = end.then(|| Item::omitted(Content::PrintEnd(position), reason::PRINT_LENGTH));
    [Item::shown(Content::Print(position))].into_iter().chain(end)
}
