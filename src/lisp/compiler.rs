//! The compiler: forms to instructions.
//!
//! It keeps a stack of tasks instead of recursing over forms: compiling a form plans tasks for its parts,
//! and for the instructions between and after them. So the compiler does not limit how deeply a program is
//! nested or threaded.

mod binding;
mod call;
mod control;
mod function;
mod iteration;
mod threading;

use std::cell::Cell;
use std::rc::Rc;

use super::builtins;
use super::chunk::{Arity, CONSTANT, Capture, Code, Function, Key, Op, Operand, Reg};
use super::form::{Form, FormKind, Symbol};
use super::globals::Globals;
use super::literal;
use super::reader::read;
use super::special;
use crate::diagnostic::{Diagnostic, Span};
use crate::value::{InlineCache, Label, Names, Str, Value};

use threading::Thread;

/// The machine that a program is compiled for.
pub struct CompileContext<'a> {
    /// Its definitions, which assign an index to each name that the program mentions.
    pub globals: &'a mut Globals,
    /// The number of the program, which is stored in its code.
    pub program: u32,
}

/// A name that a program looks up at run time, or a call of a builtin whose number of arguments can be checked.
#[derive(Clone, Debug)]
pub(super) enum Mention {
    /// A name without a namespace that is neither local nor in the library.
    Name(Str, Span),
    /// `tool/…`
    Tool(Str, Span),
    /// `data/…`
    Data(Str, Span),
    /// A call of a builtin, by its index in the table, with the number of arguments.
    Call(u16, usize, Span),
}

/// Compiles a program to a function without parameters, or returns all of its problems. `declared` receives the names
/// that it would define, `mentions` its mentions.
pub fn compile(
    source: &str,
    context: CompileContext<'_>,
    declared: &mut Vec<Str>,
    mentions: Option<&mut Vec<Mention>>,
) -> Result<Rc<Function>, Vec<Diagnostic>> {
    let program = read(source).map_err(|problem| vec![problem])?;
    let mut compiler = Compiler::new(source, context);
    compiler.mentions = mentions.is_some().then(Vec::new);
    compiler.open_function(None, "".into(), Span::new(0, source.len()));
    let result = compiler.register(Span::new(0, 0));
    let end = Span::new(source.len(), source.len());
    compiler.body(forms(&program), end, result, false);
    compiler.run();
    compiler.emit(Op::Return { from: result }, end);
    compiler.close_arity(0, false);
    let function = compiler.close_function();
    if let Some(mentions) = mentions {
        mentions.extend(compiler.mentions.take().unwrap_or_default());
    }
    declared.extend(compiler.declared.iter().map(|(name, ())| name.clone()));
    match compiler.problems.is_empty() {
        true => Ok(function),
        false => Err(compiler.problems),
    }
}

