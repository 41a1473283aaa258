//! Conversations on this side of the boundary: plain JSON text in and out.

use std::rc::Rc;

use wasm_bindgen::prelude::*;

use crate::chat::{
    Applied, ChatError, ChatMessage, Concept, Conversation, Counts, Entry, Exchange, HostGroup, HostPlan, MessageFate,
    Parameters, Part, Plan, Planned, Provider, Stop, Strategy, Stub, TokenChange, When, apply, plan,
};
use crate::value::{Map, Str, Value, append_json, read_json, to_json, write_json_string};

use super::error::Failure;
use super::parts::{list, malformed};
use super::scratch::incoming;

/// A conversation that others share messages with.
#[wasm_bindgen]
pub struct ConversationHandle(Conversation);

#[wasm_bindgen]
impl ConversationHandle {
    /// The conversation of the messages in the scratch buffer, see [`read_messages`].
    #[wasm_bindgen(constructor)]
    pub fn new(length: usize) -> Result<ConversationHandle, Failure> {
        ConversationHandle(Conversation::default()).append(length)
    }

    /// This one with the messages in the scratch buffer behind it.
    pub fn append(&self, length: usize) -> Result<ConversationHandle, Failure> {
        Ok(ConversationHandle(self.0.with(read_messages(&incoming(length)?)?)))
    }

    /// The places of messages whose only text was not counted yet by the counter of that number.
    pub fn uncounted(&self, counter: u32) -> Vec<u32> {
        let mut places = Vec::new();
        for (place, message) in self.0.messages.iter().enumerate() {
            if message.only_text().is_some() && !message.is_counted(counter) {
                places.push(place as u32);
            }
        }
        places
    }

    /// What the host's counter of that number says about the only texts of these messages.
    pub fn counted(&self, counter: u32, places: &[u32], counts: &[f64]) {
        for (place, count) in places.iter().zip(counts) {
            if let Some(message) = self.0.messages.get(*place as usize) {
                message.set_count(counter, *count as u32);
            }
        }
    }

    /// What providers would refuse: `[[kind, index, message]]`.
    pub fn lint(&self) -> String {
        let mut out = String::from("[");
        list(self.0.lint(), &mut out, |problem, out| {
            let members = [problem.kind.name().into(), Value::Int(problem.index as i64), (&*problem.message).into()];
            append_json(&Value::vector(members), out);
        });
        out.push(']');
        out
    }
}

/// A plan that is being made and carried out.
#[wasm_bindgen]
pub struct PlanningHandle {
    conversation: Conversation,
    exchange: Exchange,
    parameters: Parameters,
    counts: Counts,
    /// What the host has to count.
    asked: Vec<Str>,
    plan: Option<Plan>,
    applied: Option<Applied>,
}

#[wasm_bindgen]
impl PlanningHandle {
    /// A plan for a conversation with the parameters in the scratch buffer: `{exchange, tools, schema, strategies, when,
    /// minMessages, keepAtLeast, maxTokens, reserveTokens, maxHistorySize, summaryPrompt, summaryRole, summaryMaxTokens,
    /// provider, counter, isHost}`.
    #[wasm_bindgen(constructor)]
    pub fn new(conversation: &ConversationHandle, length: usize) -> Result<PlanningHandle, Failure> {
        let Value::Map(given) = plain(length)? else { return Err(malformed("parameters")) };
        let given = Given(&given);
        let messages = match given.0.get_keyword("exchange") {
            None | Some(Value::Nil) => None,
            Some(messages) => {
                let messages = Conversation::read(messages).ok_or_else(|| malformed("a request"))?;
                Some(messages.into_iter().map(Rc::new).collect())
            }
        };
        let exchange = Exchange { messages, tools: given.texts("tools"), schema: given.text("schema") };
        let provider = given.text("provider").and_then(|name| Provider::named(&name)).unwrap_or_default();
        let number = u32::try_from(given.count("counter").unwrap_or(0)).unwrap_or(0);
        let is_host = matches!(given.0.get_keyword("isHost"), Some(Value::Bool(true)));
        let defaults = Parameters::default();
        let parameters = Parameters {
            strategies: strategies(&given)?,
            when: given.text("when").map(|when| if *when == *"always" { When::Always } else { When::OverLimit }),
            min_messages: given.count("minMessages").unwrap_or(defaults.min_messages),
            keep_at_least: given.count("keepAtLeast").unwrap_or(defaults.keep_at_least),
            max_tokens: given.count("maxTokens"),
            reserve_tokens: given.count("reserveTokens").unwrap_or(0),
            max_history_size: given.count("maxHistorySize"),
            summary_prompt: given.text("summaryPrompt"),
            summary_role: given.text("summaryRole").unwrap_or(defaults.summary_role),
            summary_max_tokens: given.count("summaryMaxTokens"),
            provider,
        };
        let counts = Counts::new(provider, number, is_host);
        let conversation = conversation.0.clone();
        Ok(PlanningHandle { conversation, exchange, parameters, counts, asked: Vec::new(), plan: None, applied: None })
    }

