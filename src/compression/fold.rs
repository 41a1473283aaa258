//! A left fold over the turns: definitions, the newest prints and calls, the last error.
//!
//! The cost of folding another turn depends on the size of that turn, not on the length of the history.

use std::cell::OnceCell;
use std::rc::Rc;

use crate::arrival::{self, Source};
use crate::lisp::ToolSpec;
use crate::turn::{Memory, Turn};
use crate::value::{Names, Str};

use super::calls::{FailedCalls, call_line, rest_line};
use super::definitions::{Definition, Origin, SampleSize, beside_output};
use super::items::{Content, Item, TurnSelection};
use super::message_builder::Line;
use super::options::Limits;
use super::prints::fit;
use super::shapes::Shapes;
use super::text::shortened;

/// A turn of a history with everything that is derived from it.
#[derive(Debug)]
pub struct TurnSlot {
    given: Turn,
    /// The turn as messages show it.
    pub turn: Turn,
    /// The names it defined, and the turn whose memory was compared with its own to find them.
    defined: Option<(Option<Turn>, Rc<[Str]>)>,
    /// What is shown of the turn on its own.
    selection: Option<Rc<TurnSelection>>,
    /// What is shown of it while it is the last turn and failed.
    failed: OnceCell<FailedLines>,
}

/// The lines of the calls and prints of the last turn, which failed.
#[derive(Debug)]
pub struct FailedLines {
    /// The calls that are shown, by their indexes.
    pub calls: Vec<(usize, Line)>,
    /// The indexes of the other calls.
    pub calls_omitted: Vec<usize>,
    /// The line that counts them.
    pub rest: Option<Line>,
    /// The prints that are shown, by their indexes.
    pub prints: Vec<(usize, Line)>,
}

impl FailedLines {
    fn of(turn: &Turn, limits: &Limits) -> FailedLines {
        let FailedCalls { shown, omitted } = FailedCalls::of(turn, limits);
        let prints = turn.prints();
        let first = prints.len().saturating_sub(limits.println);
        let print = |index: usize| (index, shortened(&prints[index], limits.print_length).into());
        FailedLines {
            rest: (!shown.is_empty() && !omitted.is_empty()).then(|| rest_line(omitted.len()).into()),
            calls: shown.into_iter().map(|(index, line)| (index, line.into())).collect(),
            calls_omitted: omitted,
            prints: (first..prints.len()).map(print).collect(),
        }
    }
}

impl TurnSlot {
    fn new(given: Turn, is_lossless: bool) -> TurnSlot {
        let turn = if is_lossless { shorter(&given) } else { given.clone() };
        TurnSlot { given, turn, defined: None, selection: None, failed: OnceCell::new() }
    }

    /// The names that this turn defined, given the last turn before it that has a memory. A failed turn defines nothing:
    /// its program changed no definition.
    pub fn defined(&mut self, before: Option<&Turn>) -> Rc<[Str]> {
        if !self.turn.is_success() {
            return Rc::from([]);
        }
        if let Some((compared, names)) = &self.defined
            && (self.turn.defined().is_some() || is_same_turn(compared.as_ref(), before))
        {
            return names.clone();
        }
        let names: Rc<[Str]> = match self.turn.defined() {
            Some(names) => Rc::from(names),
            None => match self.turn.memory() {
                Some(memory) => changed_names(before.and_then(Turn::memory), memory),
                None => Rc::from([]),
            },
        };
        self.defined = Some((before.cloned(), names.clone()));
        names
    }

    /// The last turn that has a memory: this one, else `before`.
    pub fn last_with_memory(&self, before: Option<Turn>) -> Option<Turn> {
        if self.turn.has_memory() { Some(self.turn.clone()) } else { before }
    }

    /// The names of the last call of [`TurnSlot::defined`].
    pub fn known_defined(&self) -> &[Str] {
        self.defined.as_ref().map_or(&[], |(_, names)| names)
    }
}

