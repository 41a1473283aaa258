//! The parameters of a plan, its context, and the answers of strategies of the host.

use std::fmt;
use std::rc::Rc;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, MapAccess, Unexpected, Visitor};
use wasm_bindgen::prelude::*;

use crate::chat::{self, ChatMessage, Counts, Exchange, HostGroup, Parameters, Strategy};
use crate::value::Str;
use crate::wasm::error::Failure;
use crate::wasm::read::{Problem, read};
use crate::wasm::types::Whole;

use super::read_messages;

/// Parameters without what only the host knows: functions, counters and signals.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ParameterOptions {
    #[serde(default)]
    strategies: Vec<StrategyOptions>,
    when: Option<When>,
    min_messages: Option<Whole<0>>,
    keep_at_least: Option<Whole<0>>,
    max_tokens: Option<TokenLimit>,
    reserve_tokens: Option<Whole<0>>,
    max_history_size: Option<Whole<1>>,
    provider: Option<Provider>,
    summary_prompt: Option<String>,
    summary_role: Option<SummaryRole>,
    summary_max_tokens: Option<Whole<1>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
enum When {
    Always,
    OverLimit,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Provider {
    OpenAi,
    Anthropic,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
enum SummaryRole {
    User,
    Assistant,
}

/// Tokens, or a share of the model's window.
struct TokenLimit(u64);

impl<'de> Deserialize<'de> for TokenLimit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Limit;

        #[derive(Deserialize)]
        struct Share {
            fraction: f64,
            window: f64,
        }

        impl<'de> Visitor<'de> for Limit {
            type Value = TokenLimit;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number of tokens or { fraction, window }")
            }

            fn visit_f64<E: Error>(self, number: f64) -> Result<TokenLimit, E> {
                Whole::<1>::from_number(number).map(|limit| TokenLimit(limit.0))
            }

            fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<TokenLimit, A::Error> {
                let refused = |expected: &Self| A::Error::invalid_type(Unexpected::Map, expected);
                let share = Share::deserialize(MapAccessDeserializer::new(members)).map_err(|_| refused(&self))?;
                if !(share.fraction > 0.0 && share.fraction <= 1.0) {
                    return Err(refused(&self));
                }
                let tokens = Whole::<1>::from_number::<A::Error>((share.fraction * share.window).floor());
                tokens.map(|limit| TokenLimit(limit.0)).map_err(|_| refused(&self))
            }
        }

        deserializer.deserialize_any(Limit)
    }
}

