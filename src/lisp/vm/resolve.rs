//! Resolves names that are not local: definitions, tools and data.

use std::rc::Rc;

use super::fiber::{Callee, Fiber};
use super::{RunningProgram, Vm};
use crate::diagnostic::Diagnostic;
use crate::lisp::builtins;
use crate::lisp::check::{Known, NameScope, all_problems};
use crate::lisp::compiler::Mention;
use crate::lisp::fault::{EvalResult, error_with_hint, refuse};
use crate::lisp::globals::Global;
use crate::lisp::lookup::are_alike;
use crate::lisp::unknown;
use crate::value::{Closure, Names, Str, Value};
use crate::work;

/// Definitions of a branch that are searched in the time of one unit of work.
const SEARCHED: usize = 8;

impl Vm {
    /// Returns the definition of a name in a fiber: the fiber's own, else that of a fiber around it, else the
    /// program's or an earlier one.
    pub(super) fn find_global<'a>(
        &'a self,
        run: &'a RunningProgram,
        fiber: &'a Fiber,
        position: usize,
    ) -> Option<&'a Global> {
        let mut fiber = fiber;
        loop {
            let own = &fiber.effects.definitions;
            if let Some((_, global)) = own.iter().rev().find(|(found, _)| *found == position) {
                return Some(global);
            }
            work::charge((own.len() / SEARCHED) as u64);
            match fiber.defining.and_then(|number| run.fibers[number].as_ref()) {
                Some(defining) => {
                    work::charge(1);
                    fiber = defining;
                }
                None => return Some(self.globals.get(position)).filter(|global| global.value.is_some()),
            }
        }
    }

    /// Returns the value of a name that is not local: a definition, else a constant of the library, else a
    /// tool or data. Fails when a tool and data have the name, or when nothing has it.
    pub(super) fn global_value(&self, run: &RunningProgram, fiber: &Fiber, position: usize) -> EvalResult {
        if let Some(Global { value: Some(value), .. }) = self.find_global(run, fiber, position) {
            return Ok(value.clone());
        }
        let name = self.globals.name(position);
        if let Some(value) = builtins::constant(name) {
            return Ok(value);
        }
        match (self.tools.contains(name), self.find_data(name)) {
            (true, Some(_)) => {
                let message = format!("`{name}` is both `tool/{name}` and `data/{name}`");
                error_with_hint("ambiguous_reference", message, format!("write `tool/{name}` or `data/{name}`"))
            }
            (true, None) => Ok(Value::Builtin(format!("tool/{name}").into())),
            (false, Some(value)) => Ok(value.clone()),
            (false, None) => self.unbound(name),
        }
    }

    /// Returns the data of a name, else the data of a name that differs only in `-` and `_`.
    pub(super) fn find_data(&self, name: &str) -> Option<&Value> {
        self.data
            .get(name)
            .or_else(|| self.data.iter().find(|(found, _)| are_alike(found, name)).map(|(_, value)| value))
    }

    #[cold]
    pub(super) fn no_data<T>(&self, name: &str) -> EvalResult<T> {
        let is_defined = self.globals.definition(name).is_some();
        refuse(unknown::no_data(name, self.data.iter().map(|(name, _)| &**name), is_defined, true))
    }

    /// Returns the callee for the value of a name.
    pub(super) fn global_callee(&mut self, run: &RunningProgram, fiber: &Fiber, position: usize) -> EvalResult<Callee> {
        let value = self.global_value(run, fiber, position)?;
        self.callee(run, fiber, value)
    }

    #[cold]
    fn unbound<T>(&self, name: &str) -> EvalResult<T> {
        if self.rolled_back.contains(name) {
            return refuse(unknown::not_kept(name));
        }
        let mut own = Vec::new();
        own.extend(self.globals.definitions().map(|(name, _)| (&**name, "")));
        own.extend(self.tools.iter().map(|(name, _)| (&**name, "tool/")));
        own.extend(self.data.iter().map(|(name, _)| (&**name, "data/")));
        refuse(unknown::undefined(name, unknown::meant(name, &own, &self.known_keys())))
    }

    /// Returns whether the program that begins mentions nothing that is a problem.
    pub(super) fn are_known(&self, mentions: &[Mention]) -> bool {
        mentions.iter().all(|mention| match mention {
            Mention::Name(name, ..) => {
                let is_own = self.declared.contains(name) || self.globals.definition(name).is_some();
                is_own || self.tools.contains(name) || self.find_data(name).is_some()
            }
            Mention::Tool(name, _) => self.tools.contains(name),
            Mention::Data(name, _) => self.find_data(name).is_some(),
            Mention::Call(builtin, count, _) => builtins::check_arity(builtins::at(*builtin), *count).is_ok(),
        })
    }

    /// Returns the problems of the program that begins: those that the compiler found, and those of what it mentions.
    #[cold]
    pub(super) fn all_problems(&self, problems: Vec<Diagnostic>, mentions: &[Mention]) -> Vec<Diagnostic> {
        let names = |names: &mut dyn Iterator<Item = &Str>| Some(names.cloned().collect());
        let known = Known {
            tools: names(&mut self.tools.iter().map(|(name, _)| name)),
            data: names(&mut self.data.iter().map(|(name, _)| name)),
            memory: names(&mut self.globals.definitions().map(|(name, _)| name)),
        };
        let keys = self.known_keys();
        let scope = NameScope { known: &known, declared: &self.declared, keys: &keys, rolled_back: &self.rolled_back };
        all_problems(problems, mentions, &scope)
    }

    /// Returns the keys of the maps in definitions and data.
    fn known_keys(&self) -> Names<()> {
        let mut values = self.globals.definitions().chain(self.data.iter()).map(|(_, value)| value);
        unknown::keys_of_maps(&mut values)
    }

    /// Defines a name, for the program or for one of its branches.
    #[inline(never)]
    pub(super) fn define_in(
        &mut self,
        run: &mut RunningProgram,
        fiber: &mut Fiber,
        position: usize,
        value: Value,
        doc: Option<&str>,
    ) {
        let value = match (value, doc) {
            (Value::Closure(closure), Some(doc)) => {
                Value::Closure(Rc::new(Closure { doc: Some(doc.into()), ..(*closure).clone() }))
            }
            (value, _) => value,
        };
        // The compiler resolves names, so code that was compiled before this definition may be out of date.
        self.compiled = Names::default();
        let function = self.function_of(&value);
        let global = Global { value: Some(value), function };
        let name = self.globals.name(position).clone();
        fiber.effects.defined.push((name, doc.map(Str::from)));
        self.set_global(run, fiber, position, global);
    }

    /// Returns the value of a name, which becomes an atom: that of an earlier program has left its value in the name. All
    /// branches see it.
    #[inline(never)]
    pub(super) fn defined_atom(&mut self, run: &mut RunningProgram, fiber: &mut Fiber, position: usize) -> EvalResult {
        let value = self.global_value(run, fiber, position)?;
        let global = self.globals.get(position);
        let is_own = self.find_global(run, fiber, position).is_none_or(|found| !std::ptr::eq(found, global));
        if is_own || value.atom_number().is_some() {
            return Ok(value);
        }
        run.meter.elements(1)?;
        let atom = run.meter.atoms.add(value);
        let before = self.globals.set(position, Global { value: Some(atom.clone()), function: None });
        run.undo.push((position, before));
        fiber.effects.defined.push((self.globals.name(position).clone(), None));
        Ok(atom)
    }

    /// Sets a global; in a branch, records it in the effects, from which the global is set when the branch is joined.
    pub(super) fn set_global(&mut self, run: &mut RunningProgram, fiber: &mut Fiber, position: usize, global: Global) {
        match fiber.parent {
            Some(_) => fiber.effects.definitions.push((position, global)),
            None => {
                let before = self.globals.set(position, global);
                run.undo.push((position, before));
            }
        }
    }
}
