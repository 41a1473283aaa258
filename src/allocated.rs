//! Counts allocated bytes. The caller sets an allowance before it runs a program and reads the rest of the allowance
//! afterwards: so everything that the program holds is counted, whatever code allocated it.
#![allow(unsafe_code)]

use core::alloc::{GlobalAlloc, Layout};
use core::cell::Cell;

use crate::work;

/// The allowance when none is set: more than any program allocates.
const PLENTY: i64 = i64::MAX / 4;

thread_local! {
    /// Bytes that may still be allocated.
    static LEFT: Cell<i64> = const { Cell::new(PLENTY) };
}

/// An allocator that counts bytes. While more than the allowance is allocated, each allocation calls [`work::alarm`].
pub(crate) struct Counted<Inner>(pub Inner);

#[inline(always)]
fn count(bytes: i64) {
    let left = LEFT.get().wrapping_sub(bytes);
    LEFT.set(left);
    if left < 0 {
        work::alarm();
    }
}

// SAFETY: every call is forwarded to the inner allocator.
unsafe impl<Inner: GlobalAlloc> GlobalAlloc for Counted<Inner> {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as i64);
        unsafe { self.0.alloc(layout) }
    }

    #[inline]
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LEFT.set(LEFT.get().wrapping_add(layout.size() as i64));
        unsafe { self.0.dealloc(pointer, layout) }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as i64);
        unsafe { self.0.alloc_zeroed(layout) }
    }

    #[inline]
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size as i64 - layout.size() as i64);
        unsafe { self.0.realloc(pointer, layout, size) }
    }
}

/// Sets the allowance in bytes, which may be negative.
pub(crate) fn allow(bytes: i64) {
    LEFT.set(bytes.min(PLENTY));
}

/// Removes the allowance; returns the bytes that are left of it.
pub(crate) fn disallow() -> i64 {
    LEFT.replace(PLENTY)
}

/// Returns the bytes that are left of the allowance; negative when it is exceeded.
#[inline(always)]
pub(crate) fn left() -> i64 {
    LEFT.get()
}

/// Runs `make`; returns its result with the number of bytes that it allocated and did not free.
pub(crate) fn counted<T>(make: impl FnOnce() -> T) -> (T, i64) {
    let before = LEFT.get();
    let made = make();
    (made, before.wrapping_sub(LEFT.get()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_freed_is_allowed_again() {
        allow(1000);
        let (text, bytes) = counted(|| String::with_capacity(600));
        assert_eq!((bytes, left()), (600, 400));
        drop(text);
        assert_eq!(left(), 1000);
        work::take();
        let many: Vec<u8> = vec![0; 1001];
        assert!(work::done() > 0);
        assert_eq!(disallow(), -1);
        drop(many);
        assert_eq!(work::take(), 0);
    }
}
