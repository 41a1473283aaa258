//! `try`, with `catch` and `finally`.
//!
//! The code of a `try` has the body, then each `catch`, then `finally`. [`Handler`]s say where execution continues after an
//! error, so that a body without errors costs nothing. `finally` is compiled once: a register holds the fault that it
//! suspends, or nil.

use super::{Compiler, Expr, Task, then};
use crate::diagnostic::Span;
use crate::lisp::chunk::{Handler, Op, Reg};
use crate::lisp::exception;
use crate::lisp::form::{Form, FormKind};
use crate::lisp::special;
use crate::value::{Str, Value};

/// A `catch` clause.
struct Clause<'f> {
    class: &'static str,
    name: Str,
    body: &'f [Form],
    span: Span,
}

impl<'f> Compiler<'f> {
    pub(super) fn try_(&mut self, args: Vec<Expr<'f>>, span: Span, dst: Reg, tail: bool) {
        let clause = |item: &Expr<'f>| -> Option<(&'f Form, &'f [Form])> {
            let form = item.form()?;
            match &form.kind {
                FormKind::List(parts) if special::is_named(parts, "catch") || special::is_named(parts, "finally") => {
                    Some((form, &parts[..]))
                }
                _ => None,
            }
        };
        let count = args.iter().position(|item| clause(item).is_some()).unwrap_or(args.len());
        let (mut catches, mut finally) = (Vec::new(), None);
        for item in &args[count..] {
            match clause(item) {
                Some((form, parts)) if finally.is_none() => match special::is_named(parts, "catch") {
                    true => catches.extend(self.catch_clause(form, parts)),
                    false => finally = Some((&parts[1..], form.span)),
                },
                _ => {
                    let hint = format!("write `{}`", special::usage("try"));
                    let message = "only `catch` clauses, then one `finally`, may follow the body of `try`";
                    return self.problem("invalid_form", item.span(), message, hint);
                }
            }
        }
        let body = args.into_iter().take(count).collect();
        let (start, end, after) = (self.label(), self.label(), self.label());
        let pending = self.register(span);
        // `recur` would leave without the `finally`.
        let tail = tail && finally.is_none();
        let (mut tasks, mut handlers) = (Vec::new(), Vec::new());
        if finally.is_some() {
            tasks.push(Task::Eval(Expr::Value(Value::Nil, span), pending, false));
        }
        let catches_any = usize::from(!catches.is_empty());
        tasks.extend([
            then(move |compiler| compiler.tried += catches_any),
            Task::Place(start),
            Task::Body { items: body, span, dst, tail },
            Task::Place(end),
            then(move |compiler| compiler.tried -= catches_any),
        ]);
        for Clause { class, name, body, span } in catches {
            let (to, caught) = (self.label(), self.register(span));
            let locals = self.top().locals.len();
            tasks.extend([
                Task::Emit(Op::Jump { to: after }, span),
                Task::Place(to),
                Task::Declare(name, caught),
                Task::Body { items: super::forms(body), span, dst, tail },
                then(move |compiler| compiler.forget(locals)),
            ]);
            handlers.push(Handler { start, end, to, dst: caught, class: Some(class) });
        }
        tasks.push(Task::Place(after));
        if let Some((body, span)) = finally {
            let unused = self.register(span);
            tasks.extend([
                Task::Body { items: super::forms(body), span, dst: unused, tail: false },
                Task::Emit(Op::Rethrow { from: pending }, span),
            ]);
            handlers.push(Handler { start, end: after, to: after, dst: pending, class: None });
        }
        // The handlers of forms within the body precede these.
        tasks.push(then(move |compiler| compiler.top().code.handlers.extend(handlers)));
        self.plan(tasks);
    }

    /// Reads `(catch class name body …)`.
    fn catch_clause(&mut self, form: &'f Form, parts: &'f [Form]) -> Option<Clause<'f>> {
        let [_, class, name, body @ ..] = parts else {
            self.wrong_clause(form.span, "`catch` needs a class and a name for the exception".into());
            return None;
        };
        let written = self.source_of(class.span);
        let Some(class) = exception::class(written) else {
            let span = class.span;
            self.wrong_clause(span, format!("`{written}` is no class of exceptions that `catch` knows"));
            return None;
        };
        match &name.kind {
            FormKind::Symbol(symbol) if symbol.namespace.is_none() => {
                Some(Clause { class, name: symbol.name.clone(), body, span: form.span })
            }
            _ => {
                self.wrong_clause(name.span, "`catch` needs a name for the exception".into());
                None
            }
        }
    }

    fn wrong_clause(&mut self, span: Span, message: String) {
        self.problem(
            "invalid_form",
            span,
            message,
            format!("write `{}`: it catches all errors", special::usage("catch")),
        );
    }
}
