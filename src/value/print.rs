//! The Clojure text of a value, in full or cut to a sample.

mod keys;
mod printer;
mod scalar;

use printer::Printer;

use super::Value;

/// Limits how much of a value is written.
#[derive(Clone, Debug)]
pub struct PrintOptions {
    /// The most items shown of each collection; `None` shows all.
    pub limit: Option<usize>,
    /// The most graphemes shown of each string; `None` shows all. The values of a map share the limit:
    /// each gets an equal part of it, at least 10.
    pub printable_limit: Option<usize>,
    /// Omits map entries whose key begins with `_`, at every depth, as if they did not exist.
    pub filter_hidden: bool,
}

impl Default for PrintOptions {
    fn default() -> Self {
        PrintOptions { limit: None, printable_limit: None, filter_hidden: true }
    }
}

/// The result of [`to_clojure`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clojure {
    /// The text.
    pub text: String,
    /// True when a limit cut something. Hidden keys that are omitted do not count.
    pub truncated: bool,
}

/// Returns the value as Clojure text: `{:name "Laptop" :tags #{:new} :sizes [13 15 ...] (4 items, showing first 2)}`.
///
/// The order of map entries and set items does not depend on how the collection was built: nil,
/// booleans, numbers, keywords, strings, then everything else by its own text. Without limits, every
/// value reads back as itself, except floats (at most ten decimals) and regexes (a bare quote comes
/// back escaped, and so do line breaks).
pub fn to_clojure(value: &Value, options: &PrintOptions) -> Clojure {
    Printer::new(options).print(value)
}

