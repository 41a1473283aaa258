//! A conversation file: a scripted history, and the messages that every strategy must make of it.
//!
//! The file is Markdown. `## Given` holds one block of Clojure text, the options. Each `## Turn`
//! holds a `reply`, its program, or both, and a map with the rest of the turn. Every other heading
//! of the second level names a strategy, or says `true`, `false` or `none`, with options behind it:
//! those of the strategy, limits, and `:after` for the number of turns that are over. Below it
//! stand the messages, one fenced block each, and blocks `system`, `stats` and `dropped` where the
//! file cares about them.

use std::fmt::Write;
use std::rc::Rc;

use turnfold::compression::{Counting, Dropped, Limits, RenderOptions, Rendered, Renderer, Strategy, Tool};
use turnfold::lisp::read_value;
use turnfold::message::Role;
use turnfold::signature;
use turnfold::subagent::system_prompt::system_prompt;
use turnfold::turn::{Memory, ToolCall, Turn, TurnInit, memory_of};
use turnfold::value::{Closure, Str, Value};

/// A conversation file, read.
pub struct Conversation {
    /// The lines before the first strategy, as they are.
    head: String,
    options: RenderOptions,
    turns: Vec<Turn>,
    memory: Option<Memory>,
    pub expectations: Vec<Expectation>,
}

/// What a strategy must make of the history.
pub struct Expectation {
    heading: String,
    prose: String,
    blocks: Vec<Block>,
}

/// A fenced block.
#[derive(Clone)]
pub struct Block {
    pub info: String,
    pub text: String,
}

impl Block {
    /// The block in a fence that nothing in it closes; `wide` ones have four backticks at least.
    pub fn written(&self, wide: bool) -> String {
        let ticks = self.text.split(|c| c != '`').map(str::len).max().unwrap_or(0).max(2 + usize::from(wide)) + 1;
        let fence = "`".repeat(ticks);
        format!("{fence}{}\n{}\n{fence}", self.info, self.text)
    }
}

/// What a file is made of.
pub enum Piece {
    Heading(String),
    Block(Block),
    Line(String),
}

/// A file taken apart.
pub fn pieces(source: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut lines = source.lines();
    while let Some(line) = lines.next() {
        let ticks = line.len() - line.trim_start_matches('`').len();
        if ticks >= 3 {
            let fence = &line[..ticks];
            let content: Vec<&str> = lines.by_ref().take_while(|line| *line != fence).collect();
            pieces.push(Piece::Block(Block { info: line[ticks..].to_owned(), text: content.join("\n") }));
        } else if let Some(heading) = line.strip_prefix("## ") {
            pieces.push(Piece::Heading(heading.to_owned()));
        } else {
            pieces.push(Piece::Line(line.to_owned()));
        }
    }
    pieces
}

impl Conversation {
    pub fn read(source: &str) -> Conversation {
        let mut conversation = Conversation {
            head: String::new(),
            options: RenderOptions { system_prompt: "SYSTEM".into(), ..RenderOptions::default() },
            turns: Vec::new(),
            memory: None,
            expectations: Vec::new(),
        };
        let mut heading = String::new();
        let mut said = Vec::new();
        for piece in pieces(source) {
            match piece {
                Piece::Heading(text) => {
                    heading = text;
                    if heading != "Given" && !heading.starts_with("Turn ") {
                        let (heading, prose, blocks) = (heading.clone(), String::new(), Vec::new());
                        conversation.expectations.push(Expectation { heading, prose, blocks });
                    }
                }
                Piece::Block(block) => match conversation.expectations.last_mut() {
                    Some(expectation) => expectation.blocks.push(block),
                    None if heading == "Given" => conversation.given(&block.text),
                    None if block.info == "clojure turn" => {
                        conversation.turn(&heading, std::mem::take(&mut said), &block.text);
                    }
                    None => said.push(block),
                },
                Piece::Line(line) => {
                    if let Some(expectation) = conversation.expectations.last_mut() {
                        expectation.prose.push_str(&line);
                        expectation.prose.push('\n');
                    }
                }
            }
        }
        let end = source.find(&format!("\n## {}", conversation.expectations[0].heading)).expect("a strategy");
        conversation.head = source[..=end].to_owned();
        conversation
    }

    fn given(&mut self, text: &str) {
        let given = fields(text);
        let options = &mut self.options;
        for (name, value) in &given {
            match name.as_str() {
                "mission" => options.mission = value.as_str().expect("a text").into(),
                "system-prompt" if *value == Value::keyword("built-in") => {
                    options.system_prompt = system_prompt(RenderOptions::MAX_TURNS).into()
                }
                "system-prompt" => options.system_prompt = value.as_str().expect("a text").into(),
                "tools" => options.tools = named(value).iter().map(|(name, tool)| tool_of(name, tool)).collect(),
                "data" => options.data = named(value),
                "signature" => {
                    options.signature = Some(signature::parse(value.as_str().expect("a text")).expect("a signature"))
                }
                "field-descriptions" => {
                    let text = |(path, text): &(Str, Value)| (path.clone(), Str::from(text.as_str().expect("a text")));
                    options.field_descriptions = named(value).iter().map(text).collect();
                }
                "max-turns" => options.max_turns = count(value),
                "turns-left" => options.turns_left = Some(count(value)),
                "memory" => self.memory = memory_of(value),
                name => assert!(limit(&mut options.limits, name, value), "unknown option {name}"),
            }
        }
    }

