//! How a tool call is shown (FMT-011…013, TC-001…007).

use crate::turn::{ToolCall, Turn};
use crate::value::{PrintOptions, Value, to_clojure};

use super::options::Limits;
use super::text::within_line;

/// The header of the section.
pub const HEADER: &str = ";; Tool calls made:";

/// What stands there when there was no call at all.
pub const NONE: &str = ";; No tool calls made";

/// How arguments are printed (TRN-003).
const ARGS: PrintOptions = PrintOptions { limit: Some(3), printable_limit: Some(60), filter_hidden: true };

/// `;   name(args)`, and the result behind it where that is asked for and the turn printed
/// nothing.
pub fn call_line(turn: &Turn, call: &ToolCall, limits: &Limits) -> String {
    let line = format!(";   {}({})", within_line(&call.name), args_text(&call.args));
    match &call.error {
        None if limits.tool_results && turn.prints().is_empty() => {
            format!("{line} => {}", to_clojure(&call.result, &limits.sample_options()).text)
        }
        _ => line,
    }
}

/// The call in a line of [`call_line`], as the account of what was dropped tells it.
pub fn call_in(line: &str) -> &str {
    line.trim_start_matches([';', ' '])
}

/// `{:k v}` of arguments by name, `"x" 3` of positional ones, nothing of none or of hidden ones
/// alone.
fn args_text(args: &Value) -> String {
    match args {
        Value::Nil => String::new(),
        Value::Map(entries) if entries.iter().all(|(name, _)| name.is_hidden_key()) => String::new(),
        Value::Vector(positional) => {
            let text = to_clojure(&Value::Vector(positional.clone()), &ARGS).text;
            match text.strip_prefix('[').and_then(|text| text.rsplit_once(']')) {
                // The count that follows a cut list stays behind the arguments.
                Some((items, count)) => format!("{items}{count}"),
                None => text,
            }
        }
        named => to_clojure(named, &ARGS).text,
    }
}
