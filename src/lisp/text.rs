//! Values as text: what `str`, `println` and `join` write.

use crate::value::{PrintOptions, Value, to_clojure};

/// Appends a value as a reader of output wants to see it: strings without quotes, nil as nothing
/// inside `str`, everything else as Clojure text.
pub fn append(value: &Value, out: &mut String) {
    match value {
        Value::Nil => {}
        value => display(value, out),
    }
}

/// Appends a value as `println` does: strings without quotes, nil as `nil`.
pub fn display(value: &Value, out: &mut String) {
    match value {
        Value::Str(text) => out.push_str(text),
        value => {
            let options = PrintOptions { limit: None, printable_limit: None, filter_hidden: false };
            out.push_str(&to_clojure(value, &options).text);
        }
    }
}
