//! Arithmetic and comparison.

use super::{ANY, plain};
use crate::lisp::chunk::Comparison;
use crate::lisp::fault::{Outcome, error};
use crate::lisp::native::{Builtin, Context};
use crate::lisp::number::{Arithmetic, arithmetic, compare, to_number};
use crate::value::Value;

pub(super) const ROWS: &[Builtin] = &[
    plain("+", "x …", (0, ANY), "The sum; 0 without arguments.", |_, args| {
        fold(Arithmetic::Add, Value::Int(0), args)
    }),
    plain("*", "x …", (0, ANY), "The product; 1 without arguments.", |_, args| {
        fold(Arithmetic::Multiply, Value::Int(1), args)
    }),
    plain("-", "x …", (1, ANY), "x less the others; -x alone.", |_, args| match args {
        [one] => arithmetic(Arithmetic::Subtract, &Value::Int(0), one),
        [first, rest @ ..] => {
            rest.iter().try_fold(first.clone(), |sum, arg| arithmetic(Arithmetic::Subtract, &sum, arg))
        }
        [] => Ok(Value::Nil),
    }),
    plain("/", "x …", (1, ANY), "x divided by the others, as a float; 1/x alone.", divide),
    plain("inc", "x", (1, 1), "x + 1.", |_, args| arithmetic(Arithmetic::Add, &args[0], &Value::Int(1))),
    plain("dec", "x", (1, 1), "x - 1.", |_, args| arithmetic(Arithmetic::Subtract, &args[0], &Value::Int(1))),
    plain("=", "x …", (1, ANY), "True when all are equal.", |_, args| chain(Comparison::Equal, args)),
    plain("not=", "x …", (1, ANY), "True when not all are equal.", |_, args| {
        chain(Comparison::Equal, args).map(|equal| Value::Bool(!matches!(equal, Value::Bool(true))))
    }),
    plain("<", "x …", (1, ANY), "True when each is less than the next.", |_, args| chain(Comparison::Less, args)),
    plain("<=", "x …", (1, ANY), "True when none is more than the next.", |_, args| chain(Comparison::AtMost, args)),
    plain(">", "x …", (1, ANY), "True when each is more than the next.", |_, args| chain(Comparison::More, args)),
    plain(">=", "x …", (1, ANY), "True when none is less than the next.", |_, args| chain(Comparison::AtLeast, args)),
    plain("not", "x", (1, 1), "True for nil and false.", |_, args| {
        Ok(Value::Bool(matches!(args[0], Value::Nil | Value::Bool(false))))
    }),
    plain("nil?", "x", (1, 1), "True for nil.", |_, args| Ok(Value::Bool(matches!(args[0], Value::Nil)))),
];

fn fold(op: Arithmetic, start: Value, args: &[Value]) -> Outcome {
    args.iter().try_fold(start, |sum, arg| arithmetic(op, &sum, arg))
}

fn chain(comparison: Comparison, args: &[Value]) -> Outcome {
    for pair in args.windows(2) {
        if !compare(comparison, &pair[0], &pair[1])? {
            return Ok(Value::Bool(false));
        }
    }
    Ok(Value::Bool(true))
}

fn divide(_: &mut Context<'_>, args: &mut [Value]) -> Outcome {
    let quotient = |left: &Value, right: &Value| -> Outcome {
        let (left, right_number) = (to_number("/", left)?, to_number("/", right)?);
        if matches!(right, Value::Int(0)) && !matches!(left, crate::lisp::number::Number::Float(_)) {
            return error("arithmetic_error", "an integer can't be divided by zero");
        }
        Ok(Value::Float(left.to_float() / right_number.to_float()))
    };
    match args {
        [one] => quotient(&Value::Int(1), one),
        [first, rest @ ..] => rest.iter().try_fold(first.clone(), |product, arg| quotient(&product, arg)),
        [] => Ok(Value::Nil),
    }
}
