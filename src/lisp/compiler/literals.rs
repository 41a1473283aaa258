//! Literals, collections, and operands that need no instruction.

use super::{Compiler, Expr, Task, forms};
use crate::diagnostic::Span;
use crate::lisp::atom::excerpt;
use crate::lisp::builtins;
use crate::lisp::chunk::{CONSTANT, Op, Operand, Reg};
use crate::lisp::form::{Form, FormKind, Symbol};
use crate::lisp::literal;
use crate::value::Value;

impl<'f> Compiler<'f> {
    /// Returns the value of a literal: an atom, or a collection of atoms. Reports problems in it.
    pub(super) fn literal(&mut self, form: &Form) -> Option<Value> {
        let parts = match &form.kind {
            FormKind::Vector(parts) | FormKind::Set(parts) | FormKind::Map(parts) => parts.as_slice(),
            _ => std::slice::from_ref(form),
        };
        for part in parts {
            if !part.is_atom() {
                return None;
            }
            if matches!(part.kind, FormKind::Closure(_) | FormKind::Builtin(_)) {
                let hint = "write the function itself, `(fn [x] …)`, or its name";
                self.problem("invalid_form", part.span, "this is the print of a function, which can't be run", hint);
            }
            if let FormKind::Regex(source) = &part.kind
                && let Err(mut problem) = builtins::check_regex(source)
            {
                problem.span = Some(part.span);
                self.report(problem);
            }
        }
        match literal::value_of(form) {
            Ok(value) => Some(value),
            Err(problem) if problem.kind == "duplicate_key" => {
                self.report(problem);
                Some(Value::Nil)
            }
            Err(_) => None,
        }
    }

    /// Compiles a map or set. Its keys, which are every `step`th part, must not be written alike; those that become
    /// equal fail when the program runs.
    pub(super) fn keyed(&mut self, parts: &'f [Form], step: usize, span: Span, op: impl FnOnce(Reg, u16) -> Op) {
        let key = |part: &Form| {
            let written = |_| Value::vector([Value::str(self.source_of(part.span))]);
            literal::value_of(part).unwrap_or_else(written)
        };
        let keys: Vec<_> = parts.iter().step_by(step).map(key).collect();
        if let Some((position, _)) = literal::repeated(keys.iter()) {
            let part = &parts[position * step];
            let mut problem = literal::duplicate(step == 2, &format!("`{}`", excerpt(self.source_of(part.span))));
            problem.span = Some(part.span);
            self.report(problem);
        }
        self.collection(parts, span, op);
    }

    pub(super) fn collection(&mut self, parts: &'f [Form], span: Span, op: impl FnOnce(Reg, u16) -> Op) {
        let base = self.registers(parts.len(), span);
        let op = op(base, parts.len() as u16);
        self.plan_all(forms(parts), base, op, span);
    }

    /// Returns the operand of an expression that needs no instruction, a local or a constant.
    pub(super) fn operand(&mut self, item: &Expr<'f>) -> Option<Operand> {
        match item {
            Expr::Register(register, _) => Some(*register),
            Expr::Value(value, span) => Some(self.constant(value.clone(), *span) | CONSTANT),
            Expr::Threaded(..) => None,
            Expr::Form(form) => match &form.kind {
                FormKind::Symbol(Symbol { namespace: None, name }) => self.local(name),
                FormKind::Symbol(_) | FormKind::List(_) | FormKind::ShortFn(_) => None,
                _ => self.literal(form).map(|value| self.constant(value, form.span) | CONSTANT),
            },
        }
    }

    /// Returns the operand of an expression; adds a task if the expression needs a register.
    pub(super) fn operand_or_task(&mut self, item: Expr<'f>, tasks: &mut Vec<Task<'f>>) -> Operand {
        self.operand(&item).unwrap_or_else(|| {
            let register = self.register(item.span());
            tasks.push(Task::Eval(item, register, false));
            register
        })
    }
}
