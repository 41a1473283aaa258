//! Reading values by key, index and path.

use super::fault::{EvalResult, error_with_hint, type_error};
use super::lookup::{get_flexible, look_up};
use super::sequence::character_at;
use crate::value::Value;
use crate::work;

/// Returns the value at a key of a map, at an index of a vector or string, or the element of a set. Keys are looked
/// up as in [`get_flexible`].
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

/// The largest number of keys in a path, because a path is followed without a pause.
pub const LONGEST: usize = 10_000;

/// Fails for a path of more than [`LONGEST`] keys.
pub fn check_path(path: &[Value]) -> EvalResult<()> {
    if path.len() > LONGEST {
        let message = format!("a path of {} keys is longer than {LONGEST}", path.len());
        return error_with_hint(
            "collection_size_exceeded",
            message,
            "follow the nested values with `loop` or `reduce`",
        );
    }
    work::charge(path.len() as u64 / 4);
    Ok(())
}

/// Returns the value at a path of keys in nested collections.
pub fn get_path(collection: &Value, path: &[Value]) -> EvalResult<Option<Value>> {
    check_path(path)?;
    Ok(path.iter().try_fold(collection.clone(), |inner, key| get(&inner, key)))
}

/// Returns the value of an element at a key, an index or a path, for builtins that also take a function there.
pub fn select(name: &str, key: &Value, item: &Value) -> EvalResult {
    match (key, item) {
        (Value::Keyword(_), item) => look_up(key, std::slice::from_ref(item)),
        (Value::Vector(path), item) => Ok(get_path(item, path.as_slice())?.unwrap_or_default()),
        (_, Value::Map(_) | Value::Vector(_) | Value::Nil) => Ok(get(item, key).unwrap_or_default()),
        (_, item) => type_error(name, "elements that are maps or vectors, where a key or index is given", item, ""),
    }
}
