//! What a line of a digest says about a call, its result and the texts around it.

use std::borrow::Cow;

use super::digest_facts::{is_break, outline, pairs_in, telling_lines};
use super::edits::{Change, Kind, changes_of_patch, edit_in, edits_in};
use super::media::NotedText;
use super::message::ResultOutcome;
use super::parameters::Digest;
use crate::arrival::{is_hit, split_number};
use crate::names::{ShownNames, list_names, unescaped};
use crate::text::join;
use crate::value::{Value, read_json, write_json};

/// The longest text that stands whole, as a multiple of `Digest::head`.
const WHOLE: usize = 4;

/// The longest text of a few lines that stands whole, as a multiple of `Digest::head`.
const WHOLE_LINES: usize = 6;

/// The longest changes of an edit, as a multiple of `Digest::head`.
const CHANGES: usize = 3;

/// The longest outline of a file, and the longest beginning of a list of hits, as multiples of `Digest::head`.
const OUTLINE: usize = 6;
const HITS: usize = 5;

/// How many lines are a few.
const FEW_LINES: usize = 5;

/// The longest first argument that is a text, as a multiple of `Digest::head`.
const ARGUMENT: usize = 2;

/// The longest text of a model in a round, as a multiple of `Digest::head`.
pub(super) const PROSE: usize = 8;

/// The longest first word that is not cut.
const FIRST_WORD: usize = 120;

/// As many characters of a line tell it from others.
const FIRST_LINE: usize = 30;

/// Stands where a text has a line break.
const BREAK: &str = " ¶ ";

/// The text of the message that holds the lines.
pub(super) fn digest_text(lines: &str, digest: Digest) -> String {
    let about = if digest.has_handles { "; recall gives the result of a #id in full" } else { "" };
    format!(
        "Earlier tool calls, shortened (¶ line break, … cut here): tool(arguments) → result [from what was cut: values; \
         names after a word beside them]{about}:\n{lines}"
    )
}

/// What a call is for, as far as its result is written in another way.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum CallKind {
    /// Its result is a file.
    Read,
    /// It shows changed lines, which the result may repeat.
    Edit,
    Other,
}

/// A line under construction, and the texts of which it shows only a part.
#[derive(Default)]
pub(super) struct DigestLine<'t> {
    pub text: String,
    cut: Vec<Cow<'t, str>>,
    /// Labels with their values, from the texts that are cut.
    pairs: Vec<String>,
}

impl<'t> DigestLine<'t> {
    /// Adds the first `max` characters of a text, and at least its first word unless that is very long. The text is cut
    /// between two words, so that no name is cut.
    pub fn add(&mut self, text: impl Into<Cow<'t, str>>, max: usize) {
        let text = text.into();
        if self.add_beginning(&text, max) {
            self.cut.push(text);
        }
    }

