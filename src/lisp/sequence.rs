//! Collections as sequences.

use super::fault::{EvalResult, type_error};
use crate::unicode::cut_place;
use crate::value::{Value, Vector};

/// The elements of a collection. Entries of maps become vectors of two, strings become their characters,
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

/// An entry of a map as a vector of two.
pub fn pair(key: &Value, value: &Value) -> Value {
    Value::vector([key.clone(), value.clone()])
}

/// The characters of a text: grapheme clusters.
pub fn characters(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = cut_place(rest, 1).unwrap_or(rest.len());
        let (first, others) = (&rest[..end], &rest[end..]);
        rest = others;
        Some(first)
    })
}

/// The character at an index; nil after the end.
pub fn character_at(text: &str, index: usize) -> Value {
    let start = match cut_place(text, index) {
        Some(start) => start,
        None => return Value::Nil,
    };
    characters(&text[start..]).next().map(Value::str).unwrap_or_default()
}
