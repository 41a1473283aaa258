//! Grapheme clusters, the characters that readers see, by the rules of Unicode Standard Annex #29.

mod table;

use table::{Class, Classes};

/// Returns the byte offset after the first `count` clusters; `None` when no cluster follows them.
pub fn cut_position(text: &str, count: usize) -> Option<usize> {
    if count == 0 {
        return (!text.is_empty()).then_some(0);
    }
    let plain = plain_start(text, count.saturating_add(1));
    if plain.characters > count || plain.bytes == text.len() {
        return (plain.characters > count).then_some(plain.last);
    }
    // The last plain character may be the start of a longer cluster.
    let known = plain.characters.saturating_sub(1);
    let end = plain.last + cluster_ends(&text[plain.last..]).nth(count - known - 1)?;
    (end < text.len()).then_some(end)
}

/// The longest word that is kept whole when it crosses the offset of a cut, in bytes.
const LONGEST_WORD: usize = 120;

/// Returns [`cut_position`], moved so that no word is cut in two, because half a path or hash names nothing. It moves
/// to the start of the word, or to its end when the start would leave less than half. Words over 120 bytes are cut.
pub fn word_cut_position(text: &str, count: usize) -> Option<usize> {
    let end = cut_position(text, count)?;
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-./:@~%+#?=&".contains(byte);
    let (before, behind) = text.as_bytes().split_at(end);
    let in_front = before.iter().rev().take_while(|byte| is_part(byte)).count();
    let rest = behind.iter().take_while(|byte| is_part(byte)).count();
    if in_front == 0 || rest == 0 {
        return Some(end);
    }
    match end - in_front {
        start if start > 0 && 2 * start >= end => Some(start),
        _ if in_front + rest <= LONGEST_WORD => (end + rest < text.len()).then_some(end + rest),
        _ => Some(end),
    }
}

/// Returns the number of clusters.
pub fn width(text: &str) -> usize {
    let plain = plain_start(text, usize::MAX);
    plain.characters.saturating_sub(1) + cluster_ends(&text[plain.last..]).count()
}

/// The longest prefix of a text in which every character is a cluster, except perhaps the last one.
#[derive(Default)]
struct Plain {
    characters: usize,
    bytes: usize,
    /// The byte offset of its last character.
    last: usize,
}

fn plain_start(text: &str, max: usize) -> Plain {
    let ascii = text.bytes().take(max).take_while(|byte| byte.is_ascii() && *byte != b'\r').count();
    let mut plain = Plain { characters: ascii, bytes: ascii, last: ascii.saturating_sub(1) };
    if ascii < max {
        let rest = text[ascii..].chars().take(max - ascii).take_while(|character| is_plain(*character));
        for character in rest {
            plain.characters += 1;
            plain.last = plain.bytes;
            plain.bytes += character.len_utf8();
        }
    }
    plain
}

/// Returns true for the most common characters: a cluster always ends between any two of these.
fn is_plain(character: char) -> bool {
    matches!(
        u32::from(character),
        0..=0xc | 0xe..=0x2ff | 0x370..=0x482 | 0x3041..=0x3096 | 0x30a1..=0x30fa | 0x4e00..=0x9fff
    )
}

fn cluster_ends(text: &str) -> impl Iterator<Item = usize> {
    let (mut cluster, classes) = (Cluster::default(), Classes::load());
    let mut characters = text.char_indices();
    let mut is_over = text.is_empty();
    std::iter::from_fn(move || {
        if is_over {
            return None;
        }
        for (position, character) in characters.by_ref() {
            let class = classes.of(character);
            let ends = position > 0 && !cluster.continues_with(class);
            if ends {
                cluster = Cluster::default();
            }
            cluster.add(class);
            if ends {
                return Some(position);
            }
        }
        is_over = true;
        Some(text.len())
    })
}

/// The state of the cluster so far that decides whether it continues.
#[derive(Default)]
struct Cluster {
    last: Class,
    /// It ends with a flag letter that pairs with the next one.
    half_flag: bool,
    picture: Chain,
    consonant: Chain,
}

