//! The reader: source to forms. One pass over the text with a stack of open brackets instead of
//! recursion.

use super::atom::{self, Read, SyntaxProblem, excerpt, problem};
use super::form::{Form, FormKind, Symbol};
use super::indentation::{self, OpenBracket};
use super::special::is_loading;
use crate::diagnostic::{Diagnostic, Span, line_and_column};
use crate::unicode::{from_surrogates, is_letter};
use crate::value::{MAX_NESTING, Str, is_symbol_byte, is_symbol_char, parse_day, parse_instant};

/// The most bytes of a program.
const MAX_PROGRAM: usize = 1_000_000;

/// The most parts of a form that is compiled, so that the registers of one form can be counted.
pub(super) const MAX_PARTS: usize = 0x7F00;

/// The kind of the problem of a program that is too large.
pub(super) const TOO_LARGE: &str = "program_too_large";

/// The most problems that the reader collects.
const MAX_PROBLEMS: usize = 100;

/// A program as it was read.
pub(super) struct ReadProgram {
    /// The forms of the text, with nil in place of each that is a problem.
    pub forms: Vec<Form>,
    pub problems: Vec<Diagnostic>,
    /// Where the text begins that could not be read at all.
    pub end: usize,
}

/// Reads the forms of a program, as [`read`] does, and goes on after problems that leave no doubt where the next form
/// begins. Fails also with `program_too_large`, when the text or a form other than a collection of literals is too large.
pub(super) fn read_program(source: &str) -> ReadProgram {
    if source.len() > MAX_PROGRAM {
        let message = format!("the program has {} bytes, and can have {MAX_PROGRAM}", source.len());
        let hint = "bring long texts and lists in as data, or split it into several programs";
        let problem = Diagnostic::at(TOO_LARGE, Span::new(0, 0), message).with_hint(hint);
        return ReadProgram { problems: vec![problem], forms: Vec::new(), end: source.len() };
    }
    let mut reader = FormReader { max_parts: MAX_PARTS, max_problems: MAX_PROBLEMS, ..FormReader::new(source) };
    let read = reader.read();
    let mut levels = std::mem::take(&mut reader.levels);
    let mut problems = reader.problems;
    let mut end = source.len();
    if let Err(problem) = read {
        end = match levels.get(1) {
            Some(level) => level.start,
            // A bracket that closes nothing says that another form may end too early.
            None if reader.is_torn => 0,
            None => problem.span.map_or(0, |span| span.start),
        };
        problems.push(problem);
    }
    ReadProgram { forms: levels.swap_remove(0).forms, problems, end }
}

/// Reads all forms of `source`. Commas and byte order marks are whitespace, `;` begins a comment,
/// and `#_` drops the next form.
///
/// Fails with `parse_error`, with a span and a hint, and with `nesting_too_deep` after [`MAX_NESTING`]
/// nested brackets.
pub fn read(source: &str) -> Result<Vec<Form>, Diagnostic> {
    let mut reader = FormReader::new(source);
    reader.read()?;
    Ok(reader.levels.swap_remove(0).forms)
}

/// Adds the probable place to a hint.
fn with_place(hint: String, place: Option<String>) -> String {
    match place {
        Some(place) => format!("{hint}; {place}"),
        None => hint,
    }
}

const NOT_QUOTED: &str = "a symbol can't be quoted";
const NO_SYMBOLS: &str = "symbols are no data: write a keyword `:x` or a string";

struct FormReader<'s> {
    source: &'s str,
    position: usize,
    /// The whole text and the open brackets, outermost first.
    levels: Vec<Level>,
    /// The most parts of a form other than a collection of literals.
    max_parts: usize,
    /// The problems so far after which the text was read on, and the most of them.
    problems: Vec<Diagnostic>,
    max_problems: usize,
    /// Whether a bracket closes nothing.
    is_torn: bool,
}

