//! The strategies: what each shows of a history.

mod aggressive;
mod per_turn_summary;
mod rolling_window;
mod single_turn;
mod single_user_coalesced;
mod uncompressed;

use super::options::Strategy;
use super::selection::Selection;
use super::view::View;

/// What the strategy of the options selects.
pub fn select(view: View<'_>) -> Selection<'_> {
    match view.options.applied_strategy() {
        None => uncompressed::select(view),
        Some(Strategy::SingleUserCoalesced) => single_user_coalesced::select(view),
        Some(&Strategy::RollingWindow { keep }) => rolling_window::select(view, keep),
        Some(Strategy::PerTurnSummary) => per_turn_summary::select(view),
        Some(&Strategy::Aggressive { budget, counting }) => aggressive::select(view, budget, counting),
    }
}
