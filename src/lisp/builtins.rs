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
use crate::list::joined;
use crate::value::Value;

pub use names::{constant, is_core, qualified};
pub use regex::check as check_regex;

/// The library by topic.
const TOPICS: [&[Builtin]; 20] = [
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

/// Topic and row of each builtin, in the order of their names.
static BY_NAME: [(u8, u8); COUNT] = {
    let mut order = [(0, 0); COUNT];
    let (mut topic, mut count) = (0, 0);
    while topic < TOPICS.len() {
        let mut row = 0;
        while row < TOPICS[topic].len() {
            // Moves those that come behind it out of the way.
            let name = TOPICS[topic][row].name;
            let mut place = count;
            while place > 0 && is_before(name, TOPICS[order[place - 1].0 as usize][order[place - 1].1 as usize].name) {
                order[place] = order[place - 1];
                place -= 1;
            }
            order[place] = (topic as u8, row as u8);
            count += 1;
            row += 1;
        }
        topic += 1;
    }
    order
};

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
    let (topic, row) = BY_NAME[usize::from(place)];
    &TOPICS[usize::from(topic)][usize::from(row)]
}

/// The place of a name in the order of names; methods that go by another name here have its place.
pub fn place(name: &str) -> Option<u16> {
    let name = methods::alias(name).unwrap_or(name);
    BY_NAME
        .binary_search_by(|(topic, row)| TOPICS[usize::from(*topic)][usize::from(*row)].name.cmp(name))
        .ok()
        .map(|place| place as u16)
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

/// How a builtin is called: `(reduce f coll) or (reduce f init coll)`.
pub fn calls(builtin: &Builtin) -> String {
    let calls = builtin.params.split(", ").map(|params| match params {
        "" => format!("({})", builtin.name),
        params => format!("({} {params})", builtin.name),
    });
    joined(calls, " or ")
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
const fn plain(
    name: &'static str,
    params: &'static str,
    arity: (u8, u8),
    doc: &'static str,
    code: PlainCode,
) -> Builtin {
    Builtin { name, params, doc, arity, code: Native::Plain(code) }
}

/// A row of a function that calls functions.
const fn steps(
    name: &'static str,
    params: &'static str,
    arity: (u8, u8),
    doc: &'static str,
    code: StepsCode,
) -> Builtin {
    Builtin { name, params, doc, arity, code: Native::Steps(code) }
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
            assert!(builtin.doc.ends_with('.') && builtin.arity.0 <= builtin.arity.1, "{}", builtin.name);
        }
    }
}
