//! Loops that pause. Builtins that hash and compare values use them: one value may contain thousands of others, so that
//! the time of such a loop is not bounded by the number of its elements.

use std::ops::Range;
use std::rc::Rc;

use super::arguments::{all_fit, not_taken};
use crate::lisp::fault::{EvalResult, describe, error_with_hint};
use crate::lisp::native::{Begin, Context, ELEMENTS_PER_STEP, Next, StepBudget, Steps};
use crate::value::{BigInt, Map, Value, Vector, taken};

/// Adds the element or entry at a position to the result; returns false when the result is complete.
type Fill = dyn FnMut(&mut Context<'_>, usize, &mut Value) -> EvalResult<bool>;

/// A result that is made by a function that is called for each position.
pub(super) struct Filling {
    result: Value,
    positions: Range<usize>,
    fill: Box<Fill>,
}

/// Calls `fill` for each position until it returns false: at once when this takes little work, else with pauses.
pub(super) fn fill(
    context: &mut Context<'_>,
    result: Value,
    positions: usize,
    fill: impl FnMut(&mut Context<'_>, usize, &mut Value) -> EvalResult<bool> + 'static,
) -> EvalResult<Begin> {
    let (mut result, mut fill, mut positions) = (result, fill, 0..positions);
    Ok(match fill_some(context, &mut result, &mut positions, &mut fill)? {
        true => Begin::Done(result),
        false => Begin::Work(Box::new(Filling { result, positions, fill: Box::new(fill) })),
    })
}

/// Calls `fill` for further positions, within the work of one step; returns true when the result is complete. Not
/// generic, so that it is compiled once.
fn fill_some(
    context: &mut Context<'_>,
    result: &mut Value,
    positions: &mut Range<usize>,
    fill: &mut Fill,
) -> EvalResult<bool> {
    let budget = StepBudget::begin(context);
    for position in positions.by_ref().take(ELEMENTS_PER_STEP) {
        if !fill(context, position, result)? {
            return Ok(true);
        }
        if budget.is_over(context) {
            // A sorted collection may have refused a key.
            context.meter.go_on()?;
            break;
        }
    }
    Ok(positions.start == positions.end)
}

impl Filling {
    /// A map of keys and the values at the same positions.
    pub fn map(keys: Vec<Value>, values: impl Fn(usize) -> Option<Value> + 'static) -> Filling {
        let positions = 0..keys.len();
        let mut keys = keys.into_iter();
        let fill = move |_: &mut Context<'_>, position, result: &mut Value| {
            if let (Value::Map(map), Some((key, value))) = (result, keys.next().zip(values(position))) {
                map.insert(key, value);
            }
            Ok(true)
        };
        Filling { result: Value::Map(Map::default()), positions, fill: Box::new(fill) }
    }

    /// A set or a map of elements, which [`add`] adds.
    pub fn of(empty: Value, items: Vec<Value>) -> Filling {
        let positions = 0..items.len();
        let mut items = items.into_iter();
        let fill = move |context: &mut Context<'_>, _, result: &mut Value| {
            items.next().map_or(Ok(()), |item| add(context, result, item)).map(|()| true)
        };
        Filling { result: empty, positions, fill: Box::new(fill) }
    }
}

impl Steps for Filling {
    fn step(&mut self, context: &mut Context<'_>, _: Option<Value>) -> EvalResult<Next> {
        Ok(match fill_some(context, &mut self.result, &mut self.positions, &mut *self.fill)? {
            true => Next::Done(std::mem::take(&mut self.result)),
            false => Next::Continue,
        })
    }
}

/// Calls `write`, which writes the arguments as a text, after the digits of their large integers are computed with
/// pauses: that takes quadratic time, and each integer keeps its digits.
pub(super) fn with_digits(
    context: &mut Context<'_>,
    args: &mut [Value],
    write: fn(&mut Context<'_>, &mut [Value]) -> EvalResult,
) -> EvalResult<Begin> {
    // A text of more values is refused.
    let integers = large_integers(args, 4 * context.meter.limits.collection_size);
    if integers.is_empty() {
        return write(context, args).map(Begin::Done);
    }
    let mut args = taken(args);
    fill(context, Value::Nil, integers.len() + 1, move |context, position, result| {
        match integers.get(position) {
            Some(integer) => integer.keep_digits(),
            None => *result = write(context, &mut args)?,
        }
        Ok(true)
    })
}

/// Returns the integers in values whose digits take long to compute; visits about `max` values at most.
fn large_integers(values: &[Value], max: usize) -> Vec<Rc<BigInt>> {
    let (mut integers, mut visited) = (Vec::new(), 0);
    let mut pending = Vec::new();
    values.iter().for_each(|value| visit(value, &mut pending));
    while let Some(value) = pending.pop()
        && visited < max
    {
        visited += 1;
        let mut add = |value| visit(value, &mut pending);
        match value {
            Value::BigInt(integer) if integer.has_many_digits() => integers.push(integer.clone()),
            Value::Vector(items) => {
                visited += items.len();
                items.iter().for_each(add);
            }
            Value::Set(items) => {
                visited += items.len();
                items.iter().for_each(add);
            }
            Value::Map(entries) => {
                visited += entries.len();
                entries.iter().for_each(|(key, value)| {
                    add(key);
                    add(value);
                });
            }
            _ => {}
        }
    }
    integers
}

/// Adds a value that is, or may hold, a large integer.
fn visit<'a>(value: &'a Value, pending: &mut Vec<&'a Value>) {
    if value.holds_values() || matches!(value, Value::BigInt(_)) {
        pending.push(value);
    }
}

