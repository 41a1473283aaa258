//! Tests of checking and coercing values.

use proptest::prelude::*;

use super::{Coerced, ExtraFields};
use crate::signature::arbitrary::{types, value_for};
use crate::signature::{Mismatch, Side, Type, parse, parse_type};
use crate::value::{Value, arbitrary, from_json};

fn lines(notes: &[Mismatch]) -> Vec<String> {
    notes.iter().map(Mismatch::to_string).collect()
}

fn output(signature: &str) -> Type {
    parse(signature).unwrap().returns
}

/// `value` is JSON.
#[track_caller]
fn checks(ty: &str, value: &str, mismatches: &[&str]) {
    let found = output(ty).check(&from_json(value).unwrap(), ExtraFields::Allowed);
    assert_eq!(lines(&found), mismatches, "{ty} {value}");
}

/// `value` and the result are JSON.
#[track_caller]
fn becomes(ty: &str, value: &str, fitting: &str, warnings: &[&str]) {
    let value = from_json(value).unwrap();
    let coerced = output(ty).coerce(&value, ExtraFields::Allowed).unwrap();
    assert_eq!(
        (coerced.value, coerced.warnings),
        (from_json(fitting).unwrap(), warnings.iter().map(|w| w.to_string()).collect())
    );
}

#[track_caller]
fn refuses(ty: &str, value: &str, mismatches: &[&str]) {
    let refused = output(ty).coerce(&from_json(value).unwrap(), ExtraFields::Allowed).unwrap_err();
    assert_eq!(lines(&refused), mismatches, "{ty} {value}");
}

