//! One run of an agent: asks the model, runs the program of its reply, and repeats this until there is a result.
//!
//! A run calls nothing. It returns requests, and the host resumes it with the model's replies, the results of tools, and
//! the time. It does not render messages; they are a pure function of its turns.

use std::rc::Rc;

use super::reply::program_in;
use crate::diagnostic::{Diagnostic, line_and_column};
use crate::lisp::{Outcome, Progress, Signal, ToolReply, ToolRequest, Vm};
use crate::signature::{ExtraFields, Mismatch, Side, Signature};
use crate::text::join;
use crate::turn::{Memory, ToolCall, Turn, TurnInit};
use crate::value::{Map, Names, PrintOptions, Str, Value, to_clojure};

/// How a run treats values that do not match the signature.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Validation {
    /// They are errors. Fields that the signature lacks are allowed.
    #[default]
    Enabled,
    /// They are errors, and so are fields that the signature lacks.
    Strict,
    /// They are accepted with a warning.
    Warn,
    /// They are not checked.
    Disabled,
}

/// What a run needs next, or its result.
#[derive(Debug)]
pub enum RunRequest {
    /// Ask the model for the turn with this number, from 1.
    AskModel(u32),
    /// Call these tools, concurrently.
    CallTools(Vec<ToolRequest>),
    /// The program used up its share of steps: check the time limits, then resume.
    Pause,
    /// The run has ended.
    Done(RunResult),
}

/// The result of a run: what the program returned, or why it failed.
pub type RunResult = Result<Value, RunFailure>;

/// Why a run has no result.
#[derive(Clone, Debug, PartialEq)]
pub struct RunFailure {
    /// In snake case, such as `max_turns_exceeded`; or the program's argument of `fail`.
    pub reason: Str,
    /// A sentence for humans.
    pub message: Str,
    /// Machine-readable details, or nil.
    pub details: Value,
}

/// A turn that ended.
#[derive(Debug)]
pub struct Finished {
    /// The record of the turn.
    pub turn: Turn,
    /// The ids under which its calls were requested, in the order of the turn's calls.
    pub call_ids: Vec<usize>,
}

/// The options of a run.
#[derive(Clone, Debug)]
pub struct RunConfig {
    /// The types of inputs and result.
    pub signature: Option<Signature>,
    /// How values that do not match it are treated.
    pub validation: Validation,
    /// The most turns that the run may take.
    pub max_turns: u32,
}

/// A run.
pub struct Run {
    config: RunConfig,
    sandbox: Vm,
    inputs: Value,
    /// How many turns ended.
    turns: u32,
    memory: Memory,
    /// When the request for the current reply was sent, in milliseconds since 1970.
    asked_at: Option<f64>,
    /// The current reply and its program.
    reply: Str,
    program: Option<Str>,
    /// `*1`, `*2`, `*3` when the current program began.
    recent: [Value; 3],
    /// `*calls` then.
    calls: Value,
    /// Turns that the host has not taken yet.
    finished: Vec<Finished>,
    warnings: Vec<String>,
    failure: Option<RunFailure>,
}

impl Run {
    /// A run that resumes after `turns` turns, whose definitions the sandbox holds. `inputs` are checked against the
    /// signature's parameters.
    pub fn new(config: RunConfig, mut sandbox: Vm, inputs: Value, turns: u32) -> Run {
        for name in config.signature.iter().flat_map(|signature| signature.absent_inputs(&inputs)) {
            sandbox.declare_data(&name);
        }
        let memory: Names<Value> = sandbox.definitions().map(|(name, value)| (name.clone(), value.clone())).collect();
        let (recent, calls) = (sandbox.recent().clone(), sandbox.calls().clone());
        Run {
            config,
            sandbox,
            inputs,
            turns,
            memory: Rc::new(memory),
            recent,
            calls,
            asked_at: None,
            reply: Str::from(""),
            program: None,
            finished: Vec::new(),
            warnings: Vec::new(),
            failure: None,
        }
    }

