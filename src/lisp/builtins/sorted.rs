//! Sorted maps and sets.

use std::cmp::Ordering;
use std::rc::Rc;

use super::arguments::{arg, elements};
use super::comparators::{Comparator, comparator, keeping_order, not_a_comparator};
use super::filling::add_all;
use super::maps::put_all;
use super::{ANY, plain, steps};
use crate::lisp::fault::{EvalResult, describe, error_with_hint};
use crate::lisp::native::{Builtin, Context};
use crate::lisp::ordering::compare;
use crate::value::{KeyOrder, Value, taken};

pub(super) const ROWS: &[Builtin] = &[
    plain(
        "rsubseq",
        "coll test key, coll test key test key",
        (3, 5),
        "What `subseq` gives, from the last to the first.",
        |context, args| {
            let mut chosen = part(context, args)?;
            chosen.reverse();
            Ok(or_nil(chosen))
        },
    ),
    steps("sorted-map", "key value …", (0, ANY), "A map that keeps its keys in order.", |context, args| {
        context.meter.elements(args.len())?;
        put_all(context, sorted(Value::map([]), natural(false)), args)
    }),
    steps(
        "sorted-map-by",
        "comparator key value …",
        (1, ANY),
        "A map that keeps its keys in the order of a comparator.",
        |context, args| {
            context.meter.elements(args.len())?;
            let map = sorted(Value::map([]), order_of(context, arg(args, 0))?);
            keeping_order(context, map, |context, map| put_all(context, map, &mut args[1..]))
        },
    ),
    steps("sorted-set", "x …", (0, ANY), "A set that keeps its elements in order.", |context, args| {
        add_all(context, sorted(Value::set([]), natural(false)), taken(args).into())
    }),
    steps(
        "sorted-set-by",
        "comparator x …",
        (1, ANY),
        "A set that keeps its elements in the order of a comparator.",
        |context, args| {
            let set = sorted(Value::set([]), order_of(context, arg(args, 0))?);
            let items = taken(&mut args[1..]).into();
            keeping_order(context, set, |context, set| add_all(context, set, items))
        },
    ),
    plain(
        "subseq",
        "coll test key, coll test key test key",
        (3, 5),
        "The elements of a sorted map or set whose keys pass a test such as `>=`.",
        |context, args| part(context, args).map(or_nil),
    ),
];

/// The order of `compare`, or its reverse.
fn natural(descending: bool) -> Rc<KeyOrder> {
    KeyOrder::comparing(|left, right| compare("compare", left, right).ok(), descending)
}

fn order_of(context: &Context<'_>, by: &Value) -> EvalResult<Rc<KeyOrder>> {
    Ok(match comparator(by) {
        Some(Comparator::Natural { descending } | Comparator::Strict { descending }) => natural(descending),
        Some(Comparator::Function(function)) => KeyOrder::calling(function),
        None => {
            let hint = "write `(sorted-map-by > key value …)` or `(sorted-set-by (fn [a b] (compare b a)) x …)`";
            return not_a_comparator(context, by, hint);
        }
    })
}

/// An empty map or set that is sorted.
fn sorted(empty: Value, order: Rc<KeyOrder>) -> Value {
    let mut sorted = empty;
    sorted.set_order(Some(order));
    sorted
}

fn or_nil(items: Vec<Value>) -> Value {
    if items.is_empty() { Value::Nil } else { Value::from(items) }
}

/// Returns the elements that pass the tests.
fn part(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult<Vec<Value>> {
    let Some(order) = arg(args, 0).key_order().filter(|order| order.function().is_none()).cloned() else {
        let message = format!("`{}` takes a sorted map or set, got {}", context.name, describe(arg(args, 0)));
        return error_with_hint("type_error", message, "write `(filter (fn [[k v]] (>= k from)) m)`");
    };
    let mut tests = Vec::new();
    for test in args[1..].chunks(2) {
        let passes: fn(Ordering) -> bool = match test {
            [Value::Builtin(name), _] => match &**name {
                ">" => Ordering::is_gt,
                ">=" => Ordering::is_ge,
                "<" => Ordering::is_lt,
                "<=" => Ordering::is_le,
                _ => |_| false,
            },
            _ => {
                let message = format!("`{}` takes pairs of a test and a key", context.name);
                return error_with_hint("arity_error", message, "write `(subseq coll >= from < to)`");
            }
        };
        tests.push((passes, test[1].clone()));
    }
    let is_map = matches!(arg(args, 0), Value::Map(_));
    let items = elements(context, args, 0)?;
    let is_chosen = |item: &&Value| {
        let key = match item {
            Value::Vector(entry) if is_map => entry.get(0).unwrap_or(item),
            _ => item,
        };
        tests.iter().all(|(passes, bound)| passes(order.compare(key, bound)))
    };
    Ok(items.iter().filter(is_chosen).cloned().collect())
}
