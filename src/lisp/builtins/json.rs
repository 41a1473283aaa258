//! JSON texts.

use super::arguments::arg;
use super::plain;
use super::strings::argument;
use crate::lisp::equality::is_truthy;
use crate::lisp::fault::{EvalResult, describe, error_with_hint};
use crate::lisp::native::{Builtin, Context};
use crate::lisp::text::{finish, size};
use crate::value::{Value, read_json, write_json};

pub(super) const ROWS: &[Builtin] = &[
    plain(
        "json/parse-string",
        "s, s keyword-keys?",
        (1, 2),
        "The value of a JSON text, nil when it is none; keys are strings, or keywords when asked for.",
        |context, args| {
            let keywords = args.get(1).is_some_and(is_truthy);
            parse(context, arg(args, 0), keywords)
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
            parse(context, arg(args, 0), keywords)
        },
    ),
    plain(
        "json/parse-lines",
        "s, s keyword-keys?",
        (1, 2),
        "The values of the lines that are not blank, nil where one is no JSON.",
        |context, args| {
            let keywords = args.get(1).is_some_and(is_truthy);
            let text = argument(context, arg(args, 0))?;
            let mut values = Vec::new();
            for line in text.lines().filter(|line| !line.trim().is_empty()) {
                context.meter.elements(1)?;
                values.push(read(context, line, keywords)?);
            }
            Ok(Value::from(values))
        },
    ),
    plain("json/generate-string", "x", (1, 1), "The JSON text of a value.", generate),
    plain("json/write-str", "x", (1, 1), "The JSON text of a value.", generate),
];

fn parse(context: &mut Context<'_>, text: &Value, keywords: bool) -> EvalResult {
    match text {
        Value::Nil => Ok(Value::Nil),
        text => {
            let text = argument(context, text)?;
            read(context, text, keywords)
        }
    }
}

fn read(context: &mut Context<'_>, text: &str, keywords: bool) -> EvalResult {
    // `[0,0` has an element for every two bytes: a value takes more memory than its text.
    context.meter.allocate(text.len() as u64 * 8)?;
    Ok(read_json(text, keywords).unwrap_or_default())
}

fn generate(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult {
    context.meter.text(size(arg(args, 0), 4 * context.meter.limits.collection_size))?;
    let mut out = String::new();
    if let Err(refused) = write_json(arg(args, 0), &mut out) {
        let hint = match refused {
            Value::Float(_) => "test with `NaN?` and `infinite?`, and write nil in its place",
            Value::Nil | Value::Vector(_) | Value::Map(_) | Value::Set(_) => {
                "keys of JSON are texts: change them with `(update-keys m str)`"
            }
            _ => "leave it out, or write its text with `(str x)`",
        };
        let message = format!("`{}` can't write {} as JSON", context.name, describe(refused));
        return error_with_hint("type_error", message, hint);
    }
    finish(context.meter, out)
}
