//! The items of a history that a strategy shows, and those that it omits, with the reasons.
//!
//! A selection is data: the writer makes messages, sections, statistics and the list of omitted items from it. Omitted
//! items of folded turns are described by counts and rules, so that a selection costs the size of what is shown. They
//! are listed on request only, because that list is as long as the history.

use std::collections::VecDeque;
use std::rc::Rc;

use crate::costs::RequestCost;
use crate::message::SectionKind;
use crate::turn::Memory;

use super::budget::Budget;
use super::definition_cache::DefinitionCache;
use super::definitions::{Definition, Origin, SampleSize, definition};
use super::fold::{FailedLines, Fold, History, RecentLine, TurnSlot};
use super::items::{Content, Item, TurnSelection, is_unnamed, omitted_sample, reason};
use super::message_builder::Line;
use super::options::{Limits, RenderOptions};
use super::prints::Piece;
use super::turn_text::error_block;

/// The part of a history that the messages show.
#[derive(Debug)]
pub struct Selection<'a> {
    /// The first turns, folded into the first USER message. None: that message shows no turn.
    pub folded: Option<DynamicSections<'a>>,
    /// The turns after those, each shown by an assistant and a user message.
    pub turns: Vec<Rc<TurnSelection>>,
    /// The outcome of the budget, for a strategy that has one.
    pub budget: Option<Budget>,
    /// The end of a journal. None for other strategies: each of their USER messages ends with the turns left.
    pub journal: Option<JournalEnd>,
}

impl<'a> From<DynamicSections<'a>> for Selection<'a> {
    fn from(folded: DynamicSections<'a>) -> Selection<'a> {
        Selection { folded: Some(folded), turns: Vec::new(), budget: None, journal: None }
    }
}

/// The end of a journal's last message, which differs in each request, and the cost of the request.
#[derive(Debug)]
pub struct JournalEnd {
    /// Definitions that nothing earlier in the messages shows.
    pub definitions: Vec<Rc<Definition>>,
    /// The cost of this request.
    pub cost: RequestCost,
}

/// The sections of the first USER message that depend on the turns.
#[derive(Debug)]
pub struct DynamicSections<'a> {
    pub fold: Fold<'a>,
    /// The memory whose definitions are shown.
    memory: Option<Memory>,
    pub definitions: Vec<ShownDefinition>,
    /// The last turn of the history, which failed, and the lines of its calls and prints; both follow those of the other
    /// turns.
    failed: Option<(usize, &'a FailedLines)>,
    /// How many calls of the other folded turns are over the limit; they are the oldest.
    pub calls_over_limit: usize,
    pub calls: VecDeque<RecentLine<'a>>,
    /// How many prints of the folded turns that succeeded are over the limit; they are the oldest.
    pub prints_over_limit: usize,
    pub prints: VecDeque<RecentLine<'a>>,
    /// The error of the last turn with its program, and the index of that turn.
    pub error: Option<(usize, Line)>,
    /// Items that are within the limits and over the budget, with their turns, in the order in which they were omitted.
    pub over_budget: Vec<(Option<usize>, Item)>,
}

/// A definition, with or without its sample or docstring.
#[derive(Debug)]
pub struct ShownDefinition {
    pub definition: Rc<Definition>,
    pub bare: bool,
}

impl ShownDefinition {
    fn full(definition: Rc<Definition>) -> ShownDefinition {
        ShownDefinition { definition, bare: false }
    }

    pub fn line(&self) -> &Line {
        if self.bare { &self.definition.bare } else { self.definition.line() }
    }
}

