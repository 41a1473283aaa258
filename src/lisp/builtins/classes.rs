//! Classes of Java and Clojure, which only `instance?` asks for, and functions that choose a method by a value.

use super::arguments::{arg, take};
use super::closures::made;
use super::plain;
use crate::lisp::exception;
use crate::lisp::fault::{EvalResult, describe, error_with_hint, type_error};
use crate::lisp::native::{Builtin, Context};
use crate::value::{Closure, Value};

pub(super) const ROWS: &[Builtin] = &[
    plain(
        "instance?",
        "class x",
        (2, 2),
        "True for a value of a class such as String, Long, Number, Boolean or java.util.Map.",
        |_, args| is_instance(arg(args, 0), arg(args, 1)),
    ),
    plain(
        "with-method",
        "f, f value method",
        (1, 3),
        "A function that chooses a method by the value of f; a further method of such a function.",
        with_method,
    ),
];

/// Returns whether a value is of a class, which may have its package.
fn is_instance(class: &Value, value: &Value) -> EvalResult {
    let Some(class) = class.as_str() else {
        return type_error("instance?", "the name of a class", class, "write `(instance? String x)`");
    };
    let is_collection = value.is_collection();
    Ok(Value::Bool(match class.rsplit('.').next().unwrap_or(class) {
        "String" | "CharSequence" => matches!(value, Value::Str(_)),
        "Character" => value.as_str().is_some_and(|text| text.chars().count() == 1),
        "Long" | "Integer" | "Short" | "Byte" => matches!(value, Value::Int(_)),
        "BigInt" | "BigInteger" => matches!(value, Value::BigInt(_)),
        "Double" | "Float" => matches!(value, Value::Float(_)),
        "Number" => matches!(value, Value::Int(_) | Value::BigInt(_) | Value::Float(_)),
        "Boolean" => matches!(value, Value::Bool(_)),
        "Keyword" | "Named" => matches!(value, Value::Keyword(_)),
        "Map" | "IPersistentMap" | "APersistentMap" | "PersistentArrayMap" | "PersistentHashMap" => {
            matches!(value, Value::Map(_))
        }
        "List" | "IPersistentVector" | "PersistentVector" | "IPersistentList" | "PersistentList" | "Sequential"
        | "ISeq" | "LazySeq" | "Indexed" => matches!(value, Value::Vector(_)),
        "Set" | "IPersistentSet" | "PersistentHashSet" => matches!(value, Value::Set(_)),
        "Collection" | "Iterable" => matches!(value, Value::Vector(_) | Value::Set(_)),
        "Associative" | "ILookup" => matches!(value, Value::Vector(_) | Value::Map(_)),
        "IPersistentCollection" | "Seqable" | "Counted" => is_collection,
        "Fn" | "AFn" => matches!(value, Value::Closure(_) | Value::Builtin(_)),
        "IFn" => is_collection || matches!(value, Value::Closure(_) | Value::Builtin(_) | Value::Keyword(_)),
        "Pattern" => matches!(value, Value::Regex(_)),
        "Date" | "Instant" => matches!(value, Value::Date(_)),
        "LocalDate" => matches!(value, Value::Day(_)),
        "Atom" | "IDeref" | "Volatile" => value.atom_number().is_some(),
        "Object" => !matches!(value, Value::Nil),
        _ => match exception::class(class) {
            Some(class) => exception::is_of(value, class),
            None => return no_class(class),
        },
    }))
}

#[cold]
fn no_class(class: &str) -> EvalResult {
    let hint = "ask with a predicate such as `string?`, `map?` or `number?`, or for the `type` of the value";
    error_with_hint("type_error", format!("`instance?` does not know the class `{class}`"), hint)
}

/// `(with-method f)` is what `defmulti` defines, `(with-method f value method)` what `defmethod` does.
fn with_method(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult {
    let (dispatch, mut methods) = match (args.len(), arg(args, 0)) {
        (1, _) => (take(args, 0), Value::map([])),
        (_, Value::Closure(closure)) if closure.captured.0.len() == 2 => match parts(closure) {
            Some(parts) => parts,
            None => return no_multi(arg(args, 0)),
        },
        (_, other) => return no_multi(other),
    };
    if let (Value::Map(methods), 3) = (&mut methods, args.len()) {
        context.meter.elements(methods.len() + 1)?;
        methods.insert(take(args, 1), take(args, 2));
    }
    let body = "(clojure.core/apply (let [value (clojure.core/apply dispatch xs) default (clojure.core/get methods :default)] \
                (if-some [method (clojure.core/get methods value default)] method (clojure.core/throw (clojure.core/ex-info \
                (clojure.core/str \"no method for \" (clojure.core/pr-str value)) {:value value})))) xs)";
    Ok(made("& xs", &format!("([& xs] {body})"), vec![("dispatch".into(), dispatch), ("methods".into(), methods)]))
}

/// Returns the dispatch function and the methods of a function that chooses one.
fn parts(closure: &Closure) -> Option<(Value, Value)> {
    match closure.captured.0.as_slice() {
        [(first, dispatch), (second, methods @ Value::Map(_))] if **first == *"dispatch" && **second == *"methods" => {
            Some((dispatch.clone(), methods.clone()))
        }
        _ => None,
    }
}

#[cold]
fn no_multi<T>(got: &Value) -> EvalResult<T> {
    let message = format!("a method is of a function that `defmulti` defines, got {}", describe(got));
    error_with_hint("type_error", message, "write `(defmulti area :shape)` before it")
}
