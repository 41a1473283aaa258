//! Reads messages from values.

use super::media::NotedText;
use super::message::{Approval, ChatMessage, Part, ResultOutcome, Summary, take_content};
use crate::value::{Map, Str, Value, hash_text, write_json};

/// Types of parts whose data is not text.
const MEDIA: [&str; 16] = [
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
    "computer_screenshot",
    "reasoning-file",
];

/// Makes hashes of media differ from other hashes of texts.
const MEDIA_SEED: u64 = 103;

impl ChatMessage {
    /// Reads a message from a map with keyword keys. Returns None when the map does not describe one.
    ///
    /// Members: `role`, `content` (a text, parts, or nil), `name`, `toolCalls`, `toolCallId`, `toolName`, `isError`,
    /// `isDenied`, `timestamp` (a number), `pinned`, `summary`, `unit` (a number).
    pub fn read(value: &Value) -> Option<ChatMessage> {
        let Value::Map(members) = value else { return None };
        let mut message = ChatMessage::text(&text(members, "role")?, "");
        message.name = text(members, "name");
        let content = members.get_keyword("content").unwrap_or(&Value::Nil);
        message.parts = parts(content);
        if let Some(id) = text(members, "toolCallId") {
            let outcome = match (flag(members, "isDenied"), flag(members, "isError")) {
                (true, _) => ResultOutcome::Denied,
                (_, true) => ResultOutcome::Failed,
                _ => ResultOutcome::Returned,
            };
            message.answer(id, text(members, "toolName").or(text(members, "name")).unwrap_or_default(), outcome);
        }
        if let Some(Value::Vector(calls)) = members.get_keyword("toolCalls") {
            for call in calls.iter() {
                let Value::Map(call) = call else { return None };
                message.parts.push(call_part(call, "id", "name", "args", false));
            }
        }
        if *message.role == *"assistant" {
            mark_server_results(&mut message.parts);
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
        message.is_pinned = flag(members, "pinned");
        if let Some(Value::Map(summary)) = members.get_keyword("summary") {
            let count = |name| integer(summary, name).and_then(|count| usize::try_from(count).ok());
            let (followed, tokens) = (count("followed"), count("tokens"));
            let strategy = text(summary, "strategy").unwrap_or_default();
            message.summary = Some(Summary { covers: count("covers").unwrap_or(0), strategy, followed, tokens });
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

fn flag(members: &Map, name: &str) -> bool {
    matches!(members.get_keyword(name), Some(Value::Bool(true)))
}

/// Marks results in a message of a model as results of tools that the provider ran, unless the message has the call and
/// that is a call of the host's tools.
fn mark_server_results(parts: &mut [Part]) {
    let own = parts.iter().filter_map(|part| match part {
        Part::Call { id, is_server: false, .. } => Some(id.clone()),
        _ => None,
    });
    let own: Vec<Str> = own.collect();
    for part in parts {
        if let Part::Result { id, is_server, .. } = part {
            *is_server |= !own.contains(id);
        }
    }
}

fn parts(content: &Value) -> Vec<Part> {
    match content {
        Value::Nil => Vec::new(),
        Value::Str(text) => vec![Part::Text(NotedText::of(text.clone()))],
        Value::Vector(parts) => parts.iter().map(part).collect(),
        other => vec![Part::Other(noted_json(other))],
    }
}

fn part(value: &Value) -> Part {
    let Value::Map(members) = value else { return Part::Other(noted_json(value)) };
    let kind = text(members, "type").unwrap_or_default();
    let id = |name: &str| text(members, name).unwrap_or_default();
    match (&*kind, text(members, "text")) {
        ("text", Some(text)) if provider_type(members) == Some("compaction") => {
            Part::Compaction { text: NotedText::of(text), keeps_users: false }
        }
        ("text", Some(text)) => Part::Text(NotedText::of(text)),
        ("reasoning", Some(text)) => Part::Reasoning(NotedText::of(text)),
        ("tool-call", _) => call_part(members, "toolCallId", "toolName", "input", flag(members, "providerExecuted")),
        ("tool-result", _) => {
            let output = members.get_keyword("output").unwrap_or(&Value::Nil);
            let (text, outcome) = (output_text(output), output_outcome(output));
            Part::Result { id: id("toolCallId"), name: id("toolName"), text, outcome, is_server: false }
        }
        ("server_tool_use" | "mcp_tool_use", _) => call_part(members, "id", "name", "input", true),
        ("tool-approval-request", _) => {
            Part::Approval(Approval::Request { id: id("approvalId"), call: text(members, "toolCallId") })
        }
        ("mcp_approval_request", _) => Part::Approval(Approval::Request { id: id("id"), call: None }),
        ("tool-approval-response", _) => approval_response(members, "approvalId", "approved"),
        ("mcp_approval_response", _) => approval_response(members, "approval_request_id", "approve"),
        ("compaction" | "compaction_summary", _) => compaction(members, value),
        ("custom", _) if provider_type(members) == Some("compaction") => compaction(members, value),
        ("custom", _) if id("kind").ends_with(".compaction") => compaction(members, value),
        (kind, _) if MEDIA.contains(&kind) => Part::Media(kind.into()),
        (kind, _) if kind.ends_with("_tool_result") => server_result(members),
        _ => Part::Other(noted_json(value)),
    }
}

/// Reads a call. `id`, `name` and `args` are the names of its members.
fn call_part(members: &Map, id: &str, name: &str, args: &str, is_server: bool) -> Part {
    let args = members.get_keyword(args).unwrap_or(&Value::Nil);
    // Arguments that are a text are as the model wrote them, which may not be JSON.
    let args = args.as_str().map_or_else(|| noted_json(args), |args| NotedText::of(args.into()));
    let [id, name] = [id, name].map(|member| text(members, member).unwrap_or_default());
    Part::Call { id, name, args, is_server }
}

/// Reads the result of a tool that Anthropic ran, or of an MCP server that it called.
fn server_result(members: &Map) -> Part {
    let content = members.get_keyword("content").unwrap_or(&Value::Nil);
    let is_error = match content {
        Value::Map(content) => text(content, "type").is_some_and(|kind| kind.ends_with("_error")),
        _ => flag(members, "is_error"),
    };
    Part::Result {
        id: text(members, "tool_use_id").unwrap_or_default(),
        name: "".into(),
        text: noted_json(content),
        outcome: if is_error { ResultOutcome::Failed } else { ResultOutcome::Returned },
        is_server: true,
    }
}

fn approval_response(members: &Map, id: &str, approved: &str) -> Part {
    Part::Approval(Approval::Response {
        id: text(members, id).unwrap_or_default(),
        is_approved: flag(members, approved),
        reason: NotedText::of(text(members, "reason").unwrap_or_default()).text,
    })
}

/// Reads a summary of the provider. Anthropic's has its text in `content`, which is nil when the summary failed; then
/// the part means nothing to the provider. OpenAI's is encrypted, and follows the messages of users that it keeps.
fn compaction(members: &Map, value: &Value) -> Part {
    match members.get_keyword("content") {
        Some(Value::Str(text)) => Part::Compaction { text: NotedText::of(text.clone()), keeps_users: false },
        Some(_) => Part::Other(noted_json(value)),
        None => Part::Compaction { text: noted_json(value), keeps_users: true },
    }
}

/// The type that the AI SDK keeps for the provider, in `providerOptions`.
fn provider_type(members: &Map) -> Option<&str> {
    let Some(Value::Map(options)) = members.get_keyword("providerOptions") else { return None };
    ["anthropic", "openai", "azure"].into_iter().find_map(|provider| match options.get_keyword(provider) {
        Some(Value::Map(options)) => options.get_keyword("type").and_then(Value::as_str),
        _ => None,
    })
}

/// The result of a tool as text, with notes in place of its images and files. `{type, value}` is read as its value, a
/// denial as its reason.
fn output_text(value: &Value) -> NotedText {
    match value {
        Value::Str(text) => NotedText::of(text.clone()),
        Value::Vector(items) => take_content(&mut items.iter().map(part).collect()),
        Value::Map(members) if members.get_keyword("type").is_some() => match members.get_keyword("value") {
            Some(inner @ Value::Str(_)) => output_text(inner),
            // A list of the type `json` is data, not content.
            Some(inner @ Value::Vector(_)) if !is_json(members) => output_text(inner),
            Some(inner) => noted_json(inner),
            None if output_outcome(value) == ResultOutcome::Denied => {
                NotedText::of(text(members, "reason").unwrap_or_default())
            }
            None => noted_json(value),
        },
        other => noted_json(other),
    }
}

fn is_json(members: &Map) -> bool {
    matches!(members.get_keyword("type").and_then(Value::as_str), Some("json" | "error-json"))
}

fn output_outcome(output: &Value) -> ResultOutcome {
    let Value::Map(members) = output else { return ResultOutcome::Returned };
    match members.get_keyword("type").and_then(Value::as_str) {
        Some("execution-denied") => ResultOutcome::Denied,
        Some("error-text" | "error-json") => ResultOutcome::Failed,
        Some("content") if flag(members, "isError") => ResultOutcome::Failed,
        _ => ResultOutcome::Returned,
    }
}

fn noted_json(value: &Value) -> NotedText {
    NotedText::of(json(value))
}

fn json(value: &Value) -> Str {
    let mut text = String::new();
    match write_json(value, &mut text) {
        Ok(()) => text.into(),
        // Values that were read from JSON can be written as JSON.
        Err(_) => "null".into(),
    }
}
