use super::*;
use crate::value::MAX_INTEGER_DIGITS;
use proptest::prelude::*;

/// Reads `source` and compares all forms, in the notation of their `Debug`.
#[track_caller]
fn check(source: &str, forms: &str) {
    let read: Vec<_> = read(source).unwrap().iter().map(|form| format!("{form:?}")).collect();
    assert_eq!(read.join(" "), forms);
}

/// Expects a `parse_error` at `location` (the first byte, and the number of bytes) with these texts in its message
/// and its hint.
#[track_caller]
fn refused(source: &str, location: (usize, usize), message: &str, hint: &str) {
    let error = read(source).unwrap_err();
    let found = error.hint.clone().unwrap_or_default();
    assert!(error.message.contains(message) && found.contains(hint), "{error}");
    assert_eq!(
        (error.kind, error.span),
        ("parse_error", Some(Span::new(location.0, location.0 + location.1))),
        "{error}"
    );
}

#[test]
fn brackets_contain_forms() {
    check("(f [1 {:a #{2}}] #(inc %))", "(f [1 {:a #{2}}] #(inc %))");
    check("()[]{}#{}#()", "() [] {} #{} #()");
    check("", "");
    check("{:a 1 :a 2}", "{:a 1 :a 2}");
}

#[test]
fn commas_and_comments_are_blank() {
    check("\u{FEFF}1,,2 ; three\n\u{a0}4\r\n;5", "1 2 4");
    check("#_ 1 2", "2");
    check("[#_ #_ a b #_(c \"d\") e]", "[e]");
    check("{:a #_1 2}", "{:a 2}");
}

#[test]
fn forms_know_their_position() {
    let forms = read(" (é :b)\n#_ x \"c\"").unwrap();
    let FormKind::List(inner) = &forms[0].kind else { panic!("{forms:?}") };
    let spans: Vec<_> =
        [&forms[0], &inner[0], &inner[1], &forms[1]].map(|form| (form.span.start, form.span.end)).into();
    assert_eq!(spans, [(1, 8), (2, 4), (5, 7), (14, 17)]);
}

#[test]
fn integers_have_any_size_and_base() {
    check("42 -7 +7 007 0 -0 5N", "42 -7 7 7 0 0 5");
    check("0x1F -0xffN 2r101 36rZZ -8r17", "31 -255 5 1295 -15");
    check("9223372036854775807 -9223372036854775808", "9223372036854775807 -9223372036854775808");
    check("9223372036854775808 -99999999999999999999N", "9223372036854775808N -99999999999999999999N");
}

#[test]
fn integers_of_too_many_digits_are_refused() {
    let largest = "9".repeat(MAX_INTEGER_DIGITS);
    for source in [&largest, &format!("-{largest}N"), &format!("10r{largest}")] {
        assert!(read(source).is_ok());
    }
    let says = "99...` is too large: an integer has at most 10000 digits";
    refused(&format!("[{largest}9]"), (1, MAX_INTEGER_DIGITS + 1), says, "a float, as in `1e30`, or a string");
    refused(&"9".repeat(1_000_000), (0, 1_000_000), says, "");
    refused(&format!("-{largest}9N"), (0, MAX_INTEGER_DIGITS + 3), says, "");
    refused(&format!("0x{}", "f".repeat(1_000_000)), (0, 1_000_002), "too large", "");
    refused(&format!("2r{}", "1".repeat(1_000_000)), (0, 1_000_002), "too large", "");
    refused(&format!("{}px", "9".repeat(1_000_000)), (0, 1_000_002), "is not a number", "");
}

#[test]
fn floats() {
    check("1.5 -0.5 1e3 2.5E-4 1. +1.5 00.5 1.e2", "1.5 -0.5 1000.0 0.00025 1.0 1.5 0.5 100.0");
    check("##Inf ##-Inf ##NaN 1e999", "inf -inf NaN inf");
}

