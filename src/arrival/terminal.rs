//! Output of a terminal without its escape sequences.

use std::borrow::Cow;

use super::{ShortForm, joined, lines};

/// Drops the escape sequences of a text that has some, and the blanks at the ends of its lines.
pub(super) struct TerminalOutput;

const ESCAPE: char = '\x1b';

impl ShortForm for TerminalOutput {
    fn shorten(&self, text: &str) -> Option<String> {
        if !text.contains(ESCAPE) {
            return None;
        }
        let shown = without_escapes(text);
        let trimmed = lines(&shown).map(|line| Cow::Borrowed(line.trim_end_matches([' ', '\t'])));
        Some(joined(trimmed.collect(), &shown))
    }

    fn restore(&self, short: &str) -> Option<String> {
        Some(short.to_owned())
    }

    fn is_same(&self, given: &str, restored: &str) -> bool {
        let blank = |c: &char| matches!(c, ' ' | '\t');
        without_escapes(given).chars().filter(|c| !blank(c)).eq(restored.chars().filter(|c| !blank(c)))
    }
}

/// Removes control sequences (`ESC [ … letter`), commands to the operating system (`ESC ] … BEL` or `ESC ] … ESC \`) and
/// escapes of one character.
fn without_escapes(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut parts = text.split(ESCAPE);
    shown.push_str(parts.next().unwrap_or_default());
    let mut in_command = false;
    for part in parts {
        let rest = match part.chars().next() {
            _ if in_command => part.strip_prefix('\\').unwrap_or(part),
            Some('[') => part[1..].trim_start_matches(|c: char| matches!(c, ' '..='?')).get(1..).unwrap_or_default(),
            Some(']') => match part.split_once('\x07') {
                Some((_, rest)) => rest,
                None => {
                    in_command = true;
                    continue;
                }
            },
            Some(c @ ('(' | ')' | '#' | '%')) => part.get(c.len_utf8() + 1..).unwrap_or_default(),
            Some(c) => &part[c.len_utf8()..],
            None => part,
        };
        in_command = false;
        shown.push_str(rest);
    }
    shown
}
