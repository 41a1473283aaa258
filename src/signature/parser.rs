//! Text → Signature. Who writes signatures knows other notations better: the mistakes that this
//! leads to are recognised where they are made, and the hint says what to write instead.

mod program;

pub use program::{parse_either, parse_program, parse_type};

use super::{Field, Signature, Type};
use crate::diagnostic::{Diagnostic, Span};
use crate::unicode::{is_letter, is_number};
use crate::value::{Index, hash_text};

/// How many lists and records may stand inside one another.
pub const MAX_NESTING: usize = 64;

/// Reads a signature. Every problem is an `invalid_signature` with its place and, for the usual
/// mistakes, a hint with the right form.
pub fn parse(text: &str) -> Result<Signature, Diagnostic> {
    let mut parser = Parser { text, at: 0, depth: 0 };
    let signature = parser.signature()?;
    parser.end()?;
    Ok(signature)
}

#[derive(Clone)]
struct Parser<'t> {
    text: &'t str,
    /// Byte offset of the next character.
    at: usize,
    /// Lists and records that are open.
    depth: usize,
}

impl<'t> Parser<'t> {
    fn signature(&mut self) -> Result<Signature, Diagnostic> {
        self.space();
        if self.peek().is_none() {
            return Err(self
                .error_here("the signature is empty")
                .with_hint("write `:any` when anything may be returned"));
        }
        let mut parameters = Vec::new();
        if self.peek() == Some('(') {
            parameters = self.fields('(', ')')?;
            self.arrow(&parameters)?;
        } else if self.eat("->") {
            self.space();
        }
        Ok(Signature { parameters, returns: self.unnamed()? })
    }

    fn arrow(&mut self, parameters: &[Field]) -> Result<(), Diagnostic> {
        self.space();
        if self.eat("->") {
            self.space();
            return Ok(());
        }
        let list = parameters.iter().map(Field::to_string).collect::<Vec<_>>().join(", ");
        let error = self.error_here("no `->` between the parameters and the return type");
        Err(error.with_hint(format!("write `({list}) -> :any`, with the type that is returned in place of `:any`")))
    }

    fn end(&mut self) -> Result<(), Diagnostic> {
        let record = self.text[..self.at].trim();
        self.space();
        if self.peek().is_none() {
            return Ok(());
        }
        if let (true, Some(fields)) = (self.starts("->"), record.strip_prefix('{').and_then(|r| r.strip_suffix('}'))) {
            let error = self.error_here("parameters stand in parentheses");
            return Err(error.with_hint(format!("write `({fields}) -> …`")));
        }
        let rest = &self.text[self.at..];
        let error = self.error(self.at, self.text.len(), format!("unexpected {} after the return type", excerpt(rest)));
        Err(match rest.trim_end() {
            "]" | "}" | ")" => error.with_hint(format!("leave out `{}`, nothing opens it", rest.trim_end())),
            _ => error,
        })
    }

    /// A type where no field carries the mark: what is returned, and elements of lists.
    fn unnamed(&mut self) -> Result<Type, Diagnostic> {
        let start = self.at;
        let ty = self.ty()?;
        let end = self.at;
        match (self.mark(start)?, &ty) {
            (false, _) => Ok(ty),
            (true, Type::List(_) | Type::Record(_)) => Err(self
                .error(end, self.at, "`?` stands after simple types and after the type of a field or parameter")
                .with_hint(format!("write `{}`, or `:any` when it may be nil", excerpt_of(&self.text[start..end])))),
            (true, _) => Ok(Type::Optional(ty.into())),
        }
    }

    /// The `?` behind the type that begins at `start`.
    fn mark(&mut self, start: usize) -> Result<bool, Diagnostic> {
        let ty = excerpt_of(&self.text[start..self.at]);
        let marked = self.eat("?");
        let mut ahead = self.clone();
        ahead.space();
        let wrong = match ahead.peek() {
            Some('?') if marked => ("`?` is written once", format!("write `{ty}?`")),
            Some('?') => ("`?` follows its type without a space", format!("write `{ty}?`")),
            Some('[') if ahead.starts("[]") => ("a list has its brackets around the type", format!("write `[{ty}]`")),
            Some('|') => (
                "a type has no alternatives",
                format!("write `{ty}?` when it may be nil, `:any` when it may be of several types"),
            ),
            _ => return Ok(marked),
        };
        let (message, hint) = wrong;
        Err(ahead.error_here(message).with_hint(hint))
    }

