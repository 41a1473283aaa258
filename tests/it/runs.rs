//! Runs of agents: case files with the messages at each turn and the result, for scripted replies.
//!
//! `## Given` holds the agent as a Clojure map; each tool has `:answers`, a list of its results one after the other
//! (the last one is repeated), or a map of arguments to answers; `{:throws "…"}` is an error. A `## Reply` is a text of
//! the model. `## Messages` and `## Last message` precede the reply to them, and hold the request to the model; `##
//! Result` ends the run. `only: js` in the front matter marks features of the package alone, such as agents in agents:
//! tests/js/runs.test.mjs runs all files, those too.

use std::collections::VecDeque;
use std::rc::Rc;

use proptest::prelude::*;
use turnfold::compression::{RenderOptions, Renderer, Strategy as Compression};
use turnfold::lisp::{ProgramLimits, ToolReply, ToolRequest, ToolSpec, Vm};
use turnfold::message::{Message, Role};
use turnfold::signature;
use turnfold::subagent::run::{Run, RunConfig, RunRequest, RunResult, Validation};
use turnfold::turn::Turn;
use turnfold::value::{Names, Str, Value};

use crate::case::{Block, Case, count, member, members, shown, text, value};
use crate::conversation::{check_sections, option, strategy_option};

/// The results of a tool.
enum Answers {
    InOrder(VecDeque<Value>),
    ByArguments(Vec<(String, Value)>),
}

struct ScriptedTool {
    name: Str,
    answers: Answers,
}

impl ScriptedTool {
    fn new(name: &Str, given: &Value) -> ScriptedTool {
        let answers = match member(given, "answers") {
            Some(Value::Vector(answers)) => Answers::InOrder(answers.iter().cloned().collect()),
            Some(Value::Map(answers)) => {
                Answers::ByArguments(answers.iter().map(|(args, answer)| (shown(args), answer.clone())).collect())
            }
            _ => panic!("a tool has :answers"),
        };
        ScriptedTool { name: name.clone(), answers }
    }

    fn answer(&mut self, call: &ToolRequest) -> ToolReply {
        let answer = match &mut self.answers {
            Answers::InOrder(answers) if answers.len() > 1 => answers.pop_front(),
            Answers::InOrder(answers) => answers.front().cloned(),
            Answers::ByArguments(answers) => {
                let args = shown(&call.args);
                answers.iter().find(|(known, _)| *known == args).map(|(_, answer)| answer.clone())
            }
        };
        let answer = answer.unwrap_or_else(|| panic!("no answer of {} to {}", self.name, shown(&call.args)));
        let thrown = match &answer {
            Value::Map(members) => members.get_keyword("throws").and_then(Value::as_str).map(str::to_owned),
            _ => None,
        };
        ToolReply { duration_ms: Some(1.0), ..ToolReply::new(call.id, thrown.map_or(Ok(answer), Err)) }
    }
}

/// The agent of a file.
struct Agent {
    options: RenderOptions,
    validation: Validation,
    limits: ProgramLimits,
    tools: Vec<ScriptedTool>,
}

impl Agent {
    fn new(given: &str) -> Agent {
        let mut agent = Agent {
            options: RenderOptions { system_prompt: "SYSTEM".into(), strategy: None, ..RenderOptions::default() },
            validation: Validation::Enabled,
            limits: ProgramLimits::default(),
            tools: Vec::new(),
        };
        for (name, value) in members(&value(given)) {
            match &*name {
                "compression" => agent.compression(&value),
                "validation" => agent.validation = validation(text(&value)),
                "limits" => agent.limits = limits(&value),
                name => assert!(option(&mut agent.options, name, &value), "unknown option {name}"),
            }
            if &*name == "tools" {
                let scripts = members(&value);
                let tools = agent.options.tools.iter().zip(&scripts);
                agent.tools = tools.map(|((name, _), (_, given))| ScriptedTool::new(name, given)).collect();
            }
        }
        agent
    }

    /// Sets the compression: on, off, a name, or a name with options.
    fn compression(&mut self, value: &Value) {
        let (name, given) = match value {
            Value::Bool(on) => {
                self.options.strategy = RenderOptions::default().strategy.filter(|_| *on);
                return;
            }
            Value::Vector(pair) => (pair.get(0).expect("a name"), members(pair.get(1).expect("options"))),
            name => (name, Vec::new()),
        };
        let mut strategy = Compression::named(text(name));
        assert!(strategy.is_some(), "unknown strategy {}", shown(name));
        for (name, value) in given {
            strategy_option(&mut strategy, &mut self.options.limits, &name, &value);
        }
        self.options.strategy = strategy;
    }

