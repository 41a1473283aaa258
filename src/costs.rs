//! What requests cost where a provider bills the unchanged beginning of a request for less, and when it pays to change it.

mod prices;
mod rule;

pub use prices::{Bill, Matching, Prices, Tariff, Tier};
pub use rule::{Advice, Choice, Reason, RequestCost, advise};
