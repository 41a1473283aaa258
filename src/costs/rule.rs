//! When to fold: rent or buy.
//!
//! Keeping a long beginning is rent, paid with every request; a fold is bought once, by writing to the cache again.
//! Buying when the rent paid so far reaches the price needs no forecast, and its avoidable cost is at most twice that
//! of the best choice in hindsight. (A. R. Karlin, C. Kenyon, D. Randall, "Dynamic TCP acknowledgement and other
//! stories about e/(e−1)", 2001.)

use super::prices::{Bill, Prices};

/// A request that can be sent as it is, or folded.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Choice {
    /// Tokens of the request as it is.
    pub whole: usize,
    /// Tokens at its beginning that it shares with the previous request.
    pub whole_known: usize,
    /// Tokens of the folded request.
    pub folded: usize,
    /// Tokens at the beginning of the folded request that it shares with the previous request.
    pub folded_known: usize,
    /// Tokens at the end of either that the next request does not repeat.
    pub volatile: usize,
    /// The cost of the requests for summaries.
    pub summary: f64,
    /// Milliseconds since the previous request, when both times are known.
    pub pause: Option<f64>,
    /// How many requests follow this one, when that is known.
    pub requests_after: Option<usize>,
    /// Tokens that a request added on average so far.
    pub growth: f64,
    /// True when the request as it is exceeds a limit.
    pub over_limit: bool,
    /// The largest price of a fold that is made because it pays: see [`Spent::allowance`].
    pub allowance: f64,
}

/// What a conversation would have cost without folds, and what it has cost. Both count from the last fold on.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spent {
    uncompressed: f64,
    sent: f64,
}

impl Spent {
    /// The share by which a conversation may become dearer than without folds, with a patience of 1.
    const TOLERANCE: f64 = 0.02;

    /// Adds a request: its cost without folds, and its cost.
    pub fn add(&mut self, uncompressed: f64, sent: f64) {
        self.uncompressed += uncompressed;
        self.sent += sent;
    }

    /// The largest price of a fold. If each fold since the beginning has kept to it, the conversation costs at most 2 %
    /// more than without folds, wherever it ends. With more patience it is less, in proportion.
    pub fn allowance(&self, patience: f64) -> f64 {
        (1.0 + Self::TOLERANCE / patience) * self.uncompressed - self.sent
    }
}

/// The cost of the next request, without the reply, and the reason why it is folded or not.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RequestCost {
    /// The bill of the request as it is sent.
    pub bill: Bill,
    /// The cost of the request without compression.
    pub uncompressed: f64,
    /// Why the request is folded or not.
    pub advice: Advice,
}

/// Whether to fold, and why.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Advice {
    /// Why, or why not.
    pub reason: Reason,
    /// The cost that folding at each request since the last fold would have saved, including this one, without the
    /// price of folding.
    pub debt: f64,
    /// The cost of folding now less the cost of sending the request as it is. At most 0 when folding is free.
    pub price: f64,
}

/// Why a request is folded or is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Folded: not folding has cost as much as folding costs.
    WorthIt,
    /// Folded: the cache has forgotten the beginning.
    Cold,
    /// Folded: the request is too short to be cached.
    BelowMinimum,
    /// Folded: the request exceeds a limit.
    Limit,
    /// Folded: the request pays the prices of a higher tier.
    Tier,
    /// Not folded: it would cost more than was lost so far, or save nothing.
    NotYet,
    /// Not folded: the requests that are left save less than the fold costs.
    TooLate,
}

impl Reason {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Reason::WorthIt => "worthIt",
            Reason::Cold => "cold",
            Reason::BelowMinimum => "belowMinimum",
            Reason::Limit => "limit",
            Reason::Tier => "tier",
            Reason::NotYet => "notYet",
            Reason::TooLate => "tooLate",
        }
    }

    /// True for the reasons of a fold.
    pub fn folds(self) -> bool {
        !matches!(self, Reason::NotYet | Reason::TooLate)
    }
}

/// Decides whether to fold a request, given the debt of the earlier requests since the last fold. The debt has to reach
/// `patience` times the price of a fold.
pub fn advise(choice: &Choice, debt: f64, prices: &Prices, patience: f64) -> Advice {
    let cost = |known: usize, input: usize| prices.cost(known, input);
    let is_cold = prices.forgets_after(choice.pause);
    let known = |tokens: usize| if is_cold { 0 } else { tokens };
    let (whole, folded) = (choice.whole, choice.folded);
    let price = cost(known(choice.folded_known), folded) - cost(known(choice.whole_known), whole) + choice.summary;
    if folded >= whole {
        return Advice { reason: Reason::NotYet, debt, price };
    }
    // The cost of each later request, which is in the cache by then, and the difference that folding makes to it.
    let later = |input: usize| cost(input - choice.volatile.min(input), input);
    let saved = later(whole) - later(folded);
    let debt = debt + saved.max(0.0);
    let tier = |input: usize| prices.tiers.iter().filter(|tier| input > tier.above).count();
    let reason = if choice.over_limit {
        Reason::Limit
    } else if tier(whole) > tier(folded) {
        Reason::Tier
    } else if saved < 0.0 || waits_for_cache(choice, prices) {
        Reason::NotYet
    } else if price <= 0.0 {
        match () {
            () if is_cold => Reason::Cold,
            () if whole < prices.minimum => Reason::BelowMinimum,
            () => Reason::WorthIt,
        }
    } else if choice.requests_after.is_some_and(|requests| requests as f64 * saved < price) {
        Reason::TooLate
    } else if debt >= patience * price && price <= choice.allowance {
        Reason::WorthIt
    } else {
        Reason::NotYet
    };
    Advice { reason, debt, price }
}

