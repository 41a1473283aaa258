//! Builds a message and records its sections.

use std::borrow::Cow;

use crate::message::{Message, Role, Section, SectionKind, utf16_len};

/// A text whose length in UTF-16 units is known, so that it is counted once however often it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// A line break and the text: most lines follow another one, so both are appended in one copy.
    below: String,
    utf16: usize,
}

impl Line {
    pub fn text(&self) -> &str {
        &self.below[1..]
    }
}

impl From<String> for Line {
    fn from(text: String) -> Line {
        Line::from(&*text)
    }
}

impl From<&str> for Line {
    fn from(text: &str) -> Line {
        let mut below = String::with_capacity(1 + text.len());
        below.push('\n');
        below.push_str(text);
        Line { utf16: utf16_len(text), below }
    }
}

/// The line that a section of this kind begins with. All of them are ASCII. Empty for kinds that have none.
pub fn header(kind: SectionKind) -> &'static str {
    match kind {
        SectionKind::Tool => ";; === tool/ ===",
        SectionKind::Data => ";; === data/ ===",
        SectionKind::Expected => ";; === expected output ===",
        SectionKind::User => ";; === user/ (your prelude) ===",
        SectionKind::ToolCalls => ";; Tool calls made:",
        SectionKind::Output => ";; Output:",
        _ => "",
    }
}

/// The header of a section that shows the last `shown` of `total` lines.
pub fn header_of(kind: SectionKind, shown: usize, total: usize) -> Cow<'static, str> {
    match shown {
        _ if shown == total => header(kind).into(),
        0 => format!("{} {total} (not shown)", header(kind)).into(),
        _ => format!("{} (the last {shown} of {total})", header(kind)).into(),
    }
}

/// A message under construction.
#[derive(Clone, Debug, Default)]
pub struct MessageBuilder {
    text: String,
    utf16: usize,
    sections: Vec<Section>,
}

impl MessageBuilder {
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Length in UTF-16 units.
    pub fn len(&self) -> usize {
        self.utf16
    }

    /// A copy whose text can grow to `bytes` without another allocation.
    pub fn clone_with_capacity(&self, bytes: usize) -> MessageBuilder {
        let mut text = String::with_capacity(bytes.max(self.text.len()));
        text.push_str(&self.text);
        MessageBuilder { text, utf16: self.utf16, sections: self.sections.clone() }
    }

    /// Appends a text. Adjacent texts of the same kind and turn are one section.
    pub fn push(&mut self, kind: SectionKind, turn: Option<usize>, line: &Line) {
        self.text.push_str(line.text());
        self.record(kind, turn, line.utf16);
    }

    /// Appends an ASCII text, whose length in UTF-16 units is its length in bytes.
    pub fn push_ascii(&mut self, kind: SectionKind, text: &str) {
        self.text.push_str(text);
        self.record(kind, None, text.len());
    }

    /// Begins a section that shows the last `shown` of `total` lines, which follow; nothing when there are none.
    pub fn begin_section(&mut self, kind: SectionKind, shown: usize, total: usize) {
        if total > 0 {
            self.blank_line();
            self.push_ascii(kind, &header_of(kind, shown, total));
        }
    }

    /// Appends a line to the section of this kind; the first line is preceded by a blank line and the [`header`].
    pub fn push_line(&mut self, kind: SectionKind, turn: Option<usize>, line: &Line) {
        if self.sections.last().is_none_or(|last| last.kind != kind) {
            self.blank_line();
            self.push_ascii(kind, header(kind));
        }
        self.text.push_str(&line.below);
        self.record(kind, turn, 1 + line.utf16);
    }

    /// Appends a blank line, unless the message is empty.
    pub fn blank_line(&mut self) {
        if !self.is_empty() {
            self.text.push_str("\n\n");
            self.record(SectionKind::Separator, None, 2);
        }
    }

    pub fn finish(self, role: Role) -> Message {
        Message { role, text: self.text, sections: self.sections }
    }

    fn record(&mut self, kind: SectionKind, turn: Option<usize>, utf16: usize) {
        let start = self.utf16;
        self.utf16 += utf16;
        match self.sections.last_mut() {
            Some(last) if last.kind == kind && last.turn == turn => last.end = self.utf16,
            _ if utf16 > 0 => self.sections.push(Section { kind, start, end: self.utf16, turn }),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_tile_the_text_in_utf16_units() {
        let mut builder = MessageBuilder::default();
        builder.blank_line();
        builder.push(SectionKind::Mission, None, &"größe 👍".into());
        builder.push_line(SectionKind::Output, Some(1), &"a".into());
        builder.push_line(SectionKind::Output, Some(1), &"b".into());
        let message = builder.finish(Role::User);
        assert_eq!(message.text, "größe 👍\n\n;; Output:\na\nb");
        let ends: Vec<_> = message
            .sections
            .iter()
            .map(|section| (section.kind.name(), section.start, section.end, section.turn))
            .collect();
        assert_eq!(
            ends,
            [
                ("mission", 0, 8, None),
                ("separator", 8, 10, None),
                ("output", 10, 20, None),
                ("output", 20, 24, Some(1))
            ]
        );
    }
}
