//! JSON of a value: the one format of saved turns and of everything that crosses into a host.
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
//! | closure | `{"$fn":{"params":"a b","doc":…,"returnType":…,"source":…,"captured":["name",value,…]}}`, absent members left out |
//! | builtin, var, regex | `{"$builtin":"inc"}`, `{"$var":"x"}`, `{"$regex":"a+"}` |
//!
//! Foreign JSON is read too: of a plain object, keys that can't be keywords become strings, the
//! last of equal keys wins, integers of up to 10,000 digits are exact, and numbers with a
//! point or an exponent are floats.

mod lexer;
mod plain;

use std::fmt::{self, Write};
use std::rc::Rc;

use lexer::Lexer;
pub(crate) use plain::{read_json, write_canonical_json, write_json};

use super::date::is_instant;
use super::float::{parse_float, write_shortest};
use super::integer::{NoInteger, parse_integer, write_integer};
use super::keys::Keys;
use super::{Closure, Map, Set, Str, Value, Vector, is_keyword_name, is_symbol_char};

/// How many collections may contain each other in a value that is read.
pub const MAX_NESTING: usize = 1000;

/// The largest integer that every JSON reader keeps exactly: 2^53 - 1.
const MAX_SAFE_INTEGER: u64 = 9_007_199_254_740_991;

/// Why a text is not the JSON of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonError {
    /// `invalid_json` when the text is not JSON, `invalid_value` when a tagged object is none of
    /// this format or an integer has more than 10,000 digits, `nesting_too_deep` beyond
    /// [`MAX_NESTING`].
    pub code: &'static str,
    /// What was wrong, in one sentence without a full stop.
    pub message: String,
    /// Byte offset of the place.
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

/// Reads the value that `text` is the JSON of.
pub fn from_json(text: &str) -> Result<Value, JsonError> {
    from_json_around(text, 0).map(|(value, _)| value)
}

/// Reads what may hold values within `outer` collections of its own, and how deep all of it is
/// nested. That no value is nested too deep, the caller sees to.
pub fn from_json_around(text: &str, outer: usize) -> Result<(Value, usize), JsonError> {
    read(text, MAX_NESTING + outer).map_err(|error| *error)
}

fn read(text: &str, levels: usize) -> Result<(Value, usize), Box<JsonError>> {
    let mut lexer = Lexer::new(text);
    let mut open: Vec<Open> = Vec::new();
    let mut rows = Rows::default();
    loop {
        let (mut value, mut depth) = match begin_value(&mut lexer, &mut open, &mut rows, levels)? {
            Some(value) => value,
            None => continue,
        };
        loop {
            let Some(parent) = open.last_mut() else {
                return if depth > levels {
                    Err(too_deep(0))
                } else if lexer.is_at_end() {
                    Ok((value, depth))
                } else {
                    Err(lexer.unexpected("the end"))
                };
            };
            parent.add(value, depth);
            if parent.goes_on(&mut lexer)? {
                break;
            }
            (value, depth) = open.pop().expect("a parent was there").close(&mut rows, levels)?;
        }
    }
}

/// The keys of objects that were read, each in the place that the first one says: those that follow
/// most often have the same ones.
#[derive(Default)]
struct Rows([Option<Rc<Keys>>; 8]);

impl Rows {
    /// Keys of which the first may come next.
    fn beginning(&self, lexer: &Lexer<'_>) -> Option<Rc<Keys>> {
        self.0[Self::place(lexer.after_quote())].clone()
    }

    /// Keeps keys to be tried. They must be keywords and none a tag, for then their texts have no
    /// escapes and need no other look.
    fn keep(&mut self, keys: Rc<Keys>) {
        let is_plain = |key: &Value| matches!(key, Value::Keyword(name) if !name.starts_with('$'));
        if keys.iter().all(is_plain)
            && let Some(first) = keys.first().and_then(Value::key_name)
        {
            let place = Self::place(&[first.as_bytes()[0], first.as_bytes().get(1).copied().unwrap_or(b'"')]);
            self.0[place] = Some(keys);
        }
    }

    fn place(text: &[u8]) -> usize {
        text.iter().take(2).fold(0, |place, byte| place + usize::from(*byte)) % 8
    }
}

