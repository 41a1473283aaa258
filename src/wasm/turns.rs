//! Exports for values and turns, and for rendering them.

pub(in crate::wasm) mod options;
mod renderer;

use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::*;

use crate::chat::NotedText;
use crate::turn::Turn;
use crate::value::{self, PrintOptions, Value};

use super::error::Failure;
use super::read::read;
use super::scratch::incoming;
use super::types::Count;
use super::write::to_object;

pub use renderer::RendererHandle;

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

/// The text in the scratch buffer with notes in place of the data of images and files.
#[wasm_bindgen(js_name = withoutData)]
pub fn without_data(length: usize) -> Result<String, Failure> {
    Ok(NotedText::of((&*incoming(length)?).into()).text.to_string())
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

/// The name of the strategy that a compression setting selects; undefined when it is off.
#[wasm_bindgen(js_name = normalizeCompression)]
pub fn normalize_compression(setting: &JsValue) -> Result<Option<String>, Failure> {
    Ok(options::strategy_name(setting)?.map(str::to_owned))
}

/// A turn.
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

pub(in crate::wasm) fn incoming_value(length: usize) -> Result<Value, Failure> {
    Ok(value::from_json(&incoming(length)?)?)
}
