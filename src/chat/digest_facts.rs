//! What tells most of a long result: lines about failures and the last line, labels with their values.

use crate::text::join;
use crate::value::{Value, read_json, sort, write_json};

/// The longest line that is shown, as a multiple of `Digest::head`.
const LINE: usize = 2;

/// A shorter line says only that something failed, in bytes.
const SHORTEST: usize = 8;

/// The most lines about failures.
const FAILURES: usize = 2;

/// The longest list of pairs, as a multiple of `Digest::head`.
const PAIRS: usize = 3;

/// The longest label and the longest value, in bytes.
const LABEL: usize = 32;
const VALUE: usize = 48;

/// The most values of one label.
const VALUES: usize = 3;

/// The most labels of a text that are considered.
const MAX_LABELS: usize = 64;

/// Words before a declaration.
const MODIFIERS: [&str; 14] = [
    "export",
    "default",
    "pub",
    "pub(crate)",
    "pub(super)",
    "async",
    "static",
    "public",
    "private",
    "protected",
    "abstract",
    "final",
    "unsafe",
    "override",
];

/// Words that begin the declaration of a function or type, also of one inside of another.
const DECLARATIONS: [&str; 10] =
    ["fn", "func", "function", "def", "class", "interface", "struct", "enum", "trait", "impl"];

/// Words that begin other declarations of a file.
const FILE_DECLARATIONS: [&str; 7] = ["type", "const", "module", "mod", "namespace", "let", "var"];

/// The deepest indentation of a declaration inside of another one.
const INDENTATION: usize = 4;

/// Returns the first lines about failures, and the last line, unless they are long. The first `head` characters are
/// shown anyway.
pub(super) fn telling_lines(text: &str, head: usize) -> (Vec<&str>, Option<&str>) {
    let behind = text.char_indices().nth(head).map_or(text.len(), |(start, _)| start);
    let Some(start) = text[behind..].find('\n') else { return (Vec::new(), None) };
    let suits = |line: &str| {
        line.len() <= LINE * head && line.bytes().any(|byte| byte.is_ascii_alphanumeric()) && !line.contains(is_control)
    };
    let rest = text[behind + start..].trim_end();
    let (rest, last) = rest.rsplit_once('\n').unwrap_or(("", rest));
    let failures = rest.split('\n').filter(|line| suits(line) && is_failure(line)).take(FAILURES).collect();
    (failures, Some(last).filter(|last| suits(last) && !is_code(last) && !is_inner(last)))
}

/// Returns the lines that say what is in a file, up to `max` characters of them: of a document in Markdown its headings and
/// the items of its lists, else the declarations without bodies.
pub(super) fn outline<'t>(lines: impl Iterator<Item = &'t str> + Clone, max: usize) -> Vec<&'t str> {
    let is_document = lines.clone().any(|line| line.starts_with("## "));
    let mut left = max;
    let tells = |line: &&str| if is_document { is_item(line) } else { is_declaration(line) };
    let without_body = |line: &'t str| match line.find(") {").filter(|_| !is_document) {
        Some(end) => line[..=end].trim(),
        None => line.trim().trim_end_matches([' ', '{', ':']),
    };
    lines
        .filter(tells)
        .map(without_body)
        .take_while(|line| {
            let size = line.chars().count();
            let fits = size <= left;
            left = left.saturating_sub(size);
            fits
        })
        .collect()
}

fn is_item(line: &str) -> bool {
    let line = line.trim_start();
    let bare = line.trim_start_matches(|c: char| c.is_ascii_digit());
    ["# ", "## ", "### ", "- ", "* "].iter().any(|mark| line.starts_with(mark))
        || bare.len() < line.len() && bare.starts_with(". ")
}

fn is_declaration(line: &str) -> bool {
    let text = line.trim_start();
    let depth = line.len() - text.len();
    let mut words = text.split([' ', '(', '<', ':']).skip_while(|word| MODIFIERS.contains(word));
    let Some(word) = words.next() else { return false };
    let begins =
        depth <= INDENTATION && DECLARATIONS.contains(&word) || depth == 0 && FILE_DECLARATIONS.contains(&word);
    begins && words.next().is_some() && !line.contains(is_control)
}

/// True for the characters at which some program begins a line.
pub(super) fn is_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

fn is_control(c: char) -> bool {
    is_break(c) || c.is_control() && c != '\t'
}

fn is_failure(line: &str) -> bool {
    let line = line.trim();
    let begins = ["FAIL", "fail", "fatal", "panic", "not ok", "✗", "✘", "×"].iter().any(|word| line.starts_with(word));
    let says = || ["rror:", "rror[", "ERROR", "FAILED", " failed", "panicked"].iter().any(|word| line.contains(word));
    line.len() >= SHORTEST && (begins || says()) && !is_code(line)
}

