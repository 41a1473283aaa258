//! Doubles from and to decimal digits, exact both ways: reading gives the double nearest to the digits,
//! and writing gives the fewest digits that read back as the same double.
//!
//! A double and the midpoints between it and its neighbours have finitely many decimal digits. Comparing
//! these digits shows which double is nearest, so neither direction needs a table. The algorithms are that
//! of Steele and White (“How to Print Floating-Point Numbers Accurately”, 1990) and, for reading, Clinger's
//! AlgorithmR (“How to Read Floating Point Numbers Accurately”, 1990). Numbers of
//! usual size take shortcuts that are exact too.

use std::cmp::Ordering;

use super::BigInt;
use super::natural::Natural;

/// Powers of ten that are doubles.
const POWERS_OF_TEN: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
];

/// Whole numbers below this are doubles.
const FEW_DIGITS: f64 = 1e15;

/// `0.digits × 10^point`, without zeros at either end.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Decimal {
    digits: String,
    point: i32,
}

impl Decimal {
    fn new(digits: &str, point: i32) -> Decimal {
        let significant = digits.trim_start_matches('0');
        let leading = digits.len() - significant.len();
        Decimal { digits: significant.trim_end_matches('0').into(), point: point.saturating_sub(leading as i32) }
    }

    /// The exact decimal of `mantissa × 2^exponent`.
    fn exact(mantissa: u64, exponent: i32) -> Decimal {
        let mut number = Natural::new(mantissa);
        // Dividing by two is multiplying by five and moving the point.
        number.times_power(if exponent < 0 { 5 } else { 2 }, exponent.unsigned_abs());
        let digits = number.into_digits();
        Decimal::new(&digits, digits.len() as i32 + exponent.min(0))
    }

    fn compare(&self, other: &Decimal) -> Ordering {
        match (self.digits.is_empty(), other.digits.is_empty()) {
            (false, false) => self.point.cmp(&other.point).then_with(|| self.digits.cmp(&other.digits)),
            (left, right) => right.cmp(&left),
        }
    }

    /// Returns the first `length` digits, rounded up.
    fn rounded_up(&self, length: usize) -> Decimal {
        let kept = self.digits[..length].trim_end_matches('9');
        match kept.as_bytes().last() {
            Some(last) => {
                let next = format!("{}{}", &kept[..kept.len() - 1], char::from(last + 1));
                Decimal { digits: next, point: self.point }
            }
            None => Decimal { digits: "1".into(), point: self.point + 1 },
        }
    }
}

/// Returns the double nearest to a number like `-12.5e3`, the even one of two; digits may be missing on
/// one side of the point. Returns `None` when the text is not a number.
pub fn parse_float(text: &str) -> Option<f64> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (number, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((number, exponent)) => (number, parse_exponent(exponent)?),
        None => (unsigned, 0),
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits = format!("{whole}{fraction}");
    if digits.is_empty() || digits.bytes().any(|byte| !byte.is_ascii_digit()) {
        return None;
    }
    let point = i32::try_from(whole.len()).ok()?.saturating_add(exponent);
    let size = nearest(&Decimal::new(&digits, point));
    Some(if text.starts_with('-') { -size } else { size })
}

/// An exponent too large for any double stays too large.
fn parse_exponent(text: &str) -> Option<i32> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if digits.is_empty() || digits.bytes().any(|byte| !byte.is_ascii_digit()) {
        return None;
    }
    let size = digits.bytes().fold(0_i32, |size, digit| size.saturating_mul(10).saturating_add((digit - b'0').into()));
    Some(if text.starts_with('-') { -size } else { size })
}

fn nearest(decimal: &Decimal) -> f64 {
    if decimal.digits.is_empty() || decimal.point < -330 {
        return 0.0;
    }
    if decimal.point > 310 {
        return f64::INFINITY;
    }
    let start = decimal.digits.get(..17).unwrap_or(&decimal.digits);
    let number = start.bytes().fold(0_u64, |number, digit| number * 10 + u64::from(digit - b'0'));
    let scale = decimal.point - start.len() as i32;
    let guess = scaled(number as f64, scale);
    if (number as f64) < FEW_DIGITS && scale.unsigned_abs() < POWERS_OF_TEN.len() as u32 {
        return guess;
    }
    match scale {
        -26..0 if start.len() == decimal.digits.len() => quotient(number, scale.unsigned_abs()),
        _ => corrected(guess.min(f64::MAX), decimal),
    }
}

