//! Equality as `=` has it, and truth. Numbers are equal across their kinds, as `1` and `1.0`, because `/`
//! always returns a float. As keys and in sets such numbers are different.

use super::number::{Number, number, order};
use crate::value::{Value, all_pairs, is_same_text};

/// `(= left right)`. NaN equals nothing.
pub fn equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Str(left), Value::Str(right)) | (Value::Keyword(left), Value::Keyword(right)) => {
            is_same_text(left, right)
        }
        _ => all_pairs(left, right, equal_here),
    }
}

fn equal_here<'a>(left: &'a Value, right: &'a Value, pending: &mut Vec<(&'a Value, &'a Value)>) -> bool {
    match (left, right) {
        (Value::Int(left), Value::Int(right)) => left == right,
        (Value::Float(left), Value::Float(right)) => left == right,
        (Value::Int(_) | Value::Float(_) | Value::BigInt(_), Value::Int(_) | Value::Float(_) | Value::BigInt(_)) => {
            let both = number(left).zip(number(right));
            both.is_some_and(|(left, right): (Number, Number)| order(&left, &right).is_some_and(|order| order.is_eq()))
        }
        (Value::Vector(left), Value::Vector(right)) => {
            let same_length = left.len() == right.len();
            if same_length {
                pending.extend(left.iter().zip(right.iter()));
            }
            same_length
        }
        (Value::Map(left_map), Value::Map(right_map)) => {
            if left_map.len() != right_map.len() {
                return false;
            }
            for (key, value) in left_map.iter() {
                // Keys are found by the equality of keys, which does not recurse either.
                match right_map.get(key) {
                    Some(other) => pending.push((value, other)),
                    None => return false,
                }
            }
            true
        }
        _ => left == right,
    }
}

/// Every value but nil and false is truthy.
#[inline(always)]
pub fn is_truthy(value: &Value) -> bool {
    !matches!(value, Value::Nil | Value::Bool(false))
}
