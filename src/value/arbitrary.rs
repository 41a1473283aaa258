//! Random values for property tests.

use std::rc::Rc;

use proptest::collection::vec;
use proptest::prelude::*;

use super::{BigInt, Closure, Value, is_keyword_name, parse_integer};

/// A value of any kind, nested a few levels deep.
pub(crate) fn value() -> impl Strategy<Value = Value> {
    of_scalars(scalar(any::<f64>().boxed()))
}

/// A value whose floats have at most three decimals, so that its Clojure text keeps them.
pub(crate) fn printable_value() -> impl Strategy<Value = Value> {
    let short = (-1_000_000_000_i64..1_000_000_000).prop_map(|thousandths| thousandths as f64 / 1000.0);
    let special = prop_oneof![Just(f64::INFINITY), Just(f64::NEG_INFINITY), Just(f64::NAN), Just(-0.0), Just(1e22)];
    of_scalars(scalar(prop_oneof![4 => short, 1 => special].boxed()))
}

fn of_scalars(scalar: impl Strategy<Value = Value> + 'static) -> impl Strategy<Value = Value> {
    scalar.prop_recursive(4, 40, 5, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..5).prop_map(Value::vector),
            vec(inner.clone(), 0..5).prop_map(Value::set),
            vec((inner.clone(), inner.clone()), 0..5).prop_map(Value::map),
            vec((keyword(), inner), 0..5).prop_map(Value::map),
        ]
    })
}

fn scalar(floats: BoxedStrategy<f64>) -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Nil),
        any::<bool>().prop_map(Value::Bool),
        prop_oneof![-9..10_i64, any::<i64>()].prop_map(Value::Int),
        any::<(i128, i64)>().prop_map(|(left, right)| Value::integer(wide(left).times(&BigInt::from(right)))),
        floats.prop_map(Value::Float),
        text().prop_map(Value::str),
        keyword(),
        Just(Value::Builtin("sort-by".into())),
        Just(Value::Var("user/in-stock?".into())),
        Just(Value::Regex(r#"\d+[^\\"]\s"#.replace('"', "\\\"").into())),
        (-8_640_000_000_000_000..=8_640_000_000_000_000_i64).prop_map(Value::Date),
        (-100_000_000..=100_000_000_i64).prop_map(Value::Day),
        "[a-z]( [a-z&]){0,3}"
            .prop_map(|params| { Value::Closure(Rc::new(Closure { params: params.into(), ..Default::default() })) }),
    ]
}

/// An integer of 128 bits.
pub(crate) fn wide(value: i128) -> BigInt {
    parse_integer(&value.to_string(), 10).unwrap_or_default()
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![".{0,6}", any::<String>(), "[\\x00-\\x20\"\\\\\u{7f}-\u{9f}\u{2028}\u{FEFF}a]{0,6}"]
}

fn keyword() -> impl Strategy<Value = Value> {
    let name = prop_oneof![3 => "[_$]?[a-c]{1,2}[?!*'#]?", 1 => "\\PC{1,4}"];
    name.prop_filter("a keyword", |name| is_keyword_name(name)).prop_map(Value::keyword)
}
