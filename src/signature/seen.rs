//! The types of values that were seen, for results that no signature describes: names and types, never values.

use super::{Field, Type, is_name};
use crate::value::{Map, Value};

/// Elements of a list that are looked at.
const ELEMENTS: usize = 20;

/// Fields of a record; a map with more keys has the type of a map.
const FIELDS: usize = 40;

/// Keys from which a map of equal records or lists is taken for an index, whose keys are data.
const INDEX_KEYS: usize = 8;

/// Levels of lists and records; deeper ones have the type of any list or map.
const DEPTH: usize = 5;

/// What is known of values from those that were seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenType {
    kind: SeenKind,
    /// Whether one of them was nil.
    nil: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum SeenKind {
    /// None but nil was seen.
    Unknown,
    /// All have this type, which has no parts.
    Simple(Type),
    List(Box<SeenType>),
    Record(Vec<SeenField>),
}

/// The name of a field, its type, and whether it was absent from some. Fields stand by name, as in samples: the order of the
/// entries of a map is not that of its JSON.
type SeenField = (String, SeenType, bool);

impl Default for SeenType {
    fn default() -> SeenType {
        SeenType { kind: SeenKind::Unknown, nil: false }
    }
}

impl SeenType {
    /// The type of one value.
    pub fn of(value: &Value) -> SeenType {
        SeenType::within(value, DEPTH)
    }

    fn within(value: &Value, depth: usize) -> SeenType {
        let kind = match value {
            Value::Nil => return SeenType { kind: SeenKind::Unknown, nil: true },
            Value::Bool(_) => SeenKind::Simple(Type::Bool),
            Value::Int(_) | Value::BigInt(_) => SeenKind::Simple(Type::Int),
            Value::Float(_) => SeenKind::Simple(Type::Float),
            Value::Str(_) => SeenKind::Simple(Type::String),
            Value::Keyword(_) => SeenKind::Simple(Type::Keyword),
            Value::Vector(items) => SeenKind::List(Box::new(match depth {
                0 => SeenType { kind: SeenKind::Simple(Type::Any), nil: false },
                _ => items
                    .iter()
                    .take(ELEMENTS)
                    .map(|item| SeenType::within(item, depth - 1))
                    .fold(SeenType::default(), SeenType::or),
            })),
            Value::Map(entries) => record(entries, depth).map_or(SeenKind::Simple(Type::Map), SeenKind::Record),
            _ => SeenKind::Simple(Type::Any),
        };
        SeenType { kind, nil: false }
    }

    /// The type of the values of both.
    pub fn or(self, other: SeenType) -> SeenType {
        let nil = self.nil || other.nil;
        let kind = match (self.kind, other.kind) {
            (SeenKind::Unknown, kind) | (kind, SeenKind::Unknown) => kind,
            (SeenKind::Simple(left), SeenKind::Simple(right)) if left == right => SeenKind::Simple(left),
            (SeenKind::Simple(Type::Int | Type::Float), SeenKind::Simple(Type::Int | Type::Float)) => {
                SeenKind::Simple(Type::Float)
            }
            (SeenKind::List(left), SeenKind::List(right)) => SeenKind::List(Box::new(left.or(*right))),
            (SeenKind::Record(left), SeenKind::Record(right)) => merged(left, right),
            (SeenKind::Simple(Type::Map), SeenKind::Record(_)) | (SeenKind::Record(_), SeenKind::Simple(Type::Map)) => {
                SeenKind::Simple(Type::Map)
            }
            _ => SeenKind::Simple(Type::Any),
        };
        SeenType { kind, nil }
    }

    /// The type in the notation of signatures, when it says something: a record, or a list of what is not anything.
    pub fn returns(&self) -> Option<Type> {
        let ty = self.ty();
        match ty.unless_nil() {
            Type::Record(fields) if !fields.is_empty() => Some(ty),
            Type::List(element) if !matches!(element.unless_nil(), Type::Any) => Some(ty),
            _ => None,
        }
    }

    fn ty(&self) -> Type {
        let ty = match &self.kind {
            SeenKind::Unknown => Type::Any,
            SeenKind::Simple(ty) => ty.clone(),
            SeenKind::List(element) => Type::List(Box::new(element.ty())),
            SeenKind::Record(fields) => {
                let field = |(name, seen, is_absent): &SeenField| {
                    let ty = SeenType { kind: seen.kind.clone(), nil: false }.ty();
                    Field::new(name.clone(), ty, *is_absent || seen.nil)
                };
                Type::Record(fields.iter().map(field).collect())
            }
        };
        ty.or_nil(self.nil && self.kind != SeenKind::Unknown)
    }
}