#[test]
fn numbers_of_other_notations_say_what_to_write() {
    refused("[1/0]", (1, 3), "`1/0` divides by zero", "another denominator");
    refused("1.5M", (0, 4), "", "there are no decimals: write `1.5`, and `(format \"%.2f\" x)`");
    refused("-10M", (0, 4), "", "write `-10`");
    refused("010", (0, 3), "leading zeros", "write `10`");
    refused("08", (0, 2), "leading zeros", "write `8`");
    refused("1_000_000", (0, 9), "", "write `1000000`");
    refused(".5", (0, 2), "`.5` is not a number", "write `0.5`");
    refused("-.5e3", (0, 5), "", "write `-0.5e3`");
    refused("2024-02-29", (0, 10), "", "`#inst \"2024-02-29\"`");
    refused("12px", (0, 4), "`12px` is not a number", "as a string");
    refused("2r102", (0, 5), "not a number in base 2", "2r101");
    refused("99r1", (0, 4), "base 99", "from 2 to 36");
    refused("0xG", (0, 3), "`0xG` is not a number", "");
    refused("##inf", (0, 5), "`##inf`", "`##Inf`");
    refused("1e", (0, 2), "`1e` is not a number", "");
}

#[test]
fn strings_span_lines_and_unescape() {
    check("\"a\nb\" \"\\\\ \\\" \\n \\t \\r \\b \\f\"", r#""a\nb" "\\ \" \n \t \r \u{8} \u{c}""#);
    check(r#""\u00e9\uD83D\uDE00""#, "\"é😀\"");
    check(r#""""#, "\"\"");
}

#[test]
fn wrong_escapes_say_what_to_write() {
    refused(r#""\d+""#, (0, 5), "`\\d` is no escape", "write `\\\\d`");
    refused(r#""a\101""#, (0, 7), "`\\1`", "write `\\u0041`");
    refused(r#""\x41""#, (0, 6), "", "write `\\u`");
    refused(r#""it\'s""#, (0, 7), "", "write `'` without a backslash");
    refused(r#""\u12""#, (0, 6), "four hexadecimal digits", "");
    refused(r#""\uD83D""#, (0, 8), "`\\uD83D` is half of a character", "");
    refused(r#""\uD83D\u0041""#, (0, 14), "half of a character", "");
    refused(r#""\uDE00\uD83D""#, (0, 14), "half of a character", "");
}

/// Reads a program and compares its forms, and its problems as their positions.
#[track_caller]
fn reads_on(source: &str, forms: &str, problems: &[(usize, usize)], end: usize) {
    let program = read_program(source);
    let read: Vec<_> = program.forms.iter().map(|form| format!("{form:?}")).collect();
    let spans: Vec<_> = program.problems.iter().filter_map(|problem| problem.span).collect();
    let found: Vec<_> = spans.iter().map(|span| (span.start, span.end)).collect();
    assert_eq!((read.join(" "), &found[..], program.end), (forms.into(), problems, end), "{:?}", program.problems);
}

#[test]
fn a_program_is_read_on_after_problems() {
    reads_on("(f 08 #_09 1.5M)", "(f nil nil)", &[(3, 5), (8, 10), (11, 15)], 16);
    reads_on(r#"["\d \e" "b" #"\"]"#, "", &[(1, 8), (13, 14)], 0);
    reads_on("(g {:a [1 2] :b}) #foo (bar 1) #x", "(g nil) nil nil", &[(3, 16), (18, 22), (31, 33)], 33);
    reads_on("#?(:clj 1) #:a{:b 1} [#=(f)]", "nil nil [nil]", &[(0, 2), (11, 14), (22, 24)], 28);
    reads_on(
        "#inst x #inst \"2024\" #fn[a] #builtin[ b",
        "nil #inst 1704067200000 #fn[a] nil",
        &[(0, 6), (28, 37)],
        39,
    );
    reads_on("1 (f 2x) (g [3) 4", "1 (f nil)", &[(5, 7), (14, 15)], 9);
    reads_on("(a) (b", "(a)", &[(4, 5)], 4);
    reads_on("(a) b)", "(a) b", &[(5, 6)], 0);
    reads_on("(a) 'b 2x", "(a)", &[(4, 5)], 4);
    reads_on("(a) “b c” 2x", "(a)", &[(4, 8)], 4);
    let many = "2x ".repeat(MAX_PROBLEMS + 10);
    assert_eq!(read_program(&many).problems.len(), MAX_PROBLEMS + 1);
}

#[test]
fn unclosed_strings_name_their_start() {
    refused("(a\n \"b c)", (4, 1), "the string that begins at line 2, column 2 is never closed", "closing `\"`");
    refused("\"a\\\"", (0, 1), "never closed", "");
    refused("\"a\\", (0, 1), "never closed", "");
    refused("#\"a", (0, 1), "never closed", "");
}

#[test]
fn characters_are_short_strings() {
    check(r"\a \é \( \) \\ \, \; \u \o", r#""a" "é" "(" ")" "\\" "," ";" "u" "o""#);
    check(r"\newline \space \tab \return", r#""\n" " " "\t" "\r""#);
    check(r"\backspace \formfeed \u00e9 [\a]", r#""\u{8}" "\u{c}" "é" ["a"]"#);
    refused(r"\foo", (0, 4), "`\\foo` is not a character", "as a string: \"foo\"");
    refused(r"\o101", (0, 5), "", "write `\\u0041`");
    refused(r"\uD83D", (0, 6), "half of a character", "");
    refused("\\ a", (0, 1), "", "`\\space`");
    refused("\\", (0, 1), "", "`\\space`");
}

#[test]
fn keywords() {
    check(":a :a-b? :a.b :größe :1 :nil :+ :a'b :x#", ":a :a-b? :a.b :größe :1 :nil :+ :a'b :x#");
    check(":user/name :a.b/c", ":user/name :a.b/c");
    refused("::k", (0, 3), "no namespace is current", "write `:k`");
    refused("[:a/b/c]", (1, 6), "one slash at most", "write `:c`, or the string \"a/b/c\"");
    refused("{\"a\": 1}", (4, 1), "needs a name", "{:name \"Laptop\"}");
    refused(":a:", (0, 3), "`:a:` is not a keyword", "write `:a`");
}

#[test]
fn symbols() {
    check("a ns/name / *1 - + ... % %1 & -> a' .getTime", "a ns/name / *1 - + ... % %1 & -> a' .getTime");
    check("e5 nilly true? Math/PI clojure.core// a/b/c", "e5 nilly true? Math/PI clojure.core// a/b/c");
    check("nil true false", "nil true false");
    let forms = read("clojure.string/join").unwrap();
    let FormKind::Symbol(symbol) = &forms[0].kind else { panic!("{forms:?}") };
    assert_eq!((symbol.namespace.as_deref(), &*symbol.name), (Some("clojure.string"), "join"));
    refused("{name: 1}", (1, 5), "`name:` is not a name", "write `:name`");
    refused("a/", (0, 2), "", "`namespace/name`");
    refused("“text”", (0, 10), "typographic quote", "straight quotes");
}

#[test]
fn vars_regexes_and_instants() {
    check("#'a #'user/b", "#'a #'user/b");
    check(r#"#"\d+\"\\" #"a b""#, r#"#"\\d+\\\"\\\\" #"a b""#);
    check("#inst \"1970-01-01T00:00:01Z\" #inst\"1970\"", "#inst 1000 #inst 0");
    refused("#inst \"tomorrow\"", (0, 16), "needs a date", "#inst \"2024-02-29T12:30:00Z\"");
    refused("#inst 5", (0, 6), "needs a date", "");
    refused("#'", (0, 2), "needs a name", "");
    refused("#':a", (0, 4), "needs a name", "");
    refused("#'5", (0, 3), "does not name", "");
}

#[test]
fn printed_functions_are_forms() {
    check("#fn[a b & rest] #fn[] #builtin[sort-by]", "#fn[a b & rest] #fn[] #builtin[sort-by]");
    check("#fn[[a b] {:keys [c]}]", "#fn[[a b] {:keys [c]}]");
    refused("#fn (a)", (0, 3), "print of a function", "(fn [x] …)");
    refused("#builtin[a b]", (0, 10), "print of a function", "name alone");
}

#[test]
fn what_does_not_exist_says_what_to_write() {
    refused("(f '(1 a))", (7, 1), "a symbol can't be quoted", "keyword `:x`");
    refused("'a", (0, 1), "only collections and literals are quoted", "keyword `:x`");
    refused("`a", (0, 1), "a backquote does not exist here", "defn");
    refused("~a", (0, 1), "there are no macros", "defn");
    check("[@@a @ b]", "[(clojure.core/deref (clojure.core/deref a)) (clojure.core/deref b)]");
    refused("(f @)", (3, 1), "`@` has no form behind it", "remove it");
    refused("(f ^String)", (3, 1), "no form behind its metadata", "remove it");
    refused("#?(:clj 1)", (0, 2), "no reader conditionals", "");
    refused("#:a{:b 1}", (0, 3), "no namespace", "plain keys");
    refused("#uuid \"a\"", (0, 5), "there is no tag `#uuid`", "write the value after `#uuid` without the tag");
    refused("#<fn>", (0, 2), "can't be read", "");
    refused("# a", (0, 1), "begins no form", "#{1 2}");
    refused("a \u{1}", (2, 1), "U+0001", "remove");
}

#[test]
fn brackets_that_do_not_match_name_the_opening_one() {
    refused("(let [a 1\n  (b)", (5, 1), "the `[` of line 1, column 6 is never closed", "add `])`");
    refused("[1\n (2]", (6, 1), "`]` does not close the `(` of line 2, column 2", "write `)` first");
    refused("#{1)", (3, 1), "the `#{` of line 1, column 1", "write `}` first");
    refused("(a))", (3, 1), "`)` closes nothing", "remove it");
    refused("#(", (0, 2), "the `#(` of line 1, column 1 is never closed", "add `)`");
}

#[test]
fn maps_need_a_value_for_each_key() {
    refused("{:a 1 :b}", (0, 9), "this one holds 3 in all", "behind `:b`");
    refused("[{:a #_ 1}]", (1, 9), "holds 1 in all", "behind `:a`");
}

#[test]
fn a_discard_needs_a_form() {
    refused("[1 #_]", (3, 2), "`#_` has no form", "remove it");
    refused("1 #_ #_ 2", (5, 2), "`#_` has no form", "");
}

#[test]
fn nesting_is_bounded() {
    let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    assert!(read(&nested(MAX_NESTING)).is_ok());
    let error = read(&nested(MAX_NESTING + 1)).unwrap_err();
    assert_eq!((error.kind, error.span), ("nesting_too_deep", Some(Span::new(MAX_NESTING, MAX_NESTING + 1))));
}

#[test]
fn a_million_levels_end_in_an_error() {
    for opening in ["[", "(", "{", "#{", "#(", "#fn[", "{:a ", "#_", "#_[", "'", "\""] {
        let error = read(&format!("{} ", opening.repeat(1_000_001))).unwrap_err();
        assert!(["parse_error", "nesting_too_deep"].contains(&error.kind), "{opening}: {error}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn no_text_breaks_the_reader(
        text in prop_oneof![
            ".{0,30}",
            r#"([\[\](){}"\\#:;'^@`~,/%&.+-]|#_|#inst|#fn\[|#builtin\[|\\u[dD][89cC]|0x|[0-9]|N|e|[a-zé\n ]){0,40}"#,
        ],
    ) {
        let read = read(&text);
        if let Ok(forms) = &read {
            prop_assert!(forms.iter().all(|form| text.is_char_boundary(form.span.start) && form.span.end <= text.len()));
        }
        if let Err(error) = read {
            let span = error.span.unwrap();
            prop_assert!(text.get(span.start..span.end).is_some_and(|text| !text.is_empty()), "{}", error);
            prop_assert!(error.hint.is_some());
        }
    }
}
