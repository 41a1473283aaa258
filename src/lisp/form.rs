//! Forms: the syntax tree of a program.

use std::fmt;
use std::rc::Rc;

use crate::diagnostic::Span;
use crate::value::{BigInt, Str};

/// A node of the syntax tree. Forms may be nested to any depth: they drop and format without recursion.
pub struct Form {
    /// Its kind and contents.
    pub kind: FormKind,
    /// Its bytes in the source.
    pub span: Span,
}

/// The kinds of forms.
pub enum FormKind {
    /// `nil`
    Nil,
    /// `true`, `false`
    Bool(bool),
    /// An integer that fits 64 bits.
    Int(i64),
    /// An integer that does not.
    BigInt(Rc<BigInt>),
    /// `1.5`, `##Inf`
    Float(f64),
    /// `"text"`; a character `\a` is a string too.
    Str(Str),
    /// `:name`, without the colon.
    Keyword(Str),
    /// `name`, `ns/name`
    Symbol(Symbol),
    /// `(…)`
    List(Vec<Form>),
    /// `[…]`
    Vector(Vec<Form>),
    /// `{…}` as written, alternating keys and values: a key may occur twice.
    Map(Vec<Form>),
    /// `#{…}` as written: an element may occur twice.
    Set(Vec<Form>),
    /// `#(…)`
    ShortFn(Vec<Form>),
    /// `#'name`
    Var(Symbol),
    /// `#"source"`
    Regex(Str),
    /// `#inst "…"`, in milliseconds since 1970-01-01T00:00:00Z.
    Inst(i64),
    /// `#time/date "…"`, in days since 1970-01-01.
    Day(i64),
    /// `#fn[params]`, the text of a closure, which is data and can't be called.
    Closure(Str),
    /// `#builtin[name]`, the text of a library function.
    Builtin(Str),
}

/// `name` or `namespace/name`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Symbol {
    /// The part before the first `/`.
    pub namespace: Option<Str>,
    /// The name itself.
    pub name: Str,
}

impl fmt::Display for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(namespace) = &self.namespace {
            write!(f, "{namespace}/")?;
        }
        f.write_str(&self.name)
    }
}

impl Form {
    /// Returns whether this is a literal without parts.
    pub(super) fn is_atom(&self) -> bool {
        !matches!(
            self.kind,
            FormKind::Symbol(_)
                | FormKind::List(_)
                | FormKind::Vector(_)
                | FormKind::Map(_)
                | FormKind::Set(_)
                | FormKind::ShortFn(_)
        )
    }
}

impl Drop for Form {
    fn drop(&mut self) {
        let Some(forms) = self.kind.children() else { return };
        let mut pending = std::mem::take(forms);
        while let Some(mut form) = pending.pop() {
            if let Some(forms) = form.kind.children() {
                pending.append(forms);
            }
        }
    }
}

impl FormKind {
    fn children(&mut self) -> Option<&mut Vec<Form>> {
        match self {
            FormKind::List(forms)
            | FormKind::Vector(forms)
            | FormKind::Map(forms)
            | FormKind::Set(forms)
            | FormKind::ShortFn(forms) => Some(forms),
            _ => None,
        }
    }
}

/// The form as text, with one notation for each literal: big integers end in `N`, instants are
/// milliseconds.
impl fmt::Debug for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        enum DebugPiece<'a> {
            Form(&'a Form),
            Text(&'static str),
        }
        let mut pieces = vec![DebugPiece::Form(self)];
        while let Some(piece) = pieces.pop() {
            let form = match piece {
                DebugPiece::Form(form) => form,
                DebugPiece::Text(text) => {
                    f.write_str(text)?;
                    continue;
                }
            };
            let (start, children, end): (_, Vec<&Form>, _) = match &form.kind {
                FormKind::List(forms) => ("(", forms.iter().collect(), ")"),
                FormKind::Vector(forms) => ("[", forms.iter().collect(), "]"),
                FormKind::Set(forms) => ("#{", forms.iter().collect(), "}"),
                FormKind::ShortFn(forms) => ("#(", forms.iter().collect(), ")"),
                FormKind::Map(forms) => ("{", forms.iter().collect(), "}"),
                FormKind::Nil => ("nil", vec![], ""),
                FormKind::Bool(true) => ("true", vec![], ""),
                FormKind::Bool(false) => ("false", vec![], ""),
                leaf => {
                    match leaf {
                        FormKind::Int(value) => write!(f, "{value}"),
                        FormKind::BigInt(value) => write!(f, "{value}N"),
                        FormKind::Float(value) => write!(f, "{value:?}"),
                        FormKind::Str(text) => write!(f, "{text:?}"),
                        FormKind::Keyword(name) => write!(f, ":{name}"),
                        FormKind::Symbol(symbol) => write!(f, "{symbol}"),
                        FormKind::Var(symbol) => write!(f, "#'{symbol}"),
                        FormKind::Regex(source) => write!(f, "#{source:?}"),
                        FormKind::Inst(millis) => write!(f, "#inst {millis}"),
                        FormKind::Day(days) => write!(f, "#time/date {days}"),
                        FormKind::Closure(params) => write!(f, "#fn[{params}]"),
                        FormKind::Builtin(name) => write!(f, "#builtin[{name}]"),
                        _ => Ok(()),
                    }?;
                    continue;
                }
            };
            f.write_str(start)?;
            pieces.push(DebugPiece::Text(end));
            for (index, child) in children.into_iter().enumerate().rev() {
                pieces.push(DebugPiece::Form(child));
                pieces.push(DebugPiece::Text(if index > 0 { " " } else { "" }));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_million_levels_drop_and_format() {
        let leaf = Form { kind: FormKind::Nil, span: Span::new(0, 0) };
        let deep = (0..1_000_000).fold(leaf, |inner, level| {
            let kind = match level % 3 {
                0 => FormKind::List(vec![inner]),
                1 => FormKind::ShortFn(vec![inner]),
                _ => FormKind::Map(vec![Form { kind: FormKind::Nil, span: Span::new(0, 0) }, inner]),
            };
            Form { kind, span: Span::new(0, 0) }
        });
        assert!(format!("{deep:?}").starts_with("({nil #(({nil"));
    }
}
