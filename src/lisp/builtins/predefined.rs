//! Predefined names: functions, constants and namespaces.

use super::dates::{day_or_month, unit_named};
use super::position;
use super::synonyms::synonym;
use crate::lisp::special::instead;
use crate::suggest;
use crate::value::Value;

/// A namespace or a class: the alias that programs usually have for it, its other names, and whether its functions need
/// no prefix in this language. Otherwise the alias is part of their names.
type Namespace = (&'static str, &'static str, bool);

static NAMESPACES: [Namespace; 22] = [
    ("core", "clojure.core cljs.core", true),
    ("str", "clojure.string string s", true),
    ("set", "clojure.set", true),
    ("walk", "clojure.walk", true),
    ("edn", "clojure.edn", true),
    ("regex", "", true),
    ("Interop", "", true),
    ("Math", "clojure.math math", false),
    ("json", "cheshire.core cheshire clojure.data.json", false),
    ("Character", "", false),
    ("ChronoUnit", "", false),
    ("DayOfWeek", "", false),
    ("Month", "", false),
    ("System", "", false),
    ("LocalDate", "", false),
    ("Instant", "", false),
    ("Duration", "", false),
    ("Double", "", false),
    ("Float", "", false),
    ("Integer", "", false),
    ("Long", "", false),
    ("Boolean", "", false),
];

/// Returns the namespace with a name. A class also has the name with its package: `java.time.LocalDate`.
fn namespace(name: &str) -> Option<&'static Namespace> {
    let class = name.rsplit('.').next().filter(|_| name.starts_with("java."));
    NAMESPACES.iter().find(|(alias, others, is_core)| {
        *alias == name || others.split(' ').any(|other| other == name) || !is_core && class == Some(alias)
    })
}

/// Returns the builtin with a name without a namespace.
pub fn constant(name: &str) -> Option<Value> {
    position(name).map(|position| Value::Builtin(super::name(position).into()))
}

/// Returns whether functions of the namespace need no prefix.
pub fn is_core(name: &str) -> bool {
    namespace(name).is_some_and(|(.., is_core)| *is_core)
}

/// Returns the value of `namespace/name`.
pub fn qualified(space: &str, name: &str) -> Option<Value> {
    let (alias, _, is_core) = namespace(space)?;
    let whole = format!("{alias}/{name}");
    if *is_core {
        // `str/reverse` returns a string, `reverse` a vector; `set/join` joins relations, `join` texts.
        return constant(&whole).or_else(|| constant(name));
    }
    let known = number(&whole).or_else(|| unit_named(&whole).map(Value::Int)).or_else(|| constant(&whole));
    let known = known.or_else(|| day_or_month(alias, name).map(Value::str));
    known.or_else(|| constant(name).filter(|_| *alias == "Math"))
}

/// Returns whether there is a namespace or class.
pub fn is_namespace(name: &str) -> bool {
    namespace(name).is_some() || position(&format!("{name}.")).is_some()
}

/// Returns the alias under which programs usually know a namespace; of an alias, the one of its namespace.
pub fn usual_alias(name: &str) -> &str {
    namespace(name).map_or_else(|| name.rsplit('.').next().unwrap_or(name), |(alias, ..)| alias)
}

/// Returns the alias of a namespace that exists.
pub fn known_alias(name: &str) -> Option<&'static str> {
    namespace(name).map(|(alias, ..)| *alias)
}

/// Returns what to do instead of a class or namespace that does not exist here.
pub fn instead_of(name: &str) -> Option<&'static str> {
    let last = name.rsplit('.').next()?;
    let is_class = last.starts_with(|first: char| first.is_ascii_uppercase());
    let java = "there are no other classes of Java than String, Math, Integer, Long, Double, LocalDate, Instant and the like: use functions of the language";
    instead(last).or(is_class.then_some(java))
}

/// Returns the kind, message and hint of the error for a `space/name` without a value; `is_searched` when a similar name
/// is suggested.
#[cold]
pub fn no_qualified(space: &str, name: &str, is_searched: bool) -> (&'static str, String, String) {
    if let Some(namespace) = namespace(space) {
        return not_there(space, namespace, name, is_searched);
    }
    let message = format!("there is no namespace `{space}`");
    let near = || suggest::nearest(space, NAMESPACES.iter().map(|(alias, ..)| *alias).filter(|alias| alias.len() > 4));
    let hint = match constant(name) {
        Some(_) => format!("write `{name}` alone"),
        None => match near().filter(|near| {
            instead(space.rsplit('.').next().unwrap_or(space)).is_none() && qualified(near, name).is_some()
        }) {
            Some(near) => format!("did you mean `{near}/{name}`?"),
            None => instead_of(space)
                .unwrap_or("what the host gives stands in `tool/` and `data/`, and the library needs no namespace")
                .into(),
        },
    };
    ("invalid_form", message, hint)
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

/// Returns the names that a namespace has, without it.
fn members(space: &str) -> impl Iterator<Item = &'static str> {
    let (alias, _, is_core) = namespace(space).copied().unwrap_or_default();
    super::names().filter_map(move |name| match name.split_once('/') {
        Some((own, member)) if !member.is_empty() => (own == alias).then_some(member),
        _ => ((is_core || alias == "Math") && !name.contains('.')).then_some(name),
    })
}

fn not_there(
    space: &str,
    (alias, _, is_core): &Namespace,
    name: &str,
    is_searched: bool,
) -> (&'static str, String, String) {
    let whole = format!("{alias}/{name}");
    let known = synonym(&whole).or_else(|| synonym(name).filter(|_| *is_core)).map(str::to_owned);
    let similar = || {
        let members = members(space).collect::<Vec<_>>();
        let member = suggest::most_similar(name, &members).map(|position| format!("{space}/{}", members[position]));
        member.or_else(|| suggest::nearest(&whole, super::names()).map(str::to_owned))
    };
    let near = known.or_else(|| if is_searched { similar() } else { None });
    let hint = match near {
        _ if whole == "Math/random" => "nothing is random here: choose by a rule, or ask a tool".into(),
        Some(near) => format!("did you mean `{near}`?"),
        None => {
            let prefix = format!("{alias}/");
            match suggest::list(super::names().filter(|name| name.starts_with(&prefix)), "") {
                none if none.is_empty() => "use what the library has, or ask a tool".into(),
                known => format!("there are {known}"),
            }
        }
    };
    ("unbound_var", format!("there is no `{space}/{name}`"), hint)
}
