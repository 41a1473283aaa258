//! Sequences, without calling functions. All are vectors.

use super::arguments::{arg, count, elements, not_taken, size, take};
use super::{ANY, Row, plain};
use crate::lisp::equality::equal;
use crate::lisp::fault::{Outcome, error_with_hint};
use crate::lisp::native::Context;
use crate::lisp::number::{Arithmetic, Number, arithmetic, order, to_integer, to_number};
use crate::lisp::sequence::{character_at, characters, pair};
use crate::value::{Map, Set, Value, Vector, taken};

pub(super) const ROWS: &[Row] = &[
    plain("butlast", "coll", (1, 1), "All elements but the last; nil when there are none.", |context, args| {
        let mut items = elements(context, args, 0)?;
        shorten(context, &mut items, 1)?;
        Ok(or_nil(items))
    }),
    plain("combinations", "coll n", (2, 2), "All ways to choose n elements, in order.", combinations),
    plain("concat", "coll …", (0, ANY), "The elements of all collections in one vector.", |context, args| {
        let mut all = Vec::new();
        for place in 0..args.len() {
            pour(context, args, place, &mut all)?;
        }
        Ok(Value::from(all))
    }),
    plain("conj", "coll x …", (0, ANY), "The collection with elements added: to a vector at its end.", conj),
    plain("cons", "x coll", (2, 2), "A vector of x and then the elements.", list_star),
    plain("count", "coll", (1, 1), "How many elements there are; characters of a string.", |context, args| {
        Ok(Value::Int(length(context, args)? as i64))
    }),
    plain("dedupe", "coll", (1, 1), "The elements without those that equal the one before.", |context, args| {
        let mut items = elements(context, args, 0)?.into_vec();
        context.meter.elements(items.len())?;
        items.dedup_by(|next, before| equal(before, next));
        Ok(Value::from(items))
    }),
    plain("distinct", "coll", (1, 1), "The elements without those that came before.", |context, args| {
        let items = elements(context, args, 0)?;
        context.meter.elements(items.len())?;
        let set = Set::from(items.as_slice().to_vec());
        Ok(Value::vector(set.iter().cloned()))
    }),
    plain("distinct?", "x …", (1, ANY), "True when no two are the same.", |_, args| {
        let count = args.len();
        let set = Set::from(taken(args));
        Ok(Value::Bool(set.len() == count))
    }),
    plain("doall", "coll", (1, 1), "The collection itself: nothing is lazy.", |_, args| Ok(take(args, 0))),
    plain("dorun", "coll", (1, 1), "nil: nothing is lazy.", |_, _| Ok(Value::Nil)),
    plain("drop", "n coll", (2, 2), "The elements behind the first n.", |context, args| {
        let n = count(context, args, 0)?;
        let items = elements(context, args, 1)?;
        from(context, items, n)
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
            Value::Map(_) => Value::map([]),
            Value::Set(_) => Value::set([]),
            _ => Value::Nil,
        })
    }),
    plain("empty?", "coll", (1, 1), "True without elements, and for nil.", |context, args| {
        is_empty(context, args).map(Value::Bool)
    }),
    plain("ffirst", "coll", (1, 1), "The first element of the first element.", |context, args| {
        let mut first = [nth_of(context, args, 0, 0)?];
        nth_of(context, &mut first, 0, 0)
    }),
    plain("first", "coll", (1, 1), "The first element; nil when there is none.", |context, args| {
        nth_of(context, args, 0, 0)
    }),
    plain("flatten", "coll", (1, 1), "The elements of nested vectors, all on one level.", flatten),
    plain("fnext", "coll", (1, 1), "The second element; nil when there is none.", |context, args| {
        nth_of(context, args, 0, 1)
    }),
    plain("frequencies", "coll", (1, 1), "A map of how often each element occurs.", |context, args| {
        let items = elements(context, args, 0)?;
        context.meter.elements(items.len())?;
        let mut counts = Map::default();
        for item in items.iter() {
            match counts.slot(item.clone()) {
                Value::Int(count) => *count += 1,
                new => *new = Value::Int(1),
            }
        }
        Ok(Value::Map(counts))
    }),
    plain("hash-set", "x …", (0, ANY), "A set of the arguments.", |context, args| {
        context.meter.elements(args.len())?;
        Ok(Value::set(args.iter_mut().map(std::mem::take)))
    }),
    plain(
        "interleave",
        "coll …",
        (0, ANY),
        "The first elements of all, then the second ones, and so on.",
        |context, args| {
            let (inputs, rows) = inputs(context, args)?;
            context.meter.elements(rows.saturating_mul(inputs.len()))?;
            let items = (0..rows).flat_map(|row| inputs.iter().filter_map(move |input| input.get(row).cloned()));
            Ok(Value::vector(items))
        },
    ),
    plain("interpose", "sep coll", (2, 2), "The elements with sep between.", |context, args| {
        let items = elements(context, args, 1)?;
        context.meter.elements(items.len() * 2)?;
        let mut all = Vec::with_capacity(items.len() * 2);
        for item in items.iter() {
            if !all.is_empty() {
                all.push(arg(args, 0).clone());
            }
            all.push(item.clone());
        }
        Ok(Value::from(all))
    }),
    plain("into", "to from", (0, 3), "The collection `to` with the elements of `from` added.", into),
    plain("last", "coll", (1, 1), "The last element; nil when there is none.", |context, args| {
        let items = elements(context, args, 0)?;
        Ok(items.as_slice().last().cloned().unwrap_or_default())
    }),
    plain("list", "x …", (0, ANY), "A vector of the arguments: lists are vectors.", vector),
    plain("list*", "x … coll", (1, ANY), "A vector of the arguments and then the elements of the last.", list_star),
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
    plain("nth", "coll index, coll index default", (2, 3), "The element at an index; nil or default outside.", nth),
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
    plain(
        "partition",
        "n coll, n step coll, n step pad coll",
        (2, 4),
        "Groups of n elements, without a rest that is smaller.",
        |context, args| partition(context, args, false),
    ),
    plain(
        "partition-all",
        "n coll, n step coll",
        (2, 3),
        "Groups of n elements; the last ones may be smaller.",
        |context, args| partition(context, args, true),
    ),
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
    plain(
        "range",
        "end, start end, start end step",
        (1, 3),
        "Numbers from start (0) up to end, which is left out.",
        range,
    ),
    plain("repeat", "n x", (2, 2), "A vector of n times x.", |context, args| {
        let n = count(context, args, 0)?;
        context.meter.elements(n)?;
        Ok(Value::vector(std::iter::repeat_n(take(args, 1), n)))
    }),
    plain("rest", "coll", (1, 1), "The elements behind the first.", |context, args| {
        let items = elements(context, args, 0)?;
        from(context, items, 1)
    }),
    plain("reverse", "coll", (1, 1), "The elements from the last to the first.", |context, args| {
        reversed(context, args).map(Value::Vector)
    }),
    plain(
        "rseq",
        "coll",
        (1, 1),
        "The elements from the last to the first; nil when there are none.",
        |context, args| reversed(context, args).map(or_nil),
    ),
    plain("second", "coll", (1, 1), "The second element; nil when there is none.", |context, args| {
        nth_of(context, args, 0, 1)
    }),
    plain("seq", "coll", (1, 1), "The elements as a vector; nil when there are none.", |context, args| {
        elements(context, args, 0).map(or_nil)
    }),
    plain("set", "coll", (1, 1), "A set of the elements.", |context, args| {
        if let Value::Set(_) = arg(args, 0) {
            return Ok(take(args, 0));
        }
        let items = elements(context, args, 0)?;
        context.meter.elements(items.len())?;
        Ok(Value::set(items.into_vec()))
    }),
    plain("split-at", "n coll", (2, 2), "The first n elements, and the others.", |context, args| {
        let n = count(context, args, 0)?;
        let items = elements(context, args, 1)?;
        context.meter.elements(items.len())?;
        Ok(split(&items, n))
    }),
    plain("subvec", "v start, v start end", (2, 3), "The elements from start up to end, which is left out.", subvec),
    plain("take", "n coll", (2, 2), "The first n elements.", |context, args| {
        let n = count(context, args, 0)?;
        let mut items = elements(context, args, 1)?;
        let drop = items.len().saturating_sub(n);
        shorten(context, &mut items, drop)?;
        Ok(Value::Vector(items))
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
    plain("vec", "coll", (1, 1), "A vector of the elements.", |context, args| {
        elements(context, args, 0).map(Value::Vector)
    }),
    plain("vector", "x …", (0, ANY), "A vector of the arguments.", vector),
    plain(
        "zip",
        "coll …",
        (1, ANY),
        "Vectors of the first elements of all, of the second ones, and so on.",
        |context, args| {
            let (inputs, rows) = inputs(context, args)?;
            context.meter.elements(rows.saturating_mul(inputs.len() + 1))?;
            let row = |row| Value::vector(inputs.iter().filter_map(|input| input.get(row).cloned()));
            Ok(Value::vector((0..rows).map(row)))
        },
    ),
];

fn or_nil(items: Vector) -> Value {
    if items.is_empty() { Value::Nil } else { Value::Vector(items) }
}

fn vector(context: &mut Context<'_>, args: &mut [Value]) -> Outcome {
    context.meter.elements(args.len())?;
    Ok(Value::vector(args.iter_mut().map(std::mem::take)))
}

/// Takes elements off the end.
fn shorten(context: &mut Context<'_>, items: &mut Vector, drop: usize) -> Outcome<()> {
    let keep = items.len().saturating_sub(drop);
    context.meter.visit(drop / 16)?;
    part(context, items, 0, keep)
}

/// Keeps the elements between two indexes.
fn part(context: &mut Context<'_>, items: &mut Vector, start: usize, end: usize) -> Outcome<()> {
    if end - start < items.len() {
        let copied = items.keep(start, end);
        context.meter.copies(copied)?;
    }
    Ok(())
}

/// The elements from an index on.
fn from(context: &mut Context<'_>, items: Vector, start: usize) -> Outcome {
    let mut items = items;
    let end = items.len();
    part(context, &mut items, start.min(end), end)?;
    Ok(Value::Vector(items))
}

fn from_or_nil(context: &mut Context<'_>, items: Vector, start: usize) -> Outcome {
    if start >= items.len() { Ok(Value::Nil) } else { from(context, items, start) }
}

/// The elements before an index, and those from there on.
pub(super) fn split(items: &Vector, place: usize) -> Value {
    let (left, right) = items.as_slice().split_at(place.min(items.len()));
    pair(&Value::vector(left.iter().cloned()), &Value::vector(right.iter().cloned()))
}

fn reversed(context: &mut Context<'_>, args: &mut [Value]) -> Outcome<Vector> {
    let mut items = elements(context, args, 0)?;
    context.meter.elements(items.len())?;
    items.to_mut().reverse();
    Ok(items)
}

/// The element of an argument at an index; nil outside.
fn nth_of(context: &mut Context<'_>, args: &mut [Value], place: usize, index: usize) -> Outcome {
    Ok(match arg(args, place) {
        Value::Vector(items) => items.get(index).cloned().unwrap_or_default(),
        Value::Str(text) => character_at(text, index),
        Value::Map(map) => map.iter().nth(index).map(|(key, value)| pair(key, value)).unwrap_or_default(),
        Value::Set(items) => items.iter().nth(index).cloned().unwrap_or_default(),
        Value::Nil => Value::Nil,
        other => return not_taken(context, "a collection", &other.clone(), args),
    })
}

fn nth(context: &mut Context<'_>, args: &mut [Value]) -> Outcome {
    if !matches!(arg(args, 1), Value::Int(_) | Value::Float(_)) {
        return not_taken(context, "an index behind the collection", arg(args, 1), args);
    }
    let found = match usize::try_from(to_integer(context.name, arg(args, 1))?) {
        Ok(index) if index < length(context, args)? => Some(nth_of(context, args, 0, index)?),
        _ => None,
    };
    length(context, args)?;
    Ok(found.unwrap_or_else(|| take(args, 2)))
}

/// How many elements the first argument has.
fn length(context: &mut Context<'_>, args: &[Value]) -> Outcome<usize> {
    Ok(match arg(args, 0) {
        Value::Vector(items) => items.len(),
        Value::Map(entries) => entries.len(),
        Value::Set(items) => items.len(),
        Value::Nil => 0,
        Value::Str(text) => {
            context.meter.visit(text.len() / 16)?;
            characters(text).count()
        }
        other => return not_taken(context, "a collection", other, args),
    })
}

fn is_empty(context: &mut Context<'_>, args: &[Value]) -> Outcome<bool> {
    match arg(args, 0) {
        Value::Str(text) => Ok(text.is_empty()),
        _ => Ok(length(context, args)? == 0),
    }
}

/// The vector that the first argument must be; nil has no elements.
fn vector_only(context: &mut Context<'_>, args: &mut [Value]) -> Outcome<Vector> {
    match take(args, 0) {
        Value::Vector(items) => Ok(items),
        Value::Nil => Ok(Vector::default()),
        other => not_taken(context, "a vector", &other, args),
    }
}

/// The elements of all arguments, and how many the shortest has.
pub(super) fn inputs(context: &mut Context<'_>, args: &mut [Value]) -> Outcome<(Vec<Vector>, usize)> {
    let mut inputs = Vec::new();
    for place in 0..args.len() {
        inputs.push(elements(context, args, place)?);
    }
    let rows = inputs.iter().map(Vector::len).min().unwrap_or_default();
    Ok((inputs, rows))
}

/// Adds the elements of an argument to others.
pub(super) fn pour(context: &mut Context<'_>, args: &mut [Value], place: usize, all: &mut Vec<Value>) -> Outcome<()> {
    let items = elements(context, args, place)?;
    all_fit(context, all.len(), items.len())?;
    all.extend(items.into_vec());
    Ok(())
}

/// Counts elements that are added to others, of which there may not be too many then.
pub(super) fn all_fit(context: &mut Context<'_>, there: usize, added: usize) -> Outcome<()> {
    if there + added > context.meter.limits.collection_size {
        context.meter.elements(there + added)?;
    }
    context.meter.elements(added)
}

fn list_star(context: &mut Context<'_>, args: &mut [Value]) -> Outcome {
    let last = args.len() - 1;
    context.meter.elements(last)?;
    let items = elements(context, args, last)?;
    let mut all = taken(&mut args[..last]);
    all_fit(context, all.len(), items.len())?;
    all.extend(items.into_vec());
    Ok(Value::from(all))
}

fn conj(context: &mut Context<'_>, args: &mut [Value]) -> Outcome {
    let Some((collection, items)) = args.split_first_mut() else { return Ok(Value::vector([])) };
    let mut collection = std::mem::take(collection);
    for item in items {
        add(context, &mut collection, std::mem::take(item))?;
    }
    match collection {
        collection if collection.is_collection() => Ok(collection),
        Value::Nil => Ok(Value::Nil),
        other => not_taken(context, "a collection first", &other, args),
    }
}

/// Adds an element to a collection: an entry, several or none to a map.
pub(super) fn add(context: &mut Context<'_>, collection: &mut Value, item: Value) -> Outcome<()> {
    match collection {
        Value::Vector(items) => {
            all_fit(context, items.len(), 1)?;
            items.push(item);
        }
        Value::Nil => *collection = Value::vector([item]),
        Value::Set(items) => {
            all_fit(context, items.len(), 1)?;
            items.insert(item);
        }
        Value::Map(map) => add_entries(context, map, item)?,
        other => return not_taken(context, "a collection first", &other.clone(), &[item]),
    }
    Ok(())
}

/// Adds an entry `[key value]`, the entries of a map, or nothing to a map.
pub(super) fn add_entries(context: &mut Context<'_>, map: &mut Map, item: Value) -> Outcome<()> {
    match &item {
        Value::Vector(entry) => {
            if let [key, value] = entry.as_slice() {
                all_fit(context, map.len(), 1)?;
                map.insert(key.clone(), value.clone());
                return Ok(());
            }
        }
        Value::Map(more) => {
            all_fit(context, map.len(), more.len())?;
            more.iter().for_each(|(key, value)| map.insert(key.clone(), value.clone()));
            return Ok(());
        }
        Value::Nil => return Ok(()),
        _ => {}
    }
    let message =
        format!("`{}` adds entries `[key value]` to a map, got {}", context.name, crate::lisp::fault::describe(&item));
    error_with_hint(
        "type_error",
        message,
        "write `(assoc m key value)`, or make entries: `(into {} (map (fn [x] [(:id x) x]) coll))`",
    )
}

fn into(context: &mut Context<'_>, args: &mut [Value]) -> Outcome {
    if args.len() == 3 {
        return error_with_hint(
            "arity_error",
            "`into` takes 2 arguments, got 3",
            "there are no transducers: write `(into [] (map f coll))`",
        );
    }
    let mut to = if args.is_empty() { Value::vector([]) } else { take(args, 0) };
    if args.len() < 2 {
        return Ok(to);
    }
    if !to.is_collection() && !matches!(to, Value::Nil) {
        return not_taken(context, "a collection first", &to, args);
    }
    let items = elements(context, args, 1)?;
    match &mut to {
        Value::Vector(vector) => {
            all_fit(context, vector.len(), items.len())?;
            vector.to_mut().extend(items.into_vec());
        }
        _ => {
            for item in items.into_vec() {
                add(context, &mut to, item)?;
            }
        }
    }
    Ok(to)
}

fn flatten(context: &mut Context<'_>, args: &mut [Value]) -> Outcome {
    let Value::Vector(items) = take(args, 0) else { return Ok(Value::vector([])) };
    let mut flat = Vec::new();
    let mut open = vec![items.into_vec().into_iter()];
    while let Some(level) = open.last_mut() {
        match level.next() {
            Some(Value::Vector(inner)) => {
                context.meter.visit(1)?;
                open.push(inner.into_vec().into_iter());
            }
            Some(item) => {
                all_fit(context, flat.len(), 1)?;
                flat.push(item);
            }
            None => drop(open.pop()),
        }
    }
    Ok(Value::from(flat))
}

fn partition(context: &mut Context<'_>, args: &mut [Value], rest: bool) -> Outcome {
    let n = size(context, args, 0)?;
    let step = if args.len() > 2 { size(context, args, 1)? } else { n };
    let pad = if args.len() > 3 { Some(elements(context, args, 2)?) } else { None };
    let items = elements(context, args, args.len() - 1)?;
    let most = items.len().div_ceil(step);
    context.meter.elements(most)?;
    let bytes = most.saturating_mul(n.min(items.len())).saturating_mul(size_of::<Value>());
    context.meter.allocate(bytes as u64)?;
    let mut groups = Vec::new();
    for start in (0..items.len()).step_by(step) {
        let group = &items.as_slice()[start..items.len().min(start.saturating_add(n))];
        context.meter.visit(group.len())?;
        if group.len() < n && !rest {
            if let Some(pad) = &pad {
                groups.push(Value::vector(group.iter().chain(pad.iter()).take(n).cloned()));
            }
            break;
        }
        groups.push(Value::vector(group.iter().cloned()));
    }
    Ok(Value::from(groups))
}

fn range(context: &mut Context<'_>, args: &mut [Value]) -> Outcome {
    let (zero, one) = (Value::Int(0), Value::Int(1));
    let (start, end, step) = match args {
        [start, end, step] => (&*start, &*end, &*step),
        [start, end] => (&*start, &*end, &one),
        [end, ..] => (&zero, &*end, &one),
        [] => return Ok(Value::Nil),
    };
    if let (Value::Int(start), Value::Int(end), Value::Int(step)) = (start, end, step) {
        let (start, end, step) = (*start, *end, *step);
        let count = match step {
            0 => 0,
            step if step > 0 => (end.saturating_sub(start).max(0) as u64).div_ceil(step as u64),
            step => (start.saturating_sub(end).max(0) as u64).div_ceil(step.unsigned_abs()),
        };
        context.meter.elements(count.try_into().unwrap_or(usize::MAX))?;
        return Ok(Value::vector((0..count as i64).map(|index| Value::Int(start + index * step))));
    }
    let (first, last, by) = (to_number("range", start)?, to_number("range", end)?, to_number("range", step)?);
    let zero = Number::Int(0);
    let (mut all, mut next) = (Vec::new(), start.clone());
    let Some(direction) = order(&by, &zero).filter(|direction| direction.is_ne()) else {
        return Ok(Value::from(all));
    };
    let mut place = first;
    while order(&last, &place) == Some(direction) {
        all_fit(context, all.len(), 1)?;
        all.push(next.clone());
        next = arithmetic(Arithmetic::Add, &next, step)?;
        place = to_number("range", &next)?;
    }
    Ok(Value::from(all))
}

fn subvec(context: &mut Context<'_>, args: &mut [Value]) -> Outcome {
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

fn combinations(context: &mut Context<'_>, args: &mut [Value]) -> Outcome {
    let n = count(context, args, 1)?;
    let items = elements(context, args, 0)?;
    if n > items.len() {
        return Ok(Value::vector([]));
    }
    // Each factor makes the number of choices of one more element; more than fit are not counted.
    let least = n.min(items.len() - n) as u64;
    let choices = (1..=least).try_fold(1_u64, |choices, chosen| {
        Some(choices.checked_mul(items.len() as u64 - least + chosen)? / chosen).filter(|choices| *choices < 1 << 32)
    });
    let choices = choices.unwrap_or(u64::MAX).try_into().unwrap_or(usize::MAX);
    context.meter.elements(choices)?;
    context.meter.allocate((choices.saturating_mul(n) * size_of::<Value>()) as u64)?;
    let (mut all, mut chosen) = (Vec::with_capacity(choices), Vec::from_iter(0..n));
    loop {
        context.meter.visit(n)?;
        all.push(Value::vector(chosen.iter().filter_map(|place| items.get(*place).cloned())));
        // The last choice that can move on takes those behind it along.
        let Some(moving) = (0..n).rev().find(|place| chosen[*place] < items.len() - n + place) else {
            return Ok(Value::from(all));
        };
        let start = chosen[moving] + 1;
        chosen[moving..].iter_mut().enumerate().for_each(|(offset, place)| *place = start + offset);
    }
}
