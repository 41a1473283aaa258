//! Vectors, maps and sets. They share their memory and are copied on write; maps and sets keep
//! insertion order, or the order of their keys when they are sorted.

mod freeing;

use std::cell::Cell;
use std::rc::Rc;

use super::keys::{InlineCache, Keys};
use super::{KeyOrder, Value};
use crate::work;

pub(super) use freeing::{drop_some, drop_values};

/// `[…]`
#[derive(Clone, Debug, Default)]
pub struct Vector(Rc<VectorItems>);

/// `{…}` in insertion order; equality ignores the order.
#[derive(Clone, Debug, Default)]
pub struct Map(Rc<Ordered>);

/// `#{…}` in insertion order; equality ignores the order.
#[derive(Clone, Debug, Default)]
pub struct Set(Rc<Ordered>);

#[derive(Clone, Debug, Default)]
struct VectorItems {
    items: Vec<Value>,
    hash: HashMemo,
    /// For a view of the end of another vector: that vector, which is not a view itself, and the index
    /// at which the view begins. `items` is empty then.
    base: Option<(Rc<VectorItems>, usize)>,
}

/// An end of a vector with fewer elements is copied instead of viewed.
const FEW: usize = 64;

/// The hash of a collection, once computed. Every change of the collection clears it.
pub(super) type HashMemo = Cell<Option<u64>>;

impl Vector {
    /// Number of elements.
    pub fn len(&self) -> usize {
        self.as_slice().len()
    }

    /// True without elements.
    pub fn is_empty(&self) -> bool {
        self.as_slice().is_empty()
    }

    /// The elements.
    #[inline]
    pub fn as_slice(&self) -> &[Value] {
        match &self.0.base {
            None => &self.0.items,
            Some((base, start)) => base.items.get(*start..).unwrap_or_default(),
        }
    }

    /// The elements in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Value> {
        self.as_slice().iter()
    }

    /// The element at `index`.
    pub fn get(&self, index: usize) -> Option<&Value> {
        self.as_slice().get(index)
    }

    /// Returns the element at `index`; when the vector is not shared, moves it out and leaves nil.
    pub fn take_at(&mut self, index: usize) -> Value {
        match Rc::get_mut(&mut self.0) {
            Some(VectorItems { items, hash, base: None }) => {
                hash.set(None);
                items.get_mut(index).map(std::mem::take).unwrap_or_default()
            }
            _ => self.get(index).cloned().unwrap_or_default(),
        }
    }

    /// True when this vector, or the vector that it is a view of, has other holders: changing it copies it.
    pub fn is_shared(&self) -> bool {
        let is_shared = |items: &Rc<VectorItems>| Rc::strong_count(items) > 1;
        is_shared(&self.0) || self.0.base.as_ref().is_some_and(|(base, _)| is_shared(base))
    }

    /// Adds `value` at the end; other holders of this vector keep theirs.
    pub fn push(&mut self, value: Value) {
        if let Some(vector) = Rc::get_mut(&mut self.0)
            && let Some((base, _)) = &mut vector.base
            && let Some(base) = Rc::get_mut(base)
        {
            vector.hash.set(None);
            base.hash.set(None);
            base.items.push(value);
            return;
        }
        self.to_mut().push(value);
    }

    /// Returns the elements for changing; other holders of this vector keep theirs.
    pub fn to_mut(&mut self) -> &mut Vec<Value> {
        if self.0.base.is_some() {
            *self = Vector::from(std::mem::take(self).into_vec());
        } else if Rc::get_mut(&mut self.0).is_none() {
            work::copied(self.len());
        }
        let vector = Rc::make_mut(&mut self.0);
        vector.hash.set(None);
        &mut vector.items
    }

    /// Keeps the elements from `start` up to `end`; returns how many elements it copied. It copies none
    /// when it keeps at least half of a vector up to its end, so that a loop over `(rest items)` is linear.
    pub fn keep(&mut self, start: usize, end: usize) -> usize {
        if self.shares_end(start, end) {
            let (base, offset) = match &self.0.base {
                None => (&self.0, 0),
                Some((base, offset)) => (base, *offset),
            };
            let base = Some((base.clone(), offset + start));
            *self = Vector(Rc::new(VectorItems { items: Vec::new(), hash: Cell::new(None), base }));
            return 0;
        }
        match Rc::get_mut(&mut self.0) {
            Some(vector) if vector.base.is_none() => {
                vector.hash.set(None);
                vector.items.truncate(end);
                vector.items.drain(..start);
                if start == 0 { 0 } else { end - start }
            }
            _ => {
                *self = Vector::from(self.as_slice()[start..end].to_vec());
                end - start
            }
        }
    }

    /// Returns whether [`Vector::keep`] copies none of these elements, even when the vector is shared.
    pub fn shares_end(&self, start: usize, end: usize) -> bool {
        let base = self.0.base.as_ref().map_or(&self.0, |(base, _)| base);
        // A view keeps at most as many unused elements alive as it has elements.
        end == self.len() && end - start >= FEW && end - start >= base.items.len() / 2
    }

    /// Returns the elements from `start` up to `end`.
    pub fn between(&self, start: usize, end: usize) -> Vector {
        let mut items = self.clone();
        if end - start < items.len() {
            items.keep(start, end);
        }
        items
    }

    /// Returns the elements, moved when the vector is not shared.
    pub fn into_vec(mut self) -> Vec<Value> {
        if let Some(vector) = Rc::get_mut(&mut self.0) {
            match &mut vector.base {
                None => return std::mem::take(&mut vector.items),
                Some((base, start)) => {
                    if let Some(base) = Rc::get_mut(base) {
                        let mut items = std::mem::take(&mut base.items);
                        items.drain(..*start);
                        return items;
                    }
                }
            }
        }
        work::copied(self.len());
        self.as_slice().to_vec()
    }

    /// Returns the vector that this one is a view of, if it is a view.
    pub(crate) fn base(&self) -> Option<Vector> {
        self.0.base.as_ref().map(|(base, _)| Vector(base.clone()))
    }

    /// Returns its address in memory, which is the same for all holders.
    pub(crate) fn address(&self) -> usize {
        Rc::as_ptr(&self.0) as usize
    }

    /// True when both are one object in memory, which makes them equal.
    pub fn is_same(&self, other: &Vector) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }

    /// Returns the cache of the hash.
    pub(super) fn hash_memo(&self) -> &HashMemo {
        &self.0.hash
    }
}

