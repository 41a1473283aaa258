//! Strategies that render turns to messages.
//!
//! Compression is a left fold over the turns (DESIGN 1): definitions, the newest prints and calls
//! and the last error. The messages are what a strategy writes of it. Nothing here changes a turn,
//! asks a model, or calls the host: same inputs, same bytes (ARC-004).

mod aggressive;
mod budget;
mod calls;
mod changing;
mod definitions;
mod dropped;
mod fold;
mod options;
mod page;
mod per_turn_summary;
mod prefix;
mod renderer;
mod rolling_window;
mod single_user_coalesced;
mod text;
mod uncompressed;
mod view;

pub use budget::Budget;
pub use dropped::{Dropped, DroppedKind, reason};
pub use options::{Counting, Limits, RenderOptions, Strategy, Tool};
pub use renderer::{MissingCounts, Rendered, Renderer, Stats, to_messages};
