//! Recomputes the decisions of earlier requests on reductions.

use std::rc::Rc;

use super::fate::Hold;
use super::history::{ManagedHistory, Slot};
use super::parameters::Limit;
use super::plan::Plan;
use super::tiers::{DigestFolds, Tiers};
use crate::costs::{Advice, Choice, Reason, advise};

/// Recomputes which reductions the requests since the last summary applied, when none of them asks for another summary.
pub(super) struct Replay<'p> {
    plan: &'p Plan,
    answers: &'p [usize],
    /// For each message, the tokens of a request with the messages before it, unchanged.
    before: Vec<usize>,
    /// For each message, how many messages before it are not system messages.
    counted: Vec<usize>,
    /// For each message, the last question before it.
    questions: Vec<Option<usize>>,
    debt: f64,
    /// The tokens of the previous request.
    sent: usize,
    /// How many reductions are applied, and the tokens and messages that they save.
    applied_count: usize,
    saved_tokens: usize,
    saved_messages: usize,
    /// How many reductions are due, the tokens that applying the rest of them saves, and the first message that they
    /// change; None when all of them are applied.
    due: usize,
    due_tokens: usize,
    due_start: Option<usize>,
    /// How many reductions were applied after each decision to fold.
    ends: Vec<usize>,
    /// The digest, when that is the strategy, and the tokens of the lines that are due.
    folds: Option<DigestFolds>,
    due_lines: usize,
}

/// The result of a replay.
pub(super) struct Decided {
    /// The advice on the next request.
    pub advice: Advice,
    /// How many reductions were applied after each decision of an earlier request to fold.
    pub ends: Vec<usize>,
    /// The digest after these decisions; None for another strategy.
    pub tiers: Option<Rc<Tiers>>,
}

impl<'p> Replay<'p> {
    pub fn new(plan: &'p Plan, answers: &'p [usize]) -> Self {
        let (mut before, mut counted, mut questions) =
            (vec![plan.history.fixed_tokens()], vec![plan.history.settled.counted], vec![None]);
        for (index, slot) in plan.history.slots.iter().enumerate() {
            before.push(before[index] + slot.tokens_before);
            counted.push(counted[index] + usize::from(!slot.message.is_system() && !slot.is_covered()));
            questions.push(if slot.message.is_question() { Some(index) } else { questions[index] });
        }
        Replay {
            folds: plan.folds(),
            due_lines: 0,
            plan,
            answers,
            before,
            counted,
            questions,
            debt: 0.0,
            sent: 0,
            applied_count: 0,
            saved_tokens: 0,
            saved_messages: 0,
            due: 0,
            due_tokens: 0,
            due_start: None,
            ends: Vec::new(),
        }
    }

    /// Replays the decisions of earlier requests, and returns them with the advice on the next request, which follows a
    /// pause in milliseconds.
    pub fn run(mut self, pause: Option<f64>) -> Decided {
        let summarized = summarized_at(&self.plan.history);
        self.collect_due(summarized);
        self.apply_due();
        for (position, answer) in self.answers.iter().copied().enumerate() {
            self.collect_due(answer);
            let size = self.before[answer];
            let runs = || self.triggers(self.reduced(size)) || self.is_long_enough(answer);
            if answer > summarized && self.due_tokens > 0 && runs() {
                let advice = self.advice(size, self.pause(position), position);
                self.debt = advice.debt;
                if advice.reason.folds() {
                    self.apply_due();
                }
            }
            self.sent = self.reduced(size);
        }
        self.collect_due(usize::MAX);
        let size = self.plan.history.tokens_before();
        let mut advice = self.advice(size, pause, self.answers.len());
        // What earlier requests folded does not count, as in a conversation that is kept folded.
        if !self.triggers(self.reduced(size)) && !self.is_long_enough(self.plan.history.slots.len()) {
            advice.reason = Reason::NotYet;
        }
        Decided { advice, ends: self.ends, tiers: self.folds.map(|folds| folds.tiers()) }
    }

    /// Collects the reductions that are due in a request of `messages` messages.
    fn collect_due(&mut self, messages: usize) {
        while let Some(reduction) = self.plan.reductions.get(self.due).filter(|reduction| reduction.due <= messages) {
            self.due_tokens += reduction.saved;
            let covered = self.before[reduction.covers.end] - self.before[reduction.covers.start];
            self.due_lines += covered.saturating_sub(reduction.saved);
            self.due_start = Some(self.due_start.map_or(reduction.index(), |start| start.min(reduction.index())));
            self.due += 1;
        }
    }

