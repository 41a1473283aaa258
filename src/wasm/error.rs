//! Errors as JavaScript sees them.

use std::cell::RefCell;

use js_sys::{Object, Reflect};
use wasm_bindgen::prelude::*;

use crate::diagnostic::{Diagnostic, line_and_column};
use crate::turn::TurnError;
use crate::value::JsonError;

/// An error on its way out: `{code, message, details, hint}`.
#[derive(Debug)]
pub struct Failure {
    code: &'static str,
    message: String,
    details: Vec<(&'static str, JsValue)>,
    hint: Option<String>,
}

impl Failure {
    pub(super) fn new(code: &'static str, message: impl Into<String>) -> Failure {
        Failure { code, message: message.into(), details: Vec::new(), hint: None }
    }

    pub(super) fn with_detail(mut self, name: &'static str, value: impl Into<JsValue>) -> Failure {
        self.details.push((name, value.into()));
        self
    }

    pub(super) fn with_hint(mut self, hint: impl Into<String>) -> Failure {
        self.hint = Some(hint.into());
        self
    }

    /// A problem in `source`. Offsets are given in UTF-16 units.
    pub(super) fn diagnostic(diagnostic: &Diagnostic, source: &str) -> Failure {
        let mut failure = Failure::new(diagnostic.kind, diagnostic.message.clone());
        failure.hint = diagnostic.hint.clone();
        if let Some(span) = diagnostic.span {
            let utf16 = |offset: usize| source.get(..offset).map_or(source.len(), crate::message::utf16_len) as f64;
            let (line, column) = line_and_column(source, span.start);
            failure.details = vec![
                ("start", utf16(span.start).into()),
                ("end", utf16(span.end).into()),
                ("line", (line as f64).into()),
                ("column", (column as f64).into()),
            ];
        }
        failure
    }
}

impl From<JsonError> for Failure {
    fn from(error: JsonError) -> Failure {
        Failure::new(error.code, error.message)
    }
}

impl From<TurnError> for Failure {
    fn from(error: TurnError) -> Failure {
        match error {
            TurnError::Json(error) => Failure::from(error),
            TurnError::Version(_) => Failure::new("unknown_version", error.to_string()),
            TurnError::Field { ref path, .. } => {
                let path = path.clone();
                Failure::new("invalid_turn", error.to_string()).with_detail("path", path)
            }
        }
    }
}

impl From<Failure> for JsValue {
    fn from(failure: Failure) -> JsValue {
        let details = object(failure.details);
        let hint = failure.hint.map_or(JsValue::NULL, JsValue::from);
        object([
            ("code", failure.code.into()),
            ("message", failure.message.into()),
            ("details", details),
            ("hint", hint),
        ])
    }
}

/// A plain object.
pub(super) fn object(members: impl IntoIterator<Item = (&'static str, JsValue)>) -> JsValue {
    let object = Object::new();
    for (name, value) in members {
        // Setting a member of a fresh object can't fail.
        let _ = Reflect::set(&object, &name.into(), &value);
    }
    object.into()
}

thread_local! {
    static PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Shows a panic on the console, and keeps its message for the error that the package throws.
pub(super) fn keep_panics() {
    std::panic::set_hook(Box::new(|info| {
        PANIC.set(Some(info.to_string()));
        console_error_panic_hook::hook(info);
    }));
}

pub(super) fn take_panic() -> Option<String> {
    PANIC.take()
}
