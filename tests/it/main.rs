//! The integration tests, in one binary.

#![cfg(not(target_arch = "wasm32"))]

mod case;
mod cases;
mod chat;
mod chat_properties;
mod conversation;
mod differential;
mod golden;
mod language;
mod layers;
mod limit_properties;
mod names;
mod oracle;
mod program_errors;
mod program_sizes;
mod programs;
mod properties;
mod runs;
mod settled_properties;
mod signatures;
mod suites;
mod suspension;
