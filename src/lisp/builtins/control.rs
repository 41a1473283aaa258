//! Output, the ends of programs, `apply`, and concurrent calls.

use super::arguments::{arg, convert_long_args, take};
use super::pieces::Rest;
use super::{ANY, plain, steps};
use crate::lisp::equality::is_truthy;
use crate::lisp::fault::{EvalResult, Fault, error, type_error};
use crate::lisp::native::{Begin, Builtin, Context, ELEMENTS_PER_STEP, Next, Steps};
use crate::lisp::sequence::{LONG, to_vector};
use crate::lisp::task::Paused;
use crate::lisp::text::{Style, append, append_few, append_rest};
use crate::value::{Value, Vector, taken};

pub(super) const ROWS: &[Builtin] = &[
    plain("println", "x …", (0, ANY), "Prints a line, the arguments with spaces between; nil.", println),
    plain("return", "x", (1, 1), "Ends the program with a result.", |_, args| {
        Err(Box::new(Fault::Return(take(args, 0))))
    }),
    plain("fail", "x", (1, 1), "Ends the program with a failure.", |_, args| Err(Box::new(Fault::Fail(take(args, 0))))),
    plain("assert", "test, test message", (1, 2), "Ends the program with an error unless the test holds; nil.", assert),
    steps("apply", "f coll, f x … coll", (2, ANY), "Calls f with the elements as arguments.", apply),
    steps("pmap", "f coll …", (2, ANY), "Like map, with all tool calls under way at once.", pmap),
    steps("pcalls", "f …", (0, ANY), "Calls functions without arguments, all tool calls under way at once.", pcalls),
];

