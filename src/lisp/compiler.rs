//! Forms to instructions.
//!
//! The compiler keeps a plan of what is left to do instead of recursing over forms: a form plans
//! its parts, and what is to happen between and behind them. So a program may be nested, and
//! threaded, as deeply as the reader allows.

mod binding;
mod call;
mod control;
mod function;
mod iteration;
mod threading;

use std::cell::Cell;
use std::rc::Rc;

use super::builtins;
use super::check::Mention;
use super::chunk::{Arity, CONSTANT, Capture, Code, Function, Key, Op, Operand, Reg};
use super::form::{Form, FormKind, Symbol};
use super::globals::Globals;
use super::literal;
use super::reader::read;
use super::special;
use crate::diagnostic::{Diagnostic, Span};
use crate::value::{InlineCache, Label, Names, Str, Value};

use threading::Thread;

/// What a compiled program needs to know about where it will run.
pub struct Surroundings<'a> {
    /// The definitions that exist; names that the program mentions get their places here.
    pub globals: &'a mut Globals,
    /// The number of the program, which its code carries.
    pub program: u32,
}

/// Compiles a program: a function without parameters. All that is wrong with it is reported.
/// `notes` take what the program mentions and the names that it defines.
pub fn compile(
    source: &str,
    surroundings: Surroundings<'_>,
    notes: Option<(&mut Vec<Mention>, &mut Vec<Str>)>,
) -> Result<Rc<Function>, Vec<Diagnostic>> {
    let program = read(source).map_err(|problem| vec![problem])?;
    let mut compiler = Compiler::new(source, surroundings);
    compiler.mentions = notes.is_some().then(Vec::new);
    compiler.open_function(None, "".into(), Span::new(0, source.len()));
    let result = compiler.register(Span::new(0, 0));
    let end = Span::new(source.len(), source.len());
    compiler.body(forms(&program), end, result, false);
    compiler.run();
    compiler.emit(Op::Return { from: result }, end);
    compiler.close_arity(0, false);
    let function = compiler.close_function();
    if let Some((mentions, declared)) = notes {
        mentions.extend(compiler.mentions.take().unwrap_or_default());
        declared.extend(compiler.declared.iter().map(|(name, ())| name.clone()));
    }
    match compiler.problems.is_empty() {
        true => Ok(function),
        false => Err(compiler.problems),
    }
}

/// Compiles the source of a closure again, given the names that it captured. The function captures
/// from the registers 0, 1, … in the order of these names.
pub fn compile_closure(
    source: &str,
    captured: &[Str],
    surroundings: Surroundings<'_>,
) -> Result<Rc<Function>, Vec<Diagnostic>> {
    let forms = read(source).map_err(|problem| vec![problem])?;
    let mut compiler = Compiler::new(source, surroundings);
    let whole = Span::new(0, source.len());
    compiler.open_function(None, "".into(), whole);
    for name in captured {
        let register = compiler.register(whole);
        compiler.declare(name.clone(), register);
    }
    let result = compiler.register(whole);
    let [form] = forms.as_slice() else {
        return Err(vec![Diagnostic::new("parse_error", "the source of a function is one form")]);
    };
    match &form.kind {
        FormKind::List(parts) if special::is_named(parts, "defn") || special::is_named(parts, "defn-") => {
            let mut parts = parts[1..].iter().collect();
            function::take_doc(&mut parts);
            compiler.function(parts, form.span, result, true);
        }
        _ => compiler.plan(vec![Task::Eval(Item::Form(form), result, false)]),
    }
    compiler.run();
    let function = compiler.top().code.functions.first().cloned();
    match function {
        Some(function) if compiler.problems.is_empty() => Ok(function),
        None if compiler.problems.is_empty() => {
            Err(vec![Diagnostic::new("parse_error", "the source of a function is a `fn` or `defn` form")])
        }
        _ => Err(compiler.problems),
    }
}

