//! Arithmetic: integers of any size, floats, and both together.

use super::fault::{EvalResult, error, error_with_hint, type_error};
use crate::value::{BigInt, MAX_INTEGER_BITS, Value};
use crate::work;

/// A number in the representation for arithmetic.
pub enum Number {
    /// An integer that fits 64 bits.
    Int(i64),
    /// Any other integer.
    Big(BigInt),
    /// A float.
    Float(f64),
}

/// An operation of arithmetic.
#[derive(Clone, Copy)]
pub enum Arithmetic {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
}

impl Arithmetic {
    fn name(self) -> &'static str {
        match self {
            Arithmetic::Add => "+",
            Arithmetic::Subtract => "-",
            Arithmetic::Multiply => "*",
        }
    }
}

/// Returns the value as a number; `None` when it is not one.
pub fn number(value: &Value) -> Option<Number> {
    match value {
        Value::Int(value) => Some(Number::Int(*value)),
        Value::BigInt(value) => {
            work::multiplied(value.limbs().len(), 1);
            Some(Number::Big((**value).clone()))
        }
        Value::Float(value) => Some(Number::Float(*value)),
        _ => None,
    }
}

/// Returns the argument as a number; an error when it is not one.
pub fn to_number(name: &str, value: &Value) -> EvalResult<Number> {
    match number(value) {
        Some(number) => Ok(number),
        None => not_a_number(name, value),
    }
}

#[cold]
fn not_a_number<T>(name: &str, value: &Value) -> EvalResult<T> {
    let spread;
    let hint = match value {
        Value::Nil => "a key may be missing: give a default, `(:key m 0)` or `(or x 0)`",
        Value::Str(_) if name == "+" => "join texts with `(str a b)`, or read a number with `(parse-double s)`",
        Value::Str(_) => "read a number from a string with `(parse-long s)` or `(parse-double s)`",
        Value::Vector(_) | Value::Set(_) => {
            spread = match name {
                "+" | "-" | "*" | "/" | "max" | "min" => {
                    format!("spread a collection over the arguments: `(apply {name} coll)`")
                }
                _ => format!("for every element write `(map #({name} …) coll)`, with `%` in its place"),
            };
            &spread
        }
        Value::Date(_) => "the milliseconds of a date are `(.getTime date)`",
        Value::Day(_) => "the days between two dates are `(.until start end ChronoUnit/DAYS)`",
        _ => "",
    };
    type_error(name, "numbers", value, hint)
}

impl Number {
    /// Returns the nearest float.
    pub fn to_float(&self) -> f64 {
        match self {
            Number::Int(value) => *value as f64,
            Number::Big(value) => big_to_float(value),
            Number::Float(value) => *value,
        }
    }

    /// Returns the float nearest to the quotient.
    pub fn divided_by(self, divisor: Number) -> f64 {
        match (self, divisor) {
            (Number::Float(left), right) => left / right.to_float(),
            (left, Number::Float(right)) => left.to_float() / right,
            (Number::Int(left), Number::Int(right)) if is_exact(left) && is_exact(right) => left as f64 / right as f64,
            (left, right) => quotient(&left.into_big().unwrap_or_default(), &right.into_big().unwrap_or_default()),
        }
    }

    /// Returns the integer; `None` for a float.
    pub fn into_big(self) -> Option<BigInt> {
        match self {
            Number::Int(value) => Some(BigInt::from(value)),
            Number::Big(value) => Some(value),
            Number::Float(_) => None,
        }
    }

    /// Returns the number as a value.
    pub fn into_value(self) -> EvalResult {
        match self {
            Number::Int(value) => Ok(Value::Int(value)),
            Number::Float(value) => Ok(Value::Float(value)),
            Number::Big(value) if value.bits() > MAX_INTEGER_BITS => error_with_hint(
                "arithmetic_error",
                "the result is an integer of more than 10000 digits",
                "compute with floats: `(double x)`",
            ),
            Number::Big(value) => Ok(Value::integer(value)),
        }
    }
}

/// Returns the float nearest to an integer of any size.
pub fn big_to_float(value: &BigInt) -> f64 {
    let limbs = value.limbs();
    // Three limbs hold more bits than a float; the limbs below decide ties.
    let (low, high) = limbs.split_at(limbs.len().saturating_sub(3));
    let high = high.iter().rev().fold(0, |high, limb| high << 32 | u128::from(*limb));
    let is_more = low.iter().any(|limb| *limb != 0);
    let mut size = (high | u128::from(is_more)) as f64;
    for _ in low {
        size *= 4_294_967_296.0;
    }
    if value.is_negative() { -size } else { size }
}

/// Returns whether a float represents the integer exactly.
fn is_exact(value: i64) -> bool {
    value.unsigned_abs() <= 1 << f64::MANTISSA_DIGITS
}

