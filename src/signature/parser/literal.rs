//! Literals: the texts, numbers and booleans of `"open" | "paid"` and of `Literal["open", "paid"]`.

use super::cursor::excerpt;
use super::{Parser, Result};
use crate::signature::Type;
use crate::value::{Value, from_json};

impl Parser<'_> {
    /// Whether a literal is next: a quote, a number, `true` or `false`.
    pub fn at_literal(&self) -> bool {
        match self.peek() {
            Some('"' | '\'' | '0'..='9') => true,
            Some('-') => self.rest()[1..].starts_with(|next: char| next.is_ascii_digit()),
            Some('t' | 'T' | 'f' | 'F') => matches!(self.clone().name(), "true" | "True" | "false" | "False"),
            _ => false,
        }
    }

    /// Reads `"open" | "paid"`. A `|` that is not followed by a literal is not consumed.
    pub fn alternatives(&mut self) -> Result<Type> {
        let mut options = vec![self.literal()?];
        loop {
            let mut ahead = self.clone();
            ahead.space();
            if !ahead.eat("|") {
                return Ok(Type::OneOf(options));
            }
            ahead.space();
            if !ahead.at_literal() {
                return Ok(Type::OneOf(options));
            }
            self.at = ahead.at;
            options.push(self.literal()?);
        }
    }

    /// Reads `("open" | "paid")`.
    pub fn enclosed_alternatives(&mut self) -> Result<Type> {
        let open = self.at;
        self.bump();
        self.space();
        if !self.at_literal() {
            let error = self.error_here(format!("expected a text, a number or a boolean, found {}", self.found()));
            return Err(error.with_hint("parentheses stand around literals: `(\"open\" | \"paid\")?`"));
        }
        let ty = self.alternatives()?;
        self.space();
        if self.eat(")") { Ok(ty) } else { Err(self.unclosed(open, '(', ')')) }
    }

    /// Reads the values of `Literal["a", 'b', 1, True]`.
    pub fn literals(&mut self) -> Result<Vec<Value>> {
        let mut values = Vec::new();
        loop {
            self.space();
            values.push(self.literal()?);
            self.space();
            if !self.eat(",") {
                return Ok(values);
            }
        }
    }

    fn literal(&mut self) -> Result<Value> {
        let start = self.at;
        let value = match self.peek() {
            Some(quote @ ('"' | '\'')) => {
                let text = self.quoted(quote)?;
                // Double quotes make it JSON, with all of its escapes.
                if quote == '"' { from_json(self.since(start)).ok() } else { Some(Value::str(text)) }
            }
            _ => {
                let continues = |next: char| !next.is_whitespace() && !",]|)}?".contains(next);
                while self.peek().is_some_and(continues) {
                    self.bump();
                }
                match self.since(start) {
                    "True" => Some(true.into()),
                    "False" => Some(false.into()),
                    word => from_json(word).ok().filter(|value| match value {
                        // JSON has no text for a number that is not finite.
                        Value::Float(number) => number.is_finite(),
                        value => !value.is_collection() && *value != Value::Nil,
                    }),
                }
            }
        };
        value.ok_or_else(|| {
            let error = self.error(start, self.at, format!("{} is no literal", excerpt(self.since(start))));
            error.with_hint("write texts in quotes: `Literal[\"good\", \"bad\"]`, `\"good\" | \"bad\"`")
        })
    }

    fn quoted(&mut self, quote: char) -> Result<String> {
        let start = self.at;
        self.bump();
        let mut text = String::new();
        while let Some(next) = self.peek().filter(|next| *next != quote) {
            self.bump();
            text.push(if next == '\\' { self.escaped() } else { next });
        }
        if self.peek().is_none() {
            let error = self.error(start, start + 1, format!("`{quote}` is never closed"));
            return Err(error.with_hint(format!("add `{quote}`")));
        }
        self.bump();
        Ok(text)
    }

    /// Reads the character after a backslash.
    fn escaped(&mut self) -> char {
        let next = self.peek();
        self.bump();
        match next {
            Some('n') => '\n',
            Some('t') => '\t',
            next => next.unwrap_or('\\'),
        }
    }
}
