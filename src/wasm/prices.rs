//! Prices of tokens, as JavaScript passes them.

use serde::de::{Deserializer, Error, Unexpected, Visitor};
use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::*;

use crate::costs::{self, Tariff};

use super::error::Failure;
use super::read::read;
use super::types::{Amount, Count, Price};
use super::write::to_object;

/// Prices that replace those of the mechanism or the default.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Prices {
    mechanism: Option<Mechanism>,
    input: Option<Price>,
    cache_read: Option<Price>,
    cache_write: Option<Price>,
    output: Option<Price>,
    /// Seconds.
    lifetime: Option<Amount>,
    minimum: Option<Count<0>>,
    granularity: Option<Granularity>,
    tiers: Option<Vec<Tier>>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
enum Mechanism {
    #[serde(rename = "anthropic")]
    Anthropic,
    #[serde(rename = "anthropic-1h")]
    AnthropicHour,
    #[serde(rename = "openai")]
    OpenAi,
    #[serde(rename = "gemini")]
    Gemini,
    #[serde(rename = "deepseek")]
    DeepSeek,
    #[serde(rename = "none")]
    None,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Tier {
    above: Count<0>,
    input: Option<Price>,
    cache_read: Option<Price>,
    cache_write: Option<Price>,
    output: Option<Price>,
}

/// Tokens of a step, or `"breakpoints"`.
#[derive(Clone, Copy, Debug)]
struct Granularity(costs::Matching);

impl<'de> Deserialize<'de> for Granularity {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Given;

        impl Visitor<'_> for Given {
            type Value = Granularity;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a whole number of tokens from 1 up, or \"breakpoints\"")
            }

            fn visit_f64<E: Error>(self, number: f64) -> Result<Granularity, E> {
                match number.fract() == 0.0 && number >= 1.0 && number <= f64::from(u32::MAX) {
                    true => Ok(Granularity(costs::Matching::Steps(number as usize))),
                    false => Err(E::invalid_value(Unexpected::Float(number), &self)),
                }
            }

            fn visit_str<E: Error>(self, name: &str) -> Result<Granularity, E> {
                match name {
                    "breakpoints" => Ok(Granularity(costs::Matching::Breakpoints)),
                    _ => Err(E::invalid_value(Unexpected::Str(name), &self)),
                }
            }
        }

        deserializer.deserialize_any(Given)
    }
}

impl Prices {
    pub fn resolve(self) -> costs::Prices {
        let name = match self.mechanism {
            None => None,
            Some(Mechanism::Anthropic) => Some("anthropic"),
            Some(Mechanism::AnthropicHour) => Some("anthropic-1h"),
            Some(Mechanism::OpenAi) => Some("openai"),
            Some(Mechanism::Gemini) => Some("gemini"),
            Some(Mechanism::DeepSeek) => Some("deepseek"),
            Some(Mechanism::None) => Some("none"),
        };
        let base = name.and_then(costs::Prices::named).unwrap_or_default();
        let tariff = tariff(base.tariff, self.input, self.cache_read, self.cache_write, self.output);
        let mut tiers: Vec<costs::Tier> = Vec::new();
        for tier in self.tiers.unwrap_or_default() {
            let Count(above) = tier.above;
            let tariff = self::tariff(tariff, tier.input, tier.cache_read, tier.cache_write, tier.output);
            let position = tiers.iter().take_while(|smaller| smaller.above <= above).count();
            tiers.insert(position, costs::Tier { above, tariff });
        }
        costs::Prices {
            tariff,
            lifetime: match self.lifetime {
                None => base.lifetime,
                Some(Amount(seconds)) => Some(1000.0 * seconds as f64),
            },
            minimum: self.minimum.map_or(base.minimum, |Count(minimum)| minimum),
            matching: self.granularity.map_or(base.matching, |Granularity(matching)| matching),
            tiers,
        }
    }
}

/// The prices of a token. A price that is not given keeps its proportion to the price of input.
fn tariff(
    base: Tariff,
    input: Option<Price>,
    cache_read: Option<Price>,
    cache_write: Option<Price>,
    output: Option<Price>,
) -> Tariff {
    let of = |given: Option<Price>| given.map(|Price(price)| price);
    let input = of(input).unwrap_or(base.input);
    let scale = if base.input > 0.0 { input / base.input } else { 1.0 };
    Tariff {
        input,
        cache_read: of(cache_read).unwrap_or(scale * base.cache_read),
        cache_write: of(cache_write).unwrap_or(scale * base.cache_write),
        output: of(output).unwrap_or(scale * base.output),
    }
}

/// How a provider's cache behaves.
#[derive(Serialize)]
struct CacheRecord {
    /// Milliseconds; null when no lifetime is known.
    lifetime: Option<f64>,
    /// True when it compares at marked places only.
    breakpoints: bool,
}

/// Checks prices, and returns a [`CacheRecord`].
#[wasm_bindgen(js_name = checkPrices)]
pub fn check_prices(prices: &JsValue) -> Result<JsValue, Failure> {
    let prices = read::<Prices>(prices, "prices")?.resolve();
    let breakpoints = prices.matching == costs::Matching::Breakpoints;
    Ok(to_object(&CacheRecord { lifetime: prices.lifetime, breakpoints }))
}

/// The tokens of a request.
#[derive(Deserialize)]
struct RequestTokens {
    /// Tokens at its beginning that are in the cache.
    known: Count<0>,
    /// Tokens at its beginning that it marks to be cached.
    marked: Count<0>,
    input: Count<0>,
    output: Count<0>,
}

#[derive(Serialize)]
struct BillRecord {
    read: usize,
    written: usize,
    fresh: usize,
    output: usize,
    cost: f64,
}

/// A list of [`BillRecord`] for a list of [`RequestTokens`].
#[wasm_bindgen(js_name = billRequests)]
pub fn bill_requests(prices: &JsValue, requests: &JsValue) -> Result<JsValue, Failure> {
    let prices = read::<Prices>(prices, "prices")?.resolve();
    let mut bills = Vec::new();
    for request in read::<Vec<RequestTokens>>(requests, "requests")? {
        let RequestTokens { known: Count(known), marked: Count(marked), input: Count(input), output: Count(output) } =
            request;
        let costs::Bill { read, written, fresh, output, cost } = prices.bill(known, marked, input, output);
        bills.push(BillRecord { read, written, fresh, output, cost });
    }
    Ok(to_object(&bills))
}

/// The input in tokens, the rest in the unit of the prices.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RequestCostRecord {
    read: usize,
    written: usize,
    fresh: usize,
    cost: f64,
    uncompressed_cost: f64,
    debt: f64,
    price: f64,
    reason: &'static str,
}

impl From<&costs::RequestCost> for RequestCostRecord {
    fn from(cost: &costs::RequestCost) -> RequestCostRecord {
        let costs::RequestCost { bill, uncompressed, advice } = cost;
        RequestCostRecord {
            read: bill.read,
            written: bill.written,
            fresh: bill.fresh,
            cost: bill.cost,
            uncompressed_cost: *uncompressed,
            debt: advice.debt,
            price: advice.price,
            reason: advice.reason.name(),
        }
    }
}
