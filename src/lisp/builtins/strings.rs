//! Strings. Indexes and lengths count characters as readers see them: grapheme clusters.

use super::arguments::{arg, take};
use super::closures::made;
use super::filling::with_digits;
use super::searching::search;
use super::{ANY, plain, steps};
use crate::lisp::fault::{EvalResult, describe, error_with_hint, type_error};
use crate::lisp::native::{Begin, Builtin, Context};
use crate::lisp::number::to_integer;
use crate::lisp::pattern::Found;
use crate::lisp::sequence::{characters, collected, to_vector};
use crate::lisp::text::{Style, append, finish, joined, not_a_text, to_text};
use crate::unicode::{cut_position, width};
use crate::value::{Value, is_qualified_name, taken};

/// Returns the namespace and the name of a keyword.
fn parts(keyword: &str) -> (Option<&str>, &str) {
    keyword.split_once('/').map_or((None, keyword), |(space, name)| (Some(space), name))
}

pub(super) const ROWS: &[Builtin] = &[
    steps(
        "str",
        "x …",
        (0, ANY),
        "The text of all arguments, one behind the other; nil is empty.",
        |context, args| with_digits(context, args, str),
    ),
    steps("pr-str", "x …", (0, ANY), "The arguments as Clojure text, strings in quotes.", |context, args| {
        with_digits(context, args, |context, args| written(context, args, Style::Readable, " "))
    }),
    steps("prn-str", "x …", (0, ANY), "The arguments as Clojure text, and a line break.", |context, args| {
        with_digits(context, args, |context, args| {
            let text = written(context, args, Style::Readable, " ")?;
            finish(context.meter, format!("{}\n", text.as_str().unwrap_or_default()))
        })
    }),
    steps("str/escape", "s cmap", (2, 2), "s with the characters that are keys of a map replaced.", |_, args| {
        let body = "([s cmap] (clojure.core/join (clojure.core/map (fn [c] (clojure.core/get cmap c c)) s)))";
        Ok(Begin::Call(made("s cmap", body, Vec::new()), taken(args)))
    }),
    plain("subs", "s start, s start end", (2, 3), "The part of s from start up to end, which is left out.", subs),
    steps(
        "join",
        "coll, sep coll",
        (1, 2),
        "The texts of the elements, with a separator between them.",
        |context, args| with_digits(context, args, join),
    ),
    steps(
        "split",
        "s separator, s separator limit",
        (2, 3),
        "The parts of s around a string or regex; at most limit of them.",
        split,
    ),
    plain("split-lines", "s", (1, 1), "The lines of s.", |context, args| {
        argument(context, arg(args, 0))?;
        lines(context, take(args, 0))
    }),
    plain("trim", "s", (1, 1), "s without white space at both ends.", |context, args| {
        changed(context, args, |text| text.trim().into())
    }),
    plain("triml", "s", (1, 1), "s without white space at its start.", |context, args| {
        changed(context, args, |text| text.trim_start().into())
    }),
    plain("trimr", "s", (1, 1), "s without white space at its end.", |context, args| {
        changed(context, args, |text| text.trim_end().into())
    }),
    plain("trim-newline", "s", (1, 1), "s without line breaks at its end.", |context, args| {
        changed(context, args, |text| text.trim_end_matches(['\n', '\r']).into())
    }),
    plain("blank?", "s", (1, 1), "True for nil and for texts of nothing but white space.", |context, args| {
        Ok(Value::Bool(match arg(args, 0) {
            Value::Nil => true,
            text => argument(context, text)?.trim().is_empty(),
        }))
    }),
    plain("str/reverse", "s", (1, 1), "s with its characters in reverse order.", |context, args| {
        changed(context, args, |text| {
            // Filled from the end, because a list of the characters would take several times the memory of the text.
            let (mut reversed, mut start) = (vec![0; text.len()], text.len());
            for character in characters(text) {
                let end = start;
                start -= character.len();
                reversed[start..end].copy_from_slice(character.as_bytes());
            }
            String::from_utf8(reversed).unwrap_or_default()
        })
    }),
    plain("starts-with?", "s part", (2, 2), "True when s begins with the part.", |context, args| {
        tested(context, args, |text, part| text.starts_with(part))
    }),
    plain("ends-with?", "s part", (2, 2), "True when s ends with the part.", |context, args| {
        tested(context, args, |text, part| text.ends_with(part))
    }),
    plain("includes?", "s part", (2, 2), "True when s contains the part.", includes),
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
    plain(
        "name",
        "x",
        (1, 1),
        "The name of a keyword, without its colon and its namespace; a string as it is.",
        |context, args| match arg(args, 0) {
            Value::Keyword(name) if name.contains('/') => Ok(Value::str(parts(name).1)),
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
    plain("keyword", "name, namespace name", (1, 2), "The keyword of this name.", |context, args| {
        let name = match (&*args, arg(args, 0)) {
            ([Value::Str(space), Value::Str(name)], _) => format!("{space}/{name}"),
            ([Value::Nil, Value::Str(name)] | [Value::Str(name)], _) => {
                name.strip_prefix(':').unwrap_or(name).to_owned()
            }
            ([_], Value::Nil | Value::Keyword(_)) => return Ok(take(args, 0)),
            (_, other) => {
                return type_error(context.name, "a string", other, "make a text of it first: `(keyword (str x))`");
            }
        };
        context.meter.visit(name.len() / 8)?;
        if is_qualified_name(&name) {
            return Ok(Value::keyword(name));
        }
        let hint = "a string is as good a key: `(get m \"first name\")`";
        type_error(context.name, "a name without spaces and brackets", &Value::str(name), hint)
    }),
    plain("namespace", "k", (1, 1), "What is before the `/` of a keyword, else nil.", |context, args| {
        match arg(args, 0) {
            Value::Keyword(name) => Ok(parts(name).0.map(Value::str).unwrap_or_default()),
            other => type_error(context.name, "a keyword", other, ""),
        }
    }),
    plain("char", "n", (1, 1), "The character of a code.", |context, args| {
        if let Value::Str(text) = arg(args, 0)
            && !text.is_empty()
            && cut_position(text, 1).is_none()
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

fn str(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult {
    if let [Value::Str(_)] = args {
        return Ok(take(args, 0));
    }
    written(context, args, Style::Str, "")
}

/// Returns the text of the arguments, with the text `between` between them.
pub(super) fn written(context: &mut Context<'_>, args: &mut [Value], style: Style, between: &str) -> EvalResult {
    let text = joined(context.meter, args, style, between)?;
    finish(context.meter, text)
}

/// Returns a string argument; counts the cost of one pass over it.
pub(super) fn argument<'v>(context: &mut Context<'_>, value: &'v Value) -> EvalResult<&'v str> {
    let text = to_text(context.name, value, "")?;
    context.meter.visit(text.len() / 16)?;
    Ok(text)
}

/// Returns the result of `change` for the string in the first argument.
pub(super) fn changed(context: &mut Context<'_>, args: &[Value], change: fn(&str) -> String) -> EvalResult {
    let text = argument(context, arg(args, 0))?;
    context.meter.visit(if text.is_ascii() { 0 } else { text.len() / 2 })?;
    finish(context.meter, change(text))
}

/// Returns whether each character is one byte. `\r\n` is one character.
fn is_plain(text: &str) -> bool {
    text.is_ascii() && !text.contains('\r')
}

/// Returns the index of the character that begins at a byte offset.
fn index_at(text: &str, byte: usize) -> i64 {
    if is_plain(text) { byte as i64 } else { width(&text[..byte]) as i64 }
}

/// Returns the byte offset of the character at an index; the end of the text after the last one.
fn byte_at(text: &str, index: usize) -> usize {
    match is_plain(text) {
        true => index.min(text.len()),
        false => cut_position(text, index).unwrap_or(text.len()),
    }
}

fn subs(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult {
    let is_swapped = matches!(args, [Value::Int(_), .., Value::Str(_)]);
    let hint = if is_swapped { "the string stands first: `(subs s start end)`" } else { "" };
    let text = to_text(context.name, arg(args, 0), hint)?;
    context.meter.visit(text.len() / 16)?;
    let mut ends = [0, text.len()];
    for (end, arg) in ends.iter_mut().zip(&args[1..]) {
        let index = to_integer(context.name, arg)?;
        let Ok(index) = usize::try_from(index) else {
            let message = format!("`{}` counts from 0, got {}", context.name, describe(arg));
            let hint = format!("the last characters are `(subs s (- (count s) {}))`", index.unsigned_abs());
            return error_with_hint("type_error", message, hint);
        };
        *end = byte_at(text, index);
    }
    let [start, end] = ends;
    finish(context.meter, text[start..end.max(start)].into())
}

fn join(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult {
    let last = args.len().saturating_sub(1);
    let separator = if last > 0 { arg(args, 0).clone() } else { Value::Nil };
    if separator.is_collection() {
        let hint = "the separator stands first: `(join \", \" coll)`";
        return type_error(context.name, "a separator", &separator, hint);
    }
    let items = to_vector(context.meter, context.name, &take(args, last))?;
    context.meter.elements(items.len())?;
    let mut between = String::new();
    append(context.meter, &separator, Style::Str, &mut between)?;
    let text = joined(context.meter, items.as_slice(), Style::Str, &between)?;
    finish(context.meter, text)
}

/// Removes empty parts at the end of a text that was split. A text that was not has one part, which stays.
fn drop_trailing_empty(parts: &mut Vec<&str>) {
    if parts.len() > 1 {
        let filled = parts.iter().rposition(|part| !part.is_empty()).map_or(0, |last| last + 1);
        parts.truncate(filled);
    }
}

/// Returns the lines of a text, without empty lines at its end.
fn lines(context: &mut Context<'_>, text: Value) -> EvalResult {
    let Value::Str(text) = text else { return Ok(Value::Nil) };
    context.meter.room(text.split('\n').count())?;
    let mut lines: Vec<&str> = text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).collect();
    drop_trailing_empty(&mut lines);
    pieces(context, &lines)
}

/// Returns a vector of strings.
pub(super) fn pieces(context: &mut Context<'_>, parts: &[&str]) -> EvalResult {
    context.meter.elements(parts.len())?;
    context.meter.text(parts.iter().map(|part| part.len() + 16).sum())?;
    collected(context.meter, parts.iter().map(Value::str)).map(Value::Vector)
}

pub(super) fn split(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult<Begin> {
    if let Value::Regex(_) = arg(args, 0) {
        return not_a_text(context.name, arg(args, 0), "the string stands first: `(split s #\",\")`");
    }
    let text = argument(context, arg(args, 0))?;
    let limit = match args.get(2) {
        None => 0,
        Some(limit) => to_integer(context.name, limit)?,
    };
    let max = usize::try_from(limit).ok().filter(|max| *max > 0).unwrap_or(usize::MAX);
    let parts = match (arg(args, 1), arg(args, 0)) {
        (Value::Regex(source), Value::Str(text)) => {
            // Searches for one match more, because an empty match at the start makes no part.
            let pattern = context.meter.patterns.get(source, false)?;
            return search(context, pattern, text.clone(), max, move |context, _, text, found| {
                let mut parts = around_matches(text, &found, max);
                if limit == 0 {
                    drop_trailing_empty(&mut parts);
                }
                pieces(context, &parts).map(Begin::Done)
            });
        }
        (Value::Str(separator), _) if separator.is_empty() => {
            let mut parts: Vec<&str> = characters(text).take(max).collect();
            if let Some(last) = parts.last_mut().filter(|_| max < usize::MAX) {
                let start = last.as_ptr() as usize - text.as_ptr() as usize;
                *last = &text[start..];
            }
            parts
        }
        (Value::Str(separator), _) => {
            check_part(context, text, separator)?;
            text.splitn(max, &**separator).collect()
        }
        (other, _) => {
            return type_error(context.name, "a string or a regex as separator", other, "write `(split s #\",\")`");
        }
    };
    pieces(context, &parts).map(Begin::Done)
}

/// Returns at most `max` parts of a text around matches; the last part is the rest of the text.
pub(super) fn around_matches<'t>(text: &'t str, matches: &[Found], max: usize) -> Vec<&'t str> {
    let (mut parts, mut position) = (Vec::new(), 0);
    // An empty match at the start makes no empty part.
    for (start, end) in matches.iter().map(Found::whole).filter(|(_, end)| *end > 0).take(max - 1) {
        parts.push(&text[position..start]);
        position = end;
    }
    parts.push(&text[position..]);
    parts
}

/// The largest number of bytes of a text to search for: preparing the search takes time in proportion to its length.
const LONGEST_PART: usize = 500_000;

/// Counts the cost of a search for a part of a text. Fails when the part is too long.
pub(super) fn check_part(context: &mut Context<'_>, text: &str, part: &str) -> EvalResult<()> {
    if part.len() > LONGEST_PART {
        let message = format!("`{}` searches for at most {LONGEST_PART} bytes, got {}", context.name, part.len());
        return error_with_hint("collection_size_exceeded", message, "search for a part of it");
    }
    context.meter.visit(text.len() / 16 + part.len() / 4)
}

pub(super) fn includes(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult {
    if let [Value::Str(text), Value::Str(part)] = args {
        check_part(context, text, part)?;
    }
    tested(context, args, |text, part| text.contains(part))
}

/// Returns the result of a predicate on two strings.
pub(super) fn tested(context: &mut Context<'_>, args: &[Value], holds: fn(&str, &str) -> bool) -> EvalResult {
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

pub(super) fn index_of(context: &mut Context<'_>, args: &[Value], last: bool) -> EvalResult<Option<i64>> {
    let hint = match arg(args, 0) {
        Value::Vector(_) => "the index of an element is `(.indexOf coll x)`",
        _ => "",
    };
    let text = to_text(context.name, arg(args, 0), hint)?;
    let part = to_text(context.name, arg(args, 1), "")?;
    check_part(context, text, part)?;
    let from = match args.get(2) {
        Some(from) => match to_integer(context.name, from)? {
            // No part begins before the text.
            ..0 if last => return Ok(None),
            from => Some(usize::try_from(from.max(0)).unwrap_or(usize::MAX)),
        },
        None => None,
    };
    let position = match (last, from) {
        (false, from) => {
            let start = from.map_or(0, |from| byte_at(text, from));
            text[start..].find(part).map(|position| start + position)
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
    Ok(position.map(|position| index_at(text, position)))
}
