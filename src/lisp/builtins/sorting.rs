//! Sorting, which is stable: equal elements keep their order.

use std::cmp::Ordering;

use super::arguments::{elements, not_taken, take};
use super::comparators::{Answered, Comparator, answered, comparator, not_a_comparator};
use super::each::{Iteration, Operation, key_or_call};
use super::{plain, steps};
use crate::lisp::chunk::Comparison;
use crate::lisp::equality::compare as compare_numbers;
use crate::lisp::fault::{EvalResult, describe, error_with_hint};
use crate::lisp::native::{Begin, Builtin, Context, ELEMENTS_PER_STEP, Next, StepBudget, Steps};
use crate::lisp::ordering::compare;
use crate::value::{Sorting, Value, Vector};
use crate::work;

pub(super) const ROWS: &[Builtin] = &[
    plain("compare", "a b", (2, 2), "-1, 0 or 1, as a comes before b, beside it, or behind it.", |context, args| {
        Ok(Value::Int(compare(context.name, &args[0], &args[1])? as i64))
    }),
    steps("sort", "coll, comparator coll", (1, 2), "The elements in order.", sort),
    steps("sort-by", "f coll, f comparator coll", (2, 3), "The elements in the order of f of each.", sort_by),
];

/// The elements that are sorted between two checks of the work: `FEW` if their keys take long to compare, else `SOME`.
const FEW: usize = 8;
const SOME: usize = 64;

const USAGE: &str = "write `(sort-by :price coll)` or `(sort-by :price > coll)`";

