//! Writes a selection: messages with their sections, statistics, and the list of omitted items.

use crate::message::{Message, Role, SectionKind};
use crate::turn::Turn;
use crate::unicode::width;

use super::calls::{NO_CALLS, call_line, call_text, failed_call_line, rest_line};
use super::definitions::{Definition, Origin, definition};
use super::items::{Content, Item, TurnSelection, reason};
use super::message_builder::MessageBuilder;
use super::options::{Limits, RenderOptions, Strategy};
use super::prefix::{stable_prefix, system_message};
use super::prints::left_out_line;
use super::selection::{DynamicSections, Selection};
use super::text::{sample, shortened, turns_left, within_line};
use super::turn_text::{attempt, error_text, reply_text, result_text};

/// How much of a history is shown. Each total is the number shown plus the number omitted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// The strategy's name; none without a strategy.
    pub strategy: Option<&'static str>,
    /// Turns that are folded or summarized, not shown as they were.
    pub turns_compressed: usize,
    /// Calls of all turns.
    pub tool_calls_total: usize,
    /// Calls that are shown.
    pub tool_calls_shown: usize,
    /// Prints of all turns.
    pub prints_total: usize,
    /// Prints that are shown.
    pub prints_shown: usize,
    /// Failed turns whose error is not shown.
    pub errors_collapsed: usize,
}

/// An item of the history that the messages omit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dropped {
    /// The kind of the item.
    pub kind: DroppedKind,
    /// Index of its turn; none for a sample of a name that no turn defined.
    pub turn: Option<usize>,
    /// The rule, one of [`reason`].
    pub reason: &'static str,
    /// The text that would have been shown.
    pub text: String,
}

/// The kinds of items that can be omitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DroppedKind {
    /// A `println`, or the end of one.
    Print,
    /// A tool call.
    ToolCall,
    /// The sample of a definition.
    Sample,
    /// A definition, or the docstring of one.
    Definition,
    /// The error of a failed turn.
    Error,
    /// A program.
    Program,
}

impl DroppedKind {
    /// The name that hosts see.
    pub fn name(self) -> &'static str {
        match self {
            DroppedKind::Print => "print",
            DroppedKind::ToolCall => "toolCall",
            DroppedKind::Sample => "sample",
            DroppedKind::Definition => "definition",
            DroppedKind::Error => "error",
            DroppedKind::Program => "program",
        }
    }
}

/// Writes the selections of any history that is rendered with these options.
#[derive(Debug)]
pub struct Writer {
    pub options: RenderOptions,
    system: Message,
    prefix: MessageBuilder,
}

impl Writer {
    pub fn new(mut options: RenderOptions) -> Writer {
        options.limits.journal = matches!(options.applied_strategy(), Some(Strategy::Journal(_)));
        Writer { system: system_message(&options), prefix: stable_prefix(&options), options }
    }

    /// The messages of a history of `all` turns, and the length in UTF-16 units of the last one without the part that
    /// follows all turns. `capacity` is the expected length of the first USER message in bytes.
    pub fn messages(&self, selection: &Selection<'_>, all: usize, capacity: usize) -> (Vec<Message>, usize) {
        let mut messages = Vec::with_capacity(2 + 2 * selection.turns.len());
        let mut user = self.prefix.clone_with_capacity(capacity);
        let mut done = 0;
        if let Some(sections) = &selection.folded {
            write_sections(&mut user, sections);
            done = sections.fold.turns();
        }
        messages.push(self.system.clone());
        for selected in &selection.turns {
            if selection.journal.is_none() {
                self.write_turns_left(&mut user, done, all);
            }
            messages.push(user.finish(Role::User));
            let (reply, feedback) = selected.pair.get_or_init(|| pair(selected, &self.options.limits));
            messages.push(reply.clone().finish(Role::Assistant));
            user = feedback.clone();
            done = selected.index + 1;
        }
        let repeated = user.len();
        for definition in selection.journal.iter().flat_map(|journal| &journal.definitions) {
            user.push_line(SectionKind::User, definition.turn, definition.line());
        }
        self.write_turns_left(&mut user, done, all);
        messages.push(user.finish(Role::User));
        (messages, repeated)
    }

