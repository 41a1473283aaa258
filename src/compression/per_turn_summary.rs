//! A program and a summary for each turn.

use std::rc::Rc;

use crate::message::SectionKind;
use crate::turn::{Memory, Turn};
use crate::value::{Str, in_order};

use super::calls::{self, call_line};
use super::changing::{OUTPUT_HEADER, attempt, error_text, headed};
use super::definitions::{self, Origin, definition};
use super::fold::newest;
use super::options::Limits;
use super::page::{Line, Page};
use super::text::shortened;
use super::view::{View, Written};

/// SYSTEM, USER with mission, tools and data, and for each turn its program in a fence and what
/// that turn defined, called and printed, or its error. The limits hold for each turn, so that
/// what was sent stays as it was.
pub fn render(view: &mut View<'_>) -> Written {
    let turns = view.history.len();
    let mut messages = vec![view.system_message(), view.first_message()];
    let mut before: Option<Memory> = None;
    for index in 0..turns {
        let limits = &view.options.limits;
        let slot = view.history.slot_mut(index);
        if slot.pair.is_none() {
            let defined = slot.defined(before.as_ref());
            slot.pair = Some(Rc::new(pair(&slot.turn, index, &defined, limits)));
        }
        before = slot.turn.memory().cloned().or(before);
        let pair = slot.pair.clone().expect("written above");
        view.append_pair(index, &pair, &mut messages);
    }
    messages.into()
}

fn pair(turn: &Turn, index: usize, defined: &[Str], limits: &Limits) -> (Page, Page) {
    let mut program = Page::default();
    program.write(SectionKind::Program, Some(index), &attempt(turn).into());

    let mut summary = Page::default();
    let definitions = own_definitions(turn, index, defined, limits);
    let definitions = definitions.iter().map(|line| (index, line)).collect::<Vec<_>>();
    headed(&mut summary, SectionKind::User, definitions::HEADER, &definitions);
    let calls: Vec<Line> =
        newest(turn.tool_calls(), limits.tool_calls).iter().map(|call| call_line(turn, call, limits).into()).collect();
    let calls = calls.iter().map(|line| (index, line)).collect::<Vec<_>>();
    headed(&mut summary, SectionKind::ToolCalls, calls::HEADER, &calls);
    if turn.is_success() {
        let prints = newest(turn.prints(), limits.println).iter();
        let prints: Vec<Line> = prints.map(|print| shortened(print, limits.print_length).into()).collect();
        let prints = prints.iter().map(|line| (index, line)).collect::<Vec<_>>();
        headed(&mut summary, SectionKind::Output, OUTPUT_HEADER, &prints);
    } else {
        summary.blank_line();
        summary.write(SectionKind::Error, Some(index), &error_text(turn).into());
    }
    (program, summary)
}

/// The lines of what a turn defined.
pub fn own_definitions(turn: &Turn, index: usize, defined: &[Str], limits: &Limits) -> Vec<Line> {
    let Some(memory) = turn.memory() else { return Vec::new() };
    let mut own = Vec::new();
    for name in defined {
        if let Some((name, value)) = memory.get_entry(name) {
            let origin = Origin { turn: Some(index), printed: !turn.prints().is_empty(), doc: turn.doc(name) };
            own.push(definition(name, value, &origin, limits));
        }
    }
    let mut lines = Vec::new();
    let mut before = None;
    for definition in in_order(&own, |left, right| left.order(right)) {
        if before != Some(&definition.name) {
            lines.push(definition.line().clone());
        }
        before = Some(&definition.name);
    }
    lines
}
