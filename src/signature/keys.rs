//! The assignment of map entries to fields.

use super::Field;
use crate::value::{Map, Value};

/// A key and its value.
pub type KeyValue<'v> = (&'v Value, &'v Value);

/// The entries of a map, assigned to fields.
pub struct Assigned<'v> {
    /// The entry of each field, in the fields' order.
    pub of_fields: Vec<Option<KeyValue<'v>>>,
    /// The entries without a field.
    pub others: Vec<KeyValue<'v>>,
}

/// Assigns to every field the entry whose key is its name: a keyword, else a string, else the first key that spells the
/// name in another case convention (`first-name`, `first_name`, `firstName`).
pub fn assign<'v>(fields: &[Field], map: &'v Map) -> Assigned<'v> {
    let mut of_fields: Vec<Option<KeyValue<'v>>> = vec![None; fields.len()];
    let mut others = Vec::new();
    for entry in map.iter() {
        let name = entry.0.key_name();
        let position = name.and_then(|name| fields.iter().position(|field| *field.name == *name));
        match position.and_then(|position| of_fields.get_mut(position)) {
            Some(taken) if taken.is_none() || matches!(entry.0, Value::Keyword(_)) => {
                others.extend(taken.replace(entry))
            }
            _ => others.push(entry),
        }
    }
    if others.is_empty() || of_fields.iter().all(Option::is_some) {
        return Assigned { of_fields, others };
    }
    let names: Vec<String> = fields.iter().map(|field| folded(&field.name)).collect();
    others.retain(|entry| {
        let Some(name) = entry.0.key_name().map(folded) else { return true };
        let mut open = names.iter().zip(&mut of_fields).filter(|(_, taken)| taken.is_none());
        match open.find(|(open, _)| **open == name) {
            Some((_, taken)) => {
                *taken = Some(*entry);
                false
            }
            None => true,
        }
    });
    Assigned { of_fields, others }
}

/// The value of each field in a map, in the order of the fields.
pub fn values_of<'v>(fields: &[Field], map: &'v Map) -> Vec<Option<&'v Value>> {
    assign(fields, map).of_fields.into_iter().map(|entry| entry.map(|(_, value)| value)).collect()
}

/// The form that the spellings of a name in all case conventions share. The `_` that begins a hidden name is kept. Only
/// ASCII letters are folded: the tables of others would be larger than this module.
fn folded(name: &str) -> String {
    let visible = name.trim_start_matches('_');
    let mut folded = "_".repeat(name.len() - visible.len());
    folded.extend(visible.chars().filter(|c| !matches!(c, '-' | '_')).map(|c| c.to_ascii_lowercase()));
    folded
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signature::{Type, parse};
    use crate::value::{PrintOptions, to_clojure};

    /// The keys that the fields of `record` get from a map with `keys`, then those that no field gets.
    #[track_caller]
    fn check(record: &str, keys: &[Value], of_fields: &[&str], others: &[&str]) {
        let Type::Record(fields) = parse(record).unwrap().returns else { panic!("no record") };
        let map: Map = keys.iter().map(|key| (key.clone(), Value::Nil)).collect();
        let found = assign(&fields, &map);
        let options = PrintOptions { filter_hidden: false, ..Default::default() };
        let text = |(key, _): &KeyValue<'_>| to_clojure(key, &options).text;
        let taken = found.of_fields.iter().map(|entry| entry.as_ref().map_or("-".into(), text));
        assert_eq!(taken.collect::<Vec<_>>(), of_fields);
        assert_eq!(found.others.iter().map(text).collect::<Vec<_>>(), others);
    }

    fn k(name: &str) -> Value {
        Value::keyword(name)
    }

    #[test]
    fn words_may_be_joined_in_any_way() {
        for key in ["first-name", "first_name", "firstName", "FirstName"] {
            for name in ["first-name", "first_name", "firstName"] {
                check(&format!("{{{name} :any}}"), &[k(key)], &[&format!(":{key}")], &[]);
                check(&format!("{{{name} :any}}"), &[key.into()], &[&format!("\"{key}\"")], &[]);
            }
        }
        check("{größeOben :any}", &[k("größe-oben")], &[":größe-oben"], &[]);
    }

    #[test]
    fn the_closest_way_of_writing_wins() {
        check("{a-b :any}", &["a-b".into(), k("a_b"), k("a-b")], &[":a-b"], &[":a_b", "\"a-b\""]);
        check("{a-b :any}", &[k("a_b"), "a-b".into()], &["\"a-b\""], &[":a_b"]);
        check("{a-b :any}", &[k("a_b"), k("aB")], &[":a_b"], &[":aB"]);
        check("{userId :any, user_id :any}", &[k("user_id"), k("user-id")], &[":user-id", ":user_id"], &[]);
    }

    #[test]
    fn hidden_names_are_names_of_their_own() {
        check("{token :any}", &[k("_token")], &["-"], &[":_token"]);
        check("{_api-key :any, api_key :any}", &[k("apiKey"), k("_apiKey")], &[":_apiKey", ":apiKey"], &[]);
    }

    #[test]
    fn keys_that_are_no_names_are_left() {
        let nested = Value::vector([k("a")]);
        check("{a :any, b :any}", &[1.into(), Value::Nil, nested, k("b")], &["-", ":b"], &["1", "nil", "[:a]"]);
    }
}
