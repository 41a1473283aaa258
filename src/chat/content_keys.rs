//! Keys of the contents of messages, under which hosts store summaries.

use super::message::{Approval, ChatMessage, Part};
use crate::value::hash_text;

/// Returns a key for each message, made of its content and the contents of all messages before it: 32 hexadecimal
/// digits. Messages with the same roles, texts, calls, results, images and files have the same keys, whatever their
/// timestamps. All keys also depend on the text `about`.
pub fn content_keys<'m>(messages: impl IntoIterator<Item = &'m ChatMessage>, about: &str) -> Vec<String> {
    let mut key = key_of(about);
    let mut keys = Vec::new();
    for message in messages {
        key = key_of(&format!("{key}{}", content(message)));
        keys.push(key.clone());
    }
    keys
}

fn key_of(text: &str) -> String {
    format!("{:016x}{:016x}", hash_text(101, text), hash_text(102, text))
}

/// The content as one text. Each part is preceded by its length, so that different contents give different texts.
fn content(message: &ChatMessage) -> String {
    let mut all = String::new();
    let mut add = |kind: &str, text: &str| all.push_str(&format!("{kind}{}:{text}", text.len()));
    add("role", &message.role);
    add("name", message.name.as_deref().unwrap_or_default());
    for part in &message.parts {
        match part {
            Part::Text(text) => add("text", text),
            Part::Reasoning(text) => add("reasoning", text),
            Part::Call { id, name, args, .. } => [id, name, &args.text].into_iter().for_each(|text| add("call", text)),
            Part::Result { id, name, text, outcome, .. } => {
                [id, name, &text.text].into_iter().for_each(|text| add("result", text));
                add("outcome", outcome.note());
            }
            Part::Approval(Approval::Request { id, .. }) => add("request", id),
            Part::Approval(Approval::Response { id, is_approved, reason }) => {
                add(if *is_approved { "approved" } else { "refused" }, id);
                add("reason", reason);
            }
            Part::Compaction { text, .. } => add("compaction", text),
            Part::Media(kind) => add("media", kind),
            Part::Other(json) => add("other", json),
        }
    }
    if let Some(hash) = message.media_hash {
        add("data", &format!("{hash:016x}"));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::from_json;

    #[test]
    fn a_key_says_what_was_said_up_to_a_message() {
        let messages = |texts: &[&str]| texts.iter().map(|text| ChatMessage::text("user", *text)).collect::<Vec<_>>();
        let keys = |texts: &[&str]| content_keys(&messages(texts), "summary");
        let known = keys(&["a", "b", "c"]);
        assert_eq!(keys(&["a", "b", "d"])[..2], known[..2]);
        assert_ne!(keys(&["a", "b", "d"])[2], known[2]);
        assert_ne!(keys(&["b", "a"])[1], known[1]);
        assert_ne!(keys(&["ab"])[0], keys(&["a", "b"])[1]);
        assert_ne!(content_keys(&messages(&["a"]), "facts")[0], known[0]);
        let mut late = ChatMessage::text("user", "a");
        late.at = Some(7);
        assert_eq!(content_keys([&late], "summary")[0], known[0]);
        let picture = |data: &str| {
            let part = format!(r#"{{"type":"image","image":"{data}"}}"#);
            let output = format!(r#"{{"type":"content","value":[{part}]}}"#);
            let result = format!(r#"{{"type":"tool-result","toolCallId":"c","output":{output}}}"#);
            [part, result].map(|part| {
                let message = from_json(&format!(r#"{{"role":"user","content":[{part}]}}"#)).unwrap();
                content_keys([&ChatMessage::read(&message).unwrap()], "summary").remove(0)
            })
        };
        assert_eq!(picture("cat"), picture("cat"));
        assert!(picture("cat").iter().zip(picture("dog")).all(|(cat, dog)| *cat != dog));
    }
}
