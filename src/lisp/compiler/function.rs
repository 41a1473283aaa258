//! `fn`, `defn` and `#(…)`.

use std::cell::Cell;
use std::rc::Rc;

use super::{Compiler, Expr, FunctionBuilder, MAX_ARITIES, MAX_KEPT_SOURCE, Target, Task, forms, loading, then};
use crate::diagnostic::Span;
use crate::lisp::builtins;
use crate::lisp::chunk::{Arity, Code, Function, Op, Reg};
use crate::lisp::form::{Form, FormKind};
use crate::lisp::liveness;
use crate::lisp::special;
use crate::text::join;
use crate::value::{Names, Str, Value};

/// Returns the source from which a function can be compiled again. Those of `letfn` are written without `fn`.
fn source_of_function(written: &str) -> Str {
    let is_whole = ["(fn", "(defn", "#("].iter().any(|start| written.starts_with(start)) || !written.starts_with('(');
    if is_whole { written.into() } else { format!("(fn {}", &written[1..]).into() }
}

impl<'f> Compiler<'f> {
    pub(super) fn open_function(&mut self, name: Option<Str>, params: Str, span: Span) {
        let returned = Rc::new(Cell::new(None));
        self.open.push(FunctionBuilder {
            name: name.clone(),
            params,
            span,
            captures: Names::default(),
            arities: Vec::new(),
            code: Code { program: self.program, returned: returned.clone(), ..Code::default() },
            returned,
            labels: Vec::new(),
            locals: Vec::new(),
            next: 0,
            targets: Vec::new(),
        });
        if let Some(name) = name {
            self.bind_name(name, None);
        }
    }

    /// Ends an arity, and resets the builder for the next one.
    pub(super) fn close_arity(&mut self, required: usize, variadic: bool) {
        self.forget(0);
        let program = self.program;
        let is_right = self.problems.is_empty();
        let open = self.top();
        let returned = open.returned.clone();
        let mut code = std::mem::replace(&mut open.code, Code { program, returned, ..Code::default() });
        let labels = std::mem::take(&mut open.labels);
        (open.next, open.targets) = (0, Vec::new());
        // The code of a program with problems never runs, and is not whole.
        if is_right {
            liveness::finish(&mut code, &labels);
        }
        open.arities.push(Arity { required, variadic, code: Rc::new(code) });
    }

    pub(super) fn close_function(&mut self) -> Rc<Function> {
        // Locals are left when an arity had a problem.
        self.forget(0);
        let mut open = self.open.pop().expect("a function is open");
        if let Some(name) = &open.name {
            self.unbind_name(name);
        }
        let needs_closure = !open.captures.is_empty() || open.name.is_some();
        // The variadic arity, at most one, comes last.
        if let Some(position) = open.arities.iter().position(|arity| arity.variadic) {
            open.arities[position..].rotate_left(1);
        }
        Rc::new(Function {
            name: open.name,
            params: open.params,
            source: source_of_function(&loading::with_usual_aliases(self.source, open.span, &self.renamed)),
            arities: open.arities,
            captures: open.captures.iter().map(|(name, capture)| (name.clone(), *capture)).collect(),
            returned: open.returned,
            needs_closure,
        })
    }

    /// `(fn …)`, `(defn …)`
    pub(super) fn function_form(&mut self, form: &str, args: Vec<Expr<'f>>, span: Span, dst: Reg) {
        let mut parts: Vec<&'f Form> = args.iter().filter_map(Expr::form).collect();
        if parts.len() != args.len() {
            let hint = "a threaded value can't be part of a function: give the function its own name first";
            return self.problem("invalid_thread_form", span, format!("`{form}` can't be a step of a thread"), hint);
        }
        if form == "fn" {
            return self.function(parts, span, dst, false);
        }
        let Some(name) = self.name_to_define(form, &args[0]) else { return };
        let doc = take_doc(&mut parts);
        let register = self.register(span);
        self.declared.insert(name.clone(), ());
        let define = self.definition(&name, doc, register, dst, span);
        self.plan(define);
        self.function(parts, span, register, true);
    }

