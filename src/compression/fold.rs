//! Turns, folded from the left: what they defined, their last prints, their last calls and their
//! last error. Adding a turn costs the size of that turn, however long the history is.

use std::cell::OnceCell;
use std::rc::Rc;

use crate::turn::{Memory, Turn};
use crate::value::{Names, Str};

use super::calls::call_line;
use super::definitions::Origin;
use super::options::Limits;
use super::page::{Line, Page};
use super::text::shortened;

/// A turn in a history, with what was worked out about it.
#[derive(Debug)]
pub struct Slot {
    pub turn: Turn,
    /// The names it defined, and the memory it was compared with to find them.
    defined: Option<(Option<Memory>, Rc<[Str]>)>,
    /// The turn on its own, as an assistant and a user page.
    pub pair: Option<Rc<(Page, Page)>>,
}

impl Slot {
    pub fn new(turn: Turn) -> Slot {
        Slot { turn, defined: None, pair: None }
    }

    /// The names that this turn defined, given the memory before it. A failed turn defines
    /// nothing: its program changed no definition.
    pub fn defined(&mut self, before: Option<&Memory>) -> Rc<[Str]> {
        if !self.turn.is_success() {
            return Rc::from([]);
        }
        if let Some((compared, names)) = &self.defined
            && (self.turn.defined().is_some() || same_memory(compared.as_ref(), before))
        {
            return names.clone();
        }
        let names: Rc<[Str]> = match (self.turn.defined(), self.turn.memory()) {
            (Some(names), _) => Rc::from(names),
            (None, Some(memory)) => changed_names(before, memory),
            (None, None) => Rc::from([]),
        };
        self.defined = Some((before.cloned(), names.clone()));
        names
    }
}

fn same_memory(left: Option<&Memory>, right: Option<&Memory>) -> bool {
    match (left, right) {
        (None, None) => true,
        (Some(left), Some(right)) => Rc::ptr_eq(left, right),
        _ => false,
    }
}

fn changed_names(before: Option<&Memory>, after: &Memory) -> Rc<[Str]> {
    let mut changed = Vec::new();
    for (name, value) in after.iter() {
        if before.and_then(|before| before.get(name)) != Some(value) {
            changed.push(name.clone());
        }
    }
    changed.into()
}

/// A print or call that is shown: where it stands, and its line once it was written.
#[derive(Debug)]
pub struct Shown {
    pub turn: usize,
    pub index: usize,
    line: OnceCell<Line>,
}

/// The turns of a history and the fold over the first of them.
#[derive(Debug, Default)]
pub struct History {
    slots: Vec<Slot>,
    folded: Accumulated,
    /// Counts what may make a fold over as many turns another one.
    edition: usize,
}

/// The accumulator of the fold.
#[derive(Debug, Default)]
struct Accumulated {
    turns: usize,
    failed: usize,
    definitions: Names<usize>,
    prints: Vec<Shown>,
    prints_total: usize,
    calls: Vec<Shown>,
    calls_total: usize,
    memory: Option<Memory>,
}

impl Accumulated {
    fn push(&mut self, slot: &mut Slot, limits: &Limits) {
        let place = self.turns;
        self.turns += 1;
        for name in slot.defined(self.memory.as_ref()).iter() {
            self.definitions.insert(name.clone(), place);
        }
        let turn = &slot.turn;
        if turn.memory().is_some() {
            self.memory = turn.memory().cloned();
        }
        self.calls_total += turn.tool_calls().len();
        keep_newest(&mut self.calls, limits.tool_calls, place, turn.tool_calls().len());
        self.prints_total += turn.prints().len();
        if turn.is_success() {
            keep_newest(&mut self.prints, limits.println, place, turn.prints().len());
        } else {
            self.failed += 1;
        }
    }
}

/// Adds the entries of a turn and drops the oldest beyond the limit (TC-007, TRN-010): not one by
/// one, as the others move up each time, but when there are as many of them as stay.
fn keep_newest(shown: &mut Vec<Shown>, limit: usize, turn: usize, entries: usize) {
    for index in entries.saturating_sub(limit)..entries {
        if shown.len() / 2 >= limit {
            shown.drain(..shown.len() - limit);
        }
        shown.push(Shown { turn, index, line: OnceCell::new() });
    }
}

/// The newest `limit` entries.
pub fn newest<T>(entries: &[T], limit: usize) -> &[T] {
    &entries[entries.len().saturating_sub(limit)..]
}

impl History {
    pub fn new(turns: impl IntoIterator<Item = Turn>) -> History {
        History { slots: turns.into_iter().map(Slot::new).collect(), folded: Accumulated::default(), edition: 0 }
    }

    pub fn len(&self) -> usize {
        self.slots.len()
    }

    pub fn push(&mut self, turn: Turn) {
        self.slots.push(Slot::new(turn));
    }

    pub fn insert(&mut self, index: usize, turn: Turn) {
        self.slots.insert(index, Slot::new(turn));
        self.changed_from(index);
    }

    pub fn replace(&mut self, index: usize, turn: Turn) {
        self.slots[index] = Slot::new(turn);
        self.changed_from(index);
    }

    pub fn remove(&mut self, index: usize) {
        self.slots.remove(index);
        self.changed_from(index);
    }

