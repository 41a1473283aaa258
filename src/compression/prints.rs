//! Parts of prints, and whether a message shows all that a turn printed.

use std::ops::Range;

use crate::turn::Turn;
use crate::unicode::width;

use super::options::Limits;
use super::text::cut;

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
