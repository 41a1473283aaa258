//! Prices of tokens, and the bill of one request.

/// The prices of tokens, and which of them a provider's cache holds. The unit of a price is arbitrary, because only
/// proportions matter.
#[derive(Clone, Debug, PartialEq)]
pub struct Prices {
    /// The prices of a token.
    pub tariff: Tariff,
    /// Milliseconds for which the cache holds tokens that no request uses. None when no lifetime is known.
    pub lifetime: Option<f64>,
    /// The least number of tokens that the cache holds.
    pub minimum: usize,
    /// Where the beginnings of two requests are compared.
    pub matching: Matching,
    /// Other prices for larger requests, the smallest first.
    pub tiers: Vec<Tier>,
}

/// Prices of one token.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tariff {
    /// Of input that was not in the cache and is not written to it.
    pub input: f64,
    /// Of input that was in the cache.
    pub cache_read: f64,
    /// Of input that is written to the cache.
    pub cache_write: f64,
    /// Of output.
    pub output: f64,
}

/// Prices of all tokens of a request whose input exceeds a threshold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tier {
    /// The largest input, in tokens, for which these prices do not apply.
    pub above: usize,
    /// The prices.
    pub tariff: Tariff,
}

/// Where a provider compares the beginnings of two requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Matching {
    /// After each step of this many tokens.
    Steps(usize),
    /// At the positions that the request marks. What follows the last one is not cached.
    Breakpoints,
}

/// How the input of one request is billed, in tokens, and the cost of the request.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bill {
    /// Input that was in the cache.
    pub read: usize,
    /// Input that is written to the cache.
    pub written: usize,
    /// The rest of the input.
    pub fresh: usize,
    /// Output of the model.
    pub output: usize,
    /// In the unit of the prices.
    pub cost: f64,
}

impl Bill {
    /// All tokens of input.
    pub fn input(&self) -> usize {
        self.read + self.written + self.fresh
    }
}

impl Default for Prices {
    fn default() -> Self {
        Prices::DEFAULT
    }
}

impl Tariff {
    /// The default prices, scaled to a token of input that costs `input`.
    pub const fn in_units_of(input: f64) -> Tariff {
        Tariff { input, cache_read: 0.1 * input, cache_write: 1.25 * input, output: 5.0 * input }
    }
}

impl Prices {
    /// A cached token costs a tenth of a token of input, writing a token to the cache a quarter more, and a token of
    /// output five times as much. The cache holds 1,024 tokens or more, in steps of 128, for five minutes.
    pub const DEFAULT: Prices = Prices {
        tariff: Tariff::in_units_of(1.0),
        lifetime: Some(300_000.0),
        minimum: 1024,
        matching: Matching::Steps(128),
        tiers: Vec::new(),
    };

    /// The usual prices of a caching mechanism; None for an unknown name.
    pub fn named(name: &str) -> Option<Prices> {
        let prices = Prices::default();
        let tariff = prices.tariff;
        Some(match name {
            "anthropic" => Prices { matching: Matching::Breakpoints, ..prices },
            "anthropic-1h" => Prices {
                tariff: Tariff { cache_write: 2.0, ..tariff },
                lifetime: Some(3_600_000.0),
                matching: Matching::Breakpoints,
                ..prices
            },
            "openai" => Prices { lifetime: Some(1_800_000.0), matching: Matching::Breakpoints, ..prices },
            "gemini" => Prices { tariff: Tariff { cache_write: 1.0, ..tariff }, lifetime: None, ..prices },
            "deepseek" => Prices {
                tariff: Tariff { cache_read: 0.02, cache_write: 1.0, ..tariff },
                lifetime: None,
                minimum: 64,
                matching: Matching::Steps(64),
                ..prices
            },
            "none" => {
                Prices { tariff: Tariff { cache_read: 1.0, cache_write: 1.0, ..tariff }, minimum: usize::MAX, ..prices }
            }
            _ => return None,
        })
    }

    /// The prices of a request with `input` tokens of input.
    pub fn tariff_of(&self, input: usize) -> Tariff {
        let tier = self.tiers.iter().rev().find(|tier| input > tier.above);
        tier.map_or(self.tariff, |tier| tier.tariff)
    }

    /// True when nothing that a request wrote to the cache is left after a pause in milliseconds. An unknown pause
    /// counts as short.
    pub fn forgets_after(&self, pause: Option<f64>) -> bool {
        matches!((pause, self.lifetime), (Some(pause), Some(lifetime)) if pause > lifetime)
    }

