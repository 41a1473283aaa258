//! Counts the tokens of texts, exactly or by an estimate.

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
    /// The name in reports: `estimate`, or the encoding that is counted exactly.
    fn name(&self) -> &str;

    /// Whether its numbers are exact.
    fn method(&self) -> Method;

    /// The number of tokens of `text`; 0 for the empty text.
    fn count(&self, text: &str) -> usize;
}

/// How tokens are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// With the vocabulary of the encoding.
    Exact,
    /// From the kind and length of the pieces of a text.
    Estimate,
}
