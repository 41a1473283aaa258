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
    let mut sorting = Sorting::new(count);
    while !sorting.advance(usize::MAX, compare) {}
    sorting.places
}

/// A sort of indexes that can be done in pieces.
pub struct Sorting {
    /// The indexes, of which runs of `width` are in order.
    pub places: Vec<usize>,
    /// The runs of twice the width that are complete, and the beginning of the next one.
    merged: Vec<usize>,
    width: usize,
    filled: usize,
    /// The next of the two runs that are merged.
    left: usize,
    right: usize,
}

impl Sorting {
    /// A sort of the indexes from 0 to `count`.
    pub fn new(count: usize) -> Sorting {
        let places = Vec::from_iter(0..count);
        Sorting { merged: places.clone(), places, width: 1, filled: 0, left: 0, right: 1 }
    }

    /// Puts at most so many indexes in their place in a run; true when all are in order.
    pub fn advance(&mut self, most: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> bool {
        let count = self.places.len();
        let mut most = most;
        while self.width < count {
            let start = self.filled - self.filled % (2 * self.width);
            let (left_end, right_end) = ((start + self.width).min(count), (start + 2 * self.width).min(count));
            let stop = right_end.min(self.filled.saturating_add(most));
            most -= stop - self.filled;
            let (mut left, mut right) = (self.left, self.right.min(right_end));
            for place in &mut self.merged[self.filled..stop] {
                let is_left =
                    left < left_end && (right >= right_end || compare(self.places[right], self.places[left]).is_ge());
                let next = if is_left { &mut left } else { &mut right };
                *place = self.places[*next];
                *next += 1;
            }
            (self.filled, self.left, self.right) = (stop, left, right);
            if stop < right_end {
                return false;
            }
            if stop < count {
                (self.left, self.right) = (stop, stop + self.width);
                continue;
            }
            std::mem::swap(&mut self.places, &mut self.merged);
            self.width *= 2;
            (self.filled, self.left, self.right) = (0, 0, self.width);
        }
        true
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
            prop_assert_eq!(in_order(&items, |left, right| left.0.cmp(&right.0)).collect::<Vec<_>>(), expected.clone());
            for most in [1, 2, 3, 7, 50] {
                let mut sorting = Sorting::new(items.len());
                while !sorting.advance(most, &mut |left, right| items[left].0.cmp(&items[right].0)) {}
                prop_assert_eq!(sorting.places.iter().map(|place| &items[*place]).collect::<Vec<_>>(), expected.clone());
            }
        }
    }
}
