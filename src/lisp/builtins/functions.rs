//! Functions that return functions. These are closures whose source calls the captured functions, so that they are
//! saved and printed like any other.

use super::arguments::take;
use super::closures::made;
use super::filling::fill;
use super::strings::check_part;
use super::transducers::{composed, is_transducer};
use super::{ANY, plain, steps};
use crate::lisp::chunk::Comparison;
use crate::lisp::equality::{compare, equal};
use crate::lisp::fault::{EvalResult, describe, error_with_hint};
use crate::lisp::native::{Begin, Builtin, Context};
use crate::lisp::path;
use crate::value::Value;

pub(super) const ROWS: &[Builtin] = &[
    plain("all-of", "pred …", (0, ANY), "A predicate that holds where all hold.", |_, args| {
        Ok(over_all("x", "(clojure.core/every? (fn [f] (f x)) fs)", args))
    }),
    plain("any-of", "pred …", (0, ANY), "A predicate that holds where one holds.", |_, args| {
        Ok(over_all("x", "(clojure.core/not-every? (fn [f] (clojure.core/not (f x))) fs)", args))
    }),
    plain("comp", "f …", (0, ANY), "A function that applies the last one first, then the others to its result.", comp),
    plain("complement", "f", (1, 1), "A function that gives the opposite truth value.", |_, args| {
        let bodies = "([x] (clojure.core/not (f x))) ([& xs] (clojure.core/not (clojure.core/apply f xs)))";
        Ok(made("& xs", bodies, vec![("f".into(), take(args, 0))]))
    }),
    plain("constantly", "x", (1, 1), "A function that always gives x.", |_, args| {
        Ok(made("& _", "([& _] x)", vec![("x".into(), take(args, 0))]))
    }),
    plain("every-pred", "pred …", (1, ANY), "A function that is true when all hold for all arguments.", |_, args| {
        Ok(over_all("& xs", "(clojure.core/every? (fn [f] (clojure.core/every? f xs)) fs)", args))
    }),
    plain("fnil", "f default …", (2, 4), "f with defaults for first arguments that are nil.", fnil),
    plain("force", "x", (1, 1), "x itself: what `delay` gives is there.", |_, args| Ok(take(args, 0))),
    plain("identity", "x", (1, 1), "x itself.", |_, args| Ok(take(args, 0))),
    plain("juxt", "f …", (1, ANY), "A function that gives the vector of what each f gives.", juxt),
    plain("memoize", "f", (1, 1), "f itself.", |_, args| Ok(take(args, 0))),
    plain("none-of", "pred …", (0, ANY), "A predicate that holds where none holds.", |_, args| {
        Ok(over_all("x", "(clojure.core/every? (fn [f] (clojure.core/not (f x))) fs)", args))
    }),
    plain("partial", "f x …", (1, ANY), "f with its first arguments given.", partial),
    plain(
        "some-fn",
        "pred …",
        (1, ANY),
        "A function that gives the first truthy value of any f for any argument.",
        |_, args| {
            let body = "(clojure.core/reduce (fn [_ f] (clojure.core/reduce (fn [_ x] (let [y (f x)] (if y (clojure.core/reduced (clojure.core/reduced y)) y))) nil xs)) nil fs)";
            Ok(over_all("& xs", body, args))
        },
    ),
    plain("realized?", "x", (1, 1), "True: what `future` and `delay` give is there.", |_, _| Ok(Value::Bool(true))),
    plain("type", "x", (1, 1), "The type as a keyword, such as `:string`, `:integer` or `:map`.", |_, args| {
        Ok(Value::keyword(match &args[0] {
            Value::Nil => "nil",
            Value::Bool(_) => "boolean",
            Value::Int(_) | Value::BigInt(_) => "integer",
            Value::Float(_) => "float",
            Value::Date(_) => "instant",
            Value::Day(_) => "date",
            Value::Str(_) => "string",
            Value::Keyword(_) => "keyword",
            Value::Vector(_) => "vector",
            Value::Map(_) => "map",
            Value::Set(_) => "set",
            Value::Closure(_) | Value::Builtin(_) => "function",
            Value::Var(_) => "var",
            Value::Regex(_) => "regex",
        }))
    }),
    steps("where", "field, field operator value", (1, 4), "A predicate on a field of maps.", where_),
];

