//! The library: a table of all builtins with their parameters, documentation and code.
//!
//! A plain builtin returns its result at once; a builtin that calls functions runs in steps. A builtin that runs in
//! steps has a frame of the machine, so that a tool call inside it can suspend the program.

mod arguments;
mod atoms;
mod bits;
mod building;
mod case;
mod characters;
mod classes;
mod closures;
mod comparators;
mod control;
mod dates;
mod documentation;
mod each;
mod endless;
mod exceptions;
mod filling;
mod folding;
mod format;
mod functions;
mod json;
mod maps;
mod math;
mod methods;
mod numbers;
mod parsing;
mod predefined;
mod predicates;
mod regex;
mod replacing;
mod searching;
mod sequences;
mod sets;
mod sorted;
mod sorting;
mod statistics;
mod strings;
mod synonyms;
mod transducers;
mod updating;
mod walking;

use std::sync::LazyLock;

use super::fault::{EvalResult, error_with_hint};
use super::native::{Begin, Builtin, Context, Native};
use crate::text::join;
use crate::value::{Value, sort};

pub use predefined::{constant, instead_of, is_core, is_namespace, known_alias, no_qualified, qualified, usual_alias};
pub use regex::check as check_regex;
pub use synonyms::synonyms;
pub use transducers::makes_transducer;

/// The library by topic.
static TOPICS: [&[Builtin]; 33] = [
    atoms::ROWS,
    bits::ROWS,
    building::ROWS,
    case::ROWS,
    characters::ROWS,
    classes::ROWS,
    control::ROWS,
    dates::ROWS,
    documentation::ROWS,
    each::ROWS,
    endless::ROWS,
    exceptions::ROWS,
    folding::ROWS,
    format::ROWS,
    functions::ROWS,
    json::ROWS,
    maps::ROWS,
    math::ROWS,
    methods::ROWS,
    numbers::ROWS,
    parsing::ROWS,
    predicates::ROWS,
    regex::ROWS,
    replacing::ROWS,
    sequences::ROWS,
    sets::ROWS,
    sorted::ROWS,
    sorting::ROWS,
    statistics::ROWS,
    strings::ROWS,
    transducers::ROWS,
    updating::ROWS,
    walking::ROWS,
];

/// The library, sorted by name. Instructions refer to builtins by their positions here.
static LIBRARY: LazyLock<Vec<&Builtin>> = LazyLock::new(|| {
    let mut library: Vec<&Builtin> = TOPICS.into_iter().flatten().collect();
    sort(&mut library, |left, right| left.name.cmp(right.name));
    library
});

/// Returns the builtin at a position in the sorted library.
pub fn at(position: u16) -> &'static Builtin {
    LIBRARY[usize::from(position)]
}

/// Returns the position of a name in the sorted library. A method that is another name for a builtin has the
/// position of that builtin.
pub fn position(name: &str) -> Option<u16> {
    let name = methods::alias(name).unwrap_or(name);
    LIBRARY.binary_search_by_key(&name, |builtin| builtin.name).ok().map(|position| position as u16)
}

/// Returns the builtin with a name.
pub fn find(name: &str) -> Option<&'static Builtin> {
    position(name).map(at)
}

/// Returns the name of the builtin at a position.
pub fn name(position: u16) -> &'static str {
    at(position).name
}

/// Returns all names, sorted.
pub fn names() -> impl Iterator<Item = &'static str> {
    LIBRARY.iter().map(|builtin| builtin.name)
}

/// Returns the calls of a builtin: `(reduce f coll) or (reduce f init coll)`.
pub fn calls(builtin: &Builtin) -> String {
    let call = |params: &str| match params {
        "" => format!("({})", builtin.name),
        params => format!("({} {params})", builtin.name),
    };
    join(builtin.params.split(", ").map(call), " or ")
}

/// Returns the calls of a builtin as a hint.
pub fn usage(builtin: &Builtin) -> String {
    format!("write `{}`", calls(builtin).replace(" or ", "` or `"))
}

/// Fails for a call with too few or too many arguments.
pub fn check_arity(builtin: &Builtin, count: usize) -> EvalResult<()> {
    let (min, max) = builtin.arity;
    if count < usize::from(min) || (max != u8::MAX && count > usize::from(max)) {
        return wrong_arity(builtin, count);
    }
    Ok(())
}

#[cold]
fn wrong_arity(builtin: &Builtin, count: usize) -> EvalResult<()> {
    let (min, max) = builtin.arity;
    let takes = match (min, max) {
        (min, u8::MAX) => format!("at least {min}"),
        (min, max) if min == max => min.to_string(),
        (min, max) => format!("{min} to {max}"),
    };
    let noun = if takes == "1" { "argument" } else { "arguments" };
    let message = format!("`{}` takes {takes} {noun}, got {count}", builtin.name);
    error_with_hint("arity_error", message, usage(builtin))
}

type PlainCode = fn(&mut Context<'_>, &mut [Value]) -> EvalResult;
type StepsCode = fn(&mut Context<'_>, &mut [Value]) -> EvalResult<Begin>;

type Text = &'static str;

/// Makes a builtin that returns its result at once. See [`Builtin`] for the parameters.
const fn plain(name: Text, params: Text, arity: (u8, u8), doc: Text, code: PlainCode) -> Builtin {
    Builtin { name, params, arity, doc, code: Native::Plain(code) }
}

/// Makes a builtin that calls functions.
const fn steps(name: Text, params: Text, arity: (u8, u8), doc: Text, code: StepsCode) -> Builtin {
    Builtin { name, params, arity, doc, code: Native::Steps(code) }
}

/// Any number of arguments.
const ANY: u8 = u8::MAX;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_found_and_unique() {
        let names: Vec<_> = names().collect();
        assert!(names.is_sorted_by(|left, right| left < right), "{names:?}");
        for name in names {
            assert_eq!(find(name).map(|builtin| builtin.name), Some(name));
        }
        assert!(find("no-such-name").is_none());
    }

    #[test]
    fn every_builtin_has_documentation_and_an_arity() {
        for builtin in names().filter_map(find) {
            assert!(builtin.doc.ends_with('.') && builtin.arity.0 <= builtin.arity.1, "{}", builtin.name);
        }
    }
}
