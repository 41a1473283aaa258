//! The reader: source to forms. One pass over the text with a stack of open brackets instead of
//! recursion.

use super::atom::{self, Problem, Read, excerpt, problem};
use super::form::{Form, FormKind};
use crate::diagnostic::{Diagnostic, Span, line_and_column};
use crate::unicode::{from_surrogates, is_letter};
use crate::value::{MAX_NESTING, Str, is_symbol_byte, is_symbol_char, parse_instant};

/// Reads all forms of `source`. Commas and byte order marks are whitespace, `;` begins a comment,
/// and `#_` drops the next form.
///
/// Fails with `parse_error`, with a span and a hint, and with `nesting_too_deep` after [`MAX_NESTING`]
/// nested brackets.
pub fn read(source: &str) -> Result<Vec<Form>, Diagnostic> {
    let mut reader = Reader { source, position: 0, levels: vec![Level::new(Bracket::Top, 0)] };
    while let Some(first) = reader.peek() {
        reader.read_next(first)?;
    }
    reader.finish()
}

struct Reader<'s> {
    source: &'s str,
    position: usize,
    /// The whole text and the open brackets, outermost first.
    levels: Vec<Level>,
}

/// The contents of a bracket that have been read.
struct Level {
    bracket: Bracket,
    start: usize,
    forms: Vec<Form>,
    /// The number of forms still to drop, and the position of the last `#_`.
    discards: usize,
    discarded_at: usize,
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
        Level { bracket, start, forms: Vec::new(), discards: 0, discarded_at: 0 }
    }
}

