//! A message of a chat, as far as it matters for what becomes of it: whoever holds the message
//! keeps everything else of it.

use std::cell::Cell;

use crate::value::{Map, Str, Value, write_json};

/// One message.
#[derive(Clone, Debug)]
pub struct ChatMessage {
    /// Who speaks: `system`, `developer`, `user`, `assistant`, `tool`, or another name.
    pub role: Str,
    /// What the speaker is called, where that is said.
    pub name: Option<Str>,
    /// What it holds, in order.
    pub parts: Vec<Part>,
    /// When it was said, in milliseconds since 1970.
    pub at: Option<i64>,
    /// A pinned message is never summarised, dropped or changed.
    pub is_pinned: bool,
    /// Of a message that stands for others.
    pub summary: Option<Summary>,
    /// Messages side by side that have the same number stay together, as a call and its result do.
    pub unit: Option<i64>,
    /// Its tokens by the counter of that number, once counted.
    pub(super) tokens: Cell<(u32, u32)>,
}

/// What a summary stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// How many messages were said that it stands for.
    pub covers: usize,
    /// The strategy that had it made.
    pub strategy: Str,
}

/// A part of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// What is said.
    Text(Str),
    /// What a model thought.
    Reasoning(Str),
    /// A tool is called.
    Call {
        /// Empty where the provider gives none.
        id: Str,
        /// The tool.
        name: Str,
        /// JSON.
        args: Str,
    },
    /// A tool has answered.
    Result {
        /// The call that it answers; empty where the provider gives none.
        id: Str,
        /// The tool, as far as it is known.
        name: Str,
        /// What it gave.
        text: Str,
        /// How many images and files are in it, which the text only names.
        media: usize,
    },
    /// An image, a file, a recording: what it is. Its bytes are no text.
    Media(Str),
    /// Whatever else there is, as JSON.
    Other(Str),
}

const MEDIA: &str = "image image_url image-url image-data input_image file file-url file-data input_file audio input_audio video document media";

impl ChatMessage {
    /// A message that says something.
    pub fn text(role: &str, text: impl Into<Str>) -> ChatMessage {
        ChatMessage {
            role: role.into(),
            name: None,
            parts: vec![Part::Text(text.into())],
            at: None,
            is_pinned: false,
            summary: None,
            unit: None,
            tokens: Cell::default(),
        }
    }

    /// The message that a value describes, whose keys are keywords; None when it describes none.
    ///
    /// Members: `role`, `content` (a text, parts, or nil), `name`, `toolCalls`, `toolCallId`, `timestamp` (a number),
    /// `pinned`, `summary`, `unit` (a number).
    pub fn read(value: &Value) -> Option<ChatMessage> {
        let Value::Map(members) = value else { return None };
        let text = |name: &str| members.get_keyword(name).and_then(Value::as_str).map(Str::from);
        let mut message = ChatMessage::text(&text("role")?, "");
        message.name = text("name");
        message.parts = parts(members.get_keyword("content").unwrap_or(&Value::Nil));
        if let Some(id) = text("toolCallId") {
            message.answer(id, text("toolName").or(text("name")).unwrap_or_default());
        }
        if let Some(Value::Vector(calls)) = members.get_keyword("toolCalls") {
            for call in calls.iter() {
                let Value::Map(call) = call else { return None };
                message.parts.push(call_part(call, "id", "name", "args"));
            }
        }
        message.at = match members.get_keyword("timestamp") {
            Some(Value::Int(at)) => Some(*at),
            Some(Value::Float(at)) => Some(*at as i64),
            _ => None,
        };
        message.unit = match members.get_keyword("unit") {
            Some(Value::Int(unit)) => Some(*unit),
            _ => None,
        };
        message.is_pinned = matches!(members.get_keyword("pinned"), Some(Value::Bool(true)));
        if let Some(Value::Map(summary)) = members.get_keyword("summary") {
            let covers = match summary.get_keyword("covers") {
                Some(Value::Int(covers)) => usize::try_from(*covers).unwrap_or(0),
                _ => 0,
            };
            let strategy = summary.get_keyword("strategy").and_then(Value::as_str).unwrap_or_default();
            message.summary = Some(Summary { covers, strategy: strategy.into() });
        }
        Some(message)
    }

    /// Makes what it says the answer to a call.
    pub fn answer(&mut self, id: Str, name: Str) {
        let (text, media) = said(&mut self.parts);
        self.parts.insert(0, Part::Result { id, name, text, media });
    }

    /// The one text that has to be counted, when there is nothing else.
    pub fn only_text(&self) -> Option<&str> {
        match &*self.parts {
            [Part::Text(text) | Part::Result { text, media: 0, .. }] if self.name.is_none() => Some(text),
            _ => None,
        }
    }

    /// True for what instructs the model, which no strategy touches (FR-005).
    pub fn is_system(&self) -> bool {
        matches!(&*self.role, "system" | "developer")
    }

    /// True when what it holds was counted by the counter of that number.
    pub fn is_counted(&self, counter: u32) -> bool {
        self.tokens.get().0 == counter
    }

