//! Errors as JavaScript sees them.

use std::cell::RefCell;

use serde::{Serialize, Serializer};
use wasm_bindgen::prelude::*;

use crate::chat::ChatError;
use crate::diagnostic::Diagnostic;
use crate::signature::Mismatch;
use crate::turn::TurnError;
use crate::value::{JsonError, Value};

use super::read::{Problem, ProblemKind};
use super::write::to_object;
use crate::text::join;

/// An error for JavaScript: the object `{code, message, details, hint}`.
#[derive(Debug, Serialize)]
pub struct Failure(Box<FailureRecord>);

#[derive(Debug, Serialize)]
struct FailureRecord {
    code: &'static str,
    message: String,
    details: Details,
    hint: Option<String>,
}

/// The details of an error, by name.
#[derive(Debug, Default)]
struct Details(Vec<(&'static str, Detail)>);

/// A detail of an error.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum Detail {
    Number(f64),
    Text(String),
    Names(Vec<String>),
    /// Mismatches with a signature.
    Problems(Vec<MismatchRecord>),
}

/// A mismatch with a signature, and its path.
#[derive(Debug, Serialize)]
pub(super) struct MismatchRecord {
    path: String,
    message: String,
}

impl MismatchRecord {
    pub fn list(mismatches: &[Mismatch]) -> Vec<MismatchRecord> {
        let record =
            |Mismatch { path, message }: &Mismatch| MismatchRecord { path: path.clone(), message: message.clone() };
        mismatches.iter().map(record).collect()
    }
}

impl Serialize for Details {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, detail)| (name, detail)))
    }
}

impl From<&str> for Detail {
    fn from(text: &str) -> Detail {
        Detail::Text(text.to_owned())
    }
}

impl From<String> for Detail {
    fn from(text: String) -> Detail {
        Detail::Text(text)
    }
}

impl From<usize> for Detail {
    fn from(number: usize) -> Detail {
        Detail::Number(number as f64)
    }
}

impl Failure {
    pub(super) fn new(code: &'static str, message: impl Into<String>) -> Failure {
        Failure(Box::new(FailureRecord { code, message: message.into(), details: Details::default(), hint: None }))
    }

    pub(super) fn with_detail(mut self, name: &'static str, detail: impl Into<Detail>) -> Failure {
        self.0.details.0.push((name, detail.into()));
        self
    }

    pub(super) fn with_hint(mut self, hint: impl Into<String>) -> Failure {
        self.0.hint = Some(hint.into());
        self
    }

    /// A problem in `source`.
    pub(super) fn diagnostic(diagnostic: &Diagnostic, source: &str) -> Failure {
        let DiagnosticRecord { kind, message, hint, span } = DiagnosticRecord::of(diagnostic, &Positions::new(source));
        let mut failure = Failure::new(kind, message);
        failure.0.hint = hint.map(str::to_owned);
        match span {
            None => failure,
            Some(SpanRecord { start, end, line, column }) => failure
                .with_detail("start", start)
                .with_detail("end", end)
                .with_detail("line", line)
                .with_detail("column", column),
        }
    }
}

/// A problem of a program or another text in the language.
#[derive(Debug, Serialize)]
pub(super) struct DiagnosticRecord<'a> {
    kind: &'static str,
    message: &'a str,
    hint: Option<&'a str>,
    span: Option<SpanRecord>,
}

/// Offsets in UTF-16 units, line and column from 1.
#[derive(Debug, Serialize)]
struct SpanRecord {
    start: usize,
    end: usize,
    line: usize,
    column: usize,
}

impl<'a> DiagnosticRecord<'a> {
    pub fn of(diagnostic: &'a Diagnostic, source: &Positions<'_>) -> DiagnosticRecord<'a> {
        let span = diagnostic.span.map(|span| {
            let Position { utf16: start, line, column, .. } = source.at(span.start);
            SpanRecord { start, end: source.at(span.end).utf16, line, column }
        });
        DiagnosticRecord { kind: diagnostic.kind, message: &diagnostic.message, hint: diagnostic.hint.as_deref(), span }
    }
}