/// Returns the float nearest to the quotient of two integers of any size.
fn quotient(left: &BigInt, right: &BigInt) -> f64 {
    if left.is_zero() || right.is_zero() {
        return big_to_float(left) / big_to_float(right);
    }
    // The quotient has more bits than a float, and its lowest bit is set when there is a remainder, so that it is
    // rounded only once. It has no bits below a quarter of the least float, where a float keeps fewer bits.
    let shift = right.bits().saturating_add(66).saturating_sub(left.bits()).min(1076);
    let surplus = left.bits().saturating_sub(right.bits() + 66);
    let (bits, rest) = left.clone().shifted_left(shift).divided_by(&right.clone().shifted_left(surplus));
    let is_odd = bits.limbs().first().is_some_and(|limb| limb % 2 == 1);
    let sticky = match rest.is_zero() || is_odd {
        true => bits,
        false if left.is_negative() == right.is_negative() => bits.plus(&BigInt::from(1)),
        false => bits.plus(&BigInt::from(-1)),
    };
    let exponent = i32::try_from(surplus).unwrap_or(i32::MAX) - shift as i32;
    libm::scalbn(big_to_float(&sticky), exponent)
}

/// Computes `(op left right)`.
pub fn arithmetic(op: Arithmetic, left: &Value, right: &Value) -> EvalResult {
    if let (Value::Int(left), Value::Int(right)) = (left, right) {
        let exact = match op {
            Arithmetic::Add => left.checked_add(*right),
            Arithmetic::Subtract => left.checked_sub(*right),
            Arithmetic::Multiply => left.checked_mul(*right),
        };
        if let Some(exact) = exact {
            return Ok(Value::Int(exact));
        }
    }
    let (left, right) = (to_number(op.name(), left)?, to_number(op.name(), right)?);
    if matches!(left, Number::Float(_)) || matches!(right, Number::Float(_)) {
        let (left, right) = (left.to_float(), right.to_float());
        return Ok(Value::Float(match op {
            Arithmetic::Add => left + right,
            Arithmetic::Subtract => left - right,
            Arithmetic::Multiply => left * right,
        }));
    }
    let (left, right) = (left.into_big().unwrap_or_default(), right.into_big().unwrap_or_default());
    if matches!(op, Arithmetic::Multiply) && left.bits() + right.bits() > MAX_INTEGER_BITS {
        return error_with_hint(
            "arithmetic_error",
            "the result is an integer of more than 10000 digits",
            "compute with floats: `(double x)`",
        );
    }
    Number::Big(match op {
        Arithmetic::Add => left.plus(&right),
        Arithmetic::Subtract => left.minus(&right),
        Arithmetic::Multiply => left.times(&right),
    })
    .into_value()
}

/// Returns the order of two numbers; `None` if one is NaN.
pub fn order(left: &Number, right: &Number) -> Option<std::cmp::Ordering> {
    match (left, right) {
        (Number::Int(left), Number::Int(right)) => Some(left.cmp(right)),
        (Number::Float(left), Number::Float(right)) => left.partial_cmp(right),
        (Number::Float(left), right) => order_float(*left, right),
        (left, Number::Float(right)) => order_float(*right, left).map(std::cmp::Ordering::reverse),
        (Number::Int(left), Number::Big(right)) => Some(BigInt::from(*left).cmp(right)),
        (Number::Big(left), Number::Int(right)) => Some(left.cmp(&BigInt::from(*right))),
        (Number::Big(left), Number::Big(right)) => Some(left.cmp(right)),
    }
}

/// Returns the exact order of an integer and a float, which may differ when their floats are equal.
fn order_float(float: f64, integer: &Number) -> Option<std::cmp::Ordering> {
    if float.is_infinite() {
        // The float of a large integer may be infinite too.
        return float.partial_cmp(&0.0);
    }
    let near = float.partial_cmp(&integer.to_float())?;
    if near.is_ne() {
        return Some(near);
    }
    let exact = match integer {
        Number::Int(integer) => BigInt::from(*integer),
        Number::Big(integer) => integer.clone(),
        Number::Float(_) => return Some(near),
    };
    // The float equals the integer's float: from 2^53 on it is a whole number; below, the integer's float is exact.
    Some(if float.abs() < 9_007_199_254_740_992.0 { near } else { crate::value::whole_integer(float).cmp(&exact) })
}

