//! The values of programs, with their equality, hashes, Clojure text, JSON and type labels.
//!
//! A [`Value`] is immutable and cheap to clone. Nothing here recurses over data: equality, hashing,
//! dropping, printing and JSON keep a list of open collections, so a value may be nested as deeply as
//! memory allows.
//!
//! `number` (integers of any size, float text), `json`, `print`, `index` and `date` replace crates that
//! take several times as much space in the wasm; each is tested against the original.

#[cfg(test)]
pub(crate) mod arbitrary;
mod closure;
mod collection;
mod compare;
mod date;
mod deferred;
pub(crate) mod garbage;
mod hash;
mod index;
mod json;
mod key_order;
mod keys;
mod label;
mod name_map;
mod number;
mod order;
mod print;
mod text;

use std::rc::Rc;

pub use closure::{Captured, Closure, Compiled};
pub use collection::{Map, Set, Vector};
pub(crate) use compare::{ComparedPairs, Comparing, Pairs, all_pairs};
pub(crate) use date::{civil_from_days, days_from_civil, days_in_month, is_instant, write_day, write_instant};
pub use date::{parse_day, parse_instant};
pub(crate) use index::{Index, hash_text, hashes_of_text, mix};
pub use json::{JsonError, MAX_NESTING, append_json, from_json, from_json_around, to_json, write_json_string};
pub(crate) use json::{PlainReading, Skim, read_json, write_canonical_json, write_json};
pub(crate) use key_order::KeyOrder;
pub(crate) use keys::InlineCache;
pub(crate) use label::Label;
pub use label::type_of;
pub use name_map::Names;
pub use number::{BigInt, MAX_INTEGER_DIGITS, is_too_long};
pub(crate) use number::{IntegerError, MAX_INTEGER_BITS, decimal_digits, parse_float, parse_integer, whole_integer};
pub(crate) use order::{Sorting, in_order, positions_in_order, sort};
pub use print::{Clojure, PrintOptions, to_clojure, to_sample};
pub(crate) use text::{is_same_text, order_texts};

/// Shared text.
pub type Str = Rc<str>;

/// A value of the language.
#[derive(Clone, Debug, Default)]
pub enum Value {
    /// `nil`
    #[default]
    Nil,
    /// `true`, `false`
    Bool(bool),
    /// An integer that fits 64 bits.
    Int(i64),
    /// A double.
    Float(f64),
    /// A point in time, in milliseconds since 1970-01-01T00:00:00Z.
    Date(i64),
    /// A calendar date without a time, in days since 1970-01-01.
    Day(i64),
    /// An integer that does not fit 64 bits, of at most [`MAX_INTEGER_DIGITS`]; [`Value::integer`]
    /// chooses between the two variants.
    BigInt(Rc<BigInt>),
    /// Text.
    Str(Str),
    /// `:name`; the name without its colon.
    Keyword(Str),
    /// `[…]`; lists are vectors too.
    Vector(Vector),
    /// `{…}`
    Map(Map),
    /// `#{…}`
    Set(Set),
    /// A function written in the language, or one that a host describes.
    Closure(Rc<Closure>),
    /// A function of the library, by name.
    Builtin(Str),
    /// `#'name`
    Var(Str),
    /// A regular expression, by its source.
    Regex(Str),
}

impl Value {
    /// The atom with a number: a var with a name that no program can write. Its value is with the program that runs.
    pub(crate) fn atom(number: usize) -> Value {
        Value::Var(format!("atom[{number}]").into())
    }

    /// The number of an atom.
    pub(crate) fn atom_number(&self) -> Option<usize> {
        match self {
            Value::Var(name) => name.strip_prefix("atom[")?.strip_suffix(']')?.parse().ok(),
            _ => None,
        }
    }

    /// Text.
    pub fn str(text: impl AsRef<str>) -> Value {
        Value::Str(Rc::from(text.as_ref()))
    }

    /// A keyword by its name, without the colon.
    pub fn keyword(name: impl AsRef<str>) -> Value {
        Value::Keyword(Rc::from(name.as_ref()))
    }

    /// An integer in its smaller form, so that equal integers have one form. `value` must not be
    /// [too long](is_too_long).
    pub fn integer(value: BigInt) -> Value {
        match value.to_i64() {
            Some(small) => Value::Int(small),
            None => Value::BigInt(Rc::new(value)),
        }
    }

    /// A vector of `items`.
    pub fn vector(items: impl IntoIterator<Item = Value>) -> Value {
        Value::Vector(items.into_iter().collect())
    }

    /// A map of `entries`; the last one of equal keys wins.
    pub fn map(entries: impl IntoIterator<Item = (Value, Value)>) -> Value {
        Value::Map(entries.into_iter().collect())
    }

    /// A set of `items`.
    pub fn set(items: impl IntoIterator<Item = Value>) -> Value {
        Value::Set(items.into_iter().collect())
    }