    /// `(defmulti name dispatch)`, `(defmethod name value [params] body)`
    pub(super) fn multimethod(&mut self, is_method: bool, args: Vec<Expr<'f>>, span: Span, dst: Reg) {
        let form = if is_method { "defmethod" } else { "defmulti" };
        let parts: Vec<&'f Form> = args.iter().filter_map(Expr::form).collect();
        let Some(name) = self.name_to_define(form, &args[0]) else { return };
        let mut rest = parts;
        let doc = take_doc(&mut rest);
        let count = if is_method { 3 } else { 1 };
        let (true, Some(builtin)) = (rest.len() > 1, builtins::position("with-method")) else {
            let hint = format!("write `{}`", special::usage(form));
            return self.problem("invalid_form", span, format!("`{form}` lacks a part"), hint);
        };
        let base = self.registers(count + 2, span);
        let result = base + count as Reg + 1;
        let mut tasks = match is_method {
            true => vec![
                Task::Eval(args[0].clone(), base + 1, false),
                Task::Eval(Expr::Form(rest[1]), base + 2, false),
                then(move |compiler| compiler.function(rest.split_off(2), span, base + 3, false)),
            ],
            false => vec![Task::Eval(Expr::Form(rest[1]), base + 1, false)],
        };
        tasks.push(Task::Emit(Op::CallBuiltin { count: count as u8, dst: result, base, builtin }, span));
        tasks.extend(self.definition(&name, doc, result, dst, span));
        self.plan(tasks);
    }

