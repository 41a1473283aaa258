//! Sets.

use super::arguments::{arg, set};
use super::sequences::all_fit;
use super::{ANY, plain};
use crate::lisp::fault::EvalResult;
use crate::lisp::native::{Builtin, Context};
use crate::value::{Set, Value, taken};

pub(super) const ROWS: &[Builtin] = &[
    plain("difference", "s …", (1, ANY), "The elements of the first set that no other one has.", |context, args| {
        let (first, others) = sets(context, args)?;
        chosen(context, first, &|item| !others.iter().any(|other| other.contains(item)))
    }),
    plain("disj", "s x …", (1, ANY), "The set without elements.", |context, args| {
        if let Value::Nil = arg(args, 0) {
            return Ok(Value::Nil);
        }
        let mut items = set(context, args, 0)?;
        if args.len() > 8 {
            let gone = Set::from(taken(&mut args[1..]));
            return chosen(context, items, &|item| !gone.contains(item));
        }
        for item in &args[1..] {
            context.meter.visit(items.len() / 8)?;
            items.remove(item);
        }
        Ok(Value::Set(items))
    }),
    plain("intersection", "s …", (1, ANY), "The elements that all sets have.", |context, args| {
        let (first, others) = sets(context, args)?;
        chosen(context, first, &|item| others.iter().all(|other| other.contains(item)))
    }),
    plain("subset?", "a b", (2, 2), "True when b has all elements of a.", |context, args| {
        let (a, b) = (set(context, args, 0)?, set(context, args, 1)?);
        is_subset(context, &a, &b)
    }),
    plain("superset?", "a b", (2, 2), "True when a has all elements of b.", |context, args| {
        let (a, b) = (set(context, args, 0)?, set(context, args, 1)?);
        is_subset(context, &b, &a)
    }),
    plain("union", "s …", (0, ANY), "The elements of all sets.", |context, args| {
        if args.is_empty() {
            return Ok(Value::set([]));
        }
        let (mut all, others) = sets(context, args)?;
        for other in others {
            all_fit(context, all.len(), other.len())?;
            other.iter().for_each(|item| {
                all.insert(item.clone());
            });
        }
        Ok(Value::Set(all))
    }),
];

/// The first set, and the others.
fn sets(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult<(Set, Vec<Set>)> {
    let first = set(context, args, 0)?;
    let mut others = Vec::new();
    for place in 1..args.len() {
        others.push(set(context, args, place)?);
    }
    Ok((first, others))
}

fn chosen(context: &mut Context<'_>, items: Set, is_chosen: &dyn Fn(&Value) -> bool) -> EvalResult {
    context.meter.elements(items.len())?;
    Ok(Value::set(items.iter().filter(|item| is_chosen(item)).cloned()))
}

fn is_subset(context: &mut Context<'_>, a: &Set, b: &Set) -> EvalResult {
    context.meter.visit(a.len())?;
    Ok(Value::Bool(a.iter().all(|item| b.contains(item))))
}
