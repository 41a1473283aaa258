//! Functions that call a function for every element.
//!
//! What they have in common is done once: [`Each`] goes over the elements, and [`Then`] says what
//! becomes of the answers.

use super::arguments::{elements, map as map_argument, not_taken, take};
use super::sequences::{all_fit, inputs, split};
use super::{ANY, Row, steps};
use crate::lisp::equality::equal;
use crate::lisp::fault::{Outcome, describe, error_with_hint};
use crate::lisp::native::{Begin, Context, Next, Steps};
use crate::lisp::number::{Arithmetic, arithmetic, number, to_number};
use crate::lisp::ordering::compare;
use crate::lisp::path::{get, select};
use crate::lisp::sequence::{pair, to_vector};
use crate::lisp::vm::is_truthy;
use crate::value::{Map, Value, Vector, taken};

pub(super) const ROWS: &[Row] = &[
    steps("distinct-by", "f coll", (2, 2), "The first element for each value of f.", |context, args| {
        by(context, args, Then::First)
    }),
    steps(
        "drop-while",
        "pred coll",
        (2, 2),
        "The elements from the first for which pred does not hold.",
        |context, args| each(context, args, Then::DropWhile),
    ),
    steps("every?", "pred coll", (2, 2), "True when pred holds for every element.", |context, args| {
        each(context, args, Then::Decide { at: false, gives: false })
    }),
    steps("filter", "pred coll", (2, 2), "The elements for which pred holds.", |context, args| {
        each(context, args, Then::Keep(true))
    }),
    steps("filterv", "pred coll", (2, 2), "The elements for which pred holds.", |context, args| {
        each(context, args, Then::Keep(true))
    }),
    steps("find", "m key, pred coll", (2, 2), "The entry of a key; or the first element for which pred holds.", find),
    steps(
        "group-by",
        "f coll",
        (2, 2),
        "A map of the values of f, each with the vector of its elements.",
        |context, args| by(context, args, Then::Group),
    ),
    steps("keep", "f coll", (2, 2), "What f gives for the elements, without nil.", |context, args| {
        each(context, args, Then::KeepAnswers)
    }),
    steps("keep-indexed", "f coll", (2, 2), "What f gives for index and element, without nil.", |context, args| {
        indexed(context, args, Then::KeepAnswers)
    }),
    steps("map", "f coll …", (2, ANY), "The vector of f of every element.", |context, args| {
        several(context, args, Then::Collect)
    }),
    steps("map-indexed", "f coll", (2, 2), "The vector of f of every index and element.", |context, args| {
        indexed(context, args, Then::Collect)
    }),
    steps("mapcat", "f coll …", (2, ANY), "The elements of what f gives for every element.", |context, args| {
        several(context, args, Then::Concat)
    }),
    steps("mapv", "f coll …", (2, ANY), "The vector of f of every element.", |context, args| {
        several(context, args, Then::Collect)
    }),
    steps(
        "max-by",
        "f coll",
        (2, 2),
        "The element with the largest value of f; nil values are left out.",
        |context, args| by(context, args, Then::Best { most: true, last: false }),
    ),
    steps("max-key", "f x …", (2, ANY), "The argument with the largest value of f.", |context, args| {
        of_arguments(context, args, Then::Best { most: true, last: true })
    }),
    steps(
        "min-by",
        "f coll",
        (2, 2),
        "The element with the smallest value of f; nil values are left out.",
        |context, args| by(context, args, Then::Best { most: false, last: false }),
    ),
    steps("min-key", "f x …", (2, ANY), "The argument with the smallest value of f.", |context, args| {
        of_arguments(context, args, Then::Best { most: false, last: true })
    }),
    steps("not-any?", "pred coll", (2, 2), "True when pred holds for no element.", |context, args| {
        each(context, args, Then::Decide { at: true, gives: false })
    }),
    steps("not-every?", "pred coll", (2, 2), "True when pred does not hold for every element.", |context, args| {
        each(context, args, Then::Decide { at: false, gives: true })
    }),
    steps("partition-by", "f coll", (2, 2), "Groups of neighbours with the same value of f.", |context, args| {
        by(context, args, Then::Partition)
    }),
    steps("pluck", "key coll", (2, 2), "The value at a key, index or path of every element.", |context, args| {
        by(context, args, Then::Collect)
    }),
    steps("remove", "pred coll", (2, 2), "The elements for which pred does not hold.", |context, args| {
        each(context, args, Then::Keep(false))
    }),
    steps("run!", "f coll", (2, 2), "Calls f with every element; nil.", |context, args| {
        each(context, args, Then::Ignore)
    }),
    steps("select", "pred s", (2, 2), "The set of the elements for which pred holds.", |context, args| {
        each(context, args, Then::Select)
    }),
    steps("some", "pred coll", (2, 2), "The first truthy value of pred; nil when there is none.", |context, args| {
        each(context, args, Then::Some)
    }),
    steps(
        "split-with",
        "pred coll",
        (2, 2),
        "The elements before the first for which pred does not hold, and the others.",
        |context, args| each(context, args, Then::SplitWith),
    ),
    steps("sum-by", "f coll", (2, 2), "The sum of f of every element, without nil.", |context, args| {
        by(context, args, Then::Sum)
    }),
    steps(
        "avg-by",
        "f coll",
        (2, 2),
        "The mean of f of every element, without nil; nil when there is none.",
        |context, args| by(context, args, Then::Mean),
    ),
    steps("sum", "coll", (1, 1), "The sum of numbers, without nil.", |context, args| itself(context, args, Then::Sum)),
    steps("avg", "coll", (1, 1), "The mean of numbers, without nil; nil when there is none.", |context, args| {
        itself(context, args, Then::Mean)
    }),
    steps(
        "take-while",
        "pred coll",
        (2, 2),
        "The elements before the first for which pred does not hold.",
        |context, args| each(context, args, Then::TakeWhile),
    ),
    steps("update-keys", "m f", (2, 2), "The map with f of every key.", |context, args| of_map(context, args, true)),
    steps("update-vals", "m f", (2, 2), "The map with f of every value.", |context, args| of_map(context, args, false)),
];

