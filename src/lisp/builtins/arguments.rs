//! Arguments of the types that many builtins take.

use super::sequences::all_fit;
use super::{find, usage};
use crate::lisp::fault::{EvalResult, describe, error, error_with_hint};
use crate::lisp::native::{Context, ELEMENTS_PER_STEP, Next, Steps};
use crate::lisp::number::to_integer;
use crate::lisp::sequence::{Source, is_long, to_vector};
use crate::value::garbage::Values;
use crate::value::{Map, Set, Value, Vector, taken};

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
            if matches!(other, Value::Map(_) | Value::Set(_) | Value::Str(_) | Value::Nil) {
                if is_long(&other) {
                    args[position] = other;
                    return convert_arg(context, args, position);
                }
                let items = to_vector(context.name, &other)?;
                context.meter.elements(items.len())?;
                return Ok(items);
            }
            not_taken(context, "a collection", &other, args)
        }
    }
}

/// Converts the first argument from a position on that takes long to convert to a vector, then calls the builtin again.
/// For builtins with several collections: call it before any argument is moved out.
pub(super) fn convert_long_args(context: &mut Context<'_>, args: &mut [Value], from: usize) -> EvalResult<()> {
    match (from..args.len()).find(|position| is_long(&args[*position])) {
        Some(position) => convert_arg(context, args, position),
        None => Ok(()),
    }
}

/// Converts an argument to a vector in pieces, then calls the builtin again.
pub(super) fn convert_arg<T>(context: &mut Context<'_>, args: &mut [Value], position: usize) -> EvalResult<T> {
    convert_arg_for(context, context.name, args, position)
}

/// Converts an argument to a vector in pieces, then calls the builtin `name`.
#[cold]
pub(super) fn convert_arg_for<T>(
    context: &mut Context<'_>,
    name: &'static str,
    args: &mut [Value],
    position: usize,
) -> EvalResult<T> {
    context.work(convert_then_call(name, taken(args), position, false))
}

/// Returns the steps that convert the first argument to a vector in pieces and then call a builtin.
pub fn conversion_steps(name: &'static str, args: Vec<Value>) -> Box<dyn Steps> {
    convert_then_call(name, args, 0, false)
}

/// Converts the first argument to a vector in reverse order, in pieces, then calls the builtin `name`.
#[cold]
pub(super) fn convert_reversed<T>(context: &mut Context<'_>, name: &'static str, args: &mut [Value]) -> EvalResult<T> {
    context.work(convert_then_call(name, taken(args), 0, true))
}

#[cold]
#[inline(never)]
fn convert_then_call(name: &'static str, args: Vec<Value>, position: usize, is_reversed: bool) -> Box<dyn Steps> {
    let mut args = args;
    let source = Source::new(take(&mut args, position));
    Box::new(ConvertThenCall { name, args, position, source, items: Values::default(), is_reversed })
}

/// A call that waits until one of its arguments is converted to a vector.
struct ConvertThenCall {
    name: &'static str,
    args: Vec<Value>,
    position: usize,
    source: Source,
    items: Values,
    is_reversed: bool,
}

impl Steps for ConvertThenCall {
    fn step(&mut self, context: &mut Context<'_>, answer: Option<Value>) -> EvalResult<Next> {
        if let Some(answer) = answer {
            return Ok(Next::Done(answer));
        }
        let before = self.items.len();
        let is_done = self.source.pour(ELEMENTS_PER_STEP, &mut self.items);
        all_fit(context, before, self.items.len() - before)?;
        if !is_done {
            return Ok(Next::Continue);
        }
        if self.is_reversed {
            self.items.reverse();
        }
        self.args[self.position] = Value::from(self.items.take());
        Ok(Next::CallOther(Value::Builtin(self.name.into()), std::mem::take(&mut self.args)))
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
