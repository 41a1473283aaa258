//! The writer of a value's JSON. It keeps the open collections in a list instead of recursing, so that nesting can't
//! overflow the stack.

use super::write_to;
use crate::value::number::{write_integer, write_shortest};
use crate::value::{Closure, Map, Set, Value, Vector, is_keyword_name, write_day};

/// The largest integer that every JSON reader keeps exactly: 2^53 - 1.
const MAX_SAFE_INTEGER: u64 = 9_007_199_254_740_991;

/// A collection that is being written, and the number of its children that are written.
struct Writing<'a> {
    children: Shape<'a>,
    written: usize,
}

enum Shape<'a> {
    Array(&'a Vector),
    Set(&'a Set),
    Object(&'a Map),
    /// Keys and values, alternating.
    Pairs(&'a Map),
    /// Names and captured values, alternating.
    Captured(&'a Closure),
}

/// Appends the JSON of `value` to `out`.
pub fn append_json(value: &Value, out: &mut String) {
    let mut open = Vec::new();
    begin(value, out, &mut open);
    while let Some(writing) = open.last_mut() {
        match writing.next(out) {
            Some(child) => begin(child, out, &mut open),
            None => {
                open.pop();
            }
        }
    }
}

fn begin<'a>(value: &'a Value, out: &mut String, open: &mut Vec<Writing<'a>>) {
    let (start, children) = match value {
        Value::Vector(items) => ("[", Shape::Array(items)),
        Value::Set(items) => ("{\"$set\":[", Shape::Set(items)),
        Value::Map(entries) if entries.iter().all(|(key, _)| is_plain_key(key)) => ("{", Shape::Object(entries)),
        Value::Map(entries) => ("{\"$map\":[", Shape::Pairs(entries)),
        Value::Closure(closure) if !closure.captured.0.is_empty() => {
            write_closure(closure, out);
            (",\"captured\":[", Shape::Captured(closure))
        }
        scalar => return write_scalar(scalar, out),
    };
    out.push_str(start);
    open.push(Writing { children, written: 0 });
}

fn is_plain_key(key: &Value) -> bool {
    matches!(key, Value::Keyword(name) if !name.starts_with('$') && is_keyword_name(name))
}

impl<'a> Writing<'a> {
    /// Writes the separator before the next child and returns the child; after the last child, writes the
    /// closing brackets and returns `None`.
    fn next(&mut self, out: &mut String) -> Option<&'a Value> {
        let index = self.written;
        self.written += 1;
        let (child, end) = match self.children {
            Shape::Array(items) => (items.get(index), "]"),
            Shape::Set(items) => (items.item_at(index), "]}"),
            Shape::Captured(closure) => {
                let captured = closure.captured.0.get(index);
                if let Some((name, _)) = captured {
                    out.push_str(if index > 0 { "," } else { "" });
                    write_json_string(name, out);
                    out.push(',');
                    return captured.map(|(_, value)| value);
                }
                out.push_str("]}}");
                return None;
            }
            Shape::Object(entries) => {
                let entry = entries.entry_at(index);
                if let Some((key, _)) = entry {
                    out.push_str(if index > 0 { "," } else { "" });
                    write_json_string(key.key_name().unwrap_or_default(), out);
                    out.push(':');
                }
                return entry.map(|(_, value)| value).or_else(|| {
                    out.push('}');
                    None
                });
            }
            Shape::Pairs(entries) => {
                let (entry, is_key) = (entries.entry_at(index / 2), index.is_multiple_of(2));
                out.push_str(match (is_key, index) {
                    (true, 0) => "[",
                    (true, _) if entry.is_some() => "],[",
                    (true, _) => "]]}",
                    (false, _) => ",",
                });
                return entry.map(|(key, value)| if is_key { key } else { value });
            }
        };
        match child {
            Some(_) if index > 0 => out.push(','),
            Some(_) => {}
            None => out.push_str(end),
        }
        child
    }
}

fn write_scalar(value: &Value, out: &mut String) {
    match value {
        Value::Nil => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Int(value) if value.unsigned_abs() <= MAX_SAFE_INTEGER => write_small(*value, out),
        Value::Int(value) => write_to(out, format_args!("{{\"$int\":\"{value}\"}}")),
        Value::BigInt(value) => {
            out.push_str("{\"$int\":\"");
            write_integer(value, out);
            out.push_str("\"}");
        }
        Value::Float(value) => write_float(*value, out),
        Value::Str(text) => write_json_string(text, out),
        Value::Keyword(name) => write_tagged("$keyword", name, out),
        Value::Builtin(name) => write_tagged("$builtin", name, out),
        Value::Var(name) => write_tagged("$var", name, out),
        Value::Regex(source) => write_tagged("$regex", source, out),
        Value::Date(millis) => write_to(out, format_args!("{{\"$date\":{millis}}}")),
        Value::Day(days) => {
            out.push_str("{\"$day\":\"");
            write_day(*days, out);
            out.push_str("\"}");
        }
        Value::Closure(closure) => {
            write_closure(closure, out);
            out.push_str("}}");
        }
        Value::Vector(_) | Value::Map(_) | Value::Set(_) => unreachable!("collections are opened, not written"),
    }
}

fn write_tagged(tag: &str, text: &str, out: &mut String) {
    write_to(out, format_args!("{{\"{tag}\":"));
    write_json_string(text, out);
    out.push('}');
}

/// Writes a closure without its captured values and without the closing brackets.
fn write_closure(closure: &Closure, out: &mut String) {
    out.push_str("{\"$fn\":{\"params\":");
    write_json_string(&closure.params, out);
    let members = [("doc", &closure.doc), ("returnType", &closure.return_type), ("source", &closure.source)];
    for (name, text) in members {
        if let Some(text) = text {
            write_to(out, format_args!(",\"{name}\":"));
            write_json_string(text, out);
        }
    }
}

fn write_float(value: f64, out: &mut String) {
    if value.is_finite() && value.fract() != 0.0 {
        return write_shortest(value, out);
    }
    out.push_str("{\"$float\":\"");
    match value {
        f64::INFINITY => out.push_str("Infinity"),
        f64::NEG_INFINITY => out.push_str("-Infinity"),
        _ if value.is_nan() => out.push_str("NaN"),
        _ => write_shortest(value, out),
    }
    out.push_str("\"}");
}

/// Appends `text` as a JSON string, quotes included.
pub fn write_json_string(text: &str, out: &mut String) {
    out.push('"');
    let mut rest = text;
    while let Some(position) = rest.bytes().position(|byte| matches!(byte, b'"' | b'\\' | 0..=0x1f)) {
        out.push_str(&rest[..position]);
        match rest.as_bytes()[position] {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\t' => out.push_str("\\t"),
            b'\r' => out.push_str("\\r"),
            0x08 => out.push_str("\\b"),
            0x0C => out.push_str("\\f"),
            control => write_to(out, format_args!("\\u{control:04x}")),
        }
        rest = &rest[position + 1..];
    }
    out.push_str(rest);
    out.push('"');
}

/// Writes an integer in decimal digits without the formatting macros, because most numbers are such integers.
fn write_small(value: i64, out: &mut String) {
    if value < 0 {
        out.push('-');
    }
    let mut rest = value.unsigned_abs();
    let mut digits = Vec::with_capacity(20);
    loop {
        digits.push(b'0' + (rest % 10) as u8);
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    digits.iter().rev().for_each(|digit| out.push(char::from(*digit)));
}
