//! The SYSTEM message: static text, the same for every mission, so that it can be cached
//! (ARC-008, ARC-011, MSG-006). Tools and data stand in the USER message (ARC-009).

use crate::list::joined;

/// Who the model is and what happens with its replies.
const ROLE: &str = include_str!("prompts/role.md");

/// The language that its programs are written in.
const LANGUAGE_SPEC: &str = include_str!("prompts/language.md");

/// What a reply must look like.
const OUTPUT_FORMAT: &str = include_str!("prompts/output.md");

/// The built-in system prompt.
pub fn system_prompt() -> String {
    joined([ROLE, LANGUAGE_SPEC, OUTPUT_FORMAT].iter().map(|part| part.trim()), "\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::{Estimate, TokenCounter};

    #[test]
    fn is_static_and_short() {
        let prompt = system_prompt();
        assert!(Estimate.count(&prompt) < 1500);
        assert!(prompt.starts_with("You complete") && prompt.ends_with("a corrected one."));
    }
}
