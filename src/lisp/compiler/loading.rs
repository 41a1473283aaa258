//! Forms that load namespaces. Everything is there already, so they load nothing; what they name has to exist.

use std::borrow::Cow;

use super::{Compiler, Expr};
use crate::diagnostic::Span;
use crate::lisp::builtins;
use crate::lisp::chunk::Reg;
use crate::lisp::form::{Form, FormKind};
use crate::lisp::special::is_loading;
use crate::value::{Str, sort};

/// The span, message and hint of a problem.
type LoadingProblem = (Span, String, String);

impl Compiler<'_> {
    /// `(require '[clojure.string :as str])`, `(ns name (:require …))`, `(import java.time.LocalDate)` and the like.
    pub(super) fn load_namespaces(&mut self, name: &str, args: &[Expr<'_>], span: Span, dst: Reg) {
        // The name of the program's own namespace.
        let own = usize::from(matches!(name, "ns" | "in-ns"));
        let problem = args.iter().skip(own).filter_map(Expr::form).find_map(problem_of);
        match problem {
            Some((span, message, hint)) => self.problem("invalid_form", span, message, hint),
            None => self.nothing(dst, span),
        }
    }
}

/// Returns the problem of something that is loaded.
fn problem_of(form: &Form) -> Option<LoadingProblem> {
    let is_section = |parts: &[Form]| matches!(parts.first().map(|first| &first.kind), Some(FormKind::Keyword(_)));
    match &form.kind {
        FormKind::Keyword(_) | FormKind::Str(_) | FormKind::Map(_) => None,
        // `(:require …)` in `ns`.
        FormKind::List(parts) | FormKind::Vector(parts) if is_section(parts) => {
            parts[1..].iter().find_map(problem_of_spec)
        }
        FormKind::Symbol(_) | FormKind::List(_) | FormKind::Vector(_) => problem_of_spec(form),
        _ => {
            let hint = "write `(require '[clojure.string :as str])`";
            Some((form.span, "this names no namespace".into(), hint.into()))
        }
    }
}

/// Returns the problem of `clojure.string`, `[clojure.string :as str :refer [join]]` or `(java.time LocalDate)`.
fn problem_of_spec(form: &Form) -> Option<LoadingProblem> {
    let (FormKind::List(parts) | FormKind::Vector(parts)) = &form.kind else {
        return if let FormKind::Symbol(_) = form.kind { problem_of_namespace(form, None) } else { None };
    };
    let (first, rest) = parts.split_first()?;
    let package = name_of(first)?;
    if matches!(rest.first().map(|part| &part.kind), Some(FormKind::Symbol(_))) {
        return rest.iter().find_map(|class| problem_of_namespace(class, Some(package)));
    }
    problem_of_namespace(first, None).or_else(|| {
        rest.chunks(2).find_map(|option| match option {
            [Form { kind: FormKind::Keyword(key), .. }, alias] if &**key == "as" => problem_of_alias(package, alias),
            [
                Form { kind: FormKind::Keyword(key), .. },
                Form { kind: FormKind::Vector(names) | FormKind::List(names), .. },
            ] if matches!(&**key, "refer" | "only") => names.iter().find_map(|name| problem_of_name(package, name)),
            _ => None,
        })
    })
}

fn name_of(form: &Form) -> Option<&str> {
    match &form.kind {
        FormKind::Symbol(symbol) if symbol.namespace.is_none() => Some(&symbol.name),
        _ => None,
    }
}

fn problem_of_namespace(form: &Form, package: Option<&str>) -> Option<LoadingProblem> {
    let name = name_of(form)?;
    let whole = package.map_or_else(|| name.to_owned(), |package| format!("{package}.{name}"));
    if builtins::is_namespace(&whole) {
        return None;
    }
    let hint = builtins::instead_of(&whole).unwrap_or(
        "there are clojure.string, clojure.set, clojure.walk, clojure.math, cheshire.core and classes of java.time such as \
         LocalDate, and nothing has to be loaded",
    );
    Some((form.span, format!("there is no namespace `{whole}`"), hint.into()))
}

