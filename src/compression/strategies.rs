//! The strategies, which select what is shown of a history.

mod aggressive;
mod journal;
mod per_turn_summary;
mod rolling_window;
mod single_turn;
mod single_user_coalesced;
mod uncompressed;

use crate::turn::Memory;

use super::options::{RenderOptions, Strategy};
use super::selection::Selection;
use super::state::RenderState;

/// Returns the selection of the strategy in the options. `memory` is what the `user/` section shows; None means the
/// memory after the last turn.
pub fn select<'a>(options: &RenderOptions, state: &'a mut RenderState, memory: Option<Memory>) -> Selection<'a> {
    match options.applied_strategy() {
        None => uncompressed::select(options, state),
        Some(Strategy::SingleUserCoalesced) => single_user_coalesced::select(options, state, memory),
        Some(&Strategy::RollingWindow { keep }) => rolling_window::select(options, state, memory, keep),
        Some(Strategy::PerTurnSummary) => per_turn_summary::select(options, state),
        Some(&Strategy::Aggressive { budget, counting }) => {
            aggressive::select(options, state, memory, budget, counting)
        }
        Some(Strategy::Journal(journal)) => journal::select(options, state, memory, journal),
    }
}
