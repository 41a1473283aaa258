//! No strategy: every turn as it was, the model's reply and what the program came to, or what it defined.

use std::rc::Rc;

use crate::message::{Message, SectionKind};
use crate::turn::Turn;
use crate::value::{PrintOptions, Value, to_clojure};

use super::calls::{self, call_line};
use super::changing::{OUTPUT_HEADER, attempt, error_text, headed};
use super::definitions;
use super::options::Limits;
use super::page::{Line, Page};
use super::per_turn_summary::own_definitions;
use super::text::shortened;
use super::view::{View, Written};

/// The header of a result.
const RESULT_HEADER: &str = ";; Result:";

/// How a result is printed: more of it than of a sample, as it is what the turn was about.
const RESULT: PrintOptions = PrintOptions { limit: Some(50), printable_limit: Some(1000), filter_hidden: true };

/// What a provider that refuses empty messages gets for an empty reply.
const EMPTY_REPLY: &str = "(empty reply)";

/// SYSTEM, USER with mission, tools and data, and a pair for each turn. What a turn adds stands
/// behind everything that was sent before, so the whole of it can be cached.
pub fn render(view: &mut View<'_>) -> Written {
    let mut messages = vec![view.system_message(), view.first_message()];
    append_pairs(view, 0, &mut messages);
    messages.into()
}

/// The turns from `first` on, each as an assistant and a user message.
pub fn append_pairs(view: &mut View<'_>, first: usize, messages: &mut Vec<Message>) {
    for index in first..view.history.len() {
        let limits = &view.options.limits;
        let slot = view.history.slot_mut(index);
        let pair = slot.pair.get_or_insert_with(|| Rc::new(pair(&slot.turn, index, limits))).clone();
        view.append_pair(index, &pair, messages);
    }
}

/// The reply as it was, and the feedback without the turns left.
fn pair(turn: &Turn, index: usize, limits: &Limits) -> (Page, Page) {
    let mut reply = Page::default();
    let text = match (turn.raw_response(), turn.program()) {
        ("", Some(_)) => attempt(turn),
        ("", None) => EMPTY_REPLY.to_owned(),
        (reply, _) => reply.to_owned(),
    };
    reply.write(SectionKind::Program, Some(index), &text.into());

    let mut feedback = Page::default();
    if !turn.is_success() {
        // The program does not tell which of its calls were made before it failed (TC-001).
        let made: Vec<Line> = turn.tool_calls().iter().map(|call| call_line(turn, call, limits).into()).collect();
        let made = made.iter().map(|line| (index, line)).collect::<Vec<_>>();
        headed(&mut feedback, SectionKind::ToolCalls, calls::HEADER, &made);
    }
    let prints: Vec<Line> = turn.prints().iter().map(|print| shortened(print, limits.print_length).into()).collect();
    let prints = prints.iter().map(|print| (index, print)).collect::<Vec<_>>();
    headed(&mut feedback, SectionKind::Output, OUTPUT_HEADER, &prints);
    // A definition comes to no more than its name, which tells nothing.
    let definitions = match (turn.result(), turn.defined()) {
        (Value::Var(_), Some(defined)) if turn.is_success() => own_definitions(turn, index, defined, limits),
        _ => Vec::new(),
    };
    let definitions = definitions.iter().map(|line| (index, line)).collect::<Vec<_>>();
    headed(&mut feedback, SectionKind::User, definitions::HEADER, &definitions);
    if !definitions.is_empty() {
        return (reply, feedback);
    }
    feedback.blank_line();
    if turn.is_success() {
        let result = shortened(&to_clojure(turn.result(), &RESULT).text, limits.print_length);
        feedback.write(SectionKind::Feedback, Some(index), &format!("{RESULT_HEADER}\n{result}").into());
    } else {
        feedback.write(SectionKind::Error, Some(index), &error_text(turn).into());
    }
    (reply, feedback)
}
