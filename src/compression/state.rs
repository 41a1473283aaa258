//! The state that is kept from one rendering to the next, from which strategies select.

use super::budget::TextCounts;
use super::definition_cache::DefinitionCache;
use super::fold::History;
use super::folds::Folds;

/// A history, and data that earlier renderings derived from it.
#[derive(Debug, Default)]
pub struct RenderState {
    pub history: History,
    pub definitions: DefinitionCache,
    pub counts: TextCounts,
    pub folds: Folds,
    /// When the request with the messages is sent, in milliseconds since 1970.
    pub at: Option<f64>,
}

impl RenderState {
    /// Discards everything that depends on the options.
    pub fn reset(&mut self, is_lossless: bool) {
        self.history.reset(is_lossless);
        self.definitions = DefinitionCache::default();
        self.counts = TextCounts::default();
        self.folds = Folds::default();
    }
}
