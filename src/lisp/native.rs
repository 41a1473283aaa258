//! What functions of the library are to the machine.

use super::fault::{Outcome, error_with_hint};
use super::meter::Meter;
use crate::unicode::cut_place;
use crate::value::{Str, Value};

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

/// How a function of the library works.
#[derive(Clone, Copy)]
pub enum Native {
    /// It gives its result at once. Arguments may be taken out of their places.
    Plain(fn(&mut Context<'_>, &mut [Value]) -> Outcome),
    /// It calls functions.
    Steps(fn(&mut Context<'_>, &mut [Value]) -> Outcome<Begin>),
}

/// How a builtin that calls functions begins.
pub enum Begin {
    /// It has nothing to call.
    Done(Value),
    /// It calls this function, step by step.
    Steps(Value, Box<dyn Steps>),
    /// It ends in this call.
    Call(Value, Vec<Value>),
}

/// A builtin that is under way.
pub trait Steps {
    /// Goes on with what the last call gave; none at the beginning.
    fn step(&mut self, context: &mut Context<'_>, answer: Option<Value>) -> Outcome<Next>;

    /// Shows the values that are held, for counting them.
    fn visit(&self, see: &mut dyn FnMut(&Value));
}

/// What a builtin wants next.
pub enum Next {
    /// Its function called with one value.
    Call(Value),
    /// Its function called with two values.
    Call2(Value, Value),
    /// Its function called with these values.
    CallAll(Vec<Value>),
    /// Another function called.
    CallOther(Value, Vec<Value>),
    /// These calls made side by side; the answer is the vector of their results.
    Fork(Vec<(Value, Vec<Value>)>),
    /// Nothing: this is its result.
    Done(Value),
}

/// What builtins can reach.
pub struct Context<'a> {
    /// What the program uses.
    pub meter: &'a mut Meter,
    /// What the program has done.
    pub effects: &'a mut Effects,
    /// The name that the builtin was called by.
    pub name: &'static str,
}

/// What a program does, besides giving a result. A branch of `pmap` has its own until it joins.
#[derive(Debug, Default)]
pub struct Effects {
    /// What was printed, an entry for each call.
    pub prints: Vec<Str>,
    /// The tool calls, in order.
    pub calls: Vec<CallRecord>,
    /// The definitions that a branch made: places, and what stands there.
    pub definitions: Vec<(usize, super::globals::Global)>,
    /// Names that were defined, with their docstrings.
    pub defined: Vec<(Str, Option<Str>)>,
}

/// A tool call that happened, or that waits.
#[derive(Clone, Debug, PartialEq)]
pub struct CallRecord {
    /// Its number in the program.
    pub id: usize,
    /// The tool's name.
    pub name: Str,
    /// What it was given: a map, or a vector of positional values.
    pub args: Value,
    /// What it gave.
    pub result: Option<Value>,
    /// Why it gave nothing.
    pub error: Option<String>,
    /// How long it took, when the host said so.
    pub duration_ms: Option<f64>,
}

impl Context<'_> {
    /// Records a line that is printed.
    pub fn print(&mut self, line: &str) -> Outcome<()> {
        let limits = &self.meter.limits;
        if self.effects.prints.len() >= limits.prints {
            let message = format!("the program printed more than {} times", limits.prints);
            return error_with_hint("print_limit_exceeded", message, "print a summary: join lines into one text");
        }
        let line: Str = match cut_place(line, limits.print_length) {
            Some(end) => format!("{}...", &line[..end]).into(),
            None => line.into(),
        };
        self.meter.text(line.len())?;
        self.effects.prints.push(line);
        Ok(())
    }
}