    /// Adds the beginning of a text; returns true if it is cut.
    fn add_beginning(&mut self, text: &str, max: usize) -> bool {
        let (mut length, mut is_first) = (0, true);
        for line in text.split(is_break).map(str::trim).filter(|line| !line.is_empty()) {
            let mut space = if is_first { "" } else { BREAK };
            for word in line.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty()) {
                let max = if is_first { max.max(FIRST_WORD) } else { max };
                let size = word.chars().count() + usize::from(!is_first);
                if length + size > max {
                    let part = part_of(word, max.saturating_sub(length + 1));
                    if !part.is_empty() {
                        self.text.push_str(space);
                        self.text.push_str(part);
                    }
                    let is_bare = self.text.is_empty() || self.text.ends_with([' ', '(']);
                    self.text.push_str(if is_bare { "…" } else { " …" });
                    return true;
                }
                length += size;
                self.text.push_str(space);
                self.text.push_str(word);
                (space, is_first) = (" ", false);
            }
        }
        false
    }

    /// Adds the text of a model: if it is longer than `max` characters, its first sentences, up to a third of them, and
    /// the last ones, which conclude. Returns how many characters of `max` remain.
    pub fn add_prose(&mut self, text: &'t str, max: usize, head: usize) -> usize {
        let plain = on_one_line(text);
        let length = plain.chars().count();
        if length <= max {
            self.text.push_str(&plain);
            return max - length;
        }
        let sentences = sentences(&plain);
        let size = |sentence: &str| sentence.chars().count();
        let (mut first, mut left) = (0, max / 3);
        while first < sentences.len() && size(sentences[first]) <= left {
            left -= size(sentences[first]);
            first += 1;
        }
        left += max - max / 3;
        let mut start = sentences.len();
        while start > first && size(sentences[start - 1]) <= left {
            start -= 1;
            left -= size(sentences[start]);
        }
        if start == sentences.len() {
            self.add(text, max.max(head));
            return 0;
        }
        let trimmed = |text: &str| text.trim_matches([' ', '¶']).to_owned();
        if first > 0 {
            self.text.push_str(&trimmed(&join(&sentences[..first], "")));
            self.text.push(' ');
        }
        self.text.push_str("… ");
        self.text.push_str(&trimmed(&join(&sentences[start..], "")));
        self.cut.push(text.into());
        left
    }

    /// Adds a call.
    pub fn add_call(&mut self, name: &str, args: &'t str, head: usize) -> CallKind {
        self.text.push_str(name);
        self.text.push('(');
        let parsed = read_json(args, false);
        let is_edit = match &parsed {
            Ok(Value::Map(members)) => {
                let members = members.iter().map(|(key, value)| (key.as_str().unwrap_or_default(), value));
                self.add_members(&members.collect::<Vec<_>>(), head)
            }
            Ok(value) => {
                self.add(flat(value), head);
                false
            }
            Err(_) => self.add_argument(args.into(), ARGUMENT * head, head),
        };
        self.text.push(')');
        match parsed {
            _ if is_edit => CallKind::Edit,
            Ok(args) if reads_file(&args) => CallKind::Read,
            _ => CallKind::Other,
        }
    }

    /// Adds the arguments of a call; returns true if they are an edit.
    fn add_members(&mut self, members: &[(&str, &Value)], head: usize) -> bool {
        let edit = edit_in(members);
        let is_shown = |key: &str, value: &Value| {
            says_something(key, value) && edit.as_ref().is_none_or(|(old, new, _)| key != *old && key != *new)
        };
        let (mut comma, mut is_edit, mut max) = ("", edit.is_some(), ARGUMENT * head);
        for (key, value) in members.iter().filter(|(key, value)| is_shown(key, value)) {
            self.text.push_str(&format!("{comma}{key}: "));
            comma = ", ";
            if let Some(changes) = edits_in(value) {
                self.add_changes(&changes, CHANGES * head, flat(value).into());
                is_edit = true;
            } else {
                is_edit |= self.add_argument(flat(value).into(), max, head);
                max = if value.as_str().is_some() { head } else { max };
            }
        }
        if let Some((old, new, changes)) = &edit {
            let whole = members.iter().filter(|(key, _)| key == old || key == new);
            self.text.push_str(comma);
            self.add_changes(changes, CHANGES * head, join(whole.map(|(_, value)| flat(value)), "\n").into());
        }
        is_edit
    }

    /// Adds an argument of up to `max` characters; returns true for a patch.
    fn add_argument(&mut self, text: Cow<'t, str>, max: usize, head: usize) -> bool {
        let changes = changes_of_patch(&text);
        let Some(changes) = changes else {
            if self.add_beginning(&text, max) {
                self.add_outline(text.lines().skip(1), head);
                self.cut.push(text);
            }
            return false;
        };
        self.write_changes(&changes, CHANGES * head);
        self.cut.push(text);
        true
    }

    /// Adds the changes of an edit whose text is `whole`.
    fn add_changes(&mut self, changes: &[Change<'_>], max: usize, whole: Cow<'t, str>) {
        if self.write_changes(changes, max) {
            self.cut.push(whole);
        }
    }

    /// Writes files, then added lines, then removed ones, as many as `max` characters hold, in the order of the edit;
    /// returns true if some are missing.
    fn write_changes(&mut self, changes: &[Change<'_>], max: usize) -> bool {
        let mut left = max;
        let mut is_shown = vec![false; changes.len()];
        for kind in [Kind::File, Kind::Added, Kind::Removed] {
            for (position, change) in changes.iter().enumerate().filter(|(_, change)| change.kind == kind) {
                let size = change.text.chars().count();
                if size > left {
                    break;
                }
                left -= size;
                is_shown[position] = true;
            }
        }
        let (mut missing, mut is_gap, mut space) = (0, false, "");
        for (change, is_shown) in changes.iter().zip(is_shown) {
            if !is_shown {
                missing += 1;
                if !is_gap {
                    self.text.push_str(space);
                    self.text.push('…');
                }
            } else {
                self.text.push_str(space);
                self.text.push_str(change.kind.sign());
                self.text.push_str(&change.text.replace(char::is_control, " "));
            }
            is_gap = !is_shown;
            space = BREAK;
        }
        if missing > 0 {
            self.text.push_str(&format!(" ({missing} of {} lines cut)", changes.len()));
        }
        missing > 0
    }

    pub fn add_result(&mut self, result: &'t NotedText, outcome: ResultOutcome, call: CallKind, head: usize) {
        self.text.push_str(" →");
        self.text.push_str(outcome.note());
        self.text.push(' ');
        let is_empty = result.trim().is_empty();
        match result.media {
            0 if is_empty => self.text.push_str("(empty)"),
            0 => {}
            media => {
                self.text.push_str(&format!("({media} images or files)"));
                self.text.push_str(if is_empty { "" } else { " " });
            }
        }
        if is_empty {
            return;
        }
        let (state, body) = without_header(result);
        if let Some(state) = state {
            self.text.push_str(state.trim());
            self.text.push_str(if body.trim().is_empty() { "" } else { BREAK });
        } else if body.trim().is_empty() {
            self.text.push_str("(empty)");
        }
        let text = unescaped(body);
        if call == CallKind::Edit && outcome == ResultOutcome::Returned {
            self.add(text, head / 2);
        } else if stands_whole(&text, head) {
            self.text.push_str(&on_one_line(&text));
        } else {
            self.add_long(text, call == CallKind::Read, head);
        }
    }

    /// Adds a long result: of a diff its changes, else its size, its beginning and, unless it is a file, the lines and
    /// pairs that tell most.
    fn add_long(&mut self, text: Cow<'t, str>, is_read: bool, head: usize) {
        if let Some(changes) = changes_of_patch(&text) {
            self.write_changes(&changes, CHANGES * head);
            self.cut.push(text);
            return;
        }
        if let Some((first, last)) = numbered_range(&text) {
            self.text.push_str(&format!("(lines {first}–{last}) "));
            let bare = text.lines().filter_map(|line| Some(numbered_line(line)?.1));
            self.add_beginning(&join(bare.clone().take(head), "\n"), head);
            self.add_outline(bare, head);
            self.cut.push(text);
            return;
        }
        let count = text.lines().filter(|line| !line.trim().is_empty()).count();
        if count > 1 {
            self.text.push_str(&format!("({count} lines) "));
        }
        let is_cut = if count > 1 && are_hits(&text) {
            let mut hits: Vec<&str> = text.lines().collect();
            hits.dedup();
            self.add_beginning(&join(hits, "\n"), HITS * head)
        } else {
            self.add_beginning(&text, head)
        };
        if is_read {
            self.add_outline(text.lines(), head);
        } else if is_cut {
            let (failures, last) = telling_lines(&text, head);
            for line in failures {
                self.text.push_str(&format!(" {} …", line.trim()));
            }
            if let Some(last) = last {
                self.text.push_str(&format!(" {}", last.trim()));
            }
            self.pairs.extend(pairs_in(&text, &self.text, head));
        }
        self.cut.push(text);
    }

    /// Adds the lines that say what is in a file, without those that its beginning has.
    fn add_outline<'l>(&mut self, lines: impl Iterator<Item = &'l str> + Clone, head: usize) {
        for line in outline(lines, OUTLINE * head) {
            // The beginning may end within a line.
            let start = line.char_indices().nth(FIRST_LINE).map_or(line.len(), |(end, _)| end);
            if !self.text.contains(&line[..start]) {
                self.text.push_str(BREAK);
                self.text.push_str(line);
            }
        }
    }

    /// Returns the line, followed by the pairs and up to `max` names from the texts that were cut.
    pub fn finish(mut self, max: usize, shown: &mut ShownNames) -> String {
        let pairs = join(&self.pairs, "; ");
        if max == 0 {
            if !pairs.is_empty() {
                self.text.push_str(&format!(" [{pairs}]"));
            }
            return self.text;
        }
        shown.add(&self.text);
        shown.add(&pairs);
        let names = match &*self.cut {
            [] => String::new(),
            // Names have no blanks: without commas a name takes one token less.
            [text] => list_names(text, " ", max, shown),
            texts => list_names(&join(texts, "\n"), " ", max, shown),
        };
        let listed: Vec<&str> = [&*pairs, &*names].into_iter().filter(|list| !list.is_empty()).collect();
        if !listed.is_empty() {
            self.text.push_str(&format!(" [{}]", join(listed, "; ")));
        }
        self.text
    }
}

