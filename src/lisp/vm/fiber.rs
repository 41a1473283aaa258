//! Fibers: the stack of frames of the program, or of a branch of `pmap` and the like.

use std::rc::Rc;

use super::Pending;
use crate::lisp::chunk::{Code, Function, Reg};
use crate::lisp::fault::{EvalResult, Fault};
use crate::lisp::native::{Builtin, Effects, Steps};
use crate::value::{Closure, Str, Value};

/// A stack of frames and its registers.
pub struct Fiber {
    pub frames: Vec<Frame>,
    pub registers: Vec<Value>,
    pub effects: Effects,
    pub state: State,
    /// For a branch: the number of the fiber that it joins, and its index among the branches there.
    pub parent: Option<(usize, usize)>,
    /// The number of frames of the fibers that it is nested in.
    pub depth: usize,
}

/// Whether a fiber can run, and what it waits for.
pub enum State {
    /// It can run, and the frame on top takes this result of its call, if there is one.
    Ready(Option<EvalResult>),
    /// The answer to a tool call, whose record has this index among the calls of the effects.
    Waiting(Pending, usize),
    /// Its branches.
    Forked(Fork),
}

/// Why a fiber stops.
pub enum Exit {
    /// It has ended.
    Ended(EvalResult),
    /// It waits for a tool, as in [`State::Waiting`].
    Wait(Pending, usize),
    /// It waits for its branches.
    Fork(Fork),
    /// A pause is due.
    Pause,
}

/// Branches that run concurrently.
pub struct Fork {
    /// The calls that have not begun, last first.
    pub jobs: Vec<(Value, Vec<Value>)>,
    /// How many have begun.
    pub begun: usize,
    /// How many have ended.
    pub ended: usize,
    /// The effects and the result of each that has begun, once it has ended.
    pub results: Vec<Option<(Effects, EvalResult)>>,
    /// The number of the fiber of each that has begun; none once it has ended.
    pub children: Vec<Option<usize>>,
    /// How many are joined, once all have ended, with their values and the first fault.
    pub joined: usize,
    pub values: Vec<Value>,
    pub fault: Option<Box<Fault>>,
    /// The builtin that forked.
    pub name: &'static str,
}

impl Fork {
    /// Branches that make these calls.
    pub fn new(mut jobs: Vec<(Value, Vec<Value>)>, name: &'static str) -> Fork {
        jobs.reverse();
        let count = jobs.len();
        Fork {
            jobs,
            begun: 0,
            ended: 0,
            // Lists that grow are copied, which takes long.
            results: Vec::with_capacity(count),
            children: Vec::with_capacity(count),
            joined: 0,
            values: Vec::new(),
            fault: None,
            name,
        }
    }
}

/// An activation.
pub enum Frame {
    /// Of a function of the program.
    Code(CodeFrame),
    /// Of a builtin that calls functions.
    Native(Box<NativeFrame>),
}

pub struct CodeFrame {
    pub code: Rc<Code>,
    pub closure: Option<Rc<Closure>>,
    /// The instruction that comes next.
    pub at: usize,
    /// Where its registers begin.
    pub base: usize,
    /// The register that takes the result of the call under way.
    pub dst: Reg,
}

pub struct NativeFrame {
    pub builtin: &'static Builtin,
    pub function: Callee,
    pub steps: Box<dyn Steps>,
    /// Where free registers begin.
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
