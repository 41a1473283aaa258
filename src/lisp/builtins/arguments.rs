//! Arguments of the types that many builtins take.

use super::{find, usage};
use crate::lisp::fault::{EvalResult, describe, error, error_with_hint};
use crate::lisp::native::Context;
use crate::lisp::number::to_integer;
use crate::lisp::sequence::to_vector;
use crate::value::{Map, Set, Value, Vector};

/// An argument; nil when there is none. The machine has checked the count, so an index out of bounds can't happen.
pub(super) fn arg(args: &[Value], place: usize) -> &Value {
    args.get(place).unwrap_or(&Value::Nil)
}

/// An argument, moved out.
pub(super) fn take(args: &mut [Value], place: usize) -> Value {
    args.get_mut(place).map(std::mem::take).unwrap_or_default()
}

/// The elements of an argument that is a collection or nil; moved when the argument is a vector.
pub(super) fn elements(context: &mut Context<'_>, args: &mut [Value], place: usize) -> EvalResult<Vector> {
    match take(args, place) {
        Value::Vector(items) => Ok(items),
        other => {
            if matches!(other, Value::Map(_) | Value::Set(_) | Value::Str(_) | Value::Nil) {
                let items = to_vector(context.name, &other)?;
                context.meter.elements(items.len())?;
                return Ok(items);
            }
            not_taken(context, "a collection", &other, args)
        }
    }
}

/// An argument that is a map, or nil for an empty one.
pub(super) fn map(context: &mut Context<'_>, args: &mut [Value], place: usize) -> EvalResult<Map> {
    match take(args, place) {
        Value::Map(map) => Ok(map),
        Value::Nil => Ok(Map::default()),
        other => not_taken(context, "a map", &other, args),
    }
}

/// An argument that is a set, or nil for an empty one.
pub(super) fn set(context: &mut Context<'_>, args: &mut [Value], place: usize) -> EvalResult<Set> {
    match take(args, place) {
        Value::Set(set) => Ok(set),
        Value::Nil => Ok(Set::default()),
        Value::Vector(items) => {
            let message = format!("`{}` takes sets, got {}", context.name, describe(&Value::Vector(items)));
            error_with_hint("type_error", message, "make a set of it: `(set coll)`")
        }
        other => not_taken(context, "sets", &other, args),
    }
}

/// An argument that is a number of elements; negative numbers count as 0.
pub(super) fn count(context: &mut Context<'_>, args: &[Value], place: usize) -> EvalResult<usize> {
    match arg(args, place) {
        number @ (Value::Int(_) | Value::Float(_)) => {
            Ok(usize::try_from(to_integer(context.name, number)?.max(0)).unwrap_or(usize::MAX))
        }
        other => not_taken(context, "a number of elements", other, args),
    }
}

/// As [`count`], but 0 and less are errors.
pub(super) fn size(context: &mut Context<'_>, args: &[Value], place: usize) -> EvalResult<usize> {
    match count(context, args, place)? {
        0 => error(
            "type_error",
            format!("`{}` takes sizes and steps from 1 up, got {}", context.name, describe(arg(args, place))),
        ),
        size => Ok(size),
    }
}

/// The error of an argument of the wrong type. The hint shows how the builtin is called, and says when arguments
/// seem to be in the wrong order.
#[cold]
pub(super) fn not_taken<T>(context: &Context<'_>, expected: &str, got: &Value, others: &[Value]) -> EvalResult<T> {
    let message = format!("`{}` takes {expected}, got {}", context.name, describe(got));
    let written = find(context.name).map(usage).unwrap_or_default();
    let swapped = others.iter().any(Value::is_collection) && !matches!(got, Value::Nil);
    error_with_hint("type_error", message, if swapped { format!("mind the order: {written}") } else { written })
}
