//! Whether it is worth its price to fold a history before the next request.
//!
//! Nothing is stored: what is decided is a function of the messages. Each answer of the model was a request, which had the
//! messages before it. The requests are walked from the last summary on, and clearing results is decided again for each of
//! them: so a host that gives the whole history each time has the same results cleared until it is worth it to clear
//! more.

use super::conversation::Exchange;
use super::history::History;
use super::outcome::Applied;
use super::parameters::Limit;
use super::plan::Plan;
use super::requests::expected_summary;
use crate::costs::{Advice, Bill, Choice, Prices, RequestCost, advise};

/// About the tokens of the instructions for a summary.
const INSTRUCTION: usize = 250;

/// From which share of the cache's lifetime on a pause is about to end it.
const EXPIRING: f64 = 0.8;

/// What a plan was weighed at.
pub(super) struct Weighed {
    pub cost: RequestCost,
    /// How many of the plan's clearances earlier requests have made.
    pub made: usize,
    /// The tokens of each message as the request before had it.
    sizes: Vec<usize>,
    /// Tokens from the beginning of the conversation on that are in the cache, as far as nothing is changed.
    known: usize,
}

/// Weighs what a plan would come to against sending the history as the request before had it.
pub(super) fn weigh(plan: &Plan, exchange: &Exchange) -> Weighed {
    let Plan { history, parameters, .. } = plan;
    let prices = &parameters.prices;
    let answers = answers(history);
    let pause = exchange.pause.or_else(|| pause_since(history, answers.last().copied()));
    // The request after an expiry will find the cache empty; what is asked for now does not.
    let is_expiring =
        exchange.is_idle && expires(pause, prices) && plan.requests().any(|(_, request)| request.behind.is_some());
    let pause_then = if is_expiring { prices.lifetime.map(|lifetime| lifetime + 1.0) } else { pause };
    let is_replayed = parameters.weighs() && plan.groups.is_empty() && !plan.clearances.is_empty();
    let replayed = is_replayed.then(|| Replay::new(plan, &answers).run(pause_then));
    let made = replayed.map_or_else(|| made_before(plan, &answers), |(_, made)| made);
    let sizes = sizes_before(plan, made);
    let known = match answers.last() {
        Some(answer) if !prices.forgets_after(pause) => history.fixed_tokens() + sizes[..*answer].iter().sum::<usize>(),
        _ => 0,
    };
    let advice = match replayed {
        Some((advice, _)) => advice,
        None => advise_once(plan, &sizes, &answers, known, pause_then),
    };
    let whole = history.request_tokens + sizes.iter().sum::<usize>();
    let uncompressed = history.tokens_before();
    let known_uncompressed = if known == 0 { 0 } else { history.given_tokens(answers[answers.len() - 1]) };
    let removed = history.changed().find(|index| !history.slots[*index].is_present());
    let changed = first_changed(plan, made, removed);
    let is_folded = changed.is_some() && (!parameters.weighs() || advice.reason.folds());
    let (input, changed) = if is_folded { (expected_tokens(plan), changed) } else { (whole, None) };
    let mut weighed = Weighed {
        cost: RequestCost {
            bill: Bill::default(),
            uncompressed: prices.bill(known_uncompressed, uncompressed, uncompressed, 0).cost,
            advice,
        },
        made,
        sizes,
        known,
    };
    weighed.cost.bill = weighed.bill(plan, input, changed);
    weighed
}

impl Weighed {
    /// The bill of what is sent in the end: limits may have cut what the strategies left.
    pub fn final_bill(&self, plan: &Plan, applied: &Applied) -> Bill {
        let removed = applied.fates.iter().position(|fate| !fate.fate.stays());
        self.bill(plan, applied.tokens.after, first_changed(plan, self.made, removed))
    }

    /// The bill of a request of `input` tokens, which has the messages before `changed` as the request before had them; none: all
    /// of them.
    fn bill(&self, plan: &Plan, input: usize, changed: Option<usize>) -> Bill {
        let same = |changed: usize| plan.history.fixed_tokens() + self.sizes[..changed].iter().sum::<usize>();
        let known = changed.map_or(self.known, |changed| self.known.min(same(changed)));
        plan.parameters.prices.bill(known, input, input, 0)
    }
}

