//! Chats: case files with a conversation and the result of managing its history.
//!
//! `## Conversation` holds the messages in a block `chat`, a line each: the role, flags, a colon, the text, calls.
//! Flags are `pinned`, `@90` for minute 90 since 1970 and `@+2` for two minutes after the previous message, `name=…`,
//! `summary=12/wholeHistory`, `parts` when the text is the parts as a Clojure value, `tool#id` for a message that answers
//! a call, and `error` or `denied` for its outcome. Calls follow the text, as ` -> tool#id {"json":1}`. A line break is written `⏎`. Lines that are
//! indented below `25 times` come 25 times, with the number for `{n}`.
//!
//! `## Request` holds the request in the same way; `tools` and `schema` are blocks of JSON, a tool a line. Each
//! `## Parameters` manages the conversation of the file; each `## Again` manages the result of the section before, with
//! the messages of its `chat` block added and, unless it has its own, with the same parameters. Below them are the
//! plan, the summaries that a model gives, and the result or the error; `request` blocks, where there are any, hold the
//! transcripts. The last summary answers all requests that follow, with the number of its request for `{n}`. Messages
//! are numbered from 0.

use std::fmt::Write;
use std::rc::Rc;

use turnfold::chat::{
    Applied, ChatError, ChatMessage, Clearing, Concept, Conversation, Counts, Digest, Entry, Exchange, Fate,
    HistoryOutcome, HistoryStrategy, HostGroup, HostPlan, MessageFate, OnOverflow, Parameters, Part, Planned, Provider,
    ResultOutcome, Settled, Stop, Thresholds, TokenChange, ToolNames, When, apply, plan,
};
use turnfold::costs::Prices;
use turnfold::value::{Str, Value};

use crate::case::{Block, Case, Section, count, items, member, members, shown, value};

/// A message with the line that describes it.
#[derive(Clone)]
struct Line {
    source: String,
    message: Rc<ChatMessage>,
}

/// A request to manage history. Tokens are counted by the estimate, or by a host that counts a token for each
/// character.
pub struct ManageRequest {
    pub parameters: Parameters,
    pub counts_characters: bool,
    pub answers: Vec<Option<HostPlan>>,
}

/// Returns the file with the library's actual plans and results.
pub fn updated(source: &str) -> String {
    let (mut conversation, mut now) = (Vec::new(), Vec::new());
    let mut exchange = Exchange::default();
    let mut given = String::new();
    Case::read(source).updated(|section| {
        let heading = section.heading.as_str();
        match heading {
            "" => return None,
            "Conversation" => {
                conversation = section.texts("chat").flat_map(|text| lines(text, None)).collect();
                return None;
            }
            "Request" => {
                read_request(section, &mut exchange);
                return None;
            }
            _ if heading.starts_with("Parameters") => now.clone_from(&conversation),
            _ => assert!(heading.starts_with("Again"), "unknown heading {heading}"),
        }
        for text in section.texts("chat") {
            now.extend(lines(text, now.last().and_then(|line: &Line| line.message.at)));
        }
        if let Some(text) = section.texts("clojure").next() {
            text.clone_into(&mut given);
        }
        let summaries: Vec<_> = section.texts("summary").map(str::to_owned).collect();
        let made = manage(&mut now, &exchange, &given, &summaries, section.has("request"));
        let (plan, result) = made.split_at(made.len() - 1);
        let own = |info: &'static str| section.blocks.iter().filter(move |block| block.info == info);
        let author = own("chat").chain(own("clojure"));
        Some(author.chain(plan).chain(own("summary")).chain(result).cloned().collect())
    })
}

fn read_request(section: &Section, exchange: &mut Exchange) {
    for block in &section.blocks {
        match block.info.as_str() {
            "chat" => {
                exchange.messages = Some(lines(&block.text, None).into_iter().map(|line| line.message).collect());
            }
            "tools" => exchange.tools = block.text.lines().map(Str::from).collect(),
            "schema" => exchange.schema = Some(block.text.as_str().into()),
            info => panic!("unknown block {info} of a request"),
        }
    }
}

