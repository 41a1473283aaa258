//! The meaning of names in programs, and the errors of names, patterns, clauses, literals and prints.

use proptest::prelude::*;
use std::rc::Rc;
use turnfold::compression::{RenderOptions, Renderer};
use turnfold::lisp::{
    Known, Outcome, ProgramLimits, ToolSpec, Vm, check as check_names, complete, read_value, written_data,
};
use turnfold::value::{Names, Str, Value};

use crate::case::{shown, value};
use crate::language::finish;

/// A sandbox with the tools `search` and `both`, which return their arguments, and the data `stock` and `both`.
fn sandbox(limits: ProgramLimits) -> Vm {
    let data = [("stock", value("[1 2]")), ("both", 5.into())];
    let tools = ["search", "both"].map(|name| (Str::from(name), Rc::new(ToolSpec::default())));
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
    let outcome = finish(&mut sandbox(ProgramLimits::default()), program);
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
fn data_that_do_not_exist_are_an_error() {
    let problem = |program: &str| finish(&mut sandbox(ProgramLimits::default()), program).result.unwrap_err();
    for (program, message, hint) in [
        ("data/stok", "there is no `data/stok`", "did you mean `data/stock`?"),
        ("(count data/orders)", "there is no `data/orders`", "the data are `data/stock`, `data/both`"),
        ("(def total 3) data/total", "there is no `data/total`", "did you mean `total`, which a program defined?"),
        (
            "(if false data/stok data/stokc)",
            "there is no `data/stok`",
            "did you mean `data/stock`? other problems: there is no `data/stokc` (did you mean `data/stock`?)",
        ),
    ] {
        let problem = problem(program);
        assert_eq!((problem.kind, &*problem.message, problem.hint.as_deref()), ("unbound_var", message, Some(hint)));
        assert_eq!(problem.span.map(|span| &program[span.start..span.end]), Some(&message[13..message.len() - 1]));
    }
    let mut empty = Vm::new(Default::default(), Default::default(), ProgramLimits::default());
    let problem = finish(&mut empty, "data/x").result.unwrap_err();
    assert_eq!(problem.hint.as_deref(), Some("there are no data: use definitions, or ask a tool"));
}

#[test]
fn declared_data_are_nil_unless_they_were_given() {
    let mut sandbox = sandbox(ProgramLimits::default());
    for name in ["limit", "stock", "bo_th"] {
        sandbox.declare_data(&name.into());
    }
    for (program, expected) in [("data/limit", "nil"), ("limit", "nil"), ("data/stock", "[1 2]"), ("data/both", "5")] {
        assert_eq!(result(&finish(&mut sandbox, program)), expected, "{program}");
    }
}

#[test]
fn the_nearest_data_are_named_before_a_program_runs() {
    let known = Known { data: Some(vec!["products".into(), "first name".into(), "()".into()]), ..Known::default() };
    let problems = check_names("(map :price data/prodcts) data/first-name data/first_name data/last", &known);
    let shown: Vec<_> = problems.iter().map(|problem| problem.to_string()).collect();
    let expected = [
        "there is no `data/prodcts` (did you mean `data/products`?)",
        "there is no `data/last` (the data are `data/products`, `data/first-name`)",
    ];
    assert_eq!(shown, expected);
    let completed = complete("data/f", 6, &known);
    assert_eq!(completed.iter().map(|found| &*found.name).collect::<Vec<_>>(), ["data/first-name"]);
    assert!(complete("tool/", 5, &Known { tools: Some(vec!["a b".into()]), ..Known::default() }).is_empty());
}

/// The names that the first message lists as data.
/// Names of the same length, of which no two are similar.
fn different_names(count: usize) -> impl Iterator<Item = String> {
    let letter = |part: usize| char::from(b'a' + part as u8 % 26).to_string().repeat(5);
    (0..count).map(move |index| format!("{}{}{}", letter(index), letter(index / 26), letter(index / 676)))
}

#[test]
fn similar_names_are_found_for_the_first_unknown_names_and_wherever_those_repeat() {
    let names: Vec<Str> = different_names(1000).map(|name| Str::from(&*name)).collect();
    let tools = Some(names.clone());
    let known = Known { tools, data: Some(names.clone()), memory: Some(names) };
    let hints = |prefix: &str, suffix: &str| {
        let program: String = different_names(1000).map(|name| format!("({prefix}{name}{suffix})\n")).collect();
        let problems = check_names(&format!("{program}({prefix}aaaaaaaaaaaaaaa{suffix})"), &known);
        assert_eq!(problems.len(), 1001);
        problems.iter().map(|problem| problem.hint.clone().unwrap_or_default()).collect::<Vec<_>>()
    };
    for (prefix, found, all) in [
        ("", "did you mean `aaaaaaaaaaaaaaa`?", "define it with `(def"),
        ("tool/", "did you mean `tool/aaaaaaaaaaaaaaa`?", "the tools are `tool/aaaaaaaaaaaaaaa`, "),
        ("data/", "did you mean `data/aaaaaaaaaaaaaaa`?", "the data are `data/aaaaaaaaaaaaaaa`, "),
    ] {
        let hints = hints(prefix, "x");
        assert_eq!([&hints[0], &hints[1000]], [found, found]);
        assert!(hints[1].starts_with("did you mean `"), "{}", hints[1]);
        assert!(hints[999].starts_with(all), "{}", hints[999]);
    }
    let hints = hints("Math/", "");
    assert!(hints[999].starts_with("there are `Math/"), "{}", hints[999]);
}

fn listed(data: &Names<Value>) -> Vec<String> {
    let data = data.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
    let rendered = Renderer::new(RenderOptions { data, ..RenderOptions::default() }, []).render(None);
    let text = &rendered.expect("no counter").messages[1].text;
    let lines = text.lines().filter(|line| line.starts_with("data/"));
    lines.map(|line| line.split("  ").next().expect("a name").split(" ;").next().expect("a name").to_owned()).collect()
}

proptest! {
    #[test]
    fn data_that_a_message_lists_can_be_read(names in proptest::collection::hash_set("[a-c/: _'#%(.1]{0,4}|\\PC{0,4}|nil|true", 0..6)) {
        let given: Names<Value> = names.iter().map(|name| (name.as_str().into(), Value::str(name))).collect();
        let Ok(data) = written_data(given.iter()) else { return Ok(()) };
        let listed = listed(&data);
        prop_assert_eq!(listed.len(), given.len());
        let mut sandbox = Vm::new(data, Names::default(), ProgramLimits::default());
        let mut read = std::collections::HashSet::new();
        for name in &listed {
            match finish(&mut sandbox, &format!("(first [{name}])")).result {
                Ok(Value::Str(text)) => prop_assert!(read.insert(text.to_string())),
                other => prop_assert!(false, "{} gives {:?}", name, other),
            }
        }
        prop_assert_eq!(read, names);
    }
}

#[test]
fn a_bare_name_of_both_a_tool_and_data_is_an_ambiguous_reference() {
    check("both", "ambiguous_reference");
    check("(both 1)", "ambiguous_reference");
    check("(tool/both 1)", "[1]");
    check("data/both", "5");
    check("(def both 1) both", "1");
    let outcome = finish(&mut sandbox(ProgramLimits::default()), "(inc both)");
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
fn code_within_data_is_not_a_literal() {
    assert_eq!(read_value("[1 :a]"), Ok(value("[1 :a]")));
    for text in ["[(inc 1)]", "data/stock", "#(inc %)"] {
        assert_eq!(read_value(text).unwrap_err().kind, "not_a_literal", "{text}");
    }
}

#[test]
fn more_prints_than_limits_prints_allows_are_a_print_limit_exceeded_error() {
    let prints = |count: usize| {
        let mut sandbox = sandbox(ProgramLimits { prints: 3, ..ProgramLimits::default() });
        finish(&mut sandbox, &format!("(dotimes [i {count}] (println i)) :done"))
    };
    assert_eq!(result(&prints(3)), ":done");
    assert_eq!(prints(3).prints.len(), 3);
    assert_eq!(result(&prints(4)), "print_limit_exceeded");
    assert!(matches!(prints(0).result, Ok(Value::Keyword(_))));
}
