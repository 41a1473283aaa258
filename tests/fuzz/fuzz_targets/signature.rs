//! Any text is a signature or an error; a printed signature reads back as the same signature.
#![no_main]

use libfuzzer_sys::fuzz_target;
use turnfold::signature::{Side, Signature, parse, parse_program, parse_type};

fuzz_target!(|text: &str| {
    if let Ok(signature) = parse(text) {
        let printed = signature.to_string();
        assert_eq!(parse(&printed).unwrap_or_else(|problem| panic!("{printed}: {problem}")), signature, "{printed}");
        schemas(&signature);
    }
    if let Ok(signature) = parse_program(text) {
        schemas(&signature);
    }
    let _ = parse_type(text);
});

fn schemas(signature: &Signature) {
    for side in [Side::Input, Side::Output] {
        signature.json_schema(side, &[], false);
    }
}
