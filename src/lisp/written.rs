//! How programs write the names of data and tools: `data/name`, `tool/name`.

use super::atom::symbol;
use crate::diagnostic::Diagnostic;
use crate::value::{Names, Str, Value, is_symbol_char, write_json_string};

/// Returns true when `namespace/name` reads as the symbol with this name. Without the reader of whole forms, which
/// renderers do not need: a run of symbol characters that begins with a letter is one symbol, or a mistake.
pub fn is_writable(name: &str) -> bool {
    let source = format!("data/{name}");
    name.chars().all(is_symbol_char) && symbol(&source).is_ok_and(|symbol| *symbol.name == *name)
}

/// Returns the name in the notation of programs: each run of characters that symbols cannot contain becomes `-`, and is
/// removed at the ends and next to `-` or `_`; `:` is removed at the end. Returns `None` when no character remains.
pub fn written(name: &str) -> Option<Str> {
    if is_writable(name) {
        return Some(name.into());
    }
    let mut written = String::new();
    let mut is_gap = false;
    for character in name.chars() {
        if !is_symbol_char(character) {
            is_gap = true;
            continue;
        }
        let is_joined = |character: char| matches!(character, '-' | '_');
        if is_gap && !written.is_empty() && !written.ends_with(is_joined) && !is_joined(character) {
            written.push('-');
        }
        is_gap = false;
        written.push(character);
    }
    let written = written.trim_end_matches(':');
    is_writable(written).then(|| written.into())
}

/// A key of the data that no program can read.
#[derive(Debug)]
pub struct UnwritableName {
    /// The key.
    pub name: Str,
    /// The message and the hint.
    pub problem: Diagnostic,
}

/// Returns the data under the names that programs use. Messages and sandboxes name the data with this same function, so
/// that a program can read each listed name.
///
/// Fails with `invalid_value` for a name without a character that symbols can contain, and for two names with the same
/// notation.
pub fn written_data<'a>(data: impl Iterator<Item = (&'a Str, &'a Value)>) -> Result<Names<Value>, UnwritableName> {
    let mut named = Names::default();
    let mut keys: Names<&Str> = Names::default();
    for (name, value) in data {
        let refuse = |message: String, hint: &str| UnwritableName {
            name: name.clone(),
            problem: Diagnostic::new("invalid_value", message).with_hint(hint),
        };
        let Some(written) = written(name) else {
            let message = match name.trim() {
                "" => "a key of the data is blank, so no program can read it".into(),
                _ => format!("the key {} of the data can't be written in a program", quoted(name)),
            };
            return Err(refuse(message, "rename it: programs read data as `data/name`"));
        };
        if let Some(other) = keys.get(&written) {
            let (first, second) = (quoted(other), quoted(name));
            let message = format!("the keys {first} and {second} of the data are both written `data/{written}`");
            return Err(refuse(message, "rename one of them"));
        }
        keys.insert(written.clone(), name);
        named.insert(written, value.clone());
    }
    Ok(named)
}

/// Fails with `invalid_tool` for a tool name that no program can call.
pub fn check_tool_name(name: &str) -> Result<(), Diagnostic> {
    if is_writable(name) {
        return Ok(());
    }
    let reason = match name.chars().find(|character| !is_symbol_char(*character)) {
        _ if name.is_empty() => "is empty".into(),
        None => "ends with `:`".into(),
        Some(' ') => "has a blank".into(),
        Some('\t') => "has a tab".into(),
        Some('\n' | '\r') => "has a line break".into(),
        Some('`') => "has a backquote".into(),
        Some(other) if other.is_whitespace() || !other.is_ascii_graphic() => {
            format!("has the character U+{:04X}", u32::from(other))
        }
        Some(other) => format!("has `{other}`"),
    };
    let message = format!("the tool {} can't be called from a program: its name {reason}", quoted(name));
    let hint = match written(name) {
        Some(possible) => format!("name it `{possible}`"),
        None => "programs call tools as `(tool/name …)`".into(),
    };
    Err(Diagnostic::new("invalid_tool", message).with_hint(hint))
}

