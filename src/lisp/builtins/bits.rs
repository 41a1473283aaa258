//! Bits of integers of any size, in two's complement.

use super::arguments::arg;
use super::{ANY, plain};
use crate::lisp::fault::{EvalResult, describe, error};
use crate::lisp::native::Builtin;
use crate::lisp::number::{Number, to_integer};
use crate::value::{BigInt, MAX_INTEGER_BITS, Value};
use crate::work;

pub(super) const ROWS: &[Builtin] = &[
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
        let (bits, shift) = (integer(context.name, arg(args, 0))?, bit_position(context.name, arg(args, 1))?);
        if bits.bits() + shift > MAX_INTEGER_BITS {
            return Number::Big(BigInt::from(1).shifted_left(MAX_INTEGER_BITS + 1)).into_value();
        }
        Ok(Value::integer(bits.shifted_left(shift)))
    }),
    plain("bit-shift-right", "x n", (2, 2), "x with its bits n places lower.", |context, args| {
        Ok(Value::integer(
            integer(context.name, arg(args, 0))?.shifted_right(bit_position(context.name, arg(args, 1))?),
        ))
    }),
    plain("unsigned-bit-shift-right", "x n", (2, 2), "The 64 bits of x, n places lower.", |context, args| {
        let bits = to_integer(context.name, arg(args, 0))? as u64;
        Ok(Value::Int((bits >> (bit_position(context.name, arg(args, 1))? & 63)) as i64))
    }),
    plain("bit-test", "x n", (2, 2), "True when bit n is set.", |context, args| {
        let bits = integer(context.name, arg(args, 0))?.shifted_right(bit_position(context.name, arg(args, 1))?);
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
];

/// Returns the value of an integer argument of any size.
fn integer(name: &str, value: &Value) -> EvalResult<BigInt> {
    match value {
        Value::BigInt(value) => Ok((**value).clone()),
        value => Ok(BigInt::from(to_integer(name, value)?)),
    }
}

fn bits(name: &str, args: &[Value], op: fn(u32, u32) -> u32) -> EvalResult {
    let mut all = integer(name, arg(args, 0))?;
    for arg in &args[1..] {
        all = combined(&all, &integer(name, arg)?, op);
    }
    Ok(Value::integer(all))
}

/// Combines the bits of two integers, in two's complement of unlimited length.
fn combined(left: &BigInt, right: &BigInt, op: fn(u32, u32) -> u32) -> BigInt {
    // One limb more than the longer integer has; the last limb holds only the sign.
    let count = (left.bits().max(right.bits()) / 32 + 2) as usize;
    work::charge(count as u64 / 16);
    let pairs = limbs(left, count).into_iter().zip(limbs(right, count));
    let mut limbs: Vec<u32> = pairs.map(|(left, right)| op(left, right)).collect();
    let is_negative = limbs.last().is_some_and(|limb| limb >> 31 == 1);
    if is_negative {
        negate(&mut limbs);
    }
    BigInt::from_limbs(is_negative, limbs)
}

/// Returns the bits of an integer in two's complement, least significant limb first.
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

fn bit_position(name: &str, value: &Value) -> EvalResult<u64> {
    match u64::try_from(to_integer(name, value)?) {
        Ok(position) if position <= MAX_INTEGER_BITS => Ok(position),
        _ => error(
            "arithmetic_error",
            format!("`{name}` takes a place of 0 to {MAX_INTEGER_BITS}, got {}", describe(value)),
        ),
    }
}

fn one_bit(name: &str, args: &[Value], op: fn(u32, u32) -> u32) -> EvalResult {
    let bit = BigInt::from(1).shifted_left(bit_position(name, arg(args, 1))?);
    Number::Big(combined(&integer(name, arg(args, 0))?, &bit, op)).into_value()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::arbitrary::wide;
    use proptest::prelude::*;

    proptest! {
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
