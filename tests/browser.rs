//! The library in a browser: every conversation, every example of the manual, and the boundary to JavaScript.

#![cfg(target_arch = "wasm32")]

#[allow(dead_code)]
#[path = "it/case.rs"]
mod case;
#[path = "it/conversation.rs"]
mod conversation;
#[path = "it/language.rs"]
mod language;

use include_dir::{Dir, File, include_dir};
use js_sys::{Array, Object, Reflect, Uint8Array, Uint32Array};
use turnfold::wasm::{RendererHandle, TurnHandle, read_clojure, scratch, to_clojure, type_of};
use wasm_bindgen::prelude::*;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

static CONVERSATIONS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/tests/conversations");
static MANUAL: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/tests/language");

/// Writes a text into the scratch buffer as the package does, and gives its length.
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

/// The files of a folder and of the folders in it.
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
fn every_example_of_the_language_has_the_value_or_error_behind_it() {
    for file in files(&MANUAL) {
        let (count, wrong) = language::run_chapter(&file.path().display().to_string(), file.contents_utf8().unwrap());
        assert!(count > 0 && wrong.is_empty(), "{}", wrong.join("\n"));
    }
}

#[wasm_bindgen_test]
fn values_cross_as_json() {
    assert_eq!(type_of(send("[1,2,3]")).unwrap(), "list[3]");
    let clojure: Array = to_clojure(send(r#"{"name":"größe 👍","n":[1,2,3]}"#), Some(2), None, true).unwrap();
    assert_eq!(clojure.get(0).as_string().unwrap(), r#"{:n [1 2 ...] (3 items, showing first 2) :name "größe 👍"}"#);
    assert_eq!(clojure.get(1).as_bool(), Some(true));
    assert_eq!(read_clojure(send("{:a #{1}}")).unwrap(), r#"{"a":{"$set":[1]}}"#);
}

#[wasm_bindgen_test]
fn a_frame_is_texts_and_numbers() {
    let turn = TurnHandle::from_json(send(r#"{"success":true,"prints":["👍"],"memory":{"x":1}}"#)).unwrap();
    let strategy = options(&[("name", "single-user-coalesced".into())]);
    let given = [("mission", "Do it".into()), ("systemPrompt", "S".into()), ("strategy", strategy)];
    let mut renderer = RendererHandle::new(&options(&given), 0).unwrap();
    renderer.push(&turn);
    let frame: Array = renderer.render(-1).unwrap().unchecked_into();
    let texts = frame.get(0).as_string().unwrap();
    assert!(texts.starts_with("SDo it") && texts.contains("👍"));
    let numbers = Uint32Array::from(frame.get(1)).to_vec();
    let length = texts.encode_utf16().count() as u32;
    assert_eq!(numbers[..15], [1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 2]);
    assert_eq!(numbers[15..19], [0, 1, 1, length - 1]);
    assert_eq!(numbers[19..24], [0, 0, 0, 1, 0], "the SYSTEM message is one section");
    let again: Array = renderer.render(-1).unwrap().unchecked_into();
    assert_eq!(again.get(0).as_string().unwrap(), "", "both messages are kept");
    let numbers = Uint32Array::from(again.get(1)).to_vec();
    assert_eq!((numbers[9], &numbers[13..15]), (length, &[2, 2][..]));
    assert!(renderer.render(-1).unwrap().is_undefined(), "nothing differs");
    assert_eq!(renderer.length(), 1);
}

#[wasm_bindgen_test]
fn errors_are_plain_objects() {
    let error = error_of(read_clojure(send("{:a")));
    assert_eq!(member(&error, "code").as_string().unwrap(), "parse_error");
    assert_eq!(member(&member(&error, "details"), "line").as_f64(), Some(1.0));
    let error = error_of(RendererHandle::new(&options(&[("mission", 3.into())]), 0));
    assert_eq!(member(&error, "code").as_string().unwrap(), "invalid_option");
    let error = error_of(TurnHandle::from_json(send(r#"{"success":1}"#)));
    assert_eq!(member(&error, "code").as_string().unwrap(), "invalid_turn");
}
