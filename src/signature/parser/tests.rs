//! Tests of both notations: the signatures of valid texts, and the errors of invalid ones.

mod program;
mod tool;

use super::Result;
use crate::signature::Signature;

/// `part` is what the span of the error covers; its message or hint contains `says`.
#[track_caller]
fn refused_by(parse: fn(&str) -> Result<Signature>, text: &str, part: &str, says: &str) {
    let error = parse(text).expect_err("a signature that is refused");
    let span = error.span.expect("a span");
    assert_eq!(error.kind, "invalid_signature");
    assert_eq!(&text[span.start..span.end], part, "{error}");
    assert!(error.to_string().contains(says), "{error}");
}