fn sort(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult<Begin> {
    let comparator = match &*args {
        [_] => Comparator::Natural { descending: false },
        [first, last] => match comparator(first) {
            Some(comparator) => comparator,
            None if comparator_first(last, first) => {
                return not_taken(context, "the comparator first", first, std::slice::from_ref(first));
            }
            None => {
                return not_a_comparator(
                    context,
                    first,
                    "write `(sort > coll)`; to sort by a key, `(sort-by :key coll)`",
                );
            }
        },
        _ => return Ok(Begin::Done(Value::Nil)),
    };
    let items = elements(context, args, args.len() - 1)?;
    begin(context, items.clone(), items, comparator)
}

/// Returns whether the arguments are in the wrong order: a comparator after the collection.
fn comparator_first(last: &Value, first: &Value) -> bool {
    comparator(last).is_some() && (first.is_collection() || matches!(first, Value::Nil))
}

fn sort_by(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult<Begin> {
    let count = args.len();
    let comparator = match &args[1] {
        _ if count == 2 => Comparator::Natural { descending: false },
        middle => match comparator(middle) {
            Some(comparator) => comparator,
            None => return not_a_comparator(context, &middle.clone(), USAGE),
        },
    };
    if !args[count - 1].is_collection() && !matches!(args[count - 1], Value::Nil | Value::Str(_)) {
        let message = format!("`sort-by` takes a collection last, got {}", describe(&args[count - 1]));
        return error_with_hint("type_error", message, USAGE);
    }
    let items = elements(context, args, count - 1)?;
    let function = take(args, 0);
    let keys = Iteration::new(items.clone(), key_or_call(&function), Operation::Collect);
    let (function, mut steps) = match keys.begin(context, function)? {
        Begin::Done(Value::Vector(keys)) => return begin(context, items, keys, comparator),
        Begin::Steps(function, keys) => (Some(function), keys),
        Begin::Work(keys) => (None, keys),
        begun => return Ok(begun),
    };
    // First the keys of all elements, then the sort.
    let mut unsorted = Some((items, comparator));
    let steps = Box::new(move |context: &mut Context<'_>, answer: Option<Value>| {
        let next = steps.step(context, answer)?;
        let Next::Done(Value::Vector(keys)) = next else { return Ok(next) };
        let Some((items, comparator)) = unsorted.take() else { return Ok(Next::Done(Value::Vector(keys))) };
        let (next, sort) = begin(context, items, keys, comparator)?.follow(context)?;
        if let Some(sort) = sort {
            steps = sort;
        }
        Ok(next)
    });
    Ok(match function {
        Some(function) => Begin::Steps(function, steps),
        None => Begin::Work(steps),
    })
}

/// Sorts elements by their keys.
fn begin(context: &mut Context<'_>, items: Vector, keys: Vector, comparator: Comparator) -> EvalResult<Begin> {
    match comparator {
        Comparator::Function(function) => {
            context.meter.elements(2 * items.len())?;
            Ok(Begin::Steps(function, Box::new(Merge::new(items, keys))))
        }
        comparator => {
            let sort = Sort::new(context, items, keys, &comparator)?;
            Begin::work(context, Box::new(sort))
        }
    }
}

/// A sort that calls no functions.
struct Sort {
    items: Vector,
    keys: Vector,
    descending: bool,
    sorting: Sorting,
}

impl Sort {
    fn new(context: &mut Context<'_>, items: Vector, keys: Vector, comparator: &Comparator) -> EvalResult<Sort> {
        let count = keys.len();
        context.meter.elements(2 * count)?;
        context.meter.visit(count * count.max(1).ilog2() as usize / 4)?;
        let descending = match comparator {
            Comparator::Natural { descending } => *descending,
            Comparator::Strict { descending } => {
                check_strict(keys.as_slice(), *descending)?;
                *descending
            }
            Comparator::Function(_) => false,
        };
        Ok(Sort { items, keys, descending, sorting: Sorting::new(count) })
    }
}

impl Steps for Sort {
    fn step(&mut self, context: &mut Context<'_>, _: Option<Value>) -> EvalResult<Next> {
        let (keys, mut fault) = (self.keys.as_slice(), None);
        let (meter, name, descending) = (&context.meter, context.name, self.descending);
        let mut compare_at = |left: usize, right: usize| {
            let order = match (&keys[left], &keys[right]) {
                (Value::Int(left), Value::Int(right)) => left.cmp(right),
                _ if fault.is_some() => Ordering::Equal,
                (left, right) => {
                    // Comparing long texts and nested values counts as work, which may exceed the remaining fuel.
                    let order = meter.afford(work::done()).and_then(|()| compare(name, left, right));
                    order.unwrap_or_else(|found| {
                        fault.get_or_insert(found);
                        Ordering::Equal
                    })
                }
            };
            if descending { order.reverse() } else { order }
        };
        let (budget, mut done, mut some) = (StepBudget::begin(context), 0, FEW);
        let is_sorted = loop {
            let before = work::done();
            if self.sorting.advance(some, &mut compare_at) {
                break true;
            }
            done += some;
            if done >= ELEMENTS_PER_STEP || budget.is_over(context) {
                break false;
            }
            some = if work::done() - before > some as u64 { FEW } else { SOME }.min(ELEMENTS_PER_STEP - done);
        };
        match fault {
            Some(fault) => Err(fault),
            None if is_sorted => Ok(Next::Done(at_positions(&self.items, &self.sorting.positions))),
            None => Ok(Next::Continue),
        }
    }
}

/// Returns the elements at these positions.
fn at_positions(items: &Vector, positions: &[usize]) -> Value {
    Value::vector(positions.iter().filter_map(|position| items.get(*position).cloned()))
}

/// Fails with the error of `<` or `>` for keys that they can't compare.
fn check_strict(keys: &[Value], descending: bool) -> EvalResult<()> {
    let comparison = if descending { Comparison::More } else { Comparison::Less };
    match keys {
        [first, rest @ ..] => rest.iter().try_for_each(|key| compare_numbers(comparison, key, first).map(drop)),
        [] => Ok(()),
    }
}

/// A bottom-up merge sort that calls a function to compare two keys.
struct Merge {
    items: Vector,
    keys: Vector,
    positions: Vec<usize>,
    merged: Vec<usize>,
    /// The length of the runs that are already sorted.
    width: usize,
    /// The next elements of the two runs that are being merged.
    left: usize,
    right: usize,
}

impl Merge {
    fn new(items: Vector, keys: Vector) -> Merge {
        let count = items.len();
        Merge {
            items,
            keys,
            positions: (0..count).collect(),
            merged: Vec::with_capacity(count),
            width: 1,
            left: 0,
            right: 1,
        }
    }

    /// Returns the ends of the two runs that are being merged.
    fn ends(&self) -> (usize, usize) {
        let count = self.positions.len();
        let start = self.merged.len() - self.merged.len() % (2 * self.width);
        ((start + self.width).min(count), (start + 2 * self.width).min(count))
    }
}

impl Steps for Merge {
    fn step(&mut self, context: &mut Context<'_>, answer: Option<Value>) -> EvalResult<Next> {
        let count = self.positions.len();
        if let Some(answer) = answer {
            let right_first = answered(context, &answer)? == Answered::Before;
            let next = if right_first { &mut self.right } else { &mut self.left };
            self.merged.push(self.positions[*next]);
            *next += 1;
        }
        while self.width < count {
            let (left_end, right_end) = match self.merged.len() {
                // This pass is complete. The next one merges runs of twice the length.
                done if done == count => {
                    std::mem::swap(&mut self.positions, &mut self.merged);
                    self.merged.clear();
                    self.width *= 2;
                    (self.left, self.right) = (0, self.width);
                    continue;
                }
                _ => self.ends(),
            };
            let (left, right) = (self.left, self.right);
            if left < left_end && right < right_end {
                let key = |position: usize| self.keys.get(self.positions[position]).cloned().unwrap_or_default();
                return Ok(Next::Call2(key(right), key(left)));
            }
            self.merged.extend_from_slice(&self.positions[left..left_end.max(left)]);
            self.merged.extend_from_slice(&self.positions[right.min(right_end)..right_end]);
            (self.left, self.right) = (right_end, (right_end + self.width).min(count));
        }
        Ok(Next::Done(at_positions(&self.items, &self.positions)))
    }
}
