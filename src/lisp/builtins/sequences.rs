//! Parts of collections: elements, ranges and counts. Sequences are vectors.

use super::arguments::{arg, count, elements, not_taken, size, take};
use super::endless::of_endless;
use super::filling::{Rest, fill};
use super::{ANY, plain, steps};
use crate::lisp::equality::equal;
use crate::lisp::fault::{EvalResult, error_with_hint};
use crate::lisp::native::{Begin, Builtin, Context};
use crate::lisp::number::to_integer;
use crate::lisp::sequence::{character_at, pair};
use crate::unicode::width;
use crate::value::{Set, Value, Vector, taken};

pub(super) const ROWS: &[Builtin] = &[
    plain("butlast", "coll", (1, 1), "All elements but the last; nil when there are none.", |context, args| {
        let mut items = elements(context, args, 0)?;
        shorten(context, &mut items, 1)?;
        Ok(or_nil(items))
    }),
    plain("count", "coll", (1, 1), "How many elements there are; characters of a string.", counted),
    steps("dedupe", "coll", (1, 1), "The elements without those that equal the one before.", |context, args| {
        let items = elements(context, args, 0)?;
        context.meter.elements(items.len())?;
        fill(context, Value::Vector(Vector::default()), items.len(), move |_, position, kept| {
            let item = &items.as_slice()[position];
            if let Value::Vector(kept) = kept
                && kept.as_slice().last().is_none_or(|before| !equal(before, item))
            {
                kept.push(item.clone());
            }
            Ok(true)
        })
    }),
    steps("distinct", "coll", (1, 1), "The elements without those that came before.", |context, args| {
        let items = elements(context, args, 0)?;
        context.meter.elements(items.len())?;
        let mut rest = Rest::new(items);
        // After the last element, the set becomes a vector.
        fill(context, Value::set([]), rest.len() + 1, move |_, _, kept| {
            if let Value::Set(set) = kept {
                match rest.next() {
                    Some(item) => drop(set.insert(item)),
                    None => *kept = Value::Vector(std::mem::take(set).into_vector()),
                }
            }
            Ok(true)
        })
    }),
    steps("distinct?", "x …", (1, ANY), "True when no two are the same.", |context, args| {
        let (count, mut items, mut set) = (args.len(), taken(args).into_iter(), Set::default());
        fill(context, Value::Bool(true), count, move |_, _, result| {
            let is_new = items.next().is_none_or(|item| set.insert(item));
            *result = Value::Bool(is_new);
            Ok(is_new)
        })
    }),
    plain("doall", "coll", (1, 1), "The collection itself: nothing is lazy.", |_, args| Ok(take(args, 0))),
    plain("dorun", "coll", (1, 1), "nil: nothing is lazy.", |_, _| Ok(Value::Nil)),
    steps("drop", "n coll", (2, 2), "The elements behind the first n.", |context, args| {
        let n = count(context, args, 0)?;
        if let Some(begun) = of_endless(context, args, 1) {
            return Ok(begun);
        }
        let items = elements(context, args, 1)?;
        from(context, items, n).map(Begin::Done)
    }),
    plain("drop-last", "coll, n coll", (1, 2), "The elements but the last n (1).", |context, args| {
        let n = if args.len() == 2 { count(context, args, 0)? } else { 1 };
        let mut items = elements(context, args, args.len() - 1)?;
        shorten(context, &mut items, n)?;
        Ok(Value::Vector(items))
    }),
    plain("empty", "coll", (1, 1), "An empty collection of the same kind.", |_, args| {
        Ok(match arg(args, 0) {
            Value::Vector(_) => Value::vector([]),
            other => other.emptied(),
        })
    }),
    plain("empty?", "coll", (1, 1), "True without elements, and for nil.", |context, args| {
        is_empty(context, args).map(Value::Bool)
    }),
    plain("ffirst", "coll", (1, 1), "The first element of the first element.", |context, args| {
        let mut first = [nth_of(context, args, 0, 0)?];
        nth_of(context, &mut first, 0, 0)
    }),
    steps("first", "coll", (1, 1), "The first element; nil when there is none.", |context, args| {
        match of_endless(context, args, 0) {
            Some(begun) => Ok(begun),
            None => nth_of(context, args, 0, 0).map(Begin::Done),
        }
    }),
    plain("fnext", "coll", (1, 1), "The second element; nil when there is none.", |context, args| {
        nth_of(context, args, 0, 1)
    }),
    plain("last", "coll", (1, 1), "The last element; nil when there is none.", |context, args| {
        let items = elements(context, args, 0)?;
        Ok(items.as_slice().last().cloned().unwrap_or_default())
    }),
    plain("next", "coll", (1, 1), "The elements behind the first; nil when there are none.", |context, args| {
        let items = elements(context, args, 0)?;
        from_or_nil(context, items, 1)
    }),
    plain("nfirst", "coll", (1, 1), "`next` of the first element.", |context, args| {
        let mut first = [nth_of(context, args, 0, 0)?];
        let items = elements(context, &mut first, 0)?;
        from_or_nil(context, items, 1)
    }),
    plain("nnext", "coll", (1, 1), "The elements behind the second; nil when there are none.", |context, args| {
        let items = elements(context, args, 0)?;
        from_or_nil(context, items, 2)
    }),
    plain("not-empty", "coll", (1, 1), "The collection; nil when it is empty.", |context, args| {
        Ok(if is_empty(context, args)? { Value::Nil } else { take(args, 0) })
    }),
    steps(
        "nth",
        "coll index, coll index default",
        (2, 3),
        "The element at an index; nil or default outside.",
        |context, args| match of_endless(context, args, 0) {
            Some(begun) => Ok(begun),
            None => nth(context, args).map(Begin::Done),
        },
    ),
    plain("nthnext", "coll n", (2, 2), "The elements behind the first n; nil when there are none.", |context, args| {
        let n = count(context, args, 1)?;
        let items = elements(context, args, 0)?;
        from_or_nil(context, items, n)
    }),
    plain("nthrest", "coll n", (2, 2), "The elements behind the first n.", |context, args| {
        let n = count(context, args, 1)?;
        let items = elements(context, args, 0)?;
        from(context, items, n)
    }),
    plain("peek", "coll", (1, 1), "The last element of a vector; nil when there is none.", |context, args| {
        let items = vector_only(context, args)?;
        Ok(items.as_slice().last().cloned().unwrap_or_default())
    }),
    plain("pop", "coll", (1, 1), "The vector without its last element.", |context, args| {
        if let Value::Nil = arg(args, 0) {
            return Ok(Value::Nil);
        }
        let mut items = vector_only(context, args)?;
        if items.is_empty() {
            return error_with_hint(
                "type_error",
                "`pop` can't take from an empty vector",
                "test `(empty? v)` first, or write `(butlast v)`",
            );
        }
        shorten(context, &mut items, 1)?;
        Ok(Value::Vector(items))
    }),
    steps("rest", "coll", (1, 1), "The elements behind the first.", |context, args| {
        if let Some(begun) = of_endless(context, args, 0) {
            return Ok(begun);
        }
        let items = elements(context, args, 0)?;
        from(context, items, 1).map(Begin::Done)
    }),
    plain("reverse", "coll", (1, 1), "The elements from the last to the first.", |context, args| {
        reversed(context, args)
    }),
    plain(
        "rseq",
        "coll",
        (1, 1),
        "The elements from the last to the first; nil when there are none.",
        |context, args| match reversed(context, args)? {
            Value::Vector(items) => Ok(or_nil(items)),
            other => Ok(other),
        },
    ),
    steps("second", "coll", (1, 1), "The second element; nil when there is none.", |context, args| {
        match of_endless(context, args, 0) {
            Some(begun) => Ok(begun),
            None => nth_of(context, args, 0, 1).map(Begin::Done),
        }
    }),
    plain("seq", "coll", (1, 1), "The elements as a vector; nil when there are none.", |context, args| {
        elements(context, args, 0).map(or_nil)
    }),
    plain("split-at", "n coll", (2, 2), "The first n elements, and the others.", |context, args| {
        let n = count(context, args, 0)?;
        let items = elements(context, args, 1)?;
        context.meter.elements(items.len())?;
        Ok(split(&items, n))
    }),
    plain("subvec", "v start, v start end", (2, 3), "The elements from start up to end, which is left out.", subvec),
    steps("take", "n coll", (2, 2), "The first n elements.", |context, args| {
        let n = count(context, args, 0)?;
        if let Some(begun) = of_endless(context, args, 1) {
            return Ok(begun);
        }
        let mut items = elements(context, args, 1)?;
        let drop = items.len().saturating_sub(n);
        shorten(context, &mut items, drop)?;
        Ok(Begin::Done(Value::Vector(items)))
    }),
    plain("take-last", "n coll", (2, 2), "The last n elements; nil when there are none.", |context, args| {
        let n = count(context, args, 0)?;
        let items = elements(context, args, 1)?;
        let start = items.len().saturating_sub(n);
        from_or_nil(context, items, start)
    }),
    plain("take-nth", "n coll", (2, 2), "Every nth element, from the first one on.", |context, args| {
        let n = size(context, args, 0)?;
        let items = elements(context, args, 1)?;
        context.meter.elements(items.len() / n + 1)?;
        Ok(Value::vector(items.iter().step_by(n).cloned()))
    }),
];