    /// Length in UTF-16 units of the part of the first USER message that does not depend on turns.
    pub fn stable_length(&self) -> usize {
        self.prefix.len()
    }

    fn write_turns_left(&self, builder: &mut MessageBuilder, done: usize, all: usize) {
        let left = self.options.turns_left_after(done, all);
        builder.blank_line();
        builder.push(SectionKind::TurnsLeft, None, &turns_left(left).into());
    }

    pub fn stats(&self, selection: &Selection<'_>) -> Stats {
        let strategy = self.options.applied_strategy().map(|strategy| strategy.name());
        let mut stats = Stats { strategy, ..Stats::default() };
        if let Some(sections) = &selection.folded {
            stats.turns_compressed = sections.fold.turns();
            stats.tool_calls_total = sections.fold.calls_total();
            stats.tool_calls_shown = sections.calls.len();
            stats.prints_total = sections.fold.prints_total();
            stats.prints_shown = sections.prints.len();
            stats.errors_collapsed = sections.fold.failed() - usize::from(sections.error.is_some());
        }
        for selected in &selection.turns {
            let (calls, prints) = (selected.turn.tool_call_count(), selected.turn.print_count());
            stats.turns_compressed += usize::from(selected.is_summary());
            stats.tool_calls_total += calls;
            stats.tool_calls_shown += calls - selected.calls_omitted;
            stats.prints_total += prints;
            stats.prints_shown += prints - selected.prints_omitted;
        }
        stats
    }

    /// The omitted items: those of the folded turns, then those of single turns.
    pub fn dropped(&self, selection: &Selection<'_>) -> Vec<Dropped> {
        let mut dropped = Vec::new();
        if let Some(sections) = &selection.folded {
            for (index, item) in sections.omitted(&self.options.limits) {
                let turn = index.map(|index| &sections.fold.folded()[index].turn);
                dropped.extend(self.dropped_item(turn, index, &item));
            }
        }
        for selected in &selection.turns {
            for item in &selected.items {
                dropped.extend(self.dropped_item(Some(&selected.turn), Some(selected.index), item));
            }
        }
        dropped
    }

    fn dropped_item(&self, turn: Option<&Turn>, index: Option<usize>, item: &Item) -> Option<Dropped> {
        let (reason, limits) = (item.omitted?, &self.options.limits);
        let (kind, text) = match &item.content {
            Content::Definition(name, None) => (DroppedKind::Definition, name.to_string()),
            Content::Definition(name, Some(value)) => {
                let origin = turn.map_or_else(Origin::default, |turn| Origin::own(turn, index, (name, value), limits));
                let Definition { bare, full, .. } = definition(name, value, &origin, limits);
                (DroppedKind::Definition, full.unwrap_or(bare).text().to_owned())
            }
            Content::Sample(name, value) => {
                // A sample over the budget is listed as its line showed it, with hidden values replaced.
                let is_line = reason == reason::BUDGET;
                let sampled = if is_line { name } else { name.trim_start_matches('_') };
                let sample = sample(sampled, value, &limits.sample_options())?.text;
                let sample = if is_line { within_line(&sample) } else { (&*sample).into() };
                (DroppedKind::Sample, format!("{name} = {sample}"))
            }
            Content::ToolCall(position) => {
                (DroppedKind::ToolCall, call_text(turn?, turn?.tool_calls().get(*position)?, limits))
            }
            Content::Print(piece) => {
                let text = turn?.prints().get(piece.print)?.get(piece.bytes.clone())?;
                let is_line = reason == reason::BUDGET;
                (DroppedKind::Print, if is_line { shortened(text, limits.print_length) } else { text.to_owned() })
            }
            Content::Error => (DroppedKind::Error, error_text(turn?)),
            Content::Program => (DroppedKind::Program, turn?.program()?.to_owned()),
            // These are always shown.
            Content::Reply | Content::Result | Content::Seen(_) => return None,
        };
        Some(Dropped { kind, turn: index, reason, text })
    }
}

