//! Letters, numbers and marks.
//!
//! The standard library has some of these properties, but its tables take twice the space, and they
//! change with the compiler: token counts of one text would differ between builds.

mod table;

use std::cell::OnceCell;

use table::KINDS;

const LETTER: u8 = 1;
const UPPER: u8 = 2;
const LOWER: u8 = 4;
/// The shift of the category, which occupies the bits above the three flags.
const CATEGORY: u8 = 3;

/// The first code point that is rare enough to be looked up in the runs.
const RARE: u32 = 0x2_0000;

thread_local! {
    /// The letters of every character below [`RARE`].
    static COMMON: OnceCell<Vec<u8>> = const { OnceCell::new() };
}

/// A Unicode category, as far as token encodings and patterns distinguish categories.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Category {
    /// Every other category.
    Other,
    /// `Lu`, `Lt`.
    Upper,
    /// `Ll`.
    Lower,
    /// `Lm`, `Lo`.
    Caseless,
    /// `M`.
    Mark,
    /// `N`.
    Number,
    /// `P`.
    Punctuation,
    /// `S`.
    Symbol,
}

/// The category of a character.
pub fn category(character: char) -> Category {
    match kind(character) >> CATEGORY {
        1 => Category::Upper,
        2 => Category::Lower,
        3 => Category::Caseless,
        4 => Category::Mark,
        5 => Category::Number,
        6 => Category::Punctuation,
        7 => Category::Symbol,
        _ => Category::Other,
    }
}

/// Returns true for Unicode's property `Alphabetic`.
pub fn is_letter(character: char) -> bool {
    kind(character) & LETTER > 0
}

/// Returns true for a character of the category `L`.
pub fn has_letter_category(character: char) -> bool {
    matches!(category(character), Category::Upper | Category::Lower | Category::Caseless)
}

/// Returns true for a digit or another numeric character.
pub fn is_number(character: char) -> bool {
    category(character) == Category::Number
}

/// Returns true for Unicode's property `Uppercase`: capital letters and symbols such as `Ⓐ`.
pub fn is_upper(character: char) -> bool {
    kind(character) & UPPER > 0
}

/// Returns true for Unicode's property `Lowercase`: small letters and symbols such as `ⓐ`.
pub fn is_lower(character: char) -> bool {
    kind(character) & LOWER > 0
}

/// Returns true for a combining mark: an accent, a variation selector, a sign that joins or silences letters.
pub fn is_mark(character: char) -> bool {
    category(character) == Category::Mark
}

/// The ranges of the characters for which `is_member` is true. It may depend only on the properties of this module.
pub fn kind_ranges(is_member: impl Fn(char) -> bool) -> Vec<(char, char)> {
    let mut ranges = Vec::new();
    for (start, end) in KINDS.ranges() {
        // A run may end in the surrogates.
        if let Some(first) = char::from_u32(start).filter(|first| is_member(*first)) {
            ranges.push((first, char::from_u32(end - 1).unwrap_or('\u{D7FF}')));
        }
    }
    ranges
}

fn kind(character: char) -> u8 {
    match character {
        'a'..='z' => (Category::Lower as u8) << CATEGORY | LETTER | LOWER,
        'A'..='Z' => (Category::Upper as u8) << CATEGORY | LETTER | UPPER,
        '0'..='9' => (Category::Number as u8) << CATEGORY,
        '\0'..=' ' | '\x7f' => 0,
        '$' | '+' | '<'..='>' | '^' | '`' | '|' | '~' => (Category::Symbol as u8) << CATEGORY,
        '!'..='~' => (Category::Punctuation as u8) << CATEGORY,
        _ => COMMON.with(|common| {
            let common = common.get_or_init(|| KINDS.letters_below(RARE));
            let letter = common.get(character as usize).copied();
            letter.unwrap_or_else(|| KINDS.letter_of(character)) - b'@'
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the properties that the standard library has; the tests of exact counts check the categories.
    #[test]
    fn the_table_is_that_of_unicode() {
        if char::UNICODE_VERSION != (17, 0, 0) {
            return;
        }
        for character in '\0'..=char::MAX {
            assert_eq!(is_letter(character), character.is_alphabetic(), "{character:?}");
            assert_eq!(is_upper(character), character.is_uppercase(), "{character:?}");
            assert_eq!(is_lower(character), character.is_lowercase(), "{character:?}");
            assert_eq!(is_number(character), character.is_numeric(), "{character:?}");
        }
    }

    #[test]
    fn every_category_has_its_characters() {
        let cases = [
            ("AÄǅЖ", Category::Upper),
            ("zßж", Category::Lower),
            ("ªʰ中あ한ا", Category::Caseless),
            ("\u{301}\u{903}\u{fe0f}\u{e0100}", Category::Mark),
            ("7½Ⅻ②٣", Category::Number),
            ("_-!«、‽", Category::Punctuation),
            ("Ⓐ🄰€+^`", Category::Symbol),
            (" \n\u{feff}\u{10ffff}", Category::Other),
        ];
        for (characters, expected) in cases {
            for character in characters.chars() {
                assert_eq!(category(character), expected, "{character:?}");
            }
        }
    }

    #[test]
    fn ranges_have_the_characters_of_a_property() {
        let ranges = kind_ranges(is_letter);
        let listed: usize = ranges.iter().map(|(start, end)| (*start..=*end).count()).sum();
        assert_eq!(listed, ('\0'..=char::MAX).filter(|character| is_letter(*character)).count());
        for character in '\0'..='\x7f' {
            assert_eq!(KINDS.letter_of(character) - b'@', kind(character), "{character:?}");
        }
    }
}
