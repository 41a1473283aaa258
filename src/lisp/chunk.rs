//! The code of programs: instructions on numbered registers.
//!
//! The arguments of a call are in consecutive registers, which become the first registers of the frame
//! of the function, so that a call copies nothing.

use std::cell::Cell;
use std::rc::Rc;

use crate::diagnostic::Span;
use crate::value::{InlineCache, Label, Str, Value};

/// A register of a frame.
pub type Reg = u16;

/// A register or, with [`CONSTANT`] set, a constant of the code.
pub type Operand = u16;

/// Marks an [`Operand`] that is a constant.
pub const CONSTANT: u16 = 0x8000;

/// One instruction. `dst` is the register of the result, `to` the index of the instruction that a jump goes
/// to. `base` is the first of a run of registers, which the instruction empties.
#[derive(Clone, Copy, Debug)]
pub enum Op {
    /// Loads a constant.
    Const { dst: Reg, constant: u16 },
    /// Copies a register.
    Move { dst: Reg, from: Reg },
    /// Moves a register that is not read again.
    Take { dst: Reg, from: Reg },
    /// Loads a value that the closure captured.
    Captured { dst: Reg, index: u16 },
    /// Loads the closure that runs.
    Itself { dst: Reg },
    /// Loads the value of a name that is not local.
    Global { dst: Reg, name: u16 },
    /// Loads the value of a definition that is going to be changed as an atom, and makes it an atom if it is none.
    Atom { dst: Reg, name: u16 },
    /// Loads `data/…`; the constant is its name.
    Data { dst: Reg, name: u16 },
    /// Loads `*1`, `*2` or `*3`; with the index after theirs, `*calls`.
    Recent { dst: Reg, index: u16 },
    /// Makes a closure of a function of the code.
    Closure { dst: Reg, function: u16 },
    /// Makes a vector of a run of registers.
    Vector { dst: Reg, base: Reg, count: u16 },
    /// Makes a map of alternating keys and values in `count` registers.
    Map { dst: Reg, base: Reg, count: u16 },
    /// Makes a set of a run of registers.
    Set { dst: Reg, base: Reg, count: u16 },
    /// Jumps forward.
    Jump { to: u16 },
    /// Jumps back to the head of an iteration.
    Back { to: u16 },
    /// Jumps on `nil` and `false`.
    JumpIfNot { test: Reg, to: u16 },
    /// Jumps on every value except `nil` and `false`.
    JumpIf { test: Reg, to: u16 },
    /// Jumps on `nil`.
    JumpIfNil { test: Reg, to: u16 },
    /// Jumps unless the comparison holds.
    JumpUnless { comparison: Comparison, left: Operand, right: Operand, to: u16 },
    /// Jumps when a map has no such key; the constant is the key.
    JumpIfMissing { map: Reg, key: u16, to: u16 },
    /// Jumps when a definition of that name exists.
    JumpIfDefined { name: u16, to: u16 },
    /// `(+ left right)`
    Add { dst: Reg, left: Operand, right: Operand },
    /// `(- left right)`
    Subtract { dst: Reg, left: Operand, right: Operand },
    /// `(* left right)`
    Multiply { dst: Reg, left: Operand, right: Operand },
    /// A comparison as a value.
    Compare { comparison: Comparison, dst: Reg, left: Operand, right: Operand },
    /// `(not from)`
    Not { dst: Reg, from: Operand },
    /// `(nil? from)`
    IsNil { dst: Reg, from: Operand },
    /// Looks up a keyword of the code, as `(:key from)` does.
    Key { dst: Reg, from: Operand, key: u16 },
    /// Looks up a constant key in a value that a pattern takes apart.
    Field { dst: Reg, from: Reg, key: u16 },
    /// Loads an element of a value that a pattern takes apart.
    Nth { dst: Reg, from: Reg, index: u16 },
    /// Loads the elements from `index` on of a value that a pattern takes apart.
    Rest { dst: Reg, from: Reg, index: u16 },
    /// Makes a map of trailing keys and values.
    Options { dst: Reg, from: Reg },
    /// Calls the value in `base` with the `count` registers after it.
    Call { dst: Reg, base: Reg, count: u16 },
    /// Calls the value of a name that is not local with the `count` registers after `base`.
    CallGlobal { count: u8, dst: Reg, base: Reg, name: u16 },
    /// Calls a builtin, by its index in the table, with the `count` registers after `base`.
    CallBuiltin { count: u8, dst: Reg, base: Reg, builtin: u16 },
    /// Calls a tool with the `count` registers after `base`; the constant is its name.
    CallTool { count: u8, dst: Reg, base: Reg, name: u16 },
    /// Moves `count` registers from `from` to `to` and jumps back to the head of the loop. The counter of
    /// the loop is in the register after its last one.
    Recur { count: u8, from: Reg, to: Reg, head: u16 },
    /// Prepares a collection for [`Op::Next`]: its elements in `items`, the index in the register after it.
    Iterate { items: Reg },
    /// Loads the next element; jumps when there is none.
    Next { dst: Reg, items: Reg, to: u16 },
    /// Appends to the vector that an iteration builds.
    Push { items: Reg, value: Reg },
    /// Defines a name, with the docstring in a constant (`u16::MAX`: none).
    Define { name: u16, from: Reg, doc: u16 },
    /// Fails with the error that no clause matches.
    NoClause { value: Reg },
    /// Continues with the fault that a `finally` has suspended in a register; nil is none.
    Rethrow { from: Reg },
    /// Returns a register to the caller.
    Return { from: Reg },
}

