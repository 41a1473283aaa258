//! Texts of a turn's program, result and error.

use crate::turn::Turn;
use crate::value::{PrintOptions, to_clojure};

use super::options::Limits;
use super::text::{fenced, shortened, within_line};
use crate::text::join;

/// Characters of a reply that are shown when it contains no program.
const REPLY_START: usize = 500;

/// Characters of an error that are shown: a tool may fail with the whole page that a server sent.
const ERROR_LENGTH: usize = 2000;

/// The largest number of names that are listed of the definitions that a failure undid.
const LOST_NAMES: usize = 20;

/// How a result is printed: with more items than a sample, because the result is the purpose of the turn.
const RESULT: PrintOptions = PrintOptions { limit: Some(50), printable_limit: Some(1000), filter_hidden: true };

/// Replaces an empty reply: some providers reject empty messages.
const EMPTY_REPLY: &str = "(empty reply)";

/// The reply as it was; its program in a fence when the reply is not known.
pub fn reply_text(turn: &Turn) -> String {
    match (turn.raw_response(), turn.program()) {
        ("", Some(_)) => attempt(turn),
        ("", None) => EMPTY_REPLY.to_owned(),
        (reply, _) => reply.to_owned(),
    }
}

/// The program of a turn in a fence, or the start of a reply that contains none.
pub fn attempt(turn: &Turn) -> String {
    match (turn.program(), turn.raw_response()) {
        (Some(program), _) => fenced("clojure", program),
        (None, "") => EMPTY_REPLY.to_owned(),
        (None, reply) => shortened(reply, REPLY_START),
    }
}

/// The result of a turn that succeeded.
pub fn result_text(turn: &Turn, limits: &Limits) -> String {
    let result = to_clojure(turn.result(), &RESULT).text;
    format!(";; Result:\n{}", shortened(&result, limits.print_length))
}

/// Ends the error of a turn with calls that worked.
const CALLS: &str = "Do not repeat calls that worked: in the next program, `*calls` has all of them, \
                     `{:tool … :args … :result …}` or with `:error`.";

/// `Error: message`, then on lines of their own `Hint: …`, the names that the failure undid, and where the results of calls are.
pub fn error_text(turn: &Turn) -> String {
    let (message, hint) = turn.failure_text();
    let mut text = format!("Error: {}", shortened(&message, ERROR_LENGTH));
    if let Some(hint) = hint {
        text.push_str("\nHint: ");
        text.push_str(&shortened(&hint, ERROR_LENGTH));
    }
    let lost = turn.defined().unwrap_or_default();
    if !lost.is_empty() {
        let mut names: Vec<_> = lost.iter().take(LOST_NAMES).map(|name| within_line(name)).collect();
        if lost.len() > LOST_NAMES {
            names.push(format!("and {} more", lost.len() - LOST_NAMES).into());
        }
        text.push_str(&format!("\nNothing that this program defined was kept: {}.", join(names, ", ")));
    }
    if turn.tool_calls().iter().any(|call| call.error.is_none()) {
        text.push('\n');
        text.push_str(CALLS);
    }
    text
}

/// The error of the last turn with the program that caused it.
pub fn error_block(turn: &Turn) -> String {
    let error = error_text(turn);
    match turn.program() {
        Some(_) => format!("---\nYour previous attempt:\n{}\n\n{error}\n---", attempt(turn)),
        None => format!("---\nYour previous reply:\n{}\n\n{error}\n---", fenced("", &attempt(turn))),
    }
}