fn quoted(name: &str) -> String {
    let mut quoted = String::new();
    write_json_string(name, &mut quoted);
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn check(name: &str, expected: &str) {
        assert_eq!(written(name).as_deref().unwrap_or_default(), expected, "{name:?}");
    }

    #[test]
    fn names_that_a_symbol_can_have_stay() {
        for name in ["a", "a/b", "1st", "nil", ":x", "a:b", "größe", "_x", "a.b", "/", "-", "#", "'", "%", "a/", "+1"]
        {
            check(name, name);
        }
    }

    #[test]
    fn other_characters_become_dashes() {
        check("weird key", "weird-key");
        check("weird \t(key", "weird-key");
        check("price ($)", "price-$");
        check(" a - b_ c ", "a-b_c");
        check("a\u{a0}b\nc", "a-b-c");
        check("user@host", "user-host");
        check("a:", "a");
        check("a: ", "a");
        for name in ["", " ", "()", ":", " : ", "\0"] {
            check(name, "");
        }
    }

    #[track_caller]
    fn refused(names: &[&str], message: &str) {
        let data: Vec<(Str, Value)> = names.iter().map(|name| ((*name).into(), Value::Nil)).collect();
        let refused = written_data(data.iter().map(|(name, value)| (name, value))).unwrap_err();
        assert_eq!(refused.problem.message, message);
    }

    #[test]
    fn data_that_can_not_be_told_apart_are_refused() {
        refused(&["a", ""], "a key of the data is blank, so no program can read it");
        refused(&["(\n)"], "the key \"(\\n)\" of the data can't be written in a program");
        refused(&["a b", "a-b"], "the keys \"a b\" and \"a-b\" of the data are both written `data/a-b`");
        refused(&["a-b", "a b"], "the keys \"a-b\" and \"a b\" of the data are both written `data/a-b`");
    }

    #[track_caller]
    fn tool_refused(name: &str, message: &str, hint: &str) {
        let refused = check_tool_name(name).unwrap_err();
        assert!(
            refused.message.ends_with(&format!(" can't be called from a program: its name {message}")),
            "{refused}"
        );
        assert_eq!(refused.hint.as_deref(), Some(hint));
    }

    #[test]
    fn tools_that_can_not_be_called_are_refused() {
        tool_refused("weird name", "has a blank", "name it `weird-name`");
        tool_refused("a\tb", "has a tab", "name it `a-b`");
        tool_refused("a\n", "has a line break", "name it `a`");
        tool_refused("a`", "has a backquote", "name it `a`");
        tool_refused("f(x)", "has `(`", "name it `f-x`");
        tool_refused("a\u{a0}b", "has the character U+00A0", "name it `a-b`");
        tool_refused("a:", "ends with `:`", "name it `a`");
        tool_refused("", "is empty", "programs call tools as `(tool/name …)`");
        for name in ["search", "a/b", "server.tool", "größe", "map", "1st"] {
            assert!(check_tool_name(name).is_ok(), "{name}");
        }
    }

    proptest! {
        #[test]
        fn a_name_is_writable_when_the_reader_reads_it(name in "\\PC{0,6}|[a-c:;,/ ()#'%.+0-9“-]{0,6}") {
            let forms = crate::lisp::read(&format!("data/{name}"));
            let is_read = matches!(forms.as_deref(), Ok([form])
                if matches!(&form.kind, crate::lisp::FormKind::Symbol(symbol) if *symbol.name == *name));
            prop_assert_eq!(is_writable(&name), is_read);
        }

        #[test]
        fn what_is_written_reads_as_that_name(name in "\\PC{0,6}|[a-c:;,/ ()#'%-]{0,6}") {
            if let Some(written) = written(&name) {
                prop_assert!(is_writable(&written));
                prop_assert_eq!(super::written(&written), Some(written.clone()));
            } else {
                prop_assert!(name.chars().all(|character| character == ':' || !is_symbol_char(character)));
            }
        }
    }
}
