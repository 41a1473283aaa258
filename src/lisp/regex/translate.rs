//! Translates the source of an expression to nodes: applies flags, and converts classes to sets of characters.

use std::ops::Range;

use regex_syntax::ast::parse::ParserBuilder;
use regex_syntax::ast::{
    AssertionKind, Ast, ClassAsciiKind, ClassBracketed, ClassPerlKind, ClassSet, ClassSetBinaryOpKind, ClassSetItem,
    ClassUnicode, ClassUnicodeKind, Flag, Flags, FlagsItemKind, GroupKind, RepetitionKind, RepetitionRange,
};

use super::category::{ascii, named};
use super::class::CharSet;
use super::cut::{Cut, MARKER, cut};
use super::look::Look;
use super::node::Node;

/// The deepest nesting of brackets.
const DEEPEST: u32 = 50;

/// The deepest nesting of look-around.
const DEEPEST_AROUND: usize = 10;

/// A translated expression.
#[derive(Debug)]
pub struct Expression {
    /// Its syntax tree.
    pub node: Node,
    /// The classes that its nodes refer to.
    pub classes: Vec<CharSet>,
    /// Its look-around; nested look-around precedes the one that contains it.
    pub arounds: Vec<AroundNode>,
    /// The number of its groups.
    pub groups: usize,
    /// The names of groups, with their numbers.
    pub names: Vec<(String, usize)>,
}

/// Look-around of an expression.
#[derive(Debug)]
pub struct AroundNode {
    pub is_behind: bool,
    pub is_negated: bool,
    pub node: Node,
    /// The numbers of the groups that are captured in it; those of negated look-around never are.
    pub groups: Option<Range<usize>>,
}

/// A source while it is translated.
struct SourcePart<'s> {
    /// The byte offset of the part in the whole source.
    start: usize,
    /// The look-around that is still to come, each for a [`MARKER`].
    cuts: std::vec::IntoIter<Cut<'s>>,
    /// The number of look-arounds around it.
    depth: usize,
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

/// What is wrong with a source, and the byte offset at which it is found.
struct Problem {
    message: String,
    at: Option<usize>,
}

impl<T: Into<String>> From<T> for Problem {
    fn from(message: T) -> Problem {
        Problem { message: message.into(), at: None }
    }
}

impl Expression {
    /// Reads a source. The error says what is wrong and where.
    pub fn read(source: &str) -> Result<Expression, String> {
        let (classes, arounds, names) = (Vec::new(), Vec::new(), Vec::new());
        let mut expression = Expression { node: Node::Empty, classes, arounds, groups: 0, names };
        let problem = match expression.read_part(source, 0, 0, &mut Mode::default()) {
            Ok(node) => {
                expression.node = node;
                return Ok(expression);
            }
            Err(problem) => problem,
        };
        Err(match problem.at {
            Some(at) => format!("{}, at character {}", problem.message, source[..at].chars().count() + 1),
            None => problem.message,
        })
    }

    /// Reads a part of a source, which begins at the byte offset `start` and is nested in `depth` look-arounds.
    fn read_part(&mut self, source: &str, start: usize, depth: usize, mode: &mut Mode) -> Result<Node, Problem> {
        if source.contains(MARKER) {
            return Err("the character U+10FFFE has no meaning".into());
        }
        if depth > DEEPEST_AROUND {
            return Err("look-around is nested too deeply".into());
        }
        let unclosed = |at| Problem { message: "unclosed group".into(), at: Some(start + at) };
        let (outer, cuts) = cut(source).map_err(unclosed)?;
        let ast = ParserBuilder::new().nest_limit(DEEPEST).build().parse(&outer).map_err(|problem| {
            let before = &outer[..problem.span().start.offset];
            let in_cuts = cuts.iter().zip(before.matches(MARKER)).map(|(cut, _)| cut.length - MARKER.len_utf8());
            Problem { message: problem.kind().to_string(), at: Some(start + before.len() + in_cuts.sum::<usize>()) }
        })?;
        let mut part = SourcePart { start, cuts: cuts.into_iter(), depth };
        let node = self.translate(&ast, mode, &mut part)?;
        match part.cuts.next() {
            Some(_) => Err("look-around can't stand in a comment".into()),
            None => Ok(node),
        }
    }

