//! Keeps an LLM agent's conversation short without losing what it learned.
//!
//! A model works in turns: it writes a small program, the program runs, and what it defined,
//! called and printed is folded into one USER message for the next turn. Each arrow is a function
//! from one value to the next: `source → Form → … → Turn → Fold → Selection → Messages`.
//!
//! Modules in reading order:
//!
//! - [`value`]: the values of programs, with their text, their type labels and their JSON.
//! - [`lisp`]: the language: reader, compiler, virtual machine and builtins.
//! - [`signature`]: the types of tools and programs; values are checked against them and coerced to them.
//! - [`turn`] and [`message`]: the record of a turn, and the messages that a model receives.
//! - [`compression`]: strategies that render turns to messages.
//! - [`costs`]: the price of requests when a cache holds their prefix, and when folding pays off.
//! - [`chat`]: chat histories, compressed and limited on request.
//! - [`tokens`]: counts the tokens of a text.
//! - [`subagent`]: agents that work in turns: the system prompt, the program in a reply, the loop.
//! - [`predict`]: typed calls to a model.

#[cfg_attr(feature = "counter", allow(dead_code, reason = "the wasm of the exact counters runs no programs"))]
mod allocated;
pub mod arrival;
#[cfg(any(all(target_arch = "wasm32", not(feature = "counter")), test))]
mod blocks;
pub mod chat;
pub mod compression;
pub mod costs;
#[cfg(all(target_arch = "wasm32", feature = "counter"))]
mod counter;
pub mod diagnostic;
pub mod lisp;
pub mod message;
pub mod names;
pub mod predict;
mod reply;
pub mod signature;
pub mod subagent;
mod suggest;
mod text;
pub mod tokens;
pub mod turn;
mod unicode;
pub mod value;
#[cfg(all(target_arch = "wasm32", not(feature = "counter")))]
#[cfg_attr(
    any(feature = "turns", feature = "chat", feature = "predict"),
    allow(dead_code, reason = "a part reads and writes less")
)]
pub mod wasm;
#[cfg_attr(feature = "counter", allow(dead_code, reason = "the wasm of the exact counters runs no programs"))]
mod work;

/// The wasm build wraps another allocator in [`allocated::Counted`], in `wasm/allocator.rs`.
#[cfg(not(target_arch = "wasm32"))]
#[global_allocator]
static ALLOCATOR: allocated::Counted<std::alloc::System> = allocated::Counted(std::alloc::System);
