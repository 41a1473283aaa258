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

/// How the results of the calls are collected.
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
    /// Groups of neighbours with equal results.
    Partition,
    /// A map from each result to the vector of its elements.
    Group,
    /// The first element for each result.
    First,
    /// The sum of the results that are not nil.
    Sum,
    /// The mean of the results that are not nil.
    Mean,
    /// The element with the largest result (`largest`) or the smallest; of equal ones the last (`last`) or the first.
    Best { largest: bool, last: bool },
    /// A map with the keys of this one and the results as values.
    Values(Map),
    /// A map with the results as keys and the values of this one.
    Keys(Map),
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
                | Operation::Sum
                | Operation::Mean
        )
    }
}

/// A running iteration.
pub struct Iteration {
    /// The elements; empty for [`Operation::Values`] and [`Operation::Keys`], which hold the elements in their maps.
    items: Vector,
    /// Further collections, whose elements are the function's other arguments.
    others: Vec<Vector>,
    /// Whether the function takes the index before the element.
    indexed: bool,
    /// The key, index or path that is looked up in the elements in place of a call; nil for the elements themselves.
    key: Option<Value>,
    /// The number of iterations: the length of the shortest collection.
    count: usize,
    /// How many calls were made.
    position: usize,
    operation: Operation,
    results: Values,
    /// The groups by result.
    groups: Map,
    /// The best result, the sum, or the previous result.
    accumulator: Value,
    /// The element with the best result.
    best: Value,
    /// How many results were added, or the start of the current group.
    mark: usize,
    /// The final value while it is made of many results.
    pending: Option<Box<Filling>>,
}

impl Iteration {
    pub fn new(items: Vector, key: Option<Value>, operation: Operation) -> Iteration {
        Iteration {
            count: items.len(),
            items,
            others: Vec::new(),
            indexed: false,
            key,
            position: 0,
            operation,
            results: Values::default(),
            groups: Map::default(),
            accumulator: Value::Nil,
            best: Value::Nil,
            mark: 0,
            pending: None,
        }
    }

    /// Passes the index as the function's first argument.
    pub fn indexed(self) -> Iteration {
        Iteration { indexed: true, ..self }
    }

    /// Adds further collections; the iteration ends with the shortest.
    pub fn with_others(self, others: Vec<Vector>, count: usize) -> Iteration {
        Iteration { others, count, ..self }
    }

    /// Starts with `function`. A lookup of keys needs no calls and is done at once.
    pub fn begin(mut self, context: &mut Context<'_>, function: Value) -> EvalResult<Begin> {
        let full = matches!(self.operation, Operation::Collect | Operation::Values(_) | Operation::Keys(_));
        if full {
            context.meter.elements(self.count)?;
            self.results.reserve_exact(self.count);
        }
        if self.key.is_none() {
            return Ok(Begin::Steps(function, Box::new(self)));
        }
        context.meter.visit(self.count)?;
        Begin::work(context, Box::new(self))
    }

