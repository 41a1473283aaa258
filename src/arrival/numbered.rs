//! Lines of files with their numbers.

use std::borrow::Cow;

use super::{ShortForm, joined, lines, split_number};

/// Drops the blanks before the line numbers that tools for reading files put before each line.
pub(super) struct NumberedLines;

/// The width to which these tools, such as `cat -n`, pad numbers.
const WIDTH: usize = 6;

/// The characters between a number and its line.
const SEPARATORS: [char; 2] = ['→', '\t'];

/// Fewer numbered lines stay as they are.
const FEWEST: usize = 3;

impl ShortForm for NumberedLines {
    fn suits_files(&self) -> bool {
        true
    }

    fn shorten(&self, text: &str) -> Option<String> {
        let mut count = 0;
        let mut unpadded = |line| {
            let number = padded(line)?;
            count += 1;
            Some(number)
        };
        let short: Vec<_> = lines(text).map(|line| Cow::Borrowed(unpadded(line).unwrap_or(line))).collect();
        (count >= FEWEST).then(|| joined(short, text))
    }

    fn restore(&self, short: &str) -> Option<String> {
        let restored = lines(short).map(|line| match split_number(line) {
            Some((number, rest)) if number.len() < WIDTH && rest.starts_with(SEPARATORS) => {
                Cow::Owned(format!("{number:>WIDTH$}{rest}"))
            }
            _ => Cow::Borrowed(line),
        });
        Some(joined(restored.collect(), short))
    }
}

/// Returns a line that begins with a padded number, without the padding.
fn padded(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches(' ');
    let (number, behind) = split_number(rest)?;
    (line.len() - rest.len() + number.len() == WIDTH && number.len() < WIDTH && behind.starts_with(SEPARATORS))
        .then_some(rest)
}