    /// Starts the run: checks the inputs, then asks the model.
    pub fn start(&mut self) -> RunRequest {
        let mismatches = match &self.config.signature {
            Some(signature) => self.mismatches(|extra| signature.check(&self.inputs, Side::Input, extra)),
            None => Vec::new(),
        };
        if !mismatches.is_empty() {
            let message = mismatch_message("inputs do", &mismatches);
            if self.config.validation != Validation::Warn {
                return RunRequest::Done(Err(failure("validation_error", message, Value::Nil)));
            }
            self.warnings.push(message);
        }
        self.warnings.extend(self.sandbox.hidden_names().iter().cloned());
        self.ask()
    }

    /// Records when the request for the next reply was sent, in milliseconds since 1970.
    pub fn asked_at(&mut self, at: Option<f64>) {
        self.asked_at = at;
    }

    /// Resumes with the model's reply. `now` is in milliseconds since 1970.
    pub fn reply(&mut self, reply: &str, now: i64) -> RunRequest {
        self.reply = reply.into();
        self.recent = self.sandbox.recent().clone();
        self.calls = self.sandbox.calls().clone();
        match program_in(reply) {
            Ok(program) => {
                self.program = Some(program.into());
                let step = self.sandbox.start(program, now);
                self.step(step)
            }
            Err(problem) => {
                self.program = None;
                self.fail_turn(problem.kind, &problem, no_outcome())
            }
        }
    }

    /// The sandbox that the programs run in.
    pub fn sandbox(&mut self) -> &mut Vm {
        &mut self.sandbox
    }

    /// Resumes with the results of tools, in the order of the requested calls.
    pub fn answer(&mut self, replies: Vec<ToolReply>) -> RunRequest {
        let step = self.sandbox.answer(replies);
        self.step(step)
    }

    /// Resumes after [`RunRequest::Pause`].
    pub fn resume(&mut self) -> RunRequest {
        let step = self.sandbox.resume();
        self.step(step)
    }

    /// Ends the running program with an error, such as a timeout. The model may try again in the next turn.
    pub fn stop_program(&mut self, problem: Diagnostic) -> RunRequest {
        let step = self.sandbox.stop(problem);
        self.step(step)
    }

    /// Records these results of tools, and ends the program with an error without resuming it.
    pub fn stop_program_after(&mut self, replies: Vec<ToolReply>, problem: Diagnostic) -> RunRequest {
        self.sandbox.deliver(replies);
        self.stop_program(problem)
    }

    /// Resumes with a reply of the model whose program can't be run, because of `problem`, and that had made calls of
    /// tools. `calls` has the number, the name and the arguments of each.
    pub fn skip_program(
        &mut self,
        reply: &str,
        calls: &Value,
        replies: Vec<ToolReply>,
        problem: &Diagnostic,
    ) -> RunRequest {
        self.reply = reply.into();
        self.program = program_in(reply).ok().map(Into::into);
        let mut outcome = no_outcome();
        let Value::Vector(calls) = calls else { return self.fail_turn(problem.kind, problem, outcome) };
        for call in calls.iter() {
            let Value::Vector(parts) = call else { continue };
            let [Value::Int(id), Value::Str(name), args] = parts.as_slice() else { continue };
            let id = *id as usize;
            let mut call = ToolCall::new(name.clone(), args.clone());
            match replies.iter().find(|reply| reply.id == id) {
                // There is no program to receive the result.
                Some(reply) => drop(call.take(reply.clone())),
                None => call.abandon(),
            }
            outcome.calls.push(call);
            outcome.call_ids.push(id);
        }
        self.fail_turn(problem.kind, problem, outcome)
    }

    /// Ends the run. The effects of a running program are kept as a failed turn, with these results of its tools.
    pub fn end(&mut self, reason: &str, message: &str, replies: Vec<ToolReply>) -> RunRequest {
        self.failure = Some(failure(reason, message.into(), Value::Nil));
        if self.sandbox.is_running() {
            return self.stop_program_after(replies, Diagnostic::new("aborted", message));
        }
        self.ask()
    }

    /// The turns that ended since the last call.
    pub fn take_turns(&mut self) -> Vec<Finished> {
        std::mem::take(&mut self.finished)
    }