/// True for the arguments of a call that are those of a read: their only text is a path. `Source::of` takes more calls for
/// reads, because a result that may be a file is not changed. Here what a command prints may be a log, whose values tell
/// more than an outline.
pub(super) fn reads_file(args: &Value) -> bool {
    let Value::Map(members) = args else { return false };
    let mut texts = members.iter().filter_map(|(_, value)| value.as_str());
    let is_path = |text: &str| text.contains(['/', '.']) && !text.contains(' ');
    texts.next().is_some_and(is_path) && texts.next().is_none()
}

/// Returns the beginning of a word up to a quote or bracket among its first `max` characters, which no name has.
fn part_of(word: &str, max: usize) -> &str {
    let end = word.char_indices().nth(max).map_or(word.len(), |(end, _)| end);
    let is_border = |c: char| matches!(c, '"' | '\'' | '`' | '(' | ')' | '[' | ']' | '{' | '}' | '<' | '>');
    let part = word[..end].rfind(is_border).map_or("", |border| &word[..=border]);
    if part.contains(char::is_alphanumeric) { part } else { "" }
}

/// Returns a text with [`BREAK`] in place of its line breaks, without empty lines.
fn on_one_line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split(is_break).map(str::trim).filter(|line| !line.is_empty()) {
        out.push_str(if out.is_empty() { "" } else { BREAK });
        out.extend(line.chars().map(|c| if c.is_control() { ' ' } else { c }));
    }
    out
}

