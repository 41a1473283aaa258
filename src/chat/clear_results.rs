//! The strategy that replaces old tool results with stubs.

use std::cell::Cell;
use std::rc::Rc;

use super::accounting::Counts;
use super::fate::{Fate, Stub};
use super::history::History;
use super::message::{ChatMessage, Part};
use super::parameters::Strategy;
use crate::value::Str;

/// Replaces all but the last `keep` results with stubs, where the stub is shorter and the message may be changed; none when
/// fewer than `at_least` tokens would be saved.
pub(super) fn clear_results(history: &mut History, keep: usize, at_least: usize, counts: &mut Counts) {
    let name = Strategy::ClearToolResults { keep, at_least }.name();
    let (mut seen, mut saved) = (0, 0);
    let mut cleared = Vec::new();
    for (index, slot) in history.slots.iter().enumerate().rev() {
        let results: Vec<_> = slot.message.results().enumerate().collect();
        let mut stubs = Vec::new();
        for (result, (tool, text, media)) in results.into_iter().rev() {
            seen += 1;
            if seen <= keep || !slot.is_free() {
                continue;
            }
            let stub = stub_text(tool);
            if counts.text(&stub) < counts.result(text, media) {
                stubs.insert(0, Stub { result, text: stub });
            }
        }
        if !stubs.is_empty() {
            let message = Rc::new(with_stubs(&slot.message, &stubs));
            let tokens = counts.message(&message);
            saved += slot.tokens.saturating_sub(tokens);
            cleared.push((index, message, tokens, stubs));
        }
    }
    if saved < at_least {
        return;
    }
    for (index, message, tokens, stubs) in cleared {
        let slot = &mut history.slots[index];
        (slot.message, slot.tokens, slot.stubs) = (message, tokens, stubs);
        slot.fate = Fate::Stubbed;
        slot.strategy = Some(name.clone());
    }
}

fn stub_text(tool: &str) -> Str {
    let of = if tool.is_empty() { "" } else { " of " };
    format!("[an old result{of}{tool}, cleared]").into()
}

/// A copy of the message with stubs in place of some results.
pub(super) fn with_stubs(message: &ChatMessage, stubs: &[Stub]) -> ChatMessage {
    let mut message = ChatMessage { tokens: Cell::default(), ..message.clone() };
    let results = message.parts.iter_mut().filter_map(|part| match part {
        Part::Result { text, media, .. } => Some((text, media)),
        _ => None,
    });
    for (index, (text, media)) in results.enumerate() {
        if let Some(stub) = stubs.iter().find(|stub| stub.result == index) {
            (*text, *media) = (stub.text.clone(), 0);
        }
    }
    message
}