/// Something to be evaluated.
#[derive(Clone)]
enum Item<'f> {
    /// A form.
    Form(&'f Form),
    /// What a threading form has become after so many steps.
    Threaded(Rc<Thread<'f>>, usize),
    /// What stands in a register.
    Register(Reg, Span),
    /// A value that is not written.
    Value(Value, Span),
}

impl<'f> Item<'f> {
    fn span(&self) -> Span {
        match self {
            Item::Form(form) => form.span,
            Item::Threaded(thread, step) => thread.items[*step].span(),
            Item::Register(_, span) | Item::Value(_, span) => *span,
        }
    }

    /// The form, when it is one.
    fn form(&self) -> Option<&'f Form> {
        match self {
            Item::Form(form) => Some(form),
            _ => None,
        }
    }

    fn symbol(&self) -> Option<&'f Symbol> {
        match self.form().map(|form| &form.kind) {
            Some(FormKind::Symbol(symbol)) => Some(symbol),
            _ => None,
        }
    }
}

/// A step of the plan.
enum Task<'f> {
    /// Evaluate into a register; true in tail position of a function or loop.
    Eval(Item<'f>, Reg, bool),
    /// A test that goes on behind it when it holds, and at a label otherwise.
    Test(Item<'f>, u16),
    /// Give the names of a pattern to what stands in a register.
    Bind(&'f Form, Reg),
    /// Give a name to what stands in a register.
    Declare(Str, Reg),
    /// Evaluate all, for the value of the last one.
    Body { items: Vec<Item<'f>>, span: Span, dst: Reg, tail: bool },
    /// Go on. What many forms plan has a task of its own: a closure takes more code.
    Then(Box<dyn FnOnce(&mut Compiler<'f>) + 'f>),
    /// An instruction, and where it comes from.
    Emit(Op, Span),
    /// A label stands here.
    Place(u16),
    /// Registers from this one on are free again, and locals from this number on are forgotten.
    Leave { next: usize, locals: usize },
}

/// A function that is being compiled.
struct Open {
    name: Option<Str>,
    params: Str,
    span: Span,
    captures: Vec<(Str, Capture)>,
    arities: Vec<Arity>,
    code: Code,
    returned: Rc<Cell<Option<Label>>>,
    /// Where each label stands; instructions hold labels until the arity is closed.
    labels: Vec<usize>,
    locals: Vec<(Str, Reg)>,
    /// The next register that is free.
    next: usize,
    targets: Vec<Target>,
}

/// Where `recur` goes.
#[derive(Clone, Copy)]
struct Target {
    head: u16,
    first: Reg,
    count: usize,
}

struct Compiler<'f> {
    source: &'f str,
    plan: Vec<Task<'f>>,
    open: Vec<Open>,
    globals: &'f mut Globals,
    /// Names that the program defines, as far as it is compiled.
    declared: Names<()>,
    program: u32,
    problems: Vec<Diagnostic>,
    /// What is looked up at run time, when somebody wants to know.
    mentions: Option<Vec<Mention>>,
}

/// How many instructions, constants or registers one function may have.
const MOST: usize = 0x7FFF;

impl<'f> Compiler<'f> {
    fn new<'a: 'f>(source: &'f str, surroundings: Surroundings<'a>) -> Compiler<'f> {
        let Surroundings { globals, program } = surroundings;
        Compiler {
            source,
            plan: Vec::new(),
            open: Vec::new(),
            globals,
            declared: Names::default(),
            program,
            problems: Vec::new(),
            mentions: None,
        }
    }

    fn run(&mut self) {
        while let Some(task) = self.plan.pop() {
            match task {
                Task::Eval(item, dst, tail) => self.eval(item, dst, tail),
                Task::Test(test, otherwise) => self.test(test, otherwise),
                Task::Bind(pattern, register) => self.bind(pattern, register),
                Task::Declare(name, register) => self.declare(name, register),
                Task::Body { items, span, dst, tail } => self.body(items, span, dst, tail),
                Task::Then(go_on) => go_on(self),
                Task::Emit(op, span) => self.emit(op, span),
                Task::Place(label) => {
                    let here = self.top().code.ops.len();
                    self.top().labels[usize::from(label)] = here;
                }
                Task::Leave { next, locals } => {
                    self.top().next = next;
                    self.top().locals.truncate(locals);
                }
            }
        }
    }

    /// Plans tasks to be done in this order, before everything that is planned already.
    fn plan(&mut self, mut tasks: Vec<Task<'f>>) {
        tasks.reverse();
        self.plan.append(&mut tasks);
    }

    /// Plans to evaluate into one register after the other, and an instruction behind that.
    fn plan_all(&mut self, items: Vec<Item<'f>>, first: Reg, op: Op, span: Span) {
        self.plan.push(Task::Emit(op, span));
        for (index, item) in items.into_iter().enumerate().rev() {
            self.plan.push(Task::Eval(item, first + index as Reg, false));
        }
    }

    fn top(&mut self) -> &mut Open {
        self.open.last_mut().expect("a function is open")
    }

    fn problem(&mut self, kind: &'static str, span: Span, message: impl Into<String>, hint: impl Into<String>) {
        // What is too large is said once, not for every instruction that follows.
        let problem = Diagnostic::at(kind, span, message).with_hint(hint);
        if kind != "program_too_large" || self.problems.iter().all(|found| found.kind != kind) {
            self.problems.push(problem);
        }
    }

    fn too_large(&mut self, span: Span) {
        let hint = "define its parts with `defn`, or bring long lists in as data";
        self.problem("program_too_large", span, "this is too large for one function", hint);
    }

    fn emit(&mut self, op: Op, span: Span) {
        let code = &mut self.top().code;
        if code.ops.len() >= MOST {
            return self.too_large(span);
        }
        code.ops.push(op);
        code.spans.push(span);
    }

    /// A register that nothing uses.
    fn register(&mut self, span: Span) -> Reg {
        self.registers(1, span)
    }

    /// The first of so many registers in a row that nothing uses.
    fn registers(&mut self, count: usize, span: Span) -> Reg {
        let first = self.top().next;
        if first + count >= MOST {
            self.too_large(span);
            return 0;
        }
        self.top().next = first + count;
        let code = &mut self.top().code;
        code.registers = code.registers.max(first + count);
        first as Reg
    }

    fn label(&mut self) -> u16 {
        let labels = &mut self.top().labels;
        labels.push(0);
        (labels.len() - 1).min(usize::from(u16::MAX)) as u16
    }

    fn declare(&mut self, name: Str, register: Reg) {
        self.top().locals.push((name, register));
    }

    /// The number of a constant.
    fn constant(&mut self, value: Value, span: Span) -> u16 {
        let constants = &mut self.top().code.constants;
        let alike = constants.iter().rev().take(32).position(|found| !value.holds_values() && *found == value);
        if let Some(back) = alike {
            return (constants.len() - 1 - back) as u16;
        }
        if constants.len() >= MOST {
            self.too_large(span);
            return 0;
        }
        constants.push(value);
        (constants.len() - 1) as u16
    }

    fn key(&mut self, keyword: Value, span: Span) -> u16 {
        let keys = &mut self.top().code.keys;
        if keys.len() >= MOST {
            self.too_large(span);
            return 0;
        }
        keys.push(Key { keyword, place: InlineCache::default() });
        (keys.len() - 1) as u16
    }

    fn text(&mut self, text: &str, span: Span) -> u16 {
        self.constant(Value::str(text), span)
    }

    /// The place of a name that is no local one.
    fn global(&mut self, name: &Str, span: Span) -> u16 {
        let place = self.globals.place(name);
        if place >= Globals::MOST {
            self.too_large(span);
            return 0;
        }
        place as u16
    }

    /// Evaluates, giving back what it used behind.
    fn eval(&mut self, item: Item<'f>, dst: Reg, tail: bool) {
        let span = item.span();
        let form = match item {
            Item::Form(form) => form,
            Item::Register(register, _) => return self.emit(Op::Move { dst, from: register }, span),
            Item::Value(value, _) => return self.load(value, dst, span),
            Item::Threaded(thread, step) => return self.threaded(thread, step, dst, tail),
        };
        if let FormKind::Symbol(symbol) = &form.kind {
            return self.symbol(symbol, span, dst);
        }
        if let Some(value) = self.literal(form) {
            return self.load(value, dst, span);
        }
        self.leave_behind();
        match &form.kind {
            FormKind::List(parts) => match parts.split_first() {
                None => self.load(Value::vector([]), dst, span),
                Some((head, rest)) => self.call(Item::Form(head), forms(rest), span, dst, tail),
            },
            FormKind::Vector(parts) => self.collection(parts, span, |base, count| Op::Vector { dst, base, count }),
            FormKind::Set(parts) => self.collection(parts, span, |base, count| Op::Set { dst, base, count }),
            FormKind::Map(parts) => {
                self.collection(parts, span, |base, count| Op::Map { dst, base, count });
            }
            FormKind::ShortFn(_) => self.short_function(form, dst),
            _ => unreachable!("literals are loaded"),
        }
    }

    /// Plans that registers and locals made from here on are forgotten behind the tasks that are
    /// planned from here on.
    fn leave_behind(&mut self) {
        let (next, locals) = (self.top().next, self.top().locals.len());
        self.plan.push(Task::Leave { next, locals });
    }

    fn load(&mut self, value: Value, dst: Reg, span: Span) {
        let constant = self.constant(value, span);
        self.emit(Op::Const { dst, constant }, span);
    }

    /// The value of a form that needs no running: an atom, or a collection of atoms.
    fn literal(&mut self, form: &Form) -> Option<Value> {
        let is_atom = |form: &Form| {
            !matches!(
                form.kind,
                FormKind::Symbol(_)
                    | FormKind::List(_)
                    | FormKind::Vector(_)
                    | FormKind::Map(_)
                    | FormKind::Set(_)
                    | FormKind::ShortFn(_)
            )
        };
        let parts = match &form.kind {
            FormKind::Vector(parts) | FormKind::Set(parts) | FormKind::Map(parts) => parts.as_slice(),
            _ => std::slice::from_ref(form),
        };
        for part in parts {
            if !is_atom(part) {
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
                self.problems.push(problem);
            }
        }
        literal::value_of(form).ok()
    }

    fn collection(&mut self, parts: &'f [Form], span: Span, op: impl FnOnce(Reg, u16) -> Op) {
        let base = self.registers(parts.len(), span);
        let op = op(base, parts.len().min(MOST) as u16);
        self.plan_all(forms(parts), base, op, span);
    }

    /// Evaluates all, for the value of the last one.
    fn body(&mut self, items: Vec<Item<'f>>, span: Span, dst: Reg, tail: bool) {
        let last = items.len().saturating_sub(1);
        if items.is_empty() {
            return self.load(Value::Nil, dst, span);
        }
        for (index, item) in items.into_iter().enumerate().rev() {
            self.plan.push(Task::Eval(item, dst, tail && index == last));
        }
    }

    /// Where a value can be read without evaluating anything: a local or a constant.
    fn operand(&mut self, item: &Item<'f>) -> Option<Operand> {
        match item {
            Item::Register(register, _) => Some(*register),
            Item::Value(value, span) => Some(self.constant(value.clone(), *span) | CONSTANT),
            Item::Threaded(..) => None,
            Item::Form(form) => match &form.kind {
                FormKind::Symbol(Symbol { namespace: None, name }) => self.local(name),
                FormKind::Symbol(_) | FormKind::List(_) | FormKind::ShortFn(_) => None,
                _ => self.literal(form).map(|value| self.constant(value, form.span) | CONSTANT),
            },
        }
    }

    /// Where the value will be: as [`Compiler::operand`], else in a register, for which a task is
    /// added.
    fn operand_or_task(&mut self, item: Item<'f>, tasks: &mut Vec<Task<'f>>) -> Operand {
        self.operand(&item).unwrap_or_else(|| {
            let register = self.register(item.span());
            tasks.push(Task::Eval(item, register, false));
            register
        })
    }

    /// The register of a local of the function that is open.
    fn local(&mut self, name: &str) -> Option<Reg> {
        self.top().locals.iter().rev().find(|(local, _)| **local == *name).map(|(_, register)| *register)
    }

    /// True when a name is a local one here, of whichever function.
    fn is_local(&self, name: &str) -> bool {
        self.open
            .iter()
            .any(|open| open.locals.iter().any(|(local, _)| **local == *name) || open.name.as_deref() == Some(name))
    }

    /// Loads what a local name stands for; false when it is none.
    fn load_local(&mut self, name: &Str, span: Span, dst: Reg) -> bool {
        if let Some(from) = self.local(name) {
            self.emit(Op::Move { dst, from }, span);
            return true;
        }
        let innermost = self.open.len() - 1;
        match self.find_outside(name, innermost) {
            Some(Capture::Captured(index)) => self.emit(Op::Captured { dst, index }, span),
            Some(Capture::Itself) => self.emit(Op::Itself { dst }, span),
            _ => return false,
        }
        true
    }

    /// Where the function at `level` finds a name that is none of its locals; the functions
    /// between it and where the name is local capture it.
    fn find_outside(&mut self, name: &Str, level: usize) -> Option<Capture> {
        let home = (0..=level).rev().find(|at| {
            let open = &self.open[*at];
            (*at < level && open.locals.iter().any(|(local, _)| local == name)) || open.name.as_ref() == Some(name)
        })?;
        let open = &self.open[home];
        let mut found = match open.locals.iter().rev().find(|(local, _)| local == name) {
            Some((_, register)) if home < level => Capture::Register(*register),
            _ => Capture::Itself,
        };
        for inner in &mut self.open[home + 1..=level] {
            let known = inner.captures.iter().position(|(captured, _)| captured == name);
            let index = known.unwrap_or_else(|| {
                inner.captures.push((name.clone(), found));
                inner.captures.len() - 1
            });
            found = Capture::Captured(index as u16);
        }
        Some(found)
    }

    /// A name that is read.
    fn symbol(&mut self, symbol: &Symbol, span: Span, dst: Reg) {
        let name = &symbol.name;
        match symbol.namespace.as_deref() {
            None if self.load_local(name, span, dst) => {}
            None => match &**name {
                "*1" => self.emit(Op::Recent { dst, index: 0 }, span),
                "*2" => self.emit(Op::Recent { dst, index: 1 }, span),
                "*3" => self.emit(Op::Recent { dst, index: 2 }, span),
                _ if self.globals.definition(name).is_some() || self.is_declared(name) => {
                    let name = self.global(name, span);
                    self.emit(Op::Global { dst, name }, span);
                }
                _ => match builtins::constant(name) {
                    Some(value) => self.load(value, dst, span),
                    None if special::hint_for_value(name).is_some() => {
                        let (message, hint) = special::hint_for_value(name).unwrap_or_default();
                        self.problem("unbound_var", span, message, hint);
                    }
                    None => {
                        self.mention(|| Mention::Name(name.clone(), span));
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
                Ok(value) => self.load(value, dst, span),
                Err((kind, message, hint)) => self.problem(kind, span, message, hint),
            },
        }
    }

    /// True when the program defines the name, further up.
    fn is_declared(&self, name: &str) -> bool {
        self.declared.contains(name)
    }

    fn mention(&mut self, mention: impl FnOnce() -> Mention) {
        if let Some(mentions) = &mut self.mentions {
            mentions.push(mention());
        }
    }

    fn source_of(&self, span: Span) -> &'f str {
        &self.source[span.start..span.end]
    }
}

fn forms(parts: &[Form]) -> Vec<Item<'_>> {
    parts.iter().map(Item::Form).collect()
}

fn then<'f>(go_on: impl FnOnce(&mut Compiler<'f>) + 'f) -> Task<'f> {
    Task::Then(Box::new(go_on))
}
