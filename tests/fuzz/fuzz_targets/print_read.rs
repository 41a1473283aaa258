//! A printed value reads back as the same value: printing it again gives the same text. Floats are printed with ten
//! decimals, so values that differ only in later decimals may become equal or change their order; the first pass rounds
//! them. Elements of a set or keys of a map that become equal by it are not read.
#![no_main]

use libfuzzer_sys::fuzz_target;
use turnfold::lisp::read_value;
use turnfold::value::{PrintOptions, Value, to_clojure};

fuzz_target!(|source: &str| {
    let Ok(value) = read_value(source) else { return };
    let print =
        |value: &Value| to_clojure(value, &PrintOptions { filter_hidden: false, ..PrintOptions::default() }).text;
    let read = |text: &str| read_value(text).unwrap_or_else(|problem| panic!("{text}: {problem}"));
    // Rounds the floats.
    let rounded = print(&value);
    let value = match read_value(&rounded) {
        Err(problem) if problem.kind == "duplicate_key" && rounded.contains('.') => return,
        _ => read(&rounded),
    };
    let printed = print(&value);
    assert_eq!(print(&read(&printed)), printed);
    for limit in [0, 1, 3] {
        to_clojure(&value, &PrintOptions { limit: Some(limit), printable_limit: Some(7), ..PrintOptions::default() });
    }
});
