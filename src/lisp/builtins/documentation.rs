//! Documentation of the language for programs.

use std::rc::Rc;
use std::task::Poll;

use super::arguments::arg;
use super::searching::AT_ONCE;
use super::synonyms::synonym;
use super::{calls, find, names, plain, qualified, steps, synonyms};
use crate::lisp::fault::{EvalResult, error, error_with_hint, shown, type_error};
use crate::lisp::native::{Begin, Builtin, Context, Next};
use crate::lisp::pattern::Search;
use crate::lisp::special;
use crate::lisp::tool::ToolSpec;
use crate::suggest;
use crate::unicode::{lowercase, on_one_line};
use crate::value::{Names, Str, Value, in_order};
use crate::work;

pub(super) const ROWS: &[Builtin] = &[
    plain("doc", "f", (1, 1), "Prints how a function is called and what it does; nil.", |context, args| {
        let text = match arg(args, 0) {
            Value::Closure(closure) => match &closure.doc {
                Some(doc) => format!("[{}]\n{doc}", closure.params),
                None => format!("[{}]", closure.params),
            },
            Value::Builtin(name) | Value::Str(name) | Value::Keyword(name) => described(context, name)?,
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
    plain(
        "find-doc",
        "s",
        (1, 1),
        "Prints how the tools and functions that s is about are called and what they do, a line for each; nil.",
        find_doc,
    ),
    steps(
        "apropos",
        "s",
        (1, 1),
        "The names of tools and of the language that contain s, a string or a regex.",
        apropos,
    ),
];

fn described(context: &Context<'_>, name: &str) -> EvalResult<String> {
    let tools = &context.meter.tools;
    if let Some(tool) = name.strip_prefix("tool/") {
        return match tools.get(tool) {
            Some(spec) => Ok(spec.documentation(tool)),
            None => {
                let known = suggest::list(tools.iter().map(|(name, _)| &**name), "tool/");
                error_with_hint("unknown_tool", format!("there is no tool `{tool}`"), format!("the tools are {known}"))
            }
        };
    }
    let qualified = || name.split_once('/').and_then(|(space, name)| qualified(space, name));
    let constant = match find(name).or_else(|| match qualified()? {
        Value::Builtin(found) => find(&found),
        _ => None,
    }) {
        Some(builtin) => return Ok(format!("{}\n{}", calls(builtin), builtin.doc)),
        None => qualified(),
    };
    if let Some(value) = constant {
        return Ok(format!("{name}\n{}", shown(&value)));
    }
    if let Some((_, usage, doc)) = special::forms().find(|(found, _, _)| *found == name) {
        return Ok(format!("{usage}\n{doc}"));
    }
    if let Some(spec) = tools.get(name) {
        return Ok(spec.documentation(name));
    }
    if let Some(hint) = special::instead(name) {
        return error_with_hint("unbound_var", format!("`{name}` does not exist here"), hint);
    }
    if name.len() > LONGEST_NAME {
        return error("unbound_var", format!("no function of the language has a name of {} bytes", name.len()));
    }
    let hint = match synonym(name).or_else(|| suggest::nearest(name, names())) {
        Some(near) => format!("did you mean `{near}`? `(apropos \"{name}\")` looks for names"),
        None => format!("`(apropos \"{name}\")` looks for names"),
    };
    error_with_hint("unbound_var", format!("there is no function `{name}` in the language"), hint)
}

/// An upper bound on the bytes of the names in the language.
const LONGEST_NAME: usize = 100;

/// Words that programs look for, and the names that they are about. The first three are namespaces.
static CONCEPTS: [(&str, &str); 14] = [
    (
        "str clojure.string string text",
        "str blank? capitalize ends-with? format includes? index-of join last-index-of lower-case replace replace-first \
         split split-lines starts-with? str/reverse subs trim trim-newline triml trimr upper-case",
    ),
    ("set clojure.set", "difference intersection map-invert rename-keys select set/join subset? superset? union"),
    ("walk clojure.walk", "keywordize-keys postwalk prewalk stringify-keys"),
    ("error exception failure handle rescue", "try catch finally throw ex-info ex-message ex-data assert"),
    (
        "date time day month year week calendar today",
        "LocalDate/parse LocalDate/of LocalDate/now Instant/parse Instant/now Duration/between .plusDays .plusMonths \
         .getDayOfWeek .getDayOfMonth .getMonthValue .getYear .isBefore .until",
    ),
    ("parallel concurrent async", "pmap pcalls"),
    ("loop", "recur reduce for doseq dotimes"),
    ("condition switch match", "if cond case condp when"),
    ("regex pattern", "re-find re-matches re-seq re-split re-pattern replace"),
    ("number convert", "parse-long parse-double int double round format"),
    ("statistics", "avg median percentile sum min max"),
    ("aggregate", "group-by frequencies sum-by avg-by min-by max-by"),
    ("duplicate unique", "distinct distinct-by dedupe frequencies"),
    ("print output", "println prn pprint format"),
];

/// Returns whether somebody who looks for a text looks for the word: `errors` looks for `error`.
fn is_about(wanted: &str, word: &str) -> bool {
    let is_longer = wanted.strip_prefix(word).is_some_and(|rest| rest.len() <= word.len() / 2);
    is_longer || wanted.len() >= 4 && word.starts_with(wanted)
}

/// The groups in which names are listed, in their order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum NameGroup {
    Plain,
    Qualified,
    Method,
}

/// Returns the group of a name, with its first letter.
fn group(name: &str) -> (NameGroup, Option<char>) {
    let first = name.chars().next().filter(|first| first.is_alphabetic());
    match name {
        _ if name.starts_with('.') || name.ends_with('.') => (NameGroup::Method, None),
        _ if name.len() > 1 && name.contains('/') => (NameGroup::Qualified, first),
        _ => (NameGroup::Plain, first),
    }
}

/// Returns all names of the language.
fn all_names() -> impl Iterator<Item = &'static str> {
    names().chain(special::forms().map(|(name, ..)| name))
}

/// Returns the names that contain a text, those that are about it, and those of a namespace that it names; without any,
/// those whose documentation contains it.
fn names_about(wanted: &str) -> Vec<&'static str> {
    let wanted_name = wanted.to_ascii_lowercase();
    let mut found = all_names().filter(|name| name.to_ascii_lowercase().contains(&wanted_name)).collect::<Vec<_>>();
    if wanted.is_empty() {
        return found;
    }
    found.extend(synonyms().filter(|(known, _)| *known == wanted_name).map(|(_, here)| here));
    let (space, part) = wanted.split_once('/').unwrap_or((&wanted_name, ""));
    let about = CONCEPTS.iter().filter(|(words, _)| words.split(' ').any(|word| is_about(space, word)));
    found.extend(about.flat_map(|(_, names)| names.split(' ')).filter(|name| name.contains(part)));
    if found.is_empty() {
        let docs = names().filter_map(find).map(|builtin| (builtin.name, builtin.doc));
        let docs = docs.chain(special::forms().map(|(name, _, doc)| (name, doc)));
        found.extend(docs.filter(|(_, doc)| doc.contains(wanted)).map(|(name, _)| name));
    }
    found
}

