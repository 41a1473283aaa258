//! All turns in one USER message: `[SYSTEM, USER]` (ARC-005, MSG-001, MSG-002).

use crate::message::{Message, Role};
use crate::turn::Memory;

use super::changing::Changing;
use super::view::{View, Written};

/// The SYSTEM message, and the fold of every turn.
pub fn render(view: &mut View<'_>) -> Written {
    let turns = view.history.len();
    let memory = view.memory.clone();
    let messages = vec![view.system_message(), folded_message(view, turns, memory)];
    messages.into()
}

/// The USER message that the first `turns` of the history come to. `memory` is what they left;
/// none: what the last of them left.
pub fn folded_message(view: &mut View<'_>, turns: usize, memory: Option<Memory>) -> Message {
    let mut page = view.prefix.with_room(view.room);
    changing(view, turns, memory).write(&mut page);
    page.finish(Role::User)
}

/// What of that message turns change.
pub fn changing<'a>(view: &'a mut View<'_>, turns: usize, memory: Option<Memory>) -> Changing<'a> {
    let limits = &view.options.limits;
    let left = view.options.turns_left_after(turns, view.history.len());
    let fold = view.history.fold(turns, limits);
    let definitions = match memory.as_ref().or(fold.memory()) {
        Some(memory) => view.lines.of_memory(memory, &fold, limits),
        None => Vec::new(),
    };
    Changing::new(&fold, definitions, left, limits)
}
