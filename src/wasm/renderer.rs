//! A renderer on this side of the boundary.

use js_sys::{Array, Uint32Array};
use serde::Serialize;
use wasm_bindgen::prelude::*;

use crate::compression::{Dropped, MissingCounts, RenderOptions, Rendered, Renderer};
use crate::message::Message;
use crate::turn::{Memory, memory_of};
use crate::value::{self, Value};

use super::error::{Failure, object};
use super::options::render_options;
use super::{TurnHandle, incoming_value};

/// A history that is rendered again and again.
#[wasm_bindgen]
#[derive(Debug)]
pub struct RendererHandle {
    renderer: Renderer,
    /// What was handed out last.
    handed: Option<Rendered>,
}

#[wasm_bindgen]
impl RendererHandle {
    /// A renderer without turns. `data_length` bytes of JSON in the scratch buffer are the data.
    #[wasm_bindgen(constructor)]
    pub fn new(options: &JsValue, data_length: usize) -> Result<RendererHandle, Failure> {
        Ok(RendererHandle { renderer: Renderer::new(read_options(options, data_length)?, []), handed: None })
    }

    /// Renders with other options from now on.
    #[wasm_bindgen(js_name = setOptions)]
    pub fn set_options(&mut self, options: &JsValue, data_length: usize) -> Result<(), Failure> {
        self.renderer.set_options(read_options(options, data_length)?);
        Ok(())
    }

    /// Adds a turn at the end.
    pub fn push(&mut self, turn: &TurnHandle) {
        self.renderer.push(turn.0.clone());
    }

    // The package's TypeScript refuses places that do not exist.

    /// Puts a turn before the one at `index`.
    pub fn insert(&mut self, index: usize, turn: &TurnHandle) {
        self.renderer.insert(index, turn.0.clone());
    }

    /// Puts a turn in the place of another.
    pub fn replace(&mut self, index: usize, turn: &TurnHandle) {
        self.renderer.replace(index, turn.0.clone());
    }

    /// Takes a turn out.
    pub fn remove(&mut self, index: usize) {
        self.renderer.remove(index);
    }

    /// How many turns there are.
    pub fn length(&self) -> usize {
        self.renderer.len()
    }

    /// The messages as a frame, nothing when that is the one that was handed out last, or `{needCounts}` when the host has
    /// to count texts first. `memory_length` bytes of JSON in the scratch buffer are the memory; -1 stands for the last
    /// turn's.
    pub fn render(&mut self, memory_length: i32) -> Result<JsValue, Failure> {
        let memory = read_memory(memory_length)?;
        Ok(match self.renderer.render(memory) {
            Ok(rendered) => {
                let frame = match &self.handed {
                    Some(before) if is_same(before, &rendered) => JsValue::UNDEFINED,
                    _ => frame(&rendered),
                };
                self.handed = Some(rendered);
                frame
            }
            Err(missing) => need_counts(&missing)?,
        })
    }

    /// The host's counts of the texts that `render` asked for, in their order.
    #[wasm_bindgen(js_name = supplyCounts)]
    pub fn supply_counts(&mut self, counts: &[f64]) {
        self.renderer.supply_counts(counts.iter().map(|count| *count as usize));
    }

    /// What the messages leave out: JSON, `[{kind, turn, reason, text}]`; `turn` is a place from 0.
    pub fn dropped(&mut self, memory_length: i32) -> Result<JsValue, Failure> {
        let memory = read_memory(memory_length)?;
        Ok(match self.renderer.dropped(memory) {
            Ok(dropped) => dropped_json(&dropped).into(),
            Err(missing) => need_counts(&missing)?,
        })
    }
}

fn read_options(options: &JsValue, data_length: usize) -> Result<RenderOptions, Failure> {
    let data = match data_length {
        0 => Value::map([]),
        length => incoming_value(length)?,
    };
    render_options(options, data)
}

fn read_memory(length: i32) -> Result<Option<Memory>, Failure> {
    let Ok(length) = usize::try_from(length) else { return Ok(None) };
    match memory_of(&incoming_value(length)?) {
        Some(memory) => Ok(Some(memory)),
        None => Err(Failure::new("invalid_value", "the memory must be an object of values by name")),
    }
}

