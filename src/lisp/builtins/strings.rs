//! Texts. Everything counts and cuts by characters as readers see them.

use super::arguments::{arg, take};
use super::{ANY, Row, plain, steps};
use crate::lisp::fault::{Outcome, describe, error_with_hint, type_error};
use crate::lisp::native::{Begin, Context, Next, Steps};
use crate::lisp::number::to_integer;
use crate::lisp::pattern::{Found, Pattern};
use crate::lisp::sequence::{characters, to_vector};
use crate::lisp::text::{append, finish, not_a_text, push, readable, to_text};
use crate::unicode::{cut_place, lowercase, uppercase, width};
use crate::value::{Str, Value, Vector, is_keyword_name};

pub(super) const ROWS: &[Row] = &[
    plain("str", "x …", (0, ANY), "The text of all arguments, one behind the other; nil is empty.", str),
    plain("pr-str", "x …", (0, ANY), "The arguments as Clojure text, strings in quotes.", |context, args| {
        let mut out = String::new();
        for (index, arg) in args.iter().enumerate() {
            push(context.meter, if index > 0 { " " } else { "" }, &mut out)?;
            readable(context.meter, arg, &mut out)?;
        }
        finish(context.meter, out)
    }),
    plain("subs", "s start, s start end", (2, 3), "The part of s from start up to end, which is left out.", subs),
    plain("join", "coll, sep coll", (1, 2), "The texts of the elements, with a separator between them.", join),
    plain(
        "split",
        "s separator, s separator limit",
        (2, 3),
        "The parts of s around a string or regex; at most limit of them.",
        split,
    ),
    plain("split-lines", "s", (1, 1), "The lines of s.", |context, args| {
        let text = argument(context, arg(args, 0))?;
        let mut lines = text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).collect();
        drop_trailing_empty(&mut lines);
        pieces(context, &lines)
    }),
    plain("trim", "s", (1, 1), "s without white space at both ends.", |context, args| {
        let text = argument(context, arg(args, 0))?;
        finish(context.meter, text.trim().into())
    }),
    plain("triml", "s", (1, 1), "s without white space at its start.", |context, args| {
        let text = argument(context, arg(args, 0))?;
        finish(context.meter, text.trim_start().into())
    }),
    plain("trimr", "s", (1, 1), "s without white space at its end.", |context, args| {
        let text = argument(context, arg(args, 0))?;
        finish(context.meter, text.trim_end().into())
    }),
    plain("trim-newline", "s", (1, 1), "s without line breaks at its end.", |context, args| {
        let text = argument(context, arg(args, 0))?;
        finish(context.meter, text.trim_end_matches(['\n', '\r']).into())
    }),
    plain("blank?", "s", (1, 1), "True for nil and for texts of nothing but white space.", |context, args| {
        Ok(Value::Bool(match arg(args, 0) {
            Value::Nil => true,
            text => argument(context, text)?.trim().is_empty(),
        }))
    }),
    plain("upper-case", "s", (1, 1), "s in capital letters.", upper),
    plain("upcase", "s", (1, 1), "s in capital letters.", upper),
    plain("lower-case", "s", (1, 1), "s in small letters.", lower),
    plain("downcase", "s", (1, 1), "s in small letters.", lower),
    plain("capitalize", "s", (1, 1), "s with its first letter as a capital, the others small.", |context, args| {
        let text = argument(context, arg(args, 0))?;
        let (first, rest) = text.split_at(text.chars().next().map_or(0, char::len_utf8));
        finish(context.meter, uppercase(first) + &lowercase(rest))
    }),
    plain("str/reverse", "s", (1, 1), "s with its characters in reverse order.", |context, args| {
        let text = argument(context, arg(args, 0))?;
        let mut reversed: Vec<&str> = characters(text).collect();
        reversed.reverse();
        finish(context.meter, reversed.concat())
    }),
    plain("starts-with?", "s part", (2, 2), "True when s begins with the part.", |context, args| {
        tested(context, args, |text, part| text.starts_with(part))
    }),
    plain("ends-with?", "s part", (2, 2), "True when s ends with the part.", |context, args| {
        tested(context, args, |text, part| text.ends_with(part))
    }),
    plain("includes?", "s part", (2, 2), "True when s contains the part.", |context, args| {
        tested(context, args, |text, part| text.contains(part))
    }),
    plain("index-of", "s part, s part from", (2, 3), "The index of the first such part, else nil.", |context, args| {
        Ok(index_of(context, args, false)?.map(Value::Int).unwrap_or_default())
    }),
    plain(
        "last-index-of",
        "s part, s part from",
        (2, 3),
        "The index of the last such part, else nil.",
        |context, args| Ok(index_of(context, args, true)?.map(Value::Int).unwrap_or_default()),
    ),
    steps(
        "replace",
        "s match replacement, smap coll",
        (2, 3),
        "s with every match of a string or regex replaced; or coll with its elements looked up in smap.",
        |context, args| replace(context, args, usize::MAX),
    ),
    steps(
        "replace-first",
        "s match replacement",
        (3, 3),
        "s with the first match of a string or regex replaced.",
        |context, args| replace(context, args, 1),
    ),
    plain(
        "name",
        "x",
        (1, 1),
        "The name of a keyword, without its colon; a string as it is.",
        |context, args| match arg(args, 0) {
            Value::Keyword(name) | Value::Str(name) => Ok(Value::Str(name.clone())),
            other => {
                let hint = if let Value::Nil = other {
                    "a key may be missing: `(some-> x name)`"
                } else {
                    "the text of any value is `(str x)`"
                };
                type_error(context.name, "a keyword or a string", other, hint)
            }
        },
    ),
    plain("keyword", "x", (1, 1), "The keyword of this name.", |context, args| match arg(args, 0) {
        Value::Nil | Value::Keyword(_) => Ok(take(args, 0)),
        Value::Str(name) if is_keyword_name(name.strip_prefix(':').unwrap_or(name)) => {
            Ok(Value::keyword(name.strip_prefix(':').unwrap_or(name)))
        }
        Value::Str(_) => type_error(
            context.name,
            "a name without spaces, brackets and slashes",
            arg(args, 0),
            "a string is as good a key: `(get m \"first name\")`",
        ),
        other => type_error(context.name, "a string", other, "make a text of it first: `(keyword (str x))`"),
    }),
    plain("namespace", "k", (1, 1), "nil: keywords have no namespace.", |context, args| match arg(args, 0) {
        Value::Keyword(_) => Ok(Value::Nil),
        other => type_error(context.name, "a keyword", other, ""),
    }),
    plain("char", "n", (1, 1), "The character of a code.", |context, args| {
        if let Value::Str(text) = arg(args, 0)
            && !text.is_empty()
            && cut_place(text, 1).is_none()
        {
            return Ok(take(args, 0));
        }
        let code = to_integer(context.name, arg(args, 0))?;
        match u32::try_from(code).ok().and_then(char::from_u32) {
            Some(character) => Ok(Value::str(character.encode_utf8(&mut [0; 4]))),
            None => type_error(context.name, "the code of a character", arg(args, 0), ""),
        }
    }),
];

