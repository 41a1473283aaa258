//! Suggestions for unknown names: the most similar known name.

use crate::text::join;
/// Returns the known name with the smallest edit distance, if the distance is small enough for a typing error.
pub fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let name = Wanted::new(name);
    let mut best: Option<(usize, &'a str)> = None;
    for found in known {
        let Some(distance) = name.typing_errors(found) else { continue };
        if best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, found));
        }
    }
    best.map(|(_, found)| found)
}

/// Returns the index of the known name that `name` most probably means: a known name that differs only in case and word
/// separators, else one that `name` abbreviates or misspells. Among equally similar names, the first one with the same
/// first letter wins, else the first one.
pub fn most_similar(name: &str, known: &[&str]) -> Option<usize> {
    let (wanted, plain) = (Wanted::new(name), folded(name));
    let mut best: Option<((usize, bool), usize)> = None;
    for (index, found) in known.iter().enumerate() {
        let is_joined = folds_to(found, &plain) && !plain.is_empty();
        let abbreviated = || omitted_consonants(name, found).map(|omitted| 1 + omitted);
        let differences = is_joined.then_some(0).or_else(abbreviated).or_else(|| wanted.typing_errors(found));
        let Some(differences) = differences else { continue };
        let rank = (differences, found.chars().next() != wanted.characters.first().copied());
        if best.is_none_or(|(least, _)| rank < least) {
            best = Some((rank, index));
        }
    }
    best.map(|(_, index)| index)
}

/// Returns the name in lower case without `-` and `_`: `sortBy` and `sort-by` both give `sortby`.
pub fn folded(name: &str) -> String {
    folded_characters(name).collect()
}

/// Returns whether `folded` is the name as [`folded`] returns it.
pub fn folds_to(name: &str, folded: &str) -> bool {
    folded_characters(name).eq(folded.chars())
}

fn folded_characters(name: &str) -> impl Iterator<Item = char> {
    name.chars().filter(|character| !matches!(character, '-' | '_')).map(|character| character.to_ascii_lowercase())
}

/// Returns how many consonants of `of` are missing in `name` if `name` abbreviates it: `cnt` abbreviates `count`. An
/// abbreviation has at least three letters, the same first letter, no vowel after it, and two thirds of the consonants.
fn omitted_consonants(name: &str, of: &str) -> Option<usize> {
    let is_consonant = |character: &char| !matches!(character, 'a' | 'e' | 'i' | 'o' | 'u');
    let (mut short, mut long) = (name.chars(), of.chars());
    let first = short.next()?;
    if long.next() != Some(first) || !short.clone().all(|character| is_consonant(&character)) {
        return None;
    }
    let (length, consonants) = (name.chars().count(), 1 + long.clone().filter(is_consonant).count());
    let can_be_short = length >= 3 && length * 3 >= consonants * 2 && length < of.chars().count();
    (can_be_short && short.all(|character| long.any(|other| other == character))).then(|| consonants - length)
}

/// Maximum number of characters of a wanted name, and of a known one, that are compared.
const MAX_WANTED: usize = 64;
const MAX_FOUND: usize = 80;

/// A name to compare with all known names.
struct Wanted {
    characters: Vec<char>,
    letters: u64,
    /// Maximum edit distance of a typing error.
    most: usize,
}

impl Wanted {
    fn new(name: &str) -> Wanted {
        let characters: Vec<char> = name.chars().take(MAX_WANTED).collect();
        // Any two names of one letter differ by one replacement, so none is suggested.
        let most = (characters.len() / 3).clamp(1, 4).min(characters.len().saturating_sub(1));
        Wanted { letters: letters(&characters), characters, most }
    }

