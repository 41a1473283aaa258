//! Any text is either an error, or JSON that is written as it was read: values, saved turns, the
//! language's own JSON.
#![no_main]

use libfuzzer_sys::fuzz_target;
use turnfold::lisp::{ProgramLimits, Progress, Vm};
use turnfold::turn::Turn;
use turnfold::value::{Names, Str, Value, from_json, to_json};

fuzz_target!(|text: &str| {
    if let Ok(value) = from_json(text) {
        let written = to_json(&value);
        let again = from_json(&written).expect("what is written reads");
        assert!(again == value, "{written}");
        assert_eq!(to_json(&again), written);
    }
    if let Ok(turn) = Turn::from_json(text) {
        let saved = turn.to_json();
        assert_eq!(Turn::from_json(&saved).expect("a saved turn loads").to_json(), saved);
    }
    let data = [(Str::from("s"), Value::str(text))].into_iter().collect();
    let limits = ProgramLimits { fuel: 100_000, heap_bytes: 4 << 20, ..ProgramLimits::default() };
    let mut sandbox = Vm::new(data, Names::default(), limits);
    let source = "(let [x (json/parse-string data/s)] (= x (json/parse-string (json/generate-string x))))";
    let mut step = sandbox.start(source, 0);
    loop {
        step = match step {
            Progress::Done(ended) => {
                assert!(!matches!(ended.result, Ok(Value::Bool(false))), "JSON that is not what was written");
                break;
            }
            _ => sandbox.resume(),
        }
    }
});
