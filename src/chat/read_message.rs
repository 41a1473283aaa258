//! Reads messages from values.

use super::message::{ChatMessage, Part, Summary, take_content};
use crate::value::{Map, Str, Value, hash_text, write_json};

/// Types of parts whose data is not text.
const MEDIA: [&str; 14] = [
    "image",
    "image_url",
    "image-url",
    "image-data",
    "input_image",
    "file",
    "file-url",
    "file-data",
    "input_file",
    "audio",
    "input_audio",
    "video",
    "document",
    "media",
];

/// Makes hashes of media differ from other hashes of texts.
const MEDIA_SEED: u64 = 103;

impl ChatMessage {
    /// Reads a message from a map with keyword keys. Returns None when the map does not describe one.
    ///
    /// Members: `role`, `content` (a text, parts, or nil), `name`, `toolCalls`, `toolCallId`, `toolName`, `timestamp` (a
    /// number), `pinned`, `summary`, `unit` (a number).
    pub fn read(value: &Value) -> Option<ChatMessage> {
        let Value::Map(members) = value else { return None };
        let mut message = ChatMessage::text(&text(members, "role")?, "");
        message.name = text(members, "name");
        let content = members.get_keyword("content").unwrap_or(&Value::Nil);
        message.parts = parts(content);
        if let Some(id) = text(members, "toolCallId") {
            message.answer(id, text(members, "toolName").or(text(members, "name")).unwrap_or_default());
        }
        if let Some(Value::Vector(calls)) = members.get_keyword("toolCalls") {
            for call in calls.iter() {
                let Value::Map(call) = call else { return None };
                message.parts.push(call_part(call, "id", "name", "args"));
            }
        }
        if message.parts.iter().any(Part::has_media) {
            message.media_hash = Some(hash_text(MEDIA_SEED, &json(content)));
        }
        message.at = match members.get_keyword("timestamp") {
            Some(Value::Int(at)) => Some(*at),
            Some(Value::Float(at)) => Some(*at as i64),
            _ => None,
        };
        message.unit = integer(members, "unit");
        message.is_pinned = matches!(members.get_keyword("pinned"), Some(Value::Bool(true)));
        if let Some(Value::Map(summary)) = members.get_keyword("summary") {
            let covers = integer(summary, "covers").and_then(|covers| usize::try_from(covers).ok()).unwrap_or(0);
            let followed = integer(summary, "followed").and_then(|followed| usize::try_from(followed).ok());
            let strategy = text(summary, "strategy").unwrap_or_default();
            message.summary = Some(Summary { covers, strategy, followed });
        }
        Some(message)
    }
}

fn text(members: &Map, name: &str) -> Option<Str> {
    members.get_keyword(name).and_then(Value::as_str).map(Str::from)
}

fn integer(members: &Map, name: &str) -> Option<i64> {
    match members.get_keyword(name) {
        Some(Value::Int(number)) => Some(*number),
        _ => None,
    }
}

fn parts(content: &Value) -> Vec<Part> {
    match content {
        Value::Nil => Vec::new(),
        Value::Str(text) => vec![Part::Text(text.clone())],
        Value::Vector(parts) => parts.iter().map(part).collect(),
        other => vec![Part::Other(json(other))],
    }
}

fn part(value: &Value) -> Part {
    let Value::Map(members) = value else { return Part::Other(json(value)) };
    let kind = text(members, "type").unwrap_or_default();
    match (&*kind, text(members, "text")) {
        ("text", Some(text)) => Part::Text(text),
        ("reasoning", Some(text)) => Part::Reasoning(text),
        ("tool-call", _) => call_part(members, "toolCallId", "toolName", "input"),
        ("tool-result", _) => {
            let id = text(members, "toolCallId").unwrap_or_default();
            let name = text(members, "toolName").unwrap_or_default();
            let (text, media) = output(members.get_keyword("output").unwrap_or(&Value::Nil));
            Part::Result { id, name, text, media }
        }
        (kind, _) if MEDIA.contains(&kind) => Part::Media(kind.into()),
        _ => Part::Other(json(value)),
    }
}

/// Reads a call. `id`, `name` and `args` are the names of its members.
fn call_part(members: &Map, id: &str, name: &str, args: &str) -> Part {
    let args = members.get_keyword(args).unwrap_or(&Value::Nil);
    // Arguments that are a text are as the model wrote them, which may not be JSON.
    let args = args.as_str().map_or_else(|| json(args), Str::from);
    Part::Call { id: text(members, id).unwrap_or_default(), name: text(members, name).unwrap_or_default(), args }
}

/// The result of a tool as text, and the number of images and files in it. `{type, value}` is read as its value.
fn output(value: &Value) -> (Str, usize) {
    match value {
        Value::Str(text) => (text.clone(), 0),
        Value::Vector(items) => take_content(&mut items.iter().map(part).collect()),
        Value::Map(members) if members.get_keyword("type").is_some() => match members.get_keyword("value") {
            Some(inner @ (Value::Str(_) | Value::Vector(_))) => output(inner),
            Some(inner) => (json(inner), 0),
            None => (json(value), 0),
        },
        other => (json(other), 0),
    }
}

fn json(value: &Value) -> Str {
    let mut text = String::new();
    match write_json(value, &mut text) {
        Ok(()) => text.into(),
        // Values that were read from JSON can be written as JSON.
        Err(_) => "null".into(),
    }
}
