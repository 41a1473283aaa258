//! The tokens of a JSON text: brackets and commas, strings, numbers and words.

use super::JsonError;
use crate::unicode::from_surrogates;
use crate::value::Str;

/// Reads the tokens of a JSON text one after the other.
pub(super) struct Lexer<'t> {
    text: &'t str,
    /// Byte offset of the next token.
    pub at: usize,
    /// Recently read short texts, in slots by a sum of some bytes, so that equal texts are shared.
    texts: [Option<Str>; 32],
}

/// Longer texts, in bytes, are not shared.
const SHORT: usize = 16;

impl<'t> Lexer<'t> {
    pub fn new(text: &'t str) -> Lexer<'t> {
        // Skips a byte order mark.
        let at = if text.starts_with('\u{FEFF}') { 3 } else { 0 };
        Lexer { text, at, texts: [const { None }; 32] }
    }

    /// Skips white space and returns the next byte; 0 at the end.
    pub fn peek(&mut self) -> u8 {
        while matches!(self.byte(), b' ' | b'\t' | b'\n' | b'\r') {
            self.at += 1;
        }
        self.byte()
    }

    fn byte(&self) -> u8 {
        self.text.as_bytes().get(self.at).copied().unwrap_or(0)
    }

    /// Reads `sign` if it is the next byte after white space; returns whether it was.
    pub fn eat(&mut self, sign: u8) -> bool {
        let found = self.peek() == sign;
        self.at += usize::from(found);
        found
    }

    pub fn is_at_end(&mut self) -> bool {
        self.peek();
        self.at == self.text.len()
    }

    /// Reads `word`, which must come next.
    pub fn word(&mut self, word: &str) -> Result<(), Box<JsonError>> {
        if !self.text[self.at..].starts_with(word) {
            return Err(self.unexpected(word));
        }
        self.at += word.len();
        Ok(())
    }

    /// Reads an integer of up to 15 digits, as most numbers are; reads nothing and returns `None` for other numbers.
    pub fn small_integer(&mut self) -> Option<i64> {
        let bytes = self.text.as_bytes();
        let is_negative = self.byte() == b'-';
        let first = self.at + usize::from(is_negative);
        let (mut end, mut value) = (first, 0);
        while let Some(digit @ b'0'..=b'9') = bytes.get(end) {
            value = value * 10 + i64::from(digit - b'0');
            end += 1;
            if end - first > 15 {
                return None;
            }
        }
        let is_other = matches!(bytes.get(end), Some(b'.' | b'e' | b'E'));
        if end == first || is_other || (bytes[first] == b'0' && end > first + 1) {
            return None;
        }
        self.at = end;
        Some(if is_negative { -value } else { value })
    }

    /// Reads a number and returns its text.
    pub fn number(&mut self) -> Result<&'t str, Box<JsonError>> {
        let start = self.at;
        self.at += usize::from(self.byte() == b'-');
        if self.byte() == b'0' {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if self.byte() == b'.' {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.byte(), b'e' | b'E') {
            self.at += 1;
            self.at += usize::from(matches!(self.byte(), b'+' | b'-'));
            self.digits()?;
        }
        Ok(&self.text[start..self.at])
    }

    fn digits(&mut self) -> Result<(), Box<JsonError>> {
        if !self.byte().is_ascii_digit() {
            return Err(self.unexpected("a digit"));
        }
        while self.byte().is_ascii_digit() {
            self.at += 1;
        }
        Ok(())
    }

    /// Reads a string, whose opening quote comes next.
    pub fn string(&mut self) -> Result<Str, Box<JsonError>> {
        let start = self.at;
        self.at += 1;
        let mut text = String::new();
        loop {
            let plain = self.plain();
            let sign = self.byte();
            if sign == b'"' {
                self.at += 1;
                if text.is_empty() {
                    return Ok(self.shared(plain));
                }
            }
            text.push_str(plain);
            match sign {
                b'"' => return Ok(text.into()),
                b'\\' => text.push(self.escape()?),
                _ if self.at == self.text.len() => return Err(wrong("the string is never closed", start)),
                _ => return Err(wrong("a control character in a string must be escaped", self.at)),
            }
        }
    }

    /// The text after the quote that comes next.
    pub fn after_quote(&self) -> &[u8] {
        self.text.as_bytes().get(self.at + 1..).unwrap_or_default()
    }

    /// Returns the text as a shared one: the recently read one if it is equal.
    fn shared(&mut self, text: &str) -> Str {
        let bytes = text.as_bytes();
        if bytes.len() > SHORT {
            return text.into();
        }
        let byte = |position: usize| usize::from(bytes.get(position).copied().unwrap_or_default());
        let sum = bytes.len() + byte(0) + 3 * byte(bytes.len() / 2) + 5 * byte(bytes.len().saturating_sub(1));
        let slot = &mut self.texts[sum % 32];
        match slot {
            Some(found) if **found == *text => found.clone(),
            _ => slot.insert(text.into()).clone(),
        }
    }

    /// Reads the string `name` if it comes next, written without escapes; returns whether it does.
    pub fn eat_string(&mut self, name: &str) -> bool {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        let found = rest.get(1..name.len() + 1) == Some(name.as_bytes())
            && rest.first() == Some(&b'"')
            && rest.get(name.len() + 1) == Some(&b'"');
        self.at += if found { name.len() + 2 } else { 0 };
        found
    }

    /// Reads the text up to the next quote, backslash or control character.
    fn plain(&mut self) -> &'t str {
        let start = self.at;
        let mut end = start;
        let bytes = self.text.as_bytes();
        while end < bytes.len() && !matches!(bytes[end], b'"' | b'\\' | 0..=0x1f) {
            end += 1;
        }
        self.at = end;
        &self.text[start..end]
    }

