//! Signature → text. What is printed reads back as the same signature.

use std::fmt::{self, Write};

use super::{Field, Signature, Type};

impl Signature {
    /// The parameters without their parentheses: `query :string, limit :int?`.
    /// `hide_hidden` leaves out what begins with `_`, at every depth.
    pub fn parameters_text(&self, hide_hidden: bool) -> String {
        written(|out| write_fields(out, &self.parameters, hide_hidden))
    }

    /// The return type: `{count :int, items [{id :int}]}`.
    /// `hide_hidden` leaves out fields that begin with `_`, at every depth.
    pub fn returns_text(&self, hide_hidden: bool) -> String {
        written(|out| write_type(out, &self.returns, hide_hidden))
    }
}

/// The whole signature with everything it has: `(query :string) -> [:int]`, `() -> :any`.
impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
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

/// The type as it stands in a signature: `[{id :int}]`.
impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_type(f, self, false)
    }
}

fn written(write: impl FnOnce(&mut String) -> fmt::Result) -> String {
    let mut text = String::new();
    write(&mut text).expect("writing to a string never fails");
    text
}

fn write_type(out: &mut impl Write, ty: &Type, hide_hidden: bool) -> fmt::Result {
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
        simple => write!(out, ":{}", simple.word().unwrap_or_default()),
    }
}

fn write_fields(out: &mut impl Write, fields: &[Field], hide_hidden: bool) -> fmt::Result {
    let shown = fields.iter().filter(|field| !(hide_hidden && field.hidden()));
    for (index, field) in shown.enumerate() {
        if index > 0 {
            out.write_str(", ")?;
        }
        write_field(out, field, hide_hidden)?;
    }
    Ok(())
}

fn write_field(out: &mut impl Write, field: &Field, hide_hidden: bool) -> fmt::Result {
    write!(out, "{} ", field.name)?;
    write_type(out, &field.ty, hide_hidden)?;
    out.write_str(if field.optional { "?" } else { "" })
}

#[cfg(test)]
mod tests {
    use super::super::arbitrary::{fields, types};
    use super::super::parse;
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

    proptest! {
        #[test]
        fn printed_signatures_read_back(parameters in fields(types()), returns in types()) {
            let signature = Signature { parameters, returns };
            prop_assert_eq!(parse(&signature.to_string()).unwrap(), signature);
        }
    }
}
