//! Checks that the library gives the outputs of every case file.

use std::fs;

use crate::golden::{check, files};
use crate::{chat, conversation, language, programs, runs};

#[test]
fn conversations_hold_the_exact_messages_of_every_strategy() {
    check(&files("conversations"), 40, |source| Some(conversation::updated(source)));
}

#[test]
fn runs_hold_what_the_model_is_asked_and_the_result() {
    check(&files("runs"), 25, runs::updated);
}

#[test]
fn chats_hold_the_plan_and_the_result_for_their_parameters() {
    check(&files("chats"), 60, |source| Some(chat::updated(source)));
}

#[test]
fn programs_hold_the_messages_the_repairs_and_the_result_of_a_call() {
    check(&files("programs"), 20, |source| Some(programs::updated(source)));
}

#[test]
fn every_example_of_the_language_has_the_value_or_error_after_it() {
    let (mut count, mut wrong) = (0, Vec::new());
    for file in files("language") {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        let (examples, failures) = language::run_chapter(&name, &fs::read_to_string(file).unwrap());
        count += examples;
        wrong.extend(failures);
    }
    assert!(wrong.is_empty(), "{} of {count} examples fail:\n{}", wrong.len(), wrong.join("\n"));
    assert!(count > 1200, "the manual has {count} examples");
}
