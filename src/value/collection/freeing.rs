//! Frees collections without recursion and, while a program runs, in pieces.

use std::rc::Rc;

use super::{Map, Ordered, Set, Vector, VectorItems};
use crate::value::Value;
use crate::value::deferred::{MANY, append_or_defer, defer, is_deferring};

// A dropped collection moves its nested collections to a list instead of recursing, so that depth can't
// overflow the stack.

impl Drop for VectorItems {
    fn drop(&mut self) {
        if self.items.len() >= MANY && is_deferring() {
            defer(std::mem::take(&mut self.items));
        } else if self.items.iter().any(is_slow_to_free) {
            drop_values(std::mem::take(&mut self.items));
        }
    }
}

impl Drop for Ordered {
    fn drop(&mut self) {
        if self.keys.len() >= MANY && is_deferring() || self.is_nested() {
            let mut pending = Vec::new();
            self.move_into(&mut pending);
            drop_values(pending);
        }
    }
}

impl Ordered {
    /// True when dropping it would drop nested collections or long texts.
    fn is_nested(&self) -> bool {
        self.values.iter().any(is_slow_to_free)
            || (Rc::strong_count(&self.keys) == 1 && self.keys.iter().any(is_slow_to_free))
    }

    /// Moves the values and the unshared keys to `pending`.
    fn move_into(&mut self, pending: &mut Vec<Value>) {
        if let Some(keys) = Rc::get_mut(&mut self.keys) {
            keys.move_into(pending);
        }
        append_or_defer(pending, std::mem::take(&mut self.values));
    }
}

/// A text of more bytes takes long to free, because the allocator has no list of blocks for it.
const LONG_TEXT: usize = 256;

/// The number of values that are freed in the time of one long text.
const LONG_TEXTS: usize = 64;

/// Returns whether a value holds others or takes long to free.
fn is_slow_to_free(value: &Value) -> bool {
    value.holds_values() || matches!(value, Value::Str(text) if text.len() > LONG_TEXT)
}

/// Frees values; while a program runs, defers the rest after [`MANY`].
pub(in crate::value) fn drop_values(mut pending: Vec<Value>) {
    if is_deferring() {
        drop_some(&mut pending, MANY);
        if !pending.is_empty() {
            defer(pending);
        }
    } else {
        drop_some(&mut pending, usize::MAX);
    }
}

/// The number of plain values that are freed in the time of one other value.
const PLAIN: usize = 8;

/// Frees about `max` values at most, from the last on; returns how many of `max` remain.
pub(in crate::value) fn drop_some(pending: &mut Vec<Value>, max: usize) -> usize {
    let mut max = max;
    let mut plain = 0;
    while max > 0
        && let Some(value) = pending.pop()
    {
        if value.is_plain() {
            plain += 1;
            if plain == PLAIN {
                plain = 0;
                max -= 1;
            }
            continue;
        }
        max -= 1;
        match value {
            Value::Vector(Vector(mut items)) => {
                if let Some(items) = Rc::get_mut(&mut items) {
                    append_or_defer(pending, std::mem::take(&mut items.items));
                    pending.extend(items.base.take().map(|(base, _)| Value::Vector(Vector(base))));
                }
            }
            Value::Map(Map(mut entries)) | Value::Set(Set(mut entries)) => {
                if let Some(entries) = Rc::get_mut(&mut entries) {
                    if entries.is_nested() || entries.keys.len() >= MANY {
                        entries.move_into(pending);
                    } else {
                        max = max.saturating_sub(2 * entries.keys.len());
                    }
                }
            }
            Value::Closure(mut closure) => {
                if let Some(closure) = Rc::get_mut(&mut closure) {
                    closure.captured.move_into(pending);
                }
            }
            Value::Str(text) if text.len() > LONG_TEXT => max = max.saturating_sub(LONG_TEXTS),
            _ => {}
        }
    }
    max
}
