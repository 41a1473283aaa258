//! Symbols: locals and captures, definitions, builtins, and the names of data and tools.

use super::{Compiler, Mention};
use crate::diagnostic::Span;
use crate::lisp::builtins;
use crate::lisp::chunk::{Capture, Op, Reg};
use crate::lisp::form::Symbol;
use crate::lisp::special;
use crate::value::{Str, Value};

impl<'f> Compiler<'f> {
    /// Returns the register of a local of the innermost function.
    pub(super) fn local(&mut self, name: &str) -> Option<Reg> {
        self.top().locals.iter().rev().find(|(local, _)| **local == *name).map(|(_, register)| *register)
    }

    /// Returns whether a name is a local or the name of a function that is being compiled.
    pub(super) fn is_local(&self, name: &str) -> bool {
        self.open
            .iter()
            .any(|open| open.locals.iter().any(|(local, _)| **local == *name) || open.name.as_deref() == Some(name))
    }

    /// Loads a local; returns false when the name is not local.
    pub(super) fn load_local(&mut self, name: &Str, span: Span, dst: Reg) -> bool {
        if let Some(from) = self.local(name) {
            self.emit(Op::Move { dst, from }, span);
            return true;
        }
        let innermost = self.open.len() - 1;
        match self.find_outside(name, innermost) {
            Some(Capture::Captured(index)) => self.emit(Op::Captured { dst, index }, span),
            Some(Capture::Itself) => self.emit(Op::Itself { dst }, span),
            _ => return false,
        }
        true
    }

    /// Returns how the function at `level` captures a name that is not its own local. The functions between it
    /// and the function of the local capture the name too.
    pub(super) fn find_outside(&mut self, name: &Str, level: usize) -> Option<Capture> {
        let home = (0..=level).rev().find(|at| {
            let open = &self.open[*at];
            (*at < level && open.locals.iter().any(|(local, _)| local == name)) || open.name.as_ref() == Some(name)
        })?;
        let open = &self.open[home];
        let mut found = match open.locals.iter().rev().find(|(local, _)| local == name) {
            Some((_, register)) if home < level => Capture::Register(*register),
            _ => Capture::Itself,
        };
        for inner in &mut self.open[home + 1..=level] {
            let known = inner.captures.iter().position(|(captured, _)| captured == name);
            let index = known.unwrap_or_else(|| {
                inner.captures.push((name.clone(), found));
                inner.captures.len() - 1
            });
            found = Capture::Captured(index as u16);
        }
        Some(found)
    }

    /// Compiles a symbol.
    pub(super) fn symbol(&mut self, symbol: &Symbol, span: Span, dst: Reg) {
        let name = &symbol.name;
        match symbol.namespace.as_deref() {
            None if self.load_local(name, span, dst) => {}
            None => match &**name {
                "*1" => self.emit(Op::Recent { dst, index: 0 }, span),
                "*2" => self.emit(Op::Recent { dst, index: 1 }, span),
                "*3" => self.emit(Op::Recent { dst, index: 2 }, span),
                _ if self.globals.definition(name).is_some() || self.is_declared(name) => {
                    let name = self.global(name, span);
                    self.emit(Op::Global { dst, name }, span);
                }
                _ => match builtins::constant(name) {
                    Some(value) => self.load(value, dst, span),
                    None if special::hint_for_value(name).is_some() => {
                        let (message, hint) = special::hint_for_value(name).unwrap_or_default();
                        self.problem("unbound_var", span, message, hint);
                    }
                    None => {
                        self.mention(|| Mention::Name(name.clone(), span));
                        let name = self.global(name, span);
                        self.emit(Op::Global { dst, name }, span);
                    }
                },
            },
            Some("user") => {
                let name = self.global(name, span);
                self.emit(Op::Global { dst, name }, span);
            }
            Some("data") => {
                self.mention(|| Mention::Data(name.clone(), span));
                let name = self.text(name, span);
                self.emit(Op::Data { dst, name }, span);
            }
            Some("tool") => {
                self.mention(|| Mention::Tool(name.clone(), span));
                self.load(Value::Builtin(symbol.to_string().into()), dst, span);
            }
            Some(namespace) => match builtins::qualified(namespace, name) {
                Ok(value) => self.load(value, dst, span),
                Err((kind, message, hint)) => self.problem(kind, span, message, hint),
            },
        }
    }

    /// Returns whether the program defines the name earlier.
    pub(super) fn is_declared(&self, name: &str) -> bool {
        self.declared.contains(name)
    }

    pub(super) fn mention(&mut self, mention: impl FnOnce() -> Mention) {
        if let Some(mentions) = &mut self.mentions {
            mentions.push(mention());
        }
    }
}