/// A turn as an assistant and a user message, without the turns left, which may change while the turn does not.
pub fn pair(selected: &TurnSelection, limits: &Limits) -> (MessageBuilder, MessageBuilder) {
    let (mut reply, mut feedback) = (MessageBuilder::default(), MessageBuilder::default());
    let (turn, at) = (&selected.turn, Some(selected.index));
    let (mut begun, mut has_rest, mut left_out) = (None, false, 0);
    for item in &selected.items {
        // The header of a section of calls or prints says how many of them are shown.
        if let Some((kind, omitted, total)) = selected.listed(item)
            && begun.replace(kind) != Some(kind)
        {
            let shown = total - omitted;
            // The rest of the calls of a failed turn, which are not in order, is counted by a line of its own, and so is
            // the middle of an output.
            let is_rest = if kind == SectionKind::ToolCalls { !turn.is_success() } else { limits.journal };
            has_rest = kind == SectionKind::ToolCalls && is_rest && shown > 0 && omitted > 0;
            feedback.begin_section(kind, shown, if is_rest && shown > 0 { shown } else { total });
        }
        if item.omitted.is_some() {
            match &item.content {
                Content::ToolCall(_) if std::mem::take(&mut has_rest) => {
                    feedback.push_line(SectionKind::ToolCalls, at, &rest_line(selected.calls_omitted).into());
                }
                Content::Print(piece) if limits.journal => left_out += width(piece.text(turn)),
                _ => {}
            }
            continue;
        }
        match &item.content {
            Content::Reply => reply.push(SectionKind::Program, at, &reply_text(turn).into()),
            Content::Program => reply.push(SectionKind::Program, at, &attempt(turn).into()),
            Content::Definition(name, Some(value)) => {
                let definition = definition(name, value, &Origin::own(turn, at, (name, value), limits), limits);
                feedback.push_line(SectionKind::User, at, definition.line());
            }
            Content::Seen(definition) => feedback.push_line(SectionKind::User, at, definition.line()),
            Content::ToolCall(position) => {
                let call = &turn.tool_calls()[*position];
                let line =
                    if turn.is_success() { call_line(turn, call, limits) } else { failed_call_line(call, limits) };
                feedback.push_line(SectionKind::ToolCalls, at, &line.into());
            }
            Content::Print(piece) => {
                if left_out > 0 {
                    feedback.push_line(SectionKind::Output, at, &left_out_line(left_out).into());
                    left_out = 0;
                }
                feedback.push_line(SectionKind::Output, at, &piece.line(turn).into());
            }
            Content::Error => {
                feedback.blank_line();
                feedback.push(SectionKind::Error, at, &error_text(turn).into());
            }
            Content::Result => {
                feedback.blank_line();
                feedback.push(SectionKind::Feedback, at, &result_text(turn, limits).into());
            }
            // Within the line of the definition.
            Content::Definition(_, None) | Content::Sample(..) => {}
        }
    }
    (reply, feedback)
}

/// Writes all sections except the turns left, in order, with a blank line before each. Empty ones are omitted; the
/// section of calls is replaced by one line when no turn made a call.
fn write_sections(builder: &mut MessageBuilder, sections: &DynamicSections<'_>) {
    for shown in &sections.definitions {
        builder.push_line(SectionKind::User, shown.definition.turn, shown.line());
    }
    if sections.fold.calls_total() == 0 {
        builder.blank_line();
        builder.push_ascii(SectionKind::ToolCalls, NO_CALLS);
    }
    let [(_, calls, all_calls), (_, prints, all_prints)] = sections.listed();
    builder.begin_section(SectionKind::ToolCalls, calls, all_calls);
    for call in &sections.calls {
        builder.push_line(SectionKind::ToolCalls, Some(call.turn), call.line);
    }
    if let (Some(rest), _) = sections.rest_of_calls() {
        builder.push_line(SectionKind::ToolCalls, None, rest);
    }
    builder.begin_section(SectionKind::Output, prints, all_prints);
    for print in &sections.prints {
        builder.push_line(SectionKind::Output, Some(print.turn), print.line);
    }
    if let Some((turn, block)) = &sections.error {
        builder.blank_line();
        builder.push(SectionKind::Error, Some(*turn), block);
    }
}
