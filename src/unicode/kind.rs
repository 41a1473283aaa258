//! Letters, numbers and marks.
//!
//! The standard library knows the same, but its tables take twice the room, and they change with
//! the compiler: the same text would not have the same tokens everywhere.

mod table;

use table::KINDS;

const LETTER: u8 = 1;
const NUMBER: u8 = 2;
const UPPER: u8 = 4;
const LOWER: u8 = 8;
const MARK: u8 = 16;

/// A character that words are made of.
pub fn is_letter(character: char) -> bool {
    kind(character) & LETTER > 0
}

/// A digit or another sign for a number.
pub fn is_number(character: char) -> bool {
    kind(character) & NUMBER > 0
}

/// A capital letter.
pub fn is_upper(character: char) -> bool {
    kind(character) & UPPER > 0
}

/// A small letter.
pub fn is_lower(character: char) -> bool {
    kind(character) & LOWER > 0
}

/// A mark that is not counted as a letter: accents, variation selectors, signs that join or
/// silence letters of Indic scripts.
pub fn is_mark(character: char) -> bool {
    kind(character) & MARK > 0
}

fn kind(character: char) -> u8 {
    match character {
        'a'..='z' => LETTER | LOWER,
        'A'..='Z' => LETTER | UPPER,
        '0'..='9' => NUMBER,
        '\0'..='\x7f' => 0,
        _ => KINDS.letter_of(character),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unicode::runs::encode;

    /// What the table must say: which marks count is settled here, all else by Unicode.
    fn expected(character: char) -> u8 {
        let is_listed_mark = matches!(character,
            '\u{300}'..='\u{36f}' | '\u{591}'..='\u{5bd}' | '\u{64b}'..='\u{65f}'
            | '\u{93c}' | '\u{94d}' | '\u{9bc}' | '\u{9cd}' | '\u{a4d}' | '\u{acd}' | '\u{b4d}' | '\u{bcd}'
            | '\u{c4d}' | '\u{ccd}' | '\u{d4d}' | '\u{e47}'..='\u{e4e}'
            | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}'
            | '\u{3099}' | '\u{309a}' | '\u{fe00}'..='\u{fe0f}' | '\u{fe20}'..='\u{fe2f}');
        let bit = |bit: u8, holds: bool| if holds { bit } else { 0 };
        let kind = bit(LETTER, character.is_alphabetic())
            | bit(NUMBER, character.is_numeric())
            | bit(UPPER, character.is_uppercase())
            | bit(LOWER, character.is_lowercase());
        kind | bit(MARK, kind == 0 && is_listed_mark)
    }

    #[test]
    fn the_table_is_that_of_unicode() {
        if char::UNICODE_VERSION == (17, 0, 0) {
            let (lengths, letters) = encode(0..=u32::from(char::MAX), |character| b'@' + expected(character));
            assert!(
                (KINDS.lengths, KINDS.letters) == (lengths.as_bytes(), letters.as_bytes()),
                "{lengths}\n\n{letters}"
            );
        }
    }

    #[test]
    fn the_kinds_of_what_is_not_in_the_table() {
        for character in '\0'..='\x7f' {
            assert_eq!(kind(character), expected(character), "{character:?}");
        }
    }
}