fn str(context: &mut Context<'_>, args: &mut [Value]) -> Outcome {
    if let [Value::Str(_)] = args {
        return Ok(take(args, 0));
    }
    let mut out = String::new();
    args.iter().try_for_each(|arg| append(context.meter, arg, &mut out))?;
    finish(context.meter, out)
}

/// The text that an argument must be; going over it is paid for.
pub(super) fn argument<'v>(context: &mut Context<'_>, value: &'v Value) -> Outcome<&'v str> {
    let text = to_text(context.name, value, "")?;
    context.meter.visit(text.len() / 16)?;
    Ok(text)
}

fn upper(context: &mut Context<'_>, args: &mut [Value]) -> Outcome {
    let text = uppercase(argument(context, arg(args, 0))?);
    finish(context.meter, text)
}

fn lower(context: &mut Context<'_>, args: &mut [Value]) -> Outcome {
    let text = lowercase(argument(context, arg(args, 0))?);
    finish(context.meter, text)
}

/// True when each character is one byte.
fn is_plain(text: &str) -> bool {
    text.is_ascii() && !text.contains('\r')
}

/// The index of the character that begins at a byte.
fn index_at(text: &str, byte: usize) -> i64 {
    if is_plain(text) { byte as i64 } else { width(&text[..byte]) as i64 }
}

/// The byte at which the character of an index begins; the end behind the last one.
fn byte_at(text: &str, index: usize) -> usize {
    match is_plain(text) {
        true => index.min(text.len()),
        false => cut_place(text, index).unwrap_or(text.len()),
    }
}

