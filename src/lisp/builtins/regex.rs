//! Regular expressions. Matching takes time linear in the text.

use super::arguments::{arg, take};
use super::searching::search;
use super::strings::{argument, around_matches, pieces};
use super::{plain, steps};
use crate::diagnostic::Diagnostic;
use crate::lisp::fault::{EvalResult, type_error};
use crate::lisp::native::{Begin, Builtin, Context};
use crate::lisp::number::to_integer;
use crate::lisp::pattern::{Found, Pattern};
use crate::lisp::text::not_a_text;
use crate::value::{Str, Value, parse_integer};

pub(super) const ROWS: &[Builtin] = &[
    plain("re-pattern", "s", (1, 1), "The regular expression that s writes.", |context, args| match arg(args, 0) {
        Value::Regex(_) => Ok(take(args, 0)),
        source => {
            let source: Str = argument(context, source)?.into();
            context.meter.patterns.get(&source, false)?;
            Ok(Value::Regex(source))
        }
    }),
    plain("re-find", "re s", (2, 2), "The first match, with groups as a vector, else nil.", |context, args| {
        first_match(context, args, false)
    }),
    plain(
        "re-matches",
        "re s",
        (2, 2),
        "The match of the whole text, with groups as a vector, else nil.",
        |context, args| first_match(context, args, true),
    ),
    steps("re-seq", "re s", (2, 2), "All matches, with groups as vectors; nil without one.", |context, args| {
        let (source, text) = expression_and_text(context, args)?;
        search(context, source, text.clone(), usize::MAX, |context, pattern, text, found| {
            let mut matches = Vec::with_capacity(found.len());
            for found in found {
                matches.push(result(context, pattern, &found, text)?);
            }
            context.meter.elements(matches.len())?;
            Ok(Begin::Done(if matches.is_empty() { Value::Nil } else { Value::from(matches) }))
        })
    }),
    steps("re-split", "re s", (2, 2), "The parts of s around all matches.", |context, args| {
        let (source, text) = expression_and_text(context, args)?;
        search(context, source, text.clone(), usize::MAX, |context, _, text, found| {
            let parts = around_matches(text, &found, usize::MAX);
            pieces(context, &parts).map(Begin::Done)
        })
    }),
    plain(
        "extract",
        "re s, re s group",
        (2, 3),
        "The first group of the first match, or the match; else nil.",
        |context, args| Ok(extracted(context, args)?.map(Value::str).unwrap_or_default()),
    ),
    plain(
        "extract-int",
        "re s, re s group, re s group default",
        (2, 4),
        "The integer in the first group of the first match, else nil or the default.",
        |context, args| {
            let default = args.get_mut(3).map(std::mem::take).unwrap_or_default();
            let found = extracted(context, args.get(..3).unwrap_or(args))?;
            let number = found.filter(|text| text.len() <= 10_000).and_then(|text| parse_integer(text, 10).ok());
            Ok(number.map(Value::integer).unwrap_or(default))
        },
    ),
];

/// An error when the source is not a valid regular expression.
pub fn check(source: &str) -> Result<(), Diagnostic> {
    Pattern::new(source).map(drop)
}

pub(super) fn expression_and_text<'v>(context: &mut Context<'_>, args: &'v [Value]) -> EvalResult<(&'v Str, &'v Str)> {
    let name = context.name;
    let hint = match args {
        [Value::Str(_), Value::Regex(_), ..] => format!("the regex stands first: `({name} re s)`"),
        [Value::Str(_), ..] => format!(
            "write the regex as `#\"…\"`, or make one of a string with `(re-pattern s)`: `({name} #\"\\d+\" s)`"
        ),
        _ => format!("write `({name} #\"\\d+\" s)`"),
    };
    match args {
        [Value::Regex(source), Value::Str(text), ..] => Ok((source, text)),
        [Value::Regex(_), other, ..] => not_a_text(name, other, ""),
        _ => type_error(name, "a regex first", arg(args, 0), &hint),
    }
}

/// The value of the first match; `whole` for a match of the whole text only.
fn first_match(context: &mut Context<'_>, args: &[Value], whole: bool) -> EvalResult {
    let (source, text) = expression_and_text(context, args)?;
    let pattern = context.meter.patterns.get(source, whole)?;
    match pattern.find(context.meter, text, 0)? {
        Some(found) => result(context, &pattern, &found, text),
        None => Ok(Value::Nil),
    }
}

/// The value of a match: its text, or a vector of its text and its groups.
pub(super) fn result(context: &mut Context<'_>, pattern: &Pattern, found: &Found, text: &str) -> EvalResult {
    let mut group = |index| match found.group(index) {
        Some((start, end)) => {
            context.meter.text(end - start)?;
            Ok(Value::str(&text[start..end]))
        }
        None => Ok(Value::Nil),
    };
    match pattern.groups() {
        0 => group(0),
        groups => Ok(Value::vector((0..=groups).map(group).collect::<EvalResult<Vec<_>>>()?)),
    }
}

/// The text of a group of the first match: the given group, else the first one, else the whole match.
fn extracted<'v>(context: &mut Context<'_>, args: &'v [Value]) -> EvalResult<Option<&'v str>> {
    let (source, text) = expression_and_text(context, args)?;
    let pattern = context.meter.patterns.get(source, false)?;
    let group = match args.get(2) {
        None => pattern.groups().min(1),
        Some(group) => match usize::try_from(to_integer(context.name, group)?) {
            Ok(group) if group <= pattern.groups() => group,
            _ => {
                let expected = format!("a group from 0 to {}", pattern.groups());
                return type_error(context.name, &expected, group_of(args), "0 is the whole match");
            }
        },
    };
    let found = pattern.find(context.meter, text, 0)?;
    Ok(found.and_then(|found| found.group(group)).map(|(start, end)| &text[start..end]))
}

fn group_of(args: &[Value]) -> &Value {
    args.get(2).unwrap_or(&Value::Nil)
}
