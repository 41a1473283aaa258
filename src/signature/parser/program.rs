//! The notation of programs: `question, history: History -> answer: str, mood: Literal["good", "bad"]`.
//!
//! It is Python's, as DSPy writes it. Types of the other notation may stand in it: `items: [{id :int}]`.

use super::{Parser, begins_name, excerpt, right_form};
use crate::diagnostic::Diagnostic;
use crate::signature::{ExtraFields, Field, Signature, Type};
use crate::unicode::is_number;
use crate::value::{Names, Value, from_json};

/// Reads the signature of a program, in either notation. The fields of the outputs are those of the record
/// that is returned. Every problem is an `invalid_signature` with its place.
///
/// A field without a type is a string. A `History` is an input, there is one at most, and it is optional.
pub fn parse_program(text: &str) -> Result<Signature, Diagnostic> {
    let signature = match is_of_turns(text) {
        true => super::parse(text)?,
        false => Parser { text, at: 0, depth: 0 }.program()?,
    };
    signature.into_program().map_err(|error| Parser { text, at: 0, depth: 0 }.placed(error))
}

/// Reads a signature of a tool or of a program, in whichever notation it is written. What is in the notation
/// of programs is a program's.
pub fn parse_either(text: &str) -> Result<Signature, Diagnostic> {
    if is_of_turns(text) { super::parse(text) } else { parse_program(text) }
}

/// Whether a text is in the notation of turns: `(query :string) -> :any`, or only a type.
fn is_of_turns(text: &str) -> bool {
    let start = text.trim_start();
    start.starts_with(['(', '{', '[', ':']) || (start.starts_with("->") && !names_follow(start))
}

/// Reads one type, in either notation, and whether it is marked as optional: `str`, `list[int]`,
/// `Optional[float]`, `:float?`, `[{id :int}]`.
pub fn parse_type(text: &str) -> Result<(Type, bool), Diagnostic> {
    let mut parser = Parser { text, at: 0, depth: 0 };
    parser.space();
    let read = parser.annotation()?;
    parser.space();
    match parser.peek() {
        None => Ok(read),
        Some(_) => Err(parser.error_here(format!("unexpected {} after the type", parser.found()))),
    }
}

/// Whether what is behind the arrow is no type: a list of outputs, without inputs before it.
fn names_follow(text: &str) -> bool {
    text[2..].trim_start().starts_with(begins_name)
}

impl Signature {
    /// The signature of a program with these fields; an error when a program can't have them.
    pub fn program(inputs: Vec<Field>, outputs: Vec<Field>) -> Result<Signature, Diagnostic> {
        Signature { parameters: inputs, returns: Type::Record(outputs) }.into_program()
    }

    /// The field that takes the conversation so far.
    pub fn history_field(&self) -> Option<&Field> {
        self.parameters.iter().find(|field| field.is_history())
    }

    /// The fields of what a program returns; none of a signature that is no program's.
    pub fn outputs(&self) -> &[Field] {
        match &self.returns {
            Type::Record(fields) => fields,
            _ => &[],
        }
    }

    fn into_program(mut self) -> Result<Signature, Diagnostic> {
        let Type::Record(outputs) = &mut self.returns else {
            let hint = "write `question -> answer`, or `{answer :string}` behind the arrow";
            return Err(refused("a program returns named outputs", hint));
        };
        let mut names: Names<()> = Names::default();
        for field in self.parameters.iter_mut().chain(outputs.iter_mut()) {
            settle(field)?;
            if names.contains(&field.name) {
                return Err(refused(format!("{} is there twice", excerpt(&field.name)), TWICE));
            }
            names.insert((&*field.name).into(), ());
        }
        if outputs.iter().any(|field| field.is_history()) {
            return Err(refused("a history is no output", "put `history: History` before the arrow"));
        }
        let histories = self.parameters.iter().filter(|field| field.is_history()).count();
        if histories > 1 {
            let hint = "a program takes one conversation: leave the others out";
            return Err(refused("there is more than one history", hint));
        }
        if self.parameters.len() == histories {
            return Err(refused("there is no input, or none but a history", "write `question -> answer`"));
        }
        if outputs.is_empty() {
            return Err(refused("there is no output", "write `question -> answer`"));
        }
        Ok(self)
    }
}

