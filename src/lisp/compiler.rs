//! The compiler: forms to instructions.
//!
//! It keeps a stack of tasks instead of recursing over forms: compiling a form plans tasks for its parts,
//! and for the instructions between and after them. So the compiler does not limit how deeply a program is
//! nested or threaded.

mod binding;
mod call;
mod control;
mod emit;
mod exceptions;
mod function;
mod iteration;
mod literals;
mod loading;
mod symbols;
mod threading;

use std::cell::Cell;
use std::rc::Rc;

use super::chunk::{Arity, Capture, Code, Function, Op, Reg};
use super::form::{Form, FormKind, Symbol};
use super::globals::Globals;
use super::reader::{ReadProgram, read_program};
use super::special;
use crate::diagnostic::{Diagnostic, Span};
use crate::value::{Label, Names, Str, Value, is_symbol_char};

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
    /// A name without a namespace that is neither local nor in the library, with the span of the call whose head it is, if
    /// it is one, else with its own.
    Name(Str, Span, Span),
    /// `tool/…`
    Tool(Str, Span),
    /// `data/…`
    Data(Str, Span),
    /// A call of a builtin, by its index in the table, with the number of arguments.
    Call(u16, usize, Span),
}

/// Compiles a program to a function without parameters, or returns all of its problems. `declared` receives the names
/// that it would define, `mentions` its mentions. A program that is too large has no problems after that one.
pub fn compile(
    source: &str,
    context: CompileContext<'_>,
    declared: &mut Names<()>,
    mentions: Option<&mut Vec<Mention>>,
) -> Result<Rc<Function>, Vec<Diagnostic>> {
    let ReadProgram { forms: mut program, problems, end: read } = read_program(source);
    let renamed = loading::rename_aliases(&mut program);
    let known = context.globals.len();
    let mut compiler = Compiler::new(source, context);
    compiler.mentions = mentions.is_some().then(Vec::new);
    compiler.renamed = renamed;
    compiler.open_function(None, "".into(), Span::new(0, source.len()));
    let result = compiler.register(Span::new(0, 0));
    let end = Span::new(source.len(), source.len());
    compiler.body(forms(&program), end, result, false);
    compiler.plan.insert(0, Task::Emit(Op::Return { from: result }, end));
    let is_whole = compiler.run();
    let function = is_whole.then(|| {
        compiler.close_arity(0, false);
        compiler.close_function()
    });
    let mut found = compiler.mentions.take().unwrap_or_default();
    if !problems.is_empty() {
        forget_consequences(problems, (source, read), &mut compiler.problems, &mut found);
    }
    if let Some(mentions) = mentions {
        mentions.append(&mut found);
    }
    *declared = std::mem::take(&mut compiler.declared);
    match function {
        Some(function) if compiler.problems.is_empty() => Ok(function),
        _ => {
            // No code refers to the names of a program that does not run.
            compiler.globals.truncate(known);
            Err(compiler.problems)
        }
    }
}

/// Puts the problems of the reader before those of the compiler, and drops what may follow from them: problems of forms
/// that have parts that were not read, and unknown names that occur in such parts. The text was read up to `end`.
#[cold]
fn forget_consequences(
    unread: Vec<Diagnostic>,
    (source, end): (&str, usize),
    problems: &mut Vec<Diagnostic>,
    mentions: &mut Vec<Mention>,
) {
    let found = std::mem::replace(problems, unread);
    let mut unread: Vec<Span> = problems.iter().filter_map(|problem| problem.span).collect();
    unread.push(Span::new(end, source.len()));
    let mut names: Names<()> = Names::default();
    for part in &unread {
        let is_between = |character| !is_symbol_char(character) || matches!(character, ':' | '/' | '\'' | '#');
        for word in source[part.start..part.end].split(is_between) {
            names.insert(word.into(), ());
        }
    }
    mentions.retain(|mention| !matches!(mention, Mention::Name(name, ..) if names.contains(name)));
    let is_outside = |span: Span| unread.iter().all(|part| span.end <= part.start || span.start >= part.end);
    problems.extend(found.into_iter().filter(|problem| problem.span.is_none_or(is_outside)));
}

