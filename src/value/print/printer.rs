//! Writes collections and their items. Open collections are kept in a list, so that nesting can't overflow the stack.

use std::cmp::Ordering;

use super::keys::{BY_TEXT, compare_simple, kind_rank};
use super::scalar::{write_scalar, write_to};
use super::{Clojure, PrintOptions};
use crate::value::collection::Ordered;
use crate::value::{Value, in_order, positions_in_order};

/// Keys that a sample shows of the outermost maps.
const SAMPLE_KEYS: usize = 12;

/// The least share of the printable limit for a value inside a map, in graphemes.
const MIN_SHARE: usize = 10;

pub(super) struct Printer<'a> {
    options: &'a PrintOptions,
    is_sample: bool,
    out: String,
    cuts: Cuts,
    frames: Vec<PrintFrame<'a>>,
    /// Maps that are being written.
    open_maps: usize,
}

/// The cuts so far.
#[derive(Default)]
struct Cuts {
    truncated: bool,
    /// The number of open collections that are cut.
    open: usize,
    /// Whether the number of items is written once only, for an outermost cut collection.
    once: bool,
    is_noted: bool,
}

/// A collection that is being written.
enum PrintFrame<'a> {
    Sorting(SortedCollection<'a>),
    PrintedCollection(PrintedCollection<'a>),
}

/// A collection whose opening bracket is written and whose items follow.
struct PrintedCollection<'a> {
    items: PrintedItems<'a>,
    next: usize,
    /// The value of the key that is being written.
    pending: Option<&'a Value>,
    is_map: bool,
    shown: usize,
    /// The number of items without hidden ones.
    total: usize,
    key_limit: Option<usize>,
    value_limit: Option<usize>,
}

enum PrintedItems<'a> {
    Vector(&'a [Value]),
    Sorted(Vec<Sorted<'a>>),
}

struct Sorted<'a> {
    key: SortKey<'a>,
    value: Option<&'a Value>,
}

/// The next step of writing a collection.
enum WriteStep<'a> {
    /// Write this value, with this printable limit.
    Begin(&'a Value, Option<usize>),
    /// Take another step: the text of a key was appended.
    Wrote,
    /// Continue with the outer collection: the closing bracket is written.
    Closed,
}

enum SortKey<'a> {
    Unwritten(&'a Value),
    Written(String),
}

/// A map or set that is being sorted. The texts of keys that are ordered by their text are written first,
/// each at the end of the output, and moved from there to `smallest`.
struct SortedCollection<'a> {
    bracket: &'static str,
    shown: usize,
    simple: Vec<PrintedEntry<'a>>,
    by_text: Vec<PrintedEntry<'a>>,
    next: usize,
    /// The number of entries of `by_text` that are shown.
    room: usize,
    /// The smallest texts so far and some more, each with its index in `by_text`.
    smallest: Vec<(String, usize)>,
    text_start: usize,
    total: usize,
    limit: Option<usize>,
}

/// An element of a set or an entry of a map, and its position there.
#[derive(Clone, Copy)]
struct PrintedEntry<'a> {
    key: &'a Value,
    value: Option<&'a Value>,
    position: usize,
}

