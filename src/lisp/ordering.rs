//! The order of `sort`, `compare`, `min-by` and the like.
//!
//! nil comes first. Numbers are ordered across their kinds, NaN after all others; strings and
//! keywords by their text, false before true, dates by time, vectors by length and then by their
//! elements. Other values have no order, and neither have two values of different kinds.

use std::cmp::Ordering;

use super::fault::{EvalResult, describe, error_with_hint};
use super::meter::too_large_key;
use super::number::{Number, number, order};
use crate::value::{ComparedPairs, Value, order_texts};
use crate::work;

/// Returns the order of two values. `name` is the builtin that an error names.
pub fn compare(name: &str, left: &Value, right: &Value) -> EvalResult<Ordering> {
    if !matches!((left, right), (Value::Vector(_), Value::Vector(_))) {
        return compare_simple(name, left, right);
    }
    // The remaining elements of the vectors that are being compared.
    let mut open: Vec<(std::slice::Iter<'_, Value>, std::slice::Iter<'_, Value>)> = Vec::new();
    let (mut left, mut right) = (left, right);
    let mut pairs = ComparedPairs::default();
    let end = work::done().saturating_add(work::KEY_WORK);
    loop {
        pairs.step();
        if pairs.count > work::KEY || work::done() > end {
            work::compared(pairs.count, 0);
            return too_large_key();
        }
        let order = match (left, right) {
            (Value::Vector(left), Value::Vector(right)) => {
                let by_length = left.len().cmp(&right.len());
                // A pair that was compared before is equal: otherwise the result would be known already.
                let mut is_known = || left.is_same(right) || pairs.knows(left.address(), right.address());
                if by_length.is_eq() && !is_known() {
                    open.push((left.iter(), right.iter()));
                }
                by_length
            }
            _ => compare_simple(name, left, right)?,
        };
        if order.is_ne() {
            work::compared(pairs.count, 0);
            return Ok(order);
        }
        loop {
            let Some((lefts, rights)) = open.last_mut() else {
                work::compared(pairs.count, 0);
                return Ok(Ordering::Equal);
            };
            if let (Some(next_left), Some(next_right)) = (lefts.next(), rights.next()) {
                (left, right) = (next_left, next_right);
                break;
            }
            open.pop();
        }
    }
}

fn compare_simple(name: &str, left: &Value, right: &Value) -> EvalResult<Ordering> {
    Ok(match (left, right) {
        (Value::Int(left), Value::Int(right)) => left.cmp(right),
        (Value::Str(left), Value::Str(right)) | (Value::Keyword(left), Value::Keyword(right)) => {
            order_texts(left, right)
        }
        (Value::Date(left), Value::Date(right)) | (Value::Day(left), Value::Day(right)) => left.cmp(right),
        (Value::Bool(left), Value::Bool(right)) => left.cmp(right),
        (Value::Nil, Value::Nil) => Ordering::Equal,
        (Value::Nil, _) => Ordering::Less,
        (_, Value::Nil) => Ordering::Greater,
        _ => match (number(left), number(right)) {
            (Some(left), Some(right)) => order(&left, &right).unwrap_or_else(|| is_nan(&left).cmp(&is_nan(&right))),
            _ => return no_order(name, left, right),
        },
    })
}

fn is_nan(number: &Number) -> bool {
    matches!(number, Number::Float(float) if float.is_nan())
}

#[cold]
fn no_order(name: &str, left: &Value, right: &Value) -> EvalResult<Ordering> {
    let message = format!("`{name}` can't order {} and {}", describe(left), describe(right));
    let hint = match left {
        Value::Map(_) | Value::Set(_) => "order maps by what is in them: `(sort-by :key coll)`, `(min-by :key coll)`",
        _ => "values of one kind have an order; make them alike first, as in `(sort-by str coll)`",
    };
    error_with_hint("type_error", message, hint)
}

#[cfg(test)]
mod tests {
    use super::super::fault::Fault;
    use super::*;

    #[test]
    fn values_that_share_their_parts_are_compared_once() {
        let shared =
            |depth| (0..depth).fold(Value::vector([Value::Int(1)]), |half, _| Value::vector([half.clone(), half]));
        work::take();
        assert_eq!(compare("compare", &shared(60), &shared(60)).ok(), Some(Ordering::Equal));
        assert!((2000..10_000).contains(&work::take()));
    }

    #[test]
    fn many_levels_are_compared() {
        let deep = |last, levels| (0..levels).fold(Value::Int(last), |inner, _| Value::vector([inner]));
        let order = |levels| compare("compare", &deep(1, levels), &deep(2, levels));
        assert_eq!(order(9_000).ok(), Some(Ordering::Less));
        let Err(fault) = order(1_000_000) else { panic!("it is compared in one step") };
        let Fault::Error(problem) = *fault else { panic!("it is no error") };
        assert_eq!(problem.kind, "collection_size_exceeded");
    }
}
