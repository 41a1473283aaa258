//! How a tool call is shown.

use crate::turn::{ToolCall, Turn};
use crate::value::{PrintOptions, Value, to_clojure};

use super::options::Limits;
use super::text::within_line;

/// Replaces the section of calls when no turn made one.
pub const NO_CALLS: &str = ";; No tool calls made";

/// How arguments are printed.
const ARGS: PrintOptions = PrintOptions { limit: Some(3), printable_limit: Some(60), filter_hidden: true };

/// The line of a call in a message.
pub fn call_line(turn: &Turn, call: &ToolCall, limits: &Limits) -> String {
    format!(";   {}", call_text(turn, call, limits))
}

/// `name(args)`. The result follows when the options ask for it and the turn printed nothing.
pub fn call_text(turn: &Turn, call: &ToolCall, limits: &Limits) -> String {
    let text = format!("{}({})", within_line(&call.name), args_text(&call.args));
    match &call.error {
        None if limits.tool_results && turn.prints().is_empty() => {
            format!("{text} => {}", to_clojure(&call.result, &limits.sample_options()).text)
        }
        _ => text,
    }
}

/// `{:k v}` for named arguments, `"x" 3` for positional ones, empty without arguments or with hidden ones only.
fn args_text(args: &Value) -> String {
    match args {
        Value::Nil => String::new(),
        Value::Map(entries) if entries.iter().all(|(name, _)| name.is_hidden_key()) => String::new(),
        Value::Vector(positional) => {
            let text = to_clojure(&Value::Vector(positional.clone()), &ARGS).text;
            match text.strip_prefix('[').and_then(|text| text.rsplit_once(']')) {
                // A list that is cut ends with its number of items, behind the bracket.
                Some((items, count)) => format!("{items}{count}"),
                None => text,
            }
        }
        named => to_clojure(named, &ARGS).text,
    }
}
