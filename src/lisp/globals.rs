//! Definitions: the global names of a sandbox and their values.

use std::rc::Rc;

use super::chunk::Function;
use crate::value::{Closure, Names, Str, Value};

/// Definitions by name. Code refers to a name by its position here. Every name that code mentions
/// has a position, even before the name is defined.
#[derive(Debug, Default)]
pub struct Globals(Names<Global>);

/// The definition of a name.
#[derive(Clone, Debug, Default)]
pub struct Global {
    /// Its value; `None` while the name is not defined.
    pub value: Option<Value>,
    /// The function of the value if the value is a closure, so that calls find it quickly.
    pub function: Option<Rc<Function>>,
}

impl Globals {
    /// The largest number of names that code may mention.
    pub const MAX_LEN: usize = u16::MAX as usize;

    /// Returns the position of a name; adds the name when it is missing.
    pub fn position(&mut self, name: &Str) -> usize {
        match self.0.position(name) {
            Some(position) => position,
            None => {
                self.0.insert(name.clone(), Global::default());
                self.0.len() - 1
            }
        }
    }

    /// Returns the number of names.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Removes the names from a position on.
    pub fn truncate(&mut self, len: usize) {
        if len < self.len() {
            self.0 = std::mem::take(&mut self.0).into_iter().take(len).collect();
        }
    }

    /// Returns the name at a position.
    pub fn name(&self, position: usize) -> &Str {
        self.0.at(position).0
    }

    /// Returns the definition at a position.
    pub fn get(&self, position: usize) -> &Global {
        self.0.at(position).1
    }

    /// Returns the function and the closure at a position, when a closure is defined there.
    #[inline(always)]
    pub fn function(&self, position: usize) -> Option<(&Rc<Function>, &Rc<Closure>)> {
        match self.0.values().get(position)? {
            Global { value: Some(Value::Closure(closure)), function: Some(function) } => Some((function, closure)),
            _ => None,
        }
    }

    /// Replaces the definition at a position, and returns the old one.
    pub fn set(&mut self, position: usize, global: Global) -> Global {
        std::mem::replace(self.0.at_mut(position), global)
    }

    /// Returns the value of a defined name.
    pub fn definition(&self, name: &str) -> Option<&Value> {
        self.0.get(name).and_then(|global| global.value.as_ref())
    }

    /// Returns the names that are defined, in the order in which they were first mentioned.
    pub fn definitions(&self) -> impl Iterator<Item = (&Str, &Value)> {
        self.0.iter().filter_map(|(name, global)| Some((name, global.value.as_ref()?)))
    }
}
