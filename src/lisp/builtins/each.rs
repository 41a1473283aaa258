//! Functions that call a function for every element.

use super::{ANY, steps};
use crate::lisp::fault::Outcome;
use crate::lisp::native::{Begin, Builtin, Context, Next, Steps};
use crate::lisp::sequence::to_vector;
use crate::lisp::vm::is_truthy;
use crate::value::{Value, Vector};

pub(super) const ROWS: &[Builtin] = &[
    steps("map", "f coll …", (2, ANY), "The vector of f of every element.", map),
    steps("mapv", "f coll …", (2, ANY), "The vector of f of every element.", map),
    steps("filter", "pred coll", (2, 2), "The elements for which pred holds.", |_, args| filter(args, true)),
    steps("remove", "pred coll", (2, 2), "The elements for which pred does not hold.", |_, args| filter(args, false)),
    steps("reduce", "f coll, f init coll", (2, 3), "Folds the elements with f.", reduce),
];

struct Map {
    inputs: Vec<Vector>,
    count: usize,
    results: Vec<Value>,
    place: usize,
}

fn map(context: &mut Context<'_>, args: &mut [Value]) -> Outcome<Begin> {
    let inputs = args[1..].iter().map(|arg| to_vector(context.name, arg)).collect::<Outcome<Vec<_>>>()?;
    let count = inputs.iter().map(Vector::len).min().unwrap_or_default();
    context.meter.elements(count)?;
    let steps = Map { inputs, count, results: Vec::with_capacity(count), place: 0 };
    Ok(Begin::Steps(std::mem::take(&mut args[0]), Box::new(steps)))
}

impl Steps for Map {
    fn step(&mut self, _: &mut Context<'_>, answer: Option<Value>) -> Outcome<Next> {
        self.results.extend(answer);
        let place = self.place;
        if place == self.count {
            return Ok(Next::Done(Value::vector(std::mem::take(&mut self.results))));
        }
        self.place += 1;
        let at = |input: &Vector| input.get(place).cloned().unwrap_or_default();
        Ok(match self.inputs.as_slice() {
            [one] => Next::Call(at(one)),
            [left, right] => Next::Call2(at(left), at(right)),
            several => Next::CallAll(several.iter().map(at).collect()),
        })
    }

    fn visit(&self, see: &mut dyn FnMut(&Value)) {
        self.inputs.iter().for_each(|input| see(&Value::Vector(input.clone())));
        self.results.iter().for_each(see);
    }
}

struct Filter {
    items: Vector,
    keep: bool,
    place: usize,
    results: Vec<Value>,
}

fn filter(args: &mut [Value], keep: bool) -> Outcome<Begin> {
    let items = to_vector("filter", &args[1])?;
    Ok(Begin::Steps(std::mem::take(&mut args[0]), Box::new(Filter { items, keep, place: 0, results: Vec::new() })))
}

impl Steps for Filter {
    fn step(&mut self, context: &mut Context<'_>, answer: Option<Value>) -> Outcome<Next> {
        if let Some(answer) = answer
            && is_truthy(&answer) == self.keep
        {
            context.meter.elements(1)?;
            self.results.extend(self.items.get(self.place - 1).cloned());
        }
        let next = self.items.get(self.place).cloned();
        self.place += 1;
        Ok(match next {
            Some(item) => Next::Call(item),
            None => Next::Done(Value::vector(std::mem::take(&mut self.results))),
        })
    }

    fn visit(&self, see: &mut dyn FnMut(&Value)) {
        see(&Value::Vector(self.items.clone()));
        self.results.iter().for_each(see);
    }
}

struct Reduce {
    items: Vector,
    place: usize,
    sum: Option<Value>,
}

fn reduce(context: &mut Context<'_>, args: &mut [Value]) -> Outcome<Begin> {
    let (sum, items) = match args {
        [_, items] => (None, to_vector(context.name, items)?),
        [_, init, items] => (Some(std::mem::take(init)), to_vector(context.name, items)?),
        _ => return Ok(Begin::Done(Value::Nil)),
    };
    let function = std::mem::take(&mut args[0]);
    match (sum, items.len()) {
        (None, 0) => Ok(Begin::Call(function, Vec::new())),
        (None, _) => Ok(Begin::Steps(function, Box::new(Reduce { sum: items.get(0).cloned(), items, place: 1 }))),
        (sum, _) => Ok(Begin::Steps(function, Box::new(Reduce { items, place: 0, sum }))),
    }
}

impl Steps for Reduce {
    fn step(&mut self, _: &mut Context<'_>, answer: Option<Value>) -> Outcome<Next> {
        if answer.is_some() {
            self.sum = answer;
        }
        let sum = self.sum.take().unwrap_or_default();
        let next = self.items.get(self.place).cloned();
        self.place += 1;
        Ok(match next {
            Some(item) => Next::Call2(sum, item),
            None => Next::Done(sum),
        })
    }

    fn visit(&self, see: &mut dyn FnMut(&Value)) {
        see(&Value::Vector(self.items.clone()));
        self.sum.iter().for_each(see);
    }
}
