//! Documentation of the language for programs.

use super::arguments::arg;
use super::{calls, find, names, plain};
use crate::lisp::fault::{EvalResult, error_with_hint, type_error};
use crate::lisp::native::{Builtin, Context};
use crate::lisp::special;
use crate::suggest;
use crate::unicode::lowercase;
use crate::value::{Value, in_order};

pub(super) const ROWS: &[Builtin] = &[
    plain("doc", "f", (1, 1), "Prints how a function is called and what it does; nil.", |context, args| {
        let text = match arg(args, 0) {
            Value::Closure(closure) => match &closure.doc {
                Some(doc) => format!("[{}]\n{doc}", closure.params),
                None => format!("[{}]", closure.params),
            },
            Value::Builtin(name) | Value::Str(name) | Value::Keyword(name) => described(name)?,
            other => {
                return type_error(
                    context.name,
                    "a function or its name",
                    other,
                    "write `(doc map)` or `(doc \"map\")`",
                );
            }
        };
        text.lines().try_for_each(|line| context.print(line))?;
        Ok(Value::Nil)
    }),
    plain("apropos", "s", (1, 1), "The names in the language that contain s, a string or a regex.", apropos),
];

fn described(name: &str) -> EvalResult<String> {
    if let Some(builtin) = find(name) {
        return Ok(format!("{}\n{}", calls(builtin), builtin.doc));
    }
    if let Some((_, usage, doc)) = special::forms().find(|(found, _, _)| *found == name) {
        return Ok(format!("{usage}\n{doc}"));
    }
    let hint = match suggest::nearest(name, names()) {
        Some(near) => format!("did you mean `{near}`? `(apropos \"{name}\")` looks for names"),
        None => format!("`(apropos \"{name}\")` looks for names"),
    };
    error_with_hint("unbound_var", format!("there is no function `{name}` in the language"), hint)
}

/// No name in the language has more bytes.
const LONGEST_NAME: usize = 100;

fn apropos(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult {
    let mut all = names().collect::<Vec<_>>();
    for (name, _, _) in special::forms() {
        all.push(name);
    }
    let mut all = in_order(&all, Ord::cmp).copied().collect::<Vec<_>>();
    all.dedup();
    let part = match arg(args, 0) {
        // No name is as long.
        Value::Str(part) if part.len() > LONGEST_NAME => return Ok(Value::vector([])),
        Value::Str(part) => lowercase(part),
        _ => String::new(),
    };
    let mut found = Vec::new();
    for name in all {
        let is_wanted = match arg(args, 0) {
            Value::Str(_) => name.contains(&part),
            Value::Regex(source) => {
                let pattern = context.meter.patterns.get(source, false)?;
                pattern.find(context.meter, name, 0)?.is_some()
            }
            other => return type_error(context.name, "a string or a regex", other, "write `(apropos \"map\")`"),
        };
        if is_wanted {
            found.push(Value::str(name));
        }
    }
    context.meter.elements(found.len())?;
    Ok(Value::from(found))
}
