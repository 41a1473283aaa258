//! Exports for signatures of hosts. A signature is passed with each call, as the text or the fields that it was made
//! of: parsing one takes less time than the tool or the model that it is for.

use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::*;

use crate::signature::{Coerced, ExtraFields, Field, Mismatch, Side, Signature, from_value};
use crate::value::{Value, from_json, to_json, write_json};

use super::error::{Detail, Failure, MismatchRecord};
use super::read::read;
use super::write::to_object;
use crate::text::join;

/// Parses [`SignatureOptions`] and returns a [`SignatureRecord`].
#[wasm_bindgen(js_name = readSignature)]
pub fn read_signature(signature: &JsValue) -> Result<JsValue, Failure> {
    let signature = read::<SignatureOptions>(signature, "signature")?.parse()?;
    Ok(to_object(&SignatureRecord::of(&signature)))
}

/// The JSON Schema of one side of [`SignatureOptions`], as plain JSON text.
#[wasm_bindgen(js_name = signatureSchema)]
pub fn signature_schema(signature: &JsValue, input: bool) -> Result<String, Failure> {
    let signature = read::<SignatureOptions>(signature, "signature")?.parse()?;
    let mut out = String::new();
    // Writing fails for values that JSON lacks; a schema has none.
    let _ = write_json(&signature.json_schema(side(input), &[], true), &mut out);
    Ok(out)
}

/// The mismatches of [`FitOptions`], a list of [`MismatchRecord`].
#[wasm_bindgen(js_name = checkSignature)]
pub fn check_signature(options: &JsValue) -> Result<JsValue, Failure> {
    let FitOptions { signature, input, value } = read(options, "")?;
    let mismatches = signature.parse()?.check(&from_json(&value)?, side(input), ExtraFields::Dropped);
    Ok(to_object(&MismatchRecord::list(&mismatches)))
}

/// The coerced value of [`FitOptions`], a [`FitRecord`].
///
/// # Errors
///
/// `validation_error` for a value that does not fit.
#[wasm_bindgen(js_name = coerceSignature)]
pub fn coerce_signature(options: &JsValue) -> Result<JsValue, Failure> {
    let FitOptions { signature, input, value } = read(options, "")?;
    let side = side(input);
    match signature.parse()?.coerce(&from_json(&value)?, side, ExtraFields::Dropped) {
        Ok(coerced) => Ok(to_object(&FitRecord::of(coerced))),
        Err(mismatches) => Err(validation_error(side, &mismatches)),
    }
}

/// The coerced arguments of a tool call, a [`FitRecord`]. `args` is the JSON of the arguments by their names.
#[wasm_bindgen(js_name = toolArguments)]
pub fn tool_arguments(signature: &JsValue, args: &str) -> Result<JsValue, Failure> {
    let signature = read::<SignatureOptions>(signature, "signature")?.parse()?;
    Ok(to_object(&match signature.named_arguments(&from_json(args)?) {
        Ok(coerced) => FitRecord::of(coerced),
        Err(mismatches) => FitRecord::Differs { problems: MismatchRecord::list(&mismatches), repair: None },
    }))
}

fn side(input: bool) -> Side {
    if input { Side::Input } else { Side::Output }
}

/// A signature as a host writes it: a text, or fields.
#[derive(Deserialize)]
pub(super) struct SignatureOptions {
    /// In either notation. The other members are absent when it is present.
    text: Option<String>,
    /// JSON of a list of fields.
    inputs: Option<String>,
    /// JSON of a list of fields.
    outputs: Option<String>,
}

impl SignatureOptions {
    pub fn parse(&self) -> Result<Signature, Failure> {
        if let Some(text) = &self.text {
            let parsed = from_value(&Value::str(text));
            return parsed.map_err(|error| {
                Failure::diagnostic(&error.problem, &error.text).with_detail("signature", text.as_str())
            });
        }
        let mut sides = Vec::new();
        for (name, fields) in [("inputs", &self.inputs), ("outputs", &self.outputs)] {
            let fields = fields.as_deref().map(from_json).transpose()?;
            sides.push((Value::keyword(name), fields.unwrap_or_default()));
        }
        from_value(&Value::map(sides))
            .map_err(|error| Failure::diagnostic(&error.problem, &error.text).with_detail("path", error.path))
    }
}

/// A value to compare with a side of a signature.
#[derive(Deserialize)]
struct FitOptions {
    signature: SignatureOptions,
    /// True for the inputs, false for the outputs.
    input: bool,
    /// JSON.
    value: String,
}

/// A parsed signature.
#[derive(Serialize)]
struct SignatureRecord {
    text: String,
    /// JSON of each field.
    inputs: Vec<String>,
    /// JSON of each field of the returned record; empty when something else is returned.
    outputs: Vec<String>,
    returns: String,
    /// The text without hidden fields, for models.
    visible: String,
}

impl SignatureRecord {
    fn of(signature: &Signature) -> SignatureRecord {
        let fields = |fields: &[Field]| fields.iter().map(|field| to_json(&field.to_value())).collect();
        SignatureRecord {
            text: signature.to_string(),
            inputs: fields(&signature.parameters),
            outputs: fields(signature.outputs()),
            returns: signature.returns_text(false),
            visible: format!("({}) -> {}", signature.parameters_text(true), signature.returns_text(true)),
        }
    }
}

/// A coerced value, or why it does not fit.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum FitRecord {
    Fits {
        /// JSON.
        value: String,
        warnings: Vec<String>,
    },
    Differs {
        problems: Vec<MismatchRecord>,
        /// The message that asks the model again, when the value is its reply.
        repair: Option<String>,
    },
}

impl FitRecord {
    pub fn of(coerced: Coerced) -> FitRecord {
        FitRecord::Fits { value: to_json(&coerced.value), warnings: coerced.warnings }
    }
}

/// The error for a value that does not fit a side of its signature.
pub(super) fn validation_error(side: Side, mismatches: &[Mismatch]) -> Failure {
    let side = match side {
        Side::Input => "input",
        Side::Output => "output",
    };
    let texts: Vec<String> = mismatches.iter().map(Mismatch::to_string).collect();
    Failure::new("validation_error", format!("the {side}s do not fit the signature: {}", join(texts, "; ")))
        .with_detail("side", side)
        .with_detail("problems", Detail::Problems(MismatchRecord::list(mismatches)))
}
