//! Exports for conversations and plans.

mod options;
mod records;

use std::rc::Rc;

use wasm_bindgen::prelude::*;

use crate::chat::{
    Applied, ChatMessage, Conversation, Counts, Exchange, HistoryStrategy, Parameters, Plan, Planned, Settled, Stop,
    apply, content_keys, handle_of, plan,
};
use crate::value::Str;

use super::error::Failure;
use super::read::read;
use super::scratch::incoming;
use super::write::to_json;

pub use options::check_parameters;
use options::{ContextOptions, HostPlan, read_parameters};
use records::{AppliedRecord, PlanRecord, ProblemRecord, QuestionRecord, Response};

/// A conversation. Several conversations may share messages.
#[wasm_bindgen]
pub struct ConversationHandle(Conversation);

#[wasm_bindgen]
impl ConversationHandle {
    /// The conversation of the messages whose JSON is in the scratch buffer.
    #[wasm_bindgen(constructor)]
    pub fn new(length: usize) -> Result<ConversationHandle, Failure> {
        ConversationHandle(Conversation::default()).append(length)
    }

    /// A conversation with these messages, followed by those whose JSON is in the scratch buffer.
    pub fn append(&self, length: usize) -> Result<ConversationHandle, Failure> {
        let more = read_messages(&incoming(length)?)?;
        Ok(ConversationHandle(Conversation { messages: [&*self.0.messages, &more].concat() }))
    }

    /// The indexes of messages that are one text, which the counter with the number `counter` has not counted.
    pub fn uncounted(&self, counter: u32) -> Vec<u32> {
        let mut indexes = Vec::new();
        for (index, message) in self.0.messages.iter().enumerate() {
            if message.only_text().is_some() && !message.is_counted(counter) {
                indexes.push(index as u32);
            }
        }
        indexes
    }

    /// Stores the counts of messages that are one text, by the host's counter with the number `counter`.
    pub fn counted(&self, counter: u32, indexes: &[u32], counts: &[f64]) {
        for (index, count) in indexes.iter().zip(counts) {
            if let Some(message) = self.0.messages.get(*index as usize) {
                message.set_count(counter, *count as u32);
            }
        }
    }

    /// A key for each of these messages, made of its content and the contents of those before it. All keys also depend
    /// on the text `about`.
    #[wasm_bindgen(js_name = contentKeys)]
    pub fn content_keys(&self, indexes: &[u32], about: &str) -> Vec<String> {
        let messages = indexes.iter().filter_map(|index| self.0.messages.get(*index as usize));
        content_keys(messages.map(|message| &**message), about)
    }

    /// The problems for which providers would refuse the conversation: JSON of a list of [`ProblemRecord`].
    pub fn lint(&self) -> String {
        let problems = self.0.lint();
        to_json(&problems.iter().map(ProblemRecord::of).collect::<Vec<_>>())
    }
}

fn read_messages(text: &str) -> Result<Vec<Rc<ChatMessage>>, Failure> {
    let messages = Conversation::read(text).map_err(|error| *error)?;
    messages.ok_or_else(|| Failure::new("internal", "the JSON is not a list of messages"))
}

/// Makes a plan and applies it; then plans for the next request.
#[wasm_bindgen]
pub struct PlanningHandle {
    conversation: Conversation,
    /// What earlier plans have settled.
    settled: Settled,
    exchange: Exchange,
    parameters: Parameters,
    counts: Counts,
    /// Texts that the host has to count.
    missing: Vec<Str>,
    plan: Option<Plan>,
    applied: Option<Applied>,
}

#[wasm_bindgen]
impl PlanningHandle {
    /// A plan for a conversation with parameters and [`ContextOptions`].
    #[wasm_bindgen(constructor)]
    pub fn new(
        conversation: &ConversationHandle,
        parameters: &JsValue,
        context: &JsValue,
    ) -> Result<PlanningHandle, Failure> {
        let parameters = read_parameters(parameters)?;
        let context: ContextOptions = read(context, "context")?;
        Ok(PlanningHandle {
            conversation: conversation.0.clone(),
            settled: Settled::default(),
            counts: context.counts(&parameters),
            exchange: context.exchange()?,
            parameters,
            missing: Vec::new(),
            plan: None,
            applied: None,
        })
    }

