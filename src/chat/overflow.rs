//! Handles protected messages that exceed a limit.

use std::rc::Rc;

use super::accounting::Counts;
use super::error::{ChatError, counted};
use super::fate::{Hold, Stub, StubbedPart};
use super::history::ManagedHistory;
use super::message::{ResultOutcome, ResultPart};
use super::parameters::{Limit, OnOverflow, Parameters};
use super::stop::{Stop, require_counts};
use crate::value::{Str, Value};

/// Sizes of the request and of the messages that may not be removed, in the unit of a limit.
struct ProtectedSizes {
    system: usize,
    pinned: usize,
    /// Messages that wait for an answer: the question, calls and results.
    pending: usize,
    /// The request, with tools and the schema.
    request: usize,
}

impl ProtectedSizes {
    fn of(history: &ManagedHistory, limit: Limit) -> ProtectedSizes {
        let size = |hold: Hold| {
            let held = history.present().map(|index| &history.slots[index]).filter(|slot| slot.hold == Some(hold));
            held.map(|slot| limit.weight(slot.tokens)).sum::<usize>()
        };
        ProtectedSizes {
            system: size(Hold::System),
            pinned: size(Hold::Pinned) + size(Hold::Compaction),
            pending: size(Hold::Pending),
            request: history.request_size(limit),
        }
    }

    fn all(&self) -> usize {
        self.system + self.pinned + self.pending + self.request
    }
}

/// Checks that the request and the messages that may not be removed are within the limits. When they are not, returns
/// an error, shortens results or adds a warning, depending on `on_overflow`.
pub(super) fn check(
    history: &mut ManagedHistory,
    parameters: &Parameters,
    counts: &mut Counts,
    warnings: &mut Vec<String>,
) -> Result<(), Stop> {
    for limit in parameters.limits() {
        let held = ProtectedSizes::of(history, limit);
        if held.all() <= limit.max() {
            continue;
        }
        match parameters.on_overflow {
            OnOverflow::Send => {
                let (name, unit) = (limit.name(), limit.unit());
                warnings.push(format!(
                    "what may not be left out takes {} {unit}, and {name} allows {}: it is sent all the same",
                    held.all(),
                    limit.max()
                ));
                continue;
            }
            OnOverflow::TruncateResults if matches!(limit, Limit::Tokens(..)) => {
                let cut = truncate_results(history, held.all() - limit.max(), counts)?;
                if ProtectedSizes::of(history, limit).all() <= limit.max() {
                    warnings.push(format!("cut to fit {}: {cut} of the last round", limit.name()));
                    continue;
                }
            }
            _ => {}
        }
        return Err(refused(limit, &held).into());
    }
    Ok(())
}

fn refused(limit: Limit, held: &ProtectedSizes) -> ChatError {
    let (max, name, unit) = (limit.max(), limit.name(), limit.unit());
    let pins = held.system + held.pinned;
    let error = if matches!(limit, Limit::Tokens(..)) && held.system > max {
        let problem = format!(
            "maxTokens must accommodate the system prompt: that has {} tokens, and {max} are left for messages",
            held.system
        );
        ChatError::new("max_tokens_below_system", problem)
            .hint("raise maxTokens, lower reserveTokens, or shorten the system prompt")
    } else if pins > max {
        let problem = format!("system and pinned messages alone take {pins} {unit}, and {name} allows {max}");
        ChatError::new("pins_over_limit", problem).hint("raise the limit, or pin less")
    } else {
        let problem = format!(
            "what may not be left out takes {} {unit}, and {name} allows {max}: {} of system messages, {} of pinned ones, \
             {} of the question and the last round, {} of the request, tools and schema",
            held.all(),
            held.system,
            held.pinned,
            held.pending,
            held.request
        );
        ChatError::new("request_over_budget", problem).hint(match limit {
            Limit::Tokens(..) => {
                "raise the limit, send less at once, or set onOverflow: \"truncateResults\" cuts the tool results that no \
                 model has read yet, \"send\" sends more than the limit"
            }
            Limit::Messages(..) => "raise the limit, or set onOverflow: \"send\" sends more than the limit",
        })
    };
    let number = |number: usize| Value::Int(number as i64);
    error
        .with("limit", name)
        .with("most", number(max))
        .with("system", number(held.system))
        .with("pinned", number(held.pinned))
        .with("pending", number(held.pending))
        .with("requestAndTools", number(held.request))
        .with("needed", number(held.all()))
}

/// A result of the last round: the index of its message, its index among the results of that message, and its tokens.
type PendingResult = (usize, usize, usize);

/// Cuts the longest results that no model has read yet to a common length, so that `excess` tokens less are sent.
/// Returns how many were cut, as text.
fn truncate_results(history: &mut ManagedHistory, excess: usize, counts: &mut Counts) -> Result<String, Stop> {
    let mut results: Vec<PendingResult> = Vec::new();
    for (index, slot) in history.slots.iter().enumerate().filter(|(_, slot)| slot.hold == Some(Hold::Pending)) {
        for (result, ResultPart { text, .. }) in slot.message.results().enumerate().filter(|(_, part)| !part.is_server)
        {
            results.push((index, result, counts.text(text)));
        }
    }
    require_counts(counts)?;
    let level = level_of(&results, excess);
    let mut cut = 0;
    for (index, result, tokens) in results.into_iter().filter(|(.., tokens)| *tokens > level) {
        let message = history.slots[index].message.clone();
        let Some(ResultPart { text, outcome, .. }) = message.results().nth(result) else { continue };
        if let Some(text) = shortened(text, outcome, tokens, level, counts)? {
            cut += 1;
            let slot = &mut history.slots[index];
            slot.stubs.push(Stub { part: StubbedPart::Result(result), text });
            slot.message = Rc::new(slot.message.with_stubs(&slot.stubs));
            slot.tokens = counts.message(&slot.message);
            slot.mark_stubbed(&"onOverflow".into());
            history.is_truncated = true;
        }
    }
    require_counts(counts)?;
    Ok(counted(cut, "tool result"))
}

/// The largest length to which results are cut so that they have `excess` tokens less.
fn level_of(results: &[PendingResult], excess: usize) -> usize {
    let all: usize = results.iter().map(|(.., tokens)| tokens).sum();
    let (mut min, mut max) = (0, all);
    while min < max {
        let level = (min + max).div_ceil(2);
        let left: usize = results.iter().map(|(.., tokens)| (*tokens).min(level)).sum();
        if left + excess <= all {
            min = level;
        } else {
            max = level - 1;
        }
    }
    min
}

/// The beginning of a result, and a note that it was cut, in at most `max` tokens. None when the note alone is longer.
fn shortened(
    text: &str,
    outcome: ResultOutcome,
    tokens: usize,
    max: usize,
    counts: &mut Counts,
) -> Result<Option<Str>, Stop> {
    let all = text.chars().count();
    let mut kept = all * max / tokens.max(1);
    loop {
        let start: String = text.chars().take(kept).collect();
        let cut: Str = format!("{start}\n[cut to fit: the first {kept} of {all} characters]{}", outcome.note()).into();
        let size = counts.text(&cut);
        require_counts(counts)?;
        if size <= max {
            return Ok(Some(cut));
        }
        if kept == 0 {
            return Ok(None);
        }
        // The note takes some tokens, and the beginning may have more of them than the rest.
        kept = (kept * max / size).min(kept * 9 / 10);
    }
}