/// The fields of a map; none for a map whose keys are data.
fn record(entries: &Map, depth: usize) -> Option<Vec<SeenField>> {
    if depth == 0 || entries.len() > FIELDS {
        return None;
    }
    let mut fields = Vec::with_capacity(entries.len());
    for (key, value) in entries.iter() {
        let name = key.key_name().filter(|name| is_name(name))?;
        if !key.is_hidden_key() {
            insert(&mut fields, (name.to_owned(), SeenType::within(value, depth - 1), false));
        }
    }
    let with_digits = fields.iter().filter(|(name, ..)| name.bytes().any(|byte| byte.is_ascii_digit())).count();
    let is_alike = |(_, seen, _): &SeenField| {
        matches!(seen.kind, SeenKind::List(_) | SeenKind::Record(_))
            && fields.first().is_some_and(|(_, first, _)| *first == *seen)
    };
    let is_index = fields.len() >= INDEX_KEYS && fields.iter().all(is_alike);
    let is_numbered = fields.len() > 2 && with_digits * 2 > fields.len();
    (!is_index && !is_numbered).then_some(fields)
}

fn insert(fields: &mut Vec<SeenField>, field: SeenField) {
    let at = fields.iter().position(|(name, ..)| *name > field.0).unwrap_or(fields.len());
    fields.insert(at, field);
}

fn merged(left: Vec<SeenField>, mut right: Vec<SeenField>) -> SeenKind {
    let mut fields = Vec::with_capacity(left.len());
    for (name, seen, is_absent) in left {
        match right.iter().position(|(other, ..)| *other == name) {
            Some(position) => {
                let (_, other, other_absent) = right.remove(position);
                fields.push((name, seen.or(other), is_absent || other_absent));
            }
            None => fields.push((name, seen, true)),
        }
    }
    for (name, seen, _) in right {
        insert(&mut fields, (name, seen, true));
    }
    if fields.len() > FIELDS { SeenKind::Simple(Type::Map) } else { SeenKind::Record(fields) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::from_json;

    fn seen(json: &str) -> SeenType {
        SeenType::of(&from_json(json).unwrap())
    }

    #[track_caller]
    fn check(values: &[&str], expected: &str) {
        let merged = values.iter().map(|json| seen(json)).fold(SeenType::default(), SeenType::or);
        assert_eq!(merged.returns().map_or("nothing".to_owned(), |ty| ty.to_string()), expected, "{values:?}");
    }

    #[test]
    fn records_and_lists_are_described() {
        let tagged = r#"{"id":1,"name":"a","tags":[{"$keyword":"x"},{"$keyword":"y"}]}"#;
        check(&[tagged], "{id :int, name :string, tags [:keyword]}");
        check(&[r#"[{"id":1,"total":2},{"id":2,"total":2.5}]"#], "[{id :int, total :float}]");
        check(&[r#"{"items":[],"next":null}"#], "{items [:any], next :any?}");
    }

    #[test]
    fn values_are_merged() {
        check(&[r#"{"a":1}"#, r#"{"a":2,"b":"x"}"#], "{a :int, b :string?}");
        check(&[r#"{"a":null}"#, r#"{"a":true}"#, "null"], "{a :bool?}?");
        check(&[r#"{"a":1}"#, r#"{"a":"x"}"#], "{a :any}");
        check(&["[]", r#"[{"a":1}]"#, "[null]"], "[{a :int}?]");
        check(&[r#"{"a":{"b":1}}"#, r#"{"a":{"c":1}}"#], "{a {b :int?, c :int?}}");
        check(&["[1]", r#"{"a":1}"#], "nothing");
    }

    #[test]
    fn scalars_are_not_described() {
        for json in [r#""text""#, "null", "[]", "{}"] {
            check(&[json], "nothing");
        }
        check(&[], "nothing");
    }

    #[test]
    fn keys_that_are_data_are_not_shown() {
        check(&[r#"[{"o17":{"total":1},"o18":{"total":2},"o19":{"total":3}}]"#], "[:map]");
        check(&[r#"{"a":{"$map":[[17,"x"]]},"b":{"$map":[["a b",1]]}}"#], "{a :map, b :map}");
        let people =
            ["ann", "bob", "cy", "di", "ed", "flo", "gus", "hal"].map(|name| format!(r#""{name}":{{"age":1}}"#));
        check(&[&format!("[{{{}}}]", people.join(","))], "[:map]");
        let wide: Vec<String> = (b'a'..=b'z').map(|name| format!(r#""{}":1"#, char::from(name))).collect();
        let text = seen(&format!("{{{}}}", wide.join(","))).returns().unwrap().to_string();
        assert!(text.starts_with("{a :int, b :int") && text.ends_with("z :int}"), "{text}");
        check(&[r#"{"_token":"secret","id":1}"#], "{id :int}");
    }

    #[test]
    fn deep_and_long_values_are_cut() {
        check(&[r#"{"a":{"b":{"c":{"d":{"e":{"f":{"g":1}}}}}}}"#], "{a {b {c {d {e :map}}}}}");
        check(&["[[[[[[[1]]]]]]]"], "[[[[[[:any]]]]]]");
        let list: Vec<_> = (0..30).map(|index| if index < 25 { r#"{"a":1}"# } else { r#"{"b":1}"# }).collect();
        check(&[&format!("[{}]", list.join(","))], "[{a :int}]");
    }
}
