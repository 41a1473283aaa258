//! The last turns as they were, everything older folded into the first USER message.

use std::rc::Rc;

use crate::compression::fold::History;
use crate::compression::options::RenderOptions;
use crate::compression::selection::{DynamicSections, Selection};
use crate::compression::state::RenderState;
use crate::turn::Memory;
use crate::value::Names;

use super::uncompressed;

/// The fold of the older turns, and the last `keep` as they were.
pub fn select<'a>(
    options: &RenderOptions,
    state: &'a mut RenderState,
    memory: Option<Memory>,
    keep: usize,
) -> Selection<'a> {
    let older = state.history.len().saturating_sub(keep);
    let memory = memory_of_older(&mut state.history, memory, older);
    let turns = uncompressed::turns_from(options, &mut state.history, older);
    let folded = DynamicSections::new(options, &mut state.history, &mut state.definitions, older, memory);
    Selection { turns, ..folded.into() }
}

/// The memory after the older turns. The turns of the window show their own definitions, so those names are removed
/// from the host's memory when the older turns have no memory.
fn memory_of_older(history: &mut History, given: Option<Memory>, older: usize) -> Option<Memory> {
    if older == history.len() {
        return given;
    }
    if let Some(memory) = history.memory_after(older) {
        return Some(memory);
    }
    let given = given?;
    let mut before = None;
    let mut later = Vec::new();
    for index in 0..history.len() {
        let slot = history.slot_mut(index);
        let defined = slot.defined(before.as_ref());
        before = slot.last_with_memory(before);
        if index >= older {
            later.push(defined);
        }
    }
    let is_later = |name: &str| later.iter().any(|names| names.iter().any(|defined| **defined == *name));
    let mut kept = Names::default();
    for (name, value) in given.iter() {
        if !is_later(name) {
            kept.insert(name.clone(), value.clone());
        }
    }
    Some(Rc::new(kept))
}
