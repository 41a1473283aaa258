//! Threading macros such as `->`. A step is evaluated at its position in the expanded call, so that effects
//! happen in the order of the expanded program.

use std::rc::Rc;

use super::{Compiler, Expr, Task, forms};
use crate::diagnostic::Span;
use crate::lisp::chunk::{Op, Reg};
use crate::lisp::form::FormKind;
use crate::value::Value;

/// A threaded value and the steps that are applied to it.
pub(super) struct Thread<'f> {
    /// The value, followed by the steps.
    pub items: Vec<Expr<'f>>,
    /// Whether the value becomes the first argument of a step; otherwise it becomes the last.
    pub first: bool,
}

impl<'f> Compiler<'f> {
    /// `(-> x step …)`, `(->> x step …)`
    pub(super) fn thread(&mut self, first: bool, items: Vec<Expr<'f>>, span: Span, dst: Reg, tail: bool) {
        if items.is_empty() {
            let (name, step) = if first { ("->", "(-> x (f a))") } else { ("->>", "(->> x (f a))") };
            return self.problem(
                "invalid_thread_form",
                span,
                format!("`{name}` needs a value"),
                format!("write `{step}`"),
            );
        }
        let last = items.len() - 1;
        self.threaded(Rc::new(Thread { items, first }), last, dst, tail);
    }

    /// Compiles a thread up to a step.
    pub(super) fn threaded(&mut self, thread: Rc<Thread<'f>>, step: usize, dst: Reg, tail: bool) {
        if step == 0 {
            return self.plan(vec![Task::Eval(thread.items[0].clone(), dst, tail)]);
        }
        self.leave_behind();
        let item = thread.items[step].clone();
        let value = Expr::Threaded(thread.clone(), step - 1);
        let span = item.span();
        match item.form().map(|form| &form.kind) {
            Some(FormKind::List(parts)) if !parts.is_empty() => {
                let mut args = forms(&parts[1..]);
                args.insert(if thread.first { 0 } else { args.len() }, value);
                self.call(Expr::Form(&parts[0]), args, span, dst, tail);
            }
            _ => self.call(item, vec![value], span, dst, tail),
        }
    }

    /// Returns a step applied to the value in a register.
    fn step(&mut self, first: bool, register: Reg, step: Expr<'f>) -> Expr<'f> {
        let span = step.span();
        Expr::Threaded(Rc::new(Thread { items: vec![Expr::Register(register, span), step], first }), 1)
    }

    /// `(as-> x name step …)`
    pub(super) fn thread_as(&mut self, args: Vec<Expr<'f>>, span: Span, dst: Reg, tail: bool) {
        let name = args.get(1).and_then(Expr::symbol).filter(|symbol| symbol.namespace.is_none());
        let Some(name) = name.map(|symbol| symbol.name.clone()) else {
            let hint = "write `(as-> x name (f name) (g 1 name))`";
            return self.problem("invalid_thread_form", span, "`as->` needs a value and a name for it", hint);
        };
        let mut args = args.into_iter();
        let value = args.next().expect("there is a value");
        let steps = args.skip(1).collect::<Vec<_>>();
        let last = steps.len();
        let mut tasks = Vec::new();
        for (index, item) in [value].into_iter().chain(steps).enumerate() {
            if index == last {
                tasks.push(Task::Eval(item, dst, tail && index > 0));
                break;
            }
            let register = self.register(span);
            let name = name.clone();
            tasks.push(Task::Eval(item, register, false));
            tasks.push(Task::Declare(name, register));
        }
        self.plan(tasks);
    }

    /// `(some-> x step …)`, `(some->> x step …)`
    pub(super) fn thread_some(&mut self, first: bool, args: Vec<Expr<'f>>, span: Span, dst: Reg) {
        let Some((value, steps)) = args.split_first() else {
            return self.problem("invalid_thread_form", span, "`some->` needs a value", "write `(some-> x (f a))`");
        };
        let end = self.label();
        let register = self.register(span);
        let mut tasks = vec![Task::Eval(value.clone(), register, false)];
        for step in steps {
            tasks.push(Task::Emit(Op::JumpIfNil { test: register, to: end }, step.span()));
            tasks.push(Task::Eval(self.step(first, register, step.clone()), register, false));
        }
        tasks.extend([Task::Place(end), Task::Emit(Op::Move { dst, from: register }, span)]);
        self.plan(tasks);
    }

    /// `(cond-> x test step …)`, `(cond->> x test step …)`
    pub(super) fn thread_when(&mut self, first: bool, args: Vec<Expr<'f>>, span: Span, dst: Reg) {
        if args.len().is_multiple_of(2) {
            let hint = "write `(cond-> x test (f a) …)`, a step behind every test";
            return self.problem(
                "invalid_thread_form",
                span,
                "`cond->` needs a value, then pairs of a test and a step",
                hint,
            );
        }
        let register = self.register(span);
        let mut tasks = vec![Task::Eval(args[0].clone(), register, false)];
        for pair in args[1..].chunks(2) {
            let skip = self.label();
            let (test, step) = (pair[0].clone(), self.step(first, register, pair[1].clone()));
            tasks.push(Task::Test(test, skip));
            tasks.extend([Task::Eval(step, register, false), Task::Place(skip)]);
        }
        tasks.push(Task::Emit(Op::Move { dst, from: register }, span));
        self.plan(tasks);
    }

    /// Loads nil.
    pub(super) fn nothing(&mut self, dst: Reg, span: Span) {
        self.load(Value::Nil, dst, span);
    }
}
