//! The notation of programs.

use proptest::prelude::*;

use super::refused_by;
use crate::signature::{Field, Signature, Type, parse, parse_of_turns, parse_program, parse_type};
use crate::value::Value;

/// Checks that a program in this notation equals the one in the other notation.
#[track_caller]
fn same(text: &str, other: &str) {
    assert_eq!(parse_program(text).unwrap(), parse(other).unwrap(), "{text}");
}

#[track_caller]
fn ty(text: &str) -> (Type, bool) {
    parse_type(text).unwrap()
}

#[track_caller]
fn refused(text: &str, part: &str, says: &str) {
    refused_by(parse_program, text, part, says);
}

#[test]
fn fields_without_a_type_are_strings() {
    same("question -> answer", "(question :string) -> {answer :string}");
    same(
        " context ,question:str->answer , score : float ",
        "(context :string, question :string) -> {answer :string, score :float}",
    );
}

#[test]
fn types_are_those_of_python() {
    same(
        "a: int, b: list[str], c: dict[str, Any], d: bool | None, e: Optional[float] -> f: List[list[int]], g: list",
        "(a :int, b [:string], c :map, d :bool?, e :float?) -> {f [[:int]], g [:any]}",
    );
    same("a: typing.Optional[list[int]] -> b: list[Optional[int]]", "(a [:int]?) -> {b [:int?]}");
}

#[test]
fn both_notations_may_be_mixed() {
    same("ids: [:int] -> items: [{id :int}]?, kind: :keyword", "(ids [:int]) -> {items [{id :int}]?, kind :keyword}");
    same("(q :string) -> {answer :string}", "(q :string) -> {answer :string}");
    assert_eq!(ty(" [{id :int}] "), (Type::List(Type::Record(vec![Field::new("id", Type::Int, false)]).into()), false));
    assert_eq!(ty(":float?"), (Type::Float, true));
    assert_eq!(ty("str"), (Type::String, false));
    assert!(parse_type("str int").is_err());
}

#[test]
fn tools_and_agents_take_both_notations_without_a_history() {
    assert_eq!(parse_of_turns("q, n: int? -> a: list[str]"), parse("(q :string, n :int?) -> {a [:string]}"));
    assert_eq!(parse_of_turns("(q :string) -> [:int]"), parse("(q :string) -> [:int]"));
    refused_by(parse_of_turns, "q, h: History -> a", "q, h: History -> a", "leave out `h`");
    refused_by(parse_of_turns, "q: strng -> a", "strng", "the types are `str`");
    refused_by(parse_of_turns, "search(query :string) -> :int", "search", "leave out the name");
    refused_by(parse_of_turns, "string", "string", "write `:string`");
}

#[test]
fn literals_may_be_written_as_in_the_notation_of_tools() {
    same(
        "a: 'x' | 'y' -> b: \"x\" | 1 | None, c: list[1 | 2], d: ('x' | 'y')?",
        r#"(a "x" | "y") -> {b ("x" | 1)?, c [1 | 2], d ("x" | "y")?}"#,
    );
    same("a: list[list[int] | None] -> b: bool", "(a [[:int]?]) -> {b :bool}");
}

#[test]
fn a_history_is_optional_and_found_by_its_type() {
    let history_of = |signature: &Signature| {
        let field = signature.parameters.iter().find(|field| field.is_history())?;
        Some((field.name.to_string(), field.optional))
    };
    for text in [
        "history: History",
        "history: dspy.History",
        "history: history",
        "history: Optional[History]",
        "history: History | None",
    ] {
        let signature = parse_program(&format!("question, {text} -> answer")).unwrap();
        assert_eq!(history_of(&signature), Some(("history".to_owned(), true)));
        assert_eq!(signature.outputs().len(), 1);
    }
    assert_eq!(history_of(&parse_program("question -> answer").unwrap()), None);
    refused(
        "question, a: History, b: History -> answer",
        "question, a: History, b: History -> answer",
        "more than one history",
    );
    refused("question -> history: History", "question -> history: History", "before the arrow");
    refused("history: History -> answer", "history: History -> answer", "none but a history");
    refused("q, h: list[History] -> answer", "History", "an input of its own");
}

#[test]
fn a_literal_lists_what_a_value_may_be() {
    let texts = ["good", "it's", "a\nb", "a\nb", "]"].map(Value::str).to_vec();
    assert_eq!(ty(r#"Literal["good", 'it\'s', 'a\nb', "a\nb", ']']"#), (Type::OneOf(texts), false));
    assert_eq!(
        ty("Optional[Literal[1, -2, 1.5, True]]"),
        (Type::OneOf(vec![1.into(), (-2).into(), 1.5.into(), true.into()]), true)
    );
    refused("q -> mood: Literal[good]", "good", "in quotes");
    refused("q -> mood: Literal[]", "", "in quotes");
    refused("q -> mood: Literal[\"good]", "\"", "never closed");
    refused("q -> mood: Literal['a' 'b']", "'", "`]`");
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused_at_a_position(
        text in "(->|[,:\\[\\]|?\"'. {}]|a|b|str|list|Literal|Optional|History|None|int|:int|dict|é|9|\\PC){0,24}",
    ) {
        match parse_program(&text) {
            Ok(signature) => prop_assert_eq!(parse_program(&signature.to_string()), Ok(signature)),
            Err(error) => {
                let span = error.span.expect("a place");
                prop_assert!(text.get(span.start..span.end).is_some());
            }
        }
    }
}
