//! The state that is kept from one rendering to the next, from which strategies select.

use super::budget::Counts;
use super::definition_cache::DefinitionCache;
use super::fold::History;
use super::folds::Folds;

/// A history, and data that earlier renderings derived from it.
#[derive(Debug, Default)]
pub struct State {
    pub history: History,
    pub definitions: DefinitionCache,
    pub counts: Counts,
    pub folds: Folds,
    /// When the request with the messages is sent, in milliseconds since 1970.
    pub at: Option<f64>,
}

impl State {
    /// Discards everything that depends on the options.
    pub fn reset(&mut self) {
        self.history.reset();
        self.definitions = DefinitionCache::default();
        self.counts = Counts::default();
        self.folds = Folds::default();
    }
}