    fn ty(&mut self) -> Result<Type, Diagnostic> {
        match self.peek() {
            Some('[') => self.nested(Self::list),
            Some('{') => self.nested(|parser| parser.fields('{', '}').map(Type::Record)),
            Some(':') => self.simple(),
            _ => Err(self.no_type()),
        }
    }

    fn nested(&mut self, read: impl FnOnce(&mut Self) -> Result<Type, Diagnostic>) -> Result<Type, Diagnostic> {
        if self.depth == MAX_NESTING {
            let error = self.error_here(format!("nested deeper than {MAX_NESTING} levels"));
            return Err(error.with_hint("write `:map` or `[:any]` in place of the inner levels"));
        }
        self.depth += 1;
        let ty = read(self);
        self.depth -= 1;
        ty
    }

    fn list(&mut self) -> Result<Type, Diagnostic> {
        let open = self.at;
        self.bump();
        self.space();
        if self.peek() == Some(']') {
            let error = self.error(open, self.at + 1, "a list without the type of its elements");
            return Err(error.with_hint("write `[:any]` when they may be anything"));
        }
        let element = self.unnamed()?;
        self.space();
        match self.peek() {
            Some(']') => {
                self.bump();
                Ok(Type::List(element.into()))
            }
            None | Some(')' | '}') => Err(self.unclosed(open, '[', ']')),
            _ => Err(self
                .error_here(format!("a list has one type for all elements, but {} follows", self.found()))
                .with_hint("write `[:any]` for elements of several types, `[{name :type, …}]` for records")),
        }
    }

    fn simple(&mut self) -> Result<Type, Diagnostic> {
        let start = self.at;
        self.bump();
        let word = self.name();
        if let Some(ty) = Type::from_word(word) {
            return Ok(ty);
        }
        if word.is_empty() {
            let mut ahead = self.clone();
            ahead.space();
            let hint = match ahead.name() {
                "" => TYPES.to_string(),
                next => format!("write `{}`", right_form(next).unwrap_or(":any")),
            };
            return Err(self.error(start, self.at, "no type name after `:`").with_hint(hint));
        }
        let hint = right_form(word).map_or_else(|| TYPES.to_string(), |right| format!("write `{right}`"));
        Err(self
            .error(start, self.at, format!("no type is called {}", excerpt(&self.text[start..self.at])))
            .with_hint(hint))
    }

    /// What stands where a type should.
    fn no_type(&self) -> Diagnostic {
        let mut ahead = self.clone();
        let word = ahead.name();
        if word.is_empty() {
            let error = self.error_here(format!("expected a type, found {}", self.found()));
            return error.with_hint(TYPES);
        }
        let error = self.error(self.at, ahead.at, format!("expected a type, found {}", excerpt(word)));
        let behind = ahead.peek();
        ahead.space();
        error.with_hint(match (right_form(word), ahead.peek()) {
            (_, _) if behind == Some('(') => "leave out the name: `(query :string) -> :any`".into(),
            (Some(right), _) => format!("write `{right}`"),
            (None, Some(':' | '[' | '{')) => format!("fields stand in braces: write `{{{} …}}`", excerpt_of(word)),
            _ => TYPES.into(),
        })
    }

    /// Fields with their brackets.
    fn fields(&mut self, opening: char, closing: char) -> Result<Vec<Field>, Diagnostic> {
        let open = self.at;
        self.bump();
        self.space();
        let mut fields: Vec<Field> = Vec::new();
        let mut names = Index::default();
        if self.peek() == Some(closing) {
            self.bump();
            return Ok(fields);
        }
        loop {
            let start = self.at;
            let field = self.field(open, opening, closing)?;
            let hash = hash_text(0, &field.name);
            if names.find(hash, &mut |place| fields[place].name == field.name).is_some() {
                let error = self.error(
                    start,
                    start + field.name.len(),
                    format!("`{}` is there twice", excerpt_of(&field.name)),
                );
                return Err(error.with_hint("give each its own name"));
            }
            names.push(hash);
            fields.push(field);
            self.space();
            let comma = self.at;
            match self.peek() {
                Some(',') => self.bump(),
                Some(found) if found == closing => {
                    self.bump();
                    return Ok(fields);
                }
                None | Some(')' | ']' | '}') => return Err(self.unclosed(open, opening, closing)),
                Some(found) if begins_name(found) || matches!(found, ':' | '"') => {
                    let next = excerpt_of(self.clone().name_or_character().trim_start_matches([':', '"']));
                    let error = self.error_here(format!("no comma before `{next}`"));
                    return Err(error.with_hint(format!("write `, {next}`")));
                }
                Some('-') if self.starts("->") => {
                    let error = self.error(open, open + 1, format!("`{opening}` is not closed before `->`"));
                    return Err(error.with_hint(format!("write `{closing} ->`")));
                }
                Some(_) => return Err(self.error_here(format!("expected `,` or `{closing}`, found {}", self.found()))),
            }
            self.space();
            if self.peek() == Some(closing) {
                let error = self.error(comma, comma + 1, format!("a comma before `{closing}`"));
                return Err(error.with_hint("leave out the last comma"));
            }
        }
    }

