//! Signature → text. The text reads back as the same signature.

use std::fmt;

use super::{Field, Signature, Type};
use crate::value::{Value, write_canonical_json};

impl Signature {
    /// The parameters without their parentheses: `query :string, limit :int?`.
    /// `hide_hidden` omits fields that begin with `_`, at every depth.
    pub fn parameters_text(&self, hide_hidden: bool) -> String {
        SignaturePrinter::print(Notation::Tool { hide_hidden }, |out| out.fields(&self.parameters))
    }

    /// The return type: `{count :int, items [{id :int}]}`.
    /// `hide_hidden` omits fields that begin with `_`, at every depth.
    pub fn returns_text(&self, hide_hidden: bool) -> String {
        SignaturePrinter::print(Notation::Tool { hide_hidden }, |out| out.ty(&self.returns))
    }
}

impl Type {
    /// The type in the notation of programs: `list[str]`, `Literal["a", "b"]`.
    pub fn annotation(&self) -> String {
        SignaturePrinter::print(Notation::Program, |out| out.ty(self))
    }

    /// The word for the type in the notation of programs, when that has one of its own.
    fn python_name(&self) -> Option<&'static str> {
        Some(match self {
            Type::String => "str",
            Type::Int => "int",
            Type::Float => "float",
            Type::Bool => "bool",
            Type::Any => "Any",
            Type::Map => "dict",
            _ => return None,
        })
    }
}

/// The whole signature, hidden fields too: `(query :string) -> [:int]`, `() -> :any`. With a history the notation is
/// that of programs, because only they have one: `question: str, history: History -> answer: str`.
impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.parameters.iter().any(Field::is_history) {
            let side = |fields: &[Field]| SignaturePrinter::print(Notation::Program, |out| out.fields(fields));
            return write!(f, "{} -> {}", side(&self.parameters), side(self.outputs()));
        }
        write!(f, "({}) -> {}", self.parameters_text(false), self.returns_text(false))
    }
}

/// The name and the type: `limit :int?`.
impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&SignaturePrinter::print(Notation::TOOL, |out| out.field(self)))
    }
}

/// The type in the notation of tools: `[{id :int}]`.
impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&SignaturePrinter::print(Notation::TOOL, |out| out.ty(self)))
    }
}

#[derive(Clone, Copy)]
enum Notation {
    Tool { hide_hidden: bool },
    Program,
}

impl Notation {
    const TOOL: Notation = Notation::Tool { hide_hidden: false };
}

struct SignaturePrinter {
    text: String,
    notation: Notation,
}

impl SignaturePrinter {
    fn print(notation: Notation, write: impl FnOnce(&mut SignaturePrinter)) -> String {
        let mut printer = SignaturePrinter { text: String::new(), notation };
        write(&mut printer);
        printer.text
    }

    fn fields(&mut self, fields: &[Field]) {
        let hides = matches!(self.notation, Notation::Tool { hide_hidden: true });
        for (index, field) in fields.iter().filter(|field| !(hides && field.hidden())).enumerate() {
            self.text.push_str(if index > 0 { ", " } else { "" });
            self.field(field);
        }
    }

    fn field(&mut self, field: &Field) {
        self.text.push_str(&field.name);
        // A history is optional wherever it is.
        let optional = field.optional && !field.is_history();
        match self.notation {
            Notation::Tool { .. } => {
                self.text.push(' ');
                match &field.ty {
                    ty if field.optional => self.marked(ty),
                    Type::Optional(inner) => self.wrapped("", inner, " | nil"),
                    ty => self.ty(ty),
                }
            }
            Notation::Program if optional => self.wrapped(": Optional[", &field.ty, "]"),
            Notation::Program => self.wrapped(": ", &field.ty, ""),
        }
    }

    fn ty(&mut self, ty: &Type) {
        let is_program = matches!(self.notation, Notation::Program);
        match ty {
            Type::List(element) if is_program => self.wrapped("list[", element, "]"),
            Type::List(element) => self.wrapped("[", element, "]"),
            Type::Optional(inner) if is_program => self.wrapped("Optional[", inner, "]"),
            Type::Optional(inner) => self.marked(inner),
            Type::Record(fields) => {
                // The notation of programs has no records, and uses those of the notation of tools.
                let outer = self.notation;
                if is_program {
                    self.notation = Notation::TOOL;
                }
                self.text.push('{');
                self.fields(fields);
                self.text.push('}');
                self.notation = outer;
            }
            Type::OneOf(options) if is_program => {
                self.text.push_str("Literal[");
                self.options(options, ", ");
                self.text.push(']');
            }
            Type::OneOf(options) => self.options(options, " | "),
            Type::History => self.text.push_str("History"),
            simple => match simple.python_name().filter(|_| is_program) {
                Some(name) => self.text.push_str(name),
                None => {
                    self.text.push(':');
                    self.text.push_str(simple.word().unwrap_or_default());
                }
            },
        }
    }

    /// The type and a `?`; parentheses show that it belongs to all options: `("a" | "b")?`.
    fn marked(&mut self, ty: &Type) {
        match ty {
            Type::OneOf(options) if options.len() > 1 => self.wrapped("(", ty, ")?"),
            ty => self.wrapped("", ty, "?"),
        }
    }

    fn options(&mut self, options: &[Value], separator: &str) {
        for (index, option) in options.iter().enumerate() {
            self.text.push_str(if index > 0 { separator } else { "" });
            write_canonical_json(option, &mut self.text);
        }
    }

    fn wrapped(&mut self, before: &str, ty: &Type, after: &str) {
        self.text.push_str(before);
        self.ty(ty);
        self.text.push_str(after);
    }
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
        check(
            "q, h: History -> a: list[Optional[list[int]]], b: dict",
            "q: str, h: History -> a: list[Optional[list[int]]], b: dict",
        );
        check("q: Optional[Literal['a']] -> a: dict", r#"(q "a"?) -> {a :map}"#);
    }

    #[test]
    fn literals_and_nil_have_one_notation() {
        check(r#"(a ('x'|"y"), b "x"?) -> :any"#, r#"(a "x" | "y", b "x"?) -> :any"#);
        check(r#"(a "x"|"y"?, b "x"|"y"|null) -> 1|2"#, r#"(a ("x" | "y")?, b "x" | "y" | nil) -> 1 | 2"#);
        check("(a [ :int ]|nil) -> [[:int] | nil]", "(a [:int] | nil) -> [[:int]?]");
        check(r#"["x" | "y" | nil]"#, r#"() -> [("x" | "y")?]"#);
        check(r#"(a "say \"hi\"\n") -> :int | nil"#, r#"(a "say \"hi\"\n") -> :int?"#);
    }

    proptest! {
        #[test]
        fn printed_signatures_read_back(parameters in fields(types()), returns in types()) {
            let signature = Signature { parameters, returns };
            prop_assert_eq!(parse(&signature.to_string()).unwrap(), signature);
        }
    }
}
