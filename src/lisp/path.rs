//! Reading by key, index and path.

use super::fault::{Outcome, type_error};
use super::sequence::character_at;
use super::vm::{get_flexible, look_up};
use crate::value::Value;

/// What a collection has at a key: of maps read flexibly, of vectors and strings by index, of sets
/// the element itself.
pub fn get(collection: &Value, key: &Value) -> Option<Value> {
    match (collection, key) {
        (Value::Map(map), key) => get_flexible(map, key).cloned(),
        (Value::Vector(items), Value::Int(index)) => items.get(usize::try_from(*index).ok()?).cloned(),
        (Value::Set(items), key) => items.contains(key).then(|| key.clone()),
        (Value::Str(text), Value::Int(index)) => {
            let character = character_at(text, usize::try_from(*index).ok()?);
            (!matches!(character, Value::Nil)).then_some(character)
        }
        _ => None,
    }
}

/// What is found by following keys into nested collections.
pub fn get_path(collection: &Value, path: &[Value]) -> Option<Value> {
    path.iter().try_fold(collection.clone(), |inner, key| get(&inner, key))
}

/// What an element has at a key, an index or a path, where a function could stand instead.
pub fn select(name: &str, key: &Value, item: &Value) -> Outcome {
    match (key, item) {
        (Value::Keyword(_), item) => look_up(key, std::slice::from_ref(item)),
        (Value::Vector(path), item) => Ok(get_path(item, path.as_slice()).unwrap_or_default()),
        (_, Value::Map(_) | Value::Vector(_) | Value::Nil) => Ok(get(item, key).unwrap_or_default()),
        (_, item) => type_error(name, "elements that are maps or vectors, where a key or index is given", item, ""),
    }
}