/// A limit with its thresholds, written as a number or as `{:limit 50 :trigger 40 :target 0.5}`.
fn limit(value: &Value) -> (usize, Thresholds) {
    match value {
        Value::Map(_) => {
            let size = |name: &str| match member(value, name) {
                Some(Value::Float(size)) => Some(*size),
                Some(Value::Int(size)) => Some(*size as f64),
                _ => None,
            };
            let thresholds = Thresholds { trigger: size("trigger").unwrap_or(1.0), target: size("target") };
            (count(member(value, "limit").expect("a limit")), thresholds)
        }
        _ => (count(value), Thresholds::default()),
    }
}

/// Manages the conversation `now` and replaces it with the new one. Returns the blocks of the plan and the result.
fn manage(
    now: &mut Vec<Line>,
    exchange: &Exchange,
    given: &str,
    summaries: &[String],
    with_requests: bool,
) -> Vec<Block> {
    let block = |info: &str, text: String| Block::new(info, text.trim_end());
    let mut request = ManageRequest::read(given);
    let conversation = Conversation { messages: now.iter().map(|line| line.message.clone()).collect() };
    let mut counts = request.counts();
    let Planned { plan, applied } = match request.plan(&conversation, exchange, &mut counts) {
        Ok(planned) => planned,
        Err(error) => return vec![block("error", error_text(&error))],
    };
    let fates = applied.as_ref().map_or_else(|| plan.fates(), |applied| applied.fates.clone());
    let mut blocks = vec![block("plan", plan_text(&plan, applied.as_ref(), &fates))];
    let requests = plan.groups.iter().flat_map(|group| &group.requests);
    if with_requests {
        blocks.extend(requests.clone().map(|request| block("request", request.transcript.clone())));
    }
    let number = requests.count();
    let text = |place: usize| -> Str {
        let text = summaries.get(place).or(summaries.last()).unwrap_or_else(|| panic!("no summary for {given}"));
        text.replace("{n}", &place.to_string()).into()
    };
    let texts: Vec<Option<Str>> = (0..number).map(|place| Some(text(place))).collect();
    let applied = match applied {
        Some(applied) => applied,
        None => match counted(&mut counts, |counts| apply(&plan, &texts, counts)) {
            Ok(applied) => applied,
            Err(error) => {
                blocks.push(block("error", error_text(&error)));
                return blocks;
            }
        },
    };
    check_applied(&conversation, &applied);
    blocks.push(block("result", result_text(now, &applied, &fates)));
    let messages = applied.entries.iter().zip(&applied.conversation.messages);
    let line = |(entry, message): (&Entry, &Rc<ChatMessage>)| match entry {
        Entry::Kept(index) => now[*index].clone(),
        _ => Line { source: notation(message), message: message.clone() },
    };
    *now = messages.map(line).collect();
    blocks
}

/// Checks that every message has one fate, and that those that stay are in their order.
#[track_caller]
pub fn check_applied(before: &Conversation, applied: &Applied) {
    assert_eq!(applied.fates.len(), before.messages.len());
    assert_eq!(applied.entries.len(), applied.conversation.messages.len());
    let mut left = Vec::new();
    for (entry, message) in applied.entries.iter().zip(&applied.conversation.messages) {
        match entry {
            Entry::Kept(index) => {
                assert!(Rc::ptr_eq(&before.messages[*index], message), "message {index} is another one");
                left.push((*index, Fate::Kept));
            }
            Entry::Stubbed(index, _) => left.push((*index, Fate::Stubbed)),
            Entry::Summary(summary) => assert!(Rc::ptr_eq(summary, message)),
        }
    }
    let fates = applied.fates.iter().enumerate().map(|(index, fate)| (index, fate.fate));
    let stay = fates.filter(|(_, fate)| matches!(fate, Fate::Kept | Fate::Stubbed)).collect::<Vec<_>>();
    assert_eq!(left, stay, "the messages that are left are those that stay");
    let summarised: usize = applied
        .fates
        .iter()
        .zip(&before.messages)
        .filter(|(fate, _)| fate.fate == Fate::Summarized)
        .map(|(_, message)| message.summary.as_ref().map_or(1, |summary| summary.covers))
        .sum();
    let covered: usize = applied
        .entries
        .iter()
        .map(|entry| match entry {
            Entry::Summary(message) => message.summary.as_ref().expect("it is a summary").covers,
            _ => 0,
        })
        .sum();
    assert_eq!(covered, summarised, "summaries cover what was summarised");
}

