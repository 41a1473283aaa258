//! One line of the `user/` section: a name that a program defined.

use std::cmp::Ordering;
use std::rc::Rc;

use crate::unicode::on_one_line;
use crate::value::{Closure, PrintOptions, Str, Value, to_clojure};

use super::message_builder::Line;
use super::options::Limits;
use super::prints::are_whole;
use super::text::{cut, described_sample, label, noted, within_line};
use crate::turn::Turn;

/// One name with its lines.
#[derive(Clone, Debug)]
pub struct Definition {
    pub name: Str,
    pub value: Value,
    /// Index of the turn that last defined it.
    pub turn: Option<usize>,
    sample: SampleSize,
    doc: Option<Str>,
    group: DefinitionGroup,
    /// Without sample and docstring.
    pub bare: Line,
    /// With a sample, or with a docstring; none when there is neither.
    pub full: Option<Line>,
}

impl Definition {
    /// A line that is always whole, with a note in place of a value.
    pub fn noted(name: Str, note: &str, turn: usize) -> Definition {
        let bare = noted(&name, note).into();
        let (sample, group) = (SampleSize::None, DefinitionGroup::Other);
        Definition { name, value: Value::Nil, turn: Some(turn), sample, doc: None, group, bare, full: None }
    }

    pub fn is_function(&self) -> bool {
        self.group == DefinitionGroup::Function
    }

    /// Functions first, then values by type; by name within these.
    pub fn order(&self, other: &Definition) -> Ordering {
        self.group.cmp(&other.group).then_with(|| self.name.cmp(&other.name))
    }

    /// True when a definition made from `value` and `origin` is known to equal this one, without an expensive comparison.
    pub fn is_of(&self, value: &Value, origin: &Origin<'_>) -> bool {
        self.turn == origin.turn
            && self.sample == origin.sample
            && self.doc.as_deref() == origin.doc
            && is_same(&self.value, value)
    }

    /// The longest line that the limits allow.
    pub fn line(&self) -> &Line {
        self.full.as_ref().unwrap_or(&self.bare)
    }
}

/// True when comparing is cheap and both are equal.
fn is_same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Vector(left), Value::Vector(right)) => left.is_same(right),
        (Value::Map(left), Value::Map(right)) => left.is_same(right),
        (Value::Set(left), Value::Set(right)) => left.is_same(right),
        (Value::Closure(left), Value::Closure(right)) => Rc::ptr_eq(left, right),
        // Equal zeros may have different signs, which are shown.
        (Value::Float(left), Value::Float(right)) => left.to_bits() == right.to_bits(),
        _ => left == right,
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum DefinitionGroup {
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

fn group(value: &Value) -> DefinitionGroup {
    match value {
        Value::Closure(_) => DefinitionGroup::Function,
        Value::Vector(_) => DefinitionGroup::List,
        Value::Map(_) => DefinitionGroup::Map,
        Value::Set(_) => DefinitionGroup::Set,
        Value::Str(_) => DefinitionGroup::String,
        Value::Int(_) | Value::BigInt(_) => DefinitionGroup::Integer,
        Value::Float(_) => DefinitionGroup::Float,
        Value::Bool(_) => DefinitionGroup::Boolean,
        Value::Keyword(_) => DefinitionGroup::Keyword,
        Value::Nil => DefinitionGroup::Nil,
        Value::Builtin(_) | Value::Var(_) | Value::Regex(_) | Value::Date(_) | Value::Day(_) => DefinitionGroup::Other,
    }
}

/// The order of [`Definition::order`] for names that have no lines yet.
pub fn order(left: &(&Str, &Value), right: &(&Str, &Value)) -> Ordering {
    group(left.1).cmp(&group(right.1)).then_with(|| left.0.cmp(right.0))
}

/// How much of its value the line of a name shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SampleSize {
    #[default]
    Whole,
    /// One item of each collection, and half as many characters.
    Short,
    None,
}

