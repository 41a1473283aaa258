//! The arrows of the architecture: a module uses only what stands below it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// From the top; modules in one row know nothing of each other.
const ROWS: &[&[&str]] = &[
    &["wasm", "counter"],
    &["subagent", "predict"],
    &["chat", "compression"],
    &["turn", "message", "tokens", "sandbox", "reply"],
    &["signature", "lisp"],
    &["value"],
    &["diagnostic", "suggest"],
    &["blocks", "unicode"],
];

/// What knows JavaScript.
const BOUNDARY_CRATES: [&str; 4] = ["wasm_bindgen", "js_sys", "serde_wasm_bindgen", "console_error_panic_hook"];

#[test]
fn modules_use_only_what_stands_below_them() {
    let mut wrong = Vec::new();
    for (module, file) in sources() {
        let Some(row) = row_of(&module) else {
            wrong.push(format!("{module} stands in no row"));
            continue;
        };
        for used in used_modules(&fs::read_to_string(&file).unwrap()) {
            if used != module && row_of(&used).is_none_or(|below| below <= row) {
                wrong.push(format!("{} uses {used}", file.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn only_the_boundary_knows_javascript() {
    for (module, file) in sources() {
        let source = fs::read_to_string(&file).unwrap();
        let known: Vec<_> = BOUNDARY_CRATES.iter().filter(|name| source.contains(**name)).collect();
        assert!(module == "wasm" || known.is_empty(), "{} knows {known:?}", file.display());
    }
}

#[test]
fn nothing_below_the_boundary_has_a_clock_or_chance() {
    for (module, file) in sources() {
        let source = fs::read_to_string(&file).unwrap();
        let code = source.split("#[cfg(test)]").next().unwrap_or_default();
        for forbidden in ["std::time", "SystemTime", "Instant::", "rand::", "RandomState", "std::fs", "std::net"] {
            assert!(!code.contains(forbidden), "{module}: {} uses {forbidden}", file.display());
        }
    }
}

#[test]
fn every_module_has_a_row() {
    let named: BTreeSet<_> = ROWS.iter().flat_map(|row| row.iter().copied()).collect();
    let found: BTreeSet<_> = sources().into_iter().map(|(module, _)| module).collect();
    assert_eq!(found.iter().map(String::as_str).collect::<BTreeSet<_>>(), named);
}

fn row_of(module: &str) -> Option<usize> {
    ROWS.iter().position(|row| row.contains(&module))
}

/// Every source file but the front page, with the module of the first level that it belongs to.
fn sources() -> Vec<(String, PathBuf)> {
    fn walk(folder: &Path, files: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, files);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    walk(&root, &mut files);
    let module = |file: &Path| {
        let first = file.strip_prefix(&root).unwrap().iter().next().unwrap().to_str().unwrap();
        first.trim_end_matches(".rs").to_owned()
    };
    files.into_iter().map(|file| (module(&file), file)).filter(|(module, _)| module != "lib").collect()
}

/// The modules named behind `crate::`, grouped imports included.
fn used_modules(source: &str) -> BTreeSet<String> {
    let mut used = BTreeSet::new();
    for (place, _) in source.match_indices("crate::") {
        let rest = &source[place + "crate::".len()..];
        let names = match rest.strip_prefix('{') {
            Some(group) => &group[..group.find(';').unwrap_or(group.len())],
            None => rest,
        };
        let first = names.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or_default();
        used.insert(first.to_owned());
    }
    used
}