/// Returns the double nearest to `number / 10^power`. `number` and `5^power` have at most 63 bits; the
/// remaining factor `2^power` goes into the exponent.
fn quotient(number: u64, power: u32) -> f64 {
    let divisor = 5_u64.pow(power);
    let (shift, divisor_shift) = (number.leading_zeros() - 1, divisor.leading_zeros() - 1);
    let (mut rest, divisor) = (number << shift, divisor << divisor_shift);
    let mut quotient = 0;
    for _ in 0..64 {
        quotient <<= 1;
        if rest >= divisor {
            rest -= divisor;
            quotient |= 1;
        }
        rest <<= 1;
    }
    // The last bit is sticky: it is set when any bit that follows is.
    quotient |= u64::from(rest > 0);
    let exponent = divisor_shift as i32 - shift as i32 - 63 - power as i32;
    quotient as f64 * f64::from_bits(((1023 + exponent) as u64) << 52)
}

/// Returns `number × 10^power`: correctly rounded when both are exact and one step is enough, else off by a few units
/// in the last place.
fn scaled(mut number: f64, power: i32) -> f64 {
    let mut left = power.unsigned_abs() as usize;
    while left > 0 {
        let step = left.min(POWERS_OF_TEN.len() - 1);
        left -= step;
        number = if power < 0 { number / POWERS_OF_TEN[step] } else { number * POWERS_OF_TEN[step] };
    }
    number
}

/// Steps from double to double until the one nearest to the digits is found.
fn corrected(guess: f64, decimal: &Decimal) -> f64 {
    let mut bits = guess.to_bits();
    loop {
        let (mantissa, exponent) = parts(f64::from_bits(bits));
        let is_odd = mantissa % 2 == 1;
        let beyond = |half_way: Decimal, side| match decimal.compare(&half_way) {
            Ordering::Equal => is_odd,
            found => found == side,
        };
        if beyond(Decimal::exact(2 * mantissa + 1, exponent - 1), Ordering::Greater) {
            bits += 1;
        } else if bits > 0 && beyond(half_way_down(mantissa, exponent), Ordering::Less) {
            bits -= 1;
        } else {
            return f64::from_bits(bits);
        }
        if bits == f64::INFINITY.to_bits() {
            return f64::INFINITY;
        }
    }
}

/// Returns the midpoint of a double and the next smaller one.
fn half_way_down(mantissa: u64, exponent: i32) -> Decimal {
    Decimal::exact(4 * mantissa - quarters_down(mantissa, exponent), exponent - 2)
}

/// Returns the distance to that midpoint in quarters of a unit in the last place: below a power of two
/// the doubles are half as far apart.
fn quarters_down(mantissa: u64, exponent: i32) -> u64 {
    if mantissa == 1 << 52 && exponent > MIN_EXPONENT { 1 } else { 2 }
}

/// The exponent of the smallest doubles.
const MIN_EXPONENT: i32 = -1074;

/// Splits a size into `mantissa × 2^exponent`.
fn parts(size: f64) -> (u64, i32) {
    let (fraction, exponent) = (size.to_bits() & ((1 << 52) - 1), (size.to_bits() >> 52) as i32);
    match exponent {
        0 => (fraction, MIN_EXPONENT),
        _ => (fraction | 1 << 52, exponent - 1 + MIN_EXPONENT),
    }
}

/// Returns the fewest digits that read back as the same double; among several, the nearest to it, and
/// among two equally near ones, the even one.
fn shortest(size: f64) -> Decimal {
    let (mantissa, exponent) = parts(size);
    if let Some(decimal) = shortest_in_128_bits(mantissa, exponent) {
        return decimal;
    }
    let exact = Decimal::exact(mantissa, exponent);
    if mantissa == 0 {
        return exact;
    }
    let (low, high) = (half_way_down(mantissa, exponent), Decimal::exact(2 * mantissa + 1, exponent - 1));
    let is_even = mantissa % 2 == 0;
    for length in 1..exact.digits.len() {
        let (kept, rest) = (&exact.digits[..length], &exact.digits[length..]);
        let (down, up) = (Decimal::new(kept, exact.point), exact.rounded_up(length));
        let down_is_near = if is_even { down.compare(&low).is_ge() } else { down.compare(&low).is_gt() };
        let up_is_near = if is_even { up.compare(&high).is_le() } else { up.compare(&high).is_lt() };
        let up_is_nearer = rest > "5" || (rest == "5" && !kept.ends_with(['0', '2', '4', '6', '8']));
        if up_is_near && (up_is_nearer || !down_is_near) {
            return up;
        }
        if down_is_near {
            return down;
        }
    }
    exact
}

