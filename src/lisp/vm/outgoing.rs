//! Checks the values that leave a program: the arguments of its tools, and at its end its result and its definitions.
//! Before they are serialized, their serialized bytes are counted, because a value that shares parts may be small in
//! memory and exponentially large as text; their nesting depth is measured, because hosts can't read deeply nested
//! values; and the digits of large integers are computed, which takes quadratic time. Large values are processed in
//! pieces.

use std::borrow::Cow;

use crate::lisp::fault::{EvalResult, refuse};
use crate::lisp::meter::{ATOM, Meter};
use crate::lisp::task::{pause, with};
use crate::value::{Index, MAX_NESTING, Value, mix};
use crate::work;

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
        let level = level + levels(value);
        deepest = deepest.max(level);
        for position in 0..children(value) {
            let child = child(value, position)?;
            if child.holds_values() || takes_long(child) || child.atom_number().is_some() {
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

/// Returns the levels of nesting that a value adds to those of its children.
fn levels(value: &Value) -> usize {
    match value.atom_number() {
        Some(_) => ATOM,
        None => usize::from(value.holds_values()),
    }
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
    /// The values that were counted since the last pause.
    counted: usize,
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

    /// Returns the serialized bytes and the nesting depth of a value. The size of a shared part is computed once.
    async fn size(&mut self, value: &Value) -> (u64, usize) {
        let mut open = vec![CountedValue::new(value)];
        loop {
            if let Some(size) = self.count(&mut open) {
                return size;
            }
            pause().await;
            self.counted = 0;
        }
    }

    /// Counts parts of the open values until a pause is due; returns the size of the first one when it is counted.
    fn count<'a>(&mut self, open: &mut Vec<CountedValue<'a>>) -> Option<(u64, usize)> {
        while self.counted < ELEMENTS_PER_STEP && work::done() <= work::PIECE {
            self.counted += 1;
            let top = open.last_mut()?;
            let position = top.position;
            top.position += 1;
            if let Some(part) = child(top.value, position) {
                if !part.holds_values() {
                    keep_digits(part);
                    top.add((shallow_bytes(part) as u64, levels(part)));
                } else if let Some(size) = self.get(address(part)) {
                    top.add(size);
                } else {
                    open.push(CountedValue::new(part));
                }
                continue;
            }
            let size = (top.bytes, top.levels + levels(top.value));
            if top.value.holds_values() && self.get(address(top.value)).is_none() {
                self.push(address(top.value), size);
            }
            open.pop();
            match open.last_mut() {
                Some(parent) => parent.add(size),
                None => return Some(size),
            }
        }
        None
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
struct CountedValue<'a> {
    value: &'a Value,
    /// The index of the next child.
    position: usize,
    bytes: u64,
    /// The largest nesting depth of the counted children.
    levels: usize,
}

impl<'a> CountedValue<'a> {
    fn new(value: &'a Value) -> CountedValue<'a> {
        keep_digits(value);
        CountedValue { value, position: 0, bytes: shallow_bytes(value) as u64, levels: 0 }
    }

    fn add(&mut self, (bytes, levels): (u64, usize)) {
        self.bytes = self.bytes.saturating_add(bytes);
        self.levels = self.levels.max(levels);
    }
}

/// Counts values in pieces.
pub(super) async fn check(values: Vec<Outgoing>) {
    let mut known = KnownSizes::default();
    for (value, what) in values {
        let size = known.size(&value).await;
        with(move |context| {
            let meter = &mut context.meter;
            meter.outgoing.add(size, &what, meter.limits.heap_bytes).or_else(refuse)
        })
        .await;
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
