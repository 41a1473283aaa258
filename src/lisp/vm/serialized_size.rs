//! The size and the nesting of a value that is serialized. A value that shares its parts may be small in
//! memory and exponentially large as text, and hosts can't read what is nested too deep.

use crate::diagnostic::Diagnostic;
use crate::value::{Index, MAX_NESTING, Value, mix};

/// Values with fewer parts than this are walked without a memory of the parts that were seen.
const FEW: usize = 50_000;

/// Bytes of a number.
const BYTES: usize = 8;

/// What leaves the sandbox while a program runs and when it has ended: arguments of tools, its result, its definitions.
#[derive(Default)]
pub(super) struct Written {
    bytes: u64,
}

impl Written {
    /// Counts a value. Fails when all that was counted takes more than `most_bytes`, or when the value is nested too deep.
    /// `what` names the value.
    pub fn add(&mut self, value: &Value, what: &str, most_bytes: u64) -> Result<(), Diagnostic> {
        let (bytes, levels) = small_size(value).unwrap_or_else(|| serialized_size(value));
        if levels > MAX_NESTING {
            let message = format!("{what} is nested deeper than {MAX_NESTING} levels");
            let hint = "keep it flat: collect into one vector or map";
            return Err(Diagnostic::new("nesting_too_deep", message).with_hint(hint));
        }
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes <= most_bytes {
            return Ok(());
        }
        let what = if bytes > most_bytes { what } else { "what the program passes to tools, defines and gives back" };
        let message = format!("{what} would take more than {most_bytes} bytes when it is written out");
        Err(Diagnostic::new("memory_exceeded", message).with_hint("give less: count, filter or aggregate first"))
    }
}

/// Bytes and levels of nesting of a value with few parts; none of any other.
fn small_size(value: &Value) -> Option<(u64, usize)> {
    let mut deepest = 0;
    let mut pending = vec![(value, 0)];
    let mut seen = 0;
    while let Some((value, level)) = pending.pop() {
        seen += own_bytes(value) / BYTES + children(value);
        if seen > FEW || level > MAX_NESTING {
            return None;
        }
        let level = level + usize::from(value.holds_values());
        deepest = deepest.max(level);
        each_child(value, &mut |child| {
            if child.holds_values() {
                pending.push((child, level));
            } else if !child.is_plain() {
                seen += own_bytes(child) / BYTES;
            }
        });
    }
    Some(((seen * BYTES) as u64, deepest))
}

/// How many values are in a value, each of which takes [`BYTES`] at least.
fn children(value: &Value) -> usize {
    match value {
        Value::Vector(items) => items.len(),
        Value::Map(entries) => 2 * entries.len(),
        Value::Set(items) => items.len(),
        Value::Closure(closure) => closure.captured.0.len(),
        _ => 0,
    }
}

/// The bytes of a value without those in it.
fn own_bytes(value: &Value) -> usize {
    /// Brackets, and the name of the type.
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

fn each_child<'a>(value: &'a Value, see: &mut dyn FnMut(&'a Value)) {
    match value {
        Value::Vector(items) => items.iter().for_each(see),
        Value::Set(items) => items.iter().for_each(see),
        Value::Map(entries) => {
            for (key, value) in entries.iter() {
                see(key);
                see(value);
            }
        }
        Value::Closure(closure) => closure.captured.0.iter().for_each(|(_, value)| see(value)),
        _ => {}
    }
}

/// Bytes and levels of nesting of the parts of a value, by their addresses.
#[derive(Default)]
struct Sizes {
    index: Index,
    sizes: Vec<(usize, (u64, usize))>,
}

impl Sizes {
    fn get(&self, address: usize) -> Option<(u64, usize)> {
        let place = self.index.find(mix(address as u64), &mut |place| self.sizes[place].0 == address)?;
        Some(self.sizes[place].1)
    }

    /// Adds a part that is not there.
    fn push(&mut self, address: usize, size: (u64, usize)) {
        self.index.push(mix(address as u64));
        self.sizes.push((address, size));
    }
}

/// Bytes and levels of nesting; each shared part is walked once.
fn serialized_size(value: &Value) -> (u64, usize) {
    let mut known = Sizes::default();
    let mut pending = vec![(value, false)];
    while let Some((value, is_walked)) = pending.pop() {
        let Some(own) = address(value) else { continue };
        if known.get(own).is_some() {
            continue;
        }
        if !is_walked {
            pending.push((value, true));
            each_child(value, &mut |child| {
                if address(child).is_some() {
                    pending.push((child, false));
                }
            });
            continue;
        }
        let (mut bytes, mut levels) = (own_bytes(value) as u64, 0);
        each_child(value, &mut |child| {
            let (more, below) = size_by_address(child, &known);
            bytes = bytes.saturating_add(more);
            levels = levels.max(below);
        });
        known.push(own, (bytes, levels + 1));
    }
    size_by_address(value, &known)
}

fn size_by_address(value: &Value, known: &Sizes) -> (u64, usize) {
    match address(value) {
        Some(address) => known.get(address).unwrap_or_default(),
        None => (own_bytes(value) as u64, 0),
    }
}

fn address(value: &Value) -> Option<usize> {
    match value {
        Value::Vector(items) => Some(items.address()),
        Value::Map(entries) => Some(entries.address()),
        Value::Set(items) => Some(items.address()),
        Value::Closure(closure) => Some(std::rc::Rc::as_ptr(closure) as usize),
        _ => None,
    }
}
