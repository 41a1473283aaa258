//! A message of a chat, with the members that strategies, limits and token counts need. The host keeps the others.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

use super::fate::{Stub, StubbedPart};
use super::media::{MEDIA_TOKENS, NotedText};
use crate::arrival::Arrival;
use crate::value::Str;

/// One message.
#[derive(Clone, Debug)]
pub struct ChatMessage {
    /// Who speaks: `system`, `developer`, `user`, `assistant`, `tool`, or another name.
    pub role: Str,
    /// The name of the speaker.
    pub name: Option<Str>,
    /// The content, in order.
    pub parts: Vec<Part>,
    /// When it was sent, in milliseconds since 1970.
    pub at: Option<i64>,
    /// A pinned message is never summarised, dropped or changed.
    pub is_pinned: bool,
    /// The messages that it summarises, when it is a summary.
    pub summary: Option<Summary>,
    /// Adjacent messages with the same number stay together, as a call and its result do.
    pub unit: Option<i64>,
    /// A hash of the content with the data of its images and files; none without such data.
    pub media_hash: Option<u64>,
    /// The number of a counter, and the tokens of the content by that counter. No counter has the number 0.
    pub(super) tokens: Cell<(u32, u32)>,
    /// The message as it is sent, once that is known.
    pub(super) arrived: RefCell<Option<ArrivedMessage>>,
    /// What a strategy keeps with this message and those before it.
    pub(super) kept: Kept,
    /// The lines that a request with this message and those before it shows.
    pub(super) shown_lines: Kept,
}

/// A message with its results as they are sent from the first request on that has them.
#[derive(Clone, Debug)]
pub(super) struct ArrivedMessage {
    pub arrival: Arrival,
    /// The tools and the arguments of the calls of the results.
    pub calls: Vec<Option<(Str, Str)>>,
    /// The texts in place of results; empty when the message is sent as it is.
    pub forms: Rc<[Stub]>,
    /// The message with these texts; None when there are none.
    pub message: Option<Rc<ChatMessage>>,
}

/// Something that lasts as long as a message. A copy of the message is another message.
#[derive(Debug, Default)]
pub(super) struct Kept(pub RefCell<Option<Box<dyn Any>>>);

impl Kept {
    /// Takes it when it is of this type and fits.
    pub fn take_if<T: 'static>(&self, fits: impl Fn(&T) -> bool) -> Option<T> {
        let kept = self.0.borrow_mut().take_if(|kept| kept.downcast_ref().is_some_and(&fits))?;
        kept.downcast().ok().map(|kept| *kept)
    }
}

impl Clone for Kept {
    fn clone(&self) -> Kept {
        Kept::default()
    }
}

/// The messages that a summary replaces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// How many messages it replaces. An earlier summary among them counts as the messages that it replaced.
    pub covers: usize,
    /// The strategy that asked for it.
    pub strategy: Str,
    /// How many messages followed it when it was made, when that is known. Summaries count as the messages that they
    /// replaced.
    pub followed: Option<usize>,
    /// The tokens of the messages that it replaces, when they are known.
    pub tokens: Option<usize>,
}

/// A part of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Text.
    Text(NotedText),
    /// The thoughts of a model.
    Reasoning(NotedText),
    /// A call of a tool.
    Call {
        /// Empty when the provider gives none.
        id: Str,
        /// The tool.
        name: Str,
        /// The arguments as JSON.
        args: NotedText,
        /// True when the provider runs the tool.
        is_server: bool,
    },
    /// The result of a call.
    Result {
        /// The id of the call; empty when the provider gives none.
        id: Str,
        /// The name of the tool; empty when unknown.
        name: Str,
        /// The result as text, with notes in place of its images and files.
        text: NotedText,
        /// Whether the tool failed, or a person refused the call.
        outcome: ResultOutcome,
        /// True when the provider ran the tool. Such a result has a form of its own, and is never replaced by a text.
        is_server: bool,
    },
    /// A question to a person whether a call may run, or the answer.
    Approval(Approval),
    /// A summary that the provider made, which replaces everything before it in the provider's context.
    Compaction {
        /// What is counted of it.
        text: NotedText,
        /// True when messages of users before it are part of the context if nothing else is before it.
        keeps_users: bool,
    },
    /// An image, a file or a recording: its kind, without the data.
    Media(Str),
    /// Any other part, as JSON.
    Other(NotedText),
}

