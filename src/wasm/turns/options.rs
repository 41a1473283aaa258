//! The options of a renderer, as JavaScript passes them.

use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;

use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, SeqAccess, Visitor};
use wasm_bindgen::prelude::*;

use crate::compression::{self, Counting, Limits, Strategy};
use crate::lisp::{self, ToolSpec, UnwritableName};
use crate::signature::{self, Signature};
use crate::subagent::system_prompt::{shown_output, system_prompt};
use crate::turn::memory_of;
use crate::value::{Names, Str, Value, from_json, write_json_string};

use crate::text::join;
use crate::wasm::error::Failure;
use crate::wasm::prices::Prices;
use crate::wasm::read::{Problem, read};
use crate::wasm::types::{ByName, Count, Price};

/// How much of a history is shown.
#[derive(Debug, Default, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct LimitOptions {
    println_limit: Option<Count<0>>,
    tool_call_limit: Option<Count<0>>,
    sample_limit: Option<Count<0>>,
    sample_printable_limit: Option<Count<0>>,
    sample_names: Option<Count<0>>,
    print_length: Option<Count<0>>,
    tool_results: Option<bool>,
    arrival: Option<ArrivalForm>,
}

/// The form in which prints are shown.
#[derive(Clone, Copy, Debug, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
enum ArrivalForm {
    Lossless,
}

/// The options of the strategy `rolling-window`.
#[derive(Debug, Default, serde::Deserialize)]
struct RollingWindowOptions {
    #[serde(rename = "...")]
    limits: LimitOptions,
    keep: Option<Count<0>>,
}

/// The options of the strategy `aggressive`.
#[derive(Debug, Default, serde::Deserialize)]
struct AggressiveOptions {
    #[serde(rename = "...")]
    limits: LimitOptions,
    budget: Option<Count<0>>,
    counter: Option<Counter>,
}

/// The options of the strategy `journal`.
#[derive(Debug, Default, serde::Deserialize)]
struct JournalOptions {
    #[serde(rename = "...")]
    limits: LimitOptions,
    keep: Option<Count<0>>,
    prices: Option<Prices>,
    patience: Option<Price>,
    budget: Option<Count<0>>,
    counter: Option<Counter>,
}

/// The options of a renderer.
#[derive(Debug, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct RenderOptions {
    #[serde(rename = "...")]
    limits: LimitOptions,
    mission: String,
    system_prompt: Option<String>,
    /// As for [`read_tools`].
    tools: Option<String>,
    tool_budget: Option<Count<0>>,
    /// JSON of values by name.
    data: Option<String>,
    signature: Option<String>,
    field_descriptions: Option<ByName<String>>,
    max_turns: Option<Count<1>>,
    turns_left: Option<Count<0>>,
    compression: Option<Compression>,
}

/// Who counts tokens.
#[derive(Debug, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
enum Counter {
    Estimate,
    Host,
}

/// Tools by name.
type NamedTools = Vec<(Str, Rc<ToolSpec>)>;

thread_local! {
    /// The last tools that were read: the renderer and the sandbox of a run, and those of the next run, have the same.
    static LAST_TOOLS: RefCell<(String, NamedTools)> = RefCell::default();
}

/// The tools of a host, as JSON: `[name, signature, description, [[path, description], …], hostChecks]` for each, which
/// the package's TypeScript has checked. Reading a thousand objects member by member would take fifty times as long.
pub(in crate::wasm) fn read_tools(json: &str) -> Result<NamedTools, Failure> {
    LAST_TOOLS.with_borrow_mut(|(text, read)| {
        if json != text {
            let tools = from_json(json)?;
            *read = items(&tools).iter().map(read_tool).collect::<Result<_, _>>()?;
            json.clone_into(text);
        }
        Ok(read.clone())
    })
}

fn items(value: &Value) -> &[Value] {
    if let Value::Vector(items) = value { items.as_slice() } else { &[] }
}

fn read_tool(tool: &Value) -> Result<(Str, Rc<ToolSpec>), Failure> {
    let member = |index: usize| items(tool).get(index).unwrap_or(&Value::Nil);
    let text = |index: usize| member(index).as_str().map(Str::from);
    let name = text(0).unwrap_or_default();
    lisp::check_tool_name(&name).map_err(|problem| Failure::diagnostic(&problem, "").with_detail("tool", &*name))?;
    let parse = |text: Str| parse_signature(&text, &format!("the signature of the tool \"{name}\""));
    let signature = text(1).map(parse).transpose()?;
    let mut given = ByName::default();
    for described in items(member(3)) {
        if let [path, text] = items(described) {
            given.0.push((path.as_str().unwrap_or_default().into(), text.as_str().unwrap_or_default().into()));
        }
    }
    let mut field_descriptions = Vec::new();
    if !given.0.is_empty() {
        let known = signature.as_ref().map(Signature::parameter_paths).unwrap_or_default();
        field_descriptions = descriptions(given, &known).map_err(|path| {
            let parameters =
                if known.is_empty() { "it has none".to_owned() } else { format!("there are {}", join(&known, ", ")) };
            Failure::new("invalid_tool", format!("the tool \"{name}\" has no parameter {path}"))
                .with_hint(parameters)
                .with_detail("tool", &*name)
                .with_detail("path", path)
        })?;
    }
    let is_checked_by_host = matches!(member(4), Value::Bool(true));
    Ok((name, Rc::new(ToolSpec { signature, description: text(2), field_descriptions, is_checked_by_host })))
}

