//! Clojure text of a value, whole or cut to a sample (TRN-001…005, SAM-003).

use std::cmp::Ordering;
use std::fmt::Write;

use crate::unicode::cut_place;

use super::collection::Ordered;
use super::date::write_instant;
use super::float::{whole_integer, write_shortest, write_whole};
use super::integer::write_integer;
use super::order::{in_order, places_in_order};
use super::{BigInt, Value};

/// The least that a value inside a map may show of a string, in graphemes.
const LEAST_SHARE: usize = 10;

/// How much of a value is written.
#[derive(Clone, Debug)]
pub struct PrintOptions {
    /// Items shown of each collection; `None` shows all.
    pub limit: Option<usize>,
    /// Graphemes shown of each string; `None` shows all. Inside a map it is shared: each value
    /// gets an equal part of it, 10 at least.
    pub printable_limit: Option<usize>,
    /// Leaves out map entries whose key begins with `_`, at every depth, as if they were not there.
    pub filter_hidden: bool,
}

impl Default for PrintOptions {
    fn default() -> Self {
        PrintOptions { limit: None, printable_limit: None, filter_hidden: true }
    }
}

/// What [`to_clojure`] writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clojure {
    /// The text.
    pub text: String,
    /// True when a limit cut something. Hidden keys that are left out do not count.
    pub truncated: bool,
}

/// The value as Clojure text: `{:name "Laptop" :tags #{:new} :sizes [13 15 ...] (4 items, showing first 2)}`.
///
/// Maps and sets are written in one order whatever they were built in: nil, booleans, numbers,
/// keywords, strings, then everything else by its own text. Written without limits, every value
/// reads back as itself, but for floats (at most ten decimals) and regexes (a bare quote comes
/// back escaped, and so do line breaks).
pub fn to_clojure(value: &Value, options: &PrintOptions) -> Clojure {
    let mut printer = Printer { options, out: String::new(), truncated: false, frames: Vec::new() };
    printer.print(value);
    Clojure { text: printer.out, truncated: printer.truncated }
}

struct Printer<'a> {
    options: &'a PrintOptions,
    out: String,
    truncated: bool,
    frames: Vec<Frame<'a>>,
}

/// A collection that is being written.
enum Frame<'a> {
    Sorting(Sorting<'a>),
    Open(Open<'a>),
}

/// A collection whose bracket is written and whose items follow.
struct Open<'a> {
    items: Items<'a>,
    next: usize,
    /// The value that belongs to the key being written.
    pending: Option<&'a Value>,
    shown: usize,
    /// Items that may be seen.
    total: usize,
    key_limit: Option<usize>,
    value_limit: Option<usize>,
}

enum Items<'a> {
    Vector(&'a [Value]),
    Sorted(Vec<Sorted<'a>>),
}

struct Sorted<'a> {
    key: Key<'a>,
    value: Option<&'a Value>,
}

/// What an open collection wants next.
enum Step<'a> {
    /// A value written, with this printable limit.
    Begin(&'a Value, Option<usize>),
    /// Another step: a key that was written before is in its place.
    Wrote,
    /// Nothing: its closing bracket is written.
    Closed,
}

enum Key<'a> {
    Unwritten(&'a Value),
    Written(String),
}

/// A map or set with keys that sort by their text: these texts are written first, each at the end
/// of the output, and taken from there.
struct Sorting<'a> {
    bracket: &'static str,
    simple: Vec<Entry<'a>>,
    by_text: Vec<Entry<'a>>,
    next: usize,
    /// How many of `by_text` are shown.
    room: usize,
    /// The smallest texts so far and some more, each with its place in `by_text`.
    smallest: Vec<(String, usize)>,
    text_start: usize,
    total: usize,
    limit: Option<usize>,
}

/// An element of a set or an entry of a map, and its place there.
#[derive(Clone, Copy)]
struct Entry<'a> {
    key: &'a Value,
    value: Option<&'a Value>,
    place: usize,
}

