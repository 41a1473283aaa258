//! The iteration over a collection that [`super::ROWS`] share: it calls a function for every element, and an
//! [`Operation`] collects the results.

use crate::lisp::builtins::arguments::all_fit;
use crate::lisp::builtins::filling::Filling;
use crate::lisp::builtins::sequences::split;
use crate::lisp::equality::equal;
use crate::lisp::equality::is_truthy;
use crate::lisp::fault::{EvalResult, describe, error_with_hint};
use crate::lisp::native::{Begin, Context, ELEMENTS_PER_STEP, Next, StepBudget, Steps};
use crate::lisp::number::{Arithmetic, arithmetic, number, to_number};
use crate::lisp::ordering::compare;
use crate::lisp::path::select;
use crate::lisp::sequence::to_vector;
use crate::value::garbage::Values;
use crate::value::{Map, Value, Vector};

/// How the results of the calls are collected, with what was collected beside the [`Iteration`]'s results.
pub enum Operation {
    /// The vector of the results.
    Collect,
    /// The elements whose results are truthy (`true`) or falsy (`false`).
    Keep(bool),
    /// The set of the elements whose results are truthy.
    Select,
    /// The results that are not nil.
    KeepAnswers,
    /// The elements of the results, which are collections.
    Concat,
    /// The first truthy result.
    Some,
    /// The first element with a truthy result.
    Find,
    /// The boolean `gives` if any result has the truth value `stop_at`, else the opposite.
    Decide { stop_at: bool, gives: bool },
    /// The elements before the first with a falsy result.
    TakeWhile,
    /// The elements from the first with a falsy result on.
    DropWhile,
    /// The pair of the results of [`Self::TakeWhile`] and [`Self::DropWhile`].
    SplitWith,
    /// Nil.
    Ignore,
    /// Groups of neighbours with equal results: the start of the current group, and the result of its last element.
    Partition(usize, Value),
    /// A map from each result to the vector of its elements.
    Group(Map),
    /// The first element for each result; the keys of the map are the results.
    First(Map),
    /// The sum of the results that are not nil; nil before the first.
    Sum(Value),
    /// The mean of the results that are not nil: their sum and their number.
    Mean(Value, usize),
    /// The element with the largest result (`largest`) or the smallest; of equal ones the last (`last`) or the first.
    /// `best` is its result and the element.
    Best { largest: bool, last: bool, best: Option<(Value, Value)> },
    /// A map with the keys of this one and the results as values.
    Values(Map),
    /// A map with the results as keys and the values of this one.
    Keys(Map),
    /// The final value while it is made of many results.
    Filling(Box<Filling>),
}

impl Operation {
    /// Returns whether elements are needed after their calls; others are moved into the calls.
    fn needs_elements(&self) -> bool {
        !matches!(
            self,
            Operation::Collect
                | Operation::KeepAnswers
                | Operation::Concat
                | Operation::Some
                | Operation::Decide { .. }
                | Operation::Ignore
                | Operation::Sum(_)
                | Operation::Mean(..)
        )
    }
}

/// A running iteration.
pub struct Iteration {
    /// The elements; empty for [`Operation::Values`] and [`Operation::Keys`], which hold the elements in their maps.
    items: Vector,
    iteratee: Iteratee,
    /// The number of iterations: the length of the shortest collection.
    count: usize,
    /// How many calls were made.
    position: usize,
    operation: Operation,
    results: Values,
}

/// What is done with each element.
pub enum Iteratee {
    /// The function is called with it.
    Element,
    /// The function is called with its index and it.
    Indexed,
    /// The function is called with it and the elements of further collections.
    Several(Vec<Vector>),
    /// This key, index or path is looked up in it, without a call.
    Key(Value),
    /// It is the result itself, without a call.
    Itself,
}

impl Iteration {
    pub fn new(items: Vector, iteratee: Iteratee, operation: Operation) -> Iteration {
        let count = match (&operation, &iteratee) {
            (Operation::Values(map) | Operation::Keys(map), _) => map.len(),
            (_, Iteratee::Several(others)) => others.iter().map(Vector::len).fold(items.len(), usize::min),
            _ => items.len(),
        };
        Iteration { items, iteratee, count, position: 0, operation, results: Values::default() }
    }

