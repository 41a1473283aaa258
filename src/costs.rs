//! The cost of requests when a provider charges less for their unchanged beginning, and the rule for when changing it
//! pays.

mod prices;
mod rule;

pub use prices::{Bill, Matching, Prices, Tariff, Tier};
pub use rule::{Advice, Choice, Reason, RequestCost, Spent, advise};
