//! One USER message whose dynamic sections are reduced to a token budget.

use std::collections::VecDeque;

use crate::compression::budget::{Budget, TextCounts};
use crate::compression::calls::NO_CALLS;
use crate::compression::fold::RecentLine;
use crate::compression::message_builder::{header, header_of};
use crate::compression::options::{Counting, RenderOptions};
use crate::compression::selection::{DynamicSections, Selection};
use crate::compression::state::RenderState;
use crate::compression::text::turns_left;
use crate::message::SectionKind;
use crate::tokens::Estimate;
use crate::turn::Memory;
use crate::value::in_order;

/// The fold of every turn. Samples, prints, calls and docstrings are omitted, in that order and the oldest first, until
/// the rest is within the budget of `limit` tokens. Mission, names and the last error are always shown, even when they
/// alone exceed the budget.
pub fn select<'a>(
    options: &RenderOptions,
    state: &'a mut RenderState,
    memory: Option<Memory>,
    limit: usize,
    counting: Counting,
) -> Selection<'a> {
    let turns = state.history.len();
    let mut sections = DynamicSections::new(options, &mut state.history, &mut state.definitions, turns, memory);
    state.counts.begin();
    let mut tally = Tally { counts: &mut state.counts, counting };
    let last = tally.of(&turns_left(options.turns_left_after(turns, turns)));
    let used = last + reduce(&mut sections, limit.saturating_sub(last), &mut tally);
    Selection { budget: Some(Budget { limit, used }), ..sections.into() }
}

/// Omits items until the rest is within `limit` tokens, and returns the tokens of the rest.
pub fn reduce(sections: &mut DynamicSections<'_>, limit: usize, tally: &mut Tally<'_>) -> usize {
    let mut used = tally.all(sections);
    for candidate in candidates(sections) {
        // While counts are missing, every candidate is visited, so that all missing counts are requested at once.
        if used <= limit && !tally.is_incomplete() {
            break;
        }
        let saved = match candidate {
            Candidate::Detail(position) => {
                let definition = &sections.definitions[position].definition;
                let saved = tally.of(definition.line().text()).saturating_sub(tally.of(definition.bare.text()));
                sections.omit_detail(position);
                saved
            }
            Candidate::Print => {
                let (line, before) = (tally.first(&sections.prints), tally.headers(sections));
                sections.omit_print();
                (line + before).saturating_sub(tally.headers(sections))
            }
            Candidate::Call => {
                let line = sections.next_call().map_or(0, |call| tally.of(call.line.text()));
                let before = tally.headers(sections);
                sections.omit_call();
                (line + before).saturating_sub(tally.headers(sections))
            }
        };
        used = used.saturating_sub(saved);
    }
    used
}

/// Something that can be omitted.
enum Candidate {
    /// The sample or docstring of a definition, by its position in the section.
    Detail(usize),
    /// The oldest print.
    Print,
    /// The oldest call.
    Call,
}

/// Everything that can be omitted, in the order of omission.
fn candidates(sections: &DynamicSections<'_>) -> Vec<Candidate> {
    let details = |functions: bool| {
        let mut positions = Vec::new();
        for (position, shown) in sections.definitions.iter().enumerate() {
            if shown.definition.is_function() == functions && shown.definition.full.is_some() {
                positions.push((shown.definition.turn, position));
            }
        }
        let by_age: Vec<_> = in_order(&positions, Ord::cmp).map(|(_, position)| Candidate::Detail(*position)).collect();
        by_age
    };
    let mut candidates = details(false);
    candidates.extend(sections.prints.iter().map(|_| Candidate::Print));
    candidates.extend(sections.calls.iter().map(|_| Candidate::Call));
    candidates.extend(details(true));
    candidates
}

/// Counts the tokens of lines, each with its line break, which is usually part of the line's last token.
pub struct Tally<'a> {
    pub counts: &'a mut TextCounts,
    pub counting: Counting,
}

impl Tally<'_> {
    pub fn of(&mut self, line: &str) -> usize {
        let line = format!("{line}\n");
        match self.counting {
            Counting::Estimate => self.counts.of(line, Some(&Estimate)),
            Counting::Host => self.counts.of(line, None),
        }
    }

    fn first(&mut self, lines: &VecDeque<RecentLine<'_>>) -> usize {
        lines.front().map_or(0, |first| self.of(first.line.text()))
    }

    /// The headers of calls and prints, which say how many of them are shown.
    fn headers(&mut self, sections: &DynamicSections<'_>) -> usize {
        let of = |(kind, shown, total)| if total > 0 { self.of(&header_of(kind, shown, total)) } else { 0 };
        sections.listed().map(of).into_iter().sum()
    }

    fn all(&mut self, sections: &DynamicSections<'_>) -> usize {
        let mut total = 0;
        if !sections.definitions.is_empty() {
            total += self.of(header(SectionKind::User));
        }
        for shown in &sections.definitions {
            total += self.of(shown.line().text());
        }
        if sections.fold.calls_total() == 0 {
            total += self.of(NO_CALLS);
        }
        total += self.headers(sections);
        for recent in sections.calls.iter().chain(&sections.prints) {
            total += self.of(recent.line.text());
        }
        if let (Some(rest), _) = sections.rest_of_calls() {
            total += self.of(rest.text());
        }
        if let Some((_, block)) = &sections.error {
            total += self.of(block.text());
        }
        total
    }

    fn is_incomplete(&self) -> bool {
        !self.counts.missing().is_empty()
    }
}