    /// One field; the rest tells where the list of fields began.
    fn field(&mut self, open: usize, opening: char, closing: char) -> Result<Field, Diagnostic> {
        let start = self.at;
        let name = self.name();
        if name.is_empty() {
            return Err(match self.peek() {
                None => self.unclosed(open, opening, closing),
                Some(_) => self.no_name(),
            });
        }
        let shown = excerpt_of(name);
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
            Some(':') if self.text[self.at + 1..].starts_with(|c: char| c.is_whitespace() || c == ':') => {
                let colon = self.at;
                self.bump();
                let ty = self.type_ahead();
                return Err(self
                    .error(colon, colon + 1, "the colon belongs to the type, not to the name")
                    .with_hint(format!("write `{shown} {ty}`")));
            }
            None | Some(',' | ')' | ']' | '}') => {
                return Err(self
                    .error(start, start + name.len(), format!("`{shown}` has no type"))
                    .with_hint(format!("write `{shown} :any` when it may be anything")));
            }
            _ => {}
        }
        let at = self.at;
        let ty = self.ty()?;
        let optional = self.mark(at)?;
        Ok(Field::new(name, ty, optional))
    }

    /// What stands where a name should.
    fn no_name(&self) -> Diagnostic {
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
                .with_hint(format!("put a letter before {}", excerpt(&self.text[self.at..ahead.at]))),
            _ => self.error_here(format!("expected a name, found {}", self.found())).with_hint("write `name :type`"),
        }
    }

    /// For hints: the type that follows, past a stray colon or a missing one.
    fn type_ahead(&self) -> String {
        let mut ahead = self.clone();
        ahead.space();
        if ahead.starts(": ") {
            ahead.bump();
            ahead.space();
        }
        match (ahead.clone().ty(), ahead.name()) {
            (Ok(ty), _) => ty.to_string(),
            (Err(_), word) => right_form(word).unwrap_or(":any").to_string(),
        }
    }

    fn unclosed(&self, open: usize, opening: char, closing: char) -> Diagnostic {
        match self.peek() {
            None => {
                self.error(open, open + 1, format!("`{opening}` is never closed")).with_hint(format!("add `{closing}`"))
            }
            Some(found) => self
                .error_here(format!("expected `{closing}` for the `{opening}` before, found `{found}`"))
                .with_hint(format!("write `{closing}` before `{found}`")),
        }
    }

    // ── characters ───────────────────────────────────────────────────────────────────────────────

    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn bump(&mut self) {
        self.at += self.peek().map_or(0, char::len_utf8);
    }

    fn starts(&self, text: &str) -> bool {
        self.text[self.at..].starts_with(text)
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = self.starts(text);
        if found {
            self.at += text.len();
        }
        found
    }

    fn space(&mut self) {
        let rest = &self.text[self.at..];
        self.at = self.text.len() - rest.trim_start().len();
    }

    /// The name that begins here, empty when none does. The `-` of an arrow is not part of it.
    fn name(&mut self) -> &'t str {
        let start = self.at;
        while let Some(next) = self.peek() {
            let continues = begins_name(next) || (self.at > start && (is_number(next) || next == '-'));
            if !continues || self.starts("->") {
                break;
            }
            self.bump();
        }
        &self.text[start..self.at]
    }

    fn name_or_character(&mut self) -> &'t str {
        let start = self.at;
        if !begins_name(self.peek().unwrap_or(' ')) {
            self.bump();
        }
        self.name();
        &self.text[start..self.at]
    }

    fn found(&self) -> String {
        match self.peek() {
            Some(_) => excerpt(self.clone().name_or_character()),
            None => "the end".into(),
        }
    }

    fn error(&self, start: usize, end: usize, message: impl Into<String>) -> Diagnostic {
        Diagnostic::at("invalid_signature", Span::new(start, end), message)
    }

    /// An error at the next character, or at the end.
    fn error_here(&self, message: impl Into<String>) -> Diagnostic {
        self.error(self.at, self.at + self.peek().map_or(0, char::len_utf8), message)
    }
}

const TYPES: &str =
    "the types are `:string`, `:int`, `:float`, `:bool`, `:keyword`, `:map`, `:any`, `[:type]` and `{name :type}`";

