//! The stages in order: history, plan, apply, limits.

use super::accounting::Counts;
use super::apply::insert_summaries;
use super::conversation::{Conversation, Exchange};
use super::history::History;
use super::limits;
use super::outcome::Applied;
use super::parameters::Parameters;
use super::plan::{Plan, run_strategies};
use super::stop::{Stop, require_counts};
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
/// # Errors
///
/// A [`Stop`] when the host has to supply something first, or when a limit or a strategy can not be followed.
pub fn plan(
    conversation: &Conversation,
    exchange: &Exchange,
    parameters: &Parameters,
    counts: &mut Counts,
) -> Result<Planned, Stop> {
    let history = History::new(conversation, exchange, counts);
    require_counts(counts)?;
    for limit in parameters.limits() {
        limits::check(limit, &history)?;
    }
    let plan = run_strategies(history, parameters, counts)?;
    let applied = if plan.groups.is_empty() { Some(apply(&plan, &[], counts)?) } else { None };
    Ok(Planned { plan, applied })
}

/// Replaces each group of the plan with its summary and enforces the limits. `summaries` are the answers to the requests
/// of the plan, in their order.
///
/// # Errors
///
/// A [`Stop`] when the host has to count the summaries first, or when one is missing, empty, or not shorter than what it
/// replaces.
pub fn apply(plan: &Plan, summaries: &[Str], counts: &mut Counts) -> Result<Applied, Stop> {
    let mut draft = insert_summaries(plan, summaries, counts)?;
    for limit in plan.parameters.limits() {
        limits::enforce(limit, &mut draft);
    }
    Ok(draft.finish())
}
