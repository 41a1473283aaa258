//! Compares case files with the library's actual output. `UPDATE_CONVERSATIONS=1` writes that output into them.

use std::fs;
use std::path::{Path, PathBuf};

/// The case files below a folder of `tests`, sorted by path.
pub fn files(folder: &str) -> Vec<PathBuf> {
    fn walk(folder: &Path, files: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, files);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                files.push(path);
            }
        }
    }
    let mut files = Vec::new();
    walk(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder), &mut files);
    files.sort();
    files
}

/// Fails for files that differ from the text that `updated` returns for them; skips files for which it returns `None`.
/// At least `min` files must be compared.
#[track_caller]
pub fn check(files: &[PathBuf], min: usize, updated: impl Fn(&str) -> Option<String>) {
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
    assert!(read >= min, "only {read} files");
    assert!(differing.is_empty(), "{}", differing.join("\n"));
}
