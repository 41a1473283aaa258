//! The facts that folding needs of every turn, found in its saved form without parsing the values in it.

use std::ops::Range;

use crate::value::{Skim, Str, Value, from_json};

use super::TurnInit;

/// A text with at most this many levels of brackets holds only values within the limit of nesting.
const SHALLOW: usize = 300;

/// The facts of a turn that do not depend on its values.
#[derive(Debug)]
pub struct Outline {
    pub success: bool,
    pub has_memory: bool,
    pub defined: Option<Box<[Str]>>,
    pub prints: usize,
    pub tool_calls: usize,
}

impl Outline {
    pub fn of(success: bool, init: &TurnInit) -> Outline {
        Outline {
            success,
            has_memory: init.memory.is_some(),
            defined: init.defined.as_deref().map(Box::from),
            prints: init.prints.len(),
            tool_calls: init.tool_calls.len(),
        }
    }

    /// The outline of an encoded turn, and the range of its memory in the text. None for a text that has to be parsed
    /// as a whole to be certain.
    pub fn read(text: &str) -> Option<(Outline, Range<usize>)> {
        let mut outline = Outline { success: false, has_memory: false, defined: None, prints: 0, tool_calls: 0 };
        let mut has_success = false;
        let mut memory = 0..0;
        let mut turn = Skim::new(text);
        turn.open(b'{')?;
        while let Some(name) = turn.member()? {
            match name {
                "prints" => outline.prints = turn.items()?,
                "toolCalls" => outline.tool_calls = turn.items()?,
                "memory" => {
                    let start = turn.position();
                    outline.has_memory = turn.value()?.starts_with('{');
                    memory = start..turn.position();
                }
                other => {
                    let value = turn.value()?;
                    match other {
                        "success" => (outline.success, has_success) = (value == "true", true),
                        "defined" => outline.defined = Some(texts(value)?),
                        _ => {}
                    }
                }
            }
        }
        let is_sure = has_success && turn.is_at_end() && turn.deepest() <= SHALLOW;
        is_sure.then_some((outline, memory))
    }
}

fn texts(json: &str) -> Option<Box<[Str]>> {
    let Ok(Value::Vector(items)) = from_json(json) else { return None };
    let text = |item: &Value| match item {
        Value::Str(text) => Some(text.clone()),
        _ => None,
    };
    items.iter().map(text).collect()
}
