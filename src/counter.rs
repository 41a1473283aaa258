//! The boundary of the exact counters: a wasm module of its own, small compared with a vocabulary. It contains only one
//! exact counter of the crate, and exports plain functions of numbers.
//!
//! Bytes are passed in a buffer: the host calls [`room`], writes to the returned address, and makes its call.

// The lint regards an exported name as unsafe; there is no unsafe block.
#![allow(unsafe_code)]

use std::cell::RefCell;

use crate::tokens::{Encoding, Exact, TokenCounter};

/// Capacity that is kept between calls.
const KEPT: usize = 1 << 20;

thread_local! {
    static BUFFER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static COUNTER: RefCell<Option<Exact>> = const { RefCell::new(None) };
}

/// Makes room for `bytes` bytes and returns their address, which is valid until the next call.
#[unsafe(no_mangle)]
extern "C" fn room(bytes: usize) -> *const u8 {
    BUFFER.with_borrow_mut(|buffer| {
        if buffer.len() < bytes {
            buffer.resize(bytes, 0);
        }
        buffer.as_ptr()
    })
}

/// Loads the first `length` bytes as the vocabulary of o200k (0) or cl100k (1). Returns 1, or 0 when they are not a
/// vocabulary.
#[unsafe(no_mangle)]
extern "C" fn load(encoding: u32, length: usize) -> u32 {
    let saved = BUFFER.take();
    let encoding = if encoding == 0 { Encoding::O200k } else { Encoding::Cl100k };
    let counter = saved.get(..length).and_then(|saved| Exact::new(encoding, saved));
    COUNTER.with_borrow_mut(|current| {
        *current = counter;
        u32::from(current.is_some())
    })
}

/// Returns the number of tokens in the first `length` bytes, read as UTF-8.
#[unsafe(no_mangle)]
extern "C" fn count(length: usize) -> u32 {
    let bytes = BUFFER.take();
    let count = with_text(&bytes, length, |counter, text| counter.count(text));
    if bytes.len() <= KEPT {
        BUFFER.set(bytes);
    }
    count as u32
}

/// Returns the number of tokens in the first `length` bytes, read as UTF-8. The lengths of the tokens, four bytes each,
/// are in the buffer until the next call.
#[unsafe(no_mangle)]
extern "C" fn split(length: usize) -> u32 {
    let lengths = with_text(&BUFFER.take(), length, Exact::token_lengths);
    let count = lengths.len();
    BUFFER.set(lengths.into_iter().flat_map(u32::to_le_bytes).collect());
    count as u32
}

fn with_text<T>(bytes: &[u8], length: usize, work: impl FnOnce(&Exact, &str) -> T) -> T {
    let text = std::str::from_utf8(&bytes[..length]).expect("the host writes UTF-8");
    COUNTER.with_borrow(|counter| work(counter.as_ref().expect("a vocabulary was loaded"), text))
}
