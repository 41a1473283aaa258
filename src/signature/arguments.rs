//! The arguments of a tool call → a map by parameter names.
//!
//! A model writes `(tool/search {:query "x"})`, `(tool/search :query "x")` or `(tool/search "x")`. A map with the name of
//! a parameter is arguments by name, whether they fit or not: nothing that a model wrote is read in another way because
//! it does not fit, and nothing is dropped.

use super::fit::{Coerced, ExtraFields, Walk};
use super::keys::assign;
use super::report::{Mismatch, Path, expected};
use super::{Field, Signature, Type};
use crate::suggest;
use crate::value::{Map, Value};

impl Signature {
    /// The arguments of a call as a map, whose keys are the parameter names as keywords. Values are coerced as by
    /// [`Type::coerce`]; undeclared names are mismatches. An error lists everything that does not fit.
    ///
    /// A single map with names of parameters, or keywords alternating with values, are arguments by name; anything else
    /// is positional. A single map is the value of the first parameter when that takes it, no other is required, and no
    /// key is the name of a parameter or, where the parameter takes any map, similar to one. Hidden parameters have no
    /// position and may be missing, because the host fills them in. Optional parameters that are nil are omitted;
    /// required ones that may be nil are kept.
    pub fn arguments(&self, values: &[Value]) -> Result<Coerced, Vec<Mismatch>> {
        match values {
            [] => self.by_name(&Map::default()),
            [Value::Map(map)] if map.is_empty() && self.takes_a_map() => {
                self.by_name(map).or_else(|errors| self.by_position(values).map_err(|_| errors))
            }
            [Value::Map(map)] if !self.takes_a_map() || self.knows_a_name(map) => self.by_name(map),
            [Value::Map(map)] => match self.by_position(values) {
                Ok(coerced) if self.takes_a_record() || !self.is_near(map) => Ok(coerced),
                Err(errors) if !self.is_near(map) => Err(errors),
                _ => self.by_name(map),
            },
            _ => match self.keyword_arguments(values)? {
                Some(map) if self.takes_keywords(values) => {
                    self.by_name(&map).or_else(|errors| self.by_position(values).map_err(|_| errors))
                }
                Some(map) => self.by_name(&map),
                None => self.by_position(values),
            },
        }
    }

    /// As [`Signature::arguments`], for arguments that are always by name.
    pub fn named_arguments(&self, arguments: &Value) -> Result<Coerced, Vec<Mismatch>> {
        match arguments {
            Value::Map(map) => self.by_name(map),
            _ => {
                let message = expected(&Type::Map) + ", got " + &Path::default().describe(arguments);
                Err(vec![Mismatch::whole(message)])
            }
        }
    }

    /// The arguments of a call as a map, with values and undeclared names as they were written: for a tool whose host
    /// checks them. A single map is arguments by name.
    pub fn unchecked_arguments(&self, values: &[Value]) -> Result<Map, Vec<Mismatch>> {
        match values {
            [Value::Map(map)] => Ok(map.clone()),
            _ => self.keyword_arguments(values)?.map_or_else(|| self.positions(values), Ok),
        }
    }

    fn by_name(&self, map: &Map) -> Result<Coerced, Vec<Mismatch>> {
        let mut walk = Walk::new(ExtraFields::Refused, true);
        walk.excuses_hidden = true;
        let value = walk.record(&self.parameters, map).unwrap_or_else(|| Value::Map(map.clone()));
        let mut coerced = walk.finish(value)?;
        if let Value::Map(arguments) = &mut coerced.value {
            for field in self.parameters.iter().filter(|field| field.optional) {
                let key = Value::keyword(&field.name);
                if arguments.get(&key) == Some(&Value::Nil) {
                    arguments.remove(&key);
                }
            }
        }
        Ok(coerced)
    }

    fn by_position(&self, values: &[Value]) -> Result<Coerced, Vec<Mismatch>> {
        self.by_name(&self.positions(values)?)
    }

    /// The parameters' names with the values at their positions.
    fn positions(&self, values: &[Value]) -> Result<Map, Vec<Mismatch>> {
        let count = self.visible().count();
        if values.len() > count {
            let given = if values.len() == 1 { "1 value".into() } else { format!("{} values", values.len()) };
            let message = match count {
                0 => format!("{given}, but there are no parameters"),
                1 => format!("{given}, but there is one parameter: {}", self.parameters_text(true)),
                _ => format!("{given}, but there are {count} parameters: {}", self.parameters_text(true)),
            };
            return Err(vec![Mismatch::whole(message)]);
        }
        let names = self.visible().map(|field| Value::keyword(&field.name));
        Ok(names.zip(values.iter().cloned()).collect())
    }

    /// The map for keywords that alternate with values, when one is the name of a parameter or similar to one.
    fn keyword_arguments(&self, values: &[Value]) -> Result<Option<Map>, Vec<Mismatch>> {
        let (pairs, rest) = values.as_chunks::<2>();
        let is_named = |pair: &[Value; 2]| matches!(pair[0], Value::Keyword(_));
        if !rest.is_empty() || !pairs.iter().all(is_named) {
            return Ok(None);
        }
        let map: Map = pairs.iter().cloned().map(|[key, value]| (key, value)).collect();
        if !self.knows_a_name(&map) && !self.is_near(&map) {
            return Ok(None);
        }
        if map.len() < pairs.len() {
            return Err(vec![Mismatch::whole("a name is given twice".into())]);
        }
        Ok(Some(map))
    }

    /// The parameters that models see.
    fn visible(&self) -> impl Iterator<Item = &Field> + Clone {
        self.parameters.iter().filter(|field| !field.hidden())
    }

