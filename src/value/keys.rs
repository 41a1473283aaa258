//! The keys of maps and sets.

use std::cell::{OnceCell, RefCell};
use std::ops::Deref;
use std::rc::{Rc, Weak};

use super::deferred::append_or_defer;
use super::hash::hash;
use super::index::Index;
use super::key_order::KeyOrder;
use super::text::is_same_text;
use super::{Str, Value};
use crate::work;

/// Up to this many keys are searched linearly; more keys have a hash index.
const SMALL: usize = 8;

/// Keys in insertion order, or in the order of a sorted collection, without duplicates. Maps of the same shape share them.
#[derive(Clone, Debug, Default)]
pub(super) struct Keys {
    keys: Vec<Value>,
    /// The index of all keys when there are more than [`SMALL`].
    index: Option<Box<Index>>,
    /// The keyword that [`Keys::with`] added last, and the resulting keys.
    grown: Grown,
    /// The order of a sorted collection.
    order: Option<Rc<KeyOrder>>,
}

#[derive(Debug, Default)]
struct Grown(RefCell<Option<(Str, Weak<Keys>)>>);

/// A copy starts without such a link.
impl Clone for Grown {
    fn clone(&self) -> Self {
        Grown::default()
    }
}

/// The position of a key in all maps that share the keys of the map in which it was found first.
#[derive(Debug, Default)]
pub(crate) struct InlineCache(OnceCell<(Rc<Keys>, usize)>);

impl InlineCache {
    /// Returns the cached position if the cache is for these keys.
    #[inline(always)]
    pub(super) fn of(&self, keys: &Rc<Keys>) -> Option<usize> {
        match self.0.get() {
            Some((known, position)) if Rc::ptr_eq(known, keys) => Some(*position),
            _ => None,
        }
    }

    /// Finds the position, and caches it if nothing is cached. A cache does not hold more than [`SMALL`] keys,
    /// because adding a key to keys that a cache holds copies them.
    #[inline(never)]
    pub(super) fn find(&self, key: &Value, keys: &Rc<Keys>) -> Option<usize> {
        let position = keys.position(key)?;
        if keys.len() <= SMALL {
            self.0.get_or_init(|| (keys.clone(), position));
        }
        Some(position)
    }
}

/// A longer name is not remembered in [`Grown`], which must stay small.
const SHORT: usize = 40;

thread_local! {
    static NONE: Rc<Keys> = Rc::default();
}

impl Keys {
    /// No keys.
    pub fn none() -> Rc<Keys> {
        NONE.with(Rc::clone)
    }

    pub fn position(&self, key: &Value) -> Option<usize> {
        if let Some(index) = &self.index {
            work::searched(index.len());
            return index.find(hash(key), &mut |position| self.keys[position] == *key);
        }
        // Most keys are keywords, and records that were read together share the texts of their keys.
        if let Value::Keyword(name) = key {
            for (position, found) in self.keys.iter().enumerate() {
                if let Value::Keyword(found) = found
                    && is_same_text(found, name)
                {
                    return Some(position);
                }
            }
            return None;
        }
        self.keys.iter().position(|found| found == key)
    }

    /// The order of a sorted collection, while it holds.
    pub fn order(&self) -> Option<&Rc<KeyOrder>> {
        self.order.as_ref().filter(|order| order.holds())
    }

    /// Sets the order, in which the keys must be.
    pub fn set_order(&mut self, order: Option<Rc<KeyOrder>>) {
        self.grown = Grown::default();
        self.order = order;
    }

    /// Returns the position where `key`, which must not be present, belongs; the position of the key that has its rank
    /// as `Ok`.
    pub fn place(&self, key: &Value) -> Result<usize, usize> {
        self.order().map_or(Err(self.keys.len()), |order| order.place(&self.keys, key))
    }

    /// Adds a key, which must not be present, at its [place](Keys::place).
    pub fn insert(&mut self, position: usize, key: Value) {
        self.grown = Grown::default();
        if self.order.is_some() && self.order().is_none() {
            self.order = None;
        }
        self.keys.insert(position, key);
        match &mut self.index {
            Some(index) if position < index.len() => index.insert(position, hash(&self.keys[position])),
            index if self.keys.len() > SMALL => {
                let index = index.get_or_insert_default();
                self.keys[index.len()..].iter().for_each(|key| index.push(hash(key)));
            }
            _ => {}
        }
    }

    /// Returns these keys and `key`, which must not be among them, at its [place](Keys::place).
    pub fn with(&self, position: usize, key: Value) -> Rc<Keys> {
        let (Value::Keyword(name), None) = (&key, &self.order) else { return self.make_with(position, key) };
        if let Some((last, grown)) = &*self.grown.0.borrow()
            && is_same_text(last, name)
            && let Some(keys) = grown.upgrade()
        {
            return keys;
        }
        let name = name.clone();
        let keys = self.make_with(position, key);
        if name.len() <= SHORT {
            self.grown.0.replace(Some((name, Rc::downgrade(&keys))));
        }
        keys
    }

    fn make_with(&self, position: usize, key: Value) -> Rc<Keys> {
        let mut keys = Vec::with_capacity((self.keys.len() + 1).max(4));
        keys.extend_from_slice(&self.keys);
        let mut keys = Keys { keys, index: self.index.clone(), grown: Grown::default(), order: self.order.clone() };
        keys.insert(position, key);
        Rc::new(keys)
    }

    pub fn remove(&mut self, position: usize) {
        self.grown = Grown::default();
        self.keys.remove(position);
        match &mut self.index {
            Some(index) if self.keys.len() > SMALL => index.remove(position),
            index => *index = None,
        }
    }

    /// Moves the keys out; there are none afterwards.
    pub fn take(&mut self) -> Vec<Value> {
        std::mem::take(self).keys
    }

    /// Moves the keys to `pending`.
    pub fn move_into(&mut self, pending: &mut Vec<Value>) {
        append_or_defer(pending, std::mem::take(&mut self.keys));
    }
}

impl Deref for Keys {
    type Target = [Value];

    fn deref(&self) -> &[Value] {
        &self.keys
    }
}