fn subs(context: &mut Context<'_>, args: &mut [Value]) -> Outcome {
    let is_swapped = matches!(args, [Value::Int(_), .., Value::Str(_)]);
    let hint = if is_swapped { "the string stands first: `(subs s start end)`" } else { "" };
    let text = to_text(context.name, arg(args, 0), hint)?;
    context.meter.visit(text.len() / 16)?;
    let mut places = [0, text.len()];
    for (place, arg) in places.iter_mut().zip(&args[1..]) {
        let index = to_integer(context.name, arg)?;
        let Ok(index) = usize::try_from(index) else {
            let message = format!("`{}` counts from 0, got {}", context.name, describe(arg));
            let hint = format!("the last characters are `(subs s (- (count s) {}))`", index.unsigned_abs());
            return error_with_hint("type_error", message, hint);
        };
        *place = byte_at(text, index);
    }
    let [start, end] = places;
    finish(context.meter, text[start..end.max(start)].into())
}

fn join(context: &mut Context<'_>, args: &mut [Value]) -> Outcome {
    let (separator, collection) = match args {
        [collection] => (&Value::Nil, &*collection),
        [separator, collection, ..] => (&*separator, &*collection),
        [] => return Ok(Value::Nil),
    };
    if separator.is_collection() {
        let hint = "the separator stands first: `(join \", \" coll)`";
        return type_error(context.name, "a separator", separator, hint);
    }
    let items = to_vector(context.name, collection)?;
    context.meter.elements(items.len())?;
    let (mut out, mut between) = (String::new(), String::new());
    append(context.meter, separator, &mut between)?;
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            push(context.meter, &between, &mut out)?;
        }
        append(context.meter, item, &mut out)?;
    }
    finish(context.meter, out)
}

fn drop_trailing_empty(parts: &mut Vec<&str>) {
    while parts.len() > 1 && parts.last() == Some(&"") {
        parts.pop();
    }
}

/// A vector of texts.
fn pieces(context: &mut Context<'_>, parts: &[&str]) -> Outcome {
    context.meter.elements(parts.len())?;
    context.meter.text(parts.iter().map(|part| part.len() + 16).sum())?;
    Ok(Value::vector(parts.iter().map(Value::str)))
}

pub(super) fn split(context: &mut Context<'_>, args: &mut [Value]) -> Outcome {
    if let Value::Regex(_) = arg(args, 0) {
        return not_a_text(context.name, arg(args, 0), "the string stands first: `(split s #\",\")`");
    }
    let text = argument(context, arg(args, 0))?;
    let limit = match args.get(2) {
        None => 0,
        Some(limit) => to_integer(context.name, limit)?,
    };
    let most = usize::try_from(limit).ok().filter(|most| *most > 0).unwrap_or(usize::MAX);
    let parts = match arg(args, 1) {
        Value::Regex(source) => {
            let pattern = context.meter.patterns.get(source, false)?;
            let mut parts = split_at_matches(context, text, &pattern, most)?;
            if limit == 0 {
                drop_trailing_empty(&mut parts);
            }
            parts
        }
        Value::Str(separator) if separator.is_empty() => {
            let mut parts = characters(text).take(most).collect::<Vec<_>>();
            if let Some(last) = parts.last_mut().filter(|_| most < usize::MAX) {
                let start = last.as_ptr() as usize - text.as_ptr() as usize;
                *last = &text[start..];
            }
            parts
        }
        Value::Str(separator) => text.splitn(most, &**separator).collect(),
        other => {
            return type_error(context.name, "a string or a regex as separator", other, "write `(split s #\",\")`");
        }
    };
    pieces(context, &parts)
}

/// The parts of a text around at most so many less one matches.
fn split_at_matches<'t>(
    context: &mut Context<'_>,
    text: &'t str,
    pattern: &Pattern,
    most: usize,
) -> Outcome<Vec<&'t str>> {
    let (mut parts, mut place) = (Vec::new(), 0);
    for found in pattern.find_all(context.meter, text, usize::MAX)? {
        let (start, end) = found.whole();
        // A match of nothing at the start cuts nothing off.
        if end == 0 {
            continue;
        }
        if parts.len() + 1 >= most {
            break;
        }
        parts.push(&text[place..start]);
        place = end;
    }
    parts.push(&text[place..]);
    Ok(parts)
}

/// The parts around all matches of an expression.
pub(super) fn split_by_pattern(context: &mut Context<'_>, text: &str, source: &Str) -> Outcome {
    let pattern = context.meter.patterns.get(source, false)?;
    let parts = split_at_matches(context, text, &pattern, usize::MAX)?;
    pieces(context, &parts)
}