/// The setting of compression.
#[derive(Debug, Default)]
enum Compression {
    /// Absent or `true`.
    #[default]
    Default,
    /// `false` or null.
    Off,
    /// A name, or a pair of a name and options.
    Strategy(Strategy, LimitOptions),
    /// A name that no strategy has.
    Unknown(String),
}

impl<'de> Deserialize<'de> for Compression {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Setting;

        impl<'de> Visitor<'de> for Setting {
            type Value = Compression;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("true, false, a strategy, or a pair of a strategy and its options")
            }

            fn visit_bool<E: Error>(self, is_on: bool) -> Result<Compression, E> {
                Ok(if is_on { Compression::Default } else { Compression::Off })
            }

            fn visit_unit<E: Error>(self) -> Result<Compression, E> {
                Ok(Compression::Off)
            }

            fn visit_str<E: Error>(self, name: &str) -> Result<Compression, E> {
                Ok(match Strategy::named(name) {
                    Some(strategy) => Compression::Strategy(strategy, LimitOptions::default()),
                    None => Compression::Unknown(name.to_owned()),
                })
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut pair: A) -> Result<Compression, A::Error> {
                let Some(name) = pair.next_element::<String>()? else { return Err(A::Error::invalid_length(0, &self)) };
                let mut strategy = Strategy::named(&name);
                let limits = match &mut strategy {
                    None => {
                        pair.next_element::<IgnoredAny>()?;
                        LimitOptions::default()
                    }
                    Some(Strategy::RollingWindow { keep }) => {
                        let options: RollingWindowOptions = next_options(&mut pair)?;
                        *keep = options.keep.map_or(*keep, |Count(keep)| keep);
                        options.limits
                    }
                    Some(Strategy::Aggressive { budget, counting }) => {
                        let options: AggressiveOptions = next_options(&mut pair)?;
                        *budget = options.budget.map_or(*budget, |Count(budget)| budget);
                        if let Some(Counter::Host) = options.counter {
                            *counting = Counting::Host;
                        }
                        options.limits
                    }
                    Some(Strategy::Journal(journal)) => {
                        let options: JournalOptions = next_options(&mut pair)?;
                        journal.keep = options.keep.map_or(journal.keep, |Count(keep)| keep);
                        journal.prices = options.prices.unwrap_or_default().resolve();
                        journal.patience = options.patience.map_or(journal.patience, |Price(patience)| patience);
                        journal.budget = options.budget.map(|Count(budget)| budget);
                        if let Some(Counter::Host) = options.counter {
                            journal.counting = Counting::Host;
                        }
                        options.limits
                    }
                    Some(Strategy::SingleUserCoalesced | Strategy::PerTurnSummary) => next_options(&mut pair)?,
                };
                if pair.next_element::<IgnoredAny>()?.is_some() {
                    return Err(A::Error::invalid_length(3, &self));
                }
                Ok(match strategy {
                    Some(strategy) => Compression::Strategy(strategy, limits),
                    None => Compression::Unknown(name),
                })
            }
        }

        deserializer.deserialize_any(Setting)
    }
}

/// The options after a name, which may be absent.
fn next_options<'de, A: SeqAccess<'de>, T: Deserialize<'de> + Default>(pair: &mut A) -> Result<T, A::Error> {
    Ok(pair.next_element::<Option<T>>()?.flatten().unwrap_or_default())
}

impl Compression {
    fn resolve(self) -> Result<(Option<Strategy>, LimitOptions), Failure> {
        match self {
            Compression::Default => Ok((compression::RenderOptions::default().strategy, LimitOptions::default())),
            Compression::Off => Ok((None, LimitOptions::default())),
            Compression::Strategy(strategy, limits) => Ok((Some(strategy), limits)),
            Compression::Unknown(name) => {
                let known = join(Strategy::ALL.map(|strategy| format!("\"{}\"", strategy.name())), ", ");
                let failure = Failure::new("unknown_strategy", format!("there is no strategy \"{name}\""));
                Err(failure.with_hint(format!("known strategies: {known}")))
            }
        }
    }
}

/// What the next message shows of the output of a program with this setting of compression.
pub(in crate::wasm) fn shown_with(compression: &JsValue) -> Result<String, Failure> {
    let (strategy, own) = read::<Compression>(compression, "compression").map_err(own_option)?.resolve()?;
    let mut limits = Limits::default();
    own.apply(&mut limits);
    Ok(shown_output(strategy.as_ref(), &limits))
}

