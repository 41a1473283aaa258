//! The stages in order: history, plan, apply, limits.

use super::accounting::Counts;
use super::apply::insert_summaries;
use super::conversation::{Conversation, Exchange};
use super::history::ManagedHistory;
use super::outcome::{Applied, HistoryOutcome, SentMessage};
use super::parameters::Parameters;
use super::plan::{Plan, run_strategies};
use super::reduction::Reduction;
use super::references::refer;
use super::settled::Settled;
use super::stop::{Stop, require_counts};
use super::{limits, overflow, worth};
use crate::value::Str;

/// A plan, and its result when no summary is needed.
#[derive(Debug)]
pub struct Planned {
    /// The plan.
    pub plan: Plan,
    /// The result; None when summaries are needed.
    pub applied: Option<Applied>,
}

/// Plans what happens to the messages of `conversation`, and applies the plan when no summary is needed.
///
/// `settled` is what earlier requests settled of this conversation, with the same parameters. It is extended with what
/// this request settles of it.
///
/// # Errors
///
/// A [`Stop`] when the host has to supply something first, or when a limit or a strategy can not be followed.
pub fn plan(
    conversation: &Conversation,
    exchange: &Exchange,
    parameters: &Parameters,
    settled: &mut Settled,
    counts: &mut Counts,
) -> Result<Planned, Stop> {
    let mut history = ManagedHistory::new(conversation, exchange, settled, parameters.arrival, counts);
    require_counts(counts)?;
    if !settled.holds(&history, parameters) {
        *settled = Settled::default();
        history = ManagedHistory::new(conversation, exchange, settled, parameters.arrival, counts);
        require_counts(counts)?;
    }
    let mut warnings = Vec::new();
    overflow::check(&mut history, parameters, counts, &mut warnings)?;
    let mut plan = run_strategies(history, parameters, &settled.shown, warnings, counts)?;
    if parameters.reports_cost || parameters.weighs() {
        let is_undecided = plan.is_undecided();
        let mut weighed = worth::weigh(&mut plan, exchange);
        let advice = weighed.cost.advice;
        let is_folded = advice.reason.folds();
        // The plan changes when nothing is folded, and also when rounds are, because rounds of one batch become one
        // message.
        let changes =
            plan.outcome == HistoryOutcome::Applied && (!is_folded || plan.reductions.iter().any(Reduction::is_lines));
        if parameters.weighs() && (is_undecided || changes) {
            let mut ends = weighed.ends.clone();
            if is_folded && ends.last() != Some(&plan.reductions.len()) {
                ends.push(plan.reductions.len());
            }
            if !is_undecided {
                let mut warnings = Vec::new();
                let mut history = ManagedHistory::new(conversation, exchange, settled, parameters.arrival, counts);
                overflow::check(&mut history, parameters, counts, &mut warnings)?;
                plan = plan.undone(history, warnings);
            }
            plan.decide(&ends, is_folded, advice, counts)?;
        }
        weighed.bill_plan(&plan);
        plan.weighed = Some(weighed);
    }
    settled.advance(&plan.history, plan.decided, parameters, exchange);
    if plan.requests().any(|(_, request)| request.behind.is_some()) && parameters.arrival.is_some() {
        plan.sent = plan.history.sent_before();
        refer_if_lossless(&mut plan.sent, parameters, counts)?;
    }
    let applied = if plan.needs_model() { None } else { Some(apply(&plan, &[], counts)?) };
    Ok(Planned { plan, applied })
}

/// Replaces each group of the plan with its summary and enforces the limits. `summaries` are the answers to the requests
/// of the plan, in their order. A group stays as it was when one of them is None, or when its summary is not shorter.
///
/// # Errors
///
/// A [`Stop`] when the host has to count the summaries first, or when one is missing or empty.
pub fn apply(plan: &Plan, summaries: &[Option<Str>], counts: &mut Counts) -> Result<Applied, Stop> {
    let mut warnings = Vec::new();
    let mut draft = insert_summaries(plan, summaries, counts, &mut warnings)?;
    // Messages are settled only while the limits hold.
    if plan.history.settled_end() == 0 {
        limits::enforce(&plan.parameters, &mut draft);
    }
    let mut applied = draft.finish(warnings);
    let saved = refer_if_lossless(&mut applied.sent, &plan.parameters, counts)?;
    applied.tokens.after = applied.tokens.after.saturating_sub(saved);
    applied.cost = plan.weighed.as_ref().map(|weighed| weighed.final_cost(plan, &applied));
    Ok(applied)
}

/// Makes the references of what is sent, and returns the tokens that they save.
fn refer_if_lossless(sent: &mut [SentMessage], parameters: &Parameters, counts: &mut Counts) -> Result<usize, Stop> {
    if parameters.arrival.is_none_or(|arrival| !arrival.is_lossless) {
        return Ok(0);
    }
    let saved = refer(sent, counts);
    require_counts(counts)?;
    Ok(saved)
}
