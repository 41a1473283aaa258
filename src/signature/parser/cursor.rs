//! Characters and names of a signature's text, and errors with their spans.

use super::Parser;
use crate::diagnostic::{Diagnostic, Span};
use crate::unicode::{is_letter, is_number};

impl<'t> Parser<'t> {
    /// The text from the cursor on.
    pub fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    /// The text from `start` to the cursor.
    pub fn since(&self, start: usize) -> &'t str {
        &self.text[start..self.at]
    }

    pub fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub fn bump(&mut self) {
        self.at += self.peek().map_or(0, char::len_utf8);
    }

    pub fn starts(&self, text: &str) -> bool {
        self.rest().starts_with(text)
    }

    pub fn eat(&mut self, text: &str) -> bool {
        let found = self.starts(text);
        if found {
            self.at += text.len();
        }
        found
    }

    /// Skips white space.
    pub fn space(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    /// Reads a name; empty when none begins here. The `-` of an arrow is not part of it.
    pub fn name(&mut self) -> &'t str {
        let start = self.at;
        while let Some(next) = self.peek() {
            let continues = begins_name(next) || (self.at > start && continues_name(next));
            if !continues || self.starts("->") {
                break;
            }
            self.bump();
        }
        self.since(start)
    }

    /// Reads a character that begins no name, if one is next, and the name after it.
    pub fn name_or_character(&mut self) -> &'t str {
        let start = self.at;
        if !begins_name(self.peek().unwrap_or(' ')) {
            self.bump();
        }
        self.name();
        self.since(start)
    }

    /// The next name or character, for messages.
    pub fn found(&self) -> String {
        match self.peek() {
            Some(_) => excerpt(self.clone().name_or_character()),
            None => "the end".into(),
        }
    }

    pub fn error(&self, start: usize, end: usize, message: impl Into<String>) -> Diagnostic {
        Diagnostic::at("invalid_signature", Span::new(start, end), message)
    }

    /// An error at the next character, or at the end.
    pub fn error_here(&self, message: impl Into<String>) -> Diagnostic {
        self.error(self.at, self.at + self.peek().map_or(0, char::len_utf8), message)
    }

    /// The error for a bracket that was opened at `open`, when something other than its closing bracket is next.
    pub fn unclosed(&self, open: usize, opening: char, closing: char) -> Diagnostic {
        match self.peek() {
            None => {
                self.error(open, open + 1, format!("`{opening}` is never closed")).with_hint(format!("add `{closing}`"))
            }
            Some(found) => self
                .error_here(format!("expected `{closing}` for the `{opening}` before, found `{found}`"))
                .with_hint(format!("write `{closing}` before `{found}`")),
        }
    }
}

pub fn begins_name(c: char) -> bool {
    is_letter(c) || c == '_'
}

fn continues_name(c: char) -> bool {
    begins_name(c) || is_number(c) || c == '-'
}

/// Whether the text can be the name of a field.
pub fn is_name(text: &str) -> bool {
    text.starts_with(begins_name) && text.chars().all(continues_name)
}

/// A short excerpt for a message, in back quotes.
pub fn excerpt(text: &str) -> String {
    format!("`{}`", shortened(text))
}

/// The first 40 characters, with `…` when there are more.
pub fn shortened(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((cut, _)) => format!("{}…", &text[..cut]),
        None => text.to_string(),
    }
}