/// What the line of a name depends on besides its value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin<'a> {
    /// Index of the turn that last defined it.
    pub turn: Option<usize>,
    pub sample: SampleSize,
    /// The docstring that the turn gave it.
    pub doc: Option<&'a str>,
}

impl<'a> Origin<'a> {
    /// The origin of a name in a message that shows the turn on its own.
    pub fn own(turn: &'a Turn, index: Option<usize>, defined: (&Str, &Value), limits: &Limits) -> Origin<'a> {
        let sample = match turn.print_count() > 0 && are_whole(turn, limits) {
            true => beside_output(turn, defined.1, limits),
            false => SampleSize::Whole,
        };
        Origin { turn: index, sample, doc: turn.doc(defined.0) }
    }
}

/// Characters at the beginning of a value by which it is recognized in an output.
const RECOGNIZED: usize = 40;

/// The sample of a name that a turn defined, when the message shows all that the turn printed: the output replaces it. In
/// a journal the output of a turn that called tools has to contain the value, or its first items: what a call returned is
/// shown once, and most prints of models are of counts.
pub fn beside_output(turn: &Turn, value: &Value, limits: &Limits) -> SampleSize {
    if !limits.journal || turn.tool_call_count() == 0 {
        return SampleSize::None;
    }
    let options = PrintOptions { printable_limit: Some(RECOGNIZED), ..limits.sample_options() };
    let is_printed = |value: &Value| {
        let text = match value {
            Value::Str(text) => text.to_string(),
            value => to_clojure(value, &options).text,
        };
        turn.prints().iter().any(|print| print.contains(cut(&text, RECOGNIZED).0))
    };
    let all_printed = match value {
        Value::Vector(items) => items.iter().take(limits.sample).all(is_printed),
        Value::Set(items) => items.iter().take(limits.sample).all(is_printed),
        Value::Map(entries) => entries.iter().take(limits.sample).all(|(_, value)| is_printed(value)),
        value => is_printed(value),
    };
    if all_printed { SampleSize::None } else { SampleSize::Short }
}

/// The lines of one name.
pub fn definition(name: &Str, value: &Value, origin: &Origin<'_>, limits: &Limits) -> Definition {
    let (bare, full) = match value {
        Value::Closure(closure) => function_lines(name, closure, origin.doc),
        _ => value_lines(name, value, origin.sample, limits),
    };
    Definition {
        name: name.clone(),
        value: value.clone(),
        turn: origin.turn,
        sample: origin.sample,
        doc: origin.doc.map(Str::from),
        group: group(value),
        bare: bare.into(),
        full: full.map(Line::from),
    }
}

/// `(name [params])`, then `; "docstring" -> type` as far as these are known. The type is part of the bare line.
fn function_lines(name: &str, closure: &Closure, doc: Option<&str>) -> (String, Option<String>) {
    let params = within_line(&closure.params);
    let call = match closure.has_arities() {
        true => format!("({} {params})", within_line(name)),
        false => format!("({} [{params}])", within_line(name)),
    };
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

fn value_lines(name: &str, value: &Value, size: SampleSize, limits: &Limits) -> (String, Option<String>) {
    let label = label(value);
    let bare = noted(name, &format!("= {label}"));
    let sample = match size {
        SampleSize::Whole => described_sample(name, value, limits),
        SampleSize::Short => {
            let sample_printable = limits.sample_printable / 2;
            described_sample(name, value, &Limits { sample: limits.sample.min(1), sample_printable, ..limits.clone() })
        }
        SampleSize::None => None,
    };
    (bare, sample.map(|sample| noted(name, &format!("= {label}, {sample}"))))
}

/// A docstring on one line and without semicolons, because in Clojure a semicolon makes the rest of a line a comment.
fn docstring(doc: &str) -> String {
    on_one_line(&doc.replace(';', ""))
}
