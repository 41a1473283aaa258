//! Exports for typed calls. Like a signature, a program is passed with each call: it is small compared with the history
//! that is passed with it.

use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::*;

use crate::message::Role;
use crate::predict::{self, BadTurn, ModelRequest, Program, ProgramError, RequestError};
use crate::signature::Side;
use crate::value::{Value, from_json};

use super::error::{Failure, MismatchRecord};
use super::read::read;
use super::signature::{FitRecord, SignatureOptions, validation_error};
use super::write::{MessageRecord, to_json, to_object};

/// Checks [`ProgramOptions`] and returns the JSON Schema of the replies, as plain JSON text.
#[wasm_bindgen(js_name = checkProgram)]
pub fn check_program(options: &JsValue) -> Result<String, Failure> {
    Ok(read::<ProgramOptions>(options, "")?.program()?.schema())
}

/// The request that [`RequestOptions`] describe: JSON text of a [`PromptRecord`].
#[wasm_bindgen(js_name = programRequest)]
pub fn program_request(options: &JsValue) -> Result<String, Failure> {
    let options: RequestOptions = read(options, "")?;
    let history: Vec<Value> = options.history.iter().map(|turn| from_json(turn)).collect::<Result<_, _>>()?;
    match options.program.program()?.request(&options.inputs()?, &history) {
        Ok(request) => Ok(to_json(&PromptRecord::of(&request))),
        Err(RequestError::Inputs(mismatches)) => Err(validation_error(Side::Input, &mismatches)),
        Err(RequestError::History(turn)) => Err(bad_turn("invalid_history_element", "element", &turn)),
    }
}

/// The outputs that [`ReplyOptions`] hold, a [`FitRecord`].
#[wasm_bindgen(js_name = programOutputs)]
pub fn program_outputs(options: &JsValue) -> Result<JsValue, Failure> {
    let ReplyOptions { program, request, reply } = read(options, "")?;
    let program = program.program()?;
    Ok(to_object(&match program.outputs(&reply) {
        Ok(coerced) => FitRecord::of(coerced),
        Err(mismatches) => FitRecord::Differs {
            problems: MismatchRecord::list(&mismatches),
            repair: Some(program.repair(&request, &reply, &mismatches)),
        },
    }))
}

/// The options of a program.
#[derive(Deserialize)]
struct ProgramOptions {
    signature: SignatureOptions,
    /// The signature of the history's turns when those have other outputs.
    turns: Option<SignatureOptions>,
    #[serde(default)]
    adapter: Adapter,
    instructions: String,
    /// JSON of a list.
    demos: String,
}

#[derive(Clone, Copy, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
enum Adapter {
    #[default]
    Default,
    Chat,
    Json,
}

impl From<Adapter> for predict::Adapter {
    fn from(adapter: Adapter) -> predict::Adapter {
        match adapter {
            Adapter::Default => predict::Adapter::Default,
            Adapter::Chat => predict::Adapter::Chat,
            Adapter::Json => predict::Adapter::Json,
        }
    }
}

impl ProgramOptions {
    fn program(&self) -> Result<Program, Failure> {
        let turns = self.turns.as_ref().map(SignatureOptions::parse).transpose()?;
        let signature = self.signature.parse()?;
        let demos = from_json(&self.demos)?;
        let demos = if let Value::Vector(demos) = &demos { demos.as_slice() } else { &[] };
        let program = Program::new(signature, turns.as_ref(), self.adapter.into(), &self.instructions, demos);
        program.map_err(|problem| match problem {
            ProgramError::Signature(problem) => Failure::diagnostic(&problem, ""),
            ProgramError::Demo(turn) => bad_turn("invalid_demo", "demo", &turn),
        })
    }
}

/// The options of a request.
#[derive(Deserialize)]
struct RequestOptions {
    program: ProgramOptions,
    /// JSON of values by name.
    inputs: String,
    /// The steps so far, which become the input `trajectory`.
    trajectory: Option<Vec<StepOptions>>,
    /// JSON of each turn.
    history: Vec<String>,
}

/// A step of a program that calls tools.
#[derive(Deserialize)]
struct StepOptions {
    thought: String,
    tool: String,
    /// JSON.
    args: Option<String>,
    /// JSON of the tool's result.
    observation: Option<String>,
    /// The error of the tool, when there is no result.
    error: Option<String>,
}

impl RequestOptions {
    fn inputs(&self) -> Result<Value, Failure> {
        let mut inputs = from_json(&self.inputs)?;
        if let (Value::Map(inputs), Some(steps)) = (&mut inputs, &self.trajectory) {
            let steps: Vec<Value> = steps.iter().map(StepOptions::value).collect::<Result<_, _>>()?;
            inputs.insert(Value::keyword("trajectory"), Value::vector(steps));
        }
        Ok(inputs)
    }
}

impl StepOptions {
    /// The step as models see it, without the members that are absent.
    fn value(&self) -> Result<Value, Failure> {
        let args = self.args.as_deref().map(from_json).transpose()?;
        let observation = self.observation.as_deref().map(from_json).transpose()?;
        let members = [
            ("thought", Some(Value::str(&self.thought))),
            ("tool", Some(Value::str(&self.tool))),
            ("args", args),
            ("observation", observation),
            ("error", self.error.as_deref().map(Value::str)),
        ];
        let present = members.into_iter().filter_map(|(name, value)| Some((Value::keyword(name), value?)));
        Ok(Value::map(present))
    }
}

/// A reply to a request.
#[derive(Deserialize)]
struct ReplyOptions {
    program: ProgramOptions,
    /// The last message of the request.
    request: String,
    reply: String,
}

/// The messages of a request.
#[derive(Serialize)]
struct PromptRecord<'a> {
    before: Vec<MessageRecord<'a>>,
    history: Vec<TurnRecord<'a>>,
    request: &'a str,
    warnings: &'a [String],
}

/// The two messages of a turn.
#[derive(Serialize)]
struct TurnRecord<'a> {
    user: &'a str,
    assistant: &'a str,
}

impl PromptRecord<'_> {
    fn of(request: &ModelRequest) -> PromptRecord<'_> {
        PromptRecord {
            before: request
                .before
                .iter()
                .map(|(role, content)| MessageRecord { role: role_name(*role), content })
                .collect(),
            history: request.history.iter().map(|[user, assistant]| TurnRecord { user, assistant }).collect(),
            request: &request.request,
            warnings: &request.warnings,
        }
    }
}

fn role_name(role: Role) -> &'static str {
    match role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
    }
}

fn bad_turn(code: &'static str, what: &str, turn: &BadTurn) -> Failure {
    let why = match turn.reason {
        "missing_input_fields" => "has none of the inputs",
        "missing_output_fields" => "has none of the outputs",
        _ => "is no object of values by name",
    };
    Failure::new(code, format!("{what} {} {why}", turn.index))
        .with_detail("index", turn.index)
        .with_detail("reason", turn.reason)
        .with_hint("it holds some inputs and some outputs of the signature, under their names")
}
