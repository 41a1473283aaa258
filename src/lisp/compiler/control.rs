//! Special forms that choose, bind and define.

use super::{Compiler, Expr, Task, then};
use crate::diagnostic::Span;
use crate::lisp::chunk::{CONSTANT, Comparison, Op, Reg};
use crate::lisp::fault::describe;
use crate::lisp::form::{Form, FormKind};
use crate::lisp::special;
use crate::text::join;
use crate::value::{Set, Str, Value};

impl<'f> Compiler<'f> {
    pub(super) fn special(&mut self, name: &str, mut args: Vec<Expr<'f>>, span: Span, dst: Reg, tail: bool) {
        if !special::takes(name, args.len()) {
            let message =
                format!("`{name}` does not take {} {}", args.len(), if args.len() == 1 { "part" } else { "parts" });
            return self.problem("invalid_arity", span, message, format!("write `{}`", special::usage(name)));
        }
        match name {
            "do" | "future" | "delay" => self.body(args, span, dst, tail),
            name if special::is_loading(name) => self.load_namespaces(name, &args, span, dst),
            "comment" | "declare" => {
                if name == "declare" {
                    args.iter()
                        .filter_map(Expr::symbol)
                        .for_each(|symbol| self.declared.insert(symbol.name.clone(), ()));
                }
                self.nothing(dst, span);
            }
            "if" | "if-not" => self.if_(name == "if", args, span, dst, tail),
            "when" | "when-not" => {
                let body = args.split_off(1);
                let test = args.remove(0);
                self.when(name == "when", test, body, span, dst, tail);
            }
            "if-let" | "when-let" | "if-some" | "when-some" | "when-first" => {
                self.bind_and_test(name, args, span, dst, tail)
            }
            "cond" => self.cond(args, span, dst, tail),
            "condp" => self.condp(args, span, dst, tail),
            "case" => self.case(args, span, dst, tail),
            "and" | "or" => self.and_or(name == "and", args, span, dst, tail),
            "let" => self.let_(args, span, dst, tail),
            "letfn" => self.letfn(args, span, dst, tail),
            "loop" => self.loop_(args, span, dst),
            "recur" => self.recur(args, span, tail),
            "fn" | "defn" | "defn-" => self.function_form(name, args, span, dst),
            "defmulti" | "defmethod" => self.multimethod(name == "defmethod", args, span, dst),
            "def" | "defonce" => self.def(name == "defonce", args, span, dst),
            "for" | "doseq" => self.iteration(name == "for", args, span, dst),
            "dotimes" => self.dotimes(args, span, dst),
            "while" => self.while_(args, span, dst),
            "->" | "->>" => self.thread(name == "->", args, span, dst, tail),
            "as->" => self.thread_as(args, span, dst, tail),
            "some->" | "some->>" => self.thread_some(name == "some->", args, span, dst),
            "cond->" | "cond->>" => self.thread_when(name == "cond->", args, span, dst),
            "where" => self.where_(args, span, dst),
            "try" => self.try_(args, span, dst, tail),
            "catch" | "finally" => {
                let message = format!("`{name}` stands only at the end of a `try`");
                self.problem("invalid_form", span, message, format!("write `{}`", special::usage("try")));
            }
            _ => unreachable!("the table of special forms names what is compiled here"),
        }
    }

    fn if_(&mut self, positive: bool, args: Vec<Expr<'f>>, span: Span, dst: Reg, tail: bool) {
        let mut args = args.into_iter();
        let mut next = || args.next().unwrap_or(Expr::Value(Value::Nil, span));
        let (test, mut yes, mut no) = (next(), next(), next());
        if !positive {
            std::mem::swap(&mut yes, &mut no);
        }
        let (otherwise, end) = (self.label(), self.label());
        self.plan(vec![
            Task::Test(test, otherwise),
            Task::Eval(yes, dst, tail),
            Task::Emit(Op::Jump { to: end }, span),
            Task::Place(otherwise),
            Task::Eval(no, dst, tail),
            Task::Place(end),
        ]);
    }

