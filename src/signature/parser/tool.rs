//! The notation of tools: `(query :string, limit :int?) -> {count :int, items [{id :int}]}`.
//!
//! `?` marks a field that may be absent or nil, `| nil` one that must be present and may be nil. Outside of a field
//! both mean the same. Literals are alternatives: `state "open" | "paid"`, `state ("open" | "paid")?`.

use super::cursor::{begins_name, excerpt, shortened};
use super::hints::{TYPES, right_form};
use super::{Parser, Result};
use crate::diagnostic::Diagnostic;
use crate::signature::{Field, Signature, Type};
use crate::text::join;
use crate::value::Names;

impl Parser<'_> {
    /// Reads the whole text as a signature.
    pub fn tool(&mut self) -> Result<Signature> {
        self.space();
        if self.peek().is_none() {
            return Err(self
                .error_here("the signature is empty")
                .with_hint("write `:any` when anything may be returned"));
        }
        let mut parameters = Vec::new();
        if self.peek() == Some('(') {
            parameters = self.enclosed_fields('(', ')')?;
            self.arrow(&parameters)?;
        } else if self.eat("->") {
            self.space();
        }
        let returns = self.unnamed_type()?;
        self.end()?;
        Ok(Signature { parameters, returns })
    }

    fn arrow(&mut self, parameters: &[Field]) -> Result<()> {
        self.space();
        if self.eat("->") {
            self.space();
            return Ok(());
        }
        let list = join(parameters.iter().map(Field::to_string), ", ");
        let error = self.error_here("no `->` between the parameters and the return type");
        Err(error.with_hint(format!("write `({list}) -> :any`, with the type that is returned in place of `:any`")))
    }

    fn end(&mut self) -> Result<()> {
        let record = self.since(0).trim();
        self.space();
        if self.peek().is_none() {
            return Ok(());
        }
        if let (true, Some(fields)) = (self.starts("->"), record.strip_prefix('{').and_then(|r| r.strip_suffix('}'))) {
            let error = self.error_here("parameters stand in parentheses");
            return Err(error.with_hint(format!("write `({fields}) -> …`")));
        }
        let rest = self.rest();
        let error = self.error(self.at, self.text.len(), format!("unexpected {} after the return type", excerpt(rest)));
        Err(match rest.trim_end() {
            bracket @ ("]" | "}" | ")") => error.with_hint(format!("leave out `{bracket}`, nothing opens it")),
            _ => error,
        })
    }

    /// Reads a type outside of a field: the return type, or the type of a list's elements.
    fn unnamed_type(&mut self) -> Result<Type> {
        let (ty, may_be_nil) = self.marked_type()?;
        Ok(ty.or_nil(may_be_nil))
    }

    /// Reads a type, and whether `?` follows.
    fn marked_type(&mut self) -> Result<(Type, bool)> {
        let start = self.at;
        let ty = self.tool_type()?;
        let text = shortened(self.since(start));
        let marked = self.eat("?");
        if !marked && self.or_nil() {
            return match self.peek() {
                Some('?') => {
                    let error = self.error_here("`?` allows nil already");
                    Err(error.with_hint(format!("write `{text}?` when it may be left out, `{text} | nil` when not")))
                }
                _ => Ok((ty.or_nil(true), false)),
            };
        }
        let mut ahead = self.clone();
        ahead.space();
        let (message, hint) = match ahead.peek() {
            Some('?') if marked => ("`?` is written once", format!("write `{text}?`")),
            Some('?') => ("`?` follows its type without a space", format!("write `{text}?`")),
            Some('[') if ahead.starts("[]") => ("a list has its brackets around the type", format!("write `[{text}]`")),
            Some('|') => (
                "a type has no alternatives but `nil`",
                format!("write `{text} | nil` when it may be nil, `:any` when it may be of several types"),
            ),
            _ => return Ok((ty, marked)),
        };
        Err(ahead.error_here(message).with_hint(hint))
    }

    /// Reads `| nil`, if it is next.
    fn or_nil(&mut self) -> bool {
        let mut ahead = self.clone();
        ahead.space();
        let found = ahead.eat("|") && {
            ahead.space();
            matches!(ahead.name(), "nil" | "null" | "None" | "none")
        };
        if found {
            self.at = ahead.at;
        }
        found
    }

    /// Reads a type without a mark.
    pub fn tool_type(&mut self) -> Result<Type> {
        match self.peek() {
            Some('[') => self.nested(Self::list),
            Some('{') => self.nested(|parser| parser.enclosed_fields('{', '}').map(Type::Record)),
            Some(':') => self.simple(),
            Some('(') => self.enclosed_alternatives(),
            _ if self.at_literal() => self.alternatives(),
            _ => Err(self.no_type()),
        }
    }

    fn list(&mut self) -> Result<Type> {
        let open = self.at;
        self.bracketed(|parser| {
            if parser.peek() == Some(']') {
                let error = parser.error(open, parser.at + 1, "a list without the type of its elements");
                return Err(error.with_hint("write `[:any]` when they may be anything"));
            }
            let element = parser.unnamed_type()?;
            parser.space();
            match parser.peek() {
                None | Some(')' | ']' | '}') => Ok(Type::List(element.into())),
                Some(_) => Err(parser
                    .error_here(format!("a list has one type for all elements, but {} follows", parser.found()))
                    .with_hint("write `[:any]` for elements of several types, `[{name :type, …}]` for records")),
            }
        })
    }

    fn simple(&mut self) -> Result<Type> {
        let start = self.at;
        self.bump();
        let word = self.name();
        if let Some(ty) = Type::from_word(word) {
            return Ok(ty);
        }
        let types = || TYPES.to_string();
        let write = |right: String| format!("write `{right}`");
        let mut behind = self.clone();
        behind.space();
        if !word.is_empty() && behind.starts("|") && right_form(word).is_none() {
            let error = self.error(start, self.at, format!("no type is called {}", excerpt(self.since(start))));
            return Err(error.with_hint(format!("write texts in quotes: `\"{}\" | …`", shortened(word))));
        }
        if !word.is_empty() {
            let error = self.error(start, self.at, format!("no type is called {}", excerpt(self.since(start))));
            return Err(error.with_hint(right_form(word).map_or_else(types, write)));
        }
        let mut ahead = self.clone();
        ahead.space();
        let hint = match ahead.name() {
            "" => types(),
            next => write(right_form(next).unwrap_or(":any".into())),
        };
        Err(self.error(start, self.at, "no type name after `:`").with_hint(hint))
    }

    /// Reads fields with the brackets around them.
    fn enclosed_fields(&mut self, opening: char, closing: char) -> Result<Vec<Field>> {
        let open = self.at;
        self.bump();
        self.space();
        if self.peek() == Some(closing) {
            self.bump();
            return Ok(Vec::new());
        }
        let unclosed = move |parser: &Self| parser.unclosed(open, opening, closing);
        let field = |parser: &mut Self| match parser.peek() {
            None => Err(unclosed(parser)),
            Some(_) => parser.field(),
        };
        let follows = |parser: &mut Self| match parser.peek() {
            Some(',') => parser.comma(closing).map(|()| true),
            Some(found) if found == closing => {
                parser.bump();
                Ok(false)
            }
            None | Some(')' | ']' | '}') => Err(unclosed(parser)),
            Some('-') if parser.starts("->") => {
                let error = parser.error(open, open + 1, format!("`{opening}` is not closed before `->`"));
                Err(error.with_hint(format!("write `{closing} ->`")))
            }
            Some(_) => Err(parser.no_comma(closing)),
        };
        self.fields(&mut Names::default(), "give each its own name", &field, &follows)
    }

    fn comma(&mut self, closing: char) -> Result<()> {
        let comma = self.at;
        self.bump();
        self.space();
        if self.peek() == Some(closing) {
            let error = self.error(comma, comma + 1, format!("a comma before `{closing}`"));
            return Err(error.with_hint("leave out the last comma"));
        }
        Ok(())
    }

    /// The error for something other than a comma between two fields.
    fn no_comma(&self, closing: char) -> Diagnostic {
        if !self.peek().is_some_and(|next| begins_name(next) || matches!(next, ':' | '"')) {
            return self.error_here(format!("expected `,` or `{closing}`, found {}", self.found()));
        }
        let next = shortened(self.clone().name_or_character().trim_start_matches([':', '"']));
        self.error_here(format!("no comma before `{next}`")).with_hint(format!("write `, {next}`"))
    }

    /// Reads a field: `limit :int?`.
    fn field(&mut self) -> Result<Field> {
        let start = self.at;
        let name = self.name();
        if name.is_empty() {
            return Err(self.no_name());
        }
        let shown = shortened(name);
        let hint = match self.peek() {
            Some('?') => {
                self.bump();
                format!("write `{shown} :any?` when it may be left out, with its type in place of `:any`")
            }
            Some('.') => format!("write `{shown} {{…}}` for fields inside `{shown}`"),
            _ => String::new(),
        };
        if !hint.is_empty() {
            let message = "a name has letters, digits, `_` and `-` only";
            return Err(self.error(start, self.at, message).with_hint(hint));
        }
        self.space();
        match self.peek() {
            Some(':') if self.rest()[1..].starts_with(|c: char| c.is_whitespace() || c == ':') => {
                let error = self.error(self.at, self.at + 1, "the colon belongs to the type, not to the name");
                self.bump();
                Err(error.with_hint(format!("write `{shown} {}`", self.type_ahead())))
            }
            None | Some(',' | ')' | ']' | '}') => Err(self
                .error(start, start + name.len(), format!("`{shown}` has no type"))
                .with_hint(format!("write `{shown} :any` when it may be anything"))),
            _ => {
                let (ty, optional) = self.marked_type()?;
                Ok(Field::new(name, ty, optional))
            }
        }
    }
}
