//! Transducers: what `(map f)` and the like are without a collection. Nothing is lazy here, so a transducer is a function
//! of a collection, and each one of a composition goes over all elements before the next.

use super::arguments::not_taken;
use super::closures::made;
use super::{ANY, plain, steps};
use crate::lisp::fault::{EvalResult, describe, error_with_hint};
use crate::lisp::native::{Begin, Builtin, Context};
use crate::value::Value;

pub(super) const ROWS: &[Builtin] = &[
    steps("cat", "colls", (1, 1), "The elements of all collections; a transducer.", |_, args| {
        Ok(Begin::Call(
            Value::Builtin("apply".into()),
            vec![Value::Builtin("concat".into()), std::mem::take(&mut args[0])],
        ))
    }),
    plain("completing", "f, f done", (1, 2), "f for `transduce`, which calls done with the result.", |_, args| {
        let done = if args.len() == 2 { std::mem::take(&mut args[1]) } else { Value::Builtin("identity".into()) };
        let captured = vec![("f".into(), std::mem::take(&mut args[0])), ("done".into(), done)];
        Ok(made("[] [x] [x y]", "([] (f)) ([x] (done x)) ([x y] (f x y))", captured))
    }),
    steps("eduction", "xform … coll", (1, ANY), "The elements as the transducers change them.", changed),
    steps("sequence", "coll, xform coll", (1, 2), "The elements, as a transducer changes them.", changed),
    steps(
        "transduce",
        "xform f coll, xform f init coll",
        (3, 4),
        "Reduces the elements that a transducer makes.",
        |context, args| {
            check(context, &args[0])?;
            let f = &args[1];
            // A function with one arity has none for the end.
            let ends = match f {
                Value::Closure(closure) => closure.has_arities(),
                _ => true,
            };
            let init = if args.len() == 4 { "init" } else { "(f)" };
            let reduced = format!("(clojure.core/reduce f {init} (xform coll))");
            let body = if ends { format!("(f {reduced})") } else { reduced };
            let params = if args.len() == 4 { "xform f init coll" } else { "xform f coll" };
            let args = args.iter_mut().map(std::mem::take).collect();
            Ok(Begin::Call(made(params, &format!("([{params}] {body})"), Vec::new()), args))
        },
    ),
    plain(
        "transducer",
        "name x …",
        (1, 3),
        "The transducer that a function is without a collection: `(map f)`.",
        |context, args| {
            let name = args[0].as_str().unwrap_or_default().to_owned();
            if !makes_transducer(&name, args.len() - 1) {
                return not_taken(context, "the name of a function such as `map`", &args[0].clone(), args);
            }
            let given = args[1..].iter_mut().enumerate();
            let captured: Vec<_> = given.map(|(at, arg)| (format!("x{at}"), std::mem::take(arg))).collect();
            let names: String = captured.iter().map(|(name, _)| format!(" {name}")).collect();
            Ok(transducer(&format!("(clojure.core/{name}{names} coll)"), captured))
        },
    ),
];

/// The functions that are transducers without a collection, with the number of their other arguments.
const TRANSDUCING: [(&str, usize); 18] = [
    ("dedupe", 0),
    ("distinct", 0),
    ("drop", 1),
    ("drop-while", 1),
    ("filter", 1),
    ("interpose", 1),
    ("keep", 1),
    ("keep-indexed", 1),
    ("map", 1),
    ("map-indexed", 1),
    ("mapcat", 1),
    ("partition-all", 1),
    ("partition-by", 1),
    ("pluck", 1),
    ("remove", 1),
    ("take", 1),
    ("take-nth", 1),
    ("take-while", 1),
];

/// Returns whether a call of a builtin with these many arguments makes a transducer.
pub fn makes_transducer(name: &str, count: usize) -> bool {
    TRANSDUCING.contains(&(name, count))
}

/// The docstring by which a transducer is recognized, also when it was saved.
const DOC: &str = "A transducer.";

/// Returns a transducer with this body, which uses `coll`.
fn transducer(body: &str, captured: Vec<(String, Value)>) -> Value {
    match made("coll", &format!("([coll] {body})"), captured) {
        Value::Closure(mut closure) => {
            std::rc::Rc::make_mut(&mut closure).doc = Some(DOC.into());
            Value::Closure(closure)
        }
        other => other,
    }
}

/// Returns whether a value is a transducer.
pub(super) fn is_transducer(value: &Value) -> bool {
    match value {
        Value::Closure(closure) => closure.doc.as_deref() == Some(DOC),
        Value::Builtin(name) => &**name == "cat",
        _ => false,
    }
}

/// Returns the composition of transducers, of which the first one changes the elements first.
pub(super) fn composed(xforms: &mut [Value]) -> Value {
    let named = xforms.iter_mut().enumerate().map(|(at, xform)| (format!("x{at}"), std::mem::take(xform)));
    // In the order in which the body uses them.
    let captured: Vec<_> = named.rev().collect();
    let open: String = captured.iter().map(|(name, _)| format!("({name} ")).collect();
    transducer(&format!("{open}coll{}", ")".repeat(captured.len())), captured)
}

/// Calls transducers with a collection, which is the last argument.
fn changed(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult<Begin> {
    let Some((coll, xforms)) = args.split_last_mut() else { return Ok(Begin::Done(Value::Nil)) };
    let coll = std::mem::take(coll);
    xforms.iter().try_for_each(|xform| check(context, xform))?;
    Ok(match xforms {
        [] => Begin::Call(Value::Builtin("vec".into()), vec![coll]),
        xforms => Begin::Call(composed(xforms), vec![coll]),
    })
}

/// Fails when a value is no transducer.
pub(super) fn check(context: &Context<'_>, value: &Value) -> EvalResult<()> {
    if is_transducer(value) {
        return Ok(());
    }
    let message = format!("`{}` takes a transducer here, got {}", context.name, describe(value));
    error_with_hint("type_error", message, "make one with `(map f)`, `(filter pred)`, `(take n)` or `(comp …)` of them")
}
