//! Instructions that need nothing but the registers of their frame: most of what runs.
//!
//! They stand apart from those that change frames, so that the registers, the code and the place in
//! it can stay in registers of the processor.

use std::rc::Rc;

use super::execute::is_truthy;
use super::{get_flexible, look_up};
use crate::lisp::builtins::{self, check_arity};
use crate::lisp::chunk::{CONSTANT, Code, Comparison, Op, Operand};
use crate::lisp::equality::equal;
use crate::lisp::fault::{Outcome, describe, error, error_with_hint};
use crate::lisp::meter::Meter;
use crate::lisp::native::{Context, Effects, Native};
use crate::lisp::number::{Arithmetic, arithmetic, compare};
use crate::lisp::sequence::{self, to_vector};
use crate::value::{Closure, Map, Set, Value, Vector, taken};

/// What an instruction can reach without changing frames.
pub(super) struct Window<'a> {
    pub code: &'a Code,
    /// Those of the frame.
    pub registers: &'a mut [Value],
    pub closure: Option<&'a Closure>,
    pub meter: &'a mut Meter,
    pub effects: &'a mut Effects,
}

/// Puts a value into a register. Most values need no dropping, which is seen at once.
#[inline(always)]
pub(super) fn put(register: &mut Value, value: Value) {
    let before = std::mem::replace(register, value);
    match before {
        Value::Nil | Value::Bool(_) | Value::Int(_) | Value::Float(_) => std::mem::forget(before),
        before => drop(before),
    }
}

/// A copy of a value; most need no counting of holders.
#[inline(always)]
fn copied(value: &Value) -> Value {
    match value {
        Value::Nil => Value::Nil,
        Value::Int(value) => Value::Int(*value),
        Value::Float(value) => Value::Float(*value),
        value => value.clone(),
    }
}

