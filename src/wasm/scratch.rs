//! The buffer in which texts are passed to Rust. Writing into it from JavaScript is many times faster than the
//! generated glue for `&str`.

use std::cell::RefCell;
use std::ops::Deref;

use wasm_bindgen::prelude::*;

use super::error::Failure;

/// Capacity that is kept between calls; the memory of a larger text is freed.
const KEPT: usize = 1 << 20;

thread_local! {
    static BUFFER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Makes room for `bytes` bytes and returns the address to write them to, which is valid until the next call of any
/// export.
#[wasm_bindgen]
pub fn scratch(bytes: usize) -> *const u8 {
    BUFFER.with_borrow_mut(|buffer| {
        if buffer.len() < bytes {
            buffer.resize(bytes, 0);
        }
        buffer.as_ptr()
    })
}

/// The text that was written last. When it is dropped, its memory becomes the buffer for the next text, unless it is
/// larger than [`KEPT`].
pub(super) struct Incoming(String);

/// Takes the text of `length` bytes that was written last.
pub(super) fn incoming(length: usize) -> Result<Incoming, Failure> {
    let mut bytes = BUFFER.take();
    let is_there = length <= bytes.len();
    bytes.truncate(length);
    match String::from_utf8(bytes) {
        Ok(text) if is_there => Ok(Incoming(text)),
        _ => Err(Failure::new("internal", "the text in the scratch buffer is not what its length says")),
    }
}

impl Deref for Incoming {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl Drop for Incoming {
    fn drop(&mut self) {
        if self.0.capacity() <= KEPT {
            BUFFER.with_borrow_mut(|buffer| *buffer = std::mem::take(&mut self.0).into_bytes());
        }
    }
}
