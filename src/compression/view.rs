//! What a strategy selects from.

use crate::turn::Memory;

use super::budget::Counts;
use super::definition_cache::DefinitionCache;
use super::fold::History;
use super::options::RenderOptions;

/// The history and the options, with what earlier renderings derived from them.
#[derive(Debug)]
pub struct View<'a> {
    pub options: &'a RenderOptions,
    pub history: &'a mut History,
    pub definitions: &'a mut DefinitionCache,
    pub counts: &'a mut Counts,
    /// The memory that the host gave; none: the last turn's.
    pub memory: Option<Memory>,
}
