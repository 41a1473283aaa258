//! What is printed reads as what it was: a second print is the first.
#![no_main]

use libfuzzer_sys::fuzz_target;
use turnfold::lisp::read_value;
use turnfold::value::{PrintOptions, Value, to_clojure};

fuzz_target!(|source: &str| {
    let Ok(value) = read_value(source) else { return };
    let print =
        |value: &Value| to_clojure(value, &PrintOptions { filter_hidden: false, ..PrintOptions::default() }).text;
    let printed = print(&value);
    let again = read_value(&printed).unwrap_or_else(|problem| panic!("{printed}: {problem}"));
    assert_eq!(print(&again), printed);
    for limit in [0, 1, 3] {
        to_clojure(&value, &PrintOptions { limit: Some(limit), printable_limit: Some(7), ..PrintOptions::default() });
    }
});
