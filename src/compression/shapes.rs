//! The shapes of the results of tools whose signatures do not say them.

use std::rc::Rc;

use crate::lisp::ToolSpec;
use crate::signature::{SeenType, Type};
use crate::turn::Turn;
use crate::value::{Names, Str};

use super::definitions::Definition;

/// Turn by turn, the lines of the tools of whose results the turn has shown more.
#[derive(Debug, Default)]
pub struct Shapes {
    /// What was seen of the results of each tool without a type.
    seen: Names<SeenType>,
    turns: Vec<Rc<[Rc<Definition>]>>,
}

impl Shapes {
    pub fn new(tools: &[(Str, Rc<ToolSpec>)]) -> Shapes {
        let untyped =
            tools.iter().filter(|(_, spec)| spec.signature.as_ref().is_none_or(|own| is_untyped(&own.returns)));
        Shapes { seen: untyped.map(|(name, _)| (name.clone(), SeenType::default())).collect(), turns: Vec::new() }
    }

    /// Forgets all turns.
    pub fn clear(&mut self) {
        let names: Vec<Str> = self.seen.iter().map(|(name, _)| name.clone()).collect();
        self.seen = names.into_iter().map(|name| (name, SeenType::default())).collect();
        self.turns.clear();
    }

    /// The number of turns that were read.
    pub fn len(&self) -> usize {
        self.turns.len()
    }

    /// Reads the next turn.
    pub fn push(&mut self, turn: &Turn) {
        let mut changed: Names<()> = Names::default();
        let calls = if self.seen.is_empty() || turn.tool_call_count() == 0 { &[] } else { turn.tool_calls() };
        for call in calls {
            let Some(before) = self.seen.get(&call.name).filter(|_| call.error.is_none()) else { continue };
            let seen = before.clone().or(SeenType::of(&call.result));
            if seen != *before {
                self.seen.insert(call.name.clone(), seen);
                changed.insert(call.name.clone(), ());
            }
        }
        let index = self.turns.len();
        let line = |name: &Str| {
            let ty = self.seen.get(name)?.returns()?;
            Some(Rc::new(Definition::noted(format!("tool/{name}").into(), &format!("result seen: {ty}"), index)))
        };
        let lines: Vec<_> = changed.iter().filter_map(|(name, ())| line(name)).collect();
        self.turns.push(lines.into());
    }

    /// The lines that a turn adds.
    pub fn of_turn(&self, index: usize) -> Rc<[Rc<Definition>]> {
        self.turns[index].clone()
    }

    /// The lines after the first turns: the last of each tool.
    pub fn after(&self, turns: usize) -> Vec<Rc<Definition>> {
        let mut last: Names<Rc<Definition>> = Names::default();
        for definition in self.turns[..turns].iter().flat_map(|lines| lines.iter()) {
            last.insert(definition.name.clone(), definition.clone());
        }
        last.iter().map(|(_, definition)| definition.clone()).collect()
    }
}

/// Whether a type says nothing of the parts of a result.
fn is_untyped(ty: &Type) -> bool {
    match ty.unless_nil() {
        Type::Any | Type::Map => true,
        Type::List(element) => matches!(element.unless_nil(), Type::Any | Type::Map),
        _ => false,
    }
}
