//! Moving values between registers.
//!
//! A plain value is moved by matching its kind and writing its kind and payload: copying all its bytes at
//! once would stall on the two separate stores that just wrote them. A register that holds a plain value
//! is overwritten without running its destructor, which would be a call.

use crate::lisp::chunk::{CONSTANT, Operand};
use crate::value::Value;

/// Writes a value into a register.
#[inline(always)]
pub(super) fn put(register: &mut Value, value: Value) {
    if register.is_plain() {
        std::mem::forget(std::mem::replace(register, value));
    } else {
        *register = value;
    }
}

/// Drops the values in registers. Plain values stay, because nothing reads them.
#[inline(always)]
pub(super) fn clear(registers: &mut [Value]) {
    for register in registers {
        if !register.is_plain() {
            *register = Value::Nil;
        }
    }
}

/// Writes a copy of a value into a register.
#[inline(always)]
pub(super) fn store(register: &mut Value, value: &Value) {
    match value {
        Value::Nil => put(register, Value::Nil),
        Value::Bool(value) => put(register, Value::Bool(*value)),
        Value::Int(value) => put(register, Value::Int(*value)),
        Value::Float(value) => put(register, Value::Float(*value)),
        value => put(register, value.clone()),
    }
}

/// `store`, not inlined.
pub(super) fn store_call(register: &mut Value, value: &Value) {
    store(register, value);
}

/// Copies a register.
#[inline(always)]
pub(super) fn copy(registers: &mut [Value], from: usize, to: usize) {
    match registers[from] {
        Value::Nil => put(&mut registers[to], Value::Nil),
        Value::Bool(value) => put(&mut registers[to], Value::Bool(value)),
        Value::Int(value) => put(&mut registers[to], Value::Int(value)),
        Value::Float(value) => put(&mut registers[to], Value::Float(value)),
        ref value => {
            let value = value.clone();
            put(&mut registers[to], value);
        }
    }
}

/// Moves a value out of a register that is not read again.
#[inline(always)]
pub(super) fn transfer(registers: &mut [Value], from: usize, to: usize) {
    match registers[from] {
        Value::Nil => put(&mut registers[to], Value::Nil),
        Value::Bool(value) => put(&mut registers[to], Value::Bool(value)),
        Value::Int(value) => put(&mut registers[to], Value::Int(value)),
        Value::Float(value) => put(&mut registers[to], Value::Float(value)),
        ref mut value => {
            let value = std::mem::take(value);
            put(&mut registers[to], value);
        }
    }
}

/// Moves values into the registers from `first` on, and makes room for them.
pub(super) fn fill(registers: &mut Vec<Value>, first: usize, values: &mut [Value]) {
    if registers.len() < first + values.len() {
        registers.resize(first + values.len(), Value::Nil);
    }
    for (register, value) in registers.iter_mut().skip(first).zip(values) {
        put(register, std::mem::take(value));
    }
}

/// Returns the value of an operand, a register or a constant.
#[inline(always)]
pub(super) fn operand<'a>(registers: &'a [Value], constants: &'a [Value], operand: Operand) -> &'a Value {
    match operand & CONSTANT {
        0 => &registers[usize::from(operand)],
        _ => &constants[usize::from(operand & !CONSTANT)],
    }
}
