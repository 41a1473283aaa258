//! Decides when a journal folds, from the sizes and times of its turns.
//!
//! All sizes are in tokens. A decision depends only on the turns before it, so that any way of building a history gives
//! the same folds. Decisions are kept from one rendering to the next, so that another turn costs the size of that turn.

use std::collections::VecDeque;

use crate::costs::{Advice, Choice, Reason, RequestCost, advise};
use crate::value::{Names, Str};

use super::options::{Journal, Limits};

/// The share of the budget to which a fold reduces messages that exceed it.
const TARGET: f64 = 0.7;

/// Tokens that a provider counts for each message besides its text.
pub const MESSAGE: usize = 3;

/// The sizes of one turn.
#[derive(Clone, Debug, Default)]
pub struct TurnSize {
    /// Of its program, and of what the program defined, called and printed.
    pub pair: usize,
    /// The same with its whole reply.
    pub replied: usize,
    /// Of its reply and result without compression.
    pub uncompressed: usize,
    /// Of the lines of the names that it defined.
    pub definitions: Vec<DefinitionSize>,
    /// True when the turn printed and all of it is within the limits; while its prints are shown, its definitions need
    /// no samples.
    pub prints_are_whole: bool,
    /// Of the lines of its last prints, up to the limit; empty for a turn that failed.
    pub prints: Vec<usize>,
    /// Of the lines of its last calls, up to the limit.
    pub calls: Vec<usize>,
    /// When its request was sent.
    pub at: Option<f64>,
}

/// The line of a definition.
#[derive(Clone, Debug)]
pub struct DefinitionSize {
    pub name: Str,
    pub full: usize,
    /// Its size while the prints of its turn are shown.
    pub printed: usize,
}

/// Sizes that are the same in every request.
#[derive(Clone, Copy, Debug, Default)]
pub struct FixedSizes {
    /// The SYSTEM message, and the beginning of the first USER message that does not depend on turns.
    pub head: usize,
    /// The line of the turns left.
    pub end: usize,
    /// The headers of definitions, calls and prints, and the line in place of calls.
    pub headers: [usize; 3],
    pub no_calls: usize,
}

/// How a request shows its turns.
#[derive(Clone, Copy, Debug)]
pub struct Decision {
    /// How many turns are folded.
    pub folded: usize,
    /// How many turns there were when they were folded.
    pub seen: usize,
    /// The number of tokens to which the folded turns are reduced.
    pub target: Option<usize>,
    pub cost: RequestCost,
}

/// The decisions for a history.
#[derive(Debug, Default)]
pub struct Folds {
    pub fixed: Option<FixedSizes>,
    turns: Vec<TurnSize>,
    /// Sums of the sizes of the first turns: `sums[n]` is of n turns.
    sums: Vec<Sums>,
    /// The number of requests of the run, with which `progress` was decided.
    requests: usize,
    /// How many turns at the beginning are shown with their whole replies: those before the requests without compression
    /// would be long enough for the cache. Shorter ones would delay caching, which saves more.
    replies: usize,
    progress: Decisions,
    state: StateSize,
}

#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    pairs: usize,
    uncompressed: usize,
}

/// The state of the decisions after some requests.
#[derive(Clone, Copy, Debug, Default)]
struct Decisions {
    /// How many requests were decided.
    decided: usize,
    folded: usize,
    seen: usize,
    target: Option<usize>,
    /// Tokens of the folded turns.
    state: usize,
    debt: f64,
    /// When the last request was sent.
    at: Option<f64>,
    /// Tokens of the last request with which the next one may begin, and the same number without compression.
    sent: usize,
    sent_uncompressed: usize,
}

impl Folds {
    /// Keeps the sizes of the first `turns` only.
    pub fn truncate(&mut self, turns: usize) {
        if turns < self.turns.len() {
            self.turns.truncate(turns);
            self.sums.truncate(turns + 1);
            self.replies = self.replies.min(turns);
            self.restart();
        }
    }

    /// How many turns were measured.
    pub fn measured(&self) -> usize {
        self.turns.len()
    }

    /// How many turns at the beginning are shown with their whole replies.
    pub fn replies(&self) -> usize {
        self.replies
    }

    /// Adds the sizes of the next turn. `minimum` is the length from which requests are cached.
    pub fn push(&mut self, size: TurnSize, minimum: usize) {
        let before = self.sums.last().copied().unwrap_or_default();
        if self.sums.is_empty() {
            self.sums.push(before);
        }
        let head = self.fixed.map_or(0, |fixed| fixed.head);
        let is_replied = minimum < usize::MAX && head + before.uncompressed < minimum;
        self.replies += usize::from(is_replied);
        let pair = if is_replied { size.replied } else { size.pair };
        self.sums.push(Sums { pairs: before.pairs + pair, uncompressed: before.uncompressed + size.uncompressed });
        self.turns.push(size);
    }

