//! The reader of a value's JSON. It keeps the open collections in a list instead of recursing, so that nesting can't
//! overflow the stack.

use std::rc::Rc;

use super::lexer::Lexer;
use super::tags::{integer, single_tag, untag};
use super::{JsonError, MAX_NESTING};
use crate::value::keys::Keys;
use crate::value::{IntegerError, Map, Value, is_keyword_name, parse_float};

pub(super) fn read(text: &str, levels: usize) -> Result<(Value, usize), Box<JsonError>> {
    let mut lexer = Lexer::new(text);
    let mut open: Vec<PartialCollection> = Vec::new();
    let mut rows = ExpectedKeys::default();
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
            if parent.read_separator(&mut lexer)? {
                break;
            }
            (value, depth) = open.pop().expect("a parent was there").close(&mut rows, levels)?;
        }
    }
}

/// Keys of earlier objects, in slots by their first key: the objects of a list mostly have the same keys, which are
/// compared with the text instead of being read and looked up. Without this cache, the benchmark of a program in a
/// fresh sandbox takes 15 % longer.
#[derive(Default)]
struct ExpectedKeys([Option<Rc<Keys>>; 8]);

impl ExpectedKeys {
    /// Returns the keys of an earlier object whose first key may be the next key.
    fn beginning(&self, lexer: &Lexer<'_>) -> Option<Rc<Keys>> {
        self.0[Self::slot(lexer.after_quote())].clone()
    }

    /// Stores keys for later objects, if all are keywords and none begins with `$` as a tag does: these are written
    /// without escapes.
    fn keep(&mut self, keys: Rc<Keys>) {
        let is_plain = |key: &Value| matches!(key, Value::Keyword(name) if !name.starts_with('$'));
        if keys.iter().all(is_plain)
            && let Some(first) = keys.first().and_then(Value::key_name)
        {
            let slot = Self::slot(&[first.as_bytes()[0], first.as_bytes().get(1).copied().unwrap_or(b'"')]);
            self.0[slot] = Some(keys);
        }
    }

    fn slot(text: &[u8]) -> usize {
        text.iter().take(2).fold(0, |sum, byte| sum + usize::from(*byte)) % 8
    }
}

/// Reads a scalar or an empty collection and returns it with its depth, or opens a collection and returns `None`.
fn begin_value(
    lexer: &mut Lexer<'_>,
    open: &mut Vec<PartialCollection>,
    rows: &mut ExpectedKeys,
    levels: usize,
) -> Result<Option<(Value, usize)>, Box<JsonError>> {
    let value = match lexer.peek() {
        sign @ (b'[' | b'{') => {
            let start = lexer.at;
            // A map with arbitrary keys takes three brackets per level, a closure inside it two more.
            if open.len() == 3 * levels + 2 {
                return Err(too_deep(start));
            }
            lexer.at += 1;
            let mut opened =
                PartialCollection { start, is_object: sign == b'{', keys: None, items: Vec::new(), depth: 0 };
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

pub(super) fn scalar(lexer: &mut Lexer<'_>) -> Result<Value, Box<JsonError>> {
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
struct PartialCollection {
    start: usize,
    is_object: bool,
    /// The expected keys of an object; all keys so far were these.
    keys: Option<Rc<Keys>>,
    /// Its items so far; for an object without expected keys, keys and values alternate.
    items: Vec<Value>,
    /// The depth of its deepest child; 0 for a scalar.
    depth: usize,
}

impl PartialCollection {
    fn closing(&self) -> u8 {
        if self.is_object { b'}' } else { b']' }
    }

    fn add(&mut self, value: Value, depth: usize) {
        self.depth = self.depth.max(depth);
        self.items.push(value);
    }

    /// Reads the comma or bracket after an item; returns true when another item follows.
    fn read_separator(&mut self, lexer: &mut Lexer<'_>) -> Result<bool, Box<JsonError>> {
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

    /// Reads the key and the colon before an item of an object.
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
                _ => self.drop_expected_keys(),
            }
        }
        let name = lexer.string()?;
        self.items.push(if is_keyword_name(&name) { Value::Keyword(name) } else { Value::Str(name) });
        if lexer.eat(b':') { Ok(()) } else { Err(lexer.unexpected("`:`")) }
    }

    /// Stops expecting keys, because the object has other ones.
    fn drop_expected_keys(&mut self) {
        if let Some(keys) = self.keys.take() {
            let mut items = Vec::with_capacity(2 * self.items.len() + 2);
            for (key, value) in keys.iter().zip(std::mem::take(&mut self.items)) {
                items.extend([key.clone(), value]);
            }
            self.items = items;
        }
    }

    /// Returns the complete value and its depth.
    fn close(mut self, rows: &mut ExpectedKeys, levels: usize) -> Result<(Value, usize), Box<JsonError>> {
        if !self.is_object {
            // The list of a `$map` is one level deeper than the map; any other list of that depth is
            // refused with the collection around it.
            let depth = self.depth + 1;
            return if depth > levels + 1 {
                Err(too_deep(self.start))
            } else {
                Ok((Value::Vector(self.items.into()), depth))
            };
        }
        if self.keys.as_ref().is_some_and(|keys| keys.len() != self.items.len()) {
            self.drop_expected_keys();
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

pub(super) fn too_deep(offset: usize) -> Box<JsonError> {
    let message = format!("nested more than {MAX_NESTING} levels deep");
    Box::new(JsonError { code: "nesting_too_deep", message, offset: Some(offset) })
}

fn number(lexer: &mut Lexer<'_>) -> Result<Value, Box<JsonError>> {
    if let Some(small) = lexer.small_integer() {
        return Ok(Value::Int(small));
    }
    let start = lexer.at;
    let digits = lexer.number()?;
    match integer(digits) {
        Ok(integer) => Ok(integer),
        Err(IntegerError::NotDigits) => Ok(Value::Float(parse_float(digits).expect("a JSON number is a double"))),
        Err(IntegerError::TooLong) => {
            let message = "an integer has at most 10000 digits".into();
            Err(Box::new(JsonError { code: "invalid_value", message, offset: Some(start) }))
        }
    }
}