/// What becomes of the answers, and what the result is.
pub(super) enum Then {
    /// The vector of the answers.
    Collect,
    /// The elements whose answers are truthy, or are not.
    Keep(bool),
    /// Likewise, as a set.
    Select,
    /// The answers that are not nil.
    KeepAnswers,
    /// The elements of the answers.
    Concat,
    /// The first truthy answer.
    Some,
    /// The first element with a truthy answer.
    Find,
    /// `gives` as soon as an answer is truthy (`at`) or is not, else the opposite.
    Decide { at: bool, gives: bool },
    /// The elements before the first whose answer is falsy.
    TakeWhile,
    /// The elements from there on.
    DropWhile,
    /// Both.
    SplitWith,
    /// Nothing.
    Ignore,
    /// Elements side by side whose answers are equal.
    Partition,
    /// A map of the answers and their elements.
    Group,
    /// The first element of each answer.
    First,
    /// The sum of the answers that are not nil.
    Sum,
    /// Their mean.
    Mean,
    /// The element with the smallest answer, or the largest; of equal ones the first or the last.
    Best { most: bool, last: bool },
    /// A map with the answers as values.
    Values(Map),
    /// A map with the answers as keys.
    Keys(Map),
}

impl Then {
    /// True when elements are looked at behind the answers for them.
    fn needs_elements(&self) -> bool {
        !matches!(
            self,
            Then::Collect
                | Then::KeepAnswers
                | Then::Concat
                | Then::Some
                | Then::Decide { .. }
                | Then::Ignore
                | Then::Sum
                | Then::Mean
                | Then::Values(_)
                | Then::Keys(_)
        )
    }
}

/// Elements that are gone over.
pub(super) struct Each {
    items: Vector,
    /// What the function gets besides: elements of further collections.
    others: Vec<Vector>,
    /// True when the function gets the index first.
    indexed: bool,
    /// What is looked up in the elements in place of a call.
    key: Option<Value>,
    /// How many elements are gone over.
    count: usize,
    /// How many calls have begun.
    place: usize,
    then: Then,
    results: Vec<Value>,
    /// The groups, by answer.
    groups: Map,
    /// The best answer, or the sum, or the answer before.
    held: Value,
    /// The element of the best answer.
    best: Value,
    /// How many answers count, or where the group began.
    mark: usize,
}

