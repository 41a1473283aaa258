//! Checking programs without running them, and completing names.

use super::builtins;
use super::compiler::{CompileContext, Mention, compile};
use super::fault::Fault;
use super::globals::{Global, Globals};
use super::lookup::dashed;
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
    let mut checked = Checked::new(known, &declared);
    for mention in &mentions {
        problems.extend(checked.problem(mention));
    }
    let start = |problem: &Diagnostic| problem.span.map_or(0, |span| span.start);
    in_order(&problems, |left, right| start(left).cmp(&start(right))).cloned().collect()
}

/// Maximum number of bytes of known names that the names of a program are compared with in search of similar ones. Each
/// unknown name is compared with all of them, so further unknown names have hints without a similar name.
const MAX_COMPARED: usize = 2_000_000;

/// About the number of bytes of the names of the library.
const LIBRARY: usize = 8_000;

/// The names that a program may use, as sets, because a program may mention as many names.
struct Checked<'k> {
    known: &'k Known,
    declared: &'k [Str],
    defined: Names<()>,
    tools: Option<Names<()>>,
    memory: Option<Names<()>>,
    /// With `-` in place of `_`.
    data: Option<Names<()>>,
    /// The problems of the names that were searched for, by the whole names.
    searched: Names<Diagnostic>,
    /// The bytes that may still be compared.
    left: usize,
}

impl<'k> Checked<'k> {
    fn new(known: &'k Known, declared: &'k [Str]) -> Checked<'k> {
        let set = |names: &[Str]| names.iter().map(|name| (name.clone(), ())).collect::<Names<()>>();
        let dashed = |names: &[Str]| names.iter().map(|name| (dashed(name).into(), ())).collect::<Names<()>>();
        Checked {
            known,
            declared,
            defined: set(declared),
            tools: known.tools.as_deref().map(set),
            memory: known.memory.as_deref().map(set),
            data: known.data.as_deref().map(dashed),
            searched: Names::default(),
            left: MAX_COMPARED,
        }
    }

    fn problem(&mut self, mention: &Mention) -> Option<Diagnostic> {
        let has = |names: &Option<Names<()>>, name: &str| names.as_ref().is_none_or(|names| names.contains(name));
        let (whole, span) = match mention {
            Mention::Name(name, span) => {
                let could_be = self.defined.contains(name)
                    || has(&self.memory, name)
                    || has(&self.tools, name)
                    || has(&self.data, &dashed(name));
                if could_be {
                    return None;
                }
                (name.to_string(), span)
            }
            Mention::Tool(name, span) => {
                if has(&self.tools, name) {
                    return None;
                }
                (format!("tool/{name}"), span)
            }
            Mention::Data(name, span) => {
                if has(&self.data, &dashed(name)) {
                    return None;
                }
                (format!("data/{name}"), span)
            }
            Mention::Call(builtin, count, span) => {
                let fault = builtins::check_arity(builtins::at(*builtin), *count).err()?;
                let Fault::Error(mut problem) = *fault else { return None };
                problem.span = Some(*span);
                return Some(problem);
            }
        };
        let mut problem = match self.searched.get(&whole) {
            Some(problem) => problem.clone(),
            None => {
                let is_searched = self.left > 0;
                let problem = self.unknown(mention, is_searched)?;
                if is_searched {
                    self.searched.insert(whole.into(), problem.clone());
                }
                problem
            }
        };
        problem.span = Some(*span);
        Some(problem)
    }

    /// Returns the problem of an unknown name; `is_searched` when a similar one is suggested.
    fn unknown(&mut self, mention: &Mention, is_searched: bool) -> Option<Diagnostic> {
        fn texts(names: &[Str]) -> impl Iterator<Item = &str> {
            names.iter().map(|name| &**name)
        }
        let Known { tools, data, memory } = self.known;
        let [tools, data, memory] = [tools, data, memory].map(|names| names.as_deref().unwrap_or_default());
        let own = [(memory, ""), (tools, "tool/"), (data, "data/"), (self.declared, "")];
        let (problem, compared) = match mention {
            Mention::Name(name, _) if is_searched => {
                let names = own.into_iter().flat_map(|(names, prefix)| texts(names).map(move |name| (name, prefix)));
                let meant = unknown::meant(name, &names.collect::<Vec<_>>(), &Names::default());
                (unknown::undefined(name, meant), &own[..])
            }
            Mention::Name(name, _) => (unknown::undefined(name, None), &own[..]),
            Mention::Tool(name, _) => (unknown::no_tool(name, texts(tools), is_searched), &own[1..2]),
            Mention::Data(name, _) => {
                let is_defined =
                    self.defined.contains(name) || self.memory.as_ref().is_some_and(|names| names.contains(name));
                (unknown::no_data(name, texts(data), is_defined, is_searched), &own[2..3])
            }
            Mention::Call(..) => return None,
        };
        if is_searched {
            let bytes: usize = compared.iter().flat_map(|(names, _)| texts(names)).map(str::len).sum();
            self.left = self.left.saturating_sub(LIBRARY + bytes);
        }
        Some(problem)
    }
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
