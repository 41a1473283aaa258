//! Programs of random operations give the results of a model that copies every value: no operation changes a value that
//! another name, closure or collection holds.

use proptest::collection::vec;
use proptest::prelude::*;
use turnfold::lisp::{ProgramLimits, Progress, Vm};
use turnfold::value::{Names, Value};

/// A value of the model. Maps and sets are lists in insertion order.
#[derive(Clone, Debug, PartialEq)]
enum Model {
    Nil,
    Bool(bool),
    Int(i64),
    Keyword(String),
    Vector(Vec<Model>),
    Map(Vec<(Model, Model)>),
    Set(Vec<Model>),
}

use Model::{Bool, Int, Map, Nil, Set, Vector};

fn of_value(value: &Value) -> Model {
    match value {
        Value::Nil => Nil,
        Value::Bool(value) => Bool(*value),
        Value::Int(value) => Int(*value),
        Value::Keyword(name) => Model::Keyword(name.to_string()),
        Value::Vector(items) => Vector(items.iter().map(of_value).collect()),
        Value::Map(entries) => Map(entries.iter().map(|(key, value)| (of_value(key), of_value(value))).collect()),
        Value::Set(items) => Set(items.iter().map(of_value).collect()),
        other => panic!("no program makes {other:?}"),
    }
}

fn keyword(name: &str) -> Model {
    Model::Keyword(name.into())
}

/// Equality, which ignores the order of maps and sets.
fn same(left: &Model, right: &Model) -> bool {
    match (left, right) {
        (Vector(left), Vector(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| same(left, right))
        }
        (Map(left), Map(right)) => {
            let has = |key, value| right.iter().any(|(other, found)| same(other, key) && same(found, value));
            left.len() == right.len() && left.iter().all(|(key, value)| has(key, value))
        }
        (Set(left), Set(right)) => left.len() == right.len() && left.iter().all(|item| has(right, item)),
        (left, right) => left == right,
    }
}

fn has(items: &[Model], item: &Model) -> bool {
    items.iter().any(|other| same(other, item))
}

fn look_up<'a>(entries: &'a [(Model, Model)], key: &Model) -> Option<&'a Model> {
    entries.iter().find(|(other, _)| same(other, key)).map(|(_, value)| value)
}

fn put(entries: &mut Vec<(Model, Model)>, key: &Model, value: Model) {
    match entries.iter_mut().find(|(other, _)| same(other, key)) {
        Some((_, place)) => *place = value,
        None => entries.push((key.clone(), value)),
    }
}

fn add(items: &mut Vec<Model>, item: &Model) {
    if !has(items, item) {
        items.push(item.clone());
    }
}

/// The elements of a collection; entries of maps are pairs.
fn elements(value: &Model) -> Vec<Model> {
    match value {
        Vector(items) | Set(items) => items.clone(),
        Map(entries) => entries.iter().map(|(key, value)| Vector(vec![key.clone(), value.clone()])).collect(),
        _ => Vec::new(),
    }
}

fn size(value: &Model) -> usize {
    elements(value).len()
}

fn get(value: &Model, key: &Model) -> Model {
    match (value, key) {
        (Map(entries), key) => look_up(entries, key).cloned().unwrap_or(Nil),
        (Vector(items), Int(index)) => {
            usize::try_from(*index).ok().and_then(|it| items.get(it).cloned()).unwrap_or(Nil)
        }
        (Set(items), key) if has(items, key) => key.clone(),
        _ => Nil,
    }
}

fn walk(value: &Model) -> Model {
    match value {
        Int(number) if number.abs() < 1000 => Int(number + 1),
        Vector(items) => Vector(items.iter().map(walk).collect()),
        Set(items) => of_set(items.iter().map(walk)),
        Map(entries) => {
            let mut walked = Vec::new();
            entries.iter().for_each(|(key, value)| put(&mut walked, &walk(key), walk(value)));
            Map(walked)
        }
        other => other.clone(),
    }
}

fn of_set(items: impl IntoIterator<Item = Model>) -> Model {
    let mut set = Vec::new();
    items.into_iter().for_each(|item| add(&mut set, &item));
    Set(set)
}

fn of_entries(entries: impl IntoIterator<Item = (Model, Model)>) -> Model {
    let mut map = Vec::new();
    entries.into_iter().for_each(|(key, value)| put(&mut map, &key, value));
    Map(map)
}

/// The number of values in a value, including itself.
fn weight(value: &Model) -> usize {
    1 + elements(value).iter().map(weight).sum::<usize>()
}

fn depth(value: &Model) -> usize {
    elements(value).iter().map(depth).max().map_or(0, |inner| inner + 1)
}

