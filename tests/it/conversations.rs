//! Every conversation file says what the library does. `UPDATE_CONVERSATIONS=1` writes what it
//! does into the files, for a reader to check in the difference.

use std::fs;
use std::path::Path;

use crate::conversation::Conversation;

#[test]
fn conversation_files_hold_the_exact_messages() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conversations");
    let update = std::env::var_os("UPDATE_CONVERSATIONS").is_some();
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let read = files.len();
    let mut differing = Vec::new();
    for file in files {
        let source = fs::read_to_string(&file).unwrap();
        let updated = Conversation::read(&source).updated();
        if updated == source {
            continue;
        }
        if update {
            fs::write(&file, updated).unwrap();
            continue;
        }
        let line = source.lines().zip(updated.lines()).position(|(left, right)| left != right);
        let line = line.unwrap_or(source.lines().count().min(updated.lines().count()));
        let (expected, actual) =
            (source.lines().nth(line).unwrap_or("(end)"), updated.lines().nth(line).unwrap_or("(end)"));
        differing.push(format!("{}:{}\n  expected: {expected}\n  actual:   {actual}", file.display(), line + 1));
    }
    assert!(read >= 40, "only {read} files");
    assert!(differing.is_empty(), "{}", differing.join("\n"));
}
