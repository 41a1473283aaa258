//! Finds the program in a model's reply: one fenced block, or a bare form. The prose around it is ignored.

use crate::diagnostic::Diagnostic;
use crate::lisp;
use crate::reply::{FencedBlock, blocks, trim, without_thoughts};

/// Language tags of blocks that are read as PTC-Lisp. Models write the tag of the Lisp that they know.
const TAGS: [&str; 10] =
    ["clojure", "clj", "cljs", "cljc", "edn", "lisp", "ptc-lisp", "ptc_lisp", "ptclisp", "clojurescript"];

/// The program in a reply.
///
/// Blocks with the tag of a Clojure-like language take precedence over blocks without a tag; blocks with other tags are
/// ignored. When there are several blocks, these are ignored: blocks without forms, blocks in a line of prose, and
/// blocks without a tag that do not begin with `(`. Without a block, the program is the rest of the reply from the
/// first line that begins with `(`, if the reader accepts it.
///
/// Errors, with messages for the model: `no_code_found`, `several_programs`, `unclosed_code_block`.
pub fn program_in(reply: &str) -> Result<&str, Diagnostic> {
    let Some(said) = without_thoughts(reply) else {
        let hint = "think less, and end the reply with one program in a ```clojure block";
        return Err(no_code("the reply ends in the middle of its thoughts").with_hint(hint));
    };
    let blocks = blocks(said, &|code| lisp::read(code).is_ok());
    let tagged = |block: &&FencedBlock<'_>| TAGS.iter().any(|tag| block.tag.eq_ignore_ascii_case(tag));
    let untagged = |block: &&FencedBlock<'_>| block.tag.is_empty();
    let mut candidates: Vec<&FencedBlock<'_>> = blocks.iter().filter(tagged).collect();
    if candidates.is_empty() {
        candidates = blocks.iter().filter(untagged).collect();
        prefer(&mut candidates, |block| trim(block.text).starts_with('('));
    }
    prefer(&mut candidates, |block| !block.inline);
    prefer(&mut candidates, |block| !has_no_form(block.text));
    match candidates.as_slice() {
        [] => bare_form(said).ok_or_else(|| nothing_to_run(reply, said, &blocks)),
        [block] if !block.closed => {
            let problem = Diagnostic::new("unclosed_code_block", "the code block of the reply has no end");
            let fence = block.fence;
            Err(problem.with_hint(format!(
                "close the block with a line of {fence}; if the reply was cut off, write a shorter program"
            )))
        }
        [block] if trim(block.text).is_empty() => {
            let fence = block.fence;
            let hint = format!("write the program between the lines {fence}clojure and {fence}");
            Err(no_code("the code block of the reply is empty").with_hint(hint))
        }
        [block] if has_no_form(block.text) => {
            let hint = "write a form that does the next step, or `(return …)` with the result when the mission is done";
            Err(no_code("the program is only a comment").with_hint(hint))
        }
        [block] => Ok(trim(block.text)),
        several => {
            let message = format!("the reply holds {} programs, and none of them ran", several.len());
            let problem = Diagnostic::new("several_programs", message);
            Err(problem.with_hint("write all of it as one program, in one ```clojure block"))
        }
    }
}

/// Of several blocks, keeps those that meet a condition, if any does.
fn prefer(blocks: &mut Vec<&FencedBlock<'_>>, condition: impl Fn(&FencedBlock<'_>) -> bool) {
    if blocks.len() > 1 && blocks.iter().any(|block| condition(block)) {
        blocks.retain(|block| condition(block));
    }
}

/// True for a program of nothing but blanks, comments and dropped forms.
fn has_no_form(program: &str) -> bool {
    let program = trim(program);
    let may_begin_so = program.is_empty() || program.starts_with([';', ',', '#']);
    may_begin_so && lisp::read(program).is_ok_and(|forms| forms.is_empty())
}

fn no_code(message: impl Into<String>) -> Diagnostic {
    Diagnostic::new("no_code_found", message)
}

