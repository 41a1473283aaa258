//! Token counts of lines, and a budget for their sum.

use crate::tokens::TokenCounter;
use crate::value::Names;

/// The budget of a rendering, and how much of it is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Tokens that are allowed.
    pub limit: usize,
    /// Tokens of the dynamic sections.
    pub used: usize,
}

impl Budget {
    /// True when the dynamic sections are within the budget.
    pub fn fits(&self) -> bool {
        self.used <= self.limit
    }
}

/// Counts of texts, kept from one rendering to the next. A text that only the host can count is recorded as missing; the
/// host supplies its count and renders again.
#[derive(Debug, Default)]
pub struct TextCounts {
    known: Names<usize>,
    /// The counts of the previous rendering. The next rendering discards those that this one does not use.
    earlier: Names<usize>,
    missing: Vec<String>,
}

impl TextCounts {
    /// Begins a rendering.
    pub fn begin(&mut self) {
        self.earlier = std::mem::take(&mut self.known);
        self.missing.clear();
    }

    /// The tokens of `text`, by `counter` or from the host. 0 while the host's count is missing.
    pub fn of(&mut self, text: String, counter: Option<&dyn TokenCounter>) -> usize {
        if let Some(count) = self.known.get(&text) {
            return *count;
        }
        let count = self.earlier.get(&text).copied().or_else(|| counter.map(|counter| counter.count(&text)));
        match count {
            Some(count) => {
                self.known.insert(text.into(), count);
                count
            }
            None => {
                if !self.missing.contains(&text) {
                    self.missing.push(text);
                }
                0
            }
        }
    }

    /// Texts that the host must count.
    pub fn missing(&self) -> &[String] {
        &self.missing
    }

    /// Stores the host's counts of [`TextCounts::missing`], in the same order.
    pub fn supply(&mut self, counts: impl IntoIterator<Item = usize>) {
        for (text, count) in std::mem::take(&mut self.missing).into_iter().zip(counts) {
            self.known.insert(text.into(), count);
        }
    }
}
