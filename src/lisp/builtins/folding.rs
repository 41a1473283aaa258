//! Folds: an accumulator and each element in turn make the next accumulator.

use super::arguments::{elements, map, take};
use super::{ANY, plain, steps};
use crate::lisp::fault::EvalResult;
use crate::lisp::native::{Begin, Builtin, Context, ELEMENTS_PER_STEP, Next, Steps};
use crate::lisp::task::{AsyncSteps, pause, request};
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

/// Returns a value that ends a fold. It is a function without source, so that it can be stored and printed like others.
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
    items: FoldedItems,
    position: usize,
    accumulator: Value,
    /// All accumulators so far, for `reductions`.
    trail: Option<Vec<Value>>,
}

/// The collection that is folded.
enum FoldedItems {
    Elements(Vector),
    /// The function takes the index of each element.
    Indexed(Vector),
    /// The function takes the key and the value of each entry.
    Entries(Map),
}

fn reduce(context: &mut Context<'_>, args: &mut [Value], trail: Option<Vec<Value>>) -> EvalResult<Begin> {
    let items = elements(context, args, args.len() - 1)?;
    let init = (args.len() == 3).then(|| take(args, 1));
    let function = take(args, 0);
    let (accumulator, position) = match init {
        Some(init) => (init, 0),
        None if items.is_empty() && trail.is_none() => return Ok(Begin::Call(function, Vec::new())),
        None if items.is_empty() => {
            let called = async { Ok(Value::vector([request(Next::CallAll(Vec::new())).await])) };
            return Ok(Begin::Steps(function, AsyncSteps::new(called)));
        }
        None => (items.as_slice()[0].clone(), 1),
    };
    Ok(Begin::Steps(function, Box::new(Reduce { items: FoldedItems::Elements(items), position, accumulator, trail })))
}

fn reduce_kv(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult<Begin> {
    let (items, count) = match &args[2] {
        Value::Vector(items) => (FoldedItems::Indexed(items.clone()), items.len()),
        _ => {
            let map = map(context, args, 2)?;
            let count = map.len();
            (FoldedItems::Entries(map), count)
        }
    };
    context.meter.elements(count)?;
    let steps = Reduce { items, position: 0, accumulator: take(args, 1), trail: None };
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
        let position = self.position;
        let entry = match &self.items {
            _ if ended => None,
            FoldedItems::Elements(items) => match items.get(position) {
                Some(item) => {
                    self.position += 1;
                    return Ok(Next::Call2(accumulator, item.clone()));
                }
                None => None,
            },
            FoldedItems::Indexed(items) => items.get(position).map(|item| (Value::Int(position as i64), item.clone())),
            FoldedItems::Entries(map) => map.entry_at(position).map(|(key, value)| (key.clone(), value.clone())),
        };
        self.position += 1;
        Ok(match entry {
            Some((key, value)) => Next::CallAll(vec![accumulator, key, value]),
            None => Next::Done(match self.trail.take() {
                Some(trail) => Value::from(trail),
                None => accumulator,
            }),
        })
    }
}

fn merge_with(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult<Begin> {
    let function = take(args, 0);
    let mut maps = Vec::new();
    for position in 1..args.len() {
        if !matches!(args[position], Value::Nil) {
            maps.push(map(context, args, position)?);
        }
    }
    if maps.is_empty() {
        return Ok(Begin::Done(Value::Nil));
    }
    let mut merged = maps.remove(0);
    context.meter.elements(maps.iter().map(Map::len).sum())?;
    let merge = async move {
        let mut left = ELEMENTS_PER_STEP;
        for (key, value) in maps.iter().flat_map(Map::iter) {
            if left == 0 {
                pause().await;
                left = ELEMENTS_PER_STEP;
            }
            let mut joined = value.clone();
            if merged.get(key).is_some() {
                // Moves the old value out of the map, so that the function can change it in place.
                let old = std::mem::take(merged.slot(key.clone()));
                joined = request(Next::Call2(old, joined)).await;
                left = ELEMENTS_PER_STEP;
            }
            left -= 1;
            merged.insert(key.clone(), joined);
        }
        Ok(Value::Map(merged))
    };
    Ok(Begin::Steps(function, AsyncSteps::new(merge)))
}
