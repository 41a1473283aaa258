//! Exceptions: errors as values, for `try`.
//!
//! An exception is a map with `:exception`, its class or the kind of its error, with `:message`, and with `:data` and
//! `:cause` where it has them. So exceptions print, are compared and leave a program as any map does.

use super::fault::{EvalResult, Fault, shown, type_error};
use crate::diagnostic::{Diagnostic, Span};
use crate::text::join;
use crate::value::{Map, Str, Value};

/// The key that makes a map an exception.
const MARK: &str = "exception";

/// The kind of the error of an exception that a program made.
const EXCEPTION: &str = "exception";

/// The class of exceptions with data.
const INFO: &str = "ExceptionInfo";

/// The kinds of errors that programs can catch, with their classes. In Clojure a wrong type is an error of one of several
/// classes, so each of them catches it. Every other kind is a limit, or a mistake that Clojure finds when it compiles a
/// program.
const KINDS: [(&str, &str); 17] = [
    ("ambiguous_reference", "IllegalArgumentException"),
    ("arithmetic_error", "ArithmeticException"),
    ("arity_error", "ArityException"),
    ("assertion_failed", "AssertionError"),
    ("destructure_error", "UnsupportedOperationException"),
    ("duplicate_key", "IllegalArgumentException"),
    (EXCEPTION, "RuntimeException"),
    ("invalid_date", "DateTimeParseException"),
    ("invalid_format", "IllegalArgumentException"),
    ("invalid_number", "NumberFormatException"),
    ("invalid_regex", "PatternSyntaxException"),
    ("no_matching_clause", "IllegalArgumentException"),
    ("not_callable", "ClassCastException NullPointerException"),
    ("out_of_range", "IndexOutOfBoundsException StringIndexOutOfBoundsException"),
    ("tool_error", INFO),
    ("type_error", "ClassCastException IllegalArgumentException NullPointerException UnsupportedOperationException"),
    ("validation_error", INFO),
];

/// The classes that catch more than one kind, or that no kind has: all, the exceptions that [`CHECKED`] lists, and others.
const OTHERS: &str = "Throwable Object :default js/Error js/Object Exception RuntimeException Error IllegalStateException \
                      DateTimeException IOException FileNotFoundException InterruptedException TimeoutException";

/// The classes that `RuntimeException` does not catch.
const CHECKED: &str = "Exception IOException FileNotFoundException InterruptedException TimeoutException";

/// Returns the class that a text names: without its package.
pub fn class(name: &str) -> Option<&'static str> {
    let has_package = ["java.", "clojure.lang."].iter().any(|package| name.starts_with(package));
    let name = name.rsplit('.').next().filter(|_| has_package).unwrap_or(name);
    KINDS
        .iter()
        .map(|(_, classes)| *classes)
        .chain([OTHERS])
        .flat_map(|classes| classes.split(' '))
        .find(|class| *class == name)
}

/// Returns the superclass of a class, where a program may name it and it catches no other kinds.
fn superclass(class: &str) -> &str {
    match class {
        "ArityException" | "NumberFormatException" | "PatternSyntaxException" => "IllegalArgumentException",
        "StringIndexOutOfBoundsException" => "IndexOutOfBoundsException",
        "DateTimeParseException" => "DateTimeException",
        "FileNotFoundException" => "IOException",
        "AssertionError" => "Error",
        _ => "",
    }
}

/// Returns whether programs can catch errors of a kind.
fn is_catchable(kind: &str) -> bool {
    kind_named(kind).is_some()
}

fn kind_named(name: &str) -> Option<&'static str> {
    KINDS.iter().map(|(kind, _)| *kind).find(|kind| *kind == name)
}

/// Makes an exception of a class, or of a kind of errors; data and cause may be nil.
pub fn new(class: &str, message: Value, data: Value, cause: Value) -> Value {
    let members = [("message", message), ("data", data), ("cause", cause)];
    let members = members.into_iter().filter(|(_, value)| !matches!(value, Value::Nil));
    Value::map([(MARK, class.into())].into_iter().chain(members).map(|(key, value)| (Value::keyword(key), value)))
}

/// Makes the exception of [`new`] that holds data.
pub fn with_data(message: Value, data: Value, cause: Value) -> Value {
    new(INFO, message, data, cause)
}

/// Returns the error of a tool call. The data of its exception are those of the tool's error, with the name of the tool and
/// the arguments.
pub fn tool_fault(problem: Diagnostic, tool: &Str, args: &Value, data: &Value) -> Box<Fault> {
    if !is_catchable(problem.kind) {
        return Box::new(Fault::Error(problem));
    }
    let mut data = match data {
        Value::Map(data) => data.clone(),
        _ => Map::default(),
    };
    data.insert(Value::keyword("tool"), Value::Str(tool.clone()));
    data.insert(Value::keyword("args"), args.clone());
    let exception = new(problem.kind, Value::str(&problem.message), Value::Map(data), Value::Nil);
    Box::new(Fault::Thrown(problem, exception))
}

/// Returns a hint that shows how a program catches the error of a tool call. `args` is a map, or a vector of positional
/// arguments.
pub fn catching_hint(tool: &str, args: &Value) -> String {
    let args = match args {
        Value::Vector(items) => join(items.iter().take(SHOWN_ARGUMENTS).map(shown), " "),
        Value::Map(map) if map.is_empty() => String::new(),
        named => shown(named),
    };
    let gap = if args.is_empty() { "" } else { " " };
    format!("to go on without it, catch it: `(try (tool/{tool}{gap}{args}) (catch Exception e (ex-message e)))`")
}

