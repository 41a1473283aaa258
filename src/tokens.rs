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
    /// The number of tokens of `text`; 0 for the empty text.
    fn count(&self, text: &str) -> usize;
}