const TWICE: &str = "give each input and output its own name";

fn refused(message: impl Into<String>, hint: impl Into<String>) -> Diagnostic {
    Diagnostic::new("invalid_signature", message).with_hint(hint)
}

/// Checks a field and marks it where what it holds makes it optional. A default becomes what its type takes.
fn settle(field: &mut Field) -> Result<(), Diagnostic> {
    let name = excerpt(&field.name);
    if !is_name(&field.name) {
        return Err(refused(format!("{name} can't be a name"), "a name has letters, digits, `_` and `-` only"));
    }
    if let Type::OneOf(options) = &field.ty {
        let is_literal = |option: &Value| match option {
            Value::Str(_) | Value::Bool(_) | Value::Int(_) | Value::BigInt(_) => true,
            Value::Float(float) => float.is_finite(),
            _ => false,
        };
        if options.is_empty() || !options.iter().all(is_literal) {
            return Err(refused(format!("{name} can't be one of these"), "list texts, numbers or booleans"));
        }
    }
    if let Some(default) = field.default.take().filter(|default| *default != Value::Nil) {
        if field.is_history() {
            return Err(refused("a history has no default", "give the history with the inputs"));
        }
        match field.ty.coerce(&default, ExtraFields::Refused) {
            Ok(coerced) => field.default = Some(coerced.value),
            Err(mismatches) => {
                let message = format!("the default of {name} is not of its type: {}", mismatches[0]);
                return Err(Diagnostic::new("invalid_signature", message));
            }
        }
    }
    field.optional |= field.default.is_some() || field.is_history();
    Ok(())
}

fn is_name(text: &str) -> bool {
    text.starts_with(begins_name) && text.chars().all(|c| begins_name(c) || is_number(c) || c == '-')
}

