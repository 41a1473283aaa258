//! Errors of undefined names, which the machine and the checker share.

use super::builtins;
use super::lookup::are_alike;
use super::special;
use crate::diagnostic::Diagnostic;
use crate::suggest;
use crate::value::{Names, Value, is_keyword_name};

/// Returns the error for an undefined bare name, given its probable correction. A name of Clojure has its own hint.
#[cold]
pub fn undefined(name: &str, meant: Option<String>) -> Diagnostic {
    if let Some(hint) = special::instead(name) {
        return Diagnostic::new("unbound_var", format!("`{name}` does not exist here")).with_hint(hint);
    }
    let hint = match meant {
        Some(meant) => format!("did you mean {meant}?"),
        None if name.starts_with('.') && name.len() > 1 => {
            let part = &name[1..];
            format!("there is no such method: use a function of the language, which `(apropos \"{part}\")` looks for")
        }
        None if name.ends_with('.') => "there are no other objects of Java: use maps and functions".into(),
        None => format!("define it with `(def {name} …)`, or bind it with `let`"),
    };
    Diagnostic::new("unbound_var", format!("`{name}` is not defined")).with_hint(hint)
}

/// Returns the error for a bare name that a failed program defined.
#[cold]
pub fn not_kept(name: &str) -> Diagnostic {
    let message = format!("`{name}` was defined by a program that failed, so it was not kept");
    Diagnostic::new("unbound_var", message).with_hint(format!("define it again with `(def {name} …)`"))
}

/// Returns the probable correction of a name: the same name with other separators, the key of that name, the builtin
/// that has the name in other languages, then the most similar name, then the most similar key. `own` are the
/// definitions, tools and data, each with its prefix; `keys` are the keys of the maps in definitions and data.
pub fn meant(name: &str, own: &[(&str, &'static str)], keys: &Names<()>) -> Option<String> {
    let library = || builtins::names().filter(|found| found.starts_with('.') == name.starts_with('.'));
    let same = own.iter().find(|(found, _)| are_alike(found, name)).copied();
    let written = || library().find(|found| are_alike(found, name)).map(|found| (found, ""));
    if let Some((found, prefix)) = same.or_else(written) {
        return Some(format!("`{prefix}{found}`"));
    }
    let plain = suggest::folded(name);
    let key = keys.iter().map(|(key, ())| key).find(|key| suggest::folds_to(key, &plain));
    let synonym = builtins::synonyms().find(|(known, _)| suggest::folds_to(known, &plain));
    match (key, synonym) {
        (Some(key), Some((_, here))) => return Some(format!("`:{key}`, or `{here}`")),
        (Some(key), None) => return Some(format!("`:{key}`")),
        (None, Some((_, here))) => return Some(format!("`{here}`")),
        (None, None) => {}
    }
    let forms = special::forms().map(|(form, ..)| form).filter(|form| form.len() > 2 && name.len() > 3);
    let mut names: Vec<&str> = own.iter().map(|(found, _)| *found).collect();
    let library = library().chain(forms).map(|found| (found, found));
    // A misspelt name of another language is less probable than a missing definition, unless it is long.
    let synonyms = builtins::synonyms().filter(|_| name.chars().count() > 5);
    let here = library.chain(synonyms).filter(|(found, _)| can_be_library(name, found)).collect::<Vec<_>>();
    names.extend(here.iter().map(|(found, _)| *found));
    if let Some(position) = suggest::most_similar(name, &names) {
        return Some(match own.get(position) {
            Some((found, prefix)) => format!("`{prefix}{found}`"),
            None => format!("`{}`", here[position - own.len()].1),
        });
    }
    let keys: Vec<&str> = keys.iter().map(|(key, ())| &**key).collect();
    suggest::most_similar(name, &keys).map(|position| format!("`:{}`", keys[position]))
}

/// Returns whether the similar name of the library is a plausible correction: short and numbered names, such as `xs`
/// and `fn1`, are more probably missing definitions.
fn can_be_library(name: &str, found: &str) -> bool {
    let digits = |name: &str| name.bytes().filter(u8::is_ascii_digit).collect::<Vec<_>>();
    let is_first_same = name.chars().next() == found.chars().next();
    let length = name.chars().count();
    length > 2 && (length > 5 || is_first_same) && digits(name) == digits(found)
}

/// Returns the keys of maps in some values, those of outer maps first. Visits the first items of each collection, a few
/// levels deep.
pub fn keys_of_maps(values: &mut dyn Iterator<Item = &Value>) -> Names<()> {
    const MAX_KEYS: usize = 200;
    const MAX_VALUES: usize = 1000;
    const ITEMS: usize = 5;
    const ENTRIES: usize = 30;
    const LEVELS: usize = 5;
    let mut keys = Names::default();
    let mut level: Vec<&Value> = values.take(MAX_VALUES).collect();
    for _ in 0..LEVELS {
        let mut next = Vec::new();
        for value in level {
            if keys.len() >= MAX_KEYS || next.len() >= MAX_VALUES {
                break;
            }
            match value {
                Value::Vector(items) => next.extend(items.iter().take(ITEMS)),
                Value::Set(items) => next.extend(items.iter().take(ITEMS)),
                Value::Map(map) => {
                    for (key, value) in map.iter().take(ENTRIES) {
                        let name = key.key_name().unwrap_or_default();
                        // Keys that begin with `_` are hidden from models.
                        if name.starts_with('_') {
                            continue;
                        }
                        if is_keyword_name(name) {
                            keys.insert(name.into(), ());
                        }
                        next.push(value);
                    }
                }
                _ => {}
            }
        }
        level = next;
    }
    keys
}

/// Returns the error for an unknown `tool/…`, given the tools; `is_searched` when a similar one is suggested.
#[cold]
pub fn no_tool<'a>(name: &str, tools: impl Iterator<Item = &'a str>, is_searched: bool) -> Diagnostic {
    let none = "there are no tools: compute with the functions of the language";
    let hint = nearest_or_all(name, tools, is_searched, ["tool/", none, "the tools are"]);
    Diagnostic::new("unknown_tool", format!("there is no tool `{name}`")).with_hint(hint)
}

/// Returns the error for an unknown `data/…`, given the data; `is_defined` when a definition has the name, `is_searched`
/// when a similar one is suggested.
#[cold]
pub fn no_data<'a>(name: &str, data: impl Iterator<Item = &'a str>, is_defined: bool, is_searched: bool) -> Diagnostic {
    let hint = if is_defined {
        format!("did you mean `{name}`, which a program defined?")
    } else {
        let none = "there are no data: use definitions, or ask a tool";
        nearest_or_all(name, data, is_searched, ["data/", none, "the data are"])
    };
    Diagnostic::new("unbound_var", format!("there is no `data/{name}`")).with_hint(hint)
}

