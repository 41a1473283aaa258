//! The integration tests, in one binary.

#![cfg(not(target_arch = "wasm32"))]

mod chat;
mod chat_properties;
mod chats;
mod conversation;
mod conversations;
mod golden;
mod language;
mod layers;
mod manual;
mod oracle;
mod programs;
mod properties;
mod runs;
mod signatures;
mod suspension;
