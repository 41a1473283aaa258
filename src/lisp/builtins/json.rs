//! JSON texts.

use super::arguments::{arg, take};
use super::filling::with_digits;
use super::steps;
use super::strings::argument;
use crate::lisp::equality::is_truthy;
use crate::lisp::fault::{EvalResult, describe, error_with_hint};
use crate::lisp::native::{Begin, Builtin, Context};
use crate::lisp::task::{AsyncSteps, pause};
use crate::lisp::text::{finish, size};
use crate::value::{PlainReading, Value, write_json};
use crate::work;

pub(super) const ROWS: &[Builtin] = &[
    steps(
        "json/parse-string",
        "s, s keyword-keys?",
        (1, 2),
        "The value of a JSON text, nil when it is none; keys are strings, or keywords when asked for.",
        |context, args| {
            let keywords = args.get(1).is_some_and(is_truthy);
            parse(context, take(args, 0), keywords)
        },
    ),
    steps(
        "json/read-str",
        "s, s :key-fn keyword",
        (1, 3),
        "The value of a JSON text, nil when it is none; keys are strings, or keywords when asked for.",
        |context, args| {
            let keywords = match args {
                [_, Value::Keyword(name), Value::Builtin(function)] => **name == *"key-fn" && **function == *"keyword",
                _ => false,
            };
            if args.len() > 1 && !keywords {
                let message = "`json/read-str` knows the one option `:key-fn keyword`";
                return error_with_hint("type_error", message, "change keys afterwards with `(update-keys m f)`");
            }
            parse(context, take(args, 0), keywords)
        },
    ),
    steps(
        "json/parse-lines",
        "s, s keyword-keys?",
        (1, 2),
        "The values of the lines that are not blank, nil where one is no JSON.",
        |context, args| {
            let keywords = args.get(1).is_some_and(is_truthy);
            argument(context, arg(args, 0))?;
            let text = take(args, 0);
            Begin::work(
                context,
                AsyncSteps::new(async move {
                    let mut values = Vec::new();
                    for line in text.as_str().unwrap_or_default().lines().filter(|line| !line.trim().is_empty()) {
                        work::charge(1);
                        values.push(read(line, keywords).await);
                    }
                    Ok(Value::from(values))
                }),
            )
        },
    ),
    steps("json/generate-string", "x", (1, 1), "The JSON text of a value.", |context, args| {
        with_digits(context, args, generate)
    }),
    steps("json/write-str", "x", (1, 1), "The JSON text of a value.", |context, args| {
        with_digits(context, args, generate)
    }),
];

fn parse(context: &mut Context<'_>, text: Value, keywords: bool) -> EvalResult<Begin> {
    if let Value::Nil = text {
        return Ok(Begin::Done(Value::Nil));
    }
    argument(context, &text)?;
    let read = async move { Ok(read(text.as_str().unwrap_or_default(), keywords).await) };
    Begin::work(context, AsyncSteps::new(read))
}

/// The values that are read between two checks of the work.
const ITEMS: usize = 100;

/// Reads a JSON text; returns nil for a text that is none. It pauses for the digits of large integers, which take
/// quadratic time, and as soon as the memory is used up, because a value takes more memory than its text.
async fn read(text: &str, keywords: bool) -> Value {
    let mut reading = PlainReading::new(text, keywords);
    loop {
        match reading.advance(ITEMS) {
            Ok(None) if work::done() > work::PIECE => pause().await,
            Ok(None) => {}
            Ok(Some(value)) => return value,
            Err(_) => return Value::Nil,
        }
    }
}

fn generate(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult {
    let value = take(args, 0);
    context.meter.text(size(&value, 4 * context.meter.limits.collection_size))?;
    let mut out = String::new();
    match write_json(&value, &mut out) {
        Ok(()) => finish(context.meter, out),
        Err(refused) => not_written(context.name, refused),
    }
}

#[cold]
fn not_written(name: &str, refused: &Value) -> EvalResult {
    let hint = match refused {
        Value::Float(_) => "test with `NaN?` and `infinite?`, and write nil in its place",
        Value::Nil | Value::Vector(_) | Value::Map(_) | Value::Set(_) => {
            "keys of JSON are texts: change them with `(update-keys m str)`"
        }
        _ => "leave it out, or write its text with `(str x)`",
    };
    let message = format!("`{name}` can't write {} as JSON", describe(refused));
    error_with_hint("type_error", message, hint)
}
