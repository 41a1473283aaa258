//! The comparisons of `=`, `<` and the like, and truthiness. An integer and a float can be equal, as `1` and `1.0`, because `/` always
//! returns a float. As keys of maps and elements of sets, such numbers are different.

use super::chunk::Comparison;
use super::fault::{EvalResult, describe, error_with_hint};
use super::number::{Number, number, order};
use crate::value::{Comparing, Pairs, Value, all_pairs, is_same_text, order_texts};

/// Computes `(= left right)`. NaN equals nothing.
pub fn equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Str(left), Value::Str(right)) | (Value::Keyword(left), Value::Keyword(right)) => {
            is_same_text(left, right)
        }
        _ => all_pairs(left, right, equal_here),
    }
}

/// The number of pairs that are compared without a pause.
pub const MANY: u64 = 10_000;

/// Compares as [`equal`] does; returns `None` for values that take long to compare.
pub fn equal_soon(left: &Value, right: &Value) -> Option<bool> {
    match (left, right) {
        (Value::Vector(_), Value::Vector(_)) | (Value::Map(_), Value::Map(_)) | (Value::Set(_), Value::Set(_)) => {
            comparing(left, right).map_or(Some(false), |mut pairs| pairs.advance(MANY, MANY))
        }
        _ => Some(equal(left, right)),
    }
}

/// Returns the comparison of [`equal`], to be done in pieces; `None` when the values already differ at the top level.
pub fn comparing<'a>(left: &'a Value, right: &'a Value) -> Option<Comparing<'a>> {
    Comparing::new(left, right, equal_here)
}

fn equal_here<'a>(left: &'a Value, right: &'a Value, pending: &mut Vec<Pairs<'a>>) -> bool {
    match (left, right) {
        (Value::Int(left), Value::Int(right)) => left == right,
        (Value::Float(left), Value::Float(right)) => left == right,
        (Value::Int(_) | Value::Float(_) | Value::BigInt(_), Value::Int(_) | Value::Float(_) | Value::BigInt(_)) => {
            let both = number(left).zip(number(right));
            both.is_some_and(|(left, right): (Number, Number)| order(&left, &right).is_some_and(|order| order.is_eq()))
        }
        (Value::Vector(left), Value::Vector(right)) => {
            left.len() == right.len() && Pairs::add_items(left.as_slice(), right.as_slice(), equal_here, pending)
        }
        (Value::Map(left), Value::Map(right)) => {
            let same_length = left.len() == right.len();
            if same_length {
                pending.push(Pairs::of_maps(left, right));
            }
            same_length
        }
        (Value::Set(left), Value::Set(right)) => {
            let same_length = left.len() == right.len();
            if same_length && !left.is_same(right) {
                pending.push(Pairs::of_sets(left, right));
            }
            same_length
        }
        _ => left == right,
    }
}

/// Computes `(op left right)` for a comparison.
pub fn compare(comparison: Comparison, left: &Value, right: &Value) -> EvalResult<bool> {
    let name = match comparison {
        Comparison::Equal => return Ok(equal(left, right)),
        Comparison::Unequal => return Ok(!equal(left, right)),
        Comparison::Less => "<",
        Comparison::AtMost => "<=",
        Comparison::More => ">",
        Comparison::AtLeast => ">=",
    };
    let order = match (left, right) {
        (Value::Str(left), Value::Str(right)) => Some(order_texts(left, right)),
        (Value::Date(left), Value::Date(right)) | (Value::Day(left), Value::Day(right)) => Some(left.cmp(right)),
        (Value::Float(left), Value::Float(right)) => left.partial_cmp(right),
        _ => match (number(left), number(right)) {
            (Some(left), Some(right)) => order(&left, &right),
            (None, _) => return not_comparable(name, left, right),
            (_, None) => return not_comparable(name, right, left),
        },
    };
    let Some(order) = order else { return Ok(false) };
    Ok(match comparison {
        Comparison::Less => order.is_lt(),
        Comparison::AtMost => order.is_le(),
        Comparison::More => order.is_gt(),
        _ => order.is_ge(),
    })
}

#[cold]
fn not_comparable<T>(name: &str, value: &Value, other: &Value) -> EvalResult<T> {
    let hint = match value {
        Value::Nil => "a key may be missing: give a default, `(:key m 0)`, or filter such elements out first",
        Value::Str(_) => "read a number from the string with `(parse-long s)` or `(parse-double s)`",
        _ => "`(compare a b)` orders other values",
    };
    let message = format!("`{name}` compares numbers, got {} and {}", describe(value), describe(other));
    error_with_hint("type_error", message, hint)
}

/// Returns true for every value except nil and false.
#[inline(always)]
pub fn is_truthy(value: &Value) -> bool {
    !matches!(value, Value::Nil | Value::Bool(false))
}
