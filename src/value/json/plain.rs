//! Plain JSON, as other programs write and read it, without tags.

use super::lexer::Lexer;
use super::reader::{scalar, too_deep};
use super::{JsonError, MAX_NESTING, write_json_string, write_to};
use crate::value::date::{write_day, write_instant};
use crate::value::number::{write_integer, write_shortest};
use crate::value::{Map, PrintOptions, Value, is_keyword_name, positions_in_order, to_clojure};
use crate::work::{self, PIECE};

/// An array or object that is being read.
struct PlainCollection {
    is_object: bool,
    /// The key of the item that is read next.
    key: Value,
    items: Vec<Value>,
    entries: Map,
}

/// Reads a JSON text. Objects become maps with strings as keys; with `keywords`, keys that can be
/// keywords become keywords.
pub fn read_json(text: &str, keywords: bool) -> Result<Value, Box<JsonError>> {
    let mut reading = PlainReading::new(text, keywords);
    loop {
        if let Some(value) = reading.advance(usize::MAX)? {
            return Ok(value);
        }
    }
}

/// [`read_json`] in pieces.
pub struct PlainReading<'t> {
    lexer: Lexer<'t>,
    open: Vec<PlainCollection>,
    keywords: bool,
}

impl<'t> PlainReading<'t> {
    /// Begins to read a text.
    pub fn new(text: &'t str, keywords: bool) -> PlainReading<'t> {
        PlainReading { lexer: Lexer::new(text), open: Vec::new(), keywords }
    }

    /// Reads at most `max` further values; returns the value of the text when it is complete.
    pub fn advance(&mut self, max: usize) -> Result<Option<Value>, Box<JsonError>> {
        let PlainReading { lexer, open, keywords } = self;
        let end = work::done().saturating_add(PIECE);
        for _ in 0..max {
            if work::done() > end {
                break;
            }
            let mut value = match lexer.peek() {
                sign @ (b'[' | b'{') => {
                    if open.len() == MAX_NESTING {
                        return Err(too_deep(lexer.at));
                    }
                    lexer.at += 1;
                    let is_object = sign == b'{';
                    let mut opened =
                        PlainCollection { is_object, key: Value::Nil, items: Vec::new(), entries: Map::default() };
                    if !lexer.eat(if is_object { b'}' } else { b']' }) {
                        opened.read_key(lexer, *keywords)?;
                        open.push(opened);
                        continue;
                    }
                    opened.close()
                }
                _ => scalar(lexer)?,
            };
            loop {
                let Some(parent) = open.last_mut() else {
                    return if lexer.is_at_end() { Ok(Some(value)) } else { Err(lexer.unexpected("the end")) };
                };
                match parent.is_object {
                    true => parent.entries.insert(std::mem::take(&mut parent.key), value),
                    false => parent.items.push(value),
                }
                if lexer.eat(b',') {
                    parent.read_key(lexer, *keywords)?;
                    break;
                }
                if !lexer.eat(if parent.is_object { b'}' } else { b']' }) {
                    return Err(lexer.unexpected("`,` or the end of the collection"));
                }
                value = open.pop().expect("a parent was there").close();
            }
        }
        Ok(None)
    }
}

impl PlainCollection {
    fn read_key(&mut self, lexer: &mut Lexer<'_>, keywords: bool) -> Result<(), Box<JsonError>> {
        if !self.is_object {
            return Ok(());
        }
        if lexer.peek() != b'"' {
            return Err(lexer.unexpected("a key in double quotes"));
        }
        let name = lexer.string()?;
        self.key = if keywords && is_keyword_name(&name) { Value::keyword(name) } else { Value::str(name) };
        if lexer.eat(b':') { Ok(()) } else { Err(lexer.unexpected("`:`")) }
    }

