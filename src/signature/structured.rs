//! Signatures as structured values of a host: a text, or
//! `{inputs: [{name, type, optional, description, oneOf, default}], outputs: […]}`.

use super::{ExtraFields, Field, Signature, Type, parse_either, parse_type};
use crate::diagnostic::Diagnostic;
use crate::value::{Map, Str, Value};

/// An error in a structured signature.
#[derive(Debug)]
pub struct SignatureError {
    /// The member, such as `inputs[1].type`; empty for the whole signature.
    pub path: String,
    /// The text that the span of the problem refers to.
    pub text: Str,
    /// The problem.
    pub problem: Diagnostic,
}

/// Reads a signature from a value: a text in either notation, or the fields of a program.
///
/// A field with `oneOf` takes one of these scalars, which must be of its type. A field whose type may be nil is
/// optional; with `optional: false` it must be present.
pub fn from_value(value: &Value) -> Result<Signature, SignatureError> {
    let fail = |problem, text: &Str| Err(SignatureError { path: String::new(), text: text.clone(), problem });
    match value {
        Value::Str(text) => parse_either(text).or_else(|problem| fail(problem, text)),
        Value::Map(members) => {
            let (inputs, outputs) = (fields(members, "inputs")?, fields(members, "outputs")?);
            Signature::program(inputs, outputs).or_else(|problem| fail(problem, &"".into()))
        }
        _ => fail(invalid("a signature is a text or an object of fields", INIT), &"".into()),
    }
}

const INIT: &str =
    "{ inputs: [{ name: \"question\", type: \"str\" }], outputs: [{ name: \"answer\", type: \"str\" }] }";

fn invalid(message: impl Into<String>, hint: &str) -> Diagnostic {
    Diagnostic::new("invalid_signature", message).with_hint(hint)
}

fn fields(members: &Map, side: &str) -> Result<Vec<Field>, SignatureError> {
    let given = members.get_keyword(side);
    let Some(Value::Vector(items)) = given else {
        let problem = invalid(format!("the {side} must be a list of fields"), INIT);
        return Err(SignatureError { path: side.into(), text: "".into(), problem });
    };
    let mut fields = Vec::new();
    for (index, item) in items.iter().enumerate() {
        fields.push(field(item).map_err(|mut error| {
            let member = std::mem::take(&mut error.path);
            error.path = format!("{side}[{index}]");
            if !member.is_empty() {
                error.path.push('.');
                error.path.push_str(&member);
            }
            error.problem.message = format!("{}: {}", error.path, error.problem.message);
            error
        })?);
    }
    Ok(fields)
}

fn field(given: &Value) -> Result<Field, SignatureError> {
    let wrong = |path: &str, message: &str, hint: &str| SignatureError {
        path: path.into(),
        text: "".into(),
        problem: invalid(message, hint),
    };
    let Value::Map(members) = given else { return Err(wrong("", "a field is an object", INIT)) };
    let text = |name: &str| match members.get_keyword(name) {
        None | Some(Value::Nil) => Ok(None),
        Some(Value::Str(text)) => Ok(Some(text.clone())),
        Some(_) => Err(wrong(name, "it is a text", INIT)),
    };
    let Some(name) = text("name")? else { return Err(wrong("name", "a field has a name", INIT)) };
    let Some(notation) = text("type")? else {
        return Err(wrong("type", "a field has a type", "type: \"str\" is the simplest"));
    };
    let (mut ty, mut optional) = parse_type(&notation).map_err(|problem| SignatureError {
        path: "type".into(),
        text: notation.clone(),
        problem,
    })?;
    let mut may_be_nil = false;
    match members.get_keyword("optional") {
        None | Some(Value::Nil) => {}
        Some(Value::Bool(true)) => optional = true,
        Some(Value::Bool(false)) => may_be_nil = std::mem::take(&mut optional) && !matches!(ty, Type::History),
        Some(_) => return Err(wrong("optional", "it is true or false", "optional: true")),
    }
    match members.get_keyword("oneOf") {
        None | Some(Value::Nil) => {}
        Some(Value::Vector(options)) if !matches!(ty, Type::List(_) | Type::Record(_) | Type::Map | Type::History) => {
            for (index, option) in options.iter().enumerate() {
                if let [mismatch, ..] = &*ty.check(option, ExtraFields::Refused) {
                    let path = format!("oneOf[{index}]");
                    return Err(wrong(&path, &mismatch.to_string(), "list values of the field's type"));
                }
            }
            ty = Type::OneOf(options.as_slice().to_vec());
        }
        Some(_) => {
            let hint = "type: \"str\", oneOf: [\"good\", \"bad\"]";
            return Err(wrong("oneOf", "it lists the texts, numbers or booleans that the field may be", hint));
        }
    }
    let default = members.get_keyword("default").cloned();
    let ty = ty.or_nil(may_be_nil);
    Ok(Field { name: name.to_string(), ty, optional, description: text("description")?, default })
}

fn member(name: &str, text: impl AsRef<str>) -> (Value, Value) {
    (Value::keyword(name), Value::str(text))
}

