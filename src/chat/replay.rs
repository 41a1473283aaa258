//! Recomputes the decisions of earlier requests on reductions.

use std::rc::Rc;

use super::fate::Hold;
use super::history::{ManagedHistory, Slot};
use super::parameters::Limit;
use super::plan::Plan;
use super::reduction::{Reduction, runs};
use super::tiers::{DigestFolds, Tiers};
use crate::costs::{Advice, Choice, Reason, Spent, advise};

/// Recomputes which reductions the requests since the last summary applied, when none of them asks for another summary.
pub(super) struct Replay<'p> {
    plan: &'p Plan,
    answers: &'p [usize],
    /// Those that are applied, in the order of the requests that applied them; those that are due, the oldest first; the
    /// rest.
    reductions: Vec<Reduction>,
    applied: usize,
    due: usize,
    /// For each of those that are due, the tokens that the ones before it save, and those of their lines.
    due_sums: Vec<DueSums>,
    /// For each message, the tokens of a request with the messages before it, as the reductions leave them, and as they
    /// were given.
    before: Vec<usize>,
    given: Vec<usize>,
    /// For each message, how many messages before it are not system messages.
    counted: Vec<usize>,
    /// For each message, the last question before it.
    questions: Vec<Option<usize>>,
    debt: f64,
    /// Since the last fold.
    spent: Spent,
    /// The tokens of the previous request, and those that it would have had without reductions.
    sent: usize,
    sent_given: usize,
    /// The messages that the reductions save.
    saved_messages: usize,
    /// How many reductions were applied after each decision to fold.
    ends: Vec<usize>,
    /// The digest, when that is the strategy.
    folds: Option<DigestFolds>,
}

/// The result of a replay.
pub(super) struct Decided {
    /// The advice on the next request.
    pub advice: Advice,
    /// The reductions that earlier requests applied, and those that the next one applies.
    pub reductions: Vec<Reduction>,
    /// How many reductions were applied after each decision of an earlier request to fold.
    pub ends: Vec<usize>,
    /// The digest after these decisions; None for another strategy.
    pub tiers: Option<Rc<Tiers>>,
}

#[derive(Clone, Copy, Default)]
struct DueSums {
    saved: usize,
    lines: usize,
}

/// A request in which reductions are decided.
struct Request {
    /// Its messages.
    messages: usize,
    /// Tokens besides them.
    more: usize,
    /// Milliseconds since the previous request.
    pause: Option<f64>,
    /// How many requests preceded it.
    number: usize,
}

impl<'p> Replay<'p> {
    pub fn new(plan: &'p Plan, answers: &'p [usize], reductions: Vec<Reduction>) -> Self {
        let fixed = plan.history.fixed_tokens();
        let (mut given, mut counted, mut questions) = (vec![fixed], vec![plan.history.settled.counted], vec![None]);
        for (index, slot) in plan.history.slots.iter().enumerate() {
            given.push(given[index] + slot.replaced_tokens());
            counted.push(counted[index] + usize::from(!slot.message.is_system() && !slot.is_covered()));
            questions.push(if slot.message.is_question() { Some(index) } else { questions[index] });
        }
        let mut replay = Replay {
            folds: plan.folds(),
            plan,
            answers,
            reductions,
            applied: 0,
            due: 0,
            due_sums: vec![DueSums::default()],
            before: Vec::new(),
            given,
            counted,
            questions,
            debt: 0.0,
            spent: Spent::default(),
            sent: 0,
            sent_given: 0,
            saved_messages: 0,
            ends: Vec::new(),
        };
        replay.measure();
        replay
    }

    /// Replays the decisions of earlier requests, and returns them with the advice on the next request, which follows a
    /// pause in milliseconds.
    pub fn run(mut self, pause: Option<f64>) -> Decided {
        let history = &self.plan.history;
        let summarized = summarized_at(history);
        self.collect_due(summarized);
        match &self.folds {
            // A fold leaves reductions that were due only when it could not afford them.
            Some(folds) if folds.tiers().is_given() => self.pass_over_short(),
            _ => self.apply(0),
        }
        for (number, answer) in self.answers.iter().copied().enumerate() {
            self.collect_due(answer);
            let request = Request { messages: answer, more: 0, pause: self.pause(number), number };
            if answer > summarized {
                let (advice, start) = self.decide(&request);
                if let Some(start) = start {
                    self.apply(start);
                } else if self.runs(&request) {
                    self.debt = advice.debt;
                }
            }
            (self.sent, self.sent_given) = (self.before[answer], self.given[answer]);
        }
        self.collect_due(usize::MAX);
        let messages = history.slots.len();
        let more = history.request_tokens - history.fixed_tokens();
        let (advice, start) = self.decide(&Request { messages, more, pause, number: self.answers.len() });
        let count = start.map_or(0, |start| self.put_first(start));
        self.reductions.truncate(self.applied + count);
        let tiers = self.folds.map(|folds| folds.tiers());
        Decided { advice, reductions: self.reductions, ends: self.ends, tiers }
    }

