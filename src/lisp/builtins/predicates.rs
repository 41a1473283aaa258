//! Predicates on values.

use super::arguments::arg;
use super::{PlainCode, plain};
use crate::lisp::equality::equal;
use crate::lisp::equality::is_truthy;
use crate::lisp::fault::{EvalResult, describe, error_with_hint};
use crate::lisp::native::{Builtin, Context};
use crate::lisp::number::{Number, to_number};
use crate::unicode::cut_position;
use crate::value::Value;

/// Makes a predicate that takes any value.
const fn asks(name: &'static str, doc: &'static str, code: PlainCode) -> Builtin {
    plain(name, "x", (1, 1), doc, code)
}

/// The code of a predicate that tests for a pattern.
macro_rules! is {
    ($($pattern:tt)+) => { |_, args| Ok(Value::Bool(matches!(arg(args, 0), $($pattern)+))) };
}

pub(super) const ROWS: &[Builtin] = &[
    asks("nil?", "True for nil.", is!(Value::Nil)),
    asks("some?", "True for everything but nil.", |_, args| Ok(Value::Bool(!matches!(arg(args, 0), Value::Nil)))),
    asks("true?", "True for true.", is!(Value::Bool(true))),
    asks("false?", "True for false.", is!(Value::Bool(false))),
    asks("boolean?", "True for true and false.", is!(Value::Bool(_))),
    asks("boolean", "False for nil and false, true for everything else.", |_, args| {
        Ok(Value::Bool(is_truthy(arg(args, 0))))
    }),
    asks("not", "True for nil and false.", |_, args| Ok(Value::Bool(!is_truthy(arg(args, 0))))),
    asks("any?", "True for everything.", is!(_)),
    asks("number?", "True for integers and floats.", is!(Value::Int(_) | Value::BigInt(_) | Value::Float(_))),
    asks("integer?", "True for integers.", is!(Value::Int(_) | Value::BigInt(_))),
    asks("rational?", "True for integers: there are no ratios.", is!(Value::Int(_) | Value::BigInt(_))),
    asks("int?", "True for integers of 64 bits.", is!(Value::Int(_))),
    asks("float?", "True for floats.", is!(Value::Float(_))),
    asks("double?", "True for floats.", is!(Value::Float(_))),
    asks("ratio?", "False: there are no ratios.", |_, _| Ok(Value::Bool(false))),
    asks("decimal?", "False: there are no decimals.", |_, _| Ok(Value::Bool(false))),
    asks("pos-int?", "True for integers above zero.", |_, args| sign_of_integer(args, |sign| sign > 0)),
    asks("neg-int?", "True for integers below zero.", |_, args| sign_of_integer(args, |sign| sign < 0)),
    asks("nat-int?", "True for integers that are not below zero.", |_, args| sign_of_integer(args, |sign| sign >= 0)),
    asks("zero?", "True for 0 and 0.0.", |context, args| float(context, args, |value| value == 0.0)),
    asks("pos?", "True for numbers above zero.", |context, args| float(context, args, |value| value > 0.0)),
    asks("neg?", "True for numbers below zero.", |context, args| float(context, args, |value| value < 0.0)),
    asks("NaN?", "True for ##NaN.", |context, args| float(context, args, f64::is_nan)),
    asks("infinite?", "True for ##Inf and ##-Inf.", |context, args| float(context, args, f64::is_infinite)),
    asks("even?", "True for even integers.", |context, args| Ok(Value::Bool(!is_odd(context.name, arg(args, 0))?))),
    asks("odd?", "True for odd integers.", |context, args| Ok(Value::Bool(is_odd(context.name, arg(args, 0))?))),
    asks("string?", "True for strings.", is!(Value::Str(_))),
    asks("char?", "True for strings of one character.", |_, args| {
        let is_one = arg(args, 0).as_str().is_some_and(|text| !text.is_empty() && cut_position(text, 1).is_none());
        Ok(Value::Bool(is_one))
    }),
    asks("keyword?", "True for keywords.", is!(Value::Keyword(_))),
    asks("simple-keyword?", "True for keywords without a namespace.", |_, args| {
        Ok(Value::Bool(matches!(&args[0], Value::Keyword(name) if !name.contains('/'))))
    }),
    asks("qualified-keyword?", "True for keywords with a namespace.", |_, args| {
        Ok(Value::Bool(matches!(&args[0], Value::Keyword(name) if name.contains('/'))))
    }),
    asks("ident?", "True for keywords.", is!(Value::Keyword(_))),
    asks("symbol?", "False: symbols are no values.", |_, _| Ok(Value::Bool(false))),
    asks("vector?", "True for vectors, which lists are too.", is!(Value::Vector(_))),
    asks("list?", "True for vectors: lists are vectors.", is!(Value::Vector(_))),
    asks("seq?", "True for vectors: sequences are vectors.", is!(Value::Vector(_))),
    asks("sequential?", "True for vectors.", is!(Value::Vector(_))),
    asks("map?", "True for maps.", is!(Value::Map(_))),
    asks("set?", "True for sets.", is!(Value::Set(_))),
    asks("coll?", "True for vectors, maps and sets.", is!(Value::Vector(_) | Value::Map(_) | Value::Set(_))),
    asks("associative?", "True for vectors and maps.", is!(Value::Vector(_) | Value::Map(_))),
    asks("counted?", "True for vectors, maps and sets.", is!(Value::Vector(_) | Value::Map(_) | Value::Set(_))),
    asks("indexed?", "True for vectors.", is!(Value::Vector(_))),
    asks("reversible?", "True for vectors, and for sorted maps and sets.", |_, args| {
        Ok(Value::Bool(matches!(args[0], Value::Vector(_)) || args[0].key_order().is_some()))
    }),
    asks("sorted?", "True for sorted maps and sets.", |_, args| Ok(Value::Bool(args[0].key_order().is_some()))),
    asks(
        "seqable?",
        "True for what has elements: collections, strings and nil.",
        is!(Value::Nil | Value::Str(_) | Value::Vector(_) | Value::Map(_) | Value::Set(_)),
    ),
    asks("fn?", "True for functions.", is!(Value::Closure(_) | Value::Builtin(_))),
    asks(
        "ifn?",
        "True for what can be called: functions, vars, keywords, maps, sets and vectors.",
        is!(Value::Closure(_)
            | Value::Builtin(_)
            | Value::Var(_)
            | Value::Keyword(_)
            | Value::Map(_)
            | Value::Set(_)
            | Value::Vector(_)),
    ),
    asks("var?", "True for vars.", |_, args| {
        Ok(Value::Bool(matches!(&args[0], Value::Var(_)) && args[0].atom_number().is_none()))
    }),
    asks("regex?", "True for regular expressions.", is!(Value::Regex(_))),
    asks("inst?", "True for dates.", is!(Value::Date(_))),
    asks("uuid?", "False: a UUID is a string.", |_, _| Ok(Value::Bool(false))),
    plain("identical?", "x y", (2, 2), "True for equal values, as `=`.", |_, args| {
        Ok(Value::Bool(equal(arg(args, 0), arg(args, 1))))
    }),
];

fn sign_of_integer(args: &[Value], holds: fn(i64) -> bool) -> EvalResult {
    Ok(Value::Bool(match arg(args, 0) {
        Value::Int(value) => holds(*value),
        Value::BigInt(value) => holds(if value.is_negative() { -1 } else { 1 }),
        _ => false,
    }))
}

fn float(context: &mut Context<'_>, args: &[Value], holds: fn(f64) -> bool) -> EvalResult {
    Ok(Value::Bool(holds(to_number(context.name, arg(args, 0))?.to_float())))
}

fn is_odd(name: &str, value: &Value) -> EvalResult<bool> {
    match to_number(name, value)? {
        Number::Int(value) => Ok(value % 2 != 0),
        Number::Big(value) => Ok(value.limbs().first().is_some_and(|digit| digit % 2 == 1)),
        Number::Float(_) => {
            let message = format!("`{name}` takes integers, got {}", describe(value));
            error_with_hint("type_error", message, "`/` gives floats; round first, `(int x)`, or divide with `quot`")
        }
    }
}