impl Window<'_> {
    /// Runs instructions from `at` on, up to one that needs the machine, which is returned with
    /// `at` behind it. None: something is due, and `at` is where to go on.
    pub fn run(&mut self, place: &mut usize) -> Outcome<Option<Op>> {
        let Window { code, registers, closure, meter, effects } = self;
        let (ops, constants) = (&code.ops[..], &code.constants[..]);
        let mut at = *place;
        macro_rules! register {
            ($register:expr) => {
                registers[usize::from($register)]
            };
        }
        macro_rules! set {
            ($register:expr, $value:expr) => {{
                let value = $value;
                put(&mut registers[usize::from($register)], value);
            }};
        }
        macro_rules! operand {
            ($operand:expr) => {
                operand(registers, constants, $operand)
            };
        }
        // What fails says where.
        macro_rules! checked {
            ($outcome:expr) => {
                match $outcome {
                    Ok(value) => value,
                    Err(fault) => {
                        *place = at;
                        return Err(fault);
                    }
                }
            };
        }
        macro_rules! step {
            () => {
                if meter.step() {
                    *place = at;
                    return Ok(None);
                }
            };
        }
        loop {
            let op = ops[at];
            at += 1;
            match op {
                Op::Const { dst, constant } => set!(dst, copied(&constants[usize::from(constant)])),
                Op::Move { dst, from } => set!(dst, copied(&register!(from))),
                Op::Take { dst, from } => set!(dst, std::mem::take(&mut register!(from))),
                Op::Captured { dst, index } => {
                    let value = closure.and_then(|closure| closure.captured.0.get(usize::from(index)));
                    set!(dst, value.map(|(_, value)| copied(value)).unwrap_or_default());
                }
                Op::Vector { dst, base, count } => {
                    checked!(meter.elements(usize::from(count)));
                    let items: Vec<Value> = take_run(registers, base, count);
                    set!(dst, Value::Vector(Vector::from(items)));
                }
                Op::Map { dst, base, count } => {
                    checked!(meter.elements(usize::from(count)));
                    let items = take_run(registers, base, count);
                    set!(dst, Value::Map(Map::alternating(items)));
                }
                Op::Set { dst, base, count } => {
                    checked!(meter.elements(usize::from(count)));
                    let mut set = Set::default();
                    for item in take_run(registers, base, count) {
                        set.insert(item);
                    }
                    set!(dst, Value::Set(set));
                }
                Op::Jump { to } => at = usize::from(to),
                Op::Back { to } => {
                    at = usize::from(to);
                    step!();
                }
                Op::JumpIfNot { test, to } => {
                    if !is_truthy(&register!(test)) {
                        at = usize::from(to);
                    }
                }
                Op::JumpIf { test, to } => {
                    if is_truthy(&register!(test)) {
                        at = usize::from(to);
                    }
                }
                Op::JumpIfNil { test, to } => {
                    if matches!(register!(test), Value::Nil) {
                        at = usize::from(to);
                    }
                }
                Op::JumpUnless { comparison, left, right, to } => {
                    if !checked!(compared(comparison, operand!(left), operand!(right))) {
                        at = usize::from(to);
                    }
                }
                Op::JumpIfMissing { map, key, to } => {
                    let has = match &register!(map) {
                        Value::Map(map) => get_flexible(map, &constants[usize::from(key)]).is_some(),
                        _ => false,
                    };
                    if !has {
                        at = usize::from(to);
                    }
                }
                Op::Add { dst, left, right } => {
                    let value = match (operand!(left), operand!(right)) {
                        (Value::Int(left), Value::Int(right)) => left.checked_add(*right).map(Value::Int),
                        (Value::Float(left), Value::Float(right)) => Some(Value::Float(left + right)),
                        _ => None,
                    };
                    match value {
                        Some(value) => set!(dst, value),
                        None => set!(dst, checked!(arithmetic(Arithmetic::Add, operand!(left), operand!(right)))),
                    }
                }
                Op::Subtract { dst, left, right } => {
                    let value = match (operand!(left), operand!(right)) {
                        (Value::Int(left), Value::Int(right)) => left.checked_sub(*right).map(Value::Int),
                        (Value::Float(left), Value::Float(right)) => Some(Value::Float(left - right)),
                        _ => None,
                    };
                    match value {
                        Some(value) => set!(dst, value),
                        None => set!(dst, checked!(arithmetic(Arithmetic::Subtract, operand!(left), operand!(right)))),
                    }
                }
                Op::Multiply { dst, left, right } => {
                    let value = match (operand!(left), operand!(right)) {
                        (Value::Float(left), Value::Float(right)) => Value::Float(left * right),
                        (left, right) => checked!(arithmetic(Arithmetic::Multiply, left, right)),
                    };
                    set!(dst, value);
                }
                Op::Compare { comparison, dst, left, right } => {
                    let holds = checked!(compared(comparison, operand!(left), operand!(right)));
                    set!(dst, Value::Bool(holds));
                }
                Op::Not { dst, from } => {
                    let truthy = is_truthy(operand!(from));
                    set!(dst, Value::Bool(!truthy));
                }
                Op::IsNil { dst, from } => {
                    let nil = matches!(operand!(from), Value::Nil);
                    set!(dst, Value::Bool(nil));
                }
                Op::Key { dst, from, key } => {
                    let key = &constants[usize::from(key)];
                    let value = match operand!(from) {
                        Value::Map(map) => get_flexible(map, key).map(copied).unwrap_or_default(),
                        other => checked!(look_up(key, std::slice::from_ref(other))),
                    };
                    set!(dst, value);
                }
                Op::Field { dst, from, key } => {
                    let value = match &register!(from) {
                        Value::Map(map) => {
                            get_flexible(map, &constants[usize::from(key)]).map(copied).unwrap_or_default()
                        }
                        Value::Nil => Value::Nil,
                        other => checked!(destructure_error("a map or nil", other)),
                    };
                    set!(dst, value);
                }
                Op::Nth { dst, from, index } => {
                    let value = match &register!(from) {
                        Value::Vector(items) => items.get(usize::from(index)).map(copied).unwrap_or_default(),
                        Value::Nil => Value::Nil,
                        Value::Str(text) => sequence::character_at(text, usize::from(index)),
                        other => checked!(destructure_error("a vector, a string or nil", other)),
                    };
                    set!(dst, value);
                }
                Op::Rest { dst, from, index } => {
                    let rest = checked!(rest(&register!(from), usize::from(index), meter));
                    set!(dst, rest);
                }
                Op::Options { dst, from } => {
                    let options = checked!(options(std::mem::take(&mut register!(from))));
                    set!(dst, options);
                }
                Op::CallBuiltin { count, dst, base, builtin } => {
                    let builtin = builtins::at(builtin);
                    let Native::Plain(code) = &builtin.code else {
                        *place = at;
                        checked!(check_arity(builtin, usize::from(count)));
                        return Ok(Some(op));
                    };
                    checked!(check_arity(builtin, usize::from(count)));
                    if meter.step() {
                        // The call is still to be made.
                        *place = at - 1;
                        return Ok(None);
                    }
                    let first = usize::from(base) + 1;
                    let args = &mut registers[first..first + usize::from(count)];
                    let mut context = Context { meter, effects, name: builtin.name };
                    let value = checked!(code(&mut context, args));
                    args.iter_mut().for_each(|arg| put(arg, Value::Nil));
                    set!(dst, value);
                }
                Op::Recur { count, from, to, head } => {
                    let counter = to + u16::from(count);
                    let rounds = match register!(counter) {
                        Value::Int(rounds) => rounds + 1,
                        _ => 1,
                    };
                    if rounds as u64 > meter.limits.loop_iterations {
                        checked!(loop_limit(meter.limits.loop_iterations));
                    }
                    set!(counter, Value::Int(rounds));
                    for index in 0..u16::from(count) {
                        set!(to + index, std::mem::take(&mut register!(from + index)));
                    }
                    at = usize::from(head);
                    step!();
                }
                Op::Iterate { items } => {
                    let vector = checked!(to_vector("for", &register!(items)));
                    checked!(meter.elements(vector.len()));
                    set!(items, Value::Vector(vector));
                    set!(items + 1, Value::Int(0));
                }
                Op::Next { dst, items, to } => {
                    let next = match (&register!(items), &register!(items + 1)) {
                        (Value::Vector(items), Value::Int(place)) => {
                            items.get(*place as usize).map(|item| (copied(item), place + 1))
                        }
                        _ => None,
                    };
                    match next {
                        Some((value, next)) => {
                            set!(dst, value);
                            set!(items + 1, Value::Int(next));
                        }
                        None => {
                            set!(items, Value::Nil);
                            at = usize::from(to);
                        }
                    }
                }
                Op::Push { items, value } => {
                    let value = std::mem::take(&mut register!(value));
                    checked!(meter.elements(1));
                    if let Value::Vector(items) = &mut register!(items) {
                        if items.len() >= meter.limits.collection_size {
                            checked!(meter.elements(items.len() + 1));
                        }
                        items.push(value);
                    }
                }
                Op::NoClause { value } => {
                    let message = format!("no clause matches {}", describe(&register!(value)));
                    checked!(error_with_hint("no_matching_clause", message, "add a default as the last part"))
                }
                op => {
                    *place = at;
                    return Ok(Some(op));
                }
            }
        }
    }
}

