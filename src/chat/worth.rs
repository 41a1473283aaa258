//! Decides whether folding a history before the next request is worth its price.
//!
//! Nothing is stored: the decision is a function of the messages. Each answer of the model stands for a request with
//! the messages before it. Reductions, which need no model, are decided again for each request since the last summary.
//! So for a host that passes the whole history each time, the same results are cleared and the same rounds folded,
//! until changing more is worth it.

use std::{iter, mem};

use super::conversation::Exchange;
use super::fate::Fate;
use super::history::ManagedHistory;
use super::outcome::Applied;
use super::plan::{Plan, Weighed};
use super::reduction::{Reduction, batch_ends};
use super::replay::{Decided, Replay, sizes, summarized_at};
use super::requests::{expected_message, expected_summary};
use crate::costs::{Advice, Bill, Choice, Prices, RequestCost, advise};

/// The approximate tokens of the instructions for a summary.
const INSTRUCTION: usize = 250;

/// A pause of at least this share of the cache's lifetime is about to outlast it.
const EXPIRING: f64 = 0.8;

/// Compares the cost of a plan with the cost of sending the history as the previous request had it. Reductions that are
/// decided again for each earlier request are put in the order of these decisions; those that this request does not apply
/// are removed.
pub(super) fn weigh(plan: &mut Plan, exchange: &Exchange) -> Weighed {
    let reductions = mem::take(&mut plan.reductions);
    let Plan { history, parameters, .. } = &*plan;
    let prices = &parameters.prices;
    let answers: Vec<usize> = history.answers().collect();
    let pause = exchange.pause.or_else(|| pause_since(history, answers.last().copied()));
    // The request after an expiry finds the cache empty; a summary that is requested now does not.
    let is_expiring =
        exchange.is_idle && expires(pause, prices) && plan.requests().any(|(_, request)| request.behind.is_some());
    let pause_then = if is_expiring { prices.lifetime.map(|lifetime| lifetime + 1.0) } else { pause };
    let is_replayed = parameters.weighs() && !plan.needs_model() && !reductions.is_empty();
    let (decided, reductions, ends, tiers) = if is_replayed {
        let Decided { advice, reductions, ends, tiers } = Replay::new(plan, &answers, reductions).run(pause_then);
        (Some(advice), reductions, ends, tiers)
    } else {
        let ends = ends_before(plan, &reductions, &answers);
        let tiers = plan.folds().map(|mut folds| folds.fold_again(history, &reductions, &ends));
        (None, reductions, ends, tiers)
    };
    let made = ends.last().copied().unwrap_or(0);
    let sizes = sizes(history, &reductions[..made], tiers.as_deref());
    let cached = answers.last().copied().filter(|_| !prices.forgets_after(pause));
    let known = cached.map_or(0, |messages| sent_tokens(history, &sizes[..messages]));
    let advice = decided.unwrap_or_else(|| advise_once(plan, &sizes, &answers, known, pause_then));
    let uncompressed = history.all_given_tokens();
    let known_uncompressed = cached.map_or(0, |messages| history.given_tokens(messages));
    let uncompressed = prices.bill(known_uncompressed, uncompressed, uncompressed, 0).cost;
    plan.reductions = reductions;
    Weighed {
        cost: RequestCost { bill: Bill::default(), uncompressed, advice },
        ends,
        second: tiers.map_or(Vec::new(), |tiers| tiers.moved.clone()),
        sizes,
        cached,
    }
}

impl Weighed {
    /// How many of the plan's reductions earlier requests have applied.
    fn made(&self) -> usize {
        self.ends.last().copied().unwrap_or(0)
    }

    /// Bills the request of a plan with summaries of the expected length.
    pub fn bill_plan(&mut self, plan: &Plan) {
        let made = self.made();
        let is_removed =
            |index: &usize| !plan.history.slots[*index].is_present() && !is_made(plan, made, &self.second, *index);
        let removed = plan.history.changed().find(is_removed);
        let is_folded = !plan.parameters.weighs() || self.cost.advice.reason.folds();
        let changed = first_changed(plan, made, &self.second, removed).filter(|_| is_folded);
        self.cost.bill = self.bill(plan, plan.tokens().after, changed, &[]);
    }

    /// The cost of the request that is sent: summaries are written, and limits may have removed messages.
    pub fn final_cost(&self, plan: &Plan, applied: &Applied) -> RequestCost {
        let made = self.made();
        let mut fates = applied.fates.iter().zip(&applied.was_removed).enumerate();
        let removed = fates.position(|(index, (fate, was_removed))| match fate.fate {
            Fate::Dropped => !was_removed,
            Fate::Summarized => *was_removed || !is_made(plan, made, &self.second, index),
            Fate::Kept | Fate::Stubbed => *was_removed,
        });
        let changed = first_changed(plan, made, &self.second, removed);
        RequestCost { bill: self.bill(plan, applied.tokens.after, changed, &applied.was_removed), ..self.cost }
    }

    /// The bill of a request of `input` tokens whose messages before `changed` are those of the previous request, from
    /// which limits had removed the messages that are true in `was_removed`. With None, all of them are.
    fn bill(&self, plan: &Plan, input: usize, changed: Option<usize>, was_removed: &[bool]) -> Bill {
        let known = self.cached.map_or(0, |cached| {
            let same = changed.map_or(cached, |changed| cached.min(changed));
            let removed = was_removed.iter().copied().chain(iter::repeat(false));
            let sizes = self.sizes[..same].iter().zip(removed).filter(|(_, removed)| !removed);
            sent_tokens(&plan.history, sizes.map(|(size, _)| size))
        });
        plan.parameters.prices.bill(known, input, input, 0)
    }
}