    /// The warnings since the last call.
    pub fn take_warnings(&mut self) -> Vec<String> {
        std::mem::take(&mut self.warnings)
    }

    /// Asks the model for the next turn, unless the run is over.
    fn ask(&mut self) -> RunRequest {
        if let Some(failure) = self.failure.take() {
            return RunRequest::Done(Err(failure));
        }
        if self.turns >= self.config.max_turns {
            let message = match self.config.max_turns {
                1 => "there was no result in the one turn that there was".into(),
                max => format!("there was no result after {max} turns"),
            };
            return RunRequest::Done(Err(failure("max_turns_exceeded", message, Value::Nil)));
        }
        RunRequest::AskModel(self.turns + 1)
    }

    fn step(&mut self, step: Progress) -> RunRequest {
        match step {
            Progress::Calls(requests) => RunRequest::CallTools(requests),
            Progress::Pause => RunRequest::Pause,
            Progress::Done(mut outcome) => {
                self.warnings.append(&mut outcome.warnings);
                self.program_ended(*outcome)
            }
        }
    }

    fn program_ended(&mut self, mut outcome: Outcome) -> RunRequest {
        let value = match std::mem::replace(&mut outcome.result, Ok(Value::Nil)) {
            Ok(value) => value,
            Err(problem) => return self.fail_turn(problem.kind, &problem, outcome),
        };
        self.remember(&outcome.defined);
        match outcome.signal {
            Some(Signal::Fail) => {
                // The definitions are kept; in a failed turn, `defined` lists those that were not.
                outcome.defined = Names::default();
                let failure = failure_of(&value);
                let problem = Diagnostic::new("", &*failure.message);
                let reason = failure.reason.clone();
                self.failure = Some(failure);
                self.fail_turn(&reason, &problem, outcome)
            }
            Some(Signal::Return) => self.returned(value, outcome),
            // There is no other turn in which the value could be returned.
            None if self.config.max_turns == 1 => {
                let defined = match &value {
                    Value::Var(name) => self.memory.get(name).cloned(),
                    _ => None,
                };
                self.returned(defined.unwrap_or(value), outcome)
            }
            None => {
                self.push(true, value, outcome);
                self.ask()
            }
        }
    }

    /// Ends the run with the result, if it matches the signature.
    fn returned(&mut self, value: Value, mut outcome: Outcome) -> RunRequest {
        let mut value = value;
        if let Some(signature) = &self.config.signature {
            let mismatches = self.mismatches(|extra| signature.check(&value, Side::Output, extra));
            if mismatches.is_empty() {
                if self.config.validation != Validation::Disabled
                    && let Ok(fitted) = signature.coerce(&value, Side::Output, ExtraFields::Allowed)
                {
                    // The value matches already; coercing it gives its keys their declared spelling.
                    value = fitted.value;
                }
            } else {
                let message = mismatch_message("result does", &mismatches);
                if self.config.validation != Validation::Warn {
                    // The hint has the whole type, as the section of the expected output does: a missing field may
                    // begin with `_`.
                    let hint = format!("return a value of the type `{}`", signature.returns_text(false));
                    // The result of a failed turn is not one of `*1`, `*2`, `*3`, though its definitions are kept.
                    self.sandbox.set_recent(self.recent.clone());
                    outcome.defined = Names::default();
                    return self.fail_turn("validation_error", &Diagnostic::new("", message).with_hint(hint), outcome);
                }
                self.warnings.push(message);
            }
        }
        self.push(true, value.clone(), outcome);
        match self.failure.take() {
            Some(failure) => RunRequest::Done(Err(failure)),
            None => RunRequest::Done(Ok(value)),
        }
    }

    fn mismatches(&self, check: impl Fn(ExtraFields) -> Vec<Mismatch>) -> Vec<Mismatch> {
        match self.config.validation {
            Validation::Disabled => Vec::new(),
            Validation::Strict => check(ExtraFields::Refused),
            Validation::Enabled | Validation::Warn => check(ExtraFields::Allowed),
        }
    }

