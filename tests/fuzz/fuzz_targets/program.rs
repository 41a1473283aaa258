//! Any program ends: small limits hold, tools wait and answer, and its definitions can be saved.
#![no_main]

use libfuzzer_sys::fuzz_target;
use turnfold::lisp::{ProgramLimits, Progress, ToolReply, ToolSpec, Vm};
use turnfold::value::{Str, Value, from_json, to_json};

fuzz_target!(|source: &str| {
    let limits = ProgramLimits {
        fuel: 20_000,
        heap_bytes: 4 << 20,
        collection_size: 10_000,
        depth: 500,
        slice: 1000,
        ..ProgramLimits::default()
    };
    // A builtin's work within one step is counted after it is done.
    let max = limits.fuel + 10 * limits.collection_size as u64;
    let tools = ["echo", "boom"].map(|name| (Str::from(name), ToolSpec::default())).into_iter().collect();
    let data = [("xs", Value::vector([1.into(), 2.5.into(), "three".into()]))];
    let data = data.map(|(name, value)| (Str::from(name), value)).into_iter().collect();
    let mut sandbox = Vm::new(data, tools, limits);
    let mut step = sandbox.start(source, 1_709_210_096_789);
    loop {
        step = match step {
            Progress::Done(ended) => {
                let refused = matches!(&ended.result, Err(problem) if problem.kind == "fuel_exceeded");
                // Work that costs more than the fuel left is charged and refused before it is done.
                assert!(refused || ended.fuel <= max, "{} steps", ended.fuel);
                break;
            }
            Progress::Pause => sandbox.resume(),
            Progress::Calls(calls) => {
                assert!(!calls.is_empty(), "nothing can go on");
                let replies = calls.into_iter().map(|call| {
                    let result = if &*call.tool == "boom" { Err("kaboom".to_owned()) } else { Ok(call.args) };
                    ToolReply::new(call.id, result)
                });
                sandbox.answer(replies.collect())
            }
        }
    }
    for (name, value) in sandbox.definitions() {
        let saved = to_json(value);
        assert_eq!(to_json(&from_json(&saved).unwrap_or_else(|problem| panic!("{name}: {problem}"))), saved);
    }
});
