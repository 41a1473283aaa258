//! Reads values that JSON cannot represent from objects with one member whose name begins with `$`.

use std::rc::Rc;

use crate::value::date::is_instant;
use crate::value::{Closure, IntegerError, Map, Set, Str, Value, Vector};
use crate::value::{is_qualified_name, is_symbol_char, parse_day, parse_float, parse_integer};

pub(super) fn single_tag(map: &Map) -> Option<(&str, &Value)> {
    let (key, content) = map.entry_at(0).filter(|_| map.len() == 1)?;
    let tag = key.key_name().filter(|name| name.starts_with('$'))?;
    Some((tag, content))
}

/// The error text for a wrong `$date`.
const DATE: &str = "a whole number of milliseconds within 8640000000000000 of 1970";

/// The error text for a wrong `$day`.
const DAY: &str = "a date such as 2024-02-29, within 100 million days of 1970";

/// Returns the value of `{"<tag>":<content>}` and its depth; `depth` is that of the content.
pub(super) fn untag(tag: &str, content: &Value, depth: usize) -> Result<(Value, usize), String> {
    let expected = match (tag, content) {
        ("$set", Value::Vector(items)) => return Ok((Value::Set(Set::from(items.as_slice().to_vec())), depth)),
        ("$map", Value::Vector(pairs)) => match untag_pairs(pairs) {
            Some(map) => return Ok((Value::Map(map), (depth - 1).max(1))),
            None => "pairs of a key and a value",
        },
        ("$fn", Value::Map(members)) => match untag_closure(members) {
            // A closure with captured values counts as a level; their list does not.
            Some(closure) => return Ok((Value::Closure(Rc::new(closure)), depth - 1)),
            None => "texts named params, doc, returnType and source, of which params is required, and captured values",
        },
        ("$date", Value::Int(millis)) if is_instant(*millis) => return Ok((Value::Date(*millis), 0)),
        (_, Value::Str(text)) => match untag_text(tag, text) {
            Some(Ok(value)) => return Ok((value, 0)),
            Some(Err(expected)) => expected,
            None => return Err(unknown_tag(tag)),
        },
        ("$set" | "$map", _) => "an array",
        ("$fn", _) => "an object",
        ("$date", _) => DATE,
        ("$day", _) => DAY,
        ("$int" | "$float" | "$keyword" | "$builtin" | "$var" | "$regex", _) => "a string",
        _ => return Err(unknown_tag(tag)),
    };
    Err(format!("`{tag}` must hold {expected}"))
}

fn unknown_tag(tag: &str) -> String {
    format!("unknown tag `{tag}`: a map with that key alone is written `{{\"$map\":[[key,value]]}}`")
}

/// Returns the value of a tag with a text, `Err` with a description of the expected content, or `None` for an unknown
/// tag.
fn untag_text(tag: &str, text: &Str) -> Option<Result<Value, &'static str>> {
    let is_name = || !text.is_empty() && text.chars().all(is_symbol_char);
    Some(match tag {
        "$int" => integer(text).map_err(|_| "decimal digits, 10000 at most"),
        "$float" => float(text).map(Value::Float).ok_or("a number, `Infinity`, `-Infinity` or `NaN`"),
        "$keyword" if is_qualified_name(text) => Ok(Value::Keyword(text.clone())),
        "$keyword" => Err("the name of a keyword"),
        "$builtin" if is_name() => Ok(Value::Builtin(text.clone())),
        "$var" if is_name() => Ok(Value::Var(text.clone())),
        "$builtin" | "$var" => Err("a name"),
        "$regex" => Ok(Value::Regex(text.clone())),
        "$day" => parse_day(text).map(Value::Day).ok_or(DAY),
        "$set" | "$map" => Err("an array"),
        "$fn" => Err("an object"),
        "$date" => Err(DATE),
        _ => return None,
    })
}

fn untag_pairs(pairs: &Vector) -> Option<Map> {
    let mut map = Map::default();
    for pair in pairs.iter() {
        match pair {
            Value::Vector(pair) if pair.len() == 2 => map.insert(pair.get(0)?.clone(), pair.get(1)?.clone()),
            _ => return None,
        }
    }
    Some(map)
}

fn untag_closure(members: &Map) -> Option<Closure> {
    let mut closure = Closure::default();
    let mut has_params = false;
    for (key, value) in members.iter() {
        let Value::Keyword(name) = key else { return None };
        let text = match value {
            Value::Str(text) => text,
            Value::Vector(values) if &**name == "captured" => {
                for pair in values.as_slice().chunks(2) {
                    let [Value::Str(name), value] = pair else { return None };
                    closure.captured.0.push((name.clone(), value.clone()));
                }
                continue;
            }
            _ => return None,
        };
        match &**name {
            "params" => (closure.params, has_params) = (text.clone(), true),
            "doc" => closure.doc = Some(text.clone()),
            "returnType" => closure.return_type = Some(text.clone()),
            "source" => closure.source = Some(text.clone()),
            _ => return None,
        }
    }
    has_params.then_some(closure)
}

pub(super) fn integer(text: &str) -> Result<Value, IntegerError> {
    match text.parse() {
        Ok(small) => Ok(Value::Int(small)),
        Err(_) => parse_integer(text, 10).map(Value::integer),
    }
}

fn float(text: &str) -> Option<f64> {
    match text {
        "Infinity" => Some(f64::INFINITY),
        "-Infinity" => Some(f64::NEG_INFINITY),
        "NaN" => Some(f64::NAN),
        _ => parse_float(text).filter(|_| text.ends_with(|last: char| last.is_ascii_digit())),
    }
}