/// A question about a text and a part of it.
pub(super) fn tested(context: &mut Context<'_>, args: &[Value], holds: fn(&str, &str) -> bool) -> Outcome {
    let hint = match arg(args, 0) {
        Value::Vector(_) | Value::Set(_) => {
            "elements of a collection are found with `(some #{x} coll)` or `(contains? set x)`"
        }
        Value::Map(_) => "keys of a map are found with `(contains? m :key)`",
        _ => "",
    };
    let text = to_text(context.name, arg(args, 0), hint)?;
    let hint = match arg(args, 1) {
        Value::Regex(_) => "a regex is tested with `(re-find re s)`",
        _ => "",
    };
    let part = to_text(context.name, arg(args, 1), hint)?;
    context.meter.visit(text.len() / 16)?;
    Ok(Value::Bool(holds(text, part)))
}

pub(super) fn index_of(context: &mut Context<'_>, args: &[Value], last: bool) -> Outcome<Option<i64>> {
    let hint = match arg(args, 0) {
        Value::Vector(_) => "the index of an element is `(.indexOf coll x)`",
        _ => "",
    };
    let text = to_text(context.name, arg(args, 0), hint)?;
    let part = to_text(context.name, arg(args, 1), "")?;
    context.meter.visit(text.len() / 16)?;
    let from = match args.get(2) {
        Some(from) => Some(usize::try_from(to_integer(context.name, from)?.max(0)).unwrap_or(usize::MAX)),
        None => None,
    };
    let place = match (last, from) {
        (false, from) => {
            let start = from.map_or(0, |from| byte_at(text, from));
            text[start..].find(part).map(|place| start + place)
        }
        (true, None) => text.rfind(part),
        (true, Some(from)) => {
            let mut end = (byte_at(text, from) + part.len()).min(text.len());
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            text[..end].rfind(part)
        }
    };
    Ok(place.map(|place| index_at(text, place)))
}

pub(super) fn replace(context: &mut Context<'_>, args: &mut [Value], most: usize) -> Outcome<Begin> {
    let [text, wanted, replacement] = args else { return replace_elements(context, args).map(Begin::Done) };
    let hint = match (&*text, &*wanted) {
        (Value::Regex(_), _) => format!("the string stands first: `({} s #\"a\" \"b\")`", context.name),
        (Value::Vector(_) | Value::Map(_), _) => "elements are replaced by `(replace {old new} coll)` or `map`".into(),
        _ => String::new(),
    };
    let input = to_text(context.name, text, &hint)?;
    context.meter.visit(input.len() / 16)?;
    match (&*wanted, &*replacement) {
        (Value::Str(wanted), Value::Str(with)) => {
            let count = input.matches(&**wanted).take(most).count();
            let longer = with.len().saturating_sub(wanted.len());
            context.meter.text(input.len().saturating_add(count.saturating_mul(longer)))?;
            finish(context.meter, input.replacen(&**wanted, with, most)).map(Begin::Done)
        }
        (Value::Regex(source), Value::Str(with)) => {
            let pattern = context.meter.patterns.get(source, false)?;
            let matches = pattern.find_all(context.meter, input, most)?;
            let (mut out, mut place) = (String::new(), 0);
            for found in matches {
                let (start, end) = found.whole();
                push(context.meter, &input[place..start], &mut out)?;
                expand(context, with, &pattern, &found, input, &mut out)?;
                place = end;
            }
            push(context.meter, &input[place..], &mut out)?;
            finish(context.meter, out).map(Begin::Done)
        }
        (Value::Regex(source), Value::Closure(_) | Value::Builtin(_) | Value::Map(_) | Value::Keyword(_)) => {
            let pattern = context.meter.patterns.get(source, false)?;
            let matches = pattern.find_all(context.meter, input, most)?;
            let mut found = Vec::new();
            for one in matches {
                found.push((one.whole(), super::regex::result(context, &pattern, &one, input)?));
            }
            found.reverse();
            let text = input.into();
            let steps = Replacing { text, matches: found, place: 0, out: String::new() };
            Ok(Begin::Steps(std::mem::take(replacement), Box::new(steps)))
        }
        (Value::Str(_), Value::Closure(_) | Value::Builtin(_)) => type_error(
            context.name,
            "a string as replacement of a string",
            replacement,
            "a function is given the matches of a regex: `(replace s #\"a\" f)`",
        ),
        (Value::Str(_) | Value::Regex(_), other) => {
            let hint = if let Value::Nil = other {
                "an empty string removes: `(replace s \"a\" \"\")`"
            } else {
                "make a text of it with `(str x)`"
            };
            type_error(context.name, "a string as replacement", other, hint)
        }
        (other, _) => {
            type_error(context.name, "a string or a regex to be replaced", other, "write `(replace s \"a\" \"b\")`")
        }
    }
}