/// The turn with its prints in shorter forms.
fn shorter(turn: &Turn) -> Turn {
    // A print may be a file that a call of the turn has read.
    let reads = turn.tool_calls().iter().any(|call| Source::of(&call.args) == Source::File);
    let source = if reads { Source::File } else { Source::Other };
    let forms: Vec<Option<String>> = turn.prints().iter().map(|print| arrival::shortened(print, source)).collect();
    if forms.iter().all(Option::is_none) {
        return turn.clone();
    }
    let prints = turn.prints().iter().zip(forms);
    turn.with_prints(prints.map(|(print, form)| form.map_or_else(|| print.clone(), Str::from)).collect())
}

fn is_same_turn(left: Option<&Turn>, right: Option<&Turn>) -> bool {
    match (left, right) {
        (None, None) => true,
        (Some(left), Some(right)) => left.is_same(right),
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

/// A history of turns, and the fold over the first of them.
#[derive(Debug, Default)]
pub struct History {
    slots: Vec<TurnSlot>,
    shapes: Shapes,
    /// True when prints are shown in shorter forms.
    is_lossless: bool,
    folded: Accumulated,
    /// Grows whenever a fold over the same number of turns may be different.
    revision: usize,
    /// The number of turns at the beginning that were not edited since [`History::take_unedited`]. None means all
    /// turns.
    unedited: Option<usize>,
}

/// The accumulator of the fold.
#[derive(Debug, Default)]
struct Accumulated {
    turns: usize,
    failed: usize,
    definitions: Names<usize>,
    calls: Newest,
    /// Prints of turns that succeeded.
    prints: Newest,
    failed_prints: usize,
    /// The last turn that has a memory.
    remembering: Option<Turn>,
}

impl Accumulated {
    fn push(&mut self, slot: &mut TurnSlot, limits: &Limits) {
        let index = self.turns;
        self.turns += 1;
        for name in slot.defined(self.remembering.as_ref()).iter() {
            self.definitions.insert(name.clone(), index);
        }
        let turn = &slot.turn;
        if turn.has_memory() {
            self.remembering = Some(turn.clone());
        }
        self.calls.push(index, turn.tool_call_count(), limits.tool_calls);
        if turn.is_success() {
            self.prints.push(index, turn.print_count(), limits.println);
        } else {
            self.failed += 1;
            self.failed_prints += turn.print_count();
        }
    }
}

/// The newest prints or calls. At most twice as many as the limit are kept: the surplus is removed in one go, because
/// removing one at a time would move all others each time.
#[derive(Debug, Default)]
struct Newest {
    total: usize,
    kept: Vec<Recent>,
}

/// A print or call, by its turn and its index in that turn, with its line once it has been written.
#[derive(Debug)]
struct Recent {
    turn: usize,
    index: usize,
    line: OnceCell<Line>,
}

impl Newest {
    fn push(&mut self, turn: usize, count: usize, limit: usize) {
        self.total += count;
        for index in count.saturating_sub(limit)..count {
            if self.kept.len() / 2 >= limit {
                self.kept.drain(..self.kept.len() - limit);
            }
            self.kept.push(Recent { turn, index, line: OnceCell::new() });
        }
    }

    /// The newest `limit`, oldest first.
    fn within(&self, limit: usize) -> &[Recent] {
        newest(&self.kept, limit)
    }
}

/// The last `limit` entries.
pub fn newest<T>(entries: &[T], limit: usize) -> &[T] {
    &entries[entries.len().saturating_sub(limit)..]
}

impl History {
    pub fn new(turns: impl IntoIterator<Item = Turn>, is_lossless: bool) -> History {
        let slots = turns.into_iter().map(|turn| TurnSlot::new(turn, is_lossless)).collect();
        History { slots, is_lossless, ..History::default() }
    }

    /// Shows the shapes of the results of these tools, as far as their signatures do not say them.
    pub fn show_results_of(&mut self, tools: &[(Str, Rc<ToolSpec>)]) {
        self.shapes = Shapes::new(tools);
    }

    /// What was seen of the results of tools in a turn, and not before.
    pub fn seen_in(&mut self, index: usize) -> Rc<[Rc<Definition>]> {
        self.read_shapes(index + 1);
        self.shapes.of_turn(index)
    }

    fn read_shapes(&mut self, turns: usize) {
        for index in self.shapes.len()..turns {
            self.shapes.push(&self.slots[index].turn);
        }
    }

    pub fn len(&self) -> usize {
        self.slots.len()
    }

    pub fn push(&mut self, turn: Turn) {
        self.slots.push(TurnSlot::new(turn, self.is_lossless));
    }

    pub fn insert(&mut self, index: usize, turn: Turn) {
        self.slots.insert(index, TurnSlot::new(turn, self.is_lossless));
        self.changed_from(index);
    }

    pub fn replace(&mut self, index: usize, turn: Turn) {
        self.slots[index] = TurnSlot::new(turn, self.is_lossless);
        self.changed_from(index);
    }

    pub fn remove(&mut self, index: usize) {
        self.slots.remove(index);
        self.changed_from(index);
    }

    /// Discards everything that depends on the options, of which `is_lossless` is one.
    pub fn reset(&mut self, is_lossless: bool) {
        self.folded = Accumulated::default();
        for slot in &mut self.slots {
            if is_lossless != self.is_lossless {
                *slot = TurnSlot::new(slot.given.clone(), is_lossless);
            }
            slot.selection = None;
            slot.failed = OnceCell::new();
        }
        self.is_lossless = is_lossless;
    }

    /// Discards everything that depends on the turn at `index`: the fold that includes it, and the selections from
    /// there on, whose indices or definitions may differ now.
    fn changed_from(&mut self, index: usize) {
        self.revision += 1;
        self.shapes.clear();
        self.unedited = Some(self.unedited.map_or(index, |before| before.min(index)));
        if index < self.folded.turns {
            self.folded = Accumulated::default();
        }
        self.slots[index..].iter_mut().for_each(|slot| slot.selection = None);
    }

    /// Returns the number of turns at the beginning that were not edited since the last call. Turns that were appended
    /// count.
    pub fn take_unedited(&mut self) -> usize {
        self.unedited.take().unwrap_or(self.slots.len())
    }

    pub fn slot(&self, index: usize) -> &TurnSlot {
        &self.slots[index]
    }

    pub fn slot_mut(&mut self, index: usize) -> &mut TurnSlot {
        &mut self.slots[index]
    }

    /// The selection of a single turn, made by `select` unless it is known.
    pub fn turn_selection(
        &mut self,
        index: usize,
        select: impl FnOnce(&mut TurnSlot) -> Vec<Item>,
    ) -> Rc<TurnSelection> {
        if let Some(selection) = &self.slots[index].selection {
            return selection.clone();
        }
        let seen = self.seen_in(index);
        let slot = &mut self.slots[index];
        let mut items = select(slot);
        let last = items.iter().rposition(|item| matches!(item.content, Content::Definition(..))).unwrap_or_default();
        items.splice(last + 1..last + 1, seen.iter().map(|line| Item::shown(Content::Seen(line.clone()))));
        let selection = Rc::new(TurnSelection::new(index, slot.turn.clone(), items));
        slot.selection = Some(selection.clone());
        selection
    }

    /// The last of the first `turns` that has a memory.
    pub fn remembering(&self, turns: usize) -> Option<&Turn> {
        self.slots[..turns].iter().rev().map(|slot| &slot.turn).find(|turn| turn.has_memory())
    }

    /// The memory after the first `turns` of the history: the memory of the last of them that has one.
    pub fn memory_after(&self, turns: usize) -> Option<Memory> {
        self.remembering(turns).and_then(Turn::memory).cloned()
    }

    /// The last three successful turns, the newest first. Their results are the values of `*1`, `*2` and `*3`.
    pub fn recent(&self) -> impl Iterator<Item = (usize, &TurnSlot)> {
        recent(&self.slots)
    }

    /// The fold over the first `turns` of the history. Extends the fold of the last call when that covers no more turns.
    /// `limits` must be those of the last call, unless the history was reset.
    pub fn fold(&mut self, turns: usize, limits: &Limits) -> Fold<'_> {
        self.fold_as_of(turns, self.len(), limits)
    }

    /// [`History::fold`] as it was when the history had `all` turns.
    pub fn fold_as_of(&mut self, turns: usize, all: usize, limits: &Limits) -> Fold<'_> {
        if self.folded.turns > turns {
            self.folded = Accumulated::default();
        }
        for slot in &mut self.slots[self.folded.turns..turns] {
            self.folded.push(slot, limits);
        }
        self.read_shapes(turns);
        let History { slots, folded, shapes, revision, .. } = self;
        Fold { slots: &slots[..all], accumulated: folded, shapes, revision: *revision }
    }
}

