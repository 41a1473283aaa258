//! Output, the ends of programs, `apply`, and concurrent calls.

use super::arguments::{arg, take};
use super::{ANY, plain, steps};
use crate::lisp::fault::{EvalResult, Fault, type_error};
use crate::lisp::native::{Begin, Builtin, Context, Next, Steps};
use crate::lisp::sequence::to_vector;
use crate::lisp::text::display;
use crate::value::{Value, taken};

pub(super) const ROWS: &[Builtin] = &[
    plain("println", "x …", (0, ANY), "Prints a line, the arguments with spaces between; nil.", println),
    plain("return", "x", (1, 1), "Ends the program with a result.", |_, args| {
        Err(Box::new(Fault::Return(take(args, 0))))
    }),
    plain("fail", "x", (1, 1), "Ends the program with a failure.", |_, args| Err(Box::new(Fault::Fail(take(args, 0))))),
    steps("apply", "f coll, f x … coll", (2, ANY), "Calls f with the elements as arguments.", apply),
    steps("pmap", "f coll …", (2, ANY), "Like map, with all tool calls under way at once.", pmap),
    steps("pcalls", "f …", (0, ANY), "Calls functions without arguments, all tool calls under way at once.", pcalls),
];

fn println(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult {
    let mut line = String::new();
    for (index, arg) in args.iter().enumerate() {
        if index > 0 {
            line.push(' ');
        }
        display(context.meter, arg, &mut line)?;
    }
    context.print(&line)?;
    Ok(Value::Nil)
}

fn apply(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult<Begin> {
    let last = args.len() - 1;
    let spread = to_vector("apply", arg(args, last))?;
    context.meter.elements(spread.len())?;
    let mut all = taken(&mut args[1..last]);
    all.extend(spread.iter().cloned());
    Ok(Begin::Call(take(args, 0), all))
}

/// Calls that run concurrently, each in its own branch.
struct Parallel(Vec<(Value, Vec<Value>)>);

impl Steps for Parallel {
    fn step(&mut self, _: &mut Context<'_>, answer: Option<Value>) -> EvalResult<Next> {
        Ok(match answer {
            None => Next::Fork(std::mem::take(&mut self.0)),
            Some(results) => Next::Done(results),
        })
    }
}

fn fork(calls: Vec<(Value, Vec<Value>)>) -> Begin {
    match calls.is_empty() {
        true => Begin::Done(Value::vector([])),
        // Each branch has its own function, so the one here is not called.
        false => Begin::Steps(Value::vector([]), Box::new(Parallel(calls))),
    }
}

fn pmap(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult<Begin> {
    let mut inputs = Vec::new();
    for arg in &args[1..] {
        inputs.push(to_vector("pmap", arg)?);
    }
    let count = inputs.iter().map(|input| input.len()).min().unwrap_or_default();
    context.meter.elements(count)?;
    let call = |index| (arg(args, 0).clone(), inputs.iter().filter_map(|input| input.get(index).cloned()).collect());
    Ok(fork((0..count).map(call).collect()))
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
    Ok(fork(args.iter_mut().map(|arg| (std::mem::take(arg), Vec::new())).collect()))
}
