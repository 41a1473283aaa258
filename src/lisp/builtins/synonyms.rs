//! Names that other languages, and libraries of Clojure, use for functions that have another name in this library.

use crate::suggest::{folded, folds_to};

/// Sorted by name. A name also matches its variants: `group` matches `Group`, `map-values` matches `mapValues`.
static SYNONYMS: [(&str, &str); 70] = [
    ("all", "every?"),
    ("all?", "every?"),
    ("any", "some"),
    ("append", "conj"),
    ("average", "avg"),
    ("ceiling", "ceil"),
    ("class", "type"),
    ("cnt", "count"),
    ("contains-key?", "contains?"),
    ("count-by", "frequencies"),
    ("define", "def"),
    ("defun", "defn"),
    ("dict", "hash-map"),
    ("each", "doseq"),
    ("else-if", "cond"),
    ("exists?", "some"),
    ("exp", "Math/exp"),
    ("filter-not", "remove"),
    ("find-first", "find"),
    ("flat-map", "mapcat"),
    ("fold", "reduce"),
    ("for-each", "doseq"),
    ("group", "group-by"),
    ("has-key?", "contains?"),
    ("has?", "contains?"),
    ("head", "first"),
    ("is-empty", "empty?"),
    ("json/decode", "json/parse-string"),
    ("json/encode", "json/generate-string"),
    ("json/parse", "json/parse-string"),
    ("json/stringify", "json/generate-string"),
    ("json/write", "json/generate-string"),
    ("lambda", "fn"),
    ("len", "count"),
    ("length", "count"),
    ("log", "Math/log"),
    ("map-keys", "update-keys"),
    ("map-vals", "update-vals"),
    ("map-values", "update-vals"),
    ("mean", "avg"),
    ("modulo", "mod"),
    ("none", "nil"),
    ("null", "nil"),
    ("null?", "nil?"),
    ("order-by", "sort-by"),
    ("parse-float", "parse-double"),
    ("parse-json", "json/parse-string"),
    ("parse-number", "parse-double"),
    ("power", "pow"),
    ("push", "conj"),
    ("reject", "remove"),
    ("size", "count"),
    ("strip", "trim"),
    ("strlen", "count"),
    ("substr", "subs"),
    ("substring", "subs"),
    ("switch", "case"),
    ("tail", "rest"),
    ("to-int", "parse-long"),
    ("to-json", "json/generate-string"),
    ("to-lower", "lower-case"),
    ("to-lower-case", "lower-case"),
    ("to-number", "parse-double"),
    ("to-string", "str"),
    ("to-upper", "upper-case"),
    ("to-upper-case", "upper-case"),
    ("undefined", "nil"),
    ("uniq", "distinct"),
    ("unique", "distinct"),
    ("values", "vals"),
];

/// Returns the name in this library for a name of other languages.
pub fn synonym(name: &str) -> Option<&'static str> {
    let wanted = folded(name);
    synonyms().find(|(known, _)| folds_to(known, &wanted)).map(|(_, here)| here)
}

/// Returns all synonyms with their names in this library.
pub fn synonyms() -> impl Iterator<Item = (&'static str, &'static str)> {
    SYNONYMS.into_iter()
}

#[cfg(test)]
mod tests {
    use super::super::{constant, find};
    use super::*;
    use crate::lisp::is_form;
    use crate::lisp::special::instead;

    #[test]
    fn synonyms_are_sorted_and_mean_what_exists() {
        assert!(SYNONYMS.is_sorted_by(|left, right| left.0 < right.0));
        let folds: std::collections::HashSet<_> = synonyms().map(|(name, _)| folded(name)).collect();
        assert_eq!(folds.len(), SYNONYMS.len());
        for (name, here) in synonyms() {
            assert!(find(here).is_some() || is_form(here) || here == "nil", "{here}");
            assert!(
                find(name).is_none() && constant(name).is_none() && instead(name).is_none() && !is_form(name),
                "{name}"
            );
            assert!(super::super::names().all(|known| folded(known) != folded(name)), "{name}");
        }
    }

    #[test]
    fn words_may_be_joined_in_any_way() {
        for name in ["to-upper-case", "toUpperCase", "to_upper_case"] {
            assert_eq!(synonym(name), Some("upper-case"));
        }
        assert_eq!((synonym("map"), synonym("x")), (None, None));
    }
}