fn or_nil(items: Vector) -> Value {
    if items.is_empty() { Value::Nil } else { Value::Vector(items) }
}

/// Removes elements from the end.
fn shorten(context: &mut Context<'_>, items: &mut Vector, drop: usize) -> EvalResult<()> {
    let keep = items.len().saturating_sub(drop);
    context.meter.visit(drop / 16)?;
    part(context, items, 0, keep)
}

/// Keeps the elements from `start` to `end`, which is exclusive.
fn part(context: &mut Context<'_>, items: &mut Vector, start: usize, end: usize) -> EvalResult<()> {
    if end - start < items.len() {
        if items.is_shared() && !items.shares_end(start, end) {
            context.meter.room(end - start)?;
        }
        let copied = items.keep(start, end);
        context.meter.copies(copied)?;
    }
    Ok(())
}

/// Returns the elements from an index on.
fn from(context: &mut Context<'_>, items: Vector, start: usize) -> EvalResult {
    let mut items = items;
    let end = items.len();
    part(context, &mut items, start.min(end), end)?;
    Ok(Value::Vector(items))
}

fn from_or_nil(context: &mut Context<'_>, items: Vector, start: usize) -> EvalResult {
    if start >= items.len() { Ok(Value::Nil) } else { from(context, items, start) }
}

