//! Atoms: cells that a program changes. See [`Atoms`](crate::lisp::cells::Atoms).

use super::arguments::{arg, take};
use super::{ANY, plain, steps};
use crate::lisp::fault::{EvalResult, type_error};
use crate::lisp::native::{Begin, Builtin, Context, Next};
use crate::value::{Value, taken};

pub(super) const ROWS: &[Builtin] = &[
    plain("atom", "x", (1, 1), "A cell with x: `@a` reads it, `swap!` and `reset!` change it.", |context, args| {
        context.meter.elements(1)?;
        Ok(context.meter.atoms.add(take(args, 0)))
    }),
    plain(
        "deref",
        "x, x ms default",
        (1, 3),
        "The value of an atom; else x itself: what `future` and `delay` give is there.",
        |context, args| {
            let value = take(args, 0);
            Ok(context.meter.atoms.value(&value).cloned().unwrap_or(value))
        },
    ),
    plain("reset!", "atom x", (2, 2), "Gives an atom the value x; x.", |context, args| {
        let number = number(context, args)?;
        context.meter.atoms.set(number, arg(args, 1).clone());
        Ok(take(args, 1))
    }),
    plain("reset-vals!", "atom x", (2, 2), "Gives an atom the value x; the old value and x.", |context, args| {
        let number = number(context, args)?;
        let new = take(args, 1);
        let old = context.meter.atoms.set(number, new.clone());
        Ok(Value::vector([old, new]))
    }),
    steps(
        "swap!",
        "atom f x …",
        (2, ANY),
        "Gives an atom f of its value and the other arguments; the new value.",
        |context, args| swap(context, args, false),
    ),
    steps("swap-vals!", "atom f x …", (2, ANY), "As `swap!`; the old and the new value.", |context, args| {
        swap(context, args, true)
    }),
];

/// Returns the number of the atom that is the first argument.
fn number(context: &Context<'_>, args: &[Value]) -> EvalResult<usize> {
    match arg(args, 0).atom_number() {
        Some(number) => Ok(number),
        None => type_error(context.name, "an atom", arg(args, 0), "make one first: `(def x (atom 0))`"),
    }
}

/// Calls a function with the value of an atom, again when the atom was changed meanwhile: by the function itself, or
/// by another branch while the function waited for a tool.
fn swap(context: &mut Context<'_>, args: &mut [Value], gives_both: bool) -> EvalResult<Begin> {
    let number = number(context, args)?;
    let function = take(args, 1);
    let rest = taken(&mut args[2..]);
    let mut before = None;
    let called = function.clone();
    let steps = move |context: &mut Context<'_>, answer: Option<Value>| {
        let atoms = &mut context.meter.atoms;
        if let (Some(new), Some((old, version))) = (answer, before.take())
            && version == atoms.version(number)
        {
            atoms.set(number, new.clone());
            return Ok(Next::Done(if gives_both { Value::vector([old, new]) } else { new }));
        }
        let old = atoms.get(number);
        if !gives_both && adds(&called, &old, &rest) {
            // Moved out, so that it is changed in place.
            atoms.empty(number);
        }
        before = Some((if gives_both { old.clone() } else { Value::Nil }, atoms.version(number)));
        Ok(Next::CallAll(std::iter::once(old).chain(rest.iter().cloned()).collect()))
    };
    Ok(Begin::Steps(function, Box::new(steps)))
}

/// Returns whether a call only adds to the collection of an atom: it calls no function and has no error that programs can
/// catch, so nobody sees the atom before it has its new value.
fn adds(function: &Value, collection: &Value, args: &[Value]) -> bool {
    let Value::Builtin(name) = function else { return false };
    match (collection, args) {
        (Value::Vector(_), [_]) => **name == *"conj",
        (Value::Map(_), [key, _]) => **name == *"assoc" && collection.key_order().is_none() && !key.holds_values(),
        _ => false,
    }
}
