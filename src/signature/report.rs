//! Messages about values that do not fit their types, with the path of each.

use std::fmt;

use super::Type;
use crate::suggest;
use crate::text::join;
use crate::value::{PrintOptions, Value, to_clojure};

/// How many notes are written out; further ones are counted.
const MAX_NOTES: usize = 20;

/// How many undeclared names are compared with a missing one.
const MAX_CANDIDATES: usize = 50;

/// A value, or a part of one, that does not fit its type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The path, such as `items[2].price`; empty for the whole value.
    pub path: String,
    /// The message, such as `expected float, got string "12"`.
    pub message: String,
}

/// The path and the message: `items[2].price: expected float, got string "12"`.
impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            f.write_str(&self.path)?;
            f.write_str(": ")?;
        }
        f.write_str(&self.message)
    }
}

impl Mismatch {
    /// A mismatch of the whole value.
    pub(super) fn whole(message: String) -> Mismatch {
        Mismatch { path: String::new(), message }
    }
}

/// One step of a path.
pub enum PathStep<'s> {
    /// Into a record.
    Field(&'s str),
    /// Into a list.
    Index(usize),
}

/// The path to a part of a value.
#[derive(Default)]
pub struct Path<'s>(pub Vec<PathStep<'s>>);

impl Path<'_> {
    fn text(&self) -> String {
        let mut text = String::new();
        for step in &self.0 {
            match step {
                PathStep::Field(name) => {
                    text.push_str(if text.is_empty() { "" } else { "." });
                    text.push_str(name);
                }
                PathStep::Index(index) => {
                    text.push('[');
                    text.push_str(&index.to_string());
                    text.push(']');
                }
            }
        }
        text
    }

    /// The type of a value, and its text when that is short. Values of hidden fields have no text: models must not see
    /// them.
    pub fn describe(&self, value: &Value) -> String {
        let kind = match value {
            Value::Nil => return "nil".into(),
            Value::Vector(_) => return "list".into(),
            Value::Map(_) => return "map".into(),
            Value::Set(_) => return "set".into(),
            Value::Closure(_) | Value::Builtin(_) => return "function".into(),
            Value::Bool(_) => "bool ",
            Value::Int(_) | Value::BigInt(_) => "int ",
            Value::Float(_) => "float ",
            Value::Str(_) => "string ",
            Value::Keyword(_) => "keyword ",
            Value::Var(_) => "var ",
            Value::Regex(_) => "regex ",
            Value::Date(_) | Value::Day(_) => "date ",
        };
        if self.0.iter().any(|step| matches!(step, PathStep::Field(name) if name.starts_with('_'))) {
            return kind.trim_end().into();
        }
        let options = PrintOptions { limit: None, printable_limit: Some(40), filter_hidden: true };
        kind.to_owned() + &to_clojure(value, &options).text
    }
}

/// A list of notes; those after the first twenty are only counted.
#[derive(Default)]
pub struct Notes {
    list: Vec<Mismatch>,
    more: usize,
}

impl Notes {
    /// True when nothing was noted.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Adds a note about a part of the value. The message is only made when it is kept.
    pub fn add(&mut self, path: &Path<'_>, message: &dyn Fn() -> String) {
        if self.list.len() < MAX_NOTES {
            self.list.push(Mismatch { path: path.text(), message: message() });
        } else {
            self.more += 1;
        }
    }

    /// All notes; the last one has the number of those that were only counted.
    pub fn finish(mut self) -> Vec<Mismatch> {
        if self.more > 0 {
            self.list.push(Mismatch::whole(format!("and {} more", self.more)));
        }
        self.list
    }
}

/// `expected float`
pub fn expected(ty: &Type) -> String {
    let noun = match ty {
        Type::List(_) => "list",
        Type::Record(_) => "map",
        Type::Optional(inner) => return expected(inner),
        Type::History => "history",
        Type::OneOf(options) => {
            let options = options.iter().map(|option| to_clojure(option, &Default::default()).text);
            return "expected one of ".to_owned() + &join(options, ", ");
        }
        simple => simple.word().unwrap_or_default(),
    };
    "expected ".to_owned() + noun
}

/// The message about a missing field; `others` are the undeclared names that are present.
pub fn missing<'n>(name: &str, ty: &Type, others: impl Iterator<Item = &'n str>) -> String {
    let mut text = "missing".to_owned();
    if !matches!(ty, Type::Any) {
        text.push_str(", ");
        text.push_str(&expected(ty));
        text.push_str(if ty.may_be_nil() { " or nil" } else { "" });
    }
    if let Some(near) = suggest::nearest(name, others.take(MAX_CANDIDATES)) {
        text.push_str(&format!("; write `{name}` in place of `{near}`"));
    }
    text
}

/// The message about an undeclared key; `names` are the declared ones.
pub fn undeclared<'n>(key: &Value, names: impl Iterator<Item = &'n str> + Clone) -> String {
    let shown = match key.key_name() {
        Some(name) => name.to_owned(),
        None => to_clojure(key, &PrintOptions { printable_limit: Some(40), limit: Some(3), filter_hidden: true }).text,
    };
    if names.clone().any(|name| name == shown) {
        return format!("`{shown}` is given twice");
    }
    let near = key.key_name().and_then(|name| suggest::nearest(name, names.clone()));
    let advice = match near {
        Some(near) => format!("did you mean `{near}`?"),
        None if names.clone().next().is_none() => "no names are declared".to_owned(),
        None => "declared are ".to_owned() + &suggest::list(names, ""),
    };
    format!("`{shown}` is not declared; {advice}")
}
