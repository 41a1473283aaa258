//! Sorting. One merge sort of indexes serves all types: with the standard library's `sort_by` for each type
//! the download is 8.9 kB (2.7 %) larger. `sort_by` may also panic when the comparison is not a total order,
//! as comparisons in programs that fail midway are; this sort never panics.

use std::cmp::Ordering;

/// The items in order; equal items keep their order.
pub fn in_order<T>(items: &[T], mut compare: impl FnMut(&T, &T) -> Ordering) -> impl Iterator<Item = &T> {
    let positions = positions_in_order(items.len(), &mut |left, right| compare(&items[left], &items[right]));
    positions.into_iter().map(|position| &items[position])
}

/// Puts the items in order; equal items keep their order.
pub fn sort<T: Clone>(items: &mut Vec<T>, compare: impl FnMut(&T, &T) -> Ordering) {
    *items = in_order(items, compare).cloned().collect();
}

/// The indexes from 0 to `count`, ordered by the items at them.
pub fn positions_in_order(count: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut sorting = Sorting::new(count);
    while !sorting.advance(usize::MAX, compare) {}
    sorting.positions
}

/// Runs of this many indexes are sorted by insertion, which is faster than merging them.
const RUN: usize = 8;

/// A sort of indexes that can be done in pieces.
pub struct Sorting {
    /// The indexes, in sorted runs of `width`; unsorted while `width` is 0.
    pub positions: Vec<usize>,
    /// The merged runs of twice the width, filled up to `filled`.
    merged: Vec<usize>,
    width: usize,
    filled: usize,
    /// The next index of each of the two runs that are being merged.
    left: usize,
    right: usize,
}

impl Sorting {
    /// A sort of the indexes from 0 to `count`.
    pub fn new(count: usize) -> Sorting {
        let positions = Vec::from_iter(0..count);
        Sorting { merged: positions.clone(), positions, width: 0, filled: 0, left: 0, right: 0 }
    }

    /// Moves about `max` indexes to their position in a run; returns true when all are in order.
    pub fn advance(&mut self, max: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> bool {
        let count = self.positions.len();
        let mut max = max;
        if self.width == 0 {
            let stop = self.filled.saturating_add(max).div_ceil(RUN).saturating_mul(RUN).min(count);
            self.positions[self.filled..stop].chunks_mut(RUN).for_each(|run| insert_each(run, compare));
            max = max.saturating_sub(stop - self.filled);
            self.filled = stop;
            if stop < count {
                return false;
            }
            self.begin(RUN);
        }
        while self.width < count {
            let start = self.filled - self.filled % (2 * self.width);
            let (left_end, right_end) = ((start + self.width).min(count), (start + 2 * self.width).min(count));
            let stop = right_end.min(self.filled.saturating_add(max));
            max -= stop - self.filled;
            let (lefts, rights) = (&self.positions[..left_end], &self.positions[..right_end]);
            let (mut left, mut right) = (self.left, self.right);
            for slot in &mut self.merged[self.filled..stop] {
                match (lefts.get(left), rights.get(right)) {
                    (Some(first), second) if second.is_none_or(|second| compare(*second, *first).is_ge()) => {
                        *slot = *first;
                        left += 1;
                    }
                    (_, Some(second)) => {
                        *slot = *second;
                        right += 1;
                    }
                    _ => {}
                }
            }
            (self.filled, self.left, self.right) = (stop, left, right);
            if stop < right_end {
                return false;
            }
            if stop < count {
                (self.left, self.right) = (stop, stop + self.width);
                continue;
            }
            std::mem::swap(&mut self.positions, &mut self.merged);
            self.begin(2 * self.width);
        }
        true
    }

    /// Begins to merge runs of this width.
    fn begin(&mut self, width: usize) {
        self.width = width;
        (self.filled, self.left, self.right) = (0, 0, width);
    }
}

/// Sorts a short run by insertion.
fn insert_each(run: &mut [usize], compare: &mut dyn FnMut(usize, usize) -> Ordering) {
    for end in 1..run.len() {
        let (mut position, item) = (end, run[end]);
        while position > 0 && compare(item, run[position - 1]).is_lt() {
            run[position] = run[position - 1];
            position -= 1;
        }
        run[position] = item;
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
            for max in [1, 2, 3, 7, 50] {
                let mut sorting = Sorting::new(items.len());
                while !sorting.advance(max, &mut |left, right| items[left].0.cmp(&items[right].0)) {}
                let sorted: Vec<_> = sorting.positions.iter().map(|position| &items[*position]).collect();
                prop_assert_eq!(sorted, expected.clone());
            }
        }
    }
}
