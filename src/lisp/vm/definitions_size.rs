//! The size of the definitions: the bytes in memory of the values that exist when a program begins.

use super::Vm;
use crate::value::{Index, Value};

/// The number of values that are counted in a slice.
const ELEMENTS_PER_STEP: usize = 25_000;

/// Counts the bytes of the definitions and the latest results in pieces. A shared value counts once.
pub(super) struct SizeCount {
    bytes: usize,
    /// The hashes of the addresses that are counted.
    seen: Index,
    /// The counted values whose children are being counted, each with the index of the next child.
    open: Vec<(Value, usize)>,
}

impl SizeCount {
    /// Begins a count.
    pub fn of(vm: &Vm) -> SizeCount {
        let values = vm.globals.definitions().map(|(_, value)| value).chain(&vm.recent).chain([&vm.calls]);
        let all = Value::vector(values.cloned());
        SizeCount { bytes: 0, seen: Index::default(), open: vec![(all, 0)] }
    }

    /// Counts some further values; returns the bytes of all once all are counted.
    pub fn advance(&mut self) -> Option<i64> {
        for _ in 0..ELEMENTS_PER_STEP {
            let Some((value, position)) = self.open.last_mut() else { return Some(self.bytes as i64) };
            let next = part(value, *position);
            *position += 1;
            match next {
                Some(next) => self.count(next),
                None => drop(self.open.pop()),
            }
        }
        None
    }

    /// Counts a value without its children, unless it is counted already.
    fn count(&mut self, value: Value) {
        const HEAD: usize = 32;
        const ELEMENT: usize = size_of::<Value>();
        let (address, bytes) = match &value {
            Value::Str(text) => (text.as_ptr() as usize, text.len() + 16),
            // Includes its cached digits.
            Value::BigInt(integer) => (std::rc::Rc::as_ptr(integer) as usize, integer.bits() as usize / 2 + HEAD),
            Value::Vector(items) if items.base().is_some() => (items.address(), HEAD),
            Value::Vector(items) => (items.address(), items.len() * ELEMENT + HEAD),
            // A key, a value, a hash, and room in the index.
            Value::Map(entries) => (entries.address(), entries.len() * (2 * ELEMENT + 16) + HEAD),
            Value::Set(items) => (items.address(), items.len() * (ELEMENT + 16) + HEAD),
            Value::Closure(closure) => {
                (std::rc::Rc::as_ptr(closure) as usize, 96 + closure.captured.0.len() * 2 * ELEMENT)
            }
            _ => return,
        };
        // Multiplication by an odd number is a bijection: no two addresses have the same hash.
        let hash = (address as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(32);
        if self.seen.find(hash, &mut |_| true).is_none() {
            self.seen.push(hash);
            self.bytes += bytes;
            if value.holds_values() {
                self.open.push((value, 0));
            }
        }
    }
}

/// Returns the child of a value at an index. The children of a map are its keys and values, alternating; the only child
/// of a view of a vector is that vector.
fn part(value: &Value, position: usize) -> Option<Value> {
    Some(match value {
        Value::Vector(items) => match items.base() {
            Some(base) if position == 0 => Value::Vector(base),
            Some(_) => return None,
            None => items.get(position)?.clone(),
        },
        Value::Set(items) => items.item_at(position)?.clone(),
        Value::Map(entries) => {
            let (key, value) = entries.entry_at(position / 2)?;
            if position.is_multiple_of(2) { key } else { value }.clone()
        }
        Value::Closure(closure) => closure.captured.0.get(position)?.1.clone(),
        _ => return None,
    })
}
