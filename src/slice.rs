//! Stretches of text.

use std::slice::SliceIndex;

/// `&text[range]`, for offsets that are known to lie between characters. That operator would bring
/// in a message that quotes the text, and with it tables of which characters can be printed: five
/// kilobytes for what never happens.
#[inline]
pub(crate) fn slice(text: &str, range: impl SliceIndex<str, Output = str>) -> &str {
    text.get(range).expect("the offset lies between two characters")
}