impl Each {
    pub(super) fn new(items: Vector, key: Option<Value>, then: Then) -> Each {
        Each {
            count: items.len(),
            items,
            others: Vec::new(),
            indexed: false,
            key,
            place: 0,
            then,
            results: Vec::new(),
            groups: Map::default(),
            held: Value::Nil,
            best: Value::Nil,
            mark: 0,
        }
    }

    /// Counts what is made, and takes the room for it.
    pub(super) fn begin(mut self, context: &mut Context<'_>, function: Value) -> Outcome<Begin> {
        let full = matches!(self.then, Then::Collect | Then::Values(_) | Then::Keys(_));
        if full {
            context.meter.elements(self.count)?;
            self.results.reserve_exact(self.count);
        }
        if self.key.is_none() {
            return Ok(Begin::Steps(function, Box::new(self)));
        }
        // Keys are looked up without calls, so all is done at once.
        context.meter.visit(self.count)?;
        match self.step(context, None)? {
            Next::Done(value) => Ok(Begin::Done(value)),
            _ => Ok(Begin::Done(Value::Nil)),
        }
    }

    fn item(&self, place: usize) -> Value {
        self.items.get(place).cloned().unwrap_or_default()
    }

    fn items(&self, range: std::ops::Range<usize>) -> Value {
        Value::vector(self.items.as_slice().get(range).unwrap_or_default().iter().cloned())
    }

    /// Takes the answer for the last element in; the result, when it is known by then.
    fn take(&mut self, context: &mut Context<'_>, answer: Value) -> Outcome<Option<Value>> {
        let place = self.place - 1;
        match &mut self.then {
            Then::Collect | Then::Values(_) | Then::Keys(_) => self.results.push(answer),
            Then::Keep(keep) => {
                if is_truthy(&answer) == *keep {
                    self.keep(context, place)?;
                }
            }
            Then::Select => {
                if is_truthy(&answer) {
                    self.keep(context, place)?;
                }
            }
            Then::KeepAnswers => {
                if !matches!(answer, Value::Nil) {
                    context.meter.elements(1)?;
                    self.results.push(answer);
                }
            }
            Then::Concat => {
                let Ok(items) = to_vector(context.name, &answer) else {
                    let message = format!("the function of `mapcat` gives collections, got {}", describe(&answer));
                    return error_with_hint("type_error", message, "to collect single values write `(map f coll)`");
                };
                all_fit(context, self.results.len(), items.len())?;
                self.results.extend(items.iter().cloned());
            }
            Then::Some => return Ok(is_truthy(&answer).then_some(answer)),
            Then::Find => return Ok(is_truthy(&answer).then(|| self.item(place))),
            Then::Decide { at, gives } => return Ok((is_truthy(&answer) == *at).then_some(Value::Bool(*gives))),
            Then::TakeWhile | Then::DropWhile | Then::SplitWith => {
                if !is_truthy(&answer) {
                    return self.split(context, place).map(Some);
                }
            }
            Then::Ignore => {}
            Then::Partition => {
                if place > 0 && !equal(&self.held, &answer) {
                    self.close_group(context, place)?;
                }
                self.held = answer;
            }
            Then::Group => {
                context.meter.elements(1)?;
                let item = self.items.take_at(place);
                match self.groups.slot(answer) {
                    Value::Vector(group) => group.push(item),
                    new => *new = Value::vector([item]),
                }
            }
            Then::First => {
                let before = self.groups.len();
                self.groups.slot(answer);
                if self.groups.len() > before {
                    self.keep(context, place)?;
                }
            }
            Then::Sum | Then::Mean => self.add(context, answer)?,
            Then::Best { most, last } => {
                let (most, last) = (*most, *last);
                if matches!(answer, Value::Nil) {
                    return Ok(None);
                }
                let better = match &self.held {
                    Value::Nil => true,
                    held => {
                        let order = compare(context.name, &answer, held)?;
                        let order = if most { order } else { order.reverse() };
                        order.is_gt() || (last && order.is_eq())
                    }
                };
                if better {
                    self.held = answer;
                    self.best = self.item(place);
                }
            }
        }
        Ok(None)
    }