/// An operation: its program text, with `$a` to `$c` for the operands, and the model's function, which returns `None`
/// when an operand has the wrong type.
type Operation = (&'static str, fn(&Model, &Model, &Model) -> Option<Model>);

const VECTORS: &[Operation] = &[
    ("(conj $a $b)", |a, b, _| match a {
        Vector(items) => Some(Vector([items.as_slice(), std::slice::from_ref(b)].concat())),
        _ => None,
    }),
    ("(conj $a $b $c)", |a, b, c| match a {
        Vector(items) => Some(Vector([items.as_slice(), &[b.clone(), c.clone()]].concat())),
        _ => None,
    }),
    ("(assoc $a (quot (count $a) 2) $b)", |a, b, _| match a {
        Vector(items) => {
            let mut items = items.clone();
            match items.len() / 2 {
                0 if items.is_empty() => items.push(b.clone()),
                middle => items[middle] = b.clone(),
            }
            Some(Vector(items))
        }
        _ => None,
    }),
    ("(assoc $a (count $a) $b 0 $c)", |a, b, c| match a {
        Vector(items) => {
            let mut items = items.clone();
            items.push(b.clone());
            items[0] = c.clone();
            Some(Vector(items))
        }
        _ => None,
    }),
    ("(if (seq $a) (pop $a) $a)", |a, _, _| match a {
        Vector(items) => Some(Vector(items[..items.len().saturating_sub(1)].to_vec())),
        _ => None,
    }),
    ("(subvec $a (quot (count $a) 3))", |a, _, _| match a {
        Vector(items) => Some(Vector(items[items.len() / 3..].to_vec())),
        _ => None,
    }),
    ("(subvec $a (quot (count $a) 3) (- (count $a) (quot (count $a) 4)))", |a, _, _| match a {
        Vector(items) => Some(Vector(items[items.len() / 3..items.len() - items.len() / 4].to_vec())),
        _ => None,
    }),
    ("(peek $a)", |a, _, _| match a {
        Vector(items) => Some(items.last().cloned().unwrap_or(Nil)),
        _ => None,
    }),
    ("(update-in $a [0] (fn [x] [x $b]))", |a, b, _| match a {
        Vector(items) => {
            let mut items = items.clone();
            match items.first().cloned() {
                Some(first) => items[0] = Vector(vec![first, b.clone()]),
                None => items.push(Vector(vec![Nil, b.clone()])),
            }
            Some(Vector(items))
        }
        _ => None,
    }),
    ("(mapv (fn [x] (if (int? x) [x $b] x)) $a)", |a, b, _| match a {
        Vector(items) => Some(Vector(
            items
                .iter()
                .map(|item| match item {
                    Int(_) => Vector(vec![item.clone(), b.clone()]),
                    other => other.clone(),
                })
                .collect(),
        )),
        _ => None,
    }),
    ("(replace {1 $b 2 $c} $a)", |a, b, c| match a {
        Vector(items) => Some(Vector(
            items
                .iter()
                .map(|item| match item {
                    Int(1) => b.clone(),
                    Int(2) => c.clone(),
                    other => other.clone(),
                })
                .collect(),
        )),
        _ => None,
    }),
];

const MAPS: &[Operation] = &[
    ("(assoc $a $b $c)", |a, b, c| match a {
        Map(entries) => {
            let mut entries = entries.clone();
            put(&mut entries, b, c.clone());
            Some(Map(entries))
        }
        _ => None,
    }),
    ("(assoc $a :k1 $b :k2 $c)", |a, b, c| match a {
        Map(entries) => {
            let mut entries = entries.clone();
            put(&mut entries, &keyword("k1"), b.clone());
            put(&mut entries, &keyword("k2"), c.clone());
            Some(Map(entries))
        }
        _ => None,
    }),
    ("(conj $a [$b $c])", |a, b, c| match a {
        Map(entries) => {
            let mut entries = entries.clone();
            put(&mut entries, b, c.clone());
            Some(Map(entries))
        }
        _ => None,
    }),
    ("(dissoc $a $b $c)", |a, b, c| match a {
        Map(entries) => {
            let left = entries.iter().filter(|(key, _)| !same(key, b) && !same(key, c));
            Some(Map(left.cloned().collect()))
        }
        _ => None,
    }),
    ("(dissoc $a 0 1 :k1 2)", |a, _, _| match a {
        Map(entries) => {
            let gone = [Int(0), Int(1), keyword("k1"), Int(2)];
            Some(Map(entries.iter().filter(|(key, _)| !has(&gone, key)).cloned().collect()))
        }
        _ => None,
    }),
    ("(reduce dissoc $a (take 3 (keys $a)))", |a, _, _| match a {
        Map(entries) => Some(Map(entries.iter().skip(3).cloned().collect())),
        _ => None,
    }),
    ("(merge $a $b)", |a, b, _| match (a, b) {
        (Map(left), Map(right)) => Some(of_entries(left.iter().chain(right).cloned())),
        _ => None,
    }),
    ("(merge-with (fn [x y] (if (vector? x) (conj x y) [x y])) $a $b)", |a, b, _| match (a, b) {
        (Map(left), Map(right)) => {
            let mut merged = left.clone();
            for (key, value) in right {
                let joined = match look_up(&merged, key) {
                    None => value.clone(),
                    Some(Vector(items)) => Vector([items.as_slice(), std::slice::from_ref(value)].concat()),
                    Some(other) => Vector(vec![other.clone(), value.clone()]),
                };
                put(&mut merged, key, joined);
            }
            Some(Map(merged))
        }
        _ => None,
    }),
    ("(select-keys $a [:k2 $b 1 :k1])", |a, b, _| match a {
        Map(entries) => {
            let keys = [keyword("k2"), b.clone(), Int(1), keyword("k1")];
            let found = keys.iter().filter_map(|key| Some((key.clone(), look_up(entries, key)?.clone())));
            Some(of_entries(found))
        }
        _ => None,
    }),
    ("(rename-keys $a {:k1 :k2 0 $b})", |a, b, _| match a {
        Map(entries) => {
            let names = [(keyword("k1"), keyword("k2")), (Int(0), b.clone())];
            let stay = entries.iter().filter(|(key, _)| look_up(&names, key).is_none()).cloned();
            let mut renamed: Vec<_> = stay.collect();
            for (old, new) in &names {
                if let Some(value) = look_up(entries, old) {
                    put(&mut renamed, new, value.clone());
                }
            }
            Some(Map(renamed))
        }
        _ => None,
    }),
    ("(update $a $b (fn [x] [x $c]))", |a, b, c| match a {
        Map(entries) => {
            let mut entries = entries.clone();
            let old = look_up(&entries, b).cloned().unwrap_or(Nil);
            put(&mut entries, b, Vector(vec![old, c.clone()]));
            Some(Map(entries))
        }
        _ => None,
    }),
    ("(update $a :k1 (fn [x] (if (vector? x) (conj x $b) [$b])))", |a, b, _| match a {
        Map(entries) => {
            let mut entries = entries.clone();
            let mut items = match look_up(&entries, &keyword("k1")) {
                Some(Vector(items)) => items.clone(),
                _ => Vec::new(),
            };
            items.push(b.clone());
            put(&mut entries, &keyword("k1"), Vector(items));
            Some(Map(entries))
        }
        _ => None,
    }),
    ("(if (or (nil? (:k2 $a)) (map? (:k2 $a))) (assoc-in $a [:k2 $b] $c) $a)", |a, b, c| match a {
        Map(entries) => {
            let mut entries = entries.clone();
            let mut inner = match look_up(&entries, &keyword("k2")) {
                None | Some(Nil) => Vec::new(),
                Some(Map(inner)) => inner.clone(),
                Some(_) => return Some(a.clone()),
            };
            put(&mut inner, b, c.clone());
            put(&mut entries, &keyword("k2"), Map(inner));
            Some(Map(entries))
        }
        _ => None,
    }),
    ("(if (map? (:k2 $a)) (update-in $a [:k2 :k1] (fn [x] (if (vector? x) (conj x $b) [x]))) $a)", |a, b, _| match a {
        Map(entries) => {
            let mut entries = entries.clone();
            let Some(Map(inner)) = look_up(&entries, &keyword("k2")) else { return Some(a.clone()) };
            let mut inner = inner.clone();
            let changed = match look_up(&inner, &keyword("k1")) {
                Some(Vector(items)) => Vector([items.as_slice(), std::slice::from_ref(b)].concat()),
                other => Vector(vec![other.cloned().unwrap_or(Nil)]),
            };
            put(&mut inner, &keyword("k1"), changed);
            put(&mut entries, &keyword("k2"), Map(inner));
            Some(Map(entries))
        }
        _ => None,
    }),
    ("(update-vals $a (fn [x] (if (vector? x) (conj x $b) x)))", |a, b, _| match a {
        Map(entries) => Some(Map(entries
            .iter()
            .map(|(key, value)| match value {
                Vector(items) => (key.clone(), Vector([items.as_slice(), std::slice::from_ref(b)].concat())),
                value => (key.clone(), value.clone()),
            })
            .collect())),
        _ => None,
    }),
    ("(vec (keys $a))", |a, _, _| match a {
        Map(entries) => Some(Vector(entries.iter().map(|(key, _)| key.clone()).collect())),
        _ => None,
    }),
    ("(reduce-kv (fn [m k v] (if (int? v) (dissoc m k) (assoc m v k))) $a $a)", |a, _, _| match a {
        Map(entries) => {
            let mut result = entries.clone();
            for (key, value) in entries {
                match value {
                    Int(_) => result.retain(|(other, _)| !same(other, key)),
                    value => put(&mut result, value, key.clone()),
                }
            }
            Some(Map(result))
        }
        _ => None,
    }),
    ("(let [{:keys [k1 k2] :or {k2 $b} :as m} $a] [k1 k2 m])", |a, b, _| match a {
        Map(entries) => {
            let first = look_up(entries, &keyword("k1")).cloned().unwrap_or(Nil);
            let second = look_up(entries, &keyword("k2")).unwrap_or(b).clone();
            Some(Vector(vec![first, second, a.clone()]))
        }
        _ => None,
    }),
];

const SETS: &[Operation] = &[
    ("(conj $a $b $c)", |a, b, c| match a {
        Set(items) => Some(of_set(items.iter().chain([b, c]).cloned())),
        _ => None,
    }),
    ("(disj $a $b 1 2 $c)", |a, b, c| match a {
        Set(items) => {
            let gone = [b.clone(), Int(1), Int(2), c.clone()];
            Some(Set(items.iter().filter(|item| !has(&gone, item)).cloned().collect()))
        }
        _ => None,
    }),
    ("(reduce disj $a (take 3 $a))", |a, _, _| match a {
        Set(items) => Some(Set(items.iter().skip(3).cloned().collect())),
        _ => None,
    }),
    ("(if (set? $b) (union $a $b) $a)", |a, b, _| match (a, b) {
        (Set(left), Set(right)) => Some(of_set(left.iter().chain(right).cloned())),
        (Set(_), _) => Some(a.clone()),
        _ => None,
    }),
    ("(if (set? $b) (difference $a $b) $a)", |a, b, _| match (a, b) {
        (Set(left), Set(right)) => Some(Set(left.iter().filter(|item| !has(right, item)).cloned().collect())),
        (Set(_), _) => Some(a.clone()),
        _ => None,
    }),
    ("(if (set? $b) (intersection $a $b) $a)", |a, b, _| match (a, b) {
        (Set(left), Set(right)) => Some(Set(left.iter().filter(|item| has(right, item)).cloned().collect())),
        (Set(_), _) => Some(a.clone()),
        _ => None,
    }),
    ("[(contains? $a $b) (contains? $a $c)]", |a, b, c| match a {
        Set(items) => Some(Vector(vec![Bool(has(items, b)), Bool(has(items, c))])),
        _ => None,
    }),
    ("(vec $a)", |a, _, _| match a {
        Set(items) => Some(Vector(items.clone())),
        _ => None,
    }),
];

/// Operations that take any value.
const ALL: &[Operation] = &[
    ("[$a $b]", |a, b, _| (depth(a).max(depth(b)) < 4).then(|| Vector(vec![a.clone(), b.clone()]))),
    ("(assoc {:k1 $a :k2 $b} $c 1)", |a, b, c| {
        (depth(a).max(depth(b)).max(depth(c)) < 4)
            .then(|| of_entries([(keyword("k1"), a.clone()), (keyword("k2"), b.clone()), (c.clone(), Int(1))]))
    }),
    ("(conj (set (range 9)) $a [$b] $c)", |a, b, c| {
        let numbers = (0..9).map(Int);
        (depth(a).max(depth(b)).max(depth(c)) < 4)
            .then(|| of_set(numbers.chain([a.clone(), Vector(vec![b.clone()]), c.clone()])))
    }),
    ("(= $a $b)", |a, b, _| Some(Bool(same(a, b)))),
    ("(get $a $b)", |a, b, _| match (a, b) {
        (_, Vector(_)) | (Model::Keyword(_), Map(_)) => None,
        _ => Some(get(a, b)),
    }),
    ("(get-in $a [$b $c])", |a, b, c| Some(get(&get(a, b), c))),
    ("(:k1 $a)", |a, _, _| match a {
        Map(_) | Nil => Some(get(a, &keyword("k1"))),
        Set(_) => Some(get(a, &keyword("k1"))),
        _ => None,
    }),
    ("(postwalk (fn [x] (if (and (int? x) (< -1000 x 1000)) (inc x) x)) $a)", |a, _, _| Some(walk(a))),
    ("(into [$b] $a)", |a, b, _| match a {
        Vector(_) | Map(_) | Set(_) => Some(Vector([vec![b.clone()], elements(a)].concat())),
        _ => None,
    }),
    ("(into $a $b)", |a, b, _| match (a, b) {
        (Vector(items), Vector(_) | Map(_) | Set(_)) => Some(Vector([items.clone(), elements(b)].concat())),
        (Set(items), Vector(_) | Map(_) | Set(_)) => Some(of_set(items.iter().cloned().chain(elements(b)))),
        (Map(left), Map(right)) => Some(of_entries(left.iter().chain(right).cloned())),
        _ => None,
    }),
    ("(vec (take (quot (count $a) 2) $a))", |a, _, _| match a {
        Vector(_) | Map(_) | Set(_) => Some(Vector(elements(a)[..size(a) / 2].to_vec())),
        _ => None,
    }),
    ("(drop (quot (count $a) 3) $a)", |a, _, _| match a {
        Vector(_) | Map(_) | Set(_) => Some(Vector(elements(a)[size(a) / 3..].to_vec())),
        _ => None,
    }),
    ("(rest $a)", |a, _, _| match a {
        Vector(_) | Map(_) | Set(_) => Some(Vector(elements(a).into_iter().skip(1).collect())),
        _ => None,
    }),
    ("(reverse $a)", |a, _, _| match a {
        Vector(_) | Map(_) | Set(_) => Some(Vector(elements(a).into_iter().rev().collect())),
        _ => None,
    }),
    ("(cons $b $a)", |a, b, _| match a {
        Vector(_) | Map(_) | Set(_) => Some(Vector([vec![b.clone()], elements(a)].concat())),
        _ => None,
    }),
    ("(concat $a $b $a)", |a, b, _| match (a, b) {
        (Vector(_) | Map(_) | Set(_), Vector(_) | Map(_) | Set(_)) => {
            Some(Vector([elements(a), elements(b), elements(a)].concat()))
        }
        _ => None,
    }),
    ("(zipmap $a $b)", |a, b, _| match (a, b) {
        (Vector(_) | Map(_) | Set(_), Vector(_) | Map(_) | Set(_)) => {
            Some(of_entries(elements(a).into_iter().zip(elements(b))))
        }
        _ => None,
    }),
    ("(group-by (fn [x] (if (int? x) (mod x 12) (coll? x))) $a)", |a, _, _| match a {
        Vector(_) | Map(_) | Set(_) => {
            let mut groups: Vec<(Model, Model)> = Vec::new();
            for item in elements(a) {
                let key = match &item {
                    Int(number) => Int(number.rem_euclid(12)),
                    other => Bool(matches!(other, Vector(_) | Map(_) | Set(_))),
                };
                let mut group = look_up(&groups, &key).map(elements).unwrap_or_default();
                group.push(item);
                put(&mut groups, &key, Vector(group));
            }
            Some(Map(groups))
        }
        _ => None,
    }),
    ("(frequencies $a)", |a, _, _| match a {
        Vector(_) | Map(_) | Set(_) => {
            let mut counts: Vec<(Model, Model)> = Vec::new();
            for item in elements(a) {
                let count = match look_up(&counts, &item) {
                    Some(Int(count)) => *count,
                    _ => 0,
                };
                put(&mut counts, &item, Int(count + 1));
            }
            Some(Map(counts))
        }
        _ => None,
    }),
    ("(sort-by (fn [x] (if (int? x) x (count $a))) $a)", |a, _, _| match a {
        Vector(_) | Map(_) | Set(_) => {
            let (mut items, count) = (elements(a), size(a) as i64);
            items.sort_by_key(|item| if let Int(number) = item { *number } else { count });
            Some(Vector(items))
        }
        _ => None,
    }),
    ("(distinct $a)", |a, _, _| match a {
        Vector(_) | Map(_) | Set(_) => match of_set(elements(a)) {
            Set(items) => Some(Vector(items)),
            _ => None,
        },
        _ => None,
    }),
    ("(let [[x & more :as all] $a] [x more all])", |a, _, _| match a {
        Vector(items) if depth(a) < 4 => {
            let more = if items.len() > 1 { Vector(items[1..].to_vec()) } else { Nil };
            Some(Vector(vec![items.first().cloned().unwrap_or(Nil), more, a.clone()]))
        }
        _ => None,
    }),
    ("(reduce (fn [acc x] (conj acc x $b)) $a $c)", |a, b, c| match (a, c) {
        (Vector(items), Vector(_) | Map(_) | Set(_)) => Some(Vector(
            elements(c).into_iter().fold(items.clone(), |items, item| [items, vec![item, b.clone()]].concat()),
        )),
        (Set(items), Vector(_) | Map(_) | Set(_)) => {
            let added = elements(c).into_iter().flat_map(|item| [item, b.clone()]);
            Some(of_set(items.iter().cloned().chain(added)))
        }
        _ => None,
    }),
    ("(reductions conj [] $a)", |a, _, _| match a {
        Vector(items) if items.len() < 8 && depth(a) < 3 => {
            Some(Vector((0..=items.len()).map(|end| Vector(items[..end].to_vec())).collect()))
        }
        _ => None,
    }),
    ("(vec (for [x $a y [$b x]] y))", |a, b, _| match a {
        Vector(_) | Map(_) | Set(_) => Some(Vector(elements(a).into_iter().flat_map(|x| [b.clone(), x]).collect())),
        _ => None,
    }),
    ("(partition-all 3 $a)", |a, _, _| match a {
        Vector(items) if depth(a) < 4 => Some(Vector(items.chunks(3).map(|part| Vector(part.to_vec())).collect())),
        _ => None,
    }),
    ("(map vector $a $b)", |a, b, _| match (a, b) {
        (Vector(left), Vector(right)) if depth(a).max(depth(b)) < 4 => {
            Some(Vector(left.iter().zip(right).map(|(x, y)| Vector(vec![x.clone(), y.clone()])).collect()))
        }
        _ => None,
    }),
];

/// The initial values of the names of a program.
const FIRST: &[&str] = &[
    "[]",
    "[1 2 3]",
    "{}",
    "{:k1 [1] :k2 {:k1 [] 7 8}}",
    "#{}",
    "#{1 [2] :k1}",
    "(vec (range 70))",
    "(vec (range 5 135))",
    "(zipmap (range 12) (range 3 30))",
    "(set (range 11))",
    "(zipmap (map (fn [x] [x]) (range 10)) (range 10))",
    "{:k1 1 :k3 2 :k4 3 :k5 4 :k6 5 :k7 6 :k8 7 :k9 8 :k2 {:k1 [5]}}",
    ":k1",
    "0",
    "nil",
];

fn first(which: usize) -> Model {
    let numbers = |range: std::ops::Range<i64>| range.map(Int);
    let name = |number: i64| keyword(&format!("k{number}"));
    match which {
        0 => Vector(vec![]),
        1 => Vector(numbers(1..4).collect()),
        2 => Map(vec![]),
        3 => Map(vec![
            (name(1), Vector(vec![Int(1)])),
            (name(2), Map(vec![(name(1), Vector(vec![])), (Int(7), Int(8))])),
        ]),
        4 => Set(vec![]),
        5 => Set(vec![Int(1), Vector(vec![Int(2)]), name(1)]),
        6 => Vector(numbers(0..70).collect()),
        7 => Vector(numbers(5..135).collect()),
        8 => Map(numbers(0..12).zip(numbers(3..30)).collect()),
        9 => Set(numbers(0..11).collect()),
        10 => Map(numbers(0..10).map(|number| (Vector(vec![number.clone()]), number)).collect()),
        11 => {
            let mut entries = vec![(name(1), Int(1))];
            entries.extend((3..10).map(|number| (name(number), Int(number - 1))));
            entries.push((name(2), Map(vec![(name(1), Vector(vec![Int(5)]))])));
            Map(entries)
        }
        12 => name(1),
        13 => Int(0),
        _ => Nil,
    }
}

/// The number of names that programs bind.
const NAMES: usize = 5;

#[derive(Clone, Debug)]
enum Statement {
    /// Binds a name to the result of an operation.
    Operate { to: usize, kind: usize, operation: prop::sample::Index, operands: [usize; 3] },
    /// Makes a closure that captures a name.
    Capture(usize),
    /// Binds a name to the value that the closure captured.
    Recall(usize),
    /// Defines a name for the program.
    Define(usize),
    /// Binds a name to the defined value.
    Read(usize),
    /// Runs one of two blocks.
    Choose(usize, Vec<Statement>, Vec<Statement>),
    /// Runs a block several times.
    Repeat(u8, Vec<Statement>),
    /// Runs a block in a function whose parameters are some of the names.
    Call(Vec<usize>, Vec<Statement>),
    /// Runs a block for each of some elements, in a fold.
    Fold(u8, Vec<Statement>),
}

fn statement() -> impl Strategy<Value = Statement> {
    let name = 0..NAMES;
    let operands = [0..NAMES + 2, 0..NAMES + 2, 0..NAMES + 2];
    let leaf = prop_oneof![
        12 => (name.clone(), 0..4_usize, any::<prop::sample::Index>(), operands)
            .prop_map(|(to, kind, operation, operands)| Statement::Operate { to, kind, operation, operands }),
        1 => name.clone().prop_map(Statement::Capture),
        1 => name.clone().prop_map(Statement::Recall),
        1 => name.clone().prop_map(Statement::Define),
        1 => name.clone().prop_map(Statement::Read),
    ];
    leaf.prop_recursive(3, 24, 6, move |inner| {
        let block = vec(inner, 1..6);
        prop_oneof![
            (name.clone(), block.clone(), block.clone()).prop_map(|(name, yes, no)| Statement::Choose(name, yes, no)),
            (1..4_u8, block.clone()).prop_map(|(times, block)| Statement::Repeat(times, block)),
            (vec(name.clone(), 1..3), block.clone()).prop_map(|(names, block)| Statement::Call(names, block)),
            (1..4_u8, block).prop_map(|(times, block)| Statement::Fold(times, block)),
        ]
    })
}

/// The state of the model while a program runs.
#[derive(Clone)]
struct State {
    names: Vec<Model>,
    captured: Model,
    defined: Model,
}

/// The statement whose operation does not accept its operands.
struct Unfit(*const Statement);

fn table(kind: usize) -> &'static [Operation] {
    [VECTORS, MAPS, SETS, ALL][kind]
}