impl<'s> Reader<'s> {
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
            '\\' => self.read_atom(Reader::character),
            ':' => self.read_atom(|reader| atom::keyword(reader.token())),
            '\'' => {
                let hint = if self.rest()[1..].starts_with('(') {
                    "lists and vectors are one type: write `[1 2]`"
                } else {
                    "symbols are no data: write a keyword `:x` or a string"
                };
                self.refuse("'", "nothing can be quoted", hint)
            }
            '`' | '~' => {
                let sign = if first == '`' { "`" } else { "~" };
                self.refuse(sign, "there are no macros", "write a function with `defn`")
            }
            '@' => self.refuse("@", "there is nothing to dereference", "write the name alone: `x` in place of `@x`"),
            '^' => self.refuse("^", "there is no metadata", "leave it and the type hint out"),
            _ if is_symbol_char(first) => self.read_atom(|reader| atom::number_or_symbol(reader.token())),
            _ => {
                let span = Span::new(self.position, self.position + first.len_utf8());
                let message = format!("unexpected character U+{:04X}", u32::from(first));
                Err(Diagnostic::at("parse_error", span, message).with_hint("remove it"))
            }
        }
    }

    /// Reads a form that begins with `#`.
    fn read_dispatch(&mut self) -> Result<(), Diagnostic> {
        let start = self.position;
        let behind = self.rest()[1..].chars().next();
        match behind {
            Some('{') => self.open(Bracket::Set),
            Some('(') => self.open(Bracket::ShortFn),
            Some('"') => self.read_atom(Reader::regex),
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
            Some('?') => self.refuse("#?", "there are no reader conditionals", "write the one form that is meant"),
            Some('^') => self.refuse("#^", "there is no metadata", "leave it and the type hint out"),
            Some(':') => self.refuse("#:", "keywords have no namespace", "write the map with plain keys: `{:name 1}`"),
            Some('=') => self.refuse("#=", "nothing runs while a text is read", "write the form without `#=`"),
            Some('<') => self.refuse("#<", "this is the print of something that can't be read", "write a name or data"),
            Some(letter) if is_letter(letter) => self.read_tagged(),
            _ => self.refuse("#", "it begins no form", "write `#{1 2}`, `#(inc %)`, `#\"regex\"` or `#_ignored`"),
        }
    }

    /// Reads `#inst "…"`, `#fn[…]` or `#builtin[…]`.
    fn read_tagged(&mut self) -> Result<(), Diagnostic> {
        let start = self.position;
        let tag = &self.token()[1..];
        let behind = self.peek();
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
            "inst" => {
                self.take_while(is_blank);
                if self.peek() == Some('"') {
                    let at = self.position;
                    let text = self.string().map_err(|problem| self.error(at, *problem))?;
                    if let Some(millis) = parse_instant(&text) {
                        self.add(FormKind::Inst(millis), start);
                        return Ok(());
                    }
                }
            }
            _ => {}
        }
        let (message, hint) = match tag {
            "inst" => ("`#inst` needs a date".into(), "write `#inst \"2024-02-29T12:30:00Z\"`".into()),
            "fn" => ("`#fn` is only the print of a function".into(), "write `(fn [x] …)`".into()),
            "builtin" => {
                ("`#builtin` is only the print of a function".into(), "write the function's name alone".into())
            }
            _ => {
                let tag = excerpt(tag);
                (format!("there is no tag `#{tag}`"), format!("write what stands behind `#{tag}` without the tag"))
            }
        };
        Err(self.error(start, Problem { message, hint }))
    }

    fn read_atom(&mut self, read: impl FnOnce(&mut Self) -> Read) -> Result<(), Diagnostic> {
        let start = self.position;
        match read(self) {
            Ok(kind) => {
                self.add(kind, start);
                Ok(())
            }
            Err(problem) => Err(self.error(start, *problem)),
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
        self.levels.push(Level::new(bracket, start));
        Ok(())
    }

    fn close(&mut self, found: char) -> Result<(), Diagnostic> {
        let span = Span::new(self.position, self.position + 1);
        let Level { bracket, start, .. } = *self.level();
        if bracket == Bracket::Top {
            let error = Diagnostic::at("parse_error", span, format!("`{found}` closes nothing"));
            return Err(error.with_hint("remove it, or add the bracket that it closes"));
        }
        if bracket.closing() != found {
            let (opening, closing) = (bracket.opening(), bracket.closing());
            let message = format!("`{found}` does not close the `{opening}` of {}", self.location(start));
            return Err(Diagnostic::at("parse_error", span, message).with_hint(format!("write `{closing}` first")));
        }
        self.check_discards()?;
        self.position += 1;
        let forms = self.levels.pop().map(|level| level.forms).unwrap_or_default();
        let kind = match bracket {
            Bracket::List => FormKind::List(forms),
            Bracket::Vector => FormKind::Vector(forms),
            Bracket::Set => FormKind::Set(forms),
            Bracket::ShortFn => FormKind::ShortFn(forms),
            Bracket::Map => {
                self.check_pairs(&forms, start)?;
                FormKind::Map(forms)
            }
            Bracket::Closure => {
                let params = &self.source[start + bracket.opening().len()..self.position - 1];
                FormKind::Closure(params.into())
            }
            Bracket::Top => unreachable!("refused above"),
        };
        self.add(kind, start);
        Ok(())
    }

    fn check_pairs(&self, forms: &[Form], start: usize) -> Result<(), Diagnostic> {
        let count = forms.len();
        match forms.last() {
            Some(key) if !count.is_multiple_of(2) => {
                let last = excerpt(&self.source[key.span.start..key.span.end]);
                let message = format!("a map is pairs of a key and a value, and this one holds {count} in all");
                let error = Diagnostic::at("parse_error", Span::new(start, self.position), message);
                Err(error.with_hint(format!("add a value behind `{last}`, or look for a missing one before it")))
            }
            _ => Ok(()),
        }
    }

    fn finish(mut self) -> Result<Vec<Form>, Diagnostic> {
        let Level { bracket, start, .. } = *self.level();
        if bracket == Bracket::Top {
            self.check_discards()?;
            return Ok(self.levels.pop().map(|level| level.forms).unwrap_or_default());
        }
        let opening = bracket.opening();
        let missing: String = self.levels[1..].iter().rev().map(|level| level.bracket.closing()).collect();
        let message = format!("the `{opening}` of {} is never closed", self.location(start));
        let hint = format!("add `{}` where it ends", excerpt(&missing));
        Err(Diagnostic::at("parse_error", Span::new(start, start + opening.len()), message).with_hint(hint))
    }

    fn check_discards(&mut self) -> Result<(), Diagnostic> {
        let Level { discards, discarded_at, .. } = *self.level();
        if discards == 0 {
            return Ok(());
        }
        let span = Span::new(discarded_at, discarded_at + 2);
        let error = Diagnostic::at("parse_error", span, "`#_` has no form behind it that it could drop");
        Err(error.with_hint("remove it, or write a comment with `;`"))
    }

    /// Adds the form from `start` to the current position, unless a `#_` drops it.
    fn add(&mut self, kind: FormKind, start: usize) {
        let form = Form { kind, span: Span::new(start, self.position) };
        let level = self.level();
        if level.discards > 0 {
            level.discards -= 1;
        } else {
            level.forms.push(form);
        }
    }

    fn level(&mut self) -> &mut Level {
        self.levels.last_mut().expect("the level of the text itself stays open")
    }

    fn refuse(&mut self, sign: &str, message: &str, hint: &str) -> Result<(), Diagnostic> {
        let span = Span::new(self.position, self.position + sign.len());
        let sign = if sign == "`" { "a backquote".into() } else { format!("`{sign}`") };
        Err(Diagnostic::at("parse_error", span, format!("{sign} does not exist here: {message}")).with_hint(hint))
    }

    fn error(&self, start: usize, problem: Problem) -> Diagnostic {
        let span = Span::new(start, self.position);
        Diagnostic::at("parse_error", span, problem.message).with_hint(problem.hint)
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
        loop {
            let rest = self.rest();
            let end = rest.bytes().position(|byte| byte == b'"' || byte == b'\\').unwrap_or(rest.len());
            text.push_str(&rest[..end]);
            self.position += end;
            match self.peek() {
                Some('"') => {
                    self.position += 1;
                    return Ok(text);
                }
                Some(_) if self.rest().len() > 1 => escape(self, &mut text)?,
                _ => {
                    let message = format!("the string that begins at {} is never closed", self.location(start));
                    self.position = (start + 1).min(self.source.len());
                    return problem(message, "add the closing `\"`, and write `\\\"` for a quote inside the string");
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
mod tests {
    use super::*;
    use crate::value::MAX_INTEGER_DIGITS;
    use proptest::prelude::*;

    /// Reads `source` and compares all forms, in the notation of their `Debug`.
    #[track_caller]
    fn check(source: &str, forms: &str) {
        let read: Vec<_> = read(source).unwrap().iter().map(|form| format!("{form:?}")).collect();
        assert_eq!(read.join(" "), forms);
    }

    /// Expects a `parse_error` at `location` (the first byte, and the number of bytes) with these texts in its message
    /// and its hint.
    #[track_caller]
    fn refused(source: &str, location: (usize, usize), message: &str, hint: &str) {
        let error = read(source).unwrap_err();
        let found = error.hint.clone().unwrap_or_default();
        assert!(error.message.contains(message) && found.contains(hint), "{error}");
        assert_eq!(
            (error.kind, error.span),
            ("parse_error", Some(Span::new(location.0, location.0 + location.1))),
            "{error}"
        );
    }

    #[test]
    fn brackets_contain_forms() {
        check("(f [1 {:a #{2}}] #(inc %))", "(f [1 {:a #{2}}] #(inc %))");
        check("()[]{}#{}#()", "() [] {} #{} #()");
        check("", "");
        check("{:a 1 :a 2}", "{:a 1 :a 2}");
    }

    #[test]
    fn commas_and_comments_are_blank() {
        check("\u{FEFF}1,,2 ; three\n\u{a0}4\r\n;5", "1 2 4");
        check("#_ 1 2", "2");
        check("[#_ #_ a b #_(c \"d\") e]", "[e]");
        check("{:a #_1 2}", "{:a 2}");
    }

    #[test]
    fn forms_know_their_position() {
        let forms = read(" (é :b)\n#_ x \"c\"").unwrap();
        let FormKind::List(inner) = &forms[0].kind else { panic!("{forms:?}") };
        let spans: Vec<_> =
            [&forms[0], &inner[0], &inner[1], &forms[1]].map(|form| (form.span.start, form.span.end)).into();
        assert_eq!(spans, [(1, 8), (2, 4), (5, 7), (14, 17)]);
    }

    #[test]
    fn integers_have_any_size_and_base() {
        check("42 -7 +7 007 0 -0 5N", "42 -7 7 7 0 0 5");
        check("0x1F -0xffN 2r101 36rZZ -8r17", "31 -255 5 1295 -15");
        check("9223372036854775807 -9223372036854775808", "9223372036854775807 -9223372036854775808");
        check("9223372036854775808 -99999999999999999999N", "9223372036854775808N -99999999999999999999N");
    }

    #[test]
    fn integers_of_too_many_digits_are_refused() {
        let largest = "9".repeat(MAX_INTEGER_DIGITS);
        for source in [&largest, &format!("-{largest}N"), &format!("10r{largest}")] {
            assert!(read(source).is_ok());
        }
        let says = "99...` is too large: an integer has at most 10000 digits";
        refused(&format!("[{largest}9]"), (1, MAX_INTEGER_DIGITS + 1), says, "a float, as in `1e30`, or a string");
        refused(&"9".repeat(1_000_000), (0, 1_000_000), says, "");
        refused(&format!("-{largest}9N"), (0, MAX_INTEGER_DIGITS + 3), says, "");
        refused(&format!("0x{}", "f".repeat(1_000_000)), (0, 1_000_002), "too large", "");
        refused(&format!("2r{}", "1".repeat(1_000_000)), (0, 1_000_002), "too large", "");
        refused(&format!("{}px", "9".repeat(1_000_000)), (0, 1_000_002), "is not a number", "");
    }

    #[test]
    fn floats() {
        check("1.5 -0.5 1e3 2.5E-4 1. +1.5 00.5 1.e2", "1.5 -0.5 1000.0 0.00025 1.0 1.5 0.5 100.0");
        check("##Inf ##-Inf ##NaN 1e999", "inf -inf NaN inf");
    }

    #[test]
    fn numbers_of_other_notations_say_what_to_write() {
        refused("[1/2]", (1, 3), "`1/2` is not a number", "there are no ratios: write `(/ 1 2)`");
        refused("-1/2", (0, 4), "", "`(/ -1 2)`");
        refused("1.5M", (0, 4), "", "there are no decimals: write `1.5`");
        refused("-10M", (0, 4), "", "write `-10`");
        refused("010", (0, 3), "leading zeros", "write `10`");
        refused("08", (0, 2), "leading zeros", "write `8`");
        refused("1_000_000", (0, 9), "", "write `1000000`");
        refused(".5", (0, 2), "`.5` is not a number", "write `0.5`");
        refused("-.5e3", (0, 5), "", "write `-0.5e3`");
        refused("2024-02-29", (0, 10), "", "`#inst \"2024-02-29\"`");
        refused("12px", (0, 4), "`12px` is not a number", "as a string");
        refused("2r102", (0, 5), "not a number in base 2", "2r101");
        refused("99r1", (0, 4), "base 99", "from 2 to 36");
        refused("0xG", (0, 3), "`0xG` is not a number", "");
        refused("##inf", (0, 5), "`##inf`", "`##Inf`");
        refused("1e", (0, 2), "`1e` is not a number", "");
    }

    #[test]
    fn strings_span_lines_and_unescape() {
        check("\"a\nb\" \"\\\\ \\\" \\n \\t \\r \\b \\f\"", r#""a\nb" "\\ \" \n \t \r \u{8} \u{c}""#);
        check(r#""\u00e9\uD83D\uDE00""#, "\"é😀\"");
        check(r#""""#, "\"\"");
    }

    #[test]
    fn wrong_escapes_say_what_to_write() {
        refused(r#""\d+""#, (0, 3), "`\\d` is no escape", "write `\\\\d`");
        refused(r#""a\101""#, (0, 4), "`\\1`", "write `\\u0041`");
        refused(r#""\x41""#, (0, 3), "", "write `\\u`");
        refused(r#""it\'s""#, (0, 5), "", "write `'` without a backslash");
        refused(r#""\u12""#, (0, 3), "four hexadecimal digits", "");
        refused(r#""\uD83D""#, (0, 7), "`\\uD83D` is half of a character", "");
        refused(r#""\uD83D\u0041""#, (0, 13), "half of a character", "");
        refused(r#""\uDE00\uD83D""#, (0, 13), "half of a character", "");
    }

    #[test]
    fn unclosed_strings_name_their_start() {
        refused("(a\n \"b c)", (4, 1), "the string that begins at line 2, column 2 is never closed", "closing `\"`");
        refused("\"a\\\"", (0, 1), "never closed", "");
        refused("\"a\\", (0, 1), "never closed", "");
        refused("#\"a", (0, 1), "never closed", "");
    }

    #[test]
    fn characters_are_short_strings() {
        check(r"\a \é \( \) \\ \, \; \u \o", r#""a" "é" "(" ")" "\\" "," ";" "u" "o""#);
        check(r"\newline \space \tab \return", r#""\n" " " "\t" "\r""#);
        check(r"\backspace \formfeed \u00e9 [\a]", r#""\u{8}" "\u{c}" "é" ["a"]"#);
        refused(r"\foo", (0, 4), "`\\foo` is not a character", "as a string: \"foo\"");
        refused(r"\o101", (0, 5), "", "write `\\u0041`");
        refused(r"\uD83D", (0, 6), "half of a character", "");
        refused("\\ a", (0, 1), "", "`\\space`");
        refused("\\", (0, 1), "", "`\\space`");
    }

    #[test]
    fn keywords() {
        check(":a :a-b? :a.b :größe :1 :nil :+ :a'b :x#", ":a :a-b? :a.b :größe :1 :nil :+ :a'b :x#");
        refused("::k", (0, 3), "has a namespace", "write `:k`");
        refused("[:user/name]", (1, 10), "has a namespace", "write `:name`, or the string \"user/name\"");
        refused("{\"a\": 1}", (4, 1), "needs a name", "{:name \"Laptop\"}");
        refused(":a:", (0, 3), "`:a:` is not a keyword", "write `:a`");
    }

    #[test]
    fn symbols() {
        check("a ns/name / *1 - + ... % %1 & -> a' .getTime", "a ns/name / *1 - + ... % %1 & -> a' .getTime");
        check("e5 nilly true? Math/PI clojure.core// a/b/c", "e5 nilly true? Math/PI clojure.core// a/b/c");
        check("nil true false", "nil true false");
        let forms = read("clojure.string/join").unwrap();
        let FormKind::Symbol(symbol) = &forms[0].kind else { panic!("{forms:?}") };
        assert_eq!((symbol.namespace.as_deref(), &*symbol.name), (Some("clojure.string"), "join"));
        refused("{name: 1}", (1, 5), "`name:` is not a name", "write `:name`");
        refused("a/", (0, 2), "", "`namespace/name`");
        refused("“text”", (0, 10), "typographic quote", "straight quotes");
    }

    #[test]
    fn vars_regexes_and_instants() {
        check("#'a #'user/b", "#'a #'user/b");
        check(r#"#"\d+\"\\" #"a b""#, r#"#"\\d+\\\"\\\\" #"a b""#);
        check("#inst \"1970-01-01T00:00:01Z\" #inst\"1970\"", "#inst 1000 #inst 0");
        refused("#inst \"tomorrow\"", (0, 16), "needs a date", "#inst \"2024-02-29T12:30:00Z\"");
        refused("#inst 5", (0, 6), "needs a date", "");
        refused("#'", (0, 2), "needs a name", "");
        refused("#':a", (0, 4), "needs a name", "");
        refused("#'5", (0, 3), "does not name", "");
    }

    #[test]
    fn printed_functions_are_forms() {
        check("#fn[a b & rest] #fn[] #builtin[sort-by]", "#fn[a b & rest] #fn[] #builtin[sort-by]");
        check("#fn[[a b] {:keys [c]}]", "#fn[[a b] {:keys [c]}]");
        refused("#fn (a)", (0, 3), "print of a function", "(fn [x] …)");
        refused("#builtin[a b]", (0, 10), "print of a function", "name alone");
    }

    #[test]
    fn what_does_not_exist_says_what_to_write() {
        refused("(f '(1 2))", (3, 1), "nothing can be quoted", "write `[1 2]`");
        refused("'a", (0, 1), "nothing can be quoted", "keyword `:x`");
        refused("`a", (0, 1), "a backquote does not exist here", "defn");
        refused("~a", (0, 1), "there are no macros", "defn");
        refused("@a", (0, 1), "nothing to dereference", "write the name alone");
        refused("^String a", (0, 1), "no metadata", "leave it");
        refused("#?(:clj 1)", (0, 2), "no reader conditionals", "");
        refused("#:a{:b 1}", (0, 2), "no namespace", "plain keys");
        refused("#uuid \"a\"", (0, 5), "there is no tag `#uuid`", "without the tag");
        refused("#<fn>", (0, 2), "can't be read", "");
        refused("# a", (0, 1), "begins no form", "#{1 2}");
        refused("a \u{1}", (2, 1), "U+0001", "remove");
    }

    #[test]
    fn brackets_that_do_not_match_name_the_opening_one() {
        refused("(let [a 1\n  (b)", (5, 1), "the `[` of line 1, column 6 is never closed", "add `])`");
        refused("[1\n (2]", (6, 1), "`]` does not close the `(` of line 2, column 2", "write `)` first");
        refused("#{1)", (3, 1), "the `#{` of line 1, column 1", "write `}` first");
        refused("(a))", (3, 1), "`)` closes nothing", "remove it");
        refused("#(", (0, 2), "the `#(` of line 1, column 1 is never closed", "add `)`");
    }

    #[test]
    fn maps_need_a_value_for_each_key() {
        refused("{:a 1 :b}", (0, 9), "this one holds 3 in all", "behind `:b`");
        refused("[{:a #_ 1}]", (1, 9), "holds 1 in all", "behind `:a`");
    }

    #[test]
    fn a_discard_needs_a_form() {
        refused("[1 #_]", (3, 2), "`#_` has no form", "remove it");
        refused("1 #_ #_ 2", (5, 2), "`#_` has no form", "");
    }

    #[test]
    fn nesting_is_bounded() {
        let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        assert!(read(&nested(MAX_NESTING)).is_ok());
        let error = read(&nested(MAX_NESTING + 1)).unwrap_err();
        assert_eq!((error.kind, error.span), ("nesting_too_deep", Some(Span::new(MAX_NESTING, MAX_NESTING + 1))));
    }

    #[test]
    fn a_million_levels_end_in_an_error() {
        for opening in ["[", "(", "{", "#{", "#(", "#fn[", "{:a ", "#_", "#_[", "'", "\""] {
            let error = read(&format!("{} ", opening.repeat(1_000_001))).unwrap_err();
            assert!(["parse_error", "nesting_too_deep"].contains(&error.kind), "{opening}: {error}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]

        #[test]
        fn no_text_breaks_the_reader(
            text in prop_oneof![
                ".{0,30}",
                r#"([\[\](){}"\\#:;'^@`~,/%&.+-]|#_|#inst|#fn\[|#builtin\[|\\u[dD][89cC]|0x|[0-9]|N|e|[a-zé\n ]){0,40}"#,
            ],
        ) {
            let read = read(&text);
            if let Ok(forms) = &read {
                prop_assert!(forms.iter().all(|form| text.is_char_boundary(form.span.start) && form.span.end <= text.len()));
            }
            if let Err(error) = read {
                let span = error.span.unwrap();
                prop_assert!(text.get(span.start..span.end).is_some_and(|location| !location.is_empty()), "{}", error);
                prop_assert!(error.hint.is_some());
            }
        }
    }
}
