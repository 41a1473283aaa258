//! Errors as JavaScript sees them.

use std::cell::RefCell;

use js_sys::{Object, Reflect};
use wasm_bindgen::prelude::*;

use crate::diagnostic::{Diagnostic, line_and_column};
use crate::turn::TurnError;
use crate::value::JsonError;

/// An error on its way out: the object `{code, message, details, hint}`.
#[derive(Debug)]
pub struct Failure(JsValue);

impl Failure {
    pub(super) fn new(code: &str, message: impl Into<JsValue>) -> Failure {
        Failure(object(&[
            ("code", code.into()),
            ("message", message.into()),
            ("details", object(&[])),
            ("hint", JsValue::NULL),
        ]))
    }

    pub(super) fn with_detail(self, name: &str, value: impl Into<JsValue>) -> Failure {
        if let Ok(details) = Reflect::get(&self.0, &"details".into()) {
            set(&details, name, &value.into());
        }
        self
    }

    pub(super) fn with_hint(self, hint: impl Into<JsValue>) -> Failure {
        set(&self.0, "hint", &hint.into());
        self
    }

    /// A problem in `source`. Offsets are given in UTF-16 units.
    pub(super) fn diagnostic(diagnostic: &Diagnostic, source: &str) -> Failure {
        let mut failure = Failure::new(diagnostic.kind, &diagnostic.message);
        if let Some(hint) = &diagnostic.hint {
            failure = failure.with_hint(hint);
        }
        if let Some(span) = diagnostic.span {
            let utf16 = |offset: usize| source.get(..offset).map_or(source.len(), crate::message::utf16_len);
            let (line, column) = line_and_column(source, span.start);
            let places = [("start", utf16(span.start)), ("end", utf16(span.end)), ("line", line), ("column", column)];
            for (name, place) in places {
                failure = failure.with_detail(name, place as f64);
            }
        }
        failure
    }
}

impl From<JsonError> for Failure {
    fn from(error: JsonError) -> Failure {
        let failure = Failure::new(error.code, error.message);
        match error.offset {
            Some(offset) => failure.with_detail("offset", offset as f64),
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
                let path = path.clone();
                Failure::new("invalid_turn", error.to_string()).with_detail("path", path)
            }
        }
    }
}

impl From<Failure> for JsValue {
    fn from(failure: Failure) -> JsValue {
        failure.0
    }
}

/// A plain object.
pub(super) fn object(members: &[(&str, JsValue)]) -> JsValue {
    let object = Object::new().into();
    for (name, value) in members {
        set(&object, name, value);
    }
    object
}

/// Sets a member of an object that was made here, which can't fail.
fn set(object: &JsValue, name: &str, value: &JsValue) {
    let _ = Reflect::set(object, &name.into(), value);
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
