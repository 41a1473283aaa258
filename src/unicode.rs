//! What Unicode says of characters, as far as it is needed here.

mod grapheme;
mod kind;
mod runs;

pub(crate) use grapheme::{cut_place, width};
pub(crate) use kind::{is_letter, is_lower, is_mark, is_number, is_upper};
