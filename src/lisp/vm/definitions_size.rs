//! The size of the definitions: the bytes of the values that a program finds when it begins.

use super::Vm;
use super::walk::{AT_A_TIME, Walk};
use crate::value::Value;

/// The definitions and the latest results, whose bytes are counted in pieces. A shared value counts once.
pub(super) struct Counting {
    bytes: usize,
    walk: Walk,
}

impl Counting {
    /// None of them is counted yet.
    pub fn of(vm: &Vm) -> Counting {
        let values = vm.globals.definitions().map(|(_, value)| value).chain(&vm.recent);
        Counting { bytes: 0, walk: Walk::of(values.cloned().collect()) }
    }

    /// Counts some further values; the bytes of all when they were enough.
    pub fn advance(&mut self) -> Option<i64> {
        for _ in 0..AT_A_TIME {
            match self.walk.step() {
                Some(value) => self.bytes += value.map_or(0, |value| own_bytes(&value)),
                None => return Some(self.bytes as i64),
            }
        }
        None
    }
}

/// The bytes of a value without those in it.
fn own_bytes(value: &Value) -> usize {
    const HEAD: usize = 32;
    const ELEMENT: usize = size_of::<Value>();
    match value {
        Value::Str(text) => text.len() + 16,
        // With its digits.
        Value::BigInt(integer) => integer.bits() as usize / 2 + HEAD,
        Value::Vector(items) if items.whole().is_some() => HEAD,
        Value::Vector(items) => items.len() * ELEMENT + HEAD,
        // A key, a value, a hash, and room in the index.
        Value::Map(entries) => entries.len() * (2 * ELEMENT + 16) + HEAD,
        Value::Set(items) => items.len() * (ELEMENT + 16) + HEAD,
        Value::Closure(closure) => 96 + closure.captured.0.len() * 2 * ELEMENT,
        _ => 0,
    }
}