/// The tokens of a request of the conversation with messages of these sizes.
fn sent_tokens<'s>(history: &ManagedHistory, sizes: impl IntoIterator<Item = &'s usize>) -> usize {
    history.fixed_tokens() + sizes.into_iter().sum::<usize>()
}

/// The first message that differs from the previous request, which had the first `made` reductions and `second` in the
/// second tier. `removed` is the first message that was removed otherwise.
fn first_changed(plan: &Plan, made: usize, second: &[usize], removed: Option<usize>) -> Option<usize> {
    let moved = plan.second.first().copied().filter(|_| plan.second != second);
    plan.reductions.get(made..).unwrap_or_default().iter().map(Reduction::index).chain(removed).chain(moved).min()
}

/// True for a message that a line replaced in the previous request.
fn is_made(plan: &Plan, made: usize, second: &[usize], index: usize) -> bool {
    if second.contains(&index) {
        return true;
    }
    let mut made = plan.reductions.iter().take(made);
    made.any(|reduction| reduction.is_lines() && reduction.covers.contains(&index))
}

/// The ends of the batches of reductions that earlier requests applied, for a plan that is not replayed: up to the
/// request that asked for the last summary with `worthIt`, up to the previous request otherwise.
fn ends_before(plan: &Plan, reductions: &[Reduction], answers: &[usize]) -> Vec<usize> {
    let messages = match plan.parameters.weighs() {
        true => summarized_at(&plan.history),
        false => answers.last().copied().unwrap_or(0),
    };
    let made = reductions.iter().take_while(|reduction| reduction.due <= messages).count();
    batch_ends(&reductions[..made])
}

/// Milliseconds from the last answer to the newest message after it; None when timestamps are missing.
fn pause_since(history: &ManagedHistory, answer: Option<usize>) -> Option<f64> {
    let answer = answer?;
    let now = history.slots[answer + 1..].iter().rev().find_map(|slot| slot.message.at)?;
    Some((now - history.slots[answer].message.at?).max(0) as f64)
}

/// The advice on a fold when nothing was folded since the last summary.
fn advise_once(plan: &Plan, sizes: &[usize], answers: &[usize], known: usize, pause: Option<f64>) -> Advice {
    let Plan { history, parameters, .. } = plan;
    let sum = |end: usize| sent_tokens(history, &sizes[..end]);
    let whole = history.request_tokens + sizes.iter().sum::<usize>();
    let whole_known = answers.last().map_or(0, |answer| sum(*answer));
    let changed = history.changed().next();
    let choice = Choice {
        whole,
        whole_known,
        folded: plan.tokens().after,
        folded_known: changed.map_or(whole_known, |first| whole_known.min(sum(first))),
        volatile: 0,
        summary: summary_price(plan, sizes, known),
        pause,
        requests_after: None,
        growth: history.growth(whole, answers.len()),
        over_limit: parameters.limits().any(|limit| history.triggered_before(limit)),
        allowance: f64::INFINITY,
    };
    let debt = if changed.is_some() { debt(plan, sizes, answers) } else { 0.0 };
    advise(&choice, debt, &parameters.prices, parameters.patience)
}

/// True when a pause is about to outlast the cache.
fn expires(pause: Option<f64>, prices: &Prices) -> bool {
    let (Some(pause), Some(lifetime)) = (pause, prices.lifetime) else { return false };
    pause >= EXPIRING * lifetime && pause <= lifetime
}

/// The price of the requests for summaries, input and output.
fn summary_price(plan: &Plan, sizes: &[usize], known: usize) -> f64 {
    let prices = &plan.parameters.prices;
    let mut price = 0.0;
    for (group, request) in plan.requests() {
        let output = expected_summary(plan.covered(group));
        let bill = match request.behind {
            None => prices.bill(0, 0, plan.history.tokens_of(&request.covers) + INSTRUCTION, output),
            Some(messages) => {
                let sent = sent_tokens(&plan.history, &sizes[..messages]);
                prices.bill(known.min(sent), sent, sent + INSTRUCTION, output)
            }
        };
        price += bill.cost;
    }
    price
}

/// The cost that folding at each request since the last fold would have saved. A request had the messages before its
/// answer, and as many of its last messages would have stayed as stay now.
fn debt(plan: &Plan, sizes: &[usize], answers: &[usize]) -> f64 {
    let Plan { history, parameters, .. } = plan;
    let prices = &parameters.prices;
    let last = history.changed().last().unwrap_or(0);
    let stays = history.slots.len() - 1 - last;
    let summarized = summarized_at(history);
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
        if *answer < summarized {
            continue;
        }
        let folded = sent - saved.saturating_sub(summaries_of(plan, saved));
        debt += (prices.repeated(sent) - prices.repeated(folded)).max(0.0);
    }
    debt
}

/// The tokens of the messages that replace messages of `saved` tokens.
fn summaries_of(plan: &Plan, saved: usize) -> usize {
    if plan.needs_model() {
        return expected_message(saved, &plan.parameters);
    }
    let covered: usize = (0..plan.groups.len()).map(|group| plan.covered(group)).sum();
    let known: usize = plan.groups.iter().map(|group| group.expected_tokens(&plan.history, &plan.parameters)).sum();
    (saved * known).checked_div(covered).unwrap_or(0)
}
