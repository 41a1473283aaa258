//! Predefined names: functions, constants and namespaces.

use super::dates::unit_named;
use super::position;
use super::synonyms::synonym;
use crate::suggest;
use crate::value::Value;

/// Namespaces of Clojure and Java whose functions need no prefix in this language.
const CORE: &str = "clojure.core core clojure.string string str s clojure.set set clojure.walk walk regex Interop cljs.core clojure.edn edn";

/// Namespaces whose names are part of their functions' names.
const QUALIFIED: &str =
    "Math Character ChronoUnit System json LocalDate Instant Duration Double Float Integer Long Boolean tool";

/// Returns the builtin with a name without a namespace.
pub fn constant(name: &str) -> Option<Value> {
    position(name).map(|position| Value::Builtin(super::name(position).into()))
}

/// Returns whether functions of the namespace need no prefix.
pub fn is_core(namespace: &str) -> bool {
    CORE.split(' ').any(|core| core == namespace)
}

/// Returns the value of `namespace/name`.
pub fn qualified(namespace: &str, name: &str) -> Option<Value> {
    let short = short(namespace);
    if joins_relations(namespace, name) {
        return constant("set/join");
    }
    if is_core(namespace) {
        // `clojure.string/reverse` returns a string, `reverse` a vector.
        return constant(&format!("{short}/{name}")).filter(|_| short == "str").or_else(|| constant(name));
    }
    if !is_qualified(short) {
        return None;
    }
    let whole = format!("{short}/{name}");
    let known = number(&whole).or_else(|| unit_named(&whole).map(Value::Int)).or_else(|| constant(&whole));
    known.or_else(|| constant(name).filter(|_| short == "Math"))
}

/// Returns the name under which the functions of a namespace are known.
fn short(namespace: &str) -> &str {
    match namespace {
        "clojure.math" | "math" => "Math",
        "clojure.string" | "string" | "s" => "str",
        "cheshire.core" | "cheshire" | "clojure.data.json" => "json",
        _ => namespace.rsplit('.').next().filter(|_| namespace.starts_with("java.")).unwrap_or(namespace),
    }
}

/// Returns whether there is a namespace or class.
pub fn is_namespace(name: &str) -> bool {
    is_core(name) || is_qualified(short(name)) || super::position(&format!("{name}.")).is_some()
}

/// Returns the alias under which programs usually know a namespace; of an alias, the one of its namespace.
pub fn usual_alias(namespace: &str) -> &str {
    match short(namespace) {
        "clojure.set" => "set",
        "clojure.walk" => "walk",
        "clojure.edn" => "edn",
        "clojure.core" => "core",
        short => short,
    }
}

fn is_qualified(short: &str) -> bool {
    QUALIFIED.split(' ').any(|qualified| qualified == short)
}

/// Returns whether the function joins relations in Clojure, and is not the function that joins texts.
fn joins_relations(namespace: &str, name: &str) -> bool {
    name == "join" && matches!(namespace, "set" | "clojure.set")
}

/// Returns the kind, message and hint of the error for a `namespace/name` without a value; `is_searched` when a similar
/// name is suggested.
#[cold]
pub fn no_qualified(namespace: &str, name: &str, is_searched: bool) -> (&'static str, String, String) {
    if !is_core(namespace) && !is_qualified(short(namespace)) {
        let message = format!("there is no namespace `{namespace}`");
        let hint = match constant(name) {
            Some(_) => format!("write `{name}` alone"),
            None if matches!(namespace.rsplit('.').next(), Some("LocalDateTime" | "ZonedDateTime" | "OffsetDateTime")) => {
                "times are instants in UTC: write `(Instant/parse \"2026-01-31T10:00:00Z\")`, or `LocalDate/parse` for a day".into()
            }
            None => "what the host gives stands in `tool/` and `data/`, and the library needs no namespace".into(),
        };
        return ("invalid_form", message, hint);
    }
    not_there(namespace, name, is_searched)
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

fn not_there(namespace: &str, name: &str, is_searched: bool) -> (&'static str, String, String) {
    let message = format!("there is no `{namespace}/{name}`");
    let whole = format!("{namespace}/{name}");
    let known = synonym(&whole).or_else(|| synonym(name).filter(|_| is_core(namespace)));
    let similar = |name: &str| if is_searched { suggest::nearest(name, super::names()) } else { None };
    let near = known.or_else(|| similar(&whole)).or_else(|| similar(name));
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
