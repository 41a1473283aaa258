//! Text → [`Signature`]: the entry points, and the grammar that the two notations share.
//!
//! A notation reads its own fields and types: `tool.rs` reads `(query :string) -> [:int]`, `program.rs` reads
//! `question -> answer: list[int]`. This file has what both need: the nesting limit, brackets, lists of fields,
//! and types that may be nil. `cursor.rs` reads characters and makes errors with their spans.

mod cursor;
mod hints;
mod program;
#[cfg(test)]
mod tests;
mod tool;

pub(super) use cursor::{excerpt, is_name};

use super::{Field, Signature, Type};
use crate::diagnostic::{Diagnostic, Span};
use crate::value::Names;

/// The maximum nesting depth of lists and records.
pub const MAX_NESTING: usize = 64;

type Result<T> = std::result::Result<T, Diagnostic>;

/// Reads a signature of a tool. Every error is an `invalid_signature` with a span; the usual mistakes have a hint
/// with the right form.
pub fn parse(text: &str) -> Result<Signature> {
    Parser::new(text).tool()
}

/// Reads the signature of a program, in either notation. The outputs are the fields of the returned record.
/// Every error is an `invalid_signature` with a span.
///
/// A field without a type is a string. A `History` is an input; there is one at most, and it is optional.
pub fn parse_program(text: &str) -> Result<Signature> {
    let signature = if is_tool_notation(text) { parse(text)? } else { Parser::new(text).program()? };
    signature.into_program().map_err(|mut error| {
        error.span.get_or_insert(Span::new(0, text.len()));
        error
    })
}

/// Reads a signature of a tool or of a program, whichever notation it is written in. The notation of programs
/// makes it a program's, with the rules of [`parse_program`].
pub fn parse_either(text: &str) -> Result<Signature> {
    if is_tool_notation(text) { parse(text) } else { parse_program(text) }
}

/// Reads one type, in either notation, and whether it is optional: `str`, `list[int]`, `Optional[float]`,
/// `:float?`, `[{id :int}]`.
pub fn parse_type(text: &str) -> Result<(Type, bool)> {
    let mut parser = Parser::new(text);
    parser.space();
    let ty = parser.annotation()?;
    parser.space();
    match parser.peek() {
        None => Ok(ty),
        Some(_) => Err(parser.error_here(format!("unexpected {} after the type", parser.found()))),
    }
}

/// Whether a text begins as a signature of a tool: with parameters, a type, or an arrow that no name follows.
fn is_tool_notation(text: &str) -> bool {
    let text = text.trim_start();
    match text.strip_prefix("->") {
        Some(returns) => !returns.trim_start().starts_with(cursor::begins_name),
        None => text.starts_with(['(', '{', '[', ':']),
    }
}

#[derive(Clone)]
struct Parser<'t> {
    text: &'t str,
    /// Byte offset of the next character.
    at: usize,
    /// How many lists and records are open.
    depth: usize,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str) -> Self {
        Parser { text, at: 0, depth: 0 }
    }

    /// Reads a list or a record, one level deeper. Every recursion of the parser goes through here.
    fn nested(&mut self, read: impl FnOnce(&mut Self) -> Result<Type>) -> Result<Type> {
        if self.depth == MAX_NESTING {
            let error = self.error_here(format!("nested deeper than {MAX_NESTING} levels"));
            return Err(error.with_hint("write `:map` or `[:any]` in place of the inner levels"));
        }
        self.depth += 1;
        let ty = read(self);
        self.depth -= 1;
        ty
    }

    /// Reads `[`, what `read` reads, and `]`.
    fn bracketed<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let open = self.at;
        self.bump();
        self.space();
        let inner = read(self)?;
        self.space();
        if self.eat("]") { Ok(inner) } else { Err(self.unclosed(open, '[', ']')) }
    }

    /// Reads fields with different names, none of which is in `names` already. `follows` reads what separates
    /// fields, and tells whether there is another one.
    fn fields(
        &mut self,
        names: &mut Names<()>,
        hint: &str,
        field: &dyn Fn(&mut Self) -> Result<Field>,
        follows: &dyn Fn(&mut Self) -> Result<bool>,
    ) -> Result<Vec<Field>> {
        let mut fields = Vec::new();
        loop {
            let start = self.at;
            let field = field(self)?;
            let name = &*field.name;
            if names.contains(name) {
                let error = self.error(start, start + name.len(), format!("{} is there twice", excerpt(name)));
                return Err(error.with_hint(hint));
            }
            names.insert(name.into(), ());
            fields.push(field);
            self.space();
            if !follows(self)? {
                return Ok(fields);
            }
            self.space();
        }
    }

    /// Reads a type that belongs to no field, so that it carries its own optional mark: what is returned, or the
    /// elements of a list. `compound` makes the error of a list or record with a mark; it is given the start.
    fn unnamed(
        &mut self,
        marked: impl FnOnce(&mut Self) -> Result<(Type, bool)>,
        compound: impl FnOnce(&Self, usize) -> Diagnostic,
    ) -> Result<Type> {
        let start = self.at;
        match marked(self)? {
            (ty, false) => Ok(ty),
            (Type::List(_) | Type::Record(_), true) => Err(compound(self, start)),
            (ty, true) => Ok(Type::Optional(ty.into())),
        }
    }
}
