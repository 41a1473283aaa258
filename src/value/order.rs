//! Sorting. One merge sort of indexes serves all types: with the standard library's `sort_by` for each type
//! the download is 8.9 kB (2.7 %) larger. It also never panics, which `sort_by` may do when a comparison
//! fails midway, as comparisons in programs can.

use std::cmp::Ordering;

/// The items in order; equal items keep their order.
pub fn in_order<T>(items: &[T], mut compare: impl FnMut(&T, &T) -> Ordering) -> impl Iterator<Item = &T> {
    let places = places_in_order(items.len(), &mut |left, right| compare(&items[left], &items[right]));
    places.into_iter().map(|place| &items[place])
}

/// Puts the items in order; equal items keep their order.
pub fn sort<T: Clone>(items: &mut Vec<T>, compare: impl FnMut(&T, &T) -> Ordering) {
    *items = in_order(items, compare).cloned().collect();
}

/// The indexes from 0 to `count`, ordered by the items at them.
pub fn places_in_order(count: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut places = (0..count).collect::<Vec<_>>();
    let mut merged = places.clone();
    let mut width = 1;
    while width < count {
        for (places, merged) in places.chunks(2 * width).zip(merged.chunks_mut(2 * width)) {
            let (left, right) = places.split_at(width.min(places.len()));
            merge(left, right, merged, compare);
        }
        std::mem::swap(&mut places, &mut merged);
        width *= 2;
    }
    places
}

fn merge(left: &[usize], right: &[usize], merged: &mut [usize], compare: &mut dyn FnMut(usize, usize) -> Ordering) {
    let (mut before, mut after) = (0, 0);
    for place in merged {
        match (left.get(before), right.get(after)) {
            (Some(first), second) if second.is_none_or(|second| compare(*second, *first).is_ge()) => {
                *place = *first;
                before += 1;
            }
            (_, Some(second)) => {
                *place = *second;
                after += 1;
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn items_are_sorted_and_equal_ones_stay_as_they_stand(items in proptest::collection::vec((0..9_u8, any::<u8>()), 0..70)) {
            let mut expected: Vec<_> = items.iter().collect();
            expected.sort_by_key(|item| item.0);
            prop_assert_eq!(in_order(&items, |left, right| left.0.cmp(&right.0)).collect::<Vec<_>>(), expected);
        }
    }
}
