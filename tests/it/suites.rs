//! The suites of Clojure: expressions with the answers of the real Clojure, which `npm run test:clojure` compares again.
//!
//! A line `expression ; => answer` has the same answer here; ` ; here: answer` after it is the different answer of this
//! language. `tests/clojure/differences.json` has the reasons: a pattern in `suites` matches the lines that its reason
//! explains. The expressions of a block run in one sandbox. `UPDATE_CONVERSATIONS=1` writes the answers of this language
//! into the files.

use std::fs;

use regex_lite::Regex;

use turnfold::lisp::{ProgramLimits, Vm};
use turnfold::value::{Value, from_json};

use crate::case::shown;
use crate::golden::{check, files};
use crate::language::finish;
use crate::oracle::list_at;

#[test]
fn every_expression_of_the_suites_has_the_answer_of_clojure_or_the_listed_one() {
    check(&files("clojure/suites"), 10, |source| Some(updated(source)));
}

#[test]
fn every_difference_of_the_suites_has_a_reason() {
    let mut patterns: Vec<(Regex, usize)> =
        reasons().iter().map(|text| (Regex::new(text).expect(text), 0_usize)).collect();
    let mut unexplained = Vec::new();
    for file in files("clojure/suites") {
        let suite = fs::read_to_string(&file).unwrap();
        for line in suite.lines().filter(|line| line.contains(" ; here: ")) {
            let mut explained = false;
            for (pattern, lines) in &mut patterns {
                if pattern.is_match(line) {
                    explained = true;
                    *lines += 1;
                }
            }
            if !explained {
                unexplained.push(line.to_owned());
            }
        }
    }
    assert!(unexplained.is_empty(), "{} differences have no reason:\n{}", unexplained.len(), unexplained.join("\n"));
    let unused: Vec<&str> = patterns.iter().filter(|entry| entry.1 == 0).map(|entry| entry.0.as_str()).collect();
    assert!(unused.is_empty(), "these patterns explain no difference: {unused:?}");
}

/// The patterns of the reasons.
fn reasons() -> Vec<String> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/clojure/differences.json");
    let reasons = from_json(&fs::read_to_string(path).unwrap()).expect("JSON");
    let Value::Vector(reasons) = reasons else { panic!("a list of reasons") };
    let patterns = reasons.iter().flat_map(|reason| list_at(reason, "suites"));
    patterns.map(|pattern| pattern.as_str().expect("a pattern").to_owned()).collect()
}

fn updated(suite: &str) -> String {
    let mut sandbox = None;
    let mut text = String::with_capacity(suite.len());
    for line in suite.lines() {
        match line {
            "```clojure" => sandbox = Some(Vm::new(Default::default(), Default::default(), ProgramLimits::default())),
            "```" => sandbox = None,
            _ => (),
        }
        match line.rsplit_once(" ; => ") {
            None => text.push_str(line),
            Some((source, rest)) => {
                let answer = rest.rsplit_once(" ; here: ").map_or(rest, |(answer, _)| answer);
                let sandbox = sandbox.as_mut().expect("expressions are in blocks");
                let here = match finish(sandbox, source).result {
                    Ok(value) => normal(&value),
                    Err(_) if answer == "error" => "error".into(),
                    Err(problem) => format!("error: {}", problem.kind),
                };
                text.push_str(&format!("{source} ; => {answer}"));
                if here != answer {
                    text.push_str(&format!(" ; here: {here}"));
                }
            }
        }
        text.push('\n');
    }
    text
}

/// Writes a value as `compare.clj` does: the elements of maps and sets are sorted by their text.
fn normal(value: &Value) -> String {
    match value {
        Value::Vector(items) => format!("[{}]", items.iter().map(normal).collect::<Vec<_>>().join(" ")),
        Value::Map(map) => {
            format!("{{{}}}", sorted(map.iter().map(|(key, value)| format!("{} {}", normal(key), normal(value)))))
        }
        Value::Set(set) => format!("#{{{}}}", sorted(set.iter().map(normal))),
        Value::Closure(_) | Value::Builtin(_) => "#fn".into(),
        other => shown(other),
    }
}

fn sorted(texts: impl Iterator<Item = String>) -> String {
    let mut texts: Vec<String> = texts.collect();
    texts.sort();
    texts.join(" ")
}
