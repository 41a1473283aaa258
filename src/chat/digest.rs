//! The strategy that folds finished rounds of tool calls into lines.

use std::ops::Range;
use std::rc::Rc;

use super::accounting::Counts;
use super::digest_line::{DigestLine, PROSE};
use super::handle::handle_of;
use super::history::{ManagedHistory, Slot};
use super::media::NotedText;
use super::message::{Part, ResultOutcome};
use super::parameters::{Digest, HistoryStrategy};
use super::program_line::program_run;
use super::reduction::{PieceChange, Reduction, add_names, in_batches};
use super::search::{FoundReductions, SearchProgress};
use crate::names::ShownNames;
use crate::text::join;
use crate::value::Str;

/// Returns the rounds that are folded, the oldest first: those that are followed by at least `digest.keep` other rounds
/// and whose messages may all be removed. `shown` are the names in the settled messages.
pub(super) fn rounds(
    history: &ManagedHistory,
    strategy: &HistoryStrategy,
    digest: Digest,
    shown: &Rc<ShownNames>,
    counts: &mut Counts,
) -> FoundReductions {
    let units = &history.units.ranges;
    let has_tools = |range: &Range<usize>| history.slots[range.clone()].iter().any(|slot| slot.message.has_tools());
    let all: Vec<&Range<usize>> = units.iter().filter(|range| has_tools(range)).collect();
    let messages = history.slots.len() + history.request_messages;
    let misses = counts.misses();
    let end_of = |round: usize| all.get(round).map(|range| range.end);
    let before = SearchProgress::take(history, strategy, counts, shown, &end_of);
    let mut shown = ShownNames::after(&before.shown);
    let (mut found, mut searched, mut next) = (before.found.clone(), before.searched, before.next);
    let known = before.folds.clone();
    let is_digest =
        |slot: &Slot| slot.message.summary.as_ref().is_some_and(|summary| summary.strategy == strategy.name());
    let folded = history.slots.iter().rposition(is_digest).unwrap_or(0);
    // A round that no model has read yet is not folded. One before a digest was due when that was made.
    let due_at = |position: usize| {
        let end = all[position].end;
        let last_kept = if end <= folded { Some(end) } else { end_of(position + digest.keep) };
        last_kept.map_or(usize::MAX, |last_kept| last_kept.max(history.answered_at(all[position])))
    };
    for reduction in &mut found {
        reduction.due = due_at(all.partition_point(|range| range.end <= reduction.covers.start));
    }
    let mut is_finished = true;
    for (position, range) in all.iter().enumerate().skip(searched) {
        let due = due_at(position);
        if due > messages {
            break;
        }
        searched += 1;
        is_finished &= history.is_closed(range);
        let is_round = is_round(history, range);
        let end = if is_round { range.start } else { range.end };
        let newer = history.slots[next..end].iter().filter(|slot| slot.is_present());
        newer.for_each(|slot| add_names(&slot.message, |_| true, &mut shown));
        next = range.end;
        if !is_round {
            continue;
        }
        let slots = &history.slots[(*range).clone()];
        let lines = lines(slots, digest, &mut shown);
        let saved = slots.iter().map(|slot| slot.tokens).sum::<usize>().saturating_sub(counts.text(&lines) + 1);
        let change = PieceChange::Lines(lines.into());
        found.push(Reduction { covers: (*range).clone(), change, strategy: strategy.name(), saved, due });
    }
    let is_kept = is_finished && counts.misses() == misses;
    before.extended(is_kept.then_some((&found, searched, next, shown))).keep(history, strategy, counts);
    in_batches(&mut found, digest.at_least);
    let folds = if is_kept { known } else { Rc::default() };
    // Any message may move into the second tier later.
    FoundReductions { reductions: found, decided: 0, folds }
}

/// True for a range whose calls all have results and whose messages may all be removed.
fn is_round(history: &ManagedHistory, range: &Range<usize>) -> bool {
    let slots = &history.slots[range.clone()];
    let has_calls = slots
        .iter()
        .flat_map(|slot| &slot.message.parts)
        .any(|part| matches!(part, Part::Call { is_server: false, .. }));
    let open = &history.units.open;
    let is_finished =
        open.get(open.partition_point(|index| *index < range.start)).is_none_or(|index| *index >= range.end);
    has_calls && is_finished && slots.iter().all(|slot| slot.is_free() && slot.message.summary.is_none())
}

/// The lines of a round: the texts of the model, and each call with its result.
fn lines(slots: &[Slot], digest: Digest, shown: &mut ShownNames) -> String {
    let mut results: Vec<(&Str, &Str, &NotedText, ResultOutcome)> = Vec::new();
    for part in slots.iter().flat_map(|slot| &slot.message.parts) {
        if let Part::Result { id, name, text, outcome, .. } = part {
            results.push((id, name, text, *outcome));
        }
    }
    let mut lines: Vec<String> = Vec::new();
    let mut prose = PROSE * digest.head;
    for slot in slots {
        let is_model = *slot.message.role == *"assistant";
        for part in &slot.message.parts {
            let mut line = DigestLine::default();
            match part {
                Part::Text(text) | Part::Compaction { text, .. } if is_model => {
                    prose = line.add_prose(text, prose, digest.head);
                }
                // Texts of other roles are not shortened.
                Part::Text(text) | Part::Compaction { text, .. } => {
                    line.text.push_str(&format!("{}: {}", slot.message.role, text.trim()));
                }
                Part::Other(text) => line.add(&**text, digest.head),
                Part::Media(kind) => line.text.push_str(&format!("({kind})")),
                Part::Reasoning(_) | Part::Result { .. } | Part::Approval(_) => continue,
                Part::Call { id, name, args, is_server } => {
                    if digest.has_handles && !id.is_empty() && !is_server {
                        line.text.push_str(&format!("#{} ", handle_of(id)));
                    }
                    let answers = |(own, of, ..): &(&Str, &Str, &NotedText, ResultOutcome)| {
                        *own == id && (!id.is_empty() || *of == name)
                    };
                    let result = results.iter().position(answers).map(|position| results.remove(position));
                    if let Some(run) = result.and_then(|(_, _, text, _)| program_run(args, text)) {
                        line.add_program(name, &run, digest.head);
                    } else {
                        let kind = line.add_call(name, args, digest.head);
                        if let Some((_, _, text, outcome)) = result {
                            line.add_result(text, outcome, kind, digest.head);
                        }
                    }
                }
            }
            if !line.text.is_empty() {
                lines.push(line.finish(digest.names, shown));
            }
        }
    }
    join(&lines, "\n")
}
