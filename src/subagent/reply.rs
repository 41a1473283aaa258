//! Finds the program in a model's reply: one fenced block, or a bare form. The prose around it is ignored.

use crate::diagnostic::Diagnostic;
use crate::lisp;
use crate::reply::{Block, behind_thoughts, blocks};

/// Language tags of blocks that are read as PTC-Lisp. Models write the tag of the Lisp that they know.
const TAGS: [&str; 10] =
    ["clojure", "clj", "cljs", "cljc", "edn", "lisp", "ptc-lisp", "ptc_lisp", "ptclisp", "clojurescript"];

/// The program in a reply.
///
/// Blocks with the tag of a Clojure-like language take precedence over blocks without a tag; blocks with other tags are
/// ignored. Without a block, the program is the rest of the reply from the first line that begins with `(`, if the reader
/// accepts it.
///
/// Errors, with messages for the model: `no_code_found`, `several_programs`, `unclosed_code_block`.
pub fn program_in(reply: &str) -> Result<&str, Diagnostic> {
    let Some(said) = behind_thoughts(reply) else {
        return Err(no_code("the reply ends in the middle of its thoughts".into()));
    };
    let blocks = blocks(said);
    let tagged = |block: &&Block<'_>| TAGS.iter().any(|tag| block.tag.eq_ignore_ascii_case(tag));
    let untagged = |block: &&Block<'_>| block.tag.is_empty();
    let mut candidates: Vec<&Block<'_>> = blocks.iter().filter(tagged).collect();
    if candidates.is_empty() {
        candidates = blocks.iter().filter(untagged).collect();
    }
    match candidates.as_slice() {
        [] => bare_form(said).ok_or_else(|| match blocks.first() {
            Some(block) => no_code(format!("the reply has a block of `{}`, but no program in PTC-Lisp", block.tag)),
            None => no_code("the reply holds no program".into()),
        }),
        [block] if !block.closed => {
            let problem = Diagnostic::new("unclosed_code_block", "the code block of the reply has no end");
            Err(problem.with_hint("write a shorter program, and close its block with ```"))
        }
        [block] if block.text.trim().is_empty() => Err(no_code("the code block of the reply is empty".into())),
        [block] => Ok(block.text.trim()),
        several => {
            let message = format!("the reply holds {} programs, and none of them ran", several.len());
            let problem = Diagnostic::new("several_programs", message);
            Err(problem.with_hint("write all of it as one program, in one ```clojure block"))
        }
    }
}

fn no_code(message: String) -> Diagnostic {
    Diagnostic::new("no_code_found", message).with_hint("write one program, in one ```clojure block")
}

/// A program without a block around it. A reply that begins with `(` is one even when the reader rejects it, so that the
/// model gets the reader's error; a form after prose must be readable.
fn bare_form(text: &str) -> Option<&str> {
    let trimmed = text.trim();
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
    fn everything_else_says_what_to_do() {
        assert_eq!(kind(""), "no_code_found");
        assert_eq!(kind("All done!"), "no_code_found");
        assert_eq!(kind("```clojure\n\n```"), "no_code_found");
        assert_eq!(kind("```clojure\n(def x 1)\n```\n```clojure\n(return x)\n```"), "several_programs");
        assert_eq!(kind("```clojure\n(def x 1"), "unclosed_code_block");
    }
}
