//! Signature → text. What is printed reads back as the same signature.

use std::fmt::{self, Write};

use super::{Field, Signature, Type};
use crate::value::{Value, write_canonical_json};

impl Signature {
    /// The parameters without their parentheses: `query :string, limit :int?`.
    /// `hide_hidden` leaves out what begins with `_`, at every depth.
    pub fn parameters_text(&self, hide_hidden: bool) -> String {
        written(&|out| write_fields(out, &self.parameters, hide_hidden))
    }

    /// The return type: `{count :int, items [{id :int}]}`.
    /// `hide_hidden` leaves out fields that begin with `_`, at every depth.
    pub fn returns_text(&self, hide_hidden: bool) -> String {
        written(&|out| write_type(out, &self.returns, hide_hidden))
    }
}

impl Type {
    /// The type as the notation of programs writes it: `list[str]`, `Literal["a", "b"]`.
    pub fn annotation(&self) -> String {
        written(&|out| write_annotation(out, self))
    }
}

/// The whole signature with everything it has: `(query :string) -> [:int]`, `() -> :any`. One with types
/// that only programs have is written as a program: `question: str, history: History -> answer: str`.
impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.parameters.iter().chain(self.outputs()).any(|field| is_of_programs(&field.ty)) {
            write_annotated(f, &self.parameters)?;
            f.write_str(" -> ")?;
            return write_annotated(f, self.outputs());
        }
        f.write_str("(")?;
        write_fields(f, &self.parameters, false)?;
        f.write_str(") -> ")?;
        write_type(f, &self.returns, false)
    }
}

/// The name and the type: `limit :int?`.
impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_field(f, self, false)
    }
}

/// The type as it stands in a signature: `[{id :int}]`; one that only programs have as it stands there.
impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_type(f, self, false)
    }
}

fn written(write: &dyn Fn(&mut String) -> fmt::Result) -> String {
    let mut text = String::new();
    write(&mut text).expect("writing to a string never fails");
    text
}

fn write_type(out: &mut dyn Write, ty: &Type, hide_hidden: bool) -> fmt::Result {
    match ty {
        Type::List(element) => {
            out.write_str("[")?;
            write_type(out, element, hide_hidden)?;
            out.write_str("]")
        }
        Type::Record(fields) => {
            out.write_str("{")?;
            write_fields(out, fields, hide_hidden)?;
            out.write_str("}")
        }
        Type::Optional(inner) => {
            write_type(out, inner, hide_hidden)?;
            out.write_str("?")
        }
        Type::OneOf(_) | Type::History => write_annotation(out, ty),
        simple => write!(out, ":{}", simple.word().unwrap_or_default()),
    }
}

fn write_fields(out: &mut dyn Write, fields: &[Field], hide_hidden: bool) -> fmt::Result {
    let shown = fields.iter().filter(|field| !(hide_hidden && field.hidden()));
    for (index, field) in shown.enumerate() {
        if index > 0 {
            out.write_str(", ")?;
        }
        write_field(out, field, hide_hidden)?;
    }
    Ok(())
}

fn write_field(out: &mut dyn Write, field: &Field, hide_hidden: bool) -> fmt::Result {
    write!(out, "{} ", field.name)?;
    write_type(out, &field.ty, hide_hidden)?;
    out.write_str(if field.optional { "?" } else { "" })
}

fn is_of_programs(ty: &Type) -> bool {
    match ty {
        Type::OneOf(_) | Type::History => true,
        Type::List(inner) | Type::Optional(inner) => is_of_programs(inner),
        _ => false,
    }
}

/// `question: str, limit: Optional[int]`
fn write_annotated(out: &mut dyn Write, fields: &[Field]) -> fmt::Result {
    for (index, field) in fields.iter().enumerate() {
        out.write_str(if index > 0 { ", " } else { "" })?;
        write!(out, "{}: ", field.name)?;
        match field.optional && !field.is_history() {
            true => write_annotation_of(out, "Optional", &field.ty)?,
            false => write_annotation(out, &field.ty)?,
        }
    }
    Ok(())
}

fn write_annotation(out: &mut dyn Write, ty: &Type) -> fmt::Result {
    match ty {
        Type::String => out.write_str("str"),
        Type::Int => out.write_str("int"),
        Type::Float => out.write_str("float"),
        Type::Bool => out.write_str("bool"),
        Type::Any => out.write_str("Any"),
        Type::Map => out.write_str("dict"),
        Type::History => out.write_str("History"),
        Type::List(element) => write_annotation_of(out, "list", element),
        Type::Optional(inner) => write_annotation_of(out, "Optional", inner),
        Type::OneOf(options) => {
            let text = |option: &Value| {
                let mut text = String::new();
                write_canonical_json(option, &mut text);
                text
            };
            write!(out, "Literal[{}]", options.iter().map(text).collect::<Vec<_>>().join(", "))
        }
        Type::Keyword | Type::Record(_) => write_type(out, ty, false),
    }
}

fn write_annotation_of(out: &mut dyn Write, word: &str, ty: &Type) -> fmt::Result {
    write!(out, "{word}[")?;
    write_annotation(out, ty)?;
    out.write_str("]")
}

#[cfg(test)]
mod tests {
    use super::super::arbitrary::{fields, types};
    use super::super::{parse, parse_program};
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn check(text: &str, canonical: &str) {
        let signature = parse(text).unwrap();
        assert_eq!(signature.to_string(), canonical);
        assert_eq!(parse(canonical).unwrap(), signature);
    }

    #[test]
    fn spacing_becomes_canonical() {
        check("(category:string)->[:string]", "(category :string) -> [:string]");
        check(" ( a\n{b :int ,c[ :map ]?}? ) ->\t{ } ", "(a {b :int, c [:map]?}?) -> {}");
    }

    #[test]
    fn no_parameters_print_as_empty_parentheses() {
        check(":float?", "() -> :float?");
        check("-> {a :int}", "() -> {a :int}");
    }

    #[test]
    fn hidden_parameters_and_fields_are_left_out_at_every_depth() {
        let signature =
            parse("(q {_k :int, s :string}, _token :string) -> {_all :map, items [{id :int, _raw :any}]?}").unwrap();
        assert_eq!(signature.parameters_text(true), "q {s :string}");
        assert_eq!(signature.returns_text(true), "{items [{id :int}]?}");
        assert_eq!(signature.parameters_text(false), "q {_k :int, s :string}, _token :string");
        assert_eq!(signature.returns_text(false), "{_all :map, items [{id :int, _raw :any}]?}");
    }

    #[test]
    fn programs_print_as_programs_when_they_must() {
        let check = |text: &str, canonical: &str| {
            let signature = parse_program(text).unwrap();
            assert_eq!(signature.to_string(), canonical);
            assert_eq!(parse_program(canonical).unwrap(), signature);
        };
        check("question->answer:list[str]", "(question :string) -> {answer [:string]}");
        check(
            "q, h: History, n: int? -> m: list[Literal['a', \"it's\", 1, 2.0, True]] | None, r: {id :int}, k: :keyword",
            r#"q: str, h: History, n: Optional[int] -> m: Optional[list[Literal["a", "it's", 1, 2.0, true]]], r: {id :int}, k: :keyword"#,
        );
        check("q: Optional[Literal['a']] -> a: dict", r#"q: Optional[Literal["a"]] -> a: dict"#);
    }

    proptest! {
        #[test]
        fn printed_signatures_read_back(parameters in fields(types()), returns in types()) {
            let signature = Signature { parameters, returns };
            prop_assert_eq!(parse(&signature.to_string()).unwrap(), signature);
        }
    }
}
