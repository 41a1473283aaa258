//! What a strategy renders from, and what it gives back.

use crate::message::{Message, Role, SectionKind};
use crate::turn::Memory;

use super::budget::{Budget, Counts};
use super::definitions::DefinitionLines;
use super::fold::History;
use super::options::RenderOptions;
use super::page::Page;
use super::text::turns_left;

/// The history, what was worked out about it before, and the options.
#[derive(Debug)]
pub struct View<'a> {
    pub options: &'a RenderOptions,
    /// The SYSTEM message, written.
    pub system: &'a Page,
    /// The mission, tools, data and expected output, written.
    pub prefix: &'a Page,
    pub history: &'a mut History,
    pub lines: &'a mut DefinitionLines,
    pub counts: &'a mut Counts,
    /// Bytes of the message before that turns change: the next one will be about as long.
    pub room: usize,
    /// The memory that the host gave; none: the last turn's.
    pub memory: Option<Memory>,
}

/// What a strategy wrote.
#[derive(Debug)]
pub struct Written {
    pub messages: Vec<Message>,
    /// How the budget was met, where the strategy has one.
    pub budget: Option<Budget>,
    /// Prints and calls that the budget left out, beyond those over their limits.
    pub prints_gone: usize,
    pub calls_gone: usize,
}

impl From<Vec<Message>> for Written {
    fn from(messages: Vec<Message>) -> Written {
        Written { messages, budget: None, prints_gone: 0, calls_gone: 0 }
    }
}

impl View<'_> {
    pub fn system_message(&self) -> Message {
        self.system.clone().finish(Role::System)
    }

    /// The USER message before any turn: what a strategy that shows turns one by one begins with.
    pub fn first_message(&self) -> Message {
        let mut page = self.prefix.clone();
        page.blank_line();
        let left = self.options.turns_left_after(0, self.history.len());
        page.write(SectionKind::TurnsLeft, None, &turns_left(left).into());
        page.finish(Role::User)
    }

    /// A turn as two messages; the second one ends with the turns that were left after it.
    pub fn append_pair(&self, index: usize, pair: &(Page, Page), messages: &mut Vec<Message>) {
        let (reply, feedback) = pair;
        let left = self.options.turns_left_after(index + 1, self.history.len());
        let mut user = feedback.clone();
        user.blank_line();
        user.write(SectionKind::TurnsLeft, None, &turns_left(left).into());
        messages.push(reply.clone().finish(Role::Assistant));
        messages.push(user.finish(Role::User));
    }
}
