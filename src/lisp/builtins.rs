//! The library: functions by name, with what they take, what they do and how to call them.
//!
//! A builtin is plain, or goes in steps because it calls functions: then it is a frame of the
//! machine like any other, so that a tool call inside of it can wait.

mod arguments;
mod control;
mod dates;
mod documentation;
mod each;
mod folding;
mod format;
mod functions;
mod json;
mod maps;
mod math;
mod methods;
mod names;
mod numbers;
mod predicates;
mod regex;
mod sequences;
mod sets;
mod sorting;
mod strings;
mod updating;
mod walking;

use super::fault::{Outcome, error_with_hint};
use super::native::{Begin, Builtin, Context, Native};
use crate::value::Value;

pub use names::{constant, is_core, qualified};
pub use regex::check as check_regex;

/// A function of the library as it is written down here.
struct Row {
    builtin: Builtin,
    /// Its parameters, as in `f coll` and `f init coll`, separated by commas.
    params: &'static str,
    /// What it does, in a line.
    doc: &'static str,
}

/// The library by topic.
const TOPICS: [&[Row]; 20] = [
    control::ROWS,
    dates::ROWS,
    documentation::ROWS,
    each::ROWS,
    folding::ROWS,
    format::ROWS,
    functions::ROWS,
    json::ROWS,
    maps::ROWS,
    math::ROWS,
    methods::ROWS,
    numbers::ROWS,
    predicates::ROWS,
    regex::ROWS,
    sequences::ROWS,
    sets::ROWS,
    sorting::ROWS,
    strings::ROWS,
    updating::ROWS,
    walking::ROWS,
];

const COUNT: usize = {
    let (mut topic, mut count) = (0, 0);
    while topic < TOPICS.len() {
        count += TOPICS[topic].len();
        topic += 1;
    }
    count
};

/// The library in the order of names. Pointers to the texts would take more room than many of
/// these, so that they are found by their places in [`ABOUT`].
static LIBRARY: [Builtin; COUNT] = {
    let mut library = [TOPICS[0][0].builtin; COUNT];
    let (mut topic, mut count, mut about) = (0, 0, 0);
    while topic < TOPICS.len() {
        let mut row = 0;
        while row < TOPICS[topic].len() {
            let Row { builtin, params, doc } = &TOPICS[topic][row];
            // Moves those that come behind it out of the way.
            let mut place = count;
            while place > 0 && is_before(builtin.name, library[place - 1].name) {
                library[place] = library[place - 1];
                place -= 1;
            }
            library[place] = Builtin { about: about as u16, ..*builtin };
            about += params.len() + doc.len() + 2;
            count += 1;
            row += 1;
        }
        topic += 1;
    }
    assert!(about < u16::MAX as usize, "the places of texts are too wide for their field");
    library
};

/// How many names begin with a character before each: where those with it stand in the library.
static BEGINNINGS: [u16; 129] = {
    let mut beginnings = [0; 129];
    let mut place = 0;
    while place < COUNT {
        let mut character = LIBRARY[place].name.as_bytes()[0] as usize + 1;
        while character < beginnings.len() {
            beginnings[character] += 1;
            character += 1;
        }
        place += 1;
    }
    beginnings
};

const ABOUT_LENGTH: usize = {
    let (mut topic, mut length) = (0, 0);
    while topic < TOPICS.len() {
        let mut row = 0;
        while row < TOPICS[topic].len() {
            length += TOPICS[topic][row].params.len() + TOPICS[topic][row].doc.len() + 2;
            row += 1;
        }
        topic += 1;
    }
    length
};

static ABOUT_BYTES: [u8; ABOUT_LENGTH] = {
    let mut bytes = [0; ABOUT_LENGTH];
    let (mut topic, mut length) = (0, 0);
    while topic < TOPICS.len() {
        let mut row = 0;
        while row < TOPICS[topic].len() {
            let Row { params, doc, .. } = &TOPICS[topic][row];
            length = append(&mut bytes, length, params, b'\t');
            length = append(&mut bytes, length, doc, b'\n');
            row += 1;
        }
        topic += 1;
    }
    bytes
};

/// The parameters and the line about each function: `f coll, f init coll\tWhat it does.\n`
static ABOUT: &str = match std::str::from_utf8(&ABOUT_BYTES) {
    Ok(texts) => texts,
    Err(_) => panic!("texts one behind the other are a text"),
};

const fn append(bytes: &mut [u8], mut length: usize, text: &str, end: u8) -> usize {
    let (_, room) = bytes.split_at_mut(length);
    let (text_room, end_room) = room.split_at_mut(text.len());
    text_room.copy_from_slice(text.as_bytes());
    end_room[0] = end;
    length += text.len() + 1;
    length
}

