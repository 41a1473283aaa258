//! JSON without blanks, and its lists of records as tables.

use super::node::JsonNode;
use super::table::{is_plain_key, read_table, write_table};
use super::{ShortForm, lines};
use crate::tokens::{Estimate, TokenCounter};

/// Writes JSON without blanks or, when that is shorter, its lists of records as tables. Numbers and texts stay as they
/// are written. Lines before the JSON, with which a tool may have said how it went, stay.
pub(super) struct Json;

/// How many lines may be before the JSON.
const LINES_BEFORE: usize = 8;

/// Shorter lists stay lists.
const FEWEST_RECORDS: usize = 2;

/// What follows the number of records in front of a table.
const RECORDS: &str = " records:";
const LINES: &str = " lines of JSON:";
const MEMBER_RECORDS: &str = " records";

impl ShortForm for Json {
    fn shorten(&self, text: &str) -> Option<String> {
        let (before, document) = Document::find(text)?;
        let compact = document.compact();
        let short = match document.tables() {
            Some(tables) if Estimate.count(&tables) < Estimate.count(&compact) => tables,
            _ => compact,
        };
        Some(format!("{before}{short}"))
    }

    fn restore(&self, short: &str) -> Option<String> {
        starts(short).find_map(|at| {
            let (before, rest) = short.split_at(at);
            // A cell of a table may be JSON itself, so a line within a table is no document.
            let document = Document::of_tables(rest).or_else(|| Document::read(rest))?;
            Some(format!("{before}{}", document.compact()))
        })
    }

    fn is_same(&self, given: &str, restored: &str) -> bool {
        match (Document::find(given), Document::find(restored)) {
            (Some((before, given)), Some((after, restored))) => before == after && given.is_same(&restored),
            _ => false,
        }
    }
}

/// The JSON of a text.
enum Document<'t> {
    One(JsonNode<'t>),
    /// A value on each line, and whether the last line ends with a line break.
    Lines(Vec<JsonNode<'t>>, bool),
}

impl<'t> Document<'t> {
    /// Finds the JSON at the end of a text, and what is before it.
    fn find(text: &'t str) -> Option<(&'t str, Document<'t>)> {
        starts(text).find_map(|at| Some((&text[..at], Document::read(&text[at..])?)))
    }

    fn read(text: &'t str) -> Option<Document<'t>> {
        if !text.starts_with(['{', '[']) {
            return None;
        }
        if let Some(node) = JsonNode::read(text) {
            return Some(Document::One(node));
        }
        let nodes: Option<Vec<JsonNode>> = lines(text).map(JsonNode::read).collect();
        Some(Document::Lines(nodes.filter(|nodes| nodes.len() > 1)?, text.ends_with('\n')))
    }

    fn compact(&self) -> String {
        let mut out = String::new();
        match self {
            Document::One(node) => node.write(&mut out),
            Document::Lines(nodes, ends) => {
                for (index, node) in nodes.iter().enumerate() {
                    out.push_str(if index > 0 { "\n" } else { "" });
                    node.write(&mut out);
                }
                out.push_str(if *ends { "\n" } else { "" });
            }
        }
        out
    }

    /// Writes the lists of records as tables; None without such a list.
    fn tables(&self) -> Option<String> {
        let mut out = String::new();
        match self {
            Document::Lines(nodes, ends) => {
                write_records(nodes, LINES, &mut out)?;
                out.push_str(if *ends { "\n" } else { "" });
            }
            Document::One(JsonNode::List(nodes)) => write_records(nodes, RECORDS, &mut out)?,
            Document::One(JsonNode::Object(members)) => {
                let mut has_table = false;
                for (index, (key, value)) in members.iter().enumerate() {
                    if !is_plain_key(key) {
                        return None;
                    }
                    out.push_str(if index > 0 { "\n" } else { "" });
                    out.push_str(key);
                    out.push_str(": ");
                    let start = out.len();
                    let is_table = match value {
                        JsonNode::List(nodes) => write_records(nodes, MEMBER_RECORDS, &mut out).is_some(),
                        _ => false,
                    };
                    if !is_table {
                        out.truncate(start);
                        value.write(&mut out);
                    }
                    has_table |= is_table;
                }
                return has_table.then_some(out);
            }
            Document::One(_) => return None,
        }
        Some(out)
    }

    /// Reads what `tables` has written.
    fn of_tables(text: &'t str) -> Option<Document<'t>> {
        let (first, rest) = text.split_once('\n')?;
        if first.ends_with(RECORDS) {
            let (nodes, rest) = read_table(rest, number_before(first, RECORDS)?)?;
            return rest.is_empty().then_some(Document::One(JsonNode::List(nodes)));
        }
        if first.ends_with(LINES) {
            let (nodes, rest) = read_table(rest, number_before(first, LINES)?)?;
            return rest.is_empty().then(|| Document::Lines(nodes, text.ends_with('\n')));
        }
        let (mut members, mut rest) = (Vec::new(), text);
        while !rest.is_empty() {
            let (line, behind) = rest.split_once('\n').unwrap_or((rest, ""));
            let (key, value) = line.split_once(": ").filter(|(key, _)| is_plain_key(key))?;
            rest = behind;
            let node = match number_before(value, MEMBER_RECORDS) {
                Some(count) => {
                    let (nodes, behind) = read_table(rest, count)?;
                    rest = behind;
                    JsonNode::List(nodes)
                }
                None => JsonNode::read(value)?,
            };
            members.push((key, node));
        }
        Some(Document::One(JsonNode::Object(members)))
    }

    fn is_same(&self, other: &Document<'_>) -> bool {
        match (self, other) {
            (Document::One(left), Document::One(right)) => left.is_same(right),
            (Document::Lines(left, _), Document::Lines(right, _)) => {
                left.len() == right.len() && left.iter().zip(right).all(|(left, right)| left.is_same(right))
            }
            _ => false,
        }
    }
}

/// Where lines at the beginning of a text start.
fn starts(text: &str) -> impl Iterator<Item = usize> {
    let breaks = text.match_indices('\n').map(|(at, _)| at + 1);
    std::iter::once(0).chain(breaks).take(LINES_BEFORE + 1)
}

/// The number that is all that is before a label.
fn number_before(text: &str, label: &str) -> Option<usize> {
    let number = text.strip_suffix(label)?;
    if number.bytes().all(|byte| byte.is_ascii_digit()) { number.parse().ok() } else { None }
}

/// Writes records as a table below their number; None when they are no table.
fn write_records(nodes: &[JsonNode<'_>], label: &str, out: &mut String) -> Option<()> {
    if nodes.len() < FEWEST_RECORDS {
        return None;
    }
    out.push_str(&format!("{}{label}", nodes.len()));
    write_table(nodes, out)
}