#[test]
fn scalars_are_of_their_kind() {
    for (ty, good) in [
        (":string", r#""""#),
        (":int", "-5"),
        (":int", r#"{"$int":"9223372036854775808"}"#),
        (":float", "2.5"),
        (":float", r#"{"$float":"NaN"}"#),
        (":float", "3"),
        (":bool", "false"),
        (":keyword", r#"{"$keyword":"a"}"#),
        (":any", "null"),
        (":any", r#"{"$set":[1]}"#),
        (":map", "{}"),
        (":float?", "null"),
        ("[:int?]", "[1,null]"),
    ] {
        checks(ty, good, &[]);
    }
    checks(":float", r#""12""#, &["expected float, got string \"12\""]);
    checks(":int", r#"{"$float":"2"}"#, &["expected int, got float 2.0"]);
    checks(":int?", "true", &["expected int, got bool true"]);
    checks(":string", r#"{"$keyword":"a"}"#, &["expected string, got keyword :a"]);
    checks(":string", "null", &["expected string, got nil"]);
    checks(":string", r#"{"$date":0}"#, &["expected string, got date #inst \"1970-01-01T00:00:00.000Z\""]);
    checks(":keyword", "true", &["expected keyword, got bool true"]);
    checks(":map", "[1]", &["expected map, got list"]);
    checks(":bool", r#"{"$fn":{"params":"x"}}"#, &["expected bool, got function"]);
}

#[test]
fn what_is_wrong_too_often_is_counted() {
    let texts = format!("[{}]", ["\"a\""; 25].join(","));
    let found = output("[:int]").check(&from_json(&texts).unwrap(), ExtraFields::Allowed);
    assert_eq!(found.len(), 21);
    assert_eq!(found[19].to_string(), "[19]: expected int, got string \"a\"");
    assert_eq!(found[20].to_string(), "and 5 more");
    let coerced = output("[:string]")
        .coerce(&Value::vector([1.into(), true.into()].into_iter().cycle().take(22)), ExtraFields::Allowed);
    assert_eq!(coerced.unwrap().warnings[20], "and 2 more");
}

#[test]
fn keys_are_names_in_any_way_of_writing() {
    for value in [r#"{"in-stock":true}"#, r#"{"inStock":true}"#, r#"{"$map":[["in_stock",true]]}"#] {
        checks("{in-stock :bool}", value, &[]);
        becomes("{in-stock :bool}", value, r#"{"in-stock":true}"#, &[]);
    }
}

#[test]
fn undeclared_fields_are_kept_left_out_or_refused() {
    let ty = output("{user {id :int}}");
    let value = from_json(r#"{"user":{"id":1,"idd":[2]},"more":[]}"#).unwrap();
    let notes = ["user: `idd` is not declared; did you mean `id`?", "`more` is not declared; declared are `user`"];
    assert!(ty.check(&value, ExtraFields::Allowed).is_empty());
    assert!(ty.check(&value, ExtraFields::Dropped).is_empty());
    assert_eq!(lines(&ty.check(&value, ExtraFields::Refused)), notes);
    assert_eq!(ty.coerce(&value, ExtraFields::Allowed).unwrap(), Coerced { value: value.clone(), warnings: vec![] });
    let dropped = ty.coerce(&value, ExtraFields::Dropped).unwrap();
    assert_eq!(
        (dropped.value, dropped.warnings),
        (from_json(r#"{"user":{"id":1}}"#).unwrap(), notes.map(String::from).to_vec())
    );
    assert_eq!(lines(&ty.coerce(&value, ExtraFields::Refused).unwrap_err()), notes);
}

#[test]
fn texts_are_read_with_a_warning() {
    becomes(":int", r#"" 42 ""#, "42", &["string \" 42 \" became int 42"]);
    becomes(":int", r#""-2.0""#, "-2", &["string \"-2.0\" became int -2"]);
    becomes(":float", r#""1e3""#, r#"{"$float":"1000"}"#, &["string \"1e3\" became float 1000.0"]);
    becomes(
        "{a [:bool]}",
        r#"{"a":["true","False"]}"#,
        r#"{"a":[true,false]}"#,
        &["a[0]: string \"true\" became bool true", "a[1]: string \"False\" became bool false"],
    );
    becomes(":bool", r#"{"$keyword":"true"}"#, "true", &["keyword :true became bool true"]);
    for text in ["", "abc", "3.14abc", "1_0", "0x10", "NaN", "Infinity", "1e999", "--1"] {
        let value = format!("\"{text}\"");
        refuses(":int", &value, &[&format!("expected int, got string \"{text}\"")]);
        refuses(":float", &value, &[&format!("expected float, got string \"{text}\"")]);
    }
    refuses(":int", r#""2.5""#, &["expected int, got string \"2.5\""]);
    refuses(":bool", "1", &["expected bool, got int 1"]);
    refuses(":bool", r#""yes""#, &["expected bool, got string \"yes\""]);
}

#[test]
fn one_of_several_is_known_by_its_text() {
    let (ty, _) = parse_type(r#"Literal["good", "Bad", 1, True]"#).unwrap();
    let value = |json: &str| from_json(json).unwrap();
    let check = |json: &str| lines(&ty.check(&value(json), ExtraFields::Allowed));
    let coerce =
        |json: &str| ty.coerce(&value(json), ExtraFields::Allowed).map(|coerced| (coerced.value, coerced.warnings));
    assert!(check(r#""good""#).is_empty() && check("1").is_empty() && check("true").is_empty());
    assert_eq!(check(r#""fine""#), [r#"expected one of "good", "Bad", 1, true, got string "fine""#]);
    assert_eq!(coerce(r#"{"$keyword":"good"}"#), Ok(("good".into(), vec![])));
    assert_eq!(coerce(r#""bad""#), Ok(("Bad".into(), vec![r#"string "bad" became string "Bad""#.into()])));
    assert_eq!(coerce(r#""1""#), Ok((1.into(), vec![r#"string "1" became int 1"#.into()])));
    assert!(coerce("null").is_err() && coerce("2").is_err() && coerce("[]").is_err());
}

#[test]
fn what_fits_is_shared() {
    let value = from_json(r#"{"b":[{"c":1}],"a":"x","more":[1]}"#).unwrap();
    let coerced = output("{a :string, b [{c :int}]}").coerce(&value, ExtraFields::Allowed).unwrap();
    let (Value::Map(given), Value::Map(taken)) = (&value, &coerced.value) else { panic!("maps") };
    assert!(taken.is_same(given));
}

#[test]
fn parameters_are_checked_by_name() {
    let signature = parse("(user {id :int}, tags [:string]?) -> :bool").unwrap();
    let check = |value: &str| lines(&signature.check(&from_json(value).unwrap(), Side::Input, ExtraFields::Refused));
    assert!(check(r#"{"user":{"id":1}}"#).is_empty());
    assert_eq!(
        check(r#"{"user":{"id":"x"},"tags":"a","x":1}"#),
        [
            "user.id: expected int, got string \"x\"",
            "tags: expected list, got string \"a\"",
            "`x` is not declared; declared are `user`, `tags`",
        ]
    );
    assert_eq!(check("null"), ["expected map, got nil"]);
    let coerced = signature.coerce(&from_json(r#"{"user":{"id":"1"}}"#).unwrap(), Side::Input, ExtraFields::Refused);
    assert_eq!(coerced.unwrap().value, from_json(r#"{"user":{"id":1}}"#).unwrap());
}

fn extra() -> impl Strategy<Value = ExtraFields> {
    proptest::sample::select(vec![ExtraFields::Allowed, ExtraFields::Dropped, ExtraFields::Refused])
}

proptest! {
    #[test]
    fn what_was_coerced_fits_and_stays(
        (ty, value) in types().prop_flat_map(|ty| (Just(ty.clone()), value_for(&ty))),
        extra in extra(),
    ) {
        match ty.coerce(&value, extra) {
            Ok(coerced) => {
                prop_assert_eq!(ty.check(&coerced.value, extra), []);
                let again = ty.coerce(&coerced.value, extra).unwrap();
                prop_assert_eq!(again, Coerced { value: coerced.value, warnings: vec![] });
            }
            Err(mismatches) => {
                prop_assert_ne!(mismatches, []);
                prop_assert_ne!(ty.check(&value, extra), []);
            }
        }
    }

    #[test]
    fn what_checks_clean_can_be_coerced_without_a_warning(
        (ty, value) in types().prop_flat_map(|ty| (Just(ty.clone()), value_for(&ty))),
    ) {
        if ty.check(&value, ExtraFields::Refused).is_empty() {
            prop_assert_eq!(ty.coerce(&value, ExtraFields::Refused).unwrap().warnings, Vec::<String>::new());
        }
    }

    #[test]
    fn any_value_is_checked(ty in types(), value in arbitrary::value()) {
        let ok = ty.check(&value, ExtraFields::Allowed).is_empty();
        prop_assert!(!ok || ty.coerce(&value, ExtraFields::Allowed).is_ok());
    }
}