impl<'a> Printer<'a> {
    fn print(&mut self, value: &'a Value) {
        self.begin(value, self.options.printable_limit);
        while let Some(frame) = self.frames.last_mut() {
            match frame {
                Frame::Open(open) => match open.step(&mut self.out, &mut self.truncated) {
                    Step::Begin(value, limit) => self.begin(value, limit),
                    Step::Wrote => {}
                    Step::Closed => {
                        self.frames.pop();
                    }
                },
                Frame::Sorting(sorting) => match sorting.step(&mut self.out) {
                    Some(key) => {
                        let limit = sorting.limit;
                        self.begin(key, limit);
                    }
                    None => {
                        let Some(Frame::Sorting(sorting)) = self.frames.pop() else { unreachable!("seen above") };
                        self.open_sorted(sorting);
                    }
                },
            }
        }
    }

    /// Writes a scalar, or opens a collection. `limit` is the printable limit.
    fn begin(&mut self, value: &'a Value, limit: Option<usize>) {
        match value {
            Value::Vector(items) => {
                let total = items.len();
                let shown = self.shown_of(total);
                self.out.push('[');
                let items = Items::Vector(items.as_slice());
                self.frames.push(Frame::Open(Open {
                    items,
                    next: 0,
                    pending: None,
                    shown,
                    total,
                    key_limit: limit,
                    value_limit: limit,
                }));
            }
            Value::Map(entries) => self.begin_unordered("{", entries.ordered(), limit),
            Value::Set(items) => self.begin_unordered("#{", items.ordered(), limit),
            scalar => self.truncated |= write_scalar(scalar, limit, &mut self.out),
        }
    }

    fn begin_unordered(&mut self, bracket: &'static str, entries: &'a Ordered, limit: Option<usize>) {
        let most = self.options.limit.unwrap_or(usize::MAX);
        let mut simple = Vec::new();
        let mut by_text = Vec::new();
        let mut total = 0;
        for (place, key) in entries.keys.iter().enumerate() {
            let entry = Entry { key, value: entries.values.get(place), place };
            if self.options.filter_hidden && entry.value.is_some() && key.is_hidden_key() {
                continue;
            }
            total += 1;
            if kind_rank(entry.key) == BY_TEXT {
                by_text.push(entry);
            } else {
                simple.push(entry);
                if simple.len() >= worth_sorting(most) {
                    simple = smallest_entries(&simple, most);
                }
            }
        }
        simple = smallest_entries(&simple, most);
        let mut room = self.shown_of(total) - simple.len();
        if room > 0 && by_text.len() == 1 {
            // Alone it needs no sorting, and is written in place: copying its text once for every
            // collection around it would cost the square of the depth.
            simple.append(&mut by_text);
            room = 0;
        }
        let sorting = Sorting {
            bracket,
            simple,
            by_text,
            next: 0,
            room,
            smallest: Vec::new(),
            text_start: self.out.len(),
            total,
            limit,
        };
        if room == 0 {
            self.open_sorted(sorting);
        } else {
            self.frames.push(Frame::Sorting(sorting));
        }
    }

    fn open_sorted(&mut self, mut sorting: Sorting<'a>) {
        self.out.push_str(sorting.bracket);
        let shown = self.shown_of(sorting.total);
        keep_smallest_texts(&mut sorting.smallest, sorting.room);
        let mut items = Vec::new();
        for entry in &sorting.simple {
            items.push(Sorted { key: Key::Unwritten(entry.key), value: entry.value });
        }
        for (text, index) in sorting.smallest {
            items.push(Sorted { key: Key::Written(text), value: sorting.by_text[index].value });
        }
        let is_map = sorting.bracket == "{";
        let share = sorting.limit.map(|limit| match shown {
            0 => limit,
            _ if is_map => (limit / shown).max(LEAST_SHARE),
            _ => limit,
        });
        self.frames.push(Frame::Open(Open {
            items: Items::Sorted(items),
            next: 0,
            pending: None,
            shown,
            total: sorting.total,
            key_limit: sorting.limit,
            value_limit: share,
        }));
    }

