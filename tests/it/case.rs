//! Case files: inputs of the library and the expected outputs, as Markdown.
//!
//! A file begins with front matter, lines `name: value` between two lines `---`. `tests` lists the options,
//! strategies or builtins that the file tests; tests/README.md is the index by them. A title and prose follow,
//! then sections: a heading of the second level with prose and fenced blocks. What the headings and the languages of
//! the blocks mean is documented in the module that runs the files. tests/js/cases.mjs reads the same files for the
//! package.

use turnfold::lisp::read_value;
use turnfold::turn::memory_of;
use turnfold::value::{PrintOptions, Str, Value, to_clojure};

pub struct Case {
    front: Vec<(String, String)>,
    /// The first section is the text before the first heading.
    pub sections: Vec<Section>,
}

#[derive(Default)]
pub struct Section {
    pub heading: String,
    /// The unchanged lines, including the heading.
    source: String,
    prose: String,
    pub blocks: Vec<Block>,
}

/// A fenced block.
#[derive(Clone)]
pub struct Block {
    /// The info string after the backticks.
    pub info: String,
    pub text: String,
    /// The line of the file on which the text begins, counted from 1.
    pub line: usize,
}

impl Case {
    pub fn read(source: &str) -> Case {
        let mut case = Case { front: Vec::new(), sections: vec![Section::default()] };
        let mut lines = source.split_inclusive('\n').zip(1..).peekable();
        if lines.next_if(|(line, _)| *line == "---\n").is_some() {
            case.sections[0].source.push_str("---\n");
            for (line, _) in lines.by_ref() {
                case.sections[0].source.push_str(line);
                let Some((name, value)) = line.split_once(':') else { break };
                case.front.push((name.to_owned(), value.trim().to_owned()));
            }
        }
        while let Some((line, number)) = lines.next() {
            if let Some(heading) = line.strip_prefix("## ") {
                case.sections.push(Section { heading: heading.trim_end().to_owned(), ..Section::default() });
            }
            let section = case.sections.last_mut().expect("there is always one");
            section.source.push_str(line);
            let ticks = line.len() - line.trim_start_matches('`').len();
            if ticks < 3 {
                section.prose.push_str(if line.starts_with("## ") { "" } else { line });
                continue;
            }
            let (fence, info) = line.trim_end_matches('\n').split_at(ticks);
            let mut text = Vec::new();
            for (line, _) in lines.by_ref() {
                section.source.push_str(line);
                match line.trim_end_matches('\n') {
                    line if line == fence => break,
                    line => text.push(line),
                }
            }
            section.blocks.push(Block { info: info.to_owned(), text: text.join("\n"), line: number + 1 });
        }
        case
    }

    /// The value of a name in the front matter.
    pub fn front(&self, name: &str) -> Option<&str> {
        self.front.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }

    /// Returns the file with the blocks replaced in the sections for which `blocks` returns some.
    pub fn updated(&self, mut blocks: impl FnMut(&Section) -> Option<Vec<Block>>) -> String {
        let section = |section: &Section| match blocks(section) {
            Some(blocks) => section.with(&blocks),
            None => section.source.clone(),
        };
        let file: String = self.sections.iter().map(section).collect();
        format!("{}\n", file.trim_end())
    }
}

impl Section {
    fn with(&self, blocks: &[Block]) -> String {
        let parts = [format!("## {}", self.heading), self.prose.trim().to_owned()].into_iter();
        let parts = parts.chain(blocks.iter().map(Block::written)).filter(|part| !part.is_empty());
        format!("{}\n\n", parts.collect::<Vec<_>>().join("\n\n"))
    }

    pub fn has(&self, info: &str) -> bool {
        self.blocks.iter().any(|block| block.info == info)
    }

    /// The texts of the blocks with this info.
    pub fn texts<'s>(&'s self, info: &'s str) -> impl Iterator<Item = &'s str> {
        self.blocks.iter().filter(move |block| block.info == info).map(|block| block.text.as_str())
    }
}

impl Block {
    pub fn new(info: &str, text: impl Into<String>) -> Block {
        Block { info: info.to_owned(), text: text.into(), line: 0 }
    }

    /// The block in a fence that is longer than every fence in its text.
    fn written(&self) -> String {
        let ticks = self.text.split(|c| c != '`').map(str::len).max().unwrap_or(0).max(2) + 1;
        let fence = "`".repeat(ticks);
        format!("{fence}{}\n{}\n{fence}", self.info, self.text)
    }
}

/// A value written as Clojure text.
pub fn value(text: &str) -> Value {
    read_value(text).unwrap_or_else(|error| panic!("{error} in {text}"))
}

/// The entries of a map whose keys are names.
pub fn members(value: &Value) -> Vec<(Str, Value)> {
    let names = memory_of(value).expect("a map with names");
    names.iter().map(|(name, value)| (name.clone(), value.clone())).collect()
}

pub fn member<'v>(map: &'v Value, name: &str) -> Option<&'v Value> {
    match map {
        Value::Map(members) => members.get_keyword(name),
        other => panic!("{} is no map", shown(other)),
    }
}

pub fn items(value: &Value) -> &[Value] {
    match value {
        Value::Vector(items) => items.as_slice(),
        other => panic!("{} is no list", shown(other)),
    }
}

pub fn text(value: &Value) -> &str {
    value.as_str().expect("a text")
}

pub fn count(value: &Value) -> usize {
    match value {
        Value::Int(count) => usize::try_from(*count).expect("a count"),
        other => panic!("{} is no whole number", shown(other)),
    }
}

/// A value as Clojure text, whole.
pub fn shown(value: &Value) -> String {
    to_clojure(value, &PrintOptions { filter_hidden: false, ..PrintOptions::default() }).text
}
