//! Signature → JSON Schema, in the subset of draft 2020-12 that model providers accept for tools and structured
//! output.

use super::{Field, Side, Signature, Type};
use crate::value::{Str, Value};

impl Signature {
    /// The schema of a side. `descriptions` are keyed by the paths of [`Signature::paths`], and by the same kind of
    /// paths for parameters; a field without one has its own description. `hide_hidden` omits fields that begin with
    /// `_`, at every depth.
    ///
    /// As strict modes of providers require, records are closed and require all their fields: an optional field may be
    /// null instead. `:any` has the empty schema; only `:map` is open.
    pub fn json_schema(&self, side: Side, descriptions: &[(Str, String)], hide_hidden: bool) -> Value {
        let mut writer = SchemaWriter { descriptions, hide_hidden, path: String::new() };
        let schema = match side {
            Side::Input => writer.record(&self.parameters, false),
            Side::Output => writer.schema(&self.returns, false),
        };
        Value::map(schema)
    }
}

impl Type {
    /// The schema of the type without hidden fields.
    pub fn json_schema(&self) -> Value {
        Value::map(SchemaWriter { descriptions: &[], hide_hidden: true, path: String::new() }.schema(self, false))
    }
}

type SchemaMembers = Vec<(Value, Value)>;

struct SchemaWriter<'d> {
    descriptions: &'d [(Str, String)],
    hide_hidden: bool,
    path: String,
}

impl SchemaWriter<'_> {
    fn schema(&mut self, ty: &Type, nullable: bool) -> SchemaMembers {
        match ty {
            Type::Any => Vec::new(),
            Type::String | Type::Keyword => typed("string", nullable),
            Type::Int => typed("integer", nullable),
            Type::Float => typed("number", nullable),
            Type::Bool => typed("boolean", nullable),
            Type::Map => typed("object", nullable),
            Type::List(element) => {
                let mut members = typed("array", nullable);
                members.push(member("items", Value::map(self.schema(element, false))));
                members
            }
            Type::Record(fields) => self.record(fields, nullable),
            Type::Optional(inner) => self.schema(inner, true),
            Type::OneOf(options) => one_of(options, nullable),
            // A model never writes a history.
            Type::History => Vec::new(),
        }
    }

    fn record(&mut self, fields: &[Field], nullable: bool) -> SchemaMembers {
        let is_shown = |field: &&Field| !(field.is_history() || self.hide_hidden && field.hidden());
        let shown: Vec<&Field> = fields.iter().filter(is_shown).collect();
        let properties = shown.iter().map(|field| member(&field.name, self.field(field))).collect::<Vec<_>>();
        let mut members = typed("object", nullable);
        members.push(member("properties", Value::map(properties)));
        members.push(member("required", Value::vector(shown.iter().map(|field| Value::str(&field.name)))));
        members.push(member("additionalProperties", false.into()));
        members
    }

    fn field(&mut self, field: &Field) -> Value {
        let parent = self.path.len();
        self.path.push_str(if parent == 0 { "" } else { "." });
        self.path.push_str(&field.name);
        let mut members = self.schema(&field.ty, field.optional);
        let described = self.descriptions.iter().find(|(path, _)| **path == *self.path).map(|(_, text)| &**text);
        if let Some(text) = described.or(field.description.as_deref()) {
            members.push(member("description", Value::str(text)));
        }
        self.path.truncate(parent);
        Value::map(members)
    }
}

fn member(name: &str, value: Value) -> (Value, Value) {
    (Value::keyword(name), value)
}

fn one_of(options: &[Value], nullable: bool) -> SchemaMembers {
    let all = |is: fn(&Value) -> bool| options.iter().all(is);
    let mut members = if all(|option| matches!(option, Value::Str(_))) {
        typed("string", nullable)
    } else if all(|option| matches!(option, Value::Int(_))) {
        typed("integer", nullable)
    } else {
        Vec::new()
    };
    let null = nullable.then_some(Value::Nil);
    members.push(member("enum", Value::vector(options.iter().cloned().chain(null))));
    members
}

fn typed(name: &str, nullable: bool) -> SchemaMembers {
    let ty = if nullable { Value::vector([name.into(), "null".into()]) } else { name.into() };
    vec![member("type", ty)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signature::{parse, parse_program};
    use crate::value::to_json;

    #[track_caller]
    fn check(signature: &str, side: Side, schema: &str) {
        let descriptions = [("items.price".into(), "in euros".to_owned()), ("query".into(), "what for".to_owned())];
        assert_eq!(to_json(&parse(signature).unwrap().json_schema(side, &descriptions, true)), schema);
    }

    #[test]
    fn types_have_their_schemas() {
        let cases = [
            (":string", r#"{"type":"string"}"#),
            (":keyword", r#"{"type":"string"}"#),
            (":int", r#"{"type":"integer"}"#),
            (":float?", r#"{"type":["number","null"]}"#),
            (":bool", r#"{"type":"boolean"}"#),
            (":any", "{}"),
            (":any?", "{}"),
            (":map", r#"{"type":"object"}"#),
            ("[[:int?]]", r#"{"type":"array","items":{"type":"array","items":{"type":["integer","null"]}}}"#),
        ];
        for (ty, schema) in cases {
            check(ty, Side::Output, schema);
        }
    }

    #[test]
    fn records_are_closed_and_have_all_their_fields() {
        check(
            "{total :int, items [{price :float}]?, by {}?, note :any?}",
            Side::Output,
            concat!(
                r#"{"type":"object","properties":{"total":{"type":"integer"},"#,
                r#""items":{"type":["array","null"],"items":{"type":"object","properties":{"#,
                r#""price":{"type":"number","description":"in euros"}},"required":["price"],"additionalProperties":false}},"#,
                r#""by":{"type":["object","null"],"properties":{},"required":[],"additionalProperties":false},"note":{}},"#,
                r#""required":["total","items","by","note"],"additionalProperties":false}"#,
            ),
        );
    }

    #[test]
    fn programs_have_a_schema_without_their_history() {
        let signature =
            parse_program(r#"q, h: History -> a: Literal["x", "y"], b: Literal[1] | None, c: Literal[1, "x"]"#)
                .unwrap();
        let schema = |side| to_json(&signature.json_schema(side, &[], true));
        assert_eq!(
            schema(Side::Input),
            r#"{"type":"object","properties":{"q":{"type":"string"}},"required":["q"],"additionalProperties":false}"#
        );
        assert_eq!(
            schema(Side::Output),
            concat!(
                r#"{"type":"object","properties":{"a":{"type":"string","enum":["x","y"]},"#,
                r#""b":{"type":["integer","null"],"enum":[1,null]},"c":{"enum":[1,"x"]}},"#,
                r#""required":["a","b","c"],"additionalProperties":false}"#,
            )
        );
    }

    #[test]
    fn parameters_are_a_record_without_what_is_hidden() {
        check(
            "(query :string, _token :string, limit :int?) -> :any",
            Side::Input,
            concat!(
                r#"{"type":"object","properties":{"query":{"type":"string","description":"what for"},"#,
                r#""limit":{"type":["integer","null"]}},"required":["query","limit"],"additionalProperties":false}"#,
            ),
        );
        check(
            "() -> :any",
            Side::Input,
            r#"{"type":"object","properties":{},"required":[],"additionalProperties":false}"#,
        );
    }
}