/// The contents of a bracket that have been read.
struct Level {
    bracket: Bracket,
    start: usize,
    forms: Vec<Form>,
    /// The number of forms still to drop, and the position of the last `#_`.
    discards: usize,
    discarded_at: usize,
    /// The positions of the `@`s before the next form.
    derefs: Vec<usize>,
    /// The position of a `^` whose form has not followed yet.
    metadata: Option<usize>,
    /// True in a quoted collection, whose lists are data.
    is_quoted: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Bracket {
    Top,
    List,
    Vector,
    Map,
    Set,
    ShortFn,
    Closure,
}

impl Bracket {
    fn opening(self) -> &'static str {
        match self {
            Bracket::Top => "",
            Bracket::List => "(",
            Bracket::Vector => "[",
            Bracket::Map => "{",
            Bracket::Set => "#{",
            Bracket::ShortFn => "#(",
            Bracket::Closure => "#fn[",
        }
    }

    fn is_collection(self) -> bool {
        matches!(self, Bracket::Vector | Bracket::Map | Bracket::Set)
    }

    fn closing(self) -> char {
        match self {
            Bracket::List | Bracket::ShortFn => ')',
            Bracket::Vector | Bracket::Closure => ']',
            Bracket::Map | Bracket::Set => '}',
            Bracket::Top => ' ',
        }
    }
}

impl Level {
    fn new(bracket: Bracket, start: usize) -> Self {
        Level {
            bracket,
            start,
            forms: Vec::new(),
            discards: 0,
            discarded_at: 0,
            derefs: Vec::new(),
            metadata: None,
            is_quoted: false,
        }
    }
}

impl<'s> FormReader<'s> {
    fn new(source: &'s str) -> Self {
        FormReader {
            source,
            position: 0,
            levels: vec![Level::new(Bracket::Top, 0)],
            max_parts: usize::MAX,
            problems: Vec::new(),
            max_problems: 0,
            is_torn: false,
        }
    }

    fn read(&mut self) -> Result<(), Diagnostic> {
        while let Some(first) = self.peek() {
            self.read_next(first)?;
        }
        self.finish()
    }

    fn read_next(&mut self, first: char) -> Result<(), Diagnostic> {
        match first {
            ';' => {
                self.take_while(|character| character != '\n');
                Ok(())
            }
            ' ' | '\n' | ',' => {
                // A fast path for the most common blanks.
                let bytes = self.source.as_bytes();
                while let Some(b' ' | b'\n' | b',') = bytes.get(self.position) {
                    self.position += 1;
                }
                Ok(())
            }
            _ if is_blank(first) => {
                self.take_while(is_blank);
                Ok(())
            }
            '(' => self.open(Bracket::List),
            '[' => self.open(Bracket::Vector),
            '{' => self.open(Bracket::Map),
            ')' | ']' | '}' => self.close(first),
            '#' => self.read_dispatch(),
            '"' => self.read_atom(|reader| reader.string().map(FormKind::Str)),
            '\\' => self.read_atom(FormReader::character),
            ':' => self.read_atom(|reader| atom::keyword(reader.token())),
            '\'' => self.quote(),
            '`' | '~' => {
                let sign = if first == '`' { "`" } else { "~" };
                self.refuse(sign, "there are no macros", "write a function with `defn`")
            }
            '@' => {
                let start = self.position;
                self.level().derefs.push(start);
                self.position += 1;
                Ok(())
            }
            '^' => self.skip_metadata(1),
            _ if is_symbol_char(first) => self.read_atom(|reader| match atom::number_or_symbol(reader.token())? {
                FormKind::Symbol(_) if reader.level().is_quoted => problem(NOT_QUOTED, NO_SYMBOLS),
                kind => Ok(kind),
            }),
            _ => {
                let span = Span::new(self.position, self.position + first.len_utf8());
                let message = format!("unexpected character U+{:04X}", u32::from(first));
                Err(Diagnostic::at("parse_error", span, message).with_hint("remove it"))
            }
        }
    }

