//! The last turns as they were, everything older folded into the first USER message.

use std::rc::Rc;

use crate::turn::Memory;
use crate::value::Names;

use super::single_user_coalesced::folded_message;
use super::uncompressed::append_pairs;
use super::view::{View, Written};

/// SYSTEM, USER with the fold of the older turns, and a pair for each of the last `keep`.
pub fn render(view: &mut View<'_>, keep: usize) -> Written {
    let older = older_turns(view.history.len(), keep);
    let memory = memory_of_older(view, older);
    let mut messages = vec![view.system_message(), folded_message(view, older, memory)];
    append_pairs(view, older, &mut messages);
    messages.into()
}

/// How many turns are folded.
pub fn older_turns(turns: usize, keep: usize) -> usize {
    turns.saturating_sub(keep)
}

/// What the older turns left. The turns of the window speak for what they defined themselves, so
/// a host's memory is shown without those names when the older turns don't know theirs.
pub fn memory_of_older(view: &mut View<'_>, older: usize) -> Option<Memory> {
    let given = view.memory.clone();
    if older == view.history.len() {
        return given;
    }
    if let Some(memory) = view.history.memory_after(older) {
        return Some(memory);
    }
    let given = given?;
    let mut before = None;
    let mut later = Vec::new();
    for index in 0..view.history.len() {
        let slot = view.history.slot_mut(index);
        let defined = slot.defined(before.as_ref());
        before = slot.turn.memory().cloned().or(before);
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
