//! Regular expressions, in linear time.

use crate::diagnostic::Diagnostic;

/// The problem of a source that is no regular expression.
pub fn check(source: &str) -> Result<(), Diagnostic> {
    regex_lite::Regex::new(source).map(|_| ()).map_err(|problem| {
        Diagnostic::new("invalid_regex", format!("`{source}` is no regular expression: {problem}"))
            .with_hint("there are no look-around and no backreferences, so that every match takes linear time")
    })
}
