//! The arguments of a tool call → a map by parameter names.
//!
//! A model writes `(tool/search {:query "x"})`, `(tool/search :query "x")` or `(tool/search "x")`. When arguments can
//! be taken both by name and by position, the way that fits the types wins.

use super::fit::{Coerced, ExtraFields, Walk};
use super::keys::assign;
use super::report::Mismatch;
use super::{Field, Signature, Type};
use crate::suggest;
use crate::value::{Map, Value};

impl Signature {
    /// The arguments of a call as a map, whose keys are the parameter names as keywords. Values are coerced as by
    /// [`Type::coerce`]; undeclared names are dropped with a warning. An error lists everything that does not fit.
    ///
    /// A single map with names of parameters, or keywords alternating with values, are arguments by name; anything else
    /// is positional. Hidden parameters have no position and may be missing, because the host fills them in. Optional
    /// parameters that are nil are omitted; required ones that may be nil are kept.
    pub fn arguments(&self, values: &[Value]) -> Result<Coerced, Vec<Mismatch>> {
        match values {
            [] => self.by_name(&Map::default()),
            [Value::Map(map)] => {
                let may_be_positional = self.takes_a_map();
                if !may_be_positional || map.is_empty() || self.knows_a_name(map) {
                    let named = self.by_name(map);
                    let fallback = named.is_err() && may_be_positional;
                    return if fallback { self.by_position(values).or(named) } else { named };
                }
                self.by_position(values)
                    .or_else(|errors| if self.is_near(map) { self.by_name(map) } else { Err(errors) })
            }
            _ => match keyword_arguments(values) {
                Some(map) if self.knows_a_name(&map) || self.is_near(&map) => {
                    self.by_name(&map).or_else(|errors| self.by_position(values).map_err(|_| errors))
                }
                _ => self.by_position(values),
            },
        }
    }

