//! The parts that do not depend on the turns: the SYSTEM message, and mission, tools, data and expected output at the
//! start of the first USER message. Their bytes stay the same from turn to turn, so that providers can cache them.

use crate::message::{Message, Role, SectionKind};
use crate::signature::Signature;
use crate::unicode::on_one_line;
use crate::value::{Str, Value, in_order};

use super::message_builder::MessageBuilder;
use super::options::{RenderOptions, Tool};
use super::text::{described_sample, label, noted, within_line};

/// The SYSTEM message.
pub fn system_message(options: &RenderOptions) -> Message {
    let mut builder = MessageBuilder::default();
    builder.push(SectionKind::System, None, &(&*options.system_prompt).into());
    builder.finish(Role::System)
}

/// The start of the first USER message.
pub fn stable_prefix(options: &RenderOptions) -> MessageBuilder {
    let mut builder = MessageBuilder::default();
    builder.push(SectionKind::Mission, None, &options.mission.trim_end().into());
    for tool in in_order(&options.tools, |left, right| left.name.cmp(&right.name)) {
        builder.push_line(SectionKind::Tool, None, &tool_line(tool).into());
        let paths = tool.signature.as_ref().map(Signature::parameter_paths).unwrap_or_default();
        for line in described_lines(&paths, &tool.field_descriptions) {
            builder.push_line(SectionKind::Tool, None, &line.into());
        }
    }
    for (name, value) in in_order(&options.data, |left, right| left.0.cmp(&right.0)) {
        builder.push_line(SectionKind::Data, None, &data_line(name, value, options).into());
    }
    for line in expected_lines(options) {
        builder.push_line(SectionKind::Expected, None, &line.into());
    }
    builder
}

/// `tool/name(params) -> return`, and the description.
fn tool_line(tool: &Tool) -> String {
    let shape = match &tool.signature {
        Some(signature) => format!("({}) -> {}", signature.parameters_text(true), signature.returns_text(true)),
        None => "(...) -> :any".to_owned(),
    };
    let name = within_line(&tool.name);
    let description = tool.description.as_deref().map(on_one_line).filter(|text| !text.is_empty());
    match description {
        Some(description) => format!("tool/{name}{shape}  ; {description}"),
        None => format!("tool/{name}{shape}"),
    }
}

/// `data/name`, its type and a sample.
fn data_line(name: &Str, value: &Value, options: &RenderOptions) -> String {
    let label = label(value);
    let note = match described_sample(name, value, &options.limits) {
        Some(sample) => format!("{label}, {sample}"),
        None => label,
    };
    noted(&format!("data/{name}"), &note)
}

/// The return type, then the fields that have a description.
fn expected_lines(options: &RenderOptions) -> Vec<String> {
    let Some(signature) = &options.signature else { return Vec::new() };
    let mut lines = vec![signature.returns_text(false)];
    lines.extend(described_lines(&signature.paths(), &options.field_descriptions));
    lines
}

/// The lines below a type that describe its fields, in the order of the paths.
fn described_lines(paths: &[String], descriptions: &[(Str, Str)]) -> Vec<String> {
    let of = |path: &String| descriptions.iter().find(|(described, _)| **described == **path);
    let line = |(path, text): &(Str, Str)| format!(";   {path}: {}", on_one_line(text));
    paths.iter().filter_map(of).map(line).collect()
}
