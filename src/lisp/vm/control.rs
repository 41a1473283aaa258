//! Instructions for control flow: comparisons, `recur`, iterations.

use crate::lisp::chunk::Comparison;
use crate::lisp::equality::{self, equal_soon};
use crate::lisp::fault::{EvalResult, Fault, describe, error_with_hint};
use crate::lisp::lookup::get_flexible;
use crate::lisp::meter::Meter;
use crate::lisp::sequence::to_vector;
use crate::lisp::task::{AsyncSteps, are_equal, with};
use crate::value::Value;

/// Why a comparison has no result: the fault, or `None` for values that take long. Then the instruction is executed again
/// after [`long_comparison`] has compared them.
pub(super) type NotCompared = Option<Box<Fault>>;

/// Returns whether a comparison holds.
#[inline(always)]
pub(super) fn compare(
    comparison: Comparison,
    left: &Value,
    right: &Value,
    meter: &mut Meter,
) -> Result<bool, NotCompared> {
    if let (Value::Int(left), Value::Int(right)) = (left, right) {
        let order = u8::from(left < right) | u8::from(left == right) << 1 | u8::from(left > right) << 2;
        return Ok(order & comparison as u8 != 0);
    }
    compare_others(comparison, left, right, meter)
}

/// Compares values other than two integers.
fn compare_others(comparison: Comparison, left: &Value, right: &Value, meter: &mut Meter) -> Result<bool, NotCompared> {
    if !matches!(comparison, Comparison::Equal | Comparison::Unequal) {
        return equality::compare(comparison, left, right).map_err(Some);
    }
    let equal = match meter.compared.take() {
        Some(known) if known.0.is_same(left) && known.1.is_same(right) => known.2,
        _ => equal_soon(left, right).ok_or(None)?,
    };
    Ok(equal == matches!(comparison, Comparison::Equal))
}

/// Compares two values that take long to compare, and stores the result in [`Meter::compared`].
pub(super) fn long_comparison(left: Value, right: Value) -> Box<AsyncSteps> {
    AsyncSteps::new(async move {
        let values = [left, right];
        let equal = are_equal(&values).await;
        let [left, right] = values;
        with(move |context| {
            context.meter.compared = Some(Box::new((left, right, equal)));
            Ok(())
        })
        .await;
        Ok(Value::Nil)
    })
}

/// Returns whether a value is a map with the key.
pub(super) fn has_key(map: &Value, key: &Value) -> bool {
    matches!(map, Value::Map(map) if get_flexible(map, key).is_some())
}

/// Returns the number of a loop's next round, given the loop's counter. Fails beyond the limit.
#[inline(always)]
pub(super) fn next_round(counter: &Value, limit: u64) -> EvalResult<i64> {
    let rounds = match counter {
        Value::Int(rounds) => rounds + 1,
        _ => 1,
    };
    if rounds as u64 > limit {
        return loop_limit(limit);
    }
    Ok(rounds)
}

#[cold]
fn loop_limit<T>(limit: u64) -> EvalResult<T> {
    let hint = "check that it ends; go over collections with `map`, `reduce` or `doseq` instead";
    error_with_hint("loop_limit_exceeded", format!("a loop went around more than {limit} times"), hint)
}

/// Returns the elements of an iteration as a vector.
pub(super) fn iterated(items: &Value, meter: &mut Meter) -> EvalResult {
    let items = to_vector(meter, "for", items)?;
    meter.elements(items.len())?;
    Ok(Value::Vector(items))
}

/// Returns the next element of an iteration and the index after it.
#[inline(always)]
pub(super) fn next_element(items: &Value, index: &Value) -> Option<(Value, i64)> {
    match (items, index) {
        (Value::Vector(items), Value::Int(index)) => items.get(*index as usize).map(|item| (item.clone(), index + 1)),
        _ => None,
    }
}

/// The error of a `case` or `condp` without a clause for a value.
#[cold]
pub(super) fn no_clause<T>(value: &Value) -> EvalResult<T> {
    let message = format!("no clause matches {}", describe(value));
    error_with_hint("no_matching_clause", message, "add a default as the last part")
}
