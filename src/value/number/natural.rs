//! Natural numbers of any size, with which digits and large integers are computed.

use std::cmp::Ordering;

use crate::work;

/// The decimal digits that one division gives.
const CHUNK: u32 = 9;

/// A natural number. The least significant limb comes first; the last limb is not zero.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Natural(Vec<u32>);

impl Natural {
    pub fn new(number: u64) -> Natural {
        Natural::from_limbs(vec![number as u32, (number >> 32) as u32])
    }

    pub fn from_limbs(mut limbs: Vec<u32>) -> Natural {
        trim(&mut limbs);
        Natural(limbs)
    }

    pub fn limbs(&self) -> &[u32] {
        &self.0
    }

    pub fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the number of bits; 0 for zero.
    pub fn bits(&self) -> u64 {
        self.0.last().map_or(0, |limb| 32 * self.0.len() as u64 - u64::from(limb.leading_zeros()))
    }

    /// Parses digits of a base up to 36.
    pub fn from_digits(digits: &str, radix: u32) -> Natural {
        let mut number = Natural::default();
        work::multiplied(digits.len() / 8, digits.len() / 16);
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

    /// Multiplies by `factor^power`.
    pub fn times_power(&mut self, factor: u32, power: u32) {
        let max = u32::MAX.ilog(factor);
        for _ in 0..power / max {
            self.times_plus(factor.pow(max), 0);
        }
        self.times_plus(factor.pow(power % max), 0);
    }

    /// Divides in place and returns the remainder.
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

    pub fn plus(&mut self, other: &Natural) {
        work::multiplied(self.0.len(), 1);
        self.0.resize(self.0.len().max(other.0.len()) + 1, 0);
        let mut others = other.0.iter();
        let mut carry = 0;
        for limb in &mut self.0 {
            let sum = u64::from(*limb) + others.next().map_or(0, |limb| u64::from(*limb)) + carry;
            *limb = sum as u32;
            carry = sum >> 32;
        }
        trim(&mut self.0);
    }

    /// Subtracts a number that is not larger.
    pub fn minus(&mut self, other: &Natural) {
        let mut others = other.0.iter();
        let mut borrow = 0;
        for limb in &mut self.0 {
            let difference = i64::from(*limb) - others.next().map_or(0, |limb| i64::from(*limb)) + borrow;
            *limb = difference as u32;
            borrow = difference >> 32;
        }
        trim(&mut self.0);
    }

    /// The product, limb by limb: up to the largest allowed integers, asymptotically faster algorithms
    /// gain little.
    pub fn times(&self, other: &Natural) -> Natural {
        work::multiplied(self.0.len(), other.0.len());
        let mut product = vec![0; self.0.len() + other.0.len()];
        for (position, factor) in self.0.iter().enumerate() {
            let Some(part) = product.get_mut(position..) else { continue };
            let mut carry = 0;
            for (limb, other) in part.iter_mut().zip(&other.0) {
                let sum = u64::from(*factor) * u64::from(*other) + u64::from(*limb) + carry;
                *limb = sum as u32;
                carry = sum >> 32;
            }
            if let Some(limb) = part.get_mut(other.0.len()) {
                *limb = carry as u32;
            }
        }
        Natural::from_limbs(product)
    }

    /// Divides by a number that is not zero; returns the quotient and leaves the remainder in place: long
    /// division by limbs, Knuth's algorithm D.
    pub fn divide_by(&mut self, divisor: &Natural) -> Natural {
        work::multiplied(divisor.0.len(), self.0.len().saturating_sub(divisor.0.len()) + 1);
        if let [divisor] = divisor.0[..] {
            let mut quotient = std::mem::take(self);
            *self = Natural::new(quotient.divide(divisor).into());
            return quotient;
        }
        // With the highest bit of the divisor set, the guess of a quotient limb is at most two too large.
        let shift = divisor.0.last().map_or(0, |limb| limb.leading_zeros());
        let (mut rest, mut divisor) = (std::mem::take(self), divisor.clone());
        rest.times_plus(1 << shift, 0);
        divisor.times_plus(1 << shift, 0);
        rest.0.push(0);
        let mut quotient = vec![0; rest.0.len().saturating_sub(divisor.0.len())];
        if let [.., second, first] = divisor.0[..] {
            for (position, limb) in quotient.iter_mut().enumerate().rev() {
                let Some(part) = rest.0.get_mut(position..=position + divisor.0.len()) else { continue };
                *limb = quotient_limb(part, first.into(), second.into());
                if subtract_times(part, &divisor.0, *limb) {
                    *limb -= 1;
                    add_back(part, &divisor.0);
                }
            }
        }
        trim(&mut rest.0);
        rest.divide(1 << shift);
        *self = rest;
        Natural::from_limbs(quotient)
    }

    pub fn shift_left(&mut self, bits: u64) {
        if !self.is_zero() {
            work::multiplied(self.0.len() + (bits / 32) as usize, 1);
            let mut limbs = vec![0; (bits / 32) as usize];
            limbs.extend_from_slice(&self.0);
            self.0 = limbs;
            self.times_plus(1 << (bits % 32), 0);
        }
    }

    pub fn shift_right(&mut self, bits: u64) {
        work::multiplied(self.0.len(), 1);
        self.0 = self.0.get((bits / 32) as usize..).unwrap_or_default().to_vec();
        self.divide(1 << (bits % 32));
    }

    /// The decimal digits; none for zero.
    pub fn into_digits(mut self) -> String {
        // A division takes several times as long as a product.
        work::multiplied(4 * self.0.len(), self.0.len() / 2);
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
}

impl Ord for Natural {
    fn cmp(&self, other: &Natural) -> Ordering {
        let mut order = self.0.len().cmp(&other.0.len());
        let mut positions = self.0.iter().rev().zip(other.0.iter().rev());
        while let (Ordering::Equal, Some((left, right))) = (order, positions.next()) {
            order = left.cmp(right);
        }
        order
    }
}

impl PartialOrd for Natural {
    fn partial_cmp(&self, other: &Natural) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

fn trim(limbs: &mut Vec<u32>) {
    while limbs.last() == Some(&0) {
        limbs.pop();
    }
}

/// Guesses a limb of a quotient from the three highest limbs of the dividend and the two highest of the
/// divisor. The guess may be one too large.
fn quotient_limb(dividend: &[u32], first: u64, second: u64) -> u32 {
    let [.., third, low, high] = *dividend else { return 0 };
    let head = u64::from(high) << 32 | u64::from(low);
    let mut limb = (head / first).min(u64::from(u32::MAX));
    let mut rest = head - limb * first;
    while rest >> 32 == 0 && limb * second > (rest << 32 | u64::from(third)) {
        limb -= 1;
        rest += first;
    }
    limb as u32
}

/// Subtracts `divisor × times`; returns true when the difference is negative, that is, `times` is one too large.
fn subtract_times(dividend: &mut [u32], divisor: &[u32], times: u32) -> bool {
    let (mut carry, mut borrow) = (0_u64, 0_i64);
    let mut divisor = divisor.iter();
    for limb in dividend {
        carry += divisor.next().map_or(0, |limb| u64::from(*limb)) * u64::from(times);
        let difference = i64::from(*limb) - i64::from(carry as u32) + borrow;
        *limb = difference as u32;
        carry >>= 32;
        borrow = difference >> 32;
    }
    borrow < 0
}

fn add_back(dividend: &mut [u32], divisor: &[u32]) {
    let mut carry = 0;
    let mut divisor = divisor.iter();
    for limb in dividend {
        let sum = u64::from(*limb) + divisor.next().map_or(0, |limb| u64::from(*limb)) + carry;
        *limb = sum as u32;
        carry = sum >> 32;
    }
}