    /// Starts with `function`. Without calls, it is done at once.
    pub fn begin(mut self, context: &mut Context<'_>, function: Value) -> EvalResult<Begin> {
        let full = matches!(self.operation, Operation::Collect | Operation::Values(_) | Operation::Keys(_));
        if full {
            context.meter.elements(self.count)?;
            self.results.reserve_exact(self.count);
        }
        if !matches!(self.iteratee, Iteratee::Key(_) | Iteratee::Itself) {
            return Ok(Begin::Steps(function, Box::new(self)));
        }
        context.meter.visit(self.count)?;
        Begin::work(context, Box::new(self))
    }

    fn item(&self, position: usize) -> &Value {
        let item = match &self.operation {
            Operation::Keys(map) => map.entry_at(position).map(|(key, _)| key),
            Operation::Values(map) => map.entry_at(position).map(|(_, value)| value),
            _ => self.items.get(position),
        };
        item.unwrap_or(&Value::Nil)
    }

    fn items(&self, range: std::ops::Range<usize>) -> Value {
        Value::Vector(self.items.between(range.start, range.end))
    }

    /// Collects the result of the latest call; returns the final value when that is known early.
    fn take(&mut self, context: &mut Context<'_>, answer: Value) -> EvalResult<Option<Value>> {
        let position = self.position - 1;
        match &mut self.operation {
            Operation::Collect | Operation::Values(_) | Operation::Keys(_) => self.results.push(answer),
            Operation::Keep(keep) => {
                if is_truthy(&answer) == *keep {
                    self.keep(context, position)?;
                }
            }
            Operation::Select => {
                if is_truthy(&answer) {
                    self.keep(context, position)?;
                }
            }
            Operation::KeepAnswers => {
                if !matches!(answer, Value::Nil) {
                    context.meter.elements(1)?;
                    self.results.push(answer);
                }
            }
            Operation::Concat => {
                if !answer.is_collection() && !matches!(answer, Value::Str(_) | Value::Nil) {
                    let message = format!("the function of `mapcat` gives collections, got {}", describe(&answer));
                    return error_with_hint("type_error", message, "to collect single values write `(map f coll)`");
                }
                let items = to_vector(context.meter, context.name, &answer)?;
                all_fit(context, self.results.len(), items.len())?;
                self.results.extend(items.iter().cloned());
            }
            Operation::Some => return Ok(is_truthy(&answer).then_some(answer)),
            Operation::Find => return Ok(is_truthy(&answer).then(|| self.item(position).clone())),
            Operation::Decide { stop_at, gives } => {
                return Ok((is_truthy(&answer) == *stop_at).then_some(Value::Bool(*gives)));
            }
            Operation::TakeWhile | Operation::DropWhile | Operation::SplitWith => {
                if !is_truthy(&answer) {
                    return self.split(context, position).map(Some);
                }
            }
            Operation::Ignore | Operation::Filling(_) => {}
            Operation::Partition(start, previous) => {
                if position > 0 && !equal(previous, &answer) {
                    self.results.push(group(context, &self.items, *start..position)?);
                    *start = position;
                }
                *previous = answer;
            }
            Operation::Group(groups) => {
                context.meter.elements(1)?;
                let item = self.items.take_at(position);
                match groups.slot(answer) {
                    Value::Vector(group) => group.push(item),
                    new => *new = Value::vector([item]),
                }
            }
            Operation::First(known) => {
                let before = known.len();
                known.slot(answer);
                if known.len() > before {
                    self.keep(context, position)?;
                }
            }
            Operation::Sum(sum) => add(context, sum, answer)?,
            Operation::Mean(sum, count) => {
                *count += usize::from(!matches!(answer, Value::Nil));
                add(context, sum, answer)?;
            }
            Operation::Best { largest, last, best } => {
                if matches!(answer, Value::Nil) {
                    return Ok(None);
                }
                let is_better = match best {
                    None => true,
                    Some((best, _)) => {
                        let order = compare(context.name, &answer, best)?;
                        let order = if *largest { order } else { order.reverse() };
                        order.is_gt() || (*last && order.is_eq())
                    }
                };
                if is_better {
                    *best = Some((answer, self.items.get(position).cloned().unwrap_or_default()));
                }
            }
        }
        Ok(None)
    }

    fn keep(&mut self, context: &mut Context<'_>, position: usize) -> EvalResult<()> {
        context.meter.elements(1)?;
        let item = self.items.take_at(position);
        self.results.push(item);
        Ok(())
    }

