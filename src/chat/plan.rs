//! Runs the strategies on a history.

use super::accounting::Counts;
use super::clear_results::{Clearance, Clearing};
use super::error::counted;
use super::fate::{Fate, Hold, MessageFate};
use super::history::History;
use super::message::ChatMessage;
use super::outcome::{HistoryOutcome, TokenChange};
use super::parameters::{HostGroup, Parameters, Strategy};
use super::requests::{self, Group, SummaryRequest, expected_summary};
use super::stop::{Stop, require_counts};
use super::transcript::summary_text;
use super::{clear_results, grouping, host};
use crate::costs::{Advice, RequestCost};
use crate::value::Str;

/// What happens to the messages of a conversation, before its summaries are written.
#[derive(Debug)]
pub struct Plan {
    pub(super) history: History,
    pub(super) parameters: Parameters,
    pub(super) outcome: HistoryOutcome,
    /// The summaries that are needed, in the order of the last messages that they cover.
    pub groups: Vec<Group>,
    /// The results that are cleared.
    pub(super) clearances: Vec<Clearance>,
    /// The names of the strategies.
    pub strategy: Option<Str>,
    /// Why no strategy changed anything.
    pub reason: Option<String>,
    /// What the caller should know.
    pub warnings: Vec<String>,
    /// What the request costs, when that was asked for.
    pub cost: Option<RequestCost>,
}

/// Runs the strategies one after the other.
pub(super) fn run_strategies(
    history: History,
    parameters: &Parameters,
    warnings: Vec<String>,
    counts: &mut Counts,
) -> Result<Plan, Stop> {
    let mut plan = Plan {
        history,
        parameters: parameters.clone(),
        outcome: HistoryOutcome::Unchanged,
        groups: Vec::new(),
        clearances: Vec::new(),
        strategy: names(&parameters.strategies),
        reason: None,
        warnings,
        cost: None,
    };
    for (index, strategy) in parameters.strategies.iter().enumerate() {
        match plan.reason_to_skip() {
            Some(reason) => plan.record(HistoryOutcome::Skipped, reason),
            None => {
                plan.run(index, strategy, counts)?;
                plan.record(HistoryOutcome::Unchanged, nothing_to_do(strategy).into());
            }
        }
    }
    Ok(plan)
}

fn names(strategies: &[Strategy]) -> Option<Str> {
    let names: Vec<_> = strategies.iter().map(Strategy::name).collect();
    if names.is_empty() { None } else { Some(names.join(", ").into()) }
}

fn nothing_to_do(strategy: &Strategy) -> &'static str {
    match strategy {
        Strategy::ClearToolResults { .. } => "there is no result to clear",
        _ => "there is nothing to summarise",
    }
}

impl Plan {
    /// The plan of a history that stays as earlier requests had it, because changing it costs more than it saves so far:
    /// the clearances are those that were made before.
    pub(super) fn not_worth_it(
        mut history: History,
        clearances: Vec<Clearance>,
        parameters: &Parameters,
        warnings: Vec<String>,
        cost: RequestCost,
        counts: &mut Counts,
    ) -> Plan {
        clear_results::clear(&mut history, &clearances, counts);
        let Advice { price, debt, .. } = cost.advice;
        let reason = if price > 0.0 {
            format!(
                "it is not worth it yet: folding costs {price:.0} more than sending the history as it is, and not folding has cost {debt:.0}"
            )
        } else {
            "it is not worth it yet: folded, the next requests would be too short for the cache".to_owned()
        };
        let mut plan = Plan {
            history,
            parameters: parameters.clone(),
            outcome: HistoryOutcome::Skipped,
            groups: Vec::new(),
            clearances,
            strategy: names(&parameters.strategies),
            reason: None,
            warnings,
            cost: Some(cost),
        };
        plan.record(HistoryOutcome::Skipped, reason);
        plan
    }

    /// Why no strategy runs on the history as it is.
    fn reason_to_skip(&self) -> Option<String> {
        if !self.parameters.runs_always() && !self.parameters.limits().any(|limit| self.history.exceeds(limit)) {
            return Some("the history is within its limits".into());
        }
        let least = self.parameters.min_messages;
        let length = self.history.slots.iter().filter(|slot| slot.is_counted()).count();
        if length >= least {
            return None;
        }
        let waiting = self.history.slots.iter().filter(|slot| slot.hold == Some(Hold::Pending)).count();
        let has = counted(length, "message");
        Some(match (waiting, length) {
            (0, _) => format!("the history has {has}; minMessages is {least}"),
            (1, 0) => format!("1 message waits for an answer, and there is no other; minMessages is {least}"),
            (_, 0) => format!("{waiting} messages wait for an answer, and there are no others; minMessages is {least}"),
            _ => format!("the history has {has} besides what waits for an answer; minMessages is {least}"),
        })
    }

    fn run(&mut self, index: usize, strategy: &Strategy, counts: &mut Counts) -> Result<(), Stop> {
        let is_last = index + 1 == self.parameters.strategies.len();
        let groups = match strategy {
            Strategy::ClearToolResults { keep, at_least, names } => {
                let clearing = Clearing { keep: *keep, at_least: *at_least, names: *names };
                let found = clear_results::clearances(&self.history, &strategy.name(), clearing, counts);
                clear_results::clear(&mut self.history, &found, counts);
                self.clearances.extend(found);
                Vec::new()
            }
            Strategy::Host { plan: None, .. } => return Err(Stop::AskHost(host::question(&self.history, index))),
            Strategy::Host { name, plan: Some(answer) } => host::follow(&mut self.history, name, answer, is_last)?,
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

    /// The groups of a strategy that the package has.
    fn groups_of(&mut self, strategy: &Strategy, counts: &mut Counts) -> Result<Vec<HostGroup>, Stop> {
        // A summary of messages that are hardly longer than its heading would not be shorter.
        let least = 2 * counts.message(&ChatMessage::text("", summary_text(2, &[])));
        require_counts(counts)?;
        let groups = grouping::groups(&self.history, strategy, &self.parameters, least, &mut self.warnings)?;
        Ok(groups.into_iter().map(|covers| HostGroup { covers, prompt: None }).collect())
    }

    /// Sets the outcome after a strategy ran or was skipped: `otherwise` for `reason`, unless a strategy has changed
    /// the history.
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
            self.groups.iter().map(|group| expected_summary(self.history.tokens_of(&group.covers))).sum();
        TokenChange { before: self.history.tokens_before(), after: present + summaries + self.history.request_tokens }
    }

    /// The requests for summaries, each with the index of its group.
    pub fn requests(&self) -> impl Iterator<Item = (usize, &SummaryRequest)> {
        let groups = self.groups.iter().enumerate();
        groups.flat_map(|(index, group)| group.requests.iter().map(move |request| (index, request)))
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