    /// Goes on: `{count: [text]}`, `{host: {strategy, messages: [[index, tokens]], stubs}}`, or `{plan: {fates, sizes,
    /// requests, warnings, reason, tokens, ready}}`, where `ready` says what came of it when no summary is needed.
    pub fn plan(&mut self) -> Result<String, Failure> {
        match plan(&self.conversation, &self.exchange, &self.parameters, &mut self.counts) {
            Err(stop) => self.stopped(stop),
            Ok(Planned { plan, applied }) => {
                let mut out = String::from("{\"plan\":{\"fates\":");
                let fates = plan.fates();
                write_fates(&fates, &mut out);
                out.push_str(",\"sizes\":[");
                list(&fates, &mut out, |fate, out| append_json(&Value::Int(fate.tokens as i64), out));
                out.push_str("],\"requests\":[");
                let requests = plan.groups.iter().flat_map(|group| &group.requests).collect::<Vec<_>>();
                list(requests, &mut out, |request, out| {
                    out.push_str("{\"instruction\":");
                    write_json_string(&request.instruction, out);
                    out.push_str(",\"transcript\":");
                    write_json_string(&request.transcript, out);
                    out.push_str(",\"covers\":");
                    append_json(&indexes(&request.covers), out);
                    out.push('}');
                });
                out.push(']');
                write_told(&plan.warnings, plan.reason.as_deref(), plan.tokens(), &mut out);
                out.push_str(",\"strategy\":");
                write_optional(plan.strategy.as_deref(), &mut out);
                out.push_str(",\"ready\":");
                match &applied {
                    None => out.push_str("null"),
                    Some(applied) => write_applied(applied, &mut out),
                }
                out.push_str("}}");
                (self.plan, self.applied) = (Some(plan), applied);
                Ok(out)
            }
        }
    }

    /// What the host counted, in the order in which it was asked.
    pub fn counted(&mut self, counts: &[f64]) {
        for (text, count) in std::mem::take(&mut self.asked).into_iter().zip(counts) {
            self.counts.supply(text, *count as usize);
        }
    }

    /// What the host's strategy at that place says: `{keep: [index], summarize: [{covers, prompt}], drop}`.
    pub fn answered(&mut self, strategy: usize, length: usize) -> Result<(), Failure> {
        let Value::Map(given) = plain(length)? else { return Err(malformed("a strategy's plan")) };
        let given = Given(&given);
        let mut answer = HostPlan { keep: given.indexes("keep"), drop: given.indexes("drop"), ..HostPlan::default() };
        if let Some(Value::Vector(groups)) = given.0.get_keyword("summarize") {
            for group in groups.iter() {
                let Value::Map(group) = group else { return Err(malformed("a group")) };
                let group = Given(group);
                answer.summarize.push(HostGroup { covers: group.indexes("covers"), prompt: group.text("prompt") });
            }
        }
        if let Some(Strategy::Host { plan, .. }) = self.parameters.strategies.get_mut(strategy) {
            *plan = Some(answer);
        }
        Ok(())
    }

    /// Carries the plan out with the summaries in the scratch buffer, `[text]`: `{count: [text]}` or `{applied: {outcome,
    /// fates, entries, inserted, warnings, reason, tokens}}`.
    pub fn apply(&mut self, length: usize) -> Result<String, Failure> {
        let Value::Vector(texts) = plain(length)? else { return Err(malformed("summaries")) };
        let texts = texts.iter().map(|text| Str::from(text.as_str().unwrap_or_default())).collect::<Vec<_>>();
        let Some(plan) = &self.plan else { return Err(malformed("a plan")) };
        match apply(plan, &texts, &mut self.counts) {
            Err(stop) => self.stopped(stop),
            Ok(applied) => {
                let mut out = String::from("{\"applied\":");
                write_applied(&applied, &mut out);
                out.push('}');
                self.applied = Some(applied);
                Ok(out)
            }
        }
    }

    /// The conversation that the plan came to.
    pub fn conversation(&self) -> Result<ConversationHandle, Failure> {
        let Some(applied) = &self.applied else { return Err(malformed("a applied plan")) };
        Ok(ConversationHandle(applied.conversation.clone()))
    }

