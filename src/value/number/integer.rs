//! Integers of any size.

use std::cell::OnceCell;
use std::cmp::Ordering;
use std::fmt;

use super::natural::Natural;

/// The most decimal digits of an integer. Reading and writing takes time quadratic in the number of
/// digits, and a text by a model must never block its host. Every reader refuses longer integers; code
/// that computes integers checks [`is_too_long`].
pub const MAX_INTEGER_DIGITS: usize = 10_000;

/// An integer of this many bits has at most [`MAX_INTEGER_DIGITS`] digits, and one of two more bits has
/// more digits: a digit is 3.32193 bits.
pub const MAX_INTEGER_BITS: u64 = MAX_INTEGER_DIGITS as u64 * 33_219 / 10_000;

/// An integer of any size.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BigInt {
    /// Never set for zero.
    is_negative: bool,
    size: Natural,
    digits: Digits,
}

/// The decimal digits, once cached. They are not part of the value: copies drop them and equality ignores them.
#[derive(Debug, Default)]
struct Digits(OnceCell<Box<str>>);

impl Clone for Digits {
    fn clone(&self) -> Digits {
        Digits::default()
    }
}

impl PartialEq for Digits {
    fn eq(&self, _: &Digits) -> bool {
        true
    }
}

impl Eq for Digits {}

/// From more bits on, computing the digits of an integer takes longer than copying them.
const MANY_BITS: u64 = 1000;

impl BigInt {
    pub(super) fn new(is_negative: bool, size: Natural) -> BigInt {
        BigInt { is_negative: is_negative && !size.is_zero(), size, digits: Digits::default() }
    }

    /// The integer with a sign and the limbs of its size, the least significant one first.
    pub(crate) fn from_limbs(is_negative: bool, limbs: Vec<u32>) -> BigInt {
        BigInt::new(is_negative, Natural::from_limbs(limbs))
    }

    /// The limbs of its size, the least significant one first.
    pub(crate) fn limbs(&self) -> &[u32] {
        self.size.limbs()
    }

    /// True below zero.
    pub fn is_negative(&self) -> bool {
        self.is_negative
    }

    /// True for zero.
    pub fn is_zero(&self) -> bool {
        self.size.is_zero()
    }

    /// The number of bits of its size.
    pub fn bits(&self) -> u64 {
        self.size.bits()
    }

    /// Returns whether computing its digits takes longer than copying them.
    pub(crate) fn has_many_digits(&self) -> bool {
        self.bits() > MANY_BITS
    }

    /// Caches its digits, when there are many, for every later writer.
    pub(crate) fn keep_digits(&self) {
        if self.has_many_digits() {
            self.digits.0.get_or_init(|| digits_of(self).into());
        }
    }

    /// The integer as 64 bits; `None` when it does not fit.
    pub fn to_i64(&self) -> Option<i64> {
        if self.bits() > 64 {
            return None;
        }
        let size = self.limbs().iter().rev().fold(0, |size, limb| size << 32 | u64::from(*limb));
        if self.is_negative { 0_i64.checked_sub_unsigned(size) } else { i64::try_from(size).ok() }
    }

    /// The difference.
    pub fn minus(self, other: &BigInt) -> BigInt {
        self.negated().plus(other).negated()
    }

    /// The sum.
    pub fn plus(self, other: &BigInt) -> BigInt {
        let BigInt { is_negative, mut size, .. } = self;
        if is_negative == other.is_negative {
            size.plus(&other.size);
        } else if size >= other.size {
            size.minus(&other.size);
        } else {
            let mut larger = other.clone();
            larger.size.minus(&size);
            return larger;
        }
        BigInt::new(is_negative, size)
    }

    /// The product.
    pub fn times(&self, other: &BigInt) -> BigInt {
        BigInt::new(self.is_negative != other.is_negative, self.size.times(&other.size))
    }