/// The first message that is not as the request before had it, which had the first `made` clearances; `removed` is the first
/// that is not there.
fn first_changed(plan: &Plan, made: usize, removed: Option<usize>) -> Option<usize> {
    plan.clearances[made..].iter().map(|clearance| clearance.index).chain(removed).min()
}

/// The tokens of each message in the request before, which had the first `made` clearances.
fn sizes_before(plan: &Plan, made: usize) -> Vec<usize> {
    let mut sizes: Vec<usize> = plan.history.slots.iter().map(|slot| slot.tokens_before).collect();
    for clearance in &plan.clearances[..made] {
        sizes[clearance.index] = sizes[clearance.index].saturating_sub(clearance.saved);
    }
    sizes
}

/// How many clearances earlier requests have made where they do not decide on clearances alone: those of the request that
/// asked for the last summary, or, when each request clears what it can, those of the request before.
fn made_before(plan: &Plan, answers: &[usize]) -> usize {
    let messages = match plan.parameters.weighs() {
        true => summarized_at(&plan.history),
        false => answers.last().copied().unwrap_or(0),
    };
    plan.clearances.iter().take_while(|clearance| clearance.due <= messages).count()
}

/// How many messages the request had that asked for the last summary, with the summary in the place of what it covers; 0
/// without a summary.
fn summarized_at(history: &History) -> usize {
    let mut slots = history.slots.iter().enumerate().rev();
    let found = slots.find_map(|(index, slot)| {
        let summary = slot.message.summary.as_ref()?;
        Some((index + 1).saturating_add(summary.followed.unwrap_or(0)))
    });
    found.unwrap_or(0)
}

/// Milliseconds from the last answer to the newest message behind it; None where timestamps do not say.
fn pause_since(history: &History, answer: Option<usize>) -> Option<f64> {
    let answer = answer?;
    let now = history.slots[answer + 1..].iter().rev().find_map(|slot| slot.message.at)?;
    Some((now - history.slots[answer].message.at?).max(0) as f64)
}

/// The advice on a fold when nothing was folded since the last summary.
fn advise_once(plan: &Plan, sizes: &[usize], answers: &[usize], known: usize, pause: Option<f64>) -> Advice {
    let Plan { history, parameters, .. } = plan;
    let sum = |end: usize| history.fixed_tokens() + sizes[..end].iter().sum::<usize>();
    let whole = history.request_tokens + sizes.iter().sum::<usize>();
    let whole_known = answers.last().map_or(0, |answer| sum(*answer));
    let changed = history.changed().next();
    let choice = Choice {
        whole,
        whole_known,
        folded: expected_tokens(plan),
        folded_known: changed.map_or(whole_known, |first| whole_known.min(sum(first))),
        volatile: 0,
        summary: summary_price(plan, sizes, known),
        pause,
        requests_after: None,
        growth: growth(history, whole, answers.len()),
        over_limit: parameters.limits().any(|limit| history.exceeded_before(limit)),
    };
    let debt = if changed.is_some() { debt(plan, sizes, answers) } else { 0.0 };
    advise(&choice, debt, &parameters.prices, parameters.patience)
}

/// Tokens that each of so many requests added on average.
fn growth(history: &History, tokens: usize, requests: usize) -> f64 {
    tokens.saturating_sub(history.fixed_tokens()) as f64 / requests.max(1) as f64
}

/// The tokens of the folded request.
fn expected_tokens(plan: &Plan) -> usize {
    let longer = |group: usize| summary_size(plan.covered(group)).saturating_sub(expected_summary(plan.covered(group)));
    plan.tokens().after + (0..plan.groups.len()).map(longer).sum::<usize>()
}

/// The decisions on clearances of the requests since the last summary, when none of them asks for another one.
struct Replay<'p> {
    plan: &'p Plan,
    answers: &'p [usize],
    /// By message: the tokens of a request that has the messages before it, as they were given.
    before: Vec<usize>,
    /// By message: how many messages before it are no system messages.
    counted: Vec<usize>,
    first_question: usize,
    debt: f64,
    /// The tokens of the request before.
    sent: usize,
    /// How many clearances are made, and the tokens that they save.
    made: usize,
    gone: usize,
    /// How many clearances are due, and the tokens that those save which are not made.
    due: usize,
    saving: usize,
}

