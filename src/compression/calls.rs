//! How a tool call is shown.

use crate::turn::{ToolCall, Turn};
use crate::unicode::on_one_line;
use crate::value::{PrintOptions, Value, to_sample};

use super::options::Limits;
use super::text::{shortened, within_line};

/// Replaces the section of calls when no turn made one.
pub const NO_CALLS: &str = ";; No tool calls made";

/// How arguments are printed.
const ARGS: PrintOptions = PrintOptions { limit: Some(3), printable_limit: Some(60), filter_hidden: true };

/// The line of a call in a message.
pub fn call_line(turn: &Turn, call: &ToolCall, limits: &Limits) -> String {
    format!(";   {}", call_text(turn, call, limits))
}

/// The most bytes of the lines of the calls that a message shows of a turn that failed.
const CALLS_LENGTH: usize = 4000;

/// Characters of the message of a failed call, in the message after its program.
const FAILURE_LENGTH: usize = 1000;

/// The calls of a turn that failed, with the lines that the message after it shows: calls that failed first, because the
/// next program has to handle them, with their whole messages; then the others with their results. Indexes of calls.
#[derive(Debug)]
pub struct FailedCalls {
    pub shown: Vec<(usize, String)>,
    /// The indexes of the calls that do not fit.
    pub omitted: Vec<usize>,
}

impl FailedCalls {
    pub fn of(turn: &Turn, limits: &Limits) -> FailedCalls {
        let calls = turn.tool_calls();
        let is_failed = |index: &usize| calls[*index].error.is_some();
        let (failed, others): (Vec<_>, Vec<_>) = (0..calls.len()).partition(is_failed);
        let (mut shown, mut omitted, mut length) = (Vec::new(), Vec::new(), 0);
        for index in failed.into_iter().chain(others) {
            if length >= CALLS_LENGTH || limits.tool_calls == 0 {
                omitted.push(index);
                continue;
            }
            let line = failed_call_line(&calls[index], limits);
            length += line.len();
            shown.push((index, line));
        }
        FailedCalls { shown, omitted }
    }
}

/// The line that counts the calls that a message does not show after those that it shows.
pub fn rest_line(omitted: usize) -> String {
    format!(";   and {omitted} more")
}

/// The line of a call in the message after the turn that failed and made it.
pub fn failed_call_line(call: &ToolCall, limits: &Limits) -> String {
    let says_nothing = call.error.is_none() && matches!(call.result, Value::Nil);
    let outcome = if says_nothing { String::new() } else { outcome_text(call, limits, FAILURE_LENGTH) };
    format!(";   {}{outcome}", head(call))
}

/// `name(args)`, then its outcome: `; failed: message` for a call that failed, `=> result` when the options ask for
/// results and the turn printed nothing, and also when the turn failed, because the names that it gave to results are
/// lost.
pub fn call_text(turn: &Turn, call: &ToolCall, limits: &Limits) -> String {
    let is_asked_for = limits.tool_results && turn.prints().is_empty();
    let is_lost = !turn.is_success() && !matches!(call.result, Value::Nil);
    let mut text = head(call);
    if call.error.is_some() || is_asked_for || is_lost {
        text.push_str(&outcome_text(call, limits, limits.sample_printable));
    }
    text
}

/// `name(args)`
fn head(call: &ToolCall) -> String {
    format!("{}({})", within_line(&call.name), args_text(&call.args))
}

fn outcome_text(call: &ToolCall, limits: &Limits, failure_length: usize) -> String {
    match &call.error {
        Some(error) => format!("  ; failed: {}", failure(&call.name, error, failure_length)),
        None => format!(" => {}", to_sample(&call.result, &limits.sample_options()).text),
    }
}

/// The message of a call's error, without the name of the tool that the machine puts in front for errors of programs.
fn failure(tool: &str, error: &str, length: usize) -> String {
    let message = error.strip_prefix(&format!("`{tool}` failed: ")).unwrap_or(error);
    shortened(&on_one_line(message), length)
}

/// The calls of a turn with their outcomes, as a trace shows them: less is cut than in a message.
pub fn call_texts(turn: &Turn) -> Vec<String> {
    let limits = Limits { sample: 5, sample_printable: 200, ..Limits::default() };
    let text = |call: &ToolCall| head(call) + &outcome_text(call, &limits, limits.sample_printable);
    turn.tool_calls().iter().map(text).collect()
}

/// `{:k v}` for named arguments, `"x" 3` for positional ones, empty without arguments or with hidden ones only.
fn args_text(args: &Value) -> String {
    match args {
        Value::Nil => String::new(),
        Value::Map(entries) if entries.iter().all(|(name, _)| name.is_hidden_key()) => String::new(),
        Value::Vector(positional) => {
            let text = to_sample(&Value::Vector(positional.clone()), &ARGS).text;
            match text.strip_prefix('[').and_then(|text| text.rsplit_once(']')) {
                // A list that is cut ends with its number of items, after the bracket.
                Some((items, count)) => format!("{items}{count}"),
                None => text,
            }
        }
        named => to_sample(named, &ARGS).text,
    }
}