impl Parser<'_> {
    /// The same error, with the whole text as its place.
    fn placed(&self, mut error: Diagnostic) -> Diagnostic {
        if error.span.is_none() {
            error.span = self.error(0, self.text.len(), "").span;
        }
        error
    }

    fn program(&mut self) -> Result<Signature, Diagnostic> {
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

    /// `name`, `name: type` and so on, up to what is neither. `names` are those before.
    fn annotated_fields(&mut self, names: &mut Names<()>) -> Result<Vec<Field>, Diagnostic> {
        let mut fields = Vec::new();
        if !self.peek().is_some_and(begins_name) && (self.peek().is_none() || self.starts("->")) {
            return Ok(fields);
        }
        loop {
            let start = self.at;
            let name = self.name();
            if name.is_empty() {
                let error = self.error_here(format!("expected a name, found {}", self.found()));
                return Err(error.with_hint("write `name` or `name: type`"));
            }
            let end = self.at;
            self.space();
            let (ty, optional) = if self.eat(":") {
                self.space();
                self.annotation()?
            } else {
                (Type::String, false)
            };
            if names.contains(name) {
                return Err(self.error(start, end, format!("{} is there twice", excerpt(name))).with_hint(TWICE));
            }
            names.insert(name.into(), ());
            fields.push(Field::new(name, ty, optional));
            self.space();
            if !self.eat(",") {
                return Ok(fields);
            }
            self.space();
        }
    }

    /// A type, and whether it may be left out.
    fn annotation(&mut self) -> Result<(Type, bool), Diagnostic> {
        let (ty, mut optional) = match self.peek() {
            Some(':' | '[' | '{') => {
                let ty = self.ty()?;
                (ty, self.eat("?"))
            }
            _ => self.worded()?,
        };
        loop {
            let end = self.at;
            self.space();
            if self.eat("|") {
                self.space();
                let alternative = self.at;
                if !matches!(self.name(), "None" | "none" | "null" | "nil") {
                    let error = self.error(alternative, self.at, "a type has no alternatives but `None`");
                    return Err(error.with_hint("write `Any` when it may be of several types"));
                }
            } else if !(self.at == end && self.eat("?")) {
                self.at = end;
                break;
            }
            optional = true;
        }
        Ok((ty, optional))
    }

    /// A type that begins with a word.
    fn worded(&mut self) -> Result<(Type, bool), Diagnostic> {
        let start = self.at;
        let mut word = self.name();
        while !word.is_empty() && self.eat(".") {
            word = self.name();
        }
        let is = |name: &str| word.eq_ignore_ascii_case(name);
        if is("optional") && self.starts("[") {
            return Ok((self.parameter(&|parser| Ok(parser.annotation()?.0))?, true));
        }
        if is("literal") && self.starts("[") {
            return Ok((Type::OneOf(self.literals()?), false));
        }
        if is("history") {
            return Ok((Type::History, false));
        }
        if is("json") {
            return Ok((Type::Any, false));
        }
        let ty = match right_form(word) {
            Some("[:any]") if self.starts("[") => Type::List(self.parameter(&Self::element)?.into()),
            Some("[:any]") => Type::List(Type::Any.into()),
            Some(":map") if self.starts("[") => self.parameter(&|parser| {
                parser.element()?;
                parser.space();
                if parser.eat(",") {
                    parser.space();
                    parser.element()?;
                }
                Ok(Type::Map)
            })?,
            Some(":int` or `:float") => Type::Float,
            Some(simple) => Type::from_word(simple.trim_start_matches(':')).unwrap_or(Type::Any),
            None => {
                let found = if word.is_empty() { self.found() } else { excerpt(&self.text[start..self.at]) };
                return Err(self.error(start, self.at, format!("expected a type, found {found}")).with_hint(
                    "the types are `str`, `int`, `float`, `bool`, `list[type]`, `dict`, `Any`, `Optional[type]`, \
                     `Literal[\"a\", \"b\"]` and, for an input, `History`",
                ));
            }
        };
        Ok((ty, false))
    }

    /// What stands in the brackets behind a word.
    fn parameter(&mut self, read: &dyn Fn(&mut Self) -> Result<Type, Diagnostic>) -> Result<Type, Diagnostic> {
        self.nested(|parser| {
            let open = parser.at;
            parser.bump();
            parser.space();
            let ty = read(parser)?;
            parser.space();
            match parser.eat("]") {
                true => Ok(ty),
                false => Err(parser.unclosed(open, '[', ']')),
            }
        })
    }

    /// A type inside of another.
    fn element(&mut self) -> Result<Type, Diagnostic> {
        let start = self.at;
        match self.annotation()? {
            (Type::History, _) => Err(self
                .error(start, self.at, "a history is an input of its own")
                .with_hint("write `history: History`")),
            (ty, false) => Ok(ty),
            (Type::List(_) | Type::Record(_), true) => {
                let error = self.error(start, self.at, "only simple types are optional inside of a type");
                Err(error.with_hint("write `Any` when it may be nil"))
            }
            (ty, true) => Ok(Type::Optional(ty.into())),
        }
    }

    /// The values of `Literal["a", 'b', 1, True]`.
    fn literals(&mut self) -> Result<Vec<Value>, Diagnostic> {
        let open = self.at;
        self.bump();
        let mut values = Vec::new();
        loop {
            self.space();
            values.push(self.literal()?);
            self.space();
            if self.eat("]") {
                return Ok(values);
            }
            if !self.eat(",") {
                return Err(self.unclosed(open, '[', ']'));
            }
        }
    }

    fn literal(&mut self) -> Result<Value, Diagnostic> {
        let start = self.at;
        let value = match self.peek() {
            Some(quote @ ('"' | '\'')) => {
                self.bump();
                let mut text = String::new();
                while let Some(next) = self.peek().filter(|next| *next != quote) {
                    self.bump();
                    text.push(if next == '\\' { self.escaped() } else { next });
                }
                if !self.eat(quote.encode_utf8(&mut [0; 4])) {
                    return Err(self
                        .error(start, start + 1, format!("`{quote}` is never closed"))
                        .with_hint(format!("add `{quote}`")));
                }
                match quote {
                    '"' => from_json(&self.text[start..self.at]).ok(),
                    _ => Some(Value::str(text)),
                }
            }
            _ => {
                while self.peek().is_some_and(|next| !next.is_whitespace() && !matches!(next, ',' | ']')) {
                    self.bump();
                }
                match &self.text[start..self.at] {
                    "True" => Some(true.into()),
                    "False" => Some(false.into()),
                    word => from_json(word).ok().filter(|value| !value.is_collection() && *value != Value::Nil),
                }
            }
        };
        value.ok_or_else(|| {
            let error = self.error(start, self.at, format!("{} is no literal", excerpt(&self.text[start..self.at])));
            error.with_hint("write texts in quotes: `Literal[\"good\", \"bad\"]`")
        })
    }

    /// What the character behind a backslash stands for.
    fn escaped(&mut self) -> char {
        let next = self.peek();
        self.bump();
        match next {
            Some('n') => '\n',
            Some('t') => '\t',
            next => next.unwrap_or('\\'),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signature::{Side, parse};
    use proptest::prelude::*;

    /// The program in this notation is the one in the other notation.
    #[track_caller]
    fn same(text: &str, other: &str) {
        assert_eq!(parse_program(text).unwrap(), parse(other).unwrap(), "{text}");
    }

    #[track_caller]
    fn ty(text: &str) -> (Type, bool) {
        parse_type(text).unwrap()
    }

    #[track_caller]
    fn refused(text: &str, part: &str, says: &str) {
        let error = parse_program(text).expect_err("a signature that is refused");
        let span = error.span.expect("a place");
        assert_eq!(error.kind, "invalid_signature");
        assert_eq!(&text[span.start..span.end], part, "{error}");
        assert!(error.to_string().contains(says), "{error}");
    }

    #[test]
    fn fields_without_a_type_are_strings() {
        same("question -> answer", "(question :string) -> {answer :string}");
        same(
            " context ,question:str->answer , score : float ",
            "(context :string, question :string) -> {answer :string, score :float}",
        );
    }

    #[test]
    fn types_are_those_of_python() {
        same(
            "a: int, b: list[str], c: dict[str, Any], d: bool | None, e: Optional[float] -> f: List[list[int]], g: list",
            "(a :int, b [:string], c :map, d :bool?, e :float?) -> {f [[:int]], g [:any]}",
        );
        same("a: typing.Optional[list[int]] -> b: list[Optional[int]]", "(a [:int]?) -> {b [:int?]}");
    }

    #[test]
    fn both_notations_may_be_mixed() {
        same(
            "ids: [:int] -> items: [{id :int}]?, kind: :keyword",
            "(ids [:int]) -> {items [{id :int}]?, kind :keyword}",
        );
        same("(q :string) -> {answer :string}", "(q :string) -> {answer :string}");
        assert_eq!(
            ty(" [{id :int}] "),
            (Type::List(Type::Record(vec![Field::new("id", Type::Int, false)]).into()), false)
        );
        assert_eq!(ty(":float?"), (Type::Float, true));
        assert_eq!(ty("str"), (Type::String, false));
        assert!(parse_type("str int").is_err());
    }

    #[test]
    fn a_history_is_optional_and_found_by_its_type() {
        for text in [
            "history: History",
            "history: dspy.History",
            "history: history",
            "history: Optional[History]",
            "history: History | None",
        ] {
            let signature = parse_program(&format!("question, {text} -> answer")).unwrap();
            assert_eq!(signature.history_field().map(|field| (&*field.name, field.optional)), Some(("history", true)));
            assert_eq!(signature.outputs().len(), 1);
        }
        assert_eq!(parse_program("question -> answer").unwrap().history_field(), None);
        refused(
            "question, a: History, b: History -> answer",
            "question, a: History, b: History -> answer",
            "more than one history",
        );
        refused("question -> history: History", "question -> history: History", "before the arrow");
        refused("history: History -> answer", "history: History -> answer", "none but a history");
        refused("q, h: list[History] -> answer", "History", "an input of its own");
    }

    #[test]
    fn a_literal_lists_what_a_value_may_be() {
        let texts = ["good", "it's", "a\nb", "a\nb", "]"].map(Value::str).to_vec();
        assert_eq!(ty(r#"Literal["good", 'it\'s', 'a\nb', "a\nb", ']']"#), (Type::OneOf(texts), false));
        assert_eq!(
            ty("Optional[Literal[1, -2, 1.5, True]]"),
            (Type::OneOf(vec![1.into(), (-2).into(), 1.5.into(), true.into()]), true)
        );
        refused("q -> mood: Literal[good]", "good", "in quotes");
        refused("q -> mood: Literal[]", "", "in quotes");
        refused("q -> mood: Literal[\"good]", "\"", "never closed");
        refused("q -> mood: Literal['a' 'b']", "'", "`]`");
    }

    #[test]
    fn programs_have_named_inputs_and_outputs() {
        refused("", "", "the signature is empty");
        refused("question", "", "expected `,` or `->`");
        refused("question ->", "question ->", "no output");
        refused("-> answer", "-> answer", "no input");
        refused("a -> b -> c", "->", "two arrows");
        refused("a, -> b", "-", "expected a name");
        refused("a, a -> b", "a", "twice");
        refused("a, b -> a", "a", "`a` is there twice");
        refused("(a :int) -> {a :int}", "(a :int) -> {a :int}", "`a` is there twice");
        refused("a b -> c", "b", "expected `,` or `->`");
        refused("a: strng -> c", "strng", "the types are `str`");
        refused("a: int | str -> c", "str", "no alternatives");
        refused("a: -> c", "", "expected a type");
        refused("a: list[str -> c", "-", "`]`");
        refused("(a :int) -> :int", "(a :int) -> :int", "named outputs");
        refused(&format!("a: {} -> b", "list[".repeat(100)), "[", "deeper than 64 levels");
    }

    #[test]
    fn fields_are_checked_however_they_are_made() {
        let field = |name: &str, ty| Field::new(name, ty, false);
        assert!(Signature::program(vec![field("q", Type::String)], vec![field("a", Type::Int)]).is_ok());
        assert!(Signature::program(vec![field("no name", Type::String)], vec![field("a", Type::Int)]).is_err());
        assert!(Signature::program(vec![field("q", Type::String)], vec![field("q", Type::Int)]).is_err());
        assert!(Signature::program(vec![field("q", Type::String)], vec![]).is_err());
        let mood = |options: Vec<Value>| {
            Signature::program(vec![field("q", Type::String)], vec![field("m", Type::OneOf(options))])
        };
        assert!(mood(vec!["a".into(), 1.into()]).is_ok());
        assert!(mood(vec![]).is_err() && mood(vec![Value::Nil]).is_err());
    }

    #[test]
    fn a_default_stands_for_what_is_absent() {
        let limit = |default: Value| {
            let field = Field { default: Some(default), ..Field::new("limit", Type::Int, false) };
            Signature::program(
                vec![Field::new("q", Type::String, false), field],
                vec![Field::new("a", Type::Any, false)],
            )
        };
        assert_eq!(
            limit("x".into()).unwrap_err().message,
            "the default of `limit` is not of its type: expected int, got string \"x\""
        );
        let signature = limit(Value::Float(3.0)).unwrap();
        for given in [r#"{"q":"x"}"#, r#"{"q":"x","limit":null}"#] {
            let given = from_json(given).unwrap();
            assert!(signature.check(&given, Side::Input, ExtraFields::Refused).is_empty());
            let coerced = signature.coerce(&given, Side::Input, ExtraFields::Refused).unwrap();
            assert_eq!((coerced.value, coerced.warnings), (from_json(r#"{"limit":3,"q":"x"}"#).unwrap(), vec![]));
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused_at_a_place(
            text in "(->|[,:\\[\\]|?\"'. {}]|a|b|str|list|Literal|Optional|History|None|int|:int|dict|é|9|\\PC){0,24}",
        ) {
            match parse_program(&text) {
                Ok(signature) => prop_assert_eq!(parse_program(&signature.to_string()), Ok(signature)),
                Err(error) => {
                    let span = error.span.expect("a place");
                    prop_assert!(text.get(span.start..span.end).is_some());
                }
            }
        }
    }
}
