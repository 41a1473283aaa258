//! Collections made of arguments, of numbers, or of the elements of other collections.

use super::arguments::{arg, convert_long_args, count, elements, not_taken, size, take};
use super::copies::copy_if_shared;
use super::pieces::{Building, Rest, add, add_in_pieces, fill, fill_vector, insert};
use super::sequences::all_fit;
use super::{ANY, plain, steps};
use crate::lisp::fault::{EvalResult, error_with_hint};
use crate::lisp::native::{Begin, Builtin, Context, ELEMENTS_PER_STEP, Next, Steps};
use crate::lisp::number::{Arithmetic, Number, arithmetic, order, to_number};
use crate::lisp::sequence::{LONG, is_long};
use crate::value::garbage::Values;
use crate::value::{Change, Map, Value, Vector, taken};
use crate::work::large;

/// The largest total number of elements of vectors that are joined without a pause.
const FEW: usize = large(2500);

/// The number of elements that are copied between two possible pauses.
const PART: usize = large(1000);

pub(super) const ROWS: &[Builtin] = &[
    plain("combinations", "coll n", (2, 2), "All ways to choose n elements, in order.", combinations),
    plain("concat", "coll …", (0, ANY), "The elements of all collections in one vector.", |context, args| {
        let is_few = |arg: &Value| matches!(arg, Value::Vector(items) if items.len() <= FEW);
        if args.len() <= 4 && args.iter().all(is_few) {
            let mut all = Vec::new();
            for position in 0..args.len() {
                let items = elements(context, args, position)?;
                all_fit(context, all.len(), items.len())?;
                all.extend(items.into_vec());
            }
            return Ok(Value::from(all));
        }
        let (mut inputs, _) = inputs(context, args, 0)?;
        let first =
            if inputs.first().is_some_and(|first| !first.is_shared()) { inputs.remove(0) } else { Vector::default() };
        append_all(context, first.into_vec(), inputs)
    }),
    plain("conj", "coll x …", (0, ANY), "The collection with elements added: to a vector at its end.", conj),
    plain("cons", "x coll", (2, 2), "A vector of x and then the elements.", list_star),
    steps("flatten", "coll", (1, 1), "The elements of nested vectors, all on one level.", flatten),
    steps("frequencies", "coll", (1, 1), "A map of how often each element occurs.", |context, args| {
        let items = elements(context, args, 0)?;
        context.meter.elements(items.len())?;
        Building::begin(context, Value::Map(Map::default()), items, |_, counts, item| {
            if let Value::Map(counts) = counts {
                match counts.slot(item) {
                    Value::Int(count) => *count += 1,
                    new => *new = Value::Int(1),
                }
            }
            Ok(())
        })
    }),
    steps("hash-set", "x …", (0, ANY), "A set of the arguments.", |context, args| {
        context.meter.elements(args.len())?;
        Building::begin(context, Value::set([]), taken(args).into(), insert)
    }),
    plain(
        "interleave",
        "coll …",
        (0, ANY),
        "The first elements of all, then the second ones, and so on.",
        |context, args| {
            let (inputs, rows) = inputs(context, args, 0)?;
            context.meter.elements(rows.saturating_mul(inputs.len()))?;
            fill_vector(context, (rows * inputs.len(), rows, inputs.len()), move |_, row, all| {
                all.extend(inputs.iter().filter_map(|input| input.get(row).cloned()));
                Ok(())
            })
        },
    ),
    plain("interpose", "sep coll", (2, 2), "The elements with sep between.", |context, args| {
        let items = elements(context, args, 1)?;
        let separator = take(args, 0);
        context.meter.elements(items.len() * 2)?;
        fill_vector(context, (items.len() * 2, items.len(), 2), move |_, position, all| {
            if position > 0 {
                all.push(separator.clone());
            }
            all.extend(items.get(position).cloned());
            Ok(())
        })
    }),
    steps("into", "to from", (0, 3), "The collection `to` with the elements of `from` added.", into),
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
        (1, 3),
        "Numbers from start (0) up to end, which is left out.",
        range,
    ),
    plain("repeat", "n x", (2, 2), "A vector of n times x.", |context, args| {
        let n = count(context, args, 0)?;
        context.meter.elements(n)?;
        let value = take(args, 1);
        fill_vector(context, (n, n, 1), move |_, _, all| {
            all.push(value.clone());
            Ok(())
        })
    }),
    steps("set", "coll", (1, 1), "A set of the elements.", |context, args| {
        if let Value::Set(_) = arg(args, 0) {
            return Ok(Begin::Done(take(args, 0)));
        }
        let items = elements(context, args, 0)?;
        context.meter.elements(items.len())?;
        Building::begin(context, Value::set([]), items, insert)
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
            fill_vector(context, (rows, rows, inputs.len()), move |_, row, all| {
                all.push(Value::vector(inputs.iter().filter_map(|input| input.get(row).cloned())));
                Ok(())
            })
        },
    ),
];

