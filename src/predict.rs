//! Typed calls of a model.
//!
//! A [`Program`] renders inputs and the turns of a history as a [`ModelRequest`], reads outputs from the reply, and writes
//! the message that asks again when the reply is invalid. It asks no model itself.

mod adapter;
mod notation;
mod program;
mod prompt;
mod reply;
mod turns;

pub use adapter::Adapter;
pub use program::{ModelRequest, Program, ProgramError, RequestError};
pub use turns::BadTurn;