/// Repeats `act`, adding the host's counts, until no count is missing.
pub fn counted<T>(counts: &mut Counts, mut act: impl FnMut(&mut Counts) -> Result<T, Stop>) -> Result<T, ChatError> {
    loop {
        match act(counts) {
            Ok(done) => return Ok(done),
            Err(Stop::Failed(error)) => return Err(error),
            Err(Stop::Count(texts)) => {
                for text in texts {
                    let count = text.chars().count();
                    counts.supply(text, count);
                }
            }
            Err(Stop::AskHost(_)) => panic!("nobody asked for a strategy of the host's"),
        }
    }
}

impl ManageRequest {
    pub fn counts(&self) -> Counts {
        let number = if self.counts_characters { 2 } else { 1 };
        Counts::new(self.parameters.provider, number, self.counts_characters)
    }

    pub fn plan(
        &mut self,
        conversation: &Conversation,
        exchange: &Exchange,
        counts: &mut Counts,
    ) -> Result<Planned, ChatError> {
        self.plan_after(&mut Settled::default(), conversation, exchange, counts)
    }

    /// Plans what earlier requests have not settled.
    pub fn plan_after(
        &mut self,
        settled: &mut Settled,
        conversation: &Conversation,
        exchange: &Exchange,
        counts: &mut Counts,
    ) -> Result<Planned, ChatError> {
        loop {
            match plan(conversation, exchange, &self.parameters, settled, counts) {
                Err(Stop::AskHost(question)) => {
                    let answer = self.answers[question.strategy].clone().expect("what the host's strategy says");
                    let HistoryStrategy::Host { plan, .. } = &mut self.parameters.strategies[question.strategy] else {
                        panic!("a strategy of the host's")
                    };
                    *plan = Some(answer);
                }
                Err(Stop::Count(texts)) => {
                    for text in texts {
                        let count = text.chars().count();
                        counts.supply(text, count);
                    }
                }
                Err(Stop::Failed(error)) => return Err(error),
                Ok(planned) => return Ok(planned),
            }
        }
    }

    fn read(given: &str) -> ManageRequest {
        let mut request =
            ManageRequest { parameters: Parameters::default(), counts_characters: false, answers: Vec::new() };
        let parameters = &mut request.parameters;
        for (name, value) in members(&value(given)) {
            let text = || value.as_str().expect("a text").into();
            match &*name {
                "strategies" => {
                    for strategy in items(&value) {
                        let (strategy, answer) = strategy_of(strategy);
                        parameters.strategies.push(strategy);
                        request.answers.push(answer);
                    }
                }
                "when" if value.as_str() == Some("always") => parameters.when = Some(When::Always),
                "when" if value.as_str() == Some("worthIt") => {
                    parameters.when = Some(When::WorthIt);
                }
                "prices" => {
                    parameters.prices = Prices::named(value.as_str().unwrap()).expect("the name of a mechanism");
                }
                "when" => parameters.when = Some(When::OverLimit),
                "minMessages" => parameters.min_messages = count(&value),
                "keepAtLeast" => parameters.keep_at_least = count(&value),
                "maxTokens" => {
                    let (max, thresholds) = limit(&value);
                    (parameters.max_tokens, parameters.token_thresholds) = (Some(max), thresholds);
                }
                "onOverflow" => {
                    parameters.on_overflow = match value.as_str().unwrap() {
                        "send" => OnOverflow::Send,
                        "truncateResults" => OnOverflow::TruncateResults,
                        other => panic!("unknown onOverflow {other}"),
                    }
                }
                "startWith" => parameters.starts_with_user = value.as_str() != Some("any"),
                "reserveTokens" => parameters.reserve_tokens = count(&value),
                "maxHistorySize" => {
                    let (max, thresholds) = limit(&value);
                    (parameters.max_history_size, parameters.message_thresholds) = (Some(max), thresholds);
                }
                "provider" if value.as_str() == Some("openai") => parameters.provider = Provider::OpenAi,
                "provider" if value.as_str() == Some("anthropic") => parameters.provider = Provider::Anthropic,
                "summaryPrompt" => parameters.summary_prompt = Some(text()),
                "summaryRole" => parameters.summary_role = text(),
                "summaryMaxTokens" => parameters.summary_max_tokens = Some(count(&value)),
                "summaryNames" => parameters.summary_names = count(&value),
                "counter" => request.counts_characters = true,
                name => panic!("unknown parameter {name}"),
            }
        }
        request
    }
}

