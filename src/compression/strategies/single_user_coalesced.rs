//! All turns in one USER message: `[SYSTEM, USER]`.

use crate::compression::options::RenderOptions;
use crate::compression::selection::{DynamicSections, Selection};
use crate::compression::state::RenderState;
use crate::turn::Memory;

/// The fold of every turn.
pub fn select<'a>(options: &RenderOptions, state: &'a mut RenderState, memory: Option<Memory>) -> Selection<'a> {
    let turns = state.history.len();
    DynamicSections::new(options, &mut state.history, &mut state.definitions, turns, memory).into()
}
