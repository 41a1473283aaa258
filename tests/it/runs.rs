//! Scripted missions: what the model is asked at each turn and what comes of it, when it replies as
//! the file says. `UPDATE_CONVERSATIONS=1` writes what the library does into the files.
//!
//! A file is Markdown. `## Given` holds the agent as a Clojure map; each tool has `:answers`, a list
//! of what it gives one after the other (the last one again and again), or a map of arguments to
//! answers; `{:throws "…"}` is an error. A `## Reply` is what the model writes. `## Messages` and
//! `## Last message` stand before the reply that answers them, and hold what the model was asked;
//! `## Result` ends the run. `:only "js"` marks what only the package does, such as agents in agents:
//! tests/js/runs.test.mjs runs all files, those too.

use std::collections::VecDeque;

use proptest::prelude::*;
use turnfold::compression::{Counting, RenderOptions, Renderer, Strategy as Compression, Tool};
use turnfold::lisp::{Limits, read_value};
use turnfold::message::{Message, Role};
use turnfold::sandbox::{Call, Reply, Sandbox};
use turnfold::signature::{self, Signature};
use turnfold::subagent::run::{Run, RunConfig, RunRequest, RunResult, Validation};
use turnfold::turn::{Turn, memory_of};
use turnfold::value::{Names, PrintOptions, Str, Value, to_clojure};

use crate::conversation::{Block, Piece, check_sections, pieces};
use crate::golden;

/// A part of a file: a heading with what stands below it.
pub struct Section {
    pub heading: String,
    /// The lines as they are.
    pub source: String,
    prose: String,
    pub blocks: Vec<Block>,
}

impl Section {
    /// The section with these blocks in the place of its own.
    pub fn with(&self, blocks: &[String]) -> String {
        let prose = self.prose.trim();
        let heading = format!("## {}", self.heading);
        let parts = [heading.as_str(), prose].into_iter().chain(blocks.iter().map(String::as_str));
        let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
        format!("{}\n\n", parts.join("\n\n"))
    }
}

/// The lines before the first section, and the sections.
pub fn sections(source: &str) -> (String, Vec<Section>) {
    let mut head = String::new();
    let mut sections: Vec<Section> = Vec::new();
    for piece in pieces(source) {
        match (piece, sections.last_mut()) {
            (Piece::Heading(heading), _) => {
                let source = format!("## {heading}\n");
                sections.push(Section { heading, source, prose: String::new(), blocks: Vec::new() });
            }
            (Piece::Line(line), None) => head.push_str(&format!("{line}\n")),
            (Piece::Line(line), Some(section)) => {
                section.prose.push_str(&format!("{line}\n"));
                section.source.push_str(&format!("{line}\n"));
            }
            (Piece::Block(_), None) => panic!("a block before the first heading"),
            (Piece::Block(block), Some(section)) => {
                section.source.push_str(&format!("{}\n", block.written(section.heading == "Reply")));
                section.blocks.push(block);
            }
        }
    }
    (head, sections)
}

/// What a tool gives.
enum Answers {
    InOrder(VecDeque<Value>),
    ByArguments(Vec<(String, Value)>),
}

struct ScriptedTool {
    name: Str,
    signature: Option<Signature>,
    description: Option<Str>,
    answers: Answers,
}

impl ScriptedTool {
    fn new(name: &Str, given: &Value) -> ScriptedTool {
        let Value::Map(members) = given else { panic!("a tool is a map") };
        let text = |name: &str| members.get_keyword(name).and_then(Value::as_str).map(Str::from);
        let answers = match members.get_keyword("answers") {
            Some(Value::Vector(answers)) => Answers::InOrder(answers.iter().cloned().collect()),
            Some(Value::Map(answers)) => {
                Answers::ByArguments(answers.iter().map(|(args, answer)| (shown(args), answer.clone())).collect())
            }
            _ => panic!("a tool has :answers"),
        };
        let signature = text("signature").map(|text| signature::parse(&text).expect("a signature"));
        ScriptedTool { name: name.clone(), signature, description: text("description"), answers }
    }

    fn answer(&mut self, call: &Call) -> Reply {
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
        Reply { id: call.id, result: thrown.map_or(Ok(answer), Err), duration_ms: Some(1.0) }
    }
}

/// An agent under way, with all that the file says of it.
struct Mission {
    options: RenderOptions,
    validation: Validation,
    limits: Limits,
    tools: Vec<ScriptedTool>,
    only_js: bool,
}

impl Mission {
    fn new(given: &str) -> Mission {
        let value = read_value(given).unwrap_or_else(|error| panic!("{error} in {given}"));
        let mut mission = Mission {
            options: RenderOptions { system_prompt: "SYSTEM".into(), strategy: None, ..RenderOptions::default() },
            validation: Validation::Enabled,
            limits: Limits::default(),
            tools: Vec::new(),
            only_js: false,
        };
        let Value::Map(members) = &value else { panic!("a map is given") };
        mission.only_js = members.get_keyword("only").is_some();
        if mission.only_js {
            return mission;
        }
        for (name, value) in named(&value) {
            let options = &mut mission.options;
            match &*name {
                "mission" => options.mission = value.as_str().expect("a text").into(),
                "signature" => options.signature = Some(signature::parse(value.as_str().expect("a text")).unwrap()),
                "field-descriptions" => {
                    let text = |(path, text): &(Str, Value)| (path.clone(), Str::from(text.as_str().expect("a text")));
                    options.field_descriptions = named(&value).iter().map(text).collect();
                }
                "data" => options.data = named(&value),
                "max-turns" => options.max_turns = count(&value),
                "compression" => options.strategy = strategy(&value, options),
                "validation" => mission.validation = Validation::named(value.as_str().expect("a text")).unwrap(),
                "limits" => mission.limits = limits(&value),
                "tools" => {
                    mission.tools = named(&value).iter().map(|(name, tool)| ScriptedTool::new(name, tool)).collect();
                }
                name => panic!("unknown option {name}"),
            }
        }
        let listed = mission.tools.iter().map(|tool| Tool {
            name: tool.name.clone(),
            signature: tool.signature.clone(),
            description: tool.description.clone(),
        });
        mission.options.tools = listed.collect();
        mission
    }

