//! Finds the names in a text that are worth keeping when the text is removed: paths, URLs, identifiers, hashes.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::cmp::Ordering;
use std::rc::Rc;

use crate::text::join;
use crate::value::{Index, Names, hash_text, in_order};

/// The longest name in bytes.
const LONGEST: usize = 120;

/// The most occurrences of a name that are searched for an adjacent word.
const MAX_OCCURRENCES: usize = 8;

/// The length of the pieces of a text whose places are indexed, in bytes.
const PIECE: usize = SHORTEST;

/// The most buckets of pieces.
const MAX_BUCKETS: usize = 1 << 14;

/// The largest distance between a name and its adjacent word, in bytes.
const NEAR: usize = 120;

/// The smallest length of a name, and of an identifier that is one, in bytes.
const SHORTEST: usize = 4;
const SHORTEST_IDENTIFIER: usize = 8;

/// Lists up to `max` names of a text, each once, grouped by the word next to the name in the text, with a separator of
/// names: `func parseConfig, loadFile; import src/config.ts`. Paths and URLs come first, then hashes, codes and identifiers;
/// within each kind, frequent names come first, then earlier ones. Names in `shown` are omitted, and the listed names
/// are added to `shown`. Returns an empty text when there are none.
pub(crate) fn list_names(text: &str, separator: &str, max: usize, shown: &mut ShownNames) -> String {
    if max == 0 {
        return String::new();
    }
    let text = &*unescaped(text);
    let found: Vec<_> = find_names(text).into_iter().map(|name| (name, text)).collect();
    list(found, |left, right| left.kind.cmp(&right.kind).then(right.times.cmp(&left.times)), separator, max, shown)
}