    fn when(&mut self, positive: bool, test: Expr<'f>, body: Vec<Expr<'f>>, span: Span, dst: Reg, tail: bool) {
        let (otherwise, end) = (self.label(), self.label());
        let body = Task::Body { items: body, span, dst, tail };
        let nothing = Task::Eval(Expr::Value(Value::Nil, span), dst, false);
        let (yes, no) = if positive { (body, nothing) } else { (nothing, body) };
        self.plan(vec![
            Task::Test(test, otherwise),
            yes,
            Task::Emit(Op::Jump { to: end }, span),
            Task::Place(otherwise),
            no,
            Task::Place(end),
        ]);
    }

    /// `if-let`, `when-some` and similar forms. The name is bound only in the branch where the test succeeds.
    fn bind_and_test(&mut self, name: &str, args: Vec<Expr<'f>>, span: Span, dst: Reg, tail: bool) {
        let binding = args[0].form().and_then(|form| match &form.kind {
            FormKind::Vector(parts) if parts.len() == 2 => Some(parts),
            _ => None,
        });
        let Some(binding) = binding else {
            let message = format!("`{name}` needs a vector of one name and its value");
            return self.problem("invalid_form", span, message, format!("write `{}`", special::usage(name)));
        };
        let (pattern, value) = (&binding[0], &binding[1]);
        let (otherwise, end) = (self.label(), self.label());
        let register = self.register(span);
        let (no, yes) = match name {
            "if-let" | "if-some" => (args.get(2).cloned(), vec![args[1].clone()]),
            _ => (None, args[1..].to_vec()),
        };
        let test = match name {
            "if-let" | "when-let" => Op::JumpIfNot { test: register, to: otherwise },
            "when-first" => Op::Next { dst: register, items: register + 1, to: otherwise },
            _ => Op::JumpIfNil { test: register, to: otherwise },
        };
        let mut tasks = Vec::new();
        if name == "when-first" {
            let items = self.registers(2, span);
            tasks.extend([Task::Eval(Expr::Form(value), items, false), Task::Emit(Op::Iterate { items }, span)]);
        } else {
            tasks.push(Task::Eval(Expr::Form(value), register, false));
        }
        let locals = self.top().locals.len();
        tasks.extend([
            Task::Emit(test, span),
            Task::Bind(pattern, register),
            Task::Body { items: yes, span, dst, tail },
            Task::Emit(Op::Jump { to: end }, span),
            Task::Place(otherwise),
            then(move |compiler| compiler.forget(locals)),
            Task::Eval(no.unwrap_or(Expr::Value(Value::Nil, span)), dst, tail),
            Task::Place(end),
        ]);
        self.plan(tasks);
    }

    fn cond(&mut self, args: Vec<Expr<'f>>, span: Span, dst: Reg, tail: bool) {
        if !args.len().is_multiple_of(2) {
            let hint = "put a value behind every test, and `:else` before the last one";
            return self.problem("invalid_cond_form", span, "`cond` needs pairs of a test and a value", hint);
        }
        let end = self.label();
        let mut tasks = Vec::new();
        let mut is_closed = false;
        for pair in args.chunks(2) {
            let (test, value) = (pair[0].clone(), pair[1].clone());
            let always = matches!(
                test.form().map(|form| &form.kind),
                Some(FormKind::Keyword(_) | FormKind::Bool(true) | FormKind::Int(_) | FormKind::Str(_))
            );
            if always {
                tasks.push(Task::Eval(value, dst, tail));
                is_closed = true;
                break;
            }
            let next = self.label();
            tasks.extend([
                Task::Test(test, next),
                Task::Eval(value, dst, tail),
                Task::Emit(Op::Jump { to: end }, span),
                Task::Place(next),
            ]);
        }
        if !is_closed {
            tasks.push(Task::Eval(Expr::Value(Value::Nil, span), dst, false));
        }
        tasks.push(Task::Place(end));
        self.plan(tasks);
    }

