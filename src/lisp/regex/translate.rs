//! Translates the source of an expression to nodes: applies flags, and converts classes to sets of characters.

use regex_syntax::ast::parse::ParserBuilder;
use regex_syntax::ast::{
    AssertionKind, Ast, ClassAsciiKind, ClassBracketed, ClassPerlKind, ClassSet, ClassSetBinaryOpKind, ClassSetItem,
    Flag, Flags, FlagsItemKind, GroupKind, RepetitionKind, RepetitionRange,
};

use super::class::CharSet;
use super::look::Look;
use super::node::Node;

/// The deepest nesting of brackets.
const DEEPEST: u32 = 50;

/// A translated expression.
#[derive(Debug)]
pub struct Expression {
    /// Its syntax tree.
    pub node: Node,
    /// The classes that its nodes refer to.
    pub classes: Vec<CharSet>,
    /// The number of its groups.
    pub groups: usize,
    /// The names of groups, with their numbers.
    pub names: Vec<(String, usize)>,
}

/// The flags in effect at a position of an expression.
#[derive(Clone, Copy, Default)]
struct Mode {
    /// `i`: both cases of letters.
    ignores_case: bool,
    /// `m`: `^` and `$` match at the ends of lines.
    by_lines: bool,
    /// `s`: `.` matches any character.
    dot_is_all: bool,
    /// `U`: fewer repetitions are preferred; `?` inverts the preference.
    is_lazy: bool,
    /// `R`: lines may end with a carriage return.
    carriage_returns: bool,
}

impl Expression {
    /// Reads a source. The error says what is wrong and where.
    pub fn read(source: &str) -> Result<Expression, String> {
        let ast = ParserBuilder::new().nest_limit(DEEPEST).build().parse(source).map_err(|problem| {
            format!("{}, at character {}", problem.kind(), source[..problem.span().start.offset].chars().count() + 1)
        })?;
        let mut expression = Expression { node: Node::Empty, classes: Vec::new(), groups: 0, names: Vec::new() };
        expression.node = expression.translate(&ast, &mut Mode::default())?;
        Ok(expression)
    }

    fn class(&mut self, class: CharSet) -> Node {
        let position = self.classes.iter().rev().take(8).position(|found| *found == class);
        Node::Class(match position {
            Some(back) => self.classes.len() - 1 - back,
            None => {
                self.classes.push(class);
                self.classes.len() - 1
            }
        })
    }

