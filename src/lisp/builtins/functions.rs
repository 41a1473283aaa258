//! Functions that make functions. What they make is a closure whose source calls the functions
//! that it captured, so it is saved and shown like any other.

use std::rc::Rc;

use super::{ANY, plain};
use crate::lisp::fault::Outcome;
use crate::lisp::native::{Builtin, Context};
use crate::value::{Captured, Closure, Value};

pub(super) const ROWS: &[Builtin] = &[
    plain("comp", "f …", (0, ANY), "A function that applies the last one first, then the others to its result.", comp),
    plain("complement", "f", (1, 1), "A function that gives the opposite truth value.", |_, args| {
        Ok(made("& xs", "(clojure.core/not (clojure.core/apply f xs))", [("f", args[0].clone())]))
    }),
    plain("constantly", "x", (1, 1), "A function that always gives x.", |_, args| {
        Ok(made("& _", "x", [("x", args[0].clone())]))
    }),
    plain("identity", "x", (1, 1), "x itself.", |_, args| Ok(std::mem::take(&mut args[0]))),
    plain("juxt", "f …", (1, ANY), "A function that gives the vector of what each f gives.", |_, args| {
        let functions = Value::vector(args.iter_mut().map(std::mem::take));
        Ok(made("& xs", "(clojure.core/mapv (fn [f] (clojure.core/apply f xs)) fs)", [("fs", functions)]))
    }),
    plain("partial", "f x …", (1, ANY), "f with its first arguments given.", |_, args| {
        let given = Value::vector(args[1..].iter_mut().map(std::mem::take));
        let function = std::mem::take(&mut args[0]);
        Ok(made(
            "& more",
            "(clojure.core/apply f (clojure.core/concat given more))",
            [("f", function), ("given", given)],
        ))
    }),
];

/// A function with these parameters and body. Names of the library are qualified in the body, as
/// programs may define names of their own; captured names stand in the order in which the body
/// mentions them.
fn made<const COUNT: usize>(params: &str, body: &str, captured: [(&str, Value); COUNT]) -> Value {
    let captured = captured.into_iter().map(|(name, value)| (name.into(), value)).collect();
    Value::Closure(Rc::new(Closure {
        params: params.into(),
        source: Some(format!("(fn [{params}] {body})").into()),
        captured: Captured(captured),
        ..Closure::default()
    }))
}

fn comp(_: &mut Context<'_>, args: &mut [Value]) -> Outcome {
    Ok(match args {
        [] => Value::Builtin("identity".into()),
        [one] => std::mem::take(one),
        several => {
            let last = several.last_mut().map(std::mem::take).unwrap_or_default();
            let rest = several.split_last_mut().map(|(_, rest)| rest).unwrap_or_default();
            let others = Value::vector(rest.iter_mut().rev().map(std::mem::take));
            let body = "(clojure.core/reduce (fn [x f] (f x)) (clojure.core/apply last xs) others)";
            made("& xs", body, [("last", last), ("others", others)])
        }
    })
}
