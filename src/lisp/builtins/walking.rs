//! Traversals of nested data, with an explicit stack: the depth of data is unlimited.

use super::arguments::take;
use super::closures::made;
use super::filling::{Filling, Rest};
use super::steps;
use crate::lisp::equality::is_truthy;
use crate::lisp::fault::EvalResult;
use crate::lisp::native::{Begin, Builtin, Context, Next, Steps};
use crate::lisp::sequence::{pair, to_vector};
use crate::value::garbage::Values;
use crate::value::{Value, taken};

pub(super) const ROWS: &[Builtin] = &[
    steps("keywordize-keys", "x", (1, 1), "x with the strings among the keys of its maps as keywords.", |_, args| {
        Ok(with_keys("string?", "keyword", args))
    }),
    steps("stringify-keys", "x", (1, 1), "x with the keywords among the keys of its maps as strings.", |_, args| {
        Ok(with_keys("keyword?", "name", args))
    }),
    steps("postwalk", "f form", (2, 2), "Nested data with f of every part, the inner parts first.", |_, args| {
        Ok(walk(args, false))
    }),
    steps("prewalk", "f form", (2, 2), "Nested data with f of every part, the outer parts first.", |_, args| {
        Ok(walk(args, true))
    }),
    steps("tree-seq", "branch? children root", (3, 3), "All nodes of a tree, each before its children.", |_, args| {
        let (branch, children) = (take(args, 0), take(args, 1));
        let tree = Tree {
            branch: branch.clone(),
            children,
            pending: vec![Rest::new(vec![take(args, 2)].into())],
            nodes: Vec::new(),
            asked: false,
        };
        Ok(Begin::Steps(branch, Box::new(tree)))
    }),
];

/// A collection that is being traversed.
struct PartialResult {
    /// The original collection, which determines the type of the result.
    collection: Value,
    /// The index of the next part.
    position: usize,
    /// The results so far.
    done: Values,
}

impl PartialResult {
    /// Returns the next part.
    fn next(&mut self) -> Option<Value> {
        let position = self.position;
        self.position += 1;
        match &self.collection {
            Value::Vector(items) => items.get(position).cloned(),
            Value::Set(items) => items.range(position..position + 1).first().cloned(),
            Value::Map(entries) => entries.entry_at(position).map(|(key, value)| pair(key, value)),
            _ => None,
        }
    }
}

struct Traversal {
    open: Vec<PartialResult>,
    /// The root, until the first step.
    root: Option<Value>,
    /// Whether the function is called for a collection before its parts.
    outer_first: bool,
    /// The collection whose parts are all done, while it is built from them.
    building: Option<Box<Filling>>,
}

fn walk(args: &mut [Value], outer_first: bool) -> Begin {
    let (function, root) = (take(args, 0), Some(take(args, 1)));
    Begin::Steps(function, Box::new(Traversal { open: Vec::new(), root, outer_first, building: None }))
}

impl Traversal {
    /// Opens a collection with parts; returns any other value.
    fn begin(&mut self, context: &mut Context<'_>, value: Value) -> EvalResult<Option<Value>> {
        let count = match &value {
            Value::Vector(items) => items.len(),
            Value::Set(items) => items.len(),
            Value::Map(entries) => entries.len(),
            _ => 0,
        };
        if count == 0 {
            return Ok(Some(value));
        }
        context.meter.elements(2 * count)?;
        self.open.push(PartialResult { collection: value, position: 0, done: Values(Vec::with_capacity(count)) });
        Ok(None)
    }
}

impl Steps for Traversal {
    fn step(&mut self, context: &mut Context<'_>, answer: Option<Value>) -> EvalResult<Next> {
        // A finished part, and the part to visit next.
        let (mut done, mut next) = (None, None);
        if let Some(building) = &mut self.building {
            let Next::Done(whole) = building.step(context, None)? else { return Ok(Next::Continue) };
            self.building = None;
            if !self.outer_first {
                return Ok(Next::Call(whole));
            }
            done = Some(whole);
        }
        match (answer, self.root.take()) {
            (Some(changed), _) if self.outer_first => done = self.begin(context, changed)?,
            (Some(changed), _) => done = Some(changed),
            (None, Some(root)) => next = Some(root),
            (None, None) => {}
        }
        loop {
            if let Some(part) = next.take() {
                if self.outer_first {
                    return Ok(Next::Call(part));
                }
                if let Some(leaf) = self.begin(context, part)? {
                    return Ok(Next::Call(leaf));
                }
            }
            let Some(open) = self.open.last_mut() else { return Ok(Next::Done(done.unwrap_or_default())) };
            open.done.extend(done.take());
            next = open.next();
            if next.is_none()
                && let Some(mut open) = self.open.pop()
            {
                let parts = open.done.take();
                let whole = match open.collection {
                    Value::Vector(_) => Value::from(parts),
                    other => {
                        let mut building = Filling::of(other.emptied(), parts);
                        let Next::Done(whole) = building.step(context, None)? else {
                            self.building = Some(Box::new(building));
                            return Ok(Next::Continue);
                        };
                        whole
                    }
                };
                if !self.outer_first {
                    return Ok(Next::Call(whole));
                }
                done = Some(whole);
            }
        }
    }
}

struct Tree {
    branch: Value,
    children: Value,
    /// The remaining nodes of each level, the deepest last.
    pending: Vec<Rest>,
    nodes: Vec<Value>,
    /// Whether the pending call requests the children of the last node.
    asked: bool,
}

impl Steps for Tree {
    fn step(&mut self, context: &mut Context<'_>, answer: Option<Value>) -> EvalResult<Next> {
        if let Some(answer) = answer {
            if std::mem::take(&mut self.asked) {
                let children = to_vector(context.meter, context.name, &answer)?;
                context.meter.elements(children.len())?;
                self.pending.push(Rest::new(children));
            } else if is_truthy(&answer) {
                self.asked = true;
                let node = self.nodes.last().cloned().unwrap_or_default();
                return Ok(Next::CallOther(self.children.clone(), vec![node]));
            }
        }
        let node = loop {
            let Some(level) = self.pending.last_mut() else {
                return Ok(Next::Done(Value::from(std::mem::take(&mut self.nodes))));
            };
            match level.next() {
                Some(node) => break node,
                None => drop(self.pending.pop()),
            }
        };
        context.meter.elements(1)?;
        self.nodes.push(node.clone());
        Ok(Next::CallOther(self.branch.clone(), vec![node]))
    }
}

/// Changes the keys of all maps in a value for which a predicate holds.
fn with_keys(is_changed: &str, change: &str, args: &mut [Value]) -> Begin {
    let key = format!("(fn [k] (if (clojure.core/{is_changed} k) (clojure.core/{change} k) k))");
    let map = format!("(fn [x] (if (clojure.core/map? x) (clojure.core/update-keys x {key}) x))");
    Begin::Call(made("x", &format!("([x] (clojure.walk/postwalk {map} x))"), Vec::new()), taken(args))
}
