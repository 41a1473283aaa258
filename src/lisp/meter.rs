//! Limits of a program, and the meter that counts what it uses.

use std::rc::Rc;
use std::task::Poll;

use super::cells::Atoms;
use super::fault::{EvalResult, error_with_hint};
use super::pattern::{Found, Pattern, Patterns, Search};
use super::tool::ToolSpec;
use crate::diagnostic::Diagnostic;
use crate::value::{MAX_NESTING, Names, Value, garbage};
use crate::{allocated, work};

/// The limits of a program. A program cannot raise them.
#[derive(Clone, Debug)]
pub struct ProgramLimits {
    /// Steps: calls, iterations of loops, and elements that builtins visit.
    pub fuel: u64,
    /// Bytes that the program and the earlier definitions may hold at any time.
    pub heap_bytes: u64,
    /// Nested calls.
    pub depth: usize,
    /// Iterations of one `loop`, or of `recur` to a function.
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

impl Default for ProgramLimits {
    fn default() -> Self {
        ProgramLimits {
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
    pub limits: ProgramLimits,
    /// Steps so far.
    pub fuel: u64,
    /// The step at which the program must pause or end.
    pub due: u64,
    /// The time at which the program began, in milliseconds since 1970, as given by the host.
    pub now: i64,
    /// The tools that it may call.
    pub tools: Rc<Names<Rc<ToolSpec>>>,
    /// The compiled regular expressions that it uses.
    pub patterns: Patterns,
    /// The size of the values that it has passed to tools and returned at its end.
    pub outgoing: OutgoingBytes,
    /// Whether a key of a map or set was too large.
    pub key_refused: bool,
    /// Whether a sorted map or set could not put a key in order.
    pub order_refused: bool,
    /// The last two values that took long to compare, and whether they are equal.
    pub compared: Option<Box<(Value, Value, bool)>>,
    /// Its atoms.
    pub atoms: Atoms,
}

/// The level of nesting that marks an atom, which can't leave a program.
pub const ATOM: usize = usize::MAX / 2;

/// The serialized bytes that have left a program.
#[derive(Debug, Default)]
pub struct OutgoingBytes(u64);

impl OutgoingBytes {
    /// Counts a value of `bytes` bytes and `levels` levels of nesting. Fails when the total exceeds `most_bytes`, or
    /// when the value is nested too deep.
    pub fn add(&mut self, (bytes, levels): (u64, usize), what: &str, max_bytes: u64) -> Result<(), Diagnostic> {
        if levels >= ATOM {
            let message = format!("{what} holds an atom, which ends with its program");
            let hint = "give its value: `@x`; only a definition may be an atom, and keeps its value";
            return Err(Diagnostic::new("type_error", message).with_hint(hint));
        }
        if levels > MAX_NESTING {
            let message = format!("{what} is nested deeper than {MAX_NESTING} levels");
            let hint = "keep it flat: collect into one vector or map";
            return Err(Diagnostic::new("nesting_too_deep", message).with_hint(hint));
        }
        self.0 = self.0.saturating_add(bytes);
        if self.0 <= max_bytes {
            return Ok(());
        }
        let what = if bytes > max_bytes { what } else { "what the program passes to tools, defines and gives back" };
        let message = format!("{what} would take more than {max_bytes} bytes when it is written out");
        Err(Diagnostic::new("memory_exceeded", message).with_hint("give less: count, filter or aggregate first"))
    }
}

/// The bytes of one element of a collection.
const ELEMENT: u64 = size_of::<Value>() as u64;

impl Meter {
    /// Returns the meter of a program that begins.
    pub fn new(limits: ProgramLimits, now: i64) -> Meter {
        let due = limits.slice.max(1).min(limits.fuel);
        Meter {
            fuel: 0,
            due,
            now,
            tools: Rc::default(),
            patterns: Patterns::default(),
            outgoing: OutgoingBytes::default(),
            key_refused: false,
            order_refused: false,
            compared: None,
            atoms: Atoms::default(),
            limits,
        }
    }

    /// Counts a step; returns true when a pause or the end is due, including the work that values have counted and that
    /// is not yet taken.
    #[inline(always)]
    pub fn step(&mut self) -> bool {
        self.fuel += 1;
        self.spent() >= self.due
    }

    /// Returns the steps so far, including the work that values have counted and that is not yet taken; after an alarm,
    /// more than any limit.
    #[inline(always)]
    pub fn spent(&self) -> u64 {
        self.fuel + work::done()
    }

    /// Returns whether a pause is due now. Fails when the fuel or the memory is used up.
    #[cold]
    pub fn take_due(&mut self) -> EvalResult<bool> {
        self.visit(0)?;
        let pauses = self.fuel >= self.due;
        if pauses {
            self.due = self.fuel.saturating_add(self.limits.slice.max(1)).min(self.limits.fuel);
        }
        Ok(pauses)
    }

    /// Fails unless `bytes` bytes may be allocated.
    #[inline]
    pub fn allocate(&self, bytes: u64) -> EvalResult<()> {
        if allocated::left() < bytes as i64 { self.heap_exceeded(bytes) } else { Ok(()) }
    }

    /// Fails unless a collection that is about to be changed may be copied: changing a shared collection copies it. `key`
    /// is the only key or element that changes, if there is one.
    pub fn copying(&self, collection: &Value, key: Option<&Value>) -> EvalResult<()> {
        let copied = match collection {
            Value::Vector(items) if items.is_shared() => items.len(),
            Value::Map(map) => map.copied_by(key),
            Value::Set(set) => set.copied_by(key),
            _ => return Ok(()),
        };
        self.room(copied)
    }

    /// Fails unless this many values may be copied.
    #[inline]
    pub fn room(&self, values: usize) -> EvalResult<()> {
        if values > 0 { self.allocate(values as u64 * ELEMENT) } else { Ok(()) }
    }

    /// Counts elements that are going to be visited or made. Many elements are refused when the fuel is used up; few are
    /// paid for before the next step.
    pub fn elements(&mut self, count: usize) -> EvalResult<()> {
        if count > self.limits.collection_size {
            return self.too_many(count);
        }
        self.fuel += count as u64;
        if count as u64 > work::PIECE {
            self.afford(0)?;
        }
        self.allocate(count as u64 * ELEMENT)
    }

    /// Counts elements that are copied unchanged from one vector to another. Copying is cheaper than any other work
    /// on elements: `(rest coll)` in a loop may cost about as much as the iteration, not a hundred times as much.
    pub fn copies(&mut self, count: usize) -> EvalResult<()> {
        self.fuel += count as u64 / 16;
        self.allocate(count as u64 * ELEMENT)
    }

    /// Counts elements that are visited but not made, or other steps of a builtin. Fails at once
    /// when the fuel is used up: the work of such builtins is not bounded by the size of their arguments.
    pub fn visit(&mut self, count: usize) -> EvalResult<()> {
        self.take_work();
        self.fuel = self.fuel.saturating_add(count as u64);
        self.check_keys()?;
        self.allocate(0)?;
        self.afford(0)
    }

    /// Adds the work that values have counted to the fuel used, and resets their count.
    pub fn take_work(&mut self) {
        self.key_refused |= work::is_key_refused();
        self.order_refused |= work::is_order_refused();
        self.fuel = self.fuel.saturating_add(work::take());
    }

    /// Fails when a key was too large, or has no order.
    #[inline(always)]
    pub fn check_keys(&mut self) -> EvalResult<()> {
        match (self.key_refused, self.order_refused) {
            (false, false) => Ok(()),
            (true, _) => too_large_key(),
            (false, true) => {
                self.order_refused = false;
                no_order()
            }
        }
    }

    /// Fails when fewer than `steps` steps are left.
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

    /// Continues a search for a match with at most about `fuel` units of fuel, as [`Pattern::find`] does, and counts them.
    pub fn find(
        &mut self,
        pattern: &Pattern,
        text: &str,
        search: &mut Search,
        fuel: u64,
    ) -> EvalResult<Poll<Option<Found>>> {
        let fuel = fuel.min(self.limits.fuel.saturating_sub(self.fuel));
        let (found, used) = pattern.find(text, search, fuel);
        if used > 0 {
            self.visit(used)?;
        }
        Ok(found)
    }

    /// Counts a text of `bytes` bytes that is made.
    pub fn text(&mut self, bytes: usize) -> EvalResult<()> {
        // A character is at most four bytes.
        if bytes > 4 * self.limits.collection_size {
            return self.too_long(bytes.div_ceil(4));
        }
        self.fuel += bytes as u64 / 16;
        self.allocate(bytes as u64)
    }

    /// Fails when the fuel or the memory is used up: for loops whose work depends on more than the size of the arguments.
    #[inline(always)]
    pub fn go_on(&mut self) -> EvalResult<()> {
        if self.spent() >= self.due { self.visit(0) } else { Ok(()) }
    }

    #[cold]
    fn heap_exceeded(&self, bytes: u64) -> EvalResult<()> {
        // Values that wait to be freed do not count as held.
        if garbage::free_now() && allocated::left() >= bytes as i64 {
            return Ok(());
        }
        let message = format!("the program takes more than {} bytes of memory", self.limits.heap_bytes);
        error_with_hint("memory_exceeded", message, "keep less: filter and aggregate before collecting")
    }

    /// Returns the error of a string with too many characters.
    #[cold]
    pub fn too_long<T>(&self, characters: usize) -> EvalResult<T> {
        let message = format!("a string of {characters} characters is longer than {}", self.limits.collection_size);
        error_with_hint("collection_size_exceeded", message, "work on a part of it, or keep the pieces in a vector")
    }

    #[cold]
    fn too_many<T>(&self, count: usize) -> EvalResult<T> {
        let message = format!("a collection of {count} elements is larger than {}", self.limits.collection_size);
        error_with_hint("collection_size_exceeded", message, "work on a part of it: `(take n coll)`")
    }
}

/// Returns the error of a key of a sorted collection that has no order.
#[cold]
fn no_order<T>() -> EvalResult<T> {
    error_with_hint(
        "type_error",
        "a sorted map or set can't put a key in order with its other keys",
        "keys of one kind have an order: make them alike, as in `(str k)`; a collection that a function sorts takes new keys from `assoc`, `conj`, `into`, `merge` and `update`",
    )
}

/// Returns the error of a key that holds too many values.
#[cold]
pub fn too_large_key<T>() -> EvalResult<T> {
    let message = format!("a key, or a value that is looked for or put in order, holds more than {} values", work::KEY);
    error_with_hint(
        "collection_size_exceeded",
        message,
        "use a part of it that identifies it: `(first coll)`, `(:id m)`",
    )
}