/// The number of positional arguments that a hint shows.
const SHOWN_ARGUMENTS: usize = 3;

/// Returns a member of an exception; nil for other values and absent members.
pub fn member(value: &Value, name: &str) -> Value {
    match value {
        Value::Map(map) if mark(map).is_some() => map.get_keyword(name).cloned().unwrap_or_default(),
        _ => Value::Nil,
    }
}

/// Changes the message of an exception.
pub(super) fn set_message(exception: &mut Value, message: String) {
    if let Value::Map(map) = exception {
        map.insert(Value::keyword("message"), Value::str(message));
    }
}

/// Returns the kind or class of a map that is an exception.
fn mark(map: &Map) -> Option<&'static str> {
    let mark = map.get_keyword(MARK)?.as_str()?;
    kind_named(mark).or_else(|| class(mark))
}

/// Returns whether a value is an exception of a class.
pub fn is_of(value: &Value, class: &str) -> bool {
    match value {
        Value::Map(map) => mark(map).is_some_and(|mark| is_caught(mark, class)),
        _ => false,
    }
}

/// Returns whether a handler of a class catches exceptions of a kind or class.
fn is_caught(mark: &str, class: &str) -> bool {
    let own = KINDS.iter().find(|(kind, _)| *kind == mark).map_or(mark, |(_, classes)| classes);
    let is_error = matches!(own, "AssertionError" | "Error" | "Throwable");
    match class {
        "Throwable" | "Object" | ":default" | "js/Error" | "js/Object" => true,
        "Exception" => !is_error,
        "RuntimeException" => !is_error && !CHECKED.split(' ').any(|checked| checked == own),
        class => own.split(' ').any(|own| own == class || superclass(own) == class),
    }
}

/// Throws an exception; fails for any other value.
pub fn throw<T>(value: Value) -> EvalResult<T> {
    let Value::Map(map) = &value else { return not_thrown(&value) };
    let Some(mark) = mark(map) else { return not_thrown(&value) };
    let kind = kind_named(mark).unwrap_or(EXCEPTION);
    let text = |value: &Value| member(value, "message").as_str().unwrap_or_default().to_owned();
    let mut message = text(&value);
    if kind == EXCEPTION {
        let data = member(&value, "data");
        if !data.is_nil_or_empty() {
            message.push_str(&format!(" {}", shown(&data)));
        }
        let cause = text(&member(&value, "cause"));
        if !cause.is_empty() {
            message.push_str(&format!("; its cause: {cause}"));
        }
    }
    Err(Box::new(Fault::Thrown(Diagnostic::new(kind, message), value)))
}

#[cold]
fn not_thrown<T>(value: &Value) -> EvalResult<T> {
    type_error("throw", "an exception", value, "write `(throw (ex-info \"what went wrong\" {:id 7}))`")
}

impl Fault {
    /// Returns the exception of an error that programs can catch.
    pub(super) fn exception(&self) -> Option<Value> {
        match self {
            Fault::Thrown(_, exception) => Some(exception.clone()),
            Fault::Error(problem) if is_catchable(problem.kind) => {
                Some(new(problem.kind, Value::str(&problem.message), Value::Nil, Value::Nil))
            }
            _ => None,
        }
    }

    /// Returns whether a handler of a class catches the exception of this fault.
    pub(super) fn is_of(&self, class: &str) -> bool {
        match self {
            Fault::Thrown(_, Value::Map(map)) => is_caught(mark(map).unwrap_or_default(), class),
            Fault::Error(problem) => is_caught(problem.kind, class),
            _ => false,
        }
    }

    /// Returns whether `try` sees this fault: an error that programs can catch, and `return` and `fail`, for `finally`.
    pub(super) fn is_handled(&self) -> bool {
        match self {
            Fault::Error(problem) => is_catchable(problem.kind),
            _ => true,
        }
    }

    /// Returns a value that [`Fault::resumed`] converts to this fault.
    pub(super) fn suspended(self) -> Value {
        let (problem, exception) = match self {
            Fault::Return(value) => return Value::vector(["return".into(), value]),
            Fault::Fail(value) => return Value::vector(["fail".into(), value]),
            Fault::Error(problem) => (problem, Value::Nil),
            Fault::Thrown(problem, exception) => (problem, exception),
        };
        let [start, end] = match problem.span {
            Some(span) => [span.start, span.end].map(|offset| Value::Int(offset as i64)),
            None => [Value::Nil, Value::Nil],
        };
        let hint = problem.hint.as_deref().map_or(Value::Nil, Into::into);
        Value::vector([problem.kind.into(), exception, problem.message.as_str().into(), hint, start, end])
    }

    /// Returns the fault of a value that [`Fault::suspended`] returned; `None` for nil.
    pub(super) fn resumed(value: &Value) -> Option<Box<Fault>> {
        let Value::Vector(parts) = value else { return None };
        Some(Box::new(match parts.as_slice() {
            [Value::Str(kind), exception, Value::Str(message), hint, start, end] => {
                let mut problem = Diagnostic::new(kind_named(kind).unwrap_or(EXCEPTION), &**message);
                problem.hint = hint.as_str().map(str::to_owned);
                problem.span = match (start, end) {
                    (Value::Int(start), Value::Int(end)) => Some(Span::new(*start as usize, *end as usize)),
                    _ => None,
                };
                match exception {
                    Value::Nil => Fault::Error(problem),
                    exception => Fault::Thrown(problem, exception.clone()),
                }
            }
            [Value::Str(signal), value] if &**signal == "fail" => Fault::Fail(value.clone()),
            [_, value] => Fault::Return(value.clone()),
            _ => return None,
        }))
    }
}
