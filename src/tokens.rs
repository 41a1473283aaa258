//! How many tokens a text is, by whichever counter a host has.

mod estimate;
mod exact;
mod merge;
mod split;
mod vocabulary;
mod weights;

pub use estimate::{Estimate, EstimateCl100k};
pub use exact::{Encoding, Exact};

/// Counts the tokens of texts. Counting the same text twice gives the same number.
pub trait TokenCounter {
    /// What reports call it: `estimate`, or the encoding that it counts exactly.
    fn name(&self) -> &str;

    /// Whether its numbers are exact.
    fn method(&self) -> Method;

    /// How many tokens `text` is; none for the empty text.
    fn count(&self, text: &str) -> usize;
}

/// How a count was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// By the encoding itself.
    Exact,
    /// By what pieces of that kind and length usually are.
    Estimate,
}
