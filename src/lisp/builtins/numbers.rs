//! Arithmetic, comparison and rounding.

use super::arguments::{arg, take};
use super::filling::FEW;
use super::{ANY, plain, steps};
use crate::lisp::chunk::Comparison;
use crate::lisp::equality::{compare, equal_soon};
use crate::lisp::fault::{EvalResult, describe, error_with_hint, type_error};
use crate::lisp::native::{Begin, Builtin, Context};
use crate::lisp::number::{Arithmetic, Number, arithmetic, number, order, to_integer, to_number};
use crate::lisp::task::{AsyncSteps, are_equal};
use crate::unicode::cut_position;
use crate::value::{Value, taken, whole_integer};

pub(super) const ROWS: &[Builtin] = &[
    plain("+", "x …", (0, ANY), "The sum; 0 without arguments.", add),
    plain("+'", "x …", (0, ANY), "The sum: integers grow anyway.", add),
    plain("*", "x …", (0, ANY), "The product; 1 without arguments.", multiply),
    plain("*'", "x …", (0, ANY), "The product: integers grow anyway.", multiply),
    plain("-", "x …", (1, ANY), "x less the others; -x alone.", subtract),
    plain("-'", "x …", (1, ANY), "x less the others: integers grow anyway.", subtract),
    plain("/", "x …", (1, ANY), "x divided by the others, as a float; 1/x alone.", divide),
    plain("inc", "x", (1, 1), "x + 1.", increment),
    plain("inc'", "x", (1, 1), "x + 1: integers grow anyway.", increment),
    plain("dec", "x", (1, 1), "x - 1.", decrement),
    plain("dec'", "x", (1, 1), "x - 1: integers grow anyway.", decrement),
    plain("quot", "x y", (2, 2), "How often y goes into x, without the rest.", |context, args| {
        division(context.name, args, DivisionPart::Quotient)
    }),
    plain("rem", "x y", (2, 2), "The rest of x by y, with the sign of x.", |context, args| {
        division(context.name, args, DivisionPart::Rest)
    }),
    plain("mod", "x y", (2, 2), "The rest of x by y, with the sign of y.", |context, args| {
        division(context.name, args, DivisionPart::Modulus)
    }),
    plain("abs", "x", (1, 1), "x without its sign.", |context, args| {
        let is_negative = match to_number(context.name, arg(args, 0))? {
            Number::Float(value) => return Ok(Value::Float(value.abs())),
            number => number.to_float() < 0.0,
        };
        match is_negative {
            true => arithmetic(Arithmetic::Subtract, &Value::Int(0), arg(args, 0)),
            false => Ok(take(args, 0)),
        }
    }),
    plain("max", "x …", (1, ANY), "The largest number.", |context, args| extreme(context.name, args, true)),
    plain("min", "x …", (1, ANY), "The smallest number.", |context, args| extreme(context.name, args, false)),
    plain("floor", "x", (1, 1), "The integer at or below x.", |context, args| round(context.name, args, f64::floor)),
    plain("ceil", "x", (1, 1), "The integer at or above x.", |context, args| round(context.name, args, f64::ceil)),
    plain(
        "round",
        "x, x digits",
        (1, 2),
        "The nearest integer, or float with this number of digits after the point; halves go away from zero.",
        |context, args| match args.get(1) {
            None => round(context.name, args, f64::round),
            Some(digits) => {
                let digits = to_integer(context.name, digits)?;
                let value = to_number(context.name, arg(args, 0))?.to_float();
                // Powers of ten up to this one are exact.
                let scale = (0..digits.unsigned_abs().min(22)).fold(1.0, |scale, _| scale * 10.0);
                let rounded =
                    if digits < 0 { (value / scale).round() * scale } else { (value * scale).round() / scale };
                // Larger floats are whole.
                Ok(Value::Float(if digits > 0 && value.abs() >= 2_f64.powi(52) { value } else { rounded }))
            }
        },
    ),
    plain("trunc", "x", (1, 1), "The integer of x towards zero.", |context, args| {
        round(context.name, args, f64::trunc)
    }),
    plain("int", "x", (1, 1), "The integer of x towards zero; of a character that is no digit, its code.", to_int),
    plain("long", "x", (1, 1), "The integer of x towards zero; of a character that is no digit, its code.", to_int),
    plain("double", "x", (1, 1), "x as a float.", to_double),
    plain("float", "x", (1, 1), "x as a float.", to_double),
    plain("num", "x", (1, 1), "x, which must be a number.", |context, args| {
        to_number(context.name, arg(args, 0))?.into_value()
    }),
    steps("=", "x …", (1, ANY), "True when all are equal.", |context, args| all_equal(context, args, true)),
    steps("not=", "x …", (1, ANY), "True when not all are equal.", |context, args| all_equal(context, args, false)),
    plain("==", "x …", (1, ANY), "True when all are the same number.", |context, args| {
        args.iter().try_for_each(|arg| to_number(context.name, arg).map(drop))?;
        chain(Comparison::Equal, args)
    }),
    plain("<", "x …", (1, ANY), "True when each is less than the next.", |_, args| chain(Comparison::Less, args)),
    plain("<=", "x …", (1, ANY), "True when none is more than the next.", |_, args| chain(Comparison::AtMost, args)),
    plain(">", "x …", (1, ANY), "True when each is more than the next.", |_, args| chain(Comparison::More, args)),
    plain(">=", "x …", (1, ANY), "True when none is less than the next.", |_, args| chain(Comparison::AtLeast, args)),
];

