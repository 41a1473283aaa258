//! Functions written in the language.

use std::any::Any;
use std::cell::OnceCell;
use std::fmt;
use std::rc::Rc;

use super::{Str, Value};

/// A function: its description, its captured values and its code.
#[derive(Clone, Debug, Default)]
pub struct Closure {
    /// The text of its parameters, without brackets: `a b & rest`.
    pub params: Str,
    /// The docstring of its definition.
    pub doc: Option<Str>,
    /// The type label of its last result.
    pub return_type: Option<Str>,
    /// The source text of the function.
    pub source: Option<Str>,
    /// The local names that it captured, and their values.
    pub captured: Captured,
    /// The compiled source. It can be compiled again when it is missing, so it is not part of the value,
    /// and equality ignores it.
    pub compiled: Compiled,
}

/// Captured names with their values.
#[derive(Clone, Debug, Default)]
pub struct Captured(pub Vec<(Str, Value)>);

/// The compiled form of a closure, set at most once. Only the language module knows its type.
#[derive(Clone, Default)]
pub struct Compiled(OnceCell<Rc<dyn Any>>);

impl Compiled {
    /// Holds `code`.
    pub fn new(code: Rc<dyn Any>) -> Compiled {
        Compiled(OnceCell::from(code))
    }

    /// Returns the code if it is a `T`.
    pub fn get<T: 'static>(&self) -> Option<&T> {
        self.0.get()?.downcast_ref()
    }

    /// Stores `code` unless code is stored already.
    pub fn set(&self, code: Rc<dyn Any>) {
        let _ = self.0.set(code);
    }
}

impl fmt::Debug for Compiled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.get().is_some() { "compiled" } else { "source" })
    }
}

impl Closure {
    /// Returns whether `params` lists several arities, each in brackets: `[x] [x y]`. Destructured parameters look the
    /// same in `params`; only the source distinguishes them.
    pub fn has_arities(&self) -> bool {
        let Some(source) = self.source.as_deref().filter(|_| self.params.starts_with('[')) else { return false };
        // An arity is a list that begins with its parameter vector.
        let (mut last, mut rest) = ('(', source.chars());
        while let Some(character) = rest.next() {
            match character {
                '[' => return last == '(',
                ';' => _ = rest.find(|character| *character == '\n'),
                '"' => {
                    while let Some(character) = rest.next().filter(|character| *character != '"') {
                        if character == '\\' {
                            rest.next();
                        }
                    }
                    last = '"';
                }
                character if character.is_whitespace() || character == ',' => {}
                character => last = character,
            }
        }
        false
    }

    /// True when everything but the captured values is equal.
    pub(super) fn is_alike(&self, other: &Closure) -> bool {
        self.params == other.params
            && self.doc == other.doc
            && self.return_type == other.return_type
            && self.source == other.source
            && self.captured.0.len() == other.captured.0.len()
            && self.captured.0.iter().zip(&other.captured.0).all(|((left, _), (right, _))| left == right)
    }
}

impl Captured {
    /// Moves the values to `pending`.
    pub(super) fn move_into(&mut self, pending: &mut Vec<Value>) {
        pending.extend(self.0.drain(..).map(|(_, value)| value));
    }
}

impl Drop for Captured {
    fn drop(&mut self) {
        if self.0.iter().any(|(_, value)| value.holds_values()) {
            let mut pending = Vec::new();
            self.move_into(&mut pending);
            super::collection::drop_values(pending);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(params: &str, source: &str, expected: bool) {
        let closure = Closure { params: params.into(), source: Some(source.into()), ..Closure::default() };
        assert_eq!(closure.has_arities(), expected, "{source}");
    }

    #[test]
    fn arities_are_told_from_parameters_that_are_taken_apart() {
        check("[x] [x y]", "(defn g ([x] x) ([x y] y))", true);
        check("[x] [x y]", "(defn g \"as [x] or \\\" [\" ; [\n ( [x] x) ([x y] y))", true);
        check("[a] [b]", "(fn [[a] [b]] a)", false);
        check("[a] [b]", "(defn f \"([a])\" [[a] [b]] a)", false);
        check("x", "(fn ([x] x))", false);
        assert!(!Closure { params: "[x] [x y]".into(), ..Closure::default() }.has_arities());
    }
}
