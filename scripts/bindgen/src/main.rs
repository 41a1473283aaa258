//! `bindgen WASM FOLDER NAME` writes `NAME.js`, `NAME.d.ts` and `NAME_bg.wasm` into FOLDER.

use std::process::ExitCode;

use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [wasm, folder, name] = arguments.as_slice() else {
        eprintln!("usage: bindgen WASM FOLDER NAME");
        return ExitCode::FAILURE;
    };
    let generated = Bindgen::new().input_path(wasm).out_name(name).web(true).and_then(|bindgen| {
        bindgen.typescript(true).omit_default_module_path(true).reset_state_function(true).generate(folder)
    });
    match generated {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:?}");
            ExitCode::FAILURE
        }
    }
}
