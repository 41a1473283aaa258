//! Exports for renderers.

use serde::Serialize;
use wasm_bindgen::prelude::*;

use crate::compression::{Breakpoint, Dropped, MissingCounts, Rendered, Renderer};
use crate::message::{Message, Section};
use crate::turn::{Memory, memory_of};

use super::options::render_options;
use super::{TurnHandle, incoming_value};
use crate::wasm::error::Failure;
use crate::wasm::prices::RequestCostRecord;
use crate::wasm::write::{MessageRecord, to_json, to_object};

/// A history that is rendered repeatedly.
#[wasm_bindgen]
#[derive(Debug)]
pub struct RendererHandle {
    renderer: Renderer,
    /// The last rendering.
    rendered: Option<Rendered>,
}

#[wasm_bindgen]
impl RendererHandle {
    /// A renderer without turns.
    #[wasm_bindgen(constructor)]
    pub fn new(options: &JsValue) -> Result<RendererHandle, Failure> {
        Ok(RendererHandle { renderer: Renderer::new(render_options(options)?, []), rendered: None })
    }

    /// Renders with other options from now on.
    #[wasm_bindgen(js_name = setOptions)]
    pub fn set_options(&mut self, options: &JsValue) -> Result<(), Failure> {
        self.renderer.set_options(render_options(options)?);
        Ok(())
    }

    /// Adds a turn at the end.
    pub fn push(&mut self, turn: &TurnHandle) {
        self.renderer.push(turn.0.clone());
    }

    // The package's TypeScript refuses indexes that do not exist.

    /// Inserts a turn before the one at `index`.
    pub fn insert(&mut self, index: usize, turn: &TurnHandle) {
        self.renderer.insert(index, turn.0.clone());
    }

    /// Replaces the turn at `index`.
    pub fn replace(&mut self, index: usize, turn: &TurnHandle) {
        self.renderer.replace(index, turn.0.clone());
    }

    /// Removes the turn at `index`.
    pub fn remove(&mut self, index: usize) {
        self.renderer.remove(index);
    }

    /// How many turns are left after `turns` turns.
    #[wasm_bindgen(js_name = turnsLeft)]
    pub fn turns_left(&self, turns: usize) -> usize {
        self.renderer.options().turns_left_after(turns, turns)
    }

    /// Returns a [`FrameRecord`]; null when it would be the same as the one before; or [`NeededCounts`] when the host
    /// has to count texts first. The memory is JSON of `memory_length` bytes in the scratch buffer; without a length,
    /// it is the last turn's. `at` is when the request is sent, in milliseconds since 1970.
    pub fn render(&mut self, memory_length: Option<usize>, at: Option<f64>) -> Result<JsValue, Failure> {
        self.renderer.set_time(at);
        let rendered = match self.renderer.render(read_memory(memory_length)?) {
            Ok(rendered) => rendered,
            Err(MissingCounts(texts)) => return Ok(to_object(&NeededCounts { need_counts: texts })),
        };
        let frame = match &self.rendered {
            Some(before) if is_same(before, &rendered) => JsValue::NULL,
            _ => to_object(&FrameRecord::of(&rendered)),
        };
        self.rendered = Some(rendered);
        Ok(frame)
    }

    /// JSON of the sections of the last rendering, a list of [`SectionRecord`].
    pub fn sections(&self) -> String {
        let mut sections = Vec::new();
        for (index, message) in self.rendered.iter().flat_map(|rendered| rendered.messages.iter()).enumerate() {
            sections.extend(message.sections.iter().map(|section| SectionRecord::of(section, index)));
        }
        to_json(&sections)
    }

    /// Supplies the host's counts of the texts that `render` requested, in their order.
    #[wasm_bindgen(js_name = supplyCounts)]
    pub fn supply_counts(&mut self, counts: &[f64]) {
        self.renderer.supply_counts(counts.iter().map(|count| *count as usize));
    }

    /// Returns JSON of the omitted items, a list of [`DroppedRecord`]; or [`NeededCounts`]. Memory and time as for
    /// [`RendererHandle::render`].
    pub fn dropped(&mut self, memory_length: Option<usize>, at: Option<f64>) -> Result<JsValue, Failure> {
        self.renderer.set_time(at);
        Ok(match self.renderer.dropped(read_memory(memory_length)?) {
            Ok(dropped) => to_json(&dropped.iter().map(DroppedRecord::of).collect::<Vec<_>>()).into(),
            Err(MissingCounts(texts)) => to_object(&NeededCounts { need_counts: texts }),
        })
    }
}

