//! Predefined names: functions, constants and namespaces.

use super::dates::unit_named;
use super::position;
use super::synonyms::synonym;
use crate::suggest;
use crate::value::Value;

/// Namespaces of Clojure and Java whose functions need no prefix in this language.
const CORE: &str =
    "clojure.core core clojure.string string str clojure.set set clojure.walk walk regex Interop cljs.core clojure.edn";

/// Namespaces whose names are part of their functions' names.
const QUALIFIED: &str = "Math ChronoUnit System json LocalDate Instant Duration Double Float Integer Long Boolean tool";

/// Returns the builtin with a name without a namespace.
pub fn constant(name: &str) -> Option<Value> {
    position(name).map(|position| Value::Builtin(super::name(position).into()))
}

/// Returns whether functions of the namespace need no prefix.
pub fn is_core(namespace: &str) -> bool {
    CORE.split(' ').any(|core| core == namespace)
}

/// Returns the value of `namespace/name`, or the kind, message and hint of an error.
pub fn qualified(namespace: &str, name: &str) -> Result<Value, (&'static str, String, String)> {
    let short = match namespace {
        "clojure.math" | "math" => "Math",
        "clojure.string" | "string" => "str",
        "cheshire.core" | "cheshire" | "clojure.data.json" => "json",
        _ => namespace.rsplit('.').next().filter(|_| namespace.starts_with("java.")).unwrap_or(namespace),
    };
    // Joins relations in Clojure, and is not the function that joins texts.
    if name == "join" && matches!(namespace, "set" | "clojure.set") {
        let message = format!("there is no `{namespace}/join`");
        let hint =
            "join maps with `(for [a as, b bs :when (= (:id a) (:id b))] (merge a b))`; texts with `(join sep coll)`";
        return Err(("unbound_var", message, hint.into()));
    }
    if is_core(namespace) {
        // `clojure.string/reverse` returns a string, `reverse` a vector.
        let found = constant(&format!("{short}/{name}")).filter(|_| short == "str").or_else(|| constant(name));
        return found.ok_or_else(|| not_there(namespace, name));
    }
    if !QUALIFIED.split(' ').any(|qualified| qualified == short) {
        let message = format!("there is no namespace `{namespace}`");
        let hint = match constant(name) {
            Some(_) => format!("write `{name}` alone"),
            None => "what the host gives stands in `tool/` and `data/`, and the library needs no namespace".into(),
        };
        return Err(("invalid_form", message, hint));
    }
    let whole = format!("{short}/{name}");
    match number(&whole).or_else(|| unit_named(&whole).map(Value::Int)).or_else(|| constant(&whole)) {
        Some(value) => Ok(value),
        None => constant(name).filter(|_| short == "Math").ok_or_else(|| not_there(namespace, name)),
    }
}

fn number(name: &str) -> Option<Value> {
    Some(match name {
        "Double/POSITIVE_INFINITY" => Value::Float(f64::INFINITY),
        "Double/NEGATIVE_INFINITY" => Value::Float(f64::NEG_INFINITY),
        "Double/NaN" => Value::Float(f64::NAN),
        "Double/MAX_VALUE" => Value::Float(f64::MAX),
        "Long/MAX_VALUE" => Value::Int(i64::MAX),
        "Long/MIN_VALUE" => Value::Int(i64::MIN),
        "Integer/MAX_VALUE" => Value::Int(i32::MAX.into()),
        "Integer/MIN_VALUE" => Value::Int(i32::MIN.into()),
        "Math/PI" => Value::Float(std::f64::consts::PI),
        "Math/E" => Value::Float(std::f64::consts::E),
        _ => return None,
    })
}

fn not_there(namespace: &str, name: &str) -> (&'static str, String, String) {
    let message = format!("there is no `{namespace}/{name}`");
    let whole = format!("{namespace}/{name}");
    let known = synonym(&whole).or_else(|| synonym(name).filter(|_| is_core(namespace)));
    let near =
        known.or_else(|| suggest::nearest(&whole, super::names())).or_else(|| suggest::nearest(name, super::names()));
    let hint = match (near, &*whole) {
        (_, "Math/random") => "nothing is random here: choose by a rule, or ask a tool".into(),
        (Some(near), _) => format!("did you mean `{near}`?"),
        (None, _) => {
            let prefix = format!("{namespace}/");
            match suggest::list(super::names().filter(|name| name.starts_with(&prefix)), "") {
                none if none.is_empty() => "use what the library has, or ask a tool".into(),
                known => format!("there are {known}"),
            }
        }
    };
    ("unbound_var", message, hint)
}
