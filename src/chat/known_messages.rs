//! Reads messages, and shares those that another conversation has too.

use std::cell::RefCell;
use std::rc::{Rc, Weak};

use super::message::ChatMessage;
use crate::value::{Index, JsonError, Skim, hashes_of_text, read_json};

/// Of longer messages, in bytes, the hash does not depend on everything.
const LONGEST: usize = 1 << 18;

/// As many messages may be gone before they are removed.
const MOST_GONE: usize = 1024;

thread_local! {
    static KNOWN: RefCell<KnownMessages> = RefCell::default();
}

/// The messages that were read and are still in use, by the hashes of their JSON. So a host that gives the whole history
/// with new objects each time gets the messages of its earlier requests, with everything that is kept with them: counts,
/// names, forms of results, searches of strategies.
#[derive(Default)]
struct KnownMessages {
    index: Index,
    /// The second hash of each message.
    messages: Vec<(u64, Weak<ChatMessage>)>,
    /// With more messages, those that are gone are removed.
    limit: usize,
}

/// Reads the JSON of a list of messages. Returns None when it describes none.
pub(super) fn read_messages(text: &str) -> Result<Option<Vec<Rc<ChatMessage>>>, Box<JsonError>> {
    let mut messages = Vec::new();
    let mut items = Skim::new(text);
    if items.open(b'[').is_none() {
        return Ok(None);
    }
    while let Some(item) = items.item() {
        let Some(item) = item else { return Ok(items.is_at_end().then_some(messages)) };
        match read_message(item)? {
            Some(message) => messages.push(message),
            None => return Ok(None),
        }
    }
    Ok(None)
}

fn read_message(text: &str) -> Result<Option<Rc<ChatMessage>>, Box<JsonError>> {
    let read = || Ok(ChatMessage::read(&read_json(text, true)?).map(Rc::new));
    if text.len() > LONGEST {
        return read();
    }
    let hashes = hashes_of_text(104, text);
    if let Some(known) = KNOWN.with_borrow(|known| known.find(hashes)) {
        return Ok(Some(known));
    }
    let message = read()?;
    if let Some(message) = &message {
        KNOWN.with_borrow_mut(|known| known.add(hashes, message));
    }
    Ok(message)
}

impl KnownMessages {
    fn find(&self, [first, second]: [u64; 2]) -> Option<Rc<ChatMessage>> {
        // A message that is gone may have been read again.
        let is_it = &mut |position: usize| self.messages[position].0 == second && self.get(position).is_some();
        self.index.find(first, is_it).and_then(|position| self.get(position))
    }

    fn get(&self, position: usize) -> Option<Rc<ChatMessage>> {
        self.messages[position].1.upgrade()
    }

    fn add(&mut self, [first, second]: [u64; 2], message: &Rc<ChatMessage>) {
        if self.messages.len() > self.limit {
            let known = std::mem::take(self);
            for (hash, (second, message)) in known.index.hashes().iter().zip(known.messages) {
                if message.strong_count() > 0 {
                    self.index.push(*hash);
                    self.messages.push((second, message));
                }
            }
            self.limit = self.messages.len() + MOST_GONE;
        }
        self.index.push(first);
        self.messages.push((second, Rc::downgrade(message)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<Rc<ChatMessage>> {
        read_messages(text).unwrap().unwrap()
    }

    #[test]
    fn messages_of_the_same_content_are_shared_while_they_are_used() {
        let text = r#"[{"role":"user","content":"a"},{"role":"user","content":"b"}]"#;
        let before = read(text);
        let after = read(&text.replace("\"b\"", "\"c\""));
        assert!(Rc::ptr_eq(&before[0], &after[0]));
        assert!(!Rc::ptr_eq(&before[1], &after[1]));
        let gone = Rc::downgrade(&before[1]);
        drop(before);
        assert!(gone.upgrade().is_none());
        assert_eq!(read(text)[1].only_text(), Some("b"));
    }

    #[test]
    fn messages_that_are_gone_are_forgotten() {
        let kept = read(r#"[{"role":"user","content":"kept"}]"#);
        for number in 0..5 * MOST_GONE {
            read(&format!(r#"[{{"role":"user","content":"{number}"}}]"#));
        }
        KNOWN.with_borrow(|known| assert!(known.messages.len() <= 2 * MOST_GONE, "{}", known.messages.len()));
        assert!(Rc::ptr_eq(&kept[0], &read(r#"[{"role":"user","content":"kept"}]"#)[0]));
    }

    #[test]
    fn what_is_no_list_of_messages_is_refused() {
        for text in ["{}", "[1]", "[{}]", "[{\"role\":\"user\"}", ""] {
            assert!(matches!(read_messages(text), Ok(None) | Err(_)), "{text}");
        }
        assert_eq!(read("[]").len(), 0);
    }
}
