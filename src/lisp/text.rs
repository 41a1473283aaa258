//! Texts of values, as `str`, `println` and `join` write them, and text arguments.

use std::fmt::Write;

use super::fault::{EvalResult, type_error};
use super::meter::{Bounds, Meter};
use super::task::Pace;
use crate::value::{PrintOptions, Printing, Value, Vector, to_clojure, write_day, write_instant};
use crate::work::{self, PIECE, large};

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

/// Collections whose text has more bytes are written in pieces.
const LARGE: usize = large(50_000);

/// The items of a collection that are written between two possible pauses; an item takes as long as several elements.
const ITEMS: usize = large(1000);

const OPTIONS: PrintOptions = PrintOptions { limit: None, printable_limit: None, filter_hidden: false };

/// Appends a value.
pub fn append(meter: &Meter, value: &Value, style: Style, out: &mut String) -> EvalResult<()> {
    let bounds = meter.bounds();
    match append_scalar(bounds, value, style, out)? {
        true => Ok(()),
        false => append_collection(bounds, value, size(value, 4 * bounds.collection_size), out),
    }
}

/// Appends values with a text between them, up to the first value that takes long; returns the number appended.
pub fn append_few(meter: &Meter, values: &[Value], style: Style, between: &str, out: &mut String) -> EvalResult<usize> {
    let (bounds, end) = (meter.bounds(), work::done().saturating_add(PIECE));
    for (position, value) in values.iter().enumerate() {
        let start = out.len();
        if position > 0 {
            push_in(bounds, between, out)?;
        }
        if position >= ITEMS || out.len() > LARGE || work::done() > end {
            out.truncate(start);
            return Ok(position);
        }
        if append_scalar(bounds, value, style, out)? {
            continue;
        }
        let bytes = size(value, LARGE);
        if bytes > LARGE {
            out.truncate(start);
            return Ok(position);
        }
        append_collection(bounds, value, bytes, out)?;
    }
    Ok(values.len())
}

/// Appends the values after those that [`append_few`] has appended, in pieces; returns the text.
pub async fn append_rest(
    bounds: Bounds,
    (values, position): (Vector, usize),
    style: Style,
    between: String,
    out: String,
) -> EvalResult {
    let (mut out, mut pace) = (out, Pace::new());
    for (position, value) in values.iter().enumerate().skip(position) {
        if position > 0 {
            push_in(bounds, &between, &mut out)?;
        }
        pace.pass(4).await;
        if append_scalar(bounds, value, style, &mut out)? {
            continue;
        }
        let bytes = measured(bounds, value, &mut pace).await;
        if bytes <= LARGE {
            append_collection(bounds, value, bytes, &mut out)?;
            pace.pass(bytes / 4).await;
            continue;
        }
        bounds.text(bytes)?;
        let mut printing = Printing::new(value, &OPTIONS);
        while !printing.advance(ITEMS) {
            pace.pass(8 * ITEMS).await;
        }
        push_made(bounds, &printing.text(), &mut out)?;
        pace.rest().await;
    }
    finish_in(bounds, out)
}

/// Appends a value that is not a collection; returns false for a collection.
fn append_scalar(bounds: Bounds, value: &Value, style: Style, out: &mut String) -> EvalResult<bool> {
    match (style, value) {
        (_, Value::Vector(_) | Value::Map(_) | Value::Set(_)) => return Ok(false),
        (Style::Str | Style::Line, Value::Str(text)) => push_in(bounds, text, out)?,
        (Style::Str, Value::Nil) => {}
        (_, Value::Int(number)) => {
            bounds.text(20)?;
            let _ = write!(out, "{number}");
        }
        (Style::Str, Value::Regex(source)) => push_in(bounds, source, out)?,
        (Style::Str, Value::Float(f64::INFINITY)) => push_in(bounds, "Infinity", out)?,
        (Style::Str, Value::Float(f64::NEG_INFINITY)) => push_in(bounds, "-Infinity", out)?,
        (Style::Str, Value::Float(value)) if value.is_nan() => push_in(bounds, "NaN", out)?,
        (Style::Str, Value::Date(millis)) => write_instant(*millis, out),
        (Style::Str, Value::Day(days)) => write_day(*days, out),
        (_, value) => append_collection(bounds, value, size(value, LARGE), out)?,
    }
    Ok(true)
}

/// Returns the size of a value's text. The text of a value with shared parts may be exponentially larger than the
/// value.
pub async fn measured(bounds: Bounds, value: &Value, pace: &mut Pace) -> usize {
    let mut measuring = Measuring::new(value, 4 * bounds.collection_size);
    loop {
        match measuring.advance(ITEMS) {
            Some(bytes) => return bytes,
            None => pace.pass(ITEMS).await,
        }
    }
}

fn append_collection(bounds: Bounds, value: &Value, bytes: usize, out: &mut String) -> EvalResult<()> {
    bounds.text(bytes)?;
    push_made(bounds, &to_clojure(value, &OPTIONS).text, out)
}

/// Appends a text.
pub fn push(meter: &Meter, text: &str, out: &mut String) -> EvalResult<()> {
    push_in(meter.bounds(), text, out)
}

/// Does the work of [`push`] for a task.
pub fn push_in(bounds: Bounds, text: &str, out: &mut String) -> EvalResult<()> {
    bounds.text(text.len())?;
    push_made(bounds, text, out)
}

fn push_made(bounds: Bounds, text: &str, out: &mut String) -> EvalResult<()> {
    if out.len() + text.len() > 4 * bounds.collection_size {
        return bounds.too_long((out.len() + text.len()).div_ceil(4));
    }
    out.push_str(text);
    Ok(())
}

/// Returns the text as a value. Fails when it is too long.
pub fn finish(meter: &Meter, text: String) -> EvalResult {
    finish_in(meter.bounds(), text)
}

/// Does the work of [`finish`] for a task.
pub fn finish_in(bounds: Bounds, text: String) -> EvalResult {
    if text.len() > bounds.collection_size {
        let characters = text.chars().count();
        if characters > bounds.collection_size {
            return bounds.too_long(characters);
        }
    }
    bounds.text(text.len())?;
    Ok(Value::str(text))
}

/// Returns the approximate size of a value's text in bytes; stops counting after `max`.
pub fn size(value: &Value, max: usize) -> usize {
    Measuring::new(value, max).advance(usize::MAX).unwrap_or(max)
}

/// [`size`], in pieces.
struct Measuring<'a> {
    pending: Vec<&'a Value>,
    bytes: usize,
    max: usize,
}

impl<'a> Measuring<'a> {
    fn new(value: &'a Value, max: usize) -> Measuring<'a> {
        Measuring { pending: vec![value], bytes: 0, max }
    }

    /// Visits at most `values` further values; returns the number of bytes when the count is complete.
    fn advance(&mut self, values: usize) -> Option<usize> {
        const SCALAR: usize = 20;
        let Measuring { pending, bytes, max } = self;
        for _ in 0..values {
            let Some(value) = pending.pop() else { return Some(*bytes) };
            // Each value counts as three bytes at least.
            let inside = match value {
                Value::Vector(items) => items.len(),
                Value::Set(items) => items.len(),
                Value::Map(entries) => 2 * entries.len(),
                _ => 0,
            };
            let min = *bytes + 3 * (pending.len() + inside);
            if min > *max {
                return Some(min);
            }
            *bytes += 1 + match value {
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
        None
    }
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