/// [`shortest`] for all but very small and very large doubles, in 128-bit fixed-point arithmetic: digits
/// are taken off until the remainder is less than the distance to a midpoint.
fn shortest_in_128_bits(mantissa: u64, exponent: i32) -> Option<Decimal> {
    let bits = u32::try_from(2 - exponent).ok().filter(|bits| (2..=120).contains(bits))?;
    let one = 1_u128 << bits;
    let quarters = u128::from(mantissa) << 2;
    let mut digits = ((quarters >> bits) as u64).to_string();
    let point = digits.len() as i32;
    let mut rest = quarters & (one - 1);
    let (mut below, mut above) = (u128::from(quarters_down(mantissa, exponent)), 2);
    let is_near = |rest, distance| rest < distance || (rest == distance && mantissa.is_multiple_of(2));
    while rest > 0 {
        (rest, below, above) = (rest * 10, below * 10, above * 10);
        let digit = b'0' + (rest >> bits) as u8;
        rest &= one - 1;
        let (down, up) = (is_near(rest, below), is_near(one - rest, above));
        let up_is_nearer = rest > one / 2 || (rest == one / 2 && digit % 2 == 1);
        let is_up = up && (!down || up_is_nearer);
        digits.push(char::from(digit + u8::from(is_up)));
        if up || down {
            break;
        }
    }
    Some(Decimal::new(&digits, point))
}

/// Appends the shortest digits of a finite double: `0.1`, `-0`, `1e21`, `1.5e-7`. JavaScript writes the
/// same, except that it puts a `+` before a positive exponent and writes `-0` as `0`.
pub fn write_shortest(value: f64, out: &mut String) {
    let size = value.abs();
    let Decimal { digits, point } = shortest(size);
    out.push_str(if value.is_sign_negative() { "-" } else { "" });
    if size != 0.0 && !(1e-6..1e21).contains(&size) {
        let (first, rest) = (&digits[..1], &digits[1..]);
        let dot = if rest.is_empty() { "" } else { "." };
        out.push_str(&format!("{first}{dot}{rest}e{}", i64::from(point) - 1));
        return;
    }
    let whole = usize::try_from(point).unwrap_or(0);
    match digits.split_at_checked(whole) {
        Some(("", "")) => out.push('0'),
        Some((whole, "")) => out.push_str(whole),
        Some(("", fraction)) => {
            out.push_str("0.");
            push_zeros(point.unsigned_abs() as usize, out);
            out.push_str(fraction);
        }
        Some((whole, fraction)) => {
            out.push_str(whole);
            out.push('.');
            out.push_str(fraction);
        }
        None => {
            out.push_str(&digits);
            push_zeros(whole - digits.len(), out);
        }
    }
}

/// Returns the shortest digits of a finite size as `0.digits × 10^point`; no digits for zero.
pub fn decimal_digits(size: f64) -> (String, i32) {
    let Decimal { digits, point } = shortest(size);
    (digits, point)
}

/// Appends all digits of a double without a fraction.
pub fn write_whole(value: f64, out: &mut String) {
    let (mantissa, exponent) = parts(value.abs());
    let Decimal { digits, point } = Decimal::exact(mantissa, exponent);
    out.push_str(if value.is_sign_negative() { "-" } else { "" });
    out.push_str(&digits);
    push_zeros(point as usize - digits.len(), out);
}

/// Returns the integer part of a finite double.
pub fn whole_integer(value: f64) -> BigInt {
    let (mantissa, exponent) = parts(value.trunc().abs());
    let mut number = Natural::new(mantissa.checked_shr(exponent.min(0).unsigned_abs()).unwrap_or(0));
    number.times_power(2, exponent.max(0).unsigned_abs());
    BigInt::new(value < 0.0, number)
}