/// Compiles the source of a closure, given the names that it captured. The function captures from the
/// registers 0, 1, … in the order of these names.
pub fn compile_closure(
    source: &str,
    captured: &[Str],
    context: CompileContext<'_>,
) -> Result<Rc<Function>, Vec<Diagnostic>> {
    let ReadProgram { forms, problems, .. } = read_program(source);
    if !problems.is_empty() {
        return Err(problems);
    }
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
        _ => compiler.plan(vec![Task::Eval(Expr::Form(form), result, false)]),
    }
    compiler.run();
    let function = compiler.open.first().and_then(|open| open.code.functions.first().cloned());
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
enum Expr<'f> {
    /// A form.
    Form(&'f Form),
    /// A threading form up to this step.
    Threaded(Rc<Thread<'f>>, usize),
    /// The value in a register.
    Register(Reg, Span),
    /// A value that is not in the source.
    Value(Value, Span),
}

impl<'f> Expr<'f> {
    fn span(&self) -> Span {
        match self {
            Expr::Form(form) => form.span,
            Expr::Threaded(thread, step) => thread.items[*step].span(),
            Expr::Register(_, span) | Expr::Value(_, span) => *span,
        }
    }

    /// Returns the form, if it is one.
    fn form(&self) -> Option<&'f Form> {
        match self {
            Expr::Form(form) => Some(form),
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
    Eval(Expr<'f>, Reg, bool),
    /// Compile a test that jumps to a label when it fails.
    Test(Expr<'f>, u16),
    /// Bind a pattern to the value in a register.
    Bind(&'f Form, Reg),
    /// Bind a name to a register.
    Declare(Str, Reg),
    /// Compile expressions; the last one gives the value.
    Body { items: Vec<Expr<'f>>, span: Span, dst: Reg, tail: bool },
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
    captures: Names<Capture>,
    arities: Vec<Arity>,
    code: Code,
    returned: Rc<Cell<Option<Label>>>,
    /// The position of each label; instructions hold labels until the arity is closed.
    labels: Vec<usize>,
    /// The locals that are in scope, in order; [`Compiler::scopes`] has their registers.
    locals: Vec<Str>,
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

/// What a name in scope is bound to.
#[derive(Clone, Copy)]
struct Binding {
    /// The index of its function in [`Compiler::open`].
    level: usize,
    /// The register of a local; `None` for the function's own name.
    register: Option<Reg>,
}

struct Compiler<'f> {
    source: &'f str,
    /// The aliases in the source that are replaced with the usual ones.
    renamed: Vec<loading::Renamed>,
    plan: Vec<Task<'f>>,
    open: Vec<FunctionBuilder>,
    /// The bindings of each name that are in scope, innermost last.
    scopes: Names<Vec<Binding>>,
    /// The bytes of source that all functions so far keep.
    kept_source: usize,
    globals: &'f mut Globals,
    /// The names that the program defines in the part that is compiled so far.
    declared: Names<()>,
    program: u32,
    problems: Vec<Diagnostic>,
    /// Whether the program exceeds a limit of the code. Then no further task is done, and nothing is closed: registers,
    /// labels and indexes that were refused are 0.
    is_too_large: bool,
    /// The mentions so far, if the caller wants them.
    mentions: Option<Vec<Mention>>,
    /// The number of `try` forms with a `catch` whose bodies are around the form that is compiled.
    tried: usize,
}

/// The largest number of instructions, constants or registers of one function.
const MAX_OPERAND: usize = 0x7FFF;

/// The largest number of arities of one function: a call looks at each of them.
const MAX_ARITIES: usize = 256;

/// The most bytes of source that the functions of one program keep. Functions within functions keep the same text again.
const MAX_KEPT_SOURCE: usize = 4_000_000;

impl<'f> Compiler<'f> {
    fn new<'a: 'f>(source: &'f str, context: CompileContext<'a>) -> Compiler<'f> {
        let CompileContext { globals, program } = context;
        Compiler {
            source,
            renamed: Vec::new(),
            plan: Vec::new(),
            open: Vec::new(),
            scopes: Names::default(),
            kept_source: 0,
            is_too_large: false,
            globals,
            declared: Names::default(),
            program,
            problems: Vec::new(),
            mentions: None,
            tried: 0,
        }
    }

    /// Does all tasks; returns false when the program is too large.
    fn run(&mut self) -> bool {
        while !self.is_too_large
            && let Some(task) = self.plan.pop()
        {
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
                    self.forget(locals);
                }
            }
        }
        !self.is_too_large
    }

    /// Plans tasks, to be done in this order and before all others.
    fn plan(&mut self, mut tasks: Vec<Task<'f>>) {
        tasks.reverse();
        self.plan.append(&mut tasks);
    }

    /// Plans expressions whose values go into consecutive registers, and an instruction after them.
    fn plan_all(&mut self, items: Vec<Expr<'f>>, first: Reg, op: Op, span: Span) {
        self.plan.push(Task::Emit(op, span));
        for (index, item) in items.into_iter().enumerate().rev() {
            self.plan.push(Task::Eval(item, first + index as Reg, false));
        }
    }

    fn top(&mut self) -> &mut FunctionBuilder {
        self.open.last_mut().expect("a function is open")
    }

    fn problem(&mut self, kind: &'static str, span: Span, message: impl Into<String>, hint: impl Into<String>) {
        self.report(Diagnostic::at(kind, span, message).with_hint(hint));
    }

    /// Adds a problem. A form that is looked at twice reports it once.
    fn report(&mut self, problem: Diagnostic) {
        if self.problems.last() != Some(&problem) {
            self.problems.push(problem);
        }
    }

    /// Compiles an expression, and frees its registers and locals afterwards.
    fn eval(&mut self, item: Expr<'f>, dst: Reg, tail: bool) {
        let span = item.span();
        let form = match item {
            Expr::Form(form) => form,
            Expr::Register(register, _) => return self.emit(Op::Move { dst, from: register }, span),
            Expr::Value(value, _) => return self.load(value, dst, span),
            Expr::Threaded(thread, step) => return self.threaded(thread, step, dst, tail),
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
                Some((head, rest)) => self.call(Expr::Form(head), forms(rest), span, dst, tail),
            },
            FormKind::Vector(parts) => self.collection(parts, span, |base, count| Op::Vector { dst, base, count }),
            FormKind::Set(parts) => self.keyed(parts, 1, span, |base, count| Op::Set { dst, base, count }),
            FormKind::Map(parts) => self.keyed(parts, 2, span, |base, count| Op::Map { dst, base, count }),
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

    /// Compiles expressions; the last one gives the value.
    fn body(&mut self, items: Vec<Expr<'f>>, span: Span, dst: Reg, tail: bool) {
        let last = items.len().saturating_sub(1);
        if items.is_empty() {
            return self.load(Value::Nil, dst, span);
        }
        for (index, item) in items.into_iter().enumerate().rev() {
            self.plan.push(Task::Eval(item, dst, tail && index == last));
        }
    }

    fn source_of(&self, span: Span) -> &'f str {
        &self.source[span.start..span.end]
    }
}

fn forms(parts: &[Form]) -> Vec<Expr<'_>> {
    parts.iter().map(Expr::Form).collect()
}

fn then<'f>(then: impl FnOnce(&mut Compiler<'f>) + 'f) -> Task<'f> {
    Task::Then(Box::new(then))
}
