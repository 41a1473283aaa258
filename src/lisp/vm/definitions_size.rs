//! The size of the definitions: the bytes of the values that a program finds when it begins.

use super::Vm;
use crate::value::{Index, Value};

/// The bytes of the definitions and of the latest results. A shared value counts once.
pub(super) fn definitions_size(vm: &Vm) -> u64 {
    let mut walk = Walk::default();
    vm.globals.definitions().for_each(|(_, value)| walk.visit(value));
    vm.recent.iter().for_each(|value| walk.visit(value));
    walk.finish()
}

#[derive(Default)]
struct Walk {
    bytes: u64,
    /// Hashes of the addresses that are counted.
    seen: Index,
    /// Collections that are counted, and whose elements are not.
    pending: Vec<Value>,
}

impl Walk {
    /// Counts a value; the elements of collections are left to [`Walk::finish`].
    fn visit(&mut self, value: &Value) {
        const HEAD: u64 = 32;
        const ELEMENT: u64 = size_of::<Value>() as u64;
        let (address, bytes) = match value {
            Value::Str(text) => (text.as_ptr() as usize, text.len() as u64 + 16),
            Value::BigInt(integer) => (std::rc::Rc::as_ptr(integer) as usize, integer.bits() / 8 + HEAD),
            Value::Vector(items) if items.whole().is_some() => (items.address(), HEAD),
            Value::Vector(items) => (items.address(), items.len() as u64 * ELEMENT + HEAD),
            // A key, a value, a hash, and room in the index.
            Value::Map(entries) => (entries.address(), entries.len() as u64 * (2 * ELEMENT + 16) + HEAD),
            Value::Set(items) => (items.address(), items.len() as u64 * (ELEMENT + 16) + HEAD),
            Value::Closure(closure) => {
                (std::rc::Rc::as_ptr(closure) as usize, 96 + closure.captured.0.len() as u64 * 2 * ELEMENT)
            }
            _ => return,
        };
        // Multiplication by an odd number is a bijection: no two addresses have the same hash.
        let hash = (address as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(32);
        if self.seen.find(hash, &mut |_| true).is_none() {
            self.seen.push(hash);
            self.bytes += bytes;
            if value.holds_values() {
                self.pending.push(value.clone());
            }
        }
    }

    fn finish(mut self) -> u64 {
        while let Some(value) = self.pending.pop() {
            match &value {
                Value::Vector(items) => match items.whole() {
                    Some(whole) => self.visit(&Value::Vector(whole)),
                    None => items.iter().for_each(|item| self.visit(item)),
                },
                Value::Set(items) => items.iter().for_each(|item| self.visit(item)),
                Value::Map(entries) => entries.iter().for_each(|(key, value)| {
                    self.visit(key);
                    self.visit(value);
                }),
                Value::Closure(closure) => closure.captured.0.iter().for_each(|(_, value)| self.visit(value)),
                _ => {}
            }
        }
        self.bytes
    }
}
