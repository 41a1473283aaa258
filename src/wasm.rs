//! The boundary to JavaScript: the only place that knows `wasm_bindgen`.
//!
//! There are two encodings. Options, requests and reports are plain objects, read by [`read`] and written by
//! [`write::to_object`] with the serde derives of structs. Values of the language, turns, messages and lists that grow
//! with a history are JSON text; much of it comes in as UTF-8 in a scratch buffer, which JavaScript fills with
//! `encodeInto`. Every error is an object `{code, message, details, hint}`, which the package's TypeScript turns into
//! its error class.
//!
//! The features `turns`, `chat` and `predict` select a wasm with a part of the exports: `turns` has [`turns`] alone,
//! `chat` the exports for chats, signatures and recall, `predict` those for signatures and typed calls. Without a
//! feature, the wasm has all of them and [`language`].
//! The linker then removes everything that the missing exports alone use.

mod allocator;
#[cfg(not(any(feature = "turns", feature = "predict")))]
mod chat;
mod error;
#[cfg(feature = "faults")]
mod faults;
#[cfg(not(any(feature = "turns", feature = "chat", feature = "predict")))]
mod language;
#[cfg(not(any(feature = "turns", feature = "chat")))]
mod predict;
mod prices;
mod read;
#[cfg(not(any(feature = "turns", feature = "predict")))]
mod recall;
mod scratch;
#[cfg(not(feature = "turns"))]
mod signature;
mod tokens;
#[cfg(not(any(feature = "chat", feature = "predict")))]
mod turns;
mod types;
mod write;

use wasm_bindgen::prelude::*;

#[cfg(not(any(feature = "turns", feature = "predict")))]
pub use chat::{ConversationHandle, PlanningHandle, check_parameters, recall_handle};
pub use error::Failure;
#[cfg(not(any(feature = "turns", feature = "chat", feature = "predict")))]
pub use language::*;
#[cfg(not(any(feature = "turns", feature = "chat")))]
pub use predict::{check_program, program_outputs, program_request};
pub use prices::{bill_requests, check_prices};
#[cfg(not(any(feature = "turns", feature = "predict")))]
pub use recall::without_data;
pub use scratch::scratch;
#[cfg(not(feature = "turns"))]
pub use signature::{check_signature, coerce_signature, read_signature, signature_schema, tool_arguments};
pub use tokens::{estimate_cl100k_tokens, estimate_tokens};
#[cfg(not(any(feature = "chat", feature = "predict")))]
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
