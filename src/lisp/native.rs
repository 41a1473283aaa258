//! The interface between the library and the machine, which knows builtins only by these types.
//!
//! A builtin that calls functions does not call the machine: it returns the call that it needs as a [`Next`], and the
//! machine continues the builtin with the result.

use super::fault::{EvalResult, error_with_hint};
use super::meter::Meter;
use super::tool::ToolCall;
use crate::unicode::word_cut_position;
use crate::value::{Str, Value, Vector};
use crate::work::PIECE;

/// A function of the library.
#[derive(Clone, Copy)]
pub struct Builtin {
    /// Its name.
    pub name: &'static str,
    /// The parameters of its calls, separated by commas: `f coll, f init coll`.
    pub params: &'static str,
    /// The minimum and maximum number of arguments; `u8::MAX` is any number.
    pub arity: (u8, u8),
    /// What it does, in one line.
    pub doc: &'static str,
    /// Its code.
    pub code: Native,
}

/// The implementation of a function of the library.
#[derive(Clone, Copy)]
pub enum Native {
    /// Returns its result at once. It may take the arguments out of the slice.
    Plain(fn(&mut Context<'_>, &mut [Value]) -> EvalResult),
    /// Calls functions, or pauses.
    Steps(fn(&mut Context<'_>, &mut [Value]) -> EvalResult<Begin>),
}

impl Builtin {
    /// Begins a call.
    #[inline(always)]
    pub fn begin(&self, context: &mut Context<'_>, args: &mut [Value]) -> EvalResult<Begin> {
        match &self.code {
            Native::Plain(code) => code(context, args).map(Begin::Done),
            Native::Steps(begin) => begin(context, args),
        }
    }
}

/// The first request of a builtin.
pub enum Begin {
    /// It calls nothing and has this result.
    Done(Value),
    /// It calls this function, step by step.
    Steps(Value, Box<dyn Steps>),
    /// It calls nothing, but takes long, and continues step by step.
    Work(Box<dyn Steps>),
    /// It calls this function with these arguments and has its result.
    Call(Value, Vec<Value>),
}

impl Begin {
    /// Begins work that calls nothing: done at once when the first step completes it, else step by step.
    pub fn work(context: &mut Context<'_>, mut steps: Box<dyn Steps>) -> EvalResult<Begin> {
        Ok(match steps.step(context, None)? {
            Next::Done(value) => Begin::Done(value),
            _ => Begin::Work(steps),
        })
    }

    /// Converts to the next request of a builtin that has already begun, with the steps that take the answer, if any.
    pub fn follow(self, context: &mut Context<'_>) -> EvalResult<(Next, Option<Box<dyn Steps>>)> {
        Ok(match self {
            Begin::Done(value) => (Next::Done(value), None),
            Begin::Call(function, args) => (Next::CallOther(function, args), None),
            Begin::Work(steps) => (Next::Continue, Some(steps)),
            Begin::Steps(function, mut steps) => {
                let next = match steps.step(context, None)? {
                    Next::Call(value) => Next::CallOther(function, vec![value]),
                    Next::Call2(left, right) => Next::CallOther(function, vec![left, right]),
                    Next::CallAll(values) => Next::CallOther(function, values),
                    next => next,
                };
                (next, Some(steps))
            }
        })
    }
}

/// How many elements a builtin visits in one step, which takes about a millisecond.
pub const ELEMENTS_PER_STEP: usize = PIECE as usize;

/// The limit of the work in one step, which can end the step before [`ELEMENTS_PER_STEP`] elements.
pub struct StepBudget(u64);

impl StepBudget {
    /// Begins a step.
    pub fn begin(context: &Context<'_>) -> StepBudget {
        StepBudget(context.meter.spent().saturating_add(ELEMENTS_PER_STEP as u64))
    }

    /// Returns whether the step must end.
    #[inline(always)]
    pub fn is_over(&self, context: &Context<'_>) -> bool {
        context.meter.spent() > self.0
    }
}

/// A builtin that has begun and not ended.
pub trait Steps {
    /// Continues with the result of the last call; `None` at the beginning.
    fn step(&mut self, context: &mut Context<'_>, answer: Option<Value>) -> EvalResult<Next>;
}

impl<F: FnMut(&mut Context<'_>, Option<Value>) -> EvalResult<Next>> Steps for F {
    fn step(&mut self, context: &mut Context<'_>, answer: Option<Value>) -> EvalResult<Next> {
        self(context, answer)
    }
}

/// What a builtin requests next.
pub enum Next {
    /// A call of its function with one value.
    Call(Value),
    /// A call of its function with two values.
    Call2(Value, Value),
    /// A call of its function with these values.
    CallAll(Vec<Value>),
    /// A call of another function.
    CallOther(Value, Vec<Value>),
    /// A call of the tool with this name, whose arguments were counted.
    CallTool(Str, Vec<Value>),
    /// Concurrent calls, whose result is the vector of their results.
    Fork(Jobs),
    /// No call: the builtin continues, without an answer, after a pause.
    Continue,
    /// No call: the builtin ends with this result.
    Done(Value),
}

/// Concurrent calls.
pub enum Jobs {
    /// Calls of one function with the elements of collections, each of which has at least `count`.
    Elements { function: Value, inputs: Vec<Vector>, count: usize },
    /// Calls of functions without arguments.
    Functions(Vec<Value>),
}

impl Jobs {
    /// Returns the number of calls.
    pub fn len(&self) -> usize {
        match self {
            Jobs::Elements { count, .. } => *count,
            Jobs::Functions(functions) => functions.len(),
        }
    }

    /// Returns the function and the arguments of a call.
    pub fn call(&self, index: usize) -> (Value, Vec<Value>) {
        match self {
            Jobs::Elements { function, .. } => (function.clone(), self.elements(index).cloned().collect()),
            Jobs::Functions(functions) => (functions[index].clone(), Vec::new()),
        }
    }

    /// Returns the arguments of a call.
    pub fn elements(&self, index: usize) -> impl Iterator<Item = &Value> {
        let inputs = match self {
            Jobs::Elements { inputs, .. } => inputs.as_slice(),
            Jobs::Functions(_) => &[],
        };
        inputs.iter().filter_map(move |input| input.get(index))
    }
}

/// The state of the program that builtins can use.
pub struct Context<'a> {
    /// The meter of the program.
    pub meter: &'a mut Meter,
    /// The effects of the program so far.
    pub effects: &'a mut Effects,
    /// The name of the builtin.
    pub name: &'static str,
}

/// The effects of a program. A branch of `pmap` has its own until it joins.
#[derive(Debug, Default)]
pub struct Effects {
    /// The printed texts, one for each call.
    pub prints: Vec<Str>,
    /// The tool calls, in order, each with its number in the program.
    pub calls: Vec<(usize, ToolCall)>,
    /// The definitions that a branch made, with their positions.
    pub definitions: Vec<(usize, super::globals::Global)>,
    /// The names that were defined, with their docstrings.
    pub defined: Vec<(Str, Option<Str>)>,
}

impl Context<'_> {
    /// Prints a line, cut to `print_length` between two words. Fails after too many lines.
    pub fn print(&mut self, line: &str) -> EvalResult<()> {
        let limits = &self.meter.limits;
        if self.effects.prints.len() >= limits.prints {
            let message = format!("the program printed more than {} times", limits.prints);
            return error_with_hint("print_limit_exceeded", message, "print a summary: join lines into one text");
        }
        let line: Str = match word_cut_position(line, limits.print_length) {
            Some(end) => format!("{}...", &line[..end]).into(),
            None => line.into(),
        };
        self.meter.text(line.len())?;
        self.effects.prints.push(line);
        Ok(())
    }
}
