//! Texts of values, as `str`, `println` and `join` write them, and text arguments.

use super::fault::{EvalResult, type_error};
use super::meter::Meter;
use crate::value::{PrintOptions, Value, to_clojure, write_instant};

/// Appends a value as `str` does: strings without quotes, nil as nothing, regexes by their source,
/// dates as ISO texts, infinite floats as Java writes them, everything else as Clojure text.
pub fn append(meter: &mut Meter, value: &Value, out: &mut String) -> EvalResult<()> {
    match value {
        Value::Nil => Ok(()),
        Value::Regex(source) => push(meter, source, out),
        Value::Float(f64::INFINITY) => push(meter, "Infinity", out),
        Value::Float(f64::NEG_INFINITY) => push(meter, "-Infinity", out),
        Value::Float(value) if value.is_nan() => push(meter, "NaN", out),
        Value::Date(millis) => {
            write_instant(*millis, out);
            Ok(())
        }
        value => display(meter, value, out),
    }
}

/// Appends a value as `println` does: strings without quotes, nil as `nil`.
pub fn display(meter: &mut Meter, value: &Value, out: &mut String) -> EvalResult<()> {
    match value {
        Value::Str(text) => push(meter, text, out),
        value => readable(meter, value, out),
    }
}

/// Appends a value as Clojure text, strings in quotes.
pub fn readable(meter: &mut Meter, value: &Value, out: &mut String) -> EvalResult<()> {
    // The text of a value that shares its parts may be exponentially larger than the value.
    meter.text(size(value, 4 * meter.limits.collection_size))?;
    let options = PrintOptions { limit: None, printable_limit: None, filter_hidden: false };
    push_made(meter, &to_clojure(value, &options).text, out)
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

/// The text as a value. Fails when it is too long.
pub fn finish(meter: &mut Meter, text: String) -> EvalResult {
    if text.len() > meter.limits.collection_size {
        let characters = text.chars().count();
        if characters > meter.limits.collection_size {
            return meter.too_long(characters);
        }
    }
    meter.text(text.len())?;
    Ok(Value::str(text))
}

/// The approximate size of a value's text in bytes; stops counting after `most`.
pub fn size(value: &Value, most: usize) -> usize {
    const SCALAR: usize = 20;
    let mut pending = vec![value];
    let mut bytes = 0;
    while let Some(value) = pending.pop()
        && bytes <= most
    {
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

/// The argument as a text; an error when it is none.
pub fn to_text<'v>(name: &str, value: &'v Value, hint: &str) -> EvalResult<&'v str> {
    match value {
        Value::Str(text) => Ok(text),
        other => not_a_text(name, other, hint),
    }
}

/// The error of an argument that is not a text.
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