/// `["lastNMessages" 10]`
fn strategy_of(given: &Value) -> (HistoryStrategy, Option<HostPlan>) {
    let [name, options @ ..] = items(given) else { panic!("a strategy") };
    let number = || count(&options[0]);
    let strategy = match name.as_str().expect("a strategy's name") {
        "wholeHistory" => HistoryStrategy::WholeHistory,
        "lastNMessages" => HistoryStrategy::LastMessages(number()),
        "chunked" => HistoryStrategy::Chunked(number()),
        "fromTimestamp" => HistoryStrategy::FromTimestamp(number() as i64 * MINUTE),
        "wholeHistoryMultipleSystemMessages" => HistoryStrategy::PerSystemMessage,
        "retrieveFacts" => HistoryStrategy::RetrieveFacts(items(&options[0]).iter().map(concept).collect()),
        "clearToolResults" => HistoryStrategy::ClearToolResults(Clearing {
            keep: number(),
            at_least: 0,
            names: options.get(1).map_or(0, count),
            exclude: options.get(2).map(tools).unwrap_or_default(),
            inputs: match options.get(3) {
                Some(Value::Bool(true)) => ToolNames::All,
                names => names.map(|names| ToolNames::Only(tools(names))).unwrap_or_default(),
            },
        }),
        "digest" => HistoryStrategy::Digest(Digest {
            keep: number(),
            names: options.get(1).map_or(0, count),
            head: options.get(2).map_or(80, count),
            at_least: options.get(3).map_or(0, count),
            has_handles: options.len() > 4,
        }),
        name => return (HistoryStrategy::Host { name: name.into(), plan: None }, Some(host_plan(&options[0]))),
    };
    (strategy, None)
}

fn tools(names: &Value) -> Vec<Str> {
    items(names).iter().map(|name| name.as_str().expect("a text").into()).collect()
}

fn concept(given: &Value) -> Concept {
    let mut concept = Concept { name: "".into(), description: "".into() };
    for (name, value) in members(given) {
        let text = value.as_str().expect("a text").into();
        if &*name == "name" { concept.name = text } else { concept.description = text }
    }
    concept
}

fn host_plan(given: &Value) -> HostPlan {
    let mut plan = HostPlan::default();
    let indexes = |value: &Value| items(value).iter().map(count).collect::<Vec<_>>();
    for (name, value) in members(given) {
        match &*name {
            "keep" => plan.keep = indexes(&value),
            "drop" => plan.drop = indexes(&value),
            _ => {
                for group in items(&value) {
                    let mut made = HostGroup::default();
                    for (name, value) in members(group) {
                        match &*name {
                            "covers" => made.covers = indexes(&value),
                            _ => made.prompt = Some(value.as_str().expect("a text").into()),
                        }
                    }
                    plan.summarize.push(made);
                }
            }
        }
    }
    plan
}

const MINUTE: i64 = 60_000;

fn lines(text: &str, mut now: Option<i64>) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut sources = text.lines().peekable();
    while let Some(source) = sources.next() {
        let Some(times) = source.strip_suffix(" times").and_then(|times| times.parse::<usize>().ok()) else {
            lines.push(line(source.into(), &mut now));
            continue;
        };
        let mut repeated = Vec::new();
        while let Some(source) = sources.next_if(|source| source.starts_with("  ")) {
            repeated.push(&source[2..]);
        }
        for n in 1..=times {
            for source in &repeated {
                lines.push(line(source.replace("{n}", &n.to_string()), &mut now));
            }
        }
    }
    lines
}