/// Lists names of several texts as [`list_names`] does those of one, with blanks between them. Each text has a weight; the names with the largest
/// sum of the weights of their texts come first, whatever their kind.
pub(crate) fn list_names_by_weight(texts: &[(Cow<'_, str>, usize)], max: usize, shown: &mut ShownNames) -> String {
    let mut found: Vec<(Name<'_>, &str)> = Vec::new();
    let mut positions: Names<usize> = Names::default();
    for (text, weight) in texts {
        for name in find_names(text) {
            match positions.get(name.text) {
                Some(position) => found[*position].0.times += weight,
                None => {
                    positions.insert(name.text.into(), found.len());
                    found.push((Name { times: *weight, ..name }, text));
                }
            }
        }
    }
    // Where there are more than can be listed, one mention in a result says little.
    let least = if found.len() > max { 2 } else { 0 };
    found.retain(|(name, _)| name.times >= least);
    list(found, |left, right| right.times.cmp(&left.times), " ", max, shown)
}

/// Lists up to `max` of these names, each given with a text that has it, in an order.
fn list(
    mut found: Vec<(Name<'_>, &str)>,
    order: impl Fn(&Name<'_>, &Name<'_>) -> Ordering,
    separator: &str,
    max: usize,
    shown: &mut ShownNames,
) -> String {
    found.retain(|(name, _)| !shown.contains(name.text));
    let mut places: Vec<Places<'_>> = Vec::new();
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    let mut listed = 0;
    for &(Name { text: name, .. }, text) in in_order(&found, |left, right| order(&left.0, &right.0)) {
        if listed == max {
            break;
        }
        // A longer path that is listed may end with it.
        if shown.contains(name) {
            continue;
        }
        listed += 1;
        shown.add_name(name);
        let known = places.iter().position(|places| std::ptr::eq(places.text, text)).unwrap_or_else(|| {
            places.push(Places::of(text));
            places.len() - 1
        });
        let word = places[known].word_beside(name);
        match groups.iter_mut().find(|group| group.0 == word) {
            Some((_, names)) => names.push(name),
            None => groups.push((word, vec![name])),
        }
    }
    let group = |(word, names): &(&str, Vec<&str>)| {
        let space = if word.is_empty() { "" } else { " " };
        format!("{word}{space}{}", join(names, separator))
    };
    join(groups.iter().map(group), "; ")
}

/// Names that earlier messages show, by their hashes.
#[derive(Clone, Debug, Default)]
pub(crate) struct ShownNames {
    /// Names that are shown too, and stay as they are.
    before: Option<Rc<ShownNames>>,
    index: Index,
}

impl ShownNames {
    /// The names `before`, to which more can be added without a copy.
    pub fn after(before: &Rc<ShownNames>) -> ShownNames {
        ShownNames { before: Some(before.clone()), index: Index::default() }
    }

    /// True if these are names [`after`](ShownNames::after) those.
    pub fn is_after(&self, before: Option<&Rc<ShownNames>>) -> bool {
        self.before.as_ref().map(Rc::as_ptr) == before.map(Rc::as_ptr)
    }

    /// These names with those that they are [`after`](ShownNames::after), in one list if nothing else refers to the others.
    pub fn joined(mut self) -> Rc<ShownNames> {
        if let Some(names) = self.before.as_mut().and_then(Rc::get_mut) {
            self.index.hashes().iter().for_each(|hash| names.add_hash(*hash));
            self = std::mem::take(names);
        }
        Rc::new(self)
    }

    /// Adds the names of a text.
    pub fn add(&mut self, text: &str) {
        for name in find_names(&unescaped(text)) {
            self.add_name(name.text);
        }
    }

    /// Adds the names of a text whose names are found once.
    pub fn add_cached(&mut self, text: &str, names: &CachedNames) {
        names.of(text).iter().for_each(|hash| self.add_hash(*hash));
    }

    fn add_name(&mut self, name: &str) {
        hashes_of(name).for_each(|hash| self.add_hash(hash));
    }

    fn add_hash(&mut self, hash: u64) {
        if !self.has(hash) {
            self.index.push(hash);
        }
    }

    fn has(&self, hash: u64) -> bool {
        self.index.find(hash, &mut |_| true).is_some() || self.before.as_ref().is_some_and(|before| before.has(hash))
    }

    /// Returns true if the name is shown, with or without the `a/` or `b/` that a diff puts before a path.
    fn contains(&self, name: &str) -> bool {
        let path = name.strip_prefix("a/").or_else(|| name.strip_prefix("b/"));
        self.has(hash_text(0, name)) || path.is_some_and(|path| self.has(hash_text(0, path)))
    }
}

/// The hashes of a name, and for a path those of each of its suffixes that follows a slash.
fn hashes_of(name: &str) -> impl Iterator<Item = u64> {
    let ends = name.match_indices('/').map(|(slash, _)| &name[slash + 1..]);
    std::iter::once(name).chain(ends).filter(|name| !name.is_empty()).map(|name| hash_text(0, name))
}

/// The names of a text that stays, as [`ShownNames`] stores them, found when they are first needed: a plan reads the
/// names of all messages that it shows, before every request.
#[derive(Clone, Debug, Default)]
pub(crate) struct CachedNames(OnceCell<Box<[u64]>>);

impl CachedNames {
    fn of(&self, text: &str) -> &[u64] {
        self.0.get_or_init(|| {
            let text = unescaped(text);
            find_names(&text).into_iter().flat_map(|name| hashes_of(name.text)).collect()
        })
    }
}

/// Equal texts have the same names.
impl PartialEq for CachedNames {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for CachedNames {}

/// The places of pieces of [`PIECE`] bytes in a text, so that it is not searched from its beginning for each name.
struct Places<'t> {
    text: &'t str,
    /// For each bucket of pieces, the first place of one, and their number.
    first: Vec<(u32, u32)>,
    /// For each place, the next one of the same bucket.
    next: Vec<u32>,
}

impl<'t> Places<'t> {
    fn of(text: &'t str) -> Self {
        let pieces = text.as_bytes().windows(PIECE);
        let mut first = vec![(u32::MAX, 0); pieces.len().next_power_of_two().min(MAX_BUCKETS)];
        let mut next = vec![u32::MAX; pieces.len()];
        for (place, piece) in pieces.enumerate().rev() {
            let bucket = bucket(piece, first.len());
            next[place] = first[bucket].0;
            first[bucket] = (place as u32, first[bucket].1 + 1);
        }
        Places { text, first, next }
    }

    /// The places of a name that do not overlap, in their order.
    fn of_name(&self, name: &str) -> impl Iterator<Item = usize> {
        let pieces = name.as_bytes().windows(PIECE).map(|piece| self.first[bucket(piece, self.first.len())]);
        let rarest = pieces.enumerate().min_by_key(|(_, (_, times))| *times);
        let (offset, (first, _)) = rarest.unwrap_or((0, (u32::MAX, 0)));
        // There is no next place after `u32::MAX`.
        let places = std::iter::successors(Some(first), |place| self.next.get(*place as usize).copied());
        let mut end = 0;
        places.filter_map(move |place| {
            let start = (place as usize).checked_sub(offset).filter(|start| *start >= end)?;
            if !self.text.as_bytes().get(start..)?.starts_with(name.as_bytes()) {
                return None;
            }
            end = start + name.len();
            Some(start)
        })
    }

    /// Returns the last word of at least four letters before a name in its line, else the first one after it, at the
    /// first occurrence of the name that has such a word; an empty text when none has.
    fn word_beside(&self, name: &str) -> &'t str {
        let places = self.of_name(name).take(MAX_OCCURRENCES);
        places.map(|start| word_at(self.text, start, start + name.len())).find(|word| !word.is_empty()).unwrap_or("")
    }
}

/// The bucket of a piece, of a number of buckets that is a power of two.
fn bucket(piece: &[u8], buckets: usize) -> usize {
    let number = piece.iter().fold(0, |number: u32, byte| number << 8 | u32::from(*byte));
    (number.wrapping_mul(0x9e37_79b1) >> 16) as usize & (buckets - 1)
}

/// The word beside the name from `start` to `end`.
fn word_at<'t>(text: &'t str, start: usize, end: usize) -> &'t str {
    let is_word = |word: &&str| {
        (4..=20).contains(&word.len())
            && word.bytes().all(|byte| byte.is_ascii_alphabetic())
            && word.bytes().skip(1).all(|byte| byte.is_ascii_lowercase())
    };
    // Punctuation at the end of a sentence is not part of the word.
    let without_mark = |word: &'t str| word.trim_end_matches(['.', '!', '?', '…']);
    let is_end = |c: char| {
        matches!(c, '"' | '\'' | '`' | '(' | ')' | '[' | ']' | '{' | '}' | '<' | '>' | ',' | ';' | ':' | '=' | '|')
            || c.is_whitespace()
    };
    // A word that is far from the name in a long line says little about it, and part of a word nothing.
    let mut from = start.saturating_sub(NEAR);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    let mut to = text.len().min(end + NEAR);
    while !text.is_char_boundary(to) {
        to -= 1;
    }
    let (before, behind) = (&text[from..start], &text[end..to]);
    let before = match before.rsplit_once('\n') {
        Some((_, line)) => line,
        None if text[..from].is_empty() || text[..from].ends_with('\n') => before,
        None => before.split_once(is_end).map_or("", |(_, rest)| rest),
    };
    let behind = match behind.split_once('\n') {
        Some((line, _)) => line,
        None if text[to..].is_empty() || text[to..].starts_with('\n') => behind,
        None => behind.rsplit_once(is_end).map_or("", |(rest, _)| rest),
    };
    let word_before = before.rsplit(is_end).map(without_mark).find(is_word);
    word_before.or_else(|| behind.split(is_end).skip(1).map(without_mark).find(is_word)).unwrap_or("")
}

/// Decodes the escapes of a JSON text; returns any other text unchanged.
pub(crate) fn unescaped(text: &str) -> Cow<'_, str> {
    let is_json = match text.trim_start().split_at_checked(1) {
        Some(("{", rest)) => rest.trim_start().starts_with('"'),
        Some(("[", rest)) => rest.trim_start().starts_with(['"', '{', '[']),
        _ => false,
    };
    if !is_json || !text.trim_end().ends_with(['}', ']']) || !text.contains('\\') {
        return text.into();
    }
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('n' | 'r') => out.push('\n'),
            Some('t' | 'b' | 'f') => out.push(' '),
            Some('u') => {
                let code = chars.as_str().get(..4).and_then(|digits| u32::from_str_radix(digits, 16).ok());
                if let Some(code) = code {
                    // A surrogate is not part of a name.
                    out.push(char::from_u32(code).unwrap_or(' '));
                    chars.nth(3);
                }
            }
            escaped => out.extend(escaped),
        }
    }
    out.into()
}