impl From<Vec<Value>> for Vector {
    fn from(items: Vec<Value>) -> Vector {
        Vector(Rc::new(VectorItems { items, hash: Cell::new(None), base: None }))
    }
}

impl FromIterator<Value> for Vector {
    fn from_iter<I: IntoIterator<Item = Value>>(items: I) -> Self {
        Vector::from(items.into_iter().collect::<Vec<_>>())
    }
}

impl Map {
    /// Number of entries.
    pub fn len(&self) -> usize {
        self.0.keys.len()
    }

    /// True without entries.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value of exactly this key.
    pub fn get(&self, key: &Value) -> Option<&Value> {
        self.0.keys.position(key).and_then(|position| self.0.values.get(position))
    }

    /// The value of exactly this key, whose position is in the cache.
    #[inline(always)]
    pub(crate) fn get_cached(&self, key: &Value, cache: &InlineCache) -> Option<&Value> {
        let Ordered { keys, values, .. } = &*self.0;
        cache.of(keys).or_else(|| cache.find(key, keys)).and_then(|position| values.get(position))
    }

    /// The value of a keyword key, by its name.
    pub fn get_keyword(&self, name: &str) -> Option<&Value> {
        self.iter().find_map(|(key, value)| match key {
            Value::Keyword(found) if **found == *name => Some(value),
            _ => None,
        })
    }

    /// Sets the value of `key`; an existing key keeps its position.
    pub fn insert(&mut self, key: Value, value: Value) {
        *self.slot(key) = value;
    }

    /// Returns the value of `key` for changing; adds a missing key with nil.
    pub fn slot(&mut self, key: Value) -> &mut Value {
        let entries = own(&mut self.0);
        entries.hash.set(None);
        let position = entries.keys.position(&key).unwrap_or_else(|| match entries.add_key(key) {
            Ok(position) => position,
            Err(position) => {
                entries.values.insert(position, Value::Nil);
                position
            }
        });
        &mut entries.values[position]
    }

    /// Removes the entry of `key`; the others keep their order.
    pub fn remove(&mut self, key: &Value) -> Option<Value> {
        let position = self.0.keys.position(key)?;
        let entries = own(&mut self.0);
        entries.remove_key(position);
        Some(entries.values.remove(position))
    }

