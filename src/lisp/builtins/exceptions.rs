//! Exceptions: making, throwing and reading them.

use super::arguments::{arg, take};
use super::plain;
use crate::lisp::exception;
use crate::lisp::fault::{EvalResult, type_error};
use crate::lisp::native::{Builtin, Context};
use crate::value::Value;

pub(super) const ROWS: &[Builtin] = &[
    plain("Exception.", "message, message cause", (0, 2), "An exception, which `throw` throws.", of_class),
    plain("RuntimeException.", "message, message cause", (0, 2), "An exception, which `throw` throws.", of_class),
    plain(
        "IllegalArgumentException.",
        "message, message cause",
        (0, 2),
        "An exception for a wrong argument.",
        of_class,
    ),
    plain("IllegalStateException.", "message, message cause", (0, 2), "An exception for a wrong state.", of_class),
    plain(
        "ex-info",
        "message data, message data cause",
        (2, 3),
        "An exception with a map of data.",
        |context, args| {
            check_message(context, arg(args, 0))?;
            if !matches!(arg(args, 1), Value::Map(_)) {
                return type_error(
                    context.name,
                    "a map as data",
                    arg(args, 1),
                    "write `(ex-info \"message\" {:id 7})`",
                );
            }
            Ok(exception::with_data(take(args, 0), take(args, 1), take(args, 2)))
        },
    ),
    plain("ex-message", "e", (1, 1), "The message of an exception; nil for other values.", |_, args| {
        Ok(exception::member(arg(args, 0), "message"))
    }),
    plain(
        "ex-data",
        "e",
        (1, 1),
        "The data of an exception; for the error of a tool, `:tool` and `:args`.",
        |_, args| Ok(exception::member(arg(args, 0), "data")),
    ),
    plain("ex-cause", "e", (1, 1), "The exception that caused an exception; nil without one.", |_, args| {
        Ok(exception::member(arg(args, 0), "cause"))
    }),
    plain("throw", "e", (1, 1), "Throws an exception: `(throw (ex-info \"no stock\" {:id 7}))`.", |_, args| {
        exception::throw(take(args, 0))
    }),
];

fn of_class(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult {
    check_message(context, arg(args, 0))?;
    Ok(exception::new(context.name.trim_end_matches('.'), take(args, 0), Value::Nil, take(args, 1)))
}

fn check_message(context: &Context<'_>, message: &Value) -> EvalResult<()> {
    match message {
        Value::Str(_) | Value::Nil => Ok(()),
        other => type_error(context.name, "a message", other, "make a text: `(str …)`"),
    }
}
