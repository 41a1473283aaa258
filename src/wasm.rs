//! The boundary to JavaScript: the only place that knows `wasm_bindgen`.
//!
//! Bulk comes in as UTF-8 in a scratch buffer, which JavaScript fills with `encodeInto`; values
//! travel as JSON text, options as plain objects. Every error is a plain object
//! `{code, message, details, hint}`, which the package's TypeScript turns into its error class.

mod allocator;
mod chat;
mod error;
mod options;
mod predict;
mod renderer;
mod run;
mod sandbox;
mod scratch;
mod signature;

use wasm_bindgen::prelude::*;

use crate::lisp;
use crate::tokens::{Estimate, EstimateCl100k, TokenCounter};
use crate::turn::Turn;
use crate::value::{self, PrintOptions, Str, Value};

pub use chat::{ConversationHandle, PlanningHandle};
pub use error::Failure;
pub use predict::{check_program, program_outputs, program_request};
pub use renderer::RendererHandle;
pub use run::{RunHandle, signature_inputs, system_prompt};
pub use sandbox::SandboxHandle;
pub use scratch::scratch;
pub use signature::{fit_signature, read_signature, signature_schema, tool_arguments};

use scratch::incoming;

/// Runs once when the module is instantiated.
#[wasm_bindgen(start)]
fn start() {
    error::keep_panics();
}

/// The type label of the value in the scratch buffer (TYP-001…012).
#[wasm_bindgen(js_name = typeOf)]
pub fn type_of(length: usize) -> Result<String, Failure> {
    Ok(value::type_of(&incoming_value(length)?))
}

/// Clojure text of the value in the scratch buffer, as `[text, truncated]`.
#[wasm_bindgen(js_name = toClojure)]
pub fn to_clojure(
    length: usize,
    limit: Option<u32>,
    printable_limit: Option<u32>,
    filter_hidden: bool,
) -> Result<js_sys::Array, Failure> {
    let options = PrintOptions {
        limit: limit.map(|limit| limit as usize),
        printable_limit: printable_limit.map(|limit| limit as usize),
        filter_hidden,
    };
    let clojure = value::to_clojure(&incoming_value(length)?, &options);
    Ok(js_sys::Array::of2(&clojure.text.into(), &clojure.truncated.into()))
}

/// The value that the Clojure text in the scratch buffer is a literal of, as JSON.
#[wasm_bindgen(js_name = readClojure)]
pub fn read_clojure(length: usize) -> Result<String, Failure> {
    let source = incoming(length)?;
    match lisp::read_value(&source) {
        Ok(value) => Ok(value::to_json(&value)),
        Err(diagnostic) => Err(Failure::diagnostic(&diagnostic, &source)),
    }
}

/// All problems of a program: JSON of `{source, tools, data, memory}` in the scratch buffer, names
/// as arrays; an absent one is not known. JSON of diagnostics comes out.
#[wasm_bindgen]
pub fn check(length: usize) -> Result<String, Failure> {
    let (source, _, known) = sandbox::program(&incoming_value(length)?)?;
    let mut out = String::from("[");
    for problem in lisp::check(&source, &known) {
        out.push_str(if out.len() > 1 { "," } else { "" });
        sandbox::write_diagnostic(&problem, &source, &mut out);
    }
    out.push(']');
    Ok(out)
}

/// Names to go on with: as [`check`], with `offset` in UTF-16 units. `[[name, detail, doc], …]`
#[wasm_bindgen]
pub fn complete(length: usize) -> Result<String, Failure> {
    let (source, offset, known) = sandbox::program(&incoming_value(length)?)?;
    let found = lisp::complete(&source, offset, &known).into_iter().map(|found| {
        Value::vector([found.name.into(), found.detail.into(), found.doc.into()].map(|text: Str| Value::Str(text)))
    });
    Ok(value::to_json(&Value::vector(found)))
}

/// The estimated tokens of the text in the scratch buffer.
#[wasm_bindgen(js_name = estimateTokens)]
pub fn estimate_tokens(length: usize) -> Result<f64, Failure> {
    Ok(Estimate.count(&incoming(length)?) as f64)
}

/// The same by cl100k.
#[wasm_bindgen(js_name = estimateCl100kTokens)]
pub fn estimate_cl100k_tokens(length: usize) -> Result<f64, Failure> {
    Ok(EstimateCl100k.count(&incoming(length)?) as f64)
}

/// Refuses a strategy or an option that does not exist (API-006).
#[wasm_bindgen(js_name = normalizeCompression)]
pub fn normalize_compression(name: String, strategy_options: JsValue) -> Result<(), Failure> {
    options::strategy(&name, &strategy_options).map(|_| ())
}

/// The message of the panic that broke this instance, once.
#[wasm_bindgen(js_name = takePanic)]
pub fn take_panic() -> Option<String> {
    error::take_panic()
}

/// A turn on this side of the boundary.
#[wasm_bindgen]
#[derive(Debug)]
pub struct TurnHandle(Turn);

#[wasm_bindgen]
impl TurnHandle {
    /// The turn whose saved form is in the scratch buffer.
    #[wasm_bindgen(js_name = fromJson)]
    pub fn from_json(length: usize) -> Result<TurnHandle, Failure> {
        Ok(TurnHandle(Turn::from_json(&incoming(length)?)?))
    }

    /// The saved form.
    #[wasm_bindgen(js_name = toJson)]
    pub fn to_json(&self) -> String {
        self.0.to_json()
    }
}

fn incoming_value(length: usize) -> Result<Value, Failure> {
    Ok(value::from_json(&incoming(length)?)?)
}