/// The error for a reply without a program.
fn nothing_to_run(reply: &str, said: &str, blocks: &[FencedBlock<'_>]) -> Diagnostic {
    if let Some(block) = blocks.first() {
        return no_code(format!("the code block of the reply is in `{}`, and only PTC-Lisp runs", block.tag))
            .with_hint("write the program in PTC-Lisp, in one ```clojure block");
    }
    if trim(reply).is_empty() {
        return no_code("the reply is empty").with_hint("write one program, in one ```clojure block");
    }
    if trim(said).is_empty() {
        return no_code("the reply has thoughts, but no program behind them")
            .with_hint("write one program behind the thoughts, in one ```clojure block");
    }
    no_code("the reply has prose, but no program")
        .with_hint("write one program, in one ```clojure block; an answer is the value of its `(return …)`")
}

/// A program without a block around it. A reply that begins with `(` is one even when the reader rejects it, so that the
/// model gets the reader's error; a form after prose must be readable.
fn bare_form(text: &str) -> Option<&str> {
    let mut trimmed = trim(text);
    // The closing fence of a block whose opening fence the provider removed.
    while let Some(rest) = trimmed.strip_suffix("```") {
        trimmed = trim(rest.trim_end_matches('`'));
    }
    if trimmed.starts_with('(') {
        return Some(trimmed);
    }
    let line = trimmed.match_indices("\n(").next()?.0;
    let rest = &trimmed[line + 1..];
    lisp::read(rest).is_ok().then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(reply: &str) -> &'static str {
        program_in(reply).expect_err("no program").kind
    }

    #[test]
    fn one_block_is_the_program_and_prose_is_not() {
        assert_eq!(program_in("I count.\n\n```clojure\n(count data/xs)\n```\nDone."), Ok("(count data/xs)"));
        assert_eq!(program_in("```clj\r\n(def x 1)\r\n(return x)\r\n```\r\n"), Ok("(def x 1)\r\n(return x)"));
        assert_eq!(program_in("~~~~ Clojure\n(str \"```\")\n~~~~"), Ok("(str \"```\")"));
        assert_eq!(program_in("```\n(return 1)\n```"), Ok("(return 1)"));
        assert_eq!(program_in("```clojure (return 1)```"), Ok("(return 1)"));
        assert_eq!(program_in("  1. So:\n   ```lisp\n   (return 1)\n   ```"), Ok("(return 1)"));
    }

    #[test]
    fn blocks_of_other_languages_are_no_programs() {
        assert_eq!(program_in("```json\n{}\n```\n```clojure\n(return 1)\n```"), Ok("(return 1)"));
        assert_eq!(program_in("```\noutput\n```\n```clojure\n(return 1)\n```"), Ok("(return 1)"));
        assert_eq!(kind("```python\nprint(1)\n```"), "no_code_found");
    }

    #[test]
    fn thoughts_are_not_looked_at() {
        let reply = "<think>maybe\n```clojure\n(fail 1)\n```\n</think>\n```clojure\n(return 1)\n```";
        assert_eq!(program_in(reply), Ok("(return 1)"));
        assert_eq!(program_in("so I return\n</think>\n(return 1)"), Ok("(return 1)"));
        assert_eq!(program_in("```clojure\n(str \"</think>\")\n```"), Ok("(str \"</think>\")"));
        assert_eq!(program_in("<think>x</think>\n```clojure\n(str \"</think>\")\n```"), Ok("(str \"</think>\")"));
        assert_eq!(kind("<think>maybe\n```clojure\n(fail 1)\n```\n"), "no_code_found");
    }

    #[test]
    fn a_bare_form_is_a_program() {
        assert_eq!(program_in("  (return 1)\n"), Ok("(return 1)"));
        assert_eq!(program_in("(return (1"), Ok("(return (1"));
        assert_eq!(program_in("I return it.\n\n(def x 1)\n(return x)"), Ok("(def x 1)\n(return x)"));
        assert_eq!(kind("I would\n(as far as I know"), "no_code_found");
    }

    #[test]
    fn programs_are_found_as_models_write_them() {
        assert_eq!(program_in("Here it is: ```clojure\n(return 1)\n```"), Ok("(return 1)"));
        assert_eq!(program_in("```clojure\n(return 1)``` Done."), Ok("(return 1)"));
        assert_eq!(program_in("```clojure (def x 1)\n(return x)\n```"), Ok("(def x 1)\n(return x)"));
        assert_eq!(program_in("```(def x 1)\n(return x)\n```"), Ok("(def x 1)\n(return x)"));
        assert_eq!(program_in("\u{feff}```clojure\r\n\u{feff}(return 1)\r\n```\r\n"), Ok("(return 1)"));
        assert_eq!(program_in("\u{feff}(return 1)"), Ok("(return 1)"));
        assert_eq!(program_in("(return 1)\n```"), Ok("(return 1)"));
        assert_eq!(program_in("```clojure\n(str \"```\")\n```"), Ok("(str \"```\")"));
        assert_eq!(program_in("```markdown\nSo:\n```clojure\n(return 1)\n```\n```"), Ok("(return 1)"));
        assert_eq!(program_in("<think>a</think>\n<think>b</think>\n(return 1)"), Ok("(return 1)"));
    }

    #[test]
    fn of_several_blocks_the_one_that_can_be_meant_is_the_program() {
        let program = "```clojure\n(return 1)\n```";
        for other in [
            "I will use a ```clojure block:",
            "I will use a ```clojure (or clj) block:",
            "Not ```clojure (return 0)``` but this:",
            "```clojure\n```",
            "```clojure\n;; a plan\n```",
        ] {
            assert_eq!(program_in(&format!("{other}\n{program}")), Ok("(return 1)"), "{other}");
            assert_eq!(program_in(&format!("{program}\n{other}")), Ok("(return 1)"), "{other}");
        }
        assert_eq!(program_in("```\n(return 1)\n```\nIt returns\n```\n1\n```"), Ok("(return 1)"));
    }

    #[test]
    fn everything_else_says_what_to_do() {
        let problem = |reply: &str| {
            let problem = program_in(reply).expect_err("no program");
            format!("{}: {}; {}", problem.kind, problem.message, problem.hint.as_deref().unwrap_or_default())
        };
        let is = |reply: &str, wanted: &str| assert_eq!(problem(reply), wanted, "{reply}");
        is("\u{feff} ", "no_code_found: the reply is empty; write one program, in one ```clojure block");
        let prose = "no_code_found: the reply has prose, but no program; write one program, in one ```clojure block; \
                     an answer is the value of its `(return …)`";
        is("All done!", prose);
        is("I end with ```", prose);
        let other = "no_code_found: the code block of the reply is in `python`, and only PTC-Lisp runs; \
                     write the program in PTC-Lisp, in one ```clojure block";
        is("```python\nprint(1)\n```", other);
        is("So: ```python\nprint(1)\n```", other);
        let empty = "no_code_found: the code block of the reply is empty; \
                     write the program between the lines ~~~clojure and ~~~";
        is("~~~clojure\n\n~~~", empty);
        let comment = "no_code_found: the program is only a comment; \
                       write a form that does the next step, or `(return …)` with the result when the mission is done";
        is("```clojure\n;; nothing to do\n```", comment);
        is("```\n\n; a\n\n; b\n```", comment);
        is("```clojure\n#_(f)\n```", comment);
        let several = "several_programs: the reply holds 2 programs, and none of them ran; \
                       write all of it as one program, in one ```clojure block";
        is("```clojure\n(def x 1)\n```\n```clojure\n(return x)\n```", several);
        is("```clojure\n(def x 1)\n```clojure\n(return x)\n```", several);
        let open = "unclosed_code_block: the code block of the reply has no end; \
                    close the block with a line of ```; if the reply was cut off, write a shorter program";
        is("```clojure\n(def x 1", open);
        is("So: ```clojure (def x 1", open);
        is("```clojure\n;; nothing", open);
        let thinking = "no_code_found: the reply ends in the middle of its thoughts; \
                        think less, and end the reply with one program in a ```clojure block";
        is("<think>so", thinking);
        let thoughts = "no_code_found: the reply has thoughts, but no program behind them; \
                        write one program behind the thoughts, in one ```clojure block";
        is("<think>so</think>\n", thoughts);
    }
}
