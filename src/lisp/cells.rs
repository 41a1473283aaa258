//! The atoms of a running program.
//!
//! An atom is a var whose name is its number; its value is here. So an atom may hold itself, equal atoms are the same
//! atom, and all of them are freed when the program ends. Branches share them: a branch runs until it waits for a tool,
//! so what it sees depends only on the replies of tools, and the program can be run again to the same point.

use crate::value::Value;
use crate::value::garbage::Values;

/// The values of the atoms, by number.
#[derive(Debug, Default)]
pub struct Atoms {
    values: Values,
    /// How often each was changed.
    versions: Vec<u32>,
}

impl Atoms {
    /// Makes an atom.
    pub fn add(&mut self, value: Value) -> Value {
        self.values.push(value);
        self.versions.push(0);
        Value::atom(self.values.len() - 1)
    }

    /// Returns the value of an atom; `None` for any other value.
    pub fn value(&self, atom: &Value) -> Option<&Value> {
        self.values.get(atom.atom_number()?)
    }

    /// Returns the value of an atom, given its number.
    pub fn get(&self, number: usize) -> Value {
        self.values.get(number).cloned().unwrap_or_default()
    }

    /// Returns how often an atom was changed.
    pub fn version(&self, number: usize) -> Option<u32> {
        self.versions.get(number).copied()
    }

    /// Removes the value of an atom, which is set before a program reads it.
    pub fn empty(&mut self, number: usize) {
        if let Some(cell) = self.values.get_mut(number) {
            *cell = Value::Nil;
        }
    }

    /// Changes an atom; returns its old value.
    pub fn set(&mut self, number: usize, value: Value) -> Value {
        match (self.values.get_mut(number), self.versions.get_mut(number)) {
            (Some(cell), Some(version)) => {
                *version = version.wrapping_add(1);
                std::mem::replace(cell, value)
            }
            _ => Value::Nil,
        }
    }
}
