//! The boundary to JavaScript: the only place that knows `wasm_bindgen`.
//!
//! There are two encodings. Options, requests and reports are plain objects, read by [`read`] and written by
//! [`write::to_object`] with the serde derives of structs. Values of the language, turns, messages and lists that grow
//! with a history are JSON text; much of it comes in as UTF-8 in a scratch buffer, which JavaScript fills with
//! `encodeInto`. Every error is an object `{code, message, details, hint}`, which the package's TypeScript turns into
//! its error class.
//!
//! The wasm of `turnfold/chat` has neither [`turns`] nor [`programs`]: the linker then removes everything that only
//! they use.

mod allocator;
mod chat;
mod error;
mod prices;
#[cfg(not(feature = "chat"))]
mod programs;
mod read;
mod scratch;
mod signature;
mod tokens;
#[cfg(not(feature = "chat"))]
mod turns;
mod types;
mod write;

use wasm_bindgen::prelude::*;

pub use chat::{ConversationHandle, PlanningHandle, check_parameters, recall_handle};
pub use error::Failure;
pub use prices::{bill_requests, check_prices};
#[cfg(not(feature = "chat"))]
pub use programs::*;
pub use scratch::scratch;
pub use signature::{check_signature, coerce_signature, read_signature, signature_schema, tool_arguments};
pub use tokens::{estimate_cl100k_tokens, estimate_tokens};
#[cfg(not(feature = "chat"))]
pub use turns::*;

/// Runs once when the module is instantiated.
#[wasm_bindgen(start)]
fn start() {
    error::keep_panics();
}

/// Returns the message of the panic that broke this instance, once.
#[wasm_bindgen(js_name = takePanic)]
pub fn take_panic() -> Option<String> {
    error::take_panic()
}

/// The number of bytes by which the memory of this instance could not grow, which stopped the instance.
#[wasm_bindgen(js_name = refusedGrowth)]
pub fn refused_growth() -> Option<f64> {
    allocator::refused_growth().map(|bytes| bytes as f64)
}
