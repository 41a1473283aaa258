//! Any pattern on any text gives a match, no match or an error, within few steps. The first line is the
//! pattern, the rest the text.
#![no_main]

use libfuzzer_sys::fuzz_target;
use turnfold::lisp::{ProgramLimits, Progress, Vm};
use turnfold::value::{Names, Str, Value};

const PROGRAMS: [&str; 4] = [
    "[(re-find (re-pattern data/p) data/s) (re-matches (re-pattern data/p) data/s)]",
    "(re-seq (re-pattern data/p) data/s)",
    "(re-split (re-pattern data/p) data/s)",
    "[(str/replace data/s (re-pattern data/p) \"<$0>\") (str/replace data/s (re-pattern data/p) count)]",
];

fuzz_target!(|input: &str| {
    let (pattern, text) = input.split_once('\n').unwrap_or((input, "a text to look at: 2024-02-29"));
    for program in PROGRAMS {
        let data = [("p", Value::str(pattern)), ("s", Value::str(text))];
        let data = data.map(|(name, value)| (Str::from(name), value)).into_iter().collect();
        let limits =
            ProgramLimits { fuel: 100_000, heap_bytes: 4 << 20, collection_size: 10_000, ..ProgramLimits::default() };
        let mut sandbox = Vm::new(data, Names::default(), limits);
        let mut step = sandbox.start(program, 0);
        while !matches!(step, Progress::Done(_)) {
            step = sandbox.resume();
        }
    }
});
