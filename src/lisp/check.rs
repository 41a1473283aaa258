//! Checking programs without running them, and completing names.

use super::builtins;
use super::compiler::{CompileContext, Mention, compile};
use super::fault::Fault;
use super::globals::{Global, Globals};
use super::lookup::are_alike;
use super::special;
use super::unknown;
use super::written::{is_writable, written};
use crate::diagnostic::Diagnostic;
use crate::value::{Names, Str, Value, in_order, is_symbol_char};

/// The names that a program may use besides those of the language. An absent list is unknown: names that could
/// be in the list are not reported.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// Tools.
    pub tools: Option<Vec<Str>>,
    /// Data.
    pub data: Option<Vec<Str>>,
    /// Earlier definitions.
    pub memory: Option<Vec<Str>>,
}

impl Known {
    /// Returns the names in the notation of programs, without the names that no program can write.
    fn written(&self) -> Known {
        let tools = self.tools.iter().flatten().filter(|name| is_writable(name)).cloned();
        let data = self.data.iter().flatten().filter_map(|name| written(name));
        Known {
            tools: self.tools.is_some().then(|| tools.collect()),
            data: self.data.is_some().then(|| data.collect()),
            memory: self.memory.clone(),
        }
    }
}

/// Returns all problems of a program, sorted by their positions.
pub fn check(source: &str, known: &Known) -> Vec<Diagnostic> {
    let known = &known.written();
    let mut globals = Globals::default();
    for name in known.memory.iter().flatten() {
        let position = globals.position(name);
        globals.set(position, Global { value: Some(Value::Nil), function: None });
    }
    let mut mentions = Vec::new();
    let mut declared = Vec::new();
    let context = CompileContext { globals: &mut globals, program: 0 };
    let mut problems = compile(source, context, &mut declared, Some(&mut mentions)).err().unwrap_or_default();
    let set = |names: &[Str]| names.iter().map(|name| (name.clone(), ())).collect::<Names<()>>();
    let defined = set(&declared);
    let sets = KnownNames { tools: known.tools.as_deref().map(set), memory: known.memory.as_deref().map(set) };
    for mention in &mentions {
        problems.extend(problem(mention, known, &sets, (&declared, &defined)));
    }
    let start = |problem: &Diagnostic| problem.span.map_or(0, |span| span.start);
    in_order(&problems, |left, right| start(left).cmp(&start(right))).cloned().collect()
}

/// Lists of [`Known`] as sets, because a program may mention as many names.
struct KnownNames {
    tools: Option<Names<()>>,
    memory: Option<Names<()>>,
}

fn problem(
    mention: &Mention,
    known: &Known,
    sets: &KnownNames,
    (declared, defined): (&[Str], &Names<()>),
) -> Option<Diagnostic> {
    let has = |names: &Option<Names<()>>, name: &Str| names.as_ref().is_none_or(|names| names.contains(name));
    let has_alike = |list: &Option<Vec<Str>>, name: &Str| {
        list.as_ref().is_none_or(|names| names.iter().any(|found| are_alike(found, name)))
    };
    let (mut problem, span) = match mention {
        Mention::Name(name, span) => {
            let could_be = defined.contains(name)
                || has(&sets.memory, name)
                || has(&sets.tools, name)
                || has_alike(&known.data, name);
            if could_be {
                return None;
            }
            let lists = [(&known.memory, ""), (&known.tools, "tool/"), (&known.data, "data/")];
            let mut own = Vec::new();
            for (list, prefix) in lists {
                own.extend(list.iter().flatten().map(|name| (&**name, prefix)));
            }
            own.extend(declared.iter().map(|name| (&**name, "")));
            (unknown::undefined(name, &own, &Names::default()), span)
        }
        Mention::Tool(name, span) => {
            if has(&sets.tools, name) {
                return None;
            }
            (unknown::no_tool(name, known.tools.iter().flatten().map(|name| &**name)), span)
        }
        Mention::Data(name, span) => {
            if has_alike(&known.data, name) {
                return None;
            }
            let is_defined = defined.contains(name) || sets.memory.as_ref().is_some_and(|names| names.contains(name));
            (unknown::no_data(name, known.data.iter().flatten().map(|name| &**name), is_defined), span)
        }
        Mention::Call(builtin, count, span) => {
            let fault = builtins::check_arity(builtins::at(*builtin), *count).err()?;
            let Fault::Error(problem) = *fault else { return None };
            (problem, span)
        }
    };
    problem.span = Some(*span);
    Some(problem)
}

/// A name that completes a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// The whole name.
    pub name: String,
    /// Its usage: `(map f coll …)`.
    pub detail: String,
    /// Its documentation, in one line.
    pub doc: String,
}

/// The largest number of completions.
const MAX_COMPLETIONS: usize = 100;

/// Returns the names that begin with the text before the byte `offset`: known names first, then special forms,
/// then the library.
pub fn complete(source: &str, offset: usize, known: &Known) -> Vec<Completion> {
    let known = known.written();
    let mut end = offset.min(source.len());
    while !source.is_char_boundary(end) {
        end -= 1;
    }
    let before = &source[..end];
    let start = before.rfind(|character: char| !is_symbol_char(character) || character == '\'' || character == '#');
    let start = start.map_or(0, |start| start + before[start..].chars().next().map_or(1, char::len_utf8));
    let prefix = &before[start..];
    if prefix.starts_with(':') {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut offer = |name: String, detail: String, doc: &str| {
        if found.len() < MAX_COMPLETIONS
            && name.starts_with(prefix)
            && found.iter().all(|other: &Completion| other.name != name)
        {
            found.push(Completion { name, detail, doc: doc.into() });
        }
    };
    for name in known.memory.iter().flatten() {
        offer(name.to_string(), String::new(), "A definition.");
    }
    for (list, space, doc) in [(&known.tools, "tool", "A tool of the host."), (&known.data, "data", "Input data.")] {
        for name in list.iter().flatten() {
            let whole = format!("{space}/{name}");
            let detail = if space == "tool" { format!("({whole} …)") } else { whole.clone() };
            offer(whole, detail, doc);
        }
    }
    for (name, usage, doc) in special::forms() {
        offer(name.into(), usage.into(), doc);
    }
    for name in builtins::names() {
        if let Some(builtin) = builtins::find(name) {
            offer(name.into(), builtins::calls(builtin), builtin.doc);
        }
    }
    found
}
