//! A conversation with its summaries in place, while limits are enforced on it.

use std::rc::Rc;

use super::conversation::Conversation;
use super::error::counted;
use super::fate::{Fate, MessageFate};
use super::message::ChatMessage;
use super::outcome::{Applied, Entry, HistoryOutcome, SentMessage, TokenChange};
use super::plan::Plan;

/// The messages of the new conversation, and the fates of those of the old one.
pub(super) struct Draft<'p> {
    pub plan: &'p Plan,
    pub items: Vec<DraftMessage>,
    fates: Vec<MessageFate>,
    /// For each group of the plan, whether its messages stay because it has no summary.
    unsummarized: Vec<bool>,
    /// True when a strategy has changed messages outside of the groups that stay.
    is_changed: bool,
    is_trimmed: bool,
    /// How many messages limits removed now that the previous request had.
    newly_dropped: usize,
    /// For each message of the conversation, whether limits removed it from the previous request.
    was_removed: Vec<bool>,
}

/// A message of the new conversation.
pub(super) struct DraftMessage {
    source: DraftSource,
    pub tokens: usize,
    pub is_summary: bool,
    /// True when a limit may remove it.
    pub is_free: bool,
    pub is_system: bool,
    /// True for a question of a user.
    pub is_question: bool,
    /// True for messages of a model and for tool results. A request may not begin with one.
    pub is_answer: bool,
    /// True for a message that a model has to answer: a question, or results.
    pub waits: bool,
    /// Items with the same number are adjacent, and limits remove them together.
    pub unit: usize,
}

enum DraftSource {
    /// The message at that index of the history.
    Message(usize),
    /// The summary of that group.
    Summary(usize, Rc<ChatMessage>),
}

