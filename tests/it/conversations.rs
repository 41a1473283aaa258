//! Every conversation file says what the library does. `UPDATE_CONVERSATIONS=1` writes what it
//! does into the files, for a reader to check in the difference.

use std::collections::BTreeSet;
use std::fs;

use crate::conversation::Conversation;
use crate::golden::{check, files};

/// Families of requirements with the numbers that conversations can show.
const SHOWN: [(&str, &[u32]); 13] = [
    ("ARC", &[1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12]),
    ("NS", &[8, 10, 11, 12]),
    ("FMT", &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18]),
    ("DEF", &[1, 2, 3, 4, 5, 6, 7, 8, 9]),
    ("SAM", &[1, 2, 3]),
    ("TYP", &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]),
    ("TC", &[1, 2, 3, 4, 5, 6, 7]),
    ("TRN", &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]),
    ("MSG", &[1, 2, 3, 4, 5, 6, 7]),
    ("CMP", &[1, 2, 3]),
    ("ERR", &[1, 2, 3, 4, 5]),
    ("SS", &[1, 2]),
    ("API", &[1, 2, 3, 4, 5]),
];

#[test]
fn conversation_files_hold_the_exact_messages() {
    check(&files("conversations"), 40, |source| Some(Conversation::read(source).updated()));
}

#[test]
fn every_requirement_is_named_by_a_conversation() {
    let mut missing: BTreeSet<String> = SHOWN
        .iter()
        .flat_map(|(family, numbers)| numbers.iter().map(move |number| format!("{family}-{number:03}")))
        .collect();
    for file in files("conversations") {
        let source = fs::read_to_string(file).unwrap();
        let prose = source.split("\n## Given").next().unwrap_or_default();
        missing.retain(|id| !prose.contains(id));
    }
    assert!(missing.is_empty(), "no conversation names {missing:?}");
}
