//! `for`, `doseq` and `dotimes`: nested loops over elements.

use super::{Compiler, Expr, Task, then};
use crate::diagnostic::Span;
use crate::lisp::chunk::{Op, Reg};
use crate::lisp::form::{Form, FormKind};
use crate::value::Value;

/// The properties that all loops of one form share.
#[derive(Clone, Copy)]
struct Loops {
    /// The register of the vector that `for` builds; `None` for `doseq`.
    result: Option<Reg>,
    span: Span,
}

impl<'f> Compiler<'f> {
    pub(super) fn iteration(&mut self, builds: bool, mut args: Vec<Expr<'f>>, span: Span, dst: Reg) {
        let form = if builds { "for" } else { "doseq" };
        let Some(parts) = self.bindings(form, args.first(), span) else { return };
        let body = args.split_off(1);
        if matches!(parts.first().map(|form| &form.kind), Some(FormKind::Keyword(_)) | None) {
            let hint = format!("write `({form} [x coll :when test] …)`, a name and a collection first");
            return self.problem("invalid_form", span, format!("`{form}` begins with what it goes over"), hint);
        }
        let result = builds.then(|| self.register(span));
        let mut tasks = Vec::new();
        if let Some(register) = result {
            tasks.push(Task::Eval(Expr::Value(Value::vector([]), span), register, false));
        }
        let end = self.label();
        tasks.push(then(move |compiler| compiler.clause(parts, body, Loops { result, span }, (end, end))));
        tasks.push(Task::Place(end));
        tasks.push(match result {
            Some(from) => Task::Emit(Op::Take { dst, from }, span),
            None => Task::Eval(Expr::Value(Value::Nil, span), dst, false),
        });
        self.plan(tasks);
    }

    /// Compiles one pair of the binding vector and everything inside it. `round` has two labels of the
    /// innermost loop: the head, which takes the next element, and the end.
    fn clause(&mut self, parts: &'f [Form], body: Vec<Expr<'f>>, loops: Loops, round: (u16, u16)) {
        let Some((pair, rest)) = parts.split_at_checked(2) else {
            let value = self.register(loops.span);
            let body = Task::Body { items: body, span: loops.span, dst: value, tail: false };
            let mut tasks = vec![body];
            if let Some(items) = loops.result {
                tasks.push(Task::Emit(Op::Push { items, value }, loops.span));
            }
            return self.plan(tasks);
        };
        let (pattern, value) = (&pair[0], &pair[1]);
        let span = pattern.span;
        let inner = move |round| then(move |compiler: &mut Compiler<'f>| compiler.clause(rest, body, loops, round));
        let modifier = match &pattern.kind {
            FormKind::Keyword(name) => Some(&**name),
            _ => None,
        };
        match modifier {
            None => {
                let items = self.registers(3, span);
                let element = items + 2;
                let (head, end) = (self.label(), self.label());
                self.plan(vec![
                    Task::Eval(Expr::Form(value), items, false),
                    Task::Emit(Op::Iterate { items }, value.span),
                    Task::Place(head),
                    Task::Emit(Op::Next { dst: element, items, to: end }, span),
                    Task::Bind(pattern, element),
                    inner((head, end)),
                    Task::Emit(Op::Back { to: head }, span),
                    Task::Place(end),
                ]);
            }
            Some("when") => {
                let skip = round.0;
                self.plan(vec![then(move |compiler| compiler.test_or_back(value, skip)), inner(round)]);
            }
            Some("while") => {
                let end = round.1;
                self.plan(vec![Task::Test(Expr::Form(value), end), inner(round)]);
            }
            Some("let") => {
                let Some(parts) = self.bindings("let", Some(&Expr::Form(value)), span) else { return };
                let mut tasks = self.let_tasks(parts);
                tasks.push(inner(round));
                self.plan(tasks);
            }
            Some(other) => {
                let message = format!("`:{other}` is no part of an iteration");
                self.problem("invalid_form", span, message, "write `:when test`, `:while test` or `:let [name value]`");
            }
        }
    }

    /// Compiles a test that continues with the next element when it fails.
    fn test_or_back(&mut self, test: &'f Form, head: u16) {
        let (fails, end) = (self.label(), self.label());
        self.plan(vec![
            Task::Test(Expr::Form(test), fails),
            Task::Emit(Op::Jump { to: end }, test.span),
            Task::Place(fails),
            Task::Emit(Op::Back { to: head }, test.span),
            Task::Place(end),
        ]);
    }

    /// `(while test …)`
    pub(super) fn while_(&mut self, mut args: Vec<Expr<'f>>, span: Span, dst: Reg) {
        let body = args.split_off(1);
        let (counter, value) = (self.register(span), self.register(span));
        let (head, end) = (self.label(), self.label());
        let mut tasks = vec![Task::Eval(Expr::Value(Value::Int(0), span), counter, false), Task::Place(head)];
        tasks.extend(args.pop().map(|test| Task::Test(test, end)));
        tasks.extend([
            Task::Body { items: body, span, dst: value, tail: false },
            Task::Emit(Op::Recur { count: 0, from: counter, to: counter, head }, span),
            Task::Place(end),
            Task::Eval(Expr::Value(Value::Nil, span), dst, false),
        ]);
        self.plan(tasks);
    }

    /// `(dotimes [i n] …)`
    pub(super) fn dotimes(&mut self, mut args: Vec<Expr<'f>>, span: Span, dst: Reg) {
        let Some(parts) = self.bindings("dotimes", args.first(), span) else { return };
        let [name, count] = parts else {
            return self.problem(
                "invalid_form",
                span,
                "`dotimes` takes one name and a number",
                "write `(dotimes [i 3] …)`",
            );
        };
        let body = args.split_off(1);
        let (items, value) = (self.registers(3, span), self.register(span));
        let (head, end, element) = (self.label(), self.label(), items + 2);
        let range = Expr::Value(Value::Builtin("range".into()), count.span);
        self.plan(vec![
            then(move |compiler| compiler.call(range, vec![Expr::Form(count)], count.span, items, false)),
            Task::Emit(Op::Iterate { items }, count.span),
            Task::Place(head),
            Task::Emit(Op::Next { dst: element, items, to: end }, span),
            Task::Bind(name, element),
            Task::Body { items: body, span, dst: value, tail: false },
            Task::Emit(Op::Back { to: head }, span),
            Task::Place(end),
            Task::Eval(Expr::Value(Value::Nil, span), dst, false),
        ]);
    }
}
