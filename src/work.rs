//! Work that is done within one step of a program: elements that are compared and copied, digits that are multiplied. Values
//! know no program; they count here, and the meter of the program that runs takes the count behind each step.
//! [`alarm`] ends a step early.
//!
//! One unit is about the time of a call, some tens of nanoseconds.

use std::cell::Cell;

/// A number from which on something is large, so that it is done in pieces; in the tests of that, everything is.
pub(crate) const fn large(usual: usize) -> usize {
    if cfg!(feature = "pieces") { 1 } else { usual }
}

/// The units of a piece: what takes long pauses, or looks whether it has to, after so many.
pub(crate) const PIECE: u64 = large(10_000) as u64;

thread_local! {
    static DONE: Cell<u64> = const { Cell::new(0) };
}

/// Added to the count by [`alarm`]: no work counts as much.
const ALARM: u64 = 1 << 62;

/// Added to the count by [`refuse_key`].
const REFUSED: u64 = 1 << 61;

/// The most values in a key, in an element of a set, or in values that are put in order: they are hashed and compared within
/// a step.
pub(crate) const KEY: u64 = 10_000;

/// The most work that takes, with long texts in them.
pub(crate) const KEY_WORK: u64 = 100_000;

/// Elements that are copied in the time of one unit.
const COPIED: usize = 8;

/// Bytes that are compared, or hashed, in the time of one unit.
const COMPARED: usize = 32;

/// From so many bytes on, reading a text counts.
const LONG: usize = 256;

/// Pairs of values that are compared within a step.
const FEW: u64 = 64;

/// An index of so many keys is larger than the cache of a processor: a search in it waits for the memory several times.
const VAST: usize = 1 << 15;

/// The units of such a search.
const VAST_SEARCH: u64 = 4;

/// Pairs of limbs that are multiplied in the time of one unit.
const MULTIPLIED: u64 = 32;

/// Counts work.
pub(crate) fn charge(units: u64) {
    DONE.set(DONE.get().saturating_add(units));
}

/// Counts elements that are copied.
pub(crate) fn copied(elements: usize) {
    charge((elements / COPIED) as u64);
}

/// Counts bytes of a text that are compared or hashed.
#[inline(always)]
pub(crate) fn read(bytes: usize) {
    if bytes >= LONG {
        charge((bytes / COMPARED) as u64);
    }
}

/// Counts pairs of values that are compared, behind those that were counted before. The first few are part of the step.
pub(crate) fn compared(pairs: u64, before: u64) {
    charge(pairs.saturating_sub(before.max(FEW)));
}

/// Counts a search among so many keys. Among few ones it is part of the step.
#[inline(always)]
pub(crate) fn searched(keys: usize) {
    if keys >= VAST {
        charge(VAST_SEARCH);
    }
}

/// Counts limbs of integers that are multiplied with each other.
pub(crate) fn multiplied(left: usize, right: usize) {
    charge(left as u64 * right as u64 / MULTIPLIED);
}

/// The units since the last time that they were taken.
#[inline(always)]
pub(crate) fn done() -> u64 {
    DONE.get()
}

/// Takes the units since the last time, and the alarm.
pub(crate) fn take() -> u64 {
    DONE.replace(0) & (REFUSED - 1)
}

/// Makes the program that runs fail before its next step, because a key holds more than [`KEY`] values. What was being looked
/// for counts as not found.
#[cold]
pub(crate) fn refuse_key() {
    DONE.set(DONE.get() | ALARM | REFUSED);
}

/// Whether a key was refused since the units were taken.
#[inline(always)]
pub(crate) fn is_key_refused() -> bool {
    DONE.get() & REFUSED != 0
}

/// Makes the program that runs look at its limits before its next step.
pub(crate) fn alarm() {
    DONE.set(DONE.get() | ALARM);
}
