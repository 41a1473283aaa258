//! Collections made of arguments, of numbers, or of the elements of other collections.

use super::arguments::{all_fit, arg, count, elements, not_taken, size, take};
use super::closures::made;
use super::comparators::keeping_order;
use super::endless::iterate;
use super::filling::{FEW, Rest, add, add_all, fill, is_large_map, to_set};
use super::{ANY, plain, steps, transducers};
use crate::lisp::fault::EvalResult;
use crate::lisp::native::{Begin, Builtin, Context};
use crate::lisp::number::{Arithmetic, Number, arithmetic, order, to_number};
use crate::lisp::sequence::collected;
use crate::value::{Map, Value, Vector, taken};
use crate::work;

pub(super) const ROWS: &[Builtin] = &[
    plain("combinations", "coll n", (2, 2), "All ways to choose n elements, in order.", combinations),
    plain("concat", "coll …", (0, ANY), "The elements of all collections in one vector.", |context, args| {
        let (mut inputs, _) = inputs(context, args, 0)?;
        let first =
            if inputs.first().is_some_and(|first| !first.is_shared()) { inputs.remove(0) } else { Vector::default() };
        append_all(context, first.into_vec(), inputs)
    }),
    steps("conj", "coll x …", (0, ANY), "The collection with elements added: to a vector at its end.", conj),
    plain("cons", "x coll", (2, 2), "A vector of x and then the elements.", list_star),
    plain("flatten", "coll", (1, 1), "The elements of nested vectors, all on one level.", flatten),
    steps("frequencies", "coll", (1, 1), "A map of how often each element occurs.", |context, args| {
        let items = elements(context, args, 0)?;
        context.meter.elements(items.len())?;
        let mut rest = Rest::new(items);
        fill(context, Value::Map(Map::default()), rest.len(), move |_, _, counts| {
            if let (Value::Map(counts), Some(item)) = (counts, rest.next()) {
                match counts.slot(item) {
                    Value::Int(count) => *count += 1,
                    new => *new = Value::Int(1),
                }
            }
            Ok(true)
        })
    }),
    steps("hash-set", "x …", (0, ANY), "A set of the arguments.", |context, args| {
        context.meter.elements(args.len())?;
        to_set(context, taken(args).into())
    }),
    plain(
        "interleave",
        "coll …",
        (0, ANY),
        "The first elements of all, then the second ones, and so on.",
        |context, args| {
            let (inputs, rows) = inputs(context, args, 0)?;
            context.meter.elements(rows.saturating_mul(inputs.len()))?;
            let mut all = Vec::with_capacity(rows * inputs.len());
            for row in 0..rows {
                all.extend(inputs.iter().filter_map(|input| input.get(row).cloned()));
            }
            Ok(Value::from(all))
        },
    ),
    plain("interpose", "sep coll", (2, 2), "The elements with sep between.", |context, args| {
        let items = elements(context, args, 1)?;
        let separator = take(args, 0);
        context.meter.elements(items.len() * 2)?;
        let mut all = Vec::with_capacity(items.len() * 2);
        for item in items.iter() {
            if !all.is_empty() {
                all.push(separator.clone());
            }
            all.push(item.clone());
        }
        Ok(Value::from(all))
    }),
    steps("into", "to from, to xform from", (0, 3), "The collection `to` with the elements of `from` added.", into),
    plain("list", "x …", (0, ANY), "A vector of the arguments: lists are vectors.", vector),
    plain("list*", "x … coll", (1, ANY), "A vector of the arguments and then the elements of the last.", list_star),
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
    plain(
        "range",
        "end, start end, start end step",
        (0, 3),
        "Numbers from start (0) up to end, which is left out; without arguments all from 0 on.",
        range,
    ),
    plain("repeat", "n x, x", (1, 2), "A vector of n times x; without n endless.", |context, args| {
        if args.len() == 1 {
            return Ok(iterate(Value::Builtin("identity".into()), take(args, 0)));
        }
        let n = count(context, args, 0)?;
        context.meter.elements(n)?;
        let value = take(args, 1);
        Ok(Value::from(vec![value; n]))
    }),
    steps("set", "coll", (1, 1), "A set of the elements.", |context, args| {
        if let Value::Set(_) = arg(args, 0) {
            return Ok(Begin::Done(take(args, 0)));
        }
        let items = elements(context, args, 0)?;
        context.meter.elements(items.len())?;
        to_set(context, items)
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
            let (inputs, rows) = inputs(context, args, 0)?;
            context.meter.elements(rows.saturating_mul(inputs.len() + 1))?;
            let row = |row: usize| Value::vector(inputs.iter().filter_map(|input| input.get(row).cloned()));
            collected(context.meter, (0..rows).map(row)).map(Value::Vector)
        },
    ),
];

