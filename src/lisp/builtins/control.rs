//! Output, the ends of programs, `apply`, and concurrent calls.

use super::arguments::{arg, take};
use super::building::inputs;
use super::filling::{Rest, with_digits};
use super::strings::written;
use super::{ANY, plain, steps};
use crate::lisp::equality::is_truthy;
use crate::lisp::fault::{EvalResult, Fault, error, type_error};
use crate::lisp::native::{Begin, Builtin, Context, ELEMENTS_PER_STEP, Jobs, Next};
use crate::lisp::sequence::to_vector;
use crate::lisp::task::{AsyncSteps, request, with};
use crate::lisp::text::{Style, append, joined};
use crate::value::{Value, taken};

pub(super) const ROWS: &[Builtin] = &[
    steps("println", "x …", (0, ANY), "Prints a line, the arguments with spaces between; nil.", |context, args| {
        with_digits(context, args, println)
    }),
    steps("print", "x …", (0, ANY), "Prints a line, as `println` does; nil.", |context, args| {
        with_digits(context, args, println)
    }),
    plain("return", "x", (1, 1), "Ends the program with a result.", |_, args| {
        Err(Box::new(Fault::Return(take(args, 0))))
    }),
    plain("fail", "x", (1, 1), "Ends the program with a failure.", |_, args| Err(Box::new(Fault::Fail(take(args, 0))))),
    plain("assert", "test, test message", (1, 2), "Ends the program with an error unless the test holds; nil.", assert),
    steps("apply", "f coll, f x … coll", (2, ANY), "Calls f with the elements as arguments.", apply),
    steps("pprint", "x", (1, 1), "Prints x as Clojure text, on one line; nil.", |context, args| {
        with_digits(context, args, print_readable)
    }),
    steps("prn", "x …", (0, ANY), "Prints a line, the arguments as Clojure text; nil.", |context, args| {
        with_digits(context, args, print_readable)
    }),
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

fn print_readable(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult {
    let line = written(context, args, Style::Readable, " ")?;
    context.print(line.as_str().unwrap_or_default())?;
    Ok(Value::Nil)
}

fn println(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult {
    let line = joined(context.meter, args, Style::Line, " ")?;
    context.print(&line)?;
    Ok(Value::Nil)
}

fn apply(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult<Begin> {
    let last = args.len() - 1;
    let spread = to_vector(context.meter, "apply", &take(args, last))?;
    let mut all = taken(&mut args[1..last]);
    let function = take(args, 0);
    if spread.len() > ELEMENTS_PER_STEP
        && let Value::Builtin(name) = &function
    {
        let is_chain = CHAINS.contains(&&**name);
        if is_chain || FOLDS.contains(&&**name) {
            let rest = Rest::new(spread);
            return Ok(Begin::Work(AsyncSteps::new(apply_in_parts(function, is_chain, all, rest))));
        }
    }
    context.meter.elements(spread.len())?;
    if all.is_empty() {
        all = spread.into_vec();
    } else {
        all.extend(spread.into_vec());
    }
    Ok(Begin::Call(function, all))
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

/// Splits a call with many arguments into several. Each call of a chain begins with the last argument of the previous call,
/// until the result is false; each call of a fold begins with the result so far.
async fn apply_in_parts(function: Value, is_chain: bool, args: Vec<Value>, mut rest: Rest) -> EvalResult {
    let mut args = args;
    loop {
        let part: Vec<Value> = rest.by_ref().take(ELEMENTS_PER_STEP).collect();
        let count = part.len();
        args.extend(part);
        with(move |context| context.meter.elements(count)).await;
        let first = if is_chain { args.last().cloned() } else { None };
        let answer = request(Next::CallOther(function.clone(), std::mem::take(&mut args))).await;
        if rest.is_empty() || (is_chain && matches!(answer, Value::Bool(false))) {
            return Ok(answer);
        }
        args.push(first.unwrap_or(answer));
    }
}

/// Calls functions concurrently, each call in its own branch.
fn fork(jobs: Jobs) -> Begin {
    match jobs.len() {
        0 => Begin::Done(Value::vector([])),
        _ => Begin::Work(AsyncSteps::new(async move { Ok(request(Next::Fork(jobs)).await) })),
    }
}

fn pmap(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult<Begin> {
    let (inputs, count) = inputs(context, args, 1)?;
    context.meter.elements(count)?;
    // A function and its arguments.
    context.meter.room(3 * count)?;
    Ok(fork(Jobs::Elements { function: take(args, 0), inputs, count }))
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
    Ok(fork(Jobs::Functions(taken(args))))
}
