//! The manual of the language: runs the examples of its chapters.
//!
//! A line of a block `clojure` that ends in `; => value` ends an example, which must give that value, as Clojure text
//! without limits; `; error: kind "part"` ends an example that must fail with that kind of error, and with that text in
//! its message or hint. Lines `; prints: text` below it are the printed lines. The examples of a block run one after
//! the other in one sandbox.

use turnfold::lisp::{Outcome, ProgramLimits, Progress, ToolReply, Vm};

use crate::case::{Block, Case, shown};

struct Example {
    line: usize,
    source: String,
    expected: Expected,
    prints: Vec<String>,
}

#[derive(Debug)]
enum Expected {
    Value(String),
    Error(String, String),
}

/// Runs the examples of a chapter; returns their number, and a message for each failure.
pub fn run_chapter(name: &str, text: &str) -> (usize, Vec<String>) {
    let (mut count, mut wrong) = (0, Vec::new());
    for block in blocks(text) {
        let mut sandbox = Vm::new(Default::default(), Default::default(), ProgramLimits::default());
        for example in examples(&block) {
            count += 1;
            if let Err(problem) = run(&mut sandbox, &example) {
                wrong.push(format!("{name}:{}: {}\n    {problem}", example.line, example.source.trim()));
            }
        }
    }
    (count, wrong)
}

fn run(sandbox: &mut Vm, example: &Example) -> Result<(), String> {
    let ended = finish(sandbox, &example.source);
    let got = match &ended.result {
        Ok(value) => shown(value),
        Err(problem) => format!(
            "error: {} \"{}\" ({})",
            problem.kind,
            problem.message,
            problem.hint.as_deref().unwrap_or("no hint")
        ),
    };
    let holds = match (&example.expected, &ended.result) {
        (Expected::Value(expected), Ok(_)) => got == *expected,
        (Expected::Error(kind, part), Err(problem)) => {
            problem.kind == kind
                && (problem.message.contains(part) || problem.hint.as_deref().is_some_and(|hint| hint.contains(part)))
        }
        _ => false,
    };
    let prints: Vec<String> = ended.prints.iter().map(|line| line.to_string()).collect();
    match (holds, prints == example.prints) {
        (false, _) => Err(format!("expected {:?}\n    got {got}", example.expected)),
        (_, false) => Err(format!("expected prints {:?}\n    got {prints:?}", example.prints)),
        _ => Ok(()),
    }
}

/// Runs a program to its end; tools return their arguments.
pub fn finish(sandbox: &mut Vm, source: &str) -> Outcome {
    let mut progress = sandbox.start(source, 1_709_210_096_789);
    loop {
        progress = match progress {
            Progress::Done(ended) => return *ended,
            Progress::Pause => sandbox.resume(),
            Progress::Calls(calls) => {
                sandbox.answer(calls.into_iter().map(|call| ToolReply::new(call.id, Ok(call.args))).collect())
            }
        }
    }
}

/// The blocks that hold examples.
pub fn blocks(chapter: &str) -> impl Iterator<Item = Block> + use<> {
    let blocks = Case::read(chapter).sections.into_iter().flat_map(|section| section.blocks);
    blocks.filter(|block| block.info == "clojure")
}

/// The examples of a block, each with the line on which it ends.
fn examples(block: &Block) -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    let mut code = String::new();
    for (line, number) in block.text.lines().zip(block.line..) {
        if let Some(printed) = line.trim().strip_prefix("; prints:") {
            let example = examples.last_mut().expect("`; prints:` follows an example");
            example.prints.push(printed.strip_prefix(' ').unwrap_or(printed).to_owned());
            continue;
        }
        let found = ["; => ", "; error: "].iter().find_map(|mark| line.rfind(mark).map(|place| (place, *mark)));
        let Some((place, mark)) = found else {
            code.push_str(line);
            code.push('\n');
            continue;
        };
        let after = line[place + mark.len()..].trim();
        let expected = match mark {
            "; => " => Expected::Value(after.to_owned()),
            _ => {
                let (kind, part) = after.split_once(' ').unwrap_or((after, ""));
                Expected::Error(kind.to_owned(), part.trim().trim_matches('"').to_owned())
            }
        };
        code.push_str(&line[..place]);
        examples.push(Example { line: number, source: std::mem::take(&mut code), expected, prints: Vec::new() });
    }
    assert!(code.trim().is_empty(), "line {}: the last example expects nothing", block.line);
    examples
}
