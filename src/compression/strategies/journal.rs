//! A folded state that stays the same, followed by what each later turn added, until another fold is worth its price.

use std::rc::Rc;

use crate::compression::budget::{Budget, TextCounts};
use crate::compression::calls::{NO_CALLS, call_line};
use crate::compression::definitions::{Definition, Origin, SampleSize, beside_output, definition};
use crate::compression::fold::{History, newest};
use crate::compression::folds::{Decision, DefinitionSize, FixedSizes, MESSAGE, TurnSize};
use crate::compression::items::{Content, Item, TurnSelection};
use crate::compression::message_builder::header;
use crate::compression::options::{Counting, Journal, Limits, RenderOptions};
use crate::compression::prefix::{stable_prefix, system_message};
use crate::compression::prints::fit;
use crate::compression::selection::{DynamicSections, JournalEnd, Selection, unnamed_results};
use crate::compression::state::RenderState;
use crate::compression::text::{shortened, turns_left};
use crate::compression::writer::pair;
use crate::message::{Role, SectionKind};
use crate::tokens::Estimate;
use crate::turn::{Memory, ToolCall, Turn};
use crate::value::{Names, Str};

use super::aggressive::{Tally, reduce};
use super::{per_turn_summary, uncompressed};

/// Selects the turns up to the last fold as they were folded then, a pair of messages for each later turn, and at the
/// end what differs in each request. Nothing that was sent changes until the next fold.
pub fn select<'a>(
    options: &RenderOptions,
    state: &'a mut RenderState,
    memory: Option<Memory>,
    journal: &Journal,
) -> Selection<'a> {
    let RenderState { history, definitions, counts, folds, at } = state;
    let (all, limits) = (history.len(), &options.limits);
    counts.begin();
    folds.truncate(history.take_unedited());
    let mut texts = Texts { counts, counting: journal.counting };
    if folds.fixed.is_none() {
        let fixed = fixed_sizes(options, &mut texts);
        folds.fixed = texts.are_counted().then_some(fixed);
    }
    for index in folds.measured()..all {
        let size = turn_size(index, history, limits, &mut texts);
        if texts.are_counted() {
            folds.push(size, journal.prices.minimum);
        }
    }
    let Decision { folded, seen, target, cost } = match texts.are_counted() {
        true => folds.decide(journal, limits, options.turns_left_after(0, all), *at),
        // The host counts first, and then renders again.
        false => return Selection { folded: None, turns: Vec::new(), budget: None, journal: None },
    };

    let turns: Vec<_> = (folded..all).map(|index| shown(index, folds.replies(), history, limits)).collect();
    // The pair of the last turn shows its result without the name `*1`, which the result has in this request only.
    let mut end = unnamed_results(history.recent(), folded.max(all.saturating_sub(1)), limits);
    end.extend(unseen_definitions(history, memory, folded, &turns, limits));
    let mut selection =
        Selection { folded: None, turns, budget: None, journal: Some(JournalEnd { definitions: end, cost }) };
    let memory = history.memory_after(folded);
    let mut used = cost.bill.input() - folds.fixed.map_or(0, |fixed| fixed.head);
    if folded > 0 {
        let fold = history.fold_as_of(folded, seen, limits);
        let mut sections = DynamicSections::of(options, fold, definitions, memory);
        if let Some(target) = target {
            let mut tally = Tally { counts: texts.counts, counting: journal.counting };
            let reduced = reduce(&mut sections, target, &mut tally);
            used += reduced.saturating_sub(target);
        }
        selection.folded = Some(sections);
    }
    selection.budget = journal.budget.map(|limit| Budget { limit, used });
    selection
}

/// Counts the tokens of texts.
struct Texts<'a> {
    counts: &'a mut TextCounts,
    counting: Counting,
}

impl Texts<'_> {
    fn of(&mut self, text: String) -> usize {
        match self.counting {
            Counting::Estimate => self.counts.of(text, Some(&Estimate)),
            Counting::Host => self.counts.of(text, None),
        }
    }

    /// The tokens of a line with its line break, which is usually part of the line's last token.
    fn line(&mut self, line: &str) -> usize {
        self.of(format!("{line}\n"))
    }

    fn are_counted(&self) -> bool {
        self.counts.missing().is_empty()
    }

    /// The tokens of the two messages of a turn.
    fn pair(&mut self, selected: &TurnSelection, limits: &Limits) -> usize {
        let (reply, feedback) = selected.pair.get_or_init(|| pair(selected, limits));
        let texts = [reply.clone().finish(Role::Assistant).text, feedback.clone().finish(Role::User).text];
        texts.map(|text| MESSAGE + self.of(text)).into_iter().sum()
    }
}

fn fixed_sizes(options: &RenderOptions, texts: &mut Texts<'_>) -> FixedSizes {
    let system = texts.of(system_message(options).text);
    let head = 2 * MESSAGE + system + texts.of(stable_prefix(options).finish(Role::User).text);
    let kinds = [SectionKind::User, SectionKind::ToolCalls, SectionKind::Output];
    FixedSizes {
        head,
        end: texts.line(&turns_left(2)),
        headers: kinds.map(|kind| texts.line(header(kind))),
        no_calls: texts.line(NO_CALLS),
    }
}

