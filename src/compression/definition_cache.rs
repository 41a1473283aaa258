//! Keeps the lines of definitions from one rendering to the next, so that only those that changed are written again.

use std::rc::Rc;

use crate::turn::Memory;
use crate::value::{Names, Str, Value, in_order};

use super::definitions::{Definition, Origin, definition};
use super::fold::Fold;
use super::options::Limits;

/// The definitions of the last renderings.
#[derive(Debug, Default)]
pub struct DefinitionCache {
    by_name: Names<Rc<Definition>>,
    /// The definitions of the last rendering, in their order.
    last: Vec<Rc<Definition>>,
    /// The memory of the last rendering.
    memory: Option<Memory>,
    /// The identity of the fold of the last rendering.
    fold: (usize, usize),
}

impl DefinitionCache {
    /// Returns the definition of every name of `memory`, in display order. `limits` must be the same in every call.
    pub fn of_memory(&mut self, memory: &Memory, fold: &Fold<'_>, limits: &Limits) -> Vec<Rc<Definition>> {
        if self.by_name.len() > 2 * memory.len() + 16 {
            self.by_name.retain(|name| memory.contains(name));
        }
        let definitions = match self.in_last_order(memory, fold, limits) {
            Some(definitions) => definitions,
            None => {
                let mut definitions = Vec::with_capacity(memory.len());
                for (name, value) in memory.iter() {
                    definitions.push(self.of_name(name, value, &fold.origin(name, limits), limits));
                }
                in_order(&definitions, |left, right| left.order(right)).cloned().collect()
            }
        };
        self.last.clone_from(&definitions);
        self.memory = Some(memory.clone());
        self.fold = fold.identity();
        definitions
    }

    /// Returns the definitions in the order of the last rendering when that order still holds, as it usually does: few
    /// names are added or change their type from turn to turn.
    fn in_last_order(&mut self, memory: &Memory, fold: &Fold<'_>, limits: &Limits) -> Option<Vec<Rc<Definition>>> {
        if self.last.len() != memory.len() {
            return None;
        }
        let last = std::mem::take(&mut self.last);
        let same_memory = self.memory.as_ref().is_some_and(|last| Rc::ptr_eq(last, memory));
        if same_memory && self.fold == fold.identity() {
            return Some(last);
        }
        let mut definitions: Vec<Rc<Definition>> = Vec::with_capacity(last.len());
        let mut is_new = false;
        for definition in &last {
            let value = if same_memory { &definition.value } else { memory.get(&definition.name)? };
            let origin = fold.origin(&definition.name, limits);
            let was_new = is_new;
            is_new = !definition.is_of(value, &origin);
            let next = if is_new { self.of_name(&definition.name, value, &origin, limits) } else { definition.clone() };
            if (is_new || was_new) && definitions.last().is_some_and(|before| before.order(&next).is_gt()) {
                return None;
            }
            definitions.push(next);
        }
        Some(definitions)
    }

    fn of_name(&mut self, name: &Str, value: &Value, origin: &Origin<'_>, limits: &Limits) -> Rc<Definition> {
        if let Some(known) = self.by_name.get(name).filter(|known| known.is_of(value, origin)) {
            return known.clone();
        }
        let definition = Rc::new(definition(name, value, origin, limits));
        self.by_name.insert(name.clone(), definition.clone());
        definition
    }
}
