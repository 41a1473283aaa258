//! Integers of any size, and doubles from and to decimal digits.
//!
//! The crate `num-bigint` and the standard library's number formatting each take more space in the wasm than all of
//! this folder. Tests compare it with both. It does not use [`super::Value`].

mod float;
mod integer;
mod natural;

pub(crate) use float::{decimal_digits, parse_float, whole_integer};
pub(super) use float::{write_shortest, write_whole};
pub(super) use integer::write_integer;
pub use integer::{BigInt, MAX_INTEGER_DIGITS, is_too_long};
pub(crate) use integer::{IntegerError, MAX_INTEGER_BITS, parse_integer};