impl<'a> DynamicSections<'a> {
    /// Selects everything within the limits. `memory` is the memory after the first `turns`; None means the memory of
    /// the last of them that has one.
    pub fn new(
        options: &RenderOptions,
        history: &'a mut History,
        definitions: &mut DefinitionCache,
        turns: usize,
        memory: Option<Memory>,
    ) -> DynamicSections<'a> {
        let fold = history.fold(turns, &options.limits);
        let results = unnamed_results(fold.recent(), turns, &options.limits);
        let mut sections = DynamicSections::of(options, fold, definitions, memory);
        sections.definitions.extend(results.into_iter().map(ShownDefinition::full));
        sections
    }

    /// [`DynamicSections::new`] without the results that have no name of their own, because these change with each
    /// turn.
    pub fn of(
        options: &RenderOptions,
        fold: Fold<'a>,
        definitions: &mut DefinitionCache,
        memory: Option<Memory>,
    ) -> DynamicSections<'a> {
        let limits = &options.limits;
        let memory = memory.or_else(|| fold.memory().cloned());
        let definitions = match &memory {
            Some(memory) => definitions.of_memory(memory, &fold, limits),
            None => Vec::new(),
        };
        let definitions = definitions.into_iter().chain(fold.seen());
        let (mut calls, mut prints) = (VecDeque::from(fold.calls(limits)), VecDeque::from(fold.prints(limits)));
        let failed = fold.failed_lines(limits);
        let mut calls_total = fold.calls_total();
        if let Some((turn, lines)) = failed {
            calls.retain(|call| call.turn != turn);
            calls_total -= fold.folded()[turn].turn.tool_call_count();
            while !prints.is_empty() && prints.len() + lines.prints.len() > limits.println {
                prints.pop_front();
            }
        }
        let (calls_over_limit, prints_over_limit) =
            (calls_total - calls.len(), fold.successful_prints() - prints.len());
        if let Some((turn, lines)) = failed {
            let recent = |(index, line): &'a (usize, Line)| RecentLine { turn, index: *index, line };
            calls.extend(lines.calls.iter().map(recent));
            prints.extend(lines.prints.iter().map(recent));
        }
        DynamicSections {
            memory,
            definitions: definitions.map(ShownDefinition::full).collect(),
            failed,
            calls_over_limit,
            calls,
            prints_over_limit,
            prints,
            error: fold.last_error().map(|(index, turn)| (index, error_block(turn).into())),
            over_budget: Vec::new(),
            fold,
        }
    }

    /// The sections of calls and prints, each with the number that it shows and the total.
    pub fn listed(&self) -> [(SectionKind, usize, usize); 2] {
        [
            (SectionKind::ToolCalls, self.calls.len(), self.fold.calls_total() - self.rest_of_calls().1),
            (SectionKind::Output, self.prints.len(), self.fold.successful_prints() + self.failed_prints()),
        ]
    }

    /// The line that counts the calls of the failed turn that are not shown, and their number; none and 0 when none of its
    /// calls is shown.
    pub fn rest_of_calls(&self) -> (Option<&'a Line>, usize) {
        match self.failed {
            Some((_, FailedLines { rest: Some(rest), calls_omitted, .. })) => (Some(rest), calls_omitted.len()),
            _ => (None, 0),
        }
    }

    /// The prints of the failed turn.
    fn failed_prints(&self) -> usize {
        self.failed.map_or(0, |(turn, _)| self.fold.folded()[turn].turn.print_count())
    }

    /// Omits the sample of a definition, or the docstring of a function.
    pub fn omit_detail(&mut self, position: usize) {
        let shown = &mut self.definitions[position];
        shown.bare = true;
        let Definition { name, value, turn, .. } = &*shown.definition;
        let content = match shown.definition.is_function() {
            true => Content::Definition(name.clone(), Some(value.clone())),
            false => Content::Sample(name.clone(), value.clone()),
        };
        self.over_budget.push((*turn, Item::omitted(content, reason::BUDGET)));
    }

    /// Omits the oldest print that is shown.
    pub fn omit_print(&mut self) {
        if let Some(print) = self.prints.pop_front() {
            let whole = Piece::whole(&self.fold.folded()[print.turn].turn, print.index);
            self.over_budget.push((Some(print.turn), Item::omitted(Content::Print(whole), reason::BUDGET)));
        }
    }

    /// The call that [`DynamicSections::omit_call`] omits.
    pub fn next_call(&self) -> Option<&RecentLine<'a>> {
        if self.is_last_of_failed() { self.calls.back() } else { self.calls.front() }
    }

    fn is_last_of_failed(&self) -> bool {
        self.calls.front().is_some_and(|call| self.failed.is_some_and(|(turn, _)| turn == call.turn))
    }

    /// Omits the oldest call that is shown; of the failed turn the last, because its failures come first.
    pub fn omit_call(&mut self) {
        let call = if self.is_last_of_failed() { self.calls.pop_back() } else { self.calls.pop_front() };
        if let Some(call) = call {
            self.over_budget.push((Some(call.turn), Item::omitted(Content::ToolCall(call.index), reason::BUDGET)));
        }
    }

    /// The omitted items of the folded turns with the indices of their turns: turn by turn, then samples, then the
    /// items over the budget.
    pub fn omitted(&self, limits: &Limits) -> Vec<(Option<usize>, Item)> {
        let mut omitted = Vec::new();
        let (mut calls_over, mut prints_over) = (self.calls_over_limit, self.prints_over_limit);
        for (index, slot) in self.fold.folded().iter().enumerate() {
            let turn = &slot.turn;
            let is_last_error = self.error.as_ref().is_some_and(|(last, _)| *last == index);
            let mut omit = |content, reason| omitted.push((Some(index), Item::omitted(content, reason)));
            if turn.program().is_some() && !is_last_error {
                omit(Content::Program, reason::COMPRESSED);
            }
            for name in slot.known_defined() {
                let reason = if self.fold.defined_by(name) != Some(index) {
                    reason::REDEFINED
                } else if !self.memory.as_ref().is_some_and(|memory| memory.contains(name)) {
                    reason::NOT_IN_MEMORY
                } else {
                    continue;
                };
                let value = turn.memory().and_then(|memory| memory.get(name));
                omit(Content::Definition(name.clone(), value.cloned()), reason);
            }
            let failed = self.failed.filter(|(failed, _)| *failed == index).map(|(_, lines)| lines);
            match failed {
                Some(lines) => {
                    lines.calls_omitted.iter().for_each(|call| omit(Content::ToolCall(*call), reason::TOOL_CALL_LIMIT));
                    prints_over = turn.print_count() - lines.prints.len();
                }
                None => {
                    for call in 0..turn.tool_call_count().min(calls_over) {
                        omit(Content::ToolCall(call), reason::TOOL_CALL_LIMIT);
                        calls_over -= 1;
                    }
                }
            }
            for print in 0..turn.print_count() {
                if !turn.is_success() && failed.is_none() {
                    omit(Content::Print(Piece::whole(turn, print)), reason::FAILED_TURN);
                } else if prints_over > 0 {
                    omit(Content::Print(Piece::whole(turn, print)), reason::PRINTLN_LIMIT);
                    prints_over -= 1;
                } else if let (_, Some(end)) = Piece::within(turn, print, limits.print_length) {
                    omit(Content::Print(end), reason::PRINT_LENGTH);
                }
            }
            if !turn.is_success() && !is_last_error {
                let reason = if self.fold.recovered() { reason::RECOVERED } else { reason::LATER_ERROR };
                omit(Content::Error, reason);
            }
        }
        for (name, value) in self.memory.iter().flat_map(|memory| memory.iter()) {
            let origin = self.fold.origin(name, limits);
            if let Some(reason) = omitted_sample(name, value, origin.sample) {
                omitted.push((origin.turn, Item::omitted(Content::Sample(name.clone(), value.clone()), reason)));
            }
        }
        omitted.extend_from_slice(&self.over_budget);
        omitted
    }
}

/// Results that nothing else shows: those of the last three successful turns, `recent`, that are among the first
/// `folded` turns and neither defined nor printed. Programs read them as `*1`, `*2` and `*3`. Only the newest has a
/// sample.
pub fn unnamed_results<'s>(
    recent: impl Iterator<Item = (usize, &'s TurnSlot)>,
    folded: usize,
    limits: &Limits,
) -> Vec<Rc<Definition>> {
    let mut results = Vec::new();
    for (position, (index, slot)) in recent.enumerate() {
        let is_newest = position == 0;
        if index < folded && is_unnamed(&slot.turn, slot.known_defined(), is_newest) {
            let sample = if is_newest { SampleSize::Whole } else { SampleSize::None };
            let origin = Origin { turn: Some(index), sample, doc: None };
            let name = format!("*{}", position + 1).into();
            results.push(Rc::new(definition(&name, slot.turn.result(), &origin, limits)));
        }
    }
    results
}
