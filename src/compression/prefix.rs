//! The parts that do not depend on the turns: the SYSTEM message, and mission, tools, data and expected output at the
//! start of the first USER message. Their bytes stay the same from turn to turn, so that providers can cache them.

use crate::lisp::described_lines;
use crate::message::{Message, Role, SectionKind};
use crate::value::{Str, Value, in_order};

use super::catalogue;
use super::message_builder::MessageBuilder;
use super::options::RenderOptions;
use super::text::{described_sample, label, noted};

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
    for line in catalogue::lines(&options.tools, options.tool_budget) {
        builder.push_line(SectionKind::Tool, None, &line.into());
    }
    for (name, value) in in_order(&options.data, |left, right| left.0.cmp(&right.0)) {
        builder.push_line(SectionKind::Data, None, &data_line(name, value, options).into());
    }
    for line in expected_lines(options) {
        builder.push_line(SectionKind::Expected, None, &line.into());
    }
    builder
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
