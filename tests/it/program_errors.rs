//! Errors of programs that need tools, data or limits, and of texts that are not programs; the examples of the
//! manual can't show these.

use std::rc::Rc;
use turnfold::diagnostic::Diagnostic;
use turnfold::lisp::{ProgramLimits, Progress, ToolSpec, Vm, read_value};
use turnfold::value::Value;

fn run(machine: &mut Vm, source: &str) -> Result<Value, Diagnostic> {
    match machine.start(source, 0) {
        Progress::Done(outcome) => outcome.result,
        progress => panic!("{source} has not ended: {progress:?}"),
    }
}

#[track_caller]
fn check(problem: Diagnostic, kind: &str, message: &str, hint: &str) {
    assert_eq!((problem.kind, problem.message.as_str(), problem.hint.as_deref()), (kind, message, Some(hint)));
}

#[test]
fn a_name_of_both_a_tool_and_data_is_an_ambiguous_reference() {
    let data = [("orders".into(), Value::Int(1))].into_iter().collect();
    let tools = [("orders".into(), Rc::new(ToolSpec::default()))].into_iter().collect();
    let mut machine = Vm::new(data, tools, ProgramLimits::default());
    assert_eq!(run(&mut machine, "data/orders"), Ok(Value::Int(1)));
    for source in ["orders", "(orders {})"] {
        check(
            run(&mut machine, source).unwrap_err(),
            "ambiguous_reference",
            "`orders` is both `tool/orders` and `data/orders`",
            "write `tool/orders` or `data/orders`",
        );
    }
    assert_eq!(run(&mut machine, "(def orders 2) orders"), Ok(Value::Int(2)), "a definition takes precedence");
}

#[test]
fn the_limit_prints_is_the_number_of_lines_that_a_program_prints() {
    let mut machine =
        Vm::new(Default::default(), Default::default(), ProgramLimits { prints: 2, ..ProgramLimits::default() });
    assert_eq!(run(&mut machine, "(println 1) (println 2)"), Ok(Value::Nil));
    check(
        run(&mut machine, "(println 1) (println 2) (println 3)").unwrap_err(),
        "print_limit_exceeded",
        "the program printed more than 2 times",
        "print a summary: join lines into one text",
    );
}

#[test]
fn symbols_calls_and_functions_are_not_literals() {
    check(
        read_value("{:a x}").unwrap_err(),
        "not_a_literal",
        "the symbol `x` is a program, not data",
        "write the keyword `:x` or the string \"x\"",
    );
    check(
        read_value("(inc 1)").unwrap_err(),
        "not_a_literal",
        "the symbol `inc` is a program, not data",
        "write the keyword `:inc` or the string \"inc\"",
    );
    check(
        read_value("#(inc %)").unwrap_err(),
        "not_a_literal",
        "a function is a program, not data",
        "run the program, or write what it should give",
    );
}