/// Returns the pair of the elements before an index and those from the index on.
pub(super) fn split(items: &Vector, position: usize) -> Value {
    let (position, end) = (position.min(items.len()), items.len());
    pair(&Value::Vector(items.between(0, position)), &Value::Vector(items.between(position, end)))
}

fn reversed(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult {
    let mut items = elements(context, args, 0)?;
    context.meter.elements(items.len())?;
    if items.is_shared() {
        return Ok(Value::vector(items.iter().rev().cloned()));
    }
    items.to_mut().reverse();
    Ok(Value::Vector(items))
}

/// Returns the element of an argument at an index; nil when the index is out of bounds.
fn nth_of(context: &mut Context<'_>, args: &mut [Value], position: usize, index: usize) -> EvalResult {
    Ok(match arg(args, position) {
        Value::Vector(items) => items.get(index).cloned().unwrap_or_default(),
        Value::Str(text) => character_at(text, index),
        Value::Map(map) => map.iter().nth(index).map(|(key, value)| pair(key, value)).unwrap_or_default(),
        Value::Set(items) => items.iter().nth(index).cloned().unwrap_or_default(),
        Value::Nil => Value::Nil,
        other => return not_taken(context, "a collection", &other.clone(), args),
    })
}

fn nth(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult {
    if !matches!(arg(args, 1), Value::Int(_) | Value::Float(_)) {
        return not_taken(context, "an index behind the collection", arg(args, 1), args);
    }
    let index = usize::try_from(to_integer(context.name, arg(args, 1))?).unwrap_or(usize::MAX);
    let found = nth_of(context, args, 0, index)?;
    let is_inside = match arg(args, 0) {
        // A character is never nil, and finding one takes less time than counting all.
        Value::Str(_) => !matches!(found, Value::Nil),
        _ => index < length(context, args)?,
    };
    Ok(if is_inside { found } else { take(args, 2) })
}

/// `(count coll)`
pub(super) fn counted(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult {
    Ok(Value::Int(length(context, args)? as i64))
}

/// Returns the number of elements of the first argument.
fn length(context: &mut Context<'_>, args: &[Value]) -> EvalResult<usize> {
    Ok(match arg(args, 0) {
        Value::Vector(items) => items.len(),
        Value::Map(entries) => entries.len(),
        Value::Set(items) => items.len(),
        Value::Nil => 0,
        Value::Str(text) => {
            context.meter.visit(text.len() / 16)?;
            width(text)
        }
        other => return not_taken(context, "a collection", other, args),
    })
}

fn is_empty(context: &mut Context<'_>, args: &[Value]) -> EvalResult<bool> {
    match arg(args, 0) {
        Value::Str(text) => Ok(text.is_empty()),
        _ => Ok(length(context, args)? == 0),
    }
}

/// Returns the first argument, which is a vector, or nil for an empty vector.
fn vector_only(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult<Vector> {
    match take(args, 0) {
        Value::Vector(items) => Ok(items),
        Value::Nil => Ok(Vector::default()),
        other => not_taken(context, "a vector", &other, args),
    }
}

fn subvec(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult {
    let mut items = vector_only(context, args)?;
    let start = to_integer(context.name, arg(args, 1))?;
    let end = args.get(2).map_or(Ok(items.len() as i64), |end| to_integer(context.name, end))?;
    let range = usize::try_from(start).ok().zip(usize::try_from(end).ok());
    let Some((start, end)) = range.filter(|(start, end)| start <= end && *end <= items.len()) else {
        let message = format!("there is no part from {start} to {end} of a vector of {} elements", items.len());
        return error_with_hint("type_error", message, "`(take n (drop start v))` takes what is there");
    };
    part(context, &mut items, start, end)?;
    Ok(Value::Vector(items))
}
