//! What names mean to a program, and the errors of names, patterns, clauses, literals and prints.

use turnfold::lisp::{Limits, Outcome, Vm, read_value};
use turnfold::value::{Str, Value};

use crate::case::{shown, value};
use crate::language::finish;

/// A sandbox with the tools `search` and `both`, which give their arguments, and the data `stock` and `both`.
fn sandbox(limits: Limits) -> Vm {
    let data = [("stock", value("[1 2]")), ("both", 5.into())];
    let tools = ["search", "both"].map(|name| (Str::from(name), ()));
    Vm::new(
        data.map(|(name, value)| (Str::from(name), value)).into_iter().collect(),
        tools.into_iter().collect(),
        limits,
    )
}

fn result(outcome: &Outcome) -> String {
    match &outcome.result {
        Ok(value) => shown(value),
        Err(problem) => problem.kind.to_string(),
    }
}

#[track_caller]
fn check(program: &str, expected: &str) {
    let outcome = finish(&mut sandbox(Limits::default()), program);
    assert_eq!(result(&outcome), expected, "{program}: {:?}", outcome.result);
}

#[test]
fn tool_and_data_names_have_their_namespace() {
    check("(tool/search 1)", "[1]");
    check("data/stock", "[1 2]");
    check("(def mine 3) mine", "3");
    check("(def data/stock 3)", "invalid_form");
}

#[test]
fn a_bare_name_falls_back_to_the_tool_or_the_data() {
    check("(search 1)", "[1]");
    check("stock", "[1 2]");
    check("(def stock 3) stock", "3");
    check("(def search 3) search", "3");
    check("(def stock nil) stock", "nil");
    check("(let [stock 4] stock)", "4");
    check("(defn search [x] (str x)) (search 1)", "\"1\"");
}

#[test]
fn a_namespace_reaches_what_a_definition_shadows() {
    check("(def stock 3) data/stock", "[1 2]");
    check("(let [stock 4] data/stock)", "[1 2]");
    check("(def fetch 3) (tool/search 2)", "[2]");
}

#[test]
fn a_bare_name_of_both_a_tool_and_data_is_an_ambiguous_reference() {
    check("both", "ambiguous_reference");
    check("(both 1)", "ambiguous_reference");
    check("(tool/both 1)", "[1]");
    check("data/both", "5");
    check("(def both 1) both", "1");
    let outcome = finish(&mut sandbox(Limits::default()), "(inc both)");
    let problem = outcome.result.unwrap_err();
    assert_eq!(problem.message, "`both` is both `tool/both` and `data/both`");
    assert_eq!(problem.hint.as_deref(), Some("write `tool/both` or `data/both`"));
}

#[test]
fn a_pattern_that_does_not_fit_is_a_destructure_error() {
    check("(let [[a b] [1 2]] b)", "2");
    check("(let [[a b] 5] a)", "destructure_error");
    check("(let [{:keys [a]} 5] a)", "destructure_error");
}

#[test]
fn a_value_without_a_clause_is_a_no_matching_clause_error() {
    check("(case 1 1 :one)", ":one");
    check("(case 2 1 :one)", "no_matching_clause");
    check("(condp = 2 1 :one)", "no_matching_clause");
    check("(case 2 1 :one :other)", ":other");
}

#[test]
fn code_among_data_is_not_a_literal() {
    assert_eq!(read_value("[1 :a]"), Ok(value("[1 :a]")));
    for text in ["[(inc 1)]", "data/stock", "#(inc %)"] {
        assert_eq!(read_value(text).unwrap_err().kind, "not_a_literal", "{text}");
    }
}

#[test]
fn more_prints_than_limits_prints_allows_are_a_print_limit_exceeded_error() {
    let prints = |count: usize| {
        let mut sandbox = sandbox(Limits { prints: 3, ..Limits::default() });
        finish(&mut sandbox, &format!("(dotimes [i {count}] (println i)) :done"))
    };
    assert_eq!(result(&prints(3)), ":done");
    assert_eq!(prints(3).prints.len(), 3);
    assert_eq!(result(&prints(4)), "print_limit_exceeded");
    assert!(matches!(prints(0).result, Ok(Value::Keyword(_))));
}
