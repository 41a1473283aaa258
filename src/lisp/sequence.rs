//! Collections as sequences.

use super::fault::{EvalResult, error_with_hint, type_error};
use super::meter::Meter;
use crate::unicode::cut_position;
use crate::value::{Value, Vector};
use crate::work;

/// Returns the elements of a collection. Entries of maps become vectors of two, strings become their characters,
/// and nil has no elements.
pub fn to_vector(meter: &Meter, name: &str, value: &Value) -> EvalResult<Vector> {
    match value {
        Value::Vector(items) => Ok(items.clone()),
        Value::Nil => Ok(Vector::default()),
        Value::Map(entries) => collected(meter, entries.iter().map(|(key, value)| pair(key, value))),
        Value::Set(items) => collected(meter, items.iter().cloned()),
        Value::Str(text) => collected(meter, characters(text).map(Value::str)),
        other if endless_parts(other).is_some() => error_with_hint(
            "type_error",
            format!("`{name}` would go through an endless sequence"),
            "take a part of it first: `(take n coll)` or `(take-while pred coll)`",
        ),
        other => type_error(name, "a collection", other, "collections are vectors, maps, sets, strings and nil"),
    }
}

/// The name under which an endless sequence captures its state. Programs can't capture it: a local name has no namespace.
pub const ENDLESS: &str = "clojure.core/endless";

/// Returns the state of an endless sequence, the function to the next state, and the function to the elements of a state.
pub fn endless_parts(value: &Value) -> Option<(&Value, &Value, &Value)> {
    let Value::Closure(closure) = value else { return None };
    match closure.captured.0.as_slice() {
        [(name, state), (_, next), (_, elements)] if **name == *ENDLESS => Some((state, next, elements)),
        _ => None,
    }
}

/// Collects values. Fails as soon as the memory is used up, because a value may take much more memory than its element.
pub fn collected(meter: &Meter, values: impl Iterator<Item = Value>) -> EvalResult<Vector> {
    let size = values.size_hint().0;
    meter.room(size)?;
    let mut all = Vec::with_capacity(size);
    for value in values {
        meter.allocate(0)?;
        all.push(value);
    }
    Ok(Vector::from(all))
}

/// Returns an entry of a map as a vector of two.
pub fn pair(key: &Value, value: &Value) -> Value {
    Value::vector([key.clone(), value.clone()])
}

/// Returns the characters of a text, which are its grapheme clusters.
pub fn characters(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = cut_position(rest, 1).unwrap_or(rest.len());
        let (first, others) = (&rest[..end], &rest[end..]);
        rest = others;
        Some(first)
    })
}

/// Returns the character at an index; nil after the end.
pub fn character_at(text: &str, index: usize) -> Value {
    let start = cut_position(text, index).unwrap_or(text.len());
    work::charge(start as u64 / 16);
    characters(&text[start..]).next().map(Value::str).unwrap_or_default()
}