    /// Reads an escape sequence, whose backslash comes next, and returns its character.
    fn escape(&mut self) -> Result<char, Box<JsonError>> {
        let start = self.at;
        self.at += 1;
        let sign = self.byte();
        self.at += 1;
        Ok(match sign {
            b'"' | b'\\' | b'/' => sign.into(),
            b'b' => '\u{8}',
            b'f' => '\u{C}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let first = self.four_hex_digits()?;
                match char::from_u32(first) {
                    Some(character) => character,
                    None => self.low_surrogate(first, start)?,
                }
            }
            _ => return Err(wrong("a backslash in a string must begin an escape sequence", start)),
        })
    }

    /// Reads the second surrogate of a pair, whose first one was read at `start`, and returns the character.
    fn low_surrogate(&mut self, first: u32, start: usize) -> Result<char, Box<JsonError>> {
        if first >= 0xDC00 {
            return Err(wrong("the second half of a character without the first", start));
        }
        let behind = self.at;
        if self.text[behind..].starts_with("\\u") {
            self.at += 2;
            let second = self.four_hex_digits()?;
            if let Some(character) = from_surrogates(first, second) {
                return Ok(character);
            }
        }
        Err(wrong("the first half of a character without the second", behind))
    }

    fn four_hex_digits(&mut self) -> Result<u32, Box<JsonError>> {
        let mut code = 0;
        for _ in 0..4 {
            let Some(digit) = char::from(self.byte()).to_digit(16) else {
                return Err(self.unexpected("four hexadecimal digits"));
            };
            code = code * 16 + digit;
            self.at += 1;
        }
        Ok(code)
    }

    /// Returns the error that the next character is not `expected`.
    pub fn unexpected(&self, expected: &str) -> Box<JsonError> {
        let found = self.text[self.at..].chars().next();
        let message = match found {
            Some(found) => format!("expected {expected}, found `{found}`"),
            None => format!("expected {expected}, found the end"),
        };
        wrong(&message, self.at)
    }
}

fn wrong(message: &str, offset: usize) -> Box<JsonError> {
    Box::new(JsonError { code: "invalid_json", message: message.into(), offset: Some(offset) })
}
