//! Exports for the language, and for sandboxes and runs, which run programs.

mod run;
mod sandbox;

use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::*;

use crate::lisp;
use crate::value::{self, PrintOptions, Str};

use super::error::{DiagnosticRecord, Failure, Positions};
use super::read::read;
use super::scratch::incoming;
use super::turns::incoming_value;
use super::types::Count;
use super::write::to_object;

pub use run::{RunHandle, check_agent, system_prompt};
pub use sandbox::{SandboxHandle, free_some};

/// What a program or a run needs next. It is a `Result` even where nothing fails, because an export must not return a
/// lone reference: when a function of the host makes the V8 of Node 20 and 22 drop the optimized code that called the
/// export, V8 ends the process. A `Result` is returned as several numbers.
type Requested = Result<JsValue, Failure>;

/// The type label of the value in the scratch buffer.
#[wasm_bindgen(js_name = typeOf)]
pub fn type_of(length: usize) -> Result<String, Failure> {
    Ok(value::type_of(&incoming_value(length)?))
}

/// How much of a value [`to_clojure`] writes.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ClojureOptions {
    limit: Option<Count<0>>,
    printable_limit: Option<Count<0>>,
    filter_hidden: Option<bool>,
}

#[derive(Serialize)]
struct ClojureRecord {
    text: String,
    truncated: bool,
}

/// Clojure text of the value in the scratch buffer, a [`ClojureRecord`].
#[wasm_bindgen(js_name = toClojure)]
pub fn to_clojure(length: usize, options: &JsValue) -> Result<JsValue, Failure> {
    let options: ClojureOptions = read(options, "")?;
    let options = PrintOptions {
        limit: options.limit.map(|Count(limit)| limit),
        printable_limit: options.printable_limit.map(|Count(limit)| limit),
        filter_hidden: options.filter_hidden.unwrap_or(false),
    };
    let clojure = value::to_clojure(&incoming_value(length)?, &options);
    Ok(to_object(&ClojureRecord { text: clojure.text, truncated: clojure.truncated }))
}

/// The value of the Clojure literal in the scratch buffer, as JSON.
#[wasm_bindgen(js_name = readClojure)]
pub fn read_clojure(length: usize) -> Result<String, Failure> {
    let source = incoming(length)?;
    match lisp::read_value(&source) {
        Ok(value) => Ok(value::to_json(&value)),
        Err(diagnostic) => Err(Failure::diagnostic(&diagnostic, &source)),
    }
}

/// The names that a program may use besides those of the language. An absent list means that its names are unknown.
#[derive(Deserialize)]
struct KnownNames {
    tools: Option<Vec<String>>,
    data: Option<Vec<String>>,
    memory: Option<Vec<String>>,
}

impl From<KnownNames> for lisp::Known {
    fn from(KnownNames { tools, data, memory }: KnownNames) -> lisp::Known {
        let texts = |names: Option<Vec<String>>| names.map(|names| names.into_iter().map(Str::from).collect());
        lisp::Known { tools: texts(tools), data: texts(data), memory: texts(memory) }
    }
}

/// All problems of the program in the scratch buffer, a list of [`DiagnosticRecord`].
#[wasm_bindgen]
pub fn check(length: usize, names: &JsValue) -> Result<JsValue, Failure> {
    let known: KnownNames = read(names, "names")?;
    let source = incoming(length)?;
    let problems = lisp::check(&source, &known.into());
    let positions = Positions::new(&source);
    let problems: Vec<_> = problems.iter().map(|problem| DiagnosticRecord::of(problem, &positions)).collect();
    Ok(to_object(&problems))
}

/// A name that completes a text.
#[derive(Serialize)]
struct CompletionRecord {
    name: String,
    detail: String,
    doc: String,
}

/// Names that begin with the text before `offset`, in UTF-16 units, of the program in the scratch buffer: a list of
/// [`CompletionRecord`].
#[wasm_bindgen]
pub fn complete(length: usize, offset: f64, names: &JsValue) -> Result<JsValue, Failure> {
    let known: KnownNames = read(names, "names")?;
    let source = incoming(length)?;
    let found = lisp::complete(&source, utf8_offset(&source, offset as usize), &known.into());
    let record = |lisp::Completion { name, detail, doc }| CompletionRecord { name, detail, doc };
    Ok(to_object(&found.into_iter().map(record).collect::<Vec<_>>()))
}

/// The byte of a text at an offset in UTF-16 units.
fn utf8_offset(text: &str, units: usize) -> usize {
    let mut seen = 0;
    let found = text.char_indices().find(|(_, character)| {
        let is_there = seen >= units;
        seen += character.len_utf16();
        is_there
    });
    found.map_or(text.len(), |(offset, _)| offset)
}
