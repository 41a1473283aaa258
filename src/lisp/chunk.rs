//! What programs are compiled to: instructions on numbered registers.
//!
//! A call's arguments stand in consecutive registers, and are the first registers of the frame of
//! the function that is called, so that calling copies nothing.

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

/// One instruction. `dst` is the register that takes the result, `to` the instruction to go on
/// with. Registers named `base` begin a run of registers, which is empty afterwards.
#[derive(Clone, Copy, Debug)]
pub enum Op {
    /// Loads a constant.
    Const { dst: Reg, constant: u16 },
    /// Copies a register.
    Move { dst: Reg, from: Reg },
    /// Empties a register that is not read again.
    Take { dst: Reg, from: Reg },
    /// Loads what the closure captured.
    Captured { dst: Reg, index: u16 },
    /// Loads the closure that runs.
    Itself { dst: Reg },
    /// Loads what a name means that is no local one.
    Global { dst: Reg, name: u16 },
    /// Loads `data/…`; the constant is its name.
    Data { dst: Reg, name: u16 },
    /// Loads `*1`, `*2` or `*3`.
    Recent { dst: Reg, index: u16 },
    /// Makes a closure of a function of the code.
    Closure { dst: Reg, function: u16 },
    /// Makes a vector of a run of registers.
    Vector { dst: Reg, base: Reg, count: u16 },
    /// Makes a map of keys and values in turn; `count` is how many registers these are.
    Map { dst: Reg, base: Reg, count: u16 },
    /// Makes a set of a run of registers.
    Set { dst: Reg, base: Reg, count: u16 },
    /// Goes on elsewhere.
    Jump { to: u16 },
    /// Goes back to where a round of an iteration begins.
    Back { to: u16 },
    /// Jumps on `nil` and `false`.
    JumpIfNot { test: Reg, to: u16 },
    /// Jumps on everything else.
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
    /// Looks a key of the code up, as `(:key from)` does.
    Key { dst: Reg, from: Operand, key: u16 },
    /// Looks a constant key up in what a pattern takes apart.
    Field { dst: Reg, from: Reg, key: u16 },
    /// Takes an element out of what a pattern takes apart.
    Nth { dst: Reg, from: Reg, index: u16 },
    /// Takes the elements from `index` on.
    Rest { dst: Reg, from: Reg, index: u16 },
    /// Turns trailing keys and values into the map that a pattern takes apart.
    Options { dst: Reg, from: Reg },
    /// Calls what stands at `base` with the `count` registers behind it.
    Call { dst: Reg, base: Reg, count: u16 },
    /// Calls what a name means with the registers behind `base`.
    CallGlobal { count: u8, dst: Reg, base: Reg, name: u16 },
    /// Calls a builtin, by its place in the table, with the registers behind `base`.
    CallBuiltin { count: u8, dst: Reg, base: Reg, builtin: u16 },
    /// Calls a tool, by the constant that is its name, with the registers behind `base`.
    CallTool { count: u8, dst: Reg, base: Reg, name: u16 },
    /// Moves `count` registers from `from` to `to` and goes back to the head of the loop, whose
    /// counter stands behind its last register.
    Recur { count: u8, from: Reg, to: Reg, head: u16 },
    /// Makes the elements of a collection ready for [`Op::Next`], in `items` and the register
    /// behind it.
    Iterate { items: Reg },
    /// Takes the next element, or jumps behind the last one.
    Next { dst: Reg, items: Reg, to: u16 },
    /// Adds to the vector that is being built.
    Push { items: Reg, value: Reg },
    /// Defines a name, with the docstring in a constant (`u16::MAX`: none).
    Define { name: u16, from: Reg, doc: u16 },
    /// Ends with the error that no clause matches.
    NoClause { value: Reg },
    /// Gives the result to the caller.
    Return { from: Reg },
}

/// What two values are asked for. The bits say whether it holds of a smaller, an equal and a larger
/// left value.
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
    /// Where maps have it.
    pub(crate) place: InlineCache,
}

/// The instructions of one arity of a function.
#[derive(Debug, Default)]
pub struct Code {
    /// The instructions.
    pub ops: Vec<Op>,
    /// Where each of them stands in the source.
    pub spans: Vec<Span>,
    /// The constants.
    pub constants: Vec<Value>,
    /// The keywords that are called.
    pub keys: Vec<Key>,
    /// The functions made here.
    pub functions: Vec<Rc<Function>>,
    /// How many registers a frame has.
    pub registers: usize,
    /// Where the type of what is returned is noted.
    pub(crate) returned: Rc<Cell<Option<Label>>>,
    /// The number of the program that this is part of; spans count in its source.
    pub program: u32,
}

/// What a function expression is compiled to; a closure is made of it with captured values.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its own name.
    pub name: Option<Str>,
    /// The parameters, as they are shown.
    pub params: Str,
    /// Its source text.
    pub source: Str,
    /// Its arities, the one that takes any number of arguments last.
    pub arities: Vec<Arity>,
    /// What it captures, by name, and where the maker finds it.
    pub captures: Vec<(Str, Capture)>,
    /// What a call returned last, of whichever arity.
    pub(crate) returned: Rc<Cell<Option<Label>>>,
    /// Whether a frame needs the closure, for what it captured or for itself.
    pub needs_closure: bool,
}

/// One arity of a function.
#[derive(Clone, Debug)]
pub struct Arity {
    /// How many parameters it has, less the one behind `&`.
    pub required: usize,
    /// Whether it takes further arguments, as a vector in the register behind the others.
    pub variadic: bool,
    /// What it does.
    pub code: Rc<Code>,
}

/// Where a captured value comes from.
#[derive(Clone, Copy, Debug)]
pub enum Capture {
    /// A register of the frame that makes the closure.
    Register(Reg),
    /// Something that the maker captured itself.
    Captured(u16),
    /// The closure that makes the closure.
    Itself,
}
