//! Limits on what is sent: tokens and messages (FR-006…010).

use super::ChatError;
use super::grouping::History;
use crate::value::Value;

/// One of the two limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// `maxTokens`, less what is reserved for the reply.
    Tokens(usize),
    /// `maxHistorySize`
    Messages(usize),
}

/// What a message or a summary takes of a limit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    /// The message; None for a summary that is new.
    pub message: Option<usize>,
    /// The group of a new summary.
    pub group: usize,
    pub tokens: usize,
    pub is_summary: bool,
    pub is_free: bool,
    /// What is taken away together has the same number, and stands together.
    pub unit: usize,
}

impl Limit {
    /// As callers call it.
    pub fn name(self) -> &'static str {
        match self {
            Limit::Tokens(_) => "maxTokens",
            Limit::Messages(_) => "maxHistorySize",
        }
    }

    pub(super) fn most(self) -> usize {
        match self {
            Limit::Tokens(most) | Limit::Messages(most) => most,
        }
    }

    /// What a message takes of it.
    pub(super) fn weight(self, tokens: usize) -> usize {
        match self {
            Limit::Tokens(_) => tokens,
            Limit::Messages(_) => 1,
        }
    }

    /// Refuses a limit that can't be met by taking messages away (FR-016).
    ///
    /// @param tokens of each message of the history.
    /// @param request what is sent besides the history.
    pub(super) fn check(self, history: &History, tokens: &[usize], request: usize) -> Result<(), ChatError> {
        let sum = |holds: &dyn Fn(&'static str) -> bool| -> usize {
            let held = history.held.iter().zip(tokens);
            held.filter(|(held, _)| held.is_some_and(holds)).map(|(_, tokens)| self.weight(*tokens)).sum()
        };
        let (most, name) = (self.most(), self.name());
        let unit = if matches!(self, Limit::Tokens(_)) { "tokens" } else { "messages" };
        let (system, pins) = (sum(&|held| held == "system"), sum(&|held| held != "pending"));
        let all = sum(&|_| true) + request;
        let error = if matches!(self, Limit::Tokens(_)) && system > most {
            let problem = format!(
                "maxTokens must accommodate the system prompt: that has {system} tokens, and {most} are left for messages"
            );
            ChatError::new("max_tokens_below_system", problem)
                .hint("raise maxTokens, lower reserveTokens, or shorten the system prompt")
        } else if pins > most {
            let problem = format!("system and pinned messages alone take {pins} {unit}, and {name} allows {most}");
            ChatError::new("pins_over_limit", problem).hint("raise the limit, or pin less")
        } else if all > most {
            let problem =
                format!("the request, with system and pinned messages, takes {all} {unit}, and {name} allows {most}");
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
            .with("needed", number(all)))
    }

    /// Takes units away, the oldest first, until what is left is within the limit: first messages, then summaries, for
    /// they stand for more; the newest unit last.
    ///
    /// @param request what is sent besides the items.
    /// @return which items go.
    pub(super) fn trim(self, items: &[Item], request: usize) -> Vec<bool> {
        let mut goes = vec![false; items.len()];
        let mut total = items.iter().map(|item| self.weight(item.tokens)).sum::<usize>() + request;
        let newest = items.iter().rfind(|item| item.is_free && !item.is_summary).map(|item| item.unit);
        for round in 0..3 {
            let takes = |item: &Item| {
                item.is_free
                    && match round {
                        0 => !item.is_summary && Some(item.unit) != newest,
                        1 => item.is_summary && Some(item.unit) != newest,
                        _ => Some(item.unit) == newest,
                    }
            };
            let mut at = 0;
            while at < items.len() && total > self.most() {
                let unit = items[at].unit;
                while let Some(item) = items.get(at).filter(|item| item.unit == unit) {
                    if takes(item) && !goes[at] {
                        goes[at] = true;
                        total -= self.weight(item.tokens);
                    }
                    at += 1;
                }
            }
        }
        goes
    }
}