    /// Reads `^` or `#^`: the metadata behind it are dropped, and the form behind them stays.
    fn skip_metadata(&mut self, length: usize) -> Result<(), Diagnostic> {
        let at = self.position;
        self.position += length;
        let level = self.level();
        if level.discards == 0 {
            level.metadata = Some(at);
        }
        level.discards += 1;
        level.discarded_at = at;
        Ok(())
    }

    /// Reads `'`. Collections are quoted, and what `require` and the like load; a symbol is no data.
    fn quote(&mut self) -> Result<(), Diagnostic> {
        let is_loaded = match self.level().forms.first().map(|form| &form.kind) {
            Some(FormKind::Symbol(symbol)) => symbol.namespace.is_none() && is_loading(&symbol.name),
            _ => false,
        };
        let next = self.rest()[1..].chars().next();
        if is_loaded {
            self.position += 1;
            return Ok(());
        }
        match next {
            Some('(' | '[' | '{') => {
                self.position += 1;
                let depth = self.levels.len();
                self.read_next(next.unwrap_or_default())?;
                if let Some(level) = self.levels.get_mut(depth) {
                    level.is_quoted = true;
                }
                Ok(())
            }
            Some(next) if matches!(next, '"' | ':' | '\\') || next.is_ascii_digit() => {
                self.position += 1;
                Ok(())
            }
            _ => self.refuse("'", "only collections and literals are quoted", NO_SYMBOLS),
        }
    }

    /// Reads a form that begins with `#`.
    fn read_dispatch(&mut self) -> Result<(), Diagnostic> {
        let start = self.position;
        let behind = self.rest()[1..].chars().next();
        match behind {
            Some('{') => self.open(Bracket::Set),
            Some('(') => self.open(Bracket::ShortFn),
            Some('"') => self.read_atom(FormReader::regex),
            Some('_') => {
                self.position += 2;
                let level = self.level();
                level.discards += 1;
                level.discarded_at = start;
                Ok(())
            }
            Some('#') => self.read_atom(|reader| atom::symbolic_float(&reader.token()[2..])),
            Some('\'') => self.read_atom(|reader| match &reader.token()[2..] {
                name if name.is_empty() || name.starts_with([':', '#', '\'']) => {
                    problem("`#'` needs a name behind it", "write `#'name`")
                }
                name => match atom::number_or_symbol(name)? {
                    FormKind::Symbol(symbol) => Ok(FormKind::Var(symbol)),
                    _ => problem(format!("`#'{}` does not name a definition", excerpt(name)), "write `#'name`"),
                },
            }),
            Some('?') => self.replace("#?", "there are no reader conditionals", "write the one form that is meant"),
            Some('^') => self.skip_metadata(2),
            Some(':') => self.replace("#:", "keywords have no namespace", "write the map with plain keys: `{:name 1}`"),
            Some('=') => self.replace("#=", "nothing runs while a text is read", "write the form without `#=`"),
            Some('<') => self.refuse("#<", "this is the print of something that can't be read", "write a name or data"),
            Some(letter) if is_letter(letter) => self.read_tagged(),
            _ => self.refuse("#", "it begins no form", "write `#{1 2}`, `#(inc %)`, `#\"regex\"` or `#_ignored`"),
        }
    }