fn add(_: &mut Context<'_>, args: &mut [Value]) -> EvalResult {
    fold(Arithmetic::Add, Value::Int(0), args)
}

fn multiply(_: &mut Context<'_>, args: &mut [Value]) -> EvalResult {
    fold(Arithmetic::Multiply, Value::Int(1), args)
}

fn subtract(_: &mut Context<'_>, args: &mut [Value]) -> EvalResult {
    match args {
        [Value::Float(one)] => Ok(Value::Float(-*one)),
        [one] => arithmetic(Arithmetic::Subtract, &Value::Int(0), one),
        [first, rest @ ..] => fold(Arithmetic::Subtract, std::mem::take(first), rest),
        [] => Ok(Value::Nil),
    }
}

fn increment(_: &mut Context<'_>, args: &mut [Value]) -> EvalResult {
    arithmetic(Arithmetic::Add, arg(args, 0), &Value::Int(1))
}

fn decrement(_: &mut Context<'_>, args: &mut [Value]) -> EvalResult {
    arithmetic(Arithmetic::Subtract, arg(args, 0), &Value::Int(1))
}

fn fold(op: Arithmetic, start: Value, args: &[Value]) -> EvalResult {
    args.iter().try_fold(start, |sum, arg| arithmetic(op, &sum, arg))
}

fn chain(comparison: Comparison, args: &[Value]) -> EvalResult {
    for pair in args.windows(2) {
        if !compare(comparison, &pair[0], &pair[1])? {
            return Ok(Value::Bool(false));
        }
    }
    Ok(Value::Bool(true))
}

/// Returns `when_equal` if each argument equals the next one, else its opposite.
pub(super) fn all_equal(context: &mut Context<'_>, args: &mut [Value], when_equal: bool) -> EvalResult<Begin> {
    if args.len() <= FEW {
        let mut pairs = args.windows(2).map(|pair| equal_soon(&pair[0], &pair[1]));
        match pairs.find(|pair| *pair != Some(true)) {
            Some(None) => {}
            different => return Ok(Begin::Done(Value::Bool(different.is_none() == when_equal))),
        }
    }
    let values = taken(args);
    Begin::work(context, AsyncSteps::new(async move { Ok(Value::Bool(are_equal(&values).await == when_equal)) }))
}

fn divide(_: &mut Context<'_>, args: &mut [Value]) -> EvalResult {
    let quotient = |left: &Value, right: &Value| -> EvalResult {
        let (left, right_number) = (to_number("/", left)?, to_number("/", right)?);
        if matches!(right, Value::Int(0)) && !matches!(left, Number::Float(_)) {
            return error_with_hint(
                "arithmetic_error",
                "an integer can't be divided by zero",
                "test the divisor first: `(if (zero? n) 0 (/ x n))`",
            );
        }
        Ok(Value::Float(left.divided_by(right_number)))
    };
    match args {
        [one] => quotient(&Value::Int(1), one),
        [first, rest @ ..] => rest.iter().try_fold(std::mem::take(first), |product, arg| quotient(&product, arg)),
        [] => Ok(Value::Nil),
    }
}

enum DivisionPart {
    Quotient,
    Rest,
    Modulus,
}

