//! What a rendering left out, and by which rule. Worked out only when a host asks for it: it is as
//! long as the history.

use std::rc::Rc;

use crate::turn::Turn;
use crate::value::{Names, Str, Value};

use super::aggressive;
use super::calls::{call_in, call_line};
use super::changing::error_text;
use super::definitions::{Origin, definition};
use super::fold::newest;
use super::options::{Limits, Strategy};
use super::rolling_window::{memory_of_older, older_turns};
use super::text::{cut, sample};
use super::view::View;

/// Something that is in the history and not in the messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dropped {
    /// What it is.
    pub kind: DroppedKind,
    /// Index of the turn it is of; none for a sample of a name that no turn defined.
    pub turn: Option<usize>,
    /// The rule, one of [`reason`].
    pub reason: &'static str,
    /// What would have been shown.
    pub text: String,
}

/// What can be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DroppedKind {
    /// A `println`, or the end of one.
    Print,
    /// A tool call.
    ToolCall,
    /// The sample of a definition.
    Sample,
    /// A definition, or the docstring of one.
    Definition,
    /// The error of a failed turn.
    Error,
    /// A program.
    Program,
}

impl DroppedKind {
    /// The name that hosts see.
    pub fn name(self) -> &'static str {
        match self {
            DroppedKind::Print => "print",
            DroppedKind::ToolCall => "toolCall",
            DroppedKind::Sample => "sample",
            DroppedKind::Definition => "definition",
            DroppedKind::Error => "error",
            DroppedKind::Program => "program",
        }
    }
}

/// The rules by which things are left out.
pub mod reason {
    /// Programs are not shown, what they did is (CMP-001).
    pub const COMPRESSED: &str = "compressed";
    /// There are newer prints than the limit allows (TRN-010).
    pub const PRINTLN_LIMIT: &str = "println_limit";
    /// The end of a print that is too long (TRN-011).
    pub const PRINT_LENGTH: &str = "print_length";
    /// There are newer calls than the limit allows (TC-007).
    pub const TOOL_CALL_LIMIT: &str = "tool_call_limit";
    /// Output of a turn that failed (FMT-017).
    pub const FAILED_TURN: &str = "failed_turn";
    /// The last turn succeeded (ERR-003).
    pub const RECOVERED: &str = "recovered";
    /// A later turn failed too (ERR-002).
    pub const LATER_ERROR: &str = "later_error";
    /// A later turn defined the name again (DEF-002).
    pub const REDEFINED: &str = "redefined";
    /// The name is not in the memory that is shown.
    pub const NOT_IN_MEMORY: &str = "not_in_memory";
    /// The turn that defined the name printed what it wanted to be seen (SAM-002).
    pub const TURN_PRINTED: &str = "turn_printed";
    /// The name begins with `_`.
    pub const HIDDEN: &str = "hidden";
    /// The token budget is spent.
    pub const BUDGET: &str = "budget";
}

/// Everything that the strategy leaves out: turn by turn, then samples, then what a budget takes.
pub fn dropped(view: &mut View<'_>) -> Vec<Dropped> {
    let turns = view.history.len();
    match view.options.applied_strategy().cloned() {
        None => {
            let mut dropped = Vec::new();
            cut_prints(view, 0, &mut dropped);
            dropped
        }
        Some(Strategy::SingleUserCoalesced) => of_fold(view, turns),
        Some(Strategy::RollingWindow { keep }) => {
            let older = older_turns(turns, keep);
            view.memory = memory_of_older(view, older);
            let mut dropped = of_fold(view, older);
            cut_prints(view, older, &mut dropped);
            dropped
        }
        Some(Strategy::PerTurnSummary) => of_summaries(view),
        Some(Strategy::Aggressive { budget, counting }) => {
            let mut dropped = of_fold(view, turns);
            dropped.append(&mut aggressive::dropped(view, budget, counting));
            dropped
        }
    }
}

fn entry(kind: DroppedKind, turn: usize, reason: &'static str, text: impl Into<String>) -> Dropped {
    Dropped { kind, turn: Some(turn), reason, text: text.into() }
}

/// The ends of long prints, where all prints are shown.
fn cut_prints(view: &View<'_>, first: usize, dropped: &mut Vec<Dropped>) {
    for index in first..view.history.len() {
        for print in view.history.turn(index).prints() {
            cut_end(index, print, &view.options.limits, dropped);
        }
    }
}

fn cut_end(turn: usize, print: &Str, limits: &Limits, dropped: &mut Vec<Dropped>) {
    let (shown, is_cut) = cut(print, limits.print_length);
    if is_cut {
        dropped.push(entry(DroppedKind::Print, turn, reason::PRINT_LENGTH, &print[shown.len()..]));
    }
}

