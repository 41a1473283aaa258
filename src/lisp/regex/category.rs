//! Classes of characters by Unicode's categories and by Java's names: `\p{L}`, `\p{IsAlphabetic}`, `\p{Punct}`.

use regex_syntax::ast::ClassAsciiKind;

use super::class::CharSet;
use crate::unicode::{Category, category, has_letter_category, is_letter, is_lower, is_upper, kind_ranges};
use crate::work;

/// Title case: letters such as `ǅ`. Tables of categories count them as capital letters.
const TITLE: &[(char, char)] = &[
    ('\u{1C5}', '\u{1C5}'),
    ('\u{1C8}', '\u{1C8}'),
    ('\u{1CB}', '\u{1CB}'),
    ('\u{1F2}', '\u{1F2}'),
    ('\u{1F88}', '\u{1F8F}'),
    ('\u{1F98}', '\u{1F9F}'),
    ('\u{1FA8}', '\u{1FAF}'),
    ('\u{1FBC}', '\u{1FBC}'),
    ('\u{1FCC}', '\u{1FCC}'),
    ('\u{1FFC}', '\u{1FFC}'),
];

/// Separators; the last range has those of lines and paragraphs.
const SEPARATORS: &[(char, char)] = &[
    (' ', ' '),
    ('\u{A0}', '\u{A0}'),
    ('\u{1680}', '\u{1680}'),
    ('\u{2000}', '\u{200A}'),
    ('\u{202F}', '\u{202F}'),
    ('\u{205F}', '\u{205F}'),
    ('\u{3000}', '\u{3000}'),
    ('\u{2028}', '\u{2029}'),
];

const CURRENCY: &[(char, char)] = &[
    ('$', '$'),
    ('\u{A2}', '\u{A5}'),
    ('\u{58F}', '\u{58F}'),
    ('\u{60B}', '\u{60B}'),
    ('\u{7FE}', '\u{7FF}'),
    ('\u{9F2}', '\u{9F3}'),
    ('\u{9FB}', '\u{9FB}'),
    ('\u{AF1}', '\u{AF1}'),
    ('\u{BF9}', '\u{BF9}'),
    ('\u{E3F}', '\u{E3F}'),
    ('\u{17DB}', '\u{17DB}'),
    ('\u{20A0}', '\u{20C1}'),
    ('\u{A838}', '\u{A838}'),
    ('\u{FDFC}', '\u{FDFC}'),
    ('\u{FE69}', '\u{FE69}'),
    ('\u{FF04}', '\u{FF04}'),
    ('\u{FFE0}', '\u{FFE1}'),
    ('\u{FFE5}', '\u{FFE6}'),
    ('\u{11FDD}', '\u{11FE0}'),
    ('\u{1E2FF}', '\u{1E2FF}'),
    ('\u{1ECB0}', '\u{1ECB0}'),
];

/// Returns the characters of the class with a name.
pub fn named(name: &str, ignores_case: bool) -> Option<CharSet> {
    // A class of a table reads it.
    work::charge(500);
    let with = |is_member: &dyn Fn(char) -> bool| CharSet::new(kind_ranges(is_member));
    let of = |wanted: Category| with(&|character| category(character) == wanted);
    let fixed = |ranges: &[(char, char)]| CharSet::new(ranges.to_vec());
    let posix = |kind: ClassAsciiKind| fixed(ascii(&kind));
    let cased = || with(&|character| matches!(category(character), Category::Upper | Category::Lower));
    Some(match name.strip_prefix("Is").unwrap_or(name) {
        "Lu" | "Ll" | "Lt" if ignores_case => cased(),
        "Lower" | "Upper" if ignores_case => posix(ClassAsciiKind::Alpha),
        "L" => with(&has_letter_category),
        "Lu" => of(Category::Upper).and(&fixed(TITLE).negated()),
        "Ll" => of(Category::Lower),
        "Lt" => fixed(TITLE),
        "M" => of(Category::Mark),
        "N" => of(Category::Number),
        "P" => of(Category::Punctuation),
        "S" => of(Category::Symbol),
        "Sc" => fixed(CURRENCY),
        "Z" => fixed(SEPARATORS),
        "Zs" => fixed(&SEPARATORS[..SEPARATORS.len() - 1]),
        _ => match name {
            "IsAlphabetic" => with(&is_letter),
            "IsLetter" => return named("L", false),
            "IsPunctuation" => of(Category::Punctuation),
            "IsUppercase" | "IsLowercase" if ignores_case => {
                with(&|character| is_upper(character) || is_lower(character))
            }
            "IsUppercase" => with(&is_upper),
            "IsLowercase" => with(&is_lower),
            "Alnum" => posix(ClassAsciiKind::Alnum),
            "Alpha" => posix(ClassAsciiKind::Alpha),
            "ASCII" => posix(ClassAsciiKind::Ascii),
            "Blank" => posix(ClassAsciiKind::Blank),
            "Cntrl" => posix(ClassAsciiKind::Cntrl),
            "Digit" => posix(ClassAsciiKind::Digit),
            "Graph" => posix(ClassAsciiKind::Graph),
            "Lower" => posix(ClassAsciiKind::Lower),
            "Print" => posix(ClassAsciiKind::Print),
            "Punct" => posix(ClassAsciiKind::Punct),
            "Space" => posix(ClassAsciiKind::Space),
            "Upper" => posix(ClassAsciiKind::Upper),
            "XDigit" => posix(ClassAsciiKind::Xdigit),
            _ => return None,
        },
    })
}

/// Returns the characters of an ASCII class.
pub fn ascii(kind: &ClassAsciiKind) -> &'static [(char, char)] {
    match kind {
        ClassAsciiKind::Alnum => &[('0', '9'), ('A', 'Z'), ('a', 'z')],
        ClassAsciiKind::Alpha => &[('A', 'Z'), ('a', 'z')],
        ClassAsciiKind::Ascii => &[('\0', '\x7F')],
        ClassAsciiKind::Blank => &[('\t', '\t'), (' ', ' ')],
        ClassAsciiKind::Cntrl => &[('\0', '\x1F'), ('\x7F', '\x7F')],
        ClassAsciiKind::Digit => &[('0', '9')],
        ClassAsciiKind::Graph => &[('!', '~')],
        ClassAsciiKind::Lower => &[('a', 'z')],
        ClassAsciiKind::Print => &[(' ', '~')],
        ClassAsciiKind::Punct => &[('!', '/'), (':', '@'), ('[', '`'), ('{', '~')],
        ClassAsciiKind::Space => &[('\t', '\r'), (' ', ' ')],
        ClassAsciiKind::Upper => &[('A', 'Z')],
        ClassAsciiKind::Word => &[('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')],
        ClassAsciiKind::Xdigit => &[('0', '9'), ('A', 'F'), ('a', 'f')],
    }
}
