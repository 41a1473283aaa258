//! Hits of a search, `file:line:text`.

use std::borrow::Cow;

use super::{ShortForm, joined, lines, split_number};
use crate::value::Names;

/// Writes the name of a file once, above its hits, as `rg --heading` does.
pub(super) struct SearchHits;

/// The line between hits that are not adjacent.
const GAP: &str = "--";

impl ShortForm for SearchHits {
    fn shorten(&self, text: &str) -> Option<String> {
        let mut files: Names<()> = Names::default();
        for (file, _) in lines(text).filter_map(|line| hit(line, ':')) {
            if !files.contains(file) {
                files.insert(file.into(), ());
            }
        }
        if files.is_empty() {
            return None;
        }
        // Lines around a hit have `-` in place of `:`, which names of files have too.
        let around = |line| (1..).map_while(|nth| hit_at(line, '-', nth)).find(|(file, _)| files.contains(file));
        let all: Vec<_> = lines(text).map(|line| (line, hit(line, ':').or_else(|| around(line)))).collect();
        let (mut short, mut current) = (Vec::new(), None);
        for (index, (line, hit)) in all.iter().enumerate() {
            match hit {
                Some((file, rest)) if current == Some(file) => short.push(Cow::Borrowed(*rest)),
                Some((file, rest)) => {
                    let next = all.get(index + 1).and_then(|(_, next)| next.as_ref());
                    current = next.is_some_and(|(next, _)| next == file).then_some(file);
                    if current.is_some() {
                        short.push(Cow::Borrowed(*file));
                    }
                    short.push(Cow::Borrowed(if current.is_some() { rest } else { line }));
                }
                None => {
                    current = current.filter(|_| *line == GAP);
                    short.push(Cow::Borrowed(*line));
                }
            }
        }
        Some(joined(short, text))
    }

    fn restore(&self, short: &str) -> Option<String> {
        let all: Vec<&str> = lines(short).collect();
        let mut restored = Vec::new();
        let mut current = None;
        for (index, line) in all.iter().enumerate() {
            let next = all.get(index + 1).copied().unwrap_or_default();
            match (current, numbered(line)) {
                (Some(file), Some(separator)) => restored.push(Cow::Owned(format!("{file}{separator}{line}"))),
                _ if is_file_name(line) && numbered(next).is_some() => current = Some(*line),
                _ => {
                    current = current.filter(|_| *line == GAP);
                    restored.push(Cow::Borrowed(*line));
                }
            }
        }
        Some(joined(restored, short))
    }
}

/// True for a hit.
pub(crate) fn is_hit(line: &str) -> bool {
    hit(line, ':').is_some()
}

/// Splits a hit into the name of its file and the rest, which begins with the line number.
fn hit(line: &str, separator: char) -> Option<(&str, &str)> {
    hit_at(line, separator, 1).filter(|(file, _)| is_file_name(file))
}

/// Splits a line at the `nth` separator that a number and another separator follow.
fn hit_at(line: &str, separator: char, nth: usize) -> Option<(&str, &str)> {
    let places = line.match_indices(separator).map(|(at, _)| (&line[..at], &line[at + 1..]));
    places.filter(|(_, rest)| numbered(rest) == Some(separator)).nth(nth - 1)
}

/// The separator after the number with which a line begins.
fn numbered(line: &str) -> Option<char> {
    let (_, rest) = split_number(line)?;
    rest.chars().next().filter(|separator| matches!(separator, ':' | '-'))
}

/// True for a text that can only be the name of a file: with a folder, or with an extension that begins with a letter.
pub(super) fn is_file_name(text: &str) -> bool {
    let extension = text.rsplit_once('.').is_some_and(|(_, extension)| {
        extension.starts_with(|c: char| c.is_ascii_alphabetic()) && extension.chars().all(char::is_alphanumeric)
    });
    (text.contains('/') || extension) && !text.contains(|c: char| c.is_whitespace() || c == ':')
}