    /// The bill of a request of `input` tokens, the first `known` of which are in the cache, and the first `stable` of
    /// which it marks to be cached. A cache that compares in steps ignores marks.
    pub fn bill(&self, known: usize, stable: usize, input: usize, output: usize) -> Bill {
        let cacheable = |tokens: usize| {
            let cut = match self.matching {
                Matching::Steps(step) => tokens - tokens % step.max(1),
                Matching::Breakpoints => tokens,
            };
            if cut < self.minimum { 0 } else { cut }
        };
        let marked = match self.matching {
            Matching::Steps(_) => input,
            Matching::Breakpoints => stable.min(input),
        };
        let read = cacheable(known.min(input));
        let written = cacheable(marked).saturating_sub(read);
        self.priced(Bill { read, written, fresh: input - read - written, output, cost: 0.0 })
    }

    /// The cost of a request of `input` tokens, the first `known` of which are in the cache. The granularity of the cache
    /// is ignored: it shifts each bill by half a step, up or down.
    pub fn cost(&self, known: usize, input: usize) -> f64 {
        let tariff = self.tariff_of(input);
        if input < self.minimum {
            return input as f64 * tariff.input;
        }
        let read = if known < self.minimum { 0 } else { known.min(input) };
        read as f64 * tariff.cache_read + (input - read) as f64 * tariff.cache_write
    }

    /// The cost of a request whose whole input is in the cache.
    pub fn repeated(&self, input: usize) -> f64 {
        let tariff = self.tariff_of(input);
        input as f64 * if input < self.minimum { tariff.input } else { tariff.cache_read }
    }

    /// The bill with its cost.
    pub fn priced(&self, bill: Bill) -> Bill {
        let tariff = self.tariff_of(bill.input());
        let parts = [
            (bill.read, tariff.cache_read),
            (bill.written, tariff.cache_write),
            (bill.fresh, tariff.input),
            (bill.output, tariff.output),
        ];
        Bill { cost: parts.iter().map(|(tokens, price)| *tokens as f64 * price).sum(), ..bill }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(bill: Bill) -> (usize, usize, usize) {
        (bill.read, bill.written, bill.fresh)
    }

    #[test]
    fn steps_are_read_and_written_from_the_minimum_on() {
        let prices = Prices::default();
        assert_eq!(parts(prices.bill(0, 0, 1023, 0)), (0, 0, 1023));
        assert_eq!(parts(prices.bill(0, 0, 1200, 0)), (0, 1152, 48));
        assert_eq!(parts(prices.bill(1100, 0, 1500, 0)), (1024, 384, 92));
        let bill = prices.bill(1100, 0, 1500, 10);
        assert_eq!(bill.cost, 0.1 * 1024.0 + 1.25 * 384.0 + 92.0 + 50.0);
    }

    #[test]
    fn behind_the_last_breakpoint_nothing_is_written() {
        let prices = Prices::named("anthropic").unwrap();
        assert_eq!(parts(prices.bill(2000, 2500, 2600, 0)), (2000, 500, 100));
        assert_eq!(parts(prices.bill(2600, 2500, 2600, 0)), (2600, 0, 0));
        assert_eq!(parts(prices.bill(900, 1000, 2600, 0)), (0, 0, 2600));
    }

    #[test]
    fn all_tokens_of_a_large_request_pay_the_prices_of_its_tier() {
        let dear = Tariff::in_units_of(2.0);
        let tiers = vec![Tier { above: 1000, tariff: dear }, Tier { above: 2000, tariff: Tariff::in_units_of(3.0) }];
        let prices = Prices { tiers, minimum: usize::MAX, ..Prices::default() };
        let costs = [1000, 1001, 2001].map(|input| prices.bill(0, 0, input, 1).cost);
        assert_eq!(costs, [1005.0, 2012.0, 6018.0]);
    }

    #[test]
    fn every_name_is_known() {
        let names = ["anthropic", "anthropic-1h", "openai", "gemini", "deepseek", "none"];
        assert!(names.iter().all(|name| Prices::named(name).is_some()));
        assert_eq!(Prices::named("Anthropic"), None);
        assert_eq!(parts(Prices::named("none").unwrap().bill(5000, 5000, 6000, 0)), (0, 0, 6000));
    }
}
