//! The Unicode properties of characters that the crate needs, and functions on texts that use them.

use crate::text::join;
mod case;
mod grapheme;
mod kind;
mod runs;

pub(crate) use case::{lowercase, uppercase};
pub(crate) use grapheme::{cut_position, width, word_cut_position};
pub(crate) use kind::{
    Category, category, has_letter_category, is_letter, is_lower, is_mark, is_number, is_upper, kind_ranges,
};

/// Returns the character that a pair of UTF-16 surrogates encodes.
pub(crate) fn from_surrogates(first: u32, second: u32) -> Option<char> {
    let (high, low) = (first.checked_sub(0xD800)?, second.checked_sub(0xDC00)?);
    if high < 0x400 && low < 0x400 { char::from_u32(0x10000 + (high << 10) + low) } else { None }
}

/// Puts a text on one line: line breaks with the white space around them become one space.
pub(crate) fn on_one_line(text: &str) -> String {
    join(text.split(['\n', '\r']).map(str::trim).filter(|line| !line.is_empty()), " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_breaks_become_one_space() {
        assert_eq!(on_one_line("  Finds\n\n   users\r\nby name  "), "Finds users by name");
    }
}
