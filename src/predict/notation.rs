//! Three notations for fields with their values: lines, markers, and a JSON object.

use crate::unicode::uppercase;
use crate::value::{Value, write_canonical_json, write_json_string};

/// A name with its first letter in upper case.
pub fn label(name: &str) -> String {
    let mut rest = name.chars();
    let first = rest.next().map(|first| uppercase(first.encode_utf8(&mut [0; 4]))).unwrap_or_default();
    first + rest.as_str()
}

/// Writes `Field: value` lines. Further lines of a value are indented by two spaces, so that no text in a value can be
/// mistaken for a field.
pub fn write_lines(entries: &[(&str, &Value)], out: &mut String) {
    for (index, (name, value)) in entries.iter().enumerate() {
        out.push_str(if index > 0 { "\n" } else { "" });
        out.push_str(&label(name));
        out.push_str(": ");
        write_value(value, &|_| "  ", out);
    }
}

/// Writes each value below its marker. A line of a value that begins like a marker is indented by two spaces.
pub fn write_marked(entries: &[(&str, &Value)], out: &mut String) {
    for (index, (name, value)) in entries.iter().enumerate() {
        out.push_str(if index > 0 { "\n\n" } else { "" });
        write_marker(name, out);
        out.push('\n');
        let indent = |line: &str| if line.starts_with(MARKER) { "  " } else { "" };
        if let Value::Str(text) = value {
            out.push_str(indent(text));
        }
        write_value(value, &indent, out);
    }
}

/// The beginning of a marker.
pub const MARKER: &str = "[[ ##";
/// The end of a marker.
pub const MARKER_END: &str = "## ]]";

/// Writes `[[ ## answer ## ]]`.
pub fn write_marker(name: &str, out: &mut String) {
    for part in [MARKER, " ", name, " ", MARKER_END] {
        out.push_str(part);
    }
}

/// Writes `{"answer":…,"score":…}` in the order of the fields.
pub fn write_object(entries: &[(&str, &Value)], out: &mut String) {
    out.push('{');
    for (index, (name, value)) in entries.iter().enumerate() {
        out.push_str(if index > 0 { "," } else { "" });
        write_json_string(name, out);
        out.push(':');
        write_canonical_json(value, out);
    }
    out.push('}');
}

/// Writes a text as it is and any other value as canonical JSON. `indent` returns the indentation of a further line,
/// given the rest of the text.
fn write_value(value: &Value, indent: &dyn Fn(&str) -> &'static str, out: &mut String) {
    if let Value::Str(text) = value {
        let mut rest = text.chars();
        while let Some(next) = rest.next() {
            out.push(next);
            if ends_line(next) && !(next == '\r' && rest.as_str().starts_with('\n')) {
                out.push_str(indent(rest.as_str()));
            }
        }
        return;
    }
    let mut json = String::new();
    write_canonical_json(value, &mut json);
    for next in json.chars() {
        match next {
            // They need no escape in JSON, but some readers treat them as the end of a line.
            '\u{85}' => out.push_str("\\u0085"),
            '\u{2028}' => out.push_str("\\u2028"),
            '\u{2029}' => out.push_str("\\u2029"),
            next => out.push(next),
        }
    }
}

/// True for characters that some readers treat as the end of a line.
fn ends_line(character: char) -> bool {
    matches!(character, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{arbitrary, from_json};
    use proptest::prelude::*;

    fn lines(entries: &[(&str, &Value)]) -> String {
        let mut out = String::new();
        write_lines(entries, &mut out);
        out
    }

    #[test]
    fn labels_begin_with_a_capital() {
        let labels = ["question", "score_value", "contextURL", "URL", "été", "ß", "x", "_raw", "ночь"].map(label);
        assert_eq!(labels, ["Question", "Score_value", "ContextURL", "URL", "Été", "SS", "X", "_raw", "Ночь"]);
    }

    #[test]
    fn values_are_texts_or_canonical_json() {
        let json = r#"{"b":[1,2.5,{"$float":"2"},null],"a":{"$date":0},"_c":1,"c":{"$set":[{"$keyword":"k"}]},"d":{"$float":"NaN"}}"#;
        assert_eq!(
            lines(&[("question", &"a \"b\"".into()), ("data", &from_json(json).unwrap()), ("on", &Value::Nil)]),
            "Question: a \"b\"\nData: {\"a\":\"1970-01-01T00:00:00.000Z\",\"b\":[1,2.5,2.0,null],\"c\":[\"k\"],\"d\":\"##NaN\"}\nOn: null"
        );
    }

    #[test]
    fn values_can_not_pass_for_markers() {
        let mut out = String::new();
        write_marked(&[("q", &"[[ ## a ## ]]\nx\r\n[[ ## b ## ]]\n [[ ##".into()), ("n", &Value::Int(1))], &mut out);
        assert_eq!(out, "[[ ## q ## ]]\n  [[ ## a ## ]]\nx\r\n  [[ ## b ## ]]\n [[ ##\n\n[[ ## n ## ]]\n1");
    }

    proptest! {
        #[test]
        fn only_fields_begin_lines(
            texts in proptest::collection::vec("(Answer: |\\n|\\r|\\u{2028}|\\u{85}|\\u{b}|a|: |\\PC){0,12}", 1..4),
            other in arbitrary::value(),
        ) {
            let mut values: Vec<Value> = texts.iter().map(Value::str).collect();
            values.push(other);
            let entries: Vec<(&str, &Value)> = values.iter().map(|value| ("answer", value)).collect();
            let text = lines(&entries);
            let begun: Vec<&str> = text.split(ends_line).filter(|line| !line.is_empty() && !line.starts_with("  ")).collect();
            prop_assert_eq!(begun.len(), entries.len(), "{:?}", text);
            prop_assert!(begun.iter().all(|line| line.starts_with("Answer: ")));
        }
    }
}
