//! Documentation of the language for programs.

use std::task::Poll;

use super::arguments::arg;
use super::searching::AT_ONCE;
use super::{calls, find, names, plain, steps};
use crate::lisp::fault::{EvalResult, error, error_with_hint, type_error};
use crate::lisp::native::{Begin, Builtin, Context, Next};
use crate::lisp::pattern::Search;
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
    steps("apropos", "s", (1, 1), "The names in the language that contain s, a string or a regex.", apropos),
];

fn described(name: &str) -> EvalResult<String> {
    if let Some(builtin) = find(name) {
        return Ok(format!("{}\n{}", calls(builtin), builtin.doc));
    }
    if let Some((_, usage, doc)) = special::forms().find(|(found, _, _)| *found == name) {
        return Ok(format!("{usage}\n{doc}"));
    }
    if name.len() > LONGEST_NAME {
        return error("unbound_var", format!("no function of the language has a name of {} bytes", name.len()));
    }
    let hint = match suggest::nearest(name, names()) {
        Some(near) => format!("did you mean `{near}`? `(apropos \"{name}\")` looks for names"),
        None => format!("`(apropos \"{name}\")` looks for names"),
    };
    error_with_hint("unbound_var", format!("there is no function `{name}` in the language"), hint)
}

/// An upper bound on the bytes of the names in the language.
const LONGEST_NAME: usize = 100;

fn apropos(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult<Begin> {
    let mut all = names().collect::<Vec<_>>();
    for (name, _, _) in special::forms() {
        all.push(name);
    }
    let mut all = in_order(&all, Ord::cmp).copied().collect::<Vec<_>>();
    all.dedup();
    match arg(args, 0) {
        // No name contains a text of this length.
        Value::Str(part) if part.len() > LONGEST_NAME => Ok(Begin::Done(Value::vector([]))),
        Value::Str(part) => {
            let part = lowercase(part);
            all.retain(|name| name.contains(&part));
            context.meter.elements(all.len())?;
            Ok(Begin::Done(Value::vector(all.into_iter().map(Value::str))))
        }
        Value::Regex(source) => {
            let pattern = context.meter.patterns.get(source, false)?;
            let (mut names, mut search, mut found) = (all.into_iter(), None, Vec::new());
            let steps = move |context: &mut Context<'_>, _: Option<Value>| {
                let enough = context.meter.fuel.saturating_add(AT_ONCE);
                while context.meter.fuel < enough {
                    search = search.take().or_else(|| names.next().map(|name| (name, Search::default())));
                    let Some((name, searched)) = &mut search else {
                        context.meter.elements(found.len())?;
                        return Ok(Next::Done(Value::from(std::mem::take(&mut found))));
                    };
                    if let Poll::Ready(matched) = context.meter.find(&pattern, name, searched, AT_ONCE)? {
                        found.extend(matched.map(|_| Value::str(name)));
                        search = None;
                    }
                }
                Ok(Next::Continue)
            };
            Begin::work(context, Box::new(steps))
        }
        other => type_error(context.name, "a string or a regex", other, "write `(apropos \"map\")`"),
    }
}
