//! Names that mean something without a definition: functions, constants, and namespaces.

use super::place;
use crate::suggest;
use crate::value::Value;

/// Namespaces of Clojure and Java whose functions are here without a prefix.
const CORE: [&str; 13] = [
    "clojure.core",
    "core",
    "clojure.string",
    "string",
    "str",
    "clojure.set",
    "set",
    "clojure.walk",
    "walk",
    "regex",
    "Interop",
    "cljs.core",
    "clojure.edn",
];

/// Namespaces whose names are part of their functions' names.
const QUALIFIED: [&str; 12] = [
    "Math",
    "System",
    "json",
    "LocalDate",
    "Instant",
    "Duration",
    "Double",
    "Float",
    "Integer",
    "Long",
    "Boolean",
    "tool",
];

/// What a bare name means: a function of the library.
pub fn constant(name: &str) -> Option<Value> {
    place(name).map(|place| Value::Builtin(super::name(place).into()))
}

/// True for namespaces whose functions are here without a prefix.
pub fn is_core(namespace: &str) -> bool {
    CORE.contains(&namespace)
}

/// What `namespace/name` means; else the kind of problem, what is wrong and what to do.
pub fn qualified(namespace: &str, name: &str) -> Result<Value, (&'static str, String, String)> {
    let short = namespace.rsplit('.').next().filter(|_| namespace.starts_with("java.")).unwrap_or(namespace);
    if is_core(namespace) {
        return constant(name).ok_or_else(|| not_there(namespace, name));
    }
    if !QUALIFIED.contains(&short) {
        let message = format!("there is no namespace `{namespace}`");
        let hint = match constant(name) {
            Some(_) => format!("write `{name}` alone"),
            None => "what the host gives stands in `tool/` and `data/`, and the library needs no namespace".into(),
        };
        return Err(("invalid_form", message, hint));
    }
    let whole = format!("{short}/{name}");
    match (number(&whole), constant(&whole)) {
        (Some(number), _) => Ok(Value::Float(number)),
        (None, Some(value)) => Ok(value),
        _ => constant(name).filter(|_| short == "Math").ok_or_else(|| not_there(namespace, name)),
    }
}

fn number(name: &str) -> Option<f64> {
    Some(match name {
        "Double/POSITIVE_INFINITY" => f64::INFINITY,
        "Double/NEGATIVE_INFINITY" => f64::NEG_INFINITY,
        "Double/NaN" => f64::NAN,
        "Math/PI" => std::f64::consts::PI,
        "Math/E" => std::f64::consts::E,
        _ => return None,
    })
}

fn not_there(namespace: &str, name: &str) -> (&'static str, String, String) {
    let message = format!("there is no `{namespace}/{name}`");
    let hint = match suggest::nearest(name, super::names()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "use what the library has, or ask a tool".into(),
    };
    ("unbound_var", message, hint)
}
