//! Tests of the library in a browser: every conversation, every example of the manual, and the boundary to JavaScript.

#![cfg(target_arch = "wasm32")]

#[allow(dead_code, reason = "only native tests write case files")]
#[path = "it/case.rs"]
mod case;
#[path = "it/conversation.rs"]
mod conversation;
#[path = "it/language.rs"]
mod language;

use include_dir::{Dir, File, include_dir};
use js_sys::{Array, JSON, Object, Reflect, Uint8Array};
use turnfold::wasm::{RendererHandle, TurnHandle, read_clojure, scratch, to_clojure, type_of};
use wasm_bindgen::prelude::*;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

static CONVERSATIONS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/tests/conversations");
static MANUAL: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/tests/language");

/// Writes a text into the scratch buffer, as the package does, and returns its length in bytes.
fn send(text: &str) -> usize {
    let bytes = text.as_bytes();
    let place = scratch(bytes.len()) as u32;
    let memory = wasm_bindgen::memory().unchecked_into::<js_sys::WebAssembly::Memory>();
    Uint8Array::new(&memory.buffer()).subarray(place, place + bytes.len() as u32).copy_from(bytes);
    bytes.len()
}

fn member(object: &JsValue, name: &str) -> JsValue {
    Reflect::get(object, &name.into()).unwrap()
}

fn options(members: &[(&str, JsValue)]) -> JsValue {
    let options = Object::new();
    for (name, value) in members {
        Reflect::set(&options, &(*name).into(), value).unwrap();
    }
    options.into()
}

fn error_of<T>(result: Result<T, impl Into<JsValue>>) -> JsValue {
    result.map(|_| ()).unwrap_err().into()
}

/// The files of a folder and of its subfolders.
fn files<'d>(folder: &'d Dir<'d>) -> Vec<&'d File<'d>> {
    folder.files().chain(folder.dirs().flat_map(files)).collect()
}

#[wasm_bindgen_test]
fn conversations_hold_the_exact_messages_of_every_strategy() {
    assert!(files(&CONVERSATIONS).len() >= 40);
    for file in files(&CONVERSATIONS) {
        let source = file.contents_utf8().unwrap();
        assert_eq!(conversation::updated(source), source, "{}", file.path().display());
    }
}

#[wasm_bindgen_test]
fn every_example_of_the_language_has_the_value_or_error_after_it() {
    for file in files(&MANUAL) {
        let (count, wrong) = language::run_chapter(&file.path().display().to_string(), file.contents_utf8().unwrap());
        assert!(count > 0 && wrong.is_empty(), "{}", wrong.join("\n"));
    }
}

#[wasm_bindgen_test]
fn values_cross_as_json() {
    assert_eq!(type_of(send("[1,2,3]")).unwrap(), "list[3]");
    let limits = options(&[("limit", 2.into()), ("filterHidden", true.into())]);
    let clojure = to_clojure(send(r#"{"name":"größe 👍","n":[1,2,3]}"#), &limits).unwrap();
    let text = member(&clojure, "text").as_string().unwrap();
    assert_eq!(text, r#"{:n [1 2 ...] (3 items, showing first 2) :name "größe 👍"}"#);
    assert_eq!(member(&clojure, "truncated").as_bool(), Some(true));
    assert_eq!(read_clojure(send("{:a #{1}}")).unwrap(), r#"{"a":{"$set":[1]}}"#);
}

#[wasm_bindgen_test]
fn a_frame_has_the_messages_that_changed() {
    let turn = TurnHandle::from_json(send(r#"{"success":true,"prints":["👍"],"memory":{"x":1}}"#)).unwrap();
    let compression = ("compression", "single-user-coalesced".into());
    let given = options(&[("mission", "Do it".into()), ("systemPrompt", "S".into()), compression]);
    let mut renderer = RendererHandle::new(&given).unwrap();
    renderer.push(&turn);
    let number = |object: &JsValue, name: &str| member(object, name).as_f64().unwrap();
    let frame = renderer.render(None, None).unwrap();
    let messages: Array = member(&frame, "messages").unchecked_into();
    let content = |index: u32| member(&messages.get(index), "content").as_string().unwrap();
    assert_eq!((messages.length(), content(0).as_str()), (2, "S"));
    assert_eq!(member(&messages.get(0), "role").as_string().unwrap(), "system");
    assert_eq!(member(&messages.get(1), "role").as_string().unwrap(), "user");
    assert!(content(1).starts_with("Do it") && content(1).contains("👍"));
    let stats = member(&frame, "stats");
    assert_eq!(member(&stats, "enabled").as_bool(), Some(true));
    let counts = ["turnsCompressed", "toolCallsTotal", "toolCallsShown", "toolCallsDropped"];
    assert_eq!(counts.map(|name| number(&stats, name)), [1.0, 0.0, 0.0, 0.0]);
    let counts = ["printlnsTotal", "printlnsShown", "printlnsDropped", "errorTurnsCollapsed"];
    assert_eq!(counts.map(|name| number(&stats, name)), [1.0, 1.0, 0.0, 0.0]);
    assert_eq!((number(&frame, "sharedPrefix"), number(&frame, "kept")), (0.0, 0.0));
    assert!(member(&frame, "budget").is_null());
    let sections: Array = JSON::parse(&renderer.sections()).unwrap().unchecked_into();
    let system = sections.get(0);
    assert_eq!(["message", "start", "end"].map(|name| number(&system, name)), [0.0, 0.0, 1.0], "the SYSTEM message");
    assert_eq!(member(&system, "kind").as_string().unwrap(), "system");
    assert_eq!(Array::from(&member(&system, "turns")).length(), 0);
    let length = content(1).encode_utf16().count() + 1;
    let again = renderer.render(None, None).unwrap();
    assert_eq!(Array::from(&member(&again, "messages")).length(), 0, "both messages are kept");
    assert_eq!((number(&again, "sharedPrefix"), number(&again, "kept")), (length as f64, 2.0));
    assert!(renderer.render(None, None).unwrap().is_null(), "nothing differs");
}

#[wasm_bindgen_test]
fn errors_are_plain_objects() {
    let error = error_of(read_clojure(send("{:a")));
    assert_eq!(member(&error, "code").as_string().unwrap(), "parse_error");
    assert_eq!(member(&member(&error, "details"), "line").as_f64(), Some(1.0));
    let error = error_of(RendererHandle::new(&options(&[("mission", 3.into())])));
    assert_eq!(member(&error, "code").as_string().unwrap(), "invalid_option");
    let error = error_of(TurnHandle::from_json(send(r#"{"success":1}"#)));
    assert_eq!(member(&error, "code").as_string().unwrap(), "invalid_turn");
}