/// What the fold of the first `turns` leaves out.
fn of_fold(view: &mut View<'_>, turns: usize) -> Vec<Dropped> {
    let limits = &view.options.limits;
    let defined = defined_names(view, turns);
    let mut last_definition: Names<usize> = Names::default();
    for (index, names) in defined.iter().enumerate() {
        for name in names.iter() {
            last_definition.insert(name.clone(), index);
        }
    }
    let fold = view.history.fold(turns, limits);
    let memory = view.memory.as_ref().or(fold.memory()).cloned().unwrap_or_default();
    let standing_error = fold.standing_error().map(|(index, _)| index);
    let calls_total = fold.calls_total();
    let recovered = view.history.turns().last().is_some_and(Turn::is_success);
    let mut dropped = Vec::new();
    let mut prints_over = of_successes(view, turns).saturating_sub(limits.println);
    let mut calls_over = calls_total.saturating_sub(limits.tool_calls);
    for (index, names) in defined.iter().enumerate() {
        let turn = view.history.turn(index);
        if let Some(program) = turn.program()
            && standing_error != Some(index)
        {
            dropped.push(entry(DroppedKind::Program, index, reason::COMPRESSED, program));
        }
        for name in names.iter() {
            let origin = Origin { turn: Some(index), printed: !turn.prints().is_empty(), doc: turn.doc(name) };
            let reason = if last_definition.get(name) != Some(&index) {
                reason::REDEFINED
            } else if !memory.contains(name) {
                reason::NOT_IN_MEMORY
            } else {
                continue;
            };
            let value = turn.memory().and_then(|memory| memory.get(name));
            let text = match value {
                Some(value) => definition(name, value, &origin, limits).line().text().to_owned(),
                None => name.to_string(),
            };
            dropped.push(entry(DroppedKind::Definition, index, reason, text));
        }
        for call in turn.tool_calls() {
            if calls_over > 0 {
                calls_over -= 1;
                let line = call_line(turn, call, limits);
                dropped.push(entry(DroppedKind::ToolCall, index, reason::TOOL_CALL_LIMIT, call_in(&line)));
            }
        }
        for print in turn.prints() {
            if !turn.is_success() {
                dropped.push(entry(DroppedKind::Print, index, reason::FAILED_TURN, &**print));
            } else if prints_over > 0 {
                prints_over -= 1;
                dropped.push(entry(DroppedKind::Print, index, reason::PRINTLN_LIMIT, &**print));
            } else {
                cut_end(index, print, limits, &mut dropped);
            }
        }
        if !turn.is_success() && standing_error != Some(index) {
            let reason = if recovered { reason::RECOVERED } else { reason::LATER_ERROR };
            dropped.push(entry(DroppedKind::Error, index, reason, error_text(turn)));
        }
    }
    for (name, value) in memory.iter() {
        let turn = last_definition.get(name).copied();
        let printed = turn.is_some_and(|index| !view.history.turn(index).prints().is_empty());
        let reason = if printed { reason::TURN_PRINTED } else { reason::HIDDEN };
        if let Some(text) = left_out_sample(name, value, printed, limits) {
            dropped.push(Dropped { kind: DroppedKind::Sample, turn, reason, text });
        }
    }
    dropped
}

/// The sample that is not shown: the turn that defined the name printed, or the name is hidden.
fn left_out_sample(name: &Str, value: &Value, printed: bool, limits: &Limits) -> Option<String> {
    let is_function = matches!(value, Value::Closure(_));
    if is_function || !(printed || name.starts_with('_')) {
        return None;
    }
    sample(name.trim_start_matches('_'), value, &limits.sample_options()).map(|sample| format!("{name} = {sample}"))
}

/// What each of the first `turns` defined.
fn defined_names(view: &mut View<'_>, turns: usize) -> Vec<Rc<[Str]>> {
    let mut before = None;
    let mut defined = Vec::with_capacity(turns);
    for index in 0..turns {
        let slot = view.history.slot_mut(index);
        defined.push(slot.defined(before.as_ref()));
        before = slot.turn.memory().cloned().or(before);
    }
    defined
}

fn of_successes(view: &View<'_>, turns: usize) -> usize {
    let mut prints = 0;
    for index in 0..turns {
        let turn = view.history.turn(index);
        prints += if turn.is_success() { turn.prints().len() } else { 0 };
    }
    prints
}

/// What summaries of single turns leave out: each turn has the limits to itself.
fn of_summaries(view: &mut View<'_>) -> Vec<Dropped> {
    let turns = view.history.len();
    let defined = defined_names(view, turns);
    let limits = &view.options.limits;
    let mut dropped = Vec::new();
    for (index, names) in defined.iter().enumerate() {
        of_summary(view.history.turn(index), index, names, limits, &mut dropped);
    }
    dropped
}

fn of_summary(turn: &Turn, index: usize, names: &[Str], limits: &Limits, dropped: &mut Vec<Dropped>) {
    let printed = !turn.prints().is_empty();
    for name in names {
        let Some(value) = turn.memory().and_then(|memory| memory.get(name)) else {
            dropped.push(entry(DroppedKind::Definition, index, reason::NOT_IN_MEMORY, &**name));
            continue;
        };
        let reason = if printed { reason::TURN_PRINTED } else { reason::HIDDEN };
        if let Some(text) = left_out_sample(name, value, printed, limits) {
            dropped.push(entry(DroppedKind::Sample, index, reason, text));
        }
    }
    let calls = turn.tool_calls();
    for call in &calls[..calls.len() - newest(calls, limits.tool_calls).len()] {
        let line = call_line(turn, call, limits);
        dropped.push(entry(DroppedKind::ToolCall, index, reason::TOOL_CALL_LIMIT, call_in(&line)));
    }
    let prints = turn.prints();
    let over = prints.len() - newest(prints, limits.println).len();
    for (place, print) in prints.iter().enumerate() {
        if !turn.is_success() {
            dropped.push(entry(DroppedKind::Print, index, reason::FAILED_TURN, &**print));
        } else if place < over {
            dropped.push(entry(DroppedKind::Print, index, reason::PRINTLN_LIMIT, &**print));
        } else {
            cut_end(index, print, limits, dropped);
        }
    }
}
