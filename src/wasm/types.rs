//! Types of members with rules that serde has no type for.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, Unexpected, Visitor};

/// A whole number from `MIN` up; `Infinity` counts as the largest.
#[derive(Clone, Copy, Debug)]
pub(super) struct Count<const MIN: u32>(pub usize);

/// Reads a number, which is whole when `must_be_whole`. All types share one visitor, because each one takes 300 bytes
/// of the download.
struct NumberVisitor {
    min: u32,
    must_be_whole: bool,
    max: f64,
}

impl Visitor<'_> for NumberVisitor {
    type Value = f64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let noun = if self.must_be_whole { "a whole number" } else { "a number" };
        write!(f, "{noun} from {} up", self.min)
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<f64, E> {
        let is_whole = number.fract() == 0.0 || number == f64::INFINITY;
        if number >= f64::from(self.min) && number <= self.max && (is_whole || !self.must_be_whole) {
            return Ok(number);
        }
        Err(E::invalid_value(Unexpected::Float(number), &self))
    }
}

impl<'de, const MIN: u32> Deserialize<'de> for Count<MIN> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let visitor = NumberVisitor { min: MIN, must_be_whole: true, max: f64::INFINITY };
        let number = deserializer.deserialize_f64(visitor)?;
        Ok(Count(number.min(f64::from(u32::MAX)) as usize))
    }
}

/// A whole number from `MIN` up that JavaScript represents exactly; `Infinity` is not one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Whole<const MIN: u32>(pub u64);

impl<const MIN: u32> Whole<MIN> {
    /// `Number.MAX_SAFE_INTEGER`.
    const MAX: f64 = 9_007_199_254_740_991.0;

    pub fn from_number<E: Error>(number: f64) -> Result<Self, E> {
        if number.fract() == 0.0 && number >= f64::from(MIN) && number <= Self::MAX {
            return Ok(Whole(number as u64));
        }
        Err(E::custom(format_args!("a whole number from {MIN} up")))
    }

    /// The number as a `usize`, at most `usize::MAX`.
    pub fn size(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}

impl<'de, const MIN: u32> Deserialize<'de> for Whole<MIN> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let visitor = NumberVisitor { min: MIN, must_be_whole: true, max: Self::MAX };
        deserializer.deserialize_f64(visitor).map(|number| Whole(number as u64))
    }
}

/// A number from 0 up, without its fraction; `Infinity` counts as the largest.
#[derive(Clone, Copy, Debug)]
pub(super) struct Amount(pub u64);

impl<'de> Deserialize<'de> for Amount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let visitor = NumberVisitor { min: 0, must_be_whole: false, max: f64::INFINITY };
        deserializer.deserialize_f64(visitor).map(|number| Amount(number as u64))
    }
}

impl Amount {
    /// The number as a `usize`, at most `usize::MAX`.
    pub fn size(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}

/// A finite number from 0 up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Price(pub f64);

impl<'de> Deserialize<'de> for Price {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_f64(NumberVisitor { min: 0, must_be_whole: false, max: f64::MAX }).map(Price)
    }
}

/// The members of an object whose names the host chooses, in their order.
#[derive(Debug)]
pub(super) struct ByName<T>(pub Vec<(String, T)>);

impl<T> Default for ByName<T> {
    fn default() -> Self {
        ByName(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for ByName<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for Entries<T> {
            type Value = ByName<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<ByName<T>, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = members.next_entry()? {
                    entries.push(entry);
                }
                Ok(ByName(entries))
            }
        }

        deserializer.deserialize_map(Entries(PhantomData))
    }
}
