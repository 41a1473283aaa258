//! Allocations that fail, for tests: JavaScript decides about each one, as if the memory could not grow for it.
#![allow(unsafe_code)]

use core::alloc::{GlobalAlloc, Layout};
use core::ptr::null_mut;

use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// A global function of the tests. It must not call the wasm.
    #[wasm_bindgen(js_name = turnfoldAllocationFails)]
    fn allocation_fails(bytes: u32) -> bool;
}

/// An allocator whose allocations fail when JavaScript says so, which the function records.
pub(super) struct Failing<Inner>(pub Inner, pub fn(usize));

impl<Inner> Failing<Inner> {
    fn fails(&self, bytes: usize) -> bool {
        let fails = allocation_fails(bytes as u32);
        if fails {
            (self.1)(bytes);
        }
        fails
    }
}

// SAFETY: every call is forwarded to the inner allocator, or fails without effect.
unsafe impl<Inner: GlobalAlloc> GlobalAlloc for Failing<Inner> {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if self.fails(layout.size()) { null_mut() } else { unsafe { self.0.alloc(layout) } }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { self.0.dealloc(pointer, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if self.fails(layout.size()) { null_mut() } else { unsafe { self.0.alloc_zeroed(layout) } }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if size > layout.size() && self.fails(size) {
            null_mut()
        } else {
            unsafe { self.0.realloc(pointer, layout, size) }
        }
    }
}
