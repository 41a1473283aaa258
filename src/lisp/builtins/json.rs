//! JSON texts.

use super::arguments::{arg, take};
use super::plain;
use super::strings::argument;
use crate::lisp::equality::is_truthy;
use crate::lisp::fault::{EvalResult, describe, error_with_hint};
use crate::lisp::meter::Bounds;
use crate::lisp::native::{Builtin, Context, ELEMENTS_PER_STEP};
use crate::lisp::task::Pace;
use crate::lisp::text::{finish_in, measured, size};
use crate::value::{PlainReading, PlainWriting, Value};
use crate::work::large;

pub(super) const ROWS: &[Builtin] = &[
    plain(
        "json/parse-string",
        "s, s keyword-keys?",
        (1, 2),
        "The value of a JSON text, nil when it is none; keys are strings, or keywords when asked for.",
        |context, args| {
            let keywords = args.get(1).is_some_and(is_truthy);
            parse(context, take(args, 0), keywords)
        },
    ),
    plain(
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
    plain(
        "json/parse-lines",
        "s, s keyword-keys?",
        (1, 2),
        "The values of the lines that are not blank, nil where one is no JSON.",
        |context, args| {
            let keywords = args.get(1).is_some_and(is_truthy);
            let bytes = argument(context, arg(args, 0))?.len();
            let (bounds, text) = (context.meter.bounds(), take(args, 0));
            context.task(bytes, async move {
                let (mut pace, mut values) = (Pace::new(), Vec::new());
                for line in text.as_str().unwrap_or_default().lines().filter(|line| !line.trim().is_empty()) {
                    bounds.elements(1)?;
                    values.push(read(bounds, line, keywords, &mut pace).await?);
                }
                Ok(Value::from(values))
            })
        },
    ),
    plain("json/generate-string", "x", (1, 1), "The JSON text of a value.", generate),
    plain("json/write-str", "x", (1, 1), "The JSON text of a value.", generate),
];

fn parse(context: &mut Context<'_>, text: Value, keywords: bool) -> EvalResult {
    if let Value::Nil = text {
        return Ok(Value::Nil);
    }
    let bytes = argument(context, &text)?.len();
    let bounds = context.meter.bounds();
    context.task(bytes, async move {
        let mut pace = Pace::new();
        read(bounds, text.as_str().unwrap_or_default(), keywords, &mut pace).await
    })
}

/// The values that are read, or the pieces that are written, between two possible pauses; each takes as long as several
/// elements.
const ITEMS: usize = large(1000);

async fn read(bounds: Bounds, text: &str, keywords: bool, pace: &mut Pace) -> EvalResult {
    // `[0,0` has an element for every two bytes: a value takes more memory than its text.
    bounds.allocate(text.len() as u64 * 8)?;
    let mut reading = PlainReading::new(text, keywords);
    loop {
        match reading.advance(ITEMS) {
            Ok(None) => pace.pass(4 * ITEMS).await,
            Ok(Some(value)) => return Ok(value),
            Err(_) => return Ok(Value::Nil),
        }
    }
}

fn generate(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult {
    let (bounds, name, value) = (context.meter.bounds(), context.name, take(args, 0));
    context.task(size(&value, 2 * ELEMENTS_PER_STEP), async move {
        let mut pace = Pace::new();
        bounds.text(measured(bounds, &value, &mut pace).await)?;
        let (mut writing, mut out) = (PlainWriting::new(&value), String::new());
        loop {
            match writing.advance(ITEMS, &mut out) {
                Ok(false) => pace.pass(2 * ITEMS).await,
                Ok(true) => return finish_in(bounds, out),
                Err(refused) => return not_written(name, refused),
            }
        }
    })
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
