//! Files that hold what the library does, for a reader to check. `UPDATE_CONVERSATIONS=1` writes
//! what it does into them.

use std::fs;
use std::path::{Path, PathBuf};

/// The files of a folder of `tests`, in order.
pub fn files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder);
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = entries.filter(|path| path.is_file()).collect();
    files.sort();
    files
}

/// Fails for the files that differ from what `updated` makes of them, and leaves those out that it
/// makes nothing of. At least so many files must be looked at.
#[track_caller]
pub fn check(files: &[PathBuf], least: usize, updated: impl Fn(&str) -> Option<String>) {
    let update = std::env::var_os("UPDATE_CONVERSATIONS").is_some();
    let (mut read, mut differing) = (0, Vec::new());
    for file in files {
        let source = fs::read_to_string(file).unwrap();
        let Some(updated) = updated(&source) else { continue };
        read += 1;
        if updated == source {
            continue;
        }
        if update {
            fs::write(file, updated).unwrap();
            continue;
        }
        let line = source.lines().zip(updated.lines()).position(|(left, right)| left != right);
        let line = line.unwrap_or(source.lines().count().min(updated.lines().count()));
        let [expected, actual] = [&source, &updated].map(|text| text.lines().nth(line).unwrap_or("(end)").to_owned());
        differing.push(format!("{}:{}\n  expected: {expected}\n  actual:   {actual}", file.display(), line + 1));
    }
    assert!(read >= least, "only {read} files");
    assert!(differing.is_empty(), "{}", differing.join("\n"));
}
