//! Checking programs without running them, and completing names.

use super::builtins;
use super::compiler::{CompileContext, Mention, compile};
use super::fault::Fault;
use super::globals::{Global, Globals};
use super::lookup::dashed;
use super::special;
use super::unknown;
use super::written::{is_writable, written};
use crate::diagnostic::{Diagnostic, line_and_column};
use crate::text::join;
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
    let (mut mentions, mut declared) = (Vec::new(), Names::default());
    let context = CompileContext { globals: &mut globals, program: 0 };
    let problems = compile(source, context, &mut declared, Some(&mut mentions)).err().unwrap_or_default();
    let none = Names::default();
    let scope = NameScope { known, declared: &declared, keys: &none, rolled_back: &none };
    all_problems(problems, &mentions, &scope)
}

/// The names that a program may use besides those of the language, and those that hints suggest.
pub struct NameScope<'k> {
    pub known: &'k Known,
    /// The names that the program would define.
    pub declared: &'k Names<()>,
    /// The keys of the maps in definitions and data.
    pub keys: &'k Names<()>,
    /// The names that failed programs defined.
    pub rolled_back: &'k Names<()>,
}

/// Returns the problems that the compiler found and those of what the program mentions, sorted by their positions. The
/// parts of a form that does not exist here have no problems of their own.
pub fn all_problems(problems: Vec<Diagnostic>, mentions: &[Mention], scope: &NameScope<'_>) -> Vec<Diagnostic> {
    let mut checked = Checked::new(scope);
    let mut all: Vec<(Diagnostic, usize)> = problems.into_iter().map(|problem| (problem, 0)).collect();
    for mention in mentions {
        let end = match mention {
            Mention::Name(name, _, form) if special::instead(name).is_some() => form.end,
            _ => 0,
        };
        all.extend(checked.problem(mention).map(|problem| (problem, end)));
    }
    let start = |problem: &Diagnostic| problem.span.map_or(0, |span| span.start);
    let mut covered = 0;
    let sorted = in_order(&all, |(left, _), (right, _)| start(left).cmp(&start(right)));
    let shown = sorted.filter(|(problem, end)| {
        let is_shown = start(problem) >= covered;
        covered = covered.max(*end);
        is_shown
    });
    shown.map(|(problem, _)| problem.clone()).collect()
}

/// The most problems that an error lists besides its own, and the most bytes of them.
const MAX_LISTED: usize = 8;
const MAX_LISTED_BYTES: usize = 800;

/// Returns one error of several problems: the first one, whose hint lists the others.
pub fn combined(problems: Vec<Diagnostic>, source: &str) -> Option<Diagnostic> {
    let mut problems = problems.into_iter();
    let mut first = problems.next()?;
    let mut messages: Names<()> = [(Str::from(&*first.message), ())].into_iter().collect();
    let (mut listed, mut more) = (Vec::new(), 0);
    for problem in problems {
        if messages.contains(&problem.message) {
            continue;
        }
        messages.insert(Str::from(&*problem.message), ());
        let bytes: usize = listed.iter().map(String::len).sum();
        if listed.len() >= MAX_LISTED || bytes >= MAX_LISTED_BYTES {
            more += 1;
            continue;
        }
        listed.push(match problem.span.filter(|_| source.contains('\n')) {
            Some(span) => format!("line {}: {problem}", line_and_column(source, span.start).0),
            None => problem.to_string(),
        });
    }
    if !listed.is_empty() {
        let end = |hint: &str| if hint.ends_with('?') { " " } else { "; " };
        let hint = first.hint.take().map_or_else(String::new, |hint| format!("{hint}{}", end(&hint)));
        let more = if more > 0 { format!("; and {more} more") } else { String::new() };
        first.hint = Some(format!("{hint}other problems: {}{more}", join(listed, "; ")));
    }
    Some(first)
}

/// Maximum number of bytes of known names that the names of a program are compared with in search of similar ones. Each
/// unknown name is compared with all of them, so further unknown names have hints without a similar name.
const MAX_COMPARED: usize = 2_000_000;

/// About the number of bytes of the names of the library.
const LIBRARY: usize = 8_000;

/// The names that a program may use, as sets, because a program may mention as many names.
struct Checked<'k> {
    scope: &'k NameScope<'k>,
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
    fn new(scope: &'k NameScope<'k>) -> Checked<'k> {
        let set = |names: &[Str]| names.iter().map(|name| (name.clone(), ())).collect::<Names<()>>();
        let dashed = |names: &[Str]| names.iter().map(|name| (dashed(name).into(), ())).collect::<Names<()>>();
        let Known { tools, data, memory } = scope.known;
        Checked {
            scope,
            tools: tools.as_deref().map(set),
            memory: memory.as_deref().map(set),
            data: data.as_deref().map(dashed),
            searched: Names::default(),
            left: MAX_COMPARED,
        }
    }

    fn problem(&mut self, mention: &Mention) -> Option<Diagnostic> {
        let has = |names: &Option<Names<()>>, name: &str| names.as_ref().is_none_or(|names| names.contains(name));
        let (whole, span) = match mention {
            Mention::Name(name, span, _) => {
                let could_be = self.scope.declared.contains(name)
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
        let Known { tools, data, memory } = self.scope.known;
        let [tools, data, memory] = [tools, data, memory].map(|names| names.as_deref().unwrap_or_default());
        let declared: Vec<Str> = self.scope.declared.iter().map(|(name, ())| name.clone()).collect();
        let own = [(memory, ""), (tools, "tool/"), (data, "data/"), (&*declared, "")];
        let (problem, compared) = match mention {
            Mention::Name(name, ..) if self.scope.rolled_back.contains(name) => (unknown::not_kept(name), &own[..0]),
            Mention::Name(name, ..) if is_searched => {
                let names = own.into_iter().flat_map(|(names, prefix)| texts(names).map(move |name| (name, prefix)));
                let meant = unknown::meant(name, &names.collect::<Vec<_>>(), self.scope.keys);
                (unknown::undefined(name, meant), &own[..])
            }
            Mention::Name(name, ..) => (unknown::undefined(name, None), &own[..]),
            Mention::Tool(name, _) => (unknown::no_tool(name, texts(tools), is_searched), &own[1..2]),
            Mention::Data(name, _) => {
                let is_defined = self.scope.declared.contains(name)
                    || self.memory.as_ref().is_some_and(|names| names.contains(name));
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