impl<'a> Printer<'a> {
    pub fn new(options: &'a PrintOptions) -> Printer<'a> {
        Printer {
            options,
            is_sample: false,
            out: String::new(),
            cuts: Cuts::default(),
            frames: Vec::new(),
            open_maps: 0,
        }
    }

    pub fn of_sample(options: &'a PrintOptions) -> Printer<'a> {
        Printer { is_sample: true, cuts: Cuts { once: true, ..Cuts::default() }, ..Printer::new(options) }
    }

    /// Writes a value.
    pub fn print(mut self, value: &'a Value) -> Clojure {
        self.begin(value, self.options.printable_limit);
        while let Some(frame) = self.frames.last_mut() {
            match frame {
                PrintFrame::PrintedCollection(opened) => match opened.step(&mut self.out, &mut self.cuts) {
                    WriteStep::Begin(value, limit) => self.begin(value, limit),
                    WriteStep::Wrote => {}
                    WriteStep::Closed => {
                        self.open_maps -= usize::from(opened.is_map);
                        self.frames.pop();
                    }
                },
                PrintFrame::Sorting(sorting) => match sorting.step(&mut self.out) {
                    Some(key) => {
                        let limit = sorting.limit;
                        self.begin(key, limit);
                    }
                    None => {
                        let Some(PrintFrame::Sorting(mut sorting)) = self.frames.pop() else {
                            unreachable!("seen above")
                        };
                        keep_smallest_texts(&mut sorting.smallest, sorting.room);
                        self.open_sorted(sorting);
                    }
                },
            }
        }
        Clojure { text: self.out, truncated: self.cuts.truncated }
    }

    /// Writes a scalar, or opens a collection. `limit` is the printable limit.
    fn begin(&mut self, value: &'a Value, limit: Option<usize>) {
        match value {
            Value::Vector(items) => {
                let total = items.len();
                let shown = if self.shows_one(items.as_slice()) { 1 } else { self.shown_of(total) };
                self.out.push('[');
                let items = PrintedItems::Vector(items.as_slice());
                self.open(PrintedCollection {
                    items,
                    next: 0,
                    pending: None,
                    is_map: false,
                    shown,
                    total,
                    key_limit: limit,
                    value_limit: limit,
                });
            }
            Value::Map(entries) => self.begin_unordered("{", entries.ordered(), limit),
            Value::Set(items) => self.begin_unordered("#{", items.ordered(), limit),
            scalar => self.cuts.truncated |= write_scalar(scalar, limit, self.is_sample, &mut self.out),
        }
    }

    fn open(&mut self, collection: PrintedCollection<'a>) {
        self.open_maps += usize::from(collection.is_map);
        self.cuts.open += usize::from(collection.shown < collection.total);
        self.frames.push(PrintFrame::PrintedCollection(collection));
    }

    /// True when a sample shows all keys of one of these items instead of some keys of several.
    fn shows_one(&self, items: &[Value]) -> bool {
        let (true, Some(max), Some(Value::Map(first))) = (self.is_sample, self.options.limit, items.first()) else {
            return false;
        };
        let is_seen = |key: &Value| !(self.options.filter_hidden && key.is_hidden_key());
        let are_maps = || items.iter().take(max).all(|item| matches!(item, Value::Map(_)));
        max > 0 && first.len() > max && are_maps() && first.iter().filter(|(key, _)| is_seen(key)).count() > max
    }

    /// Returns the most entries that are shown of a map or set that is opened now.
    fn max_entries(&self, entries: &Ordered) -> Option<usize> {
        match self.options.limit {
            Some(max) if max > 0 && self.is_sample && self.open_maps == 0 && is_record(entries) => {
                Some(max.max(SAMPLE_KEYS))
            }
            max => max,
        }
    }

    fn begin_unordered(&mut self, bracket: &'static str, entries: &'a Ordered, limit: Option<usize>) {
        let max = self.max_entries(entries).unwrap_or(usize::MAX);
        let mut simple = Vec::new();
        let mut by_text = Vec::new();
        let mut total = 0;
        let is_sorted = entries.keys.order().is_some();
        for (position, key) in entries.keys.iter().enumerate() {
            let entry = PrintedEntry { key, value: entries.values.get(position), position };
            if self.options.filter_hidden && entry.value.is_some() && key.is_hidden_key() {
                continue;
            }
            total += 1;
            if is_sorted {
                simple.push(entry);
                simple.truncate(max);
            } else if kind_rank(entry.key) == BY_TEXT {
                by_text.push(entry);
            } else {
                simple.push(entry);
                if simple.len() >= worth_sorting(max) {
                    simple = smallest_entries(&simple, max);
                }
            }
        }
        if !is_sorted {
            simple = smallest_entries(&simple, max);
        }
        let mut sorting = SortedCollection {
            bracket,
            shown: max.min(total),
            room: max.min(total) - simple.len(),
            simple,
            by_text,
            next: 0,
            smallest: Vec::new(),
            text_start: self.out.len(),
            total,
            limit,
        };
        if sorting.room > 0 && sorting.by_text.len() == 1 {
            // A single entry needs no sorting and is written in place: copying its text once for every
            // collection around it would take time quadratic in the depth.
            sorting.simple.append(&mut sorting.by_text);
            sorting.room = 0;
        }
        if sorting.room == 0 {
            self.open_sorted(sorting);
        } else {
            self.frames.push(PrintFrame::Sorting(sorting));
        }
    }

    fn open_sorted(&mut self, sorting: SortedCollection<'a>) {
        self.out.push_str(sorting.bracket);
        let shown = sorting.shown;
        let mut items = Vec::new();
        for entry in &sorting.simple {
            items.push(Sorted { key: SortKey::Unwritten(entry.key), value: entry.value });
        }
        for (text, index) in sorting.smallest {
            items.push(Sorted { key: SortKey::Written(text), value: sorting.by_text[index].value });
        }
        let is_map = sorting.bracket == "{";
        let share = sorting.limit.map(|limit| match shown {
            0 => limit,
            _ if is_map => (limit / shown).max(MIN_SHARE),
            _ => limit,
        });
        self.open(PrintedCollection {
            items: PrintedItems::Sorted(items),
            next: 0,
            pending: None,
            is_map,
            shown,
            total: sorting.total,
            key_limit: sorting.limit,
            value_limit: share,
        });
    }

    fn shown_of(&self, total: usize) -> usize {
        self.options.limit.map_or(total, |limit| limit.min(total))
    }
}

impl<'a> PrintedCollection<'a> {
    fn step(&mut self, out: &mut String, cuts: &mut Cuts) -> WriteStep<'a> {
        if let Some(value) = self.pending.take() {
            out.push(' ');
            return WriteStep::Begin(value, self.value_limit);
        }
        let index = self.next;
        if index == self.shown {
            self.close(out, cuts);
            return WriteStep::Closed;
        }
        self.next += 1;
        if index > 0 {
            out.push(' ');
        }
        match &self.items {
            PrintedItems::Vector(items) => WriteStep::Begin(&items[index], self.value_limit),
            PrintedItems::Sorted(items) => {
                let Sorted { key, value } = &items[index];
                self.pending = *value;
                match key {
                    SortKey::Unwritten(key) => WriteStep::Begin(key, self.key_limit),
                    SortKey::Written(text) => {
                        out.push_str(text);
                        WriteStep::Wrote
                    }
                }
            }
        }
    }

    fn close(&self, out: &mut String, cuts: &mut Cuts) {
        let bracket = if matches!(self.items, PrintedItems::Vector(_)) { ']' } else { '}' };
        if self.shown == self.total {
            out.push(bracket);
            return;
        }
        cuts.truncated = true;
        cuts.open -= 1;
        let space = if self.shown > 0 { " " } else { "" };
        write_to(out, format_args!("{space}...{bracket}"));
        if !cuts.once || (cuts.open == 0 && !cuts.is_noted) {
            let (total, shown) = (self.total, self.shown);
            write_to(out, format_args!(" ({total} items, showing first {shown})"));
            cuts.is_noted = true;
        }
    }
}

impl<'a> SortedCollection<'a> {
    /// Moves the key's text that was written since the last step to `smallest`, and returns the next key
    /// to write.
    fn step(&mut self, out: &mut String) -> Option<&'a Value> {
        if self.next > 0 {
            self.smallest.push((out.split_off(self.text_start), self.next - 1));
            if self.smallest.len() >= worth_sorting(self.room) {
                keep_smallest_texts(&mut self.smallest, self.room);
            }
        }
        let entry = self.by_text.get(self.next)?;
        self.next += 1;
        Some(entry.key)
    }
}