    fn turn(&mut self, heading: &str, said: Vec<Block>, text: &str) {
        let given = fields(text);
        let texts = |value: &Value| match value {
            Value::Vector(items) => items.iter().map(|item| Str::from(item.as_str().expect("a text"))).collect(),
            _ => panic!("a list of texts"),
        };
        let mut init = TurnInit { number: self.turns.len() as u32 + 1, ..TurnInit::default() };
        for Block { info, text } in said {
            match info.as_str() {
                "clojure" => init.program = Some(text.into()),
                "reply" => init.raw_response = text.into(),
                info => panic!("unknown block {info} of a turn"),
            }
        }
        for (name, value) in &given {
            match name.as_str() {
                "result" => init.result = value.clone(),
                "error" => init.result = value.clone(),
                "prints" => init.prints = texts(value),
                "calls" => init.tool_calls = calls(value),
                "memory" => init.memory = memory_of(value),
                "returns" => {}
                "docs" => {
                    init.docs = named(value)
                        .iter()
                        .map(|(name, doc)| (name.clone(), doc.as_str().expect("a text").into()))
                        .collect()
                }
                "defined" => init.defined = Some(texts(value)),
                name => panic!("unknown member {name} of a turn"),
            }
        }
        for (_, returns) in given.iter().filter(|(name, _)| name == "returns") {
            init.memory = init.memory.map(|memory| with_return_types(&memory, &named(returns)));
        }
        self.turns.push(if heading.ends_with("failed") { Turn::failure(init) } else { Turn::success(init) });
    }

    /// The renderer and the memory for a heading like `rolling-window {:keep 1}`.
    fn renderer(&self, heading: &str) -> Renderer {
        let (name, strategy_options) = heading.split_once(' ').unwrap_or((heading, "{}"));
        let mut options = self.options.clone();
        let mut turns = self.turns.as_slice();
        let mut strategy = match name {
            "true" => RenderOptions::default().strategy,
            "false" | "none" => None,
            name => Some(Strategy::named(name).unwrap_or_else(|| panic!("unknown strategy {name}"))),
        };
        for (name, value) in fields(strategy_options) {
            match (&mut strategy, name.as_str()) {
                (_, "after") => turns = &turns[..count(&value)],
                (Some(Strategy::RollingWindow { keep }), "keep") => *keep = count(&value),
                (Some(Strategy::Aggressive { budget, .. }), "budget") => *budget = count(&value),
                // A counter that is easy to follow: a token for every character.
                (Some(Strategy::Aggressive { counting, .. }), "counter") => *counting = Counting::Host,
                (_, name) => assert!(limit(&mut options.limits, name, &value), "unknown option {name}"),
            }
        }
        options.strategy = strategy;
        Renderer::new(options, turns.iter().cloned())
    }

    /// What the library makes of the history, in the blocks that the expectation has.
    fn actual(&self, expectation: &Expectation) -> Vec<Block> {
        let mut renderer = self.renderer(&expectation.heading);
        let rendered = loop {
            match renderer.render(self.memory.clone()) {
                Ok(rendered) => break rendered,
                Err(missing) => renderer.supply_counts(missing.0.iter().map(|text| text.chars().count())),
            }
        };
        check_sections(&rendered);
        let again = renderer.render(self.memory.clone()).expect("counts are there");
        assert_eq!(again.messages, rendered.messages, "rendering again gives the same bytes");
        let dropped = renderer.dropped(self.memory.clone()).expect("counts are there");
        check_stats(&rendered, &dropped);
        let has = |info: &str| expectation.blocks.iter().any(|block| block.info == info);
        let mut blocks: Vec<Block> = rendered
            .messages
            .iter()
            .filter(|message| message.role != Role::System || has("system"))
            .map(|message| Block { info: message.role.name().to_owned(), text: message.text.clone() })
            .collect();
        if has("stats") {
            blocks.push(Block { info: "stats".into(), text: stats(&rendered) });
        }
        if has("dropped") {
            blocks.push(Block { info: "dropped".into(), text: dropped_lines(&dropped) });
        }
        blocks
    }

    /// The file as it should be: what is expected replaced by what the library makes.
    pub fn updated(&self) -> String {
        let mut file = self.head.clone();
        for expectation in &self.expectations {
            let _ = write!(file, "## {}\n\n", expectation.heading);
            let prose = expectation.prose.trim();
            if !prose.is_empty() {
                let _ = write!(file, "{prose}\n\n");
            }
            for block in self.actual(expectation) {
                let _ = write!(file, "{}\n\n", block.written(true));
            }
        }
        file.truncate(file.trim_end().len());
        file.push('\n');
        file
    }
}