fn find_names(text: &str) -> Vec<Name<'_>> {
    let mut found: Vec<Name<'_>> = Vec::new();
    let mut positions: Names<usize> = Names::default();
    for word in text.split(|c: char| !is_part(c)) {
        let Some((kind, name)) = name_of(word) else { continue };
        match positions.get(name) {
            Some(position) => found[*position].times += 1,
            None => {
                positions.insert(name.into(), found.len());
                found.push(Name { text: name, kind, times: 1 });
            }
        }
    }
    found
}

struct Name<'t> {
    text: &'t str,
    kind: NameKind,
    times: usize,
}

/// The kinds of names, in the order in which they are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum NameKind {
    Path,
    Hash,
    Code,
    Identifier,
}

/// Returns true for the characters of names, and for those that join names to other text, such as `:` and `=`.
pub(crate) fn is_part(c: char) -> bool {
    c.is_ascii_alphanumeric()
        || matches!(c, '_' | '-' | '.' | '/' | ':' | '@' | '~' | '%' | '+' | '#' | '?' | '=' | '&')
}

fn name_of(word: &str) -> Option<(NameKind, &str)> {
    // Most words of a text are plain.
    if word.len() < SHORTEST || word.bytes().skip(1).all(|byte| byte.is_ascii_lowercase()) {
        return None;
    }
    let address = || word.find("http://").or_else(|| word.find("https://"));
    if let Some(start) = word.contains(':').then(address).flatten() {
        let url = word[start..].trim_end_matches(['.', ':', '?', '#', '&', '=']);
        return (url.len() > "https://".len() && url.len() <= LONGEST).then_some((NameKind::Path, url));
    }
    // A line number or a value after a name is not part of it.
    let word = word.split([':', '=', '?', '#', '&', '%', '+']).find(|part| !part.is_empty())?;
    let name = without_line(word).trim_end_matches(['.', '-', '/']).trim_start_matches(['-', '@']);
    if name.len() > LONGEST {
        return None;
    }
    let kind = if is_path(name) {
        NameKind::Path
    } else if is_hash(name) || is_uuid(name) {
        NameKind::Hash
    } else if is_code(name) {
        NameKind::Code
    } else if is_identifier(name) {
        NameKind::Identifier
    } else {
        return None;
    };
    Some((kind, name))
}