    /// `(condp f value test result … default)`, also with `test :>> function`.
    fn condp(&mut self, args: Vec<Expr<'f>>, span: Span, dst: Reg, tail: bool) {
        let end = self.label();
        let first = self.registers(2, span);
        let mut tasks = vec![Task::Eval(args[0].clone(), first, false), Task::Eval(args[1].clone(), first + 1, false)];
        let mut clauses = &args[2..];
        while clauses.len() >= 2 {
            let next = self.label();
            let base = self.registers(3, span);
            tasks.extend([
                Task::Emit(Op::Move { dst: base, from: first }, span),
                Task::Eval(clauses[0].clone(), base + 1, false),
                Task::Emit(Op::Move { dst: base + 2, from: first + 1 }, span),
                Task::Emit(Op::Call { dst: base + 1, base, count: 2 }, clauses[0].span()),
                Task::Emit(Op::JumpIfNot { test: base + 1, to: next }, span),
            ]);
            let passes_on =
                matches!(clauses[1].form().map(|form| &form.kind), Some(FormKind::Keyword(name)) if &**name == ">>");
            let used = match passes_on && clauses.len() >= 3 {
                true => {
                    tasks.push(Task::Eval(clauses[2].clone(), base, false));
                    tasks.push(Task::Emit(Op::Call { dst, base, count: 1 }, clauses[2].span()));
                    3
                }
                false => {
                    tasks.push(Task::Eval(clauses[1].clone(), dst, tail));
                    2
                }
            };
            tasks.extend([Task::Emit(Op::Jump { to: end }, span), Task::Place(next)]);
            clauses = &clauses[used..];
        }
        match clauses {
            [default] => tasks.push(Task::Eval(default.clone(), dst, tail)),
            _ => tasks.push(Task::Emit(Op::NoClause { value: first + 1 }, span)),
        }
        tasks.push(Task::Place(end));
        self.plan(tasks);
    }

