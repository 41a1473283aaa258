//! What the compiler adds to the function that it builds: instructions, registers, labels and constants.

use super::{Compiler, MAX_OPERAND};
use crate::diagnostic::Span;
use crate::lisp::chunk::{Key, Op, Reg};
use crate::lisp::form::Form;
use crate::lisp::globals::Globals;
use crate::lisp::reader::{MAX_PARTS, TOO_LARGE};
use crate::value::{InlineCache, Str, Value};

impl<'f> Compiler<'f> {
    /// Reports that the program is too large, which ends the compiler.
    pub(super) fn too_large(&mut self, span: Span) {
        if std::mem::replace(&mut self.is_too_large, true) {
            return;
        }
        let hint = "define its parts with `defn`, or bring long lists in as data";
        self.problem(TOO_LARGE, span, "this is too large for one function", hint);
    }

    /// Returns whether a form has few enough parts for one register each.
    pub(super) fn has_few(&mut self, parts: &[Form], span: Span) -> bool {
        let fits = parts.len() <= MAX_PARTS;
        if !fits {
            self.too_large(span);
        }
        fits
    }

    pub(super) fn emit(&mut self, op: Op, span: Span) {
        let code = &mut self.top().code;
        if code.ops.len() >= MAX_OPERAND {
            return self.too_large(span);
        }
        code.ops.push(op);
        code.spans.push(span);
    }

    /// Allocates a register.
    pub(super) fn register(&mut self, span: Span) -> Reg {
        self.registers(1, span)
    }

    /// Allocates consecutive registers; returns the first.
    pub(super) fn registers(&mut self, count: usize, span: Span) -> Reg {
        let first = self.top().next;
        if first + count >= MAX_OPERAND {
            self.too_large(span);
            return 0;
        }
        self.top().next = first + count;
        let code = &mut self.top().code;
        code.registers = code.registers.max(first + count);
        first as Reg
    }

    pub(super) fn label(&mut self) -> u16 {
        let open = self.top();
        let Ok(label) = u16::try_from(open.labels.len()) else {
            let span = open.span;
            self.too_large(span);
            return 0;
        };
        open.labels.push(0);
        label
    }

    /// Returns the index of a constant; reuses a recent one that is the same. `0.0` and `-0.0` are equal, and not the
    /// same.
    pub(super) fn constant(&mut self, value: Value, span: Span) -> u16 {
        let constants = &mut self.top().code.constants;
        let alike = constants.iter().rev().take(32).position(|found| match (found, &value) {
            (Value::Float(found), Value::Float(value)) => found.to_bits() == value.to_bits(),
            (found, value) => !value.holds_values() && found == value,
        });
        if let Some(back) = alike {
            return (constants.len() - 1 - back) as u16;
        }
        if constants.len() >= MAX_OPERAND {
            self.too_large(span);
            return 0;
        }
        constants.push(value);
        (constants.len() - 1) as u16
    }

    pub(super) fn key(&mut self, keyword: Value, span: Span) -> u16 {
        let keys = &mut self.top().code.keys;
        if keys.len() >= MAX_OPERAND {
            self.too_large(span);
            return 0;
        }
        keys.push(Key { keyword, cache: InlineCache::default() });
        (keys.len() - 1) as u16
    }

    pub(super) fn text(&mut self, text: &str, span: Span) -> u16 {
        self.constant(Value::str(text), span)
    }

    /// Returns the index of a global name.
    pub(super) fn global(&mut self, name: &Str, span: Span) -> u16 {
        let position = self.globals.position(name);
        if position >= Globals::MAX_LEN {
            self.too_large(span);
            return 0;
        }
        position as u16
    }

    pub(super) fn load(&mut self, value: Value, dst: Reg, span: Span) {
        let constant = self.constant(value, span);
        self.emit(Op::Const { dst, constant }, span);
    }
}
