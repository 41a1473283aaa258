//! Divides a history into units, which stay together: calls with their results and approvals, whoever runs the tool, and
//! messages that the host gave the same unit.

use std::ops::Range;
use std::rc::Rc;

use super::message::{Approval, ChatMessage, Part};
use crate::value::{Names, Str, sort};

/// A part of a history that providers refuse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryProblem {
    /// The rule that is broken.
    pub kind: HistoryRule,
    /// The index of the message.
    pub index: usize,
    /// What is wrong, for readers.
    pub message: String,
}

/// A rule for histories.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HistoryRule {
    /// A result without a call.
    OrphanResult,
    /// A result before its call.
    ResultBeforeCall,
    /// A second result of a call.
    DuplicateResult,
    /// A call with the id of an earlier call that has no result yet.
    DuplicateCallId,
    /// A call without a result, although the conversation continued.
    UnansweredCall,
    /// An approval of a call that is not there, or the answer to a question that nobody asked.
    OrphanApproval,
    /// A message without content.
    EmptyMessage,
}

impl HistoryRule {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            HistoryRule::OrphanResult => "orphan_result",
            HistoryRule::ResultBeforeCall => "result_before_call",
            HistoryRule::DuplicateResult => "duplicate_result",
            HistoryRule::DuplicateCallId => "duplicate_call_id",
            HistoryRule::UnansweredCall => "unanswered_call",
            HistoryRule::OrphanApproval => "orphan_approval",
            HistoryRule::EmptyMessage => "empty_message",
        }
    }
}

/// The units of a history, and the problems of its calls.
#[derive(Debug, Default)]
pub(super) struct Units {
    /// The units in order; together they are the whole history.
    pub ranges: Vec<Range<usize>>,
    /// The unit of each message.
    pub of: Vec<usize>,
    /// Messages with a call that has no result.
    pub open: Vec<usize>,
    /// The first of them whose result is still expected.
    pub waits: Option<usize>,
    pub problems: Vec<HistoryProblem>,
}

impl Units {
    pub fn of(messages: &[Rc<ChatMessage>]) -> Units {
        let mut units = Units::default();
        let mut pairing = Pairing { ends: (0..messages.len()).collect(), ..Pairing::default() };
        for (index, message) in messages.iter().enumerate() {
            if index > 0 && message.unit.is_some() && messages[index - 1].unit == message.unit {
                pairing.ends[index - 1] = pairing.ends[index - 1].max(index);
            }
            if message.parts.iter().all(is_blank) {
                units.add_problem(HistoryRule::EmptyMessage, index, "has no content");
            }
            for part in &message.parts {
                match part {
                    Part::Call { id, name, .. } => pairing.call(index, id, name, &mut units),
                    Part::Result { id, name, .. } => pairing.result(index, id, name, &mut units),
                    Part::Approval(approval) => pairing.approval(index, approval),
                    _ => {}
                }
            }
        }
        pairing.report_orphans(&mut units);
        pairing.join_early_approvals(&mut units);
        units.open = pairing.open();
        units.divide(&pairing.ends);
        units.find_unanswered(messages);
        sort(&mut units.problems, |left, right| left.index.cmp(&right.index));
        units
    }

    fn add_problem(&mut self, kind: HistoryRule, index: usize, problem: &str) {
        self.problems.push(HistoryProblem { kind, index, message: format!("message {index} {problem}") });
    }

    /// Divides the history into the smallest ranges that contain each message together with its entry in `ends`.
    fn divide(&mut self, ends: &[usize]) {
        let mut start = 0;
        while start < ends.len() {
            let (mut end, mut index) = (start, start);
            while index <= end {
                end = end.max(ends[index]);
                index += 1;
            }
            self.of.resize(end + 1, self.ranges.len());
            self.ranges.push(start..end + 1);
            start = end + 1;
        }
    }

    /// The result of an open call is still expected when only system messages and messages with calls or results follow
    /// it. Any other open call is a problem.
    fn find_unanswered(&mut self, messages: &[Rc<ChatMessage>]) {
        let went_on = messages.iter().rposition(|message| !message.has_tools() && !message.is_system());
        for index in self.open.clone() {
            if went_on.is_some_and(|last| last > index) {
                let problem = "has a call without a result, and the conversation goes on";
                self.add_problem(HistoryRule::UnansweredCall, index, problem);
            } else {
                self.waits.get_or_insert(index);
            }
        }
    }
}

/// Finds the call of each result.
#[derive(Default)]
struct Pairing<'m> {
    /// The last message that each message must stay together with.
    ends: Vec<usize>,
    /// Calls with an id. They are separate from the calls by name, because an id may be the name of a tool.
    by_id: Names<Calls>,
    /// Calls without an id, by their tools.
    by_name: Names<Calls>,
    /// Results before or without a call: the message, and the id or the tool.
    orphans: Vec<(usize, Str)>,
    /// The messages of the last calls with an id, and of requests for approvals.
    last_calls: Names<usize>,
    requests: Names<usize>,
    /// Approvals before the part that they belong to, or without one, with their messages.
    early_approvals: Vec<(usize, &'m Approval)>,
}

