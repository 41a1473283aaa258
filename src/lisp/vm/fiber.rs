//! Fibers: the stack of frames of the program, or of a branch of a concurrent builtin such as `pmap`.

use std::rc::Rc;

use super::branches::BranchFaults;
use crate::lisp::chunk::{Code, Function, Reg};
use crate::lisp::fault::EvalResult;
use crate::lisp::native::{Builtin, Effects, Jobs, Steps};
use crate::value::{Closure, Str, Value};

/// A stack of frames and its registers.
pub struct Fiber {
    pub frames: Vec<Frame>,
    pub registers: Vec<Value>,
    pub effects: Effects,
    pub state: FiberState,
    /// For a branch: the number of the fiber that it joins, and its index among the branches there.
    pub parent: Option<(usize, usize)>,
    /// The number of the nearest fiber around it that has definitions of its own. A fiber defines nothing while it has
    /// branches.
    pub defining: Option<usize>,
    /// The number of frames of the fibers around it.
    pub depth: usize,
}

/// The state of a fiber that does not run.
pub enum FiberState {
    /// It can run. The top frame takes this result of its call, if there is one.
    Ready(Option<EvalResult>),
    /// It waits for the reply to a tool call, whose record has this index in the calls of the effects.
    Waiting(usize),
    /// It waits for its branches.
    Forked(Fork),
}

/// The reason why a fiber stops.
pub enum Exit {
    /// It has ended.
    Ended(EvalResult),
    /// It waits for a tool, as in [`FiberState::Waiting`].
    Wait(usize),
    /// It waits for its branches.
    Fork(Fork),
    /// A pause is due.
    Pause,
}

/// Branches that run concurrently.
pub struct Fork {
    /// The calls of the branches.
    pub jobs: Jobs,
    /// The number of branches that have begun.
    pub begun: usize,
    /// The number of branches that have ended.
    pub ended: usize,
    /// The effects and the result of each branch that has begun; `None` until it has ended.
    pub results: Vec<Option<(Effects, EvalResult)>>,
    /// The fiber number of each branch that has begun; `None` once it has ended.
    pub children: Vec<Option<usize>>,
    /// The number of joined branches, which are joined once all have ended, with their values and their faults.
    pub joined: usize,
    pub values: Vec<Value>,
    pub faults: BranchFaults,
    /// The builtin that forked.
    pub name: &'static str,
}

impl Fork {
    /// Branches that make these calls.
    pub fn new(jobs: Jobs, name: &'static str) -> Fork {
        let count = jobs.len();
        Fork {
            jobs,
            begun: 0,
            ended: 0,
            // Growing a long list copies it, which takes long.
            results: Vec::with_capacity(count),
            children: Vec::with_capacity(count),
            joined: 0,
            values: Vec::new(),
            faults: BranchFaults::default(),
            name,
        }
    }
}

/// The frame of a call.
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
    /// The index of its first register.
    pub base: usize,
    /// The register for the result of the current call.
    pub dst: Reg,
}

pub struct NativeFrame {
    /// The name of the builtin.
    pub name: &'static str,
    pub function: Callee,
    pub steps: Box<dyn Steps>,
    /// The index of the first free register.
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
            state: FiberState::Ready(None),
            parent,
            defining: None,
            depth,
        }
    }
}