impl Field {
    /// The field as [`from_value`] reads it.
    pub fn to_value(&self) -> Value {
        let mut members = vec![member("name", &self.name), member("type", self.ty.annotation())];
        if self.optional || self.ty.may_be_nil() {
            members.push((Value::keyword("optional"), self.optional.into()));
        }
        if let Some(description) = &self.description {
            members.push((Value::keyword("description"), Value::Str(description.clone())));
        }
        if let Type::OneOf(options) = self.ty.unless_nil() {
            members.push((Value::keyword("oneOf"), Value::vector(options.iter().cloned())));
        }
        if let Some(default) = &self.default {
            members.push((Value::keyword("default"), default.clone()));
        }
        Value::map(members)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{from_json, to_json};
    use proptest::prelude::*;

    fn read(json: &str) -> Result<Signature, SignatureError> {
        from_value(&from_json(json).unwrap())
    }

    /// `{inputs: [{name: "q", type: "str"}], outputs: [FIELD]}`
    fn with_output(field: &str) -> String {
        format!(r#"{{"inputs":[{{"name":"q","type":"str"}}],"outputs":[{field}]}}"#)
    }

    #[track_caller]
    fn refuses(json: &str, path: &str, says: &str) {
        let error = read(json).unwrap_err();
        assert_eq!((error.problem.kind, &*error.path), ("invalid_signature", path), "{}", error.problem);
        assert!(error.problem.to_string().contains(says), "{}", error.problem);
    }

    #[test]
    fn fields_are_what_the_notation_of_programs_says() {
        let same = |json: &str, text: &str| assert_eq!(read(json).unwrap(), parse_either(text).unwrap());
        same(&with_output(r#"{"name":"a","type":"list[int]","optional":true}"#), "q -> a: Optional[list[int]]");
        same(&with_output(r#"{"name":"a","type":"str","oneOf":["x","y"]}"#), "q -> a: Literal['x', 'y']");
        same(
            &with_output(r#"{"name":"a","type":"Literal['x', 'y', 'z']","oneOf":["x","y"]}"#),
            "q -> a: Literal['x', 'y']",
        );
        same(&with_output(r#"{"name":"a","type":"[{id :int}]"}"#), "(q :string) -> {a [{id :int}]}");
        same(&with_output(r#"{"name":"a","type":"str | None","optional":false}"#), "(q :string) -> {a :string | nil}");
        same(&with_output(r#"{"name":"a","type":"'x' | 'y'","optional":true}"#), "q -> a: Optional[Literal['x', 'y']]");
        same(r#""(q :string) -> [:int]""#, "(q :string) -> [:int]");
    }

    #[test]
    fn errors_have_the_path_of_the_member() {
        refuses("5", "", "a text or an object");
        refuses("{}", "inputs", "a list of fields");
        refuses(r#"{"inputs":[]}"#, "outputs", "a list of fields");
        refuses(r#"{"inputs":[],"outputs":[]}"#, "", "there is no input");
        refuses(&with_output("5"), "outputs[0]", "an object");
        refuses(&with_output("{}"), "outputs[0].name", "a name");
        refuses(&with_output(r#"{"name":"a"}"#), "outputs[0].type", "a type");
        refuses(&with_output(r#"{"name":"a","type":"strng"}"#), "outputs[0].type", "strng");
        refuses(&with_output(r#"{"name":"a","type":"str","optional":1}"#), "outputs[0].optional", "true or false");
        refuses(&with_output(r#"{"name":"a","type":"str","description":1}"#), "outputs[0].description", "a text");
        refuses(&with_output(r#"{"name":"a","type":"str","oneOf":["x",1]}"#), "outputs[0].oneOf[1]", "got int 1");
        refuses(&with_output(r#"{"name":"a","type":"dict","oneOf":[{}]}"#), "outputs[0].oneOf", "texts, numbers");
        refuses(&with_output(r#"{"name":"a","type":"str","oneOf":[]}"#), "", "one of these");
        refuses(&with_output(r#"{"name":"a","type":"History"}"#), "", "no output");
        let error = read(&with_output(r#"{"name":"a","type":"list[strng]"}"#)).unwrap_err();
        let span = error.problem.span.unwrap();
        assert_eq!(&error.text[span.start..span.end], "strng");
    }

    fn to_value(signature: &Signature) -> Value {
        let fields = |fields: &[Field]| Value::vector(fields.iter().map(Field::to_value));
        Value::map([
            (Value::keyword("inputs"), fields(&signature.parameters)),
            (Value::keyword("outputs"), fields(signature.outputs())),
        ])
    }

    proptest! {
        /// The object keeps everything, the text everything except descriptions and defaults.
        #[test]
        fn structured_values_read_back(
            options in proptest::collection::vec(crate::value::arbitrary::value(), 1..4),
            described in any::<Option<String>>(),
            optional in any::<bool>(),
            may_be_nil in any::<bool>(),
        ) {
            let ty = Type::OneOf(options).or_nil(may_be_nil && !optional);
            let field = Field { description: described.map(Str::from), ..Field::new("a", ty, optional) };
            let inputs = vec![Field::new("q", Type::String, false)];
            if let Ok(signature) = Signature::program(inputs, vec![field]) {
                prop_assert_eq!(&from_value(&to_value(&signature)).unwrap(), &signature);
                let copy = from_json(&to_json(&to_value(&signature))).unwrap();
                prop_assert_eq!(&from_value(&copy).unwrap(), &signature);
                let mut plain = signature.clone();
                if let Type::Record(fields) = &mut plain.returns {
                    fields[0].description = None;
                }
                prop_assert_eq!(parse_either(&signature.to_string()).unwrap(), plain);
            }
        }
    }
}
