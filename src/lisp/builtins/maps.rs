//! Maps: lookups and changes that call no functions. A lookup accepts a key as a keyword or a string; an update uses
//! the key as it is given.

use super::arguments::{all_fit, arg, elements, map, not_taken, take};
use super::comparators::keeping_order;
use super::endless::of_several;
use super::filling::{FEW, add_all, add_entries, fill, is_large_map};
use super::methods::position_of;
use super::{ANY, plain, steps};
use crate::lisp::fault::{EvalResult, describe, error, error_with_hint};
use crate::lisp::lookup::{get_flexible, key_of_entry};
use crate::lisp::native::{Begin, Builtin, Context};
use crate::lisp::path;
use crate::lisp::sequence::to_vector;
use crate::value::{Map, Set, Value, Vector, taken};

pub(super) const ROWS: &[Builtin] = &[
    steps("array-map", "key value …", (0, ANY), "A map of the keys and values.", hash_map),
    steps("assoc", "m key value …", (3, ANY), "The map with keys set to values; the vector with elements set.", assoc),
    plain("assoc-in", "m path value", (3, 3), "The nested map with a value set behind a path.", |context, args| {
        let path = whole_path(context, args)?;
        let value = take(args, 2);
        let mut path = path.into_vec();
        let (opened, _) = open(context, take(args, 0), &mut path, false)?;
        close(context, opened, &path, value)
    }),
    steps("contains?", "coll key", (2, 2), "True when a map has a key, or a set or vector an element.", contains),
    steps("dissoc", "m key …", (1, ANY), "The map without keys.", |context, args| {
        if let Value::Nil = arg(args, 0) {
            return Ok(Begin::Done(Value::Nil));
        }
        let empty = args[0].emptied();
        let mut map = map(context, args, 0)?;
        // A removal takes time in proportion to the size of the map, so many are done in one pass.
        if args.len() > 8 {
            context.meter.elements(map.len() + args.len())?;
            let (gone, count) = (taken(&mut args[1..]), args.len() - 1);
            let (mut gone, mut left) = (gone.into_iter(), Set::default());
            let positions = count + map.len();
            return fill(context, empty, positions, move |_, position, kept| {
                if position < count {
                    gone.next().map(|key| left.insert(key_of_entry(&map, &key)));
                } else if let (Some((key, value)), Value::Map(kept)) = (map.entry_at(position - count), kept)
                    && !left.contains(key)
                {
                    kept.insert(key.clone(), value.clone());
                }
                Ok(true)
            });
        }
        for key in &args[1..] {
            context.meter.visit(map.len() / 8)?;
            let key = key_of_entry(&map, key);
            if map.get(&key).is_some() {
                context.meter.room(map.copied_by(None))?;
                map.remove(&key);
            }
        }
        Ok(Begin::Done(Value::Map(map)))
    }),
    plain("entries", "m", (1, 1), "The entries of a map as vectors `[key value]`.", |context, args| {
        let map = map(context, args, 0)?;
        context.meter.elements(2 * map.len())?;
        to_vector(context.meter, context.name, &Value::Map(map)).map(Value::Vector)
    }),
    plain(
        "get",
        "coll key, coll key default",
        (2, 3),
        "What stands at a key, an index or a path; nil or default where nothing is.",
        get,
    ),
    plain(
        "get-in",
        "coll path, coll path default",
        (2, 3),
        "The value at a path of keys and indexes.",
        |context, args| {
            let path = whole_path(context, args)?;
            let found = path::get_path(arg(args, 0), path.as_slice())?;
            Ok(found.unwrap_or_else(|| take(args, 2)))
        },
    ),
    steps("hash-map", "key value …", (0, ANY), "A map of the keys and values.", hash_map),
    steps("invert", "m", (1, 1), "The map with keys and values exchanged.", invert),
    plain("key", "entry", (1, 1), "The key of an entry `[key value]`.", |context, args| entry_part(context, args, 0)),
    plain("keys", "m", (1, 1), "The keys of a map; nil for an empty collection.", |context, args| {
        parts(context, args, 0)
    }),
    plain("map-entry?", "x", (1, 1), "True for a vector of two, which is what entries are.", |_, args| {
        Ok(Value::Bool(is_entry(arg(args, 0))))
    }),
    steps("map-invert", "m", (1, 1), "The map with keys and values exchanged.", invert),
    steps("merge", "m …", (0, ANY), "One map of all entries; of the same key the last one.", |context, args| {
        let Some(start) = args.iter().position(|map| !matches!(map, Value::Nil)) else {
            return Ok(Begin::Done(Value::Nil));
        };
        let is_sorted = arg(args, start).key_order().is_some();
        let mut merged = match take(args, start) {
            Value::Map(map) => map,
            other => return not_taken(context, "maps", &other, &[]),
        };
        let others = &mut args[start + 1..];
        if !others.is_empty() {
            context.meter.room(merged.copied_by(None))?;
        }
        if others.len() > FEW || others.iter().any(is_large_map) || is_sorted {
            let others = taken(others).into();
            return keeping_order(context, Value::Map(merged), |context, merged| add_all(context, merged, others));
        }
        for other in others {
            add_entries(context, &mut merged, std::mem::take(other))?;
        }
        Ok(Begin::Done(Value::Map(merged)))
    }),
    steps("rename-keys", "m kmap", (2, 2), "The map with keys renamed as kmap says.", |context, args| {
        let (map, names) = (map(context, args, 0)?, map(context, args, 1)?);
        context.meter.elements(map.len())?;
        context.meter.visit(names.len())?;
        let positions = map.len() + names.len();
        fill(context, Value::Map(Map::default()), positions, move |_, position, renamed| {
            let Value::Map(renamed) = renamed else { return Ok(true) };
            if let Some((key, value)) = map.entry_at(position) {
                if names.get(key).is_none() {
                    renamed.insert(key.clone(), value.clone());
                }
            } else if let Some((old, new)) = names.entry_at(position - map.len())
                && let Some(value) = map.get(old)
            {
                renamed.insert(new.clone(), value.clone());
            }
            Ok(true)
        })
    }),
    steps("select-keys", "m keys", (2, 2), "The map of the entries of some keys.", |context, args| {
        let keys = elements(context, args, 1)?;
        let map = map(context, args, 0)?;
        context.meter.elements(keys.len())?;
        fill(context, Value::Map(Map::default()), keys.len(), move |_, position, chosen| {
            let key = &keys.as_slice()[position];
            if let (Some(value), Value::Map(chosen)) = (get_flexible(&map, key), chosen) {
                chosen.insert(key.clone(), value.clone());
            }
            Ok(true)
        })
    }),
    plain("val", "entry", (1, 1), "The value of an entry `[key value]`.", |context, args| entry_part(context, args, 1)),
    plain("vals", "m", (1, 1), "The values of a map; nil for an empty collection.", |context, args| {
        parts(context, args, 1)
    }),
    steps("zipmap", "keys vals", (2, 2), "A map of keys and values that stand at the same places.", |context, args| {
        if let Some(begun) = of_several(context, args, 0)? {
            return Ok(begun);
        }
        let (keys, values) = (elements(context, args, 0)?, elements(context, args, 1)?);
        let count = keys.len().min(values.len());
        context.meter.elements(count)?;
        fill(context, Value::Map(Map::default()), count, move |_, position, map| {
            if let Value::Map(map) = map {
                map.insert(keys.as_slice()[position].clone(), values.as_slice()[position].clone());
            }
            Ok(true)
        })
    }),
];