fn read_memory(length: Option<usize>) -> Result<Option<Memory>, Failure> {
    let Some(length) = length else { return Ok(None) };
    match memory_of(&incoming_value(length)?) {
        Some(memory) => Ok(Some(memory)),
        None => Err(Failure::new("invalid_value", "the memory must be an object of values by name")),
    }
}

/// True when the frame and the sections of `after`, which was rendered next, would be those of `before`.
fn is_same(before: &Rendered, after: &Rendered) -> bool {
    let tiled_alike = |(before, after): (&Message, &Message)| before.sections == after.sections;
    after.kept == after.messages.len()
        && before.kept == after.kept
        && before.messages.len() == after.messages.len()
        && before.shared_prefix == after.shared_prefix
        && before.stats == after.stats
        && before.budget == after.budget
        && before.cost == after.cost
        && before.breakpoints == after.breakpoints
        && before.messages.iter().zip(after.messages.iter()).all(tiled_alike)
}

/// Texts that the host must count before messages can be rendered.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct NeededCounts {
    need_counts: Vec<String>,
}

/// One rendering, with only the messages that differ from the previous one.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FrameRecord<'a> {
    stats: StatsRecord,
    /// UTF-16 units.
    shared_prefix: usize,
    budget: Option<BudgetRecord>,
    breakpoints: Vec<BreakpointRecord>,
    /// The number of messages at the beginning that are the same as in the previous frame.
    kept: usize,
    /// The others.
    messages: Vec<MessageRecord<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct StatsRecord {
    enabled: bool,
    strategy: Option<&'static str>,
    turns_compressed: usize,
    tool_calls_total: usize,
    tool_calls_shown: usize,
    tool_calls_dropped: usize,
    printlns_total: usize,
    printlns_shown: usize,
    printlns_dropped: usize,
    error_turns_collapsed: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache: Option<RequestCostRecord>,
}

#[derive(Serialize)]
struct BreakpointRecord {
    message: usize,
    offset: usize,
}

/// In tokens.
#[derive(Serialize)]
struct BudgetRecord {
    budget: usize,
    used: usize,
    fits: bool,
}

/// A section of the message at the index `message`: offsets in UTF-16 units, and the positions of its turns, from 1.
#[derive(Serialize)]
struct SectionRecord {
    message: usize,
    kind: &'static str,
    start: usize,
    end: usize,
    turns: Vec<usize>,
}

/// An omitted item, with the position of its turn, from 1; 0 for none.
#[derive(Serialize)]
struct DroppedRecord<'a> {
    kind: &'static str,
    turn: usize,
    reason: &'a str,
    text: &'a str,
}

impl FrameRecord<'_> {
    fn of(rendered: &Rendered) -> FrameRecord<'_> {
        let stats = &rendered.stats;
        let messages = rendered.messages.iter().skip(rendered.kept);
        FrameRecord {
            stats: StatsRecord {
                enabled: stats.strategy.is_some(),
                strategy: stats.strategy,
                turns_compressed: stats.turns_compressed,
                tool_calls_total: stats.tool_calls_total,
                tool_calls_shown: stats.tool_calls_shown,
                tool_calls_dropped: stats.tool_calls_total - stats.tool_calls_shown,
                printlns_total: stats.prints_total,
                printlns_shown: stats.prints_shown,
                printlns_dropped: stats.prints_total - stats.prints_shown,
                error_turns_collapsed: stats.errors_collapsed,
                cache: rendered.cost.as_ref().map(RequestCostRecord::from),
            },
            shared_prefix: rendered.shared_prefix,
            budget: rendered.budget.as_ref().map(|budget| BudgetRecord {
                budget: budget.limit,
                used: budget.used,
                fits: budget.fits(),
            }),
            breakpoints: rendered
                .breakpoints
                .iter()
                .map(|Breakpoint { message, offset }| BreakpointRecord { message: *message, offset: *offset })
                .collect(),
            kept: rendered.kept,
            messages: messages
                .map(|Message { role, text, .. }| MessageRecord { role: role.name(), content: text })
                .collect(),
        }
    }
}

impl SectionRecord {
    fn of(section: &Section, message: usize) -> SectionRecord {
        let Section { kind, start, end, turn } = section;
        let turns = turn.iter().map(|index| index + 1).collect();
        SectionRecord { message, kind: kind.name(), start: *start, end: *end, turns }
    }
}

impl DroppedRecord<'_> {
    fn of(dropped: &Dropped) -> DroppedRecord<'_> {
        let turn = dropped.turn.map_or(0, |index| index + 1);
        DroppedRecord { kind: dropped.kind.name(), turn, reason: dropped.reason, text: &dropped.text }
    }
}
