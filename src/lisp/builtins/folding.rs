//! Folds: an accumulator and each element in turn make the next accumulator.

use super::arguments::{elements, map, take};
use super::{ANY, plain, steps};
use crate::lisp::fault::EvalResult;
use crate::lisp::native::{Begin, Builtin, Context, Next, Steps};
use crate::lisp::sequence::pair;
use crate::value::{Captured, Closure, Map, Value, Vector};

pub(super) const ROWS: &[Builtin] = &[
    steps("merge-with", "f m …", (1, ANY), "One map of all entries; f joins values of the same key.", merge_with),
    steps("reduce", "f coll, f init coll", (2, 3), "Folds the elements with f.", |context, args| {
        reduce(context, args, None)
    }),
    steps("reduce-kv", "f init m", (3, 3), "Folds the entries with f of the value so far, key and value.", reduce_kv),
    plain("reduced", "x", (1, 1), "Ends the `reduce` whose function gives it, with x.", |_, args| {
        Ok(reduced(take(args, 0)))
    }),
    plain("reduced?", "x", (1, 1), "True for what `reduced` gives.", |_, args| {
        Ok(Value::Bool(inside_reduced(&args[0]).is_some()))
    }),
    steps("reductions", "f coll, f init coll", (2, 3), "All values on the way of `reduce`.", |context, args| {
        reduce(context, args, Some(Vec::new()))
    }),
    plain("unreduced", "x", (1, 1), "The x of `(reduced x)`; anything else as it is.", |_, args| {
        Ok(inside_reduced(&args[0]).cloned().unwrap_or_else(|| take(args, 0)))
    }),
];

/// The name under which [`reduced`] captures its value. Programs can't capture it: a local name has no namespace.
const REDUCED: &str = "clojure.core/reduced";

/// A value that ends a fold. It is a function without source, so that it can be stored and printed like others.
fn reduced(value: Value) -> Value {
    Value::Closure(std::rc::Rc::new(Closure {
        captured: Captured(vec![(REDUCED.into(), value)]),
        ..Closure::default()
    }))
}

fn inside_reduced(value: &Value) -> Option<&Value> {
    match value {
        Value::Closure(closure) => match closure.captured.0.as_slice() {
            [(name, value)] if **name == *REDUCED => Some(value),
            _ => None,
        },
        _ => None,
    }
}

struct Reduce {
    items: Vector,
    place: usize,
    accumulator: Value,
    /// All accumulators so far, for `reductions`.
    trail: Option<Vec<Value>>,
    /// Whether the elements are entries, whose key and value are separate arguments.
    entries: bool,
}

fn reduce(context: &mut Context<'_>, args: &mut [Value], trail: Option<Vec<Value>>) -> EvalResult<Begin> {
    let items = elements(context, args, args.len() - 1)?;
    let init = (args.len() == 3).then(|| take(args, 1));
    let function = take(args, 0);
    let (accumulator, place) = match init {
        Some(init) => (init, 0),
        None if items.is_empty() && trail.is_none() => return Ok(Begin::Call(function, Vec::new())),
        None if items.is_empty() => return Ok(Begin::Steps(function, Box::new(EmptyReductions { is_called: false }))),
        None => (items.as_slice()[0].clone(), 1),
    };
    Ok(Begin::Steps(function, Box::new(Reduce { items, place, accumulator, trail, entries: false })))
}

/// `reductions` without elements: the function is called once, without arguments.
struct EmptyReductions {
    is_called: bool,
}

impl Steps for EmptyReductions {
    fn step(&mut self, _: &mut Context<'_>, answer: Option<Value>) -> EvalResult<Next> {
        if std::mem::replace(&mut self.is_called, true) {
            return Ok(Next::Done(Value::vector(answer)));
        }
        Ok(Next::CallAll(Vec::new()))
    }
}

fn reduce_kv(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult<Begin> {
    let items: Vector = match &args[2] {
        Value::Vector(items) => {
            items.iter().enumerate().map(|(index, item)| pair(&Value::Int(index as i64), item)).collect()
        }
        _ => map(context, args, 2)?.iter().map(|(key, value)| pair(key, value)).collect(),
    };
    context.meter.elements(items.len())?;
    let steps = Reduce { items, place: 0, accumulator: take(args, 1), trail: None, entries: true };
    Ok(Begin::Steps(take(args, 0), Box::new(steps)))
}

impl Steps for Reduce {
    fn step(&mut self, context: &mut Context<'_>, answer: Option<Value>) -> EvalResult<Next> {
        let mut ended = false;
        let accumulator = match answer {
            None => std::mem::take(&mut self.accumulator),
            Some(answer) => match inside_reduced(&answer) {
                Some(value) => {
                    ended = true;
                    value.clone()
                }
                None => answer,
            },
        };
        if let Some(trail) = &mut self.trail {
            context.meter.elements(1)?;
            trail.push(accumulator.clone());
        }
        let Some(item) = self.items.get(self.place).filter(|_| !ended) else {
            return Ok(Next::Done(match self.trail.take() {
                Some(trail) => Value::from(trail),
                None => accumulator,
            }));
        };
        self.place += 1;
        Ok(match item {
            Value::Vector(entry) if self.entries => {
                Next::CallAll(std::iter::once(accumulator).chain(entry.iter().cloned()).collect())
            }
            item => Next::Call2(accumulator, item.clone()),
        })
    }
}

struct MergeWith {
    map: Map,
    more: Vector,
    place: usize,
}

fn merge_with(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult<Begin> {
    let function = take(args, 0);
    let mut maps = Vec::new();
    for place in 1..args.len() {
        if !matches!(args[place], Value::Nil) {
            maps.push(map(context, args, place)?);
        }
    }
    let mut maps = maps.into_iter();
    let Some(first) = maps.next() else { return Ok(Begin::Done(Value::Nil)) };
    let more: Vector =
        maps.flat_map(|map| map.iter().map(|(key, value)| pair(key, value)).collect::<Vec<_>>()).collect();
    context.meter.elements(more.len())?;
    Ok(Begin::Steps(function, Box::new(MergeWith { map: first, more, place: 0 })))
}

impl Steps for MergeWith {
    fn step(&mut self, _: &mut Context<'_>, answer: Option<Value>) -> EvalResult<Next> {
        let mut answer = answer;
        while let Some(Value::Vector(entry)) = self.more.get(self.place) {
            let (key, value) = (&entry.as_slice()[0], &entry.as_slice()[1]);
            let place = match answer.take() {
                Some(joined) => joined,
                // Moved out, so that the function can change it in place.
                None if self.map.get(key).is_some() => {
                    let old = std::mem::take(self.map.slot(key.clone()));
                    return Ok(Next::Call2(old, value.clone()));
                }
                None => value.clone(),
            };
            self.map.insert(key.clone(), place);
            self.place += 1;
        }
        Ok(Next::Done(Value::Map(std::mem::take(&mut self.map))))
    }
}
