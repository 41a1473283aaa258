//! Limits of a program, and the meter that counts what it uses.

use super::fault::{EvalResult, error_with_hint};
use super::pattern::Patterns;
use crate::diagnostic::Diagnostic;
use crate::value::{MAX_NESTING, Value, garbage};
use crate::{allocated, work};

/// The limits of a program, which nothing that it does can raise.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Steps: calls, rounds of loops, and elements that builtins go over.
    pub fuel: u64,
    /// Bytes that it and the definitions before it hold at a time.
    pub heap_bytes: u64,
    /// Nested calls.
    pub depth: usize,
    /// Rounds of one `loop`, or of `recur` to a function.
    pub loop_iterations: u64,
    /// Elements of a collection, and characters of a string.
    pub collection_size: usize,
    /// Calls of `println`.
    pub prints: usize,
    /// Characters that one `println` keeps; `...` replaces the rest.
    pub print_length: usize,
    /// Calls of tools.
    pub tool_calls: usize,
    /// Steps between two pauses, in which the host checks its clock; at least one.
    pub slice: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            fuel: 20_000_000,
            heap_bytes: 64 << 20,
            depth: 10_000,
            loop_iterations: 10_000,
            collection_size: 1_000_000,
            prints: 1000,
            print_length: 2000,
            tool_calls: 1000,
            slice: 25_000,
        }
    }
}

/// What one program has used.
#[derive(Debug)]
pub struct Meter {
    /// Its limits.
    pub limits: Limits,
    /// Steps so far.
    pub fuel: u64,
    /// The step at which something is due: a pause or the end.
    pub due: u64,
    /// The time at which the program began, in milliseconds since 1970, as given by the host.
    pub now: i64,
    /// The compiled regular expressions that it uses.
    pub patterns: Patterns,
    /// What it has passed to tools and gives back at its end.
    pub outgoing: OutgoingBytes,
    /// Whether a key was too large.
    pub key_refused: bool,
    /// Two values that took long to compare, and whether they are equal.
    pub compared: Option<Box<(Value, Value, bool)>>,
}

/// The serialized bytes that have left a program.
#[derive(Debug, Default)]
pub struct OutgoingBytes(u64);

impl OutgoingBytes {
    /// Counts a value of so many bytes and levels of nesting. Fails when all that was counted takes more than `most_bytes`, or
    /// when the value is nested too deep.
    pub fn add(&mut self, (bytes, levels): (u64, usize), what: &str, most_bytes: u64) -> Result<(), Diagnostic> {
        if levels > MAX_NESTING {
            let message = format!("{what} is nested deeper than {MAX_NESTING} levels");
            let hint = "keep it flat: collect into one vector or map";
            return Err(Diagnostic::new("nesting_too_deep", message).with_hint(hint));
        }
        self.0 = self.0.saturating_add(bytes);
        if self.0 <= most_bytes {
            return Ok(());
        }
        let what = if bytes > most_bytes { what } else { "what the program passes to tools, defines and gives back" };
        let message = format!("{what} would take more than {most_bytes} bytes when it is written out");
        Err(Diagnostic::new("memory_exceeded", message).with_hint("give less: count, filter or aggregate first"))
    }
}

/// The bytes of one element of a collection.
const ELEMENT: u64 = size_of::<Value>() as u64;

impl Meter {
    /// The meter of a program that begins.
    pub fn new(limits: Limits, now: i64) -> Meter {
        let due = limits.slice.max(1).min(limits.fuel);
        Meter {
            fuel: 0,
            due,
            now,
            patterns: Patterns::default(),
            outgoing: OutgoingBytes::default(),
            key_refused: false,
            compared: None,
            limits,
        }
    }

    /// Counts a step; true when something is due, with the work that values have counted since it was taken.
    #[inline(always)]
    pub fn step(&mut self) -> bool {
        self.fuel += 1;
        self.spent() >= self.due
    }

    /// Steps so far, with the work that values have counted since it was taken; more than any limit after an alarm.
    #[inline(always)]
    pub fn spent(&self) -> u64 {
        self.fuel + work::done()
    }

    /// Whether a pause is due now. Fails when the fuel is used up, or the memory.
    #[cold]
    pub fn take_due(&mut self) -> EvalResult<bool> {
        self.visit(0)?;
        let pauses = self.fuel >= self.due;
        if pauses {
            self.due = self.fuel.saturating_add(self.limits.slice.max(1)).min(self.limits.fuel);
        }
        Ok(pauses)
    }

    /// Fails unless so many bytes may be allocated.
    #[inline]
    pub fn allocate(&self, bytes: u64) -> EvalResult<()> {
        if allocated::left() < bytes as i64 { self.bounds().heap_exceeded(bytes) } else { Ok(()) }
    }

    /// What tasks have to know of the limits.
    pub fn bounds(&self) -> Bounds {
        Bounds { collection_size: self.limits.collection_size, heap_bytes: self.limits.heap_bytes }
    }

