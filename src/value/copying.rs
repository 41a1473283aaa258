//! Copies large collections in pieces. A shared collection is copied before it is changed.

use std::ops::Range;

use super::garbage::Values;
use super::keys::Keys;
use super::{Map, Set, Value};
use crate::work::{self, large};

/// Collections with fewer elements are copied at once.
const VAST: usize = large(50_000);

/// Elements that are copied in one piece.
const PIECE: usize = large(20_000);

/// A change to a collection.
#[derive(Clone, Copy)]
pub(crate) enum Change<'a> {
    /// Sets the value of a key, or adds an element to a set.
    Put(&'a Value),
    /// Removes a key, or an element of a set.
    Remove(&'a Value),
    /// May change anything in the collection.
    Any,
}

/// Part `number`, counted from 0, of the `of` equal parts of a list.
#[derive(Clone, Copy)]
pub(super) struct EqualPart {
    number: usize,
    of: usize,
}

impl EqualPart {
    /// Returns the indexes of the part in a list of `length` elements.
    pub fn range(self, length: usize) -> Range<usize> {
        let at = |number: usize| (length as u64 * number as u64 / self.of as u64) as usize;
        at(self.number)..at(self.number + 1)
    }

    /// Appends the part of `list` to `copy`, which holds the parts before it.
    pub fn copy<T: Clone>(self, list: &[T], copy: &mut Vec<T>) {
        if self.number == 0 {
            copy.reserve_exact(list.len() + 1);
        }
        copy.extend_from_slice(&list[self.range(list.len())]);
    }
}

/// A copy that is being made.
pub(crate) struct Copying {
    source: Value,
    /// Whether the keys of a map are copied; otherwise the copy shares them.
    has_keys: bool,
    keys: Keys,
    values: Values,
    next: EqualPart,
}

impl Copying {
    /// Returns whether copying the collection takes so long that it should be done in pieces.
    pub fn is_vast(value: &Value) -> bool {
        match value {
            Value::Vector(items) => items.len() >= VAST,
            Value::Map(map) => map.len() >= VAST,
            Value::Set(set) => set.len() >= VAST,
            _ => false,
        }
    }

    /// Begins the copy that `change` will need. Returns `None` when the collection is small, or when the change copies
    /// nothing. `is_shared` says that a collection around `source` is shared, which makes `source` shared too.
    pub fn before(change: Change<'_>, source: &Value, is_shared: bool) -> Option<Copying> {
        if !Copying::is_vast(source) {
            return None;
        }
        let (size, has_keys) = match source {
            Value::Vector(items) if is_shared || items.is_shared() => (items.len(), false),
            Value::Map(map) => {
                let changes_keys = match change {
                    Change::Put(key) => map.get(key).is_none(),
                    Change::Remove(key) => map.get(key).is_some(),
                    Change::Any => true,
                };
                let stays = matches!(change, Change::Remove(_)) && !changes_keys;
                let is_shared = is_shared || map.is_shared();
                if stays || !(is_shared || changes_keys && map.has_shared_keys()) {
                    return None;
                }
                (map.len(), changes_keys)
            }
            Value::Set(set) if is_shared || set.is_shared() => {
                let is_changed = match change {
                    Change::Put(item) => !set.contains(item),
                    Change::Remove(item) => set.contains(item),
                    Change::Any => true,
                };
                if !is_changed {
                    return None;
                }
                (set.len(), true)
            }
            _ => return None,
        };
        let next = EqualPart { number: 0, of: size.div_ceil(PIECE).max(1) };
        Some(Copying { source: source.clone(), has_keys, keys: Keys::default(), values: Values::default(), next })
    }

    /// Returns the bytes that the copy will take; 0 once it has begun.
    pub fn bytes(&self) -> u64 {
        if self.next.number > 0 {
            return 0;
        }
        let size = match &self.source {
            Value::Vector(items) => items.len(),
            Value::Map(map) => map.len() * (1 + 2 * usize::from(self.has_keys)),
            Value::Set(set) => 2 * set.len(),
            _ => 0,
        };
        (size * size_of::<Value>()) as u64
    }

    /// Copies the next piece; returns the copy after the last piece.
    pub fn advance(&mut self) -> Option<Value> {
        let part = self.next;
        match &self.source {
            Value::Vector(items) => part.copy(items.as_slice(), &mut self.values),
            Value::Map(map) => {
                part.copy(map.values(), &mut self.values);
                if self.has_keys {
                    self.keys.copy_part(map.keys(), part);
                }
            }
            Value::Set(set) => self.keys.copy_part(set.keys(), part),
            _ => {}
        }
        work::charge(PIECE as u64 / 4);
        self.next.number += 1;
        if self.next.number < self.next.of {
            return None;
        }
        let (keys, values) = (std::mem::take(&mut self.keys), self.values.take());
        Some(match std::mem::take(&mut self.source) {
            Value::Map(map) => Value::Map(Map::of(if self.has_keys { keys.into() } else { map.shared_keys() }, values)),
            Value::Set(_) => Value::Set(Set::of(keys.into())),
            _ => Value::from(values),
        })
    }
}

impl Drop for Copying {
    fn drop(&mut self) {
        drop(Values(self.keys.take()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{Vector, to_json};

    fn copied(change: Change<'_>, source: &Value) -> Option<Value> {
        let mut copying = Copying::before(change, source, false)?;
        let mut pieces = 1;
        loop {
            if let Some(copy) = copying.advance() {
                assert!(pieces >= VAST / PIECE, "{pieces} pieces");
                return Some(copy);
            }
            pieces += 1;
        }
    }

    fn texts(count: usize) -> Vec<Value> {
        (0..count).map(|number| Value::str(number.to_string())).collect()
    }

    #[test]
    fn copies_are_equal_and_apart() {
        let size = 2 * VAST + 7;
        let (present, absent) = (Value::str("5"), Value::str("none"));
        let map = Map::from_iter(texts(size).into_iter().zip((0..).map(Value::Int)));
        let set = Set::from(texts(size));
        for source in [Value::from(texts(size)), Value::Map(map), Value::Set(set)] {
            let holder = source.clone();
            let copy = copied(Change::Any, &source).expect("it is shared");
            assert!(copy == source && to_json(&copy) == to_json(&source));
            drop(holder);
            let mut copy = copy;
            match &mut copy {
                Value::Vector(items) => items.push(absent.clone()),
                Value::Map(map) => {
                    assert_eq!(map.get(&present), Some(&Value::Int(5)));
                    map.remove(&present);
                    map.insert(absent.clone(), Value::Nil);
                    assert!(map.get(&present).is_none() && map.get(&absent).is_some());
                }
                Value::Set(set) => {
                    set.remove(&present);
                    assert!(set.insert(absent.clone()) && set.contains(&absent) && !set.contains(&present));
                }
                _ => {}
            }
            assert!(copy != source);
        }
    }

    #[test]
    fn nothing_is_copied_in_vain() {
        let vector = Value::from(texts(VAST));
        assert!(Copying::before(Change::Any, &vector, false).is_none());
        assert!(Copying::before(Change::Any, &vector, true).is_some());
        let part = Value::Vector(Vector::from(texts(VAST - 1)));
        assert!(cfg!(feature = "pieces") || Copying::before(Change::Any, &part, true).is_none());

        let (present, absent) = (Value::str("5"), Value::str("none"));
        let map = Value::map(texts(VAST.max(6)).into_iter().map(|key| (key, Value::Nil)));
        assert!(Copying::before(Change::Put(&absent), &map, false).is_none());
        let shared = map.clone();
        for (change, is_copied) in [
            (Change::Put(&present), true),
            (Change::Put(&absent), true),
            (Change::Remove(&present), true),
            (Change::Remove(&absent), false),
        ] {
            assert_eq!(copied(change, &shared).is_some(), is_copied);
        }
        // Two maps that share their keys and have no other holder.
        let Some(Value::Map(other)) = copied(Change::Put(&present), &shared) else { panic!("it is shared") };
        drop((map, shared.clone()));
        let other = Value::Map(other);
        assert!(Copying::before(Change::Put(&present), &other, false).is_none());
        assert!(Copying::before(Change::Put(&absent), &other, false).is_some());
    }
}