    fn fail_turn(&mut self, reason: &str, problem: &Diagnostic, outcome: Outcome) -> RunRequest {
        let mut message = problem.message.clone();
        let program = self.program.as_deref().unwrap_or_default();
        if let Some(span) = problem.span.filter(|_| program.contains('\n')) {
            let (line, column) = line_and_column(program, span.start);
            let position = format!("line {line}, column {column}");
            if !message.contains(&position) {
                message.push_str(&format!(" ({position})"));
            }
        }
        let mut result = vec![Value::keyword("reason"), reason.into(), Value::keyword("message"), (&*message).into()];
        if let Some(hint) = &problem.hint {
            result.extend([Value::keyword("hint"), (&**hint).into()]);
        }
        // A run with one turn has no next turn in which to correct the error, so the error's reason is that of the run.
        if self.config.max_turns == 1 && self.failure.is_none() {
            self.failure = Some(failure(reason, problem.to_string(), Value::Nil));
        }
        self.sandbox.keep_calls(&self.calls, &outcome.calls, reason);
        self.push(false, Value::Map(Map::alternating(result)), outcome);
        self.ask()
    }

    fn push(&mut self, success: bool, result: Value, outcome: Outcome) {
        self.turns += 1;
        let mut docs = Vec::new();
        let mut defined = Vec::new();
        for (name, doc) in outcome.defined.iter() {
            defined.push(name.clone());
            if let Some(doc) = doc {
                docs.push((name.clone(), doc.clone()));
            }
        }
        let init = TurnInit {
            number: self.turns,
            raw_response: self.reply.clone(),
            program: self.program.clone(),
            result,
            prints: outcome.prints,
            tool_calls: outcome.calls,
            memory: Some(self.memory.clone()),
            docs,
            defined: Some(defined),
            at: self.asked_at,
        };
        let turn = if success { Turn::success(init) } else { Turn::failure(init) };
        self.finished.push(Finished { turn, call_ids: outcome.call_ids });
    }

    /// Updates the memory from the sandbox. Names are in the order in which turns defined them, which is the same in a run
    /// that resumes from saved turns.
    fn remember(&mut self, defined: &Names<Option<Str>>) {
        let now: Names<Value> = self.sandbox.definitions().map(|(name, value)| (name.clone(), value.clone())).collect();
        let mut memory = Names::default();
        let names = self.memory.iter().map(|(name, _)| name).chain(defined.iter().map(|(name, _)| name));
        for (name, value) in names.filter_map(|name| now.get_entry(name)) {
            memory.insert(name.clone(), value.clone());
        }
        self.memory = Rc::new(memory);
    }
}

/// The outcome of a turn without a program.
fn no_outcome() -> Outcome {
    Outcome {
        result: Ok(Value::Nil),
        signal: None,
        prints: Vec::new(),
        calls: Vec::new(),
        call_ids: Vec::new(),
        defined: Names::default(),
        changed: Names::default(),
        warnings: Vec::new(),
        fuel: 0,
    }
}

/// The message when inputs or result do not match the signature.
fn mismatch_message(what: &str, mismatches: &[Mismatch]) -> String {
    let problems = join(mismatches.iter().map(ToString::to_string), "; ");
    format!("the {what} not fit the signature: {problems}")
}

fn failure(reason: &str, message: String, details: Value) -> RunFailure {
    RunFailure { reason: reason.into(), message: message.into(), details }
}

/// The failure of a program that called `fail`: a text is the message, a keyword the reason, a map may have both.
fn failure_of(value: &Value) -> RunFailure {
    let text = |value: &Value| match value {
        Value::Str(text) | Value::Keyword(text) => text.to_string(),
        other => to_clojure(other, &PrintOptions { filter_hidden: true, ..PrintOptions::default() }).text,
    };
    match value {
        Value::Nil => failure("failed", "the program gave up".into(), Value::Nil),
        Value::Keyword(reason) => failure(reason, reason.to_string(), Value::Nil),
        Value::Map(map) => {
            let named = |name| map.get_keyword(name).filter(|value| !matches!(value, Value::Nil)).map(text);
            let reason = named("reason").unwrap_or_else(|| "failed".into());
            failure(&reason, named("message").unwrap_or_else(|| text(value)), value.clone())
        }
        value => failure("failed", text(value), Value::Nil),
    }
}
