//! Items of a turn that is shown on its own.

use crate::compression::calls::FailedCalls;
use crate::compression::definitions;
use crate::compression::items::{Content, Item, reason};
use crate::compression::options::Limits;
use crate::compression::prints::{OutputEnds, Piece, are_whole};
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

/// The prints of a turn: the last `count`, each up to its length; in a journal the beginning and the end of all.
pub fn print_items(turn: &Turn, count: usize, limits: &Limits) -> Vec<Item> {
    if limits.journal {
        return both_ends(turn, limits);
    }
    let all = turn.print_count();
    let mut items = Vec::with_capacity(all);
    for print in 0..all {
        if print < all.saturating_sub(count) {
            items.push(Item::omitted(Content::Print(Piece::whole(turn, print)), reason::PRINTLN_LIMIT));
            continue;
        }
        let (start, end) = Piece::within(turn, print, limits.print_length);
        items.push(Item::shown(Content::Print(start)));
        items.extend(end.map(|end| Item::omitted(Content::Print(end), reason::PRINT_LENGTH)));
    }
    items
}

/// The beginning and the end of the output of a turn, each as long as a print may be, and what is omitted between them.
fn both_ends(turn: &Turn, limits: &Limits) -> Vec<Item> {
    if are_whole(turn, limits) {
        return (0..turn.print_count()).map(|print| Item::shown(Content::Print(Piece::whole(turn, print)))).collect();
    }
    let pieces = OutputEnds::of(turn, limits.print_length).pieces(turn).into_iter();
    let item = |(piece, is_shown): (Piece, bool)| match (is_shown, piece.is_whole(turn)) {
        (true, _) => Item::shown(Content::Print(piece)),
        (false, true) => Item::omitted(Content::Print(piece), reason::OUTPUT_LENGTH),
        (false, false) => Item::omitted(Content::Print(piece), reason::PRINT_LENGTH),
    };
    pieces.map(item).collect()
}