    /// Whether a single map can be the value of the first parameter.
    fn takes_a_map(&self) -> bool {
        let mut fields = self.visible();
        let first =
            fields.next().is_some_and(|field| matches!(field.ty.unless_nil(), Type::Map | Type::Record(_) | Type::Any));
        first && fields.all(|field| field.optional)
    }

    /// Whether the first parameter takes maps with declared keys only.
    fn takes_a_record(&self) -> bool {
        self.visible().next().is_some_and(|field| matches!(field.ty.unless_nil(), Type::Record(_)))
    }

    /// Whether the parameters at the positions of the keywords are for keywords.
    fn takes_keywords(&self, values: &[Value]) -> bool {
        let mut keywords = self.visible().zip(values).step_by(2);
        keywords.all(|(field, _)| matches!(field.ty.unless_nil(), Type::Keyword | Type::OneOf(_)))
    }

    fn knows_a_name(&self, map: &Map) -> bool {
        assign(&self.parameters, map).of_fields.iter().any(Option::is_some)
    }

    /// Whether a key is similar to the name of a parameter.
    fn is_near(&self, map: &Map) -> bool {
        let near = |name: &str| suggest::nearest(name, self.visible().map(|field| &*field.name)).is_some();
        map.iter().take(50).any(|(key, _)| key.key_name().is_some_and(near))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signature::parse;
    use crate::value::{PrintOptions, from_json, to_clojure};

    const SEARCH: &str = "(query :string, limit :int?) -> :any";

    fn called(signature: &str, arguments: &str) -> Result<Coerced, Vec<Mismatch>> {
        let Ok(Value::Vector(values)) = from_json(arguments) else { panic!("no list: {arguments}") };
        parse(signature).unwrap().arguments(values.as_slice())
    }

    /// `arguments` are JSON, `taken` is Clojure text.
    #[track_caller]
    fn takes(signature: &str, arguments: &str, taken: &str, warnings: &[&str]) {
        let coerced = called(signature, arguments).unwrap();
        let options = PrintOptions { limit: None, printable_limit: None, filter_hidden: false };
        assert_eq!(to_clojure(&coerced.value, &options).text, taken);
        assert_eq!(coerced.warnings, warnings);
    }

    #[track_caller]
    fn refuses(signature: &str, arguments: &str, mismatches: &[&str]) {
        let found = called(signature, arguments).unwrap_err();
        assert_eq!(found.iter().map(Mismatch::to_string).collect::<Vec<_>>(), mismatches);
    }

    #[test]
    fn a_map_with_the_name_of_a_parameter_is_never_its_value() {
        let purge = "(filter {status :string?}) -> :int";
        refuses(purge, r#"[{"filter":"status=closed"}]"#, &[r#"filter: expected map, got string "status=closed""#]);
        refuses(
            purge,
            r#"[{"fitler":{"status":"closed"}}]"#,
            &[
                "filter: missing, expected map; write `filter` in place of `fitler`",
                "`fitler` is not declared; did you mean `filter`?",
            ],
        );
        refuses(
            purge,
            r#"[{"filter":{"sttaus":"closed"}}]"#,
            &["filter: `sttaus` is not declared; did you mean `status`?"],
        );
        takes(purge, r#"[{"status":"closed"}]"#, r#"{:filter {:status "closed"}}"#, &[]);
        takes(purge, r#"[{"filter":{"status":"closed"}}]"#, r#"{:filter {:status "closed"}}"#, &[]);
        for signature in ["(filter :map) -> :int", "(filter :any) -> :int"] {
            refuses(
                signature,
                r#"[{"fitler":{"status":"closed"}}]"#,
                &[
                    &format!(
                        "filter: missing{}; write `filter` in place of `fitler`",
                        if signature.contains(":map") { ", expected map" } else { "" }
                    ),
                    "`fitler` is not declared; did you mean `filter`?",
                ],
            );
        }
    }

    #[test]
    fn named_arguments_have_no_positions() {
        let named = |signature: &str, json: &str| {
            parse(signature).unwrap().named_arguments(&from_json(json).unwrap()).map_err(|found| found[0].to_string())
        };
        let purge = "(filter {status :string?}) -> :int";
        assert_eq!(named(purge, r#"{"status":"closed"}"#).unwrap_err(), "filter: missing, expected map");
        assert_eq!(named(purge, r#""closed""#).unwrap_err(), r#"expected map, got string "closed""#);
        assert!(named(SEARCH, r#"{"query":"x","limit":null}"#).is_ok());
    }

    #[test]
    fn unchecked_arguments_get_names_and_stay_as_they_are() {
        let named = |json: &str| {
            let Ok(Value::Vector(values)) = from_json(json) else { panic!("no list: {json}") };
            let map =
                parse(SEARCH).unwrap().unchecked_arguments(values.as_slice()).map_err(|found| found[0].to_string())?;
            Ok(to_clojure(&Value::Map(map), &PrintOptions { limit: None, printable_limit: None, filter_hidden: false })
                .text)
        };
        let same: [(&str, Result<&str, &str>); 7] = [
            (r#"[{"query":5,"page":null}]"#, Ok("{:page nil :query 5}")),
            (r#"[5,"3"]"#, Ok(r#"{:limit "3" :query 5}"#)),
            (r#"[{"$keyword":"query"},5,{"$keyword":"page"},1]"#, Ok("{:page 1 :query 5}")),
            (r#"[{"$keyword":"open"}]"#, Ok("{:query :open}")),
            ("[]", Ok("{}")),
            ("[1,2,3]", Err("3 values, but there are 2 parameters: query :string, limit :int?")),
            (r#"[{"$keyword":"query"},5,{"$keyword":"query"},6]"#, Err("a name is given twice")),
        ];
        for (arguments, expected) in same {
            assert_eq!(named(arguments), expected.map(str::to_owned).map_err(str::to_owned), "{arguments}");
        }
    }
}
