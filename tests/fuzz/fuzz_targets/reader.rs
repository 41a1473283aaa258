//! Any text reads, or has problems with positions within the text.
#![no_main]

use libfuzzer_sys::fuzz_target;
use turnfold::lisp::{Known, check, complete, read};

fuzz_target!(|source: &str| {
    let unread = read(source).is_err();
    let problems = check(source, &Known::default());
    assert!(!unread || !problems.is_empty());
    for span in problems.iter().filter_map(|problem| problem.span) {
        assert!(span.start <= span.end && source.get(span.start..span.end).is_some());
    }
    complete(source, source.len() / 2, &Known::default());
});