/// Returns the keys (part 0) or the values (part 1) of a map, or of a vector of entries: of a map that was filtered or sorted.
fn parts(context: &mut Context<'_>, args: &mut [Value], part: usize) -> EvalResult {
    match arg(args, 0) {
        Value::Vector(items) if items.as_slice().first().is_some_and(is_entry) => {
            let entries = items.clone();
            let size = entries.len();
            context.meter.elements(size)?;
            let parts = (0..size).map(|position| entry_part(context, &entries.as_slice()[position..=position], part));
            return parts.collect::<EvalResult<Vec<_>>>().map(Value::from);
        }
        Value::Vector(items) if items.is_empty() => return Ok(Value::Nil),
        Value::Set(items) if items.is_empty() => return Ok(Value::Nil),
        Value::Str(text) if text.is_empty() => return Ok(Value::Nil),
        _ => (),
    }
    let map = map(context, args, 0)?;
    let size = map.len();
    context.meter.elements(size)?;
    if size == 0 {
        return Ok(Value::Nil);
    }
    Ok(Value::vector(map.iter().map(|(key, value)| if part == 0 { key.clone() } else { value.clone() })))
}

fn is_entry(value: &Value) -> bool {
    matches!(value, Value::Vector(items) if items.len() == 2)
}

fn hash_map(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult<Begin> {
    context.meter.elements(args.len())?;
    put_all(context, Value::Map(Map::default()), args)
}

fn assoc(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult<Begin> {
    let collection = take(args, 0);
    if !matches!(collection, Value::Map(_) | Value::Vector(_) | Value::Nil) {
        return not_taken(context, "a map or vector first", &collection, &args[1..]);
    }
    keeping_order(context, collection, |context, collection| put_all(context, collection, &mut args[1..]))
}

/// Puts `key value key value …` into a collection.
pub(super) fn put_all(context: &mut Context<'_>, collection: Value, entries: &mut [Value]) -> EvalResult<Begin> {
    if !entries.len().is_multiple_of(2) {
        let last = entries.last().map(describe).unwrap_or_default();
        let message = format!("`{}` takes a value behind each key, but {last} has none", context.name);
        return error_with_hint("arity_error", message, "write `(assoc m :a 1 :b 2)`");
    }
    let mut collection = collection;
    if entries.len() > FEW {
        context.meter.copying(&collection, None)?;
        let (count, mut entries) = (entries.len() / 2, taken(entries).into_iter());
        return fill(context, collection, count, move |context, _, collection| {
            let (key, value) = (entries.next(), entries.next());
            put(context, collection, key.unwrap_or_default(), value.unwrap_or_default()).map(|()| true)
        });
    }
    for entry in entries.chunks_mut(2) {
        context.meter.copying(&collection, entry.first())?;
        put(context, &mut collection, take(entry, 0), take(entry, 1))?;
    }
    Ok(Begin::Done(collection))
}

/// Puts a value at a key of a map, or at an index of a vector; the index of the end appends.
fn put(context: &mut Context<'_>, collection: &mut Value, key: Value, value: Value) -> EvalResult<()> {
    match (collection, key) {
        (Value::Map(map), key) => {
            all_fit(context, map.len(), 1)?;
            map.insert(key, value);
            // A sorted map may have refused the key.
            context.meter.go_on()?;
        }
        (collection @ Value::Nil, key) => *collection = Value::map([(key, value)]),
        (Value::Vector(items), Value::Int(index)) => match usize::try_from(index) {
            Ok(index) if index < items.len() => items.to_mut()[index] = value,
            Ok(index) if index == items.len() => {
                all_fit(context, index, 1)?;
                items.push(value);
            }
            _ => {
                let message =
                    format!("`{}` found no index {index} in a vector of {} elements", context.name, items.len());
                return error_with_hint("type_error", message, "`(conj v x)` adds at the end");
            }
        },
        (Value::Vector(_), key) => {
            let message = format!("`{}` takes an index of a vector, got {}", context.name, describe(&key));
            return error_with_hint(
                "type_error",
                message,
                "to change each map of a vector write `(map #(assoc % :key value) coll)`",
            );
        }
        (other, _) => {
            let message = format!("`{}` goes through maps and vectors, got {}", context.name, describe(other));
            return error_with_hint("type_error", message, "look at what stands there with `(get-in m path)`");
        }
    }
    Ok(())
}

/// Returns the second argument, which is a path.
pub(super) fn whole_path(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult<Vector> {
    match arg(args, 1) {
        Value::Vector(path) => {
            path::check_path(path.as_slice())?;
            Ok(path.clone())
        }
        Value::Nil => Ok(Vector::default()),
        other => {
            let (message, hint) = (
                format!("`{}` takes a path, got {}", context.name, describe(other)),
                "a path is a vector of keys and indexes: `(get-in m [:a 0 :b])`",
            );
            error_with_hint("type_error", message, hint)
        }
    }
}

/// Moves the collections along a path, outermost first, and the value at its end out of their parents, so that unshared
/// collections can be changed in place; [`close`] puts them back. With `changes`, keys become those of [`key_of_entry`].
pub(super) fn open(
    context: &mut Context<'_>,
    outer: Value,
    path: &mut [Value],
    changes: bool,
) -> EvalResult<(Vec<Value>, Value)> {
    let mut opened = Vec::with_capacity(path.len());
    let mut inner = outer;
    for key in path {
        if let (Value::Map(map), true) = (&inner, changes) {
            *key = key_of_entry(map, key);
        }
        context.meter.copying(&inner, Some(key))?;
        let next = match (&mut inner, &*key) {
            (Value::Map(map), key) => match map.get(key) {
                Some(Value::Map(_) | Value::Vector(_) | Value::Set(_)) => std::mem::take(map.slot(key.clone())),
                Some(value) => value.clone(),
                None => Value::Nil,
            },
            (Value::Vector(items), Value::Int(index)) => {
                match usize::try_from(*index).ok().filter(|index| *index < items.len()) {
                    Some(index) => std::mem::take(&mut items.to_mut()[index]),
                    None => Value::Nil,
                }
            }
            _ => Value::Nil,
        };
        context.meter.visit(1)?;
        if let Value::Nil = inner {
            inner = Value::map([]);
        }
        opened.push(std::mem::replace(&mut inner, next));
    }
    Ok((opened, inner))
}

/// Puts a value at the end of a path, and each collection back into its parent.
pub(super) fn close(context: &mut Context<'_>, opened: Vec<Value>, path: &[Value], value: Value) -> EvalResult {
    let mut inner = value;
    for (mut outer, key) in opened.into_iter().zip(path).rev() {
        context.meter.copying(&outer, Some(key))?;
        put(context, &mut outer, key.clone(), inner)?;
        inner = outer;
    }
    Ok(inner)
}

fn get(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult {
    let (collection, key) = (arg(args, 0), arg(args, 1));
    if let (Value::Keyword(_) | Value::Str(_), Value::Map(_)) = (collection, key) {
        return not_taken(context, "the collection first", &collection.clone(), args);
    }
    let found = match (path::get(collection, key), key) {
        (None, Value::Vector(keys)) if (1..=path::LONGEST).contains(&keys.len()) => {
            path::get_path(collection, keys.as_slice())?
        }
        (found, _) => found,
    };
    Ok(found.unwrap_or_else(|| take(args, 2)))
}

fn contains(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult<Begin> {
    if let Value::Vector(_) = arg(args, 0) {
        return position_of(context, args, false, |position| Value::Bool(position.is_some()));
    }
    let (collection, key) = (arg(args, 0), arg(args, 1));
    Ok(Begin::Done(Value::Bool(match collection {
        Value::Map(map) => get_flexible(map, key).is_some(),
        Value::Set(items) => items.contains(key),
        Value::Nil => false,
        Value::Str(_) if matches!(key, Value::Str(_)) => {
            let message = format!("`contains?` looks into collections, got {}", describe(collection));
            return error_with_hint("type_error", message, "for a text inside a text write `(includes? s part)`");
        }
        other => return not_taken(context, "the collection first", &other.clone(), args),
    })))
}

fn invert(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult<Begin> {
    let map = map(context, args, 0)?;
    context.meter.elements(map.len())?;
    fill(context, Value::Map(Map::default()), map.len(), move |_, position, inverted| {
        if let (Some((key, value)), Value::Map(inverted)) = (map.entry_at(position), inverted) {
            inverted.insert(value.clone(), key.clone());
        }
        Ok(true)
    })
}

fn entry_part(context: &mut Context<'_>, args: &[Value], part: usize) -> EvalResult {
    match arg(args, 0) {
        Value::Vector(entry) if entry.len() == 2 => Ok(entry.as_slice()[part].clone()),
        Value::Map(_) => {
            let message = format!("`{}` takes an entry, got {}", context.name, describe(arg(args, 0)));
            error_with_hint("type_error", message, "`(keys m)` and `(vals m)` go over all entries of a map")
        }
        other => {
            error("type_error", format!("`{}` takes an entry `[key value]`, got {}", context.name, describe(other)))
        }
    }
}
