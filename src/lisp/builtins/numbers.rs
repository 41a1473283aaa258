//! Arithmetic, comparison, rounding, bits, and numbers read from texts.

use super::arguments::{arg, take};
use super::{ANY, Row, plain};
use crate::lisp::chunk::Comparison;
use crate::lisp::fault::{Outcome, describe, error, error_with_hint, type_error};
use crate::lisp::native::Context;
use crate::lisp::number::{Arithmetic, Number, arithmetic, compare, number, order, to_integer, to_number};
use crate::lisp::text::{not_a_text, to_text};
use crate::unicode::cut_place;
use crate::value::{BigInt, MAX_INTEGER_BITS, Value, parse_float, parse_integer, whole_integer};

pub(super) const ROWS: &[Row] = &[
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
        division(context.name, args, Part::Quotient)
    }),
    plain("rem", "x y", (2, 2), "The rest of x by y, with the sign of x.", |context, args| {
        division(context.name, args, Part::Rest)
    }),
    plain("mod", "x y", (2, 2), "The rest of x by y, with the sign of y.", |context, args| {
        division(context.name, args, Part::Modulus)
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
    plain("round", "x", (1, 1), "The nearest integer; halves go away from zero.", |context, args| {
        round(context.name, args, f64::round)
    }),
    plain("trunc", "x", (1, 1), "The integer of x towards zero.", |context, args| {
        round(context.name, args, f64::trunc)
    }),
    plain("int", "x", (1, 1), "The integer of x towards zero; of a character, its code.", to_int),
    plain("long", "x", (1, 1), "The integer of x towards zero; of a character, its code.", to_int),
    plain("double", "x", (1, 1), "x as a float.", to_double),
    plain("float", "x", (1, 1), "x as a float.", to_double),
    plain("num", "x", (1, 1), "x, which must be a number.", |context, args| {
        to_number(context.name, arg(args, 0))?.into_value()
    }),
    plain("=", "x …", (1, ANY), "True when all are equal.", |_, args| chain(Comparison::Equal, args)),
    plain("not=", "x …", (1, ANY), "True when not all are equal.", |_, args| {
        chain(Comparison::Equal, args).map(|equal| Value::Bool(!matches!(equal, Value::Bool(true))))
    }),
    plain("==", "x …", (1, ANY), "True when all are the same number.", |context, args| {
        args.iter().try_for_each(|arg| to_number(context.name, arg).map(drop))?;
        chain(Comparison::Equal, args)
    }),
    plain("<", "x …", (1, ANY), "True when each is less than the next.", |_, args| chain(Comparison::Less, args)),
    plain("<=", "x …", (1, ANY), "True when none is more than the next.", |_, args| chain(Comparison::AtMost, args)),
    plain(">", "x …", (1, ANY), "True when each is more than the next.", |_, args| chain(Comparison::More, args)),
    plain(">=", "x …", (1, ANY), "True when none is less than the next.", |_, args| chain(Comparison::AtLeast, args)),
    plain("bit-and", "x y …", (2, ANY), "The bits that all have.", |context, args| {
        bits(context.name, args, |left, right| left & right)
    }),
    plain("bit-or", "x y …", (2, ANY), "The bits that any has.", |context, args| {
        bits(context.name, args, |left, right| left | right)
    }),
    plain("bit-xor", "x y …", (2, ANY), "The bits that differ.", |context, args| {
        bits(context.name, args, |left, right| left ^ right)
    }),
    plain("bit-and-not", "x y …", (2, ANY), "The bits of x that the others have not.", |context, args| {
        bits(context.name, args, |left, right| left & !right)
    }),
    plain("bit-not", "x", (1, 1), "The opposite of each bit.", |context, args| {
        let bits = integer(context.name, arg(args, 0))?;
        Ok(Value::integer(combined(&bits, &BigInt::default(), |bits, _| !bits)))
    }),
    plain("bit-shift-left", "x n", (2, 2), "x with its bits n places higher.", |context, args| {
        let (bits, places) = (integer(context.name, arg(args, 0))?, bit_place(context.name, arg(args, 1))?);
        if bits.bits() + places > MAX_INTEGER_BITS {
            return Number::Big(BigInt::from(1).shifted_left(MAX_INTEGER_BITS + 1)).into_value();
        }
        Ok(Value::integer(bits.shifted_left(places)))
    }),
    plain("bit-shift-right", "x n", (2, 2), "x with its bits n places lower.", |context, args| {
        Ok(Value::integer(integer(context.name, arg(args, 0))?.shifted_right(bit_place(context.name, arg(args, 1))?)))
    }),
    plain("unsigned-bit-shift-right", "x n", (2, 2), "The 64 bits of x, n places lower.", |context, args| {
        let bits = to_integer(context.name, arg(args, 0))? as u64;
        Ok(Value::Int((bits >> (bit_place(context.name, arg(args, 1))? & 63)) as i64))
    }),
    plain("bit-test", "x n", (2, 2), "True when bit n is set.", |context, args| {
        let bits = integer(context.name, arg(args, 0))?.shifted_right(bit_place(context.name, arg(args, 1))?);
        Ok(Value::Bool(bits.limbs().first().is_some_and(|digit| digit & 1 == 1)))
    }),
    plain("bit-set", "x n", (2, 2), "x with bit n set.", |context, args| {
        one_bit(context.name, args, |bits, bit| bits | bit)
    }),
    plain("bit-clear", "x n", (2, 2), "x without bit n.", |context, args| {
        one_bit(context.name, args, |bits, bit| bits & !bit)
    }),
    plain("bit-flip", "x n", (2, 2), "x with bit n turned around.", |context, args| {
        one_bit(context.name, args, |bits, bit| bits ^ bit)
    }),
    plain("parse-long", "s", (1, 1), "The integer that s writes, else nil.", read_integer),
    plain("parse-int", "s", (1, 1), "The integer that s writes, else nil.", read_integer),
    plain("parse-double", "s", (1, 1), "The number that s writes, as a float, else nil.", |context, args| {
        let text = readable_text(context.name, arg(args, 0))?;
        Ok(text.and_then(read_float).map(Value::Float).unwrap_or_default())
    }),
    plain("parse-boolean", "s", (1, 1), "true for \"true\", false for \"false\", else nil.", |context, args| {
        Ok(match readable_text(context.name, arg(args, 0))? {
            Some("true") => Value::Bool(true),
            Some("false") => Value::Bool(false),
            _ => Value::Nil,
        })
    }),
    plain("Integer/parseInt", "s, s radix", (1, 2), "The integer that s writes; else an error.", demand_integer),
    plain("Long/parseLong", "s, s radix", (1, 2), "The integer that s writes; else an error.", demand_integer),
    plain("Integer/valueOf", "s", (1, 1), "The integer that s writes; else an error.", demand_integer),
    plain("Long/valueOf", "s", (1, 1), "The integer that s writes; else an error.", demand_integer),
    plain("Double/parseDouble", "s", (1, 1), "The float that s writes; else an error.", demand_float),
    plain("Double/valueOf", "s", (1, 1), "The float that s writes; else an error.", demand_float),
    plain("Float/parseFloat", "s", (1, 1), "The float that s writes; else an error.", demand_float),
    plain("Boolean/parseBoolean", "s", (1, 1), "True for \"true\" in any case.", |context, args| {
        Ok(Value::Bool(to_text(context.name, arg(args, 0), "")?.eq_ignore_ascii_case("true")))
    }),
];

fn add(_: &mut Context<'_>, args: &mut [Value]) -> Outcome {
    fold(Arithmetic::Add, Value::Int(0), args)
}

fn multiply(_: &mut Context<'_>, args: &mut [Value]) -> Outcome {
    fold(Arithmetic::Multiply, Value::Int(1), args)
}

fn subtract(_: &mut Context<'_>, args: &mut [Value]) -> Outcome {
    match args {
        [Value::Float(one)] => Ok(Value::Float(-*one)),
        [one] => arithmetic(Arithmetic::Subtract, &Value::Int(0), one),
        [first, rest @ ..] => fold(Arithmetic::Subtract, std::mem::take(first), rest),
        [] => Ok(Value::Nil),
    }
}

fn increment(_: &mut Context<'_>, args: &mut [Value]) -> Outcome {
    arithmetic(Arithmetic::Add, arg(args, 0), &Value::Int(1))
}

fn decrement(_: &mut Context<'_>, args: &mut [Value]) -> Outcome {
    arithmetic(Arithmetic::Subtract, arg(args, 0), &Value::Int(1))
}

fn fold(op: Arithmetic, start: Value, args: &[Value]) -> Outcome {
    args.iter().try_fold(start, |sum, arg| arithmetic(op, &sum, arg))
}

fn chain(comparison: Comparison, args: &[Value]) -> Outcome {
    for pair in args.windows(2) {
        if !compare(comparison, &pair[0], &pair[1])? {
            return Ok(Value::Bool(false));
        }
    }
    Ok(Value::Bool(true))
}

fn divide(_: &mut Context<'_>, args: &mut [Value]) -> Outcome {
    let quotient = |left: &Value, right: &Value| -> Outcome {
        let (left, right_number) = (to_number("/", left)?, to_number("/", right)?);
        if matches!(right, Value::Int(0)) && !matches!(left, Number::Float(_)) {
            return error_with_hint(
                "arithmetic_error",
                "an integer can't be divided by zero",
                "test the divisor first: `(if (zero? n) 0 (/ x n))`",
            );
        }
        Ok(Value::Float(left.to_float() / right_number.to_float()))
    };
    match args {
        [one] => quotient(&Value::Int(1), one),
        [first, rest @ ..] => rest.iter().try_fold(std::mem::take(first), |product, arg| quotient(&product, arg)),
        [] => Ok(Value::Nil),
    }
}

enum Part {
    Quotient,
    Rest,
    Modulus,
}

fn division(name: &str, args: &[Value], part: Part) -> Outcome {
    let (left, right) = (to_number(name, arg(args, 0))?, to_number(name, arg(args, 1))?);
    if right.to_float() == 0.0 {
        let message = format!("`{name}` can't divide by zero");
        return error_with_hint("arithmetic_error", message, "test the divisor first: `(if (zero? n) 0 …)`");
    }
    if let (Number::Int(left), Number::Int(right)) = (&left, &right) {
        let result = match part {
            Part::Quotient => left.checked_div(*right),
            Part::Rest => left.checked_rem(*right),
            // Both have the same sign, or the divisor is added to the rest.
            Part::Modulus => left.checked_rem(*right).map(|rest| match rest != 0 && (rest < 0) != (*right < 0) {
                true => rest + right,
                false => rest,
            }),
        };
        if let Some(result) = result {
            return Ok(Value::Int(result));
        }
    }
    if matches!(left, Number::Float(_)) || matches!(right, Number::Float(_)) {
        let (left, right) = (left.to_float(), right.to_float());
        let rest = remainder(left, right);
        return Ok(Value::Float(match part {
            Part::Quotient => (left / right).trunc(),
            Part::Rest => rest,
            Part::Modulus if rest != 0.0 && (rest < 0.0) != (right < 0.0) => rest + right,
            Part::Modulus => rest,
        }));
    }
    let (left, right) = (left.into_big().unwrap_or_default(), right.into_big().unwrap_or_default());
    let (quotient, rest) = left.divided_by(&right);
    let crosses_zero = !rest.is_zero() && rest.is_negative() != right.is_negative();
    Ok(Value::integer(match part {
        Part::Quotient => quotient,
        Part::Modulus if crosses_zero => rest.plus(&right),
        Part::Rest | Part::Modulus => rest,
    }))
}

/// The rest of a division towards zero, which is exact. The standard library's `%` divides
/// integers of 128 bits, in many times the code.
fn remainder(left: f64, right: f64) -> f64 {
    let (mut rest, divisor) = (left.abs(), right.abs());
    if !rest.is_finite() || right.is_nan() || divisor == 0.0 {
        return f64::NAN;
    }
    while rest >= divisor {
        // The divisor times the largest power of two at which it still can be subtracted.
        let distance = libm::ilogb(rest) - libm::ilogb(divisor);
        let scaled = libm::scalbn(divisor, distance);
        rest -= if scaled <= rest { scaled } else { libm::scalbn(divisor, distance - 1) };
    }
    rest.copysign(left)
}

fn extreme(name: &str, args: &mut [Value], largest: bool) -> Outcome {
    let mut best = 0;
    for place in 0..args.len() {
        let next = to_number(name, arg(args, place))?;
        let Some(found) = number(arg(args, best)) else { continue };
        match order(&next, &found) {
            Some(order) if if largest { order.is_gt() } else { order.is_lt() } => best = place,
            Some(_) => {}
            None if next.to_float().is_nan() => best = place,
            None => {}
        }
    }
    Ok(take(args, best))
}

fn round(name: &str, args: &mut [Value], rounded: fn(f64) -> f64) -> Outcome {
    match to_number(name, arg(args, 0))? {
        Number::Float(value) => whole(name, rounded(value)),
        _ => Ok(take(args, 0)),
    }
}

/// The integer that a float without a fraction is.
pub(super) fn whole(name: &str, value: f64) -> Outcome {
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

fn to_int(context: &mut Context<'_>, args: &mut [Value]) -> Outcome {
    match arg(args, 0) {
        Value::Str(text) if !text.is_empty() && cut_place(text, 1).is_none() => {
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

fn to_double(context: &mut Context<'_>, args: &mut [Value]) -> Outcome {
    Ok(Value::Float(to_number(context.name, arg(args, 0))?.to_float()))
}

/// The integer that an argument must be, of any size.
fn integer(name: &str, value: &Value) -> Outcome<BigInt> {
    match value {
        Value::BigInt(value) => Ok((**value).clone()),
        value => Ok(BigInt::from(to_integer(name, value)?)),
    }
}

fn bits(name: &str, args: &[Value], op: fn(u32, u32) -> u32) -> Outcome {
    let mut all = integer(name, arg(args, 0))?;
    for arg in &args[1..] {
        all = combined(&all, &integer(name, arg)?, op);
    }
    Ok(Value::integer(all))
}

/// Two integers bit by bit, as if they were endless.
fn combined(left: &BigInt, right: &BigInt, op: fn(u32, u32) -> u32) -> BigInt {
    // One limb more than either has, which is all sign.
    let count = (left.bits().max(right.bits()) / 32 + 2) as usize;
    let pairs = limbs(left, count).into_iter().zip(limbs(right, count));
    let mut limbs: Vec<u32> = pairs.map(|(left, right)| op(left, right)).collect();
    let is_negative = limbs.last().is_some_and(|limb| limb >> 31 == 1);
    if is_negative {
        negate(&mut limbs);
    }
    BigInt::from_limbs(is_negative, limbs)
}

/// The bits of an integer in two's complement, the least ones first.
fn limbs(value: &BigInt, count: usize) -> Vec<u32> {
    let mut limbs = value.limbs().to_vec();
    limbs.resize(count, 0);
    if value.is_negative() {
        negate(&mut limbs);
    }
    limbs
}

fn negate(limbs: &mut [u32]) {
    let mut carry = true;
    for limb in limbs {
        (*limb, carry) = (!*limb).overflowing_add(carry.into());
    }
}

fn bit_place(name: &str, value: &Value) -> Outcome<u64> {
    match u64::try_from(to_integer(name, value)?) {
        Ok(place) if place <= MAX_INTEGER_BITS => Ok(place),
        _ => error(
            "arithmetic_error",
            format!("`{name}` takes a place of 0 to {MAX_INTEGER_BITS}, got {}", describe(value)),
        ),
    }
}

fn one_bit(name: &str, args: &[Value], op: fn(u32, u32) -> u32) -> Outcome {
    let bit = BigInt::from(1).shifted_left(bit_place(name, arg(args, 1))?);
    Number::Big(combined(&integer(name, arg(args, 0))?, &bit, op)).into_value()
}

/// The text that a number is read from; nil has none.
fn readable_text<'v>(name: &str, value: &'v Value) -> Outcome<Option<&'v str>> {
    match value {
        Value::Nil => Ok(None),
        Value::Str(text) => Ok(Some(text)),
        Value::Int(_) | Value::BigInt(_) | Value::Float(_) => {
            not_a_text(name, value, "it is a number already: `(int x)` and `(double x)` convert numbers")
        }
        other => not_a_text(name, other, ""),
    }
}

fn parsed(text: &str, radix: u32) -> Option<Value> {
    if let Ok(small) = i64::from_str_radix(text, radix) {
        return Some(Value::Int(small));
    }
    // A digit takes six bits at most.
    let fits = text.len() as u64 <= MAX_INTEGER_BITS / 6;
    parse_integer(text, radix).ok().filter(|_| fits).map(Value::integer)
}

fn read_integer(context: &mut Context<'_>, args: &mut [Value]) -> Outcome {
    let text = readable_text(context.name, arg(args, 0))?;
    Ok(text.and_then(|text| parsed(text, 10)).unwrap_or_default())
}

/// As Java reads floats: white space around them does not count.
fn read_float(text: &str) -> Option<f64> {
    let text = text.trim();
    match text.strip_prefix(['-', '+']).unwrap_or(text) {
        "NaN" => Some(f64::NAN),
        "Infinity" if text.starts_with('-') => Some(f64::NEG_INFINITY),
        "Infinity" => Some(f64::INFINITY),
        _ => parse_float(text),
    }
}

fn demand_integer(context: &mut Context<'_>, args: &mut [Value]) -> Outcome {
    let text = to_text(context.name, arg(args, 0), "")?;
    let radix = match args.get(1) {
        None => 10,
        Some(radix) => match to_integer(context.name, radix)? {
            radix @ 2..=36 => radix as u32,
            _ => return type_error(context.name, "a base from 2 to 36", radix, ""),
        },
    };
    match parsed(text, radix) {
        Some(value) => Ok(value),
        None => no_number(context.name, "an integer", arg(args, 0), "parse-long"),
    }
}

fn demand_float(context: &mut Context<'_>, args: &mut [Value]) -> Outcome {
    match read_float(to_text(context.name, arg(args, 0), "")?) {
        Some(value) => Ok(Value::Float(value)),
        None => no_number(context.name, "a number", arg(args, 0), "parse-double"),
    }
}

#[cold]
fn no_number(name: &str, expected: &str, got: &Value, instead: &str) -> Outcome {
    let message = format!("`{name}` reads {expected}, got {}", describe(got));
    error_with_hint("type_error", message, format!("`({instead} s)` gives nil for what is no number"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::arbitrary::wide;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn rests_of_floats_are_exact(left in any::<f64>(), right in any::<f64>(), scale in 0.0..1e9) {
            let same = |ours: f64, theirs: f64| ours.to_bits() == theirs.to_bits() || ours.is_nan() && theirs.is_nan();
            for (left, right) in [(left, right), (right * scale, right), (left, left / 3.0), (0.1, 0.01), (-0.0, 1.0)] {
                prop_assert!(same(remainder(left, right), left % right), "{left} {right}");
            }
        }

        #[test]
        fn bits_of_large_integers_are_those_of_twos_complement(left in any::<i128>(), right in any::<i128>()) {
            let both = |op| combined(&wide(left), &wide(right), op);
            prop_assert_eq!(both(|left, right| left & right), wide(left & right));
            prop_assert_eq!(both(|left, right| left | right), wide(left | right));
            prop_assert_eq!(both(|left, right| left ^ right), wide(left ^ right));
            prop_assert_eq!(both(|left, _| !left), wide(!left));
        }
    }
}