    fn look_around(&mut self, mode: Mode, part: &mut SourcePart<'_>) -> Result<Node, Problem> {
        let Some(Cut { is_behind, is_negated, inner, inner_start, .. }) = part.cuts.next() else {
            return Ok(Node::Empty);
        };
        let first = self.groups + 1;
        let node = self.read_part(inner, part.start + inner_start, part.depth + 1, &mut { mode })?;
        let groups = (self.groups >= first && !is_negated).then_some(first..self.groups + 1);
        if is_behind && groups.is_some() {
            return Err("a group in look-behind has to be written as `(?:…)`".into());
        }
        let captured = groups.as_ref().map(|groups| groups.start);
        self.arounds.push(AroundNode { is_behind, is_negated, node, groups });
        Ok(Node::Around(self.arounds.len() - 1, captured))
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

    fn translate(&mut self, ast: &Ast, mode: &mut Mode, part: &mut SourcePart<'_>) -> Result<Node, Problem> {
        Ok(match ast {
            Ast::Empty(_) => Node::Empty,
            Ast::Flags(set) => {
                mode.apply(&set.flags);
                Node::Empty
            }
            Ast::Literal(literal) if literal.c == MARKER => self.look_around(*mode, part)?,
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
            Ast::ClassUnicode(class) => {
                let class = unicode(class, mode.ignores_case)?;
                self.class(class)
            }
            Ast::ClassPerl(class) => self.class(perl(&class.kind, class.negated)),
            Ast::ClassBracketed(class) => {
                let class = bracketed(class, mode.ignores_case)?;
                self.class(class)
            }
            Ast::Repetition(repetition) if matches!(*repetition.ast, Ast::Repetition(_)) => {
                return Err("a repetition can't follow another one".into());
            }
            Ast::Repetition(repetition) => {
                let node = Box::new(self.translate(&repetition.ast, mode, part)?);
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
                let is_captured = !matches!(group.kind, GroupKind::NonCapturing(_));
                // The parser does not count the groups in look-around.
                self.groups += usize::from(is_captured);
                let number = self.groups;
                match &group.kind {
                    GroupKind::CaptureIndex(_) => {}
                    GroupKind::CaptureName { name, .. } => {
                        if self.names.iter().any(|(known, _)| *known == name.name) {
                            return Err(format!("two groups have the name `{}`", name.name).into());
                        }
                        self.names.push((name.name.clone(), number));
                    }
                    GroupKind::NonCapturing(flags) => inner.apply(flags),
                }
                let node = self.translate(&group.ast, &mut inner, part)?;
                if is_captured { Node::Group(number, Box::new(node)) } else { node }
            }
            Ast::Alternation(choice) => Node::Choice(self.translate_all(&choice.asts, mode, part)?),
            Ast::Concat(row) => Node::Row(self.translate_all(&row.asts, mode, part)?),
        })
    }

    fn translate_all(
        &mut self,
        asts: &[Ast],
        mode: &mut Mode,
        part: &mut SourcePart<'_>,
    ) -> Result<Vec<Node>, Problem> {
        asts.iter().map(|ast| self.translate(ast, mode, part)).collect()
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

fn bracketed(class: &ClassBracketed, ignores_case: bool) -> Result<CharSet, Problem> {
    let found = set(&class.kind, ignores_case)?;
    Ok(if class.negated { found.negated() } else { found })
}

fn set(set: &ClassSet, ignores_case: bool) -> Result<CharSet, Problem> {
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

fn item(item: &ClassSetItem, ignores_case: bool, ranges: &mut Vec<(char, char)>) -> Result<(), Problem> {
    match item {
        ClassSetItem::Empty(_) => {}
        ClassSetItem::Literal(literal) => ranges.push((literal.c, literal.c)),
        ClassSetItem::Range(range) => ranges.push((range.start.c, range.end.c)),
        ClassSetItem::Ascii(class) => {
            let found = CharSet::new(ascii(&class.kind).to_vec());
            ranges.extend_from_slice(if class.negated { found.negated() } else { found }.ranges());
        }
        ClassSetItem::Unicode(class) => ranges.extend_from_slice(unicode(class, ignores_case)?.ranges()),
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

/// Returns the characters of `\p{name}`.
fn unicode(class: &ClassUnicode, ignores_case: bool) -> Result<CharSet, Problem> {
    let name = match &class.kind {
        ClassUnicodeKind::OneLetter(letter) => letter.to_string(),
        ClassUnicodeKind::Named(name) => name.clone(),
        ClassUnicodeKind::NamedValue { name, value, .. } => format!("{name}={value}"),
    };
    match named(&name, ignores_case) {
        Some(found) if class.is_negated() => Ok(found.negated()),
        Some(found) => Ok(found),
        None => Err(format!("there is no class `\\p{{{name}}}`").into()),
    }
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
