//! Java's `Character`: functions of a string of one character.

use super::arguments::{arg, not_taken};
use super::{PlainCode, plain};
use crate::lisp::fault::EvalResult;
use crate::lisp::native::{Builtin, Context};
use crate::unicode::{has_letter_category, is_letter, is_lower, is_upper, lowercase, uppercase};
use crate::value::Value;

const fn of_character(name: &'static str, doc: &'static str, code: PlainCode) -> Builtin {
    plain(name, "c", (1, 1), doc, code)
}

/// The code of a predicate on a character.
macro_rules! is {
    ($test:expr) => {
        |context, args| {
            let test: fn(char) -> bool = $test;
            character(context, args).map(|character| Value::Bool(test(character)))
        }
    };
}

pub(super) const ROWS: &[Builtin] = &[
    of_character("Character/isAlphabetic", "True for letters and numbers that are letters.", is!(is_letter)),
    of_character("Character/isDigit", "True for the digits 0 to 9.", is!(|character| character.is_ascii_digit())),
    of_character("Character/isLetter", "True for letters.", is!(has_letter_category)),
    of_character(
        "Character/isLetterOrDigit",
        "True for letters and the digits 0 to 9.",
        is!(|character| has_letter_category(character) || character.is_ascii_digit()),
    ),
    of_character("Character/isLowerCase", "True for small letters.", is!(is_lower)),
    of_character("Character/isUpperCase", "True for capital letters.", is!(is_upper)),
    of_character(
        "Character/isWhitespace",
        "True for blanks, tabs and line breaks, but not for spaces that break no line.",
        is!(|character| {
            let breaks_no_line = matches!(character, '\u{A0}' | '\u{2007}' | '\u{202F}' | '\u{85}');
            matches!(character, '\u{1C}'..='\u{1F}') || character.is_whitespace() && !breaks_no_line
        }),
    ),
    of_character("Character/toLowerCase", "The small letter.", |context, args| {
        character(context, args).map(|character| Value::str(lowercase(character.encode_utf8(&mut [0; 4]))))
    }),
    of_character("Character/toUpperCase", "The capital letter.", |context, args| {
        character(context, args).map(|character| Value::str(uppercase(character.encode_utf8(&mut [0; 4]))))
    }),
];

fn character(context: &mut Context<'_>, args: &[Value]) -> EvalResult<char> {
    let mut characters = arg(args, 0).as_str().unwrap_or_default().chars();
    match (characters.next(), characters.next()) {
        (Some(character), None) => Ok(character),
        _ => not_taken(context, "a string of one character", &arg(args, 0).clone(), args),
    }
}
