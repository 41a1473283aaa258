//! Runs the strategies on a history.

use std::cell::Cell;
use std::rc::Rc;

use super::accounting::Counts;
use super::error::counted;
use super::fate::{Fate, Hold, MessageFate};
use super::history::ManagedHistory;
use super::message::{ChatMessage, Summary};
use super::outcome::{HistoryOutcome, SentMessage, TokenChange};
use super::parameters::{HistoryStrategy, HostGroup, Parameters};
use super::reduction::{Reduction, batch_ends};
use super::requests::{self, Group, SummaryRequest, expected_summary};
use super::search::FoundReductions;
use super::stop::{Stop, require_counts};
use super::tiers::DigestFolds;
use super::transcript::summary_text;
use super::{clear_results, digest, grouping, host};
use crate::costs::{Advice, RequestCost};
use crate::names::ShownNames;
use crate::text::join;
use crate::value::Str;

/// What happens to the messages of a conversation, before its summaries are written.
#[derive(Debug)]
pub struct Plan {
    pub(super) history: ManagedHistory,
    pub(super) parameters: Parameters,
    pub(super) outcome: HistoryOutcome,
    /// The summaries that are needed, in the order of the last messages that they cover.
    pub groups: Vec<Group>,
    /// The changes that shorten the history without a model.
    pub(super) reductions: Vec<Reduction>,
    /// The names of the strategies.
    pub strategy: Option<Str>,
    /// Why no strategy changed anything.
    pub reason: Option<String>,
    /// Warnings for the caller.
    pub warnings: Vec<String>,
    /// The strategies have decided about the messages before this one, with the same result in all later requests.
    pub(super) decided: usize,
    /// The folds of a digest.
    folds: Option<DigestFolds>,
    /// The messages that the second tier of a digest replaces.
    pub(super) second: Vec<usize>,
    /// When the cost decides or is reported.
    pub(super) weighed: Option<Weighed>,
    /// What was sent of each message before strategies and limits, when summaries are requested behind it.
    pub(super) sent: Vec<SentMessage>,
}

/// The cost of a plan, and the sizes from which it was computed.
#[derive(Debug)]
pub(super) struct Weighed {
    /// The bill is empty until it is decided what is folded.
    pub cost: RequestCost,
    /// How many of the plan's reductions were applied after each decision of an earlier request to fold.
    pub ends: Vec<usize>,
    /// The messages that the second tier replaced in the previous request.
    pub second: Vec<usize>,
    /// The tokens of each message in the previous request.
    pub sizes: Vec<usize>,
    /// The number of messages before the answer of the previous request, whose beginning the cache has; None when it has
    /// nothing.
    pub cached: Option<usize>,
}

/// Runs the strategies one after the other. `shown` are the names in the settled messages.
pub(super) fn run_strategies(
    history: ManagedHistory,
    parameters: &Parameters,
    shown: &Rc<ShownNames>,
    warnings: Vec<String>,
    counts: &mut Counts,
) -> Result<Plan, Stop> {
    let mut plan = Plan::new(history, parameters, warnings);
    for (index, strategy) in parameters.strategies.iter().enumerate() {
        match plan.reason_to_skip() {
            Some(reason) => {
                // A strategy that runs on every request waits for enough messages.
                plan.decided = if parameters.runs_always() { 0 } else { plan.decided };
                plan.record(HistoryOutcome::Skipped, reason);
            }
            None => {
                plan.run(index, strategy, shown, counts)?;
                plan.record(HistoryOutcome::Unchanged, nothing_to_do(strategy).into());
            }
        }
    }
    Ok(plan)
}

fn names(strategies: &[HistoryStrategy]) -> Option<Str> {
    let names = join(strategies.iter().map(HistoryStrategy::name), ", ");
    if names.is_empty() { None } else { Some(names.into()) }
}

fn nothing_to_do(strategy: &HistoryStrategy) -> &'static str {
    match strategy {
        HistoryStrategy::ClearToolResults(_) => "there is no result to clear",
        HistoryStrategy::Digest(_) => "no earlier rounds save `atLeast` tokens when folded",
        _ => "there is nothing to summarise",
    }
}

impl Plan {
    /// The plan that changes nothing.
    fn new(history: ManagedHistory, parameters: &Parameters, warnings: Vec<String>) -> Plan {
        Plan {
            decided: history.slots.len(),
            folds: None,
            history,
            parameters: parameters.clone(),
            outcome: HistoryOutcome::Unchanged,
            groups: Vec::new(),
            reductions: Vec::new(),
            strategy: names(&parameters.strategies),
            reason: None,
            warnings,
            second: Vec::new(),
            weighed: None,
            sent: Vec::new(),
        }
    }

    /// The plan that changes nothing yet of this history, with the same reductions.
    pub(super) fn undone(self, history: ManagedHistory, warnings: Vec<String>) -> Plan {
        let folds = DigestFolds::new(&history, &self.parameters, &Rc::default());
        Plan { folds, reductions: self.reductions, ..Plan::new(history, &self.parameters, warnings) }
    }