/// True for a map whose keys are field names. A map from other keys is not a record, and neither is a map of
/// collections with more entries than are shown, because such entries are alike.
fn is_record(entries: &Ordered) -> bool {
    let are_names = matches!(entries.keys.first(), Some(Value::Keyword(_) | Value::Str(_)));
    let is_small = entries.keys.len() <= SAMPLE_KEYS;
    are_names && entries.values.first().is_some_and(|value| is_small || !value.is_collection())
}

/// Returns the number of collected items at which they are sorted and cut to the `count` smallest: so all
/// items are visited once, and few are kept while `count` is small.
fn worth_sorting(count: usize) -> usize {
    count.saturating_mul(2).saturating_add(64)
}

fn compare_entries(left: &PrintedEntry<'_>, right: &PrintedEntry<'_>) -> Ordering {
    compare_simple(left.key, right.key).then(left.position.cmp(&right.position))
}

/// Returns the `count` smallest entries in order.
fn smallest_entries<'a>(entries: &[PrintedEntry<'a>], count: usize) -> Vec<PrintedEntry<'a>> {
    in_order(entries, compare_entries).take(count).copied().collect()
}

/// Keeps the `count` smallest texts, in order.
fn keep_smallest_texts(texts: &mut Vec<(String, usize)>, count: usize) {
    let positions = positions_in_order(texts.len(), &mut |left, right| texts[left].0.cmp(&texts[right].0));
    *texts = positions.iter().take(count).map(|position| std::mem::take(&mut texts[*position])).collect();
}