/// True for a short text, or a longer one of a few lines.
fn stands_whole(text: &str, head: usize) -> bool {
    let text = text.trim();
    let length = text.chars().take(WHOLE_LINES * head + 1).count();
    length <= WHOLE * head || length <= WHOLE_LINES * head && text.split('\n').take(FEW_LINES + 1).count() <= FEW_LINES
}

/// Splits a text of one line behind the marks that end sentences.
fn sentences(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let (mut start, mut before) = (0, ' ');
    for (position, c) in text.char_indices() {
        let is_end = c == ' ' && matches!(before, '.' | '!' | '?' | '¶') || matches!(before, '。' | '！' | '？');
        if is_end {
            found.push(&text[start..position]);
            start = position;
        }
        before = c;
    }
    found.push(&text[start..]);
    found
}

/// Splits the lines about the run itself, which some hosts put before a result, from the output: at least two lines, one
/// of them with a duration, then a line such as `Output:`; or a first line `Exit code: 0`. Of these lines, the first value
/// is the one that says that the run failed or goes on.
pub(super) fn without_header(text: &str) -> (Option<&str>, &str) {
    let is_label =
        |line: &str| line.strip_suffix(':').is_some_and(|word| word.bytes().all(|b| b.is_ascii_alphabetic()));
    let is_state = |line: &&str| {
        let lower = line.to_ascii_lowercase();
        let value = line.rsplit([' ', ':']).next().unwrap_or_default();
        line.len() <= 60
            && ["code", "status", "signal", "session"].iter().any(|word| lower.contains(word))
            && value.trim_start_matches('-').bytes().all(|byte| byte.is_ascii_digit())
            && value != "0"
    };
    let has_duration = |line: &str| {
        line.split(' ').any(|word| {
            word.split_once('.').is_some_and(|(whole, rest)| {
                let is_number = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
                is_number(whole) && is_number(rest.trim_end_matches(['s', 'm']))
            })
        }) || line.ends_with(" seconds")
    };
    let mut rest = text;
    let mut head: Vec<&str> = Vec::new();
    while let Some((line, behind)) = rest.split_once('\n').or((!rest.is_empty()).then_some((rest, ""))) {
        let line = line.trim();
        if is_label(line) && head.len() >= 2 && head.iter().any(|line| has_duration(line)) {
            return (head.into_iter().find(is_state), behind);
        }
        // The first line may be the command.
        if line.is_empty() || line.len() > 60 && !head.is_empty() || head.len() == 8 {
            break;
        }
        head.push(line);
        rest = behind;
    }
    match text.trim_start().split_once('\n') {
        Some((line, behind)) if line.trim().eq_ignore_ascii_case("exit code: 0") => (None, behind),
        _ => (None, text),
    }
}

