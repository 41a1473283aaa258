//! Equal lines in a row.

use std::borrow::Cow;

use super::{ShortForm, joined, lines, split_number};

/// Writes a line that stands several times in a row once, with the number of its repetitions.
pub(super) struct RepeatedLines;

const NOTE: (&str, &str) = ("[the line above, ", " more times]");

/// The repetitions that a note replaces have at least this many bytes.
const LEAST: usize = 48;

impl ShortForm for RepeatedLines {
    fn shorten(&self, text: &str) -> Option<String> {
        let all: Vec<&str> = lines(text).collect();
        let mut short = Vec::new();
        for run in all.chunk_by(|left, right| left == right) {
            let (line, more) = (run[0], run.len() - 1);
            short.push(Cow::Borrowed(line));
            if more > 1 && !line.trim().is_empty() && more * line.len() >= LEAST {
                short.push(Cow::Owned(format!("{}{more}{}", NOTE.0, NOTE.1)));
            } else {
                short.extend(run[1..].iter().map(|line| Cow::Borrowed(*line)));
            }
        }
        Some(joined(short, text))
    }

    fn restore(&self, short: &str) -> Option<String> {
        let mut restored: Vec<Cow<'_, str>> = Vec::new();
        for line in lines(short) {
            match (repetitions(line), restored.last().cloned()) {
                (Some(more), Some(last)) => restored.extend(std::iter::repeat_n(last, more)),
                _ => restored.push(Cow::Borrowed(line)),
            }
        }
        Some(joined(restored, short))
    }
}

/// The number in a note.
fn repetitions(line: &str) -> Option<usize> {
    let (number, rest) = split_number(line.strip_prefix(NOTE.0)?)?;
    if rest == NOTE.1 { number.parse().ok() } else { None }
}
