//! Conversations: case files with a history and the messages that each strategy renders.
//!
//! `## Given` holds the options as a Clojure map. Each `## Turn` holds a `reply`, its program, or both, and the rest of
//! the turn as a map in a block `clojure turn`. Every other heading names a strategy, or says `true`, `false` or
//! `none`, followed by options: those of the strategy, limits, and `:after` for the number of turns that are over. Its
//! blocks are the messages, and `system`, `stats` and `dropped` where the file has them.

use std::fmt::Write;
use std::rc::Rc;

use turnfold::compression::{Counting, Dropped, Limits, RenderOptions, Rendered, Renderer, Strategy};
use turnfold::costs::Prices;
use turnfold::lisp::{ToolSpec, written_data};
use turnfold::message::Role;
use turnfold::signature;
use turnfold::subagent::system_prompt::{shown_output, system_prompt};
use turnfold::turn::{Memory, ToolCall, Turn, TurnInit, memory_of};
use turnfold::value::{Closure, Str, Value};

use crate::case::{Block, Case, Section, count, items, member, members, text, value};

/// Returns the file with the messages that the library renders.
pub fn updated(source: &str) -> String {
    let mut conversation = Conversation {
        options: RenderOptions { system_prompt: "SYSTEM".into(), ..RenderOptions::default() },
        has_built_in_prompt: false,
        turns: Vec::new(),
        memory: None,
    };
    Case::read(source).updated(|section| {
        match section.heading.as_str() {
            "" => {}
            "Given" => conversation.given(&section.blocks[0].text),
            heading if heading.starts_with("Turn ") => conversation.turn(section),
            _ => return Some(conversation.rendered(section)),
        }
        None
    })
}

struct Conversation {
    options: RenderOptions,
    /// Whether the system prompt is the built-in one.
    has_built_in_prompt: bool,
    turns: Vec<Turn>,
    memory: Option<Memory>,
}

impl Conversation {
    fn given(&mut self, given: &str) {
        for (name, value) in members(&value(given)) {
            match &*name {
                "memory" => self.memory = memory_of(&value),
                "system-prompt" if value == Value::keyword("built-in") => {
                    self.has_built_in_prompt = true;
                }
                "system-prompt" => self.options.system_prompt = text(&value).into(),
                "turns-left" => self.options.turns_left = Some(count(&value)),
                name => assert!(
                    option(&mut self.options, name, &value) || limit(&mut self.options.limits, name, &value),
                    "unknown option {name}"
                ),
            }
        }
    }

    fn turn(&mut self, section: &Section) {
        let mut init = TurnInit { number: self.turns.len() as u32 + 1, ..TurnInit::default() };
        let mut returns = Vec::new();
        for block in &section.blocks {
            let given = match block.info.as_str() {
                "clojure" => {
                    init.program = Some(block.text.as_str().into());
                    continue;
                }
                "reply" => {
                    init.raw_response = block.text.as_str().into();
                    continue;
                }
                "clojure turn" => value(&block.text),
                info => panic!("unknown block {info} of a turn"),
            };
            for (name, value) in members(&given) {
                match &*name {
                    "result" | "error" => init.result = value,
                    "prints" => init.prints = texts(&value),
                    "calls" => init.tool_calls = items(&value).iter().map(call).collect(),
                    "memory" => init.memory = memory_of(&value),
                    "returns" => returns = members(&value),
                    "docs" => {
                        init.docs =
                            members(&value).iter().map(|(name, doc)| (name.clone(), text(doc).into())).collect();
                    }
                    "defined" => init.defined = Some(texts(&value)),
                    name => panic!("unknown member {name} of a turn"),
                }
            }
        }
        if !returns.is_empty() {
            init.memory = init.memory.map(|memory| with_return_types(&memory, &returns));
        }
        let failed = section.heading.ends_with("failed");
        self.turns.push(if failed { Turn::failure(init) } else { Turn::success(init) });
    }

    /// The renderer for a heading like `rolling-window {:keep 1}`.
    fn renderer(&self, heading: &str) -> Renderer {
        let (name, given) = heading.split_once(' ').unwrap_or((heading, "{}"));
        let mut options = self.options.clone();
        let mut turns = self.turns.as_slice();
        let mut strategy = match name {
            "true" => RenderOptions::default().strategy,
            "false" | "none" => None,
            name => Some(Strategy::named(name).unwrap_or_else(|| panic!("unknown strategy {name}"))),
        };
        for (name, value) in members(&value(given)) {
            match &*name {
                "after" => turns = &turns[..count(&value)],
                name => strategy_option(&mut strategy, &mut options.limits, name, &value),
            }
        }
        if self.has_built_in_prompt {
            let shown = shown_output(strategy.as_ref(), &options.limits);
            options.system_prompt = system_prompt(RenderOptions::MAX_TURNS, &shown).into();
        }
        options.strategy = strategy;
        Renderer::new(options, turns.iter().cloned())
    }