fn problem_of_alias(namespace: &str, alias: &Form) -> Option<LoadingProblem> {
    let name = name_of(alias).filter(|name| is_reserved(name))?;
    let usual = builtins::usual_alias(namespace);
    let message = format!("`{namespace}` can't be called `{name}` here");
    Some((alias.span, message, format!("write `:as {usual}`, and `{usual}/name`")))
}

/// A name of `clojure.string` that means something else without a prefix.
fn problem_of_name(namespace: &str, form: &Form) -> Option<LoadingProblem> {
    let name = name_of(form)?;
    let usual = builtins::usual_alias(namespace);
    let whole = format!("{usual}/{name}");
    builtins::position(&whole)?;
    Some((form.span, format!("`{name}` without a prefix is another function"), format!("write `{whole}`")))
}

/// Prefixes that always mean something else.
fn is_reserved(alias: &str) -> bool {
    matches!(alias, "data" | "tool" | "user")
}

/// An alias in the source: its position, its length, and the usual alias of its namespace.
pub(super) type Renamed = (usize, usize, &'static str);

/// Replaces the aliases that a program declares with the usual ones, because functions outlive the program: their
/// sources must be understood without its declarations. Returns the places of the replaced ones, in order.
pub(super) fn rename_aliases(program: &mut [Form]) -> Vec<Renamed> {
    let mut aliases = Vec::new();
    let mut pending: Vec<&Form> = program.iter().rev().collect();
    while let Some(form) = pending.pop() {
        let FormKind::List(parts) = &form.kind else { continue };
        match parts.first().and_then(name_of) {
            Some(name) if is_loading(name) => parts[1..].iter().for_each(|spec| collect_aliases(spec, &mut aliases)),
            Some("do") => pending.extend(&parts[1..]),
            _ => {}
        }
    }
    let mut renamed = Vec::new();
    if aliases.is_empty() {
        return renamed;
    }
    let mut pending: Vec<&mut Form> = program.iter_mut().collect();
    while let Some(form) = pending.pop() {
        let start = form.span.start;
        let (symbol, start) = match &mut form.kind {
            FormKind::Symbol(symbol) => (symbol, start),
            FormKind::Var(symbol) => (symbol, start + 2),
            FormKind::List(parts)
            | FormKind::Vector(parts)
            | FormKind::Map(parts)
            | FormKind::Set(parts)
            | FormKind::ShortFn(parts) => {
                pending.extend(parts);
                continue;
            }
            _ => continue,
        };
        let Some(namespace) = &mut symbol.namespace else { continue };
        if let Some((_, usual)) = aliases.iter().rev().find(|(alias, _)| alias == namespace) {
            renamed.push((start, namespace.len(), *usual));
            *namespace = (*usual).into();
        }
    }
    sort(&mut renamed, |left, right| left.0.cmp(&right.0));
    renamed
}

/// Adds the alias that `[namespace :as alias]` declares, or those of a section of `ns`.
fn collect_aliases(spec: &Form, aliases: &mut Vec<(Str, &'static str)>) {
    let (FormKind::List(parts) | FormKind::Vector(parts)) = &spec.kind else { return };
    let Some((first, rest)) = parts.split_first() else { return };
    if let FormKind::Keyword(_) = first.kind {
        return rest.iter().for_each(|spec| collect_aliases(spec, aliases));
    }
    for option in rest.chunks(2) {
        if let [Form { kind: FormKind::Keyword(key), .. }, alias] = option
            && &**key == "as"
            && let Some(alias) = name_of(alias).filter(|alias| !is_reserved(alias))
            && let Some(usual) = name_of(first).and_then(builtins::known_alias)
            && builtins::known_alias(alias) != Some(usual)
        {
            aliases.push((alias.into(), usual));
        }
    }
}

/// Returns a part of the source with the usual aliases.
pub(super) fn with_usual_aliases<'s>(source: &'s str, span: Span, renamed: &[Renamed]) -> Cow<'s, str> {
    let (mut text, mut from) = (String::new(), span.start);
    for (start, length, usual) in renamed.iter().filter(|(start, ..)| (span.start..span.end).contains(start)) {
        text.push_str(&source[from..*start]);
        text.push_str(usual);
        from = start + length;
    }
    let rest = &source[from..span.end];
    if text.is_empty() { rest.into() } else { (text + rest).into() }
}
