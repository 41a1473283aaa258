//! What no turn changes: the SYSTEM message, and mission, tools, data and expected output at the start of the first
//! USER message. It stays byte for byte the same from turn to turn, so that providers can cache it (NS-012).

use crate::message::SectionKind;
use crate::value::{Str, Value, in_order, type_of};

use super::options::{RenderOptions, Tool};
use super::page::{Line, Page};
use super::text::{noted, on_one_line, sample, within_line};

/// The SYSTEM message.
pub fn system_page(options: &RenderOptions) -> Page {
    let mut page = Page::default();
    page.write(SectionKind::System, None, &(&*options.system_prompt).into());
    page
}

/// The mission, then the sections that stand before everything that turns bring.
pub fn stable_prefix(options: &RenderOptions) -> Page {
    let mut page = Page::default();
    page.write(SectionKind::Mission, None, &(&*options.mission).into());
    section(&mut page, SectionKind::Tool, ";; === tool/ ===", tool_lines(options));
    section(&mut page, SectionKind::Data, ";; === data/ ===", data_lines(options));
    section(&mut page, SectionKind::Expected, ";; === expected output ===", expected_lines(options));
    page
}

fn section(page: &mut Page, kind: SectionKind, header: &str, lines: Vec<String>) {
    if lines.is_empty() {
        return;
    }
    page.blank_line();
    page.write(kind, None, &header.into());
    for line in lines {
        page.write_below(kind, None, &Line::from(line));
    }
}

fn tool_lines(options: &RenderOptions) -> Vec<String> {
    let tools = in_order(&options.tools, |left, right| left.name.cmp(&right.name));
    tools.map(tool_line).collect()
}

/// `tool/name(params) -> return`, and the description (FMT-004).
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

/// `data/name`, its type and a sample (FMT-005).
fn data_lines(options: &RenderOptions) -> Vec<String> {
    let data = in_order(&options.data, |left, right| left.0.cmp(&right.0));
    let print = options.limits.sample_options();
    let line = |(name, value): &(Str, Value)| {
        let label = type_of(value);
        let note = match sample(name, value, &print) {
            Some(sample) => format!("{label}, sample: {sample}"),
            None => label,
        };
        noted(&format!("data/{name}"), &note)
    };
    data.map(line).collect()
}

/// The return type, then the fields that are described.
fn expected_lines(options: &RenderOptions) -> Vec<String> {
    let Some(signature) = &options.signature else { return Vec::new() };
    let mut lines = vec![signature.returns_text(false)];
    for path in signature.paths() {
        let described = options.field_descriptions.iter().find(|(described, _)| **described == *path);
        if let Some((path, description)) = described {
            lines.push(format!(";   {path}: {}", on_one_line(description)));
        }
    }
    lines
}
