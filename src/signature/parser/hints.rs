//! Hints for types and fields that are written as in another notation.

use super::Parser;
use super::cursor::{excerpt, shortened};
use crate::diagnostic::Diagnostic;
use crate::signature::Type;

/// The hint that lists the types of the notation of tools.
pub const TYPES: &str = "the types are `:string`, `:int`, `:float`, `:bool`, `:keyword`, `:map`, `:any`, `[:type]`, `{name :type}` and \
     `\"a\" | \"b\"`";

/// The meaning of a word for a type, in any notation.
pub enum Meaning {
    Type(Type),
    /// An integer or a float.
    Number,
    /// A list, whose elements are described elsewhere or not at all.
    List,
    /// A history, which only programs have, in their own notation.
    History,
}

/// The meaning that a word for a type has in programming languages, databases and schemas.
pub fn meaning(word: &str) -> Option<Meaning> {
    Some(match &*word.to_ascii_lowercase() {
        "string" | "str" | "text" | "char" | "varchar" | "date" | "datetime" => Meaning::Type(Type::String),
        "int" | "integer" | "long" | "i32" | "i64" | "bigint" => Meaning::Type(Type::Int),
        "float" | "double" | "decimal" | "real" | "f32" | "f64" => Meaning::Type(Type::Float),
        "number" | "num" | "numeric" => Meaning::Number,
        "bool" | "boolean" => Meaning::Type(Type::Bool),
        "keyword" | "atom" | "symbol" | "enum" => Meaning::Type(Type::Keyword),
        "any" | "unknown" | "value" | "nil" | "null" | "none" | "void" => Meaning::Type(Type::Any),
        "list" | "array" | "vector" | "seq" | "set" | "tuple" => Meaning::List,
        "map" | "object" | "obj" | "dict" | "hash" | "struct" | "record" | "json" => Meaning::Type(Type::Map),
        "history" => Meaning::History,
        _ => return None,
    })
}

/// The form in the notation of tools for a word that [`meaning`] knows.
pub fn right_form(word: &str) -> Option<String> {
    meaning(word).map(|meaning| match meaning {
        Meaning::Type(ty) => ty.to_string(),
        Meaning::Number => ":int` or `:float".into(),
        Meaning::List => "[:any]".into(),
        Meaning::History => "question, history: History -> answer".into(),
    })
}

impl Parser<'_> {
    /// The error for something other than a type.
    pub fn no_type(&self) -> Diagnostic {
        let mut ahead = self.clone();
        let word = ahead.name();
        if word.is_empty() {
            let error = self.error_here(format!("expected a type, found {}", self.found()));
            return error.with_hint(TYPES);
        }
        let error = self.error(self.at, ahead.at, format!("expected a type, found {}", excerpt(word)));
        if ahead.peek() == Some('(') {
            return error.with_hint("leave out the name: `(query :string) -> :any`");
        }
        ahead.space();
        error.with_hint(match (right_form(word), ahead.peek()) {
            (Some(right), _) => format!("write `{right}`"),
            (None, Some(':' | '[' | '{')) => format!("fields stand in braces: write `{{{} …}}`", shortened(word)),
            _ => TYPES.into(),
        })
    }

    /// The error for something other than a name.
    pub fn no_name(&self) -> Diagnostic {
        let mut ahead = self.clone();
        ahead.bump();
        let name = ahead.name();
        match self.peek() {
            Some(quote @ (':' | '"' | '\'')) if !name.is_empty() => {
                if quote != ':' {
                    ahead.bump();
                }
                let ty = ahead.type_ahead();
                self.error(self.at, ahead.at, format!("a name stands without `{quote}`"))
                    .with_hint(format!("write `{name} {ty}`"))
            }
            Some('0'..='9' | '-') => self
                .error(self.at, ahead.at, "a name begins with a letter or `_`")
                .with_hint(format!("put a letter before {}", excerpt(ahead.since(self.at)))),
            _ => self.error_here(format!("expected a name, found {}", self.found())).with_hint("write `name :type`"),
        }
    }

    /// The type that follows a stray colon or has no colon of its own, for hints.
    pub fn type_ahead(&self) -> String {
        let mut ahead = self.clone();
        ahead.space();
        if ahead.starts(": ") {
            ahead.bump();
            ahead.space();
        }
        match ahead.clone().tool_type() {
            Ok(ty) => ty.to_string(),
            Err(_) => right_form(ahead.name()).unwrap_or(":any".into()),
        }
    }
}