/// Removes the line number that `grep` puts after a path: `src/main.rs-12-`.
fn without_line(word: &str) -> &str {
    let Some(dot) = word.find('/').and_then(|slash| Some(slash + word[slash..].find('.')?)) else { return word };
    for (dash, _) in word[dot..].match_indices('-') {
        let end = dot + dash;
        let digits = word[end + 1..].bytes().take_while(u8::is_ascii_digit).count();
        let is_end = matches!(word.as_bytes().get(end + 1 + digits), None | Some(b'-'));
        if digits > 0 && is_end && is_path(&word[..end]) && word[..end].rfind('.') > word[..end].rfind('/') {
            return &word[..end];
        }
    }
    word
}

/// Returns true for `src/main.rs`, `/etc/hosts`, `package.json`; false for a fraction, date or version.
fn is_path(name: &str) -> bool {
    let has_letters = |part: &str| part.bytes().filter(u8::is_ascii_alphabetic).count() >= 2;
    let mut parts = name.split('/').filter(|part| !matches!(*part, "" | "." | ".." | "~"));
    if name.contains('/') {
        return name.len() >= SHORTEST && !name.contains("//") && parts.clone().count() >= 2 && parts.any(has_letters);
    }
    let Some((stem, extension)) = name.rsplit_once('.') else { return false };
    let is_extension = (1..=5).contains(&extension.len())
        && extension.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        && extension.bytes().any(|byte| byte.is_ascii_lowercase());
    is_extension && has_letters(stem) && !stem.ends_with('.') && name.len() >= 5
}

