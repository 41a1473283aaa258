//! Updates of the value at a key by a function.

use super::arguments::{arg, not_taken, take};
use super::maps::{close, open, whole_path};
use super::{ANY, steps};
use crate::lisp::fault::EvalResult;
use crate::lisp::native::{Begin, Builtin, Context, Next, Steps};
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

/// A pending update: [`close`] completes it with the new value.
struct Update {
    opened: Vec<Value>,
    path: Vec<Value>,
    /// The arguments of the call.
    args: Vec<Value>,
}

fn update(context: &mut Context<'_>, args: &mut [Value], path: Vec<Value>) -> EvalResult<Begin> {
    let outer = take(args, 0);
    if !matches!(outer, Value::Map(_) | Value::Vector(_) | Value::Nil) {
        return not_taken(context, "a map or vector first", &outer, args);
    }
    let (opened, old) = open(context, outer, &path, true)?;
    let args_of_call = std::iter::once(old).chain(args[3..].iter_mut().map(std::mem::take)).collect();
    Ok(Begin::Steps(take(args, 2), Box::new(Update { opened, path, args: args_of_call })))
}

impl Steps for Update {
    fn step(&mut self, context: &mut Context<'_>, answer: Option<Value>) -> EvalResult<Next> {
        match answer {
            None => Ok(Next::CallAll(std::mem::take(&mut self.args))),
            Some(value) => close(context, std::mem::take(&mut self.opened), &self.path, value).map(Next::Done),
        }
    }
}
