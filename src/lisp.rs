//! PTC-Lisp, the subset of Clojure that models write: source → [`Form`] → code → [`Outcome`].

mod atom;
mod builtins;
mod cells;
mod check;
mod chunk;
mod compiler;
mod equality;
mod exception;
mod fault;
mod form;
mod globals;
mod indentation;
mod literal;
mod liveness;
mod lookup;
mod meter;
mod native;
mod number;
mod ordering;
mod path;
mod pattern;
mod reader;
mod regex;
mod sequence;
mod special;
mod task;
mod text;
mod tool;
mod unknown;
mod vm;
mod written;

pub use check::{Completion, Known, check, complete};
pub use form::{Form, FormKind, Symbol};
pub use literal::read_value;
pub use meter::ProgramLimits;
pub use reader::read;
pub use tool::{ToolCall, ToolReply, ToolRequest, ToolSpec, described_lines};
pub use vm::{Outcome, Progress, Signal, Vm};
pub use written::{UnwritableName, check_tool_name, written_data};

/// Returns true when `name`, without a namespace, is a function or a constant of the library. These take precedence
/// over tools and data.
pub fn is_builtin(name: &str) -> bool {
    builtins::find(name).is_some() || builtins::constant(name).is_some()
}

/// Returns true for the name of a special form.
#[cfg(test)]
pub fn is_form(name: &str) -> bool {
    special::forms().any(|(form, ..)| form == name)
}
