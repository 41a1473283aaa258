//! The messages that a model is sent, with the sections they consist of.

/// The author of a message. The discriminants are part of the boundary to JavaScript.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The static instructions.
    System,
    /// The mission, and the effects of the model's programs.
    User,
    /// The model.
    Assistant,
}

impl Role {
    /// The name in message formats.
    pub fn name(self) -> &'static str {
        match self {
            Role::System => "system",
            Role::User => "user",
            Role::Assistant => "assistant",
        }
    }
}

/// The content of a section. The discriminants are part of the boundary to JavaScript.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SectionKind {
    /// The system prompt.
    System,
    /// The task, as the host wrote it.
    Mission,
    /// `;; === tool/ ===`
    Tool,
    /// `;; === data/ ===`
    Data,
    /// `;; === expected output ===`
    Expected,
    /// `;; === user/ (your prelude) ===`
    User,
    /// `;; Tool calls made:`
    ToolCalls,
    /// `;; Output:`
    Output,
    /// The last error.
    Error,
    /// The number of turns left.
    TurnsLeft,
    /// A model's reply or its program.
    Program,
    /// The result of a program.
    Feedback,
    /// A blank line between two sections.
    Separator,
}

impl SectionKind {
    /// The name that hosts see.
    pub fn name(self) -> &'static str {
        match self {
            SectionKind::System => "system",
            SectionKind::Mission => "mission",
            SectionKind::Tool => "tool",
            SectionKind::Data => "data",
            SectionKind::Expected => "expected",
            SectionKind::User => "user",
            SectionKind::ToolCalls => "toolCalls",
            SectionKind::Output => "output",
            SectionKind::Error => "error",
            SectionKind::TurnsLeft => "turnsLeft",
            SectionKind::Program => "program",
            SectionKind::Feedback => "feedback",
            SectionKind::Separator => "separator",
        }
    }
}

/// A part of one message. Offsets are in UTF-16 units, as in JavaScript.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Section {
    /// Its content.
    pub kind: SectionKind,
    /// Offset of its first unit.
    pub start: usize,
    /// Offset after its last unit.
    pub end: usize,
    /// Index of the turn that it shows a part of; none when it does not depend on a single turn.
    pub turn: Option<usize>,
}

/// One message. Its sections tile the text: each begins where the previous one ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The author.
    pub role: Role,
    /// The whole text.
    pub text: String,
    /// The sections of the text, in order.
    pub sections: Vec<Section>,
}

/// Length of a text in UTF-16 units.
pub fn utf16_len(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.chars().map(char::len_utf16).sum() }
}
