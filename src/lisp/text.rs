//! Texts of values, as `str`, `println` and `join` write them, and text arguments.

use std::fmt::Write;

use super::fault::{EvalResult, type_error};
use super::meter::Meter;
use crate::value::{PrintOptions, Value, to_clojure, write_day, write_instant};

/// How a value is written.
#[derive(Clone, Copy)]
pub enum Style {
    /// The style of `str`: strings without quotes, nil as nothing, regexes by their source, dates as ISO texts,
    /// infinite floats in Java's notation, everything else as Clojure text.
    Str,
    /// The style of `println`: strings without quotes, nil as `nil`.
    Line,
    /// As Clojure text, strings in quotes.
    Readable,
}

const OPTIONS: PrintOptions = PrintOptions { limit: None, printable_limit: None, filter_hidden: false };

/// Appends a value. Its text is measured before it is written, so that the limit of texts bounds the time.
pub fn append(meter: &mut Meter, value: &Value, style: Style, out: &mut String) -> EvalResult<()> {
    match (style, value) {
        (Style::Str | Style::Line, Value::Str(text)) => push(meter, text, out)?,
        (Style::Str, Value::Nil) => {}
        (_, Value::Int(number)) => {
            meter.text(20)?;
            let _ = write!(out, "{number}");
        }
        (Style::Str, Value::Regex(source)) => push(meter, source, out)?,
        (Style::Str, Value::Float(f64::INFINITY)) => push(meter, "Infinity", out)?,
        (Style::Str, Value::Float(f64::NEG_INFINITY)) => push(meter, "-Infinity", out)?,
        (Style::Str, Value::Float(value)) if value.is_nan() => push(meter, "NaN", out)?,
        (Style::Str, Value::Date(millis)) => {
            write_instant(*millis, out);
            // As in Java, milliseconds are written where there are some.
            if out.ends_with(".000Z") {
                out.truncate(out.len() - 5);
                out.push('Z');
            }
        }
        (Style::Str, Value::Day(days)) => write_day(*days, out),
        (_, value) => {
            meter.text(size(value, 4 * meter.limits.collection_size))?;
            push_made(meter, &to_clojure(value, &OPTIONS).text, out)?;
            // The digits of integers count as work.
            meter.go_on()?;
        }
    }
    Ok(())
}

/// Returns the texts of values with a text between them.
pub fn joined(meter: &mut Meter, values: &[Value], style: Style, between: &str) -> EvalResult<String> {
    let mut out = String::new();
    for (position, value) in values.iter().enumerate() {
        if position > 0 {
            push(meter, between, &mut out)?;
        }
        append(meter, value, style, &mut out)?;
    }
    Ok(out)
}

/// Appends a text.
pub fn push(meter: &mut Meter, text: &str, out: &mut String) -> EvalResult<()> {
    meter.text(text.len())?;
    push_made(meter, text, out)
}

fn push_made(meter: &Meter, text: &str, out: &mut String) -> EvalResult<()> {
    if out.len() + text.len() > 4 * meter.limits.collection_size {
        return meter.too_long((out.len() + text.len()).div_ceil(4));
    }
    out.push_str(text);
    Ok(())
}

/// Returns the text as a value. Fails when it is too long.
pub fn finish(meter: &mut Meter, text: String) -> EvalResult {
    let max = meter.limits.collection_size;
    if text.len() > max {
        let characters = text.chars().count();
        if characters > max {
            return meter.too_long(characters);
        }
    }
    meter.text(text.len())?;
    Ok(Value::str(text))
}

/// Returns the approximate size of a value's text in bytes; stops counting after `max`. The text of a value with shared
/// parts may be exponentially larger than the value.
pub fn size(value: &Value, max: usize) -> usize {
    const SCALAR: usize = 20;
    let (mut pending, mut bytes) = (vec![value], 0);
    while let Some(value) = pending.pop() {
        // Each value counts as three bytes at least.
        let inside = match value {
            Value::Vector(items) => items.len(),
            Value::Set(items) => items.len(),
            Value::Map(entries) => 2 * entries.len(),
            _ => 0,
        };
        let min = bytes + 3 * (pending.len() + inside);
        if min > max {
            return min;
        }
        bytes += 1 + match value {
            Value::Str(text) | Value::Keyword(text) | Value::Regex(text) | Value::Builtin(text) => text.len() + 2,
            Value::BigInt(integer) => integer.bits() as usize / 3,
            Value::Float(float) if float.abs() > 1e15 => 310,
            Value::Closure(closure) => closure.params.len(),
            Value::Vector(items) => {
                pending.extend(items.iter());
                2
            }
            Value::Set(items) => {
                pending.extend(items.iter());
                3
            }
            Value::Map(entries) => {
                entries.iter().for_each(|(key, value)| pending.extend([key, value]));
                2
            }
            _ => SCALAR,
        };
    }
    bytes
}

/// Returns the argument as a text; an error when it is not a text.
pub fn to_text<'v>(name: &str, value: &'v Value, hint: &str) -> EvalResult<&'v str> {
    match value {
        Value::Str(text) => Ok(text),
        other => not_a_text(name, other, hint),
    }
}

/// Returns the error of an argument that is not a text.
#[cold]
pub fn not_a_text<T>(name: &str, value: &Value, hint: &str) -> EvalResult<T> {
    let hint = match value {
        _ if !hint.is_empty() => hint.into(),
        Value::Nil => "a key may be missing: give a default, `(:key m \"\")` or `(or s \"\")`".into(),
        Value::Vector(_) | Value::Set(_) => {
            format!("for every element write `(map #({name} …) coll)`, with `%` in its place")
        }
        Value::Keyword(_) => "the text of a keyword is `(name k)`".into(),
        Value::Map(_) => "take the text out of the map: `(:key m)`".into(),
        _ => "make a text of it with `(str x)`".to_owned(),
    };
    type_error(name, "a string", value, &hint)
}