impl LimitOptions {
    fn apply(&self, limits: &mut Limits) {
        let slots = [
            (self.println_limit, &mut limits.println),
            (self.tool_call_limit, &mut limits.tool_calls),
            (self.sample_limit, &mut limits.sample),
            (self.sample_printable_limit, &mut limits.sample_printable),
            (self.sample_names, &mut limits.sample_names),
            (self.print_length, &mut limits.print_length),
        ];
        for (given, slot) in slots {
            *slot = given.map_or(*slot, |Count(count)| count);
        }
        limits.tool_results = self.tool_results.unwrap_or(limits.tool_results);
        limits.lossless |= matches!(self.arrival, Some(ArrivalForm::Lossless));
    }
}

/// The options of a renderer.
pub(in crate::wasm) fn render_options(options: &JsValue) -> Result<compression::RenderOptions, Failure> {
    let given: RenderOptions = read(options, "").map_err(|problem| match problem.is_missing("mission") {
        true => Failure::from(problem).with_hint("say what the agent is to do"),
        false => own_option(problem).into(),
    })?;
    let mut limits = Limits::default();
    given.limits.apply(&mut limits);
    let (strategy, own) = given.compression.unwrap_or_default().resolve()?;
    own.apply(&mut limits);
    let max_turns = given.max_turns.map_or(compression::RenderOptions::MAX_TURNS, |Count(count)| count);
    let signature = given.signature.map(|text| parse_signature(&text, "`signature`")).transpose()?;
    let tools = given.tools.as_deref().map(read_tools).transpose()?.unwrap_or_default();
    let mut data = Vec::new();
    if let Some(json) = &given.data {
        let named = data_of(&from_json(json)?)?;
        data.extend(named.iter().map(|(name, value)| (name.clone(), value.clone())));
    }
    let shown = || shown_output(strategy.as_ref(), &limits);
    let system_prompt = given.system_prompt.unwrap_or_else(|| system_prompt(max_turns, &shown()));
    Ok(compression::RenderOptions {
        mission: given.mission.into(),
        system_prompt: system_prompt.into(),
        tools,
        tool_budget: given.tool_budget.map(|Count(count)| count),
        data,
        field_descriptions: field_descriptions(given.field_descriptions.unwrap_or_default(), signature.as_ref())?,
        signature,
        max_turns,
        turns_left: given.turns_left.map(|Count(count)| count),
        strategy,
        limits,
    })
}

/// Values by name as data, under the names that programs write.
pub(in crate::wasm) fn data_of(values: &Value) -> Result<Names<Value>, Failure> {
    let named = memory_of(values).unwrap_or_default();
    lisp::written_data(named.iter()).map_err(|UnwritableName { name, problem }| {
        let mut path = String::from("data[");
        write_json_string(&name, &mut path);
        path.push(']');
        Failure::diagnostic(&problem, "").with_detail("path", path)
    })
}

/// The name of the strategy that a compression setting selects; none when it is off.
pub(in crate::wasm) fn strategy_name(setting: &JsValue) -> Result<Option<&'static str>, Failure> {
    let (strategy, _) = read::<Compression>(setting, "compression").map_err(own_option)?.resolve()?;
    Ok(strategy.map(|strategy| strategy.name()))
}

/// Replaces the path of a problem with a strategy's own option by the name of the option alone.
fn own_option(problem: Problem) -> Problem {
    match problem.path().strip_prefix("compression[1].").map(str::to_owned) {
        Some(name) => problem.at(name),
        None => problem,
    }
}

/// Parses a signature in either notation. Errors call it `what`.
pub(in crate::wasm) fn parse_signature(text: &str, what: &str) -> Result<Signature, Failure> {
    signature::parse_of_turns(text).map_err(|mut diagnostic| {
        diagnostic.message = format!("{what} can't be read: {}", diagnostic.message);
        Failure::diagnostic(&diagnostic, text).with_detail("signature", text)
    })
}

/// The descriptions in the order of the fields: those of the returned value, then the parameters.
fn field_descriptions(given: ByName<String>, signature: Option<&Signature>) -> Result<Vec<(Str, Str)>, Failure> {
    let mut known = Vec::new();
    if let Some(signature) = signature {
        known = signature.paths();
        known.extend(signature.parameters.iter().map(|field| field.name.to_string()));
    }
    descriptions(given, &known).map_err(|name| Problem::unknown(&name, known).within("fieldDescriptions").into())
}

/// The descriptions in the order of the `known` paths. The error is a path that is not known.
fn descriptions(given: ByName<String>, known: &[String]) -> Result<Vec<(Str, Str)>, String> {
    let ByName(mut given) = given;
    let mut described = Vec::new();
    for path in known {
        if let Some(index) = given.iter().position(|(name, _)| name == path) {
            let (name, text) = given.remove(index);
            described.push((name.into(), text.into()));
        }
    }
    match given.into_iter().next() {
        None => Ok(described),
        Some((name, _)) => Err(name),
    }
}