    /// The text, when this is a string.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::Str(text) => Some(text),
            _ => None,
        }
    }

    /// The name of a key that is a keyword or a string.
    pub fn key_name(&self) -> Option<&str> {
        match self {
            Value::Str(name) | Value::Keyword(name) => Some(name),
            _ => None,
        }
    }

    /// True for a key that no model may see: a keyword or string that begins with `_`.
    pub fn is_hidden_key(&self) -> bool {
        self.key_name().is_some_and(|name| name.starts_with('_'))
    }

    /// True for values without a reference count, which are copied and dropped for free. They are the first
    /// variants, so that one comparison is enough.
    #[inline(always)]
    pub(crate) fn is_plain(&self) -> bool {
        matches!(self, Value::Nil | Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Date(_) | Value::Day(_))
    }

    /// True for vectors, maps and sets.
    pub fn is_collection(&self) -> bool {
        matches!(self, Value::Vector(_) | Value::Map(_) | Value::Set(_))
    }

    /// True when both are the same collection in memory.
    pub(crate) fn is_same(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Vector(left), Value::Vector(right)) => left.is_same(right),
            (Value::Map(left), Value::Map(right)) => left.is_same(right),
            (Value::Set(left), Value::Set(right)) => left.is_same(right),
            _ => false,
        }
    }

    /// The order in which a sorted map or set keeps its keys, while it holds.
    pub(crate) fn key_order(&self) -> Option<&Rc<KeyOrder>> {
        match self {
            Value::Map(map) => map.ordered().keys.order(),
            Value::Set(set) => set.ordered().keys.order(),
            _ => None,
        }
    }

    /// Makes a map or set a sorted one, whose keys must be in this order, or a plain one.
    pub(crate) fn set_order(&mut self, order: Option<Rc<KeyOrder>>) {
        match self {
            Value::Map(map) => map.ordered_mut().set_order(order),
            Value::Set(set) => set.ordered_mut().set_order(order),
            _ => {}
        }
    }

    /// Returns a map or set without keys, in the same order; nil for other values.
    pub(crate) fn emptied(&self) -> Value {
        let mut empty = match self {
            Value::Map(_) => Value::map([]),
            Value::Set(_) => Value::set([]),
            _ => return Value::Nil,
        };
        if let Some(order) = self.key_order() {
            empty.set_order(Some(order.clone()));
        }
        empty
    }

    /// True for values that contain other values.
    pub(crate) fn holds_values(&self) -> bool {
        self.is_collection() || matches!(self, Value::Closure(closure) if !closure.captured.0.is_empty())
    }

    /// True for `nil` and for empty collections, which are shown without a sample.
    pub fn is_nil_or_empty(&self) -> bool {
        match self {
            Value::Nil => true,
            Value::Vector(items) => items.is_empty(),
            Value::Map(entries) => entries.is_empty(),
            Value::Set(items) => items.is_empty(),
            _ => false,
        }
    }
}

/// Moves the values out and leaves nil in their slots.
pub(crate) fn taken(slots: &mut [Value]) -> Vec<Value> {
    slots.iter_mut().map(std::mem::take).collect()
}

impl From<&str> for Value {
    fn from(text: &str) -> Value {
        Value::str(text)
    }
}

impl From<Vec<Value>> for Value {
    /// A vector of the items, without spare capacity.
    fn from(mut items: Vec<Value>) -> Self {
        items.shrink_to_fit();
        Value::Vector(items.into())
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Value {
        Value::Bool(value)
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Value {
        Value::Int(value)
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Value {
        Value::Float(value)
    }
}

/// True when `:name` reads back as the keyword of that name.
/// A data key with any other name stays a string.
pub fn is_keyword_name(name: &str) -> bool {
    let (Some(first), Some(last)) = (name.bytes().next(), name.bytes().next_back()) else { return false };
    if first == b':' || last == b':' {
        return false;
    }
    match name.is_ascii() {
        true => name.bytes().all(|byte| byte != b'/' && is_symbol_byte(byte)),
        false => name.chars().all(|c| c != '/' && is_symbol_char(c)),
    }
}

/// True for the name of a keyword in a program: `name` or `namespace/name`. A key of data with a slash is a string.
pub fn is_qualified_name(name: &str) -> bool {
    is_keyword_name(name)
        || name.split_once('/').is_some_and(|(space, name)| is_keyword_name(space) && is_keyword_name(name))
}

/// True for a character that can stand inside a symbol or keyword.
pub fn is_symbol_char(c: char) -> bool {
    match u8::try_from(c) {
        Ok(byte) if byte.is_ascii() => is_symbol_byte(byte),
        _ => !(c.is_whitespace() || c.is_control() || c == '\u{FEFF}'),
    }
}

/// [`is_symbol_char`] for an ASCII character; false for other bytes.
#[inline]
pub(crate) fn is_symbol_byte(byte: u8) -> bool {
    SYMBOL_BYTES[usize::from(byte)]
}

/// A table, because every key of every turn and every character of a program is checked.
const SYMBOL_BYTES: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = b'!';
    while byte < 0x7F {
        table[byte as usize] = !matches!(
            byte,
            b',' | b'(' | b')' | b'[' | b']' | b'{' | b'}' | b'"' | b';' | b'@' | b'^' | b'`' | b'~' | b'\\'
        );
        byte += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_takes_at_most_24_bytes() {
        assert!(size_of::<Value>() <= 24);
    }

    #[test]
    fn integers_have_one_form() {
        assert!(matches!(Value::integer(BigInt::from(7)), Value::Int(7)));
        assert!(matches!(Value::integer(BigInt::from(i64::MAX).plus(&BigInt::from(1))), Value::BigInt(_)));
    }

    #[test]
    fn keyword_names() {
        for good in ["a", "in-stock?", "größe", "a.b", "1", "a:b", "*x*", "_hidden", "a'b", "x#"] {
            assert!(is_keyword_name(good), "{good}");
        }
        for bad in ["", "first name", "a/b", "user@x", "price ($)", ":a", "a:", "a\"b", "x,y", "a\\b"] {
            assert!(!is_keyword_name(bad), "{bad}");
        }
    }
}