    fn restart(&mut self) {
        self.progress = Decisions::default();
        self.state = StateSize::default();
    }

    /// Decides how the request after all measured turns shows them. It is sent at `at`; the run has `requests`
    /// requests.
    pub fn decide(&mut self, journal: &Journal, limits: &Limits, requests: usize, at: Option<f64>) -> Decision {
        if self.requests != requests {
            self.restart();
            self.requests = requests;
        }
        while self.progress.decided < self.turns.len() {
            let at = self.turns[self.progress.decided].at;
            (self.progress, _) = self.step(journal, limits, at);
        }
        let (progress, cost) = self.step(journal, limits, at);
        Decision { folded: progress.folded, seen: progress.seen, target: progress.target, cost }
    }

    /// Decides the next request.
    fn step(&mut self, journal: &Journal, limits: &Limits, at: Option<f64>) -> (Decisions, RequestCost) {
        let FixedSizes { head, end, .. } = self.fixed.unwrap_or_default();
        let before = self.progress;
        let turns = before.decided;
        let pairs = |from: usize| self.sum(turns).pairs - self.sum(from).pairs;
        let prices = &journal.prices;
        let pause = before.at.zip(at).map(|(before, at)| at - before);
        let known = |tokens: usize| if prices.forgets_after(pause) { 0 } else { tokens };

        let whole = head + before.state + pairs(before.folded);
        let mut next = Decisions { decided: turns + 1, at, ..before };
        let (mut sent, mut shared) = (whole, before.sent);
        let mut advice = Advice { reason: Reason::NotYet, debt: before.debt, price: 0.0 };
        let foldable = turns.saturating_sub(journal.keep);
        let (kept, growth) = (pairs(foldable), pairs(0) as f64 / turns.max(1) as f64);
        if foldable > before.folded {
            let target = journal.budget.map(|budget| ((budget as f64 * TARGET) as usize).saturating_sub(kept + end));
            let state = self.state_after(foldable, limits);
            let state = target.map_or(state, |target| state.min(target));
            let choice = Choice {
                whole: whole + end,
                whole_known: before.sent,
                folded: head + state + kept + end,
                folded_known: if turns > 0 { head } else { 0 },
                volatile: end,
                summary: 0.0,
                pause,
                requests_after: (self.requests < u32::MAX as usize).then(|| self.requests.saturating_sub(turns + 1)),
                growth,
                over_limit: journal.budget.is_some_and(|budget| whole - head + end > budget),
                allowance: f64::INFINITY,
            };
            advice = advise(&choice, before.debt, prices, journal.patience);
            next.debt = advice.debt;
            if advice.reason.folds() {
                next = Decisions { folded: foldable, seen: turns, target, state, debt: 0.0, ..next };
                (sent, shared) = (choice.folded - end, choice.folded_known);
            }
        }
        let whole_uncompressed = head + self.sum(turns).uncompressed;
        (next.sent, next.sent_uncompressed) = (sent, whole_uncompressed);
        let bill = prices.bill(known(shared), sent, sent + end, 0);
        let uncompressed =
            prices.bill(known(before.sent_uncompressed), whole_uncompressed, whole_uncompressed + end, 0);
        (next, RequestCost { bill, uncompressed: uncompressed.cost, advice })
    }

    fn sum(&self, turns: usize) -> Sums {
        self.sums.get(turns).copied().unwrap_or_default()
    }

    /// The size of the first `turns` when they are folded.
    fn state_after(&mut self, turns: usize, limits: &Limits) -> usize {
        if self.state.turns > turns {
            self.state = StateSize::default();
        }
        for turn in &self.turns[self.state.turns..turns] {
            self.state.push(turn, &self.turns, limits);
        }
        self.state.tokens(&self.fixed.unwrap_or_default())
    }
}

/// The size of folded turns.
#[derive(Debug, Default)]
struct StateSize {
    turns: usize,
    /// The turn that last defined each name, and the size of its line.
    definitions: Names<(usize, usize)>,
    definition_tokens: usize,
    calls: Window,
    has_calls: bool,
    prints: Window,
}

impl StateSize {
    fn push(&mut self, turn: &TurnSize, turns: &[TurnSize], limits: &Limits) {
        let index = self.turns;
        self.turns += 1;
        self.has_calls |= !turn.calls.is_empty();
        self.calls.push(index, &turn.calls, limits.tool_calls);
        for left in self.prints.push(index, &turn.prints, limits.println) {
            // Not all prints of that turn are shown any more, so its definitions have samples again.
            for definition in &turns[left].definitions {
                if self.definitions.get(&definition.name).is_some_and(|(by, _)| *by == left) {
                    self.define(left, definition, definition.full);
                }
            }
        }
        let is_printed = turn.prints_are_whole && turn.prints.len() <= limits.println;
        for definition in &turn.definitions {
            self.define(index, definition, if is_printed { definition.printed } else { definition.full });
        }
    }