/// A strategy with the members that its name calls for.
#[derive(Deserialize)]
struct StrategyOptions {
    name: StrategyName,
    number: Option<Whole<0>>,
    /// Milliseconds since 1970.
    time: Option<f64>,
    concepts: Option<Vec<Concept>>,
    /// The name of a strategy of the host.
    host: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
enum StrategyName {
    WholeHistory,
    LastNMessages,
    Chunked,
    FromTimestamp,
    WholeHistoryMultipleSystemMessages,
    RetrieveFacts,
    ClearToolResults,
    Host,
}

#[derive(Deserialize)]
struct Concept {
    name: String,
    description: String,
}

impl From<StrategyOptions> for Strategy {
    fn from(given: StrategyOptions) -> Strategy {
        let number = given.number.map_or(0, Whole::size);
        match given.name {
            StrategyName::WholeHistory => Strategy::WholeHistory,
            StrategyName::LastNMessages => Strategy::LastMessages(number),
            StrategyName::Chunked => Strategy::Chunked(number),
            StrategyName::FromTimestamp => Strategy::FromTimestamp(given.time.unwrap_or(0.0).ceil() as i64),
            StrategyName::WholeHistoryMultipleSystemMessages => Strategy::PerSystemMessage,
            StrategyName::RetrieveFacts => {
                let concepts = given.concepts.unwrap_or_default().into_iter();
                let concept = |Concept { name, description }| chat::Concept {
                    name: Str::from(name),
                    description: Str::from(description),
                };
                Strategy::RetrieveFacts(concepts.map(concept).collect())
            }
            StrategyName::ClearToolResults => Strategy::ClearToolResults { keep: number },
            StrategyName::Host => Strategy::Host { name: given.host.unwrap_or_default().into(), plan: None },
        }
    }
}

/// Checks parameters without making a plan.
#[wasm_bindgen(js_name = checkParameters)]
pub fn check_parameters(parameters: &JsValue) -> Result<(), Failure> {
    read_parameters(parameters).map(drop)
}

pub(super) fn read_parameters(parameters: &JsValue) -> Result<Parameters, Failure> {
    let given: ParameterOptions = read(parameters, "").map_err(|problem| {
        let is_limit = problem.path() == "maxTokens";
        let failure = Failure::from(problem);
        if is_limit { failure.with_hint("5_000, or { fraction: 0.7, window: 128_000 }") } else { failure }
    })?;
    let (tokens, reserved) = (given.max_tokens.map(|TokenLimit(most)| most), given.reserve_tokens);
    if let (Some(most), Some(Whole(reserved))) = (tokens, reserved)
        && reserved >= most
    {
        let problem = format!("reserveTokens must leave some of maxTokens, {most}, got {reserved}");
        return Err(Failure::new("invalid_option", problem).with_detail("option", "reserveTokens"));
    }
    if matches!(given.when, Some(When::OverLimit)) && tokens.is_none() && given.max_history_size.is_none() {
        let failure = Failure::new("invalid_option", "when is \"overLimit\", and there is no limit");
        return Err(failure.with_detail("option", "when").with_hint("give maxTokens or maxHistorySize too"));
    }
    if given.summary_prompt.as_ref().is_some_and(|prompt| prompt.trim().is_empty()) {
        return Err(Problem::custom("a text that is not blank").within("summaryPrompt").into());
    }
    let defaults = Parameters::default();
    Ok(Parameters {
        strategies: strategies(given.strategies)?,
        when: given.when.map(|when| match when {
            When::Always => chat::When::Always,
            When::OverLimit => chat::When::OverLimit,
        }),
        min_messages: given.min_messages.map_or(defaults.min_messages, Whole::size),
        keep_at_least: given.keep_at_least.map_or(defaults.keep_at_least, Whole::size),
        max_tokens: tokens.map(|most| Whole::<1>(most).size()),
        reserve_tokens: reserved.map_or(defaults.reserve_tokens, Whole::size),
        max_history_size: given.max_history_size.map(Whole::size),
        summary_prompt: given.summary_prompt.map(Str::from),
        summary_role: given.summary_role.map_or(defaults.summary_role, |role| match role {
            SummaryRole::User => "user".into(),
            SummaryRole::Assistant => "assistant".into(),
        }),
        summary_max_tokens: given.summary_max_tokens.map(Whole::size),
        provider: given.provider.map_or(defaults.provider, |provider| match provider {
            Provider::OpenAi => chat::Provider::OpenAi,
            Provider::Anthropic => chat::Provider::Anthropic,
        }),
    })
}

/// Only the last strategy may ask for summaries. What strategies of the host ask for is known when they have answered.
fn strategies(given: Vec<StrategyOptions>) -> Result<Vec<Strategy>, Failure> {
    let strategies: Vec<Strategy> = given.into_iter().map(Strategy::from).collect();
    let first = strategies.split_last().map_or(&[][..], |(_, first)| first);
    let may_come_first =
        |strategy: &&Strategy| matches!(strategy, Strategy::ClearToolResults { .. } | Strategy::Host { .. });
    match first.iter().find(|strategy| !may_come_first(strategy)) {
        None => Ok(strategies),
        Some(strategy) => {
            let problem = format!("{} asks for summaries, which only the last strategy may do", strategy.name());
            Err(Failure::new("invalid_option", problem)
                .with_detail("option", "compressionStrategy")
                .with_hint("[clearToolResults(), lastNMessages(20)]"))
        }
    }
}

/// What is sent with a conversation, and who counts its tokens.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ContextOptions {
    /// JSON of messages.
    request: Option<String>,
    /// JSON of each tool.
    #[serde(default)]
    tools: Vec<String>,
    /// JSON of the schema of the answer.
    schema: Option<String>,
    /// The number under which messages store their tokens; 0 stores nothing.
    counter: Whole<0>,
    is_host: bool,
}

impl ContextOptions {
    pub fn counts(&self, parameters: &Parameters) -> Counts {
        let Whole(number) = self.counter;
        Counts::new(parameters.provider, u32::try_from(number).unwrap_or(0), self.is_host)
    }

    pub fn exchange(self) -> Result<Exchange, Failure> {
        let shared = |messages: Vec<ChatMessage>| messages.into_iter().map(Rc::new).collect();
        Ok(Exchange {
            messages: self.request.map(|text| read_messages(&text)).transpose()?.map(shared),
            tools: self.tools.into_iter().map(Str::from).collect(),
            schema: self.schema.map(Str::from),
        })
    }
}

/// The answer of a host's strategy, by indexes of messages in the conversation.
#[derive(Deserialize)]
pub(super) struct HostPlan {
    keep: Vec<Whole<0>>,
    drop: Vec<Whole<0>>,
    summarize: Vec<GroupOptions>,
}

#[derive(Deserialize)]
struct GroupOptions {
    covers: Vec<Whole<0>>,
    prompt: Option<String>,
}

impl From<HostPlan> for chat::HostPlan {
    fn from(given: HostPlan) -> chat::HostPlan {
        let indexes = |given: Vec<Whole<0>>| given.into_iter().map(Whole::size).collect();
        let group =
            |GroupOptions { covers, prompt }| HostGroup { covers: indexes(covers), prompt: prompt.map(Str::from) };
        chat::HostPlan {
            keep: indexes(given.keep),
            drop: indexes(given.drop),
            summarize: given.summarize.into_iter().map(group).collect(),
        }
    }
}
