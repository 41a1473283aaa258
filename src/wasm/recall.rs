//! Exports that find what a request needs of earlier ones.

use wasm_bindgen::prelude::*;

use crate::chat::NotedText;

use super::error::Failure;
use super::scratch::incoming;

/// The text in the scratch buffer with notes in place of the data of images and files.
#[wasm_bindgen(js_name = withoutData)]
pub fn without_data(length: usize) -> Result<String, Failure> {
    Ok(NotedText::of((&*incoming(length)?).into()).text.to_string())
}
