//! Text → [`Signature`]: the entry points, and the grammar that the two notations share.
//!
//! A notation reads its own fields and types: `tool.rs` reads `(query :string) -> [:int]`, `program.rs` reads
//! `question -> answer: list[int]`. This file has the parts that both need: the nesting limit, brackets and lists of
//! fields. `literal.rs` reads literals, `cursor.rs` reads characters and makes errors with their spans.

mod cursor;
mod hints;
mod literal;
mod program;
#[cfg(test)]
mod tests;
mod tool;

pub(super) use cursor::{excerpt, is_name};
pub(super) use program::NAMED_TWICE;

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

/// As [`parse_either`], for a tool or an agent: neither has a history. A text in neither notation gets the error of the
/// notation of programs when it has names before an arrow, else that of the notation of tools.
pub fn parse_of_turns(text: &str) -> Result<Signature> {
    if is_tool_notation(text) {
        return parse(text);
    }
    match parse_program(text) {
        Ok(signature) => match signature.parameters.iter().find(|field| field.is_history()) {
            Some(field) => {
                Err(Diagnostic::at("invalid_signature", Span::new(0, text.len()), "only programs take a history")
                    .with_hint(format!("leave out {}", excerpt(&field.name))))
            }
            None => Ok(signature),
        },
        Err(error) => parse(text).map_err(|of_tool| if is_arrow_of_names(text) { error } else { of_tool }),
    }
}

/// Whether a text has the arrow of a program: names and types before it, no parentheses.
fn is_arrow_of_names(text: &str) -> bool {
    text.split_once("->").is_some_and(|(inputs, _)| !inputs.contains('('))
}

/// Reads one type, in either notation, and whether it is optional: `str`, `list[int]`, `Optional[float]`,
/// `:float?`, `[{id :int}]`, `"open" | "paid"`.
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
        None => text.starts_with(['(', '{', '[', ':', '"']),
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

    /// Reads `[`, the content by `read`, and `]`.
    fn bracketed<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let open = self.at;
        self.bump();
        self.space();
        let inner = read(self)?;
        self.space();
        if self.eat("]") { Ok(inner) } else { Err(self.unclosed(open, '[', ']')) }
    }

    /// Reads fields with different names, none of which is in `names` already. `follows` reads what separates fields,
    /// and returns whether another one follows.
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
}