/// Returns true for 7 to 40 hexadecimal digits with at least one letter and one decimal digit.
fn is_hash(name: &str) -> bool {
    (7..=40).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_hexdigit())
        && name.bytes().any(|byte| byte.is_ascii_digit())
        && name.bytes().any(|byte| byte.is_ascii_alphabetic())
}

/// Returns true for capital letters followed by digits: `W2378156`, `HAT139`, `ABC-1234`.
fn is_code(name: &str) -> bool {
    let digits = name.trim_start_matches(|c: char| c.is_ascii_uppercase()).trim_start_matches('-');
    (5..=40).contains(&name.len())
        && name.starts_with(|c: char| c.is_ascii_uppercase())
        && digits.len() >= 3
        && digits.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_uuid(name: &str) -> bool {
    let lengths = name.split('-').map(str::len);
    lengths.eq([8, 4, 4, 4, 12]) && name.bytes().all(|byte| byte == b'-' || byte.is_ascii_hexdigit())
}

/// Returns true for an identifier of several words: `parseConfig`, `max_tokens`, `user-agent`.
fn is_identifier(name: &str) -> bool {
    let bytes = name.as_bytes();
    let is_word = |byte: u8| byte.is_ascii_alphanumeric();
    let is_joint = |window: &[u8]| match window {
        [before, b'_' | b'-', behind] => is_word(*before) && is_word(*behind),
        _ => false,
    };
    let is_camel = |window: &[u8]| matches!(window, [before, behind] if before.is_ascii_lowercase() && behind.is_ascii_uppercase());
    name.len() >= SHORTEST_IDENTIFIER
        && bytes.iter().all(|byte| is_word(*byte) || matches!(byte, b'_' | b'-' | b'.'))
        && bytes.iter().filter(|byte| byte.is_ascii_alphabetic()).count() >= 4
        && (bytes.windows(3).any(is_joint) || bytes.windows(2).any(is_camel))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names in a text that are no codes, each once, in their order.
    fn atoms_in(text: &str) -> Vec<&str> {
        find_names(text).into_iter().filter(|name| name.kind != NameKind::Code).map(|name| name.text).collect()
    }

    #[test]
    fn names_are_paths_addresses_hashes_and_identifiers() {
        let text = "error in src/parser/lexer.rs:42:7: parseConfig() called max_tokens twice (see https://example.com/a?b=1). \
                    commit 3f9c2ab, id 123e4567-e89b-12d3-a456-426614174000, header x-api-key-id, package.json.";
        assert_eq!(
            atoms_in(text),
            [
                "src/parser/lexer.rs",
                "parseConfig",
                "max_tokens",
                "https://example.com/a?b=1",
                "3f9c2ab",
                "123e4567-e89b-12d3-a456-426614174000",
                "x-api-key-id",
                "package.json"
            ]
        );
    }

    #[test]
    fn numbers_words_dates_and_versions_are_no_names() {
        let text = "On 2026-11-23 at 10:30 he sold 1/2 of 3.14 apples, version 1.2.3, e.g. 1234567 well-to-do --- // ../ / a/b";
        assert_eq!(atoms_in(text), ["well-to-do"]);
        assert!(atoms_in("").is_empty());
        assert!(atoms_in("====// ---- :::: ....").is_empty());
    }

    #[test]
    fn names_stand_behind_the_words_beside_them() {
        let text = "func parseConfig(path string)\nimport \"src/config.ts\"\nfunc loadFile() error\n— größer: max_depth reached\nwordless_line";
        assert_eq!(
            list_names(text, ", ", 9, &mut ShownNames::default()),
            "import src/config.ts; func parseConfig, loadFile; reached max_depth; wordless_line"
        );
    }

    #[test]
    fn what_is_shown_is_not_listed_again() {
        let mut shown = ShownNames::default();
        shown.add("{\"path\":\"src/main.rs\"}");
        let text = "func parseConfig in src/main.rs and max_depth";
        assert_eq!(list_names(text, ", ", 1, &mut shown), "func parseConfig");
        assert_eq!(list_names(text, ", ", 9, &mut shown), "func max_depth");
        assert_eq!(list_names(text, ", ", 9, &mut shown), "");
    }

    #[test]
    fn names_after_others_are_shown_with_them() {
        let mut before = ShownNames::default();
        before.add("src/main.rs");
        let before = Rc::new(before);
        let mut shared = ShownNames::after(&before);
        shared.add("parseConfig");
        let mut joined = ShownNames::after(&shared.joined());
        assert_eq!(list_names("src/main.rs parseConfig max_depth", ", ", 9, &mut joined), "max_depth");
        let mut shown = ShownNames::after(&before);
        drop((before, joined));
        shown.add("parseConfig");
        let joined = shown.joined();
        assert!(joined.before.is_none() && joined.contains("src/main.rs") && joined.contains("parseConfig"));
    }

    #[test]
    fn codes_are_listed_but_are_no_atoms() {
        let text = "orders W2378156, HAT139 and ABC-1234 of 2026; HTTP2 A12 UTF8";
        assert_eq!(list_names(text, ", ", 5, &mut ShownNames::default()), "orders W2378156, HAT139, ABC-1234");
        assert!(atoms_in(text).is_empty());
    }

    #[test]
    fn escapes_of_json_are_no_part_of_names() {
        let atoms_in = |text: &str| atoms_in(&unescaped(text)).into_iter().map(str::to_owned).collect::<Vec<_>>();
        let text = r#"{"text":"Read:\nsrc/main.rs\tparseConfig\n\nmax_tokens"}"#;
        assert_eq!(atoms_in(text), ["src/main.rs", "parseConfig", "max_tokens"]);
        assert_eq!(atoms_in(r"C:\next_name"), ["next_name"]);
        assert_eq!(atoms_in(r#"["C:\\next_name"]"#), ["next_name"]);
        assert_eq!(
            atoms_in(r#"{"html":"\u003cdiv_of_page\u003e \ud83d\ude00max_depth"}"#),
            ["div_of_page", "max_depth"]
        );
        assert_eq!(atoms_in(r#"{"cut":"\u00"} "max_depth\"}"#), ["max_depth"]);
    }

    #[test]
    fn numbers_of_lines_are_no_part_of_paths() {
        let text = "src/main.rs-12-fn main()\n./src/a_b.rs:13:x\nsrc/main.rs-14-\ndocs/2026-11-23.md docs/v1.2-3/a.md file-2.txt";
        assert_eq!(
            atoms_in(text),
            ["src/main.rs", "./src/a_b.rs", "docs/2026-11-23.md", "docs/v1.2-3/a.md", "file-2.txt"]
        );
    }

    #[test]
    fn the_end_of_a_path_that_is_shown_is_not_listed() {
        let text = "read /home/me/src/main.rs, src/main.rs, main.rs, b/src/main.rs, a/src/lib.rs and src/lib.rs";
        assert_eq!(list_names(text, ", ", 9, &mut ShownNames::default()), "read /home/me/src/main.rs, a/src/lib.rs");
    }

    #[test]
    fn frequent_names_come_first_and_each_once() {
        let text = "otherName firstName otherName a/one.ts firstName otherName";
        assert_eq!(list_names(text, ", ", 3, &mut ShownNames::default()), "a/one.ts, otherName, firstName");
        assert_eq!(list_names(text, ", ", 1, &mut ShownNames::default()), "a/one.ts");
        assert!(list_names(text, ", ", 0, &mut ShownNames::default()).is_empty());
    }
}