fn vector(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult {
    context.meter.elements(args.len())?;
    Ok(Value::vector(args.iter_mut().map(std::mem::take)))
}

/// Returns the elements of the arguments from a position on, and the length of the shortest.
pub(super) fn inputs(context: &mut Context<'_>, args: &mut [Value], from: usize) -> EvalResult<(Vec<Vector>, usize)> {
    let mut inputs = Vec::with_capacity(args.len() - from);
    for position in from..args.len() {
        inputs.push(elements(context, args, position)?);
    }
    let rows = inputs.iter().map(Vector::len).min().unwrap_or_default();
    Ok((inputs, rows))
}

/// Appends the elements of vectors to `all`.
fn append_all(context: &mut Context<'_>, all: Vec<Value>, inputs: Vec<Vector>) -> EvalResult {
    let (mut all, added) = (all, inputs.iter().map(Vector::len).sum());
    all_fit(context, all.len(), added)?;
    match all.is_empty() {
        true => all.reserve_exact(added),
        // Reserves room for more, because the next call may append to this vector.
        false => all.reserve(added),
    }
    for items in inputs {
        match items.is_shared() {
            true => all.extend_from_slice(items.as_slice()),
            false => all.extend(items.into_vec()),
        }
    }
    Ok(Value::from(all))
}

fn list_star(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult {
    let last = args.len() - 1;
    context.meter.elements(last)?;
    let items = elements(context, args, last)?;
    let all = taken(&mut args[..last]);
    append_all(context, all, vec![items])
}

fn conj(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult<Begin> {
    let Some((collection, items)) = args.split_first_mut() else { return Ok(Begin::Done(Value::vector([]))) };
    let mut collection = std::mem::take(collection);
    context.meter.copying(&collection, None)?;
    if items.len() > FEW || items.iter().any(is_large_map) || collection.key_order().is_some() {
        let items = taken(items).into();
        return keeping_order(context, collection, |context, collection| add_all(context, collection, items));
    }
    for item in items {
        add(context, &mut collection, std::mem::take(item))?;
    }
    match collection {
        collection if collection.is_collection() => Ok(Begin::Done(collection)),
        Value::Nil => Ok(Begin::Done(Value::Nil)),
        other => not_taken(context, "a collection first", &other, args),
    }
}

fn into(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult<Begin> {
    if args.len() == 3 {
        transducers::check(context, &args[1])?;
        let call = made("to xform from", "([to xform from] (clojure.core/into to (xform from)))", Vec::new());
        return Ok(Begin::Call(call, taken(args)));
    }
    let to = if args.is_empty() { Value::vector([]) } else { take(args, 0) };
    if args.len() < 2 {
        return Ok(Begin::Done(to));
    }
    if !to.is_collection() && !matches!(to, Value::Nil) {
        return not_taken(context, "a collection first", &to, args);
    }
    let items = elements(context, args, 1)?;
    context.meter.copying(&to, None)?;
    match to {
        Value::Vector(vector) if vector.is_shared() => {
            work::copied(vector.len());
            let mut all = Vec::with_capacity(vector.len() + items.len());
            all.extend_from_slice(vector.as_slice());
            append_all(context, all, vec![items]).map(Begin::Done)
        }
        Value::Vector(vector) => append_all(context, vector.into_vec(), vec![items]).map(Begin::Done),
        to => keeping_order(context, to, |context, to| add_all(context, to, items)),
    }
}

fn flatten(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult {
    let Value::Vector(items) = take(args, 0) else { return Ok(Value::vector([])) };
    // The remaining elements of each vector that is being visited, innermost last.
    let (mut flat, mut open) = (Vec::new(), vec![Rest::new(items)]);
    while let Some(level) = open.last_mut() {
        match level.next() {
            Some(Value::Vector(inner)) => {
                context.meter.visit(1)?;
                open.push(Rest::new(inner));
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

fn partition(context: &mut Context<'_>, args: &mut [Value], rest: bool) -> EvalResult {
    let n = size(context, args, 0)?;
    let step = if args.len() > 2 { size(context, args, 1)? } else { n };
    let pad = if args.len() > 3 { Some(elements(context, args, 2)?) } else { None };
    let items = elements(context, args, args.len() - 1)?;
    let max = items.len().div_ceil(step);
    context.meter.elements(max)?;
    let bytes = max.saturating_mul(n.min(items.len())).saturating_mul(size_of::<Value>());
    context.meter.allocate(bytes as u64)?;
    // Only the last groups can be incomplete, and only the first incomplete group is padded.
    let complete = items.len().checked_sub(n).map_or(0, |last| last / step + 1);
    let rows = match (rest, &pad) {
        (true, _) => max,
        (false, Some(_)) => max.min(complete + 1),
        (false, None) => complete,
    };
    context.meter.visit(rows.saturating_mul(n.min(items.len())))?;
    let group = |row: usize| {
        let start = row * step;
        let group = &items.as_slice()[start..items.len().min(start.saturating_add(n))];
        Value::vector(group.iter().chain(pad.iter().flat_map(Vector::iter)).take(n).cloned())
    };
    collected(context.meter, (0..rows).map(group)).map(Value::Vector)
}

fn range(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult {
    let (zero, one) = (Value::Int(0), Value::Int(1));
    let (start, end, step) = match args {
        [start, end, step] => (&*start, &*end, &*step),
        [start, end] => (&*start, &*end, &one),
        [end, ..] => (&zero, &*end, &one),
        [] => return Ok(iterate(Value::Builtin("inc".into()), zero)),
    };
    if let (Value::Int(start), Value::Int(end), Value::Int(step)) = (start, end, step) {
        let (start, end, step) = (*start, *end, *step);
        let count = match step {
            0 => 0,
            step if (step > 0) == (start < end) => start.abs_diff(end).div_ceil(step.unsigned_abs()),
            _ => 0,
        };
        let count = count.try_into().unwrap_or(usize::MAX);
        context.meter.elements(count)?;
        // The product alone may be too large where the sum is not.
        let number = move |index: usize| Value::Int(start.wrapping_add((index as i64).wrapping_mul(step)));
        return Ok(Value::vector((0..count).map(number)));
    }
    let (first, last, by) = (to_number("range", start)?, to_number("range", end)?, to_number("range", step)?);
    let zero = Number::Int(0);
    let Some(direction) = order(&by, &zero).filter(|direction| direction.is_ne()) else {
        return Ok(Value::vector([]));
    };
    let (mut all, mut next, mut position) = (Vec::new(), start.clone(), first);
    while order(&last, &position) == Some(direction) {
        all_fit(context, all.len(), 1)?;
        all.push(next.clone());
        next = arithmetic(Arithmetic::Add, &next, step)?;
        position = to_number("range", &next)?;
    }
    Ok(Value::from(all))
}

fn combinations(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult {
    let n = count(context, args, 1)?;
    let items = elements(context, args, 0)?;
    if n > items.len() {
        return Ok(Value::vector([]));
    }
    // Computes the binomial coefficient, one more element in each step. Stops at 2^32, because no limit allows more.
    let min = n.min(items.len() - n) as u64;
    let choices = (1..=min).try_fold(1_u64, |choices, chosen| {
        Some(choices.checked_mul(items.len() as u64 - min + chosen)? / chosen).filter(|choices| *choices < 1 << 32)
    });
    let choices = choices.unwrap_or(u64::MAX).try_into().unwrap_or(usize::MAX);
    context.meter.elements(choices)?;
    context.meter.allocate((choices.saturating_mul(n) * size_of::<Value>()) as u64)?;
    context.meter.visit(choices.saturating_mul(n))?;
    let mut chosen = Vec::from_iter(0..n);
    let choice = |_| {
        let choice = Value::vector(chosen.iter().filter_map(|position| items.get(*position).cloned()));
        // Advances the last position that can move, and puts the later ones right after it.
        if let Some(moving) = (0..n).rev().find(|position| chosen[*position] < items.len() - n + position) {
            let start = chosen[moving] + 1;
            chosen[moving..].iter_mut().enumerate().for_each(|(offset, slot)| *slot = start + offset);
        }
        choice
    };
    collected(context.meter, (0..choices).map(choice)).map(Value::Vector)
}
