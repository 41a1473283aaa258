//! Folds: an accumulator and each element in turn make the next accumulator.

use super::arguments::{elements, map, take};
use super::{ANY, plain, steps};
use crate::lisp::fault::EvalResult;
use crate::lisp::native::{Begin, Builtin, Context, ELEMENTS_PER_STEP, Next, Steps};
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
        None if items.is_empty() => return Ok(Begin::Steps(function, Box::new(EmptyReductions { is_called: false }))),
        None => (items.as_slice()[0].clone(), 1),
    };
    Ok(Begin::Steps(function, Box::new(Reduce { items: FoldedItems::Elements(items), position, accumulator, trail })))
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

struct MergeWith {
    map: Map,
    /// The other maps in reverse order: the next one is the last.
    more: Vec<Map>,
    /// The position in the next map.
    position: usize,
}

fn merge_with(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult<Begin> {
    let function = take(args, 0);
    let mut maps = Vec::new();
    for position in 1..args.len() {
        if !matches!(args[position], Value::Nil) {
            maps.push(map(context, args, position)?);
        }
    }
    maps.reverse();
    let Some(first) = maps.pop() else { return Ok(Begin::Done(Value::Nil)) };
    context.meter.elements(maps.iter().map(Map::len).sum())?;
    Ok(Begin::Steps(function, Box::new(MergeWith { map: first, more: maps, position: 0 })))
}

impl Steps for MergeWith {
    fn step(&mut self, _: &mut Context<'_>, answer: Option<Value>) -> EvalResult<Next> {
        let (mut answer, mut left) = (answer, ELEMENTS_PER_STEP);
        while let Some(more) = self.more.last() {
            let Some((key, value)) = more.entry_at(self.position) else {
                self.more.pop();
                self.position = 0;
                continue;
            };
            if left == 0 {
                return Ok(Next::Continue);
            }
            left -= 1;
            let position = match answer.take() {
                Some(joined) => joined,
                // Moves the old value out of the map, so that the function can change it in place.
                None if self.map.get(key).is_some() => {
                    let old = std::mem::take(self.map.slot(key.clone()));
                    return Ok(Next::Call2(old, value.clone()));
                }
                None => value.clone(),
            };
            self.map.insert(key.clone(), position);
            self.position += 1;
        }
        Ok(Next::Done(Value::Map(std::mem::take(&mut self.map))))
    }
}