    /// The entries in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&Value, &Value)> {
        self.0.keys.iter().zip(&self.0.values)
    }

    /// The entries at these positions in insertion order; positions past the end are ignored.
    pub fn range(&self, positions: std::ops::Range<usize>) -> impl Iterator<Item = (&Value, &Value)> {
        let positions = positions.start.min(self.len())..positions.end.min(self.len());
        self.0.keys[positions.clone()].iter().zip(&self.0.values[positions])
    }

    pub(super) fn ordered(&self) -> &Ordered {
        &self.0
    }

    pub(super) fn ordered_mut(&mut self) -> &mut Ordered {
        own(&mut self.0)
    }

    /// The entry at a position in insertion order.
    pub fn entry_at(&self, index: usize) -> Option<(&Value, &Value)> {
        self.0.keys.get(index).zip(self.0.values.get(index))
    }

    /// Returns its address in memory, which is the same for all holders.
    pub(crate) fn address(&self) -> usize {
        Rc::as_ptr(&self.0) as usize
    }

    /// True when both are one object in memory, which makes them equal.
    pub fn is_same(&self, other: &Map) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }

    /// Returns the cache of the hash.
    pub(super) fn hash_memo(&self) -> &HashMemo {
        &self.0.hash
    }
}

impl Map {
    /// A map of keys and their values.
    pub(super) fn of(keys: Rc<Keys>, values: Vec<Value>) -> Map {
        Map(Rc::new(Ordered { keys, values, hash: Cell::new(None) }))
    }

    /// A map of alternating keys and values; the last one of equal keys wins.
    pub fn alternating(keys_and_values: Vec<Value>) -> Map {
        let mut map = Map::default();
        let mut rest = keys_and_values.into_iter();
        while let (Some(key), Some(value)) = (rest.next(), rest.next()) {
            map.insert(key, value);
        }
        map
    }

    /// A map of the same keys with these values, one for each key, in order.
    pub fn with_values(&self, values: Vec<Value>) -> Map {
        debug_assert_eq!(values.len(), self.len());
        Map::of(self.shared_keys(), values)
    }

    /// Returns about how many values a change of the entry of `key`, or of any entry, copies: of a shared map the values,
    /// and the keys when they are shared and `key` is not among them.
    pub fn copied_by(&self, key: Option<&Value>) -> usize {
        let is_shared = Rc::strong_count(&self.0) > 1;
        let has_shared_keys = is_shared || Rc::strong_count(&self.0.keys) > 1;
        let changes_keys = has_shared_keys && key.is_none_or(|key| self.get(key).is_none());
        self.len() * (usize::from(is_shared) + INDEXED * usize::from(changes_keys))
    }

    /// The keys, for other maps with the same ones.
    pub(super) fn shared_keys(&self) -> Rc<Keys> {
        self.0.keys.clone()
    }
}

/// The space of a key and its place in the index, in values.
const INDEXED: usize = 2;

impl FromIterator<(Value, Value)> for Map {
    fn from_iter<I: IntoIterator<Item = (Value, Value)>>(entries: I) -> Self {
        let mut map = Map::default();
        for (key, value) in entries {
            map.insert(key, value);
        }
        map
    }
}

impl Set {
    /// Returns about how many values a change of `item`, or of any element, copies: those of a shared set, unless `item` is
    /// among them.
    pub fn copied_by(&self, item: Option<&Value>) -> usize {
        let is_shared = Rc::strong_count(&self.0) > 1 || Rc::strong_count(&self.0.keys) > 1;
        let is_copied = is_shared && item.is_none_or(|item| !self.contains(item));
        if is_copied { INDEXED * self.len() } else { 0 }
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.0.keys.len()
    }

    /// True without elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// True when `value` is an element.
    pub fn contains(&self, value: &Value) -> bool {
        self.0.keys.position(value).is_some()
    }

    /// Adds an element; returns false when it was present.
    pub fn insert(&mut self, value: Value) -> bool {
        !self.contains(&value) && own(&mut self.0).add_key(value).is_err()
    }

    /// Removes an element; the others keep their order.
    pub fn remove(&mut self, value: &Value) {
        if let Some(position) = self.0.keys.position(value) {
            own(&mut self.0).remove_key(position);
        }
    }