    /// Reads `#inst "…"`, `#time/date "…"`, `#fn[…]` or `#builtin[…]`.
    fn read_tagged(&mut self) -> Result<(), Diagnostic> {
        let start = self.position;
        let tag = &self.token()[1..];
        let behind = self.peek();
        let mut is_text = false;
        match tag {
            "fn" if behind == Some('[') => {
                self.position = start;
                return self.open(Bracket::Closure);
            }
            "builtin" if behind == Some('[') => {
                self.position += 1;
                let name = self.token();
                if !name.is_empty() && self.peek() == Some(']') {
                    self.position += 1;
                    self.add(FormKind::Builtin(name.into()), start);
                    return Ok(());
                }
            }
            "inst" | "time/date" => {
                self.take_while(is_blank);
                is_text = self.peek() == Some('"');
                if is_text {
                    let at = self.position;
                    let text = match self.string() {
                        Ok(text) => text,
                        Err(problem) => return self.recover(at, *problem),
                    };
                    let date = match tag {
                        "inst" => parse_instant(&text).map(FormKind::Inst),
                        _ => parse_day(&text).map(FormKind::Day),
                    };
                    if let Some(date) = date {
                        self.add(date, start);
                        return Ok(());
                    }
                }
            }
            _ => {}
        }
        let (message, hint) = match tag {
            "inst" => ("`#inst` needs a date".into(), "write `#inst \"2024-02-29T12:30:00Z\"`".into()),
            "time/date" => ("`#time/date` needs a date".into(), "write `#time/date \"2024-02-29\"`".into()),
            "fn" => ("`#fn` is only the print of a function".into(), "write `(fn [x] …)`".into()),
            "builtin" => {
                ("`#builtin` is only the print of a function".into(), "write the function's name alone".into())
            }
            _ => {
                let tag = excerpt(tag);
                (format!("there is no tag `#{tag}`"), format!("write the value after `#{tag}` without the tag"))
            }
        };
        self.recover(start, SyntaxProblem { message, hint, is_last: false })?;
        if !is_text {
            self.drop_next(start);
        }
        Ok(())
    }

    fn read_atom(&mut self, read: impl FnOnce(&mut Self) -> Read) -> Result<(), Diagnostic> {
        let start = self.position;
        match read(self) {
            Ok(kind) => {
                self.add(kind, start);
                Ok(())
            }
            Err(problem) => self.recover(start, *problem),
        }
    }

    /// Reports a problem of the form from `start` to the current position, and adds nil in its place.
    fn recover(&mut self, start: usize, problem: SyntaxProblem) -> Result<(), Diagnostic> {
        let is_last = problem.is_last;
        let span = Span::new(start, self.position);
        let problem = Diagnostic::at("parse_error", span, problem.message).with_hint(problem.hint);
        if is_last || self.problems.len() >= self.max_problems {
            return Err(problem);
        }
        self.problems.push(problem);
        self.add(FormKind::Nil, start);
        Ok(())
    }

    /// Drops the next form in the same bracket, if there is one.
    fn drop_next(&mut self, at: usize) {
        self.take_while(is_blank);
        if !matches!(self.peek(), None | Some(')' | ']' | '}')) {
            let level = self.level();
            level.discards += 1;
            level.discarded_at = at;
        }
    }

    fn open(&mut self, bracket: Bracket) -> Result<(), Diagnostic> {
        let start = self.position;
        self.position += bracket.opening().len();
        // The brackets of a printed closure do not nest values.
        let open = self.levels.len() - usize::from(bracket == Bracket::Closure);
        if open > MAX_NESTING {
            let span = Span::new(start, self.position);
            let message = format!("nested more than {MAX_NESTING} levels deep");
            return Err(Diagnostic::at("nesting_too_deep", span, message).with_hint("bind inner parts to names first"));
        }
        let is_quoted = self.level().is_quoted;
        self.levels.push(Level { is_quoted, ..Level::new(bracket, start) });
        Ok(())
    }