    /// Collects the reductions that are due in a request of `messages` messages.
    fn collect_due(&mut self, messages: usize) {
        while self.reductions.get(self.due).is_some_and(|reduction| reduction.due <= messages) {
            self.due += 1;
            self.sum_due(self.due - 1);
        }
    }

    /// Adds the due reductions from `start` on to the sums.
    fn sum_due(&mut self, start: usize) {
        for reduction in &self.reductions[start..self.due] {
            let DueSums { saved, lines } = self.due_sums[self.due_sums.len() - 1];
            let left = reduction.left(&self.plan.history);
            self.due_sums.push(DueSums { saved: saved + reduction.saved, lines: lines + left });
        }
    }

    /// Decides on a request: the advice, and which reductions it applies, as a position among those that are due from
    /// which on they are. What may not be folded as a whole is folded in part: the more of the newest, the better.
    fn decide(&mut self, request: &Request) -> (Advice, Option<usize>) {
        let prices = &self.plan.parameters.prices;
        let is_cold = prices.forgets_after(request.pause);
        let cost = |known: usize, input: usize| prices.cost(if is_cold { 0 } else { known }, input);
        let [whole, given] = [&self.before, &self.given].map(|sums| sums[request.messages] + request.more);
        self.spent.add(cost(self.sent_given, given), cost(self.sent, whole));
        let mut advice = self.advice(request, 0);
        // What earlier requests folded does not count, as in a conversation that is kept folded.
        if !self.runs(request) {
            advice.reason = Reason::NotYet;
            return (advice, None);
        }
        if advice.reason.folds() {
            return (advice, Some(0));
        }
        let allowance = self.allowance();
        if advice.price <= allowance {
            return (advice, None);
        }
        let due = &self.reductions[self.applied..self.due];
        let starts = (1..due.len()).filter(|start| due[start - 1].due != due[*start].due);
        for start in starts {
            let part = self.advice(request, start);
            if part.price <= allowance {
                let is_folded = part.reason.folds();
                // The debt is that of folding everything.
                return if is_folded { (part, Some(start)) } else { (advice, None) };
            }
        }
        (advice, None)
    }

    /// Moves the due reductions from `start` on before the others, and returns how many they are.
    fn put_first(&mut self, start: usize) -> usize {
        let due = &mut self.reductions[self.applied..self.due];
        due.rotate_left(start);
        due.len() - start
    }

    /// Applies the reductions that are due, from `start` on.
    fn apply(&mut self, start: usize) {
        let count = self.put_first(start);
        if count == 0 {
            return;
        }
        self.fold(self.applied + count);
        (self.debt, self.spent) = (0.0, Spent::default());
        self.pass_over_short();
        self.due_sums.truncate(1);
        self.sum_due(self.applied);
        self.measure();
    }

    /// Applies the reductions up to `end`.
    fn fold(&mut self, end: usize) {
        if let Some(folds) = &mut self.folds {
            self.saved_messages += folds.fold(&self.plan.history, &self.reductions, end);
        }
        self.applied = end;
        self.ends.push(end);
    }

    /// Applies the due reductions that change nothing, because their lines are no shorter as a message.
    fn pass_over_short(&mut self) {
        let Some(tiers) = self.folds.as_ref().map(DigestFolds::tiers) else { return };
        let due = &mut self.reductions[self.applied..self.due];
        let (long, short): (Vec<_>, Vec<_>) = runs(due).partition(|run| tiers.shortens(run));
        let short: Vec<Reduction> = short.concat();
        if !short.is_empty() {
            let end = self.applied + short.len();
            due.clone_from_slice(&[short, long.concat()].concat());
            self.fold(end);
        }
    }

