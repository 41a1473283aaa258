//! Type labels: the names of types in messages.

use super::Value;

/// The label of a value's type: `list[3]`, `map[2]`, `string`, `#fn[...]` and so on.
pub fn type_of(value: &Value) -> String {
    Label::of(value).text()
}

/// A label as its parts. Each return of a function makes one, so it is only two numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Label {
    kind: ValueType,
    /// The number of elements of a collection.
    count: u32,
}

/// The types in the order of the variants of [`Value`], so that the compiler can copy the discriminant.
#[derive(Clone, Copy, Debug)]
enum ValueType {
    Nil,
    Bool,
    Int,
    Float,
    Date,
    BigInt,
    Str,
    Keyword,
    Vector,
    Map,
    Set,
    Closure,
    Builtin,
    Var,
    Regex,
}

impl Label {
    #[inline(always)]
    pub fn of(value: &Value) -> Label {
        let kind = match value {
            Value::Nil => ValueType::Nil,
            Value::Bool(_) => ValueType::Bool,
            Value::Int(_) => ValueType::Int,
            Value::Float(_) => ValueType::Float,
            Value::Date(_) | Value::Day(_) => ValueType::Date,
            Value::BigInt(_) => ValueType::BigInt,
            Value::Str(_) => ValueType::Str,
            Value::Keyword(_) => ValueType::Keyword,
            Value::Vector(_) => ValueType::Vector,
            Value::Map(_) => ValueType::Map,
            Value::Set(_) => ValueType::Set,
            Value::Closure(_) => ValueType::Closure,
            Value::Builtin(_) => ValueType::Builtin,
            Value::Var(_) => ValueType::Var,
            Value::Regex(_) => ValueType::Regex,
        };
        let count = if value.is_plain() { 0 } else { count(value) };
        Label { kind, count }
    }

    pub fn text(self) -> String {
        let name = match self.kind {
            ValueType::Nil => "nil",
            ValueType::Bool => "boolean",
            ValueType::Int | ValueType::BigInt => "integer",
            ValueType::Float => "float",
            ValueType::Date => "date",
            ValueType::Str => "string",
            ValueType::Keyword => "keyword",
            ValueType::Vector => return format!("list[{}]", self.count),
            ValueType::Map => return format!("map[{}]", self.count),
            ValueType::Set => return format!("set[{}]", self.count),
            ValueType::Closure => "#fn[...]",
            ValueType::Builtin => "fn",
            ValueType::Var => "var",
            ValueType::Regex => "regex",
        };
        name.into()
    }
}

fn count(value: &Value) -> u32 {
    let count = match value {
        Value::Vector(items) => items.len(),
        Value::Map(entries) => entries.len(),
        Value::Set(items) => items.len(),
        _ => 0,
    };
    u32::try_from(count).unwrap_or(u32::MAX)
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
