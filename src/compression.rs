//! Strategies that render turns to messages.
//!
//! A left fold over the turns collects definitions, the newest prints and calls, and the last error. A strategy selects
//! what is shown of the fold and of single turns; the writer makes messages, statistics and the list of omitted items
//! from that selection. Rendering never changes a turn, asks a model, or calls the host: the same inputs give the same
//! bytes.

mod budget;
mod calls;
mod catalogue;
mod definition_cache;
mod definitions;
mod fold;
mod folds;
mod items;
mod message_builder;
mod options;
mod prefix;
mod prints;
mod renderer;
mod selection;
mod shapes;
mod state;
mod strategies;
mod text;
mod turn_text;
mod writer;

pub use budget::Budget;
pub use calls::call_texts;
pub use items::reason;
pub use options::{Counting, Journal, Limits, RenderOptions, Strategy};
pub use renderer::{Breakpoint, MissingCounts, Rendered, Renderer};
pub use writer::{Dropped, DroppedKind, Stats};
