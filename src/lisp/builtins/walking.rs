//! Traversals of nested data, with an explicit stack: the depth of data is unlimited.

use super::arguments::take;
use super::building::add_entries;
use super::steps;
use crate::lisp::equality::is_truthy;
use crate::lisp::fault::EvalResult;
use crate::lisp::native::{Begin, Builtin, Context, Next, Steps};
use crate::lisp::sequence::{pair, to_vector};
use crate::value::{Map, Value};

pub(super) const ROWS: &[Builtin] = &[
    steps("postwalk", "f form", (2, 2), "Nested data with f of every part, the inner parts first.", |_, args| {
        Ok(walk(args, false))
    }),
    steps("prewalk", "f form", (2, 2), "Nested data with f of every part, the outer parts first.", |_, args| {
        Ok(walk(args, true))
    }),
    steps("tree-seq", "branch? children root", (3, 3), "All nodes of a tree, each before its children.", |_, args| {
        let (branch, children) = (take(args, 0), take(args, 1));
        let tree =
            Tree { branch: branch.clone(), children, pending: vec![take(args, 2)], nodes: Vec::new(), asked: false };
        Ok(Begin::Steps(branch, Box::new(tree)))
    }),
];

/// A collection that is being traversed.
struct Open {
    /// The original, for its type.
    collection: Value,
    /// The remaining parts, in reverse order.
    pending: Vec<Value>,
    /// The results so far.
    done: Vec<Value>,
}

struct Walk {
    open: Vec<Open>,
    /// The root, until the first step.
    root: Option<Value>,
    /// Whether the function is called for a collection before its parts.
    outer_first: bool,
}

fn walk(args: &mut [Value], outer_first: bool) -> Begin {
    let (function, root) = (take(args, 0), Some(take(args, 1)));
    Begin::Steps(function, Box::new(Walk { open: Vec::new(), root, outer_first }))
}

impl Walk {
    /// Opens a collection with parts; returns any other value.
    fn begin(&mut self, context: &mut Context<'_>, value: Value) -> EvalResult<Option<Value>> {
        let mut pending = match &value {
            Value::Vector(items) => items.as_slice().to_vec(),
            Value::Set(items) => items.to_vector().into_vec(),
            Value::Map(entries) => entries.iter().map(|(key, value)| pair(key, value)).collect(),
            _ => Vec::new(),
        };
        if pending.is_empty() {
            return Ok(Some(value));
        }
        context.meter.elements(2 * pending.len())?;
        pending.reverse();
        let done = Vec::with_capacity(pending.len());
        self.open.push(Open { collection: value, pending, done });
        Ok(None)
    }
}

impl Steps for Walk {
    fn step(&mut self, context: &mut Context<'_>, answer: Option<Value>) -> EvalResult<Next> {
        // A finished part, and the part to visit next.
        let (mut done, mut next) = (None, None);
        match (answer, self.root.take()) {
            (Some(changed), _) if self.outer_first => done = self.begin(context, changed)?,
            (Some(changed), _) => done = Some(changed),
            (None, root) => next = root,
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
            next = open.pending.pop();
            if next.is_none()
                && let Some(open) = self.open.pop()
            {
                let whole = rebuilt(context, open)?;
                if !self.outer_first {
                    return Ok(Next::Call(whole));
                }
                done = Some(whole);
            }
        }
    }
}

/// A collection of the same type with the new parts.
fn rebuilt(context: &mut Context<'_>, open: Open) -> EvalResult {
    Ok(match open.collection {
        Value::Set(_) => Value::set(open.done),
        Value::Map(_) => {
            let mut map = Map::default();
            for entry in open.done {
                add_entries(context, &mut map, entry)?;
            }
            Value::Map(map)
        }
        _ => Value::from(open.done),
    })
}

struct Tree {
    branch: Value,
    children: Value,
    /// The remaining nodes, in reverse order.
    pending: Vec<Value>,
    nodes: Vec<Value>,
    /// Whether the pending call is that for the children of the last node.
    asked: bool,
}

impl Steps for Tree {
    fn step(&mut self, context: &mut Context<'_>, answer: Option<Value>) -> EvalResult<Next> {
        if let Some(answer) = answer {
            if std::mem::take(&mut self.asked) {
                let children = to_vector(context.name, &answer)?;
                context.meter.elements(children.len())?;
                self.pending.extend(children.iter().rev().cloned());
            } else if is_truthy(&answer) {
                self.asked = true;
                let node = self.nodes.last().cloned().unwrap_or_default();
                return Ok(Next::CallOther(self.children.clone(), vec![node]));
            }
        }
        let Some(node) = self.pending.pop() else {
            return Ok(Next::Done(Value::from(std::mem::take(&mut self.nodes))));
        };
        context.meter.elements(1)?;
        self.nodes.push(node.clone());
        Ok(Next::CallOther(self.branch.clone(), vec![node]))
    }
}