/// What a result says about its call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ResultOutcome {
    /// The tool returned it.
    #[default]
    Returned,
    /// The tool failed.
    Failed,
    /// A person or a policy refused the call.
    Denied,
}

impl ResultOutcome {
    /// The note in texts about the result; empty for a result that the tool returned.
    pub(super) fn note(self) -> &'static str {
        match self {
            ResultOutcome::Returned => "",
            ResultOutcome::Failed => " (it failed)",
            ResultOutcome::Denied => " (denied)",
        }
    }
}

/// A question to a person whether a call may run, or the answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Approval {
    /// The question.
    Request {
        /// The id of the question.
        id: Str,
        /// The id of the call; None when the question describes it.
        call: Option<Str>,
    },
    /// The answer.
    Response {
        /// The id of the question.
        id: Str,
        /// True when the call may run.
        is_approved: bool,
        /// Why; empty when unknown.
        reason: Str,
    },
}

impl Part {
    /// True for an image, a file or a recording, and for a text that contains one.
    pub fn has_media(&self) -> bool {
        match self {
            Part::Media(_) => true,
            Part::Text(text) | Part::Reasoning(text) | Part::Other(text) => text.media > 0,
            Part::Call { args: text, .. } | Part::Result { text, .. } | Part::Compaction { text, .. } => text.media > 0,
            Part::Approval(_) => false,
        }
    }
}

impl ChatMessage {
    /// A message of one text.
    pub fn text(role: &str, text: impl Into<NotedText>) -> ChatMessage {
        ChatMessage {
            role: role.into(),
            name: None,
            parts: vec![Part::Text(text.into())],
            at: None,
            is_pinned: false,
            summary: None,
            unit: None,
            media_hash: None,
            tokens: Cell::default(),
            arrived: RefCell::default(),
            kept: Kept::default(),
            shown_lines: Kept::default(),
        }
    }

    /// A copy with stubs in place of some parts.
    pub(super) fn with_stubs(&self, stubs: &[Stub]) -> ChatMessage {
        let mut message = ChatMessage { tokens: Cell::default(), arrived: RefCell::default(), ..self.clone() };
        let (mut results, mut calls) = (0, 0);
        for part in &mut message.parts {
            let (own, text) = match part {
                Part::Result { text, .. } => (StubbedPart::Result(results), text),
                Part::Call { args, .. } => (StubbedPart::Call(calls), args),
                _ => continue,
            };
            match own {
                StubbedPart::Result(_) => results += 1,
                StubbedPart::Call(_) => calls += 1,
            }
            if let Some(stub) = stubs.iter().find(|stub| stub.part == own) {
                *text = stub.text.clone().into();
            }
        }
        message
    }

    /// Turns the content into the result of a call.
    pub fn answer(&mut self, id: Str, name: Str, outcome: ResultOutcome) {
        let text = take_content(&mut self.parts);
        self.parts.insert(0, Part::Result { id, name, text, outcome, is_server: false });
    }

    /// The content, when it is one text and nothing else has to be counted.
    pub fn only_text(&self) -> Option<&str> {
        match &*self.parts {
            [Part::Text(text) | Part::Result { text, is_server: false, .. }]
                if text.media == 0 && self.name.is_none() =>
            {
                Some(text)
            }
            _ => None,
        }
    }

    /// True for instructions to the model, which no strategy touches.
    pub fn is_system(&self) -> bool {
        matches!(&*self.role, "system" | "developer")
    }

    /// True when the tokens by the counter of that number are known.
    pub fn is_counted(&self, counter: u32) -> bool {
        self.tokens.get().0 == counter
    }

