//! The order in which keys of maps and items of sets are written.

use std::cmp::Ordering;

use crate::value::{BigInt, Value, whole_integer};

/// The rank of keys that are ordered by their text.
pub const BY_TEXT: u8 = 5;

pub fn kind_rank(key: &Value) -> u8 {
    match key {
        Value::Nil => 0,
        Value::Bool(_) => 1,
        Value::Int(_) | Value::BigInt(_) | Value::Float(_) => 2,
        Value::Keyword(_) => 3,
        Value::Str(_) => 4,
        _ => BY_TEXT,
    }
}

/// Compares two keys that are not ordered by their text.
pub fn compare_simple(left: &Value, right: &Value) -> Ordering {
    let by_kind = kind_rank(left).cmp(&kind_rank(right));
    let by_value = || match (left, right) {
        (Value::Bool(left), Value::Bool(right)) => left.cmp(right),
        (Value::Keyword(left), Value::Keyword(right)) | (Value::Str(left), Value::Str(right)) => left.cmp(right),
        (left, right) => compare_numbers(left, right),
    };
    by_kind.then_with(by_value)
}

/// Compares numbers by size; an integer comes before the float that equals it, NaN comes last.
fn compare_numbers(left: &Value, right: &Value) -> Ordering {
    match (left, right) {
        (Value::Int(left), Value::Int(right)) => left.cmp(right),
        (Value::BigInt(left), Value::BigInt(right)) => left.cmp(right),
        (Value::Float(left), Value::Float(right)) => {
            left.partial_cmp(right).unwrap_or_else(|| left.is_nan().cmp(&right.is_nan()))
        }
        (integer, Value::Float(float)) => compare_with_float(integer, *float),
        (Value::Float(float), integer) => compare_with_float(integer, *float).reverse(),
        (left, right) => big(left).cmp(&big(right)),
    }
}

fn compare_with_float(integer: &Value, float: f64) -> Ordering {
    if float.is_nan() || float == f64::INFINITY {
        return Ordering::Less;
    }
    if float == f64::NEG_INFINITY {
        return Ordering::Greater;
    }
    let whole = whole_integer(float);
    let fraction = float.fract();
    let by_fraction = if fraction < 0.0 { Ordering::Greater } else { Ordering::Less };
    big(integer).cmp(&whole).then(by_fraction)
}

fn big(integer: &Value) -> BigInt {
    match integer {
        Value::Int(small) => BigInt::from(*small),
        Value::BigInt(big) => (**big).clone(),
        _ => BigInt::default(),
    }
}