    fn shown_of(&self, total: usize) -> usize {
        self.options.limit.map_or(total, |limit| limit.min(total))
    }
}

impl<'a> Open<'a> {
    fn step(&mut self, out: &mut String, truncated: &mut bool) -> Step<'a> {
        if let Some(value) = self.pending.take() {
            out.push(' ');
            return Step::Begin(value, self.value_limit);
        }
        let index = self.next;
        if index == self.shown {
            self.close(out, truncated);
            return Step::Closed;
        }
        self.next += 1;
        if index > 0 {
            out.push(' ');
        }
        match &self.items {
            Items::Vector(items) => Step::Begin(&items[index], self.value_limit),
            Items::Sorted(items) => {
                let Sorted { key, value } = &items[index];
                self.pending = *value;
                match key {
                    Key::Unwritten(key) => Step::Begin(key, self.key_limit),
                    Key::Written(text) => {
                        out.push_str(text);
                        Step::Wrote
                    }
                }
            }
        }
    }

    fn close(&self, out: &mut String, truncated: &mut bool) {
        let bracket = if matches!(self.items, Items::Vector(_)) { ']' } else { '}' };
        if self.shown == self.total {
            out.push(bracket);
            return;
        }
        *truncated = true;
        let space = if self.shown > 0 { " " } else { "" };
        let (total, shown) = (self.total, self.shown);
        write_to(out, format_args!("{space}...{bracket} ({total} items, showing first {shown})"));
    }
}

impl<'a> Sorting<'a> {
    /// Takes the key's text that was written since the last step, and returns the next key to
    /// write.
    fn step(&mut self, out: &mut String) -> Option<&'a Value> {
        if self.next > 0 {
            self.smallest.push((out.split_off(self.text_start), self.next - 1));
            if self.smallest.len() >= worth_sorting(self.room) {
                keep_smallest_texts(&mut self.smallest, self.room);
            }
        }
        let entry = self.by_text.get(self.next)?;
        self.next += 1;
        Some(entry.key)
    }
}

/// How many items are worth sorting to find the `count` smallest of all that follow: finding these
/// costs one pass over all, as long as `count` is small.
fn worth_sorting(count: usize) -> usize {
    count.saturating_mul(2).saturating_add(64)
}

/// The `count` smallest entries in order.
fn smallest_entries<'a>(entries: &[Entry<'a>], count: usize) -> Vec<Entry<'a>> {
    in_order(entries, compare_simple).take(count).copied().collect()
}

/// Keeps the `count` smallest texts, in order.
fn keep_smallest_texts(texts: &mut Vec<(String, usize)>, count: usize) {
    let places = places_in_order(texts.len(), &mut |left, right| texts[left].0.cmp(&texts[right].0));
    *texts = places.iter().take(count).map(|place| std::mem::take(&mut texts[*place])).collect();
}

/// The rank of keys that sort by their text.
const BY_TEXT: u8 = 5;

fn kind_rank(key: &Value) -> u8 {
    match key {
        Value::Nil => 0,
        Value::Bool(_) => 1,
        Value::Int(_) | Value::BigInt(_) | Value::Float(_) => 2,
        Value::Keyword(_) => 3,
        Value::Str(_) => 4,
        _ => BY_TEXT,
    }
}

fn compare_simple(left: &Entry<'_>, right: &Entry<'_>) -> Ordering {
    let by_kind = kind_rank(left.key).cmp(&kind_rank(right.key));
    let by_value = || match (left.key, right.key) {
        (Value::Bool(left), Value::Bool(right)) => left.cmp(right),
        (Value::Keyword(left), Value::Keyword(right)) | (Value::Str(left), Value::Str(right)) => left.cmp(right),
        (left, right) => compare_numbers(left, right),
    };
    by_kind.then_with(by_value).then(left.place.cmp(&right.place))
}

