//! A renderer on this side of the boundary.

use js_sys::Uint32Array;
use serde::Serialize;
use wasm_bindgen::prelude::*;

use crate::compression::{Budget, Dropped, MissingCounts, RenderOptions, Rendered, Renderer, Strategy};
use crate::message::{Message, Role, SectionKind};
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
    counts_by: &'static str,
}

#[wasm_bindgen]
impl RendererHandle {
    /// A renderer without turns. `data_length` bytes of JSON in the scratch buffer are the data.
    #[wasm_bindgen(constructor)]
    pub fn new(options: &JsValue, data_length: usize) -> Result<RendererHandle, Failure> {
        let options = read_options(options, data_length)?;
        Ok(RendererHandle { counts_by: counts_by(&options), renderer: Renderer::new(options, []) })
    }

    /// Renders with other options from now on.
    #[wasm_bindgen(js_name = setOptions)]
    pub fn set_options(&mut self, options: &JsValue, data_length: usize) -> Result<(), Failure> {
        let options = read_options(options, data_length)?;
        self.counts_by = counts_by(&options);
        self.renderer.set_options(options);
        Ok(())
    }

    /// Adds a turn at the end.
    pub fn push(&mut self, turn: &TurnHandle) {
        self.renderer.push(turn.0.clone());
    }

    /// Puts a turn before the one at `index`.
    pub fn insert(&mut self, index: usize, turn: &TurnHandle) -> Result<(), Failure> {
        self.check(index, self.renderer.len() + 1)?;
        self.renderer.insert(index, turn.0.clone());
        Ok(())
    }

    /// Puts a turn in the place of another.
    pub fn replace(&mut self, index: usize, turn: &TurnHandle) -> Result<(), Failure> {
        self.check(index, self.renderer.len())?;
        self.renderer.replace(index, turn.0.clone());
        Ok(())
    }

    /// Takes a turn out.
    pub fn remove(&mut self, index: usize) -> Result<(), Failure> {
        self.check(index, self.renderer.len())?;
        self.renderer.remove(index);
        Ok(())
    }

    /// How many turns there are.
    pub fn length(&self) -> usize {
        self.renderer.len()
    }

    /// The messages as a frame, or `{needCounts}`. `memory_length` bytes of JSON in the scratch
    /// buffer are the memory; -1 stands for the last turn's.
    pub fn render(&mut self, memory_length: i32) -> Result<JsValue, Failure> {
        let memory = read_memory(memory_length)?;
        Ok(match self.renderer.render(memory) {
            Ok(rendered) => frame(&rendered, self.counts_by),
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

    fn check(&self, index: usize, end: usize) -> Result<(), Failure> {
        if index < end {
            return Ok(());
        }
        let message =
            format!("there is no turn {index}: the history has {} turns, counted from 0", self.renderer.len());
        Err(Failure::new("out_of_range", message)
            .with_detail("index", index as f64)
            .with_detail("length", self.renderer.len() as f64))
    }
}

fn read_options(options: &JsValue, data_length: usize) -> Result<RenderOptions, Failure> {
    let data = match data_length {
        0 => Value::map([]),
        length => incoming_value(length)?,
    };
    render_options(options, data)
}

fn counts_by(options: &RenderOptions) -> &'static str {
    match options.strategy {
        Some(Strategy::Aggressive { counting: crate::compression::Counting::Host, .. }) => "host",
        _ => "estimate",
    }
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

/// All texts as one, and numbers as flat arrays: a history of a thousand messages is a handful of
/// values at the boundary.
fn frame(rendered: &Rendered, counts_by: &'static str) -> JsValue {
    let stats = &rendered.stats;
    let numbers = [
        usize::from(stats.strategy.is_some()),
        stats.turns_compressed,
        stats.tool_calls_total,
        stats.tool_calls_shown,
        stats.tool_calls_total - stats.tool_calls_shown,
        stats.prints_total,
        stats.prints_shown,
        stats.prints_total - stats.prints_shown,
        stats.errors_collapsed,
    ];
    object(&[
        ("texts", texts(&rendered.messages).into()),
        ("messages", message_ends(&rendered.messages)),
        ("sections", sections(&rendered.messages)),
        ("stats", array(numbers)),
        ("strategy", stats.strategy.map_or(JsValue::NULL, JsValue::from)),
        ("sharedPrefix", (rendered.shared_prefix as f64).into()),
        ("budget", rendered.budget.as_ref().map_or(JsValue::NULL, |met| budget(met, counts_by))),
    ])
}

fn texts(messages: &[Message]) -> String {
    messages.iter().map(|message| message.text.as_str()).collect()
}

/// `[role, end, …]`: the end of each message in the texts, in UTF-16 units.
fn message_ends(messages: &[Message]) -> JsValue {
    let mut end = 0;
    let role = |role| match role {
        Role::System => 0,
        Role::User => 1,
        Role::Assistant => 2,
    };
    array(messages.iter().flat_map(|message| {
        end += message.sections.last().map_or(0, |section| section.end);
        [role(message.role), end]
    }))
}

/// `[message, kind, start, end, number of turns, turn…, …]`, turns as places from 0.
fn sections(messages: &[Message]) -> JsValue {
    let mut flat = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        for section in &message.sections {
            let kind = SectionKind::ALL.iter().position(|kind| *kind == section.kind).unwrap_or_default();
            flat.extend([index, kind, section.start, section.end, usize::from(section.turn.is_some())]);
            flat.extend(section.turn);
        }
    }
    array(flat)
}

fn array(numbers: impl IntoIterator<Item = usize>) -> JsValue {
    let numbers: Vec<u32> = numbers.into_iter().map(|number| number as u32).collect();
    Uint32Array::from(numbers.as_slice()).into()
}

fn budget(met: &Budget, counts_by: &'static str) -> JsValue {
    object(&[
        ("budget", (met.limit as f64).into()),
        ("used", (met.used as f64).into()),
        ("fits", met.fits().into()),
        ("counter", counts_by.into()),
    ])
}

fn dropped_json(dropped: &[Dropped]) -> String {
    let entry = |entry: &Dropped| {
        let turn = entry.turn.map_or(Value::Nil, |turn| Value::Int(turn as i64));
        Value::map([
            (Value::keyword("kind"), entry.kind.name().into()),
            (Value::keyword("turn"), turn),
            (Value::keyword("reason"), entry.reason.into()),
            (Value::keyword("text"), Value::str(&entry.text)),
        ])
    };
    value::to_json(&Value::vector(dropped.iter().map(entry)))
}
