//! Texts of a turn's program, result and error.

use crate::turn::Turn;
use crate::value::{PrintOptions, to_clojure};

use super::calls::has_lost_results;
use super::options::Limits;
use super::text::{fenced, shortened, within_line};

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

/// `Error: message`, then on lines of their own `Hint: …` and the names that the failure undid.
pub fn error_text(turn: &Turn, limits: &Limits) -> String {
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
        text.push_str(&format!("\nNothing that this program defined was kept: {}.", names.join(", ")));
    }
    if has_lost_results(turn, limits) {
        text.push_str("\nThe results of its calls are gone, except for what the list of calls shows.");
    }
    text
}

/// The error of the last turn with the program that caused it.
pub fn error_block(turn: &Turn, limits: &Limits) -> String {
    let mut error = error_text(turn, limits);
    match turn.print_count() {
        0 => {}
        1 => error.push_str("\nIts output is not shown: 1 print."),
        prints => error.push_str(&format!("\nIts output is not shown: {prints} prints.")),
    }
    match turn.program() {
        Some(_) => format!("---\nYour previous attempt:\n{}\n\n{error}\n---", attempt(turn)),
        None => format!("---\nYour previous reply:\n{}\n\n{error}\n---", fenced("", &attempt(turn))),
    }
}
