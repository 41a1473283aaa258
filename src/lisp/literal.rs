//! Values of literal forms.

use super::fault::describe;
use super::form::{Form, FormKind, Symbol};
use super::reader::read;
use crate::diagnostic::Diagnostic;
use crate::value::{Closure, Map, Set, Value, is_keyword_name};

/// Reads the text of a value: exactly one form without symbols and calls. Lists become vectors. The text that [`to_clojure`](crate::value::to_clojure) writes without limits
/// reads back as the same value.
///
/// Fails with the errors of [`read`], with `parse_error` when there is no form or more than one, with `duplicate_key`,
/// and with `not_a_literal` for symbols and functions.
pub fn read_value(source: &str) -> Result<Value, Diagnostic> {
    let forms = read(source)?;
    match forms.as_slice() {
        [form] => value_of(form),
        [] => {
            Err(Diagnostic::new("parse_error", "there is no value in an empty text").with_hint("write `nil` for none"))
        }
        [_, second, ..] => {
            let message = format!("expected one value, found {}", forms.len());
            Err(Diagnostic::at("parse_error", second.span, message).with_hint("put them into a vector: `[1 2]`"))
        }
    }
}

/// Reads the first value of a text; nil when there is none.
pub(super) fn read_first(source: &str) -> Result<Value, Diagnostic> {
    read(source)?.first().map_or(Ok(Value::Nil), value_of)
}

/// A form whose children are being converted.
struct PartialForm<'a> {
    form: &'a Form,
    values: Vec<Value>,
}

pub(super) fn value_of(form: &Form) -> Result<Value, Diagnostic> {
    let mut open: Vec<PartialForm<'_>> = Vec::new();
    let mut next = form;
    loop {
        let mut done = scalar(next)?;
        if done.is_none() {
            open.push(PartialForm { form: next, values: Vec::new() });
        }
        loop {
            let Some(parent) = open.last_mut() else { return Ok(done.unwrap_or_default()) };
            if let Some(value) = done.take() {
                parent.values.push(value);
            }
            if let Some(child) = child(parent.form, parent.values.len()) {
                next = child;
                break;
            }
            done = open.pop().map(close).transpose()?;
        }
    }
}

/// Returns the value of a form without children; `None` for one that has them.
fn scalar(form: &Form) -> Result<Option<Value>, Diagnostic> {
    Ok(Some(match &form.kind {
        FormKind::List(_) | FormKind::Vector(_) | FormKind::Map(_) | FormKind::Set(_) => return Ok(None),
        FormKind::Nil => Value::Nil,
        FormKind::Bool(value) => Value::Bool(*value),
        FormKind::Int(value) => Value::Int(*value),
        FormKind::BigInt(value) => Value::BigInt(value.clone()),
        FormKind::Float(value) => Value::Float(*value),
        FormKind::Str(text) => Value::Str(text.clone()),
        FormKind::Keyword(name) => Value::Keyword(name.clone()),
        FormKind::Var(symbol) => Value::Var(symbol.to_string().into()),
        FormKind::Regex(source) => Value::Regex(source.clone()),
        FormKind::Inst(millis) => Value::Date(*millis),
        FormKind::Day(days) => Value::Day(*days),
        FormKind::Closure(params) => Value::Closure(Closure { params: params.clone(), ..Default::default() }.into()),
        FormKind::Builtin(name) => Value::Builtin(name.clone()),
        FormKind::Symbol(symbol) => return Err(not_data(form, symbol)),
        FormKind::ShortFn(_) => {
            let error = Diagnostic::at("not_a_literal", form.span, "a function is a program, not data");
            return Err(error.with_hint("run the program, or write what it should give"));
        }
    }))
}

fn not_data(form: &Form, symbol: &Symbol) -> Diagnostic {
    let message = format!("the symbol `{symbol}` is a program, not data");
    let hint = if is_keyword_name(&symbol.to_string()) {
        format!("write the keyword `:{symbol}` or the string \"{symbol}\"")
    } else {
        format!("write the string \"{symbol}\"")
    };
    Diagnostic::at("not_a_literal", form.span, message).with_hint(hint)
}

fn child(form: &Form, index: usize) -> Option<&Form> {
    match &form.kind {
        FormKind::List(forms) | FormKind::Vector(forms) | FormKind::Map(forms) | FormKind::Set(forms) => {
            forms.get(index)
        }
        _ => None,
    }
}

fn close(PartialForm { form, values }: PartialForm<'_>) -> Result<Value, Diagnostic> {
    let (forms, step) = match &form.kind {
        FormKind::Map(forms) => (forms, 2),
        FormKind::Set(forms) => (forms, 1),
        _ => return Ok(Value::Vector(values.into())),
    };
    if let Some((position, key)) = repeated(values.iter().step_by(step)) {
        let mut problem = duplicate(step == 2, &describe(key));
        problem.span = forms.get(position * step).map(|form| form.span);
        return Err(problem);
    }
    Ok(if step == 2 { Value::Map(Map::alternating(values)) } else { Value::set(values) })
}

