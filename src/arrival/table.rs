//! Lists of records as tables: the names of the members, then a line for each record, with commas between the cells.

use super::node::{JsonNode, is_scalar};
use crate::text::join;

/// How deep members of members become columns of their own.
const DEEPEST: usize = 3;

/// Tables with more columns are hard to read.
const MOST_COLUMNS: usize = 40;

/// At least this share of the cells of a table has a value.
const FULLEST: f64 = 0.5;

/// True for a name that can be that of a column.
pub(super) fn is_plain_key(key: &str) -> bool {
    !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '$' | '@' | '/'))
}

/// The place of a value in its record: the names of the members that lead to it.
type Column<'t> = Vec<&'t str>;

/// Writes records below each other; None when they are no records, or too different.
pub(super) fn write_table(records: &[JsonNode<'_>], out: &mut String) -> Option<()> {
    let columns = columns(records, &mut Vec::new())?;
    let cells = |record| columns.iter().map(move |column| member(record, column));
    let filled = records.iter().flat_map(cells).filter(Option::is_some).count();
    let is_full = filled as f64 >= FULLEST * (records.len() * columns.len()) as f64;
    if columns.is_empty() || columns.len() > MOST_COLUMNS || !is_full {
        return None;
    }
    out.push('\n');
    out.push_str(&join(columns.iter().map(|column| join(column, ".")), ","));
    for record in records {
        out.push('\n');
        for (index, cell) in cells(record).enumerate() {
            out.push_str(if index > 0 { "," } else { "" });
            match cell {
                Some(JsonNode::Text(text)) if is_plain_text(text) => out.push_str(text),
                Some(node) => node.write(out),
                None => {}
            }
        }
    }
    Some(())
}

/// The columns of the members that `path` leads to, in the order in which records first have them. None when one of the
/// values is no object, or a name can not be that of a column.
fn columns<'t>(records: &[JsonNode<'t>], path: &mut Column<'t>) -> Option<Vec<Column<'t>>> {
    let mut keys: Vec<&'t str> = Vec::new();
    for record in records {
        let Some(value) = member(record, path) else { continue };
        let JsonNode::Object(members) = value else { return None };
        if members.is_empty() && !path.is_empty() {
            return None;
        }
        for (key, _) in members {
            if !keys.contains(key) {
                keys.push(key);
            }
        }
        if keys.len() > MOST_COLUMNS {
            return None;
        }
    }
    let mut all = Vec::new();
    for key in keys {
        if !is_plain_key(key) {
            return None;
        }
        path.push(key);
        match if path.len() < DEEPEST { columns(records, path) } else { None } {
            Some(inner) => all.extend(inner),
            None => all.push(path.clone()),
        }
        path.pop();
    }
    Some(all)
}

/// The value that a record has at a place.
fn member<'n, 't>(record: &'n JsonNode<'t>, path: &[&str]) -> Option<&'n JsonNode<'t>> {
    path.iter().try_fold(record, |node, key| match node {
        JsonNode::Object(members) => members.iter().find(|(name, _)| name == key).map(|(_, value)| value),
        _ => None,
    })
}

/// True for a text that is the same without quotes: it is not read as another value, and ends where its cell ends.
fn is_plain_text(text: &str) -> bool {
    !text.is_empty()
        && !is_scalar(text)
        && !text.starts_with(['[', '{'])
        && text.trim() == text
        && !text.contains([',', '"', '\\', '\n'])
}

/// Reads the names of the columns and a number of records, and returns what follows them.
pub(super) fn read_table(text: &str, count: usize) -> Option<(Vec<JsonNode<'_>>, &str)> {
    let (header, mut rest) = text.split_once('\n')?;
    let columns: Vec<Vec<&str>> = header.split(',').map(|column| column.split('.').collect()).collect();
    let mut records = Vec::new();
    for index in 0..count {
        let mut record = Vec::new();
        for (position, column) in columns.iter().enumerate() {
            if position > 0 {
                rest = rest.strip_prefix(',')?;
            }
            let (cell, behind) = read_cell(rest)?;
            rest = behind;
            if let Some(cell) = cell {
                insert(&mut record, column, cell)?;
            }
        }
        records.push(JsonNode::Object(record));
        match rest.strip_prefix('\n') {
            Some(behind) => rest = behind,
            None if rest.is_empty() && index + 1 == count => {}
            None => return None,
        }
    }
    Some((records, rest))
}

/// Reads a cell; None for an empty one.
fn read_cell(text: &str) -> Option<(Option<JsonNode<'_>>, &str)> {
    if text.starts_with(['"', '[', '{']) {
        let (node, rest) = JsonNode::read_first(text)?;
        return Some((Some(node), rest));
    }
    let (cell, rest) = text.split_at(text.find([',', '\n']).unwrap_or(text.len()));
    let node = match cell {
        "" => None,
        cell if is_scalar(cell) => Some(JsonNode::Scalar(cell)),
        cell => Some(JsonNode::Text(cell)),
    };
    Some((node, rest))
}

fn insert<'t>(members: &mut Vec<(&'t str, JsonNode<'t>)>, column: &[&'t str], value: JsonNode<'t>) -> Option<()> {
    let (key, inner) = column.split_first()?;
    if inner.is_empty() {
        members.push((key, value));
        return Some(());
    }
    if !members.iter().any(|(name, _)| name == key) {
        members.push((key, JsonNode::Object(Vec::new())));
    }
    match members.iter_mut().find(|(name, _)| name == key) {
        Some((_, JsonNode::Object(own))) => insert(own, inner, value),
        _ => None,
    }
}
