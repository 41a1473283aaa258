//! Sets.

use super::arguments::{all_fit, arg, set};
use super::closures::made;
use super::filling::fill;
use super::{ANY, steps};
use crate::lisp::fault::EvalResult;
use crate::lisp::native::{Begin, Builtin, Context};
use crate::value::{Set, Value, taken};

pub(super) const ROWS: &[Builtin] = &[
    steps("difference", "s …", (1, ANY), "The elements of the first set that no other one has.", |context, args| {
        let (first, others) = sets(context, args)?;
        chosen(context, first, others, |item, others| !others.iter().any(|other| other.contains(item)))
    }),
    steps("disj", "s x …", (1, ANY), "The set without elements.", |context, args| {
        if let Value::Nil = arg(args, 0) {
            return Ok(Begin::Done(Value::Nil));
        }
        let empty = args[0].emptied();
        let mut items = set(context, args, 0)?;
        // As in `dissoc`.
        if args.len() > 8 {
            context.meter.elements(items.len())?;
            let (gone, count) = (taken(&mut args[1..]), args.len() - 1);
            let (mut gone, mut left) = (gone.into_iter(), Set::default());
            let positions = count + items.len();
            return fill(context, empty, positions, move |_, position, kept| {
                if position < count {
                    gone.next().map(|item| left.insert(item));
                } else if let (Some(item), Value::Set(kept)) = (items.item_at(position - count), kept)
                    && !left.contains(item)
                {
                    kept.insert(item.clone());
                }
                Ok(true)
            });
        }
        for item in &args[1..] {
            context.meter.visit(items.len() / 8)?;
            if items.contains(item) {
                context.meter.room(items.copied_by(None))?;
                items.remove(item);
            }
        }
        Ok(Begin::Done(Value::Set(items)))
    }),
    steps("intersection", "s …", (1, ANY), "The elements that all sets have.", |context, args| {
        let (first, others) = sets(context, args)?;
        chosen(context, first, others, |item, others| others.iter().all(|other| other.contains(item)))
    }),
    steps(
        "set/join",
        "xrel yrel, xrel yrel keys",
        (2, 3),
        "The maps of two collections merged where their common keys, or the given pairs of keys, have equal values.",
        |_, args| {
            // As in Clojure, the collection with more maps is the one whose values win.
            let body = "\
                (let [km (if given given (let [ks (~/filter (~/set (~/keys (~/first xrel))) (~/keys (~/first yrel)))] (~/zipmap ks ks))) \
                      few? (~/<= (~/count xrel) (~/count yrel)) \
                      k (if few? (~/map-invert km) km) \
                      found (~/group-by (fn [m] (~/select-keys m (~/vals k))) (if few? xrel yrel))] \
                  (~/set (~/mapcat (fn [m] (~/map (fn [other] (~/merge other m)) (~/get found (~/rename-keys (~/select-keys m (~/keys k)) k)))) \
                                   (if few? yrel xrel))))";
            let body = body.replace('~', "clojure.core");
            let arities = format!("([xrel yrel] (let [given nil] {body})) ([xrel yrel given] {body})");
            Ok(Begin::Call(made("xrel yrel & keys", &arities, Vec::new()), taken(args)))
        },
    ),
    steps("set/index", "xrel keys", (2, 2), "The maps of a collection by their entries of some keys.", |_, args| {
        let body = "([xrel ks] (~/reduce (fn [m x] (~/update m (~/select-keys x ks) (fn [found] (~/conj (if found found #{}) x)))) {} xrel))";
        Ok(Begin::Call(made("xrel keys", &body.replace('~', "clojure.core"), Vec::new()), taken(args)))
    }),
    steps("set/project", "xrel keys", (2, 2), "The set of the maps of a collection with some keys only.", |_, args| {
        let body = "([xrel ks] (~/set (~/map (fn [m] (~/select-keys m ks)) xrel)))";
        Ok(Begin::Call(made("xrel keys", &body.replace('~', "clojure.core"), Vec::new()), taken(args)))
    }),
    steps("set/rename", "xrel kmap", (2, 2), "The set of the maps of a collection with keys renamed.", |_, args| {
        let body = "([xrel kmap] (~/set (~/map (fn [m] (~/rename-keys m kmap)) xrel)))";
        Ok(Begin::Call(made("xrel kmap", &body.replace('~', "clojure.core"), Vec::new()), taken(args)))
    }),
    steps("subset?", "a b", (2, 2), "True when b has all elements of a.", |context, args| {
        let (a, b) = (set(context, args, 0)?, set(context, args, 1)?);
        is_subset(context, a, b)
    }),
    steps("superset?", "a b", (2, 2), "True when a has all elements of b.", |context, args| {
        let (a, b) = (set(context, args, 0)?, set(context, args, 1)?);
        is_subset(context, b, a)
    }),
    steps("union", "s …", (0, ANY), "The elements of all sets.", |context, args| {
        if args.is_empty() {
            return Ok(Begin::Done(Value::set([])));
        }
        let (mut all, others) = sets(context, args)?;
        if !others.is_empty() {
            context.meter.room(all.copied_by(None))?;
        }
        let positions = others.iter().map(Set::len).sum();
        let (mut other, mut start) = (0, 0);
        fill(context, Value::Set(std::mem::take(&mut all)), positions, move |context, position, all| {
            while position - start >= others[other].len() {
                (other, start) = (other + 1, position);
            }
            if let (Some(item), Value::Set(all)) = (others[other].item_at(position - start), all) {
                if position == start {
                    all_fit(context, all.len(), others[other].len())?;
                }
                all.insert(item.clone());
            }
            Ok(true)
        })
    }),
];

/// Returns the first set and the other sets.
fn sets(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult<(Set, Vec<Set>)> {
    let first = set(context, args, 0)?;
    let mut others = Vec::new();
    for position in 1..args.len() {
        others.push(set(context, args, position)?);
    }
    Ok((first, others))
}

/// Returns the elements of a set that `is_chosen` accepts, given the other sets.
fn chosen(
    context: &mut Context<'_>,
    items: Set,
    others: Vec<Set>,
    is_chosen: fn(&Value, &[Set]) -> bool,
) -> EvalResult<Begin> {
    context.meter.elements(items.len())?;
    fill(context, Value::Set(items.clone()).emptied(), items.len(), move |_, position, kept| {
        if let (Some(item), Value::Set(kept)) = (items.item_at(position), kept)
            && is_chosen(item, &others)
        {
            kept.insert(item.clone());
        }
        Ok(true)
    })
}

fn is_subset(context: &mut Context<'_>, a: Set, b: Set) -> EvalResult<Begin> {
    context.meter.visit(a.len())?;
    fill(context, Value::Bool(true), a.len(), move |_, position, result| {
        let has = a.item_at(position).is_some_and(|item| b.contains(item));
        *result = Value::Bool(has);
        Ok(has)
    })
}
