//! What was wrong with a text that a user or a model wrote, where, and what to do about it.

use std::fmt;
use std::ops::{Deref, DerefMut};

/// A stretch of source text, in bytes from its start; `end` is exclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Span {
    /// Byte offset of the first byte.
    pub start: usize,
    /// Byte offset behind the last byte.
    pub end: usize,
}

impl Span {
    /// The stretch from `start` to `end`.
    pub fn new(start: usize, end: usize) -> Self {
        Span { start, end }
    }
}

/// One problem. `kind` is for programs to branch on, `message` and `hint` are for readers:
/// the hint is written for a model and says what to write instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic(Box<Details>);

/// What a [`Diagnostic`] says. It is boxed, as it travels through every step of a reader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Details {
    /// A stable snake_case name, `parse_error` for instance.
    pub kind: &'static str,
    /// What was wrong, in one sentence without a full stop.
    pub message: String,
    /// Where, when the problem has a place in a source text.
    pub span: Option<Span>,
    /// What to do, when that is known.
    pub hint: Option<String>,
}

impl Diagnostic {
    /// A problem at `span`.
    pub fn at(kind: &'static str, span: Span, message: impl Into<String>) -> Self {
        Diagnostic(Box::new(Details { kind, message: message.into(), span: Some(span), hint: None }))
    }

    /// A problem that has no place in a source text.
    pub fn new(kind: &'static str, message: impl Into<String>) -> Self {
        Diagnostic(Box::new(Details { kind, message: message.into(), span: None, hint: None }))
    }

    /// The same problem with advice.
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl Deref for Diagnostic {
    type Target = Details;

    fn deref(&self) -> &Details {
        &self.0
    }
}

impl DerefMut for Diagnostic {
    fn deref_mut(&mut self) -> &mut Details {
        &mut self.0
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match &self.hint {
            Some(hint) => write!(f, " ({hint})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Diagnostic {}

/// Line and column (both from 1, columns in characters) of a byte offset in `source`.
/// An offset behind the end is the position behind the last character.
pub fn line_and_column(source: &str, offset: usize) -> (usize, usize) {
    let mut end = offset.min(source.len());
    while !source.is_char_boundary(end) {
        end -= 1;
    }
    let before = &source[..end];
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
    (line, before[line_start..].chars().count() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_lines_and_characters() {
        let source = "ab\nçd\n";
        assert_eq!(line_and_column(source, 0), (1, 1));
        assert_eq!(line_and_column(source, 3), (2, 1));
        assert_eq!(line_and_column(source, 5), (2, 2));
        assert_eq!(line_and_column(source, 4), (2, 1), "inside a character: its start");
        assert_eq!(line_and_column(source, 99), (3, 1));
    }

    #[test]
    fn display_is_message_and_hint() {
        let plain = Diagnostic::new("parse_error", "no closing `)`");
        assert_eq!(plain.to_string(), "no closing `)`");
        assert_eq!(plain.with_hint("add `)`").to_string(), "no closing `)` (add `)`)");
    }
}