    fn close(self) -> Value {
        if self.is_object { Value::Map(self.entries) } else { Value::from(self.items) }
    }
}

/// An item of the stack of things to write.
enum Todo<'a> {
    Value(&'a Value),
    Key(&'a Value),
    Text(&'static str),
}

/// Writes a value as JSON: keywords as their names, sets as arrays, dates as ISO texts, integers
/// with all their digits. Returns the first value that JSON cannot represent as an error.
pub fn write_json<'a>(value: &'a Value, out: &mut String) -> Result<(), &'a Value> {
    write(value, out, false)
}

/// Writes JSON for models: keys sorted by code points, hidden keys omitted, and values that JSON cannot
/// represent as their Clojure text.
pub fn write_canonical_json(value: &Value, out: &mut String) {
    let _ = write(value, out, true);
}

fn write<'a>(value: &'a Value, out: &mut String, canonical: bool) -> Result<(), &'a Value> {
    let mut todo = vec![Todo::Value(value)];
    while let Some(next) = todo.pop() {
        match next {
            Todo::Text(text) => out.push_str(text),
            Todo::Key(key) => match key_text(key) {
                Some(text) => write_json_string(&text, out),
                None if canonical => write_clojure(key, out),
                None => return Err(key),
            },
            Todo::Value(value) => match value {
                Value::Vector(items) => open_array(items.iter(), &mut todo),
                Value::Set(items) => open_array(items.iter(), &mut todo),
                Value::Map(entries) => {
                    todo.push(Todo::Text("}"));
                    let start = todo.len();
                    let mut entries: Vec<(&Value, &Value)> = entries.iter().collect();
                    if canonical {
                        entries.retain(|(key, _)| !key.is_hidden_key());
                        entries = sorted(&entries);
                    }
                    for (index, (key, value)) in entries.into_iter().enumerate() {
                        todo.extend([
                            Todo::Text(if index > 0 { "," } else { "" }),
                            Todo::Key(key),
                            Todo::Text(":"),
                            Todo::Value(value),
                        ]);
                    }
                    todo[start..].reverse();
                    todo.push(Todo::Text("{"));
                }
                Value::Nil => out.push_str("null"),
                Value::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
                Value::Int(value) => write_to(out, format_args!("{value}")),
                Value::BigInt(value) => write_integer(value, out),
                Value::Float(value) if value.is_finite() => {
                    let start = out.len();
                    write_shortest(*value, out);
                    // A whole float keeps its point: `2.0`.
                    if out.bytes().skip(start).all(|byte| byte != b'e' && byte != b'.') {
                        out.push_str(".0");
                    }
                }
                Value::Str(text) | Value::Keyword(text) => write_json_string(text, out),
                Value::Date(millis) => {
                    out.push('"');
                    write_instant(*millis, out);
                    out.push('"');
                }
                Value::Day(days) => {
                    out.push('"');
                    write_day(*days, out);
                    out.push('"');
                }
                other if canonical => write_clojure(other, out),
                other => return Err(other),
            },
        }
    }
    Ok(())
}

/// The member name of a key; `None` for keys that cannot be one.
fn key_text(key: &Value) -> Option<String> {
    match key {
        Value::Str(name) | Value::Keyword(name) => Some(name.to_string()),
        Value::Int(_) | Value::BigInt(_) | Value::Float(_) | Value::Bool(_) | Value::Date(_) | Value::Day(_) => {
            let mut text = String::new();
            write(key, &mut text, false).ok()?;
            Some(text.trim_matches('"').into())
        }
        _ => None,
    }
}

fn sorted<'a>(entries: &[(&'a Value, &'a Value)]) -> Vec<(&'a Value, &'a Value)> {
    let texts = entries.iter().map(|(key, _)| key_text(key)).collect::<Vec<_>>();
    let positions = positions_in_order(entries.len(), &mut |left, right| texts[left].cmp(&texts[right]));
    positions.into_iter().map(|position| entries[position]).collect()
}

fn write_clojure(value: &Value, out: &mut String) {
    let options = PrintOptions { limit: None, printable_limit: None, filter_hidden: true };
    write_json_string(&to_clojure(value, &options).text, out);
}

fn open_array<'a>(items: impl ExactSizeIterator<Item = &'a Value>, todo: &mut Vec<Todo<'a>>) {
    todo.push(Todo::Text("]"));
    let start = todo.len();
    for (index, item) in items.enumerate() {
        todo.extend([Todo::Text(if index > 0 { "," } else { "" }), Todo::Value(item)]);
    }
    todo[start..].reverse();
    todo.push(Todo::Text("["));
}