impl<'p> Replay<'p> {
    fn new(plan: &'p Plan, answers: &'p [usize]) -> Self {
        let (mut before, mut counted) = (vec![plan.history.fixed_tokens()], vec![0]);
        for (index, slot) in plan.history.slots.iter().enumerate() {
            before.push(before[index] + slot.tokens_before);
            counted.push(counted[index] + usize::from(!slot.message.is_system()));
        }
        let question = plan.history.slots.iter().position(|slot| slot.message.is_question());
        let first_question = question.unwrap_or(usize::MAX);
        Replay {
            plan,
            answers,
            before,
            counted,
            first_question,
            debt: 0.0,
            sent: 0,
            made: 0,
            gone: 0,
            due: 0,
            saving: 0,
        }
    }

    /// The advice on the request of the history after a pause, and how many clearances were made before it.
    fn run(mut self, pause: Option<f64>) -> (Advice, usize) {
        let summarized = summarized_at(&self.plan.history);
        self.look(summarized);
        self.make();
        for (place, answer) in self.answers.iter().copied().enumerate() {
            self.look(answer);
            if answer > summarized && self.saving > 0 && self.is_long_enough(answer) {
                let advice = self.advice(self.before[answer], self.pause(place), place);
                self.debt = advice.debt;
                if advice.reason.folds() {
                    self.make();
                }
            }
            self.sent = self.before[answer] - self.gone;
        }
        let made = self.made;
        self.look(usize::MAX);
        (self.advice(self.plan.history.tokens_before(), pause, self.answers.len()), made)
    }

    /// Takes what is due in a request of so many messages.
    fn look(&mut self, messages: usize) {
        while let Some(clearance) = self.plan.clearances.get(self.due).filter(|clearance| clearance.due <= messages) {
            self.saving += clearance.saved;
            self.due += 1;
        }
    }

    /// Makes what is due.
    fn make(&mut self) {
        self.made = self.due;
        self.gone += self.saving;
        (self.saving, self.debt) = (0, 0.0);
    }

    /// True when a request of so many messages had enough of them besides those that waited for its answer.
    fn is_long_enough(&self, messages: usize) -> bool {
        let last = &self.plan.history.slots[messages - 1].message;
        let waiting = match () {
            () if last.has_results() => {
                let start = self.plan.history.unit_start(messages - 1);
                messages - start + usize::from(self.first_question < start)
            }
            () => usize::from(last.is_question()),
        };
        self.counted[messages].saturating_sub(waiting) >= self.plan.parameters.min_messages
    }

    /// Milliseconds from an answer, by its place among them, to the next request; None where timestamps do not say.
    fn pause(&self, place: usize) -> Option<f64> {
        let before = self.answers[place.checked_sub(1)?];
        let answer = self.answers[place];
        let slots = &self.plan.history.slots;
        let asked = slots[before + 1..answer].iter().rev().chain([&slots[answer]]).find_map(|slot| slot.message.at);
        Some((asked? - slots[before].message.at?).max(0) as f64)
    }

    /// The advice on a request of `size` tokens as it was given, after so many others.
    fn advice(&self, size: usize, pause: Option<f64>, requests: usize) -> Advice {
        let Plan { history, parameters, clearances, .. } = self.plan;
        let whole = size - self.gone;
        let first = clearances.get(self.made).map_or(0, |clearance| clearance.index);
        let exceeds = |limit: Limit| matches!(limit, Limit::Tokens(most, _) if whole > most);
        let choice = Choice {
            whole,
            whole_known: self.sent,
            folded: whole - self.saving,
            folded_known: self.sent.min(self.before[first].saturating_sub(self.gone)),
            volatile: 0,
            summary: 0.0,
            pause,
            requests_after: None,
            growth: growth(history, whole, requests),
            over_limit: parameters.limits().any(exceeds),
        };
        advise(&choice, self.debt, &parameters.prices, parameters.patience)
    }
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
        let summaries = if plan.groups.is_empty() { 0 } else { summary_size(saved) };
        let folded = sent - saved.saturating_sub(summaries);
        debt += (prices.repeated(sent) - prices.repeated(folded)).max(0.0);
    }
    debt
}