    /// The elements in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Value> {
        self.0.keys.iter()
    }

    /// The elements at these positions in insertion order; positions past the end are ignored.
    pub fn range(&self, positions: std::ops::Range<usize>) -> &[Value] {
        &self.0.keys[positions.start.min(self.len())..positions.end.min(self.len())]
    }

    /// The elements as a vector, moved when the set is not shared.
    pub fn into_vector(mut self) -> Vector {
        match Rc::get_mut(&mut self.0).and_then(|entries| Rc::get_mut(&mut entries.keys)) {
            Some(keys) => Vector::from(keys.take()),
            None => self.to_vector(),
        }
    }

    /// The elements as a vector, in insertion order.
    pub fn to_vector(&self) -> Vector {
        Vector::from(self.0.keys.to_vec())
    }

    pub(super) fn ordered(&self) -> &Ordered {
        &self.0
    }

    pub(super) fn ordered_mut(&mut self) -> &mut Ordered {
        own(&mut self.0)
    }

    /// The element at a position in insertion order.
    pub fn item_at(&self, index: usize) -> Option<&Value> {
        self.0.keys.get(index)
    }

    /// Returns its address in memory, which is the same for all holders.
    pub(crate) fn address(&self) -> usize {
        Rc::as_ptr(&self.0) as usize
    }

    /// True when both are one object in memory, which makes them equal.
    pub fn is_same(&self, other: &Set) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }

    /// Returns the cache of the hash.
    pub(super) fn hash_memo(&self) -> &HashMemo {
        &self.0.hash
    }
}

impl From<Vec<Value>> for Set {
    fn from(items: Vec<Value>) -> Set {
        let mut set = Set::default();
        for item in items {
            set.insert(item);
        }
        set
    }
}

impl FromIterator<Value> for Set {
    fn from_iter<I: IntoIterator<Item = Value>>(items: I) -> Self {
        Set::from(items.into_iter().collect::<Vec<_>>())
    }
}

/// Entries or elements in insertion order.
#[derive(Clone, Debug)]
pub(super) struct Ordered {
    pub keys: Rc<Keys>,
    /// The value of each key of a map; empty for a set.
    pub values: Vec<Value>,
    hash: HashMemo,
}

impl Default for Ordered {
    fn default() -> Self {
        Ordered { keys: Keys::none(), values: Vec::new(), hash: Cell::new(None) }
    }
}

/// Replaces a shared collection with a copy, which has room for one more entry, because most changes add one.
fn own(shared: &mut Rc<Ordered>) -> &mut Ordered {
    if Rc::get_mut(shared).is_none() {
        work::copied(shared.values.len());
        *shared = Rc::new(shared.roomy());
    }
    Rc::make_mut(shared)
}

impl Ordered {
    fn roomy(&self) -> Ordered {
        let mut values = Vec::new();
        if !self.values.is_empty() {
            values.reserve_exact(self.values.len() + 1);
            values.extend_from_slice(&self.values);
        }
        Ordered { keys: self.keys.clone(), values, hash: self.hash.clone() }
    }

    /// Adds a key, which must not be present. Returns its position as an error, as a search does; a sorted collection
    /// may have a key of the same rank, and returns the position of that key.
    fn add_key(&mut self, key: Value) -> Result<usize, usize> {
        self.hash.set(None);
        let position = match self.keys.place(&key) {
            Ok(position) => return Ok(position),
            Err(position) => position,
        };
        match Rc::get_mut(&mut self.keys) {
            Some(keys) => {
                // Later keys move.
                work::charge((keys.len() - position) as u64 / 4);
                keys.insert(position, key);
            }
            None => {
                work::charge(self.keys.len() as u64 / 4);
                self.keys = self.keys.with(position, key);
            }
        }
        Err(position)
    }

    /// Sets the order in which the keys are.
    pub fn set_order(&mut self, order: Option<Rc<KeyOrder>>) {
        Rc::make_mut(&mut self.keys).set_order(order);
    }

    fn remove_key(&mut self, position: usize) {
        self.hash.set(None);
        // Later keys move.
        work::charge(self.keys.len() as u64 / 4);
        Rc::make_mut(&mut self.keys).remove(position);
    }
}

#[cfg(test)]
mod tests;
