//! Comparators, and collections that a function keeps in order. Such a collection is filled as a plain one, and its added
//! keys are put in order afterwards, because builtins that fill collections call no functions.

use std::cmp::Ordering;
use std::rc::Rc;

use crate::lisp::fault::{EvalResult, describe, error_with_hint};
use crate::lisp::native::{Begin, Context, Next};
use crate::lisp::number::{Number, number, order};
use crate::lisp::task::{self, AsyncSteps, pause, request};
use crate::value::{KeyOrder, Value, Vector};
use crate::work;

/// The order in which elements are sorted.
pub(super) enum Comparator {
    /// The order of all values, or its reverse.
    Natural { descending: bool },
    /// `<` or `>`, which compare numbers, strings and dates only.
    Strict { descending: bool },
    /// A function that returns a boolean or a number.
    Function(Value),
}

/// Returns the comparator for an argument; `None` when the argument is not a comparator.
pub(super) fn comparator(value: &Value) -> Option<Comparator> {
    Some(match value {
        Value::Keyword(name) if **name == *"asc" => Comparator::Natural { descending: false },
        Value::Keyword(name) if **name == *"desc" => Comparator::Natural { descending: true },
        Value::Builtin(name) => match &**name {
            "compare" => Comparator::Natural { descending: false },
            "<" | "<=" => Comparator::Strict { descending: false },
            ">" | ">=" => Comparator::Strict { descending: true },
            _ => Comparator::Function(value.clone()),
        },
        Value::Closure(_) | Value::Var(_) => Comparator::Function(value.clone()),
        _ => return None,
    })
}

pub(super) fn not_a_comparator<T>(context: &Context<'_>, got: &Value, hint: &str) -> EvalResult<T> {
    let message =
        format!("`{}` compares with `<`, `>`, `:asc`, `:desc` or a function, got {}", context.name, describe(got));
    error_with_hint("type_error", message, hint)
}

/// What a comparator says of two values.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Answered {
    /// The first comes before the second.
    Before,
    /// The second comes before the first, or both have the same rank.
    NotBefore,
    /// The second comes before the first.
    After,
    /// Both have the same rank.
    Same,
}

/// Returns what a comparator says by its result.
pub(super) fn answered(context: &Context<'_>, answer: &Value) -> EvalResult<Answered> {
    match answer {
        Value::Bool(true) => return Ok(Answered::Before),
        Value::Bool(false) | Value::Nil => return Ok(Answered::NotBefore),
        _ => {}
    }
    match number(answer).map(|found| order(&found, &Number::Int(0))) {
        Some(Some(Ordering::Less)) => Ok(Answered::Before),
        Some(Some(Ordering::Greater)) => Ok(Answered::After),
        Some(_) => Ok(Answered::Same),
        None => {
            let message = format!("the comparator of `{}` gives {}", context.name, describe(answer));
            error_with_hint(
                "type_error",
                message,
                "it gives a boolean or a number, as in `(fn [a b] (< (:x a) (:x b)))` or `(fn [a b] (compare (:x b) (:x a)))`",
            )
        }
    }
}

/// Changes a collection. When a function sorts it, the keys that the change adds are put in order.
pub(super) fn keeping_order(
    context: &mut Context<'_>,
    collection: Value,
    change: impl FnOnce(&mut Context<'_>, Value) -> EvalResult<Begin>,
) -> EvalResult<Begin> {
    let Some(order) = collection.key_order().filter(|order| order.function().is_some()).cloned() else {
        return change(context, collection);
    };
    let mut plain = collection;
    plain.set_order(None);
    let sorted = match &plain {
        Value::Map(map) => map.len(),
        Value::Set(set) => set.len(),
        _ => 0,
    };
    let begun = change(context, plain)?;
    let ordering = async move {
        let changed = match begun {
            Begin::Done(changed) => changed,
            begun => task::begin(move |_| Ok(begun)).await,
        };
        in_order(changed, sorted, order).await
    };
    Ok(Begin::Work(AsyncSteps::new(ordering)))
}

/// Puts the keys from position `sorted` on in order among the ones before, by calls of the order's function.
async fn in_order(collection: Value, sorted: usize, order: Rc<KeyOrder>) -> EvalResult {
    let function = order.function().cloned().unwrap_or_default();
    let (keys, values) = match &collection {
        Value::Map(map) => {
            (map.iter().map(|(key, _)| key.clone()).collect(), map.iter().map(|(_, value)| value.clone()).collect())
        }
        Value::Set(set) => (set.to_vector(), Vector::default()),
        _ => return Ok(collection),
    };
    let (mut positions, mut values): (Vec<usize>, Vec<Value>) = ((0..sorted).collect(), values.into_vec());
    for (added, key) in keys.iter().enumerate().skip(sorted) {
        let (mut start, mut end, mut same) = (0, positions.len(), None);
        while start < end && same.is_none() {
            let middle = start.midpoint(end);
            match compared(&function, key.clone(), keys.as_slice()[positions[middle]].clone()).await {
                Answered::Before => end = middle,
                Answered::Same => same = Some(positions[middle]),
                _ => start = middle + 1,
            }
        }
        work::charge(positions.len() as u64 / 16);
        match same {
            None => positions.insert(start, added),
            Some(same) if !values.is_empty() => values.swap(same, added),
            Some(_) => {}
        }
    }
    let ordered = positions.iter().map(|position| keys.as_slice()[*position].clone());
    pause().await;
    let mut sorted = match collection {
        Value::Map(_) => Value::map(ordered.zip(positions.iter().map(|position| values[*position].clone()))),
        _ => Value::set(ordered),
    };
    sorted.set_order(Some(order));
    Ok(sorted)
}

/// Returns what a function says of two keys. One that gives a boolean is asked a second time, the other way round, unless
/// the first key comes before the second.
async fn compared(function: &Value, left: Value, right: Value) -> Answered {
    let first = answer(function, left.clone(), right.clone()).await;
    if first != Answered::NotBefore {
        return first;
    }
    match answer(function, right, left).await {
        Answered::Before => Answered::After,
        _ => Answered::Same,
    }
}

async fn answer(function: &Value, left: Value, right: Value) -> Answered {
    let answer = request(Next::CallOther(function.clone(), vec![left, right])).await;
    task::with(move |context| answered(context, &answer)).await
}