    /// The quotient, rounded towards zero, and the remainder. The divisor must not be zero.
    pub fn divided_by(self, divisor: &BigInt) -> (BigInt, BigInt) {
        let mut rest = self.size;
        let quotient = rest.divide_by(&divisor.size);
        (BigInt::new(self.is_negative != divisor.is_negative, quotient), BigInt::new(self.is_negative, rest))
    }

    /// The integer times `2^places`.
    pub fn shifted_left(mut self, shift: u64) -> BigInt {
        self.size.shift_left(shift);
        self
    }

    /// The integer divided by `2^places`, rounded down: an arithmetic shift.
    pub fn shifted_right(mut self, shift: u64) -> BigInt {
        let one = Natural::new(1);
        if self.is_negative {
            self.size.minus(&one);
        }
        self.size.shift_right(shift);
        if self.is_negative {
            self.size.plus(&one);
        }
        self
    }

    /// The integer with the opposite sign.
    pub fn negated(self) -> BigInt {
        BigInt::new(!self.is_negative, self.size)
    }
}

impl From<i64> for BigInt {
    fn from(value: i64) -> BigInt {
        BigInt::new(value < 0, Natural::new(value.unsigned_abs()))
    }
}

impl Ord for BigInt {
    fn cmp(&self, other: &BigInt) -> Ordering {
        match (self.is_negative, other.is_negative) {
            (false, false) => self.size.cmp(&other.size),
            (true, true) => other.size.cmp(&self.size),
            (left, _) => {
                if left {
                    Ordering::Less
                } else {
                    Ordering::Greater
                }
            }
        }
    }
}

impl PartialOrd for BigInt {
    fn partial_cmp(&self, other: &BigInt) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for BigInt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        write_integer(self, &mut text);
        f.write_str(&text)
    }
}

/// The reason why a text is not an integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IntegerError {
    /// It has no digits, or characters that are not digits of the base.
    NotDigits,
    /// It has more than [`MAX_INTEGER_DIGITS`] decimal digits.
    TooLong,
}

/// Parses an integer with an optional sign.
pub fn parse_integer(digits: &str, radix: u32) -> Result<BigInt, IntegerError> {
    let (is_negative, digits) = match digits.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, digits.strip_prefix('+').unwrap_or(digits)),
    };
    if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(radix)) {
        return Err(IntegerError::NotDigits);
    }
    let significant = digits.trim_start_matches('0');
    let min_bits = significant.len().saturating_sub(1) as u64 * u64::from(radix.ilog2());
    if min_bits > MAX_INTEGER_BITS {
        return Err(IntegerError::TooLong);
    }
    let integer = BigInt::new(is_negative, Natural::from_digits(significant, radix));
    if is_too_long(&integer) { Err(IntegerError::TooLong) } else { Ok(integer) }
}

/// True for an integer of more than [`MAX_INTEGER_DIGITS`], which no value may hold.
pub fn is_too_long(integer: &BigInt) -> bool {
    let bits = integer.bits();
    bits > MAX_INTEGER_BITS && (bits > MAX_INTEGER_BITS + 1 || digits_of(integer).len() > MAX_INTEGER_DIGITS)
}

fn digits_of(integer: &BigInt) -> String {
    integer.size.clone().into_digits()
}