/// Selects what a turn added: the part of it that messages between two folds show.
fn added(index: usize, history: &mut History, limits: &Limits) -> Rc<TurnSelection> {
    let before = history.remembering(index).cloned();
    history.turn_selection(index, |slot| {
        let defined = slot.defined(before.as_ref());
        let mut items = per_turn_summary::items(&slot.turn, &defined, Content::Result, limits);
        if has_calls_in_program(&slot.turn, limits) {
            let calls = slot.turn.tool_calls();
            items.retain(|item| match item.content {
                Content::ToolCall(call) => calls[call].error.is_some(),
                _ => true,
            });
        }
        items
    })
}

/// Selects what a turn after the last fold shows: the first `replies` turns show their replies, not only their programs.
fn shown(index: usize, replies: usize, history: &mut History, limits: &Limits) -> Rc<TurnSelection> {
    let added = added(index, history, limits);
    if index < replies { Rc::new(replied(&added)) } else { added }
}

fn replied(added: &TurnSelection) -> TurnSelection {
    let mut items = added.items.clone();
    items[0] = Item::shown(Content::Reply);
    TurnSelection::new(added.index, added.turn.clone(), items)
}

/// True when only the calls that failed need a list, because the program, which is shown, names the tools of all others,
/// and their results are not shown.
fn has_calls_in_program(turn: &Turn, limits: &Limits) -> bool {
    let program = turn.program().unwrap_or_default();
    let tells_more = limits.tool_results && turn.print_count() == 0;
    let is_named = |call: &ToolCall| program.contains(&format!("tool/{}", call.name));
    turn.is_success() && !tells_more && turn.tool_calls().iter().all(is_named)
}

fn turn_size(index: usize, history: &mut History, limits: &Limits, texts: &mut Texts<'_>) -> TurnSize {
    let added = added(index, history, limits);
    let seen = history.seen_in(index);
    let slot = history.slot(index);
    let turn = &slot.turn;
    let plain = Limits { journal: false, ..limits.clone() };
    let uncompressed = TurnSelection::new(index, turn.clone(), uncompressed::items(turn, &plain));
    let are_fit = fit(turn, limits);
    let mut definitions = Vec::new();
    for line in seen.iter() {
        let tokens = texts.line(line.line().text());
        definitions.push(DefinitionSize { name: line.name.clone(), full: tokens, printed: tokens });
    }
    for name in slot.known_defined() {
        let Some(value) = turn.memory().and_then(|memory| memory.get(name)) else { continue };
        let doc = turn.doc(name);
        let mut line = |sample: SampleSize| {
            let origin = Origin { turn: Some(index), sample, doc };
            texts.line(definition(name, value, &origin, limits).line().text())
        };
        let full = line(SampleSize::Whole);
        let printed = if are_fit { line(beside_output(turn, value, limits)) } else { full };
        definitions.push(DefinitionSize { name: name.clone(), full, printed });
    }
    let mut prints = Vec::new();
    if turn.is_success() {
        for print in newest(turn.prints(), limits.println) {
            prints.push(texts.line(&shortened(print, limits.print_length)));
        }
    }
    let calls = newest(turn.tool_calls(), limits.tool_calls);
    TurnSize {
        pair: texts.pair(&added, limits),
        replied: texts.pair(&replied(&added), limits),
        uncompressed: texts.pair(&uncompressed, &plain),
        definitions,
        prints_are_whole: turn.print_count() > 0 && prints.len() == turn.print_count(),
        prints,
        calls: calls.iter().map(|call| texts.line(&call_line(turn, call, limits))).collect(),
        at: turn.at(),
    }
}

/// Definitions after the last turn that neither the folded turns nor the later ones show: a host may pass names that no
/// turn defined, or other values.
fn unseen_definitions(
    history: &History,
    given: Option<Memory>,
    folded: usize,
    later: &[Rc<TurnSelection>],
    limits: &Limits,
) -> Vec<Rc<Definition>> {
    let last = history.memory_after(history.len());
    let before = history.memory_after(folded).filter(|_| folded > 0);
    let mut shown: Names<()> = Names::default();
    for selected in later {
        let Some(memory) = selected.turn.memory() else { continue };
        for name in history.slot(selected.index).known_defined() {
            if memory.contains(name) {
                shown.insert(name.clone(), ());
            }
        }
    }
    let is_shown = |name: &Str| shown.contains(name) || before.as_ref().is_some_and(|before| before.contains(name));
    let is_changed = |name: &Str| match (&given, &last) {
        (Some(given), Some(last)) => given.get(name) != last.get(name),
        (given, _) => given.is_some(),
    };
    let mut unseen = Vec::new();
    for (name, value) in given.as_ref().or(last.as_ref()).iter().flat_map(|memory| memory.iter()) {
        if !is_shown(name) || is_changed(name) {
            unseen.push(Rc::new(definition(name, value, &Origin::default(), limits)));
        }
    }
    unseen
}