fn push_zeros(count: usize, out: &mut String) {
    out.extend(std::iter::repeat_n('0', count));
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn written(value: f64) -> String {
        let mut out = String::new();
        write_shortest(value, &mut out);
        out
    }

    /// Returns the text of the standard library in the same notation. Of two equally near numbers it takes
    /// the even one, which the standard library writes when the number of digits is given.
    fn expected(value: f64) -> String {
        let has_exponent = value != 0.0 && !(1e-6..1e21).contains(&value.abs());
        let shortest = if has_exponent { format!("{value:e}") } else { format!("{value}") };
        let decimals = shortest.split(['.', 'e']).nth(1).filter(|_| shortest.contains('.')).map_or(0, str::len);
        let even = if has_exponent { format!("{value:.decimals$e}") } else { format!("{value:.decimals$}") };
        if decimals > 0 && even.parse() == Ok(value) { even } else { shortest }
    }

    #[track_caller]
    fn check(value: f64) {
        assert_eq!(written(value), expected(value));
        assert_eq!(parse_float(&expected(value)).map(f64::to_bits), Some(value.to_bits()));
    }

    #[test]
    fn doubles_at_every_edge() {
        for power in -1074..=1023 {
            let value = 2_f64.powi(power.max(-1022)) / 2_f64.powi((-1022 - power).max(0));
            check(value);
            check(f64::from_bits(value.to_bits() + 1));
            check(f64::from_bits(value.to_bits() - 1));
        }
        for power in -323..=308 {
            check(format!("1e{power}").parse().unwrap());
            check(format!("-1.111e{power}").parse().unwrap());
        }
        for value in [0.0, -0.0, f64::MAX, 1e15, 999_999_999_999_999.9, 1e21, 1e-6, 0.1 + 0.2, 1.0 / 3.0, 5e-324] {
            check(value);
        }
    }

    #[test]
    fn what_is_half_way_goes_to_the_even_double() {
        for (text, nearest) in [
            ("9007199254740993", 9007199254740992.0),
            ("9007199254740993.0000000000000000000001", 9007199254740994.0),
            ("9007199254740995", 9007199254740996.0),
            ("2.4703282292062327e-324", 0.0),
            ("2.4703282292062328e-324", 5e-324),
            ("1.7976931348623158e308", f64::MAX),
            ("1.7976931348623159e308", f64::INFINITY),
            ("1e400", f64::INFINITY),
            ("1e-400", 0.0),
            ("0e999999999999", 0.0),
            ("1e-99999999999", 0.0),
        ] {
            assert_eq!(parse_float(text), Some(nearest), "{text}");
            assert_eq!(text.parse(), Ok(nearest), "{text}");
        }
        let long = format!("0.{}1e1001", "0".repeat(1000));
        assert_eq!(parse_float(&long), Some(1.0));
        let long = format!("1{}", "0".repeat(100_000));
        assert_eq!(parse_float(&long), Some(f64::INFINITY));
        assert_eq!(parse_float(&format!("{long}e-100000")), Some(1.0));
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for text in
            ["", ".", "-", "e5", "1e", "1e+", "1.2.3", "1e5.0", "inf", "NaN", "1_0", " 1", "0x1", "--1", "1e--1"]
        {
            assert_eq!(parse_float(text), None, "{text}");
        }
        assert_eq!(parse_float("+.5e+1"), Some(5.0));
        assert_eq!(parse_float("5.e1"), Some(50.0));
    }

    #[test]
    fn whole_doubles_are_written_in_full() {
        for value in [1e15, -9007199254740992.0, 1e22, 1e23, f64::MAX] {
            let mut out = String::new();
            write_whole(value, &mut out);
            assert_eq!(out, format!("{value:.0}"));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1024))]

        #[test]
        fn any_double_is_written_as_the_standard_library_does(bits in any::<u64>()) {
            let value = f64::from_bits(bits);
            prop_assume!(value.is_finite());
            prop_assert_eq!(written(value), expected(value));
            prop_assert_eq!(parse_float(&expected(value)).map(f64::to_bits), Some(bits));
        }

        #[test]
        fn any_number_is_read_as_the_standard_library_does(text in "[-+]?([0-9]{1,25}\\.?[0-9]{0,25}|\\.[0-9]{1,20})(e[-+]?[0-9]{1,3})?") {
            prop_assert_eq!(parse_float(&text), text.parse().ok(), "{}", text);
        }

        #[test]
        fn numbers_as_people_write_them(thousandths in -1_000_000_000_000_000_i64..1_000_000_000_000_000, decimals in 0..22_i32) {
            let text = format!("{thousandths}e-{decimals}");
            let value: f64 = text.parse().unwrap();
            prop_assert_eq!(parse_float(&text), Some(value));
            prop_assert_eq!(written(value), expected(value));
        }
    }
}
