//! What is kept from one rendering to the next, for strategies to select from.

use super::budget::Counts;
use super::definition_cache::DefinitionCache;
use super::fold::History;
use super::folds::Folds;

/// A history, and what earlier renderings derived from it.
#[derive(Debug, Default)]
pub struct State {
    pub history: History,
    pub definitions: DefinitionCache,
    pub counts: Counts,
    pub folds: Folds,
    /// When the request is sent that the messages are for, in milliseconds since 1970.
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