fn nearest_or_all<'a>(
    name: &str,
    known: impl Iterator<Item = &'a str>,
    is_searched: bool,
    [prefix, none, all]: [&str; 3],
) -> String {
    let known: Vec<&str> = if is_searched { known.collect() } else { known.take(suggest::MAX_LISTED + 1).collect() };
    match if is_searched { suggest::most_similar(name, &known) } else { None } {
        Some(position) => format!("did you mean `{prefix}{}`?", known[position]),
        None if known.is_empty() => none.into(),
        None => format!("{all} {}", suggest::list(known.iter().copied(), prefix)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lisp::read_value;

    #[track_caller]
    fn check(name: &str, expected: &str) {
        let data = read_value(
            "{:ps [{:price 3 \"in stock\" 1 :unitPrice 2 :vendor {:city \"Oslo\"}}] :by-id {7 {:length 2}} :lists [[{:deep 1}]]
              :secret {:_hidden 1 :_more {:covered 1}}}",
        );
        let data = data.expect("data");
        let Value::Map(members) = &data else { panic!("a map") };
        let own = [("total", ""), ("is-open", ""), ("pies", ""), ("search", "tool/"), ("products", "data/")];
        let keys = keys_of_maps(&mut members.iter().map(|(_, value)| value));
        let hint = undefined(name, meant(name, &own, &keys)).hint.clone().expect("a hint");
        let defining = format!("define it with `(def {name} …)`, or bind it with `let`");
        assert_eq!(hint, if expected.is_empty() { defining } else { format!("did you mean {expected}?") });
    }

    #[test]
    fn keys_are_meant_where_no_name_is_the_same() {
        check("price", "`:price`");
        check("unit-price", "`:unitPrice`");
        check("prise", "`:price`");
        check("prce", "`:price`");
        check("city", "`:city`");
        check("deep", "`:deep`");
        check("length", "`:length`, or `count`");
        check("vendr", "`:vendor`");
        check("_hidden", "");
        check("covered", "");
    }

    #[test]
    fn names_are_meant_before_keys() {
        check("is_open", "`is-open`");
        check("totl", "`total`");
        check("serch", "`tool/search`");
        check("prds", "`data/products`");
        check("sort_by", "`sort-by`");
        check("sortBy", "`sort-by`");
        check("cnt", "`count`");
        check("redcue", "`reduce`");
        check("lenght", "`count`");
        check("whne", "`when`");
    }

    #[test]
    fn what_exists_under_another_name_is_not_to_be_defined() {
        for (name, here) in builtins::synonyms().filter(|(name, _)| *name != "length") {
            check(name, &format!("`{here}`"));
        }
        check("toUpperCase", "`upper-case`");
        check("println!", "`println`");
        check("parseInt", "`parse-int`");
        check("foreach", "`doseq`");
        check("agv", "`avg`");
    }

    #[test]
    fn short_and_numbered_names_are_no_typing_errors() {
        for name in [
            "x", "r", "n", "i", "xs", "ys", "it", "id", "kv", "fn1", "map2", "row", "tmp", "x1", "f", "acc", "foo",
            "bar",
        ] {
            check(name, "");
        }
    }

    #[test]
    fn large_data_are_not_searched_to_the_end() {
        let row = |index: i64| Value::map([(Value::keyword(format!("key{index}")), Value::vector([index.into()]))]);
        let rows = Value::vector((0..100_000).map(row));
        assert_eq!(keys_of_maps(&mut [&rows].into_iter()).len(), 5);
        let wide = Value::map((0..100_000).map(|index| (Value::keyword(format!("key{index}")), index.into())));
        assert!(keys_of_maps(&mut [&wide, &rows].into_iter()).len() < 50);
        let same = (0..40).fold(Value::vector([]), |inner, _| Value::vector([inner.clone(), inner.clone(), inner]));
        assert_eq!(keys_of_maps(&mut [&same].into_iter()).len(), 0);
    }
}
