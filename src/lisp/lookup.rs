//! Looking up keys in maps, and calling keywords, maps, sets and vectors.

use crate::lisp::fault::{EvalResult, describe, error_with_hint, type_error};
use crate::value::{Map, Value};
use crate::work;

/// Returns the value of exactly this key, else of a keyword or string with the same name, else of a key whose name
/// differs only in `-` and `_`.
pub fn get_flexible<'a>(map: &'a Map, key: &Value) -> Option<&'a Value> {
    map.get(key).or_else(|| get_otherwise(map, key))
}

/// Does the lookup of [`get_flexible`] for a key that the map does not contain exactly.
pub fn get_otherwise<'a>(map: &'a Map, key: &Value) -> Option<&'a Value> {
    let name = key.key_name()?;
    // The name is copied, and searched for dashes.
    work::read(name.len());
    let other = match key {
        Value::Keyword(name) => Value::Str(name.clone()),
        _ => Value::keyword(name),
    };
    map.get(&other).or_else(|| {
        if !name.contains(['-', '_']) {
            return None;
        }
        work::read(4 * name.len());
        let name = dashed(name);
        [name.clone(), name.replace('-', "_")]
            .iter()
            .find_map(|name| map.get(&Value::keyword(name)).or_else(|| map.get(&Value::str(name))))
    })
}

/// Returns the key of the entry that a function changes or removes: where the map has no such keyword, the key that
/// [`get_flexible`] finds for it. Any other key is taken as it is, because programs compute strings.
pub fn key_of_entry(map: &Map, key: &Value) -> Value {
    let Value::Keyword(name) = key else { return key.clone() };
    if map.get(key).is_some() {
        return key.clone();
    }
    let dashed = dashed(name);
    let names = [name.to_string(), dashed.clone(), dashed.replace('-', "_")];
    let keys = names.iter().flat_map(|name| [Value::keyword(name), Value::str(name)]);
    keys.into_iter().find(|key| map.get(key).is_some()).unwrap_or_else(|| key.clone())
}

/// Returns the name with `-` in place of `_`.
pub fn dashed(name: &str) -> String {
    name.replace('_', "-")
}

/// Returns whether two names are equal except for `-` and `_`.
pub fn are_alike(left: &str, right: &str) -> bool {
    let is_dash = |byte: u8| matches!(byte, b'-' | b'_');
    let mut pairs = left.bytes().zip(right.bytes());
    left.len() == right.len() && pairs.all(|(left, right)| left == right || is_dash(left) && is_dash(right))
}

/// Calls a keyword, map, set or vector.
pub fn look_up(callee: &Value, args: &[Value]) -> EvalResult {
    let (first, default) = match args {
        [first] => (first, None),
        [first, default] => (first, Some(default)),
        _ => return wrong_count(callee, args.len()),
    };
    let found = match callee {
        Value::Keyword(_) => match first {
            Value::Map(map) => get_flexible(map, callee),
            Value::Set(set) => set.contains(callee).then_some(callee),
            Value::Nil => None,
            other => return not_a_map(callee, other),
        },
        Value::Map(map) => get_flexible(map, first),
        Value::Set(set) => set.contains(first).then_some(first),
        Value::Vector(items) => {
            let Value::Int(index) = first else { return type_error("a vector as a function", "an index", first, "") };
            let found = usize::try_from(*index).ok().and_then(|index| items.get(index));
            if found.is_none() && default.is_none() {
                let message = format!("there is no index {index} in a vector of {} elements", items.len());
                return error_with_hint("out_of_range", message, "`(nth v i)` and `(get v i)` give nil there");
            }
            found
        }
        _ => None,
    };
    Ok(found.or(default).cloned().unwrap_or_default())
}

#[cold]
fn wrong_count(callee: &Value, count: usize) -> EvalResult {
    let message = format!("{} as a function takes a key and maybe a default, got {count} arguments", describe(callee));
    error_with_hint("arity_error", message, "write `(:key m)` or `(:key m default)`")
}

#[cold]
fn not_a_map(key: &Value, got: &Value) -> EvalResult {
    let shown = crate::value::to_clojure(key, &Default::default()).text;
    let message = format!("`{shown}` looks a key up in a map, got {}", describe(got));
    let hint = match got {
        Value::Vector(_) => format!("for a collection of maps write `(map {shown} coll)`"),
        _ => format!("write `({shown} m)` with a map m"),
    };
    error_with_hint("type_error", message, hint)
}