    /// Makes the plan: JSON of a [`Response`].
    pub fn plan(&mut self) -> Result<String, Failure> {
        let PlanningHandle { conversation, exchange, parameters, settled, counts, .. } = self;
        match plan(conversation, exchange, parameters, settled, counts) {
            Err(stop) => self.stopped(stop),
            Ok(Planned { plan, applied }) => {
                let fates = plan.fates();
                let record = PlanRecord::of(&plan, &fates, applied.as_ref());
                let response = to_json(&Response::Plan { plan: record });
                (self.plan, self.applied) = (Some(plan), applied);
                Ok(response)
            }
        }
    }

    /// Supplies the host's counts, in the order of the texts.
    pub fn counted(&mut self, counts: &[f64]) {
        for (text, count) in std::mem::take(&mut self.missing).into_iter().zip(counts) {
            self.counts.supply(text, *count as usize);
        }
    }

    /// Supplies the answer of the host's strategy at the index `strategy`, a [`HostPlan`].
    pub fn answered(&mut self, strategy: usize, answer: &JsValue) -> Result<(), Failure> {
        let answer: HostPlan = read(answer, "plan")?;
        if let Some(HistoryStrategy::Host { plan, .. }) = self.parameters.strategies.get_mut(strategy) {
            *plan = Some(answer.into());
        }
        Ok(())
    }

    /// Applies the plan with the texts of its summaries, undefined for a missing one: JSON of a [`Response`].
    pub fn apply(&mut self, summaries: &JsValue) -> Result<String, Failure> {
        let summaries: Vec<Option<String>> = read(summaries, "summaries")?;
        let summaries: Vec<Option<Str>> = summaries.into_iter().map(|text| text.map(Str::from)).collect();
        let Some(plan) = &self.plan else { return Err(Failure::new("internal", "there is no plan to apply")) };
        match apply(plan, &summaries, &mut self.counts) {
            Err(stop) => self.stopped(stop),
            Ok(applied) => {
                let response = to_json(&Response::Applied { applied: AppliedRecord::of(&applied) });
                self.applied = Some(applied);
                Ok(response)
            }
        }
    }

    /// The new conversation.
    pub fn conversation(&self) -> Result<ConversationHandle, Failure> {
        let Applied { settled, conversation, .. } = self.applied.as_ref().ok_or_else(not_applied)?;
        let settled = &self.conversation.messages[..*settled];
        Ok(ConversationHandle(Conversation { messages: [settled, &conversation.messages].concat() }))
    }

    /// Continues with the new conversation, followed by the messages whose JSON is in the scratch buffer. The next request
    /// is sent `idle_seconds` after the previous one.
    pub fn advance(&mut self, length: usize, idle_seconds: Option<f64>) -> Result<(), Failure> {
        let more = read_messages(&incoming(length)?)?;
        let Applied { settled, conversation, .. } = self.applied.take().ok_or_else(not_applied)?;
        let messages = &mut self.conversation.messages;
        messages.truncate(settled);
        messages.extend(conversation.messages);
        messages.extend(more);
        self.exchange.pause = idle_seconds.map(|seconds| 1000.0 * seconds);
        for strategy in &mut self.parameters.strategies {
            if let HistoryStrategy::Host { plan, .. } = strategy {
                *plan = None;
            }
        }
        self.plan = None;
        Ok(())
    }

    fn stopped(&mut self, stop: Stop) -> Result<String, Failure> {
        match stop {
            Stop::Failed(error) => Err(error.into()),
            Stop::Count(texts) => {
                let count = texts.iter().map(|text| &**text).collect();
                let response = to_json(&Response::Count { count });
                self.missing = texts;
                Ok(response)
            }
            Stop::AskHost(question) => Ok(to_json(&Response::Host { host: QuestionRecord::of(&question) })),
        }
    }
}

fn not_applied() -> Failure {
    Failure::new("internal", "the plan is not applied")
}

/// The handle that recalls the result of the call whose id is in the scratch buffer.
#[wasm_bindgen(js_name = recallHandle)]
pub fn recall_handle(length: usize) -> Result<String, Failure> {
    Ok(handle_of(&incoming(length)?))
}