#[inline(always)]
fn operand<'a>(registers: &'a [Value], constants: &'a [Value], operand: Operand) -> &'a Value {
    match operand & CONSTANT {
        0 => &registers[usize::from(operand)],
        _ => &constants[usize::from(operand & !CONSTANT)],
    }
}

#[inline(always)]
fn compared(comparison: Comparison, left: &Value, right: &Value) -> Outcome<bool> {
    if let (Value::Int(left), Value::Int(right)) = (left, right) {
        return Ok(match comparison {
            Comparison::Less => left < right,
            Comparison::AtMost => left <= right,
            Comparison::More => left > right,
            Comparison::AtLeast => left >= right,
            Comparison::Equal => left == right,
            Comparison::Unequal => left != right,
        });
    }
    compared_slowly(comparison, left, right)
}

fn compared_slowly(comparison: Comparison, left: &Value, right: &Value) -> Outcome<bool> {
    match (comparison, left, right) {
        (Comparison::Equal, Value::Keyword(left), Value::Keyword(right)) => {
            Ok(Rc::ptr_eq(left, right) || left == right)
        }
        (Comparison::Equal, left, right) => Ok(equal(left, right)),
        _ => compare(comparison, left, right),
    }
}

fn take_run(registers: &mut [Value], first: u16, count: u16) -> Vec<Value> {
    let first = usize::from(first);
    taken(&mut registers[first..first + usize::from(count)])
}

fn rest(from: &Value, index: usize, meter: &mut Meter) -> Outcome {
    if !matches!(from, Value::Vector(_) | Value::Nil | Value::Str(_)) {
        return destructure_error("a vector, a string or nil", from);
    }
    let items = to_vector("&", from)?;
    let rest = items.as_slice().get(index..).unwrap_or_default();
    meter.elements(rest.len())?;
    Ok(if rest.is_empty() { Value::Nil } else { Value::vector(rest.iter().cloned()) })
}

#[cold]
fn loop_limit<T>(limit: u64) -> Outcome<T> {
    let hint = "check that it ends; go over collections with `map`, `reduce` or `doseq` instead";
    error_with_hint("loop_limit_exceeded", format!("a loop went around more than {limit} times"), hint)
}

#[cold]
fn destructure_error<T>(expected: &str, got: &Value) -> Outcome<T> {
    error("destructure_error", format!("the pattern takes {expected} apart, got {}", describe(got)))
}

/// The map of trailing keys and values: `(f :a 1)`, or `(f {:a 1})`.
fn options(rest: Value) -> Outcome {
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
