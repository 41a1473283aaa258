//! `let`, `loop`, `recur`, and destructuring patterns.

use super::{Compiler, Expr, Target, Task, then};
use crate::diagnostic::Span;
use crate::lisp::chunk::{CONSTANT, Op, Reg};
use crate::lisp::form::{Form, FormKind};
use crate::lisp::special;
use crate::value::{Names, Value};

impl<'f> Compiler<'f> {
    /// Returns the names and values of a binding vector, alternating; reports a problem when it is malformed.
    pub(super) fn bindings(&mut self, form: &str, item: Option<&Expr<'f>>, span: Span) -> Option<&'f [Form]> {
        let usage = || format!("write `{}`", special::usage(form));
        let parts = match item.and_then(Expr::form) {
            Some(Form { kind: FormKind::Vector(parts), .. }) => parts,
            _ => {
                self.problem("invalid_form", span, format!("`{form}` needs its names and values in a vector"), usage());
                return None;
            }
        };
        if !parts.len().is_multiple_of(2) {
            let last = parts.last().map_or(span, |form| form.span);
            self.problem("invalid_form", last, format!("the last name of this `{form}` has no value"), usage());
            return None;
        }
        self.has_few(parts, span).then_some(parts)
    }

    pub(super) fn let_(&mut self, mut args: Vec<Expr<'f>>, span: Span, dst: Reg, tail: bool) {
        let Some(parts) = self.bindings("let", args.first(), span) else { return };
        let body = args.split_off(1);
        let mut tasks = self.let_tasks(parts);
        tasks.push(Task::Body { items: body, span, dst, tail });
        self.plan(tasks);
    }

    /// Returns tasks that bind names one after the other.
    pub(super) fn let_tasks(&mut self, parts: &'f [Form]) -> Vec<Task<'f>> {
        let bind = |pair: &'f [Form]| {
            then(move |compiler: &mut Compiler<'f>| {
                let pattern = &pair[0];
                // A local never changes, so another name for it needs no copy. A copy would prevent
                // changing a collection in place.
                if let Some(local) = compiler.operand(&Expr::Form(&pair[1])).filter(|operand| operand & CONSTANT == 0) {
                    return compiler.bind(pattern, local);
                }
                let register = compiler.register(pair[0].span);
                compiler.plan(vec![Task::Eval(Expr::Form(&pair[1]), register, false), Task::Bind(pattern, register)]);
            })
        };
        parts.chunks(2).map(bind).collect()
    }

