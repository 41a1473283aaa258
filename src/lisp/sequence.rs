//! Collections as sequences.

use super::fault::{EvalResult, type_error};
use crate::unicode::cut_position;
use crate::value::{Value, Vector};
use crate::work::{self, large};

/// Returns the elements of a collection. Entries of maps become vectors of two, strings become their characters,
/// and nil has no elements.
pub fn to_vector(name: &str, value: &Value) -> EvalResult<Vector> {
    match value {
        Value::Vector(items) => Ok(items.clone()),
        Value::Nil => Ok(Vector::default()),
        Value::Map(entries) => Ok(entries.iter().map(|(key, value)| pair(key, value)).collect()),
        Value::Set(items) => Ok(items.to_vector()),
        Value::Str(text) => Ok(characters(text).map(Value::str).collect()),
        other => type_error(name, "a collection", other, "collections are vectors, maps, sets, strings and nil"),
    }
}

/// Collections with more elements, and texts with more bytes, are converted to vectors in pieces.
pub const LONG: usize = large(10_000);

/// Returns true for a collection that is not a vector and takes long to convert to one.
pub fn is_long(value: &Value) -> bool {
    match value {
        Value::Map(entries) => entries.len() > LONG,
        Value::Set(items) => items.len() > LONG,
        Value::Str(text) => text.len() > LONG,
        _ => false,
    }
}

/// The elements of a collection in the form of [`to_vector`], made in pieces.
#[derive(Default)]
pub struct Source {
    value: Value,
    /// The number of elements made so far; for a text, of bytes.
    position: usize,
}

impl Source {
    /// Starts with the elements of a value; a value that is not a collection has none.
    pub fn new(value: Value) -> Source {
        Source { value, position: 0 }
    }

    /// Appends at most `max` further elements to `into`; returns true when there are no more.
    pub fn pour(&mut self, max: usize, into: &mut Vec<Value>) -> bool {
        let start = self.position;
        let end = start.saturating_add(max);
        let count = match &self.value {
            Value::Vector(items) => {
                into.extend(items.as_slice()[start..].iter().take(max).cloned());
                items.len()
            }
            Value::Map(entries) => {
                into.extend(entries.range(start..end).map(|(key, value)| pair(key, value)));
                entries.len()
            }
            Value::Set(items) => {
                into.extend(items.range(start..end).iter().cloned());
                items.len()
            }
            Value::Str(text) => {
                for character in characters(&text[start..]).take(max) {
                    self.position += character.len();
                    into.push(Value::str(character));
                }
                return self.position == text.len();
            }
            _ => 0,
        };
        self.position = end.min(count);
        self.position == count
    }
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
