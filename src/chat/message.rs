//! A message of a chat, with the members that strategies, limits and token counts need. The host keeps the others.

use std::cell::Cell;

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
}

/// The messages that a summary replaces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// How many messages it replaces. An earlier summary among them counts as the messages that it replaced.
    pub covers: usize,
    /// The strategy that asked for it.
    pub strategy: Str,
    /// How many messages followed it when it was made, when that is known.
    pub followed: Option<usize>,
}

/// A part of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Text.
    Text(Str),
    /// The thoughts of a model.
    Reasoning(Str),
    /// A call of a tool.
    Call {
        /// Empty when the provider gives none.
        id: Str,
        /// The tool.
        name: Str,
        /// The arguments as JSON.
        args: Str,
    },
    /// The result of a call.
    Result {
        /// The id of the call; empty when the provider gives none.
        id: Str,
        /// The name of the tool; empty when unknown.
        name: Str,
        /// The result as text.
        text: Str,
        /// The number of images and files in the result. The text has only their kinds.
        media: usize,
    },
    /// An image, a file or a recording: its kind, without the data.
    Media(Str),
    /// Any other part, as JSON.
    Other(Str),
}

impl Part {
    /// True for an image, a file or a recording, and for a result that contains one.
    pub fn has_media(&self) -> bool {
        matches!(self, Part::Media(_) | Part::Result { media: 1.., .. })
    }
}

impl ChatMessage {
    /// A message of one text.
    pub fn text(role: &str, text: impl Into<Str>) -> ChatMessage {
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
        }
    }

    /// Turns the content into the result of a call.
    pub fn answer(&mut self, id: Str, name: Str) {
        let (text, media) = take_content(&mut self.parts);
        self.parts.insert(0, Part::Result { id, name, text, media });
    }

    /// The content, when it is one text and nothing else has to be counted.
    pub fn only_text(&self) -> Option<&str> {
        match &*self.parts {
            [Part::Text(text) | Part::Result { text, media: 0, .. }] if self.name.is_none() => Some(text),
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

    /// True when it has calls or results.
    pub fn has_tools(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Call { .. } | Part::Result { .. }))
    }

    /// True when it has results.
    pub(super) fn has_results(&self) -> bool {
        self.results().next().is_some()
    }

    /// The results: tool, text, and the number of images and files.
    pub(super) fn results(&self) -> impl Iterator<Item = (&Str, &Str, usize)> {
        self.parts.iter().filter_map(|part| match part {
            Part::Result { name, text, media, .. } => Some((name, text, *media)),
            _ => None,
        })
    }

    /// True when its unit may have other messages.
    pub(super) fn shares_unit(&self) -> bool {
        self.unit.is_some() || self.has_tools()
    }

    /// True for a message of a user that is neither a summary nor has results.
    pub(super) fn is_question(&self) -> bool {
        *self.role == *"user" && self.summary.is_none() && !self.has_results()
    }

    /// How many original messages it counts for: those that it replaces when it is a summary, otherwise 1.
    pub(super) fn covers(&self) -> usize {
        self.summary.as_ref().map_or(1, |summary| summary.covers)
    }
}

/// Removes all parts except calls and results, and returns them as one text with the number of images and files.
pub(super) fn take_content(parts: &mut Vec<Part>) -> (Str, usize) {
    let (mut content, mut media) = (String::new(), 0);
    parts.retain(|part| {
        let text = match part {
            Part::Call { .. } | Part::Result { .. } => return true,
            Part::Text(text) | Part::Reasoning(text) | Part::Other(text) => text.clone(),
            Part::Media(kind) => {
                media += 1;
                format!("[{kind}]").into()
            }
        };
        content.push_str(if content.is_empty() { "" } else { "\n" });
        content.push_str(&text);
        false
    });
    (content.into(), media)
}
