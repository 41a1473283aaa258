//! Symbols: locals and captures, definitions, builtins, and the names of data and tools.

use super::{Binding, Compiler, Mention};
use crate::diagnostic::Span;
use crate::lisp::builtins;
use crate::lisp::chunk::{Capture, Op, Reg};
use crate::lisp::form::Symbol;
use crate::lisp::special;
use crate::value::{Str, Value};

/// Maximum number of problems of a program whose names are compared with those of the library in search of a similar one.
const MAX_SEARCHED: usize = 100;

impl<'f> Compiler<'f> {
    /// Binds a name to a register of the innermost function.
    pub(super) fn declare(&mut self, name: Str, register: Reg) {
        self.top().locals.push(name.clone());
        self.bind_name(name, Some(register));
    }

    /// Brings a name into scope; without a register, it is that of the innermost function.
    pub(super) fn bind_name(&mut self, name: Str, register: Option<Reg>) {
        let binding = Binding { level: self.open.len() - 1, register };
        match self.scopes.position(&name) {
            Some(position) => self.scopes.at_mut(position).push(binding),
            None => self.scopes.insert(name, vec![binding]),
        }
    }

    /// Removes the innermost binding of a name.
    pub(super) fn unbind_name(&mut self, name: &str) {
        if let Some(position) = self.scopes.position(name) {
            self.scopes.at_mut(position).pop();
        }
    }

    /// Removes the locals of the innermost function from index `kept` on.
    pub(super) fn forget(&mut self, kept: usize) {
        while self.top().locals.len() > kept
            && let Some(name) = self.top().locals.pop()
        {
            self.unbind_name(&name);
        }
    }

    /// Returns the innermost binding of a name.
    fn binding(&self, name: &str) -> Option<Binding> {
        self.scopes.get(name)?.last().copied()
    }

    /// Returns the register of a local of the innermost function.
    pub(super) fn local(&self, name: &str) -> Option<Reg> {
        self.binding(name).filter(|binding| binding.level + 1 == self.open.len())?.register
    }

    /// Returns whether a name is a local or the name of a function that is being compiled.
    pub(super) fn is_local(&self, name: &str) -> bool {
        self.binding(name).is_some()
    }

    /// Loads a local; returns false when the name is not local.
    pub(super) fn load_local(&mut self, name: &Str, span: Span, dst: Reg) -> bool {
        if let Some(from) = self.local(name) {
            self.emit(Op::Move { dst, from }, span);
            return true;
        }
        match self.find_outside(name, span) {
            Some(Capture::Captured(index)) => self.emit(Op::Captured { dst, index }, span),
            Some(Capture::Itself) => self.emit(Op::Itself { dst }, span),
            _ => return false,
        }
        true
    }

    /// Returns how the innermost function captures a name that is not its own local. The functions between it
    /// and the function of the local capture the name too.
    fn find_outside(&mut self, name: &Str, span: Span) -> Option<Capture> {
        let Binding { level, register } = self.binding(name)?;
        let mut found = register.map_or(Capture::Itself, Capture::Register);
        for inner in &mut self.open[level + 1..] {
            let index = inner.captures.position(name).unwrap_or_else(|| {
                inner.captures.insert(name.clone(), found);
                inner.captures.len() - 1
            });
            let Ok(index) = u16::try_from(index) else {
                self.too_large(span);
                return None;
            };
            found = Capture::Captured(index);
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
                "*calls" => self.emit(Op::Recent { dst, index: 3 }, span),
                _ if self.globals.definition(name).is_some() || self.is_declared(name) => {
                    let name = self.global(name, span);
                    self.emit(Op::Global { dst, name }, span);
                }
                _ => match builtins::constant(name) {
                    Some(value) => self.load(value, dst, span),
                    None if special::is_special(name) => {
                        let message = format!("`{name}` is syntax, not a function, so it is no value");
                        let hint = format!("call it, `{}`, or pass a function: `(fn [x] …)`", special::usage(name));
                        self.problem("unbound_var", span, message, hint);
                    }
                    None => {
                        self.mention(|| Mention::Name(name.clone(), span, span));
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
                Some(value) => self.load(value, dst, span),
                None => {
                    let is_searched = self.problems.len() < MAX_SEARCHED;
                    let (kind, message, hint) = builtins::no_qualified(namespace, name, is_searched);
                    self.problem(kind, span, message, hint);
                }
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