    fn case(&mut self, args: Vec<Expr<'f>>, span: Span, dst: Reg, tail: bool) {
        let end = self.label();
        let value = self.register(span);
        let mut tasks = vec![Task::Eval(args[0].clone(), value, false)];
        let mut seen = Set::default();
        for clause in args[1..].chunks(2) {
            let [test, result] = clause else {
                tasks.push(Task::Eval(clause[0].clone(), dst, tail));
                tasks.push(Task::Place(end));
                return self.plan(tasks);
            };
            let (found, next) = (self.label(), self.label());
            let tests: Vec<&'f Form> = match test.form().map(|form| (&form.kind, form)) {
                Some((FormKind::List(alternatives), _)) => alternatives.iter().collect(),
                Some((_, form)) => vec![form],
                None => vec![],
            };
            for test in tests {
                let Some(constant) = self.literal_or_problem(test) else { continue };
                if !seen.insert(constant.clone()) {
                    let message = format!("this `case` has {} twice", describe(&constant));
                    self.problem(
                        "invalid_form",
                        test.span,
                        message,
                        "remove one of its clauses: the first one is taken",
                    );
                }
                let right = self.constant(constant, test.span) | CONSTANT;
                let differs = self.label();
                let compare = Op::JumpUnless { comparison: Comparison::Equal, left: value, right, to: differs };
                tasks.extend([
                    Task::Emit(compare, test.span),
                    Task::Emit(Op::Jump { to: found }, test.span),
                    Task::Place(differs),
                ]);
            }
            tasks.extend([
                Task::Emit(Op::Jump { to: next }, span),
                Task::Place(found),
                Task::Eval(result.clone(), dst, tail),
                Task::Emit(Op::Jump { to: end }, span),
                Task::Place(next),
            ]);
        }
        tasks.extend([Task::Emit(Op::NoClause { value }, span), Task::Place(end)]);
        self.plan(tasks);
    }

    fn literal_or_problem(&mut self, form: &Form) -> Option<Value> {
        match crate::lisp::literal::value_of(form) {
            Ok(value) => Some(value),
            Err(problem) if problem.kind == "duplicate_key" => {
                self.report(problem);
                None
            }
            Err(mut problem) => {
                problem.kind = "invalid_form";
                problem.message = "`case` compares with values that are written out, not with names".into();
                problem.hint = Some("write a keyword, string or number, or use `cond` with `(= x name)`".into());
                self.report(problem);
                None
            }
        }
    }

    fn and_or(&mut self, is_and: bool, args: Vec<Expr<'f>>, span: Span, dst: Reg, tail: bool) {
        let last = args.len().saturating_sub(1);
        if args.is_empty() {
            return self.load(if is_and { Value::Bool(true) } else { Value::Nil }, dst, span);
        }
        let end = self.label();
        let mut tasks = Vec::new();
        for (index, item) in args.into_iter().enumerate() {
            tasks.push(Task::Eval(item, dst, tail && index == last));
            if index < last {
                let jump = match is_and {
                    true => Op::JumpIfNot { test: dst, to: end },
                    false => Op::JumpIf { test: dst, to: end },
                };
                tasks.push(Task::Emit(jump, span));
            }
        }
        tasks.push(Task::Place(end));
        self.plan(tasks);
    }

    /// `(def name doc? value)`
    fn def(&mut self, once: bool, args: Vec<Expr<'f>>, span: Span, dst: Reg) {
        let Some(name) = self.name_to_define("def", &args[0]) else { return };
        let (doc, value) = match (args.len(), args.get(1).and_then(Expr::form).map(|form| &form.kind)) {
            (3, Some(FormKind::Str(doc))) => (Some(doc.clone()), args[2].clone()),
            (3, _) => {
                let hint = "write `(def name \"what it is\" value)`, or put several forms into `(do …)`";
                return self.problem(
                    "invalid_form",
                    span,
                    "between name and value of `def` only a docstring can stand",
                    hint,
                );
            }
            _ => (None, args.get(1).cloned().unwrap_or(Expr::Value(Value::Nil, span))),
        };
        let register = self.register(span);
        let define = self.definition(&name, doc, register, dst, span);
        let mut tasks = vec![Task::Eval(value, register, false)];
        tasks.extend(define);
        if once {
            let end = self.label();
            let position = self.global(&name, span);
            tasks.insert(0, Task::Emit(Op::JumpIfDefined { name: position, to: end }, span));
            tasks.push(Task::Place(end));
            tasks.push(Task::Eval(Expr::Value(Value::Var(name), span), dst, false));
        }
        self.plan(tasks);
    }

    /// Returns tasks that define a name as the value in a register. Semicolons in docstrings are removed,
    /// because they would begin comments in lists of definitions.
    pub(super) fn definition(
        &mut self,
        name: &Str,
        doc: Option<Str>,
        from: Reg,
        dst: Reg,
        span: Span,
    ) -> Vec<Task<'f>> {
        self.declared.insert(name.clone(), ());
        let position = self.global(name, span);
        let doc = doc.map_or(u16::MAX, |doc| self.text(&doc.replace(';', ""), span));
        let var = Expr::Value(Value::Var(name.clone()), span);
        vec![Task::Emit(Op::Define { name: position, from, doc }, span), Task::Eval(var, dst, false)]
    }

    pub(super) fn name_to_define(&mut self, form: &str, item: &Expr<'f>) -> Option<Str> {
        let span = item.span();
        let (message, hint) = match item.symbol() {
            Some(symbol) => match symbol.namespace.as_deref() {
                None | Some("user") if special::is_reserved(&symbol.name) => (
                    format!("`{symbol}` is syntax of the language, so it can't be defined"),
                    format!("choose another name, `my-{}` for instance", symbol.name),
                ),
                None | Some("user") => return Some(symbol.name.clone()),
                Some(namespace) => (
                    format!("`{symbol}` can't be defined: `{namespace}/` is not where definitions live"),
                    format!("write `({form} {} …)`", symbol.name),
                ),
            },
            None => (format!("`{form}` needs a name"), format!("write `{}`", special::usage(form))),
        };
        self.problem("invalid_form", span, message, hint);
        None
    }

    /// `(where field)`, `(where field operator value)`; the operator is a name that is not looked up.
    fn where_(&mut self, args: Vec<Expr<'f>>, span: Span, dst: Reg) {
        let mut args = args;
        if let Some(operator) = args.get(1) {
            let name = operator.symbol().filter(|symbol| symbol.namespace.is_none()).map(|symbol| symbol.name.clone());
            let Some(name) = name.filter(|name| special::WHERE_OPERATORS.contains(&&**name)) else {
                let hint = format!("the operators are `{}`", join(special::WHERE_OPERATORS, "` `"));
                let message = "`where` needs an operator between the field and the value";
                return self.problem("invalid_where_operator", operator.span(), message, hint);
            };
            args[1] = Expr::Value(Value::Str(name), span);
        }
        self.call(Expr::Value(Value::Builtin("where".into()), span), args, span, dst, false);
    }
}
