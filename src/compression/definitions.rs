//! The lines of `user/`: what the model's programs defined (FMT-006…010, DEF-001…009).

use std::cmp::Ordering;
use std::rc::Rc;

use crate::turn::Memory;
use crate::value::{Closure, Names, Str, Value, in_order, type_of};

use super::fold::Fold;
use super::options::Limits;
use super::page::Line;
use super::text::{noted, on_one_line, sample, within_line};

/// The header of the section (FMT-003).
pub const HEADER: &str = ";; === user/ (your prelude) ===";

/// One name as it is shown.
#[derive(Clone, Debug)]
pub struct Definition {
    pub name: Str,
    /// Index of the turn that last defined it.
    pub turn: Option<usize>,
    value: Value,
    printed: bool,
    doc: Option<Str>,
    group: Group,
    /// Without sample and docstring.
    pub bare: Line,
    /// With a sample, or with a docstring; none when there is nothing to add.
    pub full: Option<Line>,
}

impl Definition {
    pub fn is_function(&self) -> bool {
        self.group == Group::Function
    }

    /// Functions first, then values by type, and by name within these (DEF-009).
    pub fn order(&self, other: &Definition) -> Ordering {
        self.group.cmp(&other.group).then_with(|| self.name.cmp(&other.name))
    }

    /// The sample in the full line.
    pub fn sample(&self) -> Option<&str> {
        self.full.as_ref()?.text().strip_prefix(self.bare.text())?.strip_prefix(", sample: ")
    }

    /// True when writing it again would give the same, as far as that can be told cheaply.
    fn is_of(&self, value: &Value, origin: &Origin<'_>) -> bool {
        self.turn == origin.turn
            && self.printed == origin.printed
            && self.doc.as_deref() == origin.doc
            && is_same(&self.value, value)
    }

    /// The line as it is shown when nothing has to be saved.
    pub fn line(&self) -> &Line {
        self.full.as_ref().unwrap_or(&self.bare)
    }
}

/// Functions first, then values by type (DEF-009).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Group {
    Function,
    List,
    Map,
    Set,
    String,
    Integer,
    Float,
    Boolean,
    Keyword,
    Nil,
    Other,
}

fn group(value: &Value) -> Group {
    match value {
        Value::Closure(_) => Group::Function,
        Value::Vector(_) => Group::List,
        Value::Map(_) => Group::Map,
        Value::Set(_) => Group::Set,
        Value::Str(_) => Group::String,
        Value::Int(_) | Value::BigInt(_) => Group::Integer,
        Value::Float(_) => Group::Float,
        Value::Bool(_) => Group::Boolean,
        Value::Keyword(_) => Group::Keyword,
        Value::Nil => Group::Nil,
        Value::Builtin(_) | Value::Var(_) | Value::Regex(_) | Value::Date(_) => Group::Other,
    }
}

/// Where a name comes from, as far as its line depends on it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin<'a> {
    /// Index of the turn that last defined it.
    pub turn: Option<usize>,
    /// Whether that turn printed: then the output speaks for it (SAM-001, SAM-002).
    pub printed: bool,
    /// The docstring that the turn gave it.
    pub doc: Option<&'a str>,
}

/// The definition of one name, written out.
pub fn definition(name: &Str, value: &Value, origin: &Origin<'_>, limits: &Limits) -> Definition {
    let (bare, full) = match value {
        Value::Closure(closure) => function_lines(name, closure, origin.doc),
        _ => value_lines(name, value, origin.printed, limits),
    };
    Definition {
        name: name.clone(),
        turn: origin.turn,
        value: value.clone(),
        printed: origin.printed,
        doc: origin.doc.map(Str::from),
        group: group(value),
        bare: bare.into(),
        full: full.map(Line::from),
    }
}

/// `(name [params])`, then what is known of it: `; "docstring" -> type`. The docstring goes when
/// tokens are short; the type stays.
fn function_lines(name: &str, closure: &Closure, doc: Option<&str>) -> (String, Option<String>) {
    let call = format!("({} [{}])", within_line(name), within_line(&closure.params));
    let doc = doc.or(closure.doc.as_deref()).map(docstring).filter(|doc| !doc.is_empty());
    let returns = closure.return_type.as_deref().map(|label| format!("-> {label}"));
    let full = doc.map(|doc| match &returns {
        Some(returns) => noted(&call, &format!("\"{doc}\" {returns}")),
        None => noted(&call, &format!("\"{doc}\"")),
    });
    let bare = match &returns {
        Some(returns) => noted(&call, returns),
        None => call,
    };
    (bare, full)
}

