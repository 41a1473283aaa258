//! One run of an agent: asks the model, runs the program of its reply, and so on until there is an
//! answer.
//!
//! A run only asks; its inputs are the model's replies, what tools gave, and the time. What it is
//! rendered to is no matter of its: messages are a function of its turns.

use std::rc::Rc;

use super::reply::program_in;
use crate::diagnostic::{Diagnostic, line_and_column};
use crate::lisp::{Outcome, Signal};
use crate::sandbox::{Call, Reply, Sandbox, SandboxRequest};
use crate::signature::{ExtraFields, Mismatch, Side, Signature};
use crate::turn::{Memory, ToolCall, Turn, TurnInit};
use crate::value::{Map, Names, PrintOptions, Str, Value, to_clojure};

/// What a run does with values that do not fit the signature.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Validation {
    /// They are refused; fields beyond the signature are not.
    #[default]
    Enabled,
    /// They are refused, and so are fields beyond the signature.
    Strict,
    /// They are let through and reported.
    Warn,
    /// They are not looked at.
    Disabled,
}

impl Validation {
    /// The mode of a name.
    pub fn named(name: &str) -> Option<Validation> {
        Some(match name {
            "enabled" => Validation::Enabled,
            "strict" => Validation::Strict,
            "warn" => Validation::Warn,
            "disabled" => Validation::Disabled,
            _ => return None,
        })
    }
}

/// What a run needs next, or what came of it.
#[derive(Debug)]
pub enum RunRequest {
    /// The model is to be asked for the turn of that number, from 1.
    AskModel(u32),
    /// These tools are to be called, side by side.
    CallTools(Vec<Call>),
    /// A slice of time is over: the host looks at its clock and goes on.
    Pause,
    /// The run has ended.
    Done(RunResult),
}

/// What came of a run: what the program returned, or why there is nothing.
pub type RunResult = Result<Value, Failure>;

/// Why a run has no result.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// Snake case, such as `max_turns_exceeded`; or what the program gave to `fail`.
    pub reason: Str,
    /// For readers.
    pub message: Str,
    /// The facts; nil when there are none.
    pub details: Value,
}

/// A turn that is over.
#[derive(Debug)]
pub struct Finished {
    /// What happened.
    pub turn: Turn,
    /// The numbers that its calls had when they were asked for, in the order in which the turn has them.
    pub call_ids: Vec<usize>,
}

/// What a run is held to.
#[derive(Clone, Debug)]
pub struct RunConfig {
    /// What goes in and what must come out.
    pub signature: Option<Signature>,
    /// What becomes of values that do not fit it.
    pub validation: Validation,
    /// How many turns there are.
    pub max_turns: u32,
}

/// A run.
pub struct Run {
    terms: RunConfig,
    sandbox: Sandbox,
    inputs: Value,
    /// How many turns are over.
    turns: u32,
    memory: Memory,
    /// The reply that is being worked on, and its program.
    reply: Str,
    program: Option<Str>,
    /// What nested agents did, by the number of the call that ran them.
    nested: Vec<(usize, Value)>,
    /// `*1`, `*2`, `*3` as they were when the program began.
    recent: [Value; 3],
    /// The turns that the host has not taken yet.
    finished: Vec<Finished>,
    warnings: Vec<String>,
    failure: Option<Failure>,
}

impl Run {
    /// A run that goes on behind some turns, whose definitions the sandbox has. `inputs` is what the
    /// signature's parameters are checked against.
    pub fn new(terms: RunConfig, sandbox: Sandbox, inputs: Value, turns: u32) -> Run {
        let memory: Names<Value> = sandbox.memory().map(|(name, value)| (name.clone(), value.clone())).collect();
        let recent = sandbox.recent().clone();
        Run {
            terms,
            sandbox,
            inputs,
            turns,
            memory: Rc::new(memory),
            recent,
            reply: Str::from(""),
            program: None,
            nested: Vec::new(),
            finished: Vec::new(),
            warnings: Vec::new(),
            failure: None,
        }
    }

    /// Begins: checks the inputs, and asks the model.
    pub fn start(&mut self) -> RunRequest {
        let mismatches = match &self.terms.signature {
            Some(signature) => self.mismatches(|extra| signature.check(&self.inputs, Side::Input, extra)),
            None => Vec::new(),
        };
        if !mismatches.is_empty() {
            let message = unfit("inputs do", &mismatches);
            if self.terms.validation != Validation::Warn {
                return RunRequest::Done(Err(failure("validation_error", message, Value::Nil)));
            }
            self.warnings.push(message);
        }
        self.warnings.extend(self.sandbox.hidden_names().iter().cloned());
        self.ask()
    }

