//! Signatures of hosts on this side of the boundary. A signature crosses as what it is made of, a text or fields, with
//! each call: reading one takes less than a tool that it is for.

use wasm_bindgen::prelude::*;

use crate::signature::{Coerced, ExtraFields, Mismatch, Side, Signature, from_value};
use crate::value::{Map, Value, append_json, to_json, write_json, write_json_string};

use super::error::Failure;
use super::incoming_value;
use super::parts::{list, malformed};

/// What the signature in the scratch buffer is: JSON of `{text, inputs, outputs, returns, visible}`.
#[wasm_bindgen(js_name = readSignature)]
pub fn read_signature(length: usize) -> Result<String, Failure> {
    Ok(to_json(&signature_of(&incoming_value(length)?)?.to_value()))
}

/// The JSON Schema of a side of the signature in the scratch buffer, as plain JSON.
#[wasm_bindgen(js_name = signatureSchema)]
pub fn signature_schema(length: usize, input: bool) -> Result<String, Failure> {
    let signature = signature_of(&incoming_value(length)?)?;
    let mut out = String::new();
    // A schema has nothing that JSON lacks.
    let _ = write_json(&signature.json_schema(side(input), &[], true), &mut out);
    Ok(out)
}

/// How a value fits a side: `[signature, value]` is in the scratch buffer. JSON of `{value, warnings, problems}` comes out,
/// the value made to fit when it was to be coerced.
#[wasm_bindgen(js_name = fitSignature)]
pub fn fit_signature(length: usize, input: bool, coerce: bool) -> Result<String, Failure> {
    let Value::Vector(parts) = incoming_value(length)? else { return Err(malformed("a signature and a value")) };
    let [signature, value] = parts.as_slice() else { return Err(malformed("a signature and a value")) };
    let signature = signature_of(signature)?;
    let mut out = String::new();
    if coerce {
        write_fit(&signature.coerce(value, side(input), ExtraFields::Dropped), &mut out);
    } else {
        write_fit(&Err(signature.check(value, side(input), ExtraFields::Dropped)), &mut out);
    }
    Ok(out)
}

/// The arguments of a tool call by name, made to fit: as [`fit_signature`], with what no model knows of left to the host.
#[wasm_bindgen(js_name = toolArguments)]
pub fn tool_arguments(length: usize) -> Result<String, Failure> {
    let Value::Vector(parts) = incoming_value(length)? else { return Err(malformed("a signature and a value")) };
    let [signature, value] = parts.as_slice() else { return Err(malformed("a signature and a value")) };
    let mut out = String::new();
    write_fit(&signature_of(signature)?.arguments(std::slice::from_ref(value)), &mut out);
    Ok(out)
}

fn side(input: bool) -> Side {
    if input { Side::Input } else { Side::Output }
}

/// `{"value":…,"warnings":[…]}` or `{"problems":[[path,message],…]}`
pub(super) fn write_fit(fit: &Result<Coerced, Vec<Mismatch>>, out: &mut String) {
    match fit {
        Ok(coerced) => {
            out.push_str("{\"value\":");
            append_json(&coerced.value, out);
            out.push_str(",\"warnings\":[");
            list(&coerced.warnings, out, |warning, out| write_json_string(warning, out));
        }
        Err(mismatches) => {
            out.push_str("{\"problems\":[");
            list(mismatches, out, |mismatch, out| {
                out.push('[');
                write_json_string(&mismatch.path, out);
                out.push(',');
                write_json_string(&mismatch.message, out);
                out.push(']');
            });
        }
    }
    out.push_str("]}");
}

/// The signature that is a member of what came in.
pub(super) fn signature_in(parts: &Map, name: &str) -> Result<Signature, Failure> {
    signature_of(parts.get_keyword(name).unwrap_or(&Value::Nil))
}

fn signature_of(value: &Value) -> Result<Signature, Failure> {
    from_value(value).map_err(|error| {
        let failure = Failure::diagnostic(&error.problem, &error.text);
        match value {
            Value::Str(text) => failure.with_detail("signature", &**text),
            _ => failure.with_detail("path", error.path),
        }
    })
}
