//! Builtins that call a function for every element. [`iteration`] makes the calls; each row selects what to collect.

mod iteration;

pub(super) use iteration::{Iteratee, Iteration, Operation};

use super::arguments::{elements, map as map_argument, not_taken, take};
use super::building::inputs;
use super::endless::{of_endless, of_several};
use super::{ANY, steps};
use crate::lisp::fault::{EvalResult, error_with_hint};
use crate::lisp::native::{Begin, Builtin, Context};
use crate::lisp::path::get;
use crate::lisp::sequence::pair;
use crate::value::{Map, Value, Vector, taken};

pub(super) const ROWS: &[Builtin] = &[
    steps("distinct-by", "f coll", (2, 2), "The first element for each value of f.", |context, args| {
        by(context, args, Operation::First(Map::default()))
    }),
    steps(
        "drop-while",
        "pred coll",
        (2, 2),
        "The elements from the first for which pred does not hold.",
        |context, args| each(context, args, Operation::DropWhile),
    ),
    steps("every?", "pred coll", (2, 2), "True when pred holds for every element.", |context, args| {
        each(context, args, Operation::Decide { stop_at: false, gives: false })
    }),
    steps("filter", "pred coll", (2, 2), "The elements for which pred holds.", |context, args| {
        each(context, args, Operation::Keep(true))
    }),
    steps("filterv", "pred coll", (2, 2), "The elements for which pred holds.", |context, args| {
        each(context, args, Operation::Keep(true))
    }),
    steps("find", "m key, pred coll", (2, 2), "The entry of a key; or the first element for which pred holds.", find),
    steps(
        "group-by",
        "f coll",
        (2, 2),
        "A map of the values of f, each with the vector of its elements.",
        |context, args| by(context, args, Operation::Group(Map::default())),
    ),
    steps("keep", "f coll", (2, 2), "What f gives for the elements, without nil.", |context, args| {
        each(context, args, Operation::KeepAnswers)
    }),
    steps("keep-indexed", "f coll", (2, 2), "What f gives for index and element, without nil.", |context, args| {
        indexed(context, args, Operation::KeepAnswers)
    }),
    steps("map", "f coll …", (2, ANY), "The vector of f of every element.", |context, args| {
        several(context, args, Operation::Collect)
    }),
    steps("map-indexed", "f coll", (2, 2), "The vector of f of every index and element.", |context, args| {
        indexed(context, args, Operation::Collect)
    }),
    steps("mapcat", "f coll …", (2, ANY), "The elements of what f gives for every element.", |context, args| {
        several(context, args, Operation::Concat)
    }),
    steps("mapv", "f coll …", (2, ANY), "The vector of f of every element.", |context, args| {
        several(context, args, Operation::Collect)
    }),
    steps(
        "max-by",
        "f coll",
        (2, 2),
        "The element with the largest value of f; nil values are left out.",
        |context, args| by(context, args, best(true, false)),
    ),
    steps("max-key", "f x …", (2, ANY), "The argument with the largest value of f.", |context, args| {
        of_arguments(context, args, best(true, true))
    }),
    steps(
        "min-by",
        "f coll",
        (2, 2),
        "The element with the smallest value of f; nil values are left out.",
        |context, args| by(context, args, best(false, false)),
    ),
    steps("min-key", "f x …", (2, ANY), "The argument with the smallest value of f.", |context, args| {
        of_arguments(context, args, best(false, true))
    }),
    steps("not-any?", "pred coll", (2, 2), "True when pred holds for no element.", |context, args| {
        each(context, args, Operation::Decide { stop_at: true, gives: false })
    }),
    steps("not-every?", "pred coll", (2, 2), "True when pred does not hold for every element.", |context, args| {
        each(context, args, Operation::Decide { stop_at: false, gives: true })
    }),
    steps("partition-by", "f coll", (2, 2), "Groups of neighbours with the same value of f.", |context, args| {
        by(context, args, Operation::Partition(0, Value::Nil))
    }),
    steps("pluck", "key coll", (2, 2), "The value at a key, index or path of every element.", |context, args| {
        by(context, args, Operation::Collect)
    }),
    steps("remove", "pred coll", (2, 2), "The elements for which pred does not hold.", |context, args| {
        each(context, args, Operation::Keep(false))
    }),
    steps("run!", "f coll", (2, 2), "Calls f with every element; nil.", |context, args| {
        each(context, args, Operation::Ignore)
    }),
    steps("select", "pred s", (2, 2), "The set of the elements for which pred holds.", |context, args| {
        each(context, args, Operation::Select)
    }),
    steps("some", "pred coll", (2, 2), "The first truthy value of pred; nil when there is none.", |context, args| {
        each(context, args, Operation::Some)
    }),
    steps(
        "split-with",
        "pred coll",
        (2, 2),
        "The elements before the first for which pred does not hold, and the others.",
        |context, args| each(context, args, Operation::SplitWith),
    ),
    steps("sum-by", "f coll", (2, 2), "The sum of f of every element, without nil.", |context, args| {
        by(context, args, Operation::Sum(Value::Nil))
    }),
    steps(
        "avg-by",
        "f coll",
        (2, 2),
        "The mean of f of every element, without nil; nil when there is none.",
        |context, args| by(context, args, Operation::Mean(Value::Nil, 0)),
    ),
    steps("sum", "coll", (1, 1), "The sum of numbers, without nil.", |context, args| {
        itself(context, args, Operation::Sum(Value::Nil))
    }),
    steps("avg", "coll", (1, 1), "The mean of numbers, without nil; nil when there is none.", |context, args| {
        itself(context, args, Operation::Mean(Value::Nil, 0))
    }),
    steps(
        "take-while",
        "pred coll",
        (2, 2),
        "The elements before the first for which pred does not hold.",
        |context, args| each(context, args, Operation::TakeWhile),
    ),
    steps("update-keys", "m f", (2, 2), "The map with f of every key.", |context, args| of_map(context, args, true)),
    steps("update-vals", "m f", (2, 2), "The map with f of every value.", |context, args| of_map(context, args, false)),
];

