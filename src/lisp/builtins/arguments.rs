//! Arguments of the types that many builtins take.

use super::{find, usage};
use crate::lisp::fault::{EvalResult, describe, error, error_with_hint};
use crate::lisp::native::Context;
use crate::lisp::number::to_integer;
use crate::lisp::sequence::{endless_parts, to_vector};
use crate::value::{Map, Set, Value, Vector};

/// Returns an argument; nil when it is absent. The machine checks the number of arguments before it calls a builtin.
pub(super) fn arg(args: &[Value], position: usize) -> &Value {
    args.get(position).unwrap_or(&Value::Nil)
}

/// Moves an argument out and returns it.
pub(super) fn take(args: &mut [Value], position: usize) -> Value {
    args.get_mut(position).map(std::mem::take).unwrap_or_default()
}

/// Returns the elements of an argument that is a collection or nil; moves them when the argument is a vector.
pub(super) fn elements(context: &mut Context<'_>, args: &mut [Value], position: usize) -> EvalResult<Vector> {
    match take(args, position) {
        Value::Vector(items) => Ok(items),
        other => {
            let is_sequence = matches!(other, Value::Map(_) | Value::Set(_) | Value::Str(_) | Value::Nil);
            if is_sequence || endless_parts(&other).is_some() {
                let items = to_vector(context.meter, context.name, &other)?;
                context.meter.elements(items.len())?;
                return Ok(items);
            }
            not_taken(context, "a collection", &other, args)
        }
    }
}

/// Returns an argument that is a map, or nil for an empty one.
pub(super) fn map(context: &mut Context<'_>, args: &mut [Value], position: usize) -> EvalResult<Map> {
    match take(args, position) {
        Value::Map(map) => Ok(map),
        Value::Nil => Ok(Map::default()),
        other => not_taken(context, "a map", &other, args),
    }
}

/// Returns an argument that is a set, or nil for an empty one.
pub(super) fn set(context: &mut Context<'_>, args: &mut [Value], position: usize) -> EvalResult<Set> {
    match take(args, position) {
        Value::Set(set) => Ok(set),
        Value::Nil => Ok(Set::default()),
        Value::Vector(items) => {
            let message = format!("`{}` takes sets, got {}", context.name, describe(&Value::Vector(items)));
            error_with_hint("type_error", message, "make a set of it: `(set coll)`")
        }
        other => not_taken(context, "sets", &other, args),
    }
}

/// Returns an argument that is a number of elements; negative numbers count as 0.
pub(super) fn count(context: &mut Context<'_>, args: &[Value], position: usize) -> EvalResult<usize> {
    match arg(args, position) {
        number @ (Value::Int(_) | Value::Float(_)) => {
            Ok(usize::try_from(to_integer(context.name, number)?.max(0)).unwrap_or(usize::MAX))
        }
        other => not_taken(context, "a number of elements", other, args),
    }
}

/// Returns an argument that is a number of elements, at least 1; fails for smaller numbers.
pub(super) fn size(context: &mut Context<'_>, args: &[Value], position: usize) -> EvalResult<usize> {
    match count(context, args, position)? {
        0 => error(
            "type_error",
            format!("`{}` takes sizes and steps from 1 up, got {}", context.name, describe(arg(args, position))),
        ),
        size => Ok(size),
    }
}

/// Returns the error of an argument of the wrong type. The hint shows how the builtin is called, and says when
/// arguments seem to be in the wrong order.
#[cold]
pub(super) fn not_taken<T>(context: &Context<'_>, expected: &str, got: &Value, others: &[Value]) -> EvalResult<T> {
    let message = format!("`{}` takes {expected}, got {}", context.name, describe(got));
    let written = find(context.name).map(usage).unwrap_or_default();
    let swapped = others.iter().any(Value::is_collection) && !matches!(got, Value::Nil);
    error_with_hint("type_error", message, if swapped { format!("mind the order: {written}") } else { written })
}

/// Meters elements that are added to a collection, and checks its new size against the limit.
pub(super) fn all_fit(context: &mut Context<'_>, there: usize, added: usize) -> EvalResult<()> {
    if there + added > context.meter.limits.collection_size {
        context.meter.elements(there + added)?;
    }
    context.meter.elements(added)
}
