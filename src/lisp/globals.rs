//! The names of a sandbox that are no local ones, and what programs defined them as.

use std::rc::Rc;

use super::chunk::Function;
use crate::value::{Closure, Names, Str, Value};

/// Definitions by name. Every name that code mentions has a place here, which the code refers to;
/// it holds nothing until it is defined.
#[derive(Debug, Default)]
pub struct Globals(Names<Global>);

/// What stands at a place.
#[derive(Clone, Debug, Default)]
pub struct Global {
    /// The definition.
    pub value: Option<Value>,
    /// The function that the definition is a closure of, so that calls need not look into it.
    pub function: Option<Rc<Function>>,
}

impl Globals {
    /// How many names code may mention.
    pub const MOST: usize = u16::MAX as usize;

    /// The place of a name, which is made when there is none.
    pub fn place(&mut self, name: &Str) -> usize {
        match self.0.place(name) {
            Some(place) => place,
            None => {
                self.0.insert(name.clone(), Global::default());
                self.0.len() - 1
            }
        }
    }

    /// How many names have a place.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The name at a place.
    pub fn name(&self, place: usize) -> &Str {
        self.0.at(place).0
    }

    /// What is defined at a place.
    pub fn get(&self, place: usize) -> &Global {
        self.0.at(place).1
    }

    /// The function at a place, and the closure that it is.
    #[inline(always)]
    pub fn function(&self, place: usize) -> Option<(&Rc<Function>, &Rc<Closure>)> {
        match self.0.values().get(place)? {
            Global { value: Some(Value::Closure(closure)), function: Some(function) } => Some((function, closure)),
            _ => None,
        }
    }

    /// Sets what is defined at a place, and returns what was.
    pub fn set(&mut self, place: usize, global: Global) -> Global {
        std::mem::replace(self.0.at_mut(place), global)
    }

    /// The definition of a name.
    pub fn definition(&self, name: &str) -> Option<&Value> {
        self.0.get(name).and_then(|global| global.value.as_ref())
    }

    /// The names that are defined, in the order in which they were first mentioned.
    pub fn definitions(&self) -> impl Iterator<Item = (&Str, &Value)> {
        self.0.iter().filter_map(|(name, global)| Some((name, global.value.as_ref()?)))
    }
}
