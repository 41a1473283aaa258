//! The parameters of a plan, its context, and the answers of strategies of the host.

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, Expected, MapAccess, Unexpected, Visitor};
use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::*;

use crate::arrival::Arrival;
use crate::chat::{self, Counts, Exchange, HistoryStrategy, HostGroup, Parameters, Thresholds};
use crate::value::Str;
use crate::wasm::error::Failure;
use crate::wasm::prices::Prices;
use crate::wasm::read::{Problem, read};
use crate::wasm::types::{Price, Whole};
use crate::wasm::write::to_object;

use super::read_messages;

/// Parameters without those that stay in JavaScript: functions, counters and signals.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ParameterOptions {
    #[serde(default)]
    strategies: Vec<StrategyOptions>,
    when: Option<When>,
    min_messages: Option<Whole<0>>,
    keep_at_least: Option<Whole<0>>,
    max_tokens: Option<SizeLimit>,
    reserve_tokens: Option<Whole<0>>,
    max_history_size: Option<SizeLimit>,
    on_overflow: Option<OnOverflow>,
    start_with: Option<StartWith>,
    provider: Option<Provider>,
    summary_prompt: Option<String>,
    summary_role: Option<SummaryRole>,
    summary_max_tokens: Option<Whole<1>>,
    summary_names: Option<Whole<0>>,
    prices: Option<Prices>,
    patience: Option<Price>,
    summary_request: Option<SummaryRequestKind>,
    arrival: Option<ArrivalOptions>,
}

#[derive(Deserialize)]
struct ArrivalOptions {
    lossless: bool,
    above: Option<Whole<1>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
enum SummaryRequestKind {
    Separate,
    Behind,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
enum When {
    Always,
    OverLimit,
    WorthIt,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
enum OnOverflow {
    Error,
    Send,
    TruncateResults,
}

#[derive(Deserialize, PartialEq)]
#[serde(rename_all = "camelCase")]
enum StartWith {
    User,
    Any,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Provider {
    OpenAi,
    Anthropic,
    Gemini,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
enum SummaryRole {
    User,
    Assistant,
}

/// A limit, and the sizes at which reducing begins and ends.
struct SizeLimit {
    max: u64,
    thresholds: Thresholds,
    /// True when the limit is given as a fraction of a context window.
    is_fraction: bool,
}

impl SizeLimit {
    fn of<E: Error>(number: f64, expected: &dyn Expected) -> Result<SizeLimit, E> {
        let max =
            Whole::<1>::from_number::<E>(number).map_err(|_| E::invalid_value(Unexpected::Float(number), expected))?;
        Ok(SizeLimit { max: max.0, thresholds: Thresholds::default(), is_fraction: false })
    }
}

impl<'de> Deserialize<'de> for SizeLimit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct LimitVisitor;

        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct LimitMembers {
            #[serde(default)]
            limit: Option<SizeLimit>,
            #[serde(default)]
            trigger: Option<f64>,
            #[serde(default)]
            target: Option<f64>,
            #[serde(default)]
            fraction: Option<f64>,
            #[serde(default)]
            window: Option<f64>,
        }

        impl<'de> Visitor<'de> for LimitVisitor {
            type Value = SizeLimit;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a whole number from 1 up, alone or in an object")
            }

            fn visit_f64<E: Error>(self, number: f64) -> Result<SizeLimit, E> {
                SizeLimit::of(number, &self)
            }

            fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<SizeLimit, A::Error> {
                let refused = || A::Error::invalid_type(Unexpected::Map, &self);
                let members = LimitMembers::deserialize(MapAccessDeserializer::new(members))?;
                let is_share = |share: f64| share > 0.0 && share <= 1.0;
                match members {
                    LimitMembers { limit: Some(limit), trigger, target, fraction: None, window: None } => {
                        let thresholds = Thresholds { trigger: trigger.unwrap_or(1.0), target };
                        let is_size = |size: Option<f64>| size.is_none_or(|size| size > 0.0);
                        let max = Whole::<1>(limit.max).size();
                        let (trigger_size, target_size) = thresholds.sizes(max);
                        let is_ordered = target_size <= trigger_size && trigger_size <= max as f64;
                        if is_size(trigger) && is_size(target) && is_ordered {
                            return Ok(SizeLimit { thresholds, ..limit });
                        }
                        // Integers, because formatting floats takes 6 kB of the download.
                        let [trigger, target] = [trigger_size, target_size].map(|size| size.floor() as i64);
                        Err(A::Error::custom(format_args!(
                            "a limit, a trigger up to the limit, and a target up to the trigger (these are {max}, \
                             {trigger} and {target}: a number up to 1 is a share of the limit)"
                        )))
                    }
                    LimitMembers {
                        limit: None,
                        trigger: None,
                        target: None,
                        fraction: Some(fraction),
                        window: Some(window),
                    } if is_share(fraction) => {
                        let limit = SizeLimit::of((fraction * window).floor(), &self)?;
                        Ok(SizeLimit { is_fraction: true, ..limit })
                    }
                    _ => Err(refused()),
                }
            }
        }