/// A comparison. The bits of its discriminant, lowest first, are set if it holds when the left value is smaller, equal,
/// or larger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Comparison {
    /// `<`
    Less = 0b001,
    /// `<=`
    AtMost = 0b011,
    /// `>`
    More = 0b100,
    /// `>=`
    AtLeast = 0b110,
    /// `=`
    Equal = 0b010,
    /// `not=`
    Unequal = 0b101,
}

/// A keyword that is called with a map.
#[derive(Debug)]
pub struct Key {
    /// The keyword.
    pub keyword: Value,
    /// The position of the keyword in the map of the last call.
    pub(crate) cache: InlineCache,
}

/// The instructions of one arity of a function.
#[derive(Debug, Default)]
pub struct Code {
    /// The instructions.
    pub ops: Vec<Op>,
    /// The span of each instruction in the source.
    pub spans: Vec<Span>,
    /// The constants.
    pub constants: Vec<Value>,
    /// The keywords that are called.
    pub keys: Vec<Key>,
    /// The instructions whose errors are caught, inner ones first.
    pub handlers: Vec<Handler>,
    /// The functions that it makes closures of.
    pub functions: Vec<Rc<Function>>,
    /// The number of registers of a frame.
    pub registers: usize,
    /// The type of the value that a call returned last; all arities of a function share it.
    pub(crate) returned: Rc<Cell<Option<Label>>>,
    /// The number of the program that this is part of, whose source the spans refer to.
    pub program: u32,
}

/// A `catch` or `finally`: where execution continues after an error in some instructions.
#[derive(Clone, Copy, Debug)]
pub struct Handler {
    /// The first of the instructions, and the one after the last.
    pub start: u16,
    pub end: u16,
    /// The instruction that comes next.
    pub to: u16,
    /// The register of the exception, or of the fault that a `finally` suspends.
    pub dst: Reg,
    /// The class of the caught exceptions; `None` for a `finally`.
    pub class: Option<&'static str>,
}

/// A compiled function expression. With captured values it becomes a closure.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its own name.
    pub name: Option<Str>,
    /// The text of the parameters.
    pub params: Str,
    /// Its source text.
    pub source: Str,
    /// Its arities; a variadic one is the last.
    pub arities: Vec<Arity>,
    /// The names that it captures, and where the frame that makes the closure holds their values.
    pub captures: Vec<(Str, Capture)>,
    /// The type of the value that a call of any arity returned last.
    pub(crate) returned: Rc<Cell<Option<Label>>>,
    /// Whether a frame needs the closure: the code reads captured values or the closure itself.
    pub needs_closure: bool,
}

/// One arity of a function.
#[derive(Clone, Debug)]
pub struct Arity {
    /// The number of parameters before `&`.
    pub required: usize,
    /// Whether it takes more arguments, as a vector in the next register.
    pub variadic: bool,
    /// Its code.
    pub code: Rc<Code>,
}

/// Where a captured value comes from.
#[derive(Clone, Copy, Debug)]
pub enum Capture {
    /// A register of the frame that makes the closure.
    Register(Reg),
    /// A value that the frame's closure captured.
    Captured(u16),
    /// The frame's closure.
    Itself,
}