fn fields(text: &str) -> Vec<(String, Value)> {
    let value = read_value(text).unwrap_or_else(|error| panic!("{error} in {text}"));
    named(&value).into_iter().map(|(name, value)| (name.to_string(), value)).collect()
}

fn named(value: &Value) -> Vec<(Str, Value)> {
    let names = memory_of(value).expect("a map with names");
    names.iter().map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// Functions with the types of what they returned, which Clojure text has no place for.
fn with_return_types(memory: &Memory, returns: &[(Str, Value)]) -> Memory {
    let typed = |(name, value): (&Str, &Value)| {
        let label = returns.iter().find(|(of, _)| of == name).map(|(_, label)| label.as_str().expect("a text"));
        let value = match (value, label) {
            (Value::Closure(closure), Some(label)) => {
                Value::Closure(Rc::new(Closure { return_type: Some(label.into()), ..(**closure).clone() }))
            }
            (value, _) => value.clone(),
        };
        (name.clone(), value)
    };
    Rc::new(memory.iter().map(typed).collect())
}

fn count(value: &Value) -> usize {
    match value {
        Value::Int(count) => usize::try_from(*count).expect("a count"),
        _ => panic!("a whole number"),
    }
}

fn limit(limits: &mut Limits, name: &str, value: &Value) -> bool {
    match name {
        "println-limit" => limits.println = count(value),
        "tool-call-limit" => limits.tool_calls = count(value),
        "sample-limit" => limits.sample = count(value),
        "sample-printable-limit" => limits.sample_printable = count(value),
        "print-length" => limits.print_length = count(value),
        "tool-results" => limits.tool_results = *value == Value::Bool(true),
        _ => return false,
    }
    true
}

fn tool_of(name: &Str, tool: &Value) -> Tool {
    let member = |member: &str| match tool {
        Value::Map(members) => members.get_keyword(member).and_then(Value::as_str).map(Str::from),
        Value::Str(signature) if member == "signature" => Some(signature.clone()),
        _ => None,
    };
    Tool {
        name: name.clone(),
        signature: member("signature").map(|text| signature::parse(&text).expect("a signature")),
        description: member("description"),
    }
}

fn calls(value: &Value) -> Vec<ToolCall> {
    let Value::Vector(calls) = value else { panic!("a list of calls") };
    let call = |call: &Value| {
        let Value::Map(members) = call else { panic!("a map") };
        let member = |name: &str| members.get_keyword(name).cloned().unwrap_or_default();
        ToolCall {
            name: member("name").as_str().expect("a name").into(),
            args: member("args"),
            result: member("result"),
            error: member("error").as_str().map(Str::from),
            duration_ms: None,
            step: None,
        }
    };
    calls.iter().map(call).collect()
}

fn stats(rendered: &Rendered) -> String {
    let stats = &rendered.stats;
    let mut text = format!(
        "turns compressed: {}\ntool calls: {} of {}\nprints: {} of {}\nerrors collapsed: {}",
        stats.turns_compressed,
        stats.tool_calls_shown,
        stats.tool_calls_total,
        stats.prints_shown,
        stats.prints_total,
        stats.errors_collapsed
    );
    if let Some(budget) = &rendered.budget {
        let fits = if budget.fits() { "fits" } else { "does not fit" };
        let _ = write!(text, "\nbudget: {} of {}, {fits}", budget.used, budget.limit);
    }
    text
}

fn dropped_lines(dropped: &[Dropped]) -> String {
    let line = |gone: &Dropped| {
        let turn = gone.turn.map_or("-".to_owned(), |turn| (turn + 1).to_string());
        format!("{turn} {} {}: {}", gone.kind.name(), gone.reason, gone.text.replace('\n', "⏎"))
    };
    dropped.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Sections tile every message: no gap, no overlap, to the end.
pub fn check_sections(rendered: &Rendered) {
    for message in rendered.messages.iter() {
        let mut end = 0;
        for section in &message.sections {
            assert_eq!(section.start, end, "sections of {:?}", message.text);
            assert!(section.end > section.start);
            end = section.end;
        }
        assert_eq!(end, message.text.encode_utf16().count(), "sections of {:?}", message.text);
    }
}

/// The statistics and the account of what was dropped say the same.
pub fn check_stats(rendered: &Rendered, dropped: &[Dropped]) {
    use turnfold::compression::{DroppedKind, reason};
    let gone = |kind, cut: bool| {
        dropped.iter().filter(|gone| gone.kind == kind && (gone.reason == reason::PRINT_LENGTH) == cut).count()
    };
    let stats = &rendered.stats;
    assert_eq!(stats.prints_total - stats.prints_shown, gone(DroppedKind::Print, false), "{stats:?} {dropped:?}");
    assert_eq!(stats.tool_calls_total - stats.tool_calls_shown, gone(DroppedKind::ToolCall, false));
    assert_eq!(stats.errors_collapsed, gone(DroppedKind::Error, false));
}