fn assert(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult {
    if is_truthy(arg(args, 0)) {
        return Ok(Value::Nil);
    }
    let mut message = String::from("Assert failed");
    if let Some(about) = args.get(1) {
        message.push_str(": ");
        append(context.meter, about, Style::Str, &mut message)?;
    }
    error("assertion_failed", message)
}

fn println(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult {
    let mut line = String::new();
    let position = append_few(context.meter, args, Style::Line, " ", &mut line)?;
    if position < args.len() {
        let (bounds, values) = (context.meter.bounds(), taken(args).into());
        let line = append_rest(bounds, (values, position), Style::Line, " ".into(), line);
        return context.work(Box::new(LongLine(Paused::new(line))));
    }
    context.print(&line)?;
    Ok(Value::Nil)
}

/// A line that takes long to write.
struct LongLine(Paused);

impl Steps for LongLine {
    fn step(&mut self, context: &mut Context<'_>, _: Option<Value>) -> EvalResult<Next> {
        let Next::Done(line) = self.0.step(context, None)? else { return Ok(Next::Continue) };
        context.print(line.as_str().unwrap_or_default())?;
        Ok(Next::Done(Value::Nil))
    }
}

fn apply(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult<Begin> {
    let last = args.len() - 1;
    convert_long_args(context, args, last)?;
    let spread = to_vector("apply", &take(args, last))?;
    let mut all = taken(&mut args[1..last]);
    if spread.len() > LONG {
        let function = take(args, 0);
        let split = match &function {
            Value::Builtin(name) if FOLDS.contains(&&**name) => ArgumentSplit::Folded,
            Value::Builtin(name) if CHAINS.contains(&&**name) => ArgumentSplit::Chained,
            _ => ArgumentSplit::One,
        };
        if let ArgumentSplit::One = split {
            all.reserve_exact(spread.len());
        }
        let rest = Rest::new(spread);
        return Ok(Begin::Work(Box::new(Applying { function: Some(function), split, args: all, rest })));
    }
    context.meter.elements(spread.len())?;
    if all.is_empty() {
        all = spread.into_vec();
    } else {
        all.extend(spread.into_vec());
    }
    Ok(Begin::Call(take(args, 0), all))
}

/// Functions whose calls with many arguments can be split: the result of a call with some of the arguments is the first
/// argument of the next call.
const FOLDS: &[&str] = &[
    "*",
    "+",
    "-",
    "/",
    "bit-and",
    "bit-and-not",
    "bit-or",
    "bit-xor",
    "concat",
    "intersection",
    "max",
    "merge",
    "min",
    "union",
];

/// Functions that are true for many arguments when they are true for each pair of neighbours.
const CHAINS: &[&str] = &["<", "<=", ">", ">="];

/// How a call with many arguments is split.
enum ArgumentSplit {
    /// One call with all arguments.
    One,
    /// Calls with some of the arguments, each after the result so far.
    Folded,
    /// Calls with some of the arguments, each after the last argument of the previous call, until the result is false.
    Chained,
}

/// A call with many arguments.
struct Applying {
    /// The called function; `None` once its last call is requested.
    function: Option<Value>,
    split: ArgumentSplit,
    args: Vec<Value>,
    rest: Rest,
}

impl Steps for Applying {
    fn step(&mut self, context: &mut Context<'_>, answer: Option<Value>) -> EvalResult<Next> {
        let Some(function) = &self.function else { return Ok(answer.map_or(Next::Continue, Next::Done)) };
        match (&self.split, answer) {
            (ArgumentSplit::Chained, Some(Value::Bool(false))) => return Ok(Next::Done(Value::Bool(false))),
            (ArgumentSplit::Chained, _) => {}
            (_, answer) => self.args.extend(answer),
        }
        let before = self.args.len();
        self.args.extend(self.rest.by_ref().take(ELEMENTS_PER_STEP));
        context.meter.elements(self.args.len() - before)?;
        let is_complete = self.rest.is_empty();
        if !is_complete && matches!(self.split, ArgumentSplit::One) {
            return Ok(Next::Continue);
        }
        let function = function.clone();
        if is_complete {
            self.function = None;
        }
        let next = match self.split {
            ArgumentSplit::Chained => self.args.last().cloned().into_iter().collect(),
            _ => Vec::new(),
        };
        Ok(Next::CallOther(function, std::mem::replace(&mut self.args, next)))
    }
}

/// Calls that run concurrently, each in its own branch.
struct Parallel {
    /// The function that is called with the elements of the inputs; `None` in `pcalls`, whose elements are functions.
    function: Option<Value>,
    inputs: Vec<Vector>,
    count: usize,
    calls: Vec<(Value, Vec<Value>)>,
}

impl Steps for Parallel {
    fn step(&mut self, _: &mut Context<'_>, answer: Option<Value>) -> EvalResult<Next> {
        if let Some(results) = answer {
            return Ok(Next::Done(results));
        }
        let next = self.calls.len()..self.count.min(self.calls.len() + ELEMENTS_PER_STEP);
        for index in next {
            let mut args: Vec<_> = self.inputs.iter().filter_map(|input| input.get(index).cloned()).collect();
            self.calls.push(match &self.function {
                Some(function) => (function.clone(), args),
                None => (args.pop().unwrap_or_default(), args),
            });
        }
        let is_complete = self.calls.len() == self.count;
        Ok(if is_complete { Next::Fork(std::mem::take(&mut self.calls)) } else { Next::Continue })
    }
}

fn fork(function: Option<Value>, inputs: Vec<Vector>, count: usize) -> Begin {
    match count {
        0 => Begin::Done(Value::vector([])),
        // Each branch has its own function, so the one here is not called.
        _ => Begin::Steps(Value::vector([]), Box::new(Parallel { function, inputs, count, calls: Vec::new() })),
    }
}

fn pmap(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult<Begin> {
    convert_long_args(context, args, 1)?;
    let mut inputs = Vec::new();
    for arg in &args[1..] {
        inputs.push(to_vector("pmap", arg)?);
    }
    let count = inputs.iter().map(|input| input.len()).min().unwrap_or_default();
    context.meter.elements(count)?;
    Ok(fork(Some(take(args, 0)), inputs, count))
}

fn pcalls(_: &mut Context<'_>, args: &mut [Value]) -> EvalResult<Begin> {
    for arg in args.iter() {
        if !matches!(arg, Value::Closure(_) | Value::Builtin(_) | Value::Var(_)) {
            return type_error(
                "pcalls",
                "functions without parameters",
                arg,
                "wrap each call: `(pcalls #(tool/a) #(tool/b))`",
            );
        }
    }
    let functions = Vector::from(taken(args));
    let count = functions.len();
    Ok(fork(None, vec![functions], count))
}