fn operand(state: &State, which: usize) -> Model {
    match which.checked_sub(NAMES) {
        None => state.names[which].clone(),
        Some(0) => Int(1),
        Some(_) => keyword("k2"),
    }
}

/// Runs statements, except those in `without`.
fn evaluate(state: &mut State, statements: &[Statement], without: &[*const Statement]) -> Result<(), Unfit> {
    for statement in statements.iter().filter(|statement| !without.contains(&std::ptr::from_ref(*statement))) {
        match statement {
            Statement::Operate { to, kind, operation, operands } => {
                let [a, b, c] = operands.map(|which| operand(state, which));
                let (_, apply) = *operation.get(table(*kind));
                // Without this bound, values in loops would grow without end.
                let is_small = |value: &Model| weight(value) < 400 && depth(value) < 5;
                let result = [&a, &b, &c].into_iter().all(is_small).then(|| apply(&a, &b, &c)).flatten();
                let result = result.filter(|result| weight(result) < 1000);
                state.names[*to] = result.ok_or(Unfit(statement))?;
            }
            Statement::Capture(from) => state.captured = state.names[*from].clone(),
            Statement::Recall(to) => state.names[*to] = state.captured.clone(),
            Statement::Define(from) => state.defined = state.names[*from].clone(),
            Statement::Read(to) => state.names[*to] = state.defined.clone(),
            Statement::Choose(test, yes, no) => {
                let is_vector = matches!(state.names[*test], Vector(_));
                evaluate(state, if is_vector { yes } else { no }, without)?;
            }
            Statement::Repeat(times, block) | Statement::Fold(times, block) => {
                (0..*times).try_for_each(|_| evaluate(state, block, without))?;
            }
            Statement::Call(names, block) => {
                let mut inner = state.clone();
                evaluate(&mut inner, block, without)?;
                for name in names {
                    state.names[*name] = inner.names[*name].clone();
                }
                (state.captured, state.defined) = (inner.captured, inner.defined);
            }
        }
    }
    Ok(())
}