/// Adds elements to a set.
pub(super) fn to_set(context: &mut Context<'_>, items: Vector) -> EvalResult<Begin> {
    let mut rest = Rest::new(items);
    fill(context, Value::set([]), rest.len(), move |_, _, set| {
        if let (Value::Set(set), Some(item)) = (set, rest.next()) {
            set.insert(item);
        }
        Ok(true)
    })
}

/// Adds elements to a collection, and the entries of maps to a map.
pub(super) fn add_all(context: &mut Context<'_>, collection: Value, items: Vector) -> EvalResult<Begin> {
    let count = match &collection {
        Value::Map(_) => items.iter().map(positions).sum(),
        _ => items.len(),
    };
    let mut rest = Rest::new(items);
    // The map whose entries are being added, and the position of its first entry.
    let mut entries = (Map::default(), 0);
    fill(context, collection, count, move |context, position, collection| {
        if let (Some((key, value)), Value::Map(map)) = (entries.0.entry_at(position - entries.1), &mut *collection) {
            map.insert(key.clone(), value.clone());
            return Ok(true);
        }
        match (rest.next(), &mut *collection) {
            (Some(Value::Map(more)), Value::Map(map)) => {
                all_fit(context, map.len(), more.len())?;
                if let Some((key, value)) = more.entry_at(0) {
                    map.insert(key.clone(), value.clone());
                }
                entries = (more, position);
            }
            (Some(item), _) => add(context, collection, item)?,
            (None, _) => {}
        }
        Ok(true)
    })
}

/// The number of positions that an element of [`add_all`] takes.
fn positions(item: &Value) -> usize {
    match item {
        Value::Map(map) => map.len().max(1),
        _ => 1,
    }
}

/// More elements than this are added by [`add_all`]; fewer, with maps that have fewer entries, take less time than it.
pub(super) const FEW: usize = 1000;

/// Returns whether adding the entries of a value to a map takes long.
pub(super) fn is_large_map(value: &Value) -> bool {
    matches!(value, Value::Map(map) if map.len() > FEW)
}

/// Adds an element to a collection; to a map as [`add_entries`] does.
pub(super) fn add(context: &mut Context<'_>, collection: &mut Value, item: Value) -> EvalResult<()> {
    match collection {
        Value::Vector(items) => {
            all_fit(context, items.len(), 1)?;
            items.push(item);
        }
        Value::Nil => *collection = Value::vector([item]),
        Value::Set(items) => {
            all_fit(context, items.len(), 1)?;
            items.insert(item);
        }
        Value::Map(map) => add_entries(context, map, item)?,
        other => return not_taken(context, "a collection first", &other.clone(), &[item]),
    }
    Ok(())
}

/// Adds an entry `[key value]` or the entries of a map to a map; nil adds nothing.
pub(super) fn add_entries(context: &mut Context<'_>, map: &mut Map, item: Value) -> EvalResult<()> {
    match &item {
        Value::Vector(entry) => {
            if let [key, value] = entry.as_slice() {
                all_fit(context, map.len(), 1)?;
                map.insert(key.clone(), value.clone());
                return Ok(());
            }
        }
        Value::Map(more) => {
            all_fit(context, map.len(), more.len())?;
            more.iter().for_each(|(key, value)| map.insert(key.clone(), value.clone()));
            return Ok(());
        }
        Value::Nil => return Ok(()),
        _ => {}
    }
    let message = format!("`{}` adds entries `[key value]` to a map, got {}", context.name, describe(&item));
    error_with_hint(
        "type_error",
        message,
        "write `(assoc m key value)`, or make entries: `(into {} (map (fn [x] [(:id x) x]) coll))`",
    )
}

/// The remaining elements of a vector; those before `position` are moved out.
pub(super) struct Rest {
    items: Vector,
    position: usize,
}

impl Rest {
    pub fn new(items: Vector) -> Rest {
        Rest { items, position: 0 }
    }

    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        self.items.len() - self.position
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Iterator for Rest {
    type Item = Value;

    fn next(&mut self) -> Option<Value> {
        if self.is_empty() {
            return None;
        }
        self.position += 1;
        Some(self.items.take_at(self.position - 1))
    }
}
