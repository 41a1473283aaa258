//! Regular expressions. Finding one match takes time linear in the text; finding all can take quadratic time.

use super::arguments::{arg, take};
use super::searching::search;
use super::strings::{argument, around_matches, pieces};
use super::{plain, steps};
use std::rc::Rc;

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
    steps("re-find", "re s", (2, 2), "The first match, with groups as a vector, else nil.", |context, args| {
        first_match(context, args, false)
    }),
    steps(
        "re-matches",
        "re s",
        (2, 2),
        "The match of the whole text, with groups as a vector, else nil.",
        |context, args| first_match(context, args, true),
    ),
    steps("re-seq", "re s", (2, 2), "All matches, with groups as vectors; nil without one.", |context, args| {
        let (pattern, text) = pattern_and_text(context, args, false)?;
        search(context, pattern, text, usize::MAX, |context, pattern, text, found| {
            if found.is_empty() {
                return Ok(Begin::Done(Value::Nil));
            }
            context.meter.elements(found.len())?;
            let mut matches = Vec::with_capacity(found.len());
            for found in &found {
                matches.push(result(context, pattern, found, text)?);
            }
            Ok(Begin::Done(Value::from(matches)))
        })
    }),
    steps("re-split", "re s", (2, 2), "The parts of s around all matches.", |context, args| {
        let (pattern, text) = pattern_and_text(context, args, false)?;
        search(context, pattern, text, usize::MAX, |context, _, text, found| {
            let parts = around_matches(text, &found, usize::MAX);
            pieces(context, &parts).map(Begin::Done)
        })
    }),
    steps(
        "extract",
        "re s, re s group",
        (2, 3),
        "The first group of the first match, or the match; else nil.",
        |context, args| extract(context, args, |found| found.map(Value::str).unwrap_or_default()),
    ),
    steps(
        "extract-int",
        "re s, re s group, re s group default",
        (2, 4),
        "The integer in the first group of the first match, else nil or the default.",
        |context, args| {
            let default = args.get_mut(3).map(std::mem::take).unwrap_or_default();
            extract(context, args.get(..3).unwrap_or(args), |found| {
                let number = found.filter(|text| text.len() <= 10_000).and_then(|text| parse_integer(text, 10).ok());
                number.map(Value::integer).unwrap_or(default)
            })
        },
    ),
];

/// Fails when the source is not a valid regular expression.
pub fn check(source: &str) -> Result<(), Diagnostic> {
    Pattern::new(source, false).map(drop)
}

/// Returns the expression and the text, which are the first arguments. A `whole` expression matches only whole texts.
pub(super) fn pattern_and_text(
    context: &mut Context<'_>,
    args: &[Value],
    whole: bool,
) -> EvalResult<(Rc<Pattern>, Str)> {
    let name = context.name;
    let hint = match args {
        [Value::Str(_), Value::Regex(_), ..] => format!("the regex stands first: `({name} re s)`"),
        [Value::Str(_), ..] => format!(
            "write the regex as `#\"…\"`, or make one of a string with `(re-pattern s)`: `({name} #\"\\d+\" s)`"
        ),
        _ => format!("write `({name} #\"\\d+\" s)`"),
    };
    match args {
        [Value::Regex(source), Value::Str(text), ..] => Ok((context.meter.patterns.get(source, whole)?, text.clone())),
        [Value::Regex(_), other, ..] => not_a_text(name, other, ""),
        _ => type_error(name, "a regex first", arg(args, 0), &hint),
    }
}

/// Returns the value of the first match; with `whole`, only a match of the whole text counts.
fn first_match(context: &mut Context<'_>, args: &[Value], whole: bool) -> EvalResult<Begin> {
    let (pattern, text) = pattern_and_text(context, args, whole)?;
    search(context, pattern, text, 1, |context, pattern, text, found| match found.first() {
        Some(found) => result(context, pattern, found, text).map(Begin::Done),
        None => Ok(Begin::Done(Value::Nil)),
    })
}

/// Returns the value of a match: its text, or a vector of its text and its groups.
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

/// Returns the value that `then` makes of the text of a group of the first match of a pattern, which may be a string: of the given group, else of the
/// first group, else of the whole match. The text is `None` without a match, or when the group did not participate.
fn extract(
    context: &mut Context<'_>,
    args: &[Value],
    then: impl FnOnce(Option<&str>) -> Value + 'static,
) -> EvalResult<Begin> {
    let (pattern, text) = match args {
        [Value::Str(source), Value::Str(text), ..] => (context.meter.patterns.get(source, false)?, text.clone()),
        _ => pattern_and_text(context, args, false)?,
    };
    let group = match args.get(2) {
        None => pattern.groups().min(1),
        Some(group) => match usize::try_from(to_integer(context.name, group)?) {
            Ok(group) if group <= pattern.groups() => group,
            _ => {
                let expected = format!("a group from 0 to {}", pattern.groups());
                return type_error(context.name, &expected, group, "0 is the whole match");
            }
        },
    };
    search(context, pattern, text, 1, move |context, _, text, found| {
        let range = found.first().and_then(|found| found.group(group));
        context.meter.text(range.map_or(0, |(start, end)| end - start))?;
        Ok(Begin::Done(then(range.map(|(start, end)| &text[start..end]))))
    })
}
