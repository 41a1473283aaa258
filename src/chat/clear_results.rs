//! The strategy that replaces old tool results with stubs.

use std::cell::Cell;
use std::rc::Rc;

use super::accounting::Counts;
use super::fate::{Fate, Stub};
use super::history::History;
use super::message::{ChatMessage, Part};
use super::names::names_in;
use crate::value::Str;

/// Which results are cleared.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clearing {
    /// How many of the last results stay.
    pub keep: usize,
    /// The least tokens that are saved at once; otherwise nothing is cleared.
    pub at_least: usize,
    /// How many names of a result its stub lists.
    pub names: usize,
}

/// Replaces results with stubs, where the stub is shorter and the message may be changed.
pub(super) fn clear_results(history: &mut History, strategy: &Str, clearing: Clearing, counts: &mut Counts) {
    let Clearing { keep, at_least, names } = clearing;
    let (mut seen, mut saved) = (0, 0);
    let mut cleared = Vec::new();
    for (index, slot) in history.slots.iter().enumerate().rev() {
        let results: Vec<_> = slot.message.results().enumerate().collect();
        let mut stubs = Vec::new();
        for (result, (tool, text, media)) in results.into_iter().rev() {
            seen += 1;
            if seen <= keep || !slot.is_free() || is_stub(text) {
                continue;
            }
            let stub = stub_text(tool, &names_in(text, names));
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
        slot.strategy = Some(strategy.clone());
    }
}

fn stub_text(tool: &str, names: &[&str]) -> Str {
    let of = if tool.is_empty() { "" } else { " of " };
    let in_it = if names.is_empty() { "" } else { "; names in it: " };
    format!("[an old result{of}{tool}, cleared{in_it}{}]", names.join(", ")).into()
}

/// True for a note of [`stub_text`], which stays as it is: what was sent must not change again.
fn is_stub(text: &str) -> bool {
    text.starts_with("[an old result") && text.ends_with(']') && text.contains(", cleared")
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