    /// True when reductions are found and not applied, because it is to be decided which of them are worth it.
    pub(super) fn is_undecided(&self) -> bool {
        self.decides() && !self.reductions.is_empty()
    }

    /// True when the reductions are applied after a decision. A chain of strategies applies them before, for the next one.
    fn decides(&self) -> bool {
        self.parameters.weighs() && self.parameters.strategies.len() == 1
    }

    /// Applies the reductions that earlier requests and this one decided on, in batches that end at each of `ends`. When
    /// `is_folded` is false, this request decided on none, because changing the history costs more than it saves so far.
    pub(super) fn decide(
        &mut self,
        ends: &[usize],
        is_folded: bool,
        advice: Advice,
        counts: &mut Counts,
    ) -> Result<(), Stop> {
        let mut reductions = std::mem::take(&mut self.reductions);
        reductions.truncate(ends.last().copied().unwrap_or(0));
        self.reduce(&reductions, ends, counts);
        self.reductions = reductions;
        require_counts(counts)?;
        let Advice { price, debt, .. } = advice;
        let reason = if is_folded {
            "there is nothing to fold".to_owned()
        } else if price > 0.0 {
            let is_due = debt >= self.parameters.patience * price;
            // As integers: the standard library's formatting of floats takes 7 kB of the download.
            let [price, debt] = [price, debt].map(|cost| cost.round_ties_even() as i64);
            let reason = if is_due {
                "the conversation has cost too little for that".to_owned()
            } else {
                format!("not folding has cost {debt}")
            };
            format!(
                "it is not worth it yet: folding costs {price} more than sending the history as it is, and {reason}"
            )
        } else {
            "it is not worth it yet: folded, the next requests would be too short for the cache".to_owned()
        };
        self.record(HistoryOutcome::Skipped, reason);
        Ok(())
    }

    /// The folds of all reductions, from the first one on.
    pub(super) fn folds(&self) -> Option<DigestFolds> {
        match &self.folds {
            Some(folds) if self.parameters.strategies.len() == 1 => Some(folds.clone()),
            _ => DigestFolds::new(&self.history, &self.parameters, &Rc::default()),
        }
    }

    /// Applies what a strategy found, unless it is to be decided what is worth it. It asks for no summaries.
    fn reduce_by(
        &mut self,
        FoundReductions { reductions, decided, folds }: FoundReductions,
        counts: &mut Counts,
    ) -> Vec<HostGroup> {
        self.folds = DigestFolds::new(&self.history, &self.parameters, &folds);
        self.decided = decided;
        if !self.decides() {
            self.reduce(&reductions, &batch_ends(&reductions), counts);
        }
        self.reductions.extend(reductions);
        Vec::new()
    }

    /// Applies reductions in batches, which end at each of `ends`. Consecutive rounds of a batch become one message, when
    /// that is shorter.
    fn reduce(&mut self, reductions: &[Reduction], ends: &[usize], counts: &mut Counts) {
        clear_results::clear(&mut self.history, reductions, counts);
        let Some(mut folds) = self.folds.clone() else { return };
        let tiers = folds.fold_again(&self.history, reductions, ends);
        if !tiers.is_second_given(&self.history) {
            self.replace(tiers.moved.clone(), tiers.second().into(), &tiers.counted, counts);
        }
        for piece in tiers.first.iter().filter(|piece| !piece.is_given) {
            self.replace(piece.covers.clone().collect(), piece.text.clone(), &piece.counted, counts);
        }
        self.second = tiers.moved.clone();
    }

    /// Replaces messages with one message of the digest, whose count may be known.
    fn replace(&mut self, covers: Vec<usize>, text: Str, counted: &Cell<(u32, u32)>, counts: &mut Counts) {
        let Some(last) = covers.last().copied() else { return };
        let strategy = self.strategy.clone().unwrap_or_default();
        let mut message = ChatMessage::text(&self.parameters.summary_role, text);
        let replaced = || covers.iter().map(|index| &self.history.slots[*index].message);
        message.at = replaced().rev().find_map(|message| message.at);
        let count = replaced().map(|message| message.covers()).sum();
        let replaced_tokens = covers.iter().map(|index| self.history.slots[*index].replaced_tokens()).sum();
        message.tokens.swap(counted);
        let tokens = counts.message(&message);
        counted.set(message.tokens.get());
        for index in &covers {
            self.history.remove(*index, Fate::Summarized, &strategy);
        }
        message.summary = Some(Summary {
            covers: count,
            strategy: strategy.clone(),
            followed: Some(self.history.messages_after(last)),
            tokens: Some(replaced_tokens),
        });
        self.groups.push(Group { covers, requests: Vec::new(), known: Some((message, tokens)), strategy });
    }