/// `(replace {old new} coll)`
fn replace_elements(context: &mut Context<'_>, args: &[Value]) -> Outcome {
    let find = |item: &Value| match (arg(args, 0), item) {
        (Value::Map(map), item) => map.get(item).cloned(),
        (Value::Vector(items), Value::Int(index)) => {
            usize::try_from(*index).ok().and_then(|index| items.get(index)).cloned()
        }
        _ => None,
    };
    if !matches!(arg(args, 0), Value::Map(_) | Value::Vector(_)) {
        let hint = "in a string write `(replace s match replacement)`";
        return type_error(context.name, "a map of replacements", arg(args, 0), hint);
    }
    let items = to_vector(context.name, arg(args, 1))?;
    context.meter.elements(items.len())?;
    let replaced: Vector = items.iter().map(|item| find(item).unwrap_or_else(|| item.clone())).collect();
    Ok(Value::Vector(replaced))
}

/// Appends a replacement, `$1` and `${name}` as groups; a backslash makes the next sign plain.
fn expand(
    context: &mut Context<'_>,
    template: &str,
    pattern: &Pattern,
    found: &Found,
    text: &str,
    out: &mut String,
) -> Outcome<()> {
    let mut rest = template;
    while let Some(place) = rest.find(['$', '\\']) {
        push(context.meter, &rest[..place], out)?;
        let is_group = rest.as_bytes()[place] == b'$';
        rest = &rest[place + 1..];
        if !is_group {
            let end = rest.chars().next().map_or(0, char::len_utf8);
            push(context.meter, &rest[..end], out)?;
            rest = &rest[end..];
            continue;
        }
        let (group, end) = match rest.strip_prefix('{').and_then(|named| named.split_once('}')) {
            Some((name, _)) => (pattern.group_named(name), name.len() + 2),
            None => group_number(rest, pattern.groups()),
        };
        let Some(group) = group else {
            let message = format!("`${}` in the replacement means no group of the regex", &rest[..end]);
            return error_with_hint("type_error", message, "a dollar sign itself is written `\\\\$` in a replacement");
        };
        let (start, stop) = found.group(group).unwrap_or_default();
        push(context.meter, &text[start..stop], out)?;
        rest = &rest[end..];
    }
    push(context.meter, rest, out)
}

/// The group that digits mean, as many of them as mean one, and how many these are.
fn group_number(text: &str, groups: usize) -> (Option<usize>, usize) {
    let (mut number, mut end) = (None, 0);
    for digit in text.bytes().take_while(u8::is_ascii_digit) {
        let next = number.unwrap_or(0) * 10 + usize::from(digit - b'0');
        if next > groups {
            break;
        }
        (number, end) = (Some(next), end + 1);
    }
    let shown = text.chars().next().filter(|_| end == 0).map_or(end, char::len_utf8);
    (number, shown)
}

/// A replacement by what a function gives for each match.
struct Replacing {
    text: Str,
    /// Matches that are still to come, the next one last.
    matches: Vec<((usize, usize), Value)>,
    /// Where the text goes on that is not in `out` yet.
    place: usize,
    out: String,
}

impl Steps for Replacing {
    fn step(&mut self, context: &mut Context<'_>, answer: Option<Value>) -> Outcome<Next> {
        if let Some(answer) = answer {
            match &answer {
                Value::Str(text) => push(context.meter, text, &mut self.out)?,
                other => {
                    let hint = "make a text of its result with `str`; with groups it is given a vector: `(second m)`";
                    return type_error(context.name, "a function that gives strings", other, hint);
                }
            }
        }
        Ok(match self.matches.pop() {
            Some(((start, end), value)) => {
                push(context.meter, &self.text[self.place..start], &mut self.out)?;
                self.place = end;
                Next::Call(value)
            }
            None => {
                push(context.meter, &self.text[self.place..], &mut self.out)?;
                Next::Done(finish(context.meter, std::mem::take(&mut self.out))?)
            }
        })
    }

    fn visit(&self, see: &mut dyn FnMut(&Value)) {
        see(&Value::Str(self.text.clone()));
        self.matches.iter().for_each(|(_, value)| see(value));
    }
}