/// Returns the tools that a text is about, the best first: a word of it counts more in a name than in a description.
fn tools_about(tools: &Names<Rc<ToolSpec>>, wanted: &str) -> Vec<Str> {
    work::read(
        tools.iter().map(|(name, spec)| name.len() + spec.description.as_ref().map_or(0, |text| text.len())).sum(),
    );
    let wanted = lowercase(wanted);
    let wanted = wanted.strip_prefix("tool/").unwrap_or(&wanted);
    let words = || wanted.split([' ', '-', '_', '/', '.', ',']).filter(|word| !matches!(*word, "" | "tool" | "tools"));
    let is_all = words().next().is_none();
    let mut found = Vec::new();
    for (name, spec) in tools.iter() {
        let (lower, description) = (lowercase(name), lowercase(spec.description.as_deref().unwrap_or_default()));
        let relevance = |word: &str| {
            // A name may have the singular of a word.
            let word = word.strip_suffix('s').filter(|stem| stem.len() > 2).unwrap_or(word);
            if lower.contains(word) { 3 } else { usize::from(description.contains(word)) }
        };
        let relevance: usize = words().map(relevance).sum();
        if is_all || relevance > 0 {
            found.push((relevance, name));
        }
    }
    let best_first = in_order(&found, |(left, _), (right, _)| right.cmp(left));
    best_first.map(|(_, name)| Str::from(format!("tool/{name}"))).collect()
}

