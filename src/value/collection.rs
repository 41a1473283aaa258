//! The collections that values are made of: shared, copied when a shared one is changed,
//! maps and sets in insertion order.

use std::cell::Cell;
use std::rc::Rc;

use foldhash::quality::FixedState;
use indexmap::IndexMap;

use super::Value;

/// Entries up to this many are found by looking at each of them; hashing starts above.
const SMALL: usize = 8;

/// `[…]`
#[derive(Clone, Debug, Default)]
pub struct Vector(Rc<Items>);

/// `{…}` in insertion order; equality ignores the order.
#[derive(Clone, Debug, Default)]
pub struct Map(Rc<Ordered<Value>>);

/// `#{…}` in insertion order; equality ignores the order.
#[derive(Clone, Debug, Default)]
pub struct Set(Rc<Ordered<()>>);

#[derive(Clone, Debug, Default)]
struct Items {
    items: Vec<Value>,
    hash: HashMemo,
}

/// The hash of a collection, once it was asked for. Whatever changes the collection clears it.
pub(super) type HashMemo = Cell<Option<u64>>;

impl Vector {
    /// Number of elements.
    pub fn len(&self) -> usize {
        self.0.items.len()
    }

    /// True without elements.
    pub fn is_empty(&self) -> bool {
        self.0.items.is_empty()
    }

    /// The elements.
    pub fn as_slice(&self) -> &[Value] {
        &self.0.items
    }

    /// The elements in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Value> {
        self.0.items.iter()
    }

    /// The element at `index`.
    pub fn get(&self, index: usize) -> Option<&Value> {
        self.0.items.get(index)
    }

    /// Adds `value` at the end; other holders of this vector keep what they have.
    pub fn push(&mut self, value: Value) {
        let vector = Rc::make_mut(&mut self.0);
        vector.hash.set(None);
        vector.items.push(value);
    }

    /// True when both are one object in memory, which makes them equal.
    pub fn is_same(&self, other: &Vector) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }

    /// Where the hash is kept.
    pub(super) fn hash_memo(&self) -> &HashMemo {
        &self.0.hash
    }
}

impl FromIterator<Value> for Vector {
    fn from_iter<I: IntoIterator<Item = Value>>(items: I) -> Self {
        Vector(Rc::new(Items { items: items.into_iter().collect(), hash: Cell::new(None) }))
    }
}

impl Map {
    /// Number of entries.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True without entries.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value of exactly this key.
    pub fn get(&self, key: &Value) -> Option<&Value> {
        self.0.get(key)
    }

    /// The value of a keyword key, by its name.
    pub fn get_keyword(&self, name: &str) -> Option<&Value> {
        self.iter().find_map(|(key, value)| match key {
            Value::Keyword(found) if **found == *name => Some(value),
            _ => None,
        })
    }

    /// Sets the value of `key`; a key that is there keeps its place.
    pub fn insert(&mut self, key: Value, value: Value) {
        Rc::make_mut(&mut self.0).insert(key, value);
    }

    /// Takes the entry of `key` out; the others keep their order.
    pub fn remove(&mut self, key: &Value) -> Option<Value> {
        if !self.0.contains(key) {
            return None;
        }
        Rc::make_mut(&mut self.0).remove(key)
    }

    /// The entries in insertion order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&Value, &Value)> {
        self.0.iter()
    }

    /// The entry at a place in insertion order.
    pub(super) fn entry_at(&self, index: usize) -> Option<(&Value, &Value)> {
        self.0.entry_at(index)
    }

    /// True when both are one object in memory, which makes them equal.
    pub fn is_same(&self, other: &Map) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }

    /// Where the hash is kept.
    pub(super) fn hash_memo(&self) -> &HashMemo {
        &self.0.hash
    }
}

impl FromIterator<(Value, Value)> for Map {
    fn from_iter<I: IntoIterator<Item = (Value, Value)>>(entries: I) -> Self {
        let mut map = Ordered::default();
        for (key, value) in entries {
            map.insert(key, value);
        }
        Map(Rc::new(map))
    }
}

impl Set {
    /// Number of elements.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True without elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// True when `value` is an element.
    pub fn contains(&self, value: &Value) -> bool {
        self.0.contains(value)
    }

    /// Adds an element; false when it was there.
    pub fn insert(&mut self, value: Value) -> bool {
        if self.0.contains(&value) {
            return false;
        }
        Rc::make_mut(&mut self.0).insert(value, ());
        true
    }

    /// The elements in insertion order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Value> {
        self.0.iter().map(|(item, ())| item)
    }

    /// The element at a place in insertion order.
    pub(super) fn item_at(&self, index: usize) -> Option<&Value> {
        self.0.entry_at(index).map(|(item, ())| item)
    }

    /// True when both are one object in memory, which makes them equal.
    pub fn is_same(&self, other: &Set) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }

    /// Where the hash is kept.
    pub(super) fn hash_memo(&self) -> &HashMemo {
        &self.0.hash
    }
}