    /// Goes on with the model's reply, which came at a time in milliseconds since 1970.
    pub fn reply(&mut self, reply: &str, now: i64) -> RunRequest {
        self.reply = reply.into();
        self.nested.clear();
        self.recent = self.sandbox.recent().clone();
        match program_in(reply) {
            Ok(program) => {
                self.program = Some(program.into());
                let step = self.sandbox.start(program, now);
                self.step(step)
            }
            Err(problem) => {
                self.program = None;
                self.fail_turn(problem.kind, &problem, nothing())
            }
        }
    }

    /// Goes on with what tools gave.
    pub fn answer(&mut self, replies: Vec<Reply>) -> RunRequest {
        let step = self.sandbox.answer(replies);
        self.step(step)
    }

    /// Remembers what a nested agent did for the call of that number.
    pub fn remember_nested(&mut self, call: usize, step: Value) {
        self.nested.push((call, step));
    }

    /// Goes on behind a pause.
    pub fn resume(&mut self) -> RunRequest {
        let step = self.sandbox.resume();
        self.step(step)
    }

    /// Ends the program that is under way with an error, such as a time that is over; the model may try again.
    pub fn stop_program(&mut self, problem: Diagnostic) -> RunRequest {
        let step = self.sandbox.stop(problem);
        self.step(step)
    }

    /// Ends the run. What a program under way has done so far is kept as a failed turn.
    pub fn end(&mut self, reason: &str, message: &str) -> RunRequest {
        self.failure = Some(failure(reason, message.into(), Value::Nil));
        if self.sandbox.is_running() {
            return self.stop_program(Diagnostic::new("aborted", message));
        }
        self.ask()
    }

    /// The turns that have ended since this was asked.
    pub fn take_turns(&mut self) -> Vec<Finished> {
        std::mem::take(&mut self.finished)
    }

    /// What has to be reported since this was asked.
    pub fn take_warnings(&mut self) -> Vec<String> {
        std::mem::take(&mut self.warnings)
    }

    /// The question for the next turn, if there is one.
    fn ask(&mut self) -> RunRequest {
        if let Some(failure) = self.failure.take() {
            return RunRequest::Done(Err(failure));
        }
        if self.turns >= self.terms.max_turns {
            let message = match self.terms.max_turns {
                1 => "there was no result in the one turn that there was".into(),
                most => format!("there was no result after {most} turns"),
            };
            return RunRequest::Done(Err(failure("max_turns_exceeded", message, Value::Nil)));
        }
        RunRequest::AskModel(self.turns + 1)
    }

    fn step(&mut self, step: SandboxRequest) -> RunRequest {
        match step {
            SandboxRequest::Calls(calls) => RunRequest::CallTools(calls),
            SandboxRequest::Pause => RunRequest::Pause,
            SandboxRequest::Done(ended, mut warnings) => {
                self.warnings.append(&mut warnings);
                self.ended(*ended)
            }
        }
    }

    fn ended(&mut self, mut ended: Outcome) -> RunRequest {
        let value = match std::mem::replace(&mut ended.result, Ok(Value::Nil)) {
            Ok(value) => value,
            Err(problem) => return self.fail_turn(problem.kind, &problem, ended),
        };
        self.remember(&ended.defined);
        match ended.signal {
            Some(Signal::Fail) => {
                let failure = given_up(&value);
                let problem = Diagnostic::new("", &*failure.message);
                let reason = failure.reason.clone();
                self.failure = Some(failure);
                self.fail_turn(&reason, &problem, ended)
            }
            Some(Signal::Return) => self.returned(value, ended),
            // There is no other turn to return it in (SS-001).
            None if self.terms.max_turns == 1 => self.returned(value, ended),
            None => {
                self.push(true, value, ended);
                self.ask()
            }
        }
    }

    /// The result, if it is what the signature says.
    fn returned(&mut self, value: Value, ended: Outcome) -> RunRequest {
        let mut value = value;
        if let Some(signature) = &self.terms.signature {
            let mismatches = self.mismatches(|extra| signature.check(&value, Side::Output, extra));
            if mismatches.is_empty() {
                if self.terms.validation != Validation::Disabled
                    && let Ok(fitted) = signature.coerce(&value, Side::Output, ExtraFields::Allowed)
                {
                    // It fits already; this spells its keys as they are declared.
                    value = fitted.value;
                }
            } else {
                let message = unfit("result does", &mismatches);
                if self.terms.validation != Validation::Warn {
                    // All of it, as under expected output: what is missing may begin with `_`.
                    let hint = format!("return a value of the type `{}`", signature.returns_text(false));
                    // A failed turn is none of the last results, though its definitions stay.
                    self.sandbox.set_recent(self.recent.clone());
                    return self.fail_turn("validation_error", &Diagnostic::new("", message).with_hint(hint), ended);
                }
                self.warnings.push(message);
            }
        }
        self.push(true, value.clone(), ended);
        match self.failure.take() {
            Some(failure) => RunRequest::Done(Err(failure)),
            None => RunRequest::Done(Ok(value)),
        }
    }

