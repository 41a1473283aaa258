//! The JSON of a value: the format of saved turns and of values at the host boundary. It is lossless: a value that is
//! written and read again equals the original.
//!
//! | value | JSON |
//! |---|---|
//! | nil, booleans, strings, vectors | `null`, `true`, `"text"`, `[…]` |
//! | integer within ±(2^53 - 1) | `42` |
//! | other integers | `{"$int":"9007199254740992"}` |
//! | finite float with a fraction | `0.1`, `1.5e-7` |
//! | other floats | `{"$float":"3"}`, also `-0`, `1e21`, `Infinity`, `-Infinity`, `NaN` |
//! | keyword | `{"$keyword":"name"}` |
//! | map whose keys are all keywords, none beginning with `$` | `{"name":…}` |
//! | other maps | `{"$map":[[key,value],…]}` |
//! | set | `{"$set":[…]}` |
//! | date | `{"$date":milliseconds}` |
//! | closure | `{"$fn":{"params":"a b","doc":…,"returnType":…,"source":…,"captured":["name",value,…]}}`, absent members omitted |
//! | builtin, var, regex | `{"$builtin":"inc"}`, `{"$var":"x"}`, `{"$regex":"a+"}` |
//!
//! Foreign JSON is read too: the keys of a plain object become keywords, or strings where a name can't be
//! a keyword; the last one of equal keys wins; integers of up to 10,000 digits are exact; numbers with a
//! point or an exponent are floats.

mod lexer;
mod plain;
mod reader;
mod skim;
mod tags;
mod writer;

use std::fmt::{self, Write};

pub(crate) use plain::{PlainReading, read_json, write_canonical_json, write_json};
use reader::read;
pub(crate) use skim::Skim;
pub use writer::{append_json, write_json_string};

use super::Value;

/// The largest nesting depth of a value that is read.
pub const MAX_NESTING: usize = 1000;