/// Appends an integer that is not zero.
pub fn write_integer(integer: &BigInt, out: &mut String) {
    out.push_str(if integer.is_negative() { "-" } else { "" });
    match integer.digits.0.get() {
        Some(digits) => out.push_str(digits),
        None => out.push_str(&digits_of(integer)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn check(digits: &str, radix: u32, decimal: &str) {
        let mut out = String::new();
        write_integer(&parse_integer(digits, radix).unwrap(), &mut out);
        assert_eq!(out, decimal);
    }

    #[test]
    fn digits_of_any_base_are_read() {
        check("-123456789012345678901234567890", 10, "-123456789012345678901234567890");
        check("+000001000000000000000000", 10, "1000000000000000000");
        check("ffffFFFFffffFFFFffff", 16, "1208925819614629174706175");
        check(&"z".repeat(20), 36, "13367494538843734067838845976575");
        check(&"1".repeat(80), 2, "1208925819614629174706175");
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for (text, radix) in [("", 10), ("-", 10), ("--1", 10), ("1a", 10), ("12", 2), ("1 ", 10), ("1_0", 10)] {
            assert_eq!(parse_integer(text, radix), Err(IntegerError::NotDigits), "{text}");
        }
    }

    #[test]
    fn integers_have_up_to_ten_thousand_digits() {
        let largest = "9".repeat(MAX_INTEGER_DIGITS);
        for text in [largest.clone(), format!("-{largest}"), format!("{}{largest}", "0".repeat(1_000_000))] {
            assert!(parse_integer(&text, 10).is_ok_and(|integer| !is_too_long(&integer)));
        }
        let one_more = parse_integer(&largest, 10).unwrap().plus(&BigInt::from(1));
        assert!(is_too_long(&one_more) && is_too_long(&one_more.negated()));
        for (text, radix) in [
            (format!("1{}", "0".repeat(MAX_INTEGER_DIGITS)), 10),
            (format!("-1{}", "0".repeat(MAX_INTEGER_DIGITS)), 10),
            ("9".repeat(10_000_000), 10),
            ("1".repeat(MAX_INTEGER_BITS as usize + 2), 2),
            ("z".repeat(7000), 36),
        ] {
            assert_eq!(parse_integer(&text, radix), Err(IntegerError::TooLong));
        }
        assert!(parse_integer(&"1".repeat(MAX_INTEGER_BITS as usize), 2).is_ok());
    }

    /// Integers of all sizes, many with limbs that are edge cases of carries and of guessed quotients.
    fn integers() -> impl Strategy<Value = BigInt> {
        let limb = prop_oneof![Just(0), Just(1), Just(u32::MAX), Just(u32::MAX - 1), Just(1 << 31), any::<u32>()];
        (any::<bool>(), proptest::collection::vec(limb, 0..9))
            .prop_map(|(is_negative, limbs)| BigInt::from_limbs(is_negative, limbs))
    }

    /// The same integer in the reference crate.
    fn known(integer: &BigInt) -> num_bigint::BigInt {
        let sign = if integer.is_negative() { num_bigint::Sign::Minus } else { num_bigint::Sign::Plus };
        num_bigint::BigInt::new(sign, integer.limbs().to_vec())
    }

    proptest! {
        #[test]
        fn integers_are_computed_as_a_crate_does(left in integers(), right in integers(), shift in 0_u64..200) {
            let (a, b) = (known(&left), known(&right));
            prop_assert_eq!(known(&left.clone().plus(&right)), &a + &b);
            prop_assert_eq!(known(&left.clone().minus(&right)), &a - &b);
            prop_assert_eq!(known(&left.times(&right)), &a * &b);
            if !right.is_zero() {
                let (quotient, rest) = left.clone().divided_by(&right);
                prop_assert_eq!((known(&quotient), known(&rest)), (&a / &b, &a % &b));
                let (quotient, rest) = left.times(&right).divided_by(&right);
                prop_assert_eq!((quotient, rest), (left.clone(), BigInt::default()));
            }
            prop_assert_eq!(known(&left.clone().shifted_left(shift)), &a << shift);
            prop_assert_eq!(known(&left.clone().shifted_right(shift)), &a >> shift);
            prop_assert_eq!(left.cmp(&right), a.cmp(&b));
            prop_assert_eq!(left.bits(), a.bits());
            prop_assert_eq!(left.to_i64(), i64::try_from(&a).ok());
            prop_assert!(!(left.is_zero() && left.is_negative()));
        }

        #[test]
        fn integers_are_read_and_written_as_a_crate_does(integer in integers()) {
            let text = known(&integer).to_string();
            prop_assert!(integer.is_zero() || integer.to_string() == text);
            prop_assert_eq!(parse_integer(&text, 10), Ok(integer));
        }

        #[test]
        fn integers_of_64_bits_are_all_of_those(value in any::<i64>()) {
            prop_assert_eq!(BigInt::from(value).to_i64(), Some(value));
        }
    }
}
