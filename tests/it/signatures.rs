//! Checks and coerces values to types through the public interface, by a table.

use turnfold::lisp::read_value;
use turnfold::signature::{ExtraFields, Mismatch, Side, parse};
use turnfold::value::{PrintOptions, Value, to_clojure};

/// A signature, a value, the mismatches of `check`, and the result of `coerce`: the value and its warnings, or the
/// mismatches after `!`. An empty last text means the mismatches of `check`, or without any the value itself.
type Row = (&'static str, &'static str, &'static [&'static str], &'static str);

const OUTPUT: &[Row] = &[
    (":string", r#""hello""#, &[], ""),
    (":string", ":status", &["expected string, got keyword :status"], r#""status""#),
    (":string", "5", &["expected string, got int 5"], r#""5" ; int 5 became string "5""#),
    (":string", "false", &["expected string, got bool false"], r#""false" ; bool false became string "false""#),
    (":string", "nil", &["expected string, got nil"], ""),
    (":string", "[\"a\"]", &["expected string, got list"], ""),
    (":string", "#{1}", &["expected string, got set"], ""),
    (":int", "5", &[], ""),
    (":int", "5.0", &["expected int, got float 5.0"], "5"),
    (":int", "5.5", &["expected int, got float 5.5"], ""),
    (":int", r#""5""#, &[r#"expected int, got string "5""#], r#"5 ; string "5" became int 5"#),
    (":int", r#""5 apples""#, &[r#"expected int, got string "5 apples""#], ""),
    (":float", "2.5", &[], ""),
    (":float", "5", &[], "5.0"),
    (":float", r#""-2""#, &[r#"expected float, got string "-2""#], r#"-2.0 ; string "-2" became float -2.0"#),
    (":float", "true", &["expected float, got bool true"], ""),
    (":float?", "nil", &[], ""),
    (":float?", ":k", &["expected float, got keyword :k"], ""),
    (":bool", r#""true""#, &[r#"expected bool, got string "true""#], r#"true ; string "true" became bool true"#),
    (":bool", "0", &["expected bool, got int 0"], ""),
    (":keyword", ":ok", &[], ""),
    (":keyword", r#""ok""#, &[r#"expected keyword, got string "ok""#], ":ok"),
    (":keyword", "true", &["expected keyword, got bool true"], ""),
    (":any", "nil", &[], ""),
    (":map", r#"{"a" 1, 2 3}"#, &[], ""),
    (":map", "[]", &["expected map, got list"], ""),
    ("[[:int]]", "[[1] [2 3]]", &[], ""),
    ("[[:int]]", "[[1] #{2}]", &["[1]: expected list, got set"], "[[1] [2]]"),
    ("[[:int]]", "[1]", &["[0]: expected list, got int 1"], ""),
    ("[:int?]", "[1 nil]", &[], ""),
    ("[{id :int, name :string}]", r#"[{:id 1 :name "a" :more 2}]"#, &[], ""),
    (
        "[{id :int, name :string}]",
        r#"[{:id 1.0 :name :a} {"id" 2 "Name" "b"}]"#,
        &["[0].id: expected int, got float 1.0", "[0].name: expected string, got keyword :a"],
        r#"[{:id 1 :name "a"} {:id 2 :name "b"}]"#,
    ),
    (
        "[{id :int, name :string}]",
        r#"[{:id "x"} 5]"#,
        &[
            r#"[0].id: expected int, got string "x""#,
            "[0].name: missing, expected string",
            "[1]: expected map, got int 5",
        ],
        "",
    ),
    ("{user {name :string, zip :string?}}", r#"{:user {:name "a" :zip nil}}"#, &[], ""),
    ("{user {name :string}}", "{:user nil}", &["user: expected map, got nil"], ""),
    ("{user {name :string}}", "{}", &["user: missing, expected map"], ""),
    ("{v :any}", "{:v nil}", &[], ""),
    ("{v :any}", "{}", &["v: missing"], ""),
    ("{first-name :string}", r#"{:firstName "a"}"#, &[], r#"{:first-name "a"}"#),
];

const INPUT: &[Row] = &[
    ("(user {id :int}, tags [:string]) -> :bool", r#"{:user {:id 1} :tags ["a"]}"#, &[], ""),
    (
        "(user {id :int}, tags [:string]) -> :bool",
        r#"{:user {:id "x"} :tags "a"}"#,
        &[r#"user.id: expected int, got string "x""#, r#"tags: expected list, got string "a""#],
        "",
    ),
    ("(user {id :int}) -> :bool", "{:user []}", &["user: expected map, got list"], ""),
];

#[test]
fn values_are_checked_and_coerced_as_the_table_says() {
    for (side, rows) in [(Side::Output, OUTPUT), (Side::Input, INPUT)] {
        for (signature, source, mismatches, coerced) in rows {
            let (ty, value) = (parse(signature).unwrap(), read_value(source).unwrap());
            let found = lines(&ty.check(&value, side, ExtraFields::Allowed));
            assert_eq!(found, *mismatches, "{signature} {source}");
            let became = match ty.coerce(&value, side, ExtraFields::Allowed) {
                Ok(became) => [vec![text(&became.value)], became.warnings].concat().join(" ; "),
                Err(mismatches) => format!("! {}", lines(&mismatches).join(", ")),
            };
            let expected = match (*coerced, mismatches.is_empty()) {
                ("", true) => text(&value),
                ("", false) => format!("! {}", mismatches.join(", ")),
                (coerced, _) => coerced.to_owned(),
            };
            assert_eq!(became, expected, "{signature} {source}");
        }
    }
}

fn lines(mismatches: &[Mismatch]) -> Vec<String> {
    mismatches.iter().map(Mismatch::to_string).collect()
}

fn text(value: &Value) -> String {
    to_clojure(value, &PrintOptions { limit: None, printable_limit: None, filter_hidden: false }).text
}
