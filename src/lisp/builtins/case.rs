//! Uppercase and lowercase letters.

use super::arguments::arg;
use super::plain;
use super::strings::{argument, changed, tested};
use crate::lisp::fault::EvalResult;
use crate::lisp::native::{Builtin, Context};
use crate::unicode::{lowercase, uppercase};
use crate::value::Value;

pub(super) const ROWS: &[Builtin] = &[
    plain("upper-case", "s", (1, 1), "s in capital letters.", upper_case),
    plain("upcase", "s", (1, 1), "s in capital letters.", upper_case),
    plain("lower-case", "s", (1, 1), "s in small letters.", lower_case),
    plain("downcase", "s", (1, 1), "s in small letters.", lower_case),
    plain("capitalize", "s", (1, 1), "s with its first letter as a capital, the others small.", capitalize),
    plain(".equalsIgnoreCase", "s other", (2, 2), "True when both are equal but for their case.", |context, args| {
        argument(context, arg(args, 1))?;
        tested(context, args, |text, other| lowercase(text) == lowercase(other))
    }),
];

fn upper_case(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult {
    changed(context, args, uppercase)
}

fn lower_case(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult {
    changed(context, args, lowercase)
}

fn capitalize(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult {
    changed(context, args, |text| {
        let (first, rest) = text.split_at(text.chars().next().map_or(0, char::len_utf8));
        uppercase(first) + &lowercase(rest)
    })
}