        deserializer.deserialize_any(LimitVisitor)
    }
}

/// A strategy. Its name decides which members are used.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct StrategyOptions {
    name: StrategyName,
    number: Option<Whole<0>>,
    at_least: Option<Whole<0>>,
    names: Option<Whole<0>>,
    head: Option<Whole<0>>,
    recall: Option<bool>,
    #[serde(default)]
    exclude: Vec<String>,
    clear_inputs: Option<ToolNames>,
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
    Digest,
    Host,
}

/// All tools, or those with these names.
#[derive(Deserialize)]
#[serde(untagged)]
enum ToolNames {
    All(bool),
    Only(Vec<String>),
}

impl From<ToolNames> for chat::ToolNames {
    fn from(given: ToolNames) -> chat::ToolNames {
        match given {
            ToolNames::All(true) => chat::ToolNames::All,
            ToolNames::All(false) => chat::ToolNames::default(),
            ToolNames::Only(names) => chat::ToolNames::Only(names.into_iter().map(Str::from).collect()),
        }
    }
}

#[derive(Deserialize)]
struct Concept {
    name: String,
    description: String,
}

impl From<StrategyOptions> for HistoryStrategy {
    fn from(given: StrategyOptions) -> HistoryStrategy {
        let or_none = |count: Option<Whole<0>>| count.map_or(0, Whole::size);
        let number = or_none(given.number);
        match given.name {
            StrategyName::WholeHistory => HistoryStrategy::WholeHistory,
            StrategyName::LastNMessages => HistoryStrategy::LastMessages(number),
            StrategyName::Chunked => HistoryStrategy::Chunked(number),
            StrategyName::FromTimestamp => HistoryStrategy::FromTimestamp(given.time.unwrap_or(0.0).ceil() as i64),
            StrategyName::WholeHistoryMultipleSystemMessages => HistoryStrategy::PerSystemMessage,
            StrategyName::RetrieveFacts => {
                let concepts = given.concepts.unwrap_or_default().into_iter();
                let concept = |Concept { name, description }| chat::Concept {
                    name: Str::from(name),
                    description: Str::from(description),
                };
                HistoryStrategy::RetrieveFacts(concepts.map(concept).collect())
            }
            StrategyName::Digest => HistoryStrategy::Digest(chat::Digest {
                keep: number,
                at_least: or_none(given.at_least),
                names: or_none(given.names),
                head: or_none(given.head),
                has_handles: given.recall.unwrap_or(false),
            }),
            StrategyName::ClearToolResults => HistoryStrategy::ClearToolResults(chat::Clearing {
                keep: number,
                at_least: or_none(given.at_least),
                names: or_none(given.names),
                exclude: given.exclude.into_iter().map(Str::from).collect(),
                inputs: given.clear_inputs.map(chat::ToolNames::from).unwrap_or_default(),
            }),
            StrategyName::Host => HistoryStrategy::Host { name: given.host.unwrap_or_default().into(), plan: None },
        }
    }
}

/// Checks parameters without making a plan, and returns a [`ParametersRecord`].
#[wasm_bindgen(js_name = checkParameters)]
pub fn check_parameters(parameters: &JsValue) -> Result<JsValue, Failure> {
    let parameters = read_parameters(parameters)?;
    Ok(to_object(&ParametersRecord {
        min_messages: parameters.min_messages,
        has_limits: parameters.max_tokens.is_some() || parameters.max_history_size.is_some(),
        weighs: parameters.weighs(),
        summary_role: &parameters.summary_role,
    }))
}

/// The parameters that JavaScript needs, including defaults.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ParametersRecord<'a> {
    min_messages: usize,
    has_limits: bool,
    weighs: bool,
    summary_role: &'a str,
}

