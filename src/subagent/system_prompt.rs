//! The SYSTEM message: static text, the same for every mission, so that providers can cache it. Tools and data are in the
//! USER message.

use crate::lisp;

/// The model's task, and how its replies are processed.
const ROLE: &str = include_str!("prompts/role.md");

/// The same for an agent with one turn.
const ROLE_OF_ONE_TURN: &str = include_str!("prompts/role-of-one-turn.md");

/// The language of its programs; `{library}` is replaced by the names of the builtins.
const LANGUAGE_SPEC: &str = include_str!("prompts/language.md");

/// The format of a reply.
const OUTPUT_FORMAT: &str = include_str!("prompts/output.md");

/// The same for an agent with one turn.
const OUTPUT_OF_ONE_TURN: &str = include_str!("prompts/output-of-one-turn.md");

/// The system prompt of an agent with `max_turns` turns. `language_spec` and `output_format` replace the built-in parts;
/// an empty one omits the part.
pub fn system_prompt_with(max_turns: usize, language_spec: Option<&str>, output_format: Option<&str>) -> String {
    let (role, output) = match max_turns {
        1 => (ROLE_OF_ONE_TURN, OUTPUT_OF_ONE_TURN),
        _ => (ROLE, OUTPUT_FORMAT),
    };
    let own = language_spec.is_none().then(self::language_spec).unwrap_or_default();
    let parts = [role, language_spec.unwrap_or(&own), output_format.unwrap_or(output)];
    parts.iter().map(|part| part.trim()).filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n")
}

/// The built-in system prompt of an agent with `max_turns` turns.
pub fn system_prompt(max_turns: usize) -> String {
    system_prompt_with(max_turns, None, None)
}

/// A short description of the language, with the names of all builtins.
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
    fn the_built_in_prompt_is_shorter_than_1500_tokens() {
        for turns in [1, 5] {
            let prompt = system_prompt(turns);
            let tokens = Estimate.count(&prompt);
            assert!(tokens < 1500, "{tokens} tokens");
            assert!(!prompt.contains("{library}") && prompt.contains(" group-by "));
        }
        assert_ne!(system_prompt(1), system_prompt(5));
    }

    #[test]
    fn language_spec_and_output_format_replace_parts() {
        let prompt = system_prompt_with(5, Some("Write Clojure."), Some(""));
        assert!(prompt.ends_with("\n\nWrite Clojure."), "{prompt}");
    }

    #[test]
    fn every_name_in_the_language_spec_exists() {
        let spans = LANGUAGE_SPEC.split('`').skip(1).step_by(2).filter(|span| !span.contains('('));
        let names = spans.flat_map(str::split_whitespace);
        for name in names.filter(|name| name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')) {
            assert!(lisp::is_form(name) || lisp::is_builtin(name), "`{name}` is neither a form nor a function");
        }
    }
}