    fn stopped(&mut self, stop: Stop) -> Result<String, Failure> {
        match stop {
            Stop::Failed(error) => Err(error.into()),
            Stop::Count(texts) => {
                let mut out = String::from("{\"count\":[");
                list(&texts, &mut out, |text, out| write_json_string(text, out));
                out.push_str("]}");
                self.asked = texts;
                Ok(out)
            }
            Stop::AskHost(question) => {
                let pair = |(index, tokens): &(usize, usize)| indexes(&[*index, *tokens]);
                let stub = |(index, stubs): &(usize, Vec<Stub>)| stubbed(*index, stubs);
                let mut out = format!("{{\"host\":{{\"strategy\":{},\"messages\":", question.strategy);
                append_json(&Value::vector(question.messages.iter().map(pair)), &mut out);
                out.push_str(",\"stubs\":");
                append_json(&Value::vector(question.stubs.iter().map(stub)), &mut out);
                out.push_str("}}");
                Ok(out)
            }
        }
    }
}

impl From<ChatError> for Failure {
    fn from(error: ChatError) -> Failure {
        let mut failure = Failure::new(error.code, error.message);
        if let Some(hint) = error.hint {
            failure = failure.with_hint(hint);
        }
        for (name, value) in error.details {
            failure = match value {
                Value::Int(number) => failure.with_detail(name, number as usize),
                other => failure.with_detail(name, other.as_str().unwrap_or_default()),
            };
        }
        failure
    }
}

/// Messages in records, whose fields end with a zero: what begins with `m` is a text that somebody says, `m` · role · time
/// · text; `r` a tool's answer, with the call's id and the tool's name behind these; `j` is followed by the JSON of any
/// message. Most messages are texts, and their JSON would cost more than all the rest of a plan.
fn read_messages(text: &str) -> Result<Vec<ChatMessage>, Failure> {
    let mut fields = text.split('\0');
    let mut next = || fields.next().unwrap_or_default();
    let (mut messages, mut roles) = (Vec::new(), Vec::<Str>::new());
    loop {
        let kind = next();
        if kind.is_empty() {
            return Ok(messages);
        }
        if kind == "j" {
            let value = read_json(next(), true).map_err(|error| *error)?;
            messages.push(ChatMessage::read(&value).ok_or_else(|| malformed("a message"))?);
            continue;
        }
        let (role, time) = (next(), next());
        let mut message = ChatMessage::text("", next());
        // One text for all that have the role.
        message.role = match roles.iter().find(|known| ***known == *role) {
            Some(known) => known.clone(),
            None => {
                roles.push(role.into());
                role.into()
            }
        };
        message.at = time.parse().ok();
        if kind == "r" {
            message.answer(next().into(), next().into());
        }
        messages.push(message);
    }
}

fn plain(length: usize) -> Result<Value, Failure> {
    Ok(read_json(&incoming(length)?, true).map_err(|error| *error)?)
}

fn strategies(given: &Given<'_>) -> Result<Vec<Strategy>, Failure> {
    let Some(Value::Vector(listed)) = given.0.get_keyword("strategies") else { return Ok(Vec::new()) };
    let mut strategies = Vec::new();
    for strategy in listed.iter() {
        let Value::Map(members) = strategy else { return Err(malformed("a strategy")) };
        let members = Given(members);
        let name = members.text("name").unwrap_or_default();
        let number = members.count("number").unwrap_or(0);
        strategies.push(match &*name {
            "wholeHistory" => Strategy::WholeHistory,
            "lastNMessages" => Strategy::LastMessages(number),
            "chunked" => Strategy::Chunked(number),
            "fromTimestamp" => Strategy::FromTimestamp(members.time("time")),
            "wholeHistoryMultipleSystemMessages" => Strategy::PerSystemMessage,
            "retrieveFacts" => Strategy::RetrieveFacts(members.concepts()),
            "clearToolResults" => Strategy::ClearToolResults { keep: number },
            _ => Strategy::Host { name: members.text("host").unwrap_or_default(), plan: None },
        });
    }
    Ok(strategies)
}

/// Members that the package wrote.
struct Given<'a>(&'a Map);