/// The calls with the same id, or the calls of the same tool without an id.
#[derive(Default)]
struct Calls {
    /// The messages of the calls, the oldest first; with ids, only of those without a result.
    messages: Vec<usize>,
    /// How many of the oldest have a result.
    answered: usize,
    /// True when a result came after the last call.
    has_result: bool,
}

impl<'m> Pairing<'m> {
    fn calls(&mut self, id: &Str, name: &Str) -> &mut Calls {
        let (calls, key) = if id.is_empty() { (&mut self.by_name, name) } else { (&mut self.by_id, id) };
        if !calls.contains(key) {
            calls.insert(key.clone(), Calls::default());
        }
        let position = calls.position(key).expect("the key was just inserted");
        calls.at_mut(position)
    }

    fn call(&mut self, index: usize, id: &Str, name: &Str, units: &mut Units) {
        let calls = self.calls(id, name);
        if !id.is_empty() && calls.is_open() {
            let problem = format!("calls with the id {id}, which another open call has");
            units.add_problem(HistoryRule::DuplicateCallId, index, &problem);
        }
        calls.messages.push(index);
        calls.has_result = false;
        self.last_calls.insert(id.clone(), index);
    }

    /// A result without an id and a name, which OpenAI's format allows, answers the oldest open call without an id.
    fn result(&mut self, index: usize, id: &Str, name: &Str, units: &mut Units) {
        let oldest = if id.is_empty() && name.is_empty() { self.oldest_by_name() } else { None };
        let name = oldest.as_ref().unwrap_or(name);
        let key = if id.is_empty() { name } else { id };
        let calls = self.calls(id, name);
        if calls.is_open() {
            let call = calls.answer(id.is_empty());
            self.join(call, index);
        } else if calls.has_result {
            units.add_problem(HistoryRule::DuplicateResult, index, &format!("answers the call {key} again"));
        } else {
            self.orphans.push((index, key.clone()));
        }
    }

    /// The tool of the oldest open call without an id.
    fn oldest_by_name(&self) -> Option<Str> {
        let open = self.by_name.iter().filter(|(_, calls)| calls.is_open());
        open.min_by_key(|(_, calls)| calls.messages[calls.answered]).map(|(name, _)| name.clone())
    }

    fn report_orphans(&self, units: &mut Units) {
        for (index, call) in &self.orphans {
            let was_called =
                |calls: &Names<Calls>| calls.get(call).is_some_and(|calls| calls.has_result || calls.is_open());
            if was_called(&self.by_id) || was_called(&self.by_name) {
                units.add_problem(HistoryRule::ResultBeforeCall, *index, &format!("answers {call} before the call"));
            } else {
                let problem = format!("answers {call}, which was never called");
                units.add_problem(HistoryRule::OrphanResult, *index, &problem);
            }
        }
    }

    /// Keeps two messages together.
    fn join(&mut self, one: usize, other: usize) {
        let start = one.min(other);
        self.ends[start] = self.ends[start].max(one).max(other);
    }

    fn approval(&mut self, index: usize, approval: &'m Approval) {
        if !self.joins_approval(index, approval) {
            self.early_approvals.push((index, approval));
        }
    }

    /// Keeps a question whether a call may run together with the call, and the answer with the question. False when the
    /// other part is not there yet.
    fn joins_approval(&mut self, index: usize, approval: &Approval) -> bool {
        let other = match approval {
            Approval::Request { id, call } => {
                self.requests.insert(id.clone(), index);
                let Some(call) = call else { return true };
                self.last_calls.get(call)
            }
            Approval::Response { id, .. } => self.requests.get(id),
        };
        let Some(other) = other.copied() else { return false };
        self.join(other, index);
        true
    }

    /// Joins the approvals that come before the part that they belong to, and reports those without one.
    fn join_early_approvals(&mut self, units: &mut Units) {
        for (index, approval) in std::mem::take(&mut self.early_approvals) {
            if self.joins_approval(index, approval) {
                continue;
            }
            let (role, other) = match approval {
                Approval::Request { call, .. } => ("request", call.as_deref().unwrap_or_default()),
                Approval::Response { id, .. } => ("response", &**id),
            };
            let problem = format!("has the {role} of an approval of {other}, which is not there");
            units.add_problem(HistoryRule::OrphanApproval, index, &problem);
        }
    }

    /// The messages with calls that have no result.
    fn open(&self) -> Vec<usize> {
        let all = self.by_id.values().iter().chain(self.by_name.values());
        let mut open: Vec<usize> = all.flat_map(|calls| &calls.messages[calls.answered..]).copied().collect();
        sort(&mut open, usize::cmp);
        open.dedup();
        open
    }
}

impl Calls {
    fn is_open(&self) -> bool {
        self.messages.len() > self.answered
    }

    /// Marks the call that a result answers as answered, and returns its message. Without ids, that is the oldest open
    /// call; with ids the newest, because an older call with the same id was abandoned.
    fn answer(&mut self, is_oldest: bool) -> usize {
        self.has_result = true;
        if !is_oldest {
            return self.messages.pop().expect("a call is open");
        }
        self.answered += 1;
        self.messages[self.answered - 1]
    }
}

fn is_blank(part: &Part) -> bool {
    matches!(part, Part::Text(text) if text.trim().is_empty())
}
