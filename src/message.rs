//! What a model is sent, with an account of where every stretch of it comes from.

/// Who speaks. The numbers are those of the boundary to JavaScript.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The static instructions.
    System,
    /// The mission and what was learned.
    User,
    /// The model itself.
    Assistant,
}

impl Role {
    /// The name that message formats use.
    pub fn name(self) -> &'static str {
        match self {
            Role::System => "system",
            Role::User => "user",
            Role::Assistant => "assistant",
        }
    }
}

/// What a stretch of a message is. The numbers are those of the boundary to JavaScript.
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
    /// How many turns are left.
    TurnsLeft,
    /// A model's reply or its program.
    Program,
    /// What a program came to.
    Feedback,
    /// Blank lines between the others.
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

/// A stretch of one message, in UTF-16 units, which is what JavaScript counts in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Section {
    /// What it is.
    pub kind: SectionKind,
    /// Offset of its first unit.
    pub start: usize,
    /// Offset behind its last unit.
    pub end: usize,
    /// Index of the turn that it tells of, when it tells of one.
    pub turn: Option<usize>,
}

/// One message. Its sections tile the text: each begins where the one before ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said.
    pub text: String,
    /// What each stretch of the text is.
    pub sections: Vec<Section>,
}

/// Length of a text in UTF-16 units.
pub fn utf16_len(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.chars().map(char::len_utf16).sum() }
}