/// Returns the first key that equals an earlier one, and its index. Prints of functions are no keys that could be
/// compared.
pub(super) fn repeated<'a>(keys: impl Iterator<Item = &'a Value>) -> Option<(usize, &'a Value)> {
    let keys: Vec<_> = keys.collect();
    let mut seen = Set::default();
    let mut is_seen = |position: usize, key: &Value| match keys.len() {
        // Comparing a few keys takes less than hashing them.
        ..=8 => keys[..position].contains(&key),
        _ => !seen.insert(key.clone()),
    };
    let (position, key) =
        keys.iter().enumerate().find(|(position, key)| !matches!(key, Value::Closure(_)) && is_seen(*position, key))?;
    Some((position, key))
}

/// Returns the error of a map or set that is written with a key twice.
#[cold]
pub(super) fn duplicate(is_map: bool, key: &str) -> Diagnostic {
    let (message, hint) = match is_map {
        true => ("a map is written with a key twice", "write each key once; `assoc` and `merge` replace a value"),
        false => {
            ("a set is written with an element twice", "write each element once; `(set coll)` takes repeated ones")
        }
    };
    Diagnostic::new("duplicate_key", format!("{message}: {key}")).with_hint(hint)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{MAX_NESTING, PrintOptions, arbitrary, to_clojure};
    use proptest::prelude::*;

    #[track_caller]
    fn check(source: &str, printed: &str) {
        let value = read_value(source).unwrap();
        assert_eq!(to_clojure(&value, &PrintOptions { filter_hidden: false, ..Default::default() }).text, printed);
    }

    #[track_caller]
    fn refused(source: &str, kind: &str, start: Option<usize>, message: &str, hint: &str) {
        let error = read_value(source).unwrap_err();
        let found = error.hint.clone().unwrap_or_default();
        assert!(error.message.contains(message) && found.contains(hint), "{error}");
        assert_eq!((error.kind, error.span.map(|span| span.start)), (kind, start));
    }

    #[test]
    fn literals_are_values() {
        check("[nil true -1 1.5 \"a\" \\b :c]", "[nil true -1 1.5 \"a\" \"b\" :c]");
        check("{:b #{2 1} :a {}}", "{:a {} :b #{1 2}}");
        check("(1 (2))", "[1 [2]]");
        check("[99999999999999999999 5N ##NaN]", "[99999999999999999999 5 ##NaN]");
        check(
            "[#'a/b #\"x\\\"\" #inst \"2024\" #fn[a] #builtin[inc]]",
            "[#'a/b #\"x\\\"\" #inst \"2024-01-01T00:00:00.000Z\" #fn[a] #builtin[inc]]",
        );
        check(" ; a comment\n:a #_ :b", ":a");
    }

    #[test]
    fn keys_and_elements_occur_once() {
        refused("{:a 1 :b 2 :a 3}", "duplicate_key", Some(11), "a key twice: the keyword `:a`", "each key once");
        refused(
            "[#{{:b [1]} {:b [1]}}]",
            "duplicate_key",
            Some(12),
            "an element twice: the map `{:b [1]}`",
            "(set coll)",
        );
        check("#{#fn[a] #fn[a]}", "#{#fn[a]}");
        check("{1 2 1.0 3 \"a\" 4 :a 5}", "{1 2 1.0 3 :a 5 \"a\" 4}");
    }

    #[test]
    fn there_is_exactly_one_value() {
        refused("", "parse_error", None, "empty text", "`nil`");
        refused("; nothing", "parse_error", None, "empty text", "");
        refused("1 2 3", "parse_error", Some(2), "expected one value, found 3", "`[1 2]`");
    }

    #[test]
    fn programs_are_no_values() {
        refused("[(inc 1)]", "not_a_literal", Some(2), "`inc`", "keyword `:inc` or the string \"inc\"");
        refused("data/x", "not_a_literal", Some(0), "`data/x`", "the string \"data/x\"");
        refused("#(inc %)", "not_a_literal", Some(0), "a function", "run the program");
    }

    #[test]
    fn the_deepest_values_read_back() {
        let closure = Value::Closure(Closure { params: "a".into(), ..Default::default() }.into());
        let deep = (0..MAX_NESTING).fold(closure, |inner, _| Value::vector([inner]));
        let text = to_clojure(&deep, &PrintOptions::default()).text;
        assert!(read_value(&text).is_ok_and(|read| read == deep));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn printed_values_read_back(value in arbitrary::printable_value()) {
            let text = to_clojure(&value, &PrintOptions { filter_hidden: false, ..Default::default() }).text;
            prop_assert!(text.chars().all(|character| !character.is_control()));
            prop_assert_eq!(read_value(&text).unwrap(), value);
        }
    }
}