fn line(source: String, now: &mut Option<i64>) -> Line {
    let (flags, said) = source.split_once(':').unwrap_or_else(|| panic!("no colon in {source}"));
    let mut words = flags.split(' ');
    let role = words.next().expect("a role");
    let mut members: Vec<(&str, Value)> = vec![("role", Value::str(role))];
    let mut is_parts = false;
    for flag in words {
        let text = |flag: &str| Value::str(flag);
        if flag == "pinned" {
            members.push(("pinned", Value::Bool(true)));
        } else if flag == "error" || flag == "denied" {
            members.push((if flag == "error" { "isError" } else { "isDenied" }, Value::Bool(true)));
        } else if flag == "parts" {
            is_parts = true;
        } else if let Some(time) = flag.strip_prefix('@') {
            let minutes: i64 = time.trim_start_matches('+').parse().expect("minutes");
            let before = if time.starts_with('+') { now.unwrap_or(0) } else { 0 };
            *now = Some(before + minutes * MINUTE);
            members.push(("timestamp", Value::Int(before + minutes * MINUTE)));
        } else if let Some(name) = flag.strip_prefix("name=") {
            members.push(("name", text(name)));
        } else if let Some((covers, strategy)) = flag.strip_prefix("summary=").and_then(|flag| flag.split_once('/')) {
            let covers = ("covers", Value::Int(covers.parse().expect("a number")));
            members.push(("summary", map([covers, ("strategy", text(strategy))])));
        } else if let Some((tool, id)) = flag.split_once('#') {
            members.push(("toolCallId", text(id)));
            members.push(("toolName", text(tool)));
        } else {
            panic!("unknown flag {flag} in {source}");
        }
    }
    let mut said = said.split(" -> ");
    let said_text = said.next().unwrap_or_default().trim().replace('⏎', "\n");
    let content = if is_parts { value(&said_text) } else { Value::str(&*said_text) };
    members.push(("content", content));
    let calls = said.map(|call| {
        let (tool, args) = call.split_once(' ').unwrap_or((call, "{}"));
        let (tool, id) = tool.split_once('#').expect("a call has an id, or none behind #");
        map([("id", Value::str(id)), ("name", Value::str(tool)), ("args", Value::str(args))])
    });
    let calls = calls.collect::<Vec<_>>();
    if !calls.is_empty() {
        members.push(("toolCalls", Value::vector(calls)));
    }
    let message = ChatMessage::read(&map(members)).unwrap_or_else(|| panic!("no message: {source}"));
    Line { message: Rc::new(message), source }
}

fn map<'a>(members: impl IntoIterator<Item = (&'a str, Value)>) -> Value {
    Value::map(members.into_iter().map(|(name, value)| (Value::keyword(name), value)))
}

/// The line of a message that the library made.
fn notation(message: &ChatMessage) -> String {
    let mut line = message.role.to_string();
    if message.is_pinned {
        line.push_str(" pinned");
    }
    if let Some(at) = message.at {
        let _ = write!(line, " @{}", at / MINUTE);
    }
    if let Some(summary) = &message.summary {
        let _ = write!(line, " summary={}/{}", summary.covers, summary.strategy);
    }
    let mut said = String::new();
    for part in &message.parts {
        match part {
            Part::Text(text) => said.push_str(text),
            Part::Result { id, name, text, outcome, .. } => {
                let _ = write!(line, " {name}#{id}");
                match outcome {
                    ResultOutcome::Returned => {}
                    ResultOutcome::Failed => line.push_str(" error"),
                    ResultOutcome::Denied => line.push_str(" denied"),
                }
                said.push_str(text);
            }
            Part::Call { id, name, args, .. } => {
                let _ = write!(said, " -> {name}#{id} {}", &**args);
            }
            part => panic!("no notation for {part:?}"),
        }
    }
    format!("{line}: {}", said.replace('\n', "⏎"))
}

