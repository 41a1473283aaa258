//! Splits a text into the pieces that an encoding encodes one by one; no token crosses their borders.
//!
//! The rules are those of the encodings' published patterns, in their order: a word with one character before it, up to
//! three digits, a run of punctuation, white space.

use crate::unicode::{Category, category};

/// The classes of characters in the patterns.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CharKind {
    Upper,
    Lower,
    /// A letter without case: it continues words in either case.
    Letter,
    /// A combining mark: in o200k part of words and of punctuation, in cl100k punctuation.
    Mark,
    Digit,
    LineBreak,
    Space,
    Other,
}

/// Sets of kinds, a bit for each.
type Kinds = u16;

impl CharKind {
    const fn of_ascii(byte: u8) -> CharKind {
        match byte {
            b'a'..=b'z' => CharKind::Lower,
            b'A'..=b'Z' => CharKind::Upper,
            b'0'..=b'9' => CharKind::Digit,
            b'\r' | b'\n' => CharKind::LineBreak,
            b'\t' | b'\x0b' | b'\x0c' | b' ' => CharKind::Space,
            _ => CharKind::Other,
        }
    }

    #[inline(never)]
    fn of_wide(c: char) -> CharKind {
        match category(c) {
            Category::Upper => CharKind::Upper,
            Category::Lower => CharKind::Lower,
            Category::Caseless => CharKind::Letter,
            Category::Mark => CharKind::Mark,
            Category::Number => CharKind::Digit,
            Category::Other if c.is_whitespace() => CharKind::Space,
            Category::Other | Category::Punctuation | Category::Symbol => CharKind::Other,
        }
    }

    fn of(c: char) -> CharKind {
        ASCII.get(c as usize).copied().unwrap_or_else(|| CharKind::of_wide(c))
    }

    fn is_in(self, kinds: Kinds) -> bool {
        kinds >> self as u8 & 1 > 0
    }

    const fn bit(self) -> Kinds {
        1 << self as u8
    }
}

static ASCII: [CharKind; 128] = {
    let mut kinds = [CharKind::Other; 128];
    let mut byte = 0;
    while byte < 128 {
        kinds[byte as usize] = CharKind::of_ascii(byte);
        byte += 1;
    }
    kinds
};

const LETTERS: Kinds = CharKind::Upper.bit() | CharKind::Lower.bit() | CharKind::Letter.bit();
const CASELESS: Kinds = CharKind::Letter.bit() | CharKind::Mark.bit();
const SPACES: Kinds = CharKind::Space.bit() | CharKind::LineBreak.bit();
const PUNCTUATION: Kinds = CharKind::Other.bit() | CharKind::Mark.bit();

/// The characters of a text. ASCII, which most texts are, takes a third of the time that `chars` takes.
pub(super) struct Characters<'a>(pub &'a str);

impl Iterator for Characters<'_> {
    type Item = char;

    #[inline(always)]
    fn next(&mut self) -> Option<char> {
        let first = *self.0.as_bytes().first()?;
        if first.is_ascii() {
            self.0 = self.0.get(1..)?;
            return Some(first.into());
        }
        self.wide()
    }
}

impl Characters<'_> {
    #[inline(never)]
    fn wide(&mut self) -> Option<char> {
        let mut characters = self.0.chars();
        let first = characters.next();
        self.0 = characters.as_str();
        first
    }
}

/// The pieces of `text` in order; together they are the whole text. Linear in its length.
pub(super) fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (piece, behind) = slice_at(rest, o200k(rest)?);
        rest = behind;
        Some(piece)
    })
}

/// The length in bytes of the first piece of a text in o200k; none for the empty text.
pub(super) fn o200k(text: &str) -> Option<usize> {
    let first = Characters(text).next()?;
    let behind = &text[first.len_utf8()..];
    Some(match CharKind::of(first) {
        CharKind::Upper | CharKind::Lower | CharKind::Letter | CharKind::Mark => word(text),
        CharKind::Digit => digits(text),
        CharKind::LineBreak => white_space(text),
        kind => match next_kind(behind) {
            Some(next) if next.is_in(LETTERS | CASELESS) => first.len_utf8() + word(behind),
            Some(CharKind::Other) if first == ' ' => 1 + punctuation(behind, b"\r\n/"),
            _ if kind == CharKind::Other => punctuation(text, b"\r\n/"),
            _ => white_space(text),
        },
    })
}

/// The length in bytes of the first piece of a text in cl100k; none for the empty text.
pub(super) fn cl100k(text: &str) -> Option<usize> {
    let first = Characters(text).next()?;
    let behind = &text[first.len_utf8()..];
    let contraction = contraction(text);
    if contraction > 0 {
        return Some(contraction);
    }
    Some(match CharKind::of(first) {
        CharKind::Upper | CharKind::Lower | CharKind::Letter => run(text, LETTERS),
        CharKind::Digit => digits(text),
        CharKind::LineBreak => white_space_or_rest(text),
        kind => match next_kind(behind) {
            Some(next) if next.is_in(LETTERS) => first.len_utf8() + run(behind, LETTERS),
            Some(CharKind::Other | CharKind::Mark) if first == ' ' => 1 + punctuation(behind, b"\r\n"),
            _ if kind.is_in(PUNCTUATION) => punctuation(text, b"\r\n"),
            _ => white_space_or_rest(text),
        },
    })
}

pub(super) fn slice_at(text: &str, position: usize) -> (&str, &str) {
    (&text[..position], &text[position..])
}

fn next_kind(text: &str) -> Option<CharKind> {
    Characters(text).next().map(CharKind::of)
}

