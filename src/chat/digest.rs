//! The strategy that folds finished rounds of tool calls into lines.

use std::borrow::Cow;
use std::ops::Range;
use std::rc::Rc;

use super::accounting::Counts;
use super::handle::handle_of;
use super::history::{ManagedHistory, Slot};
use super::media::NotedText;
use super::message::{Part, ResultOutcome};
use super::parameters::Digest;
use super::reduction::{FoundReductions, PieceChange, Reduction, SearchProgress, add_names, in_batches};
use crate::names::{ShownNames, list_names, unescaped};
use crate::value::{Str, Value, read_json, write_json};

/// The approximate tokens of a digest message without its lines.
pub(super) const AROUND: usize = 14;

/// The longest text of a model that precedes its calls, as a multiple of `Digest::head`.
const TEXT: usize = 2;

/// The longest first word that is not cut.
const FIRST_WORD: usize = 120;

/// Returns the rounds that are folded, the oldest first: those that are followed by at least `digest.keep` other rounds
/// and whose messages may all be removed. `progress` is that of an earlier request.
pub(super) fn rounds(
    history: &ManagedHistory,
    strategy: &Str,
    digest: Digest,
    progress: &SearchProgress,
    counts: &mut Counts,
) -> FoundReductions {
    let units = &history.units.ranges;
    let has_tools = |range: &Range<usize>| history.slots[range.clone()].iter().any(|slot| slot.message.has_tools());
    let all: Vec<&Range<usize>> = units.iter().filter(|range| has_tools(range)).collect();
    let messages = history.slots.len() + history.request_messages;
    let mut shown = ShownNames::after(&progress.shown);
    let SearchProgress { mut found, mut searched, mut next, .. } = progress.clone();
    let first = found.first().map(|first| history.unit_start(first.index()));
    let (mut decided, mut is_finished) = (first.unwrap_or(history.slots.len()), true);
    for (position, range) in all.iter().enumerate().skip(searched) {
        // A round that no model has read yet is not folded.
        let last_kept = all.get(position + digest.keep);
        let due = last_kept.map_or(usize::MAX, |last_kept| last_kept.end.max(history.answered_at(range)));
        if due > messages {
            decided = decided.min(range.start);
            break;
        }
        searched += 1;
        is_finished &= history.is_finished(range);
        let is_round = is_round(history, range);
        let end = if is_round { range.start } else { range.end };
        let newer = history.slots[next..end].iter().filter(|slot| slot.is_present());
        newer.for_each(|slot| add_names(&slot.message, |_| true, &mut shown));
        next = range.end;
        if !is_round {
            continue;
        }
        decided = decided.min(range.start);
        let slots = &history.slots[(*range).clone()];
        let lines = lines(slots, digest, &mut shown);
        let saved = slots.iter().map(|slot| slot.tokens).sum::<usize>().saturating_sub(counts.text(&lines) + 1);
        let change = PieceChange::Lines(lines.into());
        found.push(Reduction { covers: (*range).clone(), change, strategy: strategy.clone(), saved, due });
    }
    let progress = SearchProgress { found: found.clone(), searched, next, shown: Rc::new(shown) };
    in_batches(&mut found, digest.at_least);
    FoundReductions { reductions: found, decided, progress: is_finished.then_some(progress) }
}

/// Adds the names in settled messages.
pub(super) fn add_shown(history: &ManagedHistory, settled: Range<usize>, shown: &mut ShownNames) {
    history.slots[settled].iter().for_each(|slot| add_names(&slot.message, |_| true, shown));
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

/// The text of the message that holds the lines.
pub(super) fn text(lines: &[&str], digest: Digest) -> String {
    let about = if digest.has_handles { "; recall gives the result of a #id in full" } else { "" };
    format!("Earlier tool calls, shortened{about}:\n{}", lines.join("\n"))
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
    for slot in slots {
        let is_model = *slot.message.role == *"assistant";
        for part in &slot.message.parts {
            let mut line = DigestLine::default();
            match part {
                Part::Text(text) | Part::Compaction { text, .. } if is_model => line.add(&**text, TEXT * digest.head),
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
                    line.add_call(name, args, digest.head);
                    let answers = |(own, of, ..): &(&Str, &Str, &NotedText, ResultOutcome)| {
                        *own == id && (!id.is_empty() || *of == name)
                    };
                    if let Some(position) = results.iter().position(answers) {
                        let (_, _, text, outcome) = results.remove(position);
                        line.add_result(text, outcome, digest.head);
                    }
                }
            }
            if !line.text.is_empty() {
                lines.push(line.finish(digest.names, shown));
            }
        }
    }
    lines.join("\n")
}