    fn translate(&mut self, ast: &Ast, mode: &mut Mode) -> Result<Node, String> {
        Ok(match ast {
            Ast::Empty(_) => Node::Empty,
            Ast::Flags(set) => {
                mode.apply(&set.flags);
                Node::Empty
            }
            Ast::Literal(literal) if mode.ignores_case && literal.c.is_ascii_alphabetic() => {
                self.class(CharSet::new(vec![(literal.c, literal.c)]).ignoring_case())
            }
            Ast::Literal(literal) => Node::Char(literal.c),
            Ast::Dot(_) => {
                let excluded = match (mode.dot_is_all, mode.carriage_returns) {
                    (true, _) => vec![],
                    (false, false) => vec![('\n', '\n')],
                    (false, true) => vec![('\n', '\n'), ('\r', '\r')],
                };
                self.class(CharSet::new(excluded).negated())
            }
            Ast::Assertion(assertion) => Node::Look(mode.look(&assertion.kind)),
            Ast::ClassUnicode(_) => return unicode_class(),
            Ast::ClassPerl(class) => self.class(perl(&class.kind, class.negated)),
            Ast::ClassBracketed(class) => {
                let class = bracketed(class, mode.ignores_case)?;
                self.class(class)
            }
            Ast::Repetition(repetition) if matches!(*repetition.ast, Ast::Repetition(_)) => {
                return Err("a repetition can't follow another one".into());
            }
            Ast::Repetition(repetition) => {
                let node = Box::new(self.translate(&repetition.ast, mode)?);
                let (min, max) = match repetition.op.kind {
                    RepetitionKind::ZeroOrOne => (0, Some(1)),
                    RepetitionKind::ZeroOrMore => (0, None),
                    RepetitionKind::OneOrMore => (1, None),
                    RepetitionKind::Range(RepetitionRange::Exactly(times)) => (times, Some(times)),
                    RepetitionKind::Range(RepetitionRange::AtLeast(min)) => (min, None),
                    RepetitionKind::Range(RepetitionRange::Bounded(min, max)) => (min, Some(max)),
                };
                Node::Repeat { node, min, max, greedy: repetition.greedy != mode.is_lazy }
            }
            Ast::Group(group) => {
                // Flags that are set within a group apply up to its end.
                let mut inner = *mode;
                let number = match &group.kind {
                    GroupKind::CaptureIndex(number) => Some(*number),
                    GroupKind::CaptureName { name, .. } => {
                        self.names.push((name.name.clone(), name.index as usize));
                        Some(name.index)
                    }
                    GroupKind::NonCapturing(flags) => {
                        inner.apply(flags);
                        None
                    }
                };
                let number = number.map(|number| number as usize);
                self.groups = self.groups.max(number.unwrap_or(0));
                let node = self.translate(&group.ast, &mut inner)?;
                match number {
                    Some(number) => Node::Group(number, Box::new(node)),
                    None => node,
                }
            }
            Ast::Alternation(choice) => Node::Choice(self.translate_all(&choice.asts, mode)?),
            Ast::Concat(row) => Node::Row(self.translate_all(&row.asts, mode)?),
        })
    }

    fn translate_all(&mut self, asts: &[Ast], mode: &mut Mode) -> Result<Vec<Node>, String> {
        asts.iter().map(|ast| self.translate(ast, mode)).collect()
    }
}

impl Mode {
    fn apply(&mut self, flags: &Flags) {
        let mut is_on = true;
        for item in &flags.items {
            match item.kind {
                FlagsItemKind::Negation => is_on = false,
                FlagsItemKind::Flag(Flag::CaseInsensitive) => self.ignores_case = is_on,
                FlagsItemKind::Flag(Flag::MultiLine) => self.by_lines = is_on,
                FlagsItemKind::Flag(Flag::DotMatchesNewLine) => self.dot_is_all = is_on,
                FlagsItemKind::Flag(Flag::SwapGreed) => self.is_lazy = is_on,
                FlagsItemKind::Flag(Flag::CRLF) => self.carriage_returns = is_on,
                // The parser itself ignores white space, and classes are ASCII classes with and without `u`.
                FlagsItemKind::Flag(Flag::IgnoreWhitespace | Flag::Unicode) => {}
            }
        }
    }

    fn look(self, kind: &AssertionKind) -> Look {
        match kind {
            AssertionKind::StartText => Look::Start,
            AssertionKind::EndText => Look::End,
            AssertionKind::StartLine if !self.by_lines => Look::Start,
            AssertionKind::EndLine if !self.by_lines => Look::End,
            AssertionKind::StartLine if self.carriage_returns => Look::StartOfAnyLine,
            AssertionKind::EndLine if self.carriage_returns => Look::EndOfAnyLine,
            AssertionKind::StartLine => Look::StartOfLine,
            AssertionKind::EndLine => Look::EndOfLine,
            AssertionKind::WordBoundary => Look::WordBoundary,
            AssertionKind::NotWordBoundary => Look::NoWordBoundary,
            AssertionKind::WordBoundaryStart | AssertionKind::WordBoundaryStartAngle => Look::StartOfWord,
            AssertionKind::WordBoundaryEnd | AssertionKind::WordBoundaryEndAngle => Look::EndOfWord,
            AssertionKind::WordBoundaryStartHalf => Look::NoWordBefore,
            AssertionKind::WordBoundaryEndHalf => Look::NoWordAfter,
        }
    }
}