    fn define(&mut self, turn: usize, definition: &DefinitionSize, tokens: usize) {
        let before = self.definitions.get(&definition.name).map_or(0, |(_, tokens)| *tokens);
        self.definition_tokens = self.definition_tokens - before + tokens;
        self.definitions.insert(definition.name.clone(), (turn, tokens));
    }

    fn tokens(&self, fixed: &FixedSizes) -> usize {
        let [definitions, calls, prints] = fixed.headers;
        let header = |is_shown: bool, tokens: usize| if is_shown { tokens } else { 0 };
        self.definition_tokens
            + header(!self.definitions.is_empty(), definitions)
            + if self.has_calls { calls } else { fixed.no_calls }
            + self.calls.tokens
            + header(!self.prints.lines.is_empty(), prints)
            + self.prints.tokens
    }
}

/// The newest lines, each with its turn.
#[derive(Debug, Default)]
struct Window {
    lines: VecDeque<(usize, usize)>,
    tokens: usize,
}

impl Window {
    /// Adds the lines of a turn. Returns the turns of which some lines were removed.
    fn push(&mut self, turn: usize, lines: &[usize], limit: usize) -> Vec<usize> {
        let mut left = Vec::new();
        for tokens in lines {
            self.lines.push_back((turn, *tokens));
            self.tokens += tokens;
        }
        while self.lines.len() > limit
            && let Some((turn, tokens)) = self.lines.pop_front()
        {
            self.tokens -= tokens;
            if left.last() != Some(&turn) {
                left.push(turn);
            }
        }
        left
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::costs::{Prices, Reason};

    const FIXED: FixedSizes = FixedSizes { head: 2000, end: 5, headers: [1, 1, 1], no_calls: 1 };

    fn turn(name: usize, prints: &[usize]) -> TurnSize {
        TurnSize {
            pair: 300,
            replied: 350,
            uncompressed: 350,
            definitions: vec![DefinitionSize { name: format!("x{name}").into(), full: 20, printed: 8 }],
            prints_are_whole: !prints.is_empty(),
            prints: prints.to_vec(),
            calls: vec![10],
            at: None,
        }
    }

    fn limits(println: usize) -> Limits {
        Limits { println, tool_calls: 2, ..Limits::default() }
    }

    #[test]
    fn a_state_has_the_newest_lines_and_one_line_for_each_name() {
        let turns = [turn(0, &[]), turn(1, &[30, 40]), turn(0, &[50])];
        let mut state = StateSize::default();
        let mut sizes = Vec::new();
        for next in &turns {
            state.push(next, &turns, &limits(2));
            sizes.push(state.tokens(&FIXED));
        }
        // The second turn prints in place of a sample; the third pushes one of its prints out, so that its name has a
        // sample again, and defines the first name anew.
        assert_eq!(sizes, [20 + 12, 28 + 22 + 71, 28 + 22 + 91]);
    }

    #[test]
    fn the_decisions_do_not_depend_on_how_the_history_was_built() {
        let journal = Journal { prices: Prices { minimum: 0, ..Prices::DEFAULT }, ..Journal::DEFAULT };
        let build = |after_each: bool| {
            let mut folds = Folds { fixed: Some(FIXED), ..Folds::default() };
            for index in 0..60 {
                folds.push(turn(index % 7, &[40]), 0);
                if after_each {
                    folds.decide(&journal, &limits(15), 100, None);
                }
            }
            folds.decide(&journal, &limits(15), 100, None)
        };
        let (grown, at_once) = (build(true), build(false));
        assert_eq!((grown.folded, grown.seen, grown.cost), (at_once.folded, at_once.seen, at_once.cost));
        assert!(grown.folded > 0 && grown.seen == grown.folded + journal.keep);
    }

    #[test]
    fn edited_turns_are_decided_again() {
        let mut folds = Folds { fixed: Some(FIXED), ..Folds::default() };
        let journal = Journal { patience: 0.0, ..Journal::DEFAULT };
        let mut decide = |pair: usize| {
            folds.truncate(9);
            for index in folds.measured()..10 {
                folds.push(TurnSize { pair, ..turn(index, &[40]) }, 0);
            }
            folds.decide(&journal, &limits(15), 100, None)
        };
        let small = decide(1);
        let large = decide(300);
        assert!(small.cost.bill.input() < large.cost.bill.input());
        assert_eq!(large.cost.advice.reason, Reason::NotYet);
    }
}
