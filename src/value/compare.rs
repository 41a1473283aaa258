//! Equality, without recursion over data.
//!
//! Two values are equal when they have the same kind and equal contents: `1` and `1.0` differ, and so do
//! `:a` and `"a"`; the order of maps and sets does not count. `NaN` equals itself, so that it can be a
//! key, and `0.0` equals `-0.0`.

use std::rc::Rc;
use std::slice::Iter;

use super::collection::Ordered;
use super::deferred::is_deferring;
use super::hash::hash;
use super::index::{Index, mix};
use super::order::in_order;
use super::text::is_same_text;
use super::{Map, Set, Value};
use crate::work;

impl PartialEq for Value {
    fn eq(&self, other: &Value) -> bool {
        match (self, other) {
            // Most compared values are keys and short texts.
            (Value::Str(left), Value::Str(right)) | (Value::Keyword(left), Value::Keyword(right)) => {
                is_same_text(left, right)
            }
            (Value::Int(left), Value::Int(right)) => left == right,
            _ if std::mem::discriminant(self) != std::mem::discriminant(other) => false,
            _ => all_pairs(self, other, is_equal_shallow),
        }
    }
}

/// Compares two values without descending into them; adds the pairs of values that they hold to the list.
pub(crate) type ShallowComparison = for<'a> fn(&'a Value, &'a Value, &mut Vec<Pairs<'a>>) -> bool;

/// Lists of up to this many values are compared at once instead of being added to the pending pairs.
const FEW: usize = 16;

/// Pairs of values that are to be compared.
pub(crate) struct Pairs<'a>(PairsKind<'a>);

enum PairsKind<'a> {
    One(&'a Value, &'a Value),
    /// The values at the same indexes.
    Items(Iter<'a, Value>, Iter<'a, Value>),
    /// The values of the same keys, which are looked up; sets have only keys. The number is the position of the next
    /// key.
    Entries(&'a Ordered, &'a Ordered, usize),
}

impl<'a> Pairs<'a> {
    /// The values at the same indexes.
    fn items(left: &'a [Value], right: &'a [Value]) -> Pairs<'a> {
        Pairs(PairsKind::Items(left.iter(), right.iter()))
    }

    /// Adds the values at the same indexes of two lists of equal length. In a short list, values that hold no others
    /// are compared at once; returns false when two of these differ.
    pub fn add_items(
        left: &'a [Value],
        right: &'a [Value],
        compare: ShallowComparison,
        pending: &mut Vec<Pairs<'a>>,
    ) -> bool {
        if left.len() > FEW {
            pending.push(Pairs::items(left, right));
            return true;
        }
        for (left, right) in left.iter().zip(right) {
            if left.holds_values() {
                pending.push(Pairs::one(left, right));
            } else if !compare(left, right, pending) {
                return false;
            }
        }
        true
    }

    /// The entries of two maps of equal size.
    pub(crate) fn of_maps(left: &'a Map, right: &'a Map) -> Pairs<'a> {
        Pairs::entries(left.ordered(), right.ordered())
    }

    /// The elements of two sets of equal size.
    pub(crate) fn of_sets(left: &'a Set, right: &'a Set) -> Pairs<'a> {
        Pairs::entries(left.ordered(), right.ordered())
    }

    fn entries(left: &'a Ordered, right: &'a Ordered) -> Pairs<'a> {
        match Rc::ptr_eq(&left.keys, &right.keys) {
            true => Pairs::items(&left.values, &right.values),
            false => Pairs(PairsKind::Entries(left, right, 0)),
        }
    }

    fn one(left: &'a Value, right: &'a Value) -> Pairs<'a> {
        Pairs(PairsKind::One(left, right))
    }
}

/// A deep comparison of two values that can be done in pieces.
pub(crate) struct Comparing<'a> {
    compare: ShallowComparison,
    pending: Vec<Pairs<'a>>,
    pairs: ComparedPairs,
}