fn unicode_class<T>() -> Result<T, String> {
    Err("Unicode character classes are not supported".into())
}

fn bracketed(class: &ClassBracketed, ignores_case: bool) -> Result<CharSet, String> {
    let found = set(&class.kind, ignores_case)?;
    Ok(if class.negated { found.negated() } else { found })
}

fn set(set: &ClassSet, ignores_case: bool) -> Result<CharSet, String> {
    let operation = match set {
        ClassSet::Item(found) => {
            let mut ranges = Vec::new();
            item(found, ignores_case, &mut ranges)?;
            let class = CharSet::new(ranges);
            return Ok(if ignores_case { class.ignoring_case() } else { class });
        }
        ClassSet::BinaryOp(operation) => operation,
    };
    let (left, right) = (self::set(&operation.lhs, ignores_case)?, self::set(&operation.rhs, ignores_case)?);
    match operation.kind {
        ClassSetBinaryOpKind::Intersection => Ok(left.and(&right)),
        _ => Err("only `&&` combines classes".into()),
    }
}

fn item(item: &ClassSetItem, ignores_case: bool, ranges: &mut Vec<(char, char)>) -> Result<(), String> {
    match item {
        ClassSetItem::Empty(_) => {}
        ClassSetItem::Literal(literal) => ranges.push((literal.c, literal.c)),
        ClassSetItem::Range(range) => ranges.push((range.start.c, range.end.c)),
        ClassSetItem::Ascii(class) => {
            let found = CharSet::new(ascii(&class.kind).to_vec());
            ranges.extend_from_slice(if class.negated { found.negated() } else { found }.ranges());
        }
        ClassSetItem::Unicode(_) => return unicode_class(),
        ClassSetItem::Perl(class) => ranges.extend_from_slice(perl(&class.kind, class.negated).ranges()),
        ClassSetItem::Bracketed(class) => ranges.extend_from_slice(bracketed(class, ignores_case)?.ranges()),
        ClassSetItem::Union(union) => {
            for found in &union.items {
                self::item(found, ignores_case, ranges)?;
            }
        }
    }
    Ok(())
}

fn perl(kind: &ClassPerlKind, is_negated: bool) -> CharSet {
    let class = CharSet::new(
        ascii(&match kind {
            ClassPerlKind::Digit => ClassAsciiKind::Digit,
            ClassPerlKind::Space => ClassAsciiKind::Space,
            ClassPerlKind::Word => ClassAsciiKind::Word,
        })
        .to_vec(),
    );
    if is_negated { class.negated() } else { class }
}

fn ascii(kind: &ClassAsciiKind) -> &'static [(char, char)] {
    match kind {
        ClassAsciiKind::Alnum => &[('0', '9'), ('A', 'Z'), ('a', 'z')],
        ClassAsciiKind::Alpha => &[('A', 'Z'), ('a', 'z')],
        ClassAsciiKind::Ascii => &[('\0', '\x7F')],
        ClassAsciiKind::Blank => &[('\t', '\t'), (' ', ' ')],
        ClassAsciiKind::Cntrl => &[('\0', '\x1F'), ('\x7F', '\x7F')],
        ClassAsciiKind::Digit => &[('0', '9')],
        ClassAsciiKind::Graph => &[('!', '~')],
        ClassAsciiKind::Lower => &[('a', 'z')],
        ClassAsciiKind::Print => &[(' ', '~')],
        ClassAsciiKind::Punct => &[('!', '/'), (':', '@'), ('[', '`'), ('{', '~')],
        ClassAsciiKind::Space => &[('\t', '\r'), (' ', ' ')],
        ClassAsciiKind::Upper => &[('A', 'Z')],
        ClassAsciiKind::Word => &[('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')],
        ClassAsciiKind::Xdigit => &[('0', '9'), ('A', 'F'), ('a', 'f')],
    }
}
