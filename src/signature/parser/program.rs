//! The notation of programs: `question, history: History -> answer: str, mood: Literal["good", "bad"]`.
//!
//! It is Python's, as DSPy writes it. Types of the notation of tools may be used in it: `items: [{id :int}]`.

use super::cursor::excerpt;
use super::hints::{Meaning, meaning};
use super::{Parser, Result};
use crate::signature::{Field, Signature, Type};
use crate::value::Names;

/// The hint for a name that two fields of a program have.
pub const NAMED_TWICE: &str = "give each input and output its own name";

impl Parser<'_> {
    /// Reads the whole text as a signature. [`Signature::into_program`] checks the rest.
    pub fn program(&mut self) -> Result<Signature> {
        self.space();
        if self.peek().is_none() {
            return Err(self.error_here("the signature is empty").with_hint("write `question -> answer`"));
        }
        let mut names = Names::default();
        let parameters = self.annotated_fields(&mut names)?;
        if !self.eat("->") {
            let error = self.error_here(format!("expected `,` or `->`, found {}", self.found()));
            return Err(error.with_hint("write `question, context: list[str] -> answer: str`"));
        }
        self.space();
        let outputs = self.annotated_fields(&mut names)?;
        if self.starts("->") {
            return Err(self
                .error(self.at, self.at + 2, "there are two arrows")
                .with_hint("name the outputs behind one `->`"));
        }
        if self.peek().is_some() {
            return Err(self.error_here(format!("expected `,` or the end, found {}", self.found())));
        }
        Ok(Signature { parameters, returns: Type::Record(outputs) })
    }

    /// Reads `name`, `name: type` and so on; none before an arrow or the end. `names` are those read so far.
    fn annotated_fields(&mut self, names: &mut Names<()>) -> Result<Vec<Field>> {
        if self.peek().is_none() || self.starts("->") {
            return Ok(Vec::new());
        }
        self.fields(names, NAMED_TWICE, &Self::annotated_field, &|parser| Ok(parser.eat(",")))
    }

    fn annotated_field(&mut self) -> Result<Field> {
        let name = self.name();
        if name.is_empty() {
            let error = self.error_here(format!("expected a name, found {}", self.found()));
            return Err(error.with_hint("write `name` or `name: type`"));
        }
        self.space();
        if !self.eat(":") {
            return Ok(Field::new(name, Type::String, false));
        }
        self.space();
        let (ty, optional) = self.annotation()?;
        Ok(Field::new(name, ty, optional))
    }

    /// Reads a type, and whether it is optional: `str`, `int?`, `:int?`, `list[str] | None`.
    pub fn annotation(&mut self) -> Result<(Type, bool)> {
        let (ty, mut optional) = match self.peek() {
            Some(':' | '[' | '{' | '(') => (self.tool_type()?, false),
            _ if self.at_literal() => (self.alternatives()?, false),
            _ => self.worded_type()?,
        };
        loop {
            if self.eat("?") {
                optional = true;
                continue;
            }
            let end = self.at;
            self.space();
            if !self.eat("|") {
                self.at = end;
                return Ok((ty, optional));
            }
            self.space();
            let alternative = self.at;
            if !matches!(self.name(), "None" | "none" | "null" | "nil") {
                let error = self.error(alternative, self.at, "a type has no alternatives but `None`");
                return Err(error.with_hint("write `Any` when it may be of several types"));
            }
            optional = true;
        }
    }

    /// Reads a type that begins with a word, which may have a module before it: `typing.List[int]`.
    fn worded_type(&mut self) -> Result<(Type, bool)> {
        let start = self.at;
        let mut word = self.name();
        while !word.is_empty() && self.eat(".") {
            word = self.name();
        }
        let has_parameter = self.starts("[");
        let ty = match (&*word.to_ascii_lowercase(), meaning(word)) {
            ("optional", _) if has_parameter => {
                return Ok((self.parameter(|parser| Ok(parser.annotation()?.0))?, true));
            }
            ("literal", _) if has_parameter => Type::OneOf(self.bracketed(Self::literals)?),
            ("json", _) => Type::Any,
            (_, Some(Meaning::List)) if has_parameter => Type::List(self.parameter(Self::element)?.into()),
            (_, Some(Meaning::Type(Type::Map))) if has_parameter => self.parameter(Self::key_and_value)?,
            (_, Some(Meaning::Type(ty))) => ty,
            (_, Some(Meaning::Number)) => Type::Float,
            (_, Some(Meaning::List)) => Type::List(Type::Any.into()),
            (_, Some(Meaning::History)) => Type::History,
            (_, None) => {
                let found = if word.is_empty() { self.found() } else { excerpt(self.since(start)) };
                return Err(self.error(start, self.at, format!("expected a type, found {found}")).with_hint(
                    "the types are `str`, `int`, `float`, `bool`, `list[type]`, `dict`, `Any`, `Optional[type]`, \
                     `Literal[\"a\", \"b\"]` and, for an input, `History`",
                ));
            }
        };
        Ok((ty, false))
    }

    /// Reads the type in brackets after a word.
    fn parameter(&mut self, read: impl FnOnce(&mut Self) -> Result<Type>) -> Result<Type> {
        self.nested(|parser| parser.bracketed(read))
    }

    /// Reads the parameters of `dict[str, int]`. A map takes any keys and values, so they are only checked.
    fn key_and_value(&mut self) -> Result<Type> {
        self.element()?;
        self.space();
        if self.eat(",") {
            self.space();
            self.element()?;
        }
        Ok(Type::Map)
    }

    /// Reads a type inside of another.
    fn element(&mut self) -> Result<Type> {
        let start = self.at;
        match self.annotation()? {
            (Type::History, _) => Err(self
                .error(start, self.at, "a history is an input of its own")
                .with_hint("write `history: History`")),
            (ty, may_be_nil) => Ok(ty.or_nil(may_be_nil)),
        }
    }
}