    /// Runs with these replies; gives the messages of each request, and what came of the run.
    fn run(mut self, replies: &[&str]) -> (Vec<Vec<Message>>, String) {
        let tools = self.tools.iter().map(|tool| (tool.name.clone(), tool.signature.clone())).collect();
        let data: Names<Value> = self.options.data.iter().cloned().collect();
        let sandbox = Sandbox::new(data, tools, Names::default(), self.limits.clone());
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

pub fn shown(value: &Value) -> String {
    to_clojure(value, &PrintOptions { filter_hidden: false, ..PrintOptions::default() }).text
}

fn named(value: &Value) -> Vec<(Str, Value)> {
    let names = memory_of(value).expect("a map with names");
    names.iter().map(|(name, value)| (name.clone(), value.clone())).collect()
}

fn count(value: &Value) -> usize {
    match value {
        Value::Int(count) => usize::try_from(*count).expect("a count"),
        _ => panic!("a whole number"),
    }
}

/// On, off, a name, or a name with options.
fn strategy(value: &Value, options: &mut RenderOptions) -> Option<Compression> {
    let (name, given) = match value {
        Value::Bool(on) => return RenderOptions::default().strategy.filter(|_| *on),
        Value::Vector(pair) => (pair.get(0).expect("a name").clone(), named(pair.get(1).expect("options"))),
        name => (name.clone(), Vec::new()),
    };
    let mut strategy = Compression::named(name.as_str().expect("a name")).expect("a known strategy");
    for (name, value) in given {
        match (&mut strategy, &*name) {
            (Compression::RollingWindow { keep }, "keep") => *keep = count(&value),
            (Compression::Aggressive { budget, .. }, "budget") => *budget = count(&value),
            (Compression::Aggressive { counting, .. }, "counter") => *counting = Counting::Host,
            (_, "println-limit") => options.limits.println = count(&value),
            (_, "tool-call-limit") => options.limits.tool_calls = count(&value),
            (_, "tool-results") => options.limits.tool_results = true,
            (_, name) => panic!("unknown option {name}"),
        }
    }
    Some(strategy)
}

fn limits(value: &Value) -> Limits {
    let mut limits = Limits::default();
    for (name, value) in named(value) {
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

/// The file as it should be; None for one that only the package can run.
fn updated(source: &str) -> Option<String> {
    let (head, sections) = sections(source);
    let mission = Mission::new(&sections[0].blocks[0].text);
    if mission.only_js {
        return None;
    }
    let replies = sections.iter().filter(|section| section.heading == "Reply").map(|reply| &*reply.blocks[0].text);
    let (asked, result) = mission.run(&replies.collect::<Vec<_>>());
    let mut file = head;
    let mut turn = 0;
    for section in &sections {
        let block = |info: &str, text: &str| Block { info: info.to_owned(), text: text.to_owned() };
        let blocks: Vec<String> = match section.heading.as_str() {
            "Given" => Vec::new(),
            "Reply" => {
                turn += 1;
                Vec::new()
            }
            "Result" => vec![block("clojure", &result).written(false)],
            heading @ ("Messages" | "Last message") => {
                let messages = asked.get(turn).unwrap_or_else(|| panic!("turn {} was never asked for", turn + 1));
                let first = if heading == "Messages" { 0 } else { messages.len() - 1 };
                let system = section.blocks.iter().any(|block| block.info == "system");
                let shown = messages[first..].iter().filter(|message| system || message.role != Role::System);
                shown.map(|message| block(message.role.name(), &message.text).written(true)).collect()
            }
            heading => panic!("unknown heading {heading}"),
        };
        if blocks.is_empty() {
            file.push_str(&section.source);
        } else {
            file.push_str(&section.with(&blocks));
        }
    }
    file.truncate(file.trim_end().len());
    file.push('\n');
    Some(file)
}

#[test]
fn missions_are_asked_and_end_as_their_files_say() {
    golden::check(&golden::files("conversations/runs"), 25, updated);
}

/// Pieces that replies are made of: fences, tags, programs, and anything.
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
        let tools = [(Str::from("get"), Some(get))].into_iter().collect();
        let limits = Limits { fuel: 100_000, ..Limits::default() };
        let sandbox = Sandbox::new(Names::default(), tools, Names::default(), limits);
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
                    match stop {
                        Some(stop) if stop == batches => run.end("aborted", "given up"),
                        _ => {
                            let answer = |call: &Call| Reply { id: call.id, result: Ok(1.into()), duration_ms: None };
                            run.answer(calls.iter().map(answer).collect())
                        }
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