fn recent(slots: &[TurnSlot]) -> impl Iterator<Item = (usize, &TurnSlot)> {
    slots.iter().enumerate().rev().filter(|(_, slot)| slot.turn.is_success()).take(3)
}

/// A history whose first turns are folded.
#[derive(Clone, Copy, Debug)]
pub struct Fold<'a> {
    /// All turns, including those after the folded ones.
    slots: &'a [TurnSlot],
    accumulated: &'a Accumulated,
    shapes: &'a Shapes,
    revision: usize,
}

/// The line of a print or call.
#[derive(Clone, Copy, Debug)]
pub struct RecentLine<'a> {
    pub turn: usize,
    /// Index in the turn.
    pub index: usize,
    pub line: &'a Line,
}

impl<'a> Fold<'a> {
    /// Folds of one history with the same identity are equal.
    pub fn identity(&self) -> (usize, usize) {
        (self.turns(), self.revision)
    }

    /// How many turns are folded.
    pub fn turns(&self) -> usize {
        self.accumulated.turns
    }

    /// The folded turns.
    pub fn folded(&self) -> &'a [TurnSlot] {
        &self.slots[..self.turns()]
    }

    /// How many of them failed.
    pub fn failed(&self) -> usize {
        self.accumulated.failed
    }

    pub fn calls_total(&self) -> usize {
        self.accumulated.calls.total
    }

    pub fn prints_total(&self) -> usize {
        self.accumulated.prints.total + self.accumulated.failed_prints
    }

    /// Prints of the turns that succeeded.
    pub fn successful_prints(&self) -> usize {
        self.accumulated.prints.total
    }

    /// What was seen of the results of tools.
    pub fn seen(&self) -> Vec<Rc<Definition>> {
        self.shapes.after(self.turns())
    }

    /// The memory after the folded turns.
    pub fn memory(&self) -> Option<&'a Memory> {
        self.accumulated.remembering.as_ref().and_then(Turn::memory)
    }

    /// Index of the turn that last defined a name.
    pub fn defined_by(&self, name: &str) -> Option<usize> {
        self.accumulated.definitions.get(name).copied()
    }

    pub fn origin(&self, name: &str, limits: &Limits) -> Origin<'a> {
        match self.defined_by(name) {
            Some(index) => {
                let turn = &self.slots[index].turn;
                let value = turn.memory().and_then(|memory| memory.get(name));
                let sample = match self.shows_prints(index, limits) {
                    true => value.map_or(SampleSize::None, |value| beside_output(turn, value, limits)),
                    false => SampleSize::Whole,
                };
                Origin { turn: Some(index), sample, doc: turn.doc(name) }
            }
            None => Origin::default(),
        }
    }

    /// True when the turn printed and all of its prints are among those that are shown.
    fn shows_prints(&self, index: usize, limits: &Limits) -> bool {
        let turn = &self.slots[index].turn;
        let first = self.accumulated.prints.within(limits.println).first();
        let is_within = first.is_some_and(|first| (first.turn, first.index) <= (index, 0));
        turn.print_count() > 0 && is_within && fit(turn, limits)
    }

    /// [`History::recent`].
    pub fn recent(&self) -> impl Iterator<Item = (usize, &'a TurnSlot)> {
        recent(self.slots)
    }

    /// The failed turn, when the last one of the history is folded and failed. An older error is omitted: later turns
    /// recovered from it, or have errors of their own.
    pub fn last_error(&self) -> Option<(usize, &'a Turn)> {
        let last = self.turns().checked_sub(1)?;
        let turn = &self.slots[last].turn;
        (self.turns() == self.slots.len() && !turn.is_success()).then_some((last, turn))
    }

    /// The lines of [`Fold::last_error`].
    pub fn failed_lines(&self, limits: &Limits) -> Option<(usize, &'a FailedLines)> {
        let (index, turn) = self.last_error()?;
        Some((index, self.slots[index].failed.get_or_init(|| FailedLines::of(turn, limits))))
    }

    /// True when the last turn of the history succeeded.
    pub fn recovered(&self) -> bool {
        self.slots.last().is_some_and(|slot| slot.turn.is_success())
    }

    /// The newest prints of turns that succeeded, oldest first.
    pub fn prints(&self, limits: &Limits) -> Vec<RecentLine<'a>> {
        self.lines(self.accumulated.prints.within(limits.println), &|turn, index| {
            shortened(&turn.prints()[index], limits.print_length)
        })
    }

    /// The newest calls, oldest first.
    pub fn calls(&self, limits: &Limits) -> Vec<RecentLine<'a>> {
        self.lines(self.accumulated.calls.within(limits.tool_calls), &|turn, index| {
            call_line(turn, &turn.tool_calls()[index], limits)
        })
    }

    fn lines(&self, recent: &'a [Recent], write: &dyn Fn(&Turn, usize) -> String) -> Vec<RecentLine<'a>> {
        let line = |recent: &'a Recent| {
            let (turn, index) = (recent.turn, recent.index);
            let line = recent.line.get_or_init(|| write(&self.slots[turn].turn, index).into());
            RecentLine { turn, index, line }
        };
        recent.iter().map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::turn::TurnInit;
    use crate::value::Value;

    #[test]
    fn newest_keeps_the_last_entries_up_to_the_limit() {
        let (mut three, mut none) = (Newest::default(), Newest::default());
        for turn in 0..20 {
            three.push(turn, turn % 5, 3);
            none.push(turn, 1, 0);
            assert!(three.kept.len() <= 6);
            assert!(none.kept.is_empty());
        }
        let positions: Vec<_> = three.within(3).iter().map(|recent| (recent.turn, recent.index)).collect();
        assert_eq!(positions, [(19, 1), (19, 2), (19, 3)]);
        assert!(three.within(0).is_empty());
        assert_eq!((three.total, none.total), (40, 20));
    }

    /// A turn with these definitions after it.
    fn turn(names: &[(&str, i64)]) -> Turn {
        let memory = names.iter().map(|(name, value)| (Str::from(*name), Value::Int(*value))).collect();
        Turn::success(TurnInit { memory: Some(Rc::new(memory)), ..TurnInit::default() })
    }

    fn definitions(history: &mut History) -> [Option<usize>; 2] {
        let (turns, limits) = (history.len(), Limits::default());
        let fold = history.fold(turns, &limits);
        ["x", "y"].map(|name| fold.defined_by(name))
    }

    #[test]
    fn an_edited_turn_changes_what_the_turn_after_it_defined() {
        let mut history = History::new([turn(&[("x", 1)]), turn(&[("x", 1), ("y", 2)])], false);
        assert_eq!(definitions(&mut history), [Some(0), Some(1)]);
        history.replace(0, turn(&[("x", 5), ("y", 2)]));
        assert_eq!(definitions(&mut history), [Some(1), Some(0)]);
    }

    #[test]
    fn a_failed_turn_keeps_none_of_the_names_that_its_program_would_have_defined() {
        let failed = TurnInit { defined: Some(vec!["y".into()]), ..TurnInit::default() };
        let mut history = History::new([turn(&[("x", 1)]), Turn::failure(failed)], false);
        assert_eq!(definitions(&mut history), [Some(0), None]);
    }

    #[test]
    fn the_unedited_turns_are_those_before_the_first_edit() {
        let mut history = History::new((0..5).map(|_| turn(&[])), false);
        history.remove(1);
        history.replace(3, turn(&[]));
        assert_eq!((history.take_unedited(), history.take_unedited()), (1, 4));
    }
}