/// Texts that the host must count, as an array.
#[derive(Serialize)]
struct TextsDto<'a>(&'a [String]);

fn need_counts(missing: &MissingCounts) -> Result<JsValue, Failure> {
    match serde_wasm_bindgen::to_value(&TextsDto(&missing.0)) {
        Ok(texts) => Ok(object(&[("needCounts", texts)])),
        Err(error) => Err(Failure::new("internal", error.to_string())),
    }
}

/// True when the frame of `after`, which was rendered next, would be that of `before`.
fn is_same(before: &Rendered, after: &Rendered) -> bool {
    let tiled_alike = |(before, after): (&Message, &Message)| before.sections == after.sections;
    after.kept == after.messages.len()
        && before.kept == after.kept
        && before.messages.len() == after.messages.len()
        && before.shared_prefix == after.shared_prefix
        && before.stats == after.stats
        && before.budget == after.budget
        && before.messages.iter().zip(after.messages.iter()).all(tiled_alike)
}

/// `[texts, numbers]`: the texts of all messages but those that are kept, as one, and all numbers in one flat array, so
/// that a history of a thousand messages is two values at the boundary.
fn frame(rendered: &Rendered) -> JsValue {
    let mut texts = String::new();
    for message in rendered.messages.iter().skip(rendered.kept) {
        texts.push_str(&message.text);
    }
    Array::of2(&texts.into(), &Uint32Array::from(numbers(rendered).as_slice())).into()
}

/// In this order: the statistics (9), the shared prefix, the budget (whether there is one, its tokens, those used), how
/// many messages are kept from the frame before, how many there are, role and length of each message, and for each section
/// its message, kind, start, end, how many turns it has, and those, as places from 0. Offsets are in UTF-16 units.
fn numbers(rendered: &Rendered) -> Vec<u32> {
    let stats = &rendered.stats;
    let (has_budget, limit, used) = rendered.budget.as_ref().map_or((0, 0, 0), |met| (1, met.limit, met.used));
    let sections: usize = rendered.messages.iter().map(|message| message.sections.len()).sum();
    let mut numbers = Vec::with_capacity(15 + 2 * rendered.messages.len() + 6 * sections);
    numbers.extend_from_slice(&[
        usize::from(stats.strategy.is_some()) as u32,
        stats.turns_compressed as u32,
        stats.tool_calls_total as u32,
        stats.tool_calls_shown as u32,
        (stats.tool_calls_total - stats.tool_calls_shown) as u32,
        stats.prints_total as u32,
        stats.prints_shown as u32,
        (stats.prints_total - stats.prints_shown) as u32,
        stats.errors_collapsed as u32,
        rendered.shared_prefix as u32,
        has_budget,
        limit as u32,
        used as u32,
        rendered.kept as u32,
        rendered.messages.len() as u32,
    ]);
    for message in rendered.messages.iter() {
        let length = message.sections.last().map_or(0, |section| section.end);
        numbers.extend_from_slice(&[message.role as u32, length as u32]);
    }
    for (index, message) in rendered.messages.iter().enumerate() {
        for section in &message.sections {
            let place = [index as u32, section.kind as u32, section.start as u32, section.end as u32];
            numbers.extend_from_slice(&place);
            match section.turn {
                Some(turn) => numbers.extend_from_slice(&[1, turn as u32]),
                None => numbers.push(0),
            }
        }
    }
    numbers
}

fn dropped_json(dropped: &[Dropped]) -> String {
    let mut out = String::from("[");
    for entry in dropped {
        out.push_str(if out.len() > 1 { ",{\"turn\":" } else { "{\"turn\":" });
        let turn = entry.turn.map_or("null".into(), |turn| turn.to_string());
        out.push_str(&turn);
        let texts = [(",\"kind\":", entry.kind.name()), (",\"reason\":", entry.reason), (",\"text\":", &entry.text)];
        for (name, text) in texts {
            out.push_str(name);
            value::write_json_string(text, &mut out);
        }
        out.push('}');
    }
    out.push(']');
    out
}