    /// Runs with these replies; returns the messages of each request, and the result.
    fn run(mut self, replies: &[&str]) -> (Vec<Vec<Message>>, String) {
        let tools = self.options.tools.iter().cloned();
        let data: Names<Value> = self.options.data.iter().cloned().collect();
        let sandbox = Vm::new(data, tools.collect(), self.limits.clone());
        let inputs = self.options.data.iter().map(|(name, value)| (Value::Keyword(name.clone()), value.clone()));
        let (signature, max_turns) = (self.options.signature.clone(), self.options.max_turns as u32);
        let terms = RunConfig { signature, validation: self.validation, max_turns };
        let mut run = Run::new(terms, sandbox, Value::map(inputs), 0);
        let mut renderer = Renderer::new(self.options.clone(), []);
        let (mut turns, mut calls, mut warnings, mut asked) = (0, 0, Vec::new(), Vec::new());
        let mut request = run.start();
        loop {
            warnings.append(&mut run.take_warnings());
            for finished in run.take_turns() {
                turns += 1;
                calls += finished.turn.tool_calls().len();
                renderer.push(finished.turn);
            }
            request = match request {
                RunRequest::AskModel(turn) => {
                    assert_eq!(turn as usize, asked.len() + 1);
                    let rendered = loop {
                        match renderer.render(None) {
                            Ok(rendered) => break rendered,
                            Err(missing) => renderer.supply_counts(missing.0.iter().map(|text| text.chars().count())),
                        }
                    };
                    check_sections(&rendered);
                    asked.push(rendered.messages.to_vec());
                    run.reply(replies.get(asked.len() - 1).expect("a reply to each question"), 0)
                }
                RunRequest::CallTools(calls) => {
                    let replies = calls.iter().map(|call| {
                        let tool = self.tools.iter_mut().find(|tool| tool.name == call.tool).expect("a known tool");
                        tool.answer(call)
                    });
                    let replies = replies.collect();
                    run.answer(replies)
                }
                RunRequest::Pause => run.resume(),
                RunRequest::Done(outcome) => return (asked, result_text(&outcome, turns, calls, &warnings)),
            }
        }
    }
}

fn result_text(outcome: &RunResult, turns: usize, calls: usize, warnings: &[String]) -> String {
    let mut lines = vec![match outcome {
        Ok(value) => format!(":return {}", shown(value)),
        Err(failure) => {
            let (reason, message) = (Value::str(&*failure.reason), Value::str(&*failure.message));
            format!(":fail {{:reason {} :message {}}}", shown(&reason), shown(&message))
        }
    }];
    lines.push(format!(":turns {turns}"));
    if calls > 0 {
        lines.push(format!(":tool-calls {calls}"));
    }
    if !warnings.is_empty() {
        let warnings = warnings.iter().map(|warning| shown(&Value::str(&**warning))).collect::<Vec<_>>();
        lines.push(format!(":warnings [{}]", warnings.join("\n            ")));
    }
    format!("{{{}}}", lines.join("\n "))
}

fn validation(name: &str) -> Validation {
    match name {
        "enabled" => Validation::Enabled,
        "strict" => Validation::Strict,
        "warn" => Validation::Warn,
        "disabled" => Validation::Disabled,
        _ => panic!("unknown validation {name}"),
    }
}

fn limits(value: &Value) -> ProgramLimits {
    let mut limits = ProgramLimits::default();
    for (name, value) in members(value) {
        match &*name {
            "fuel" => limits.fuel = count(&value) as u64,
            "loop-iterations" => limits.loop_iterations = count(&value) as u64,
            "depth" => limits.depth = count(&value),
            "tool-calls" => limits.tool_calls = count(&value),
            "prints" => limits.prints = count(&value),
            name => panic!("unknown limit {name}"),
        }
    }
    limits
}