    /// Applies the reductions that are due.
    fn apply_due(&mut self) {
        if self.applied_count == self.due {
            return;
        }
        if let Some(folds) = &mut self.folds {
            let saved = folds.fold(&self.plan.history, &self.plan.reductions, self.due);
            self.due_tokens = saved.tokens;
            self.saved_messages += saved.messages;
        }
        self.applied_count = self.due;
        self.ends.push(self.due);
        self.saved_tokens += self.due_tokens;
        (self.due_tokens, self.due_lines, self.due_start, self.debt) = (0, 0, None, 0.0);
    }

    /// The tokens of a request of `size` tokens with the reductions that are applied. What lines save is estimated, which
    /// with a counter of the host may be more than it counts.
    fn reduced(&self, size: usize) -> usize {
        size.saturating_sub(self.saved_tokens)
    }

    /// True when a request of that many tokens exceeds the trigger of `maxTokens`.
    fn triggers(&self, tokens: usize) -> bool {
        self.plan.parameters.limits().any(|limit| matches!(limit, Limit::Tokens(_)) && tokens > limit.trigger())
    }

    /// True when a request of `messages` messages had at least `min_messages` besides those that waited for its answer.
    fn is_long_enough(&self, messages: usize) -> bool {
        let slots = &self.plan.history.slots[..messages];
        let waits =
            |index: usize| usize::from(!slots[index].message.is_system() && slots[index].hold != Some(Hold::Pinned));
        let waiting: usize = match slots.iter().rposition(|slot| !slot.message.is_system()) {
            Some(last) if slots[last].message.has_results() => {
                let start = self.plan.history.unit_start(last);
                (start..messages).chain(self.questions[start]).map(waits).sum()
            }
            Some(last) if slots[last].message.is_question() => waits(last),
            _ => 0,
        };
        self.counted[messages].saturating_sub(waiting + self.saved_messages) >= self.plan.parameters.min_messages
    }

    /// Milliseconds between the answer before the one at `position` and the request for the one at `position`; None
    /// when timestamps are missing.
    fn pause(&self, position: usize) -> Option<f64> {
        let before = self.answers[position.checked_sub(1)?];
        let answer = self.answers[position];
        let slots = &self.plan.history.slots;
        let asked = slots[before + 1..answer].iter().rev().chain([&slots[answer]]).find_map(|slot| slot.message.at);
        Some((asked? - slots[before].message.at?).max(0) as f64)
    }

    /// The advice on a request of `size` tokens before reductions, after `requests` others.
    fn advice(&self, size: usize, pause: Option<f64>, requests: usize) -> Advice {
        let Plan { history, parameters, .. } = self.plan;
        let whole = self.reduced(size);
        let unchanged = self.due_start.map_or(self.before[0] - history.settled.tokens, |start| self.before[start]);
        let mut known = unchanged.saturating_sub(self.saved_tokens);
        let mut folded = whole.saturating_sub(self.due_tokens);
        let folds = self.folds.as_ref().filter(|_| self.due_tokens > 0);
        if let Some((start, saved)) = folds.and_then(|folds| folds.tiers().expected(history, self.due_lines)) {
            known = known.min(self.before[start]);
            folded = folded.saturating_sub(saved);
        }
        let choice = Choice {
            whole,
            whole_known: self.sent,
            folded,
            folded_known: self.sent.min(known),
            volatile: 0,
            summary: 0.0,
            pause,
            requests_after: None,
            growth: history.growth(whole, requests),
            over_limit: self.triggers(whole),
        };
        advise(&choice, self.debt, &parameters.prices, parameters.patience)
    }
}

/// The number of messages of the request that asked for the last summary, with the summary in place of the messages
/// that it covers; 0 without a summary.
pub(super) fn summarized_at(history: &ManagedHistory) -> usize {
    let settled = history.settled.summarized.saturating_sub(history.settled.messages);
    summarized_in(&history.slots).unwrap_or(settled)
}

/// The same for the last summary in a part of a history; None without a summary.
pub(super) fn summarized_in(slots: &[Slot]) -> Option<usize> {
    slots.iter().enumerate().rev().find_map(|(index, slot)| {
        let summary = slot.message.summary.as_ref()?;
        Some((index + 1).saturating_add(summary.followed.unwrap_or(0)))
    })
}