/// The most lines that `find-doc` prints: a message shows fifteen.
const LINES: usize = 10;

fn find_doc(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult {
    let Value::Str(wanted) = arg(args, 0) else {
        return type_error(context.name, "a string", arg(args, 0), "write `(find-doc \"order\")`");
    };
    let (mut found, mut shown) = (Vec::new(), 0);
    if wanted.len() <= LONGEST_NAME {
        found = tools_about(&context.meter.tools, wanted);
        found.extend(names_about(wanted).into_iter().map(Str::from));
    }
    context.meter.elements(found.len())?;
    for name in found.iter().take(LINES) {
        let line = described(context, name)?.replacen('\n', "  ; ", 1);
        context.print(&on_one_line(&line))?;
        shown += 1;
    }
    match found.len() - shown {
        0 if shown > 0 => {}
        0 => context.print(&format!("nothing is about \"{wanted}\""))?,
        more => context.print(&format!("and {more} more: (apropos \"{wanted}\") gives their names"))?,
    }
    Ok(Value::Nil)
}

/// Returns names as `apropos` gives them: tools, then plain names, then names with a namespace, then methods. When they
/// are too long to be printed, groups are omitted from the end, which the last text says.
fn listed(context: &mut Context<'_>, tools: Vec<Str>, names: Vec<Str>) -> EvalResult {
    let mut names: Vec<&Str> =
        in_order(&names, |left, right| (group(left), left).cmp(&(group(right), right))).collect();
    names.dedup();
    let mut found: Vec<&Str> = tools.iter().chain(names).collect();
    context.meter.elements(found.len())?;
    let (mut length, mut kept) = (OMITTED, 0);
    for (index, name) in found.iter().enumerate() {
        if index > 0 && (index <= tools.len() || group(name) != group(found[index - 1])) {
            kept = index;
        }
        length += name.len() + 3;
        if length > context.meter.limits.print_length && kept > 0 {
            let rest = found.split_off(kept);
            let more = format!("and {} more names, from `{}` on: look for a part, such as `sort`", rest.len(), rest[0]);
            return Ok(Value::vector(found.into_iter().cloned().map(Value::Str).chain([Value::str(more)])));
        }
    }
    Ok(Value::vector(found.into_iter().cloned().map(Value::Str)))
}

/// An upper bound on the bytes of the text that says what is omitted.
const OMITTED: usize = 100;

fn apropos(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult<Begin> {
    let tools = context.meter.tools.clone();
    match arg(args, 0) {
        // No name contains a text of this length.
        Value::Str(part) if part.len() > LONGEST_NAME => Ok(Begin::Done(Value::vector([]))),
        Value::Str(part) => {
            let found = names_about(part).into_iter().map(Str::from).collect();
            listed(context, tools_about(&tools, part), found).map(Begin::Done)
        }
        Value::Regex(source) => {
            let pattern = context.meter.patterns.get(source, false)?;
            let mut all = tools_about(&tools, "");
            all.extend(all_names().map(Str::from));
            context.meter.elements(all.len())?;
            let (mut names, mut search, mut found) = (all.into_iter(), None, Vec::new());
            let steps = move |context: &mut Context<'_>, _: Option<Value>| {
                let enough = context.meter.fuel.saturating_add(AT_ONCE);
                while context.meter.fuel < enough {
                    search = search.take().or_else(|| names.next().map(|name| (name, Search::default())));
                    let Some((name, searched)) = &mut search else {
                        let is_tool = |name: &Str| name.starts_with("tool/");
                        let (tools, names) = std::mem::take(&mut found).into_iter().partition(is_tool);
                        return listed(context, tools, names).map(Next::Done);
                    };
                    if let Poll::Ready(matched) = context.meter.find(&pattern, name, searched, AT_ONCE)? {
                        found.extend(matched.map(|_| name.clone()));
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
