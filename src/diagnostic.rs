//! An error in a text that a user or a model wrote: a kind, a message, the position, and a hint.

use std::fmt;
use std::ops::{Deref, DerefMut};

/// A range of a source text in bytes; `end` is exclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Span {
    /// Byte offset of the first byte.
    pub start: usize,
    /// Byte offset after the last byte.
    pub end: usize,
}

impl Span {
    /// The range from `start` to `end`.
    pub fn new(start: usize, end: usize) -> Self {
        Span { start, end }
    }
}

/// One error. Programs branch on `kind`; `message` and `hint` are for readers. The hint is written for a model and
/// says what to write instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic(Box<DiagnosticFields>);

/// The fields of a [`Diagnostic`], which boxes them to keep `Result`s small.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiagnosticFields {
    /// A stable snake_case name, `parse_error` for instance.
    pub kind: &'static str,
    /// The error in one sentence, without a full stop.
    pub message: String,
    /// The position in the source text, if there is one.
    pub span: Option<Span>,
    /// How to correct it, if known.
    pub hint: Option<String>,
}

impl Diagnostic {
    /// An error at `span`.
    pub fn at(kind: &'static str, span: Span, message: impl Into<String>) -> Self {
        Diagnostic(Box::new(DiagnosticFields { kind, message: message.into(), span: Some(span), hint: None }))
    }

    /// An error without a position in a source text.
    pub fn new(kind: &'static str, message: impl Into<String>) -> Self {
        Diagnostic(Box::new(DiagnosticFields { kind, message: message.into(), span: None, hint: None }))
    }

    /// The same error with a hint.
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl Deref for Diagnostic {
    type Target = DiagnosticFields;

    fn deref(&self) -> &DiagnosticFields {
        &self.0
    }
}

impl DerefMut for Diagnostic {
    fn deref_mut(&mut self) -> &mut DiagnosticFields {
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
/// An offset past the end gives the position after the last character.
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
