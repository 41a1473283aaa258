//! PTC-Lisp, the Clojure subset that models write (DESIGN 4): source → [`Form`] → code → what came
//! of it.

mod atom;
mod builtins;
mod check;
mod chunk;
mod compiler;
mod equality;
mod fault;
mod form;
mod globals;
mod literal;
mod liveness;
mod meter;
mod native;
mod number;
mod ordering;
mod path;
mod pattern;
mod reader;
mod sequence;
mod special;
mod text;
mod unknown;
mod vm;

pub use check::{Completion, Known, check, complete};
pub use form::{Form, FormKind, Symbol};
pub use literal::read_value;
pub use meter::Limits;
pub use native::CallRecord;
pub use reader::read;
pub use vm::{Answer, Outcome, Pending, Progress, Signal, Vm};

/// True when `name` alone is a function of the library, which goes before tools and data.
pub fn is_builtin(name: &str) -> bool {
    builtins::find(name).is_some() || builtins::constant(name).is_some()
}

/// The names of the library that need no namespace, in order; methods of Java's dates and texts are not among them.
pub fn library() -> impl Iterator<Item = &'static str> {
    builtins::names().filter(|name| !name.contains(['/', '.']) || *name == "/")
}

/// True for the forms of the language, which are no functions.
pub fn is_form(name: &str) -> bool {
    special::forms().any(|(form, ..)| form == name)
}