impl FromIterator<Value> for Set {
    fn from_iter<I: IntoIterator<Item = Value>>(items: I) -> Self {
        let mut set = Ordered::default();
        for item in items {
            set.insert(item, ());
        }
        Set(Rc::new(set))
    }
}

/// Entries in insertion order. A few are a plain list, more are hashed.
#[derive(Clone, Debug)]
struct Ordered<V: Slot> {
    entries: Entries<V>,
    hash: HashMemo,
}

#[derive(Clone, Debug)]
enum Entries<V> {
    Few(Vec<(Value, V)>),
    Many(IndexMap<Value, V, FixedState>),
}

impl<V: Slot> Default for Ordered<V> {
    fn default() -> Self {
        Ordered { entries: Entries::Few(Vec::new()), hash: Cell::new(None) }
    }
}

impl<V: Slot> Ordered<V> {
    fn len(&self) -> usize {
        match &self.entries {
            Entries::Few(entries) => entries.len(),
            Entries::Many(entries) => entries.len(),
        }
    }

    fn get(&self, key: &Value) -> Option<&V> {
        match &self.entries {
            Entries::Few(entries) => entries.iter().find(|(found, _)| found == key).map(|(_, value)| value),
            Entries::Many(entries) => entries.get(key),
        }
    }

    fn contains(&self, key: &Value) -> bool {
        self.get(key).is_some()
    }

    fn insert(&mut self, key: Value, value: V) {
        self.hash.set(None);
        match &mut self.entries {
            Entries::Few(entries) => {
                if let Some((_, slot)) = entries.iter_mut().find(|(found, _)| *found == key) {
                    *slot = value;
                } else if entries.len() < SMALL {
                    entries.push((key, value));
                } else {
                    let mut many: IndexMap<_, _, _> = entries.drain(..).collect();
                    many.insert(key, value);
                    self.entries = Entries::Many(many);
                }
            }
            Entries::Many(entries) => {
                entries.insert(key, value);
            }
        }
    }

    fn remove(&mut self, key: &Value) -> Option<V> {
        self.hash.set(None);
        match &mut self.entries {
            Entries::Few(entries) => {
                let place = entries.iter().position(|(found, _)| found == key)?;
                Some(entries.remove(place).1)
            }
            Entries::Many(entries) => entries.shift_remove(key),
        }
    }

    fn entry_at(&self, index: usize) -> Option<(&Value, &V)> {
        match &self.entries {
            Entries::Few(entries) => entries.get(index).map(|(key, value)| (key, value)),
            Entries::Many(entries) => entries.get_index(index),
        }
    }

    fn iter(&self) -> impl ExactSizeIterator<Item = (&Value, &V)> {
        (0..self.len()).map(|index| self.entry_at(index).expect("index is below the length"))
    }
}

/// What an entry holds beside its key: a value in a map, nothing in a set.
trait Slot: Clone {
    fn is_collection(&self) -> bool;
    fn hand_over(self, pending: &mut Vec<Value>);
}

impl Slot for Value {
    fn is_collection(&self) -> bool {
        Value::is_collection(self)
    }

    fn hand_over(self, pending: &mut Vec<Value>) {
        pending.push(self);
    }
}

impl Slot for () {
    fn is_collection(&self) -> bool {
        false
    }

    fn hand_over(self, _: &mut Vec<Value>) {}
}

// A dropped collection hands its nested collections to a list instead of the Rust stack, so that
// depth can't overflow it.

impl Drop for Items {
    fn drop(&mut self) {
        if self.items.iter().any(Value::is_collection) {
            dismantle(std::mem::take(&mut self.items));
        }
    }
}

impl<V: Slot> Drop for Ordered<V> {
    fn drop(&mut self) {
        if self.iter().any(|(key, slot)| key.is_collection() || slot.is_collection()) {
            let mut pending = Vec::new();
            self.hand_over_entries(&mut pending);
            dismantle(pending);
        }
    }
}

impl<V: Slot> Ordered<V> {
    fn hand_over_entries(&mut self, pending: &mut Vec<Value>) {
        let mut hand_over = |(key, slot): (Value, V)| {
            pending.push(key);
            slot.hand_over(pending);
        };
        match std::mem::replace(&mut self.entries, Entries::Few(Vec::new())) {
            Entries::Few(entries) => entries.into_iter().for_each(&mut hand_over),
            Entries::Many(entries) => entries.into_iter().for_each(&mut hand_over),
        }
    }
}

fn dismantle(mut pending: Vec<Value>) {
    while let Some(value) = pending.pop() {
        match value {
            Value::Vector(Vector(mut items)) => {
                if let Some(items) = Rc::get_mut(&mut items) {
                    pending.append(&mut items.items);
                }
            }
            Value::Map(Map(mut entries)) => {
                if let Some(entries) = Rc::get_mut(&mut entries) {
                    entries.hand_over_entries(&mut pending);
                }
            }
            Value::Set(Set(mut items)) => {
                if let Some(items) = Rc::get_mut(&mut items) {
                    items.hand_over_entries(&mut pending);
                }
            }
            _ => {}
        }
    }
}
