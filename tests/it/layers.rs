//! The layers of the architecture: a module uses only modules below it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The modules from the top; modules in one row do not use each other.
const ROWS: &[&[&str]] = &[
    &["wasm", "counter"],
    &["subagent", "predict"],
    &["chat", "compression"],
    &["arrival"],
    &["costs", "turn", "message", "tokens", "reply"],
    &["lisp"],
    &["signature", "names"],
    &["value"],
    &["diagnostic", "suggest"],
    &["allocated", "blocks", "unicode"],
    &["text", "work"],
];

/// The modules of the language, from the top; a module uses only its row and those below it.
const LANGUAGE_ROWS: &[&[&str]] = &[
    &["check", "vm"],
    &["compiler"],
    &["liveness", "unknown"],
    &["builtins", "written"],
    &["literal", "native", "ordering", "path", "reader", "special", "task", "text"],
    &["atom", "equality", "globals", "indentation", "lookup", "meter", "number", "pattern", "regex", "sequence"],
    &["tool"],
    &["exception"],
    &["cells"],
    &["chunk", "fault", "form"],
];

/// The crates that give access to JavaScript.
const BOUNDARY_CRATES: [&str; 4] = ["wasm_bindgen", "js_sys", "serde", "console_error_panic_hook"];

#[test]
fn modules_use_only_modules_below_them() {
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
fn modules_of_a_folder_use_each_other_in_one_direction() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let folders: BTreeSet<_> = sources().iter().map(|(_, file)| file.parent().unwrap().to_owned()).collect();
    let folders: Vec<_> = folders
        .iter()
        .map(|folder| folder.strip_prefix(&root).unwrap().to_str().unwrap())
        .filter(|folder| !folder.is_empty())
        .collect();
    assert!(
        ["chat", "lisp", "lisp/builtins", "signature", "turn", "value"].iter().all(|known| folders.contains(known))
    );
    for folder in folders {
        let circle = in_circles(uses_within(folder));
        assert!(circle.is_empty(), "modules of {folder} use each other in a circle: {circle:#?}");
    }
}

#[test]
fn the_library_of_the_language_uses_neither_the_machine_nor_the_compiler() {
    let uses = uses_within("lisp");
    let named: BTreeSet<_> = LANGUAGE_ROWS.iter().flat_map(|row| row.iter().copied()).collect();
    assert_eq!(uses.keys().map(String::as_str).collect::<BTreeSet<_>>(), named);
    let row_of = |module: &str| LANGUAGE_ROWS.iter().position(|row| row.contains(&module));
    for (module, used) in &uses {
        let above: Vec<_> = used.iter().filter(|used| row_of(used) < row_of(module)).collect();
        assert!(above.is_empty(), "{module} uses {above:?}");
    }
}

