//! `replace` in strings and collections.

use std::rc::Rc;

use super::arguments::{arg, take};
use super::filling::fill;
use super::regex::result;
use super::searching::search;
use super::steps;
use super::strings::check_part;
use crate::lisp::fault::{EvalResult, error_with_hint, type_error};
use crate::lisp::meter::Meter;
use crate::lisp::native::{Begin, Builtin, Context, Next, Steps};
use crate::lisp::pattern::{Found, Pattern};
use crate::lisp::sequence::to_vector;
use crate::lisp::text::{finish, not_a_text, push};
use crate::value::{Str, Value};

pub(super) const ROWS: &[Builtin] = &[
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
];

pub(super) fn replace(context: &mut Context<'_>, args: &mut [Value], max: usize) -> EvalResult<Begin> {
    let [text, wanted, replacement] = args else { return replace_elements(context, args) };
    let hint = match (&*text, &*wanted) {
        (Value::Regex(_), _) => format!("the string stands first: `({} s #\"a\" \"b\")`", context.name),
        (Value::Vector(_) | Value::Map(_), _) => "elements are replaced by `(replace {old new} coll)` or `map`".into(),
        _ => String::new(),
    };
    let Value::Str(input) = &*text else { return not_a_text(context.name, text, &hint) };
    match (&*wanted, &*replacement) {
        (Value::Str(wanted), Value::Str(with)) => {
            check_part(context, input, wanted)?;
            let (mut out, mut position) = (String::with_capacity(input.len()), 0);
            for (start, found) in input.match_indices(&**wanted).take(max) {
                push(context.meter, &input[position..start], &mut out)?;
                push(context.meter, with, &mut out)?;
                position = start + found.len();
            }
            push(context.meter, &input[position..], &mut out)?;
            finish(context.meter, out).map(Begin::Done)
        }
        (Value::Regex(source), Value::Str(with)) => {
            let with = with.clone();
            let pattern = context.meter.patterns.get(source, false)?;
            search(context, pattern, input.clone(), max, move |context, pattern, text, found| {
                let (pattern, text) = (pattern.clone(), text.clone());
                let (mut out, mut position) = (String::new(), 0);
                // The last position is that of the rest of the text. A template may be long and make nothing.
                fill(context, Value::Nil, found.len() + 1, move |context, number, replaced| {
                    match found.get(number) {
                        Some(found) => {
                            let (start, end) = found.whole();
                            push(context.meter, &text[position..start], &mut out)?;
                            expand(context.meter, &with, &pattern, found, &text, &mut out)?;
                            context.meter.visit(with.len() / 16)?;
                            position = end;
                        }
                        None => {
                            push(context.meter, &text[position..], &mut out)?;
                            *replaced = finish(context.meter, std::mem::take(&mut out))?;
                        }
                    }
                    Ok(true)
                })
            })
        }
        (Value::Regex(source), Value::Closure(_) | Value::Builtin(_) | Value::Map(_) | Value::Keyword(_)) => {
            let function = replacement.clone();
            let pattern = context.meter.patterns.get(source, false)?;
            search(context, pattern, input.clone(), max, move |_, pattern, text, found| {
                Ok(Begin::Steps(function, replace_with_calls(pattern.clone(), text.clone(), found)))
            })
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
fn replace_elements(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult<Begin> {
    if !matches!(arg(args, 0), Value::Map(_) | Value::Vector(_)) {
        let hint = "in a string write `(replace s match replacement)`";
        return type_error(context.name, "a map of replacements", arg(args, 0), hint);
    }
    let items = to_vector(context.meter, context.name, arg(args, 1))?;
    context.meter.elements(items.len())?;
    let replacements = take(args, 0);
    let replaced = Value::from(Vec::with_capacity(items.len()));
    fill(context, replaced, items.len(), move |_, position, replaced| {
        let item = &items.as_slice()[position];
        let found = match (&replacements, item) {
            (Value::Map(map), item) => map.get(item),
            (Value::Vector(items), Value::Int(index)) => {
                usize::try_from(*index).ok().and_then(|index| items.get(index))
            }
            _ => None,
        };
        if let Value::Vector(replaced) = replaced {
            replaced.push(found.unwrap_or(item).clone());
        }
        Ok(true)
    })
}

/// Appends a replacement. `$1` and `${name}` are groups; a backslash escapes the next character.
fn expand(
    meter: &mut Meter,
    template: &str,
    pattern: &Pattern,
    found: &Found,
    text: &str,
    out: &mut String,
) -> EvalResult<()> {
    let mut rest = template;
    while let Some(position) = rest.find(['$', '\\']) {
        push(meter, &rest[..position], out)?;
        let is_group = rest.as_bytes()[position] == b'$';
        rest = &rest[position + 1..];
        if !is_group {
            let end = rest.chars().next().map_or(0, char::len_utf8);
            push(meter, &rest[..end], out)?;
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
        push(meter, &text[start..stop], out)?;
        rest = &rest[end..];
    }
    push(meter, rest, out)
}

/// Returns the number of a group at the start of the text, read from as many digits as form the number of an existing
/// group; and the length of these digits, or of the first character when there are none.
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

/// Replaces each match by the result of a call.
fn replace_with_calls(pattern: Rc<Pattern>, text: Str, found: Vec<Found>) -> Box<dyn Steps> {
    // The byte offset of the text that is not in `out` yet.
    let (mut matches, mut position, mut out) = (found.into_iter(), 0, String::new());
    Box::new(move |context: &mut Context<'_>, answer: Option<Value>| {
        match &answer {
            None => {}
            Some(Value::Str(text)) => push(context.meter, text, &mut out)?,
            Some(other) => {
                let hint = "make a text of its result with `str`; with groups it is given a vector: `(second m)`";
                return type_error(context.name, "a function that gives strings", other, hint);
            }
        }
        Ok(match matches.next() {
            Some(found) => {
                let (start, end) = found.whole();
                push(context.meter, &text[position..start], &mut out)?;
                position = end;
                Next::Call(result(context, &pattern, &found, &text)?)
            }
            None => {
                push(context.meter, &text[position..], &mut out)?;
                Next::Done(finish(context.meter, std::mem::take(&mut out))?)
            }
        })
    })
}