    /// Keeps what the counter of that number says about all that it holds.
    pub fn set_count(&self, counter: u32, tokens: u32) {
        self.tokens.set((counter, tokens));
    }

    /// True when it calls a tool or answers a call.
    pub fn has_tools(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Call { .. } | Part::Result { .. }))
    }

    /// True when it may belong to other messages.
    pub(super) fn is_bound(&self) -> bool {
        self.unit.is_some() || self.has_tools()
    }

    /// True when a user says something, which a model answers.
    pub(super) fn is_question(&self) -> bool {
        *self.role == *"user" && self.summary.is_none() && !self.has_results()
    }

    /// True for a message with results of calls.
    pub(super) fn has_results(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Result { .. }))
    }

    /// How many messages were said that it stands for: itself, when it is no summary.
    pub(super) fn stands_for(&self) -> usize {
        self.summary.as_ref().map_or(1, |summary| summary.covers)
    }

    /// The same with some of its results replaced: places among its results, and what stands there.
    pub(super) fn with_stubs(&self, stubs: &[(usize, Str)]) -> ChatMessage {
        let mut message = self.clone();
        message.tokens = Cell::default();
        let mut place = 0;
        for part in &mut message.parts {
            if let Part::Result { text, media, .. } = part {
                if let Some((_, stub)) = stubs.iter().find(|(at, _)| *at == place) {
                    (*text, *media) = (stub.clone(), 0);
                }
                place += 1;
            }
        }
        message
    }
}

/// What stands in the place of a result that was cleared.
pub(super) fn stub(tool: &str) -> Str {
    let of = if tool.is_empty() { "" } else { " of " };
    format!("[an old result{of}{tool}, cleared]").into()
}

fn parts(content: &Value) -> Vec<Part> {
    match content {
        Value::Nil => Vec::new(),
        Value::Str(text) => vec![Part::Text(text.clone())],
        Value::Vector(parts) => parts.iter().map(part).collect(),
        other => vec![Part::Other(json(other).into())],
    }
}

fn part(value: &Value) -> Part {
    let Value::Map(members) = value else { return Part::Other(json(value).into()) };
    let text = |name: &str| members.get_keyword(name).and_then(Value::as_str).map(Str::from);
    let kind = text("type").unwrap_or_default();
    match (&*kind, text("text")) {
        ("text", Some(text)) => Part::Text(text),
        ("reasoning", Some(text)) => Part::Reasoning(text),
        ("tool-call", _) => call_part(members, "toolCallId", "toolName", "input"),
        ("tool-result", _) => {
            let (given, media) = output(members.get_keyword("output").unwrap_or(&Value::Nil));
            let (id, name) = (text("toolCallId").unwrap_or_default(), text("toolName").unwrap_or_default());
            Part::Result { id, name, text: given, media }
        }
        _ if MEDIA.split(' ').any(|word| word == &*kind) => Part::Media(kind),
        _ => Part::Other(json(value).into()),
    }
}

fn call_part(members: &Map, id: &str, name: &str, args: &str) -> Part {
    let text = |name: &str| members.get_keyword(name).and_then(Value::as_str).map(Str::from);
    let args = members.get_keyword(args).unwrap_or(&Value::Nil);
    // Arguments that are no JSON are kept as they were written.
    let args = args.as_str().map_or_else(|| json(args).into(), Str::from);
    Part::Call { id: text(id).unwrap_or_default(), name: text(name).unwrap_or_default(), args }
}

/// A tool's answer as text, and how many images and files are in it: `{type, value}` by its value, parts by their texts.
fn output(value: &Value) -> (Str, usize) {
    match value {
        Value::Str(text) => (text.clone(), 0),
        Value::Vector(items) => said(&mut items.iter().map(part).collect()),
        Value::Map(members) if members.get_keyword("type").is_some() => match members.get_keyword("value") {
            Some(inner @ (Value::Str(_) | Value::Vector(_))) => output(inner),
            Some(inner) => (json(inner).into(), 0),
            None => (json(value).into(), 0),
        },
        other => (json(other).into(), 0),
    }
}

/// Takes out of `parts` what is said: everything but calls and results.
fn said(parts: &mut Vec<Part>) -> (Str, usize) {
    let (mut said, mut media) = (String::new(), 0);
    parts.retain(|part| {
        let text = match part {
            Part::Call { .. } | Part::Result { .. } => return true,
            Part::Text(text) | Part::Reasoning(text) | Part::Other(text) => text.clone(),
            Part::Media(kind) => {
                media += 1;
                format!("[{kind}]").into()
            }
        };
        said.push_str(if said.is_empty() { "" } else { "\n" });
        said.push_str(&text);
        false
    });
    (said.into(), media)
}

fn json(value: &Value) -> String {
    let mut text = String::new();
    match write_json(value, &mut text) {
        Ok(()) => text,
        // Nothing that was JSON has no JSON.
        Err(_) => String::from("null"),
    }
}