    /// The reason for which no strategy runs on the history as it is; None when strategies run.
    fn reason_to_skip(&self) -> Option<String> {
        if self.parameters.limits().any(|limit| self.history.triggers(limit)) {
            return None;
        }
        if !self.parameters.runs_always() {
            return Some("the history is within its limits".into());
        }
        let min = self.parameters.min_messages;
        let length = self.history.settled.counted + self.history.slots.iter().filter(|slot| slot.is_counted()).count();
        if length >= min {
            return None;
        }
        let waiting = self.history.slots.iter().filter(|slot| slot.hold == Some(Hold::Pending)).count();
        let has = counted(length, "message");
        Some(match (waiting, length) {
            (0, _) => format!("the history has {has}; minMessages is {min}"),
            (1, 0) => format!("1 message waits for an answer, and there is no other; minMessages is {min}"),
            (_, 0) => format!("{waiting} messages wait for an answer, and there are no others; minMessages is {min}"),
            _ => format!("the history has {has} besides what waits for an answer; minMessages is {min}"),
        })
    }

    /// Runs a strategy.
    fn run(
        &mut self,
        index: usize,
        strategy: &HistoryStrategy,
        shown: &Rc<ShownNames>,
        counts: &mut Counts,
    ) -> Result<(), Stop> {
        let is_last = index + 1 == self.parameters.strategies.len();
        let groups = match strategy {
            HistoryStrategy::ClearToolResults(clearing) => {
                self.reduce_by(clear_results::clearances(&self.history, strategy, clearing, shown, counts), counts)
            }
            HistoryStrategy::Digest(digest) => {
                self.reduce_by(digest::rounds(&self.history, strategy, *digest, shown, counts), counts)
            }
            HistoryStrategy::Host { plan: None, .. } => {
                return Err(Stop::AskHost(host::question(&self.history, index)));
            }
            HistoryStrategy::Host { name, plan: Some(answer) } => {
                host::follow(&mut self.history, name, answer, is_last)?
            }
            _ => self.groups_of(strategy, counts)?,
        };
        for group in groups {
            for index in &group.covers {
                self.history.remove(*index, Fate::Summarized, &strategy.name());
            }
            let (history, warnings) = (&self.history, &mut self.warnings);
            self.groups.push(requests::group(history, group, strategy, &self.parameters, counts, warnings));
        }
        require_counts(counts)
    }

    /// The groups of a built-in strategy.
    fn groups_of(&mut self, strategy: &HistoryStrategy, counts: &mut Counts) -> Result<Vec<HostGroup>, Stop> {
        // A summary is not shorter than messages that are hardly longer than its heading.
        let min = 2 * counts.message(&ChatMessage::text("", summary_text(2, &[])));
        require_counts(counts)?;
        let groups = grouping::groups(&self.history, strategy, &self.parameters, min, &mut self.warnings)?;
        Ok(groups.into_iter().map(|covers| HostGroup { covers, prompt: None }).collect())
    }

    /// Sets the outcome after a strategy ran or was skipped: `Applied` when any strategy has changed the history, else
    /// `otherwise` with `reason`.
    fn record(&mut self, otherwise: HistoryOutcome, reason: String) {
        (self.outcome, self.reason) = match self.history.changed().next().is_some() {
            true => (HistoryOutcome::Applied, None),
            false => (otherwise, Some(reason)),
        };
    }

    /// Tokens of everything that would be sent, before and after; those of the summaries are estimated.
    pub fn tokens(&self) -> TokenChange {
        let present: usize = self.history.present().map(|index| self.history.slots[index].tokens).sum();
        let summaries: usize =
            self.groups.iter().map(|group| group.expected_tokens(&self.history, &self.parameters)).sum();
        TokenChange {
            before: self.history.all_given_tokens(),
            after: present + summaries + self.history.request_tokens,
        }
    }

    /// What was sent of each message before strategies and limits. Empty when it was sent as it is, or when no summary is
    /// requested behind the conversation.
    pub fn sent_behind(&self) -> &[SentMessage] {
        &self.sent
    }

    /// True when a model has to write summaries.
    pub(super) fn needs_model(&self) -> bool {
        self.requests().next().is_some()
    }

    /// The requests for summaries, each with the index of its group.
    pub fn requests(&self) -> impl Iterator<Item = (usize, &SummaryRequest)> {
        let groups = self.groups.iter().enumerate();
        groups.flat_map(|(index, group)| group.requests.iter().map(move |request| (index, request)))
    }

    /// The cost of the request with summaries of the expected length, when it decides or is reported.
    pub fn cost(&self) -> Option<RequestCost> {
        self.weighed.as_ref().map(|weighed| weighed.cost)
    }

    /// The tokens that the answer to a request is expected to have.
    pub fn expected_tokens(&self, request: &SummaryRequest) -> usize {
        expected_summary(self.history.tokens_of(&request.covers))
    }

    /// The tokens of the messages of a group.
    pub fn covered(&self, group: usize) -> usize {
        self.history.tokens_of(&self.groups[group].covers)
    }

    /// The fate of each message before limits are enforced.
    pub fn fates(&self) -> Vec<MessageFate> {
        self.history.fates()
    }
}
