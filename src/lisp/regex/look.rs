//! Positions between two characters.

/// A kind of position between two characters. Word characters are letters, digits and `_`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// The start of the text.
    Start,
    /// The end of the text.
    End,
    /// The start of the text, or after `\n` that is not its end.
    StartOfLine,
    /// The end of the text, or before `\n`.
    EndOfLine,
    /// The start of the text, or after `\n`, `\r\n` or `\r` that is not its end.
    StartOfAnyLine,
    /// The end of the text, or before `\n`, `\r\n` or `\r`.
    EndOfAnyLine,
    /// Between a word character and another character or an end of the text.
    WordBoundary,
    /// Any position that is not a word boundary.
    NoWordBoundary,
    /// The start of a word.
    StartOfWord,
    /// The end of a word.
    EndOfWord,
    /// Not after a word character.
    NoWordBefore,
    /// Not before a word character.
    NoWordAfter,
}

impl Look {
    /// Returns whether the position at a byte offset of a text is of this kind.
    pub fn holds(self, text: &str, at: usize) -> bool {
        let bytes = text.as_bytes();
        let (before, after) = (at.checked_sub(1).map(|before| bytes[before]), bytes.get(at).copied());
        let is_word = |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        match self {
            Look::Start => before.is_none(),
            Look::End => after.is_none(),
            Look::StartOfLine => before.is_none() || before == Some(b'\n') && after.is_some(),
            Look::EndOfLine => matches!(after, None | Some(b'\n')),
            Look::StartOfAnyLine => match before {
                None => true,
                Some(b'\r') => !matches!(after, None | Some(b'\n')),
                Some(before) => before == b'\n' && after.is_some(),
            },
            Look::EndOfAnyLine => match after {
                Some(b'\n') => before != Some(b'\r'),
                after => matches!(after, None | Some(b'\r')),
            },
            Look::WordBoundary => is_word(before) != is_word(after),
            Look::NoWordBoundary => is_word(before) == is_word(after),
            Look::StartOfWord => !is_word(before) && is_word(after),
            Look::EndOfWord => is_word(before) && !is_word(after),
            Look::NoWordBefore => !is_word(before),
            Look::NoWordAfter => !is_word(after),
        }
    }
}