fn plan_text(plan: &turnfold::chat::Plan, applied: Option<&Applied>, fates: &[MessageFate]) -> String {
    let does = |applied: &Applied| matches!(applied.outcome, HistoryOutcome::Applied | HistoryOutcome::Trimmed);
    let outcome = applied.map_or("summarize", |applied| if does(applied) { "ready" } else { applied.outcome.name() });
    let mut text = format!("{outcome}\n");
    let tokens = applied.map_or_else(|| plan.tokens(), |applied| applied.tokens);
    let (reason, warnings) = match applied {
        Some(applied) => (&applied.reason, &applied.warnings),
        None => (&plan.reason, &plan.warnings),
    };
    write_notes(reason.as_deref(), warnings, tokens, &mut text);
    write_fates(fates, &mut text);
    let requests = plan.groups.iter().flat_map(|group| &group.requests);
    for (place, request) in requests.enumerate() {
        let _ = writeln!(text, "request {place} covers {}", ranges(&request.covers));
    }
    text
}

fn write_notes(reason: Option<&str>, warnings: &[String], tokens: TokenChange, out: &mut String) {
    if let Some(reason) = reason {
        let _ = writeln!(out, "reason: {reason}");
    }
    for warning in warnings {
        let _ = writeln!(out, "warning: {warning}");
    }
    let _ = writeln!(out, "tokens: {}, then {}", tokens.before, tokens.after);
}

fn write_fates(fates: &[MessageFate], out: &mut String) {
    let mut start = 0;
    for end in 1..=fates.len() {
        let MessageFate { fate, reason, .. } = &fates[start];
        if fates.get(end).is_some_and(|next| (next.fate, &next.reason) == (*fate, reason)) {
            continue;
        }
        let reason = reason.as_ref().map_or(String::new(), |reason| format!(": {reason}"));
        let _ = writeln!(out, "{} {}{reason}", range(start, end - 1), fate.name());
        start = end;
    }
}

fn range(first: usize, last: usize) -> String {
    if first == last { first.to_string() } else { format!("{first}-{last}") }
}

fn ranges(indexes: &[usize]) -> String {
    let mut texts = Vec::new();
    let mut start = 0;
    for end in 1..=indexes.len() {
        if indexes.get(end).is_none_or(|index| *index != indexes[end - 1] + 1) {
            texts.push(range(indexes[start], indexes[end - 1]));
            start = end;
        }
    }
    texts.join(" ")
}

/// The number of unchanged messages in a row from which they are written as one line.
const FOLDED: usize = 4;

fn result_text(lines: &[Line], applied: &Applied, planned: &[MessageFate]) -> String {
    let mut text = format!("{}\n", applied.outcome.name());
    write_notes(applied.reason.as_deref(), &applied.warnings, applied.tokens, &mut text);
    if applied.inserted > 0 {
        let _ = writeln!(text, "inserted: {}", applied.inserted);
    }
    if applied.fates != planned {
        write_fates(&applied.fates, &mut text);
    }
    let mut kept: Vec<usize> = Vec::new();
    let flush = |kept: &mut Vec<usize>, text: &mut String| {
        if kept.len() >= FOLDED {
            let _ = writeln!(text, "[{}] as they were", range(kept[0], kept[kept.len() - 1]));
        } else {
            for index in kept.iter() {
                let _ = writeln!(text, "[{index}] {}", lines[*index].source);
            }
        }
        kept.clear();
    };
    for (entry, message) in applied.entries.iter().zip(&applied.conversation.messages) {
        if let Entry::Kept(index) = entry {
            if kept.last().is_some_and(|last| last + 1 != *index) {
                flush(&mut kept, &mut text);
            }
            kept.push(*index);
            continue;
        }
        flush(&mut kept, &mut text);
        let place = if let Entry::Stubbed(index, _) = entry { index.to_string() } else { "+".into() };
        let _ = writeln!(text, "[{place}] {}", notation(message));
    }
    flush(&mut kept, &mut text);
    text
}

fn error_text(error: &ChatError) -> String {
    let mut text = format!("{}: {}\n", error.code, error.message);
    if let Some(hint) = error.hint {
        let _ = writeln!(text, "hint: {hint}");
    }
    let mut details: Vec<_> = error.details.iter().collect();
    details.sort_by_key(|(name, _)| *name);
    for (name, value) in details {
        let value = value.as_str().map_or_else(|| shown(value), str::to_owned);
        let _ = writeln!(text, "{name}: {value}");
    }
    text
}
