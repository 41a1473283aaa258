//! The faults of the branches of a concurrent builtin: one error that names all branches that failed.

use crate::lisp::exception;
use crate::lisp::fault::{Fault, shown};
use crate::lisp::native::Jobs;
use crate::text::join;

/// The most bytes of the failures that a message names.
const NAMED: usize = 1200;

/// The most bytes of the message of one failure.
const LONGEST: usize = 300;

/// The faults of branches, in the order of the branches.
#[derive(Default)]
pub struct BranchFaults {
    /// The first fault. An error that programs can't catch takes the place of one that they can.
    first: Option<Box<Fault>>,
    /// The number of errors.
    errors: usize,
    /// The first errors, with their elements.
    named: Vec<String>,
}

impl BranchFaults {
    /// Adds the fault of a branch.
    pub fn add(&mut self, mut fault: Box<Fault>, jobs: &Jobs, branch: usize) {
        let Some(problem) = fault.problem_mut() else {
            self.first.get_or_insert(fault);
            return;
        };
        let has_ended = self.first.as_mut().is_some_and(|first| first.problem_mut().is_none());
        if has_ended {
            return;
        }
        self.errors += 1;
        let bytes: usize = self.named.iter().map(String::len).sum();
        if bytes < NAMED {
            let elements: Vec<_> = jobs.elements(branch).map(shown).collect();
            let name = match jobs {
                Jobs::Elements { .. } => join(elements, " "),
                Jobs::Functions(_) => format!("function {}", branch + 1),
            };
            self.named.push(format!("{name}: {}", shortened(&problem.message)));
        }
        if self.first.as_ref().is_none_or(|first| first.is_handled() && !fault.is_handled()) {
            self.first = Some(fault);
        }
    }

    /// Returns the fault of the fiber that has forked; `None` when no branch failed.
    pub fn joined(&mut self, name: &str, jobs: &Jobs) -> Option<Box<Fault>> {
        let mut fault = self.first.take()?;
        let Some(problem) = fault.problem_mut() else { return Some(fault) };
        let what = match jobs {
            Jobs::Elements { .. } => "elements",
            Jobs::Functions(_) => "functions",
        };
        let mut message =
            format!("`{name}` failed for {} of {} {what}: {}", self.errors, jobs.len(), join(&self.named, "; "));
        let others = self.errors - self.named.len();
        if others > 0 {
            message.push_str(&format!("; and {others} more"));
        }
        problem.message.clone_from(&message);
        if let Fault::Thrown(_, exception) = &mut *fault {
            exception::set_message(exception, message);
        }
        Some(fault)
    }
}

/// Shortens the message of a branch: to its end, which has the innermost error, when it is about branches itself.
fn shortened(message: &str) -> String {
    if message.len() <= LONGEST {
        return message.to_owned();
    }
    let is_of_branches = ["`pmap` failed for ", "`pcalls` failed for "].iter().any(|start| message.starts_with(start));
    let position = if is_of_branches { message.len() - LONGEST } else { LONGEST };
    let position = (position..message.len()).find(|position| message.is_char_boundary(*position)).unwrap_or_default();
    let (start, end) = message.split_at(position);
    if is_of_branches { format!("… {end}") } else { format!("{start}...") }
}