impl<'a> Comparing<'a> {
    /// Begins with two values; returns `None` when the shallow comparison already finds a difference.
    pub fn new(left: &'a Value, right: &'a Value, compare: ShallowComparison) -> Option<Comparing<'a>> {
        let mut pending = Vec::new();
        let is_equal = compare(left, right, &mut pending);
        is_equal.then_some(Comparing { compare, pending, pairs: ComparedPairs::default() })
    }

    /// Compares at most `max` further pairs, fewer when they take more than `max_work` units. Returns the result once
    /// it is known.
    pub fn advance(&mut self, max: u64, max_work: u64) -> Option<bool> {
        let before = self.pairs.count;
        let result = self.compare_some(before.saturating_add(max), work::done().saturating_add(max_work));
        work::compared(self.pairs.count, before);
        result
    }

    fn compare_some(&mut self, end: u64, end_of_work: u64) -> Option<bool> {
        while self.pairs.count < end && work::done() < end_of_work {
            let Some(top) = self.pending.last_mut() else { return Some(true) };
            let pair = match &mut top.0 {
                PairsKind::One(left, right) => {
                    let pair = (*left, *right);
                    self.pending.pop();
                    Some(pair)
                }
                PairsKind::Items(left, right) => {
                    let pair = left.next().zip(right.next());
                    if pair.is_none() {
                        self.pending.pop();
                        continue;
                    }
                    pair
                }
                PairsKind::Entries(left, right, position) => match left.keys.get(*position) {
                    None => {
                        self.pending.pop();
                        continue;
                    }
                    Some(key) => {
                        // The search compares keys for equality, which does not recurse either.
                        let Some(found) = right.keys.position(key) else { return Some(false) };
                        *position += 1;
                        left.values.get(*position - 1).zip(right.values.get(found))
                    }
                },
            };
            self.pairs.step();
            let Some((left, right)) = pair else { continue };
            let address = |value: &Value| std::ptr::from_ref(value).addr();
            let is_known = left.holds_values() && self.pairs.knows(address(left), address(right));
            if !is_known && !(self.compare)(left, right, &mut self.pending) {
                return Some(false);
            }
        }
        None
    }
}

/// The pairs that a comparison of two values has compared.
#[derive(Default)]
pub(crate) struct ComparedPairs {
    /// The number of pairs.
    pub count: u64,
    known: Vec<(usize, usize)>,
    positions: Index,
}

impl ComparedPairs {
    /// Counts another pair.
    pub fn step(&mut self) {
        self.count += 1;
    }

    /// Returns true for a pair of addresses that was compared before, and remembers the pair otherwise: values that
    /// share parts would be compared many times. The first [`MANY`] pairs are not remembered.
    pub fn knows(&mut self, left: usize, right: usize) -> bool {
        if self.count <= MANY {
            return false;
        }
        let hash = mix(mix(left as u64).wrapping_add(right as u64));
        let pair = (left, right);
        if self.positions.find(hash, &mut |position| self.known.get(position) == Some(&pair)).is_some() {
            return true;
        }
        // The cost of the search and of remembering the pair.
        work::charge(2);
        self.known.push(pair);
        self.positions.push(hash);
        false
    }
}

/// After this many comparisons, compared pairs are remembered.
const MANY: u64 = 2000;

/// Returns true when the comparison returns true for two values and for all pairs that it adds.
pub(crate) fn all_pairs(left: &Value, right: &Value, compare: ShallowComparison) -> bool {
    let mut pending = Vec::new();
    let is_equal = compare(left, right, &mut pending);
    if pending.is_empty() || !is_equal { is_equal } else { all_of(pending, compare) }
}

fn all_of(pending: Vec<Pairs<'_>>, compare: ShallowComparison) -> bool {
    let mut comparing = Comparing { compare, pending, pairs: ComparedPairs::default() };
    let (max, max_work) = if is_deferring() { (work::KEY, work::KEY_WORK) } else { (u64::MAX, u64::MAX) };
    comparing.advance(max, max_work).unwrap_or_else(|| {
        work::refuse_key();
        false
    })
}

impl Eq for Value {}

