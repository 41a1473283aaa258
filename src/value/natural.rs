//! Natural numbers of any size, as far as digits need them: every conversion between binary and
//! decimal is made of the two steps here.

use num_bigint::{BigInt, Sign};

/// Digits that one step takes in or gives off.
const CHUNK: u32 = 9;

/// How many decimal digits an integer may have. Reading and writing them takes time that grows
/// with the square of their number, and what a model wrote must never hold its host up. Every
/// reader refuses longer ones; whoever computes integers asks [`is_too_long`].
pub const MAX_INTEGER_DIGITS: usize = 10_000;

/// An integer of that many bits has no more digits than [`MAX_INTEGER_DIGITS`], and one of two bits
/// more has: a digit is 3.32193 bits.
pub(crate) const MAX_INTEGER_BITS: u64 = MAX_INTEGER_DIGITS as u64 * 33_219 / 10_000;

/// A natural number. Its limbs are least first, without zeros behind the last that counts.
#[derive(Clone, Debug, Default)]
pub(super) struct Natural(Vec<u32>);

impl Natural {
    pub fn new(number: u64) -> Natural {
        let mut limbs = vec![number as u32, (number >> 32) as u32];
        trim(&mut limbs);
        Natural(limbs)
    }

    /// The number that `digits` of that base write, which is 36 at most.
    fn from_digits(digits: &str, radix: u32) -> Natural {
        let mut number = Natural::default();
        let (mut chunk, mut scale) = (0, 1);
        for digit in digits.chars() {
            chunk = chunk * radix + digit.to_digit(radix).unwrap_or_default();
            scale *= radix;
            if scale > u32::MAX / radix {
                number.times_plus(scale, chunk);
                (chunk, scale) = (0, 1);
            }
        }
        number.times_plus(scale, chunk);
        number
    }

    pub fn times_plus(&mut self, factor: u32, summand: u32) {
        let mut carry = u64::from(summand);
        for limb in &mut self.0 {
            let sum = u64::from(*limb) * u64::from(factor) + carry;
            *limb = sum as u32;
            carry = sum >> 32;
        }
        if carry > 0 {
            self.0.push(carry as u32);
        }
    }

    /// Multiplies by `factor` as often as `power` says.
    pub fn times_power(&mut self, factor: u32, power: u32) {
        let most = u32::MAX.ilog(factor);
        for _ in 0..power / most {
            self.times_plus(factor.pow(most), 0);
        }
        self.times_plus(factor.pow(power % most), 0);
    }

    /// Divides, and returns the rest.
    fn divide(&mut self, divisor: u32) -> u32 {
        let mut rest = 0;
        for limb in self.0.iter_mut().rev() {
            let dividend = rest << 32 | u64::from(*limb);
            *limb = (dividend / u64::from(divisor)) as u32;
            rest = dividend % u64::from(divisor);
        }
        trim(&mut self.0);
        rest as u32
    }

    /// The decimal digits; none for zero.
    pub fn into_digits(mut self) -> String {
        let mut reversed = Vec::new();
        while !self.0.is_empty() {
            let mut chunk = self.divide(10_u32.pow(CHUNK));
            for _ in 0..CHUNK {
                reversed.push(b'0' + (chunk % 10) as u8);
                chunk /= 10;
            }
        }
        while reversed.last() == Some(&b'0') {
            reversed.pop();
        }
        reversed.into_iter().rev().map(char::from).collect()
    }

    pub fn into_integer(self, is_negative: bool) -> BigInt {
        BigInt::new(if is_negative { Sign::Minus } else { Sign::Plus }, self.0)
    }
}

fn trim(limbs: &mut Vec<u32>) {
    while limbs.last() == Some(&0) {
        limbs.pop();
    }
}

/// Why a text is not read as an integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoInteger {
    /// It has something else than digits of the base, or none of them.
    NotDigits,
    /// It has more than [`MAX_INTEGER_DIGITS`].
    TooLong,
}

/// The integer that `digits` write, with a sign or without.
pub fn parse_integer(digits: &str, radix: u32) -> Result<BigInt, NoInteger> {
    let (is_negative, digits) = match digits.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, digits.strip_prefix('+').unwrap_or(digits)),
    };
    if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(radix)) {
        return Err(NoInteger::NotDigits);
    }
    let significant = digits.trim_start_matches('0');
    let least_bits = significant.len().saturating_sub(1) as u64 * u64::from(radix.ilog2());
    if least_bits > MAX_INTEGER_BITS {
        return Err(NoInteger::TooLong);
    }
    let integer = Natural::from_digits(significant, radix).into_integer(is_negative);
    if is_too_long(&integer) { Err(NoInteger::TooLong) } else { Ok(integer) }
}

/// True for an integer of more than [`MAX_INTEGER_DIGITS`], which no value may hold.
pub fn is_too_long(integer: &BigInt) -> bool {
    let bits = integer.bits();
    bits > MAX_INTEGER_BITS && (bits > MAX_INTEGER_BITS + 1 || digits_of(integer).len() > MAX_INTEGER_DIGITS)
}

fn digits_of(integer: &BigInt) -> String {
    Natural(integer.magnitude().to_u32_digits()).into_digits()
}

/// Appends an integer beyond 64 bits.
pub(super) fn write_integer(integer: &BigInt, out: &mut String) {
    out.push_str(if integer.sign() == Sign::Minus { "-" } else { "" });
    out.push_str(&digits_of(integer));
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
            assert_eq!(parse_integer(text, radix), Err(NoInteger::NotDigits), "{text}");
        }
    }

    #[test]
    fn integers_have_up_to_ten_thousand_digits() {
        let largest = "9".repeat(MAX_INTEGER_DIGITS);
        for text in [largest.clone(), format!("-{largest}"), format!("{}{largest}", "0".repeat(1_000_000))] {
            assert!(parse_integer(&text, 10).is_ok_and(|integer| !is_too_long(&integer)));
        }
        let one_more = parse_integer(&largest, 10).unwrap() + 1;
        assert!(is_too_long(&one_more) && is_too_long(&-one_more));
        for (text, radix) in [
            (format!("1{}", "0".repeat(MAX_INTEGER_DIGITS)), 10),
            (format!("-1{}", "0".repeat(MAX_INTEGER_DIGITS)), 10),
            ("9".repeat(10_000_000), 10),
            ("1".repeat(MAX_INTEGER_BITS as usize + 2), 2),
            ("z".repeat(7000), 36),
        ] {
            assert_eq!(parse_integer(&text, radix), Err(NoInteger::TooLong));
        }
        assert!(parse_integer(&"1".repeat(MAX_INTEGER_BITS as usize), 2).is_ok());
    }

    proptest! {
        #[test]
        fn integers_are_read_and_written_as_their_crate_does(limbs in proptest::collection::vec(any::<u32>(), 2..9)) {
            let integer = BigInt::new(Sign::Minus, limbs);
            let text = integer.to_string();
            let mut out = String::new();
            write_integer(&integer, &mut out);
            prop_assert!(out == text || integer.sign() == Sign::NoSign);
            prop_assert_eq!(parse_integer(&text, 10), Ok(integer));
        }
    }
}
