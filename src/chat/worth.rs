//! Whether it is worth its price to fold a history before the next request.

use super::conversation::Exchange;
use super::history::History;
use super::plan::Plan;
use super::requests::expected_summary;
use crate::costs::{Bill, Choice, Prices, RequestCost, advise};

/// About the tokens of the instructions for a summary.
const INSTRUCTION: usize = 250;

/// From which share of the cache's lifetime on a pause is about to end it.
const EXPIRING: f64 = 0.8;

/// Weighs what a plan would come to against sending the history as it is.
pub(super) fn weigh(plan: &Plan, exchange: &Exchange) -> RequestCost {
    let Plan { history, parameters, .. } = plan;
    let prices = &parameters.prices;
    let sizes: Vec<usize> = history.slots.iter().map(|slot| slot.tokens_before).collect();
    let sum = |end: usize| sizes[..end].iter().sum::<usize>();
    let answers = answers(history);
    let last_answer = answers.last().copied();
    let whole = history.tokens_before();
    let whole_known = last_answer.map_or(0, |answer| history.fixed_tokens() + sum(answer));
    let changed = history.changed().next();
    let longer = |group: usize| summary_size(plan.covered(group)).saturating_sub(expected_summary(plan.covered(group)));
    let folded = plan.tokens().after + (0..plan.groups.len()).map(longer).sum::<usize>();
    let folded_known = changed.map_or(whole_known, |first| whole_known.min(history.fixed_tokens() + sum(first)));
    let is_expiring = exchange.is_idle && expires(exchange.pause, prices);
    let mut choice = Choice {
        whole,
        whole_known,
        folded,
        folded_known,
        volatile: 0,
        summary: summary_price(plan, &sizes, if prices.forgets_after(exchange.pause) { 0 } else { whole_known }),
        pause: exchange.pause,
        requests_after: None,
        growth: (whole - history.fixed_tokens().min(whole)) as f64 / answers.len().max(1) as f64,
        over_limit: parameters.limits().any(|limit| history.exceeded_before(limit)),
    };
    if is_expiring {
        // The next request will find the cache empty; what is asked for now does not.
        choice.pause = prices.lifetime.map(|lifetime| lifetime + 1.0);
    }
    let debt = if changed.is_some() { debt(plan, &sizes, &answers) } else { 0.0 };
    let advice = advise(&choice, debt, prices, parameters.patience);
    let is_folded = changed.is_some() && (!parameters.weighs() || advice.reason.folds());
    let (input, first) = if is_folded { (folded, changed) } else { (whole, None) };
    RequestCost {
        bill: bill(plan, exchange, input, first),
        uncompressed: bill(plan, exchange, whole, None).cost,
        advice,
    }
}

/// The bill of a request of `input` tokens, which is the history up to its message `changed`; none: all of it.
pub(super) fn bill(plan: &Plan, exchange: &Exchange, input: usize, changed: Option<usize>) -> Bill {
    let Plan { history, parameters, .. } = plan;
    let last_answer = answers(history).last().copied();
    let same = last_answer.map_or(0, |answer| changed.map_or(answer, |changed| changed.min(answer)));
    let is_known = last_answer.is_some() && !parameters.prices.forgets_after(exchange.pause);
    let tokens = history.slots[..same].iter().map(|slot| slot.tokens_before).sum::<usize>();
    let known = if is_known { history.fixed_tokens() + tokens } else { 0 };
    parameters.prices.bill(known, input, input, 0)
}

/// The tokens of a summary as it is paid for: models write rather more than they are asked for.
fn summary_size(covered: usize) -> usize {
    (covered * 3 / 20).clamp(40, 800).min(covered)
}

/// True when a pause is about to outlast the cache.
fn expires(pause: Option<f64>, prices: &Prices) -> bool {
    let (Some(pause), Some(lifetime)) = (pause, prices.lifetime) else { return false };
    pause >= EXPIRING * lifetime && pause <= lifetime
}

/// The indexes of the answers, each of which was a request.
fn answers(history: &History) -> Vec<usize> {
    let slots = history.slots.iter().enumerate();
    slots.filter(|(_, slot)| *slot.message.role == *"assistant").map(|(index, _)| index).collect()
}

/// What asking for the summaries costs, their input and their output.
fn summary_price(plan: &Plan, sizes: &[usize], known: usize) -> f64 {
    let prices = &plan.parameters.prices;
    let mut price = 0.0;
    for (group, request) in plan.requests() {
        let output = summary_size(plan.covered(group));
        let bill = match request.behind {
            None => prices.bill(0, 0, plan.history.tokens_of(&request.covers) + INSTRUCTION, output),
            Some(messages) => {
                let sent = plan.history.fixed_tokens() + sizes[..messages].iter().sum::<usize>();
                prices.bill(known.min(sent), sent, sent + INSTRUCTION, output)
            }
        };
        price += bill.cost;
    }
    price
}

/// What folding at each request since the last fold would have saved. A request had the messages before its answer, and
/// as many of the last ones would have stayed as stay now.
fn debt(plan: &Plan, sizes: &[usize], answers: &[usize]) -> f64 {
    let Plan { history, parameters, .. } = plan;
    let prices = &parameters.prices;
    let last = history.changed().last().unwrap_or(0);
    let stays = history.slots.len() - 1 - last;
    let since = history.slots.iter().enumerate().rev().find_map(|(index, slot)| {
        let summary = slot.message.summary.as_ref()?;
        Some(index + summary.followed.unwrap_or(0))
    });
    let mut debt = 0.0;
    let (mut sent, mut saved, mut next) = (history.fixed_tokens(), 0, 0);
    let mut foldable = 0;
    for answer in answers {
        for slot in &sizes[next..*answer] {
            sent += slot;
        }
        next = *answer;
        while foldable + stays < *answer {
            let slot = &history.slots[foldable];
            saved += sizes[foldable] - if slot.is_present() { slot.tokens.min(sizes[foldable]) } else { 0 };
            foldable += 1;
        }
        if since.is_some_and(|since| *answer <= since) {
            continue;
        }
        let summaries = if plan.groups.is_empty() { 0 } else { summary_size(saved) };
        let folded = sent - saved.saturating_sub(summaries);
        debt += (prices.repeated(sent) - prices.repeated(folded)).max(0.0);
    }
    debt
}
