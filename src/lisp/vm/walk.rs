//! A walk through values and all that they hold, in pieces. What is shared is met once.

use crate::value::{Index, Value};

/// Values that are looked at in a slice.
pub(super) const AT_A_TIME: usize = crate::work::large(25_000);

pub(super) struct Walk {
    /// Hashes of the addresses that were met.
    seen: Index,
    /// Values that were met, each with the place of the next of those in it.
    open: Vec<(Value, usize)>,
}

impl Walk {
    pub fn of(values: Vec<Value>) -> Walk {
        Walk { seen: Index::default(), open: vec![(Value::from(values), 0)] }
    }

    /// Looks at another value, and gives it when it has memory of its own and is met for the first time; none at the end.
    pub fn step(&mut self) -> Option<Option<Value>> {
        let (value, place) = self.open.last_mut()?;
        let next = part(value, *place);
        *place += 1;
        let Some(next) = next else {
            self.open.pop();
            return Some(None);
        };
        let Some(address) = address(&next) else { return Some(None) };
        // Multiplication by an odd number is a bijection: no two addresses have the same hash.
        let hash = (address as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(32);
        if self.seen.find(hash, &mut |_| true).is_some() {
            return Some(None);
        }
        self.seen.push(hash);
        if next.holds_values() {
            self.open.push((next.clone(), 0));
        }
        Some(Some(next))
    }
}

fn address(value: &Value) -> Option<usize> {
    Some(match value {
        Value::Str(text) => text.as_ptr() as usize,
        Value::BigInt(integer) => std::rc::Rc::as_ptr(integer) as usize,
        Value::Vector(items) => items.address(),
        Value::Map(entries) => entries.address(),
        Value::Set(items) => items.address(),
        Value::Closure(closure) => std::rc::Rc::as_ptr(closure) as usize,
        _ => return None,
    })
}

/// The value at a place of those in a value: keys and values of a map in turn, of a part of a vector the whole.
fn part(value: &Value, place: usize) -> Option<Value> {
    Some(match value {
        Value::Vector(items) => match items.whole() {
            Some(whole) if place == 0 => Value::Vector(whole),
            Some(_) => return None,
            None => items.get(place)?.clone(),
        },
        Value::Set(items) => items.item_at(place)?.clone(),
        Value::Map(entries) => {
            let (key, value) = entries.entry_at(place / 2)?;
            if place.is_multiple_of(2) { key } else { value }.clone()
        }
        Value::Closure(closure) => closure.captured.0.get(place)?.1.clone(),
        _ => return None,
    })
}