/// The names that statements bind, in order.
fn bound(statements: &[Statement]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for statement in statements {
        match statement {
            Statement::Operate { to, .. } | Statement::Recall(to) | Statement::Read(to) => names.push(format!("v{to}")),
            Statement::Capture(_) => names.push("f".into()),
            Statement::Define(_) => {}
            Statement::Choose(_, yes, no) => names.extend(bound(yes).into_iter().chain(bound(no))),
            Statement::Repeat(_, block) | Statement::Fold(_, block) => names.extend(bound(block)),
            Statement::Call(called, block) => {
                names.extend(called.iter().map(|name| format!("v{name}")));
                names.extend(bound(block).into_iter().filter(|name| *name == "f"));
            }
        }
    }
    names.sort();
    names.dedup();
    names
}

/// One name alone, several names as a vector, which is also a pattern.
fn tuple(names: &[String]) -> String {
    match names {
        [one] => one.clone(),
        names => format!("[{}]", names.join(" ")),
    }
}

/// Writes the statements, except those in `without`, as bindings of `let`.
fn written(statements: &[Statement], without: &[*const Statement]) -> String {
    let mut lines = Vec::new();
    for statement in statements.iter().filter(|statement| !without.contains(&std::ptr::from_ref(*statement))) {
        let block =
            |statements: &[Statement], result: &str| format!("(let [{}] {result})", written(statements, without));
        lines.push(match statement {
            Statement::Operate { to, kind, operation, operands } => {
                let text = |which: usize| match which.checked_sub(NAMES) {
                    None => format!("v{which}"),
                    Some(0) => "1".into(),
                    Some(_) => ":k2".into(),
                };
                let [a, b, c] = operands.map(text);
                format!("v{to} {}", operation.get(table(*kind)).0.replace("$a", &a).replace("$b", &b).replace("$c", &c))
            }
            Statement::Capture(from) => format!("f (fn [] v{from})"),
            Statement::Recall(to) => format!("v{to} (f)"),
            Statement::Define(from) => format!("_ (def g v{from})"),
            Statement::Read(to) => format!("v{to} g"),
            Statement::Choose(test, yes, no) => {
                let names = tuple(&bound(std::slice::from_ref(statement)));
                format!("{names} (if (vector? v{test}) {} {})", block(yes, &names), block(no, &names))
            }
            Statement::Repeat(times, statements) => {
                let names = bound(statements);
                let (all, each) = (tuple(&names), names.join(" "));
                let begun: String = names.iter().map(|name| format!(" {name} {name}")).collect();
                let again = block(statements, &format!("(recur (inc i) {each})"));
                format!("{all} (loop [i 0{begun}] (if (< i {times}) {again} {all}))")
            }
            Statement::Fold(times, statements) => {
                let names = tuple(&bound(statements));
                format!("{names} (reduce (fn [{names} i] {}) {names} (range {times}))", block(statements, &names))
            }
            Statement::Call(called, statements) => {
                let names = tuple(&bound(std::slice::from_ref(statement)));
                let mut called: Vec<_> = called.iter().map(|name| format!("v{name}")).collect();
                called.sort();
                called.dedup();
                let called = called.join(" ");
                format!("{names} ((fn [{called}] {}) {called})", block(statements, &names))
            }
        });
    }
    lines.join("\n")
}