/// True for a comment and for an indented line, which conclude nothing.
fn is_inner(line: &str) -> bool {
    ["//", "  ", "\t", "#", "*"].iter().any(|mark| line.starts_with(mark))
}

/// True for a line that ends like one of a program or a JSON text.
fn is_code(line: &str) -> bool {
    line.trim_end().ends_with(['{', '}', ';', ',', '(', ']', '>', '`'])
}

/// Returns labels with their values, each label once: the members of a JSON text with short values, or of another text
/// those of lines `label: value` and words `label=value`. Pairs that `shown` has are omitted.
pub(super) fn pairs_in(text: &str, shown: &str, head: usize) -> Vec<String> {
    let mut groups: Vec<(String, Vec<String>, bool)> = Vec::new();
    let mut add = |label: &str, value: &str| {
        let value = value.trim();
        if value.is_empty() || value.len() > VALUE || value.contains(is_control) {
            return;
        }
        let is_full = groups.len() == MAX_LABELS;
        match groups.iter_mut().find(|group| group.0 == label) {
            Some((_, values, is_cut)) if values.len() == VALUES => *is_cut = true,
            Some((_, values, _)) if values.iter().any(|known| known == value) => {}
            Some((_, values, _)) => values.push(value.to_owned()),
            None if is_full => {}
            None => groups.push((label.to_owned(), vec![value.to_owned()], false)),
        }
    };
    match read_json(text, false) {
        Ok(value @ (Value::Map(_) | Value::Vector(_))) => members_of("", &value, &mut add),
        _ => {
            for line in text.split(is_break) {
                pairs_of_line(line, &mut add);
            }
        }
    }
    groups.retain(|(label, values, _)| {
        !(shown.contains(&**label) && values.iter().all(|value| shown.contains(&**value)))
    });
    // Single values tell more than those of each record of a list, and states and numbers more than texts.
    let rank = |(_, values, is_cut): &(String, Vec<String>, bool)| (*is_cut, !is_state(&values[0]));
    sort(&mut groups, |left, right| rank(left).cmp(&rank(right)));
    let mut left = PAIRS * head;
    let mut pairs = Vec::new();
    for (label, values, is_cut) in groups {
        let pair = format!("{label}={}{}", join(&values, ", "), if is_cut { " …" } else { "" });
        let Some(rest) = left.checked_sub(pair.chars().count()) else { break };
        left = rest;
        pairs.push(pair);
    }
    pairs
}

/// Gives the members of a JSON value that are not nested further.
fn members_of(label: &str, value: &Value, add: &mut impl FnMut(&str, &str)) {
    match value {
        Value::Map(members) => {
            for (key, value) in members.iter() {
                members_of(key.as_str().unwrap_or_default(), value, add);
            }
        }
        Value::Vector(items) => items.iter().for_each(|item| members_of(label, item, add)),
        Value::Str(text) if is_label(label) => add(label, text),
        scalar if is_label(label) => {
            let mut text = String::new();
            write_json(scalar, &mut text).unwrap_or(());
            add(label, &text);
        }
        _ => {}
    }
}

/// True for a state or a number.
fn is_state(value: &str) -> bool {
    matches!(value, "true" | "false" | "null") || value.bytes().all(|byte| !byte.is_ascii_lowercase())
}

fn is_label(label: &str) -> bool {
    (2..=LABEL).contains(&label.len())
        && label.starts_with(|c: char| c.is_alphabetic())
        && label.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ' '))
}

/// Gives `label: value` if that is the whole line, else the words `label=value`, of a line that is not one of a program.
fn pairs_of_line(line: &str, add: &mut impl FnMut(&str, &str)) {
    if line.len() > 400 || is_code(line) {
        return;
    }
    let bare = line.trim_start_matches([' ', '\t', '-', '*', '•', '#']).replace("**", "");
    if let Some((label, value)) = bare.split_once(": ") {
        let tells = is_state(value) || value.contains(|c: char| c.is_ascii_digit()) || !value.trim().contains(' ');
        if is_label(label) && tells && label.split(' ').count() <= 3 && value.split(' ').count() <= 3 {
            add(label, value);
        }
        return;
    }
    for word in line.split(' ') {
        let Some((label, value)) = word.split_once('=') else { continue };
        if is_label(label) && !value.contains(['=', '"', '\'', '<', '>', '$', '(', '{']) {
            add(label, value.trim_end_matches([',', ';', '.', ')']));
        }
    }
}
