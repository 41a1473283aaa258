//! The list of the values that a running program has dropped and that are freed later, in pieces.

use std::cell::RefCell;
use std::ops::{Deref, DerefMut};

use super::Value;

/// Collections with fewer values are freed when they are dropped: that takes a millisecond at most, and their memory is
/// reused while it is in the processor's cache.
pub(super) const MANY: usize = 16_384;

thread_local! {
    /// The values that the running program has dropped; `None` while values are freed at once.
    pub(super) static DEFERRED: RefCell<Option<Garbage>> = const { RefCell::new(None) };
}

/// Dropped values that are not freed yet.
#[derive(Default)]
pub(crate) struct Garbage(pub(super) Vec<Vec<Value>>);

impl Garbage {
    /// Returns the number of values, not counting those inside them.
    pub fn len(&self) -> usize {
        self.0.iter().map(Vec::len).sum()
    }
}

/// Values that a builtin works with. Their freeing is deferred when the builtin is dropped before it has ended.
#[derive(Debug, Default)]
pub(crate) struct Values(pub Vec<Value>);

impl Values {
    /// Moves the values out.
    pub fn take(&mut self) -> Vec<Value> {
        std::mem::take(&mut self.0)
    }
}

impl Deref for Values {
    type Target = Vec<Value>;

    fn deref(&self) -> &Vec<Value> {
        &self.0
    }
}

impl DerefMut for Values {
    fn deref_mut(&mut self) -> &mut Vec<Value> {
        &mut self.0
    }
}

impl Drop for Values {
    fn drop(&mut self) {
        // The values may hold any number of others.
        if !self.0.is_empty() && is_deferring() {
            defer(std::mem::take(&mut self.0));
        }
    }
}

/// Defers the freeing of values while a program runs; frees them at once otherwise.
pub(super) fn defer(values: Vec<Value>) {
    // Plain values need no freeing of their own; but checking very many of them takes too long.
    if values.len() < 8 * MANY && values.iter().all(Value::is_plain) {
        return;
    }
    let mut values = Some(values);
    // At the end of a thread the list no longer exists.
    let _ = DEFERRED.try_with(|deferred| {
        if let Some(garbage) = &mut *deferred.borrow_mut() {
            garbage.0.extend(values.take());
        }
    });
    drop(values);
}

/// Returns whether large collections that are dropped now are deferred, that is, whether a program runs.
pub(super) fn is_deferring() -> bool {
    DEFERRED.try_with(|deferred| deferred.borrow().is_some()).unwrap_or_default()
}

/// Appends `values` to `pending`; while a program runs, defers many values instead.
pub(super) fn append_or_defer(pending: &mut Vec<Value>, mut values: Vec<Value>) {
    match values.len() {
        MANY.. if is_deferring() => defer(values),
        _ if pending.is_empty() => *pending = values,
        _ => pending.append(&mut values),
    }
}

/// Adds values that are dropped from now on to `garbage`, or frees them at once when it is `None`; returns the previous
/// garbage.
pub(crate) fn begin(garbage: Option<Garbage>) -> Option<Garbage> {
    DEFERRED.replace(garbage)
}