/// True for a request that is too short for the cache, while a later one will be long enough. A fold would delay
/// caching, which makes all tokens cheaper. The delay costs more than the fold saves once a request costs more than the
/// shortest one in the cache.
fn waits_for_cache(choice: &Choice, prices: &Prices) -> bool {
    let (whole, minimum) = (choice.whole as f64, prices.minimum as f64);
    let tariff = prices.tariff_of(choice.whole);
    let reaches = choice.requests_after.is_none_or(|requests| whole + requests as f64 * choice.growth >= minimum);
    whole < minimum && reaches && prices.minimum < usize::MAX && whole * tariff.input > minimum * tariff.cache_read
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::costs::{Tariff, Tier};

    /// A request of 10,000 tokens of which folding leaves 4,000, 3,000 of them new to the cache.
    const CHOICE: Choice = Choice {
        whole: 10_000,
        whole_known: 9_500,
        folded: 4_000,
        folded_known: 1_000,
        volatile: 0,
        summary: 0.0,
        pause: None,
        requests_after: None,
        growth: 500.0,
        over_limit: false,
        allowance: f64::INFINITY,
    };

    fn advice(choice: Choice, debt: f64) -> Advice {
        let prices = Prices { minimum: 1000, ..Prices::default() };
        advise(&choice, debt, &prices, 1.0)
    }

    #[test]
    fn folds_when_the_debt_reaches_the_price() {
        let now = advice(CHOICE, 0.0);
        assert_eq!(now.price, (100.0 + 1.25 * 3000.0) - (950.0 + 1.25 * 500.0));
        assert_eq!((now.debt, now.reason), (600.0, Reason::NotYet));
        assert_eq!(advice(CHOICE, now.price - 600.0).reason, Reason::WorthIt);
        assert_eq!(advice(CHOICE, now.price - 601.0).reason, Reason::NotYet);
    }

    #[test]
    fn a_fold_that_the_rest_cannot_repay_is_not_made() {
        let with = |requests| advice(Choice { requests_after: Some(requests), ..CHOICE }, 1e9).reason;
        assert_eq!((with(3), with(4)), (Reason::TooLate, Reason::WorthIt));
    }

    #[test]
    fn folding_is_free_when_nothing_is_cached() {
        let paused = |pause| advice(Choice { pause: Some(pause), ..CHOICE }, 0.0);
        assert_eq!(paused(300_000.0).reason, Reason::NotYet);
        assert_eq!(paused(300_001.0).reason, Reason::Cold);
        assert!(paused(300_001.0).price < 0.0);
    }

    #[test]
    fn a_request_below_the_minimum_is_folded_when_no_later_one_reaches_it() {
        let short = Choice { whole: 900, whole_known: 800, folded: 400, folded_known: 100, growth: 50.0, ..CHOICE };
        let with = |requests_after| advice(Choice { requests_after, ..short }, 0.0).reason;
        assert_eq!(with(Some(1)), Reason::BelowMinimum);
        assert_eq!([with(Some(2)), with(None)], [Reason::NotYet; 2]);
        let tiny = Choice { whole: 90, whole_known: 80, folded: 40, folded_known: 10, ..CHOICE };
        assert_eq!(advice(tiny, 0.0).reason, Reason::BelowMinimum);
    }

    #[test]
    fn a_fold_below_the_minimum_loses_the_cache() {
        let choice = Choice { folded: 990, ..CHOICE };
        let small = Choice { whole: 1100, whole_known: 1000, ..choice };
        assert_eq!(advice(small, 1e9).reason, Reason::NotYet);
    }

    #[test]
    fn limits_and_tiers_fold_at_once() {
        assert_eq!(advice(Choice { over_limit: true, ..CHOICE }, 0.0).reason, Reason::Limit);
        let tier = Tier { above: 9_999, tariff: Tariff::in_units_of(2.0) };
        let prices = Prices { tiers: vec![tier], ..Prices::default() };
        assert_eq!(advise(&CHOICE, 0.0, &prices, 1.0).reason, Reason::Tier);
        let pointless = Choice { folded: 10_000, over_limit: true, ..CHOICE };
        assert_eq!(advice(pointless, 0.0).reason, Reason::NotYet);
    }

    #[test]
    fn odd_prices_give_sensible_decisions() {
        let advise_at = |cache_read, cache_write, input| {
            let tariff = Tariff { input, cache_read, cache_write, output: 0.0 };
            advise(&CHOICE, 0.0, &Prices { tariff, ..Prices::default() }, 1.0).reason
        };
        // Everything is free: the shorter request is not dearer.
        assert_eq!(advise_at(0.0, 0.0, 0.0), Reason::WorthIt);
        // Reading is free: no fold ever repays its price.
        assert_eq!(advise_at(0.0, 1.0, 1.0), Reason::NotYet);
        // The cache is dearer than sending anew.
        assert_eq!(advise_at(3.0, 1.0, 1.0), Reason::WorthIt);
        let unknown = Prices { lifetime: None, ..Prices::default() };
        assert_eq!(advise(&Choice { pause: Some(1e12), ..CHOICE }, 0.0, &unknown, 1.0).reason, Reason::NotYet);
    }
}
