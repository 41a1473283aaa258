//! Instructions that create and destructure values: arithmetic, look-ups, patterns, closures.

use std::rc::Rc;

use super::Vm;
use super::fiber::CodeFrame;
use super::link::Linked;
use super::registers::{operand, put};
use crate::lisp::chunk::{Capture, Function, Key, Operand, Reg};
use crate::lisp::fault::{EvalResult, describe, error, refuse};
use crate::lisp::literal::duplicate;
use crate::lisp::lookup::{get_flexible, get_otherwise, look_up};
use crate::lisp::meter::Meter;
use crate::lisp::number::{self, Arithmetic};
use crate::lisp::sequence::{character_at, to_vector};
use crate::value::{Captured, Closure, Compiled, Map, Set, Value};

/// A result register and two operands.
type Operands = (Reg, Operand, Operand);

/// `(+ left right)`
#[inline(always)]
pub(super) fn add(registers: &mut [Value], constants: &[Value], operands: Operands) -> EvalResult<()> {
    arithmetic(Arithmetic::Add, i64::checked_add, |left, right| left + right, registers, constants, operands)
}

/// `(- left right)`
#[inline(always)]
pub(super) fn subtract(registers: &mut [Value], constants: &[Value], operands: Operands) -> EvalResult<()> {
    arithmetic(Arithmetic::Subtract, i64::checked_sub, |left, right| left - right, registers, constants, operands)
}

/// `(* left right)`
#[inline(always)]
pub(super) fn multiply(registers: &mut [Value], constants: &[Value], operands: Operands) -> EvalResult<()> {
    arithmetic(Arithmetic::Multiply, small_product, |left, right| left * right, registers, constants, operands)
}

/// Integers and floats are written to the register separately, for the reason in [`super::registers`].
#[inline(always)]
fn arithmetic(
    kind: Arithmetic,
    integers: impl Fn(i64, i64) -> Option<i64>,
    floats: impl Fn(f64, f64) -> f64,
    registers: &mut [Value],
    constants: &[Value],
    (dst, left, right): Operands,
) -> EvalResult<()> {
    let (left, right) = (operand(registers, constants, left), operand(registers, constants, right));
    if let (Value::Int(left), Value::Int(right)) = (left, right)
        && let Some(value) = integers(*left, *right)
    {
        put(&mut registers[usize::from(dst)], Value::Int(value));
    } else if let (Value::Float(left), Value::Float(right)) = (left, right) {
        let value = floats(*left, *right);
        put(&mut registers[usize::from(dst)], Value::Float(value));
    } else {
        let value = number::arithmetic(kind, left, right)?;
        put(&mut registers[usize::from(dst)], value);
    }
    Ok(())
}

/// Returns the product of two 32-bit integers, which can't overflow; `None` for larger integers.
#[inline(always)]
fn small_product(left: i64, right: i64) -> Option<i64> {
    let is_small = |number: i64| number == i64::from(number as i32);
    (is_small(left) && is_small(right)).then(|| left.wrapping_mul(right))
}

/// `(:key from)`
#[inline(always)]
pub(super) fn key(key: &Key, from: &Value) -> EvalResult {
    match from {
        Value::Map(map) => Ok(match map.get_cached(&key.keyword, &key.cache) {
            Some(Value::Int(value)) => Value::Int(*value),
            Some(value) => value.clone(),
            None => get_otherwise(map, &key.keyword).cloned().unwrap_or_default(),
        }),
        other => look_up(&key.keyword, std::slice::from_ref(other)),
    }
}

/// Returns the value of a key in a destructured value.
pub(super) fn field(key: &Value, from: &Value) -> EvalResult {
    match from {
        Value::Map(map) => Ok(get_flexible(map, key).cloned().unwrap_or_default()),
        Value::Nil => Ok(Value::Nil),
        other => destructure_error("a map or nil", other),
    }
}

/// Returns an element of a destructured value.
pub(super) fn nth(from: &Value, index: usize) -> EvalResult {
    match from {
        Value::Vector(items) => Ok(items.get(index).cloned().unwrap_or_default()),
        Value::Nil => Ok(Value::Nil),
        Value::Str(text) => Ok(character_at(text, index)),
        other => destructure_error("a vector, a string or nil", other),
    }
}

