//! What signatures, programs and chats are still read and written with.

use super::error::Failure;

pub(super) fn malformed(what: &str) -> Failure {
    Failure::new("internal", format!("what was sent is not the JSON of {what}"))
}

/// Writes items with commas between them.
pub(super) fn list<T>(items: impl IntoIterator<Item = T>, out: &mut String, write: impl Fn(T, &mut String)) {
    for (index, item) in items.into_iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        write(item, out);
    }
}
