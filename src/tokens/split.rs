//! Text → the pieces that the o200k encoding looks at one by one; no token crosses their borders.
//!
//! The rules are those of the encoding's published pattern, in its order: a word with whatever
//! single character stands before it, up to three digits, a run of punctuation, white space.
//! Where the pattern names Unicode categories that the standard library does not know (rare
//! combining marks, title case), the nearest property stands in.

use crate::slice::slice;
use crate::unicode::{is_letter, is_lower, is_mark, is_number, is_upper};

/// What the pattern tells apart.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Upper,
    Lower,
    /// A letter without case: it continues words in either case.
    Letter,
    /// A mark on a letter, and like one; in a run of punctuation like punctuation.
    Mark,
    Digit,
    LineBreak,
    Space,
    Other,
}

impl Kind {
    fn of(c: char) -> Kind {
        match c {
            'a'..='z' => Kind::Lower,
            'A'..='Z' => Kind::Upper,
            '0'..='9' => Kind::Digit,
            '\r' | '\n' => Kind::LineBreak,
            '\0'..='\x7f' if c.is_whitespace() => Kind::Space,
            '\0'..='\x7f' => Kind::Other,
            _ if is_number(c) => Kind::Digit,
            _ if is_lower(c) => Kind::Lower,
            _ if is_upper(c) => Kind::Upper,
            _ if is_letter(c) => Kind::Letter,
            _ if is_mark(c) => Kind::Mark,
            _ if c.is_whitespace() => Kind::Space,
            _ => Kind::Other,
        }
    }

    fn is_letter(self) -> bool {
        matches!(self, Kind::Upper | Kind::Lower) || self.is_caseless()
    }

    fn is_caseless(self) -> bool {
        matches!(self, Kind::Letter | Kind::Mark)
    }

    fn is_space(self) -> bool {
        matches!(self, Kind::Space | Kind::LineBreak)
    }
}

/// The pieces of `text` in order; together they are the whole text. Linear in its length.
pub(super) fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let length = piece_length(rest, first);
        let piece = slice(rest, ..length);
        rest = slice(rest, length..);
        Some(piece)
    })
}

fn piece_length(text: &str, first: char) -> usize {
    let behind = slice(text, first.len_utf8()..);
    match Kind::of(first) {
        Kind::Upper | Kind::Lower | Kind::Letter | Kind::Mark => word(text),
        Kind::Digit => {
            let digits = text.chars().take(3).take_while(|c| Kind::of(*c) == Kind::Digit);
            digits.map(char::len_utf8).sum()
        }
        Kind::LineBreak => white_space(text),
        kind => match behind.chars().next().map(Kind::of) {
            Some(next) if next.is_letter() => first.len_utf8() + word(behind),
            Some(Kind::Other) if first == ' ' => 1 + punctuation(behind),
            _ if kind == Kind::Other => punctuation(text),
            _ => white_space(text),
        },
    }
}

/// Capitals, then small letters, then a contraction. Capitals alone are a word as well, but one
/// that holds a letter without case ends behind the last of these.
fn word(text: &str) -> usize {
    let capitals = run(text, |kind| kind == Kind::Upper || kind.is_caseless());
    let small = run(slice(text, capitals..), |kind| kind == Kind::Lower || kind.is_caseless());
    let mut end = capitals + small;
    if small == 0 {
        let caseless = slice(text, ..end).char_indices().rfind(|(_, c)| Kind::of(*c).is_caseless());
        end = caseless.map_or(end, |(at, c)| at + c.len_utf8());
    }
    end + contraction(slice(text, end..))
}

fn contraction(text: &str) -> usize {
    let Some(b'\'') = text.bytes().next() else { return 0 };
    let letter = |at: usize| text.as_bytes().get(at).map(u8::to_ascii_lowercase);
    match (letter(1), letter(2)) {
        (Some(b's' | b't' | b'm' | b'd'), _) => 2,
        (Some(b'r' | b'v'), Some(b'e')) | (Some(b'l'), Some(b'l')) => 3,
        _ => 0,
    }
}

fn punctuation(text: &str) -> usize {
    let marks = run(text, |kind| matches!(kind, Kind::Other | Kind::Mark));
    let rest = slice(text, marks..);
    marks + rest.len() - rest.trim_start_matches(['\r', '\n', '/']).len()
}

/// Up to the last line break; without one all but the last, which belongs to what follows.
fn white_space(text: &str) -> usize {
    let end = run(text, Kind::is_space);
    let space = slice(text, ..end);
    match (space.rfind(['\r', '\n']), space.char_indices().next_back()) {
        (Some(line_break), _) => line_break + 1,
        (None, Some((last, _))) if last > 0 && end < text.len() => last,
        _ => end,
    }
}

fn run(text: &str, belongs: impl Fn(Kind) -> bool) -> usize {
    text.find(|c| !belongs(Kind::of(c))).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn check(expected: &[&str]) {
        assert_eq!(pieces(&expected.concat()).collect::<Vec<_>>(), expected);
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
    }

    proptest! {
        #[test]
        fn pieces_are_the_text(text in "([aB中é1 \n\t'.()\u{301}😀]|\\PC){0,40}") {
            prop_assert_eq!(pieces(&text).collect::<String>(), text.clone());
            prop_assert!(pieces(&text).all(|piece| !piece.is_empty()));
        }
    }
}