/// Numbers by size; an integer before the float that equals it, NaN last.
fn compare_numbers(left: &Value, right: &Value) -> Ordering {
    match (left, right) {
        (Value::Int(left), Value::Int(right)) => left.cmp(right),
        (Value::BigInt(left), Value::BigInt(right)) => left.cmp(right),
        (Value::Float(left), Value::Float(right)) => {
            left.partial_cmp(right).unwrap_or_else(|| left.is_nan().cmp(&right.is_nan()))
        }
        (integer, Value::Float(float)) => compare_with_float(integer, *float),
        (Value::Float(float), integer) => compare_with_float(integer, *float).reverse(),
        (left, right) => big(left).cmp(&big(right)),
    }
}

fn compare_with_float(integer: &Value, float: f64) -> Ordering {
    if float.is_nan() || float == f64::INFINITY {
        return Ordering::Less;
    }
    if float == f64::NEG_INFINITY {
        return Ordering::Greater;
    }
    let whole = whole_integer(float);
    let fraction = float.fract();
    let by_fraction = if fraction < 0.0 { Ordering::Greater } else { Ordering::Less };
    big(integer).cmp(&whole).then(by_fraction)
}

fn big(integer: &Value) -> BigInt {
    match integer {
        Value::Int(small) => BigInt::from(*small),
        Value::BigInt(big) => (**big).clone(),
        _ => BigInt::default(),
    }
}

/// Writes a value that is no collection. True when a string was cut to `limit` graphemes.
fn write_scalar(value: &Value, limit: Option<usize>, out: &mut String) -> bool {
    match value {
        Value::Nil => out.push_str("nil"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Int(value) => write_to(out, format_args!("{value}")),
        Value::BigInt(value) => write_integer(value, out),
        Value::Float(value) => write_float(*value, out),
        Value::Str(text) => return write_string(text, limit, out),
        Value::Keyword(name) => write_to(out, format_args!(":{name}")),
        Value::Closure(closure) => write_to(out, format_args!("#fn[{}]", closure.params)),
        Value::Builtin(name) => write_to(out, format_args!("#builtin[{name}]")),
        Value::Var(name) => write_to(out, format_args!("#'{name}")),
        Value::Regex(source) => write_regex(source, out),
        Value::Date(millis) => {
            out.push_str("#inst \"");
            write_instant(*millis, out);
            out.push('"');
        }
        Value::Vector(_) | Value::Map(_) | Value::Set(_) => unreachable!("collections are opened, not written"),
    }
    false
}

fn write_to(out: &mut String, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text).expect("a String takes any text");
}

/// At most ten decimals, never an exponent: `3.3` for 3.3000000000000003.
fn write_float(value: f64, out: &mut String) {
    /// From here on a double has no fraction.
    const WHOLE: f64 = 4_503_599_627_370_496.0;
    /// From here on ten decimals may be more than tell a double from its neighbours.
    const FEW_DECIMALS: f64 = 1e5;
    if !value.is_finite() {
        out.push_str(match value {
            f64::INFINITY => "##Inf",
            f64::NEG_INFINITY => "##-Inf",
            _ => "##NaN",
        });
        return;
    }
    let size = value.abs();
    if size >= WHOLE {
        write_whole(value, out);
        return out.push_str(".0");
    }
    if size >= FEW_DECIMALS {
        let start = out.len();
        write_shortest(value, out);
        match out[start..].split_once('.') {
            None => return out.push_str(".0"),
            Some((_, decimals)) if decimals.len() <= 10 => return,
            Some(_) => out.truncate(start),
        }
    }
    let mut whole = size as i64;
    let mut decimals = ((size - size.trunc()) * 1e10 + 0.5) as i64;
    if decimals == 10_000_000_000 {
        whole += 1;
        decimals = 0;
    }
    let sign = if value.is_sign_negative() { "-" } else { "" };
    write_to(out, format_args!("{sign}{whole}.{decimals:010}"));
    let kept = out.trim_end_matches('0').len();
    out.truncate(kept);
    if out.ends_with('.') {
        out.push('0');
    }
}

