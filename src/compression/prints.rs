//! Parts of prints, and whether a message shows all that a turn printed.

use std::ops::Range;

use crate::turn::Turn;
use crate::unicode::width;
use crate::value::Str;

use super::options::Limits;
use super::text::cut;

/// The smallest part of a print that says something, in characters.
const SMALLEST: usize = 20;

/// The most bytes that the end of a print loses to begin with a line or a word.
const SKIPPED: usize = 100;

/// A part of a print.
#[derive(Clone, Debug)]
pub struct Piece {
    /// Index of the print in its turn.
    pub print: usize,
    pub bytes: Range<usize>,
}

impl Piece {
    pub fn whole(turn: &Turn, print: usize) -> Piece {
        Piece { print, bytes: 0..turn.prints()[print].len() }
    }

    /// The first `length` characters of a print, and the rest if there is one.
    pub fn within(turn: &Turn, print: usize, length: usize) -> (Piece, Option<Piece>) {
        let text = &turn.prints()[print];
        let end = cut(text, length).0.len();
        let rest = (end < text.len()).then(|| Piece { print, bytes: end..text.len() });
        (Piece { print, bytes: 0..end }, rest)
    }

    pub fn is_whole(&self, turn: &Turn) -> bool {
        self.bytes == (0..turn.prints()[self.print].len())
    }

    pub fn text<'t>(&self, turn: &'t Turn) -> &'t str {
        &turn.prints()[self.print][self.bytes.clone()]
    }

    /// The text, with `...` where it is cut.
    pub fn line(&self, turn: &Turn) -> String {
        let start = if self.bytes.start > 0 { "..." } else { "" };
        let end = if self.bytes.end < turn.prints()[self.print].len() { "..." } else { "" };
        format!("{start}{}{end}", self.text(turn))
    }
}

/// The beginning and the end of the output of a turn: the prints before `first` and after `last`, the first `from` bytes
/// of the print `first`, and the bytes of the print `last` from `to` on.
pub struct OutputEnds {
    first: usize,
    from: usize,
    last: usize,
    to: usize,
}

impl OutputEnds {
    /// Both ends have at most `length` characters, and the output is longer than both.
    pub fn of(turn: &Turn, length: usize) -> OutputEnds {
        let prints = turn.prints();
        let (first, room) = fitting(prints.iter(), length);
        let from = if room < SMALLEST { 0 } else { cut(&prints[first], room).0.len() };
        let (after, room) = fitting(prints.iter().rev(), length);
        let last = prints.len() - 1 - after;
        let to = if room < SMALLEST { prints[last].len() } else { end_of(&prints[last], room) };
        OutputEnds { first, from, last, to }
    }

    /// The parts of the output in order, and whether they belong to the ends.
    pub fn pieces(&self, turn: &Turn) -> Vec<(Piece, bool)> {
        let mut pieces = Vec::new();
        for (print, text) in turn.prints().iter().enumerate() {
            let start = if print < self.first { text.len() } else { self.from * usize::from(print == self.first) };
            let end = if print < self.last { text.len() } else { self.to * usize::from(print == self.last) }.max(start);
            let mut add = |bytes: Range<usize>, is_end, is_whole| {
                if !bytes.is_empty() || (is_whole && text.is_empty()) {
                    pieces.push((Piece { print, bytes }, is_end));
                }
            };
            add(0..start, true, print < self.first);
            add(start..end, false, (self.first..=self.last).contains(&print));
            add(end..text.len(), true, print > self.last);
        }
        pieces
    }
}

/// How many of these prints fit into `room` characters, and how many characters are left.
fn fitting<'t>(prints: impl Iterator<Item = &'t Str>, room: usize) -> (usize, usize) {
    let (mut count, mut room) = (0, room);
    for characters in prints.map(|print| 1 + width(print)) {
        if characters > room {
            break;
        }
        room -= characters;
        count += 1;
    }
    (count, room)
}

/// Where the last `count` characters of a text begin, with a line or a word if one begins near.
fn end_of(text: &str, count: usize) -> usize {
    let Some((start, _)) = text.char_indices().rev().nth(count - 1) else { return 0 };
    let near = &text.as_bytes()[start..text.len().min(start + SKIPPED)];
    let line = near.iter().position(|byte| *byte == b'\n');
    let word = || near.iter().position(|byte| *byte == b' ');
    line.or_else(word).map_or(start, |skipped| start + skipped + 1)
}

/// Stands for the middle of an output.
pub fn left_out_line(characters: usize) -> String {
    format!("... ({characters} characters are not shown) ...")
}

/// True when no print of the turn is cut.
pub fn fit(turn: &Turn, limits: &Limits) -> bool {
    turn.prints().iter().all(|print| !cut(print, limits.print_length).1)
}

/// True when a message that shows the turn on its own shows all that it printed.
pub fn are_whole(turn: &Turn, limits: &Limits) -> bool {
    match limits.journal {
        true => turn.prints().iter().map(|print| 1 + width(print)).sum::<usize>() <= 2 * limits.print_length + 1,
        false => turn.print_count() <= limits.println && fit(turn, limits),
    }
}