    /// Renders the history into the blocks that the section has.
    fn rendered(&self, section: &Section) -> Vec<Block> {
        let mut renderer = self.renderer(&section.heading);
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
        let shown = rendered.messages.iter().filter(|message| message.role != Role::System || section.has("system"));
        let mut blocks: Vec<Block> =
            shown.map(|message| Block::new(message.role.name(), message.text.as_str())).collect();
        if section.has("stats") {
            blocks.push(Block::new("stats", stats(&rendered)));
        }
        if section.has("dropped") {
            blocks.push(Block::new("dropped", dropped_lines(&dropped)));
        }
        blocks
    }
}

/// Sets an option that a conversation and an agent share; returns false for an unknown name.
pub fn option(options: &mut RenderOptions, name: &str, value: &Value) -> bool {
    match name {
        "mission" => options.mission = text(value).into(),
        "tool-budget" => options.tool_budget = Some(count(value)),
        "tools" => options.tools = members(value).iter().map(|(name, tool)| tool_of(name, tool)).collect(),
        "data" => {
            let given = members(value);
            let data = written_data(given.iter().map(|(name, value)| (name, value))).expect("names of data");
            options.data = data.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        }
        "signature" => options.signature = Some(signature::parse(text(value)).expect("a signature")),
        "field-descriptions" => options.field_descriptions = described(value),
        "max-turns" => options.max_turns = count(value),
        _ => return false,
    }
    true
}

/// Sets an option that follows the name of a strategy.
pub fn strategy_option(strategy: &mut Option<Strategy>, limits: &mut Limits, name: &str, value: &Value) {
    match (strategy, name) {
        (Some(Strategy::RollingWindow { keep }), "keep") => *keep = count(value),
        (Some(Strategy::Aggressive { budget, .. }), "budget") => *budget = count(value),
        // An easily checked counter: one token for every character.
        (Some(Strategy::Aggressive { counting, .. }), "counter") => *counting = Counting::Host,
        (Some(Strategy::Journal(journal)), "keep") => journal.keep = count(value),
        (Some(Strategy::Journal(journal)), "budget") => journal.budget = Some(count(value)),
        (Some(Strategy::Journal(journal)), "counter") => journal.counting = Counting::Host,
        (Some(Strategy::Journal(journal)), "prices") => {
            journal.prices = Prices::named(text(value)).expect("the name of a mechanism");
        }
        (_, name) => assert!(limit(limits, name, value), "unknown option {name}"),
    }
}

fn texts(value: &Value) -> Vec<Str> {
    items(value).iter().map(|item| text(item).into()).collect()
}

/// Adds to functions the types that they returned, which Clojure text can't express.
fn with_return_types(memory: &Memory, returns: &[(Str, Value)]) -> Memory {
    let typed = |(name, value): (&Str, &Value)| {
        let label = returns.iter().find(|(of, _)| of == name).map(|(_, label)| text(label));
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

fn limit(limits: &mut Limits, name: &str, value: &Value) -> bool {
    match name {
        "println-limit" => limits.println = count(value),
        "tool-call-limit" => limits.tool_calls = count(value),
        "sample-limit" => limits.sample = count(value),
        "sample-names" => limits.sample_names = count(value),
        "sample-printable-limit" => limits.sample_printable = count(value),
        "print-length" => limits.print_length = count(value),
        "tool-results" => limits.tool_results = *value == Value::Bool(true),
        "arrival" => limits.lossless = value.as_str() == Some("lossless"),
        _ => return false,
    }
    true
}

fn described(value: &Value) -> Vec<(Str, Str)> {
    members(value).iter().map(|(path, of)| (path.clone(), text(of).into())).collect()
}

fn tool_of(name: &Str, tool: &Value) -> (Str, Rc<ToolSpec>) {
    let member = |member: &str| match tool {
        Value::Map(members) => members.get_keyword(member).and_then(Value::as_str).map(Str::from),
        Value::Str(signature) if member == "signature" => Some(signature.clone()),
        _ => None,
    };
    let spec = ToolSpec {
        signature: member("signature").map(|text| signature::parse(&text).expect("a signature")),
        description: member("description"),
        field_descriptions: match tool {
            Value::Map(tool) => tool.get_keyword("fieldDescriptions").map(described).unwrap_or_default(),
            _ => Vec::new(),
        },
        is_checked_by_host: false,
    };
    (name.clone(), Rc::new(spec))
}

fn call(given: &Value) -> ToolCall {
    let member = |name: &str| member(given, name).cloned().unwrap_or_default();
    ToolCall {
        name: text(&member("name")).into(),
        args: member("args"),
        result: member("result"),
        error: member("error").as_str().map(Str::from),
        duration_ms: None,
        step: None,
    }
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

/// Checks that sections tile every message: no gap, no overlap, up to the end.
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

/// Checks that the statistics agree with the list of dropped items.
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
