//! The types of tools and agents: what a call takes and what it gives.
//!
//! A [`Signature`] is written `(query :string, limit :int?) -> {count :int, items [{id :int}]}`.
//! The text before the arrow may be left out: `T` and `-> T` say the same as `() -> T`.
//! Programs have a notation of their own, `question, history: History -> answer: str`.
//! Notations differ only in how they are read; they all become this one structure.

#[cfg(test)]
mod arbitrary;
mod arguments;
mod convert;
mod described;
mod fit;
mod keys;
mod parser;
mod print;
mod report;
mod schema;

pub use described::{SignatureError, from_value};
pub use fit::{Coerced, ExtraFields};
pub(crate) use keys::values_of;
pub use parser::{MAX_NESTING, parse, parse_either, parse_program, parse_type};
pub use report::Mismatch;

use crate::value::{Str, Value};

/// What is passed in and what comes out. Made by [`parse`], [`parse_program`] or [`Signature::program`]; never
/// changed afterwards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// The parameters in order; their names differ.
    pub parameters: Vec<Field>,
    /// What is returned; [`Type::Optional`] when that may be nil.
    pub returns: Type,
}

/// A parameter, or an entry of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// A letter or `_`, then letters, digits, `_` and `-`.
    pub name: String,
    /// What it holds when it is there; never [`Type::Optional`].
    pub ty: Type,
    /// Whether it may be absent or nil: `limit :int?`.
    pub optional: bool,
    /// What it is for. No notation has one; a host gives it with the fields of a program.
    pub description: Option<Str>,
    /// What it becomes when it is absent or nil and the value is coerced; given like the description.
    pub default: Option<Value>,
}

/// One of the two ends of a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The parameters, as a map by their names.
    Input,
    /// What is returned.
    Output,
}

impl Field {
    /// A field as the notations write it.
    pub fn new(name: impl Into<String>, ty: Type, optional: bool) -> Field {
        Field { name: name.into(), ty, optional, description: None, default: None }
    }

    /// Whether models never see the field: its name begins with `_`.
    pub fn hidden(&self) -> bool {
        self.name.starts_with('_')
    }

    /// Whether it takes the conversation so far.
    pub fn is_history(&self) -> bool {
        matches!(self.ty, Type::History)
    }
}

/// What a value must be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// `:string`
    String,
    /// `:int`
    Int,
    /// `:float`
    Float,
    /// `:bool`
    Bool,
    /// `:keyword`
    Keyword,
    /// `:any`
    Any,
    /// `:map`, with whatever keys.
    Map,
    /// `[T]`
    List(Box<Type>),
    /// `{name T, …}`; the names differ.
    Record(Vec<Field>),
    /// `:float?` where no field carries the mark: what is returned, or a list's elements. Wraps
    /// neither a list, nor a record, nor itself.
    Optional(Box<Type>),
    /// `Literal["good", "bad"]`, of programs only: one of these scalars.
    OneOf(Vec<Value>),
    /// `History`, an input of programs only: the conversation so far. Whoever renders it checks it.
    History,
}

impl Type {
    /// The types that are written as one word.
    const SIMPLE: [Type; 7] = [Type::String, Type::Int, Type::Float, Type::Bool, Type::Keyword, Type::Any, Type::Map];

    /// The word of a type that is written as one word, without the colon.
    fn word(&self) -> Option<&'static str> {
        match self {
            Type::String => Some("string"),
            Type::Int => Some("int"),
            Type::Float => Some("float"),
            Type::Bool => Some("bool"),
            Type::Keyword => Some("keyword"),
            Type::Any => Some("any"),
            Type::Map => Some("map"),
            Type::List(_) | Type::Record(_) | Type::Optional(_) | Type::OneOf(_) | Type::History => None,
        }
    }

    fn from_word(word: &str) -> Option<Type> {
        Type::SIMPLE.into_iter().find(|ty| ty.word() == Some(word))
    }
}

impl Signature {
    /// The path of every field of the return type, in order of writing: `items`, `items.price`.
    /// Lists add nothing to a path, so that one description serves all elements.
    pub fn paths(&self) -> Vec<String> {
        let mut paths = Vec::new();
        collect_paths(&self.returns, "", &mut paths);
        paths
    }
}

fn collect_paths(ty: &Type, prefix: &str, paths: &mut Vec<String>) {
    match ty {
        Type::List(element) | Type::Optional(element) => collect_paths(element, prefix, paths),
        Type::Record(fields) => {
            for field in fields {
                let path = if prefix.is_empty() { field.name.clone() } else { format!("{prefix}.{}", field.name) };
                paths.push(path.clone());
                collect_paths(&field.ty, &path, paths);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn paths(text: &str) -> Vec<String> {
        parse(text).unwrap().paths()
    }

    #[test]
    fn paths_go_through_lists_and_records_in_order() {
        assert_eq!(
            paths("{total :float, items [{price :float?, by {name :string}}], _raw :map}"),
            ["total", "items", "items.price", "items.by", "items.by.name", "_raw"]
        );
        assert_eq!(paths("[[{id :int}]]"), ["id"]);
    }

    #[test]
    fn types_without_fields_have_no_paths() {
        assert!(paths("(query :string) -> [:int?]").is_empty());
        assert!(paths("{}").is_empty());
    }
}
