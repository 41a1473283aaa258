//! Enforces limits on what is sent.

use super::draft::{Draft, Item};
use super::error::ChatError;
use super::fate::Hold;
use super::history::History;
use super::parameters::Limit;
use crate::value::Value;

/// Refuses a limit that is exceeded by what may not be removed.
pub(super) fn check(limit: Limit, history: &History) -> Result<(), ChatError> {
    let held = |counts: fn(Hold) -> bool| {
        let held = history.slots.iter().filter(|slot| slot.hold.is_some_and(counts));
        held.map(|slot| limit.weight(slot.tokens)).sum::<usize>()
    };
    let system = held(|hold| hold == Hold::System);
    let pins = held(|hold| hold != Hold::Pending);
    let needed = held(|_| true) + history.request_size(limit);
    let (most, name, unit) = (limit.most(), limit.name(), limit.unit());
    let error = if matches!(limit, Limit::Tokens(_)) && system > most {
        let problem = format!(
            "maxTokens must accommodate the system prompt: that has {system} tokens, and {most} are left for messages"
        );
        ChatError::new("max_tokens_below_system", problem)
            .hint("raise maxTokens, lower reserveTokens, or shorten the system prompt")
    } else if pins > most {
        let problem = format!("system and pinned messages alone take {pins} {unit}, and {name} allows {most}");
        ChatError::new("pins_over_limit", problem).hint("raise the limit, or pin less")
    } else if needed > most {
        let problem =
            format!("the request, with system and pinned messages, takes {needed} {unit}, and {name} allows {most}");
        ChatError::new("request_over_budget", problem)
            .hint("raise the limit, or send less at once: messages are never cut")
    } else {
        return Ok(());
    };
    let number = |number: usize| Value::Int(number as i64);
    Err(error
        .with("limit", name)
        .with("most", number(most))
        .with("system", number(system))
        .with("pinned", number(pins - system))
        .with("needed", number(needed)))
}

/// Removes units, the oldest first, until the limit holds: first messages, then summaries, because a summary replaces
/// many messages, then the newest unit.
pub(super) fn enforce(limit: Limit, draft: &mut Draft<'_>) {
    let items = &draft.items;
    let mut size = items.iter().map(|item| limit.weight(item.tokens)).sum::<usize>();
    size += draft.plan.history.request_size(limit);
    let newest = items.iter().rfind(|item| item.is_free && !item.is_summary).map(|item| item.unit);
    let is_newest = |item: &Item| Some(item.unit) == newest;
    let passes: [&dyn Fn(&Item) -> bool; 3] =
        [&|item| !item.is_summary && !is_newest(item), &|item| item.is_summary && !is_newest(item), &is_newest];
    let mut removed = vec![false; items.len()];
    for removes in passes {
        let mut start = 0;
        for unit in items.chunk_by(|left, right| left.unit == right.unit) {
            if size <= limit.most() {
                break;
            }
            for (item, removed) in unit.iter().zip(&mut removed[start..]) {
                if item.is_free && removes(item) {
                    *removed = true;
                    size -= limit.weight(item.tokens);
                }
            }
            start += unit.len();
        }
    }
    draft.remove(&removed, limit.name());
}
