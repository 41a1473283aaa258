//! The allocator. The standard library's allocator for this target is five times as large.
#![allow(unsafe_code)]

use core::alloc::Layout;
use core::arch::wasm32::{memory_grow, memory_size};
use core::ptr::NonNull;
use core::sync::atomic::{AtomicUsize, Ordering};

use talc::base::Talc;
use talc::base::binning::Binning;
use talc::cell::TalcSyncCell;
use talc::source::Source;
use talc::wasm::WasmBinning;

use crate::allocated::Counted;
use crate::blocks::Blocks;

type Heap = Counted<Blocks<TalcSyncCell<Growing, WasmBinning>>>;

const fn heap() -> Heap {
    Counted(Blocks::new(TalcSyncCell::new_wasm(Growing { end: None })))
}

#[cfg(not(feature = "faults"))]
#[global_allocator]
static ALLOCATOR: Heap = heap();

#[cfg(feature = "faults")]
#[global_allocator]
static ALLOCATOR: super::faults::Failing<Heap> = super::faults::Failing(heap(), refuse);

/// Bytes of a page of wasm memory.
const PAGE: usize = 1 << 16;

/// The least growth in pages: one megabyte.
const MIN_SIZE: usize = 16;

/// An upper bound of the bytes that the allocator needs around an allocation.
const AROUND: usize = 256;

/// The number of bytes by which the memory could not grow; zero as long as it could.
static REFUSED: AtomicUsize = AtomicUsize::new(0);

/// The number of bytes by which the memory could not grow, when that has happened and the instance has stopped.
pub(super) fn refused_growth() -> Option<usize> {
    Some(REFUSED.load(Ordering::Relaxed)).filter(|bytes| *bytes > 0)
}

/// Records that the memory could not grow by this number of bytes.
pub(super) fn refuse(bytes: usize) {
    REFUSED.store(bytes, Ordering::Relaxed);
}

/// The memory of the instance, which grows by a quarter at a time. Engines account for each growth and may collect garbage
/// for it: when it grows by as many pages as are needed, the first program over 100,000 maps takes at least 17 % longer.
#[derive(Debug)]
struct Growing {
    /// The end of the heap that grew last.
    end: Option<NonNull<u8>>,
}

// SAFETY: nothing in it allocates.
unsafe impl Source for Growing {
    fn acquire<B: Binning>(talc: &mut Talc<Self, B>, layout: Layout) -> Result<(), ()> {
        let needed = layout.size().checked_add(layout.align() + AROUND).ok_or(())?.div_ceil(PAGE);
        let wanted = needed.max(memory_size::<0>() / 4).max(MIN_SIZE);
        let mut pages = wanted;
        let mut before = memory_grow::<0>(pages);
        if before == usize::MAX {
            pages = needed;
            before = memory_grow::<0>(pages);
        }
        if before == usize::MAX {
            refuse(needed * PAGE);
            return Err(());
        }
        let base = (before * PAGE) as *mut u8;
        // SAFETY: these pages are new, so nothing else uses them; when they follow the heap, they extend it.
        talc.source.end = match talc.source.end.take() {
            Some(end) if end.as_ptr() == base => Some(unsafe { talc.extend(end, base.wrapping_add(pages * PAGE)) }),
            _ => Some(unsafe { talc.claim(base, pages * PAGE) }.ok_or(())?),
        };
        Ok(())
    }
}
