//! Exports for turns, and for rendering them.

pub(in crate::wasm) mod options;
mod renderer;

use wasm_bindgen::prelude::*;

use crate::turn::Turn;
use crate::value::{Value, from_json};

use super::error::Failure;
use super::scratch::incoming;

pub use renderer::RendererHandle;

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
    Ok(from_json(&incoming(length)?)?)
}
