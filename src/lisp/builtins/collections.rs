//! Collections, without calling functions.

use super::{ANY, plain};
use crate::lisp::fault::{Outcome, type_error};
use crate::lisp::native::{Builtin, Context};
use crate::lisp::number::to_integer;
use crate::lisp::sequence::to_vector;
use crate::value::{Value, Vector};

pub(super) const ROWS: &[Builtin] = &[
    plain("conj", "coll x …", (0, ANY), "The collection with elements added.", conj),
    plain("count", "coll", (1, 1), "How many elements there are; characters of a string.", |context, args| {
        Ok(Value::Int(match &args[0] {
            Value::Vector(items) => items.len() as i64,
            Value::Map(entries) => entries.len() as i64,
            Value::Set(items) => items.len() as i64,
            Value::Nil => 0,
            other => to_vector(context.name, other)?.len() as i64,
        }))
    }),
    plain("concat", "coll …", (0, ANY), "The elements of all collections in one vector.", |context, args| {
        let mut all = Vec::new();
        for arg in args.iter() {
            let items = to_vector(context.name, arg)?;
            context.meter.elements(all.len() + items.len())?;
            all.extend(items.iter().cloned());
        }
        Ok(Value::vector(all))
    }),
    plain(
        "range",
        "end, start end, start end step",
        (1, 3),
        "Numbers from start (0) up to end, which is left out.",
        range,
    ),
];

fn conj(context: &mut Context<'_>, args: &mut [Value]) -> Outcome {
    let Some((collection, items)) = args.split_first_mut() else { return Ok(Value::vector([])) };
    context.meter.elements(items.len())?;
    match std::mem::take(collection) {
        Value::Vector(mut vector) => {
            for item in items {
                vector.push(std::mem::take(item));
            }
            Ok(Value::Vector(vector))
        }
        Value::Nil => Ok(Value::vector(items.iter_mut().map(std::mem::take))),
        Value::Set(mut set) => {
            for item in items {
                set.insert(std::mem::take(item));
            }
            Ok(Value::Set(set))
        }
        Value::Map(mut map) => {
            for item in items {
                match item {
                    Value::Vector(pair) if pair.len() == 2 => {
                        map.insert(pair.as_slice()[0].clone(), pair.as_slice()[1].clone())
                    }
                    Value::Map(more) => more.iter().for_each(|(key, value)| map.insert(key.clone(), value.clone())),
                    Value::Nil => {}
                    other => return type_error(context.name, "entries `[key value]` for a map", other, ""),
                }
            }
            Ok(Value::Map(map))
        }
        other => type_error(context.name, "a collection", &other, "the collection stands first: `(conj coll x)`"),
    }
}

fn range(context: &mut Context<'_>, args: &mut [Value]) -> Outcome {
    let (start, end, step) = match args {
        [end] => (&Value::Int(0), &*end, &Value::Int(1)),
        [start, end] => (&*start, &*end, &Value::Int(1)),
        [start, end, step, ..] => (&*start, &*end, &*step),
        [] => return Ok(Value::Nil),
    };
    let [start, end, step] = [to_integer("range", start)?, to_integer("range", end)?, to_integer("range", step)?];
    let count = match step {
        0 => 0,
        step if step > 0 => (end.saturating_sub(start).max(0) as u64).div_ceil(step as u64),
        step => (start.saturating_sub(end).max(0) as u64).div_ceil(step.unsigned_abs()),
    };
    context.meter.elements(count.try_into().unwrap_or(usize::MAX))?;
    let items: Vector = (0..count as i64).map(|index| Value::Int(start + index * step)).collect();
    Ok(Value::Vector(items))
}
