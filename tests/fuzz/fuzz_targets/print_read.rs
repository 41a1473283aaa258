//! What is printed reads as what it was: a second print is the first. Floats are printed with ten decimals, so that keys and
//! elements which differ in later ones become one.
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
    if size(&again) == size(&value) {
        assert_eq!(print(&again), printed);
    } else {
        let printed = print(&again);
        assert_eq!(print(&read_value(&printed).expect("what is printed reads")), printed);
    }
    for limit in [0, 1, 3] {
        to_clojure(&value, &PrintOptions { limit: Some(limit), printable_limit: Some(7), ..PrintOptions::default() });
    }
});

/// The number of values, collections and what is in them.
fn size(value: &Value) -> usize {
    1 + match value {
        Value::Vector(items) => items.iter().map(size).sum(),
        Value::Map(map) => map.iter().map(|(key, value)| size(key) + size(value)).sum(),
        Value::Set(items) => items.iter().map(size).sum(),
        _ => 0,
    }
}
