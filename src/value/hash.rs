//! Hashes of values, without recursion over data. Equal values, as `compare.rs` defines them, have equal hashes.

use std::hash::{Hash, Hasher};

use super::deferred::is_deferring;
use super::index::{Sip, hash_text, mix};
use super::{Closure, Value};
use crate::work;

impl Hash for Value {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(hash(self));
    }
}

/// A collection whose elements are being hashed.
struct PartialHash<'a> {
    value: &'a Value,
    next: usize,
    sum: u64,
    /// The hash of the current key, while its value is being hashed.
    key: Option<u64>,
}

pub(super) fn hash(value: &Value) -> u64 {
    if let Some(hash) = known_hash(value) {
        return hash;
    }
    let mut open: Vec<PartialHash<'_>> = Vec::new();
    let mut current = Some(value);
    let (mut done, mut values, end) = (0, 0, work::done().saturating_add(work::KEY_WORK));
    loop {
        if let Some(value) = current.take() {
            values += 1;
            if (values > work::KEY || work::done() > end) && is_deferring() {
                work::refuse_key();
                return done;
            }
            match known_hash(value) {
                Some(hash) => done = hash,
                None => {
                    open.push(PartialHash { value, next: 0, sum: 0, key: None });
                    current = next_child(open.last_mut().expect("just pushed"));
                    if current.is_some() {
                        continue;
                    }
                    done = close(open.pop().expect("just pushed"));
                }
            }
        }
        let Some(parent) = open.last_mut() else { return done };
        absorb(parent, done);
        current = next_child(parent);
        if current.is_none() {
            done = close(open.pop().expect("there is a parent"));
            // The next round adds the hash of the closed collection to its parent's.
            if open.is_empty() {
                return done;
            }
        }
    }
}

fn next_child<'a>(open: &mut PartialHash<'a>) -> Option<&'a Value> {
    let index = open.next;
    open.next += 1;
    match open.value {
        Value::Vector(items) => items.get(index),
        Value::Set(items) => items.item_at(index),
        Value::Map(entries) => {
            let (key, value) = entries.entry_at(index / 2)?;
            Some(if index.is_multiple_of(2) { key } else { value })
        }
        _ => None,
    }
}

/// Adds a child's hash to that of its collection: in order for vectors, as a sum for sets and maps, so
/// that their order does not count.
fn absorb(open: &mut PartialHash<'_>, child: u64) {
    match open.value {
        Value::Vector(_) => open.sum = mix(open.sum.rotate_left(5) ^ child),
        Value::Map(_) => match open.key.take() {
            None => open.key = Some(child),
            Some(key) => open.sum = open.sum.wrapping_add(mix(key.rotate_left(17) ^ child)),
        },
        _ => open.sum = open.sum.wrapping_add(mix(child)),
    }
}

/// Returns the hash of a collection whose elements are all absorbed, and stores it in the collection, so
/// that comparing nested keys does not hash them again at every level.
fn close(open: PartialHash<'_>) -> u64 {
    let memo = match open.value {
        Value::Vector(items) => Some((1, items.hash_memo())),
        Value::Map(entries) => Some((2, entries.hash_memo())),
        Value::Set(items) => Some((3, items.hash_memo())),
        _ => None,
    };
    let (tag, memo) = memo.expect("only collections are opened");
    let hash = mix(open.sum ^ tag);
    memo.set(Some(hash));
    hash
}

/// The hash of a value without elements, or of a collection that was hashed before.
fn known_hash(value: &Value) -> Option<u64> {
    Some(match value {
        Value::Vector(items) => return items.hash_memo().get(),
        Value::Map(entries) => return entries.hash_memo().get(),
        Value::Set(items) => return items.hash_memo().get(),
        Value::Nil => Sip::new(11).finish(),
        Value::Bool(value) => hash_word(12, u64::from(*value)),
        Value::Int(value) => hash_word(13, *value as u64),
        Value::BigInt(value) => {
            work::charge(value.limbs().len() as u64 / 2);
            value.limbs().iter().fold(Sip::new(14), |hash, limb| hash.add(u64::from(*limb))).finish()
        }
        Value::Float(value) if value.is_nan() => Sip::new(15).finish(),
        Value::Float(0.0) => Sip::new(16).finish(),
        Value::Float(value) => hash_word(17, value.to_bits()),
        Value::Str(text) => hash_text(18, text),
        Value::Keyword(name) => hash_text(19, name),
        Value::Closure(closure) => hash_closure(closure),
        Value::Builtin(name) => hash_text(21, name),
        Value::Var(name) => hash_text(22, name),
        Value::Regex(source) => hash_text(23, source),
        Value::Date(millis) => hash_word(24, *millis as u64),
        Value::Day(days) => hash_word(25, *days as u64),
    })
}

/// Captured closures and collections do not count: hashing them would need recursion.
fn hash_closure(Closure { params, doc, return_type, source, captured, compiled: _ }: &Closure) -> u64 {
    let texts = [Some(params), doc.as_ref(), return_type.as_ref(), source.as_ref()];
    let hash = texts.into_iter().fold(20, |hash, text| mix(hash ^ text.map_or(0, |text| hash_text(20, text))));
    captured
        .0
        .iter()
        .filter(|(_, value)| !value.holds_values())
        .fold(hash, |hash, (_, value)| mix(hash ^ known_hash(value).unwrap_or_default()))
}

fn hash_word(kind: u64, word: u64) -> u64 {
    Sip::new(kind).add(word).finish()
}
