//! Items of a turn that is shown on its own.

use std::ops::Range;

use crate::compression::calls::FailedCalls;
use crate::compression::definitions;
use crate::compression::items::{Content, Item, reason};
use crate::compression::options::Limits;
use crate::compression::prints::{Piece, are_whole};
use crate::compression::text::cut;
use crate::turn::Turn;
use crate::unicode::width;
use crate::value::{Str, in_order};

/// The smallest part of a print that says something, in characters.
const SMALLEST: usize = 20;

/// The most bytes that the end of a print loses to begin with a line or a word.
const SKIPPED: usize = 100;

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
    let (prints, length) = (turn.prints(), limits.print_length);
    let whole = |print: usize| Piece::whole(turn, print);
    if are_whole(turn, limits) {
        return (0..prints.len()).map(|print| Item::shown(Content::Print(whole(print)))).collect();
    }
    let widths: Vec<_> = prints.iter().map(|print| 1 + width(print)).collect();
    // The output is longer than both ends, so there is a print between those that are whole.
    let (mut first, mut room) = (0, length);
    while widths[first] <= room {
        room -= widths[first];
        first += 1;
    }
    let from = if room < SMALLEST { 0 } else { cut(&prints[first], room).0.len() };
    let (mut last, mut room) = (prints.len() - 1, length);
    while widths[last] <= room {
        room -= widths[last];
        last -= 1;
    }
    let mut to = if room < SMALLEST { prints[last].len() } else { end_of(&prints[last], room) };
    if first == last {
        to = to.max(from);
    }
    let shown = |print: usize, bytes: Range<usize>| Item::shown(Content::Print(Piece { print, bytes }));
    let mut items: Vec<_> = (0..first).map(|print| shown(print, whole(print).bytes)).collect();
    if from > 0 {
        items.push(shown(first, 0..from));
    }
    for (print, text) in prints.iter().enumerate().take(last + 1).skip(first) {
        let start = if print == first { from } else { 0 };
        let end = if print == last { to } else { text.len() };
        let piece = Piece { print, bytes: start..end };
        let reason = if piece.is_whole(turn) { reason::OUTPUT_LENGTH } else { reason::PRINT_LENGTH };
        if start < end || text.is_empty() {
            items.push(Item::omitted(Content::Print(piece), reason));
        }
    }
    if to < prints[last].len() {
        items.push(shown(last, to..prints[last].len()));
    }
    items.extend((last + 1..prints.len()).map(|print| shown(print, whole(print).bytes)));
    items
}

/// Where the last `count` characters of a text begin, with a line or a word if one begins near.
fn end_of(text: &str, count: usize) -> usize {
    let Some((start, _)) = text.char_indices().rev().nth(count - 1) else { return 0 };
    let near = &text.as_bytes()[start..text.len().min(start + SKIPPED)];
    let line = near.iter().position(|byte| *byte == b'\n');
    let word = || near.iter().position(|byte| *byte == b' ');
    line.or_else(word).map_or(start, |skipped| start + skipped + 1)
}
