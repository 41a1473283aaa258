//! Which messages belong together: a tool call and its results are one unit, parallel calls too; and what the
//! host says.

use std::ops::Range;
use std::rc::Rc;

use super::message::{ChatMessage, Part};
use crate::value::{Names, Str};

/// What is wrong with a history that providers refuse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Which rule it breaks.
    pub kind: ProblemKind,
    /// Where.
    pub index: usize,
    /// For readers.
    pub message: String,
}

/// The rules of tool calls and their results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProblemKind {
    /// A result without its call.
    OrphanResult,
    /// A result that stands before its call.
    ResultBeforeCall,
    /// A second result of a call.
    DuplicateResult,
    /// A call that has the id of another one which is still open.
    DuplicateCallId,
    /// A call without a result although the conversation went on.
    UnansweredCall,
    /// A message that says nothing.
    EmptyMessage,
}

impl ProblemKind {
    /// As hosts see it.
    pub fn name(self) -> &'static str {
        match self {
            ProblemKind::OrphanResult => "orphan_result",
            ProblemKind::ResultBeforeCall => "result_before_call",
            ProblemKind::DuplicateResult => "duplicate_result",
            ProblemKind::DuplicateCallId => "duplicate_call_id",
            ProblemKind::UnansweredCall => "unanswered_call",
            ProblemKind::EmptyMessage => "empty_message",
        }
    }
}

/// The units of a history, and what is wrong with its calls.
#[derive(Debug, Default)]
pub(super) struct Units {
    /// Stretches that tile the history.
    pub ranges: Vec<Range<usize>>,
    /// The unit of each message.
    pub of: Vec<usize>,
    /// Messages with a call that has no result.
    pub open: Vec<usize>,
    /// The first of those whose result may still come.
    pub waits: Option<usize>,
    pub problems: Vec<Problem>,
}

/// Calls of one id, or of one tool where there are no ids.
#[derive(Default)]
struct Calls {
    /// Where the calls stand that wait for results, the oldest first.
    waiting: Vec<usize>,
    /// How many of those were answered since, from the oldest on.
    done: usize,
    answered: bool,
}

impl Units {
    pub fn of(messages: &[Rc<ChatMessage>]) -> Units {
        let mut units = Units::default();
        // The last message that each message must stay together with.
        let mut ends: Vec<usize> = (0..messages.len()).collect();
        // Calls with ids and calls without are told apart: an id may be the name of a tool.
        let (mut by_id, mut by_name) = (Names::<Calls>::default(), Names::<Calls>::default());
        let mut orphans: Vec<(usize, Str)> = Vec::new();
        for (index, message) in messages.iter().enumerate() {
            let before = index.checked_sub(1).filter(|before| messages[*before].unit == message.unit);
            if let (Some(before), Some(_)) = (before, message.unit) {
                ends[before] = ends[before].max(index);
            }
            if message.parts.iter().all(says_nothing) {
                units.problem(ProblemKind::EmptyMessage, index, "says nothing".into());
            }
            for part in &message.parts {
                match part {
                    Part::Call { id, name, .. } => {
                        let calls = calls(if id.is_empty() { (&mut by_name, name) } else { (&mut by_id, id) });
                        if !id.is_empty() && calls.waits() {
                            let problem = format!("calls with the id {id}, which an open call has already");
                            units.problem(ProblemKind::DuplicateCallId, index, problem);
                        }
                        calls.waiting.push(index);
                        calls.answered = false;
                    }
                    Part::Result { id, name, .. } => {
                        let calls = calls(if id.is_empty() { (&mut by_name, name) } else { (&mut by_id, id) });
                        if !calls.waits() {
                            if calls.answered {
                                let problem = format!("answers the call {} again", called(id, name));
                                units.problem(ProblemKind::DuplicateResult, index, problem);
                            } else {
                                orphans.push((index, called(id, name).into()));
                            }
                            continue;
                        }
                        ends[calls.answer(id.is_empty())] = index;
                    }
                    _ => {}
                }
            }
        }
        for (index, call) in orphans {
            let comes = [&by_id, &by_name].iter().any(|calls| calls.get(&call).is_some_and(|calls| calls.has_calls()));
            match comes {
                true => units.problem(ProblemKind::ResultBeforeCall, index, format!("answers {call} before the call")),
                false => {
                    units.problem(ProblemKind::OrphanResult, index, format!("answers {call}, which nobody called"))
                }
            }
        }
        for calls in by_id.values().iter().chain(by_name.values()) {
            units.open.extend(calls.waiting.iter().skip(calls.done));
        }
        units.open.sort_unstable();
        units.open.dedup();
        units.tile(&ends);
        units.find_unanswered(messages);
        units.problems.sort_by_key(|problem| problem.index);
        units
    }

    fn problem(&mut self, kind: ProblemKind, index: usize, message: String) {
        self.problems.push(Problem { kind, index, message: format!("message {index} {message}") });
    }

    fn tile(&mut self, ends: &[usize]) {
        let mut start = 0;
        while start < ends.len() {
            let (mut end, mut at) = (start, start);
            while at <= end {
                end = end.max(ends[at]);
                at += 1;
            }
            self.of.resize(end + 1, self.ranges.len());
            self.ranges.push(start..end + 1);
            start = end + 1;
        }
    }

    /// A call may wait at the end of a history; behind it nobody but tools may have spoken.
    fn find_unanswered(&mut self, messages: &[Rc<ChatMessage>]) {
        let went_on = messages.iter().rposition(|message| !message.has_tools() && !message.is_system());
        for index in self.open.clone() {
            if went_on.is_some_and(|place| place > index) {
                let problem = "calls a tool that never answers, and the conversation goes on";
                self.problem(ProblemKind::UnansweredCall, index, problem.into());
            } else {
                self.waits.get_or_insert(index);
            }
        }
    }
}

impl Calls {
    fn has_calls(&self) -> bool {
        self.answered || self.waits()
    }

    fn waits(&self) -> bool {
        self.waiting.len() > self.done
    }

    /// Takes the call that a result answers: the oldest where there are no ids; else the newest of that id, for one
    /// that was given up may have the same.
    fn answer(&mut self, oldest: bool) -> usize {
        self.answered = true;
        if !oldest {
            return self.waiting.pop().expect("a call waits");
        }
        self.done += 1;
        self.waiting[self.done - 1]
    }
}

fn calls<'a>((calls, key): (&'a mut Names<Calls>, &Str)) -> &'a mut Calls {
    if !calls.contains(key) {
        calls.insert(key.clone(), Calls::default());
    }
    let place = calls.place(key).expect("it was just put there");
    calls.at_mut(place)
}

fn called(id: &str, name: &str) -> String {
    if id.is_empty() { name.into() } else { id.into() }
}

fn says_nothing(part: &Part) -> bool {
    matches!(part, Part::Text(text) if text.trim().is_empty())
}
