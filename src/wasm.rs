//! The boundary to JavaScript: the only place that knows `wasm_bindgen`.
//!
//! There are two encodings. Options, requests and reports are plain objects, read by [`read`] and written by
//! [`write::to_object`] with the serde derives of structs. Values of the language, turns, messages and lists that grow
//! with a history are JSON text; much of it comes in as UTF-8 in a scratch buffer, which JavaScript fills with
//! `encodeInto`. Every error is an object `{code, message, details, hint}`, which the package's TypeScript turns into
//! its error class.

mod allocator;
mod chat;
mod error;
mod options;
mod predict;
mod prices;
mod read;
mod renderer;
mod run;
mod sandbox;
mod scratch;
mod signature;
mod types;
mod write;

use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::*;

use crate::lisp;
use crate::tokens::{Estimate, EstimateCl100k, TokenCounter};
use crate::turn::Turn;
use crate::value::{self, PrintOptions, Str, Value};

pub use chat::{ConversationHandle, PlanningHandle, check_parameters};
pub use error::Failure;
pub use predict::{check_program, program_outputs, program_request};
pub use prices::{bill_requests, check_prices};
pub use renderer::RendererHandle;
pub use run::{RunHandle, check_agent, system_prompt};
pub use sandbox::SandboxHandle;
pub use scratch::scratch;
pub use signature::{check_signature, coerce_signature, read_signature, signature_schema, tool_arguments};

use error::DiagnosticRecord;
use read::read;
use scratch::incoming;
use types::Count;
use write::to_object;

/// Runs once when the module is instantiated.
#[wasm_bindgen(start)]
fn start() {
    error::keep_panics();
}

/// The type label of the value in the scratch buffer.
#[wasm_bindgen(js_name = typeOf)]
pub fn type_of(length: usize) -> Result<String, Failure> {
    Ok(value::type_of(&incoming_value(length)?))
}

/// The paths, addresses, hashes and identifiers in the text in the scratch buffer, each once.
#[wasm_bindgen(js_name = namesIn)]
pub fn names_in(length: usize) -> Result<Vec<String>, Failure> {
    let text = incoming(length)?;
    Ok(crate::names::atoms_in(&text).into_iter().map(str::to_owned).collect())
}

/// The handle by which the result of the call with the id in the scratch buffer is recalled.
#[wasm_bindgen(js_name = recallHandle)]
pub fn recall_handle(length: usize) -> Result<String, Failure> {
    Ok(crate::chat::handle_of(&incoming(length)?))
}

/// How much of a value [`to_clojure`] writes.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ClojureOptions {
    limit: Option<Count<0>>,
    printable_limit: Option<Count<0>>,
    filter_hidden: Option<bool>,
}

#[derive(Serialize)]
struct ClojureRecord {
    text: String,
    truncated: bool,
}

/// Clojure text of the value in the scratch buffer, a [`ClojureRecord`].
#[wasm_bindgen(js_name = toClojure)]
pub fn to_clojure(length: usize, options: &JsValue) -> Result<JsValue, Failure> {
    let options: ClojureOptions = read(options, "")?;
    let options = PrintOptions {
        limit: options.limit.map(|Count(limit)| limit),
        printable_limit: options.printable_limit.map(|Count(limit)| limit),
        filter_hidden: options.filter_hidden.unwrap_or(false),
    };
    let clojure = value::to_clojure(&incoming_value(length)?, &options);
    Ok(to_object(&ClojureRecord { text: clojure.text, truncated: clojure.truncated }))
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

/// The names that a program may use beside those of the language; of an absent list nothing is known.
#[derive(Deserialize)]
struct KnownNames {
    tools: Option<Vec<String>>,
    data: Option<Vec<String>>,
    memory: Option<Vec<String>>,
}

impl From<KnownNames> for lisp::Known {
    fn from(KnownNames { tools, data, memory }: KnownNames) -> lisp::Known {
        let texts = |names: Option<Vec<String>>| names.map(|names| names.into_iter().map(Str::from).collect());
        lisp::Known { tools: texts(tools), data: texts(data), memory: texts(memory) }
    }
}

/// All problems of the program in the scratch buffer, a list of [`DiagnosticRecord`].
#[wasm_bindgen]
pub fn check(length: usize, names: &JsValue) -> Result<JsValue, Failure> {
    let known: KnownNames = read(names, "names")?;
    let source = incoming(length)?;
    let problems = lisp::check(&source, &known.into());
    let problems: Vec<_> = problems.iter().map(|problem| DiagnosticRecord::of(problem, &source)).collect();
    Ok(to_object(&problems))
}

/// A name to go on with.
#[derive(Serialize)]
struct CompletionRecord {
    name: String,
    detail: String,
    doc: String,
}

/// Names that begin with the text before `offset`, in UTF-16 units, of the program in the scratch buffer: a list of
/// [`CompletionRecord`].
#[wasm_bindgen]
pub fn complete(length: usize, offset: f64, names: &JsValue) -> Result<JsValue, Failure> {
    let known: KnownNames = read(names, "names")?;
    let source = incoming(length)?;
    let found = lisp::complete(&source, utf8_offset(&source, offset as usize), &known.into());
    let record = |lisp::Completion { name, detail, doc }| CompletionRecord { name, detail, doc };
    Ok(to_object(&found.into_iter().map(record).collect::<Vec<_>>()))
}

/// The byte of a text at an offset in UTF-16 units.
fn utf8_offset(text: &str, units: usize) -> usize {
    let mut seen = 0;
    let found = text.char_indices().find(|(_, character)| {
        let is_there = seen >= units;
        seen += character.len_utf16();
        is_there
    });
    found.map_or(text.len(), |(offset, _)| offset)
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

/// The name of the strategy that a compression setting selects; undefined when it is off.
#[wasm_bindgen(js_name = normalizeCompression)]
pub fn normalize_compression(setting: &JsValue) -> Result<Option<String>, Failure> {
    Ok(options::strategy_name(setting)?.map(str::to_owned))
}

/// The message of the panic that broke this instance, once.
#[wasm_bindgen(js_name = takePanic)]
pub fn take_panic() -> Option<String> {
    error::take_panic()
}

/// The bytes that the memory of this instance could not grow by, which stopped it.
#[wasm_bindgen(js_name = refusedGrowth)]
pub fn refused_growth() -> Option<f64> {
    allocator::refused_growth().map(|bytes| bytes as f64)
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

    /// The turn whose JSON the package's encoder wrote into the scratch buffer.
    #[wasm_bindgen(js_name = fromEncoded)]
    pub fn from_encoded(length: usize) -> Result<TurnHandle, Failure> {
        Ok(TurnHandle(Turn::from_encoded(&incoming(length)?)?))
    }

    /// The calls with their results or errors, as text.
    #[wasm_bindgen(js_name = callTexts)]
    pub fn call_texts(&self) -> Vec<String> {
        crate::compression::call_texts(&self.0)
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