    /// Returns the edit distance of the names, if it is small enough for a typing error.
    fn typing_errors(&self, found: &str) -> Option<usize> {
        if found.chars().count().abs_diff(self.characters.len()) > self.most {
            return None;
        }
        let mut characters = ['\0'; MAX_FOUND];
        let mut length = 0;
        for character in found.chars().take(MAX_FOUND) {
            characters[length] = character;
            length += 1;
        }
        let found = &characters[..length];
        // Each edit removes at most one letter that only one of the names has.
        let others = letters(found);
        if (self.letters & !others).count_ones().max((others & !self.letters).count_ones()) as usize > self.most {
            return None;
        }
        let distance = distance(&self.characters, found);
        (distance <= self.most).then_some(distance)
    }
}

/// Returns the set of the characters, in which several characters may share a bit.
fn letters(characters: &[char]) -> u64 {
    characters.iter().fold(0, |all, character| all | 1 << (u32::from(*character) % 64))
}

/// The edit distance: how many characters are added, removed, replaced, or swapped with a neighbour. `right` has at most
/// [`MAX_FOUND`] characters.
fn distance(left: &[char], right: &[char]) -> usize {
    let mut before_last = [0; MAX_FOUND + 1];
    let mut last: [usize; MAX_FOUND + 1] = std::array::from_fn(|column| column);
    for (row, character) in left.iter().enumerate() {
        let mut next = [0; MAX_FOUND + 1];
        next[0] = row + 1;
        for (column, other) in right.iter().enumerate() {
            let replaced = last[column] + usize::from(character != other);
            let mut least = replaced.min(last[column + 1] + 1).min(next[column] + 1);
            if row > 0 && column > 0 && left[row - 1] == *other && right[column - 1] == *character {
                least = least.min(before_last[column - 1] + 1);
            }
            next[column + 1] = least;
        }
        (before_last, last) = (last, next);
    }
    last[right.len()]
}

/// Maximum number of names in a [`list`].
pub const MAX_LISTED: usize = 10;

/// Lists names for a message, each with the prefix and in back quotes; `…` replaces those after the tenth.
pub fn list<'a>(names: impl Iterator<Item = &'a str>, prefix: &str) -> String {
    let mut names: Vec<String> = names.take(MAX_LISTED + 1).map(|name| format!("`{prefix}{name}`")).collect();
    if names.len() > MAX_LISTED {
        names[MAX_LISTED] = "…".into();
    }
    join(&names, ", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, known: &[&str], found: Option<&str>) {
        assert_eq!(nearest(name, known.iter().copied()), found);
    }

    #[test]
    fn slips_are_recognised_and_other_names_are_not() {
        check("qurey", &["limit", "query"], Some("query"));
        check("in-stok", &["in-stock?", "in-stock"], Some("in-stock"));
        check("page", &["limit", "query"], None);
        check("x", &["y", "a"], None);
        check("ab", &["ac"], Some("ac"));
        check("", &["a"], None);
    }

    #[track_caller]
    fn meant(name: &str, known: &[&str], found: Option<&str>) {
        assert_eq!(most_similar(name, known).map(|index| known[index]), found);
    }

    #[test]
    fn abbreviations_and_other_joints_are_recognised() {
        meant("cnt", &["int", "count"], Some("count"));
        meant("prds", &["products"], Some("products"));
        meant("idx", &["index"], Some("index"));
        meant("msg", &["message", "merge"], Some("message"));
        meant("qurey", &["query"], Some("query"));
        meant("sortBy", &["sort", "sort-by"], Some("sort-by"));
        meant("lowercase", &["lower-case"], Some("lower-case"));
        meant("cn", &["can-not"], None);
        meant("tmp", &["timestamp", "template"], None);
        meant("prt", &["partition"], None);
        meant("res", &["response"], None);
        meant("-", &["_"], None);
        for name in ["x", "r", "n", ""] {
            meant(name, &["xs", "row", "rows", "number", "y", "re", "nm"], None);
        }
    }

    #[test]
    fn long_lists_are_cut() {
        assert_eq!(list(["a", "b"].into_iter(), "tool/"), "`tool/a`, `tool/b`");
        assert!(list(["a"; 12].into_iter(), "").ends_with("`a`, …"));
    }
}