const fn is_before(left: &str, right: &str) -> bool {
    let (left, right) = (left.as_bytes(), right.as_bytes());
    let mut place = 0;
    while place < left.len() && place < right.len() {
        if left[place] != right[place] {
            return left[place] < right[place];
        }
        place += 1;
    }
    left.len() < right.len()
}

/// The builtin at a place in the order of names.
pub fn at(place: u16) -> &'static Builtin {
    &LIBRARY[usize::from(place)]
}

/// The place of a name in the order of names; methods that go by another name here have its place.
pub fn place(name: &str) -> Option<u16> {
    let name = methods::alias(name).unwrap_or(name);
    let first = usize::from(*name.as_bytes().first()?);
    let (start, end) = (*BEGINNINGS.get(first)?, *BEGINNINGS.get(first + 1)?);
    let found = LIBRARY.get(usize::from(start)..usize::from(end))?.binary_search_by(|builtin| builtin.name.cmp(name));
    found.ok().map(|place| start + place as u16)
}

/// The builtin of a name.
pub fn find(name: &str) -> Option<&'static Builtin> {
    place(name).map(at)
}

/// The name of the builtin at a place.
pub fn name(place: u16) -> &'static str {
    at(place).name
}

/// All names, in order.
pub fn names() -> impl Iterator<Item = &'static str> {
    (0..COUNT as u16).map(name)
}

/// The parameters of a builtin, and what it does.
fn about(builtin: &Builtin) -> (&'static str, &'static str) {
    let lines = &ABOUT[usize::from(builtin.about)..];
    lines.split_once('\n').and_then(|(line, _)| line.split_once('\t')).unwrap_or_default()
}

/// What a builtin does.
pub fn doc(builtin: &Builtin) -> &'static str {
    about(builtin).1
}

/// How a builtin is called: `(reduce f coll) or (reduce f init coll)`.
pub fn calls(builtin: &Builtin) -> String {
    let calls = about(builtin).0.split(", ").map(|params| match params {
        "" => format!("({})", builtin.name),
        params => format!("({} {params})", builtin.name),
    });
    calls.collect::<Vec<_>>().join(" or ")
}

/// The same as advice.
pub fn usage(builtin: &Builtin) -> String {
    format!("write `{}`", calls(builtin).replace(" or ", "` or `"))
}

/// The error of a call with too few or too many arguments.
pub fn check_arity(builtin: &Builtin, count: usize) -> Outcome<()> {
    let (least, most) = builtin.arity;
    if count < usize::from(least) || (most != u8::MAX && count > usize::from(most)) {
        return wrong_arity(builtin, count);
    }
    Ok(())
}

#[cold]
fn wrong_arity(builtin: &Builtin, count: usize) -> Outcome<()> {
    let (least, most) = builtin.arity;
    let takes = match (least, most) {
        (least, u8::MAX) => format!("at least {least}"),
        (least, most) if least == most => least.to_string(),
        (least, most) => format!("{least} to {most}"),
    };
    let noun = if takes == "1" { "argument" } else { "arguments" };
    let message = format!("`{}` takes {takes} {noun}, got {count}", builtin.name);
    error_with_hint("arity_error", message, usage(builtin))
}

type PlainCode = fn(&mut Context<'_>, &mut [Value]) -> Outcome;
type StepsCode = fn(&mut Context<'_>, &mut [Value]) -> Outcome<Begin>;

/// A row of a function that gives its result at once. `most` is `u8::MAX` for any number.
const fn plain(name: &'static str, params: &'static str, arity: (u8, u8), doc: &'static str, code: PlainCode) -> Row {
    row(name, params, arity, doc, Native::Plain(code))
}

/// A row of a function that calls functions.
const fn steps(name: &'static str, params: &'static str, arity: (u8, u8), doc: &'static str, code: StepsCode) -> Row {
    row(name, params, arity, doc, Native::Steps(code))
}

const fn row(name: &'static str, params: &'static str, arity: (u8, u8), doc: &'static str, code: Native) -> Row {
    Row { builtin: Builtin { name, arity, about: 0, code }, params, doc }
}

/// Any number of arguments.
const ANY: u8 = u8::MAX;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_found_and_stands_once() {
        let names: Vec<_> = names().collect();
        assert!(names.is_sorted_by(|left, right| left < right), "{names:?}");
        for name in names {
            assert_eq!(find(name).map(|builtin| builtin.name), Some(name));
        }
        assert!(find("no-such-name").is_none());
    }

    #[test]
    fn every_row_says_what_it_takes_and_does() {
        for builtin in names().filter_map(find) {
            assert!(doc(builtin).ends_with('.') && builtin.arity.0 <= builtin.arity.1, "{}", builtin.name);
        }
    }
}