/// A scalar or an empty collection with its depth; `None` after the bracket of another one.
fn begin_value(
    lexer: &mut Lexer<'_>,
    open: &mut Vec<Open>,
    rows: &mut Rows,
    levels: usize,
) -> Result<Option<(Value, usize)>, Box<JsonError>> {
    let value = match lexer.peek() {
        sign @ (b'[' | b'{') => {
            let start = lexer.at;
            // A map with an arbitrary key takes three brackets, a closure inside of it two more.
            if open.len() == 3 * levels + 2 {
                return Err(too_deep(start));
            }
            lexer.at += 1;
            let mut opened = Open { start, is_object: sign == b'{', keys: None, items: Vec::new(), depth: 0 };
            if lexer.eat(opened.closing()) {
                return opened.close(rows, levels).map(Some);
            }
            if opened.is_object {
                opened.keys = rows.beginning(lexer);
                opened.items.reserve_exact(opened.keys.as_ref().map_or(0, |keys| keys.len()));
            }
            opened.read_key(lexer)?;
            open.push(opened);
            return Ok(None);
        }
        _ => scalar(lexer)?,
    };
    Ok(Some((value, 0)))
}

fn scalar(lexer: &mut Lexer<'_>) -> Result<Value, Box<JsonError>> {
    Ok(match lexer.peek() {
        b'"' => Value::Str(lexer.string()?),
        b'-' | b'0'..=b'9' => number(lexer)?,
        b't' => lexer.word("true").map(|()| Value::Bool(true))?,
        b'f' => lexer.word("false").map(|()| Value::Bool(false))?,
        b'n' => lexer.word("null").map(|()| Value::Nil)?,
        _ => return Err(lexer.unexpected("a value")),
    })
}

/// An array or object that is being read.
struct Open {
    start: usize,
    is_object: bool,
    /// The keys that an object is expected to have; it has them as far as it was read.
    keys: Option<Rc<Keys>>,
    /// What it holds so far; of an object with other keys, those and values in turn.
    items: Vec<Value>,
    /// How deep its deepest child is; a scalar is 0.
    depth: usize,
}

impl Open {
    fn closing(&self) -> u8 {
        if self.is_object { b'}' } else { b']' }
    }

    fn add(&mut self, value: Value, depth: usize) {
        self.depth = self.depth.max(depth);
        self.items.push(value);
    }

    /// Reads what stands behind an item: true when another item follows.
    fn goes_on(&mut self, lexer: &mut Lexer<'_>) -> Result<bool, Box<JsonError>> {
        if lexer.eat(b',') {
            self.read_key(lexer)?;
            return Ok(true);
        }
        match (lexer.eat(self.closing()), self.is_object) {
            (true, _) => Ok(false),
            (false, true) => Err(lexer.unexpected("`,` or `}`")),
            (false, false) => Err(lexer.unexpected("`,` or `]`")),
        }
    }

    /// Of an object, reads the key and the colon that stand before an item.
    fn read_key(&mut self, lexer: &mut Lexer<'_>) -> Result<(), Box<JsonError>> {
        if !self.is_object {
            return Ok(());
        }
        if lexer.peek() != b'"' {
            return Err(lexer.unexpected("a key in double quotes"));
        }
        if let Some(keys) = &self.keys {
            match keys.get(self.items.len()) {
                Some(Value::Keyword(name)) if lexer.eat_string(name) => {
                    return if lexer.eat(b':') { Ok(()) } else { Err(lexer.unexpected("`:`")) };
                }
                _ => self.give_keys_up(),
            }
        }
        let name = lexer.string()?;
        self.items.push(if is_keyword_name(&name) { Value::Keyword(name) } else { Value::Str(name) });
        if lexer.eat(b':') { Ok(()) } else { Err(lexer.unexpected("`:`")) }
    }

    /// The object has other keys than it was expected to have.
    fn give_keys_up(&mut self) {
        if let Some(keys) = self.keys.take() {
            let mut items = Vec::with_capacity(2 * self.items.len() + 2);
            for (key, value) in keys.iter().zip(std::mem::take(&mut self.items)) {
                items.extend([key.clone(), value]);
            }
            self.items = items;
        }
    }