/// Returns the file with the library's actual output; `None` for files that only the package can run.
pub fn updated(source: &str) -> Option<String> {
    let case = Case::read(source);
    if case.front("only") == Some("js") {
        return None;
    }
    let texts = |heading: &'static str| {
        let sections = case.sections.iter().filter(move |section| section.heading == heading);
        sections.map(|section| section.blocks[0].text.as_str())
    };
    let agent = Agent::new(texts("Given").next().expect("an agent"));
    let replies = texts("Reply");
    let (asked, result) = agent.run(&replies.collect::<Vec<_>>());
    let mut turn = 0;
    Some(case.updated(|section| match section.heading.as_str() {
        "" | "Given" => None,
        "Reply" => {
            turn += 1;
            None
        }
        "Result" => Some(vec![Block::new("clojure", result.as_str())]),
        heading @ ("Messages" | "Last message") => {
            let messages = asked.get(turn).unwrap_or_else(|| panic!("turn {} was never asked for", turn + 1));
            let first = if heading == "Messages" { 0 } else { messages.len() - 1 };
            let shown =
                messages[first..].iter().filter(|message| section.has("system") || message.role != Role::System);
            Some(shown.map(|message| Block::new(message.role.name(), message.text.as_str())).collect())
        }
        heading => panic!("unknown heading {heading}"),
    }))
}

/// A reply of random pieces: fences, tags, programs, and any text.
fn reply() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("```clojure\n".to_owned()),
        Just("```\n".to_owned()),
        Just("\n```".to_owned()),
        Just("~~~~ clj\n".to_owned()),
        Just("<think>".to_owned()),
        Just("</think>".to_owned()),
        Just("\n".to_owned()),
        Just("(return {:n 1})".to_owned()),
        Just("(def a 1)".to_owned()),
        Just("(def b (tool/get {:id a}))".to_owned()),
        Just("(return (pmap tool/get [1 \"2\" nil]))".to_owned()),
        Just("(fail {:reason :r :message a})".to_owned()),
        "[()\\[\\]{}\"'`;#^@:a-c0-9 ]{0,12}",
        "\\PC{0,12}",
        any::<String>(),
    ];
    proptest::collection::vec(piece, 0..6).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn any_reply_ends_in_a_turn(
        replies in proptest::collection::vec(reply(), 1..5),
        max_turns in 1..5_u32,
        signed in any::<bool>(),
        stop in proptest::option::of(0..4_usize),
    ) {
        let get = signature::parse("(id :int) -> :any").unwrap();
        let get = Rc::new(ToolSpec { signature: Some(get), ..ToolSpec::default() });
        let tools = [(Str::from("get"), get)].into_iter().collect();
        let limits = ProgramLimits { fuel: 100_000, ..ProgramLimits::default() };
        let sandbox = Vm::new(Names::default(), tools, limits);
        let signature = signed.then(|| signature::parse("() -> {n :int}").unwrap());
        let terms = RunConfig { signature, validation: Validation::Enabled, max_turns };
        let mut run = Run::new(terms, sandbox, Value::map([]), 0);
        let (mut asked, mut turns, mut batches) = (0, 0, 0);
        let mut request = run.start();
        let outcome = loop {
            for finished in run.take_turns() {
                turns += 1;
                prop_assert_eq!(finished.turn.number(), turns);
                prop_assert_eq!(finished.turn.tool_calls().len(), finished.call_ids.len());
                prop_assert!(Turn::from_json(&finished.turn.to_json()).is_ok_and(|loaded| loaded == finished.turn));
            }
            request = match request {
                RunRequest::AskModel(turn) => {
                    asked += 1;
                    prop_assert_eq!((turn, turns), (asked, asked - 1));
                    run.reply(&replies[asked as usize % replies.len()], 0)
                }
                RunRequest::CallTools(calls) => {
                    batches += 1;
                    let answer = |call: &ToolRequest| ToolReply::new(call.id, Ok(1.into()));
                    match stop {
                        Some(stop) if stop == batches => {
                            let ended = calls.iter().step_by(2).map(answer).collect();
                            run.end("aborted", "given up", ended)
                        }
                        _ => run.answer(calls.iter().map(answer).collect()),
                    }
                }
                RunRequest::Pause => run.resume(),
                RunRequest::Done(outcome) => break outcome,
            };
        };
        prop_assert!(asked <= max_turns);
        prop_assert_eq!(turns, asked, "each reply is a turn");
        prop_assert!(outcome.is_ok() || outcome.is_err_and(|failure| !failure.reason.is_empty()));
    }
}
