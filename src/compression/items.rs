//! The items of a turn, and which of them a message omits.

use std::cell::OnceCell;
use std::rc::Rc;

use crate::message::SectionKind;
use crate::turn::Turn;
use crate::value::{Str, Value};

use super::definitions::{Definition, SampleSize};
use super::message_builder::MessageBuilder;
use super::prints::Piece;

/// The rules by which items are omitted.
pub mod reason {
    /// Programs are replaced by their effects.
    pub const COMPRESSED: &str = "compressed";
    /// There are newer prints than the limit allows.
    pub const PRINTLN_LIMIT: &str = "println_limit";
    /// The part of a print that is too long.
    pub const PRINT_LENGTH: &str = "print_length";
    /// There are more calls than the limit allows.
    pub const TOOL_CALL_LIMIT: &str = "tool_call_limit";
    /// A print in the middle of a long output, in a journal.
    pub const OUTPUT_LENGTH: &str = "output_length";
    /// Output of a turn that failed, unless it is the last.
    pub const FAILED_TURN: &str = "failed_turn";
    /// The error of a turn, when the last turn succeeded.
    pub const RECOVERED: &str = "recovered";
    /// The error of a turn, when a later turn failed too.
    pub const LATER_ERROR: &str = "later_error";
    /// A later turn defined the name again.
    pub const REDEFINED: &str = "redefined";
    /// The name is not in the memory that is shown.
    pub const NOT_IN_MEMORY: &str = "not_in_memory";
    /// The turn that defined the name printed: the output replaces the sample.
    pub const TURN_PRINTED: &str = "turn_printed";
    /// The name begins with `_`.
    pub const HIDDEN: &str = "hidden";
    /// The token budget is spent.
    pub const BUDGET: &str = "budget";
}

/// One thing in a turn that a message can show.
#[derive(Clone, Debug)]
pub enum Content {
    /// The model's reply, which contains the program.
    Reply,
    Program,
    /// A name and its value; none when the turn's memory lacks it.
    Definition(Str, Option<Value>),
    /// What was seen of the results of a tool.
    Seen(Rc<Definition>),
    /// The sample in the line of a definition.
    Sample(Str, Value),
    /// A tool call, by its index in the turn.
    ToolCall(usize),
    /// A print, or a part of one that is too long.
    Print(Piece),
    Error,
    Result,
}

/// An item, shown or omitted for a reason.
#[derive(Clone, Debug)]
pub struct Item {
    pub content: Content,
    /// One of [`reason`]; none for an item that is shown.
    pub omitted: Option<&'static str>,
}

impl Item {
    pub fn shown(content: Content) -> Item {
        Item { content, omitted: None }
    }

    pub fn omitted(content: Content, reason: &'static str) -> Item {
        Item { content, omitted: Some(reason) }
    }
}

/// The reason for omitting the sample of a name. None when the sample is shown, or when the value has none.
pub fn omitted_sample(name: &str, value: &Value, size: SampleSize) -> Option<&'static str> {
    match value {
        Value::Closure(_) => None,
        value if value.is_nil_or_empty() => None,
        _ if size == SampleSize::None => Some(reason::TURN_PRINTED),
        _ => name.starts_with('_').then_some(reason::HIDDEN),
    }
}

/// True when no definition or print of a turn shows its result. A result of nil counts only for the newest turn, and
/// only when that turn had no effect at all.
pub fn is_unnamed(turn: &Turn, defined: &[Str], is_newest: bool) -> bool {
    let is_shown = !turn.is_success() || !defined.is_empty() || turn.print_count() > 0;
    !is_shown
        && match turn.result() {
            Value::Var(_) => false,
            Value::Nil => is_newest && turn.tool_call_count() == 0,
            _ => true,
        }
}

/// What two messages show of a single turn. Calls and prints without an item are part of the reply that is shown.
#[derive(Debug)]
pub struct TurnSelection {
    /// Index of the turn.
    pub index: usize,
    pub turn: Turn,
    /// In the order in which they are shown.
    pub items: Vec<Item>,
    calls: usize,
    pub calls_omitted: usize,
    pub prints_omitted: usize,
    /// The assistant and the user message without the turns left, once they were written.
    pub pair: OnceCell<(MessageBuilder, MessageBuilder)>,
}

impl TurnSelection {
    pub fn new(index: usize, turn: Turn, items: Vec<Item>) -> TurnSelection {
        let (mut calls, mut calls_omitted, mut prints_omitted) = (0, 0, 0);
        for Item { content, omitted } in &items {
            match content {
                Content::ToolCall(_) => {
                    calls += 1;
                    calls_omitted += usize::from(omitted.is_some());
                }
                // Of a print that is too long, a part is shown.
                Content::Print(_) if omitted.is_some_and(|reason| reason != reason::PRINT_LENGTH) => {
                    prints_omitted += 1
                }
                _ => {}
            }
        }
        TurnSelection { index, turn, items, calls, calls_omitted, prints_omitted, pair: OnceCell::new() }
    }

    /// The section of calls or prints that an item is in, with how many of these are omitted, and of how many.
    pub fn listed(&self, item: &Item) -> Option<(SectionKind, usize, usize)> {
        match item.content {
            Content::ToolCall(_) => Some((SectionKind::ToolCalls, self.calls_omitted, self.calls)),
            Content::Print(_) => Some((SectionKind::Output, self.prints_omitted, self.turn.print_count())),
            _ => None,
        }
    }

    /// True when the turn is shown as a summary of its program's effects, false when it is shown as it was.
    pub fn is_summary(&self) -> bool {
        self.items.first().is_some_and(|item| matches!(item.content, Content::Program))
    }
}
