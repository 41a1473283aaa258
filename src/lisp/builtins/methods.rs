//! Methods of Java for strings and collections. Indexes count characters, as everywhere in the language; Java's count
//! UTF-16 code units.

use super::arguments::{arg, take};
use super::filling::{fill, with_digits};
use super::numbers::all_equal;
use super::regex::pattern_and_text;
use super::replacing::replace;
use super::searching::search;
use super::sequences::counted;
use super::strings::{argument, includes, index_of, split, tested, written};
use super::{ANY, plain, steps};
use crate::lisp::equality::equal;
use crate::lisp::fault::{EvalResult, describe, error_with_hint, type_error};
use crate::lisp::native::{Begin, Builtin, Context};
use crate::lisp::number::to_integer;
use crate::lisp::sequence::character_at;
use crate::lisp::text::Style;
use crate::value::Value;

pub(super) const ROWS: &[Builtin] = &[
    plain(".length", "s", (1, 1), "How many characters s has.", |context, args| {
        argument(context, arg(args, 0))?;
        counted(context, args)
    }),
    plain(".size", "coll", (1, 1), "How many elements there are.", |context, args| {
        Ok(Value::Int(match arg(args, 0) {
            Value::Vector(items) => items.len(),
            Value::Map(entries) => entries.len(),
            Value::Set(items) => items.len(),
            other => return type_error(context.name, "a collection", other, "the length of a string is `(count s)`"),
        } as i64))
    }),
    plain(".isEmpty", "x", (1, 1), "True without characters or elements.", |context, args| match arg(args, 0) {
        Value::Str(text) => Ok(Value::Bool(text.is_empty())),
        Value::Vector(_) | Value::Map(_) | Value::Set(_) => Ok(Value::Bool(arg(args, 0).is_nil_or_empty())),
        other => type_error(context.name, "a string or a collection", other, "nil is empty for `(empty? x)`"),
    }),
    plain(".isBlank", "s", (1, 1), "True for nothing but white space.", |context, args| {
        Ok(Value::Bool(argument(context, arg(args, 0))?.trim().is_empty()))
    }),
    steps(
        ".contains",
        "x part",
        (2, 2),
        "True when a string has the part, or a collection the element.",
        |context, args| match arg(args, 0) {
            Value::Vector(_) => position_of(context, args, false, |position| Value::Bool(position.is_some())),
            Value::Set(items) => Ok(Begin::Done(Value::Bool(items.contains(arg(args, 1))))),
            _ => includes(context, args).map(Begin::Done),
        },
    ),
    plain(".startsWith", "s part", (2, 2), "True when s begins with the part.", |context, args| {
        tested(context, args, |text, part| text.starts_with(part))
    }),
    plain(".endsWith", "s part", (2, 2), "True when s ends with the part.", |context, args| {
        tested(context, args, |text, part| text.ends_with(part))
    }),
    steps(
        ".indexOf",
        "x part, s part from",
        (2, 3),
        "The index of the first such part or element, else -1.",
        |context, args| index(context, args, false),
    ),
    steps(
        ".lastIndexOf",
        "x part, s part from",
        (2, 3),
        "The index of the last such part or element, else -1.",
        |context, args| index(context, args, true),
    ),
    plain(".charAt", "s index", (2, 2), "The character at an index.", |context, args| {
        let text = argument(context, arg(args, 0))?;
        let index = usize::try_from(to_integer(context.name, arg(args, 1))?).unwrap_or(usize::MAX);
        match character_at(text, index) {
            Value::Nil => {
                let message = format!("`.charAt` takes an index of the string, got {}", describe(arg(args, 1)));
                error_with_hint("out_of_range", message, "`(get s i)` gives nil outside")
            }
            found => Ok(found),
        }
    }),
    steps(
        ".split",
        "s regex, s regex limit",
        (2, 3),
        "The parts of s around a regex, which a string writes too.",
        |context, args| {
            as_regex(args);
            split(context, args)
        },
    ),
    steps(
        ".replaceAll",
        "s regex replacement",
        (3, 3),
        "s with every match of a regex replaced, which a string writes too.",
        |context, args| {
            as_regex(args);
            replace(context, args, usize::MAX)
        },
    ),
    steps(
        ".replaceFirst",
        "s regex replacement",
        (3, 3),
        "s with the first match of a regex replaced, which a string writes too.",
        |context, args| {
            as_regex(args);
            replace(context, args, 1)
        },
    ),
    steps(
        ".matches",
        "s regex",
        (2, 2),
        "True when the whole of s matches a regex, which a string writes too.",
        |context, args| {
            as_regex(args);
            args.swap(0, 1);
            let (pattern, text) = pattern_and_text(context, args, true)?;
            search(context, pattern, text, 1, |_, _, _, found| Ok(Begin::Done(Value::Bool(!found.is_empty()))))
        },
    ),
    steps(".equals", "x y", (2, 2), "True when both are equal.", |context, args| all_equal(context, args, true)),
    steps(".toString", "x", (1, ANY), "The text of a value.", |context, args| {
        with_digits(context, &mut args[..1], |context, args| written(context, args, Style::Str, ""))
    }),
];

/// Returns the name of the builtin of which a method is an alias.
pub(super) fn alias(name: &str) -> Option<&'static str> {
    Some(match name {
        ".substring" => "subs",
        ".trim" | ".strip" => "trim",
        ".toUpperCase" => "upper-case",
        ".toLowerCase" => "lower-case",
        ".replace" => "replace",
        ".compareTo" => "compare",
        ".get" => "get",
        ".getMessage" => "ex-message",
        ".getData" => "ex-data",
        ".getCause" => "ex-cause",
        "volatile!" => "atom",
        "vreset!" => "reset!",
        "vswap!" => "swap!",
        _ => return None,
    })
}

/// Converts the second argument to a regex, because Java's methods take a string.
fn as_regex(args: &mut [Value]) {
    if let Some(Value::Str(source)) = args.get(1) {
        args[1] = Value::Regex(source.clone());
    }
}

fn index(context: &mut Context<'_>, args: &mut [Value], last: bool) -> EvalResult<Begin> {
    match arg(args, 0) {
        Value::Vector(_) => position_of(context, args, last, |position| Value::Int(position.unwrap_or(-1))),
        _ => Ok(Begin::Done(Value::Int(index_of(context, args, last)?.unwrap_or(-1)))),
    }
}

/// Returns the result of `give` for the index of the first or last element that equals the second argument.
pub(super) fn position_of(
    context: &mut Context<'_>,
    args: &mut [Value],
    last: bool,
    give: fn(Option<i64>) -> Value,
) -> EvalResult<Begin> {
    let Value::Vector(items) = take(args, 0) else { return Ok(Begin::Done(give(None))) };
    let (count, wanted) = (items.len(), take(args, 1));
    context.meter.visit(count)?;
    fill(context, give(None), count, move |_, position, found| {
        let position = if last { count - 1 - position } else { position };
        let is_there = equal(&items.as_slice()[position], &wanted);
        if is_there {
            *found = give(Some(position as i64));
        }
        Ok(!is_there)
    })
}
