//! Calls: of special forms, operators, builtins, tools, definitions and values.

use super::{Compiler, Expr, Mention, Task, then};
use crate::diagnostic::Span;
use crate::lisp::builtins;
use crate::lisp::chunk::{CONSTANT, Comparison, Op, Reg};
use crate::lisp::form::{FormKind, Symbol};
use crate::lisp::special;
use crate::value::{Str, Value};

/// The head of a call.
enum Head {
    /// Any other value, which must be loaded.
    Value,
    /// A special form.
    Special(Str),
    /// A global name.
    Global(Str),
    /// A builtin, by its index in the table.
    Builtin(u16),
    /// A tool.
    Tool(Str),
    /// A keyword.
    Keyword(Value),
}

impl<'f> Compiler<'f> {
    pub(super) fn call(&mut self, head: Expr<'f>, mut args: Vec<Expr<'f>>, span: Span, dst: Reg, tail: bool) {
        let found = match self.head(&head) {
            // `(new Exception "a")` is `(Exception. "a")`.
            Head::Global(name) if *name == *"new" => {
                match args.first().and_then(Expr::symbol).and_then(|class| builtins::position(&format!("{class}."))) {
                    Some(constructor) => {
                        args.remove(0);
                        Head::Builtin(constructor)
                    }
                    None => Head::Global(name),
                }
            }
            found => found,
        };
        match found {
            Head::Special(name) => self.special(&name, args, span, dst, tail),
            Head::Keyword(key) if args.len() == 1 => {
                let mut tasks = Vec::new();
                let from = self.operand_or_task(args.into_iter().next().expect("there is one"), &mut tasks);
                let key = self.key(key, span);
                tasks.push(Task::Emit(Op::Key { dst, from, key }, span));
                self.plan(tasks);
            }
            // `doc` prints and gives nil, which is not printed too.
            Head::Builtin(builtin) if builtins::name(builtin) == "println" && self.are_docs(&args) => {
                self.body(args, span, dst, false);
            }
            Head::Builtin(builtin) => {
                let read: Option<fn(&mut Self, &Expr<'f>) -> Expr<'f>> = match (builtins::name(builtin), args.len()) {
                    ("doc", 1) | ("instance?", 2) => Some(Self::documented),
                    ("reset!" | "reset-vals!" | "swap!" | "swap-vals!", 1..) => Some(Self::atom),
                    _ => None,
                };
                if let Some(read) = read {
                    args[0] = read(self, &args[0]);
                }
                let (builtin, args) = with_transducer(builtin, args, span);
                // An error that is caught is no problem of the program.
                if self.tried == 0 {
                    self.mention(|| Mention::Call(builtin, args.len(), span));
                }
                if builtins::name(builtin) == "swap!" {
                    return self.swap(builtin, args, span, dst);
                }
                if !self.operator(builtins::name(builtin), &args, dst, span) {
                    self.arguments(
                        args,
                        span,
                        |base, count| Op::CallBuiltin { count, dst, base, builtin },
                        || Value::Builtin(builtins::name(builtin).into()),
                        dst,
                    );
                }
            }
            Head::Global(name) => {
                let position = self.global(&name, span);
                if self.globals.definition(&name).is_none() && builtins::position(&name).is_none() {
                    self.mention(|| Mention::Name(name.clone(), head.span(), span));
                }
                let many = Symbol { namespace: None, name };
                if args.len() > usize::from(u8::MAX) {
                    return self.call_value(None, Some(many), args, span, dst);
                }
                self.arguments(
                    args,
                    span,
                    |base, count| Op::CallGlobal { count, dst, base, name: position },
                    || Value::Nil,
                    dst,
                );
            }
            Head::Tool(name) => {
                self.mention(|| Mention::Tool(name.clone(), head.span()));
                self.call_tool(&name, args, span, dst);
            }
            Head::Keyword(_) | Head::Value => self.call_value(Some(head), None, args, span, dst),
        }
    }

    fn head(&mut self, head: &Expr<'f>) -> Head {
        let Some(form) = head.form() else { return Head::Value };
        let symbol = match &form.kind {
            FormKind::Symbol(symbol) => symbol,
            FormKind::Keyword(name) => return Head::Keyword(Value::Keyword(name.clone())),
            FormKind::Nil
            | FormKind::Bool(_)
            | FormKind::Int(_)
            | FormKind::BigInt(_)
            | FormKind::Float(_)
            | FormKind::Str(_)
            | FormKind::Regex(_)
            | FormKind::Inst(_)
            | FormKind::Day(_) => {
                let shown = self.source_of(form.span);
                let message = format!("`{shown}` is not a function, so it can't be called");
                let hint = "a list `(f x)` calls what stands first; write data as a vector `[1 2 3]`";
                self.problem("not_callable", form.span, message, hint);
                return Head::Value;
            }
            _ => return Head::Value,
        };
        let name = &symbol.name;
        match symbol.namespace.as_deref() {
            None if special::is_primitive(name) => Head::Special(name.clone()),
            None if self.is_local(name) => Head::Value,
            None if special::is_reserved(name) => Head::Special(name.clone()),
            None if self.globals.definition(name).is_some() || self.is_declared(name) => Head::Global(name.clone()),
            None if special::is_special(name) => Head::Special(name.clone()),
            None => match builtins::position(name) {
                Some(builtin) => Head::Builtin(builtin),
                None if builtins::constant(name).is_some() => Head::Value,
                None => Head::Global(name.clone()),
            },
            Some("tool") => Head::Tool(name.clone()),
            Some("user") => Head::Global(name.clone()),
            Some("data") => Head::Value,
            Some(namespace) => {
                if builtins::is_core(namespace) && special::is_special(name) {
                    return Head::Special(name.clone());
                }
                match builtins::qualified(namespace, name) {
                    Some(Value::Builtin(name)) => builtins::position(&name).map_or(Head::Value, Head::Builtin),
                    _ => Head::Value,
                }
            }
        }
    }

    /// Compiles a call whose arguments are in consecutive registers after `base`. With more arguments than
    /// the instruction can count, the callee is called as a value.
    fn arguments(
        &mut self,
        args: Vec<Expr<'f>>,
        span: Span,
        op: impl FnOnce(Reg, u8) -> Op,
        callee: impl FnOnce() -> Value,
        dst: Reg,
    ) {
        let Ok(count) = u8::try_from(args.len()) else {
            return self.call_value(Some(Expr::Value(callee(), span)), None, args, span, dst);
        };
        let base = self.registers(args.len() + 1, span);
        let op = op(base, count);
        self.plan_all(args, base + 1, op, span);
    }

    /// Compiles a call of a value, or of the value of a global name.
    fn call_value(
        &mut self,
        head: Option<Expr<'f>>,
        global: Option<Symbol>,
        args: Vec<Expr<'f>>,
        span: Span,
        dst: Reg,
    ) {
        let base = self.registers(args.len() + 1, span);
        let op = Op::Call { dst, base, count: args.len() as u16 };
        self.plan_all(args, base + 1, op, span);
        if let Some(symbol) = global {
            self.symbol(&symbol, span, base);
        }
        if let Some(head) = head {
            self.plan(vec![Task::Eval(head, base, false)]);
        }
    }

    /// Compiles a call of a tool. Alternating keywords and values become a map.
    fn call_tool(&mut self, name: &str, args: Vec<Expr<'f>>, span: Span, dst: Reg) {
        let is_keyword = |item: &Expr<'f>| matches!(item.form().map(|form| &form.kind), Some(FormKind::Keyword(_)));
        let by_name = args.len() >= 2 && args.len().is_multiple_of(2) && args.iter().step_by(2).all(is_keyword);
        let name = self.text(name, span);
        let count = args.len();
        if count > usize::from(u8::MAX) {
            return self.too_large(span);
        }
        let base = self.registers(count + 1, span);
        let first = base + 1;
        match by_name {
            true => {
                let op = Op::CallTool { count: 1, dst, base, name };
                self.plan(vec![Task::Emit(op, span)]);
                self.plan_all(args, first, Op::Map { dst: first, base: first, count: count as u16 }, span);
            }
            false => self.plan_all(args, first, Op::CallTool { count: count as u8, dst, base, name }, span),
        }
    }

    /// Compiles a call that has an instruction of its own; returns false when it has none.
    fn operator(&mut self, name: &str, args: &[Expr<'f>], dst: Reg, span: Span) -> bool {
        let one = || Expr::Value(Value::Int(1), span);
        let (op, operands): (fn(Reg, u16, u16) -> Op, _) = match (name, args) {
            ("+", [left, right]) => (|dst, left, right| Op::Add { dst, left, right }, [left.clone(), right.clone()]),
            ("-", [left, right]) => {
                (|dst, left, right| Op::Subtract { dst, left, right }, [left.clone(), right.clone()])
            }
            ("*", [left, right]) => {
                (|dst, left, right| Op::Multiply { dst, left, right }, [left.clone(), right.clone()])
            }
            ("inc", [value]) => (|dst, left, right| Op::Add { dst, left, right }, [value.clone(), one()]),
            ("dec", [value]) => (|dst, left, right| Op::Subtract { dst, left, right }, [value.clone(), one()]),
            ("not", [value]) => (|dst, from, _| Op::Not { dst, from }, [value.clone(), one()]),
            ("nil?", [value]) => (|dst, from, _| Op::IsNil { dst, from }, [value.clone(), one()]),
            (_, [left, right]) => {
                let Some(comparison) = comparison(name) else { return false };
                let mut tasks = Vec::new();
                let left = self.operand_or_task(left.clone(), &mut tasks);
                let right = self.operand_or_task(right.clone(), &mut tasks);
                tasks.push(Task::Emit(Op::Compare { comparison, dst, left, right }, span));
                self.plan(tasks);
                return true;
            }
            _ => return false,
        };
        let mut tasks = Vec::new();
        let [left, right] = operands.map(|operand| self.operand_or_task(operand, &mut tasks));
        tasks.push(Task::Emit(op(dst, left, right), span));
        self.plan(tasks);
        true
    }

    /// Compiles a test that jumps to a label when it fails.
    pub(super) fn test(&mut self, test: Expr<'f>, otherwise: u16) {
        let span = test.span();
        if let Some((name, args)) = self.builtin_call(&test) {
            match (comparison(name), args) {
                (Some(comparison), [left, right]) => {
                    let mut tasks = Vec::new();
                    let left = self.operand_or_task(Expr::Form(left), &mut tasks);
                    let right = self.operand_or_task(Expr::Form(right), &mut tasks);
                    tasks.push(Task::Emit(Op::JumpUnless { comparison, left, right, to: otherwise }, span));
                    return self.plan(tasks);
                }
                (None, [value]) if name == "not" => {
                    let mut tasks = Vec::new();
                    let test = self.register_or_task(Expr::Form(value), &mut tasks);
                    tasks.push(Task::Emit(Op::JumpIf { test, to: otherwise }, span));
                    return self.plan(tasks);
                }
                _ => {}
            }
        }
        let mut tasks = Vec::new();
        let test = self.register_or_task(test, &mut tasks);
        tasks.push(Task::Emit(Op::JumpIfNot { test, to: otherwise }, span));
        self.plan(tasks);
    }

    /// Returns a register with the value of an expression: that of a local, or a new one that a new task fills.
    pub(super) fn register_or_task(&mut self, item: Expr<'f>, tasks: &mut Vec<Task<'f>>) -> Reg {
        let known = match &item {
            Expr::Form(form) if !matches!(form.kind, FormKind::Symbol(_)) => None,
            item => self.operand(item).filter(|operand| operand & CONSTANT == 0),
        };
        known.unwrap_or_else(|| {
            let register = self.register(item.span());
            tasks.push(Task::Eval(item, register, false));
            register
        })
    }

    /// Returns whether there are expressions, all of which call `doc`.
    fn are_docs(&mut self, items: &[Expr<'f>]) -> bool {
        !items.is_empty() && items.iter().all(|item| self.builtin_call(item).is_some_and(|(name, _)| name == "doc"))
    }

    /// Compiles a call of `swap!`. The register of the result, which may hold the value of the atom since the last round of
    /// a loop, is emptied before, so that the value is changed in place.
    fn swap(&mut self, builtin: u16, args: Vec<Expr<'f>>, span: Span, dst: Reg) {
        let count = args.len() as u8;
        if args.len() > usize::from(u8::MAX) {
            return self.too_large(span);
        }
        let base = self.registers(args.len() + 1, span);
        let evals = args.into_iter().enumerate().map(|(index, arg)| Task::Eval(arg, base + 1 + index as Reg, false));
        let mut tasks: Vec<_> = evals.collect();
        tasks.push(then(move |compiler| compiler.load(Value::Nil, dst, span)));
        tasks.push(Task::Emit(Op::CallBuiltin { count, dst, base, builtin }, span));
        self.plan(tasks);
    }

    /// Returns an atom that is going to be changed: a definition becomes one.
    fn atom(&mut self, item: &Expr<'f>) -> Expr<'f> {
        let span = item.span();
        match item.symbol() {
            Some(symbol) if matches!(self.head(item), Head::Global(_)) => {
                let register = self.register(span);
                self.symbol(symbol, span, register);
                let name = self.global(&symbol.name, span);
                self.emit(Op::Atom { dst: register, name }, span);
                Expr::Register(register, span)
            }
            _ => item.clone(),
        }
    }

    /// Returns the argument of `doc` or `instance?`: a name of the library, which may be syntax, or of a class becomes its
    /// text.
    fn documented(&mut self, item: &Expr<'f>) -> Expr<'f> {
        match item.symbol() {
            Some(Symbol { namespace: None, name })
                if self.is_local(name) || self.globals.definition(name).is_some() || self.is_declared(name) =>
            {
                item.clone()
            }
            Some(symbol) if !matches!(symbol.namespace.as_deref(), Some("tool" | "data" | "user")) => {
                Expr::Value(Value::str(symbol.to_string()), item.span())
            }
            _ => item.clone(),
        }
    }

    /// Returns the name and the arguments if the expression is a call of a builtin.
    fn builtin_call(&mut self, item: &Expr<'f>) -> Option<(&'static str, &'f [crate::lisp::form::Form])> {
        let FormKind::List(parts) = &item.form()?.kind else { return None };
        let (head, args) = parts.split_first()?;
        match self.head(&Expr::Form(head)) {
            Head::Builtin(builtin) => Some((builtins::name(builtin), args)),
            _ => None,
        }
    }
}

/// Returns the call of a builtin; for one without its collection, the call that makes a transducer.
fn with_transducer<'f>(builtin: u16, mut args: Vec<Expr<'f>>, span: Span) -> (u16, Vec<Expr<'f>>) {
    let name = builtins::name(builtin);
    match builtins::position("transducer").filter(|_| builtins::makes_transducer(name, args.len())) {
        Some(transducer) => {
            args.insert(0, Expr::Value(Value::str(name), span));
            (transducer, args)
        }
        None => (builtin, args),
    }
}

fn comparison(name: &str) -> Option<Comparison> {
    Some(match name {
        "<" => Comparison::Less,
        "<=" => Comparison::AtMost,
        ">" => Comparison::More,
        ">=" => Comparison::AtLeast,
        "=" => Comparison::Equal,
        "not=" => Comparison::Unequal,
        _ => return None,
    })
}