    fn mismatches(&self, check: impl Fn(ExtraFields) -> Vec<Mismatch>) -> Vec<Mismatch> {
        match self.terms.validation {
            Validation::Disabled => Vec::new(),
            Validation::Strict => check(ExtraFields::Refused),
            Validation::Enabled | Validation::Warn => check(ExtraFields::Allowed),
        }
    }

    fn fail_turn(&mut self, reason: &str, problem: &Diagnostic, ended: Outcome) -> RunRequest {
        let mut message = problem.message.clone();
        let program = self.program.as_deref().unwrap_or_default();
        if let Some(span) = problem.span.filter(|_| program.contains('\n')) {
            let (line, column) = line_and_column(program, span.start);
            let place = format!("line {line}, column {column}");
            if !message.contains(&place) {
                message.push_str(&format!(" ({place})"));
            }
        }
        let mut result = vec![Value::keyword("reason"), reason.into(), Value::keyword("message"), (&*message).into()];
        if let Some(hint) = &problem.hint {
            result.extend([Value::keyword("hint"), (&**hint).into()]);
        }
        // With one turn there is no next one to mend it in: its reason is the run's.
        if self.terms.max_turns == 1 && self.failure.is_none() {
            self.failure = Some(failure(reason, problem.to_string(), Value::Nil));
        }
        self.push(false, Value::Map(Map::alternating(result)), ended);
        self.ask()
    }

    fn push(&mut self, success: bool, result: Value, ended: Outcome) {
        self.turns += 1;
        let mut docs = Vec::new();
        let mut defined = Vec::new();
        for (name, doc) in ended.defined.iter() {
            defined.push(name.clone());
            if let Some(doc) = doc {
                docs.push((name.clone(), doc.clone()));
            }
        }
        let nested = &self.nested;
        let call_ids = ended.calls.iter().map(|call| call.id).collect();
        let calls = ended.calls.into_iter().map(|call| ToolCall {
            step: nested.iter().find(|(id, _)| *id == call.id).map(|(_, step)| step.clone()),
            name: call.name,
            args: call.args,
            result: call.result.unwrap_or_default(),
            error: call.error.map(Str::from),
            duration_ms: call.duration_ms,
        });
        let init = TurnInit {
            number: self.turns,
            raw_response: self.reply.clone(),
            program: self.program.clone(),
            result,
            prints: ended.prints,
            tool_calls: calls.collect(),
            memory: Some(self.memory.clone()),
            docs,
            defined: Some(defined),
        };
        let turn = if success { Turn::success(init) } else { Turn::failure(init) };
        self.finished.push(Finished { turn, call_ids });
    }

    /// Takes the definitions over, names in the order in which turns defined them: it is the same for a run that goes on
    /// from saved turns.
    fn remember(&mut self, defined: &Names<Option<Str>>) {
        let now: Names<Value> = self.sandbox.memory().map(|(name, value)| (name.clone(), value.clone())).collect();
        let mut memory = Names::default();
        let names = self.memory.iter().map(|(name, _)| name).chain(defined.iter().map(|(name, _)| name));
        for (name, value) in names.filter_map(|name| now.get_entry(name)) {
            memory.insert(name.clone(), value.clone());
        }
        self.memory = Rc::new(memory);
    }
}

/// What came of no program.
fn nothing() -> Outcome {
    Outcome {
        result: Ok(Value::Nil),
        signal: None,
        prints: Vec::new(),
        calls: Vec::new(),
        defined: Names::default(),
        changed: Names::default(),
        fuel: 0,
    }
}

/// What is said of the inputs or the result when they do not fit the signature.
fn unfit(what: &str, mismatches: &[Mismatch]) -> String {
    let problems = mismatches.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
    format!("the {what} not fit the signature: {problems}")
}

fn failure(reason: &str, message: String, details: Value) -> Failure {
    Failure { reason: reason.into(), message: message.into(), details }
}

/// What a program gave to `fail`: a text is the message, a keyword the reason, a map may hold both.
fn given_up(value: &Value) -> Failure {
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
