//! Errors of undefined names, which the machine and the checker share.

use super::builtins;
use super::lookup::dashed;
use crate::diagnostic::Diagnostic;
use crate::suggest;

/// A bare name that means nothing, where these are known, each with what is written before it, and
/// the library.
#[cold]
pub fn undefined<'a>(name: &str, known: impl Iterator<Item = (&'a str, &'static str)>) -> Diagnostic {
    let mut known: Vec<(&str, &str)> = known.collect();
    known.extend(builtins::names().map(|name| (name, "")));
    let wanted = dashed(name);
    let same = known.iter().find(|(found, _)| *found == wanted).copied();
    let hint = match same.or_else(|| suggest::nearest_by(name, known.iter().copied())) {
        Some((near, prefix)) => format!("did you mean `{prefix}{near}`?"),
        None => format!("define it with `(def {name} …)`, or bind it with `let`"),
    };
    Diagnostic::new("unbound_var", format!("`{name}` is not defined")).with_hint(hint)
}

/// `tool/…` where these are the tools.
#[cold]
pub fn no_tool<'a>(name: &str, tools: impl Iterator<Item = &'a str>) -> Diagnostic {
    let none = "there are no tools: compute with the functions of the language";
    let hint = nearest_or_all(name, &tools.collect::<Vec<_>>(), "tool/", none, "the tools are");
    Diagnostic::new("unknown_tool", format!("there is no tool `{name}`")).with_hint(hint)
}

/// `data/…` where these are the data; `is_defined` when a definition has the name.
#[cold]
pub fn no_data<'a>(name: &str, data: impl Iterator<Item = &'a str>, is_defined: bool) -> Diagnostic {
    let hint = if is_defined {
        format!("did you mean `{name}`, which a program defined?")
    } else {
        let none = "there are no data: use definitions, or ask a tool";
        nearest_or_all(name, &data.collect::<Vec<_>>(), "data/", none, "the data are")
    };
    Diagnostic::new("unbound_var", format!("there is no `data/{name}`")).with_hint(hint)
}

fn nearest_or_all(name: &str, known: &[&str], prefix: &str, none: &str, all: &str) -> String {
    match suggest::nearest(name, known.iter().copied()) {
        Some(near) => format!("did you mean `{prefix}{near}`?"),
        None if known.is_empty() => none.into(),
        None => format!("{all} {}", suggest::list(known.iter().copied(), prefix)),
    }
}
