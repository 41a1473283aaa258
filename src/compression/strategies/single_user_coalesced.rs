//! All turns in one USER message: `[SYSTEM, USER]`.

use crate::compression::selection::{DynamicSections, Selection};
use crate::compression::view::View;

/// The fold of every turn.
pub fn select(view: View<'_>) -> Selection<'_> {
    let turns = view.history.len();
    DynamicSections::new(view.options, view.history, view.definitions, turns, view.memory).into()
}