    fn close(&mut self, found: char) -> Result<(), Diagnostic> {
        let span = Span::new(self.position, self.position + 1);
        let Level { bracket, start, .. } = *self.level();
        if bracket == Bracket::Top {
            self.is_torn = true;
            let error = Diagnostic::at("parse_error", span, format!("`{found}` closes nothing"));
            let hint = indentation::superfluous(self.source, &self.level().forms);
            return Err(error.with_hint(with_place("remove it, or add the bracket that it closes".into(), hint)));
        }
        if bracket.closing() != found {
            let (opening, closing) = (bracket.opening(), bracket.closing());
            let message = format!("`{found}` does not close the `{opening}` of {}", self.location(start));
            let hint = with_place(format!("write `{closing}` first"), self.missing());
            return Err(Diagnostic::at("parse_error", span, message).with_hint(hint));
        }
        self.check_discards()?;
        self.position += 1;
        let is_quoted = self.level().is_quoted;
        let mut forms = self.levels.pop().map(|level| level.forms).unwrap_or_default();
        if forms.len() > self.max_parts && !(bracket.is_collection() && forms.iter().all(Form::is_atom)) {
            let message = format!("this has {} parts, and can have {}", forms.len(), self.max_parts);
            let error = Diagnostic::at(TOO_LARGE, Span::new(start, start + bracket.opening().len()), message);
            return Err(error.with_hint("bring long lists in as data, or split it into several forms"));
        }
        let kind = match bracket {
            Bracket::List if is_quoted => FormKind::Vector(forms),
            Bracket::List => FormKind::List(forms),
            Bracket::Vector => FormKind::Vector(forms),
            Bracket::Set => FormKind::Set(forms),
            Bracket::ShortFn => FormKind::ShortFn(forms),
            Bracket::Map if !forms.len().is_multiple_of(2) => {
                let key = forms.pop().map_or(Span::new(start, start), |form| form.span);
                let (count, last) = (forms.len() + 1, excerpt(&self.source[key.start..key.end]));
                let message = format!("a map is pairs of a key and a value, and this one holds {count} in all");
                let hint = format!("add a value behind `{last}`, or look for a missing one before it");
                return self.recover(start, SyntaxProblem { message, hint, is_last: false });
            }
            Bracket::Map => FormKind::Map(forms),
            Bracket::Closure => {
                let params = &self.source[start + bracket.opening().len()..self.position - 1];
                FormKind::Closure(params.into())
            }
            Bracket::Top => unreachable!("refused above"),
        };
        self.add(kind, start);
        Ok(())
    }

    fn finish(&mut self) -> Result<(), Diagnostic> {
        let Level { bracket, start, .. } = *self.level();
        if bracket == Bracket::Top {
            return self.check_discards();
        }
        let opening = bracket.opening();
        let missing: String = self.levels[1..].iter().rev().map(|level| level.bracket.closing()).collect();
        let message = format!("the `{opening}` of {} is never closed", self.location(start));
        let hint = with_place(format!("add `{}` where it ends", excerpt(&missing)), self.missing());
        Err(Diagnostic::at("parse_error", Span::new(start, start + opening.len()), message).with_hint(hint))
    }

    /// Returns where a bracket is probably missing.
    fn missing(&self) -> Option<String> {
        let open = self.levels[1..].iter().map(|Level { bracket, start, forms, .. }| OpenBracket {
            start: *start,
            closing: bracket.closing(),
            forms,
        });
        indentation::missing(self.source, &open.collect::<Vec<_>>())
    }

    fn check_discards(&mut self) -> Result<(), Diagnostic> {
        let Level { discards, discarded_at, ref derefs, metadata, .. } = *self.level();
        if let Some(at) = metadata {
            let error = Diagnostic::at("parse_error", Span::new(at, at + 1), "`^` has no form behind its metadata");
            return Err(error.with_hint("remove it: metadata and type hints mean nothing here"));
        }
        if let Some(&at) = derefs.last() {
            let error = Diagnostic::at("parse_error", Span::new(at, at + 1), "`@` has no form behind it");
            return Err(error.with_hint("remove it, or write `@x`"));
        }
        if discards == 0 {
            return Ok(());
        }
        let span = Span::new(discarded_at, discarded_at + 2);
        let error = Diagnostic::at("parse_error", span, "`#_` has no form behind it that it could drop");
        Err(error.with_hint("remove it, or write a comment with `;`"))
    }

