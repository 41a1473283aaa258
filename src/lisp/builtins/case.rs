//! Uppercase and lowercase letters.

use std::ops::Range;

use super::arguments::arg;
use super::plain;
use super::strings::{argument, changed, tested};
use crate::lisp::fault::EvalResult;
use crate::lisp::native::{Builtin, Context};
use crate::lisp::task::Pace;
use crate::lisp::text::finish_in;
use crate::unicode::{add_lowercase, add_uppercase, lowercase, uppercase};
use crate::value::{Str, Value};
use crate::work::{self, large};

pub(super) const ROWS: &[Builtin] = &[
    plain("upper-case", "s", (1, 1), "s in capital letters.", upper_case),
    plain("upcase", "s", (1, 1), "s in capital letters.", upper_case),
    plain("lower-case", "s", (1, 1), "s in small letters.", lower_case),
    plain("downcase", "s", (1, 1), "s in small letters.", lower_case),
    plain("capitalize", "s", (1, 1), "s with its first letter as a capital, the others small.", capitalize),
    plain(".equalsIgnoreCase", "s other", (2, 2), "True when both are equal but for their case.", |context, args| {
        match [arg(args, 0), arg(args, 1)].map(long_letters) {
            [None, None] => {
                argument(context, arg(args, 1))?;
                tested(context, args, |text, other| lowercase(text) == lowercase(other))
            }
            _ => {
                let texts = [argument(context, arg(args, 0))?, argument(context, arg(args, 1))?].map(Str::from);
                context.meter.allocate(texts.iter().map(|text| text.len() as u64).sum())?;
                context.task(usize::MAX, async move {
                    let [left, right] = &texts;
                    let left = in_case(String::new(), left, add_lowercase).await;
                    Ok(Value::Bool(left == in_case(String::new(), right, add_lowercase).await))
                })
            }
        }
    }),
];

fn upper_case(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult {
    match long_letters(arg(args, 0)) {
        Some(text) => case_in_pieces(context, String::new(), text, add_uppercase),
        None => changed(context, args, uppercase),
    }
}

fn lower_case(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult {
    match long_letters(arg(args, 0)) {
        Some(text) => case_in_pieces(context, String::new(), text, add_lowercase),
        None => changed(context, args, lowercase),
    }
}

fn capitalize(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult {
    match long_letters(arg(args, 0)) {
        Some(text) => {
            let (first, rest) = split_first(&text);
            case_in_pieces(context, uppercase(first), rest.into(), add_lowercase)
        }
        None => changed(context, args, |text| {
            let (first, rest) = split_first(text);
            uppercase(first) + &lowercase(rest)
        }),
    }
}

/// Splits a text after its first character.
fn split_first(text: &str) -> (&str, &str) {
    text.split_at(text.chars().next().map_or(0, char::len_utf8))
}

/// The number of bytes whose case is changed between two possible pauses.
const LETTERS: usize = large(100_000);

/// Returns the text if changing its case takes long. ASCII texts never do: millions of bytes take a millisecond.
fn long_letters(text: &Value) -> Option<Str> {
    match text {
        Value::Str(text) if text.len() > LETTERS && !text.is_ascii() => Some(text.clone()),
        _ => None,
    }
}

/// Appends a text to `before` in pieces; `add` appends each piece in the new case.
fn case_in_pieces(
    context: &mut Context<'_>,
    before: String,
    text: Str,
    add: fn(&str, Range<usize>, &mut String),
) -> EvalResult {
    let bounds = context.meter.bounds();
    context.meter.allocate(text.len() as u64)?;
    context.task(usize::MAX, async move { finish_in(bounds, in_case(before, &text, add).await) })
}

async fn in_case(before: String, text: &str, add: fn(&str, Range<usize>, &mut String)) -> String {
    let (mut out, mut pace, mut start) = (before, Pace::new(), 0);
    out.reserve(text.len());
    while start < text.len() {
        let mut end = text.len().min(start + LETTERS);
        while !text.is_char_boundary(end) {
            end += 1;
        }
        work::charge((end - start) as u64 / 2);
        add(text, start..end, &mut out);
        start = end;
        pace.rest().await;
    }
    out
}
