//! Checks the values that leave a program: the arguments of its tools, and at its end its result and its definitions.
//! Before they are serialized, their serialized bytes are counted, because a value that shares parts may be small in
//! memory and exponentially large as text; their nesting depth is measured, because hosts can't read deeply nested
//! values; and the digits of large integers are computed, which takes quadratic time. Large values are processed in
//! pieces.

use std::borrow::Cow;

use crate::lisp::fault::{EvalResult, refuse};
use crate::lisp::meter::Meter;
use crate::lisp::native::{Context, Next, StepBudget, Steps};
use crate::value::{Index, MAX_NESTING, Str, Value, mix};

/// Values with up to about this many parts are counted at once.
const FEW: usize = 5000;

/// The number of values that are counted in a slice.
const ELEMENTS_PER_STEP: usize = 25_000;

/// The assumed bytes of a scalar such as a number.
const BYTES: usize = 8;

/// A value that leaves the program, and its description in error messages.
pub(super) type Outgoing = (Value, Cow<'static, str>);

/// Counts small values. Returns false and counts none when one of them is large.
pub(super) fn check_small(meter: &mut Meter, values: &[Outgoing]) -> EvalResult<bool> {
    let Some(sizes) = values.iter().map(|(value, _)| small_size(value)).collect::<Option<Vec<_>>>() else {
        return Ok(false);
    };
    for (size, (_, what)) in sizes.into_iter().zip(values) {
        meter.outgoing.add(size, what, meter.limits.heap_bytes).or_else(refuse)?;
    }
    Ok(true)
}

/// Returns the serialized bytes and the nesting depth of a small value; `None` for a large one.
fn small_size(value: &Value) -> Option<(u64, usize)> {
    let mut deepest = 0;
    let mut pending = vec![(value, 0)];
    let mut seen = 0;
    while let Some((value, level)) = pending.pop() {
        seen += shallow_bytes(value) / BYTES + children(value);
        if seen > 10 * FEW || pending.len() > FEW || children(value) > FEW || level > MAX_NESTING || takes_long(value) {
            return None;
        }
        let level = level + usize::from(value.holds_values());
        deepest = deepest.max(level);
        for position in 0..children(value) {
            let child = child(value, position)?;
            if child.holds_values() || takes_long(child) {
                pending.push((child, level));
            } else if !child.is_plain() {
                seen += shallow_bytes(child) / BYTES;
            }
        }
    }
    Some(((seen * BYTES) as u64, deepest))
}

/// Returns whether computing the digits of a value takes long.
fn takes_long(value: &Value) -> bool {
    matches!(value, Value::BigInt(integer) if integer.has_many_digits())
}

/// Returns the number of children of a value. Each takes at least [`BYTES`].
fn children(value: &Value) -> usize {
    match value {
        Value::Vector(items) => items.len(),
        Value::Map(entries) => 2 * entries.len(),
        Value::Set(items) => items.len(),
        Value::Closure(closure) => closure.captured.0.len(),
        _ => 0,
    }
}

/// Returns the child of a value at an index. The children of a map are its keys and values, alternating.
fn child(value: &Value, position: usize) -> Option<&Value> {
    match value {
        Value::Vector(items) => items.get(position),
        Value::Set(items) => items.item_at(position),
        Value::Map(entries) => {
            let (key, value) = entries.entry_at(position / 2)?;
            Some(if position.is_multiple_of(2) { key } else { value })
        }
        Value::Closure(closure) => closure.captured.0.get(position).map(|(_, value)| value),
        _ => None,
    }
}

/// Returns the serialized bytes of a value without its children.
fn shallow_bytes(value: &Value) -> usize {
    /// The bytes of brackets and of the name of the type.
    const AROUND: usize = 16;
    match value {
        Value::Str(text) => text.len() + 3,
        Value::Keyword(text) | Value::Builtin(text) | Value::Var(text) | Value::Regex(text) => text.len() + AROUND,
        Value::BigInt(integer) => integer.bits() as usize / 3 + AROUND,
        Value::Closure(closure) => {
            let texts = [closure.doc.as_ref(), closure.return_type.as_ref(), closure.source.as_ref()];
            let names = closure.captured.0.iter().map(|(name, _)| name.len());
            let texts = texts.into_iter().flatten().map(|text| text.len());
            closure.params.len() + names.chain(texts).sum::<usize>() + 4 * AROUND
        }
        _ => BYTES,
    }
}

/// The serialized bytes and the nesting depth of collections, by their addresses.
#[derive(Default)]
struct KnownSizes {
    index: Index,
    sizes: Vec<(usize, (u64, usize))>,
}

impl KnownSizes {
    fn get(&self, address: usize) -> Option<(u64, usize)> {
        let position = self.index.find(mix(address as u64), &mut |position| self.sizes[position].0 == address)?;
        Some(self.sizes[position].1)
    }

    /// Adds a collection, which must not be present.
    fn push(&mut self, address: usize, size: (u64, usize)) {
        self.index.push(mix(address as u64));
        self.sizes.push((address, size));
    }
}

fn address(value: &Value) -> usize {
    match value {
        Value::Vector(items) => items.address(),
        Value::Map(entries) => entries.address(),
        Value::Set(items) => items.address(),
        Value::Closure(closure) => std::rc::Rc::as_ptr(closure) as usize,
        _ => 0,
    }
}

/// A value whose children are being counted.
struct CountedValue {
    value: Value,
    /// The index of the next child.
    position: usize,
    bytes: u64,
    /// The largest nesting depth of the counted children.
    levels: usize,
}

impl CountedValue {
    fn new(value: Value) -> CountedValue {
        let bytes = shallow_bytes(&value) as u64;
        CountedValue { value, position: 0, bytes, levels: 0 }
    }

    fn add(&mut self, (bytes, levels): (u64, usize)) {
        self.bytes = self.bytes.saturating_add(bytes);
        self.levels = self.levels.max(levels);
    }
}

/// Counts values in pieces, then calls the tool with them, if there is one. The size of a shared part is computed once.
pub(super) struct OutgoingCheck {
    /// The remaining values, in reverse order.
    values: Vec<Outgoing>,
    known: KnownSizes,
    open: Vec<CountedValue>,
    tool: Option<(Str, Vec<Value>)>,
}

impl OutgoingCheck {
    pub fn of(values: Vec<Outgoing>) -> Box<OutgoingCheck> {
        let mut values = values;
        values.reverse();
        Box::new(OutgoingCheck { values, known: KnownSizes::default(), open: Vec::new(), tool: None })
    }

    /// Counts the arguments of a tool before it is called.
    pub fn before(tool: Str, args: Vec<Value>) -> Box<OutgoingCheck> {
        Box::new(OutgoingCheck { tool: Some((tool, args.clone())), ..*OutgoingCheck::of(arguments(&args)) })
    }

    /// Takes one step of the count; returns false when all values are counted.
    fn count(&mut self, context: &mut Context<'_>) -> EvalResult<bool> {
        let Some(top) = self.open.last_mut() else {
            let Some((value, _)) = self.values.last() else { return Ok(false) };
            self.open.push(CountedValue::new(value.clone()));
            return Ok(true);
        };
        let position = top.position;
        top.position += 1;
        if let Some(part) = child(&top.value, position) {
            if !part.holds_values() {
                keep_digits(part);
                top.add((shallow_bytes(part) as u64, 0));
            } else if let Some(size) = self.known.get(address(part)) {
                top.add(size);
            } else {
                let part = CountedValue::new(part.clone());
                self.open.push(part);
            }
            return Ok(true);
        }
        keep_digits(&top.value);
        let levels = top.levels + usize::from(top.value.holds_values());
        let (address, size) = (address(&top.value), (top.bytes, levels));
        if top.value.holds_values() && self.known.get(address).is_none() {
            self.known.push(address, size);
        }
        self.open.pop();
        match self.open.last_mut() {
            Some(parent) => parent.add(size),
            None => {
                let (_, what) = self.values.pop().unwrap_or_default();
                context.meter.outgoing.add(size, &what, context.meter.limits.heap_bytes).or_else(refuse)?;
            }
        }
        Ok(true)
    }
}

fn keep_digits(value: &Value) {
    if let Value::BigInt(integer) = value {
        integer.keep_digits();
    }
}

/// Describes the arguments of a tool.
pub(super) fn arguments(args: &[Value]) -> Vec<Outgoing> {
    args.iter().map(|arg| (arg.clone(), "an argument of the tool".into())).collect()
}

impl Steps for OutgoingCheck {
    fn step(&mut self, context: &mut Context<'_>, answer: Option<Value>) -> EvalResult<Next> {
        if let Some(answer) = answer {
            return Ok(Next::Done(answer));
        }
        let budget = StepBudget::begin(context);
        for _ in 0..ELEMENTS_PER_STEP {
            if !self.count(context)? {
                return Ok(match self.tool.take() {
                    Some((tool, args)) => Next::CallTool(tool, args),
                    None => Next::Done(Value::Nil),
                });
            }
            if budget.is_over(context) {
                break;
            }
        }
        Ok(Next::Continue)
    }
}
