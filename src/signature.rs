//! The types of tools, agents and programs: parameters and results.
//!
//! There are two notations for a [`Signature`]. That of tools is
//! `(query :string, state ("open" | "paid")?) -> {count :int, items [{id :int}]}`, where `T` and `-> T` mean `() -> T`; that of
//! programs is `question, history: History -> answer: str`. Values are checked and coerced in the same way whichever
//! notation a signature was written in.

#[cfg(test)]
mod arbitrary;
mod arguments;
mod convert;
mod fit;
mod keys;
mod parser;
mod print;
mod program;
mod report;
mod schema;
mod seen;
mod structured;

pub use fit::{Coerced, ExtraFields};
pub(crate) use keys::values_of;
pub use parser::{MAX_NESTING, parse, parse_either, parse_of_turns, parse_program, parse_type};
pub use report::Mismatch;
pub use seen::SeenType;
pub use structured::{SignatureError, from_value};

use parser::is_name;

use crate::value::{Str, Value};

/// The parameters and the return type. Made by [`parse`], [`parse_program`] or [`Signature::program`]; immutable
/// afterwards.
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
    /// The type of the value when it is present; [`Type::Optional`] when it must be there and may be nil:
    /// `limit :int | nil`.
    pub ty: Type,
    /// Whether it may be absent or nil: `limit :int?`. Its type is then not [`Type::Optional`].
    pub optional: bool,
    /// The purpose, for models. No notation has one; a host gives it with the fields of a program.
    pub description: Option<Str>,
    /// The value that coercing fills in when the field is absent or nil. A host gives it, like the description.
    pub default: Option<Value>,
}

/// A side of the arrow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The parameters, as a map by their names.
    Input,
    /// What is returned.
    Output,
}

impl Field {
    /// A field without description and default.
    pub fn new(name: impl Into<String>, ty: Type, optional: bool) -> Field {
        Field { name: name.into(), ty, optional, description: None, default: None }
    }

    /// Whether models never see the field: its name begins with `_`.
    pub fn hidden(&self) -> bool {
        self.name.starts_with('_')
    }

    /// Whether it takes the conversation so far: its type is [`Type::History`].
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
    /// `:map`, with any keys.
    Map,
    /// `[T]`
    List(Box<Type>),
    /// `{name T, …}`; the names differ.
    Record(Vec<Field>),
    /// It may be nil: `:float?` as a return type or as the elements of a list, `:float | nil` in a field. Never wraps
    /// itself.
    Optional(Box<Type>),
    /// `"good" | "bad"`, in the notation of programs `Literal["good", "bad"]`: one of these scalars.
    OneOf(Vec<Value>),
    /// `History`, an input of programs only: the conversation so far. Checking accepts any value; rendering
    /// validates it.
    History,
}

impl Type {
    /// The types whose notation is one word.
    const SIMPLE: [Type; 7] = [Type::String, Type::Int, Type::Float, Type::Bool, Type::Keyword, Type::Any, Type::Map];

    /// The type, which also allows nil when `may_be_nil`.
    fn or_nil(self, may_be_nil: bool) -> Type {
        match self {
            ty @ Type::Optional(_) => ty,
            ty if may_be_nil => Type::Optional(ty.into()),
            ty => ty,
        }
    }

    /// The type of a value that is not nil.
    pub fn unless_nil(&self) -> &Type {
        match self {
            Type::Optional(inner) => inner,
            ty => ty,
        }
    }

    /// Whether nil is among its values because it is [`Type::Optional`].
    pub fn may_be_nil(&self) -> bool {
        matches!(self, Type::Optional(_))
    }

    /// The word of a simple type, without the colon.
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
    /// The paths of all fields of the return type, in the order of declaration: `items`, `items.price`.
    /// Lists add nothing to a path: the description at a path is that of all elements.
    pub fn paths(&self) -> Vec<String> {
        let mut paths = Vec::new();
        collect_paths(&self.returns, "", &mut paths);
        paths
    }

    /// The paths of all parameters and of the fields in them, as [`Signature::paths`]: `filter`, `filter.state`. Hidden
    /// parameters and the fields in them are omitted.
    pub fn parameter_paths(&self) -> Vec<String> {
        let mut paths = Vec::new();
        collect_field_paths(&self.parameters, "", &mut paths);
        paths.retain(|path| !path.split('.').any(|name| name.starts_with('_')));
        paths
    }

    /// The names of the optional parameters that a map of inputs does not have.
    pub fn absent_inputs(&self, inputs: &Value) -> Vec<Str> {
        let given = match inputs {
            Value::Map(map) => values_of(&self.parameters, map),
            _ => vec![None; self.parameters.len()],
        };
        let absent = self.parameters.iter().zip(given).filter(|(field, given)| field.optional && given.is_none());
        absent.map(|(field, _)| field.name.as_str().into()).collect()
    }
}

fn collect_paths(ty: &Type, prefix: &str, paths: &mut Vec<String>) {
    match ty {
        Type::List(element) | Type::Optional(element) => collect_paths(element, prefix, paths),
        Type::Record(fields) => collect_field_paths(fields, prefix, paths),
        _ => {}
    }
}

fn collect_field_paths(fields: &[Field], prefix: &str, paths: &mut Vec<String>) {
    for field in fields {
        let path = if prefix.is_empty() { field.name.clone() } else { format!("{prefix}.{}", field.name) };
        paths.push(path.clone());
        collect_paths(&field.ty, &path, paths);
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
    fn parameters_have_paths_unless_they_are_hidden() {
        let signature = parse("(query :string, filters [{state :string, _raw {a :int}}], _token {a :int}) -> {a :int}");
        assert_eq!(signature.unwrap().parameter_paths(), ["query", "filters", "filters.state"]);
    }

    #[test]
    fn types_without_fields_have_no_paths() {
        assert!(paths("(query :string) -> [:int?]").is_empty());
        assert!(paths("{}").is_empty());
    }
}
