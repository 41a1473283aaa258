//! Every chat file says what the library does.

use crate::chat::Chat;
use crate::golden;

#[test]
fn chat_files_hold_what_becomes_of_them() {
    golden::check(&golden::files("chats"), 60, |source| Some(Chat::read(source).updated()));
}
