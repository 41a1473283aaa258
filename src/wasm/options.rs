//! Options as JavaScript gives them: plain objects, read member by member so that an error names
//! the member and says what it must be.

use js_sys::{Array, JSON, Object, Reflect};
use wasm_bindgen::prelude::*;

use crate::compression::{Counting, Limits, RenderOptions, Strategy, Tool};
use crate::signature::{self, Signature};
use crate::subagent::system_prompt::system_prompt;
use crate::turn::memory_of;
use crate::value::{Str, Value};

use super::error::Failure;

const LIMITS: [&str; 6] =
    ["printlnLimit", "toolCallLimit", "sampleLimit", "samplePrintableLimit", "printLength", "toolResults"];

const RENDER_OPTIONS: [&str; 10] = [
    "mission",
    "systemPrompt",
    "tools",
    "data",
    "signature",
    "fieldDescriptions",
    "maxTurns",
    "turnsLeft",
    "strategy",
    "counter",
];

/// The most that a count can be; `Infinity` stands for it.
const MOST: f64 = u32::MAX as f64;

/// The options of a renderer. `strategy` is `{name, options}` or null.
pub fn render_options(options: &JsValue, data: Value) -> Result<RenderOptions, Failure> {
    let members = Members::open(options, "the options", &[&RENDER_OPTIONS, &LIMITS])?;
    let mut limits = Limits::default();
    read_limits(&members, &mut limits)?;
    let mut strategy = None;
    let given = members.get("strategy");
    if !given.is_null_or_undefined() {
        let given = Members { object: &given };
        let own = given.get("options");
        let (found, strategy_members) = named_strategy(&given.required("name", "of a strategy")?, &own)?;
        read_limits(&strategy_members, &mut limits)?;
        strategy = Some(found);
    }
    if let Some(Strategy::Aggressive { counting, .. }) = &mut strategy
        && members.text("counter")?.as_deref() == Some("host")
    {
        *counting = Counting::Host;
    }
    let max_turns = members.count("maxTurns", 1)?.unwrap_or(RenderOptions::MAX_TURNS);
    let signature = members.text("signature")?.map(|text| parse_signature(&text, "`signature`")).transpose()?;
    Ok(RenderOptions {
        mission: members
            .required("mission", "of an agent")
            .map_err(|failure| failure.with_hint("say in a text what the agent is to do"))?,
        system_prompt: members.text("systemPrompt")?.unwrap_or_else(|| system_prompt(max_turns).into()),
        tools: tools(&members)?,
        data: memory_of(&data)
            .ok_or_else(|| Failure::new("invalid_option", "`data` must be an object of values by name"))?
            .iter()
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect(),
        field_descriptions: field_descriptions(&members, signature.as_ref())?,
        signature,
        max_turns,
        turns_left: members.count("turnsLeft", 0)?,
        strategy,
        limits,
    })
}

/// The strategy of that name with its own options.
pub fn strategy(name: &str, options: &JsValue) -> Result<Strategy, Failure> {
    let (strategy, members) = named_strategy(name, options)?;
    read_limits(&members, &mut Limits::default())?;
    Ok(strategy)
}

fn named_strategy<'a>(name: &str, options: &'a JsValue) -> Result<(Strategy, Members<'a>), Failure> {
    let mut strategy = Strategy::named(name).ok_or_else(|| {
        let known =
            Strategy::ALL.iter().map(|strategy| format!("\"{}\"", strategy.name())).collect::<Vec<_>>().join(", ");
        Failure::new("unknown_strategy", format!("there is no strategy \"{name}\""))
            .with_hint(format!("known strategies: {known}"))
    })?;
    let own: &[&str] = match strategy {
        Strategy::RollingWindow { .. } => &["keep"],
        Strategy::Aggressive { .. } => &["budget", "counter"],
        Strategy::SingleUserCoalesced | Strategy::PerTurnSummary => &[],
    };
    let members = Members::open(options, &format!("the options of \"{name}\""), &[own, &LIMITS])?;
    match &mut strategy {
        Strategy::RollingWindow { keep } => *keep = members.count("keep", 0)?.unwrap_or(*keep),
        Strategy::Aggressive { budget, .. } => *budget = members.count("budget", 0)?.unwrap_or(*budget),
        Strategy::SingleUserCoalesced | Strategy::PerTurnSummary => {}
    }
    Ok((strategy, members))
}

fn read_limits(members: &Members<'_>, limits: &mut Limits) -> Result<(), Failure> {
    let places = [
        ("printlnLimit", &mut limits.println),
        ("toolCallLimit", &mut limits.tool_calls),
        ("sampleLimit", &mut limits.sample),
        ("samplePrintableLimit", &mut limits.sample_printable),
        ("printLength", &mut limits.print_length),
    ];
    for (name, place) in places {
        *place = members.count(name, 0)?.unwrap_or(*place);
    }
    limits.tool_results = members.flag("toolResults")?.unwrap_or(limits.tool_results);
    Ok(())
}