fn write_string(text: &str, limit: Option<usize>, out: &mut String) -> bool {
    let cut = limit.and_then(|limit| cut_place(text, limit));
    out.push('"');
    let mut rest = &text[..cut.unwrap_or(text.len())];
    while let Some(place) = rest.find(is_escaped) {
        out.push_str(&rest[..place]);
        let character = rest[place..].chars().next().expect("found here");
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            control => write_control(control, out),
        }
        rest = &rest[place + character.len_utf8()..];
    }
    out.push_str(rest);
    out.push_str(if cut.is_some() { "...\"" } else { "\"" });
    cut.is_some()
}

fn is_escaped(character: char) -> bool {
    matches!(character, '"' | '\\' | '\u{FEFF}' | '\u{2028}' | '\u{2029}') || character.is_control()
}

fn write_control(character: char, out: &mut String) {
    match character {
        '\n' => out.push_str("\\n"),
        '\t' => out.push_str("\\t"),
        '\r' => out.push_str("\\r"),
        '\u{C}' => out.push_str("\\f"),
        other => write_to(out, format_args!("\\u{:04X}", u32::from(other))),
    }
}

/// A backslash belongs to the pattern, so only what would end the literal or the line is written
/// differently, in a form that means the same to a regex.
fn write_regex(source: &str, out: &mut String) {
    out.push_str("#\"");
    let mut characters = source.chars();
    while let Some(character) = characters.next() {
        let (escaped, character) = match character {
            '\\' => (true, characters.next().unwrap_or('\\')),
            plain => (false, plain),
        };
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            control if is_escaped(control) => write_control(control, out),
            plain => {
                if escaped {
                    out.push('\\');
                }
                out.push(plain);
            }
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Closure;
    use crate::value::parse_integer;
    use std::rc::Rc;

    fn ints(numbers: &[i64]) -> Value {
        Value::vector(numbers.iter().map(|number| Value::Int(*number)))
    }

    fn keyed(entries: &[(&str, Value)]) -> Value {
        Value::map(entries.iter().map(|(name, value)| (Value::keyword(name), value.clone())))
    }

    fn cut(limit: impl Into<Option<usize>>, printable_limit: impl Into<Option<usize>>) -> PrintOptions {
        PrintOptions { limit: limit.into(), printable_limit: printable_limit.into(), ..Default::default() }
    }

    #[track_caller]
    fn check(value: &Value, options: PrintOptions, text: &str, truncated: bool) {
        assert_eq!(to_clojure(value, &options), Clojure { text: text.into(), truncated });
    }

    #[track_caller]
    fn whole(value: impl Into<Value>, text: &str) {
        check(&value.into(), PrintOptions::default(), text, false);
    }

    #[test]
    fn scalars() {
        whole(Value::Nil, "nil");
        whole(true, "true");
        whole(-7, "-7");
        whole(
            Value::integer(parse_integer("123456789012345678901234567890", 10).unwrap()),
            "123456789012345678901234567890",
        );
        whole(Value::keyword("in-stock?"), ":in-stock?");
        whole(Value::Var("total".into()), "#'total");
        whole(Value::Builtin("inc".into()), "#builtin[inc]");
        whole(Value::Date(1_709_164_800_000), "#inst \"2024-02-29T00:00:00.000Z\"");
        let closure = Closure { params: "a b & rest".into(), ..Default::default() };
        whole(Value::Closure(Rc::new(closure)), "#fn[a b & rest]");
    }

    #[test]
    fn floats_have_at_most_ten_decimals_and_no_exponent() {
        let cases = [
            (3.3000000000000003, "3.3"),
            (1.5e15, "1500000000000000.0"),
            (5e-11, "0.0000000001"),
            (0.12345678905, "0.1234567891"),
            (0.99999999995, "1.0"),
            (-0.0, "-0.0"),
            (-1e-20, "-0.0"),
            (1e17, "100000000000000000.0"),
            (4503599627370495.5, "4503599627370495.5"),
            (123456789.12345679, "123456789.12345679"),
            (1000000000000000.2, "1000000000000000.2"),
            (1234567.25, "1234567.25"),
            (131_072.100_000_000_03, "131072.1"),
            (-4503599627370496.0, "-4503599627370496.0"),
            (f64::INFINITY, "##Inf"),
            (f64::NEG_INFINITY, "##-Inf"),
            (f64::NAN, "##NaN"),
        ];
        for (value, text) in cases {
            whole(value, text);
        }
        let largest = to_clojure(&f64::MAX.into(), &PrintOptions::default()).text;
        assert_eq!((largest.len(), &largest[..17]), (311, "17976931348623157"));
    }

    #[test]
    fn strings_escape_what_would_end_them_or_be_invisible() {
        whole("a\"b\\c\n\t\r\u{8}\u{C}", r#""a\"b\\c\n\t\r\b\f""#);
        whole(
            "\0\u{7}\u{1b}\u{7f}\u{85}\u{feff}\u{2028}\u{2029}",
            r#""\u0000\u0007\u001B\u007F\u0085\uFEFF\u2028\u2029""#,
        );
        whole("größe 👩‍👧 #{x}", "\"größe 👩‍👧 #{x}\"");
    }

    #[test]
    fn strings_are_cut_at_a_grapheme() {
        let text = Value::str("naïve 👩‍👧👩‍👧");
        check(&text, cut(None, 7), "\"naïve 👩‍👧...\"", true);
        check(&text, cut(None, 8), "\"naïve 👩‍👧👩‍👧\"", false);
        check(&text, cut(None, 0), "\"...\"", true);
        check(&Value::str(""), cut(None, 0), "\"\"", false);
        check(&Value::keyword("a-rather-long-name"), cut(None, 3), ":a-rather-long-name", false);
    }

    #[test]
    fn regexes_read_back() {
        whole(Value::Regex(r"\d+".into()), r##"#"\d+""##);
        whole(Value::Regex(r#"a"b\"c"#.into()), r##"#"a\"b\"c""##);
        whole(Value::Regex("a\nb\\\nc".into()), r##"#"a\nb\nc""##);
        whole(Value::Regex(r"\\".into()), r##"#"\\""##);
        whole(Value::Regex("\\".into()), r##"#"\\""##);
    }

    #[test]
    fn map_entries_and_set_items_are_sorted() {
        let keys = [
            Value::str("b"),
            ints(&[2]),
            Value::keyword("é"),
            Value::keyword("Z"),
            Value::Float(1.5),
            Value::Int(2),
            Value::str("a"),
            Value::Bool(true),
            Value::Nil,
            Value::Float(f64::NAN),
            Value::Int(-3),
            Value::Float(2.0),
            ints(&[10]),
        ];
        let order = "nil true -3 1.5 2 2.0 ##NaN :Z :é \"a\" \"b\" [10] [2]";
        whole(Value::set(keys.clone()), &format!("#{{{order}}}"));
        whole(Value::set(keys.into_iter().rev()), &format!("#{{{order}}}"));
        whole(keyed(&[("b", 1.into()), ("a", 2.into())]), "{:a 2 :b 1}");
    }

    #[test]
    fn numbers_of_all_kinds_sort_by_size() {
        let huge = |text: &str| Value::integer(parse_integer(text, 10).unwrap());
        let numbers = [
            Value::Float(1e300),
            huge("-9223372036854775809"),
            Value::Int(i64::MAX),
            Value::Float(9.3e18),
            huge("9223372036854775808"),
            Value::Float(-0.5),
            Value::Int(0),
            Value::Float(f64::NEG_INFINITY),
            Value::Float(f64::INFINITY),
            Value::Int(-1),
        ];
        whole(
            Value::set(numbers),
            &format!(
                "#{{##-Inf -9223372036854775809 -1 -0.5 0 9223372036854775807 9223372036854775808 \
                 9300000000000000000.0 {:.0}.0 ##Inf}}",
                1e300
            ),
        );
    }

    #[test]
    fn cut_collections_say_how_many_they_are() {
        check(&ints(&[1, 2, 3, 4, 5]), cut(2, None), "[1 2 ...] (5 items, showing first 2)", true);
        check(&ints(&[1, 2]), cut(0, None), "[...] (2 items, showing first 0)", true);
        check(&ints(&[1, 2]), cut(2, None), "[1 2]", false);
        check(&ints(&[]), cut(0, None), "[]", false);
        let map = keyed(&[("b", 2.into()), ("c", 3.into()), ("a", 1.into())]);
        check(&map, cut(1, None), "{:a 1 ...} (3 items, showing first 1)", true);
        check(&map, cut(0, None), "{...} (3 items, showing first 0)", true);
        let set = Value::set([3.into(), 1.into(), 2.into()]);
        check(&set, cut(2, None), "#{1 2 ...} (3 items, showing first 2)", true);
        check(&set, cut(0, None), "#{...} (3 items, showing first 0)", true);
    }

    #[test]
    fn nested_collections_are_cut_too() {
        let rows = Value::vector([ints(&[1, 2, 3]), ints(&[4])]);
        check(&rows, cut(2, None), "[[1 2 ...] (3 items, showing first 2) [4]]", true);
        let set = Value::set([ints(&[2, 1]), ints(&[1, 9]), ints(&[5])]);
        check(&set, cut(1, None), "#{[1 ...] (2 items, showing first 1) ...} (3 items, showing first 1)", true);
    }

    #[test]
    fn the_smallest_items_of_a_big_set_are_shown() {
        let set = Value::set((0..10_000).rev().map(Value::Int));
        check(&set, cut(3, None), "#{0 1 2 ...} (10000 items, showing first 3)", true);
        let nested = Value::set((0..1000).rev().map(|number| ints(&[number])).chain([Value::Nil]));
        check(&nested, cut(3, None), "#{nil [0] [100] ...} (1001 items, showing first 3)", true);
    }

    #[test]
    fn a_map_shares_the_printable_limit_among_the_shown_values() {
        let long = || Value::str("0123456789".repeat(9));
        let map = keyed(&[("a", long()), ("b", long()), ("c", long())]);
        let shown = |count: usize| format!("\"{}...\"", &"0123456789".repeat(9)[..count]);
        check(&map, cut(2, 80), &format!("{{:a {0} :b {0} ...}} (3 items, showing first 2)", shown(40)), true);
        check(&map, cut(None, 15), &format!("{{:a {0} :b {0} :c {0}}}", shown(10)), true);
        let nested = keyed(&[("m", keyed(&[("a", long()), ("b", long())])), ("v", Value::vector([long()]))]);
        check(&nested, cut(None, 80), &format!("{{:m {{:a {0} :b {0}}} :v [{1}]}}", shown(20), shown(40)), true);
    }

    #[test]
    fn string_keys_are_bounded_by_the_whole_limit() {
        let map =
            Value::map([(Value::str("abcdefghijklmnop"), Value::str("abcdefghijklmnop")), ("b".into(), Value::Nil)]);
        check(&map, cut(None, 12), r#"{"abcdefghijkl..." "abcdefghij..." "b" nil}"#, true);
    }

    #[test]
    fn hidden_keys_are_not_there() {
        let map = keyed(&[("_id", 1.into()), ("name", keyed(&[("_x", 1.into())])), ("b", Value::str("_y"))]);
        check(&map, cut(2, None), "{:b \"_y\" :name {}}", false);
        let strings = Value::map([(Value::str("_id"), Value::Nil), (Value::str("id"), Value::Nil)]);
        check(&strings, PrintOptions::default(), "{\"id\" nil}", false);
        let all = PrintOptions { filter_hidden: false, ..cut(1, None) };
        check(&map, all, "{:_id 1 ...} (3 items, showing first 1)", true);
    }

    #[test]
    fn nesting_has_no_limit() {
        let deep = (0..200_000).fold(Value::Nil, |inner, level| match level % 4 {
            0 => Value::vector([inner]),
            1 => keyed(&[("k", inner)]),
            2 => Value::set([inner]),
            _ => Value::map([(inner, Value::Nil)]),
        });
        assert!(!to_clojure(&deep, &PrintOptions::default()).truncated);
        assert!(to_clojure(&deep, &cut(1, 10)).text.starts_with("{#{{:k ["));
    }
}