/// Returns the argument as an integer; an error when it is not one.
pub fn to_integer(name: &str, value: &Value) -> EvalResult<i64> {
    match value {
        Value::Int(value) => Ok(*value),
        Value::Float(value) if value.fract() == 0.0 && value.abs() < 9e15 => Ok(*value as i64),
        Value::BigInt(_) => error("arithmetic_error", format!("`{name}` takes integers of 64 bits")),
        _ => type_error(
            name,
            "an integer",
            value,
            if matches!(value, Value::Float(_)) { "round it first: `(int x)`" } else { "" },
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{parse_float, parse_integer};
    use proptest::prelude::*;
    use std::cmp::Ordering;

    /// Integers with few bits set, so that many lie just beside the middle of two floats.
    fn integer() -> impl Strategy<Value = BigInt> {
        let bits = proptest::collection::vec((0..1100_u64, any::<bool>()), 0..6);
        let near = (0..1030_u64, any::<i64>(), -1..2_i64);
        prop_oneof![
            bits.prop_map(|bits| {
                bits.into_iter().fold(BigInt::default(), |sum, (position, adds)| {
                    let bit = BigInt::from(1).shifted_left(position);
                    if adds { sum.plus(&bit) } else { sum.minus(&bit) }
                })
            }),
            near.prop_map(|(shift, number, more)| BigInt::from(number).shifted_left(shift).plus(&BigInt::from(more))),
        ]
    }

    proptest! {
        #[test]
        fn the_float_of_an_integer_is_the_nearest(integer in integer()) {
            let text = if integer.is_zero() { "0".into() } else { integer.to_string() };
            let nearest: f64 = text.parse().unwrap();
            prop_assert_eq!(big_to_float(&integer), nearest);
            prop_assert_eq!(parse_float(&text), Some(nearest));
        }

        #[test]
        fn the_float_of_a_quotient_is_the_nearest(
            small in prop::array::uniform2(1_i64..=1 << 53),
            factor in integer().prop_filter("not zero", |factor| !factor.is_zero()),
            shift in 0..1100_u64,
        ) {
            let [left, right] = small.map(BigInt::from);
            let exact = small[0] as f64 / small[1] as f64;
            prop_assert_eq!(quotient(&left, &right), exact);
            prop_assert_eq!(quotient(&left.times(&factor), &right.times(&factor)), exact);
            prop_assert_eq!(quotient(&left.clone().negated(), &right), -exact);
            // A power of two rounds again only below the least normal float.
            let power = BigInt::from(1).shifted_left(shift);
            let (larger, smaller) = (libm::scalbn(exact, shift as i32), libm::scalbn(exact, -(shift as i32)));
            prop_assert_eq!(quotient(&left.times(&power), &right), larger);
            if smaller >= f64::MIN_POSITIVE {
                prop_assert_eq!(quotient(&left, &right.times(&power)), smaller);
            }
        }

        #[test]
        fn the_float_of_a_quotient_decides_ties_by_the_rest(half in 1_i64 << 52..1 << 53, shift in 1..200_u64) {
            let power = BigInt::from(1).shifted_left(shift);
            let tie = BigInt::from(2 * half + 1).shifted_left(shift);
            let [less, more] = [-1, 1].map(|little| quotient(&tie.clone().plus(&BigInt::from(little)), &power));
            prop_assert_eq!(less, (2 * half) as f64);
            prop_assert_eq!(more, (2 * half + 2) as f64);
            prop_assert_eq!(quotient(&tie, &power), (2 * half + 1) as f64);
        }

        #[test]
        fn the_order_of_numbers_is_that_of_exact_ones(
            integers in [integer(), integer()],
            float in prop_oneof![3 => any::<f64>(), 1 => proptest::sample::select(&[f64::INFINITY, f64::NEG_INFINITY, -0.0, 0.5][..])],
        ) {
            let near = integers.clone().map(|integer| big_to_float(&integer));
            // Doubles each number, so that floats with a fraction lie between integers.
            let exact = |number: &Number| match number {
                Number::Float(float) if float.is_infinite() => {
                    let huge = BigInt::from(1).shifted_left(5000);
                    if *float < 0.0 { huge.negated() } else { huge }
                }
                Number::Float(float) => {
                    let whole = crate::value::whole_integer(float.trunc());
                    let whole = whole.shifted_left(1);
                    match float.fract() {
                        0.0 => whole,
                        fract if fract < 0.0 => whole.minus(&BigInt::from(1)),
                        _ => whole.plus(&BigInt::from(1)),
                    }
                }
                Number::Int(integer) => BigInt::from(*integer).shifted_left(1),
                Number::Big(integer) => integer.clone().shifted_left(1),
            };
            let values = integers.into_iter().map(Value::integer).chain([float, near[0], near[1]].map(Value::Float));
            let numbers: Vec<Number> = values.filter_map(|value| number(&value)).collect();
            for left in &numbers {
                for right in &numbers {
                    if let (Number::Float(left), Number::Float(right)) = (left, right) {
                        prop_assert_eq!(order(&Number::Float(*left), &Number::Float(*right)), left.partial_cmp(right));
                    } else {
                        prop_assert_eq!(order(left, right), Some(exact(left).cmp(&exact(right))));
                    }
                }
            }
        }
    }

    #[test]
    fn an_infinite_float_is_beyond_all_integers() {
        let huge = Number::Big(parse_integer(&"9".repeat(400), 10).unwrap());
        assert_eq!(order(&huge, &Number::Float(f64::INFINITY)), Some(Ordering::Less));
        assert_eq!(order(&Number::Float(f64::NEG_INFINITY), &huge), Some(Ordering::Less));
    }
}