/// Compiles the source of a closure, given the names that it captured. The function captures from the
/// registers 0, 1, … in the order of these names.
pub fn compile_closure(
    source: &str,
    captured: &[Str],
    context: CompileContext<'_>,
) -> Result<Rc<Function>, Vec<Diagnostic>> {
    let forms = read(source).map_err(|problem| vec![problem])?;
    let mut compiler = Compiler::new(source, context);
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

/// An expression.
#[derive(Clone)]
enum Item<'f> {
    /// A form.
    Form(&'f Form),
    /// A threading form up to this step.
    Threaded(Rc<Thread<'f>>, usize),
    /// The value in a register.
    Register(Reg, Span),
    /// A value that is not in the source.
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

    /// Returns the form, if it is one.
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

/// A planned step of the compiler.
enum Task<'f> {
    /// Compile an expression into a register; the flag is true in tail position of a function or loop.
    Eval(Item<'f>, Reg, bool),
    /// Compile a test that jumps to a label when it fails.
    Test(Item<'f>, u16),
    /// Bind a pattern to the value in a register.
    Bind(&'f Form, Reg),
    /// Bind a name to a register.
    Declare(Str, Reg),
    /// Compile expressions; the last one gives the value.
    Body { items: Vec<Item<'f>>, span: Span, dst: Reg, tail: bool },
    /// Call a closure. Tasks that many forms plan have their own variants, which take less code.
    Then(Box<dyn FnOnce(&mut Compiler<'f>) + 'f>),
    /// Emit an instruction with its span.
    Emit(Op, Span),
    /// Define a label as the next instruction.
    Place(u16),
    /// Free the registers from `next` on, and forget the locals from index `locals` on.
    Leave { next: usize, locals: usize },
}

/// A function that is being compiled.
struct FunctionBuilder {
    name: Option<Str>,
    params: Str,
    span: Span,
    captures: Vec<(Str, Capture)>,
    arities: Vec<Arity>,
    code: Code,
    returned: Rc<Cell<Option<Label>>>,
    /// The position of each label; instructions hold labels until the arity is closed.
    labels: Vec<usize>,
    locals: Vec<(Str, Reg)>,
    /// The next free register.
    next: usize,
    targets: Vec<Target>,
}

/// The target of `recur`.
#[derive(Clone, Copy)]
struct Target {
    head: u16,
    first: Reg,
    count: usize,
}

struct Compiler<'f> {
    source: &'f str,
    plan: Vec<Task<'f>>,
    open: Vec<FunctionBuilder>,
    globals: &'f mut Globals,
    /// The names that the program defines in the part that is compiled so far.
    declared: Names<()>,
    program: u32,
    problems: Vec<Diagnostic>,
    /// The mentions so far, if the caller wants them.
    mentions: Option<Vec<Mention>>,
}

/// The largest number of instructions, constants or registers of one function.
const MAX_OPERAND: usize = 0x7FFF;

impl<'f> Compiler<'f> {
    fn new<'a: 'f>(source: &'f str, context: CompileContext<'a>) -> Compiler<'f> {
        let CompileContext { globals, program } = context;
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
                Task::Then(then) => then(self),
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

    /// Plans tasks, to be done in this order and before all others.
    fn plan(&mut self, mut tasks: Vec<Task<'f>>) {
        tasks.reverse();
        self.plan.append(&mut tasks);
    }

    /// Plans expressions whose values go into consecutive registers, and an instruction after them.
    fn plan_all(&mut self, items: Vec<Item<'f>>, first: Reg, op: Op, span: Span) {
        self.plan.push(Task::Emit(op, span));
        for (index, item) in items.into_iter().enumerate().rev() {
            self.plan.push(Task::Eval(item, first + index as Reg, false));
        }
    }

    fn top(&mut self) -> &mut FunctionBuilder {
        self.open.last_mut().expect("a function is open")
    }

    fn problem(&mut self, kind: &'static str, span: Span, message: impl Into<String>, hint: impl Into<String>) {
        // `program_too_large` is reported once, because every later instruction would report it again.
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
        if code.ops.len() >= MAX_OPERAND {
            return self.too_large(span);
        }
        code.ops.push(op);
        code.spans.push(span);
    }

    /// Allocates a register.
    fn register(&mut self, span: Span) -> Reg {
        self.registers(1, span)
    }

    /// Allocates consecutive registers; returns the first.
    fn registers(&mut self, count: usize, span: Span) -> Reg {
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

    fn label(&mut self) -> u16 {
        let labels = &mut self.top().labels;
        labels.push(0);
        (labels.len() - 1).min(usize::from(u16::MAX)) as u16
    }

    fn declare(&mut self, name: Str, register: Reg) {
        self.top().locals.push((name, register));
    }

    /// Returns the index of a constant; reuses a recent one that is the same. `0.0` and `-0.0` are equal, and not the
    /// same.
    fn constant(&mut self, value: Value, span: Span) -> u16 {
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

    fn key(&mut self, keyword: Value, span: Span) -> u16 {
        let keys = &mut self.top().code.keys;
        if keys.len() >= MAX_OPERAND {
            self.too_large(span);
            return 0;
        }
        keys.push(Key { keyword, cache: InlineCache::default() });
        (keys.len() - 1) as u16
    }

    fn text(&mut self, text: &str, span: Span) -> u16 {
        self.constant(Value::str(text), span)
    }

    /// Returns the index of a global name.
    fn global(&mut self, name: &Str, span: Span) -> u16 {
        let position = self.globals.position(name);
        if position >= Globals::MAX_LEN {
            self.too_large(span);
            return 0;
        }
        position as u16
    }

    /// Compiles an expression, and frees its registers and locals afterwards.
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

    /// Plans to free all registers and locals that are allocated from now on, after the tasks that are
    /// planned from now on.
    fn leave_behind(&mut self) {
        let (next, locals) = (self.top().next, self.top().locals.len());
        self.plan.push(Task::Leave { next, locals });
    }

    fn load(&mut self, value: Value, dst: Reg, span: Span) {
        let constant = self.constant(value, span);
        self.emit(Op::Const { dst, constant }, span);
    }

    /// Returns the value of a literal: an atom, or a collection of atoms. Reports problems in it.
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
        let op = op(base, parts.len().min(MAX_OPERAND) as u16);
        self.plan_all(forms(parts), base, op, span);
    }

    /// Compiles expressions; the last one gives the value.
    fn body(&mut self, items: Vec<Item<'f>>, span: Span, dst: Reg, tail: bool) {
        let last = items.len().saturating_sub(1);
        if items.is_empty() {
            return self.load(Value::Nil, dst, span);
        }
        for (index, item) in items.into_iter().enumerate().rev() {
            self.plan.push(Task::Eval(item, dst, tail && index == last));
        }
    }

    /// Returns the operand of an expression that needs no instruction, a local or a constant.
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

    /// Returns the operand of an expression; adds a task if the expression needs a register.
    fn operand_or_task(&mut self, item: Item<'f>, tasks: &mut Vec<Task<'f>>) -> Operand {
        self.operand(&item).unwrap_or_else(|| {
            let register = self.register(item.span());
            tasks.push(Task::Eval(item, register, false));
            register
        })
    }

    /// Returns the register of a local of the innermost function.
    fn local(&mut self, name: &str) -> Option<Reg> {
        self.top().locals.iter().rev().find(|(local, _)| **local == *name).map(|(_, register)| *register)
    }

    /// Returns whether a name is a local or the name of a function that is being compiled.
    fn is_local(&self, name: &str) -> bool {
        self.open
            .iter()
            .any(|open| open.locals.iter().any(|(local, _)| **local == *name) || open.name.as_deref() == Some(name))
    }

    /// Loads a local; returns false when the name is not local.
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

    /// Returns how the function at `level` captures a name that is not its own local. The functions between it
    /// and the function of the local capture the name too.
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

    /// Compiles a symbol.
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

    /// Returns whether the program defines the name earlier.
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

fn then<'f>(then: impl FnOnce(&mut Compiler<'f>) + 'f) -> Task<'f> {
    Task::Then(Box::new(then))
}