    /// Measures the messages with the reductions that are applied.
    fn measure(&mut self) {
        let history = &self.plan.history;
        let tiers = self.folds.as_ref().map(DigestFolds::tiers);
        let sizes = sizes(history, &self.reductions[..self.applied], tiers.as_deref());
        self.before.clear();
        self.before.push(history.fixed_tokens());
        for (index, size) in sizes.into_iter().enumerate() {
            self.before.push(self.before[index] + size);
        }
    }

    /// True when a request of that many tokens exceeds the trigger of `maxTokens`.
    fn triggers(&self, tokens: usize) -> bool {
        self.plan.parameters.limits().any(|limit| matches!(limit, Limit::Tokens(_)) && tokens > limit.trigger())
    }

    /// True when the strategy runs on a request.
    fn runs(&self, request: &Request) -> bool {
        let tokens = self.before[request.messages] + request.more;
        self.applied < self.due && (self.triggers(tokens) || self.is_long_enough(request.messages))
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

    /// The largest price of a fold. Results are cleared at any price, because the text in place of a result does not say how
    /// large it was, and without patience everything is folded at any price.
    fn allowance(&self) -> f64 {
        let patience = self.plan.parameters.patience;
        if self.folds.is_some() && patience > 0.0 { self.spent.allowance(patience) } else { f64::INFINITY }
    }

    /// The advice on a request that applies the reductions that are due, from `start` on.
    fn advice(&self, request: &Request, start: usize) -> Advice {
        let Plan { history, parameters, .. } = self.plan;
        let whole = self.before[request.messages] + request.more;
        let due = &self.reductions[self.applied..self.due];
        let [before, all] = [start, due.len()].map(|count| self.due_sums[count]);
        let first = due.get(start).map(Reduction::index);
        let mut known = first.map_or(self.before[0] - history.settled.tokens, |first| self.before[first]);
        let mut folded = whole.saturating_sub(all.saved - before.saved);
        let tiers = self.folds.as_ref().filter(|_| start < due.len()).map(DigestFolds::tiers);
        if let Some((moved, saved)) = tiers.and_then(|tiers| tiers.expected(history, all.lines - before.lines)) {
            known = known.min(self.before[moved]);
            folded = folded.saturating_sub(saved);
        }
        let choice = Choice {
            whole,
            whole_known: self.sent,
            folded,
            folded_known: self.sent.min(known),
            volatile: 0,
            summary: 0.0,
            allowance: self.allowance(),
            pause: request.pause,
            requests_after: None,
            growth: history.growth(whole, request.number),
            over_limit: self.triggers(whole),
        };
        advise(&choice, self.debt, &parameters.prices, parameters.patience)
    }
}

/// The tokens of each message with these reductions, which have this digest.
pub(super) fn sizes(history: &ManagedHistory, reductions: &[Reduction], tiers: Option<&Tiers>) -> Vec<usize> {
    let mut sizes: Vec<usize> = history.slots.iter().map(|slot| slot.tokens_before).collect();
    match tiers {
        Some(tiers) => tiers.measure(history, &mut sizes),
        None => {
            for Reduction { covers, saved, .. } in reductions {
                sizes[covers.start] = sizes[covers.start].saturating_sub(*saved);
            }
        }
    }
    sizes
}

/// The number of messages of the request that asked for the last summary, with the summary in place of the messages
/// that it covers; 0 without a summary.
pub(super) fn summarized_at(history: &ManagedHistory) -> usize {
    let settled = history.settled.summarized.saturating_sub(history.settled.messages);
    summarized_in(&history.slots).unwrap_or(settled)
}

/// The same for a part of a history; None without a summary.
pub(super) fn summarized_in(slots: &[Slot]) -> Option<usize> {
    // Counted with the messages that summaries replace, a request has as many messages after later summaries.
    let mut counted = 0;
    let requests = slots.iter().filter_map(|Slot { message, .. }| {
        counted = message.covers().saturating_add(counted);
        Some(message.summary.as_ref()?.followed.unwrap_or(0).saturating_add(counted))
    });
    let mut left = requests.max()?;
    let before = slots.iter().take_while(|slot| {
        let is_before = left > 0;
        left = left.saturating_sub(slot.message.covers());
        is_before
    });
    Some(before.count().saturating_add(left))
}
