//! Collections of many elements: they are built in pieces, one piece in each step, so that the program can pause
//! between steps.

use super::arguments::not_taken;
use super::sequences::all_fit;
use crate::lisp::fault::{EvalResult, describe, error_with_hint};
use crate::lisp::native::{Begin, Context, ELEMENTS_PER_STEP, Next, StepBudget, Steps};
use crate::lisp::sequence::is_long;
use crate::value::garbage::Values;
use crate::value::{Change, Copying, Map, Value, Vector};

/// Adds elements to a collection, and the entries of maps to a map.
#[cold]
pub(super) fn add_in_pieces(context: &mut Context<'_>, collection: Value, items: Vec<Value>) -> EvalResult {
    let building = Building::new(collection, items.into(), add);
    context.work(Box::new(building))
}

/// Adds an element to a collection; to a map as [`add_entries`] does.
pub(super) fn add(context: &mut Context<'_>, collection: &mut Value, item: Value) -> EvalResult<()> {
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

/// Adds an entry `[key value]` or the entries of a map to a map; nil adds nothing.
pub(super) fn add_entries(context: &mut Context<'_>, map: &mut Map, item: Value) -> EvalResult<()> {
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
    let message = format!("`{}` adds entries `[key value]` to a map, got {}", context.name, describe(&item));
    error_with_hint(
        "type_error",
        message,
        "write `(assoc m key value)`, or make entries: `(into {} (map (fn [x] [(:id x) x]) coll))`",
    )
}

/// Adds an element to a set.
pub(super) fn insert(_: &mut Context<'_>, set: &mut Value, item: Value) -> EvalResult<()> {
    if let Value::Set(set) = set {
        set.insert(item);
    }
    Ok(())
}

/// Adds an element to a collection.
type Add = fn(&mut Context<'_>, &mut Value, Value) -> EvalResult<()>;

/// The remaining elements of a vector; those before `position` are moved out.
pub(super) struct Rest {
    items: Vector,
    position: usize,
}

impl Rest {
    pub fn new(items: Vector) -> Rest {
        Rest { items, position: 0 }
    }

    pub fn is_empty(&self) -> bool {
        self.position >= self.items.len()
    }
}

impl Iterator for Rest {
    type Item = Value;

    fn next(&mut self) -> Option<Value> {
        if self.is_empty() {
            return None;
        }
        self.position += 1;
        Some(self.items.take_at(self.position - 1))
    }
}

/// A collection that is being built from many elements.
pub(super) struct Building {
    collection: Value,
    /// The pending copy of a large shared collection.
    copying: Option<Copying>,
    items: Rest,
    /// A map with the values for the items, when the items are keys.
    values: Map,
    /// A map whose entries are added, and the index of the next entry.
    entries: Option<(Map, usize)>,
    add: Add,
    give: fn(Value) -> Value,
}

impl Building {
    fn new(collection: Value, items: Vector, add: Add) -> Building {
        let copying = Copying::before(Change::Any, &collection, false);
        let give = std::convert::identity;
        Building { collection, copying, items: Rest::new(items), values: Map::default(), entries: None, add, give }
    }

    /// Adds the elements to the collection: at once when they are few, else in steps.
    pub fn begin(context: &mut Context<'_>, collection: Value, items: Vector, add: Add) -> EvalResult<Begin> {
        Building::giving(context, collection, items, add, std::convert::identity)
    }

    /// Does the work of [`Building::begin`]; `give` converts the collection to the result.
    pub fn giving(
        context: &mut Context<'_>,
        collection: Value,
        items: Vector,
        add: Add,
        give: fn(Value) -> Value,
    ) -> EvalResult<Begin> {
        Begin::work(context, Building { give, ..Building::new(collection, items, add) })
    }

    /// Starts a map of entries, which are vectors of two, or maps.
    pub fn of_entries(entries: Vec<Value>) -> Building {
        Building::new(Value::Map(Map::default()), entries.into(), add)
    }

    /// Starts a set of elements.
    pub fn set(items: Vec<Value>) -> Building {
        Building::new(Value::set([]), items.into(), insert)
    }

    /// Starts a map of keys and the values of a map of the same length.
    pub fn map(keys: Vec<Value>, values: Map) -> Building {
        Building { values, ..Building::new(Value::Map(Map::default()), keys.into(), add) }
    }
}

impl Steps for Building {
    fn step(&mut self, context: &mut Context<'_>, _: Option<Value>) -> EvalResult<Next> {
        if let Some(copying) = &mut self.copying {
            context.meter.allocate(copying.bytes())?;
            if let Some(copy) = copying.advance() {
                self.collection = copy;
                self.copying = None;
            }
            return Ok(Next::Continue);
        }
        if let (Value::Map(map), Some((more, position))) = (&mut self.collection, &mut self.entries) {
            let budget = StepBudget::begin(context);
            for (key, value) in more.range(*position..*position + ELEMENTS_PER_STEP) {
                map.insert(key.clone(), value.clone());
                *position += 1;
                if budget.is_over(context) {
                    break;
                }
            }
            if *position >= more.len() {
                self.entries = None;
            }
            return Ok(Next::Continue);
        }
        let budget = StepBudget::begin(context);
        for _ in 0..ELEMENTS_PER_STEP {
            let Some(item) = self.items.next() else { break };
            match (&mut self.collection, self.values.entry_at(self.items.position - 1)) {
                (Value::Map(map), Some((_, value))) => map.insert(item, value.clone()),
                (Value::Map(map), None) if is_long(&item) => {
                    if let Value::Map(more) = item {
                        all_fit(context, map.len(), more.len())?;
                        self.entries = Some((more, 0));
                        return Ok(Next::Continue);
                    }
                    (self.add)(context, &mut self.collection, item)?;
                }
                (collection, _) => (self.add)(context, collection, item)?,
            }
            if budget.is_over(context) {
                break;
            }
        }
        Ok(match self.items.is_empty() {
            true => Next::Done((self.give)(std::mem::take(&mut self.collection))),
            false => Next::Continue,
        })
    }
}

/// Adds the element or entry for a position to the result.
type Fill = dyn FnMut(&mut Context<'_>, usize, &mut Value) -> EvalResult<()>;

/// A result that is made by a function that is called for each position.
struct FillSteps {
    result: Value,
    positions: std::ops::Range<usize>,
    /// The number of positions that are processed in one step.
    per_step: usize,
    fill: Box<Fill>,
}

impl Steps for FillSteps {
    fn step(&mut self, context: &mut Context<'_>, _: Option<Value>) -> EvalResult<Next> {
        let budget = StepBudget::begin(context);
        for position in self.positions.by_ref().take(self.per_step) {
            (self.fill)(context, position, &mut self.result)?;
            if budget.is_over(context) {
                break;
            }
        }
        Ok(if self.positions.is_empty() { Next::Done(std::mem::take(&mut self.result)) } else { Next::Continue })
    }
}

/// Calls `fill` for each position: at once when they are few, else in steps. A position takes as long as `width`
/// elements.
pub(super) fn fill(
    context: &mut Context<'_>,
    result: Value,
    (positions, width): (usize, usize),
    fill: impl FnMut(&mut Context<'_>, usize, &mut Value) -> EvalResult<()> + 'static,
) -> EvalResult {
    let (mut result, mut fill) = (result, fill);
    let (first, per_step) = split_steps(positions, width);
    let done = fill_first_step(context, &mut result, first, &mut fill)?;
    if done == positions {
        return Ok(result);
    }
    context.work(Box::new(FillSteps { result, positions: done..positions, per_step, fill: Box::new(fill) }))
}

/// Returns how many positions are processed at once, and how many in each later step.
fn split_steps(positions: usize, width: usize) -> (usize, usize) {
    let per_step = (ELEMENTS_PER_STEP / width.max(1)).max(1);
    (positions.min(per_step), per_step)
}

/// Processes the first positions within the work of one step; returns how many. Not generic, so that it is compiled
/// once.
fn fill_first_step(
    context: &mut Context<'_>,
    result: &mut Value,
    positions: usize,
    fill: &mut Fill,
) -> EvalResult<usize> {
    run_first_step(context, positions, &mut |context, position| fill(context, position, result))
}

fn run_first_step(
    context: &mut Context<'_>,
    positions: usize,
    at: &mut dyn FnMut(&mut Context<'_>, usize) -> EvalResult<()>,
) -> EvalResult<usize> {
    let budget = StepBudget::begin(context);
    for position in 0..positions {
        at(context, position)?;
        if budget.is_over(context) {
            return Ok(position + 1);
        }
    }
    Ok(positions)
}

/// Appends the elements for a position.
type Make = dyn FnMut(&mut Context<'_>, usize, &mut Vec<Value>) -> EvalResult<()>;

/// Builds a vector of about `size` elements as [`fill`] does.
pub(super) fn fill_vector(
    context: &mut Context<'_>,
    (size, positions, width): (usize, usize, usize),
    make: impl FnMut(&mut Context<'_>, usize, &mut Vec<Value>) -> EvalResult<()> + 'static,
) -> EvalResult {
    let (mut all, mut make) = (Vec::with_capacity(size), make);
    let (first, per_step) = split_steps(positions, width);
    let done = make_first_step(context, &mut all, first, &mut make)?;
    if done == positions {
        return Ok(Value::from(all));
    }
    let steps = VectorSteps { all: Values(all), positions: done..positions, per_step, make: Box::new(make) };
    context.work(Box::new(steps))
}

/// Returns the steps that build a vector, for a builtin that has already begun.
pub(super) fn vector_steps(
    size: usize,
    make: impl FnMut(&mut Context<'_>, usize, &mut Vec<Value>) -> EvalResult<()> + 'static,
) -> impl Steps {
    VectorSteps {
        all: Values(Vec::with_capacity(size)),
        positions: 0..size,
        per_step: ELEMENTS_PER_STEP,
        make: Box::new(make),
    }
}

/// Makes the elements for the first positions, as [`fill_first_step`] does.
fn make_first_step(
    context: &mut Context<'_>,
    all: &mut Vec<Value>,
    positions: usize,
    make: &mut Make,
) -> EvalResult<usize> {
    run_first_step(context, positions, &mut |context, position| make(context, position, all))
}

/// A vector that is made by a function that is called for each position.
struct VectorSteps {
    all: Values,
    positions: std::ops::Range<usize>,
    /// The number of positions that are processed in one step.
    per_step: usize,
    make: Box<Make>,
}

impl Steps for VectorSteps {
    fn step(&mut self, context: &mut Context<'_>, _: Option<Value>) -> EvalResult<Next> {
        let budget = StepBudget::begin(context);
        for position in self.positions.by_ref().take(self.per_step) {
            (self.make)(context, position, &mut self.all)?;
            if budget.is_over(context) {
                break;
            }
        }
        Ok(if self.positions.is_empty() { Next::Done(Value::from(self.all.take())) } else { Next::Continue })
    }
}