    fn item(&self, position: usize) -> Value {
        let item = match &self.operation {
            Operation::Keys(map) => map.entry_at(position).map(|(key, _)| key),
            Operation::Values(map) => map.entry_at(position).map(|(_, value)| value),
            _ => self.items.get(position),
        };
        item.cloned().unwrap_or_default()
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
            Operation::Find => return Ok(is_truthy(&answer).then(|| self.item(position))),
            Operation::Decide { stop_at, gives } => {
                return Ok((is_truthy(&answer) == *stop_at).then_some(Value::Bool(*gives)));
            }
            Operation::TakeWhile | Operation::DropWhile | Operation::SplitWith => {
                if !is_truthy(&answer) {
                    return self.split(context, position).map(Some);
                }
            }
            Operation::Ignore => {}
            Operation::Partition => {
                if position > 0 && !equal(&self.accumulator, &answer) {
                    self.close_group(context, position)?;
                }
                self.accumulator = answer;
            }
            Operation::Group => {
                context.meter.elements(1)?;
                let item = self.items.take_at(position);
                match self.groups.slot(answer) {
                    Value::Vector(group) => group.push(item),
                    new => *new = Value::vector([item]),
                }
            }
            Operation::First => {
                let before = self.groups.len();
                self.groups.slot(answer);
                if self.groups.len() > before {
                    self.keep(context, position)?;
                }
            }
            Operation::Sum | Operation::Mean => self.add(context, answer)?,
            Operation::Best { largest, last } => {
                let (largest, last) = (*largest, *last);
                if matches!(answer, Value::Nil) {
                    return Ok(None);
                }
                let better = match &self.accumulator {
                    Value::Nil => true,
                    best => {
                        let order = compare(context.name, &answer, best)?;
                        let order = if largest { order } else { order.reverse() };
                        order.is_gt() || (last && order.is_eq())
                    }
                };
                if better {
                    self.accumulator = answer;
                    self.best = self.item(position);
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

    fn add(&mut self, context: &mut Context<'_>, answer: Value) -> EvalResult<()> {
        if matches!(answer, Value::Nil) {
            return Ok(());
        }
        if number(&answer).is_none() {
            to_number(context.name, &answer)?;
        }
        self.mark += 1;
        self.accumulator = match (&self.accumulator, &answer) {
            (Value::Nil, _) => answer,
            (Value::Float(sum), Value::Float(more)) => Value::Float(sum + more),
            (sum, more) => arithmetic(Arithmetic::Add, sum, more)?,
        };
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

    fn close_group(&mut self, context: &mut Context<'_>, end: usize) -> EvalResult<()> {
        context.meter.elements(end - self.mark + 1)?;
        let group = self.items(self.mark..end);
        self.results.push(group);
        self.mark = end;
        Ok(())
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
            self.pending = Some(Box::new(filling));
        }
        Ok(next)
    }

    fn result(&mut self, context: &mut Context<'_>, results: Vec<Value>) -> EvalResult {
        Ok(match &mut self.operation {
            Operation::Some | Operation::Find | Operation::Ignore => Value::Nil,
            Operation::Decide { gives, .. } => Value::Bool(!*gives),
            Operation::TakeWhile | Operation::DropWhile | Operation::SplitWith => self.split(context, self.count)?,
            Operation::Partition => {
                self.results.0 = results;
                if self.count > 0 {
                    self.close_group(context, self.count)?;
                }
                Value::from(self.results.take())
            }
            Operation::Group => Value::Map(std::mem::take(&mut self.groups)),
            Operation::Sum if self.mark == 0 => Value::Int(0),
            Operation::Sum => std::mem::take(&mut self.accumulator),
            Operation::Mean if self.mark == 0 => Value::Nil,
            Operation::Mean => Value::Float(to_number(context.name, &self.accumulator)?.to_float() / self.mark as f64),
            Operation::Best { .. } => std::mem::take(&mut self.best),
            Operation::Values(map) => Value::Map(map.with_values(results)),
            _ => Value::from(results),
        })
    }
}

impl Steps for Iteration {
    fn step(&mut self, context: &mut Context<'_>, answer: Option<Value>) -> EvalResult<Next> {
        let mut answer = answer;
        if let Some(pending) = &mut self.pending {
            return pending.step(context, None);
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
            if let Some(key) = &self.key {
                answer = Some(match (key, self.items.get(position)) {
                    (Value::Nil, item) => item.cloned().unwrap_or_default(),
                    (key, Some(item)) => select(context.name, key, item)?,
                    (key, None) => select(context.name, key, &self.item(position))?,
                });
                continue;
            }
            let item = if self.operation.needs_elements() { self.item(position) } else { self.items.take_at(position) };
            let at = |input: &Vector| input.get(position).cloned().unwrap_or_default();
            return Ok(match self.others.as_slice() {
                [] if self.indexed => Next::Call2(Value::Int(position as i64), item),
                [] => Next::Call(item),
                [other] => Next::Call2(item, at(other)),
                others => Next::CallAll(std::iter::once(item).chain(others.iter().map(at)).collect()),
            });
        }
    }
}
