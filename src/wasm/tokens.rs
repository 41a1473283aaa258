//! Estimates of tokens.

use wasm_bindgen::prelude::*;

use crate::tokens::{Estimate, EstimateCl100k, TokenCounter};

use super::error::Failure;
use super::scratch::incoming;

/// The estimated tokens of the text in the scratch buffer.
#[wasm_bindgen(js_name = estimateTokens)]
pub fn estimate_tokens(length: usize) -> Result<f64, Failure> {
    Ok(Estimate.count(&incoming(length)?) as f64)
}

/// The estimated cl100k tokens of the text in the scratch buffer.
#[wasm_bindgen(js_name = estimateCl100kTokens)]
pub fn estimate_cl100k_tokens(length: usize) -> Result<f64, Failure> {
    Ok(EstimateCl100k.count(&incoming(length)?) as f64)
}