    /// Compiles a function from its parts: an optional name, then parameters and body, or lists of these. The
    /// name of a definition is looked up at each call, so that it can be redefined.
    pub(super) fn function(&mut self, parts: Vec<&'f Form>, span: Span, dst: Reg, is_definition: bool) {
        let form = if is_definition { "defn" } else { "fn" };
        let (name, parts) = match parts.first().map(|form| &form.kind) {
            Some(FormKind::Symbol(symbol)) if symbol.namespace.is_none() => (Some(symbol.name.clone()), &parts[1..]),
            _ => (None, &parts[..]),
        };
        let wrong = |compiler: &mut Compiler<'f>| {
            let message = format!("`{form}` needs its parameters as a vector");
            compiler.problem("invalid_form", span, message, format!("write `{}`", special::usage(form)));
        };
        let arities: Vec<(&'f [Form], Vec<&'f Form>)> = match parts.first().map(|form| &form.kind) {
            Some(FormKind::Vector(params)) => vec![(params, parts[1..].to_vec())],
            Some(FormKind::List(_)) => {
                let mut arities = Vec::new();
                for part in parts {
                    match &part.kind {
                        FormKind::List(forms) => match forms.split_first().map(|(first, rest)| (&first.kind, rest)) {
                            Some((FormKind::Vector(params), body)) => {
                                arities.push((&params[..], body.iter().collect()))
                            }
                            _ => return wrong(self),
                        },
                        _ => return wrong(self),
                    }
                }
                arities
            }
            _ => return wrong(self),
        };
        if arities.len() > MAX_ARITIES {
            return self.too_large(span);
        }
        let shown: Vec<_> = arities.iter().map(|(params, _)| self.params_text(params)).collect();
        let params = match shown.as_slice() {
            [one] => one.clone(),
            several => join(several.iter().map(|params| format!("[{params}]")), " "),
        };
        self.open_function(if is_definition { None } else { name }, params.into(), span);
        let mut tasks = Vec::new();
        for (params, body) in arities {
            tasks.push(then(move |compiler| compiler.arity(params, body, span)));
        }
        tasks.push(then(move |compiler| compiler.make(dst, span)));
        self.plan(tasks);
    }

    /// Ends the function, and emits its closure in the enclosing function.
    fn make(&mut self, dst: Reg, span: Span) {
        self.kept_source += span.end - span.start;
        if self.kept_source > MAX_KEPT_SOURCE {
            return self.too_large(span);
        }
        let function = self.close_function();
        let takes = |arity: &Arity| (!arity.variadic).then_some(arity.required);
        let same = |(index, arity): (usize, &Arity)| {
            function.arities[..index].iter().any(|other| takes(other) == takes(arity))
        };
        if function.arities.iter().enumerate().any(same) {
            let hint = "remove one of them, or give it another number of parameters";
            self.problem("invalid_form", span, "two arities of this function take the same number of arguments", hint);
        }
        let functions = &mut self.top().code.functions;
        functions.push(function);
        // There is an instruction for each function, so that their number fits.
        let function = (functions.len() - 1) as u16;
        self.emit(Op::Closure { dst, function }, span);
    }

    fn params_text(&self, params: &[Form]) -> String {
        join(params.iter().flat_map(|param| self.source_of(param.span).split_whitespace()), " ")
    }

    fn arity(&mut self, params: &'f [Form], body: Vec<&'f Form>, span: Span) {
        if !self.has_few(params, span) {
            return;
        }
        let is_ampersand = |form: &Form| matches!(&form.kind, FormKind::Symbol(symbol) if &*symbol.name == "&" && symbol.namespace.is_none());
        let position = params.iter().position(is_ampersand);
        let (required, rest) = match position {
            None => (params, None),
            Some(position) if params.len() == position + 2 => (&params[..position], params.last()),
            Some(position) => {
                let hint = "write `[a b & more]`, one name behind `&`";
                return self.problem(
                    "invalid_form",
                    params[position].span,
                    "`&` must stand before the last parameter",
                    hint,
                );
            }
        };
        let count = required.len() + usize::from(rest.is_some());
        // The counter of `recur` follows the parameters, then the result.
        let first = self.registers(count + 2, span);
        let result = first + count as Reg + 1;
        let head = self.label();
        self.top().targets.push(Target { head, first, count });
        let mut tasks = Vec::new();
        tasks.push(Task::Place(head));
        let patterns = required.iter().chain(rest.filter(|_| !is_map_pattern(rest)));
        for (index, pattern) in patterns.enumerate() {
            let register = first + index as Reg;
            tasks.push(Task::Bind(pattern, register));
        }
        if let Some(pattern) = rest.filter(|_| is_map_pattern(rest)) {
            let register = first + required.len() as Reg;
            tasks.push(Task::Emit(Op::Options { dst: register, from: register }, pattern.span));
            tasks.push(Task::Bind(pattern, register));
        }
        let (required, variadic) = (required.len(), rest.is_some());
        let mut body: Vec<_> = body.into_iter().map(Expr::Form).collect();
        let conditions = take_conditions(&mut body);
        let post = conditions.and_then(|map| self.assertions(map, "post"));
        let pre = conditions.and_then(|map| self.assertions(map, "pre"));
        tasks.extend(pre.into_iter().flatten());
        tasks.push(Task::Body { items: body, span, dst: result, tail: post.is_none() });
        if let Some(post) = post {
            tasks.push(Task::Declare("%".into(), result));
            tasks.extend(post);
        }
        tasks.extend([
            Task::Emit(Op::Return { from: result }, span),
            then(move |compiler| compiler.close_arity(required, variadic)),
        ]);
        self.plan(tasks);
    }

    /// Returns tasks that assert the conditions `:pre` or `:post` of a function; `None` when there are none.
    fn assertions(&mut self, map: &'f [Form], name: &str) -> Option<Vec<Task<'f>>> {
        let is_named = |key: &Form| matches!(&key.kind, FormKind::Keyword(key) if **key == *name);
        let [_, tests] = map.chunks(2).find(|pair| is_named(&pair[0]))? else { return None };
        let FormKind::Vector(tests) = &tests.kind else {
            let message = format!("`:{name}` needs its conditions in a vector");
            self.problem("invalid_form", tests.span, message, "write `(fn [x] {:pre [(pos? x)]} body)`");
            return None;
        };
        let assert = |test: &'f Form| {
            let span = test.span;
            then(move |compiler: &mut Compiler<'f>| {
                compiler.leave_behind();
                let ignored = compiler.register(span);
                let message = Value::str(compiler.source_of(span));
                let head = Expr::Value(Value::Builtin("assert".into()), span);
                let args = vec![Expr::Form(test), Expr::Value(message, span)];
                compiler.call(head, args, span, ignored, false);
            })
        };
        Some(tests.iter().map(assert).collect())
    }

    /// `#(f % %2)`
    pub(super) fn short_function(&mut self, form: &'f Form, dst: Reg) {
        let FormKind::ShortFn(parts) = &form.kind else { unreachable!("this is a short function") };
        let span = form.span;
        let Some((count, rest)) = self.placeholders(parts) else { return };
        let names: Vec<Str> = (1..=count).map(|number| format!("%{number}").into()).collect();
        let mut params = join(&names, " ");
        if rest {
            params = format!("{params} & %&").trim_start().into();
        }
        self.open_function(None, params.into(), span);
        let registers = count + usize::from(rest);
        let first = self.registers(registers + 2, span);
        let result = first + registers as Reg + 1;
        for (index, name) in names.into_iter().enumerate() {
            self.declare(name, first + index as Reg);
        }
        if count > 0 {
            self.declare("%".into(), first);
        }
        if rest {
            self.declare("%&".into(), first + count as Reg);
        }
        let head = self.label();
        self.top().targets.push(Target { head, first, count: registers });
        let call = match parts.split_first() {
            None => Task::Eval(Expr::Value(Value::Nil, span), result, true),
            Some((head, rest)) => {
                let args = forms(rest);
                then(move |compiler| {
                    compiler.leave_behind();
                    compiler.call(Expr::Form(head), args, span, result, true);
                })
            }
        };
        self.plan(vec![
            Task::Place(head),
            call,
            Task::Emit(Op::Return { from: result }, span),
            then(move |compiler| compiler.close_arity(count, rest)),
            then(move |compiler| compiler.make(dst, span)),
        ]);
    }

    /// Returns the highest number of a placeholder and whether `%&` is used; `None` after a problem.
    fn placeholders(&mut self, parts: &'f [Form]) -> Option<(usize, bool)> {
        let (mut highest, mut rest) = (0, false);
        let mut pending: Vec<&Form> = parts.iter().collect();
        while let Some(form) = pending.pop() {
            match &form.kind {
                FormKind::Symbol(symbol) if symbol.namespace.is_none() && symbol.name.starts_with('%') => {
                    match symbol.name.strip_prefix('%') {
                        Some("") => highest = highest.max(1),
                        Some("&") => rest = true,
                        Some(number) => match number.parse().ok().filter(|number| (1..=20).contains(number)) {
                            Some(number) => highest = highest.max(number),
                            None => {
                                let message = format!("`{symbol}` is no parameter of `#(…)`");
                                self.problem(
                                    "invalid_placeholder",
                                    form.span,
                                    message,
                                    "write `%`, `%1` to `%20`, or `%&`",
                                );
                                return None;
                            }
                        },
                        None => {}
                    }
                }
                FormKind::ShortFn(_) => {
                    let hint = "write the inner one as `(fn [x] …)`";
                    self.problem("invalid_form", form.span, "`#(…)` can't stand inside another `#(…)`", hint);
                    return None;
                }
                FormKind::List(forms) | FormKind::Vector(forms) | FormKind::Set(forms) | FormKind::Map(forms) => {
                    pending.extend(forms);
                }
                _ => {}
            }
        }
        Some((highest, rest))
    }
}

/// Removes the map of conditions from the body of a function: a map that other forms follow.
fn take_conditions<'f>(body: &mut Vec<Expr<'f>>) -> Option<&'f [Form]> {
    match body.first().and_then(Expr::form).map(|form| &form.kind) {
        Some(FormKind::Map(parts)) if body.len() > 1 => {
            body.remove(0);
            Some(parts)
        }
        _ => None,
    }
}

fn is_map_pattern(form: Option<&Form>) -> bool {
    matches!(form.map(|form| &form.kind), Some(FormKind::Map(_)))
}

/// Removes the docstring and an attribute map, which has no effect here, from the parts of a `defn`;
/// returns the docstring.
pub(super) fn take_doc(parts: &mut Vec<&Form>) -> Option<Str> {
    let mut doc = None;
    if let Some(FormKind::Str(text)) = parts.get(1).map(|form| &form.kind)
        && parts.len() > 2
    {
        doc = Some(text.clone());
        parts.remove(1);
    }
    if matches!(parts.get(1).map(|form| &form.kind), Some(FormKind::Map(_))) && parts.len() > 2 {
        parts.remove(1);
    }
    doc
}