fn vector(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult {
    context.meter.elements(args.len())?;
    Ok(Value::vector(args.iter_mut().map(std::mem::take)))
}

/// Returns the elements of the arguments from a position on, and the length of the shortest.
pub(super) fn inputs(context: &mut Context<'_>, args: &mut [Value], from: usize) -> EvalResult<(Vec<Vector>, usize)> {
    convert_long_args(context, args, from)?;
    let mut inputs = Vec::with_capacity(args.len() - from);
    for position in from..args.len() {
        inputs.push(elements(context, args, position)?);
    }
    let rows = inputs.iter().map(Vector::len).min().unwrap_or_default();
    Ok((inputs, rows))
}

/// Appends the elements of vectors to `all`, in pieces when they are many.
fn append_all(context: &mut Context<'_>, all: Vec<Value>, inputs: Vec<Vector>) -> EvalResult {
    let (mut all, added) = (all, inputs.iter().map(Vector::len).sum());
    all_fit(context, all.len(), added)?;
    if added <= LONG {
        inputs.into_iter().for_each(|items| all.extend(items.into_vec()));
        return Ok(Value::from(all));
    }
    match all.is_empty() {
        true => all.reserve_exact(added),
        // Reserves room for more, because the next call may append to this vector.
        false => all.reserve(added),
    }
    let parts = inputs.iter().map(|items| items.len().div_ceil(PART)).sum();
    let (mut input, mut start) = (0, 0);
    fill(context, Value::Vector(all.into()), (parts, PART), move |_, _, all| {
        while start >= inputs[input].len() {
            (input, start) = (input + 1, 0);
        }
        let end = inputs[input].len().min(start + PART);
        if let Value::Vector(all) = all {
            all.to_mut().extend_from_slice(&inputs[input].as_slice()[start..end]);
        }
        start = end;
        Ok(())
    })
}

fn list_star(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult {
    let last = args.len() - 1;
    context.meter.elements(last)?;
    let items = elements(context, args, last)?;
    let all = taken(&mut args[..last]);
    append_all(context, all, vec![items])
}

fn conj(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult {
    // An entry or a map that is added to a map may contain any keys.
    match arg(args, 0) {
        Value::Map(_) => copy_if_shared(context, args, |_| Change::Any, 1)?,
        _ => copy_if_shared(context, args, |item| Change::Put(item), 1)?,
    }
    let Some((collection, items)) = args.split_first_mut() else { return Ok(Value::vector([])) };
    let mut collection = std::mem::take(collection);
    if items.len() > LONG || items.iter().any(|item| matches!(item, Value::Map(_)) && is_long(item)) {
        return add_in_pieces(context, collection, taken(items));
    }
    for item in items {
        add(context, &mut collection, std::mem::take(item))?;
    }
    match collection {
        collection if collection.is_collection() => Ok(collection),
        Value::Nil => Ok(Value::Nil),
        other => not_taken(context, "a collection first", &other, args),
    }
}

fn into(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult<Begin> {
    if args.len() == 3 {
        return error_with_hint(
            "arity_error",
            "`into` takes 2 arguments, got 3",
            "there are no transducers: write `(into [] (map f coll))`",
        );
    }
    convert_long_args(context, args, 1)?;
    let mut to = if args.is_empty() { Value::vector([]) } else { take(args, 0) };
    if args.len() < 2 {
        return Ok(Begin::Done(to));
    }
    if !to.is_collection() && !matches!(to, Value::Nil) {
        return not_taken(context, "a collection first", &to, args);
    }
    let items = elements(context, args, 1)?;
    match &mut to {
        Value::Vector(vector) if vector.is_shared() && vector.len() > LONG => {
            let inputs = vec![std::mem::take(vector), items];
            append_all(context, Vec::new(), inputs).map(Begin::Done)
        }
        Value::Vector(vector) if items.len() > LONG => {
            append_all(context, std::mem::take(vector).into_vec(), vec![items]).map(Begin::Done)
        }
        Value::Vector(vector) => {
            all_fit(context, vector.len(), items.len())?;
            vector.to_mut().extend(items.into_vec());
            Ok(Begin::Done(to))
        }
        _ => Building::begin(context, to, items, add),
    }
}

/// Nested vectors that are flattened to one.
struct Flattening {
    flat: Values,
    /// The remaining elements of each vector that is being visited, innermost last.
    open: Vec<Rest>,
}

fn flatten(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult<Begin> {
    let Value::Vector(items) = take(args, 0) else { return Ok(Begin::Done(Value::vector([]))) };
    Begin::work(context, Flattening { flat: Values::default(), open: vec![Rest::new(items)] })
}

impl Steps for Flattening {
    fn step(&mut self, context: &mut Context<'_>, _: Option<Value>) -> EvalResult<Next> {
        for _ in 0..ELEMENTS_PER_STEP {
            let Some(level) = self.open.last_mut() else {
                return Ok(Next::Done(Value::from(self.flat.take())));
            };
            match level.next() {
                Some(Value::Vector(inner)) => {
                    context.meter.visit(1)?;
                    self.open.push(Rest::new(inner));
                }
                Some(item) => {
                    all_fit(context, self.flat.len(), 1)?;
                    self.flat.push(item);
                }
                None => drop(self.open.pop()),
            }
        }
        Ok(Next::Continue)
    }
}

fn partition(context: &mut Context<'_>, args: &mut [Value], rest: bool) -> EvalResult {
    let n = size(context, args, 0)?;
    let step = if args.len() > 2 { size(context, args, 1)? } else { n };
    convert_long_args(context, args, 2.min(args.len() - 1))?;
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
    fill_vector(context, (rows, rows, n), move |context, row, groups| {
        let start = row * step;
        let group = &items.as_slice()[start..items.len().min(start.saturating_add(n))];
        context.meter.visit(group.len())?;
        groups.push(Value::vector(group.iter().chain(pad.iter().flat_map(Vector::iter)).take(n).cloned()));
        Ok(())
    })
}

fn range(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult {
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
            step if (step > 0) == (start < end) => start.abs_diff(end).div_ceil(step.unsigned_abs()),
            _ => 0,
        };
        let count = count.try_into().unwrap_or(usize::MAX);
        context.meter.elements(count)?;
        // The product alone may be too large where the sum is not.
        let number = move |index: usize| Value::Int(start.wrapping_add((index as i64).wrapping_mul(step)));
        if count <= LONG {
            return Ok(Value::vector((0..count).map(number)));
        }
        return fill_vector(context, (count, count, 1), move |_, position, all| {
            all.push(number(position));
            Ok(())
        });
    }
    let (first, last, by) = (to_number("range", start)?, to_number("range", end)?, to_number("range", step)?);
    let zero = Number::Int(0);
    let Some(direction) = order(&by, &zero).filter(|direction| direction.is_ne()) else {
        return Ok(Value::vector([]));
    };
    let count = (last.to_float() - first.to_float()) / by.to_float();
    // One more than the largest possible number, because numbers are rounded.
    let max = (count as usize).min(context.meter.limits.collection_size) + 2;
    let (mut next, step, mut position) = (start.clone(), step.clone(), first);
    fill_vector(context, (0, max, 1), move |context, _, all| {
        if order(&last, &position) == Some(direction) {
            all_fit(context, all.len(), 1)?;
            all.push(next.clone());
            next = arithmetic(Arithmetic::Add, &next, &step)?;
            position = to_number("range", &next)?;
        }
        Ok(())
    })
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
    let mut chosen = Vec::from_iter(0..n);
    fill_vector(context, (choices, choices, n), move |context, _, all| {
        context.meter.visit(n)?;
        all.push(Value::vector(chosen.iter().filter_map(|position| items.get(*position).cloned())));
        // Advances the last position that can move, and puts the later ones right after it.
        if let Some(moving) = (0..n).rev().find(|position| chosen[*position] < items.len() - n + position) {
            let start = chosen[moving] + 1;
            chosen[moving..].iter_mut().enumerate().for_each(|(offset, slot)| *slot = start + offset);
        }
        Ok(())
    })
}