    fn keep(&mut self, context: &mut Context<'_>, place: usize) -> Outcome<()> {
        context.meter.elements(1)?;
        let item = self.items.take_at(place);
        self.results.push(item);
        Ok(())
    }

    fn add(&mut self, context: &mut Context<'_>, answer: Value) -> Outcome<()> {
        if matches!(answer, Value::Nil) {
            return Ok(());
        }
        if number(&answer).is_none() {
            to_number(context.name, &answer)?;
        }
        self.mark += 1;
        self.held = match (&self.held, &answer) {
            (Value::Nil, _) => answer,
            (Value::Float(sum), Value::Float(more)) => Value::Float(sum + more),
            (sum, more) => arithmetic(Arithmetic::Add, sum, more)?,
        };
        Ok(())
    }

    fn split(&self, context: &mut Context<'_>, place: usize) -> Outcome {
        context.meter.elements(self.count)?;
        Ok(match self.then {
            Then::TakeWhile => self.items(0..place),
            Then::DropWhile => self.items(place..self.count),
            _ => split(&self.items, place),
        })
    }

    fn close_group(&mut self, context: &mut Context<'_>, end: usize) -> Outcome<()> {
        context.meter.elements(end - self.mark + 1)?;
        let group = self.items(self.mark..end);
        self.results.push(group);
        self.mark = end;
        Ok(())
    }

    /// The result, once all elements are gone over.
    fn finish(&mut self, context: &mut Context<'_>) -> Outcome {
        let results = std::mem::take(&mut self.results);
        Ok(match &mut self.then {
            Then::Select => Value::set(results),
            Then::Some | Then::Find | Then::Ignore => Value::Nil,
            Then::Decide { gives, .. } => Value::Bool(!*gives),
            Then::TakeWhile | Then::DropWhile | Then::SplitWith => self.split(context, self.count)?,
            Then::Partition => {
                self.results = results;
                if self.count > 0 {
                    self.close_group(context, self.count)?;
                }
                Value::from(std::mem::take(&mut self.results))
            }
            Then::Group => Value::Map(std::mem::take(&mut self.groups)),
            Then::Sum if self.mark == 0 => Value::Int(0),
            Then::Sum => std::mem::take(&mut self.held),
            Then::Mean if self.mark == 0 => Value::Nil,
            Then::Mean => Value::Float(to_number(context.name, &self.held)?.to_float() / self.mark as f64),
            Then::Best { .. } => std::mem::take(&mut self.best),
            Then::Values(map) => Value::map(map.iter().map(|(key, _)| key.clone()).zip(results)),
            Then::Keys(map) => Value::map(results.into_iter().zip(map.iter().map(|(_, value)| value.clone()))),
            _ => Value::from(results),
        })
    }
}

impl Steps for Each {
    fn step(&mut self, context: &mut Context<'_>, answer: Option<Value>) -> Outcome<Next> {
        let mut answer = answer;
        loop {
            if let Some(answer) = answer.take()
                && let Some(result) = self.take(context, answer)?
            {
                return Ok(Next::Done(result));
            }
            let place = self.place;
            if place == self.count {
                return self.finish(context).map(Next::Done);
            }
            self.place += 1;
            if let Some(key) = &self.key {
                let item = &self.items.as_slice()[place];
                answer = Some(match key {
                    // Nothing is looked up: the elements are the answers.
                    Value::Nil => item.clone(),
                    key => select(context.name, key, item)?,
                });
                continue;
            }
            let item = if self.then.needs_elements() { self.item(place) } else { self.items.take_at(place) };
            let at = |input: &Vector| input.get(place).cloned().unwrap_or_default();
            return Ok(match self.others.as_slice() {
                [] if self.indexed => Next::Call2(Value::Int(place as i64), item),
                [] => Next::Call(item),
                [other] => Next::Call2(item, at(other)),
                others => Next::CallAll(std::iter::once(item).chain(others.iter().map(at)).collect()),
            });
        }
    }