/// Returns the elements of a destructured value from an index on; nil when there are none.
pub(super) fn rest(from: &Value, index: usize, meter: &mut Meter) -> EvalResult {
    if !matches!(from, Value::Vector(_) | Value::Nil | Value::Str(_)) {
        return destructure_error("a vector, a string or nil", from);
    }
    let mut items = to_vector(meter, "&", from)?;
    let count = items.len();
    if index >= count {
        return Ok(Value::Nil);
    }
    let copied = items.keep(index, count);
    match from {
        Value::Vector(_) => meter.copies(copied)?,
        // Each character became a value.
        _ => meter.elements(count)?,
    }
    Ok(Value::Vector(items))
}

/// Returns a map of alternating keys and values. Fails when a key occurs twice.
#[inline(always)]
pub(super) fn map(parts: Vec<Value>) -> EvalResult {
    let count = parts.len() / 2;
    let map = Map::alternating(parts);
    if map.len() < count { refuse(duplicate(true, "its keys are equal")) } else { Ok(Value::Map(map)) }
}

/// Returns a set of elements. Fails when one occurs twice.
#[inline(always)]
pub(super) fn set(parts: Vec<Value>) -> EvalResult {
    let count = parts.len();
    let set = Set::from(parts);
    if set.len() < count { refuse(duplicate(false, "they are equal")) } else { Ok(Value::Set(set)) }
}

/// Returns the map of trailing keyword arguments: `(f :a 1)`, or `(f {:a 1})`.
pub(super) fn options(rest: Value) -> EvalResult {
    let items = match &rest {
        Value::Vector(items) => items.as_slice(),
        _ => return Ok(rest),
    };
    match items {
        [Value::Map(map)] => Ok(Value::Map(map.clone())),
        items if items.len().is_multiple_of(2) => Ok(Value::Map(Map::alternating(items.to_vec()))),
        [.., last] => error("destructure_error", format!("the key {} has no value", describe(last))),
        [] => Ok(Value::Nil),
    }
}

#[cold]
fn destructure_error<T>(expected: &str, got: &Value) -> EvalResult<T> {
    error("destructure_error", format!("the pattern takes {expected} apart, got {}", describe(got)))
}

/// Returns the captured value at an index of a frame's closure.
#[inline(always)]
pub(super) fn captured(closure: Option<&Closure>, index: u16) -> Option<&Value> {
    Some(&closure?.captured.0.get(usize::from(index))?.1)
}

/// Appends to the vector that an iteration builds.
#[inline(always)]
pub(super) fn push(items: &mut Value, value: Value, meter: &mut Meter) -> EvalResult<()> {
    meter.elements(1)?;
    if let Value::Vector(items) = items {
        if items.len() >= meter.limits.collection_size {
            meter.elements(items.len() + 1)?;
        }
        items.push(value);
    }
    Ok(())
}

impl Vm {
    /// Creates a closure of a function, with the values that it captures from a frame.
    #[inline(never)]
    pub(super) fn make_closure(
        &self,
        meter: &mut Meter,
        frame: &CodeFrame,
        registers: &[Value],
        function: &Rc<Function>,
    ) -> EvalResult {
        meter.allocate(96 + 32 * function.captures.len() as u64)?;
        let values = function.captures.iter().map(|(name, capture)| {
            let value = match capture {
                Capture::Register(register) => registers[usize::from(*register)].clone(),
                Capture::Captured(index) => captured(frame.closure.as_deref(), *index).cloned().unwrap_or_default(),
                Capture::Itself => frame.closure.clone().map(Value::Closure).unwrap_or_default(),
            };
            (name.clone(), value)
        });
        Ok(Value::Closure(Rc::new(Closure {
            params: function.params.clone(),
            source: Some(function.source.clone()),
            captured: Captured(values.collect()),
            compiled: Compiled::new(Rc::new(Linked { home: self.home.clone(), function: function.clone() })),
            ..Closure::default()
        })))
    }
}