fn begins_name(c: char) -> bool {
    is_letter(c) || c == '_'
}

/// What other notations call a type, and what to write here.
const OTHER_NOTATIONS: [(&str, &str); 10] = [
    ("string str text char varchar date datetime", ":string"),
    ("int integer long i32 i64 bigint", ":int"),
    ("float double decimal real f32 f64", ":float"),
    ("number num numeric", ":int` or `:float"),
    ("bool boolean", ":bool"),
    ("keyword atom symbol enum", ":keyword"),
    ("any unknown value nil null none void", ":any"),
    ("list array vector seq set tuple", "[:any]"),
    ("map object obj dict hash struct record json", ":map"),
    // Only programs take one, in their own notation.
    ("history", "question, history: History -> answer"),
];

/// What to write for a type that other notations call `word`, or that lacks its colon.
fn right_form(word: &str) -> Option<&'static str> {
    let is_meant = |names: &str| names.split(' ').any(|name| name.eq_ignore_ascii_case(word));
    OTHER_NOTATIONS.iter().find(|(names, _)| is_meant(names)).map(|(_, right)| *right)
}

/// A short stretch of the text for a message, in back quotes.
fn excerpt(text: &str) -> String {
    format!("`{}`", excerpt_of(text))
}

fn excerpt_of(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((cut, _)) => format!("{}…", &text[..cut]),
        None => text.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn field(name: &str, ty: Type) -> Field {
        Field::new(name, ty, false)
    }

    fn optional(name: &str, ty: Type) -> Field {
        Field { optional: true, ..field(name, ty) }
    }

    fn list(element: Type) -> Type {
        Type::List(element.into())
    }

    #[track_caller]
    fn reads(text: &str, parameters: Vec<Field>, returns: Type) {
        assert_eq!(parse(text), Ok(Signature { parameters, returns }));
    }

    /// `part` is what the span covers; `says` stands in message or hint.
    #[track_caller]
    fn refused(text: &str, part: &str, says: &str) {
        let error = parse(text).expect_err("a signature that is refused");
        let span = error.span.expect("a place");
        assert_eq!(error.kind, "invalid_signature");
        assert_eq!(&text[span.start..span.end], part, "{error}");
        assert!(error.to_string().contains(says), "{error}");
    }

    #[test]
    fn parameters_an_arrow_and_a_return_type() {
        reads(
            "(query :string, limit :int?) -> {count :int, items [{id :int}]}",
            vec![field("query", Type::String), optional("limit", Type::Int)],
            Type::Record(vec![
                field("count", Type::Int),
                field("items", list(Type::Record(vec![field("id", Type::Int)]))),
            ]),
        );
    }

    #[test]
    fn parameters_may_be_left_out() {
        for text in ["[:map]", "-> [:map]", "->[:map]", "() -> [:map]", " ( )\n->\n[ :map ] "] {
            reads(text, vec![], list(Type::Map));
        }
    }

    #[test]
    fn every_simple_type_may_be_marked() {
        for ty in Type::SIMPLE {
            reads(&format!("{ty}"), vec![], ty.clone());
            reads(&format!("{ty}?"), vec![], Type::Optional(ty.clone().into()));
            reads(&format!("[{ty}?]"), vec![], list(Type::Optional(ty.into())));
        }
    }

    #[test]
    fn fields_and_parameters_of_any_type_may_be_marked() {
        reads(
            "(a [:int]?) -> {b {}?}",
            vec![optional("a", list(Type::Int))],
            Type::Record(vec![optional("b", Type::Record(vec![]))]),
        );
    }

    #[test]
    fn names_are_of_any_alphabet() {
        for name in ["größe", "名前", "_hidden", "first-name", "a1", "string", "_"] {
            reads(&format!("{{{name} :int}}"), vec![], Type::Record(vec![field(name, Type::Int)]));
        }
    }

    #[test]
    fn names_of_types_from_elsewhere_are_corrected() {
        let cases = [
            (":str", "`:string`"),
            (":String", "`:string`"),
            (":integer", "`:int`"),
            (":number", "`:int` or `:float`"),
            (":boolean", "`:bool`"),
            (":list", "`[:any]`"),
            (":array", "`[:any]`"),
            (":object", "`:map`"),
            (":dict", "`:map`"),
            (":integers", "the types are"),
            ("int", "`:int`"),
            ("str", "`:string`"),
            ("Array", "`[:any]`"),
            ("widget", "the types are"),
        ];
        for (word, says) in cases {
            refused(word, word, says);
            refused(&format!("(a {word}) -> :any"), word, says);
            refused(&format!("-> [{word}]"), word, says);
        }
    }

    #[test]
    fn names_and_types_keep_their_order_and_colons() {
        refused("{:a :int}", ":a", "write `a :int`");
        refused("{:a int}", ":a", "write `a :int`");
        refused("(:a [:string]) -> :int", ":a", "write `a [:string]`");
        refused("{a: string}", ":", "write `a :string`");
        refused("{a: :int}", ":", "write `a :int`");
        refused("{\"a\" :int}", "\"a\"", "write `a :int`");
        refused("{a : int}", ":", "write `a :int`");
        refused("(query) -> :int", "query", "write `query :any`");
        refused(": int", ":", "write `:int`");
    }

    #[test]
    fn names_are_made_of_name_characters() {
        refused("{a? :int}", "a?", "write `a :any?`");
        refused("{a.b :int}", "a", "write `a {…}`");
        refused("{1a :int}", "1a", "begins with a letter");
        refused("{+ :int}", "+", "expected a name, found `+`");
    }

    #[test]
    fn names_are_given_once() {
        refused("(a :int, b :int, a :string) -> :int", "a", "`a` is there twice");
        refused("{a {a :int}, a :int}", "a", "twice");
        assert!(parse("(a {a :int}) -> {a :int}").is_ok(), "different levels");
    }

    #[test]
    fn commas_stand_between_fields_only() {
        refused("(a :int b :int) -> :int", "b", "write `, b`");
        refused("{a :int :b :int}", ":", "write `, b`");
        refused("(a :int,) -> :int", ",", "leave out the last comma");
        refused("{a :int,, b :int}", ",", "expected a name, found `,`");
        refused("[:int, :string]", ",", "one type for all elements");
    }

    #[test]
    fn brackets_are_closed() {
        refused("[:int", "[", "add `]`");
        refused("{a :int", "{", "add `}`");
        refused("{a :int,", "{", "add `}`");
        refused("{", "{", "add `}`");
        refused("(a :int -> :int", "(", "write `) ->`");
        refused("{a :int + b :int}", "+", "expected `,` or `}`");
        refused("{a [:int}", "}", "write `]` before `}`");
        refused("[]", "[]", "write `[:any]`");
        refused("[:int]]", "]", "leave out `]`");
    }

    #[test]
    fn the_arrow_stands_between_parameters_and_type() {
        refused("(a :int) :int", ":", "write `(a :int) -> :any`");
        refused("(a :int)", "", "no `->`");
        refused("(a :int) - > :int", "-", "no `->`");
        refused("(a :int) ->", "", "expected a type, found the end");
        refused("{a :int} -> :int", "-", "write `(a :int) -> …`");
        refused("search(query :string) -> :int", "search", "leave out the name");
        refused("-> -> :int", "-", "expected a type");
    }

    #[test]
    fn the_mark_follows_its_type() {
        refused(":int ?", "?", "write `:int?`");
        refused("{a :int??}", "?", "written once");
        refused("[:int]?", "?", "write `[:int]`");
        refused("{a :int | :string}", "|", "`:any` when it may be of several types");
        refused(":string[]", "[", "write `[:string]`");
    }

    #[test]
    fn a_history_stands_in_the_notation_of_programs() {
        let right = "write `question, history: History -> answer`";
        refused("(question :string, history :History) -> {answer :string}", ":History", right);
        refused("(question :string, history History) -> {answer :string}", "History", right);
    }

    #[test]
    fn nothing_follows_the_return_type() {
        refused(":any!", "!", "unexpected `!` after the return type");
        refused("(a :int) -> :int :int", ":int", "unexpected `:int`");
        refused("", "", "the signature is empty");
        refused(" \n", "", "the signature is empty");
        refused("<:int>", "<", "expected a type, found `<`");
        refused("[id :int]", "id", "write `{id …}`");
    }

    #[test]
    fn nesting_is_limited() {
        let nested = |levels: usize| "[".repeat(levels) + ":int" + &"]".repeat(levels);
        assert!(parse(&nested(MAX_NESTING)).is_ok());
        refused(&nested(MAX_NESTING + 1), "[", "deeper than 64 levels");
        refused(&"{a ".repeat(100_000), "{", "deeper than 64 levels");
        assert!(parse(&"{:a ".repeat(100_000)).is_err());
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused_at_a_place(text in "([(){}\\[\\]:,?\"'|. \n-]|->|int|:int|:str|a|é|9|\\PC){0,24}") {
            if let Err(error) = parse(&text) {
                let span = error.span.expect("a place");
                prop_assert!(text.get(span.start..span.end).is_some());
            }
        }
    }
}