/// A line under construction, and the texts of which it shows only the beginning.
#[derive(Default)]
struct DigestLine<'t> {
    text: String,
    cut: Vec<Cow<'t, str>>,
}

impl<'t> DigestLine<'t> {
    /// Adds the first `max` characters of a text on one line, and at least its first word unless that is very long.
    /// The text is cut between two words, so that no name is cut.
    fn add(&mut self, text: impl Into<Cow<'t, str>>, max: usize) {
        let text = text.into();
        let (mut length, mut is_cut) = (0, false);
        for word in text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty()) {
            let space = usize::from(length > 0);
            length += word.chars().count() + space;
            if length > if space > 0 { max } else { max.max(FIRST_WORD) } {
                is_cut = true;
                break;
            }
            self.text.push_str(if space > 0 { " " } else { "" });
            self.text.push_str(word);
        }
        if is_cut {
            let is_first = self.text.is_empty() || self.text.ends_with([' ', '(']);
            self.text.push_str(if is_first { "…" } else { " …" });
            self.cut.push(text);
        }
    }

    fn add_call(&mut self, name: &str, args: &'t str, head: usize) {
        self.text.push_str(name);
        self.text.push('(');
        match read_json(args, false) {
            Ok(Value::Map(members)) => {
                for (position, (key, value)) in members.iter().enumerate() {
                    self.text.push_str(if position > 0 { ", " } else { "" });
                    self.text.push_str(key.as_str().unwrap_or_default());
                    self.text.push_str(": ");
                    self.add(flat(value), head);
                }
            }
            Ok(value) => self.add(flat(&value), head),
            Err(_) => self.add(args, head),
        }
        self.text.push(')');
    }

    fn add_result(&mut self, text: &'t NotedText, outcome: ResultOutcome, head: usize) {
        self.text.push_str(" →");
        self.text.push_str(outcome.note());
        self.text.push(' ');
        let media = text.media;
        match (text.trim().is_empty(), media) {
            (true, 0) => self.text.push_str("(empty)"),
            (_, 0) => self.add(unescaped(text), head),
            (is_empty, _) => {
                self.text.push_str(&format!("({media} images or files)"));
                if !is_empty {
                    self.text.push(' ');
                    self.add(unescaped(text), head);
                }
            }
        }
    }

    /// Returns the line, followed by up to `max` names from the texts that were cut.
    fn finish(mut self, max: usize, shown: &mut ShownNames) -> String {
        if max == 0 {
            return self.text;
        }
        shown.add(&self.text);
        let names = match &*self.cut {
            [] => return self.text,
            [text] => list_names(text, max, shown),
            texts => list_names(&texts.join("\n"), max, shown),
        };
        if !names.is_empty() {
            self.text.push_str(&format!(" [{names}]"));
        }
        self.text
    }
}

/// Returns a value as text, with strings unquoted.
fn flat(value: &Value) -> String {
    fn write(value: &Value, out: &mut String) {
        match value {
            Value::Str(text) => out.push_str(text),
            Value::Vector(items) => {
                out.push('[');
                for (position, item) in items.iter().enumerate() {
                    out.push_str(if position > 0 { ", " } else { "" });
                    write(item, out);
                }
                out.push(']');
            }
            Value::Map(members) => {
                out.push('{');
                for (position, (key, value)) in members.iter().enumerate() {
                    out.push_str(if position > 0 { ", " } else { "" });
                    out.push_str(key.as_str().unwrap_or_default());
                    out.push_str(": ");
                    write(value, out);
                }
                out.push('}');
            }
            // Every other value that was read from JSON can be written as JSON.
            scalar => write_json(scalar, out).unwrap_or(()),
        }
    }
    let mut out = String::new();
    write(value, &mut out);
    out
}
