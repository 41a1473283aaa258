//! The other boundary: a wasm module of its own, small enough to stand beside a vocabulary. It has
//! nothing of the crate but one exact counter, and exports plain functions of numbers.
//!
//! Bytes come in through a buffer: the host asks for [`room`], writes there, and makes its call.

// An exported name is what the lint takes for unsafe; there is no unsafe block.
#![allow(unsafe_code)]

use std::cell::RefCell;

use crate::tokens::{Encoding, Exact, TokenCounter};

/// Capacity that is kept between calls.
const KEPT: usize = 1 << 20;

thread_local! {
    static BUFFER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static COUNTER: RefCell<Option<Exact>> = const { RefCell::new(None) };
}

/// Makes room for `bytes` bytes and says where. The place holds until the next call.
#[unsafe(no_mangle)]
extern "C" fn room(bytes: usize) -> *const u8 {
    BUFFER.with_borrow_mut(|buffer| {
        if buffer.len() < bytes {
            buffer.resize(bytes, 0);
        }
        buffer.as_ptr()
    })
}

/// Takes the first `length` bytes for the vocabulary of o200k (0) or cl100k (1); 0 when they are none.
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

/// How many tokens the first `length` bytes are as UTF-8.
#[unsafe(no_mangle)]
extern "C" fn count(length: usize) -> u32 {
    let bytes = BUFFER.take();
    let count = with_text(&bytes, length, |counter, text| counter.count(text));
    if bytes.len() <= KEPT {
        BUFFER.set(bytes);
    }
    count as u32
}

/// How many tokens the first `length` bytes are as UTF-8. Their lengths, four bytes each, are in the room until the next call.
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
