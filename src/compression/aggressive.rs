//! One USER message whose changing part is squeezed under a token budget.

use crate::message::Role;
use crate::tokens::Estimate;
use crate::value::in_order;

use super::budget::{Budget, Counts};
use super::calls;
use super::changing::{Changing, OUTPUT_HEADER};
use super::definitions;
use super::dropped::{Dropped, DroppedKind, reason};
use super::options::Counting;
use super::page::Page;
use super::single_user_coalesced::changing;
use super::view::{View, Written};

/// Like `single-user-coalesced`; then samples, prints, calls and docstrings go, in that order and
/// the oldest first, until the rest fits. Mission, names and the last error never go: when they
/// alone are over the budget they are sent, and the result says so.
pub fn render(view: &mut View<'_>, budget: usize, counting: Counting) -> Written {
    let squeezed = squeeze(view, budget, counting);
    let messages = vec![view.system_message(), squeezed.page.finish(Role::User)];
    Written { messages, budget: Some(squeezed.budget), prints_gone: squeezed.prints, calls_gone: squeezed.calls }
}

/// What the budget made the strategy leave out.
pub fn dropped(view: &mut View<'_>, budget: usize, counting: Counting) -> Vec<Dropped> {
    squeeze(view, budget, counting).dropped
}

struct Squeezed {
    page: Page,
    budget: Budget,
    dropped: Vec<Dropped>,
    prints: usize,
    calls: usize,
}

/// Something that can go. Definitions by their place in the section.
enum Item {
    Sample(usize),
    Print,
    Call,
    Docstring(usize),
}

fn squeeze(view: &mut View<'_>, limit: usize, counting: Counting) -> Squeezed {
    let mut page = view.prefix.clone();
    let (turns, memory) = (view.history.len(), view.memory.clone());
    let mut counts = std::mem::take(view.counts);
    counts.begin();
    let mut changing = changing(view, turns, memory);
    let mut tally = Tally { counts: &mut counts, counting };
    let mut used = tally.all(&changing);
    let (mut prints, mut calls) = (0, 0);
    let mut dropped = Vec::new();
    for item in items_to_drop(&changing) {
        if used <= limit && !tally.is_incomplete() {
            break;
        }
        let (kind, turn, text, saved) = match item {
            Item::Sample(place) | Item::Docstring(place) => {
                let shown = &mut changing.definitions[place];
                let definition = &shown.definition;
                let full = definition.line().text();
                let saved = tally.of(full).saturating_sub(tally.of(definition.bare.text()));
                let gone = match definition.sample() {
                    Some(sample) => {
                        (DroppedKind::Sample, definition.turn, format!("{} = {sample}", definition.name), saved)
                    }
                    None => (DroppedKind::Definition, definition.turn, full.to_owned(), saved),
                };
                shown.bare = true;
                gone
            }
            Item::Print => {
                let (turn, line) = changing.prints[prints];
                prints += 1;
                let header = if prints == changing.prints.len() { tally.of(OUTPUT_HEADER) } else { 0 };
                (DroppedKind::Print, Some(turn), line.text().to_owned(), tally.of(line.text()) + header)
            }
            Item::Call => {
                let (turn, line) = changing.calls[calls];
                calls += 1;
                let header = if calls == changing.calls.len() { tally.of(calls::HEADER) } else { 0 };
                (
                    DroppedKind::ToolCall,
                    Some(turn),
                    calls::call_in(line.text()).to_owned(),
                    tally.of(line.text()) + header,
                )
            }
        };
        used = used.saturating_sub(saved);
        dropped.push(Dropped { kind, turn, reason: reason::BUDGET, text });
    }
    changing.prints.drain(..prints);
    changing.calls.drain(..calls);
    changing.write(&mut page);
    *view.counts = counts;
    Squeezed { page, budget: Budget { limit, used }, dropped, prints, calls }
}

/// Everything that can go, in the order in which it goes.
fn items_to_drop(changing: &Changing<'_>) -> Vec<Item> {
    let by_age = |functions: bool| {
        let mut places = Vec::new();
        for (place, shown) in changing.definitions.iter().enumerate() {
            if shown.definition.is_function() == functions && shown.definition.full.is_some() {
                places.push((shown.definition.turn, place));
            }
        }
        in_order(&places, Ord::cmp).map(|(_, place)| *place).collect::<Vec<_>>()
    };
    let mut items = Vec::new();
    for place in by_age(false) {
        items.push(Item::Sample(place));
    }
    for _ in &changing.prints {
        items.push(Item::Print);
    }
    for _ in &changing.calls {
        items.push(Item::Call);
    }
    for place in by_age(true) {
        items.push(Item::Docstring(place));
    }
    items
}

/// Counts lines with their line break, which most often belongs to their last token.
struct Tally<'a> {
    counts: &'a mut Counts,
    counting: Counting,
}

impl Tally<'_> {
    fn of(&mut self, line: &str) -> usize {
        let line = format!("{line}\n");
        match self.counting {
            Counting::Estimate => self.counts.of(line, Some(&Estimate)),
            Counting::Host => self.counts.of(line, None),
        }
    }

    fn all(&mut self, changing: &Changing<'_>) -> usize {
        let mut total = self.of(changing.turns_left.text());
        if !changing.definitions.is_empty() {
            total += self.of(definitions::HEADER);
        }
        for shown in &changing.definitions {
            total += self.of(shown.line().text());
        }
        if !changing.called {
            total += self.of(calls::NONE);
        }
        for (header, lines) in [(calls::HEADER, &changing.calls), (OUTPUT_HEADER, &changing.prints)] {
            if !lines.is_empty() {
                total += self.of(header);
            }
            for (_, line) in lines {
                total += self.of(line.text());
            }
        }
        if let Some((_, block)) = &changing.error {
            total += self.of(block.text());
        }
        total
    }

    fn is_incomplete(&self) -> bool {
        !self.counts.missing().is_empty()
    }
}