/// The positions in a source for hosts. They are counted once for all problems of the source.
pub(super) struct Positions<'s> {
    source: &'s str,
    /// A position about every [`STEP`] bytes, in order.
    known: Vec<Position>,
}

/// A place in a source: its offsets in bytes and in UTF-16 units, its line and its column in characters, from 1.
#[derive(Clone, Copy)]
struct Position {
    byte: usize,
    utf16: usize,
    line: usize,
    column: usize,
}

/// Bytes between known positions.
const STEP: usize = 256;

impl<'s> Positions<'s> {
    pub fn new(source: &'s str) -> Positions<'s> {
        let mut position = Position { byte: 0, utf16: 0, line: 1, column: 1 };
        let mut known = vec![position];
        while position.byte + STEP < source.len() {
            position = position.moved_to(position.byte + STEP, source);
            known.push(position);
        }
        Positions { source, known }
    }

    /// The position of a byte offset; of one within a character, the start of that character.
    fn at(&self, offset: usize) -> Position {
        let before = self.known.partition_point(|position| position.byte <= offset);
        self.known[before.saturating_sub(1)].moved_to(offset, self.source)
    }
}

impl Position {
    fn moved_to(mut self, offset: usize, source: &str) -> Position {
        let mut end = offset.min(source.len());
        while !source.is_char_boundary(end) {
            end -= 1;
        }
        for character in source[self.byte.min(end)..end].chars() {
            self.utf16 += character.len_utf16();
            (self.line, self.column) =
                if character == '\n' { (self.line + 1, 1) } else { (self.line, self.column + 1) };
        }
        self.byte = end;
        self
    }
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Failure {
        let (path, kind) = problem.into_parts();
        let called = if path.is_empty() { "the options".to_owned() } else { format!("`{path}`") };
        let failure = match kind {
            ProblemKind::Missing => Failure::new("invalid_option", format!("the option {called} is missing")),
            ProblemKind::Expected { expected, got } => {
                let got = got.map(|got| format!(", got {got}")).unwrap_or_default();
                Failure::new("invalid_option", format!("{called} must be {expected}{got}"))
            }
            ProblemKind::UnknownMember { known } => {
                let hint = match join(&known, ", ") {
                    none if none.is_empty() => "there is nothing to set here".to_owned(),
                    known => format!("there are {known}"),
                };
                let failure = Failure::new("invalid_option", format!("there is no option {called}")).with_hint(hint);
                failure.with_detail("known", Detail::Names(known))
            }
        };
        if path.is_empty() { failure } else { failure.with_detail("option", path) }
    }
}

impl From<ChatError> for Failure {
    fn from(error: ChatError) -> Failure {
        let mut failure = Failure::new(error.code, error.message);
        failure.0.hint = error.hint.map(str::to_owned);
        for (name, value) in error.details {
            failure = match value {
                Value::Int(number) => failure.with_detail(name, number as usize),
                other => failure.with_detail(name, other.as_str().unwrap_or_default()),
            };
        }
        failure
    }
}

impl From<JsonError> for Failure {
    fn from(error: JsonError) -> Failure {
        let failure = Failure::new(error.code, error.message);
        match error.offset {
            Some(offset) => failure.with_detail("offset", offset),
            None => failure,
        }
    }
}

impl From<TurnError> for Failure {
    fn from(error: TurnError) -> Failure {
        match error {
            TurnError::Json(error) => Failure::from(error),
            TurnError::Version(_) => Failure::new("unknown_version", error.to_string())
                .with_hint("read it with the version of turnfold that saved it, or a newer one"),
            TurnError::Field { ref path, .. } => {
                let path = path.to_string();
                Failure::new("invalid_turn", error.to_string()).with_detail("path", path)
            }
        }
    }
}

impl From<Failure> for JsValue {
    fn from(failure: Failure) -> JsValue {
        to_object(&failure)
    }
}

thread_local! {
    static PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Shows a panic on the console, and keeps its message for the error that the package throws.
pub(super) fn keep_panics() {
    std::panic::set_hook(Box::new(|info| {
        PANIC.with_borrow_mut(|panic| *panic = Some(info.to_string()));
        console_error_panic_hook::hook(info);
    }));
}

pub(super) fn take_panic() -> Option<String> {
    PANIC.take()
}
