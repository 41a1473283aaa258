//! What a program may use, and what it has used.

use super::fault::{Outcome, error_with_hint};
use super::pattern::Patterns;
use crate::value::Value;

/// What a program may use (DESIGN 4). Nothing that a program does can raise a limit.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Steps: calls, rounds of loops, and elements that builtins go over.
    pub fuel: u64,
    /// Bytes that its values may take at a time.
    pub heap_bytes: u64,
    /// Calls inside calls.
    pub depth: usize,
    /// Rounds of one `loop`, or of `recur` to a function.
    pub loop_iterations: u64,
    /// Elements of a collection, and characters of a string.
    pub collection_size: usize,
    /// Calls of `println`.
    pub prints: usize,
    /// Characters of what one `println` keeps; the rest is cut with `...`.
    pub print_length: usize,
    /// Calls of tools.
    pub tool_calls: usize,
    /// Steps between two pauses, in which the host looks at its clock; at least one.
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
            slice: 100_000,
        }
    }
}

/// What one program uses.
#[derive(Debug)]
pub struct Meter {
    /// What it may use.
    pub limits: Limits,
    /// Steps so far.
    pub fuel: u64,
    /// The step at which something is due: a pause, counting the heap, or the end.
    pub due: u64,
    pause_at: u64,
    /// Bytes made since the heap was counted, on top of what it held then.
    allocated: u64,
    count_at: u64,
    /// Milliseconds since 1970, as the host said when the program began.
    pub now: i64,
    /// The regular expressions that it uses, compiled.
    pub patterns: Patterns,
}

/// What is due.
pub enum Due {
    /// Nothing.
    Nothing,
    /// The host looks at its clock.
    Pause,
    /// The heap is to be counted.
    Count,
}

/// What one element of a collection takes.
const ELEMENT: u64 = size_of::<Value>() as u64;

impl Meter {
    /// Nothing used.
    pub fn new(limits: Limits, now: i64) -> Meter {
        let patterns = Patterns::default();
        let pause_at = limits.slice.max(1);
        let mut meter = Meter { fuel: 0, due: 0, pause_at, allocated: 0, count_at: 0, now, patterns, limits };
        meter.counted(0);
        meter
    }

    /// One step: true when something is due.
    #[inline(always)]
    pub fn step(&mut self) -> bool {
        self.fuel += 1;
        self.fuel >= self.due
    }

    /// What is due now. Fuel that is used up is an error.
    #[cold]
    pub fn take_due(&mut self) -> Outcome<Due> {
        self.afford(0)?;
        let due = match (self.allocated >= self.count_at, self.fuel >= self.pause_at) {
            (true, _) => Due::Count,
            (_, true) => Due::Pause,
            _ => Due::Nothing,
        };
        if let Due::Pause = due {
            self.pause_at = self.fuel.saturating_add(self.limits.slice.max(1));
        }
        self.due = self.pause_at.min(self.limits.fuel);
        Ok(due)
    }

    /// Tells how many bytes the values of the program take.
    pub fn counted(&mut self, bytes: u64) {
        self.allocated = bytes;
        self.count_at = bytes + (self.limits.heap_bytes.saturating_sub(bytes) / 2).max(self.limits.heap_bytes / 16);
        self.due = self.pause_at.min(self.limits.fuel);
    }

    /// The error of a heap that is too large.
    pub fn heap_exceeded<T>(&self) -> Outcome<T> {
        let message = format!("the program's values take more than {} bytes", self.limits.heap_bytes);
        error_with_hint("memory_exceeded", message, "keep less: filter and aggregate before collecting")
    }

    /// Counts bytes that are made.
    pub fn allocate(&mut self, bytes: u64) -> Outcome<()> {
        self.allocated += bytes;
        if self.allocated >= self.count_at {
            self.due = 0;
            if bytes > self.limits.heap_bytes {
                return self.heap_exceeded();
            }
        }
        Ok(())
    }

    /// Counts the elements that a builtin goes over or makes.
    pub fn elements(&mut self, count: usize) -> Outcome<()> {
        if count > self.limits.collection_size {
            return self.too_many(count);
        }
        self.fuel += count as u64;
        self.allocate(count as u64 * ELEMENT)
    }

    /// Counts elements of a vector that stay as they are in another one, which takes less time than
    /// anything else: `(rest coll)` in a loop may cost a step of the loop, not a hundred.
    pub fn copies(&mut self, count: usize) -> Outcome<()> {
        self.fuel += count as u64 / 16;
        self.allocate(count as u64 * ELEMENT)
    }

    /// Counts elements that a builtin goes over without making any, or other steps of its work.
    /// Fuel that is used up is an error at once, for builtins whose work is not bounded by the size
    /// of what they are given.
    pub fn visit(&mut self, count: usize) -> Outcome<()> {
        self.fuel += count as u64;
        self.afford(0)
    }

    /// Ends the program when it has no such number of steps left.
    pub fn afford(&self, steps: u64) -> Outcome<()> {
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

    /// Counts a text that is made.
    pub fn text(&mut self, bytes: usize) -> Outcome<()> {
        // A character takes four bytes at most.
        if bytes > 4 * self.limits.collection_size {
            return self.too_long(bytes.div_ceil(4));
        }
        self.fuel += bytes as u64 / 16;
        self.allocate(bytes as u64)
    }

    /// The error of a string with too many characters.
    #[cold]
    pub fn too_long<T>(&self, characters: usize) -> Outcome<T> {
        let message = format!("a string of {characters} characters is longer than {}", self.limits.collection_size);
        error_with_hint("collection_size_exceeded", message, "work on a part of it, or keep the pieces in a vector")
    }

    #[cold]
    fn too_many<T>(&self, count: usize) -> Outcome<T> {
        let message = format!("a collection of {count} elements is larger than {}", self.limits.collection_size);
        error_with_hint("collection_size_exceeded", message, "work on a part of it: `(take n coll)`")
    }
}