fn value_lines(name: &str, value: &Value, printed: bool, limits: &Limits) -> (String, Option<String>) {
    let label = type_of(value);
    let bare = noted(name, &format!("= {label}"));
    let sample = if printed { None } else { sample(name, value, &limits.sample_options()) };
    (bare, sample.map(|sample| noted(name, &format!("= {label}, sample: {sample}"))))
}

/// A docstring on one line and without semicolons, which would end the line for a reader of
/// Clojure (DEF-007).
fn docstring(doc: &str) -> String {
    on_one_line(&doc.replace(';', ""))
}

/// Lines written before, so that rendering again writes only what changed.
#[derive(Debug, Default)]
pub struct DefinitionLines {
    written: Names<Rc<Definition>>,
    /// The definitions of the time before, in their order.
    earlier: Vec<Rc<Definition>>,
    /// The memory that they are of.
    memory: Option<Memory>,
    /// The fold that they are of.
    fold: (usize, usize),
}

impl DefinitionLines {
    /// Forgets everything: the limits changed.
    pub fn clear(&mut self) {
        self.written = Names::default();
        self.earlier.clear();
    }

    /// Every name of `memory` in the order in which it is shown.
    pub fn of_memory(&mut self, memory: &Memory, fold: &Fold<'_>, limits: &Limits) -> Vec<Rc<Definition>> {
        if self.written.len() > 2 * memory.len() + 16 {
            self.written.retain(|name| memory.contains(name));
        }
        let lines = match self.in_earlier_order(memory, fold, limits) {
            Some(lines) => lines,
            None => {
                let mut lines = Vec::with_capacity(memory.len());
                for (name, value) in memory.iter() {
                    lines.push(self.of_name(name, value, &fold.origin(name), limits));
                }
                in_order(&lines, |left, right| left.order(right)).cloned().collect()
            }
        };
        self.earlier = lines.iter().cloned().collect();
        self.memory = Some(memory.clone());
        self.fold = fold.identity();
        lines
    }

    /// The lines in the order of the time before, when that is still their order: from turn to
    /// turn few names come or change their type.
    fn in_earlier_order(&mut self, memory: &Memory, fold: &Fold<'_>, limits: &Limits) -> Option<Vec<Rc<Definition>>> {
        if self.earlier.len() != memory.len() {
            return None;
        }
        let earlier = std::mem::take(&mut self.earlier);
        let mut lines: Vec<Rc<Definition>> = Vec::with_capacity(earlier.len());
        let same_memory = self.memory.as_ref().is_some_and(|earlier| Rc::ptr_eq(earlier, memory));
        if same_memory && self.fold == fold.identity() {
            return Some(earlier);
        }
        let mut is_new = false;
        for definition in &earlier {
            let value = if same_memory { &definition.value } else { memory.get(&definition.name)? };
            let origin = fold.origin(&definition.name);
            let was_new = is_new;
            is_new = !definition.is_of(value, &origin);
            let line = if is_new { self.of_name(&definition.name, value, &origin, limits) } else { definition.clone() };
            if (is_new || was_new) && lines.last().is_some_and(|last| last.order(&line).is_gt()) {
                return None;
            }
            lines.push(line);
        }
        Some(lines)
    }

    fn of_name(&mut self, name: &Str, value: &Value, origin: &Origin<'_>, limits: &Limits) -> Rc<Definition> {
        if let Some(written) = self.written.get(name).filter(|written| written.is_of(value, origin)) {
            return written.clone();
        }
        let definition = Rc::new(definition(name, value, origin, limits));
        self.written.insert(name.clone(), definition.clone());
        definition
    }
}

/// True when comparing is cheap and says that both are equal; a line is written anew otherwise.
fn is_same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Vector(left), Value::Vector(right)) => left.is_same(right),
        (Value::Map(left), Value::Map(right)) => left.is_same(right),
        (Value::Set(left), Value::Set(right)) => left.is_same(right),
        (Value::Closure(left), Value::Closure(right)) => Rc::ptr_eq(left, right),
        _ => left == right,
    }
}
