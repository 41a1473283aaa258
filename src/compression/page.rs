//! Writes a message and keeps the account of its sections.

use crate::message::{Message, Role, Section, SectionKind, utf16_len};

/// A text whose length in UTF-16 units is known, so that writing it again does not count again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The text behind a line break, for that is how most are written.
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

/// A message being written.
#[derive(Clone, Debug, Default)]
pub struct Page {
    text: String,
    utf16: usize,
    sections: Vec<Section>,
}

impl Page {
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// A copy with room for so many bytes in all.
    pub fn with_room(&self, bytes: usize) -> Page {
        let mut text = String::with_capacity(bytes.max(self.text.len()));
        text.push_str(&self.text);
        Page { text, utf16: self.utf16, sections: self.sections.clone() }
    }

    /// Adds a stretch. Stretches of one kind that come from the same turn grow together.
    pub fn write(&mut self, kind: SectionKind, turn: Option<usize>, line: &Line) {
        self.text.push_str(line.text());
        self.account(kind, turn, line.utf16);
    }

    /// Adds a stretch that is ASCII, so that its length needs no counting.
    pub fn write_ascii(&mut self, kind: SectionKind, text: &'static str) {
        self.text.push_str(text);
        self.account(kind, None, text.len());
    }

    /// Adds a stretch on a line of its own: a line break, then the text.
    pub fn write_below(&mut self, kind: SectionKind, turn: Option<usize>, line: &Line) {
        self.text.push_str(&line.below);
        self.account(kind, turn, 1 + line.utf16);
    }

    /// A blank line, unless nothing stands above it.
    pub fn blank_line(&mut self) {
        if !self.is_empty() {
            self.text.push_str("\n\n");
            self.account(SectionKind::Separator, None, 2);
        }
    }

    pub fn finish(self, role: Role) -> Message {
        Message { role, text: self.text, sections: self.sections }
    }

    fn account(&mut self, kind: SectionKind, turn: Option<usize>, utf16: usize) {
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
        let mut page = Page::default();
        page.blank_line();
        page.write(SectionKind::Mission, None, &"größe 👍".into());
        page.blank_line();
        page.write(SectionKind::Output, None, &";; Output:".into());
        page.write_below(SectionKind::Output, Some(1), &"a".into());
        page.write_below(SectionKind::Output, Some(1), &"b".into());
        let message = page.finish(Role::User);
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