    /// Stores the tokens of the content by the counter of that number.
    pub fn set_count(&self, counter: u32, tokens: u32) {
        self.tokens.set((counter, tokens));
    }

    /// True when it has calls of the host's tools, results of them, or approvals.
    pub fn has_tools(&self) -> bool {
        self.parts.iter().any(|part| match part {
            Part::Call { is_server, .. } | Part::Result { is_server, .. } => !is_server,
            part => matches!(part, Part::Approval(_)),
        })
    }

    /// True when a model has to answer it: when it has results of the host's tools, or decisions on calls.
    pub(super) fn has_results(&self) -> bool {
        self.parts.iter().any(|part| {
            matches!(part, Part::Result { is_server: false, .. } | Part::Approval(Approval::Response { .. }))
        })
    }

    /// The results.
    pub(super) fn results(&self) -> impl Iterator<Item = ResultPart<'_>> {
        self.parts.iter().filter_map(|part| match part {
            Part::Result { id, name, text, outcome, is_server } => {
                Some(ResultPart { id, name, text, outcome: *outcome, is_server: *is_server })
            }
            _ => None,
        })
    }

    /// The calls.
    pub(super) fn calls(&self) -> impl Iterator<Item = CallPart<'_>> {
        self.parts.iter().filter_map(|part| match part {
            Part::Call { id, name, args, is_server } => Some(CallPart { id, name, args, is_server: *is_server }),
            _ => None,
        })
    }

    /// True when it has a part that belongs to a part of another message, or may.
    pub(super) fn is_paired(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Call { .. } | Part::Result { .. } | Part::Approval(_)))
    }

    /// True when its unit may have other messages.
    pub(super) fn shares_unit(&self) -> bool {
        self.unit.is_some() || self.is_paired()
    }

    /// The index of its last part that is a summary of the provider.
    pub(super) fn compaction(&self) -> Option<usize> {
        self.parts.iter().rposition(|part| matches!(part, Part::Compaction { .. }))
    }

    /// True for a message of a user that is neither a summary nor has results.
    pub(super) fn is_question(&self) -> bool {
        *self.role == *"user" && self.summary.is_none() && !self.has_results()
    }

    /// True for messages of a model and for tool results. A request may not begin with one.
    pub(super) fn is_answer(&self) -> bool {
        (*self.role == *"assistant" && self.compaction().is_none()) || self.has_results()
    }

    /// How many original messages it counts for: those that it replaces when it is a summary, otherwise 1.
    pub(super) fn covers(&self) -> usize {
        self.summary.as_ref().map_or(1, |summary| summary.covers)
    }
}

/// A result in a message.
#[derive(Clone, Copy)]
pub(super) struct ResultPart<'m> {
    pub id: &'m Str,
    pub name: &'m Str,
    pub text: &'m NotedText,
    pub outcome: ResultOutcome,
    /// True when the provider ran the tool.
    pub is_server: bool,
}

/// A call in a message.
#[derive(Clone, Copy)]
pub(super) struct CallPart<'m> {
    pub id: &'m Str,
    pub name: &'m Str,
    /// The arguments as JSON.
    pub args: &'m NotedText,
    /// True when the provider runs the tool.
    pub is_server: bool,
}

/// Removes all parts except calls, results and approvals, and returns them as one text.
pub(super) fn take_content(parts: &mut Vec<Part>) -> NotedText {
    let mut content = String::new();
    let (mut media, mut media_tokens) = (0, 0);
    parts.retain(|part| {
        let text = match part {
            Part::Call { .. } | Part::Result { .. } | Part::Approval(_) => return true,
            Part::Text(text) | Part::Reasoning(text) | Part::Other(text) | Part::Compaction { text, .. } => {
                text.clone()
            }
            Part::Media(kind) => NotedText { media: 1, media_tokens: MEDIA_TOKENS, ..format!("[{kind}]").into() },
        };
        content.push_str(if content.is_empty() { "" } else { "\n" });
        content.push_str(&text);
        media += text.media;
        media_tokens += text.media_tokens;
        false
    });
    NotedText { media, media_tokens, ..content.into() }
}