fn best(largest: bool, last: bool) -> Operation {
    Operation::Best { largest, last, best: None }
}

/// A keyword replaces a function.
fn keyword(function: &Value) -> Iteratee {
    match function {
        Value::Keyword(_) => Iteratee::Key(function.clone()),
        _ => Iteratee::Element,
    }
}

/// A key, an index or a path replaces a function.
pub(super) fn key_or_call(function: &Value) -> Iteratee {
    match function {
        Value::Keyword(_) | Value::Str(_) | Value::Int(_) | Value::Vector(_) => Iteratee::Key(function.clone()),
        _ => Iteratee::Element,
    }
}

/// `(map function coll)`, where a keyword can replace the function.
fn each(context: &mut Context<'_>, args: &mut [Value], operation: Operation) -> EvalResult<Begin> {
    if let Some(begun) = of_endless(context, args, 1) {
        return Ok(begun);
    }
    let items = elements(context, args, 1)?;
    Iteration::new(items, keyword(&args[0]), operation).begin(context, take(args, 0))
}

/// `(group-by function coll)`, where a key, an index or a path can replace the function.
fn by(context: &mut Context<'_>, args: &mut [Value], operation: Operation) -> EvalResult<Begin> {
    let items = elements(context, args, 1)?;
    Iteration::new(items, key_or_call(&args[0]), operation).begin(context, take(args, 0))
}

/// `(sum coll)`: collects the elements themselves, without calls.
fn itself(context: &mut Context<'_>, args: &mut [Value], operation: Operation) -> EvalResult<Begin> {
    let items = elements(context, args, 0)?;
    Iteration::new(items, Iteratee::Itself, operation).begin(context, Value::Nil)
}

fn indexed(context: &mut Context<'_>, args: &mut [Value], operation: Operation) -> EvalResult<Begin> {
    let items = elements(context, args, 1)?;
    Iteration::new(items, Iteratee::Indexed, operation).begin(context, take(args, 0))
}

fn several(context: &mut Context<'_>, args: &mut [Value], operation: Operation) -> EvalResult<Begin> {
    if args.len() == 2 {
        return each(context, args, operation);
    }
    if let Some(begun) = of_several(context, args, 1)? {
        return Ok(begun);
    }
    let (mut others, _) = inputs(context, args, 1)?;
    let items = others.remove(0);
    Iteration::new(items, Iteratee::Several(others), operation).begin(context, take(args, 0))
}

/// `(max-key function x y …)`
fn of_arguments(context: &mut Context<'_>, args: &mut [Value], operation: Operation) -> EvalResult<Begin> {
    if let [_, Value::Vector(items)] = &args {
        let written = format!("spread a collection over the arguments: `(apply {} f coll)`", context.name);
        if items.len() > 1 && !matches!(args[0], Value::Closure(_) | Value::Builtin(_)) {
            return error_with_hint(
                "type_error",
                format!("`{}` takes elements, got one vector", context.name),
                written,
            );
        }
    }
    let items = taken(&mut args[1..]);
    Iteration::new(Vector::from(items), key_or_call(&args[0]), operation).begin(context, take(args, 0))
}

/// `(update-keys m function)`
fn of_map(context: &mut Context<'_>, args: &mut [Value], keys: bool) -> EvalResult<Begin> {
    let map = map_argument(context, args, 0)?;
    context.meter.elements(map.len())?;
    let operation = if keys { Operation::Keys(map) } else { Operation::Values(map) };
    Iteration::new(Vector::default(), keyword(&args[1]), operation).begin(context, take(args, 1))
}

fn find(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult<Begin> {
    let entry = match (&args[0], &args[1]) {
        (Value::Map(_) | Value::Vector(_), key) => get(&args[0], key).map(|value| pair(key, &value)),
        (Value::Nil, _) => None,
        (Value::Closure(_) | Value::Builtin(_) | Value::Var(_) | Value::Keyword(_) | Value::Set(_), _) => {
            return each(context, args, Operation::Find);
        }
        (other, _) => return not_taken(context, "a map or a predicate first", &other.clone(), args),
    };
    Ok(Begin::Done(entry.unwrap_or_default()))
}
