//! Type labels: the names of types in messages.

use super::Value;

/// The label of a value's type: `list[3]`, `map[2]`, `string`, `#fn[...]` and so on.
pub fn type_of(value: &Value) -> String {
    Label::of(value).text()
}

/// A label as its parts: the type, and the number of elements of a collection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Label(&'static str, Option<usize>);

impl Label {
    pub fn of(value: &Value) -> Label {
        match value {
            Value::Nil => Label("nil", None),
            Value::Bool(_) => Label("boolean", None),
            Value::Int(_) | Value::BigInt(_) => Label("integer", None),
            Value::Float(_) => Label("float", None),
            Value::Str(_) => Label("string", None),
            Value::Keyword(_) => Label("keyword", None),
            Value::Vector(items) => Label("list", Some(items.len())),
            Value::Map(entries) => Label("map", Some(entries.len())),
            Value::Set(items) => Label("set", Some(items.len())),
            Value::Closure(_) => Label("#fn[...]", None),
            Value::Builtin(_) => Label("fn", None),
            Value::Var(_) => Label("var", None),
            Value::Regex(_) => Label("regex", None),
            Value::Date(_) => Label("date", None),
        }
    }

    pub fn text(self) -> String {
        match self.1 {
            Some(count) => format!("{}[{count}]", self.0),
            None => self.0.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_value_has_its_label() {
        let cases = [
            (Value::vector([]), "list[0]"),
            (Value::vector([1.into(), 2.into(), 3.into()]), "list[3]"),
            (Value::map([]), "map[0]"),
            (Value::map([(Value::keyword("a"), 1.into())]), "map[1]"),
            (Value::str("hello"), "string"),
            (Value::Int(42), "integer"),
            (Value::Float(3.25), "float"),
            (Value::Bool(true), "boolean"),
            (Value::keyword("status"), "keyword"),
            (Value::Nil, "nil"),
            (Value::Closure(Default::default()), "#fn[...]"),
            (Value::set([1.into(), 2.into()]), "set[2]"),
            (Value::Builtin("inc".into()), "fn"),
            (Value::Date(0), "date"),
            (Value::Regex("a+".into()), "regex"),
            (Value::Var("x".into()), "var"),
        ];
        for (value, label) in cases {
            assert_eq!(type_of(&value), label);
        }
    }
}