    /// `(letfn [(f [x] …)] body)`
    pub(super) fn letfn(&mut self, mut args: Vec<Expr<'f>>, span: Span, dst: Reg, tail: bool) {
        let functions = match args.first().and_then(Expr::form).map(|form| &form.kind) {
            Some(FormKind::Vector(functions)) => functions,
            _ => return self.wrong_letfn(span),
        };
        let body = args.split_off(1);
        let mut tasks = Vec::new();
        for form in functions {
            let FormKind::List(parts) = &form.kind else { return self.wrong_letfn(form.span) };
            let Some(name) = parts.first() else { return self.wrong_letfn(form.span) };
            tasks.push(then(move |compiler: &mut Compiler<'f>| {
                let register = compiler.register(name.span);
                compiler.plan(vec![
                    then(move |compiler| compiler.function(parts.iter().collect(), form.span, register, false)),
                    Task::Bind(name, register),
                ]);
            }));
        }
        tasks.push(Task::Body { items: body, span, dst, tail });
        self.plan(tasks);
    }

    fn wrong_letfn(&mut self, span: Span) {
        let message = "`letfn` needs its functions in a vector, each in brackets";
        self.problem("invalid_form", span, message, format!("write `{}`", special::usage("letfn")));
    }

    pub(super) fn loop_(&mut self, mut args: Vec<Expr<'f>>, span: Span, dst: Reg) {
        let Some(parts) = self.bindings("loop", args.first(), span) else { return };
        let body = args.split_off(1);
        let count = parts.len() / 2;
        // The counter follows the names.
        let first = self.registers(count + 1, span);
        let head = self.label();
        let counter = first + count as Reg;
        let outside = self.top().locals.len();
        let mut tasks = vec![Task::Eval(Expr::Value(Value::Int(0), span), counter, false)];
        let is_simple = |pattern: &Form| matches!(pattern.kind, FormKind::Symbol(_));
        for (index, pair) in parts.chunks(2).enumerate() {
            let (pattern, value, register) = (&pair[0], &pair[1], first + index as Reg);
            tasks.push(Task::Eval(Expr::Form(value), register, false));
            tasks.push(Task::Bind(pattern, register));
        }
        tasks.push(Task::Place(head));
        if !parts.chunks(2).all(|pair| is_simple(&pair[0])) {
            // Every round destructures its values again.
            tasks.push(then(move |compiler| compiler.forget(outside)));
            for (index, pair) in parts.chunks(2).enumerate() {
                let (pattern, register) = (&pair[0], first + index as Reg);
                tasks.push(Task::Bind(pattern, register));
            }
        }
        tasks.extend([
            then(move |compiler| compiler.top().targets.push(Target { head, first, count })),
            Task::Body { items: body, span, dst, tail: true },
            then(move |compiler| {
                compiler.top().targets.pop();
            }),
        ]);
        self.plan(tasks);
    }

    pub(super) fn recur(&mut self, args: Vec<Expr<'f>>, span: Span, tail: bool) {
        let Some(target) = self.top().targets.last().copied() else {
            let hint = "wrap it: `(loop [i 0] (if (< i 10) (recur (inc i)) i))`";
            return self.problem("invalid_form", span, "`recur` has no `loop` or function to go back to", hint);
        };
        if !tail {
            let hint = "nothing may follow it: let it be the last thing that `if`, `when`, `let` or `do` gives";
            return self.problem(
                "invalid_form",
                span,
                "`recur` must be the last thing that its loop or function does",
                hint,
            );
        }
        if args.len() != target.count {
            let message = format!("this `recur` gives {} values to {} names", args.len(), target.count);
            return self.problem(
                "invalid_arity",
                span,
                message,
                "give one value for each name of the `loop` or function",
            );
        }
        let from = self.registers(args.len(), span);
        let Ok(count) = u8::try_from(args.len()) else { return self.too_large(span) };
        let op = Op::Recur { count, from, to: target.first, head: target.head };
        self.plan_all(args, from, op, span);
    }

    /// Binds a pattern to the value in a register.
    pub(super) fn bind(&mut self, pattern: &'f Form, register: Reg) {
        let span = pattern.span;
        match &pattern.kind {
            FormKind::Symbol(symbol) if symbol.namespace.is_none() && &*symbol.name != "&" => {
                self.declare(symbol.name.clone(), register);
            }
            FormKind::Vector(parts) | FormKind::Map(parts) if !self.has_few(parts, span) => {}
            FormKind::Vector(parts) => self.bind_vector(parts, register),
            FormKind::Map(parts) => self.bind_map(parts, register, span),
            _ => {
                let shown = self.source_of(span);
                let hint = "write a name, `[a b & more]`, or `{:keys [a b]}`";
                self.problem("unsupported_pattern", span, format!("`{shown}` is no pattern"), hint);
            }
        }
    }

    fn bind_vector(&mut self, parts: &'f [Form], from: Reg) {
        let mut tasks = Vec::new();
        let mut index = 0;
        let mut is_over = false;
        let mut parts = parts.iter();
        while let Some(part) = parts.next() {
            let span = part.span;
            let is_rest = matches!(&part.kind, FormKind::Symbol(symbol) if &*symbol.name == "&");
            let is_whole = matches!(&part.kind, FormKind::Keyword(name) if &**name == "as");
            if is_over && !is_whole {
                let hint = "write `[a & more]` or `[a & more :as all]`";
                return self.problem("unsupported_pattern", span, "one name takes what is left behind `&`", hint);
            }
            if is_rest || is_whole {
                let Some(pattern) = parts.next() else {
                    let hint = "write `[a & more]` or `[a b :as all]`";
                    return self.problem(
                        "unsupported_pattern",
                        span,
                        "a name is missing at the end of this pattern",
                        hint,
                    );
                };
                if is_whole {
                    tasks.push(Task::Bind(pattern, from));
                    continue;
                }
                is_over = true;
                let register = self.register(span);
                tasks.push(Task::Emit(Op::Rest { dst: register, from, index }, span));
                if matches!(pattern.kind, FormKind::Map(_)) {
                    tasks.push(Task::Emit(Op::Options { dst: register, from: register }, span));
                }
                tasks.push(Task::Bind(pattern, register));
                continue;
            }
            if matches!(&part.kind, FormKind::Symbol(symbol) if &*symbol.name == "_") {
                index += 1;
                continue;
            }
            let register = self.register(span);
            tasks.push(Task::Emit(Op::Nth { dst: register, from, index }, span));
            tasks.push(Task::Bind(part, register));
            index += 1;
        }
        self.plan(tasks);
    }

    fn bind_map(&mut self, parts: &'f [Form], from: Reg, span: Span) {
        let named = |name: &str| {
            parts.chunks(2).find(|pair| matches!(&pair[0].kind, FormKind::Keyword(found) if **found == *name))
        };
        let defaults: &'f [Form] = match named("or").map(|pair| &pair[1].kind) {
            Some(FormKind::Map(defaults)) => defaults,
            Some(_) => {
                let hint = "write `{:keys [a] :or {a 1}}`";
                return self.problem("unsupported_pattern", span, "`:or` needs a map of names and values", hint);
            }
            None => &[],
        };
        let defaults: Names<&'f Form> = defaults
            .chunks(2)
            .filter_map(|pair| match &pair[0].kind {
                FormKind::Symbol(symbol) => Some((symbol.name.clone(), &pair[1])),
                _ => None,
            })
            .collect();
        let mut tasks = Vec::new();
        for pair in parts.chunks(2) {
            let (pattern, key) = (&pair[0], &pair[1]);
            let group: Option<fn(&str) -> Value> = match &pattern.kind {
                FormKind::Keyword(name) => match &**name {
                    "keys" => Some(|name| Value::keyword(name)),
                    "strs" | "syms" => Some(|name| Value::str(name)),
                    "as" => {
                        tasks.push(Task::Bind(key, from));
                        continue;
                    }
                    "or" => continue,
                    _ => {
                        let hint = format!("the name stands before its key: `{{x :{name}}}`, or `{{:keys [{name}]}}`");
                        return self.problem(
                            "unsupported_pattern",
                            pattern.span,
                            format!("`:{name}` is no part of a pattern"),
                            hint,
                        );
                    }
                },
                _ => None,
            };
            let Some(key_of) = group else {
                let Some(value) = self.literal(key) else {
                    let hint = "write `{x :key}`, a name before its key";
                    return self.problem(
                        "unsupported_pattern",
                        key.span,
                        "the key of this pattern is not written out",
                        hint,
                    );
                };
                self.bind_key(pattern, value, from, &defaults, &mut tasks);
                continue;
            };
            let FormKind::Vector(names) = &key.kind else {
                let hint = "write `{:keys [a b]}`";
                return self.problem(
                    "unsupported_pattern",
                    key.span,
                    "the names of this pattern must stand in a vector",
                    hint,
                );
            };
            for name in names {
                let key = match &name.kind {
                    FormKind::Symbol(symbol) if symbol.namespace.is_none() => key_of(&symbol.name),
                    FormKind::Keyword(text) => key_of(text),
                    _ => {
                        let hint = "write `{:keys [a b]}`";
                        return self.problem("unsupported_pattern", name.span, "only names can stand here", hint);
                    }
                };
                self.bind_key(name, key, from, &defaults, &mut tasks);
            }
        }
        self.plan(tasks);
    }

    /// Plans to bind a pattern to the value of a key, or to its default when the key is missing.
    fn bind_key(
        &mut self,
        pattern: &'f Form,
        key: Value,
        from: Reg,
        defaults: &Names<&'f Form>,
        tasks: &mut Vec<Task<'f>>,
    ) {
        let span = pattern.span;
        let register = self.register(span);
        let key = self.constant(key, span);
        let name = match &pattern.kind {
            FormKind::Symbol(symbol) => Some(symbol.name.clone()),
            FormKind::Keyword(name) => Some(name.clone()),
            _ => None,
        };
        let field = Task::Emit(Op::Field { dst: register, from, key }, span);
        match name.as_ref().and_then(|name| defaults.get(name).copied()) {
            Some(default) => {
                let (missing, end) = (self.label(), self.label());
                tasks.extend([
                    Task::Emit(Op::JumpIfMissing { map: from, key, to: missing }, span),
                    field,
                    Task::Emit(Op::Jump { to: end }, span),
                    Task::Place(missing),
                    Task::Eval(Expr::Form(default), register, false),
                    Task::Place(end),
                ]);
            }
            None => tasks.push(field),
        }
        match (&pattern.kind, name) {
            (FormKind::Keyword(_), Some(name)) => tasks.push(Task::Declare(name, register)),
            _ => tasks.push(Task::Bind(pattern, register)),
        }
    }
}
