//! The SYSTEM message: static text, the same for every mission, so that it can be cached
//! (ARC-008, ARC-011, MSG-006). Tools and data stand in the USER message (ARC-009).

use crate::lisp;

/// Who the model is and what happens with its replies.
const ROLE: &str = include_str!("prompts/role.md");

/// The same for an agent that has one turn.
const ROLE_OF_ONE_TURN: &str = include_str!("prompts/role-of-one-turn.md");

/// The language that its programs are written in; the names of the library stand where `{library}` does.
const LANGUAGE_SPEC: &str = include_str!("prompts/language.md");

/// What a reply must look like.
const OUTPUT_FORMAT: &str = include_str!("prompts/output.md");

/// The same for an agent that has one turn.
const OUTPUT_OF_ONE_TURN: &str = include_str!("prompts/output-of-one-turn.md");

/// The built-in system prompt of an agent that has so many turns, with parts of it replaced.
pub fn system_prompt_with(max_turns: usize, language_spec: Option<&str>, output_format: Option<&str>) -> String {
    let (role, output) = match max_turns {
        1 => (ROLE_OF_ONE_TURN, OUTPUT_OF_ONE_TURN),
        _ => (ROLE, OUTPUT_FORMAT),
    };
    let own = language_spec.is_none().then(self::language_spec).unwrap_or_default();
    let parts = [role, language_spec.unwrap_or(&own), output_format.unwrap_or(output)];
    parts.iter().map(|part| part.trim()).filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n")
}

/// The built-in system prompt of an agent that has so many turns.
pub fn system_prompt(max_turns: usize) -> String {
    system_prompt_with(max_turns, None, None)
}

/// The language in short, with the names that its library really has.
fn language_spec() -> String {
    let (before, after) = LANGUAGE_SPEC.split_once("{library}").unwrap_or((LANGUAGE_SPEC, ""));
    let library = lisp::library().collect::<Vec<_>>().join(" ");
    [before, library.as_str(), after].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::{Estimate, TokenCounter};

    #[test]
    fn is_static_and_short() {
        for turns in [1, 5] {
            let prompt = system_prompt(turns);
            let tokens = Estimate.count(&prompt);
            assert!(tokens < 1500, "{tokens} tokens");
            assert!(!prompt.contains("{library}") && prompt.contains(" group-by "));
        }
        assert_ne!(system_prompt(1), system_prompt(5));
    }

    #[test]
    fn parts_can_be_replaced() {
        let prompt = system_prompt_with(5, Some("Write Clojure."), Some(""));
        assert!(prompt.ends_with("\n\nWrite Clojure."), "{prompt}");
    }

    #[test]
    fn what_is_written_by_hand_exists() {
        let spans = LANGUAGE_SPEC.split('`').skip(1).step_by(2).filter(|span| !span.contains('('));
        let names = spans.flat_map(str::split_whitespace);
        for name in names.filter(|name| name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')) {
            assert!(lisp::is_form(name) || lisp::is_builtin(name), "`{name}` is neither a form nor a function");
        }
    }
}
