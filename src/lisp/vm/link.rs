//! Finds the callee for a value, and the code of closures.

use std::rc::Rc;

use super::fiber::{Callee, Fiber};
use super::{RunningProgram, Vm};
use crate::lisp::builtins;
use crate::lisp::chunk::Function;
use crate::lisp::compiler::{CompileContext, compile_closure};
use crate::lisp::fault::{EvalResult, describe, error, error_with_hint};
use crate::value::{Closure, Names, Value};

/// The most sources whose code is cached.
const MAX_COMPILED: usize = 256;

/// The code of a closure, and the machine that it was compiled for.
pub(super) struct Linked {
    pub home: Rc<()>,
    pub function: Rc<Function>,
}

/// The function of a closure that was compiled for this machine.
#[inline(always)]
pub(super) fn linked<'a>(closure: &'a Closure, home: &Rc<()>) -> Option<&'a Rc<Function>> {
    closure.compiled.get::<Linked>().filter(|linked| Rc::ptr_eq(&linked.home, home)).map(|linked| &linked.function)
}

impl Vm {
    /// Returns the function of a definition if it is a closure that can run.
    pub(super) fn function_of(&mut self, value: &Value) -> Option<Rc<Function>> {
        match value {
            Value::Closure(closure) => self.link(closure).ok(),
            _ => None,
        }
    }

    /// Returns the function of a closure; compiles the source of a closure that was not compiled for this machine.
    pub(super) fn link(&mut self, closure: &Rc<Closure>) -> EvalResult<Rc<Function>> {
        if let Some(function) = linked(closure, &self.home) {
            return Ok(function.clone());
        }
        let Some(source) = &closure.source else {
            let message = format!("`#fn[{}]` can't be called: its source is not known", closure.params);
            return error_with_hint(
                "not_callable",
                message,
                "it was given by the host to be shown; define a function with `defn`",
            );
        };
        let names = closure.captured.0.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
        let compiled = match self.compiled.get(source) {
            Some(function) => Ok(function.clone()),
            None => compile_closure(source, &names, CompileContext { globals: &mut self.globals, program: 0 }),
        };
        match compiled {
            Ok(function) if function.captures.iter().map(|(name, _)| name).eq(&names) => {
                if self.compiled.len() >= MAX_COMPILED {
                    self.compiled = Names::default();
                }
                if !self.compiled.contains(source) {
                    self.compiled.insert(source.clone(), function.clone());
                }
                closure.compiled.set(Rc::new(Linked { home: self.home.clone(), function: function.clone() }));
                Ok(function)
            }
            Ok(_) => error(
                "not_callable",
                format!("`#fn[{}]` can't be called: its captured values are not those of its source", closure.params),
            ),
            Err(problems) => {
                let reason = problems.first().map(ToString::to_string).unwrap_or_default();
                error("not_callable", format!("the source of `#fn[{}]` can't be compiled: {reason}", closure.params))
            }
        }
    }

    /// Returns the callee for a value; fails when the value can't be called.
    pub(super) fn callee(&mut self, run: &RunningProgram, fiber: &Fiber, value: Value) -> EvalResult<Callee> {
        match value {
            Value::Closure(closure) => Ok(Callee::Function(self.link(&closure)?, closure)),
            Value::Builtin(name) => match name.strip_prefix("tool/") {
                Some(tool) => Ok(Callee::Tool(tool.into())),
                None => match builtins::find(&name) {
                    Some(builtin) => Ok(Callee::Builtin(builtin)),
                    None => error("not_callable", format!("there is no function `{name}`")),
                },
            },
            Value::Keyword(_) | Value::Map(_) | Value::Set(_) | Value::Vector(_) => Ok(Callee::Lookup(value)),
            Value::Var(name) if value.atom_number().is_none() => {
                let position = self.globals.position(&name);
                let value = self.global_value(run, fiber, position)?;
                match value {
                    Value::Var(_) => not_callable(&value),
                    value => self.callee(run, fiber, value),
                }
            }
            value => not_callable(&value),
        }
    }
}

#[cold]
fn not_callable<T>(value: &Value) -> EvalResult<T> {
    let hint = match value {
        Value::Nil => "a key or definition may be missing; the first thing in a list is called",
        Value::Str(_) => "look a string key up with `(get m \"key\")`",
        _ => "the first thing in a list is called; write data as a vector `[1 2 3]`",
    };
    error_with_hint("not_callable", format!("{} is not a function, so it can't be called", describe(value)), hint)
}
