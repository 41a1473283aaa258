//! The size of the heap: the bytes of the values that a program can reach.

use super::fiber::{Callee, Fiber, Frame, State};
use super::{Run, Vm};
use crate::value::{Index, Value};

/// The bytes of everything that a program can reach from `fiber`, which runs, the other fibers and the
/// definitions. A shared value counts once.
pub(super) fn heap_size(vm: &Vm, run: &Run, fiber: &Fiber) -> u64 {
    let mut walk = Walk::default();
    vm.globals.definitions().for_each(|(_, value)| walk.visit(value));
    vm.recent.iter().for_each(|value| walk.visit(value));
    run.fibers.iter().flatten().chain([fiber]).for_each(|fiber| walk.fiber(fiber));
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
    fn fiber(&mut self, fiber: &Fiber) {
        self.bytes += (fiber.registers.len() * size_of::<Value>()) as u64;
        fiber.registers.iter().for_each(|value| self.visit(value));
        self.bytes += (fiber.frames.len() * size_of::<Frame>()) as u64;
        for frame in &fiber.frames {
            match frame {
                Frame::Code(frame) => {
                    if let Some(closure) = &frame.closure {
                        self.visit(&Value::Closure(closure.clone()));
                    }
                }
                Frame::Native(native) => {
                    native.steps.visit(&mut |value| self.visit(value));
                    if let Callee::Lookup(value) = &native.function {
                        self.visit(value);
                    }
                }
            }
        }
        self.effects(&fiber.effects);
        match &fiber.state {
            State::Ready(Some(Ok(value))) => self.visit(value),
            State::Forked(fork) => {
                for (function, args) in &fork.jobs {
                    self.visit(function);
                    args.iter().for_each(|value| self.visit(value));
                }
                for (effects, result) in fork.results.iter().flatten() {
                    self.effects(effects);
                    result.iter().for_each(|value| self.visit(value));
                }
            }
            State::Waiting(pending, _) => pending.args.iter().for_each(|value| self.visit(value)),
            State::Ready(_) => {}
        }
    }

    fn effects(&mut self, effects: &crate::lisp::native::Effects) {
        effects.prints.iter().for_each(|line| self.bytes += line.len() as u64 + 16);
        for call in &effects.calls {
            self.visit(&call.args);
            call.result.iter().for_each(|value| self.visit(value));
        }
        effects.definitions.iter().filter_map(|(_, global)| global.value.as_ref()).for_each(|value| self.visit(value));
    }

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