    /// Counts elements that are visited or made.
    pub fn elements(&mut self, count: usize) -> EvalResult<()> {
        if count > self.limits.collection_size {
            return self.bounds().too_many(count);
        }
        self.fuel += count as u64;
        self.allocate(count as u64 * ELEMENT)
    }

    /// Counts elements that are copied unchanged from one vector to another. That is cheaper than any
    /// other work on them: `(rest coll)` in a loop may cost about as much as the round, not a hundred times
    /// as much.
    pub fn copies(&mut self, count: usize) -> EvalResult<()> {
        self.fuel += count as u64 / 16;
        self.allocate(count as u64 * ELEMENT)
    }

    /// Counts elements that are visited without making any, or other steps of a builtin. Fails at once
    /// when the fuel is used up: the work of such builtins is not bounded by the size of their arguments.
    pub fn visit(&mut self, count: usize) -> EvalResult<()> {
        self.take_work();
        self.fuel = self.fuel.saturating_add(count as u64);
        self.check_keys()?;
        self.allocate(0)?;
        self.afford(0)
    }

    /// Takes the work that values have counted.
    pub fn take_work(&mut self) {
        self.key_refused |= work::is_key_refused();
        self.fuel = self.fuel.saturating_add(work::take());
    }

    /// Fails when a key was too large.
    #[inline(always)]
    pub fn check_keys(&self) -> EvalResult<()> {
        if self.key_refused { too_large_key() } else { Ok(()) }
    }

    /// Fails when fewer than so many steps are left.
    pub fn afford(&self, steps: u64) -> EvalResult<()> {
        if self.fuel + steps >= self.limits.fuel {
            let message = format!("the program took more than {} steps", self.limits.fuel);
            return error_with_hint(
                "fuel_exceeded",
                message,
                "go over less data, or split the work over several turns",
            );
        }
        Ok(())
    }

    /// Counts a text of so many bytes that is made.
    pub fn text(&mut self, bytes: usize) -> EvalResult<()> {
        // A character is at most four bytes.
        if bytes > 4 * self.limits.collection_size {
            return self.bounds().too_long(bytes.div_ceil(4));
        }
        self.fuel += bytes as u64 / 16;
        self.allocate(bytes as u64)
    }
}

/// The error of a key that holds too many values.
#[cold]
pub fn too_large_key<T>() -> EvalResult<T> {
    let message = format!("a key, or a value that is looked for or put in order, holds more than {} values", work::KEY);
    error_with_hint(
        "collection_size_exceeded",
        message,
        "use a part of it that identifies it: `(first coll)`, `(:id m)`",
    )
}

/// The limits of what a program makes, for [tasks](super::task), which have no meter: the work that they count is taken
/// when they pause.
#[derive(Clone, Copy)]
pub struct Bounds {
    /// Elements of a collection, and characters of a string.
    pub collection_size: usize,
    heap_bytes: u64,
}

impl Bounds {
    /// Counts elements that are visited or made.
    pub fn elements(self, count: usize) -> EvalResult<()> {
        if count > self.collection_size {
            return self.too_many(count);
        }
        work::charge(count as u64);
        self.allocate(count as u64 * ELEMENT)
    }

    /// Counts a text of so many bytes that is made.
    pub fn text(self, bytes: usize) -> EvalResult<()> {
        // A character is at most four bytes.
        if bytes > 4 * self.collection_size {
            return self.too_long(bytes.div_ceil(4));
        }
        work::charge(bytes as u64 / 16);
        self.allocate(bytes as u64)
    }

    /// Fails unless so many bytes may be allocated.
    pub fn allocate(self, bytes: u64) -> EvalResult<()> {
        if allocated::left() < bytes as i64 { self.heap_exceeded(bytes) } else { Ok(()) }
    }

    #[cold]
    fn heap_exceeded(self, bytes: u64) -> EvalResult<()> {
        // What waits to be freed is not held.
        if garbage::free_now() && allocated::left() >= bytes as i64 {
            return Ok(());
        }
        let message = format!("the program takes more than {} bytes of memory", self.heap_bytes);
        error_with_hint("memory_exceeded", message, "keep less: filter and aggregate before collecting")
    }

    /// The error of a string with too many characters.
    #[cold]
    pub fn too_long<T>(self, characters: usize) -> EvalResult<T> {
        let message = format!("a string of {characters} characters is longer than {}", self.collection_size);
        error_with_hint("collection_size_exceeded", message, "work on a part of it, or keep the pieces in a vector")
    }

    #[cold]
    fn too_many<T>(self, count: usize) -> EvalResult<T> {
        let message = format!("a collection of {count} elements is larger than {}", self.collection_size);
        error_with_hint("collection_size_exceeded", message, "work on a part of it: `(take n coll)`")
    }
}