/// Capitals, then small letters, then a contraction. Capitals alone are a word too, but when they include a letter without
/// case, the word ends after the last of these.
fn word(text: &str) -> usize {
    let capitals = run(text, CharKind::Upper.bit() | CASELESS);
    let small = run(&text[capitals..], CharKind::Lower.bit() | CASELESS);
    let mut end = capitals + small;
    if small == 0 {
        let caseless = text[..end].char_indices().rfind(|(_, c)| CharKind::of(*c).is_in(CASELESS));
        end = caseless.map_or(end, |(at, c)| at + c.len_utf8());
    }
    end + contraction(&text[end..])
}

/// The length of a contraction in either case; the patterns take `ſ` for a small form of `S`.
fn contraction(text: &str) -> usize {
    let Some(b'\'') = text.bytes().next() else { return 0 };
    let letter = |at: usize| text.as_bytes().get(at).map(u8::to_ascii_lowercase);
    match (letter(1), letter(2)) {
        (Some(b's' | b't' | b'm' | b'd'), _) => 2,
        (Some(b'r' | b'v'), Some(b'e')) | (Some(b'l'), Some(b'l')) => 3,
        _ if text[1..].starts_with('ſ') => 3,
        _ => 0,
    }
}

fn digits(text: &str) -> usize {
    let mut end = 0;
    for digit in Characters(text).take(3).take_while(|c| CharKind::of(*c) == CharKind::Digit) {
        end += digit.len_utf8();
    }
    end
}

/// A run of punctuation, and the characters of `behind` that follow it.
fn punctuation(text: &str, behind: &[u8]) -> usize {
    let marks = run(text, PUNCTUATION);
    let rest = &text.as_bytes()[marks..];
    marks + rest.iter().take_while(|byte| behind.contains(byte)).count()
}

/// White space up to its last line break; without one, all but its last character, which belongs to the next piece.
fn white_space(text: &str) -> usize {
    let end = run(text, SPACES);
    let space = &text[..end];
    let line_break = space.bytes().rposition(|byte| matches!(byte, b'\r' | b'\n'));
    match (line_break, space.char_indices().next_back()) {
        (Some(line_break), _) => line_break + 1,
        (None, Some((last, _))) if last > 0 && end < text.len() => last,
        _ => end,
    }
}

/// As [`white_space`], but white space that ends the text is one piece.
fn white_space_or_rest(text: &str) -> usize {
    if run(text, SPACES) == text.len() { text.len() } else { white_space(text) }
}

/// The length in bytes of the characters of these kinds that the text begins with.
fn run(text: &str, kinds: Kinds) -> usize {
    let mut rest = Characters(text);
    let mut end = 0;
    while let Some(c) = rest.next()
        && CharKind::of(c).is_in(kinds)
    {
        end = text.len() - rest.0.len();
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn check(expected: &[&str]) {
        assert_eq!(pieces(&expected.concat()).collect::<Vec<_>>(), expected);
    }

    #[track_caller]
    fn check_cl100k(expected: &[&str]) {
        let text = expected.concat();
        let (mut rest, mut found) = (text.as_str(), Vec::new());
        while let Some(length) = cl100k(rest) {
            let (piece, behind) = slice_at(rest, length);
            found.push(piece);
            rest = behind;
        }
        assert_eq!(found, expected);
    }

    #[test]
    fn words_take_one_character_before_them() {
        check(&["Hello", " world", ",", " (", "and", "\tyou", ")."]);
        check(&["tool", "/search", "-reviews", "_v"]);
    }

    #[test]
    fn words_end_where_small_letters_turn_to_capitals() {
        check(&["get", "HTTPResponse", "Code", " XML"]);
        check(&["größe", "Ähre"]);
    }

    #[test]
    fn letters_without_case_join_either() {
        check(&["中文字", "ABC"]);
        check(&["日本語の文章", "。次"]);
    }

    #[test]
    fn contractions_stay_with_their_word() {
        check(&["don't", " WE'LL", " it's", " o", "'clock"]);
    }

    #[test]
    fn digits_come_in_threes() {
        check(&["123", "456", "7", ".", "5", "a"]);
    }

    #[test]
    fn punctuation_takes_line_breaks_behind_it() {
        check(&["f", "();\n\n", " ", " {\n//", " x"]);
        check(&["))))", " ;;", " ===", " ⚠\u{fe0f}", " ok"]);
    }

    #[test]
    fn white_space_leaves_its_last_character_to_what_follows() {
        check(&["a", "   ", " b", " \n\n", "  ", " c", "  "]);
        check(&["a", " ", "1"]);
        check(&["\u{feff}a", " \u{feff}", "\u{85}\u{2003}", "\u{2003}b"]);
    }

    #[test]
    fn cl100k_knows_no_case_and_no_marks() {
        check_cl100k(&["getHTTPResponseCode", " XML"]);
        check_cl100k(&["e", "\u{301}a", " \u{301}\u{301}\n", "//"]);
    }

    #[test]
    fn contractions_are_pieces_of_their_own_in_cl100k() {
        check_cl100k(&["don", "'t", " WE", "'LL", " o", "'clock", " ''", "s"]);
        check_cl100k(&["'s", "aved"]);
    }

    #[test]
    fn white_space_at_the_end_is_one_piece_in_cl100k() {
        check_cl100k(&["a", "   ", " b", " \n\n", "  ", " c", " \n  "]);
        check(&["a", " \n", "  "]);
    }

    proptest! {
        #[test]
        fn pieces_are_the_text(text in "([aB中é1 \n\t'.()\u{301}😀]|\\PC){0,40}") {
            prop_assert_eq!(pieces(&text).collect::<String>(), text.clone());
            prop_assert!(pieces(&text).all(|piece| !piece.is_empty()));
        }
    }
}