#[test]
fn a_circle_of_modules_is_found() {
    let uses = [("a", "b"), ("b", "c"), ("c", "b"), ("d", "")];
    let uses = uses.map(|(from, to)| (from.to_owned(), to.split_whitespace().map(str::to_owned).collect()));
    assert_eq!(in_circles(uses.into()).into_keys().collect::<Vec<_>>(), ["a", "b", "c"]);
    let source = "use super::{d, e::{F, G}};\nuse super::super::h::I; // super::j\ncrate::a::k::l();";
    let module = ["a", "b", "c"].map(str::to_owned);
    let used: Vec<_> = used_paths(source, &module).into_iter().map(|path| path.join("::")).collect();
    assert_eq!(used, ["a::b::d", "a::b::e::F", "a::b::e::G", "a::h::I", "a::k::l"]);
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
fn nothing_below_the_boundary_reads_a_clock_or_random_numbers() {
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

#[test]
fn a_type_name_has_one_meaning() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files_of: BTreeMap<(bool, String), Vec<String>> = BTreeMap::new();
    for (module, file) in sources().into_iter().filter(|(_, file)| !is_test(file)) {
        let path = file.strip_prefix(&root).unwrap().display().to_string();
        for name in type_names(&fs::read_to_string(&file).unwrap()) {
            // The boundary has structs of the same names for what it reads and writes.
            files_of.entry((module == "wasm", name)).or_default().push(path.clone());
        }
    }
    assert!(files_of.len() > 400, "only {} types are found", files_of.len());
    files_of.retain(|_, files| files.len() > 1);
    assert!(files_of.is_empty(), "types of one name: {files_of:#?}");
}

#[test]
fn declarations_of_types_are_found() {
    let source =
        "pub struct A<T>(T);\n  pub(super) enum B {\ntype C = u8;\n    type Item = u8;\n// struct D\nfn struct_of() {}";
    assert_eq!(type_names(source), ["A", "B", "C"]);
}

/// The structs, enums, traits and aliases that a source declares; those of an `impl` are indented aliases.
fn type_names(source: &str) -> Vec<String> {
    let declared = |line: &str| {
        let code = line.trim_start();
        let code = match code.strip_prefix("pub(") {
            Some(rest) => rest.split_once(") ")?.1,
            None => code.strip_prefix("pub ").unwrap_or(code),
        };
        let (keyword, rest) = code.split_once(' ')?;
        let declares = matches!(keyword, "struct" | "enum" | "trait") || (keyword == "type" && !line.starts_with(' '));
        declares.then(|| name_at(rest).to_owned())
    };
    source.lines().filter_map(declared).collect()
}

fn is_test(file: &Path) -> bool {
    file.iter().any(|part| part == "tests" || part == "tests.rs")
}

fn row_of(module: &str) -> Option<usize> {
    ROWS.iter().position(|row| row.contains(&module))
}

/// Every source file except `lib.rs`, with its top-level module.
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

/// The modules named after `crate::`, including grouped imports.
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

/// The modules of a folder, each with the modules of the same folder that it uses. Files in a subfolder count for the
/// module of that name.
fn uses_within(folder: &str) -> BTreeMap<String, BTreeSet<String>> {
    let folder: Vec<_> = folder.split('/').map(str::to_owned).collect();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut uses: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (_, file) in sources().into_iter().filter(|(_, file)| !is_test(file)) {
        let path = file.strip_prefix(&root).unwrap().with_extension("");
        let module: Vec<_> = path.iter().map(|name| name.to_str().unwrap().to_owned()).collect();
        let Some([name, ..]) = module.strip_prefix(&*folder) else { continue };
        let used = used_paths(&fs::read_to_string(&file).unwrap(), &module);
        let used = used.into_iter().filter_map(|path| path.strip_prefix(&*folder)?.first().cloned());
        uses.entry(name.clone()).or_default().extend(used.filter(|used| used != name));
    }
    let modules: BTreeSet<_> = uses.keys().cloned().collect();
    uses.values_mut().for_each(|used| used.retain(|name| modules.contains(name)));
    uses
}

/// The paths that are named after `super::` or `crate::` in the source of a module. Tests within the source may use any
/// module.
fn used_paths(source: &str, module: &[String]) -> Vec<Vec<String>> {
    let code = source.split("#[cfg(test)]").next().unwrap_or_default();
    let code: Vec<_> = code.lines().map(|line| line.split("//").next().unwrap_or_default()).collect();
    let code = code.join("\n");
    let mut paths = Vec::new();
    for (place, start) in code.match_indices("super::").chain(code.match_indices("crate::")) {
        if code[..place].ends_with("super::") {
            continue;
        }
        let mut rest = &code[place..];
        let mut folder = if start == "crate::" { Vec::new() } else { module.to_vec() };
        while let Some(behind) = rest.strip_prefix("super::") {
            folder.pop();
            rest = behind;
        }
        add_paths(folder, rest.strip_prefix("crate::").unwrap_or(rest), &mut paths);
    }
    paths
}

/// Adds the path at the start of the code, or the paths of a group, after the names in front of it.
fn add_paths(mut names: Vec<String>, code: &str, paths: &mut Vec<Vec<String>>) {
    let code = code.trim_start();
    if let Some(group) = code.strip_prefix('{') {
        let (mut depth, mut begins) = (0, true);
        for (place, c) in group.char_indices() {
            match c {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                ',' if depth == 0 => begins = true,
                _ if begins && !c.is_whitespace() => {
                    add_paths(names.clone(), &group[place..], paths);
                    begins = false;
                }
                _ => {}
            }
        }
        return;
    }
    let name = name_at(code);
    if name.is_empty() {
        return;
    }
    names.push(name.to_owned());
    match code[name.len()..].strip_prefix("::") {
        Some(rest) => add_paths(names, rest, paths),
        None => paths.push(names),
    }
}

fn name_at(code: &str) -> &str {
    code.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or_default()
}

/// Repeatedly removes modules that use no other module. Returns the rest of the graph: its circles, and the modules
/// that use them.
fn in_circles(mut uses: BTreeMap<String, BTreeSet<String>>) -> BTreeMap<String, BTreeSet<String>> {
    while let Some(free) = uses.iter().find(|(_, used)| used.is_empty()).map(|(module, _)| module.clone()) {
        uses.remove(&free);
        uses.values_mut().for_each(|used| {
            used.remove(&free);
        });
    }
    uses
}
