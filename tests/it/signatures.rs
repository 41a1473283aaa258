//! Reads signatures, and checks and coerces values to types, by a table and the files in `tests/signatures`.

use turnfold::lisp::read_value;
use turnfold::signature::{ExtraFields, Mismatch, Side, parse, parse_program};
use turnfold::value::{PrintOptions, Value, from_json, to_clojure};

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

#[test]
fn refused_signatures_have_an_error_at_the_marked_part() {
    let text = include_str!("../signatures/refused.txt");
    let mut lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    while let (Some(line), Some(mark)) = (lines.next(), lines.next()) {
        let (notation, text) = line.split_at(NOTATION);
        let text = text.replace("\\n", "\n");
        let error = match notation.trim_end() {
            "tool" => parse(&text),
            "program" => parse_program(&text),
            other => panic!("no notation is called {other}"),
        };
        let error = error.expect_err(line);
        let (marked, says) = mark.trim_start().split_once(' ').expect(mark);
        let start = mark.len() - mark.trim_start().len() - NOTATION;
        let offset = |characters| text.char_indices().nth(characters).map_or(text.len(), |(offset, _)| offset);
        let span = error.span.expect(line);
        let width = if marked == "|" { 0 } else { marked.len() };
        assert_eq!((span.start, span.end), (offset(start), offset(start + width)), "{line}");
        assert_eq!(error.kind, "invalid_signature");
        assert!(error.to_string().contains(says), "{line}: {error}");
    }
}

/// The characters before a signature in `refused.txt`.
const NOTATION: usize = 8;

#[test]
fn values_are_checked_and_coerced_as_the_file_says() {
    each_case(include_str!("../signatures/fit.txt"), |ty, value, expected| {
        let (ty, value) = (parse(ty).unwrap().returns, from_json(value).unwrap());
        if !expected.of("? ").is_empty() {
            let found = lines(&ty.check(&value, ExtraFields::Allowed));
            return assert_eq!(if found.is_empty() { vec!["ok".into()] } else { found }, expected.of("? "));
        }
        match ty.coerce(&value, ExtraFields::Allowed) {
            Ok(coerced) => {
                assert_eq!(coerced.value, from_json(expected.0[0]).unwrap());
                assert_eq!(coerced.warnings, expected.of("; "));
            }
            Err(mismatches) => assert_eq!(lines(&mismatches), expected.of("! ")),
        }
    });
}

#[test]
fn arguments_become_what_the_file_says() {
    each_case(include_str!("../signatures/arguments.txt"), |signature, arguments, expected| {
        let Ok(Value::Vector(values)) = from_json(arguments) else { panic!("no list: {arguments}") };
        match parse(signature).unwrap().arguments(values.as_slice()) {
            Ok(coerced) => {
                assert_eq!(text(&coerced.value), expected.0[0]);
                assert_eq!(coerced.warnings, expected.of("; "));
            }
            Err(mismatches) => assert_eq!(lines(&mismatches), expected.of("! ")),
        }
    });
}

/// The lines below a value in a case file.
struct ExpectedLines<'a>(Vec<&'a str>);

impl<'a> ExpectedLines<'a> {
    /// Returns the lines that begin with a mark, without it.
    fn of(&self, mark: &str) -> Vec<&'a str> {
        self.0.iter().filter_map(|line| line.strip_prefix(mark)).collect()
    }
}

/// Calls `check` with each case of a file: a signature, a value that is indented below it, and the lines that are indented
/// below the value.
#[track_caller]
fn each_case(file: &str, check: impl Fn(&str, &str, &ExpectedLines<'_>)) {
    let (mut signature, mut rest) = ("", file.lines().filter(|line| !line.starts_with('#')).peekable());
    while let Some(line) = rest.next() {
        let Some(value) = line.strip_prefix("  ") else {
            signature = line;
            continue;
        };
        let below = std::iter::from_fn(|| rest.next_if(|line| line.starts_with("    ")));
        let expected = ExpectedLines(below.map(str::trim_start).collect());
        println!("{signature} {value}");
        assert!(!expected.0.is_empty(), "nothing is expected");
        check(signature, value, &expected);
    }
}

fn lines(mismatches: &[Mismatch]) -> Vec<String> {
    mismatches.iter().map(Mismatch::to_string).collect()
}

fn text(value: &Value) -> String {
    to_clojure(value, &PrintOptions { limit: None, printable_limit: None, filter_hidden: false }).text
}
