//! Type labels: what a section calls the type of a value.

use super::Value;

/// The label of a value's type: TYP-001…012 to the letter, and `fn`, `date`, `regex`, `var`
/// beyond them.
pub fn type_of(value: &Value) -> String {
    match value {
        Value::Nil => "nil".into(),
        Value::Bool(_) => "boolean".into(),
        Value::Int(_) | Value::BigInt(_) => "integer".into(),
        Value::Float(_) => "float".into(),
        Value::Str(_) => "string".into(),
        Value::Keyword(_) => "keyword".into(),
        Value::Vector(items) => format!("list[{}]", items.len()),
        Value::Map(entries) => format!("map[{}]", entries.len()),
        Value::Set(items) => format!("set[{}]", items.len()),
        Value::Closure(_) => "#fn[...]".into(),
        Value::Builtin(_) => "fn".into(),
        Value::Var(_) => "var".into(),
        Value::Regex(_) => "regex".into(),
        Value::Date(_) => "date".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_those_of_the_type_vocabulary() {
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
