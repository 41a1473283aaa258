//! Keeps an LLM agent's conversation short without losing what it learned.
//!
//! A model works in turns: it writes a small program, the program runs, and what it defined,
//! called and printed is folded into one USER message for the next turn. Everything here is a
//! value moving right: `source → Form → … → Turn → Fold → Selection → Messages`.
//!
//! Modules in reading order:
//!
//! - [`value`]: what programs compute with, its text, its type labels, its JSON.
//! - [`lisp`]: the reader of Clojure text.
//! - [`sandbox`]: where a host runs programs.
//! - [`signature`]: the types of tools and programs; values checked against them and made to fit.
//! - [`turn`] and [`message`]: what happened, and what a model is sent.
//! - [`compression`]: strategies that render turns to messages.
//! - [`costs`]: what requests cost where a cache holds their beginnings, and when to fold.
//! - [`chat`]: histories of chats, compressed and limited on request.
//! - [`tokens`]: how many tokens a text is.
//! - [`subagent`]: the system prompt.
//! - [`predict`]: typed calls of a model.

#[cfg_attr(feature = "counter", allow(dead_code, reason = "the wasm of the exact counters runs no programs"))]
mod allocated;
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
pub mod sandbox;
pub mod signature;
pub mod subagent;
mod suggest;
pub mod tokens;
pub mod turn;
mod unicode;
pub mod value;
#[cfg(all(target_arch = "wasm32", not(feature = "counter")))]
#[cfg_attr(feature = "chat", allow(dead_code, reason = "the wasm of chats reads and writes less"))]
pub mod wasm;
#[cfg_attr(feature = "counter", allow(dead_code, reason = "the wasm of the exact counters runs no programs"))]
mod work;

/// The wasm has its own allocator behind the count.
#[cfg(not(target_arch = "wasm32"))]
#[global_allocator]
static ALLOCATOR: allocated::Counted<std::alloc::System> = allocated::Counted(std::alloc::System);