impl<'p> Draft<'p> {
    /// Inserts the summary of each group at the position of the last message that it replaces. A group without a
    /// summary stays as it was before.
    pub fn new(plan: &'p Plan, summaries: Vec<Option<(ChatMessage, usize)>>) -> Draft<'p> {
        let history = &plan.history;
        let unsummarized: Vec<bool> = summaries.iter().map(Option::is_none).collect();
        let last = |group: usize| plan.groups[group].covers.last().copied().unwrap_or(0);
        let mut summaries =
            summaries.into_iter().enumerate().filter_map(|(group, made)| Some((group, made?))).peekable();
        let mut fates = plan.fates();
        for (group, _) in plan.groups.iter().zip(&unsummarized).filter(|(_, stays)| **stays) {
            for index in &group.covers {
                // What an earlier strategy did stays.
                let slot = &history.slots[*index];
                fates[*index].fate = if slot.stubs.is_empty() { Fate::Kept } else { Fate::Stubbed };
                fates[*index].reason = slot.stubbed_by.clone();
            }
        }
        let mut items = Vec::new();
        for (index, slot) in history.slots.iter().enumerate() {
            if fates[index].fate.stays() {
                items.push(DraftMessage {
                    source: DraftSource::Message(index),
                    tokens: slot.tokens,
                    is_summary: slot.message.summary.is_some(),
                    is_free: slot.hold.is_none(),
                    is_system: slot.message.is_system(),
                    is_question: slot.message.is_question(),
                    is_answer: slot.message.is_answer(),
                    waits: slot.message.is_question() || slot.message.has_results(),
                    unit: history.units.of[index],
                });
            }
            while let Some((group, (message, tokens))) = summaries.next_if(|(group, _)| last(*group) == index) {
                // A summary between a call and its result joins their unit, so that the items of a unit stay adjacent.
                let unit = history.units.of[index];
                let is_inside = history.units.ranges[unit].end > index + 1;
                items.push(DraftMessage {
                    tokens,
                    source: DraftSource::Summary(group, Rc::new(message)),
                    is_summary: true,
                    is_free: true,
                    is_system: false,
                    is_question: false,
                    is_answer: false,
                    waits: false,
                    unit: if is_inside { unit } else { history.units.ranges.len() + group },
                });
            }
        }
        let is_changed = history.changed().any(|index| fates[index].fate != Fate::Kept);
        let was_removed = vec![false; fates.len()];
        Draft {
            plan,
            items,
            fates,
            unsummarized,
            is_changed,
            is_trimmed: history.is_truncated || history.covered().next().is_some(),
            newly_dropped: 0,
            was_removed,
        }
    }

    /// The new summaries: the index of the group, and the tokens.
    pub fn summaries(&self) -> impl Iterator<Item = (usize, usize)> {
        self.items.iter().filter_map(|item| match item.source {
            DraftSource::Message(_) => None,
            DraftSource::Summary(group, _) => Some((group, item.tokens)),
        })
    }

    /// The first item that is not before the last answer of the model; None without an answer.
    pub fn last_answer(&self) -> Option<usize> {
        let answer = self.plan.history.answers().last()?;
        self.items.iter().position(|item| item.covers(self.plan).last().is_some_and(|index| *index >= answer))
    }

    /// True when messages of the conversation before that item are not in the draft.
    pub fn has_gap_before(&self, item: usize) -> bool {
        let end = self.items[item].covers(self.plan)[0];
        self.fates[..end].iter().any(|fate| !fate.fate.stays())
    }

    /// Removes the items that have a reason in `removed`. When a summary is removed, the messages that it replaces are
    /// dropped. The previous request was without the items that have a reason in `removed_before`.
    pub fn remove(&mut self, removed: &[Option<&'static str>], removed_before: &[Option<&'static str>]) {
        let (plan, fates) = (self.plan, &mut self.fates);
        for (item, _) in self.items.iter().zip(removed_before).filter(|(_, reason)| reason.is_some()) {
            item.covers(plan).iter().for_each(|index| self.was_removed[*index] = true);
        }
        let mut removed = removed.iter();
        self.items.retain(|item| {
            let Some(Some(reason)) = removed.next() else { return true };
            for index in item.covers(plan) {
                self.newly_dropped += usize::from(!self.was_removed[*index]);
                fates[*index].fate = Fate::Dropped;
                fates[*index].reason = Some((*reason).into());
            }
            self.is_trimmed = true;
            false
        });
    }

    /// Returns the result. The warnings in `more` follow those of the plan.
    pub fn finish(self, more: Vec<String>) -> Applied {
        let plan = self.plan;
        let (outcome, reason) = match plan.outcome {
            HistoryOutcome::Applied if self.is_changed => (HistoryOutcome::Applied, None),
            HistoryOutcome::Applied => {
                (HistoryOutcome::Unchanged, Some("no summary is shorter than what it replaces".to_owned()))
            }
            outcome => (outcome, plan.reason.clone()),
        };
        let outcome = match outcome {
            HistoryOutcome::Unchanged | HistoryOutcome::Skipped if self.is_trimmed => HistoryOutcome::Trimmed,
            outcome => outcome,
        };
        let mut warnings = plan.warnings.clone();
        let left = plan.history.settled.messages + self.items.len();
        if outcome == HistoryOutcome::Applied && left < 2 {
            let strategy = plan.strategy.as_deref().unwrap_or_default();
            let left = counted(left, "message");
            warnings.push(format!("{strategy} left {left} in the conversation, and context may be lost"));
        }
        warnings.extend(more);
        if self.newly_dropped > 0 && plan.strategy.is_some() {
            let dropped = counted(self.newly_dropped, "message");
            warnings.push(format!("dropped to meet the limits, without a summary: {dropped}"));
        }
        let tokens = TokenChange {
            before: plan.history.all_given_tokens(),
            after: self.items.iter().map(|item| item.tokens).sum::<usize>() + plan.history.request_tokens,
        };
        let inserted = self.summaries().count();
        let settled = plan.history.settled_end();
        let known = usize::from(plan.history.has_settled_question);
        let (mut entries, mut messages, mut sent) = (Vec::new(), Vec::new(), Vec::new());
        for item in self.items.into_iter().skip(known) {
            let (entry, message, as_sent) = item.entry(plan);
            entries.push(entry);
            messages.push(message);
            sent.push(as_sent);
        }
        let conversation = Conversation { messages };
        let Draft { fates, unsummarized, was_removed, .. } = self;
        let cost = None;
        Applied {
            outcome,
            reason,
            unsummarized,
            settled,
            conversation,
            entries,
            fates,
            warnings,
            inserted,
            tokens,
            sent,
            was_removed,
            cost,
        }
    }
}

impl DraftMessage {
    /// The indexes of the messages that it is or replaces.
    fn covers<'p>(&'p self, plan: &'p Plan) -> &'p [usize] {
        match &self.source {
            DraftSource::Message(index) => std::slice::from_ref(index),
            DraftSource::Summary(group, _) => &plan.groups[*group].covers,
        }
    }

    /// Where the message comes from, the message of the new conversation, and what is sent of it.
    fn entry(self, plan: &Plan) -> (Entry, Rc<ChatMessage>, SentMessage) {
        match self.source {
            DraftSource::Summary(_, message) => {
                let sent = SentMessage { message: message.clone(), texts: Vec::new() };
                (Entry::Summary(message.clone()), message, sent)
            }
            DraftSource::Message(index) => {
                let slot = &plan.history.slots[index];
                let sent = SentMessage { message: slot.message.clone(), texts: slot.forms_left().cloned().collect() };
                let index = plan.history.settled.messages + index;
                match &*slot.stubs {
                    [] => (Entry::Kept(index), slot.given.clone(), sent),
                    stubs => (Entry::Stubbed(index, stubs.to_vec()), slot.given_with_stubs(), sent),
                }
            }
        }
    }
}