/// The largest number of functions that a source names individually. More are captured as a vector and applied in a
/// loop.
const SPELLED_OUT: usize = 8;

/// Returns the arguments with their names: `first`, and `other` with numbers from 0.
fn named(first: &str, other: &str, args: &mut [Value]) -> Vec<(String, Value)> {
    let names = args.iter_mut().enumerate().map(|(position, arg)| {
        let name = if position == 0 { first.to_owned() } else { format!("{other}{}", position - 1) };
        (name, std::mem::take(arg))
    });
    names.collect()
}

/// Returns a closure over functions that it captures as one vector, `fs`.
fn over_all(params: &str, body: &str, args: &mut [Value]) -> Value {
    let functions = Value::vector(args.iter_mut().map(std::mem::take));
    made(params, &format!("([{params}] {body})"), vec![("fs".into(), functions)])
}

fn comp(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult {
    // For the source of the function.
    context.meter.visit(4 * args.len())?;
    if args.len() > 1 && args.iter().all(is_transducer) {
        return Ok(composed(args));
    }
    Ok(match args {
        [] => Value::Builtin("identity".into()),
        [one] => std::mem::take(one),
        several if several.len() <= SPELLED_OUT => {
            let last = several.len() - 1;
            let open: String = (0..last).map(|position| format!("(f{position} ")).collect();
            let close = ")".repeat(last);
            let arities =
                format!("([x] {open}(f{last} x){close}) ([& xs] {open}(clojure.core/apply f{last} xs){close})");
            let functions = several.iter_mut().enumerate();
            made("& xs", &arities, functions.map(|(position, f)| (format!("f{position}"), std::mem::take(f))).collect())
        }
        several => {
            let last = several.last_mut().map(std::mem::take).unwrap_or_default();
            let rest = several.split_last_mut().map(|(_, rest)| rest).unwrap_or_default();
            let others = Value::vector(rest.iter_mut().rev().map(std::mem::take));
            let arities = "([& xs] (clojure.core/reduce (fn [x f] (f x)) (clojure.core/apply last xs) others))";
            made("& xs", arities, vec![("last".into(), last), ("others".into(), others)])
        }
    })
}

fn fnil(_: &mut Context<'_>, args: &mut [Value]) -> EvalResult {
    // One source for each number of defaults.
    let (params, arities) = match args.len() {
        2 => (
            "a & more",
            "([a] (f (if (clojure.core/nil? a) d0 a))) \
             ([a x] (f (if (clojure.core/nil? a) d0 a) x)) \
             ([a & more] (clojure.core/apply f (if (clojure.core/nil? a) d0 a) more))",
        ),
        3 => (
            "a b & more",
            "([a b & more] (clojure.core/apply f (if (clojure.core/nil? a) d0 a) (if (clojure.core/nil? b) d1 b) more))",
        ),
        _ => (
            "a b c & more",
            "([a b c & more] (clojure.core/apply f (if (clojure.core/nil? a) d0 a) (if (clojure.core/nil? b) d1 b) \
             (if (clojure.core/nil? c) d2 c) more))",
        ),
    };
    Ok(made(params, arities, named("f", "d", args)))
}

fn juxt(_: &mut Context<'_>, args: &mut [Value]) -> EvalResult {
    if args.len() > SPELLED_OUT {
        return Ok(over_all("& xs", "(clojure.core/mapv (fn [f] (clojure.core/apply f xs)) fs)", args));
    }
    let each: String = (0..args.len()).map(|position| format!("(f{position} x) ")).collect();
    let all: String = (0..args.len()).map(|position| format!("(clojure.core/apply f{position} xs) ")).collect();
    let functions = args.iter_mut().enumerate().map(|(position, f)| (format!("f{position}"), std::mem::take(f)));
    Ok(made("& xs", &format!("([x] [{each}]) ([& xs] [{all}])"), functions.collect()))
}

fn partial(_: &mut Context<'_>, args: &mut [Value]) -> EvalResult {
    if args.len() == 1 {
        return Ok(take(args, 0));
    }
    if args.len() > SPELLED_OUT {
        let function = take(args, 0);
        let given = Value::vector(args[1..].iter_mut().map(std::mem::take));
        let arities = "([& more] (clojure.core/apply f (clojure.core/concat given more)))";
        return Ok(made("& more", arities, vec![("f".into(), function), ("given".into(), given)]));
    }
    let given: String = (0..args.len() - 1).map(|position| format!(" a{position}")).collect();
    let arities = format!("([x] (f{given} x)) ([& more] (clojure.core/apply f{given} more))");
    Ok(made("& more", &arities, named("f", "a", args)))
}

/// `(where field)` and `(where field operator value)` return a predicate. `(where field operator value map)` evaluates
/// the predicate; the source of predicates with an operator calls this form.
fn where_(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult<Begin> {
    let predicate = match args {
        [field] => {
            let arities = "([m] (if (get m field) true false))";
            let get = Value::Builtin("get".into());
            made("m", arities, vec![("get".into(), get), ("field".into(), std::mem::take(field))])
        }
        [field, operator, value, map] => {
            let found = match field {
                Value::Vector(path) => path::get_path(map, path.as_slice())?,
                field => path::get(map, field),
            };
            return holds(context, operator.as_str().unwrap_or_default(), &found.unwrap_or_default(), value);
        }
        [field, operator, value] => {
            let names = [("where", Value::Builtin("where".into())), ("field", std::mem::take(field))];
            let parts = [("operator", std::mem::take(operator)), ("value", std::mem::take(value))];
            let captured = names.into_iter().chain(parts).map(|(name, value)| (name.to_owned(), value)).collect();
            made("m", "([m] (where field operator value m))", captured)
        }
        _ => {
            let message = "`where` needs a value behind the operator";
            return error_with_hint("arity_error", message, "write `(where :price > 10)`");
        }
    };
    Ok(Begin::Done(predicate))
}

/// Returns whether a comparison of a field with a value holds. A missing field equals only nil; a keyword equals the
/// string of its name.
fn holds(context: &mut Context<'_>, operator: &str, field: &Value, value: &Value) -> EvalResult<Begin> {
    let comparison = match operator {
        "=" => return Ok(Begin::Done(Value::Bool(alike(field, value)))),
        "not=" => return Ok(Begin::Done(Value::Bool(!alike(field, value)))),
        _ if matches!(field, Value::Nil) => return Ok(Begin::Done(Value::Bool(false))),
        "in" => return has(context, value, field, "a collection behind `in`"),
        "includes" => return has(context, field, value, "a collection or string in the field"),
        "<" => Comparison::Less,
        ">" => Comparison::More,
        "<=" => Comparison::AtMost,
        _ => Comparison::AtLeast,
    };
    compare(comparison, field, value).map(|holds| Begin::Done(Value::Bool(holds)))
}

fn alike(left: &Value, right: &Value) -> bool {
    match (left.key_name(), right.key_name()) {
        (Some(left), Some(right)) => left == right,
        _ => equal(left, right),
    }
}

/// Returns whether a collection contains the item, a map contains it as a key, or a text contains it as a part. A
/// keyword equals the string of its name.
fn has(context: &mut Context<'_>, collection: &Value, item: &Value, expected: &str) -> EvalResult<Begin> {
    let count = match collection {
        Value::Vector(items) => items.len(),
        Value::Set(items) if items.contains(item) => return Ok(Begin::Done(Value::Bool(true))),
        Value::Set(items) => items.len(),
        Value::Map(map) => map.len(),
        Value::Str(text) => {
            let Some(part) = item.key_name() else { return Ok(Begin::Done(Value::Bool(false))) };
            check_part(context, text, part)?;
            return Ok(Begin::Done(Value::Bool(text.contains(part))));
        }
        Value::Nil => 0,
        other => {
            let message = format!("`where` takes {expected}, got {}", describe(other));
            return error_with_hint(
                "type_error",
                message,
                "write `(where :tag in [:a :b])` or `(where :tags includes :a)`",
            );
        }
    };
    context.meter.visit(count / 4)?;
    let (collection, item) = (collection.clone(), item.clone());
    fill(context, Value::Bool(false), count, move |_, position, result| {
        let found = match &collection {
            Value::Vector(items) => items.get(position),
            Value::Set(items) => items.item_at(position),
            Value::Map(map) => map.entry_at(position).map(|(key, _)| key),
            _ => None,
        };
        let is_there = found.is_some_and(|found| alike(found, &item));
        *result = Value::Bool(is_there);
        Ok(!is_there)
    })
}
