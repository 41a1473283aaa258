//! The notation of tools.

use proptest::prelude::*;

use super::refused_by;
use crate::signature::{Field, MAX_NESTING, Signature, Type, parse};

fn field(name: &str, ty: Type) -> Field {
    Field::new(name, ty, false)
}

fn optional(name: &str, ty: Type) -> Field {
    Field { optional: true, ..field(name, ty) }
}

fn list(element: Type) -> Type {
    Type::List(element.into())
}

#[track_caller]
fn reads(text: &str, parameters: Vec<Field>, returns: Type) {
    assert_eq!(parse(text), Ok(Signature { parameters, returns }));
}

#[track_caller]
fn refused(text: &str, part: &str, says: &str) {
    refused_by(parse, text, part, says);
}

#[test]
fn parameters_an_arrow_and_a_return_type() {
    reads(
        "(query :string, limit :int?) -> {count :int, items [{id :int}]}",
        vec![field("query", Type::String), optional("limit", Type::Int)],
        Type::Record(vec![field("count", Type::Int), field("items", list(Type::Record(vec![field("id", Type::Int)])))]),
    );
}

#[test]
fn parameters_may_be_left_out() {
    for text in ["[:map]", "-> [:map]", "->[:map]", "() -> [:map]", " ( )\n->\n[ :map ] "] {
        reads(text, vec![], list(Type::Map));
    }
}

#[test]
fn every_simple_type_may_be_marked() {
    for ty in Type::SIMPLE {
        reads(&format!("{ty}"), vec![], ty.clone());
        reads(&format!("{ty}?"), vec![], Type::Optional(ty.clone().into()));
        reads(&format!("[{ty}?]"), vec![], list(Type::Optional(ty.into())));
    }
}

#[test]
fn fields_and_parameters_of_any_type_may_be_marked() {
    reads(
        "(a [:int]?) -> {b {}?}",
        vec![optional("a", list(Type::Int))],
        Type::Record(vec![optional("b", Type::Record(vec![]))]),
    );
}

#[test]
fn what_is_returned_and_elements_may_be_nil_whatever_their_type() {
    let nullable = |ty: Type| Type::Optional(ty.into());
    for text in ["[:int]?", "[:int] | nil"] {
        reads(text, vec![], nullable(list(Type::Int)));
        reads(&format!("[{text}]"), vec![], list(nullable(list(Type::Int))));
    }
    reads("() -> {id :int}?", vec![], nullable(Type::Record(vec![field("id", Type::Int)])));
    reads(":int | nil", vec![], nullable(Type::Int));
}

#[test]
fn a_field_that_must_be_there_may_be_nil() {
    let nullable = |ty: Type| Type::Optional(ty.into());
    for nil in ["nil", "null", "None"] {
        reads(
            &format!("(a :int | {nil}, b [:int]|{nil}, c {{d :any | {nil}}}) -> :any"),
            vec![
                field("a", nullable(Type::Int)),
                field("b", nullable(list(Type::Int))),
                field("c", Type::Record(vec![field("d", nullable(Type::Any))])),
            ],
            Type::Any,
        );
    }
}

#[test]
fn literals_are_alternatives() {
    let states = || Type::OneOf(vec!["open".into(), "paid".into()]);
    for text in [r#""open" | "paid""#, r#""open"|'paid'"#, r#"( "open" | "paid" )"#] {
        reads(&format!("() -> {text}"), vec![], states());
        reads(&format!("[{text}]"), vec![], list(states()));
        reads(&format!("(a {text}, b :int) -> :any"), vec![field("a", states()), field("b", Type::Int)], Type::Any);
        reads(&format!("(a {text}?) -> :any"), vec![optional("a", states())], Type::Any);
        reads(&format!("{{a {text} | nil}}"), vec![], Type::Record(vec![field("a", Type::Optional(states().into()))]));
    }
    reads(r#""open" | "paid""#, vec![], states());
    reads(r#"[("open" | "paid")?]"#, vec![], list(Type::Optional(states().into())));
    reads(
        "(a 1 | -2.5 | true, b false?) -> 3",
        vec![
            field("a", Type::OneOf(vec![1.into(), (-2.5).into(), true.into()])),
            optional("b", Type::OneOf(vec![false.into()])),
        ],
        Type::OneOf(vec![3.into()]),
    );
    refused(r#"(a "open) -> :any"#, "\"", "never closed");
    refused(r#"(a "open" | :int) -> :any"#, "|", "no alternatives but `nil`");
    refused(r#"(a ("open" | "paid", b :int) -> :any"#, ",", "write `)` before `,`");
    refused("(a (:int)?) -> :any", ":", "parentheses stand around literals");
    refused("(a 1x) -> :any", "1x", "is no literal");
    refused("(a 1e999 | 2) -> :any", "1e999", "is no literal");
    refused("-1e999", "-1e999", "is no literal");
    refused("(a :open | :paid) -> :any", ":open", "write texts in quotes: `\"open\" | …`");
}

#[test]
fn names_are_of_any_alphabet() {
    for name in ["größe", "名前", "_hidden", "first-name", "a1", "string", "_"] {
        reads(&format!("{{{name} :int}}"), vec![], Type::Record(vec![field(name, Type::Int)]));
    }
}

#[test]
fn names_of_types_from_elsewhere_are_corrected() {
    let cases = [
        (":str", "`:string`"),
        (":String", "`:string`"),
        (":integer", "`:int`"),
        (":number", "`:int` or `:float`"),
        (":boolean", "`:bool`"),
        (":list", "`[:any]`"),
        (":array", "`[:any]`"),
        (":object", "`:map`"),
        (":dict", "`:map`"),
        (":integers", "the types are"),
        ("int", "`:int`"),
        ("str", "`:string`"),
        ("Array", "`[:any]`"),
        ("widget", "the types are"),
    ];
    for (word, says) in cases {
        refused(word, word, says);
        refused(&format!("(a {word}) -> :any"), word, says);
        refused(&format!("-> [{word}]"), word, says);
    }
}

#[test]
fn names_are_given_once() {
    refused("(a :int, b :int, a :string) -> :int", "a", "`a` is there twice");
    refused("{a {a :int}, a :int}", "a", "twice");
    assert!(parse("(a {a :int}) -> {a :int}").is_ok(), "different levels");
}

#[test]
fn nesting_is_limited() {
    let nested = |levels: usize| "[".repeat(levels) + ":int" + &"]".repeat(levels);
    assert!(parse(&nested(MAX_NESTING)).is_ok());
    refused(&nested(MAX_NESTING + 1), "[", "deeper than 64 levels");
    refused(&"{a ".repeat(100_000), "{", "deeper than 64 levels");
    assert!(parse(&"{:a ".repeat(100_000)).is_err());
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused_at_an_offset(text in "([(){}\\[\\]:,?\"'|. \n-]|->|int|:int|:str|a|é|9|\\PC){0,24}") {
        if let Err(error) = parse(&text) {
            let span = error.span.expect("a place");
            prop_assert!(text.get(span.start..span.end).is_some());
        }
    }
}