/// Why a text is not the JSON of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonError {
    /// `invalid_json` when the text is not JSON, `invalid_value` when a tagged object does not have
    /// this format or an integer has more than 10,000 digits, `nesting_too_deep` beyond
    /// [`MAX_NESTING`].
    pub code: &'static str,
    /// The error in one sentence, without a full stop.
    pub message: String,
    /// Byte offset of the problem.
    pub offset: Option<usize>,
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.offset {
            Some(offset) => write!(f, "{} (at byte {offset})", self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for JsonError {}

/// Reads the value of a JSON text.
pub fn from_json(text: &str) -> Result<Value, JsonError> {
    from_json_around(text, 0).map(|(value, _)| value)
}

/// Reads a JSON text in which up to `outer` collections surround the values, and returns its nesting depth too. The
/// caller checks the depth of each value.
pub fn from_json_around(text: &str, outer: usize) -> Result<(Value, usize), JsonError> {
    read(text, MAX_NESTING + outer).map_err(|error| *error)
}

/// Returns the JSON of `value`. [`from_json`] reads an equal value from it, unless `value` is nested
/// deeper than [`MAX_NESTING`].
pub fn to_json(value: &Value) -> String {
    let mut out = String::new();
    append_json(value, &mut out);
    out
}

fn write_to(out: &mut String, text: fmt::Arguments<'_>) {
    out.write_fmt(text).expect("a String takes any text");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{Captured, Closure, MAX_INTEGER_DIGITS, arbitrary, parse_float, parse_integer};
    use proptest::prelude::*;
    use std::rc::Rc;

    #[track_caller]
    fn both_ways(value: Value, json: &str) {
        assert_eq!(to_json(&value), json);
        assert_eq!(from_json(json).as_ref(), Ok(&value));
    }

    #[track_caller]
    fn reads(json: &str, value: Value) {
        assert_eq!(from_json(json), Ok(value));
    }

    #[track_caller]
    fn refused(json: &str, code: &str, offset: usize) -> String {
        let error = from_json(json).unwrap_err();
        assert_eq!((error.code, error.offset), (code, Some(offset)), "{error}");
        error.message
    }

    #[test]
    fn values_that_json_has_are_written_as_such() {
        both_ways(Value::Nil, "null");
        both_ways(true.into(), "true");
        both_ways(Value::vector([1.into(), "a".into(), Value::vector([])]), r#"[1,"a",[]]"#);
        let map = Value::map([(Value::keyword("b"), 1.into()), (Value::keyword("a-b?"), Value::map([]))]);
        both_ways(map, r#"{"b":1,"a-b?":{}}"#);
    }

    #[test]
    fn objects_of_a_list_are_read_as_each_would_be_alone() {
        let rows = [
            r#"{"id":1,"name":"a","at":{"x":1}}"#,
            r#"{"id":2,"name":"b","at":{"x":2}}"#,
            r#"{"id":3}"#,
            r#"{ "id" : 4, "name" : "d", "at" : {"y":4}, "more" : [] }"#,
            r#"{"id":5,"at":5,"name":"e"}"#,
            r#"{"id":6,"id":7,"name":"f"}"#,
            r#"{"id":8,"name":"g","name":"h"}"#,
            r#"{"\u0069d":9,"na\u006de":"i","at":null}"#,
            r#"{"id":10,"name x":"j","at":1}"#,
            r#"{"id":11,"name x":"k","at":1}"#,
            r#"{"ie":12,"idx":13,"i":14}"#,
            r#"{"i":14}"#,
            r#"{"i":{"i":{"i":1}}}"#,
            r#"{"$set":[1]}"#,
            r#"{"$x":1,"b":2}"#,
            r#"{"$x":1,"b":2}"#,
            r#"{"$set":[1]}"#,
            r#"{"$map":[[1,2]]}"#,
        ];
        let alone = rows.map(|row| from_json(row).unwrap());
        let together = format!("[{0},{0}]", rows.join(","));
        reads(&together, Value::vector([alone.clone(), alone].concat()));
        for broken in [r#"[{"id":1},{"id"1}]"#, r#"[{"id":1},{"id":}]"#, r#"[{"id":1},{"id":1]"#, r#"[{"id":1},{"id"#] {
            assert_eq!(from_json(broken).unwrap_err().code, "invalid_json", "{broken}");
        }
    }

    #[test]
    fn integers_beyond_doubles_are_tagged() {
        both_ways(9_007_199_254_740_991.into(), "9007199254740991");
        both_ways((-9_007_199_254_740_991).into(), "-9007199254740991");
        both_ways(9_007_199_254_740_992.into(), r#"{"$int":"9007199254740992"}"#);
        both_ways(i64::MIN.into(), r#"{"$int":"-9223372036854775808"}"#);
        let big = Value::integer(parse_integer("-123456789012345678901234567890", 10).unwrap());
        both_ways(big.clone(), r#"{"$int":"-123456789012345678901234567890"}"#);
        reads("-123456789012345678901234567890", big);
        reads(r#"{"$int":"5"}"#, 5.into());
    }

    #[test]
    fn integers_of_too_many_digits_are_rejected() {
        // The messages contain the number as text, because formatting it would make the wasm larger.
        assert_eq!(MAX_INTEGER_DIGITS, 10_000);
        let largest = format!("-{}", "9".repeat(MAX_INTEGER_DIGITS));
        let value = from_json(&largest).unwrap();
        both_ways(value, &format!("{{\"$int\":\"{largest}\"}}"));
        for too_long in [format!("{largest}9"), "9".repeat(1_000_000)] {
            let message = refused(&format!("[1, {too_long}]"), "invalid_value", 4);
            assert_eq!(message, "an integer has at most 10000 digits");
            let message = refused(&format!("[1, {{\"$int\":\"{too_long}\"}}]"), "invalid_value", 4);
            assert_eq!(message, "`$int` must hold decimal digits, 10000 at most");
            reads(&format!("{too_long}e-1"), parse_float(&format!("{too_long}e-1")).unwrap().into());
        }
    }

    #[test]
    fn floats_that_json_would_lose_are_tagged() {
        both_ways(0.1.into(), "0.1");
        both_ways(1.5e-7.into(), "1.5e-7");
        both_ways(3.0.into(), r#"{"$float":"3"}"#);
        both_ways(1e21.into(), r#"{"$float":"1e21"}"#);
        both_ways(f64::INFINITY.into(), r#"{"$float":"Infinity"}"#);
        both_ways(f64::NEG_INFINITY.into(), r#"{"$float":"-Infinity"}"#);
        both_ways(f64::NAN.into(), r#"{"$float":"NaN"}"#);
        both_ways((-0.0).into(), r#"{"$float":"-0"}"#);
        assert!(matches!(from_json(r#"{"$float":"-0"}"#), Ok(Value::Float(zero)) if zero.is_sign_negative()));
        reads("1.0", 1.0.into());
        reads("1e3", 1000.0.into());
    }

    #[test]
    fn kinds_that_json_lacks_are_tagged() {
        both_ways(Value::keyword("a"), r#"{"$keyword":"a"}"#);
        both_ways(Value::set([2.into(), 1.into()]), r#"{"$set":[2,1]}"#);
        both_ways(Value::Date(-5), r#"{"$date":-5}"#);
        both_ways(Value::Day(19_782), r#"{"$day":"2024-02-29"}"#);
        both_ways(Value::Day(-100_000_000), r#"{"$day":"-271821-04-20"}"#);
        both_ways(Value::Date(-8_640_000_000_000_000), r#"{"$date":-8640000000000000}"#);
        both_ways(Value::Builtin("inc".into()), r#"{"$builtin":"inc"}"#);
        both_ways(Value::Var("x".into()), r#"{"$var":"x"}"#);
        both_ways(Value::Regex("a+".into()), r#"{"$regex":"a+"}"#);
        let closure = Closure { params: "a b".into(), doc: Some("d".into()), ..Default::default() };
        both_ways(Value::Closure(Rc::new(closure)), r#"{"$fn":{"params":"a b","doc":"d"}}"#);
        let captured = Captured(vec![("x".into(), Value::vector([1.into()])), ("f".into(), Value::Nil)]);
        let closure = Closure { captured, ..Closure::default() };
        both_ways(Value::Closure(Rc::new(closure)), r#"{"$fn":{"params":"","captured":["x",[1],"f",null]}}"#);
        let closure = Closure { return_type: Some("r".into()), source: Some("s".into()), ..Default::default() };
        both_ways(Value::Closure(Rc::new(closure)), r#"{"$fn":{"params":"","returnType":"r","source":"s"}}"#);
    }

    #[test]
    fn maps_with_other_keys_are_pairs() {
        let map = Value::map([("a".into(), 1.into()), (Value::keyword("b"), Value::Nil)]);
        both_ways(map, r#"{"$map":[["a",1],[{"$keyword":"b"},null]]}"#);
        both_ways(Value::map([(Value::keyword("$set"), 1.into())]), r#"{"$map":[[{"$keyword":"$set"},1]]}"#);
        reads(r#"{"$map":[]}"#, Value::map([]));
    }

    #[test]
    fn keys_of_foreign_objects_become_keywords_where_they_can() {
        let map = Value::map([(Value::keyword("größe"), 1.into()), ("first name".into(), 2.into())]);
        reads(r#"{"größe":0,"first name":2,"größe":1}"#, map);
        let map = Value::map([(Value::keyword("$int"), "1".into()), (Value::keyword("a"), 2.into())]);
        reads(r#"{"$int":"1","a":2}"#, map);
    }

    #[test]
    fn strings_escape_what_json_requires() {
        both_ways(
            "\"\\/\n\t\r\u{8}\u{c}\0\u{1f}\u{7f}é👩‍👧".into(),
            "\"\\\"\\\\/\\n\\t\\r\\b\\f\\u0000\\u001f\u{7f}é👩‍👧\"",
        );
        reads(r#""\u00e9\ud83d\ude00\/""#, "é😀/".into());
    }

    #[test]
    fn text_that_is_no_json_is_rejected_with_its_offset() {
        refused("", "invalid_json", 0);
        refused("[1,]", "invalid_json", 3);
        refused("{\"a\":nul}", "invalid_json", 5);
        refused("[1] 2", "invalid_json", 4);
        refused("\"abc", "invalid_json", 0);
        refused("01", "invalid_json", 1);
        refused(r#"["\ud800 alone"]"#, "invalid_json", 8);
        refused("{a: 1}", "invalid_json", 1);
    }

    #[test]
    fn tagged_objects_are_checked() {
        assert!(refused(r#"[{"$foo":1}]"#, "invalid_value", 1).contains("unknown tag `$foo`"));
        assert!(refused(r#"{"$foo":"a"}"#, "invalid_value", 0).contains("unknown tag `$foo`"));
        let wrong = [
            r#"{"$int":1}"#,
            r#"{"$int":"1_0"}"#,
            r#"{"$int":"-"}"#,
            r#"{"$float":"inf"}"#,
            r#"{"$keyword":"a b"}"#,
            r#"{"$set":"a"}"#,
            r#"{"$map":[[1]]}"#,
            r#"{"$date":1.5}"#,
            r#"{"$date":8640000000000001}"#,
            r#"{"$date":-9223372036854775808}"#,
            r#"{"$var":""}"#,
            r#"{"$builtin":"a]b"}"#,
            r#"{"$fn":{"doc":"d"}}"#,
            r#"{"$fn":{"params":"a","doc":null}}"#,
        ];
        for json in wrong {
            assert!(refused(json, "invalid_value", 0).contains("must hold"), "{json}");
        }
    }

    /// One value for each kind of collection, nested `count` levels deep.
    fn nested(count: usize) -> Vec<Value> {
        let wrap = |around: fn(Value) -> Value| (1..count).fold(around(Value::keyword("x")), |inner, _| around(inner));
        vec![
            wrap(|inner| Value::vector([inner])),
            wrap(|inner| Value::set([inner])),
            wrap(|inner| Value::map([(Value::keyword("k"), inner)])),
            wrap(|inner| Value::map([(1.into(), inner)])),
            wrap(|inner| Value::map([(inner, Value::Nil)])),
        ]
    }

    #[test]
    fn nesting_is_bounded_by_the_depth_of_the_value() {
        for value in nested(MAX_NESTING) {
            assert!(from_json(&to_json(&value)).is_ok_and(|read| read == value));
        }
        for value in nested(MAX_NESTING + 1) {
            let error = from_json(&to_json(&value)).unwrap_err();
            assert_eq!((error.code, &*error.message), ("nesting_too_deep", "nested more than 1000 levels deep"));
        }
    }

    #[test]
    fn a_million_levels_end_in_an_error() {
        for bracket in ["[", "{\"a\":", "{\"$map\":[[1,", "{\"$set\":["] {
            assert_eq!(from_json(&bracket.repeat(1_000_000)).unwrap_err().code, "nesting_too_deep");
        }
        for value in nested(100_000) {
            assert_eq!(from_json(&to_json(&value)).unwrap_err().code, "nesting_too_deep");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]

        #[test]
        fn every_value_survives_json(value in arbitrary::value()) {
            let json = to_json(&value);
            let read = from_json(&json).unwrap();
            prop_assert_eq!(&read, &value);
            prop_assert_eq!(to_json(&read), json);
        }

        #[test]
        fn no_text_breaks_the_reader(
            text in prop_oneof![".{0,40}", r#"([\[\]{}:,"\\]|\$map|\$set|\$int|null|true|[0-9.eE+-]|[a-z ]|\\u[dD][89c][0-9a-f]{2}|\\){0,60}"#],
        ) {
            let _ = from_json(&text);
        }
    }
}