/// Compares two values without descending; adds pairs of nested values to `pending`.
fn is_equal_shallow<'a>(left: &'a Value, right: &'a Value, pending: &mut Vec<Pairs<'a>>) -> bool {
    match (left, right) {
        (Value::Nil, Value::Nil) => true,
        (Value::Bool(left), Value::Bool(right)) => left == right,
        (Value::Int(left), Value::Int(right))
        | (Value::Date(left), Value::Date(right))
        | (Value::Day(left), Value::Day(right)) => left == right,
        (Value::BigInt(left), Value::BigInt(right)) => left == right,
        (Value::Float(left), Value::Float(right)) => left == right || (left.is_nan() && right.is_nan()),
        (Value::Str(left), Value::Str(right)) | (Value::Keyword(left), Value::Keyword(right)) => {
            is_same_text(left, right)
        }
        (Value::Builtin(left), Value::Builtin(right))
        | (Value::Var(left), Value::Var(right))
        | (Value::Regex(left), Value::Regex(right)) => left == right,
        (Value::Closure(left), Value::Closure(right)) => {
            if Rc::ptr_eq(left, right) {
                return true;
            }
            let captured = left.captured.0.iter().zip(&right.captured.0);
            pending.extend(captured.map(|((_, left), (_, right))| Pairs::one(left, right)));
            left.is_alike(right)
        }
        (Value::Vector(left), Value::Vector(right)) => {
            if left.is_same(right) {
                return true;
            }
            if left.len() != right.len() {
                return false;
            }
            Pairs::add_items(left.as_slice(), right.as_slice(), is_equal_shallow, pending)
        }
        (Value::Map(left), Value::Map(right)) => {
            left.is_same(right) || same_entries(left.ordered(), right.ordered(), pending)
        }
        (Value::Set(left), Value::Set(right)) => {
            left.is_same(right) || same_entries(left.ordered(), right.ordered(), pending)
        }
        _ => false,
    }
}

fn same_entries<'a>(left: &'a Ordered, right: &'a Ordered, pending: &mut Vec<Pairs<'a>>) -> bool {
    if left.keys.len() != right.keys.len() {
        return false;
    }
    if Rc::ptr_eq(&left.keys, &right.keys) || !left.keys.iter().any(Value::is_collection) {
        pending.push(Pairs::entries(left, right));
        return true;
    }
    if left.keys.len() as u64 > work::KEY && is_deferring() {
        work::refuse_key();
        return false;
    }
    for (position, key) in left.keys.iter().enumerate() {
        if key.is_collection() {
            continue;
        } else if let Some(found) = right.keys.position(key) {
            pair_up(&left.values, position, &right.values, found, pending);
        } else {
            return false;
        }
    }
    pair_by_hash(left, right, pending)
}

/// Finds for every entry with a nested key the entry of the other side with an equal key, by the key's
/// hash: a look-up would compare nested keys by recursion. Returns false when the hashes already differ.
/// Keys with equal hashes are rare enough to be tried one by one.
fn pair_by_hash<'a>(left: &'a Ordered, right: &'a Ordered, pending: &mut Vec<Pairs<'a>>) -> bool {
    let sorted = |entries: &Ordered| {
        let nested = entries.keys.iter().enumerate().filter(|(_, key)| key.is_collection());
        let keyed = nested.map(|(position, key)| (hash(key), position)).collect::<Vec<_>>();
        in_order(&keyed, Ord::cmp).copied().collect::<Vec<_>>()
    };
    let (left_sorted, mut right_sorted) = (sorted(left), sorted(right));
    if left_sorted.len() != right_sorted.len() {
        return false;
    }
    for (index, (hash, position)) in left_sorted.iter().enumerate() {
        let run = right_sorted[index..].iter().take_while(|(other, _)| other == hash).count();
        match run {
            0 => return false,
            1 => {}
            _ => {
                let key = &left.keys[*position];
                match right_sorted[index..index + run].iter().position(|(_, other)| right.keys[*other] == *key) {
                    Some(found) => right_sorted.swap(index, index + found),
                    None => return false,
                }
            }
        }
        let other = right_sorted[index].1;
        pair_up(&left.keys, *position, &right.keys, other, pending);
        pair_up(&left.values, *position, &right.values, other, pending);
    }
    true
}

