//! Sequences without an end. Such a sequence is a function without source that captures a state, the function to the next
//! state, and the function to the elements of a state, in a vector. Builtins that need a part of it compute that part;
//! those that change each element make a sequence with other elements of each state.

use std::rc::Rc;

use super::arguments::{arg, elements, take};
use super::closures::made;
use super::{plain, steps};
use crate::lisp::fault::EvalResult;
use crate::lisp::native::{Begin, Builtin, Context};
use crate::lisp::sequence::{ENDLESS, endless_parts};
use crate::text::join;
use crate::value::{Captured, Closure, Value, taken};

pub(super) const ROWS: &[Builtin] = &[
    plain("cycle", "coll", (1, 1), "The elements again and again: `take` as many as are needed.", |context, args| {
        let items = elements(context, args, 0)?;
        let count = Value::Int(items.len() as i64);
        if items.is_empty() {
            return Ok(Value::Vector(items));
        }
        let next = made("i", "([i] (clojure.core/mod (clojure.core/inc i) n))", vec![("n".into(), count)]);
        let element = made("i", "([i] [(clojure.core/nth items i)])", vec![("items".into(), Value::Vector(items))]);
        Ok(endless(next, Value::Int(0), element))
    }),
    plain("iterate", "f x", (2, 2), "x, f of x, f of that and so on: `take` as many as are needed.", |_, args| {
        Ok(iterate(take(args, 0), take(args, 1)))
    }),
    steps(
        "repeatedly",
        "f, n f",
        (1, 2),
        "What calls of f give, n times or without end: `take` as many as are needed.",
        |_, args| {
            if args.len() == 2 {
                let body = "([n f] (clojure.core/mapv (fn [_] (f)) (clojure.core/range n)))";
                return Ok(Begin::Call(made("n f", body, Vec::new()), taken(args)));
            }
            let called = made("_", "([_] [(f)])", vec![("f".into(), take(args, 0))]);
            Ok(Begin::Done(endless(Value::Builtin("identity".into()), Value::Nil, called)))
        },
    ),
];

/// The sequence of a state, its next state and so on.
pub(super) fn iterate(next: Value, start: Value) -> Value {
    endless(next, start, Value::Builtin("vector".into()))
}

fn endless(next: Value, state: Value, elements: Value) -> Value {
    let captured = vec![(ENDLESS.into(), state), ("next".into(), next), ("elements".into(), elements)];
    Value::Closure(Rc::new(Closure { captured: Captured(captured), ..Closure::default() }))
}

/// Functions of one collection, with their parameters and bodies for an endless one. `es` gives the elements of the state
/// `s`, and `step` the next state. `from` makes the sequence that begins with elements that are left of a state.
static PARTS: [(&str, &str, &str); 9] = [
    (
        "drop",
        "n",
        "(loop [n n s s] (let [xs (es s)] (if (~/< (~/count xs) n) (recur (~/- n (~/count xs)) (step s)) (from (~/drop n xs) s))))",
    ),
    (
        "drop-while",
        "f",
        "(loop [s s] (let [xs (~/drop-while f (es s))] (if (~/empty? xs) (recur (step s)) (from xs s))))",
    ),
    ("first", "_", "(loop [s s] (let [xs (es s)] (if (~/empty? xs) (recur (step s)) (~/first xs))))"),
    (
        "nth",
        "n",
        "(loop [n n s s] (let [xs (es s)] (if (~/< n (~/count xs)) (~/nth xs n) (recur (~/- n (~/count xs)) (step s)))))",
    ),
    ("rest", "_", "(loop [s s] (let [xs (es s)] (if (~/empty? xs) (recur (step s)) (from (~/rest xs) s))))"),
    (
        "second",
        "_",
        "(loop [n 1 s s] (let [xs (es s)] (if (~/< n (~/count xs)) (~/nth xs n) (recur (~/- n (~/count xs)) (step s)))))",
    ),
    ("some", "f", "(loop [s s] (let [x (~/some f (es s))] (if x x (recur (step s)))))"),
    (
        "take",
        "n",
        "(loop [s s acc []] (let [acc (if (~/pos? n) (~/into acc (es s)) acc)] (if (~/< (~/count acc) n) (recur (step s) acc) (~/take n acc))))",
    ),
    (
        "take-while",
        "f",
        "(loop [s s acc []] (let [xs (es s) ys (~/take-while f xs) acc (~/into acc ys)] (if (~/= (~/count xs) (~/count ys)) (recur (step s) acc) acc)))",
    ),
];

/// Functions that make a sequence with other elements of each state.
const CHANGING: &[&str] = &["filter", "keep", "map", "mapcat", "remove"];

/// Returns how a builtin works on an endless sequence, if its argument at `position` is one.
pub(super) fn of_endless(context: &Context<'_>, args: &mut [Value], position: usize) -> Option<Begin> {
    let (state, step, elements) = endless_parts(args.get(position)?)?;
    let (state, step, elements) = (state.clone(), step.clone(), elements.clone());
    let part = PARTS.iter().find(|(name, ..)| *name == context.name);
    if part.is_none() && !CHANGING.contains(&context.name) {
        return None;
    }
    let other = take(args, 1 - position.min(1));
    let Some((_, given, body)) = part else {
        let body = format!("([s] (clojure.core/vec (clojure.core/{} f (es s))))", context.name);
        let changed = made("s", &body, vec![("f".into(), other), ("es".into(), elements)]);
        return Some(Begin::Done(endless(step, state, changed)));
    };
    let from = "(fn [xs s] (~/mapcat ~/first (~/iterate (fn [[_ s]] (let [s (step s)] [(es s) s])) [xs s])))";
    let arities = format!("([s step es {given}] (let [from {from}] {body}))").replace('~', "clojure.core");
    Some(Begin::Call(made("s step es x", &arities, Vec::new()), vec![state, step, elements, other]))
}

/// Returns the call of a builtin of several collections with as much of the endless ones as the shortest other one has,
/// if some are endless and others are not.
pub(super) fn of_several(context: &mut Context<'_>, args: &mut [Value], from: usize) -> EvalResult<Option<Begin>> {
    let is_endless = |value: &Value| endless_parts(value).is_some();
    if !args[from..].iter().any(is_endless) || args[from..].iter().all(is_endless) {
        return Ok(None);
    }
    let mut count = usize::MAX;
    for position in from..args.len() {
        if !is_endless(arg(args, position)) {
            let items = elements(context, args, position)?;
            count = count.min(items.len());
            args[position] = Value::Vector(items);
        }
    }
    let names: Vec<String> = (0..args.len()).map(|position| format!("a{position}")).collect();
    let cut = |position: usize| match is_endless(arg(args, position)) {
        true => format!("(clojure.core/take {count} a{position})"),
        false => format!("a{position}"),
    };
    let cut: Vec<String> = (0..args.len()).map(cut).collect();
    let arities = format!("([{}] (clojure.core/{} {}))", join(&names, " "), context.name, join(&cut, " "));
    Ok(Some(Begin::Call(made("x …", &arities, Vec::new()), taken(args))))
}