/// The state of two characters that a third one between them joins.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Chain {
    #[default]
    None,
    Begun,
    Joined,
}

impl Cluster {
    fn continues_with(&self, next: Class) -> bool {
        use Class::*;
        match (self.last, next) {
            (CarriageReturn, LineFeed) => true,
            (CarriageReturn | LineFeed | Control, _) | (_, CarriageReturn | LineFeed | Control) => false,
            (HangulL, HangulL | HangulV | HangulLv | HangulLvt)
            | (HangulLv | HangulV, HangulV | HangulT)
            | (HangulLvt | HangulT, HangulT) => true,
            (_, Extend | OtherExtend | Linker | Joiner | SpacingMark) | (Prepend, _) => true,
            (_, Consonant) => self.consonant == Chain::Joined,
            (_, Picture) => self.picture == Chain::Joined,
            (_, FlagLetter) => self.half_flag,
            _ => false,
        }
    }

    fn add(&mut self, class: Class) {
        self.last = class;
        self.half_flag = class == Class::FlagLetter && !self.half_flag;
        self.picture = match (class, self.picture) {
            (Class::Picture, _) => Chain::Begun,
            (Class::Joiner, Chain::Begun) => Chain::Joined,
            (Class::Extend | Class::OtherExtend | Class::Linker, Chain::Begun) => Chain::Begun,
            _ => Chain::None,
        };
        self.consonant = match (class, self.consonant) {
            (Class::Consonant, _) => Chain::Begun,
            (_, Chain::None) => Chain::None,
            (Class::Linker, _) => Chain::Joined,
            (Class::Extend | Class::Joiner, chain) => chain,
            _ => Chain::None,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use unicode_segmentation::UnicodeSegmentation;

    #[test]
    fn no_word_is_cut_in_two() {
        let cut = |text: &'static str, count| word_cut_position(text, count).map(|position| &text[..position]);
        assert_eq!(cut("read src/main.rs now", 4), Some("read"));
        assert_eq!(cut("read src/main.rs now", 12), Some("read src/main.rs"));
        assert_eq!(cut("read the file src/main.rs", 20), Some("read the file "));
        assert_eq!(cut("read src/main.rs", 12), None);
        assert_eq!(cut("/home/me/src/main.rs:42", 9), None);
        assert_eq!(cut("ab cd", 9), None);
        assert_eq!(cut("größer als", 2), Some("gr"));
        let long = "x".repeat(200);
        assert_eq!(word_cut_position(&long, 30), Some(30));
        assert_eq!(word_cut_position(&format!("{} {long}", "y".repeat(20)), 30), Some(21));
    }

    #[test]
    fn a_position_is_behind_so_many_clusters() {
        assert_eq!(cut_position("", 0), None);
        assert_eq!(cut_position("ab", 0), Some(0));
        assert_eq!(cut_position("ab", 1), Some(1));
        assert_eq!(cut_position("ab", 2), None);
        assert_eq!(cut_position("e\u{301}🇩🇪👩‍👩‍👧x", 3), Some("e\u{301}🇩🇪👩‍👩‍👧".len()));
        assert_eq!(width("größe"), 5);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn clusters_are_those_of_unicode(
            text in "([ab\r\n\u{7f}\u{300}\u{200c}\u{200d}\u{94d}\u{903}\u{600}\u{1f1e6}\u{1f1e7}\u{1100}\u{1160}\u{11a8}\u{ac00}\u{ac01}\u{1f600}\u{a9}\u{915}\u{930}]|\\PC){0,12}",
        ) {
            let expected: Vec<_> = text.grapheme_indices(true).map(|(start, cluster)| start + cluster.len()).collect();
            prop_assert_eq!(width(&text), expected.len());
            let starts = std::iter::once(0).chain(expected).take_while(|start| *start < text.len());
            let positions = starts.map(Some).chain([None, None]);
            for (count, position) in positions.enumerate() {
                prop_assert_eq!(cut_position(&text, count), position);
            }
        }
    }
}
