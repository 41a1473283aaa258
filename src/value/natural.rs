//! Natural numbers of any size, as far as digits need them: every conversion between binary and
//! decimal is made of the two steps here.

use num_bigint::{BigInt, Sign};

/// Digits that one step takes in or gives off.
const CHUNK: u32 = 9;

/// A natural number. Its limbs are least first, without zeros behind the last that counts.
#[derive(Clone, Debug, Default)]
pub(super) struct Natural(Vec<u32>);

impl Natural {
    pub fn new(number: u64) -> Natural {
        let mut limbs = vec![number as u32, (number >> 32) as u32];
        trim(&mut limbs);
        Natural(limbs)
    }

    /// The number that `digits` write; `None` unless all of them are digits of that base, which
    /// is 36 at most.
    pub fn from_digits(digits: &str, radix: u32) -> Option<Natural> {
        let mut number = Natural::default();
        let (mut chunk, mut scale) = (0, 1);
        for digit in digits.chars() {
            chunk = chunk * radix + digit.to_digit(radix)?;
            scale *= radix;
            if scale > u32::MAX / radix {
                number.times_plus(scale, chunk);
                (chunk, scale) = (0, 1);
            }
        }
        number.times_plus(scale, chunk);
        (!digits.is_empty()).then_some(number)
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

/// The integer that `digits` write, with a sign or without; `None` when they write none.
pub fn parse_integer(digits: &str, radix: u32) -> Option<BigInt> {
    let (is_negative, digits) = match digits.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, digits.strip_prefix('+').unwrap_or(digits)),
    };
    Some(Natural::from_digits(digits, radix)?.into_integer(is_negative))
}

/// Appends an integer beyond 64 bits.
pub(super) fn write_integer(integer: &BigInt, out: &mut String) {
    let (sign, limbs) = integer.to_u32_digits();
    out.push_str(if sign == Sign::Minus { "-" } else { "" });
    out.push_str(&Natural(limbs).into_digits());
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
            assert_eq!(parse_integer(text, radix), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn integers_are_read_and_written_as_their_crate_does(limbs in proptest::collection::vec(any::<u32>(), 2..9)) {
            let integer = BigInt::new(Sign::Minus, limbs);
            let text = integer.to_string();
            let mut out = String::new();
            write_integer(&integer, &mut out);
            prop_assert!(out == text || integer.sign() == Sign::NoSign);
            prop_assert_eq!(parse_integer(&text, 10), Some(integer));
        }
    }
}
