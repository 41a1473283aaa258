//! A conversation with its summaries in place, while limits are enforced on it.

use std::rc::Rc;

use super::accounting::Counts;
use super::conversation::Conversation;
use super::error::counted;
use super::fate::{Fate, MessageFate};
use super::message::ChatMessage;
use super::outcome::{Applied, Entry, HistoryOutcome, TokenChange};
use super::plan::Plan;

/// The messages of the new conversation, and the fates of those of the old one.
pub(super) struct Draft<'p> {
    pub plan: &'p Plan,
    pub items: Vec<Item>,
    fates: Vec<MessageFate>,
    is_trimmed: bool,
}

/// A message of the new conversation.
pub(super) struct Item {
    source: Source,
    pub tokens: usize,
    pub is_summary: bool,
    /// True when a limit may remove it.
    pub is_free: bool,
    /// Items with the same number are adjacent, and limits remove them together.
    pub unit: usize,
}

enum Source {
    /// The message at that index of the history.
    Message(usize),
    /// The summary of that group.
    Summary(usize, Rc<ChatMessage>),
}

impl<'p> Draft<'p> {
    /// Puts the summary of each group where the last message was that it replaces.
    pub fn new(plan: &'p Plan, summaries: Vec<ChatMessage>, counts: &mut Counts) -> Draft<'p> {
        let history = &plan.history;
        let last = |group: usize| plan.groups[group].covers.last().copied().unwrap_or(0);
        let mut summaries = summaries.into_iter().enumerate().peekable();
        let mut items = Vec::new();
        for (index, slot) in history.slots.iter().enumerate() {
            if slot.is_present() {
                items.push(Item {
                    source: Source::Message(index),
                    tokens: slot.tokens,
                    is_summary: slot.message.summary.is_some(),
                    is_free: slot.is_free(),
                    unit: history.units.of[index],
                });
            }
            while let Some((group, message)) = summaries.next_if(|(group, _)| last(*group) == index) {
                // A summary between a call and its result belongs to their unit, so that units stay adjacent.
                let unit = history.units.of[index];
                let is_inside = history.units.ranges[unit].end > index + 1;
                items.push(Item {
                    tokens: counts.message(&message),
                    source: Source::Summary(group, Rc::new(message)),
                    is_summary: true,
                    is_free: true,
                    unit: if is_inside { unit } else { history.units.ranges.len() + group },
                });
            }
        }
        Draft { plan, items, fates: plan.fates(), is_trimmed: false }
    }

    /// The new summaries: the index of the group, and the tokens.
    pub fn summaries(&self) -> impl Iterator<Item = (usize, usize)> {
        self.items.iter().filter_map(|item| match item.source {
            Source::Message(_) => None,
            Source::Summary(group, _) => Some((group, item.tokens)),
        })
    }

    /// Removes the items at which `removed` is true. With a summary the messages that it replaces are dropped.
    pub fn remove(&mut self, removed: &[bool], limit: &str) {
        let (plan, fates) = (self.plan, &mut self.fates);
        let mut removed = removed.iter();
        self.items.retain(|item| {
            if removed.next() != Some(&true) {
                return true;
            }
            let lost = match &item.source {
                Source::Message(index) => std::slice::from_ref(index),
                Source::Summary(group, _) => &plan.groups[*group].covers,
            };
            for index in lost {
                fates[*index].fate = Fate::Dropped;
                fates[*index].reason = Some(limit.into());
            }
            self.is_trimmed = true;
            false
        });
    }

    /// The result.
    pub fn finish(self) -> Applied {
        let plan = self.plan;
        let outcome = match plan.outcome {
            HistoryOutcome::Applied => HistoryOutcome::Applied,
            _ if self.is_trimmed => HistoryOutcome::Trimmed,
            outcome => outcome,
        };
        let mut warnings = plan.warnings.clone();
        if plan.outcome == HistoryOutcome::Applied && self.items.len() < 2 {
            let strategy = plan.strategy.as_deref().unwrap_or_default();
            let left = counted(self.items.len(), "message");
            warnings.push(format!("{strategy} left {left} in the conversation, and context may be lost"));
        }
        let tokens = TokenChange {
            before: plan.history.tokens_before(),
            after: self.items.iter().map(|item| item.tokens).sum::<usize>() + plan.history.request_tokens,
        };
        let inserted = self.summaries().count();
        let (entries, messages) = self.items.into_iter().map(|item| item.entry(plan)).unzip();
        let conversation = Conversation { messages };
        let (fates, reason) = (self.fates, plan.reason.clone());
        Applied { outcome, reason, conversation, entries, fates, warnings, inserted, tokens }
    }
}

impl Item {
    fn entry(self, plan: &Plan) -> (Entry, Rc<ChatMessage>) {
        match self.source {
            Source::Summary(_, message) => (Entry::Summary(message.clone()), message),
            Source::Message(index) => {
                let slot = &plan.history.slots[index];
                let entry = match &*slot.stubs {
                    [] => Entry::Kept(index),
                    stubs => Entry::Stubbed(index, stubs.to_vec()),
                };
                (entry, slot.message.clone())
            }
        }
    }
}
