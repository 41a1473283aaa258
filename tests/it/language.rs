//! The manual of the language, `tests/language/*.md`: every example in it is run.

use std::fs;
use std::path::Path;

use crate::manual::run_chapter;

#[test]
fn every_example_of_the_manual_holds() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/language");
    let mut chapters: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    chapters.sort();
    let (mut count, mut wrong) = (0, Vec::new());
    for chapter in &chapters {
        let name = chapter.file_name().unwrap().to_string_lossy();
        let (examples, failures) = run_chapter(&name, &fs::read_to_string(chapter).unwrap());
        count += examples;
        wrong.extend(failures);
    }
    assert!(wrong.is_empty(), "{} of {count} examples fail:\n{}", wrong.len(), wrong.join("\n"));
    assert!(count > 1200, "the manual has {count} examples");
}