    /// Adds the form from `start` to the current position, unless a `#_` drops it.
    fn add(&mut self, kind: FormKind, start: usize) {
        let mut form = Form { kind, span: Span::new(start, self.position) };
        let end = self.position;
        let level = self.level();
        while let Some(at) = level.derefs.pop() {
            let name = Symbol { namespace: Some("clojure.core".into()), name: "deref".into() };
            let head = Form { kind: FormKind::Symbol(name), span: Span::new(at, at + 1) };
            form = Form { kind: FormKind::List(vec![head, form]), span: Span::new(at, end) };
        }
        if level.discards > 0 {
            level.discards -= 1;
        } else {
            level.metadata = None;
            level.forms.push(form);
        }
    }

    /// Reports a sign that does not exist here, and drops the form behind it.
    fn replace(&mut self, sign: &str, message: &str, hint: &str) -> Result<(), Diagnostic> {
        let start = self.position;
        let message = format!("`{sign}` does not exist here: {message}");
        self.position += sign.len();
        if sign == "#:" {
            self.token();
        }
        self.recover(start, SyntaxProblem { message, hint: hint.into(), is_last: false })?;
        self.drop_next(start);
        Ok(())
    }

    fn level(&mut self) -> &mut Level {
        self.levels.last_mut().expect("the level of the text itself stays open")
    }

    fn refuse(&mut self, sign: &str, message: &str, hint: &str) -> Result<(), Diagnostic> {
        let span = Span::new(self.position, self.position + sign.len());
        let sign = if sign == "`" { "a backquote".into() } else { format!("`{sign}`") };
        Err(Diagnostic::at("parse_error", span, format!("{sign} does not exist here: {message}")).with_hint(hint))
    }

    fn location(&self, offset: usize) -> String {
        let (line, column) = line_and_column(self.source, offset);
        format!("line {line}, column {column}")
    }