    /// The value that is complete, and how deep it is.
    fn close(mut self, rows: &mut Rows, levels: usize) -> Result<(Value, usize), Box<JsonError>> {
        if !self.is_object {
            // The list of a `$map` is one deeper than the map; any other list that deep is
            // refused with what holds it.
            let depth = self.depth + 1;
            return if depth > levels + 1 {
                Err(too_deep(self.start))
            } else {
                Ok((Value::Vector(self.items.into()), depth))
            };
        }
        if self.keys.as_ref().is_some_and(|keys| keys.len() != self.items.len()) {
            self.give_keys_up();
        }
        let map = match self.keys.take() {
            Some(keys) => Map::of(keys, self.items),
            None => {
                let map = Map::alternating(self.items);
                rows.keep(map.shared_keys());
                map
            }
        };
        let (value, depth) = match single_tag(&map) {
            None => (Value::Map(map), self.depth + 1),
            Some((tag, content)) => untag(tag, content, self.depth)
                .map_err(|message| Box::new(JsonError { code: "invalid_value", message, offset: Some(self.start) }))?,
        };
        if depth > levels { Err(too_deep(self.start)) } else { Ok((value, depth)) }
    }
}

fn too_deep(offset: usize) -> Box<JsonError> {
    let message = format!("nested more than {MAX_NESTING} levels deep");
    Box::new(JsonError { code: "nesting_too_deep", message, offset: Some(offset) })
}

fn single_tag(map: &Map) -> Option<(&str, &Value)> {
    let (key, content) = map.entry_at(0).filter(|_| map.len() == 1)?;
    let tag = key.key_name().filter(|name| name.starts_with('$'))?;
    Some((tag, content))
}

/// What `$date` must hold.
const DATE: &str = "a whole number of milliseconds within 8640000000000000 of 1970";

