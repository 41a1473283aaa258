//! Checks the signature of a program: it must have named inputs and outputs, and one history at most.

use super::parser::{NAMED_TWICE, excerpt, is_name};
use super::{ExtraFields, Field, Signature, Type};
use crate::diagnostic::Diagnostic;
use crate::value::{Names, Value};

impl Signature {
    /// The signature of a program with these fields; an `invalid_signature` when a program can't have them.
    pub fn program(inputs: Vec<Field>, outputs: Vec<Field>) -> Result<Signature, Diagnostic> {
        Signature { parameters: inputs, returns: Type::Record(outputs) }.into_program()
    }

    /// The fields of the returned record; none when something else is returned.
    pub fn outputs(&self) -> &[Field] {
        match &self.returns {
            Type::Record(fields) => fields,
            _ => &[],
        }
    }

    /// The signature with its defaults coerced and its optional fields marked; an error without a span when it
    /// is not a program's.
    pub(super) fn into_program(mut self) -> Result<Signature, Diagnostic> {
        let Type::Record(outputs) = &mut self.returns else {
            let hint = "write `question -> answer`, or `{answer :string}` behind the arrow";
            return Err(invalid("a program returns named outputs", hint));
        };
        let mut names: Names<()> = Names::default();
        for field in self.parameters.iter_mut().chain(outputs.iter_mut()) {
            check_field(field)?;
            coerce_default(field)?;
            field.optional |= field.default.is_some() || field.is_history();
            if field.optional {
                field.ty = field.ty.unless_nil().clone();
            }
            if names.contains(&field.name) {
                return Err(invalid(format!("{} is there twice", excerpt(&field.name)), NAMED_TWICE));
            }
            names.insert((&*field.name).into(), ());
        }
        if outputs.iter().any(|field| field.is_history()) {
            return Err(invalid("a history is no output", "put `history: History` before the arrow"));
        }
        let histories = self.parameters.iter().filter(|field| field.is_history()).count();
        if histories > 1 {
            let hint = "a program takes one conversation: leave the others out";
            return Err(invalid("there is more than one history", hint));
        }
        if self.parameters.len() == histories {
            return Err(invalid("there is no input, or none but a history", "write `question -> answer`"));
        }
        if outputs.is_empty() {
            return Err(invalid("there is no output", "write `question -> answer`"));
        }
        Ok(self)
    }
}

/// An error without a span: fields that a host gives have none.
fn invalid(message: impl Into<String>, hint: impl Into<String>) -> Diagnostic {
    Diagnostic::new("invalid_signature", message).with_hint(hint)
}

fn check_field(field: &Field) -> Result<(), Diagnostic> {
    let name = excerpt(&field.name);
    if !is_name(&field.name) {
        return Err(invalid(format!("{name} can't be a name"), "a name has letters, digits, `_` and `-` only"));
    }
    if let Type::OneOf(options) = field.ty.unless_nil() {
        let is_literal = |option: &Value| match option {
            Value::Str(_) | Value::Bool(_) | Value::Int(_) | Value::BigInt(_) => true,
            Value::Float(float) => float.is_finite(),
            _ => false,
        };
        if options.is_empty() || !options.iter().all(is_literal) {
            return Err(invalid(format!("{name} can't be one of these"), "list texts, numbers or booleans"));
        }
    }
    Ok(())
}

/// Makes the default a value of the field's type. A default of nil counts as no default.
fn coerce_default(field: &mut Field) -> Result<(), Diagnostic> {
    let Some(default) = field.default.take().filter(|default| *default != Value::Nil) else { return Ok(()) };
    if field.is_history() {
        return Err(invalid("a history has no default", "give the history with the inputs"));
    }
    match field.ty.coerce(&default, ExtraFields::Refused) {
        Ok(coerced) => field.default = Some(coerced.value),
        Err(mismatches) => {
            let name = excerpt(&field.name);
            let message = format!("the default of {name} is not of its type: {}", mismatches[0]);
            return Err(Diagnostic::new("invalid_signature", message));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signature::Side;
    use crate::value::from_json;

    #[test]
    fn fields_are_checked_however_they_are_made() {
        let field = |name: &str, ty| Field::new(name, ty, false);
        assert!(Signature::program(vec![field("q", Type::String)], vec![field("a", Type::Int)]).is_ok());
        assert!(Signature::program(vec![field("no name", Type::String)], vec![field("a", Type::Int)]).is_err());
        assert!(Signature::program(vec![field("q", Type::String)], vec![field("q", Type::Int)]).is_err());
        assert!(Signature::program(vec![field("q", Type::String)], vec![]).is_err());
        let mood = |options: Vec<Value>| {
            Signature::program(vec![field("q", Type::String)], vec![field("m", Type::OneOf(options))])
        };
        assert!(mood(vec!["a".into(), 1.into()]).is_ok());
        assert!(mood(vec![]).is_err() && mood(vec![Value::Nil]).is_err());
    }

    #[test]
    fn a_default_replaces_an_absent_input_or_nil() {
        let limit = |default: Value| {
            let field = Field { default: Some(default), ..Field::new("limit", Type::Int, false) };
            Signature::program(
                vec![Field::new("q", Type::String, false), field],
                vec![Field::new("a", Type::Any, false)],
            )
        };
        assert_eq!(
            limit("x".into()).unwrap_err().message,
            "the default of `limit` is not of its type: expected int, got string \"x\""
        );
        let signature = limit(Value::Float(3.0)).unwrap();
        for given in [r#"{"q":"x"}"#, r#"{"q":"x","limit":null}"#] {
            let given = from_json(given).unwrap();
            assert!(signature.check(&given, Side::Input, ExtraFields::Refused).is_empty());
            let coerced = signature.coerce(&given, Side::Input, ExtraFields::Refused).unwrap();
            assert_eq!((coerced.value, coerced.warnings), (from_json(r#"{"limit":3,"q":"x"}"#).unwrap(), vec![]));
        }
    }
}
