//! Counts the work within one step of a program: elements that are compared and copied, digits that are multiplied. The
//! code of values has no access to the running program; it adds to a count here, and the program's meter takes the
//! count after each step. [`alarm`] makes the program check its limits before its next step.
//!
//! One unit is about the time of a call, some tens of nanoseconds.

use std::cell::Cell;

/// Work that pauses does so after this many units.
pub(crate) const PIECE: u64 = 10_000;

thread_local! {
    static DONE: Cell<u64> = const { Cell::new(0) };
    static PROGRAM: Cell<u32> = const { Cell::new(0) };
}

/// Set in the count by [`alarm`]; larger than the count of any work.
const ALARM: u64 = 1 << 62;

/// Set in the count by [`refuse_key`].
const REFUSED: u64 = 1 << 61;

/// Set in the count by [`refuse_order`].
const UNORDERED: u64 = 1 << 60;

/// The most values in a key, in an element of a set, or in a value that is sorted: these are hashed and compared within
/// one step.
pub(crate) const KEY: u64 = 10_000;

/// The most units that hashing or comparing such a value takes, with long texts in it.
pub(crate) const KEY_WORK: u64 = 100_000;

/// Elements that are copied in the time of one unit.
const COPIED: usize = 8;

/// Bytes that are compared, or hashed, in the time of one unit.
const COMPARED: usize = 32;

/// Reading a text counts as work from this many bytes on.
const LONG: usize = 256;

/// Comparing this many pairs of values is part of a step and not counted.
const FEW: u64 = 64;

/// An index with this many keys is larger than a processor's cache: a search in it waits for memory several times.
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

/// Counts compared pairs of values; `before` of them are counted already. The first few are part of the step.
pub(crate) fn compared(pairs: u64, before: u64) {
    charge(pairs.saturating_sub(before.max(FEW)));
}

/// Counts a search among this many keys. A search among few keys is part of the step.
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

/// Returns the units since the last [`take`].
#[inline(always)]
pub(crate) fn done() -> u64 {
    DONE.get()
}

/// Returns the units since the last call and resets the count and the alarm.
pub(crate) fn take() -> u64 {
    DONE.replace(0) & (UNORDERED - 1)
}

/// Makes the running program fail before its next step, because a key holds more than [`KEY`] values. The search for
/// that key finds nothing.
#[cold]
pub(crate) fn refuse_key() {
    DONE.set(DONE.get() | ALARM | REFUSED);
}

/// Returns whether a key was refused since the last [`take`].
#[inline(always)]
pub(crate) fn is_key_refused() -> bool {
    DONE.get() & REFUSED != 0
}

/// Makes the running program fail before its next step, because a sorted map or set can't put a key in order.
#[cold]
pub(crate) fn refuse_order() {
    DONE.set(DONE.get() | ALARM | UNORDERED);
}

/// Returns whether an order was refused since the last [`take`].
#[inline(always)]
pub(crate) fn is_order_refused() -> bool {
    DONE.get() & UNORDERED != 0
}

/// Returns the number of the running program; 0 when none is running.
pub(crate) fn program() -> u32 {
    PROGRAM.get()
}

/// Sets the number of the running program.
pub(crate) fn set_program(number: u32) {
    PROGRAM.set(number);
}

/// Makes the running program check its limits before its next step.
pub(crate) fn alarm() {
    DONE.set(DONE.get() | ALARM);
}