/// Returns a sample of the value as Clojure text: that of [`to_clojure`], cut so that it shows the value's structure.
///
/// The outermost records (maps whose keys are names) show up to 12 keys, even when the limit is smaller. A list whose
/// maps have more keys than the limit shows one map. The number of items is written once, for the outermost collection
/// that is cut:
/// `[{:id 1 :name "Lamp" :price 20.5 :stock 3} ...] (60 items, showing first 1)`.
pub fn to_sample(value: &Value, options: &PrintOptions) -> Clojure {
    Printer::of_sample(options).print(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Closure;
    use crate::value::parse_integer;
    use std::rc::Rc;

    fn ints(numbers: &[i64]) -> Value {
        Value::vector(numbers.iter().map(|number| Value::Int(*number)))
    }

    fn keyed(entries: &[(&str, Value)]) -> Value {
        Value::map(entries.iter().map(|(name, value)| (Value::keyword(name), value.clone())))
    }

    fn cut(limit: impl Into<Option<usize>>, printable_limit: impl Into<Option<usize>>) -> PrintOptions {
        PrintOptions { limit: limit.into(), printable_limit: printable_limit.into(), ..Default::default() }
    }

    #[track_caller]
    fn check(value: &Value, options: PrintOptions, text: &str, truncated: bool) {
        assert_eq!(to_clojure(value, &options), Clojure { text: text.into(), truncated });
    }

    #[track_caller]
    fn whole(value: impl Into<Value>, text: &str) {
        check(&value.into(), PrintOptions::default(), text, false);
    }

    #[test]
    fn scalars() {
        whole(Value::Nil, "nil");
        whole(true, "true");
        whole(-7, "-7");
        whole(
            Value::integer(parse_integer("123456789012345678901234567890", 10).unwrap()),
            "123456789012345678901234567890",
        );
        whole(Value::keyword("in-stock?"), ":in-stock?");
        whole(Value::Var("total".into()), "#'total");
        whole(Value::Builtin("inc".into()), "#builtin[inc]");
        whole(Value::Date(1_709_164_800_000), "#inst \"2024-02-29T00:00:00.000Z\"");
        whole(Value::Day(19_782), "#time/date \"2024-02-29\"");
        let closure = Closure { params: "a b & rest".into(), ..Default::default() };
        whole(Value::Closure(Rc::new(closure)), "#fn[a b & rest]");
    }

    #[test]
    fn floats_have_at_most_ten_decimals_and_no_exponent() {
        let cases = [
            (3.3000000000000003, "3.3"),
            (1.5e15, "1500000000000000.0"),
            (5e-11, "0.0000000001"),
            (0.12345678905, "0.1234567891"),
            (0.99999999995, "1.0"),
            (-0.0, "-0.0"),
            (-1e-20, "-0.0"),
            (1e17, "100000000000000000.0"),
            (4503599627370495.5, "4503599627370495.5"),
            (123456789.12345679, "123456789.12345679"),
            (1000000000000000.2, "1000000000000000.2"),
            (1234567.25, "1234567.25"),
            (131_072.100_000_000_03, "131072.1"),
            (-4503599627370496.0, "-4503599627370496.0"),
            (f64::INFINITY, "##Inf"),
            (f64::NEG_INFINITY, "##-Inf"),
            (f64::NAN, "##NaN"),
        ];
        for (value, text) in cases {
            whole(value, text);
        }
        let largest = to_clojure(&f64::MAX.into(), &PrintOptions::default()).text;
        assert_eq!((largest.len(), &largest[..17]), (311, "17976931348623157"));
    }

    #[test]
    fn strings_escape_what_would_end_them_or_be_invisible() {
        whole("a\"b\\c\n\t\r\u{8}\u{C}", r#""a\"b\\c\n\t\r\b\f""#);
        whole(
            "\0\u{7}\u{1b}\u{7f}\u{85}\u{feff}\u{2028}\u{2029}",
            r#""\u0000\u0007\u001B\u007F\u0085\uFEFF\u2028\u2029""#,
        );
        whole("größe 👩‍👧 #{x}", "\"größe 👩‍👧 #{x}\"");
    }

    #[test]
    fn strings_are_cut_at_a_grapheme() {
        let text = Value::str("naïve 👩‍👧👩‍👧");
        check(&text, cut(None, 7), "\"naïve 👩‍👧...\"", true);
        check(&text, cut(None, 8), "\"naïve 👩‍👧👩‍👧\"", false);
        check(&text, cut(None, 0), "\"...\"", true);
        check(&Value::str(""), cut(None, 0), "\"\"", false);
        check(&Value::keyword("a-rather-long-name"), cut(None, 3), ":a-rather-long-name", false);
    }

    #[test]
    fn regexes_read_back() {
        whole(Value::Regex(r"\d+".into()), r##"#"\d+""##);
        whole(Value::Regex(r#"a"b\"c"#.into()), r##"#"a\"b\"c""##);
        whole(Value::Regex("a\nb\\\nc".into()), r##"#"a\nb\nc""##);
        whole(Value::Regex(r"\\".into()), r##"#"\\""##);
        whole(Value::Regex("\\".into()), r##"#"\\""##);
    }

    #[test]
    fn map_entries_and_set_items_are_sorted() {
        let keys = [
            Value::str("b"),
            ints(&[2]),
            Value::keyword("é"),
            Value::keyword("Z"),
            Value::Float(1.5),
            Value::Int(2),
            Value::str("a"),
            Value::Bool(true),
            Value::Nil,
            Value::Float(f64::NAN),
            Value::Int(-3),
            Value::Float(2.0),
            ints(&[10]),
        ];
        let order = "nil true -3 1.5 2 2.0 ##NaN :Z :é \"a\" \"b\" [10] [2]";
        whole(Value::set(keys.clone()), &format!("#{{{order}}}"));
        whole(Value::set(keys.into_iter().rev()), &format!("#{{{order}}}"));
        whole(keyed(&[("b", 1.into()), ("a", 2.into())]), "{:a 2 :b 1}");
    }

    #[test]
    fn numbers_of_all_kinds_sort_by_size() {
        let huge = |text: &str| Value::integer(parse_integer(text, 10).unwrap());
        let numbers = [
            Value::Float(1e300),
            huge("-9223372036854775809"),
            Value::Int(i64::MAX),
            Value::Float(9.3e18),
            huge("9223372036854775808"),
            Value::Float(-0.5),
            Value::Int(0),
            Value::Float(f64::NEG_INFINITY),
            Value::Float(f64::INFINITY),
            Value::Int(-1),
        ];
        whole(
            Value::set(numbers),
            &format!(
                "#{{##-Inf -9223372036854775809 -1 -0.5 0 9223372036854775807 9223372036854775808 \
                 9300000000000000000.0 {:.0}.0 ##Inf}}",
                1e300
            ),
        );
    }

    #[test]
    fn cut_collections_say_how_many_they_are() {
        check(&ints(&[1, 2, 3, 4, 5]), cut(2, None), "[1 2 ...] (5 items, showing first 2)", true);
        check(&ints(&[1, 2]), cut(0, None), "[...] (2 items, showing first 0)", true);
        check(&ints(&[1, 2]), cut(2, None), "[1 2]", false);
        check(&ints(&[]), cut(0, None), "[]", false);
        let map = keyed(&[("b", 2.into()), ("c", 3.into()), ("a", 1.into())]);
        check(&map, cut(1, None), "{:a 1 ...} (3 items, showing first 1)", true);
        check(&map, cut(0, None), "{...} (3 items, showing first 0)", true);
        let set = Value::set([3.into(), 1.into(), 2.into()]);
        check(&set, cut(2, None), "#{1 2 ...} (3 items, showing first 2)", true);
        check(&set, cut(0, None), "#{...} (3 items, showing first 0)", true);
    }

    #[test]
    fn nested_collections_are_cut_too() {
        let rows = Value::vector([ints(&[1, 2, 3]), ints(&[4])]);
        check(&rows, cut(2, None), "[[1 2 ...] (3 items, showing first 2) [4]]", true);
        let set = Value::set([ints(&[2, 1]), ints(&[1, 9]), ints(&[5])]);
        check(&set, cut(1, None), "#{[1 ...] (2 items, showing first 1) ...} (3 items, showing first 1)", true);
    }

    #[test]
    fn the_smallest_items_of_a_big_set_are_shown() {
        let set = Value::set((0..10_000).rev().map(Value::Int));
        check(&set, cut(3, None), "#{0 1 2 ...} (10000 items, showing first 3)", true);
        let nested = Value::set((0..1000).rev().map(|number| ints(&[number])).chain([Value::Nil]));
        check(&nested, cut(3, None), "#{nil [0] [100] ...} (1001 items, showing first 3)", true);
    }

    #[test]
    fn a_map_shares_the_printable_limit_among_the_shown_values() {
        let long = || Value::str("0123456789".repeat(9));
        let map = keyed(&[("a", long()), ("b", long()), ("c", long())]);
        let shown = |count: usize| format!("\"{}...\"", &"0123456789".repeat(9)[..count]);
        check(&map, cut(2, 80), &format!("{{:a {0} :b {0} ...}} (3 items, showing first 2)", shown(40)), true);
        check(&map, cut(None, 15), &format!("{{:a {0} :b {0} :c {0}}}", shown(10)), true);
        let nested = keyed(&[("m", keyed(&[("a", long()), ("b", long())])), ("v", Value::vector([long()]))]);
        check(&nested, cut(None, 80), &format!("{{:m {{:a {0} :b {0}}} :v [{1}]}}", shown(20), shown(40)), true);
    }

    #[test]
    fn string_keys_are_bounded_by_the_whole_limit() {
        let map =
            Value::map([(Value::str("abcdefghijklmnop"), Value::str("abcdefghijklmnop")), ("b".into(), Value::Nil)]);
        check(&map, cut(None, 12), r#"{"abcdefghijkl..." "abcdefghij..." "b" nil}"#, true);
    }

    #[test]
    fn hidden_keys_are_not_there() {
        let map = keyed(&[("_id", 1.into()), ("name", keyed(&[("_x", 1.into())])), ("b", Value::str("_y"))]);
        check(&map, cut(2, None), "{:b \"_y\" :name {}}", false);
        let strings = Value::map([(Value::str("_id"), Value::Nil), (Value::str("id"), Value::Nil)]);
        check(&strings, PrintOptions::default(), "{\"id\" nil}", false);
        let all = PrintOptions { filter_hidden: false, ..cut(1, None) };
        check(&map, all, "{:_id 1 ...} (3 items, showing first 1)", true);
    }

    #[track_caller]
    fn sampled(value: &Value, limit: usize, text: &str, truncated: bool) {
        assert_eq!(to_sample(value, &cut(limit, 80)), Clojure { text: text.into(), truncated });
    }

    #[test]
    fn samples_show_all_keys_of_one_element() {
        let row = |number: i64| keyed(&["a", "b", "c", "d"].map(|name| (name, number.into())));
        let rows = Value::vector((1..=60).map(row));
        sampled(&rows, 3, "[{:a 1 :b 1 :c 1 :d 1} ...] (60 items, showing first 1)", true);
        sampled(&row(7), 3, "{:a 7 :b 7 :c 7 :d 7}", false);
        sampled(
            &rows,
            4,
            "[{:a 1 :b 1 :c 1 :d 1} {:a 2 :b 2 :c 2 :d 2} {:a 3 :b 3 :c 3 :d 3} \
                           {:a 4 :b 4 :c 4 :d 4} ...] (60 items, showing first 4)",
            true,
        );
        sampled(&rows, 0, "[...] (60 items, showing first 0)", true);
        let hidden = Value::vector([keyed(&[("_a", 1.into()), ("b", 2.into()), ("c", 3.into()), ("d", 4.into())])]);
        sampled(&hidden, 3, "[{:b 2 :c 3 :d 4}]", false);
        let names: Vec<String> = (10..30).map(|number| format!("k{number}")).collect();
        let wide = keyed(&names.iter().map(|name| (&**name, Value::Nil)).collect::<Vec<_>>());
        let text = to_sample(&wide, &cut(3, 80)).text;
        assert!(text.ends_with(":k21 nil ...} (20 items, showing first 12)"), "{text}");
        let by_id = |number: i64| [Value::Int(number), row(number)];
        let by_id = Value::map((0..50).map(by_id).map(|[key, value]| (key, value)));
        sampled(&by_id, 1, "{0 {:a 0 ...} ...} (50 items, showing first 1)", true);
        let by_name = keyed(&names.iter().map(|name| (&**name, ints(&[1]))).collect::<Vec<_>>());
        sampled(&by_name, 1, "{:k10 [1] ...} (20 items, showing first 1)", true);
    }

    #[test]
    fn inner_maps_of_samples_are_cut_as_before() {
        let inner = keyed(&["a", "b", "c", "d"].map(|name| (name, 1.into())));
        let outer = keyed(&[("one", inner.clone()), ("rows", Value::vector([inner.clone(), inner]))]);
        sampled(
            &outer,
            3,
            "{:one {:a 1 :b 1 :c 1 ...} (4 items, showing first 3) \
                            :rows [{:a 1 :b 1 :c 1 ...} ...]}",
            true,
        );
    }

    #[test]
    fn samples_say_once_how_many_items_there_are() {
        let rows = Value::vector((0..5).map(|_| ints(&[1, 2, 3])));
        sampled(&rows, 2, "[[1 2 ...] [1 2 ...] ...] (5 items, showing first 2)", true);
        let rows = Value::vector([ints(&[1, 2, 3]), ints(&[4, 5, 6, 7])]);
        sampled(&rows, 2, "[[1 2 ...] (3 items, showing first 2) [4 5 ...]]", true);
    }

    #[test]
    fn nesting_has_no_limit() {
        let deep = (0..200_000).fold(Value::Nil, |inner, level| match level % 4 {
            0 => Value::vector([inner]),
            1 => keyed(&[("k", inner)]),
            2 => Value::set([inner]),
            _ => Value::map([(inner, Value::Nil)]),
        });
        assert!(!to_clojure(&deep, &PrintOptions::default()).truncated);
        assert!(to_clojure(&deep, &cut(1, 10)).text.starts_with("{#{{:k ["));
    }
}