pub(super) fn read_parameters(parameters: &JsValue) -> Result<Parameters, Failure> {
    let given: ParameterOptions = read(parameters, "").map_err(|problem| {
        let hint = match problem.path() {
            "maxTokens" => "5_000, { fraction: 0.7, window: 128_000 } or { limit: 5_000, trigger: 0.8, target: 0.5 }",
            "maxHistorySize" => "50 or { limit: 50, trigger: 0.8, target: 0.5 }",
            _ => return problem.into(),
        };
        Failure::from(problem).with_hint(hint)
    })?;
    if given.max_history_size.as_ref().is_some_and(|limit| limit.is_fraction) {
        let known = ["limit", "trigger", "target"].map(str::to_owned).to_vec();
        return Err(Problem::unknown("maxHistorySize.fraction", known).into());
    }
    let (tokens, reserved) = (given.max_tokens.as_ref().map(|limit| limit.max), given.reserve_tokens);
    if let (Some(max), Some(Whole(reserved))) = (tokens, reserved)
        && reserved >= max
    {
        let problem = format!("reserveTokens must leave some of maxTokens, {max}, got {reserved}");
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
            When::WorthIt => chat::When::WorthIt,
        }),
        min_messages: given.min_messages.map_or(defaults.min_messages, Whole::size),
        keep_at_least: given.keep_at_least.map_or(defaults.keep_at_least, Whole::size),
        max_tokens: tokens.map(|max| Whole::<1>(max).size()),
        reserve_tokens: reserved.map_or(defaults.reserve_tokens, Whole::size),
        max_history_size: given.max_history_size.as_ref().map(|limit| Whole::<1>(limit.max).size()),
        message_thresholds: given.max_history_size.map(|limit| limit.thresholds).unwrap_or_default(),
        token_thresholds: given.max_tokens.map(|limit| limit.thresholds).unwrap_or_default(),
        on_overflow: match given.on_overflow {
            None | Some(OnOverflow::Error) => chat::OnOverflow::Error,
            Some(OnOverflow::Send) => chat::OnOverflow::Send,
            Some(OnOverflow::TruncateResults) => chat::OnOverflow::TruncateResults,
        },
        starts_with_user: given.start_with.is_none_or(|start| start == StartWith::User),
        summary_prompt: given.summary_prompt.map(Str::from),
        summary_role: given.summary_role.map_or(defaults.summary_role, |role| match role {
            SummaryRole::User => "user".into(),
            SummaryRole::Assistant => "assistant".into(),
        }),
        summary_max_tokens: given.summary_max_tokens.map(Whole::size),
        summary_names: given.summary_names.map_or(defaults.summary_names, Whole::size),
        provider: given.provider.map_or(defaults.provider, |provider| match provider {
            Provider::OpenAi => chat::Provider::OpenAi,
            Provider::Anthropic => chat::Provider::Anthropic,
            Provider::Gemini => chat::Provider::Gemini,
        }),
        reports_cost: given.prices.is_some(),
        prices: given.prices.unwrap_or_default().resolve(),
        patience: given.patience.map_or(defaults.patience, |Price(patience)| patience),
        summary_place: match given.summary_request {
            None | Some(SummaryRequestKind::Separate) => chat::SummaryPlace::Separate,
            Some(SummaryRequestKind::Behind) => chat::SummaryPlace::Behind,
        },
        arrival: given
            .arrival
            .map(|ArrivalOptions { lossless, above }| Arrival { is_lossless: lossless, above: above.map(Whole::size) }),
    })
}

/// Only the last strategy may ask for summaries. What a strategy of the host asks for is known when it has answered. A
/// digest must be the only strategy, because its lines are made of whole results and decided again for each earlier
/// request.
fn strategies(given: Vec<StrategyOptions>) -> Result<Vec<HistoryStrategy>, Failure> {
    let strategies: Vec<HistoryStrategy> = given.into_iter().map(HistoryStrategy::from).collect();
    if strategies.len() > 1 && strategies.iter().any(|strategy| matches!(strategy, HistoryStrategy::Digest(_))) {
        return Err(Failure::new("invalid_option", "digest is no part of a list: it must be the only strategy")
            .with_detail("option", "compressionStrategy")
            .with_hint("digest() alone shortens results too; maxTokens cuts what is left"));
    }
    let first = strategies.split_last().map_or(&[][..], |(_, first)| first);
    let may_come_first = |strategy: &&HistoryStrategy| {
        matches!(strategy, HistoryStrategy::ClearToolResults(_) | HistoryStrategy::Host { .. })
    };
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

/// The request that is sent with a conversation, and the counter of its tokens.
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
    question: Option<QuestionOptions>,
    /// The number of the counter. Messages store their tokens under it; with 0 they store nothing.
    counter: Whole<0>,
    is_host: bool,
    /// How many tokens the provider counts for each token of the counter.
    factor: f64,
    /// Tokens that the provider counts in each request besides.
    fixed: Whole<0>,
    /// Seconds since the previous request.
    idle_seconds: Option<Price>,
    /// True when no request follows immediately.
    #[serde(default)]
    is_idle: bool,
}

impl ContextOptions {
    pub fn counts(&self, parameters: &Parameters) -> Counts {
        let Whole(number) = self.counter;
        let number = u32::try_from(number).unwrap_or(0);
        Counts::new(parameters.provider, number, self.is_host).scaled_by(self.factor)
    }

    pub fn exchange(self) -> Result<Exchange, Failure> {
        Ok(Exchange {
            messages: self.request.map(|text| read_messages(&text)).transpose()?,
            tools: self.tools.into_iter().map(Str::from).collect(),
            schema: self.schema.map(Str::from),
            fixed_tokens: self.fixed.size(),
            pause: self.idle_seconds.map(|Price(seconds)| 1000.0 * seconds),
            is_idle: self.is_idle,
            question: self.question.map(|QuestionOptions { start, end }| start.size()..end.size()),
        })
    }
}

/// The messages that are the question of the exchange at the end of a conversation: indexes from `start` to `end`.
#[derive(Deserialize)]
struct QuestionOptions {
    start: Whole<0>,
    end: Whole<0>,
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
