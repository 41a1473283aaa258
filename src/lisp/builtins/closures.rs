//! Closures that builtins make.

use std::rc::Rc;

use crate::value::{Captured, Closure, Value};

/// Returns a closure with these arities, `([x] body) …`. It is printed with `params`.
///
/// Bodies qualify names of the library, because programs may redefine them. Captured names are in the order in which
/// the bodies use them.
pub(super) fn made(params: &str, arities: &str, captured: Vec<(String, Value)>) -> Value {
    let captured = captured.into_iter().map(|(name, value)| (name.into(), value)).collect();
    Value::Closure(Rc::new(Closure {
        params: params.into(),
        source: Some(format!("(fn {arities})").into()),
        captured: Captured(captured),
        ..Closure::default()
    }))
}