/// Splits a line of a file from its number.
fn numbered_line(line: &str) -> Option<(usize, &str)> {
    let (number, rest) = split_number(line.trim_start())?;
    let text =
        rest.strip_prefix(['→', '\t', '|']).or_else(|| rest.strip_prefix(": ")).or((rest == ":").then_some(""))?;
    Some((number.parse().ok()?, text))
}

/// Returns the first and the last number of a text whose lines, but for a few, have consecutive numbers.
fn numbered_range(text: &str) -> Option<(usize, usize)> {
    let (mut range, mut others): (Option<(usize, usize)>, usize) = (None, 0);
    for line in text.lines() {
        let number = match line.find(is_break) {
            Some(_) => None,
            None => numbered_line(line).map(|(number, _)| number),
        };
        match (number, range) {
            (Some(number), None) => range = Some((number, number)),
            (Some(number), Some((first, last))) if number == last + 1 => range = Some((first, number)),
            _ => others += 1,
        }
    }
    range.filter(|(first, last)| last - first >= FEW_LINES && others * 4 <= last - first)
}

/// True for hits of a search: most of the first lines are hits.
fn are_hits(text: &str) -> bool {
    let first = text.lines().take(FEW_LINES);
    2 * first.clone().filter(|line| is_hit(line)).count() > first.count()
}

/// False for a flag that is not set, and for an argument that limits a call.
fn says_something(key: &str, value: &Value) -> bool {
    match value {
        Value::Nil | Value::Bool(false) => false,
        Value::Int(_) | Value::Float(_) => {
            !(key.ends_with("_ms") || key.starts_with("max_") || key.to_ascii_lowercase().contains("timeout"))
        }
        _ => true,
    }
}

/// Returns a value as text, with strings unquoted.
pub(super) fn flat(value: &Value) -> String {
    fn write(value: &Value, out: &mut String) {
        match value {
            Value::Str(text) => out.push_str(text),
            Value::Vector(items) => {
                out.push('[');
                for (position, item) in items.iter().enumerate() {
                    out.push_str(if position > 0 { ", " } else { "" });
                    write(item, out);
                }
                out.push(']');
            }
            Value::Map(members) => {
                out.push('{');
                for (position, (key, value)) in members.iter().enumerate() {
                    out.push_str(if position > 0 { ", " } else { "" });
                    out.push_str(key.as_str().unwrap_or_default());
                    out.push_str(": ");
                    write(value, out);
                }
                out.push('}');
            }
            // Every other value that was read from JSON can be written as JSON.
            scalar => write_json(scalar, out).unwrap_or(()),
        }
    }
    let mut out = String::new();
    write(value, &mut out);
    out
}