fn tools(members: &Members<'_>) -> Result<Vec<Tool>, Failure> {
    let listed = members.get("tools");
    if listed.is_null_or_undefined() {
        return Ok(Vec::new());
    }
    let Some(listed) = listed.dyn_ref::<Array>() else { return Err(refused("tools", "a list of tools", &listed)) };
    let mut tools = Vec::new();
    for tool in listed.iter() {
        let tool = Members { object: &tool };
        let name = tool.required("name", "of a tool")?;
        let signature = match tool.text("signature")? {
            Some(text) => Some(parse_signature(&text, &format!("the signature of tool `{name}`"))?),
            None => None,
        };
        tools.push(Tool { name, signature, description: tool.text("description")? });
    }
    Ok(tools)
}

pub(super) fn parse_signature(text: &str, what: &str) -> Result<Signature, Failure> {
    signature::parse(text).map_err(|mut diagnostic| {
        diagnostic.message = format!("{what} can't be read: {}", diagnostic.message);
        Failure::diagnostic(&diagnostic, text).with_detail("signature", text)
    })
}

fn field_descriptions(members: &Members<'_>, signature: Option<&Signature>) -> Result<Vec<(Str, Str)>, Failure> {
    let given = members.get("fieldDescriptions");
    if given.is_null_or_undefined() {
        return Ok(Vec::new());
    }
    let paths: Vec<String> = signature.map(described_paths).unwrap_or_default();
    let known = paths.iter().map(String::as_str).collect::<Vec<_>>();
    let descriptions = Members::open(&given, "`fieldDescriptions`", &[&known])?;
    let mut described = Vec::new();
    for path in &known {
        if let Some(text) = descriptions.text(path)? {
            described.push((Str::from(*path), text));
        }
    }
    Ok(described)
}

/// What can be described: the parameters, and every field of what is returned.
fn described_paths(signature: &Signature) -> Vec<String> {
    let mut paths = signature.paths();
    for field in &signature.parameters {
        paths.push(field.name.clone());
    }
    paths
}

/// The members of a plain object.
struct Members<'a> {
    object: &'a JsValue,
}

impl<'a> Members<'a> {
    /// Refuses names that are in none of the lists of known ones.
    fn open(object: &'a JsValue, what: &str, known: &[&[&str]]) -> Result<Members<'a>, Failure> {
        if object.is_null_or_undefined() {
            return Ok(Members { object });
        }
        let Some(members) = object.dyn_ref::<Object>() else {
            return Err(Failure::new("invalid_option", format!("{what} must be an object, got {}", shown(object))));
        };
        for name in Object::keys(members).iter().filter_map(|name| name.as_string()) {
            if !known.iter().any(|known| known.contains(&&*name)) {
                let hint = match known.concat().join(", ") {
                    none if none.is_empty() => "there is nothing to set here".to_owned(),
                    known => format!("known ones: {known}"),
                };
                let message = format!("{what} have no `{name}`");
                return Err(Failure::new("invalid_option", message).with_hint(hint).with_detail("option", name));
            }
        }
        Ok(Members { object })
    }

    /// The member, undefined when it is not there.
    fn get(&self, name: &str) -> JsValue {
        Reflect::get(self.object, &name.into()).unwrap_or(JsValue::UNDEFINED)
    }

    fn read<T>(&self, name: &str, expected: &str, read: impl Fn(&JsValue) -> Option<T>) -> Result<Option<T>, Failure> {
        let value = self.get(name);
        if value.is_null_or_undefined() {
            return Ok(None);
        }
        read(&value).map(Some).ok_or_else(|| refused(name, expected, &value))
    }

    /// A text that must be there.
    fn required(&self, name: &str, of: &str) -> Result<Str, Failure> {
        let missing = || Failure::new("invalid_option", format!("the `{name}` {of} is missing"));
        self.text(name)?.ok_or_else(missing)
    }

    fn text(&self, name: &str) -> Result<Option<Str>, Failure> {
        self.read(name, "a text", |value| value.as_string().map(Str::from))
    }

    fn flag(&self, name: &str) -> Result<Option<bool>, Failure> {
        self.read(name, "true or false", JsValue::as_bool)
    }

    fn count(&self, name: &str, least: u32) -> Result<Option<usize>, Failure> {
        self.read(name, &format!("a whole number from {least} up"), |value| {
            let number = value.as_f64()?;
            let whole = number >= f64::from(least) && (number.fract() == 0.0 || number.is_infinite());
            whole.then(|| number.min(MOST) as usize)
        })
    }
}

fn refused(name: &str, expected: &str, value: &JsValue) -> Failure {
    let message = format!("`{name}` must be {expected}, got {}", shown(value));
    Failure::new("invalid_option", message).with_detail("option", name)
}

/// A value as an error message shows it.
fn shown(value: &JsValue) -> String {
    match JSON::stringify(value) {
        Ok(text) if !text.is_undefined() => String::from(text).chars().take(60).collect(),
        _ => value.js_typeof().as_string().unwrap_or_default(),
    }
}