    fn split(&self, context: &mut Context<'_>, position: usize) -> EvalResult {
        context.meter.elements(self.count)?;
        Ok(match self.operation {
            Operation::TakeWhile => self.items(0..position),
            Operation::DropWhile => self.items(position..self.count),
            _ => split(&self.items, position),
        })
    }

    /// Returns the final value after the last element; with many results, the builtin pauses while it is made.
    fn finish(&mut self, context: &mut Context<'_>) -> EvalResult<Next> {
        let results = self.results.take();
        let mut filling = match &self.operation {
            Operation::Select => Filling::of(Value::set([]), results),
            Operation::Keys(map) => {
                let map = map.clone();
                Filling::map(results, move |position| map.entry_at(position).map(|(_, value)| value.clone()))
            }
            _ => return self.result(context, results).map(Next::Done),
        };
        let next = filling.step(context, None)?;
        if let Next::Continue = next {
            self.operation = Operation::Filling(Box::new(filling));
        }
        Ok(next)
    }

    fn result(&mut self, context: &mut Context<'_>, results: Vec<Value>) -> EvalResult {
        Ok(match &mut self.operation {
            Operation::Some | Operation::Find | Operation::Ignore => Value::Nil,
            Operation::Decide { gives, .. } => Value::Bool(!*gives),
            Operation::TakeWhile | Operation::DropWhile | Operation::SplitWith => self.split(context, self.count)?,
            Operation::Partition(start, _) if self.count > 0 => {
                self.results.0 = results;
                self.results.push(group(context, &self.items, *start..self.count)?);
                Value::from(self.results.take())
            }
            Operation::Group(groups) => Value::Map(std::mem::take(groups)),
            Operation::Sum(Value::Nil) => Value::Int(0),
            Operation::Sum(sum) => std::mem::take(sum),
            Operation::Mean(_, 0) => Value::Nil,
            Operation::Mean(sum, count) => Value::Float(to_number(context.name, sum)?.to_float() / *count as f64),
            Operation::Best { best, .. } => best.take().map(|(_, item)| item).unwrap_or_default(),
            Operation::Values(map) => Value::Map(map.with_values(results)),
            _ => Value::from(results),
        })
    }
}

impl Steps for Iteration {
    fn step(&mut self, context: &mut Context<'_>, answer: Option<Value>) -> EvalResult<Next> {
        let mut answer = answer;
        if let Operation::Filling(filling) = &mut self.operation {
            return filling.step(context, None);
        }
        let (first, budget) = (self.position, StepBudget::begin(context));
        loop {
            if let Some(answer) = answer.take()
                && let Some(result) = self.take(context, answer)?
            {
                return Ok(Next::Done(result));
            }
            // Long keys count as work.
            if self.position - first > ELEMENTS_PER_STEP || budget.is_over(context) {
                return Ok(Next::Continue);
            }
            let position = self.position;
            if position == self.count {
                return self.finish(context);
            }
            self.position += 1;
            answer = match &self.iteratee {
                Iteratee::Key(key) => Some(select(context.name, key, self.item(position))?),
                Iteratee::Itself => Some(self.item(position).clone()),
                _ => None,
            };
            if answer.is_some() {
                continue;
            }
            let item = match self.operation.needs_elements() {
                true => self.item(position).clone(),
                false => self.items.take_at(position),
            };
            let at = |input: &Vector| input.get(position).cloned().unwrap_or_default();
            return Ok(match &self.iteratee {
                Iteratee::Indexed => Next::Call2(Value::Int(position as i64), item),
                Iteratee::Several(others) => match others.as_slice() {
                    [other] => Next::Call2(item, at(other)),
                    others => Next::CallAll(std::iter::once(item).chain(others.iter().map(at)).collect()),
                },
                _ => Next::Call(item),
            });
        }
    }
}

fn add(context: &Context<'_>, sum: &mut Value, answer: Value) -> EvalResult<()> {
    if matches!(answer, Value::Nil) {
        return Ok(());
    }
    if number(&answer).is_none() {
        to_number(context.name, &answer)?;
    }
    *sum = match (&*sum, &answer) {
        (Value::Nil, _) => answer,
        (Value::Float(sum), Value::Float(more)) => Value::Float(sum + more),
        (sum, more) => arithmetic(Arithmetic::Add, sum, more)?,
    };
    Ok(())
}

fn group(context: &mut Context<'_>, items: &Vector, range: std::ops::Range<usize>) -> EvalResult {
    context.meter.elements(range.len() + 1)?;
    Ok(Value::Vector(items.between(range.start, range.end)))
}