fn division(name: &str, args: &[Value], part: DivisionPart) -> EvalResult {
    let (left, right) = (to_number(name, arg(args, 0))?, to_number(name, arg(args, 1))?);
    if right.to_float() == 0.0 {
        let message = format!("`{name}` can't divide by zero");
        return error_with_hint("arithmetic_error", message, "test the divisor first: `(if (zero? n) 0 …)`");
    }
    if let (Number::Int(left), Number::Int(right)) = (&left, &right) {
        let result = match part {
            DivisionPart::Quotient => left.checked_div(*right),
            DivisionPart::Rest => left.checked_rem(*right),
            // A remainder whose sign differs from the divisor's is moved to the divisor's side of zero.
            DivisionPart::Modulus => {
                left.checked_rem(*right).map(|rest| match rest != 0 && (rest < 0) != (*right < 0) {
                    true => rest + right,
                    false => rest,
                })
            }
        };
        if let Some(result) = result {
            return Ok(Value::Int(result));
        }
    }
    if matches!(left, Number::Float(_)) || matches!(right, Number::Float(_)) {
        let (left, right) = (left.to_float(), right.to_float());
        let rest = remainder(left, right);
        return Ok(Value::Float(match part {
            DivisionPart::Quotient => (left / right).trunc(),
            DivisionPart::Rest => rest,
            DivisionPart::Modulus if rest != 0.0 && (rest < 0.0) != (right < 0.0) => rest + right,
            DivisionPart::Modulus => rest,
        }));
    }
    let (left, right) = (left.into_big().unwrap_or_default(), right.into_big().unwrap_or_default());
    let (quotient, rest) = left.divided_by(&right);
    let crosses_zero = !rest.is_zero() && rest.is_negative() != right.is_negative();
    Ok(Value::integer(match part {
        DivisionPart::Quotient => quotient,
        DivisionPart::Modulus if crosses_zero => rest.plus(&right),
        DivisionPart::Rest | DivisionPart::Modulus => rest,
    }))
}

/// Returns the exact remainder of a division that truncates towards zero, as `%` does. For wasm, the compiler
/// implements `%` with divisions of 128-bit integers, which take many times the code.
fn remainder(left: f64, right: f64) -> f64 {
    let (mut rest, divisor) = (left.abs(), right.abs());
    if !rest.is_finite() || right.is_nan() || divisor == 0.0 {
        return f64::NAN;
    }
    while rest >= divisor {
        // The largest product of the divisor and a power of two that can be subtracted.
        let distance = libm::ilogb(rest) - libm::ilogb(divisor);
        let scaled = libm::scalbn(divisor, distance);
        rest -= if scaled <= rest { scaled } else { libm::scalbn(divisor, distance - 1) };
    }
    rest.copysign(left)
}

fn extreme(name: &str, args: &mut [Value], largest: bool) -> EvalResult {
    let mut best = 0;
    for position in 0..args.len() {
        let next = to_number(name, arg(args, position))?;
        let Some(found) = number(arg(args, best)) else { continue };
        match order(&next, &found) {
            Some(order) if if largest { order.is_gt() } else { order.is_lt() } => best = position,
            Some(_) => {}
            None if next.to_float().is_nan() => best = position,
            None => {}
        }
    }
    Ok(take(args, best))
}

fn round(name: &str, args: &mut [Value], rounded: fn(f64) -> f64) -> EvalResult {
    match to_number(name, arg(args, 0))? {
        Number::Float(value) => whole(name, rounded(value)),
        _ => Ok(take(args, 0)),
    }
}

/// Returns the integer that equals a float without a fraction.
pub(super) fn whole(name: &str, value: f64) -> EvalResult {
    if !value.is_finite() {
        let message = format!("`{name}` makes an integer, got {}", describe(&Value::Float(value)));
        let hint = "the number was divided by zero, or grew beyond all floats; test with `NaN?` and `infinite?`";
        return error_with_hint("arithmetic_error", message, hint);
    }
    Ok(match value.abs() < 9e15 {
        true => Value::Int(value as i64),
        false => Value::integer(whole_integer(value)),
    })
}

fn to_int(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult {
    match arg(args, 0) {
        // In Clojure the string is an error, and the character has a code: here they are one value.
        Value::Str(text) if matches!(text.as_bytes(), [b'0'..=b'9']) => type_error(
            context.name,
            "a number or a character that is no digit",
            &Value::Str(text.clone()),
            "the number that a text writes is `(parse-long s)`",
        ),
        Value::Str(text) if !text.is_empty() && cut_position(text, 1).is_none() => {
            Ok(text.chars().next().map(|character| Value::Int(u32::from(character).into())).unwrap_or_default())
        }
        Value::Str(text) => type_error(
            context.name,
            "a number or one character",
            &Value::Str(text.clone()),
            "read a number from a string with `(parse-long s)` or `(parse-double s)`",
        ),
        _ => round(context.name, args, f64::trunc),
    }
}

fn to_double(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult {
    Ok(Value::Float(to_number(context.name, arg(args, 0))?.to_float()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn rests_of_floats_are_exact(left in any::<f64>(), right in any::<f64>(), scale in 0.0..1e9) {
            let same = |ours: f64, theirs: f64| ours.to_bits() == theirs.to_bits() || ours.is_nan() && theirs.is_nan();
            for (left, right) in [(left, right), (right * scale, right), (left, left / 3.0), (0.1, 0.01), (-0.0, 1.0)] {
                prop_assert!(same(remainder(left, right), left % right), "{left} {right}");
            }
        }
    }
}