    fn visit(&self, see: &mut dyn FnMut(&Value)) {
        see(&Value::Vector(self.items.clone()));
        self.others.iter().for_each(|input| see(&Value::Vector(input.clone())));
        see(&Value::Map(self.groups.clone()));
        self.results.iter().for_each(&mut *see);
        see(&self.held);
        see(&self.best);
        if let Then::Values(map) | Then::Keys(map) = &self.then {
            see(&Value::Map(map.clone()));
        }
    }
}

/// The key that stands in place of a function, where only keywords can.
fn keyword(function: &Value) -> Option<Value> {
    matches!(function, Value::Keyword(_)).then(|| function.clone())
}

/// The key, index or path that stands in place of a function.
pub(super) fn key(function: &Value) -> Option<Value> {
    matches!(function, Value::Keyword(_) | Value::Str(_) | Value::Int(_) | Value::Vector(_)).then(|| function.clone())
}

/// `(f function coll)`
fn each(context: &mut Context<'_>, args: &mut [Value], then: Then) -> Outcome<Begin> {
    let items = elements(context, args, 1)?;
    Each::new(items, keyword(&args[0]), then).begin(context, take(args, 0))
}

/// `(f function coll)`, where a key, an index or a path can stand for the function.
fn by(context: &mut Context<'_>, args: &mut [Value], then: Then) -> Outcome<Begin> {
    let items = elements(context, args, 1)?;
    Each::new(items, key(&args[0]), then).begin(context, take(args, 0))
}

/// `(f coll)`: the elements are the answers.
fn itself(context: &mut Context<'_>, args: &mut [Value], then: Then) -> Outcome<Begin> {
    let items = elements(context, args, 0)?;
    Each::new(items, Some(Value::Nil), then).begin(context, Value::Nil)
}

fn indexed(context: &mut Context<'_>, args: &mut [Value], then: Then) -> Outcome<Begin> {
    let items = elements(context, args, 1)?;
    Each { indexed: true, ..Each::new(items, None, then) }.begin(context, take(args, 0))
}

fn several(context: &mut Context<'_>, args: &mut [Value], then: Then) -> Outcome<Begin> {
    if args.len() == 2 {
        return each(context, args, then);
    }
    let (mut others, count) = inputs(context, &mut args[1..])?;
    let items = others.remove(0);
    Each { others, count, ..Each::new(items, None, then) }.begin(context, take(args, 0))
}

/// `(f function x y …)`
fn of_arguments(context: &mut Context<'_>, args: &mut [Value], then: Then) -> Outcome<Begin> {
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
    Each::new(Vector::from(items), key(&args[0]), then).begin(context, take(args, 0))
}

/// `(f m function)`
fn of_map(context: &mut Context<'_>, args: &mut [Value], keys: bool) -> Outcome<Begin> {
    let map = map_argument(context, args, 0)?;
    let parts: Vector = map.iter().map(|(key, value)| if keys { key } else { value }.clone()).collect();
    context.meter.elements(parts.len())?;
    let then = if keys { Then::Keys(map) } else { Then::Values(map) };
    Each::new(parts, keyword(&args[1]), then).begin(context, take(args, 1))
}

fn find(context: &mut Context<'_>, args: &mut [Value]) -> Outcome<Begin> {
    let entry = match (&args[0], &args[1]) {
        (Value::Map(_) | Value::Vector(_), key) => get(&args[0], key).map(|value| pair(key, &value)),
        (Value::Nil, _) => None,
        (Value::Closure(_) | Value::Builtin(_) | Value::Var(_) | Value::Keyword(_) | Value::Set(_), _) => {
            return each(context, args, Then::Find);
        }
        (other, _) => return not_taken(context, "a map or a predicate first", &other.clone(), args),
    };
    Ok(Begin::Done(entry.unwrap_or_default()))
}