impl Given<'_> {
    fn text(&self, name: &str) -> Option<Str> {
        self.0.get_keyword(name).and_then(Value::as_str).map(Str::from)
    }

    fn count(&self, name: &str) -> Option<usize> {
        match self.0.get_keyword(name) {
            Some(Value::Int(number)) => Some(usize::try_from(*number).unwrap_or(usize::MAX)),
            _ => None,
        }
    }

    fn time(&self, name: &str) -> i64 {
        match self.0.get_keyword(name) {
            Some(Value::Int(time)) => *time,
            Some(Value::Float(time)) => time.ceil() as i64,
            _ => 0,
        }
    }

    fn texts(&self, name: &str) -> Vec<Str> {
        let Some(Value::Vector(texts)) = self.0.get_keyword(name) else { return Vec::new() };
        texts.iter().filter_map(Value::as_str).map(Str::from).collect()
    }

    fn indexes(&self, name: &str) -> Vec<usize> {
        let Some(Value::Vector(indexes)) = self.0.get_keyword(name) else { return Vec::new() };
        let index = |value: &Value| match value {
            Value::Int(index) => usize::try_from(*index).unwrap_or(usize::MAX),
            _ => usize::MAX,
        };
        indexes.iter().map(index).collect()
    }

    fn concepts(&self) -> Vec<Concept> {
        let Some(Value::Vector(concepts)) = self.0.get_keyword("concepts") else { return Vec::new() };
        let concept = |value: &Value| match value {
            Value::Map(members) => {
                let members = Given(members);
                let name = members.text("name").unwrap_or_default();
                Concept { name, description: members.text("description").unwrap_or_default() }
            }
            _ => Concept { name: Str::default(), description: Str::default() },
        };
        concepts.iter().map(concept).collect()
    }
}

fn indexes(indexes: &[usize]) -> Value {
    Value::vector(indexes.iter().map(|index| Value::Int(*index as i64)))
}

/// `[index, [[place, text]]]`
fn stubbed(index: usize, stubs: &[Stub]) -> Value {
    let stub = |stub: &Stub| Value::vector([Value::Int(stub.result as i64), Value::Str(stub.text.clone())]);
    Value::vector([Value::Int(index as i64), Value::vector(stubs.iter().map(stub))])
}

/// `[count, fate, reason, …]`, three for each stretch of messages that fare the same.
fn write_fates(fates: &[MessageFate], out: &mut String) {
    out.push('[');
    let mut rest = fates;
    while let Some(MessageFate { fate, reason, .. }) = rest.first() {
        let differs = |other: &MessageFate| other.fate != *fate || other.reason != *reason;
        let count = rest.iter().position(differs).unwrap_or(rest.len());
        rest = &rest[count..];
        append_json(&Value::Int(count as i64), out);
        out.push(',');
        write_json_string(fate.name(), out);
        out.push(',');
        write_optional(reason.as_deref(), out);
        out.push_str(if rest.is_empty() { "" } else { "," });
    }
    out.push(']');
}

fn write_optional(text: Option<&str>, out: &mut String) {
    match text {
        None => out.push_str("null"),
        Some(text) => write_json_string(text, out),
    }
}

fn write_told(warnings: &[String], reason: Option<&str>, tokens: TokenChange, out: &mut String) {
    out.push_str(",\"warnings\":[");
    list(warnings, out, |warning, out| write_json_string(warning, out));
    out.push_str("],\"reason\":");
    write_optional(reason, out);
    out.push_str(",\"tokens\":");
    append_json(&indexes(&[tokens.before, tokens.after]), out);
}

fn write_applied(applied: &Applied, out: &mut String) {
    out.push_str("{\"outcome\":");
    write_json_string(applied.outcome.name(), out);
    out.push_str(",\"fates\":");
    write_fates(&applied.fates, out);
    out.push_str(",\"entries\":[");
    list(&applied.entries, out, |entry, out| match entry {
        Entry::Kept(index) => append_json(&Value::Int(*index as i64), out),
        Entry::Stubbed(index, stubs) => append_json(&stubbed(*index, stubs), out),
        Entry::Summary(message) => {
            let text = message.parts.iter().find_map(|part| match part {
                Part::Text(text) => Some(text.clone()),
                _ => None,
            });
            let (covers, strategy) = match &message.summary {
                Some(summary) => (summary.covers as i64, summary.strategy.clone()),
                None => (0, Str::default()),
            };
            let members = [
                ("role", Value::Str(message.role.clone())),
                ("content", Value::Str(text.unwrap_or_default())),
                ("covers", Value::Int(covers)),
                ("strategy", Value::Str(strategy)),
                ("timestamp", message.at.map_or(Value::Nil, Value::Int)),
            ];
            out.push_str(&to_json(&Value::map(members.map(|(name, value)| (Value::keyword(name), value)))));
        }
    });
    out.push(']');
    write_told(&applied.warnings, applied.reason.as_deref(), applied.tokens, out);
    out.push_str(&format!(",\"inserted\":{}}}", applied.inserted));
}