/// The value of `{"<tag>":<content>}` and its depth, given that of the content.
fn untag(tag: &str, content: &Value, depth: usize) -> Result<(Value, usize), String> {
    let expected = match (tag, content) {
        ("$set", Value::Vector(items)) => return Ok((Value::Set(Set::from(items.as_slice().to_vec())), depth)),
        ("$map", Value::Vector(pairs)) => match untag_pairs(pairs) {
            Some(map) => return Ok((Value::Map(map), (depth - 1).max(1))),
            None => "pairs of a key and a value",
        },
        ("$fn", Value::Map(members)) => match untag_closure(members) {
            // One that captured something is a level itself; the list does not count.
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
        ("$int" | "$float" | "$keyword" | "$builtin" | "$var" | "$regex", _) => "a string",
        _ => return Err(unknown_tag(tag)),
    };
    Err(format!("`{tag}` must hold {expected}"))
}

fn unknown_tag(tag: &str) -> String {
    format!("unknown tag `{tag}`: a map with that key alone is written `{{\"$map\":[[key,value]]}}`")
}

/// `Err` says what the text must be; `None` is for a tag that holds no text.
fn untag_text(tag: &str, text: &Str) -> Option<Result<Value, &'static str>> {
    let is_name = || !text.is_empty() && text.chars().all(is_symbol_char);
    Some(match tag {
        "$int" => integer(text).map_err(|_| "decimal digits, 10000 at most"),
        "$float" => float(text).map(Value::Float).ok_or("a number, `Infinity`, `-Infinity` or `NaN`"),
        "$keyword" if is_keyword_name(text) => Ok(Value::Keyword(text.clone())),
        "$keyword" => Err("the name of a keyword"),
        "$builtin" if is_name() => Ok(Value::Builtin(text.clone())),
        "$var" if is_name() => Ok(Value::Var(text.clone())),
        "$builtin" | "$var" => Err("a name"),
        "$regex" => Ok(Value::Regex(text.clone())),
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

fn number(lexer: &mut Lexer<'_>) -> Result<Value, Box<JsonError>> {
    if let Some(small) = lexer.small_integer() {
        return Ok(Value::Int(small));
    }
    let start = lexer.at;
    let digits = lexer.number()?;
    match integer(digits) {
        Ok(integer) => Ok(integer),
        Err(NoInteger::NotDigits) => Ok(Value::Float(parse_float(digits).expect("a JSON number is a double"))),
        Err(NoInteger::TooLong) => {
            let message = "an integer has at most 10000 digits".into();
            Err(Box::new(JsonError { code: "invalid_value", message, offset: Some(start) }))
        }
    }
}

fn integer(text: &str) -> Result<Value, NoInteger> {
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

/// The JSON of `value`. What [`from_json`] reads from it equals `value`, unless it is nested
/// deeper than [`MAX_NESTING`].
pub fn to_json(value: &Value) -> String {
    let mut out = String::new();
    append_json(value, &mut out);
    out
}

/// A collection that is being written, and how many of its children are.
struct Writing<'a> {
    children: Shape<'a>,
    written: usize,
}

enum Shape<'a> {
    Array(&'a Vector),
    Set(&'a Set),
    Object(&'a Map),
    /// Keys and values in turn.
    Pairs(&'a Map),
    /// Names and captured values in turn.
    Captured(&'a Closure),
}

/// Appends the JSON of `value` to `out`.
pub fn append_json(value: &Value, out: &mut String) {
    let mut open = Vec::new();
    begin(value, out, &mut open);
    while let Some(writing) = open.last_mut() {
        match writing.next(out) {
            Some(child) => begin(child, out, &mut open),
            None => {
                open.pop();
            }
        }
    }
}

fn begin<'a>(value: &'a Value, out: &mut String, open: &mut Vec<Writing<'a>>) {
    let (start, children) = match value {
        Value::Vector(items) => ("[", Shape::Array(items)),
        Value::Set(items) => ("{\"$set\":[", Shape::Set(items)),
        Value::Map(entries) if entries.iter().all(|(key, _)| is_plain_key(key)) => ("{", Shape::Object(entries)),
        Value::Map(entries) => ("{\"$map\":[", Shape::Pairs(entries)),
        Value::Closure(closure) if !closure.captured.0.is_empty() => {
            write_closure(closure, out);
            (",\"captured\":[", Shape::Captured(closure))
        }
        scalar => return write_scalar(scalar, out),
    };
    out.push_str(start);
    open.push(Writing { children, written: 0 });
}

fn is_plain_key(key: &Value) -> bool {
    matches!(key, Value::Keyword(name) if !name.starts_with('$') && is_keyword_name(name))
}

impl<'a> Writing<'a> {
    /// Writes what stands before the next child and returns it; behind the last one, the closing
    /// brackets.
    fn next(&mut self, out: &mut String) -> Option<&'a Value> {
        let index = self.written;
        self.written += 1;
        let (child, end) = match self.children {
            Shape::Array(items) => (items.get(index), "]"),
            Shape::Set(items) => (items.item_at(index), "]}"),
            Shape::Captured(closure) => {
                let captured = closure.captured.0.get(index);
                if let Some((name, _)) = captured {
                    out.push_str(if index > 0 { "," } else { "" });
                    write_json_string(name, out);
                    out.push(',');
                    return captured.map(|(_, value)| value);
                }
                out.push_str("]}}");
                return None;
            }
            Shape::Object(entries) => {
                let entry = entries.entry_at(index);
                if let Some((key, _)) = entry {
                    out.push_str(if index > 0 { "," } else { "" });
                    write_json_string(key.key_name().unwrap_or_default(), out);
                    out.push(':');
                }
                return entry.map(|(_, value)| value).or_else(|| {
                    out.push('}');
                    None
                });
            }
            Shape::Pairs(entries) => {
                let (entry, is_key) = (entries.entry_at(index / 2), index.is_multiple_of(2));
                out.push_str(match (is_key, index) {
                    (true, 0) => "[",
                    (true, _) if entry.is_some() => "],[",
                    (true, _) => "]]}",
                    (false, _) => ",",
                });
                return entry.map(|(key, value)| if is_key { key } else { value });
            }
        };
        match child {
            Some(_) if index > 0 => out.push(','),
            Some(_) => {}
            None => out.push_str(end),
        }
        child
    }
}

fn write_scalar(value: &Value, out: &mut String) {
    match value {
        Value::Nil => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Int(value) if value.unsigned_abs() <= MAX_SAFE_INTEGER => write_small(*value, out),
        Value::Int(value) => write_to(out, format_args!("{{\"$int\":\"{value}\"}}")),
        Value::BigInt(value) => {
            out.push_str("{\"$int\":\"");
            write_integer(value, out);
            out.push_str("\"}");
        }
        Value::Float(value) => write_float(*value, out),
        Value::Str(text) => write_json_string(text, out),
        Value::Keyword(name) => write_tagged("$keyword", name, out),
        Value::Builtin(name) => write_tagged("$builtin", name, out),
        Value::Var(name) => write_tagged("$var", name, out),
        Value::Regex(source) => write_tagged("$regex", source, out),
        Value::Date(millis) => write_to(out, format_args!("{{\"$date\":{millis}}}")),
        Value::Closure(closure) => {
            write_closure(closure, out);
            out.push_str("}}");
        }
        Value::Vector(_) | Value::Map(_) | Value::Set(_) => unreachable!("collections are opened, not written"),
    }
}

fn write_tagged(tag: &str, text: &str, out: &mut String) {
    write_to(out, format_args!("{{\"{tag}\":"));
    write_json_string(text, out);
    out.push('}');
}

/// Writes what a closure is without what it captured; the brackets stay open.
fn write_closure(closure: &Closure, out: &mut String) {
    out.push_str("{\"$fn\":{\"params\":");
    write_json_string(&closure.params, out);
    let members = [("doc", &closure.doc), ("returnType", &closure.return_type), ("source", &closure.source)];
    for (name, text) in members {
        if let Some(text) = text {
            write_to(out, format_args!(",\"{name}\":"));
            write_json_string(text, out);
        }
    }
}

fn write_float(value: f64, out: &mut String) {
    if value.is_finite() && value.fract() != 0.0 {
        return write_shortest(value, out);
    }
    out.push_str("{\"$float\":\"");
    match value {
        f64::INFINITY => out.push_str("Infinity"),
        f64::NEG_INFINITY => out.push_str("-Infinity"),
        _ if value.is_nan() => out.push_str("NaN"),
        _ => write_shortest(value, out),
    }
    out.push_str("\"}");
}

/// Appends `text` as a JSON string, quotes included.
pub fn write_json_string(text: &str, out: &mut String) {
    out.push('"');
    let mut rest = text;
    while let Some(place) = rest.bytes().position(|byte| matches!(byte, b'"' | b'\\' | 0..=0x1f)) {
        out.push_str(&rest[..place]);
        match rest.as_bytes()[place] {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\t' => out.push_str("\\t"),
            b'\r' => out.push_str("\\r"),
            0x08 => out.push_str("\\b"),
            0x0C => out.push_str("\\f"),
            control => write_to(out, format_args!("\\u{control:04x}")),
        }
        rest = &rest[place + 1..];
    }
    out.push_str(rest);
    out.push('"');
}

/// An integer in decimal digits, as most numbers are.
fn write_small(value: i64, out: &mut String) {
    if value < 0 {
        out.push('-');
    }
    let mut rest = value.unsigned_abs();
    let mut digits = Vec::with_capacity(20);
    loop {
        digits.push(b'0' + (rest % 10) as u8);
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    digits.iter().rev().for_each(|digit| out.push(char::from(*digit)));
}

fn write_to(out: &mut String, text: fmt::Arguments<'_>) {
    out.write_fmt(text).expect("a String takes any text");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{Captured, MAX_INTEGER_DIGITS, arbitrary};
    use proptest::prelude::*;

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
    fn what_json_has_is_written_as_it_is() {
        both_ways(Value::Nil, "null");
        both_ways(true.into(), "true");
        both_ways(Value::vector([1.into(), "a".into(), Value::vector([])]), r#"[1,"a",[]]"#);
        let map = Value::map([(Value::keyword("b"), 1.into()), (Value::keyword("a-b?"), Value::map([]))]);
        both_ways(map, r#"{"b":1,"a-b?":{}}"#);
    }

    #[test]
    fn rows_are_read_as_each_would_be_alone() {
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
    fn integers_of_too_many_digits_are_refused() {
        // The messages say it as a text, which weighs less than writing the number into it.
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
    fn text_that_is_no_json_is_refused_with_its_place() {
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

    /// `count` levels of each shape that nests.
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