/// Adds the pair of two positions, if both exist: a set has no values.
fn pair_up<'a>(left: &'a [Value], position: usize, right: &'a [Value], other: usize, pending: &mut Vec<Pairs<'a>>) {
    if let (Some(left), Some(right)) = (left.get(position), right.get(other)) {
        pending.push(Pairs::one(left, right));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Closure;
    use crate::value::{BigInt, Map, Set};
    use proptest::prelude::*;

    fn v(items: &[Value]) -> Value {
        Value::vector(items.iter().cloned())
    }

    /// Computes equality by trying every element, with recursion.
    fn is_equal(left: &Value, right: &Value) -> bool {
        match (left, right) {
            (Value::Vector(left), Value::Vector(right)) => {
                left.len() == right.len() && left.iter().zip(right.iter()).all(|(left, right)| is_equal(left, right))
            }
            (Value::Map(left), Value::Map(right)) => {
                let has =
                    |key, value| right.iter().any(|(other, found)| is_equal(key, other) && is_equal(value, found));
                left.len() == right.len() && left.iter().all(|(key, value)| has(key, value))
            }
            (Value::Set(left), Value::Set(right)) => {
                left.len() == right.len() && left.iter().all(|item| right.iter().any(|other| is_equal(item, other)))
            }
            (Value::Float(left), Value::Float(right)) => left == right || left.is_nan() && right.is_nan(),
            (left, right) => !left.is_collection() && !right.is_collection() && left == right,
        }
    }

    /// Values built from few scalars, so that many are equal or nearly equal. About half of the keys are collections.
    fn few_values() -> impl Strategy<Value = Value> {
        let big = Value::integer(BigInt::from(i64::MAX).plus(&BigInt::from(1)));
        let scalars = [
            Value::Nil,
            Value::Int(1),
            Value::Float(1.0),
            Value::Float(f64::NAN),
            Value::Float(-0.0),
            Value::Float(0.0),
            big,
        ];
        let scalar = prop_oneof![
            proptest::sample::select(scalars.to_vec()),
            "[ab]".prop_map(Value::keyword),
            "a".prop_map(Value::str)
        ];
        scalar.prop_recursive(3, 24, 4, |inner| {
            let items = proptest::collection::vec(inner.clone(), 0..4);
            let entries = proptest::collection::vec((inner.clone(), inner), 0..4);
            let numbered = (items.clone(), 0..10_i64);
            prop_oneof![
                items.clone().prop_map(Value::vector),
                items.prop_map(Value::set),
                entries.prop_map(Value::map),
                // More elements than a linear search covers.
                numbered
                    .prop_map(|(items, from)| Value::set(items.into_iter().chain((from..from + 9).map(Value::Int)))),
            ]
        })
    }

    proptest! {
        #[test]
        fn equality_and_hashes_are_those_of_all_elements(left in few_values(), right in few_values(), seed in any::<u64>()) {
            for (left, right) in [(&left, &right), (&left, &shuffled(&left, seed))] {
                let expected = is_equal(left, right);
                prop_assert_eq!(left == right, expected, "{:?} {:?}", left, right);
                prop_assert_eq!(right == left, expected, "{:?} {:?}", left, right);
                prop_assert!(!expected || hash(left) == hash(right));
                let set = Set::from_iter([left.clone(), right.clone()]);
                prop_assert_eq!(set.len(), 2 - usize::from(expected));
            }
            prop_assert!(left == shuffled(&left, seed));
        }
    }

    /// Returns an equal value that shares no memory with `value`, with sets and maps in another order.
    fn shuffled(value: &Value, seed: u64) -> Value {
        let each = |value: &Value| shuffled(value, mix(seed.wrapping_add(1)));
        match value {
            Value::Vector(items) => Value::vector(items.iter().map(each)),
            Value::Set(items) => {
                let mut items = items.iter().map(each).collect::<Vec<_>>();
                items.sort_by_key(|item| mix(hash(item) ^ seed));
                Value::set(items)
            }
            Value::Map(entries) => {
                let mut entries = entries.iter().map(|(key, value)| (each(key), each(value))).collect::<Vec<_>>();
                entries.sort_by_key(|(key, _)| mix(hash(key) ^ seed));
                Value::map(entries)
            }
            Value::Float(zero) if *zero == 0.0 => Value::Float(-zero),
            other => other.clone(),
        }
    }

    #[test]
    fn kinds_are_told_apart() {
        let all = [
            Value::Nil,
            Value::Bool(false),
            Value::Int(1),
            Value::integer(BigInt::from(i64::MAX).plus(&BigInt::from(1))),
            Value::Float(1.0),
            Value::str("a"),
            Value::keyword("a"),
            v(&[]),
            Value::map([]),
            Value::set([]),
            Value::Date(1),
            Value::Day(1),
            Value::Var("a".into()),
            Value::Regex("a".into()),
            Value::Builtin("a".into()),
        ];
        for (i, left) in all.iter().enumerate() {
            for (j, right) in all.iter().enumerate() {
                assert_eq!(left == right, i == j, "{left:?} {right:?}");
            }
        }
    }

    #[test]
    fn order_counts_in_vectors_only() {
        let one_two = [(Value::keyword("a"), Value::Int(1)), (Value::keyword("b"), v(&[Value::Int(2)]))];
        let mut two_one = one_two.clone();
        two_one.reverse();
        assert_eq!(Value::map(one_two.clone()), Value::map(two_one.clone()));
        assert_eq!(hash(&Value::map(one_two)), hash(&Value::map(two_one)));
        let set = Value::set([Value::Int(1), Value::Int(2)]);
        let same = Value::set([Value::Int(2), Value::Int(1)]);
        assert_eq!(set, same);
        assert_eq!(hash(&set), hash(&same));
        assert_ne!(v(&[Value::Int(1), Value::Int(2)]), v(&[Value::Int(2), Value::Int(1)]));
        assert_ne!(hash(&v(&[Value::Int(1), Value::Int(2)])), hash(&v(&[Value::Int(2), Value::Int(1)])));
    }

    #[test]
    fn functions_hash_by_all_that_tells_them_apart() {
        let text = |text: &str| Some(text.into());
        let plain = Closure { params: "a".into(), ..Closure::default() };
        let mut hashes = [
            Closure { params: "b".into(), ..plain.clone() },
            Closure { doc: text("a"), ..plain.clone() },
            Closure { return_type: text("a"), ..plain.clone() },
            Closure { source: text("a"), ..plain.clone() },
            plain,
        ]
        .map(|closure| hash(&Value::Closure(closure.into())));
        hashes.sort_unstable();
        assert!(hashes.is_sorted_by(|left, right| left < right), "{hashes:?}");
    }

    #[test]
    fn nan_and_zero_are_usable_keys() {
        let set =
            Set::from_iter([Value::Float(f64::NAN), Value::Float(f64::NAN), Value::Float(0.0), Value::Float(-0.0)]);
        assert_eq!(set.len(), 2);
    }

    #[test]
    fn maps_beyond_the_small_size_work_alike() {
        let mut map = Map::default();
        for number in 0..100 {
            map.insert(v(&[Value::Int(number)]), Value::Int(number * 2));
        }
        let shared = map.clone();
        map.insert(v(&[Value::Int(3)]), Value::Nil);
        assert_eq!(map.remove(&v(&[Value::Int(4)])), Some(Value::Int(8)));
        assert_eq!(shared.get(&v(&[Value::Int(3)])), Some(&Value::Int(6)));
        assert_eq!(map.get(&v(&[Value::Int(3)])), Some(&Value::Nil));
        assert_eq!((map.len(), shared.len()), (99, 100));
        let keys: Vec<_> = map.iter().map(|(key, _)| key.clone()).take(6).collect();
        assert_eq!(keys, [0, 1, 2, 3, 5, 6].map(|number| v(&[Value::Int(number)])));
    }

    #[test]
    fn a_million_levels_compare_hash_and_drop() {
        let deep = || {
            (0..1_000_000).fold(Value::Nil, |inner, level| match level % 4 {
                0 => v(&[inner]),
                1 => Value::map([(Value::keyword("k"), inner)]),
                2 => Value::set([inner]),
                _ => Value::map([(inner, Value::Nil)]),
            })
        };
        let (left, right) = (deep(), deep());
        assert!(left == right);
        assert_eq!(hash(&left), hash(&right));
        assert!(left != Value::vector([right]));
    }
}
