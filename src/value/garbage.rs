//! Frees large values in pieces. While a program runs, large collections that are dropped are deferred and freed in
//! pieces between its slices; the rest is freed after the program, before the next one starts or when the host is idle.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use super::collection::drop_some;
use super::deferred::{DEFERRED, defer};
pub(crate) use super::deferred::{Garbage, Values, begin};
use crate::allocated::counted;

thread_local! {
    /// The values to free later, with the counters of the freed bytes.
    static LEFTOVERS: RefCell<Vec<(Garbage, Freed)>> = const { RefCell::new(Vec::new()) };
}

/// A list of which each step drops an item, with the counter of the freed bytes.
type DroppedList = (Box<dyn Iterator<Item = ()>>, Freed);

thread_local! {
    /// Lists whose items are dropped one at a time, before the values.
    static LISTS: RefCell<Vec<DroppedList>> = const { RefCell::new(Vec::new()) };
}

/// Dropping an item of a list counts as freeing this many values.
const ITEM: usize = 10;

/// Counts the freed bytes of values that [`defer_to_host`] deferred.
pub(crate) type Freed = Rc<Cell<i64>>;

impl Garbage {
    /// Frees about `max` values at most; returns how many of `max` remain.
    pub fn free(&mut self, max: usize) -> usize {
        let outer = DEFERRED.replace(Some(std::mem::take(self)));
        let mut max = max;
        while max > 0
            && let Some(mut values) = DEFERRED.with_borrow_mut(|deferred| deferred.as_mut()?.0.pop())
        {
            max = drop_some(&mut values, max);
            if !values.is_empty() {
                defer(values);
            }
        }
        *self = DEFERRED.replace(outer).unwrap_or_default();
        max
    }
}

/// Frees all values that the running program has deferred; returns false when there were none.
pub(crate) fn free_now() -> bool {
    let Some(mut garbage) = DEFERRED.with_borrow_mut(|deferred| deferred.as_mut().map(std::mem::take)) else {
        return false;
    };
    let was_there = garbage.len() > 0;
    garbage.free(usize::MAX);
    was_there
}

/// Defers values to [`free_leftovers`], which adds the freed bytes to `freed`.
pub(crate) fn defer_to_host(garbage: Garbage, freed: &Freed) {
    if garbage.0.is_empty() {
        return;
    }
    // At the end of a thread the list no longer exists: the values are freed here.
    let mut leftovers = Some((garbage, freed.clone()));
    let _ = LEFTOVERS.try_with(|lists| lists.borrow_mut().extend(leftovers.take()));
}

/// Drops `value`; defers its large collections to [`free_leftovers`].
pub(crate) fn drop_later<T>(value: T) {
    drop_counted(value, &Freed::default());
}

fn drop_counted<T>(value: T, freed: &Freed) {
    let outer = begin(Some(Garbage::default()));
    drop(value);
    defer_to_host(begin(outer).unwrap_or_default(), freed);
}

/// Defers the items of a list to [`free_leftovers`], which adds the freed bytes to `freed`.
pub(crate) fn drop_items_later<T: 'static>(items: Vec<T>, freed: &Freed) {
    let counter = freed.clone();
    let mut list: Option<DroppedList> =
        Some((Box::new(items.into_iter().map(move |item| drop_counted(item, &counter))), freed.clone()));
    // As in [`defer_to_host`].
    let _ = LISTS.try_with(|lists| lists.borrow_mut().extend(list.take()));
}

/// Frees about `max` deferred values at most; returns true when none are left.
pub(crate) fn free_leftovers(max: usize) -> bool {
    let mut max = max;
    while let Some((mut list, freed)) = LISTS.with_borrow_mut(Vec::pop) {
        let (dropped, bytes) = counted(|| list.by_ref().take(max / ITEM).count());
        freed.set(freed.get() - bytes);
        if dropped == max / ITEM {
            LISTS.with_borrow_mut(|lists| lists.push((list, freed)));
            return false;
        }
        max -= ITEM * dropped;
    }
    while let Some((mut garbage, freed)) = LEFTOVERS.with_borrow_mut(Vec::pop) {
        let (rest, bytes) = counted(|| garbage.free(max));
        freed.set(freed.get() - bytes);
        defer_to_host(garbage, &freed);
        if rest == 0 {
            return LEFTOVERS.with_borrow(Vec::is_empty);
        }
        max = rest;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::super::deferred::MANY;
    use super::super::{Value, Vector};
    use super::*;
    use std::rc::Rc;

    fn texts(count: usize) -> Vec<Value> {
        (0..count).map(|number| Value::str(number.to_string())).collect()
    }

    #[test]
    fn large_collections_are_freed_in_pieces() {
        let watched: Rc<str> = "watched".into();
        let nested = || {
            let mut items = texts(3 * MANY);
            items.push(Value::Str(watched.clone()));
            let map = Value::map(items.iter().map(|item| (item.clone(), Value::vector([item.clone()]))));
            Value::vector([Value::from(items), map, Value::set(texts(2 * MANY))])
        };
        let deep = (0..3 * MANY).fold(nested(), |inner, _| Value::vector([inner]));
        let value = Value::vector([nested(), deep]);
        assert!(Rc::strong_count(&watched) > 3);
        assert!(begin(Some(Garbage::default())).is_none());
        drop(value);
        let mut garbage = begin(None).unwrap();
        assert!(garbage.len() > 0 && Rc::strong_count(&watched) > 1);
        let mut pieces = 1;
        while garbage.len() > 0 {
            garbage.free(4000);
            pieces += 1;
        }
        assert!(pieces > 20, "{pieces}");
        assert_eq!(Rc::strong_count(&watched), 1);
    }

    #[test]
    fn what_is_left_is_freed_later() {
        let watched: Rc<str> = "watched".into();
        let items = std::iter::repeat_n(Value::Str(watched.clone()), 2 * MANY).collect::<Vector>();
        drop_later(items);
        assert_eq!(Rc::strong_count(&watched), 1 + 2 * MANY);
        assert!(!free_leftovers(100));
        assert!(Rc::strong_count(&watched) < 1 + 2 * MANY);
        assert!(free_leftovers(usize::MAX));
        assert_eq!(Rc::strong_count(&watched), 1);
        drop(std::iter::repeat_n(Value::Str(watched.clone()), 2 * MANY).collect::<Vector>());
        assert_eq!(Rc::strong_count(&watched), 1);
    }
}