    fn by_name(&self, map: &Map) -> Result<Coerced, Vec<Mismatch>> {
        let mut walk = Walk::new(ExtraFields::Dropped, true);
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
        self.by_name(&names.zip(values.iter().cloned()).collect())
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

    fn knows_a_name(&self, map: &Map) -> bool {
        assign(&self.parameters, map).of_fields.iter().any(Option::is_some)
    }

    /// Whether a key is similar to the name of a parameter.
    fn is_near(&self, map: &Map) -> bool {
        let near = |name: &str| suggest::nearest(name, self.visible().map(|field| &*field.name)).is_some();
        map.iter().take(50).any(|(key, _)| key.key_name().is_some_and(near))
    }
}

/// The map for keywords that alternate with values; None for anything else.
fn keyword_arguments(values: &[Value]) -> Option<Map> {
    let (pairs, rest) = values.as_chunks::<2>();
    let is_named = |pair: &[Value; 2]| matches!(pair[0], Value::Keyword(_));
    let is_map = rest.is_empty() && !pairs.is_empty() && pairs.iter().all(is_named);
    is_map.then(|| pairs.iter().cloned().map(|[key, value]| (key, value)).collect())
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
    fn a_call_is_by_name_or_by_position() {
        takes(SEARCH, r#"[{"query":"x","limit":3}]"#, r#"{:limit 3 :query "x"}"#, &[]);
        takes(SEARCH, r#"[{"$map":[["query","x"],["limit",3]]}]"#, r#"{:limit 3 :query "x"}"#, &[]);
        takes(SEARCH, r#"[{"$keyword":"query"},"x",{"$keyword":"limit"},3]"#, r#"{:limit 3 :query "x"}"#, &[]);
        takes(SEARCH, r#"["x",3]"#, r#"{:limit 3 :query "x"}"#, &[]);
        takes(SEARCH, r#"["x"]"#, r#"{:query "x"}"#, &[]);
        takes("() -> :any", "[]", "{}", &[]);
        takes("() -> :any", "[{}]", "{}", &[]);
    }

    #[test]
    fn values_become_what_their_parameters_take() {
        takes(SEARCH, r#"["x","3"]"#, r#"{:limit 3 :query "x"}"#, &["limit: string \"3\" became int 3"]);
        takes(SEARCH, r#"[{"$keyword":"x"},{"$float":"3"}]"#, r#"{:limit 3 :query "x"}"#, &[]);
        takes("(max-price :float) -> :any", r#"[{"maxPrice":5}]"#, "{:max-price 5.0}", &[]);
        refuses(
            SEARCH,
            r#"[["x"],"three"]"#,
            &["query: expected string, got list", "limit: expected int, got string \"three\""],
        );
    }

    #[test]
    fn optional_parameters_that_are_nil_are_left_out() {
        takes(SEARCH, r#"["x",null]"#, r#"{:query "x"}"#, &[]);
        takes(SEARCH, r#"[{"query":"x","limit":null}]"#, r#"{:query "x"}"#, &[]);
        refuses(SEARCH, "[null]", &["query: expected string, got nil"]);
    }

    #[test]
    fn parameters_that_must_be_there_and_may_be_nil_are_nil() {
        let signature = "(a :string | nil, b :int?) -> :any";
        takes(signature, r#"[{"a":null,"b":null}]"#, "{:a nil}", &[]);
        takes(signature, "[null,1]", "{:a nil :b 1}", &[]);
        takes(signature, r#"[{"a":"x"}]"#, r#"{:a "x"}"#, &[]);
        refuses(signature, r#"[{"b":1}]"#, &["a: missing, expected string or nil"]);
        takes("(doc :map | nil) -> :any", r#"[{"title":"x"}]"#, r#"{:doc {:title "x"}}"#, &[]);
    }

    #[test]
    fn literals_are_taken_as_they_are_meant() {
        let signature = r#"(state "open" | "paid", n (1 | 2)?) -> :any"#;
        takes(signature, r#"[{"state":{"$keyword":"open"},"n":{"$float":"1"}}]"#, r#"{:n 1 :state "open"}"#, &[]);
        takes(
            signature,
            r#"[{"state":"Open","n":null}]"#,
            r#"{:state "open"}"#,
            &["state: string \"Open\" became string \"open\""],
        );
        refuses(
            signature,
            r#"[{"state":"closed"}]"#,
            &[r#"state: expected one of "open", "paid", got string "closed""#],
        );
        refuses(signature, "[{}]", &[r#"state: missing, expected one of "open", "paid""#]);
    }

    #[test]
    fn more_values_than_parameters_are_refused() {
        refuses(SEARCH, r#"["x",3,4]"#, &["3 values, but there are 2 parameters: query :string, limit :int?"]);
        refuses("(id :int) -> :any", "[1,2]", &["2 values, but there is one parameter: id :int"]);
        refuses("() -> :any", "[1]", &["1 value, but there are no parameters"]);
    }

    #[test]
    fn names_that_are_not_declared_are_left_out() {
        takes(
            SEARCH,
            r#"[{"query":"x","limt":3,"page":2}]"#,
            r#"{:query "x"}"#,
            &["`limt` is not declared; did you mean `limit`?", "`page` is not declared; declared are `query`, `limit`"],
        );
        takes("() -> :any", r#"[{"a":1}]"#, "{}", &["`a` is not declared; no names are declared"]);
        refuses(SEARCH, r#"[{"qurey":"x"}]"#, &["query: missing, expected string; write `query` in place of `qurey`"]);
        refuses(SEARCH, "[]", &["query: missing, expected string"]);
    }

    #[test]
    fn a_map_can_be_the_parameter_itself() {
        takes("(doc :map) -> :any", r#"[{"title":"x"}]"#, r#"{:doc {:title "x"}}"#, &[]);
        takes("(doc :map) -> :any", r#"[{"doc":{"title":"x"}}]"#, r#"{:doc {:title "x"}}"#, &[]);
        takes("(doc :map) -> :any", r#"[{"doc":"x"}]"#, r#"{:doc {:doc "x"}}"#, &[]);
        takes("(doc :map) -> :any", "[{}]", "{:doc {}}", &[]);
        takes("(doc :map?) -> :any", "[{}]", "{}", &[]);
        takes(
            "(user {id :int}, dry :bool?) -> :any",
            r#"[{"id":"7"}]"#,
            "{:user {:id 7}}",
            &["user.id: string \"7\" became int 7"],
        );
        takes("(value :any) -> :any", r#"[{"a":1}]"#, "{:value {:a 1}}", &[]);
        takes("(value :any) -> :any", "[[1]]", "{:value [1]}", &[]);
        refuses("(user {id :int}) -> :any", r#"[{"ident":7}]"#, &["user.id: missing, expected int"]);
        refuses(
            "(user {id :int}) -> :any",
            r#"[{"usr":{"id":7}}]"#,
            &["user: missing, expected map; write `user` in place of `usr`"],
        );
        refuses("(a :map, b :map) -> :any", r#"[{"x":1}]"#, &["a: missing, expected map", "b: missing, expected map"]);
    }

    #[test]
    fn keywords_can_be_values() {
        let signature = "(status :keyword, id :string) -> :any";
        takes(signature, r#"[{"$keyword":"open"},"7"]"#, r#"{:id "7" :status :open}"#, &[]);
        takes(signature, r#"[{"$keyword":"id"},"7"]"#, r#"{:id "7" :status :id}"#, &[]);
        refuses(
            SEARCH,
            r#"[{"$keyword":"qurey"},"x"]"#,
            &["query: missing, expected string; write `query` in place of `qurey`"],
        );
    }

    #[test]
    fn hidden_parameters_have_no_position_and_may_be_missing() {
        let signature = "(_token :string, query :string) -> :any";
        takes(signature, r#"["x"]"#, r#"{:query "x"}"#, &[]);
        takes(signature, r#"[{"query":"x","_token":"t"}]"#, r#"{:_token "t" :query "x"}"#, &[]);
        refuses(signature, r#"["x","y"]"#, &["2 values, but there is one parameter: query :string"]);
        refuses("(a {_b :int}) -> :any", r#"[{"a":{}}]"#, &["a._b: missing, expected int"]);
    }
}
