//! The part of a USER message that turns change: definitions, calls, output, the last error and
//! the turns left (FMT-016).

use std::rc::Rc;

use crate::message::SectionKind;
use crate::turn::Turn;

use super::calls;
use super::definitions::{self, Definition};
use super::fold::Fold;
use super::options::Limits;
use super::page::{Line, Page};
use super::text::{fenced, shortened, turns_left};

/// The header of the output section (FMT-014).
pub const OUTPUT_HEADER: &str = ";; Output:";

/// Characters of a reply that are shown when no program was found in it.
const REPLY_START: usize = 500;

/// Characters of an error that are shown: a tool may fail with the whole page that a server gave.
const ERROR_LENGTH: usize = 2000;

/// What is shown, before it is written.
#[derive(Debug)]
pub struct Changing<'a> {
    pub definitions: Vec<Shown>,
    pub calls: Vec<(usize, &'a Line)>,
    /// Whether there was any call, shown or not.
    pub called: bool,
    pub prints: Vec<(usize, &'a Line)>,
    pub error: Option<(usize, Line)>,
    pub turns_left: Line,
}

/// A definition, with or without its sample or docstring.
#[derive(Debug)]
pub struct Shown {
    pub definition: Rc<Definition>,
    pub bare: bool,
}

impl Shown {
    pub fn line(&self) -> &Line {
        if self.bare { &self.definition.bare } else { self.definition.line() }
    }
}

impl<'a> Changing<'a> {
    pub fn new(fold: &Fold<'a>, definitions: Vec<Rc<Definition>>, left: usize, limits: &Limits) -> Changing<'a> {
        Changing {
            definitions: definitions.into_iter().map(|definition| Shown { definition, bare: false }).collect(),
            calls: fold.calls(limits),
            called: fold.calls_total() > 0,
            prints: fold.prints(limits),
            error: fold.standing_error().map(|(index, turn)| (index, error_block(turn).into())),
            turns_left: turns_left(left).into(),
        }
    }

    /// Writes the sections in their order, a blank line before each; empty ones are left out, but
    /// for the line that says that there was no call (FMT-013).
    pub fn write(&self, page: &mut Page) {
        if !self.definitions.is_empty() {
            page.blank_line();
            page.write_ascii(SectionKind::User, definitions::HEADER);
            for shown in &self.definitions {
                page.write_below(SectionKind::User, shown.definition.turn, shown.line());
            }
        }
        if !self.called {
            page.blank_line();
            page.write_ascii(SectionKind::ToolCalls, calls::NONE);
        }
        headed(page, SectionKind::ToolCalls, calls::HEADER, &self.calls);
        headed(page, SectionKind::Output, OUTPUT_HEADER, &self.prints);
        if let Some((turn, block)) = &self.error {
            page.blank_line();
            page.write(SectionKind::Error, Some(*turn), block);
        }
        page.blank_line();
        page.write(SectionKind::TurnsLeft, None, &self.turns_left);
    }
}

/// A header with lines below it, after a blank line; nothing without lines.
pub fn headed(page: &mut Page, kind: SectionKind, header: &'static str, lines: &[(usize, &Line)]) {
    if lines.is_empty() {
        return;
    }
    page.blank_line();
    page.write_ascii(kind, header);
    for (turn, line) in lines {
        page.write_below(kind, Some(*turn), line);
    }
}

/// The last error with the program that caused it (ERR-004).
fn error_block(turn: &Turn) -> String {
    format!("---\nYour previous attempt:\n{}\n\n{}\n---", attempt(turn), error_text(turn))
}

/// The program of a turn in a fence, or the start of a reply that held none.
pub fn attempt(turn: &Turn) -> String {
    match turn.program() {
        Some(program) => fenced(program),
        None => fenced(&shortened(turn.raw_response(), REPLY_START)),
    }
}

/// `Error: message`, and `Hint: …` on a line of its own.
pub fn error_text(turn: &Turn) -> String {
    let (message, hint) = turn.failure_text();
    let mut text = format!("Error: {}", shortened(&message, ERROR_LENGTH));
    if let Some(hint) = hint {
        text.push_str("\nHint: ");
        text.push_str(&shortened(&hint, ERROR_LENGTH));
    }
    text
}
