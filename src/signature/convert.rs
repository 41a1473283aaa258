//! Conversions of scalars to the type that a signature wants.

use super::Type;
use crate::value::{
    PrintOptions, Value, is_keyword_name, parse_float, parse_integer, to_clojure, whole_integer, write_day,
    write_instant,
};

/// The longest text that is read as a number, in bytes: the largest float has 309 digits.
const LONGEST_NUMBER: usize = 400;

/// The value of type `ty` that `value` can be converted to.
pub fn converted(ty: &Type, value: &Value) -> Option<Value> {
    match (ty, value) {
        (Type::String, Value::Keyword(name)) => Some(Value::Str(name.clone())),
        (Type::String, Value::Date(millis)) => {
            let mut text = String::new();
            write_instant(*millis, &mut text);
            Some(Value::str(text))
        }
        (Type::String, Value::Day(days)) => {
            let mut text = String::new();
            write_day(*days, &mut text);
            Some(Value::str(text))
        }
        (Type::String, Value::Int(_) | Value::BigInt(_) | Value::Float(_) | Value::Bool(_)) => {
            Some(Value::str(clojure(value)))
        }
        (Type::Keyword, Value::Str(text)) => {
            let name = text.strip_prefix(':').unwrap_or(text);
            is_keyword_name(name).then(|| Value::keyword(name))
        }
        (Type::Bool, Value::Str(name) | Value::Keyword(name)) => {
            let is = |word: &str| name.trim().eq_ignore_ascii_case(word);
            if is("true") || is("false") { Some(Value::Bool(is("true"))) } else { None }
        }
        (Type::Int, Value::Float(float)) => integer(*float),
        (Type::Int, Value::Str(text)) => {
            let text = number_text(text)?;
            parse_integer(text, 10).ok().map(Value::integer).or_else(|| integer(parse_float(text)?))
        }
        (Type::Float, Value::Int(integer)) => Some(Value::Float(*integer as f64)),
        (Type::Float, Value::BigInt(_)) => finite(&clojure(value)),
        (Type::Float, Value::Str(text)) => finite(number_text(text)?),
        (Type::OneOf(options), _) => {
            let text = plain(value)?;
            let same = |option: &&Value| plain(option).is_some_and(|option| option == text);
            let alike = |option: &&Value| plain(option).is_some_and(|option| option.eq_ignore_ascii_case(text.trim()));
            options.iter().find(same).or_else(|| options.iter().find(alike)).cloned()
        }
        _ => None,
    }
}

/// Whether the conversion needs no warning: a number stays a number, a name a name.
pub fn keeps_its_kind(ty: &Type, value: &Value, converted: &Value) -> bool {
    match ty {
        Type::Keyword => true,
        Type::String => matches!(value, Value::Keyword(_) | Value::Date(_) | Value::Day(_)),
        Type::OneOf(_) => match value {
            Value::Keyword(name) => converted.as_str() == Some(name),
            Value::Int(_) | Value::Float(_) => matches!(converted, Value::Int(_) | Value::Float(_)),
            _ => false,
        },
        _ => !matches!(value, Value::Str(_) | Value::Keyword(_)),
    }
}

/// The text of a scalar, by which options of different types are compared. `1.0` is 1: hosts have one kind of number.
fn plain(value: &Value) -> Option<String> {
    match value {
        Value::Float(float) if integer(*float).is_some() => integer(*float).as_ref().map(clojure),
        Value::Str(text) | Value::Keyword(text) => Some(text.to_string()),
        Value::Bool(_) | Value::Int(_) | Value::Float(_) => Some(clojure(value)),
        _ => None,
    }
}

fn clojure(value: &Value) -> String {
    to_clojure(value, &PrintOptions { limit: None, printable_limit: None, filter_hidden: false }).text
}

fn number_text(text: &str) -> Option<&str> {
    Some(text.trim()).filter(|text| text.len() <= LONGEST_NUMBER)
}

fn integer(float: f64) -> Option<Value> {
    (float.is_finite() && float.fract() == 0.0).then(|| Value::integer(whole_integer(float)))
}

fn finite(text: &str) -> Option<Value> {
    parse_float(text).filter(|float| float.is_finite()).map(Value::Float)
}