/// Returns the statements to omit because their operands do not fit, and the state after the others.
fn fitted(start: &State, statements: &[Statement]) -> (Vec<*const Statement>, State) {
    let mut without = Vec::new();
    loop {
        let mut state = start.clone();
        match evaluate(&mut state, statements, &without) {
            Ok(()) => return (without, state),
            Err(Unfit(statement)) => without.push(statement),
        }
    }
}

/// Runs a program through its pauses and returns its result.
fn result(sandbox: &mut Vm, source: &str) -> Result<Value, String> {
    let mut step = sandbox.start(source, 0);
    loop {
        step = match step {
            Progress::Done(ended) => return ended.result.map_err(|problem| problem.to_string()),
            Progress::Pause => sandbox.resume(),
            Progress::Calls(_) => panic!("there are no tools"),
        }
    }
}

/// The values of some names only, so that the other values are dropped after their last use.
fn shown(state: &State, names: &[usize]) -> Model {
    let mut shown: Vec<_> = names.iter().map(|name| state.names[*name].clone()).collect();
    shown.push(state.captured.clone());
    Vector(shown)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn programs_give_what_a_model_gives_that_shares_nothing(
        starts in [0..FIRST.len(), 0..FIRST.len(), 0..FIRST.len(), 0..FIRST.len(), 0..FIRST.len()],
        statements in vec(statement(), 1..14),
        more in vec(statement(), 0..6),
        names in vec(0..NAMES, 1..4),
        slice in prop_oneof![3 => Just(u64::MAX), 1 => 1..5_u64],
    ) {
        let limits = ProgramLimits { fuel: 50_000_000, slice, ..ProgramLimits::default() };
        let mut sandbox = Vm::new(Names::default(), Names::default(), limits);
        let start = State { names: starts.map(first).to_vec(), captured: Nil, defined: Nil };
        let (without, state) = fitted(&start, &statements);
        let begun: Vec<_> = starts.iter().enumerate().map(|(name, which)| format!("v{name} {}", FIRST[*which])).collect();
        let results: Vec<_> = names.iter().map(|name| format!("v{name}")).collect();
        let results = format!("[{} (f)]", results.join(" "));
        let program = format!("(def g nil)\n(let [f (fn [])\n{}\n{}]\n{results})", begun.join(" "), written(&statements, &without));
        let first_result = shown(&state, &names);
        let got = result(&mut sandbox, &program);
        prop_assert_eq!(got.as_ref().map(of_value), Ok(first_result.clone()), "{}", program);

        let start = State { names: vec![state.defined.clone(), first_result.clone(), Nil, Vector(vec![]), Map(vec![])], captured: Nil, defined: state.defined };
        let (without, after) = fitted(&start, &more);
        let program = format!("(let [f (fn []) v0 g v1 *1 v2 nil v3 [] v4 {{}}\n{}]\n{results})", written(&more, &without));
        let got = result(&mut sandbox, &program);
        prop_assert_eq!(got.as_ref().map(of_value), Ok(shown(&after, &names)), "{}", program);
        prop_assert_eq!(of_value(&sandbox.recent()[1]), first_result, "{}", program);
        let defined = sandbox.definitions().find(|(name, _)| &***name == "g").map(|(_, value)| of_value(value));
        prop_assert_eq!(defined, Some(after.defined), "{}", program);
    }
}
