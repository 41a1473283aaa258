//! Updates of the value at a key by a function.

use super::arguments::{arg, not_taken, take};
use super::comparators::keeping_order;
use super::maps::{close, open, whole_path};
use super::{ANY, steps};
use crate::lisp::fault::EvalResult;
use crate::lisp::native::{Begin, Builtin, Context, Next};
use crate::value::Value;

pub(super) const ROWS: &[Builtin] = &[
    steps(
        "update",
        "m key f x …",
        (3, ANY),
        "The map with f of the value of a key in its place.",
        |context, args| {
            let path = vec![arg(args, 1).clone()];
            update(context, args, path)
        },
    ),
    steps(
        "update-in",
        "m path f x …",
        (3, ANY),
        "The nested map with f of the value behind a path in its place.",
        |context, args| {
            let path = whole_path(context, args)?.into_vec();
            update(context, args, path)
        },
    ),
];

fn update(context: &mut Context<'_>, args: &mut [Value], mut path: Vec<Value>) -> EvalResult<Begin> {
    let outer = take(args, 0);
    if !matches!(outer, Value::Map(_) | Value::Vector(_) | Value::Nil) {
        return not_taken(context, "a map or vector first", &outer, args);
    }
    keeping_order(context, outer, |context, outer| {
        let (mut opened, old) = open(context, outer, &mut path, true)?;
        let mut args_of_call = std::iter::once(old).chain(args[3..].iter_mut().map(std::mem::take)).collect();
        let steps = move |context: &mut Context<'_>, answer| match answer {
            None => Ok(Next::CallAll(std::mem::take(&mut args_of_call))),
            Some(value) => close(context, std::mem::take(&mut opened), &path, value).map(Next::Done),
        };
        Ok(Begin::Steps(take(args, 2), Box::new(steps)))
    })
}