    /// Forgets everything that was written: the limits changed.
    pub fn forget(&mut self) {
        self.folded = Accumulated::default();
        self.slots.iter_mut().for_each(|slot| slot.pair = None);
    }

    /// A turn changed: the fold starts again when it went past it, and the turn behind it may be
    /// told apart from another memory.
    fn changed_from(&mut self, index: usize) {
        self.edition += 1;
        if index < self.folded.turns {
            self.folded = Accumulated::default();
        }
        self.slots[index..].iter_mut().for_each(|slot| slot.pair = None);
    }

    pub fn turns(&self) -> impl ExactSizeIterator<Item = &Turn> {
        self.slots.iter().map(|slot| &slot.turn)
    }

    pub fn turn(&self, index: usize) -> &Turn {
        &self.slots[index].turn
    }

    pub fn slot_mut(&mut self, index: usize) -> &mut Slot {
        &mut self.slots[index]
    }

    /// The memory after the first `turns` of the history: that of the last of them that knows it.
    pub fn memory_after(&self, turns: usize) -> Option<Memory> {
        self.slots[..turns].iter().rev().find_map(|slot| slot.turn.memory().cloned())
    }

    /// The fold over the first `turns` of the history; goes on from where it stands when it can.
    pub fn fold(&mut self, turns: usize, limits: &Limits) -> Fold<'_> {
        if self.folded.turns > turns {
            self.folded = Accumulated::default();
        }
        for slot in &mut self.slots[self.folded.turns..turns] {
            self.folded.push(slot, limits);
        }
        Fold { history: self.slots.as_slice(), accumulated: &self.folded, edition: self.edition }
    }
}

/// A history folded up to some turn.
#[derive(Clone, Copy, Debug)]
pub struct Fold<'a> {
    history: &'a [Slot],
    accumulated: &'a Accumulated,
    edition: usize,
}

impl<'a> Fold<'a> {
    /// How many turns are folded.
    pub fn turns(&self) -> usize {
        self.accumulated.turns
    }

    /// What tells this fold from others of the same history.
    pub fn identity(&self) -> (usize, usize) {
        (self.turns(), self.edition)
    }

    /// How many of them failed.
    pub fn failed(&self) -> usize {
        self.accumulated.failed
    }

    pub fn prints_total(&self) -> usize {
        self.accumulated.prints_total
    }

    pub fn calls_total(&self) -> usize {
        self.accumulated.calls_total
    }

    /// The memory after the folded turns.
    pub fn memory(&self) -> Option<&'a Memory> {
        self.accumulated.memory.as_ref()
    }

    /// Where a definition comes from.
    pub fn origin(&self, name: &str) -> Origin<'a> {
        match self.accumulated.definitions.get(name) {
            Some(index) => {
                let turn = &self.history[*index].turn;
                Origin { turn: Some(*index), printed: !turn.prints().is_empty(), doc: turn.doc(name) }
            }
            None => Origin::default(),
        }
    }

    /// The failed turn, when the last one of the history is folded and failed (ERR-002, ERR-003).
    /// An error that later turns follow is theirs to tell, or overcome.
    pub fn standing_error(&self) -> Option<(usize, &'a Turn)> {
        let last = self.turns().checked_sub(1)?;
        let turn = &self.history[last].turn;
        (self.turns() == self.history.len() && !turn.is_success()).then_some((last, turn))
    }

    /// How many prints are shown.
    pub fn prints_shown(&self, limits: &Limits) -> usize {
        newest(&self.accumulated.prints, limits.println).len()
    }

    /// How many calls are shown.
    pub fn calls_shown(&self, limits: &Limits) -> usize {
        newest(&self.accumulated.calls, limits.tool_calls).len()
    }

    /// The newest prints, oldest first, each with its turn.
    pub fn prints(&self, limits: &Limits) -> Vec<(usize, &'a Line)> {
        self.lines(newest(&self.accumulated.prints, limits.println), &|turn, index| {
            shortened(&turn.prints()[index], limits.print_length)
        })
    }

    /// The newest calls, oldest first, each with its turn.
    pub fn calls(&self, limits: &Limits) -> Vec<(usize, &'a Line)> {
        self.lines(newest(&self.accumulated.calls, limits.tool_calls), &|turn, index| {
            call_line(turn, &turn.tool_calls()[index], limits)
        })
    }

    fn lines(&self, shown: &'a [Shown], write: &dyn Fn(&Turn, usize) -> String) -> Vec<(usize, &'a Line)> {
        let line = |shown: &'a Shown| {
            let line = shown.line.get_or_init(|| write(&self.history[shown.turn].turn, shown.index).into());
            (shown.turn, line)
        };
        shown.iter().map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_stay_whatever_came_before() {
        let mut shown = Vec::new();
        for turn in 0..20 {
            keep_newest(&mut shown, 3, turn, turn % 5);
            keep_newest(&mut shown, 0, turn, 1);
            assert!(shown.len() <= 6);
        }
        let places: Vec<_> = newest(&shown, 3).iter().map(|shown| (shown.turn, shown.index)).collect();
        assert_eq!(places, [(19, 1), (19, 2), (19, 3)]);
        assert!(newest(&shown, 0).is_empty());
    }
}
