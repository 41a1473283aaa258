//! Functions for the texts of several sections.

use std::borrow::Cow;

use crate::names::{ShownNames, list_names};
use crate::unicode::{on_one_line, width, word_cut_position};
use crate::value::{Clojure, PrintOptions, Value, to_sample, type_of};

use super::options::Limits;

/// Column at which the note of a name begins.
const NOTE_COLUMN: usize = 30;

/// Replaces the sample of a name that begins with `_`.
const HIDDEN: &str = "[Hidden]";

/// `name`, blanks up to column 30 and at least one, `; note`.
pub fn noted(name: &str, note: &str) -> String {
    let (name, note) = (&within_line(name), &within_line(note));
    let blanks = NOTE_COLUMN.saturating_sub(width(name)).max(1);
    format!("{name}{:blanks$}; {note}", "")
}

/// A name without line breaks: a host's name must not begin a line that reads like the header of a section.
pub fn within_line(name: &str) -> Cow<'_, str> {
    if name.bytes().any(|byte| matches!(byte, b'\n' | b'\r')) { on_one_line(name).into() } else { name.into() }
}

/// The type of a value as it is listed; entries that are not shown do not count.
pub fn label(value: &Value) -> String {
    match value {
        Value::Map(entries) if entries.iter().any(|(key, _)| key.is_hidden_key()) => {
            format!("map[{}]", entries.iter().filter(|(key, _)| !key.is_hidden_key()).count())
        }
        value => type_of(value),
    }
}

/// The sample of the value of `name`; none for nil and for empty collections.
pub fn sample(name: &str, value: &Value, options: &PrintOptions) -> Option<Clojure> {
    if value.is_nil_or_empty() {
        None
    } else if name.starts_with('_') {
        Some(Clojure { text: HIDDEN.to_owned(), truncated: false })
    } else {
        Some(to_sample(value, options))
    }
}

/// `sample: …`, and the names in a text that its sample does not show; none for nil and for empty collections.
pub fn described_sample(name: &str, value: &Value, limits: &Limits) -> Option<String> {
    let Clojure { text: sample, truncated } = sample(name, value, &limits.sample_options())?;
    let length = match value {
        Value::Str(text) if truncated => format!(" ({} characters)", width(text)),
        _ => String::new(),
    };
    let names = match value {
        Value::Str(text) if limits.sample_names > 0 && !name.starts_with('_') => {
            let mut shown = ShownNames::default();
            shown.add(&sample);
            list_names(text, ", ", limits.sample_names, &mut shown)
        }
        _ => String::new(),
    };
    let lead = if names.is_empty() { "" } else { ", names in it: " };
    Some(format!("sample: {sample}{length}{lead}{names}"))
}

/// The first `limit` characters of a text, without a word that would be cut in two, and whether the text is longer.
pub fn cut(text: &str, limit: usize) -> (&str, bool) {
    if text.len() <= limit {
        return (text, false);
    }
    match word_cut_position(text, limit) {
        Some(end) => (&text[..end], true),
        None => (text, false),
    }
}

/// [`cut`], with `...` at the end of a text that is cut.
pub fn shortened(text: &str, limit: usize) -> String {
    match cut(text, limit) {
        (text, false) => text.to_owned(),
        (start, true) => format!("{start}..."),
    }
}

/// A text in a fence that is longer than any run of backticks in it.
pub fn fenced(language: &str, text: &str) -> String {
    let (mut longest, mut run) = (2, 0);
    for byte in text.bytes() {
        run = if byte == b'`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let fence = (0..=longest).map(|_| "`").collect::<String>();
    format!("{fence}{language}\n{text}\n{fence}")
}

/// The line that ends a USER message.
pub fn turns_left(left: usize) -> String {
    match left {
        0 | 1 => "FINAL TURN - you must call (return result) or (fail reason) now.".to_owned(),
        left => format!("Turns left: {left}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_within_their_line() {
        assert_eq!(noted("a\r\n;; === user/ ===", "integer"), "a ;; === user/ ===            ; integer");
        assert_eq!(noted("f", "#fn[a\nb]"), "f                             ; #fn[a b]");
        assert_eq!(within_line(" a ; b "), " a ; b ");
    }

    #[test]
    fn notes_begin_at_column_30() {
        assert_eq!(noted("data/products", "list[7]"), "data/products                 ; list[7]");
        assert_eq!(
            noted("a-name-that-is-longer-than-the-column", "nil"),
            "a-name-that-is-longer-than-the-column ; nil"
        );
        assert_eq!(noted("größe", "nil").find(';'), Some("größe".len() + 25));
    }

    #[test]
    fn only_a_text_that_is_cut_has_a_length() {
        let limits = Limits { sample_printable: 8, sample_names: 0, ..Limits::default() };
        let sample = |text: &str| described_sample("x", &Value::str(text), &limits).unwrap();
        assert_eq!(sample("to be..."), "sample: \"to be...\"");
        assert_eq!(sample("to be or not"), "sample: \"to be or...\" (12 characters)");
    }

    #[test]
    fn a_cut_falls_between_characters() {
        assert_eq!(shortened("héllo", 5), "héllo");
        assert_eq!(shortened("👩‍👩‍👧👩‍👩‍👧x", 1), "👩‍👩‍👧...");
        assert_eq!(shortened("abc", 0), "...");
    }

    #[test]
    fn a_fence_is_longer_than_the_backticks_inside() {
        assert_eq!(fenced("clojure", "(f)"), "```clojure\n(f)\n```");
        assert_eq!(fenced("clojure", "\"```\""), "````clojure\n\"```\"\n````");
    }
}
