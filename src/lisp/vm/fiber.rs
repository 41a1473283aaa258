//! A stack of frames: the program's, or that of a branch of `pmap`.

use std::rc::Rc;

use super::Pending;
use crate::lisp::chunk::{Code, Function, Reg};
use crate::lisp::fault::Outcome;
use crate::lisp::native::{Builtin, Effects, Steps};
use crate::value::{Closure, Str, Value};

/// A stack of frames and its registers.
pub struct Fiber {
    pub frames: Vec<Frame>,
    pub registers: Vec<Value>,
    pub effects: Effects,
    pub state: State,
    /// The branch that this one joins, and its number there.
    pub parent: Option<(usize, usize)>,
    /// Frames of the fibers around it.
    pub depth: usize,
}

/// What a fiber waits for.
pub enum State {
    /// Nothing; what is delivered to the frame on top, if anything.
    Ready(Option<Outcome>),
    /// The answer to a tool call, which is the effect of that number.
    Waiting(Pending, usize),
    /// Its branches.
    Forked(Fork),
}

/// Branches that run side by side.
pub struct Fork {
    /// The calls that were not begun, last first.
    pub jobs: Vec<(Value, Vec<Value>)>,
    /// How many were begun.
    pub begun: usize,
    /// How many have ended.
    pub ended: usize,
    /// What each of them did and gave, once it has ended.
    pub results: Vec<Option<(Effects, Outcome)>>,
    /// The fibers of those that wait.
    pub children: Vec<usize>,
    /// The builtin that forked.
    pub name: &'static str,
}

/// An activation.
pub enum Frame {
    /// Of a function of the program.
    Code(CodeFrame),
    /// Of a builtin that calls functions.
    Native(Box<NativeFrame>),
}

#[derive(Clone)]
pub struct CodeFrame {
    pub code: Rc<Code>,
    pub closure: Option<Rc<Closure>>,
    /// The instruction that comes next.
    pub at: usize,
    /// Where its registers begin.
    pub base: usize,
    /// Where the result of the call under way goes.
    pub dst: Reg,
}

pub struct NativeFrame {
    pub builtin: &'static Builtin,
    pub function: Callee,
    pub steps: Box<dyn Steps>,
    /// Where registers are free.
    pub top: usize,
}

/// Something that can be called.
#[derive(Clone)]
pub enum Callee {
    Function(Rc<Function>, Rc<Closure>),
    Builtin(&'static Builtin),
    Tool(Str),
    /// A keyword, map, set or vector.
    Lookup(Value),
}

impl Fiber {
    /// The fiber of a program that begins.
    pub fn of_program(function: Rc<Function>) -> Fiber {
        let mut fiber = Fiber::empty(None, 0);
        let code = function.arities[0].code.clone();
        fiber.registers.resize(code.registers, Value::Nil);
        fiber.frames.push(Frame::Code(CodeFrame { code, closure: None, at: 0, base: 0, dst: 0 }));
        fiber
    }

    /// A fiber without frames.
    pub fn empty(parent: Option<(usize, usize)>, depth: usize) -> Fiber {
        Fiber {
            frames: Vec::new(),
            registers: Vec::new(),
            effects: Effects::default(),
            state: State::Ready(None),
            parent,
            depth,
        }
    }
}