    fn rest(&self) -> &'s str {
        &self.source[self.position..]
    }

    fn peek(&self) -> Option<char> {
        match self.source.as_bytes().get(self.position)? {
            byte if byte.is_ascii() => Some(char::from(*byte)),
            _ => self.rest().chars().next(),
        }
    }

    fn take_while(&mut self, is_taken: impl Fn(char) -> bool) -> &'s str {
        let rest = self.rest();
        let taken = &rest[..rest.find(|character| !is_taken(character)).unwrap_or(rest.len())];
        self.position += taken.len();
        taken
    }

    fn token(&mut self) -> &'s str {
        let start = self.position;
        let bytes = self.source.as_bytes();
        let mut end = start;
        while let Some(byte) = bytes.get(end) {
            if is_symbol_byte(*byte) {
                end += 1;
                continue;
            }
            self.position = end;
            if byte.is_ascii() || self.take_while(is_symbol_char).is_empty() {
                break;
            }
            end = self.position;
        }
        self.position = end;
        &self.source[start..end]
    }

    /// Reads a character literal: any character may follow the backslash.
    fn character(&mut self) -> Read {
        self.position += 1;
        let start = self.position;
        match self.peek() {
            Some(first) if !is_blank(first) || first == ',' => {
                self.position += first.len_utf8();
                if is_symbol_char(first) {
                    self.token();
                }
                atom::character(&self.source[start..self.position])
            }
            _ => problem("a backslash needs a character behind it", "write `\\space`, `\\newline` or `\\tab`"),
        }
    }

    /// Reads text up to the closing quote; `escape` reads each backslash and what follows it.
    fn quoted(&mut self, mut escape: impl FnMut(&mut Self, &mut String) -> Read<()>) -> Read<String> {
        let start = self.position;
        self.position += self.rest().find('"').unwrap_or(0) + 1;
        let mut text = String::new();
        let mut wrong = None;
        loop {
            let rest = self.rest();
            let end = rest.bytes().position(|byte| byte == b'"' || byte == b'\\').unwrap_or(rest.len());
            text.push_str(&rest[..end]);
            self.position += end;
            match self.peek() {
                Some('"') => {
                    self.position += 1;
                    return wrong.map_or(Ok(text), Err);
                }
                Some(_) if self.rest().len() > 1 => {
                    let problem = escape(self, &mut text).err();
                    wrong = wrong.or(problem);
                }
                _ => {
                    let message = format!("the string that begins at {} is never closed", self.location(start));
                    self.position = (start + 1).min(self.source.len());
                    let hint = "add the closing `\"`, and write `\\\"` for a quote inside the string";
                    let unclosed = SyntaxProblem { message, hint: hint.into(), is_last: true };
                    return Err(wrong.map_or(unclosed, |first| SyntaxProblem { is_last: true, ..*first }).into());
                }
            }
        }
    }

    /// Reads the source of a regex, which includes backslashes.
    fn regex(&mut self) -> Read {
        let source = self.quoted(|reader, text| {
            text.push('\\');
            text.push(reader.skip_backslash());
            Ok(())
        })?;
        Ok(FormKind::Regex(source.into()))
    }

    fn string(&mut self) -> Read<Str> {
        self.quoted(|reader, text| reader.escape().map(|character| text.push(character))).map(Str::from)
    }

    fn escape(&mut self) -> Read<char> {
        let start = self.position;
        let sign = self.skip_backslash();
        Ok(match sign {
            '\\' | '"' => sign,
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'b' => '\u{8}',
            'f' => '\u{C}',
            'u' => return self.unicode_escape(start),
            _ => {
                let shown = if sign.is_control() { ' ' } else { sign };
                let hint = match sign {
                    '0'..='7' => {
                        let digits = &self.source[start + 1..];
                        let length = digits.bytes().take(3).take_while(|byte| (b'0'..=b'7').contains(byte)).count();
                        let code = u32::from_str_radix(&digits[..length], 8).unwrap_or_default();
                        format!("there are no octal escapes: write `\\u{code:04X}`")
                    }
                    'a' => "write `\\u0007`".into(),
                    'e' => "write `\\u001B`".into(),
                    'x' => "write `\\u` and four hexadecimal digits".into(),
                    '\'' | '`' | '/' | '$' | '#' | '%' | '{' | '}' => format!("write `{sign}` without a backslash"),
                    _ => format!("write `\\\\{shown}` for a backslash"),
                };
                return problem(format!("`\\{shown}` is no escape in a string"), hint);
            }
        })
    }

    /// Skips a backslash and returns the character after it.
    fn skip_backslash(&mut self) -> char {
        let escaped = self.rest()[1..].chars().next().expect("a backslash at the end closes no string");
        self.position += 1 + escaped.len_utf8();
        escaped
    }

    /// Reads the rest of `\uXXXX` after its first two characters; joins surrogate pairs.
    fn unicode_escape(&mut self, start: usize) -> Read<char> {
        let Some(first) = self.hex_digits() else {
            return problem("`\\u` needs four hexadecimal digits", "write `\\u00E9`, or the character itself");
        };
        if let Some(character) = char::from_u32(first) {
            return Ok(character);
        }
        if self.rest().starts_with("\\u") {
            self.position += 2;
            let second = self.hex_digits().unwrap_or_default();
            if let Some(character) = from_surrogates(first, second) {
                return Ok(character);
            }
        }
        let half = excerpt(&self.source[start..start + 6]);
        problem(format!("`{half}` is half of a character"), "write both halves, or the character itself")
    }

    fn hex_digits(&mut self) -> Option<u32> {
        let value = self.rest().get(..4).and_then(atom::four_hex_digits)?;
        self.position += 4;
        Some(value)
    }
}

fn is_blank(character: char) -> bool {
    character.is_whitespace() || matches!(character, ',' | '\u{FEFF}')
}

#[cfg(test)]
mod tests;
