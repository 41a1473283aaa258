//! Where a bracket is probably missing or superfluous, judged by the indentation. It is said as a hint: no text is mended.

use super::form::{Form, FormKind};

/// An open bracket, with the forms that were read in it.
pub struct OpenBracket<'a> {
    /// The position of the bracket.
    pub start: usize,
    pub closing: char,
    pub forms: &'a [Form],
}

/// Returns what the indentation says when brackets are open, outermost first: a line that does not begin right of a bracket
/// is probably outside of it.
pub fn missing(source: &str, open: &[OpenBracket<'_>]) -> Option<String> {
    let mut scan = BracketScan { source, around: Vec::new(), last: 0, column: 0 };
    open.iter().find_map(|OpenBracket { start, closing, forms }| {
        scan.visit(*start, Some(*closing)).or_else(|| scan.visit_all(forms))
    })
}

/// Returns what the indentation says of a bracket that closes nothing, after these forms: a line that is indented belongs
/// to the form before it, which was closed too early.
pub fn superfluous(source: &str, forms: &[Form]) -> Option<String> {
    let early = forms.windows(2).find(|pair| indentation(source, pair[1].span.start).is_some_and(|left| left > 0))?;
    Some(format!("by the indentation, one too many is at the end of line {}", line(source, early[0].span.end)))
}

/// Visits forms in the order of their starts.
struct BracketScan<'s> {
    source: &'s str,
    /// The columns of the brackets around the next form, with what closes them, outermost first.
    around: Vec<(usize, char)>,
    /// The position of the last form, and its column.
    last: usize,
    column: usize,
}

impl BracketScan<'_> {
    /// Visits forms and all that is in them, without recursion.
    fn visit_all(&mut self, forms: &[Form]) -> Option<String> {
        let mut pending = vec![forms.iter()];
        while let Some(rest) = pending.last_mut() {
            let Some(form) = rest.next() else {
                pending.pop();
                if !pending.is_empty() {
                    self.around.pop();
                }
                continue;
            };
            let (closing, parts) = match &form.kind {
                FormKind::List(parts) | FormKind::ShortFn(parts) => (Some(')'), &parts[..]),
                FormKind::Vector(parts) => (Some(']'), &parts[..]),
                FormKind::Map(parts) | FormKind::Set(parts) => (Some('}'), &parts[..]),
                _ => (None, &[][..]),
            };
            if let Some(hint) = self.visit(form.span.start, closing) {
                return Some(hint);
            }
            if closing.is_some() {
                pending.push(parts.iter());
            }
        }
        None
    }

    /// Visits the start of a form, and goes into it if it is a bracket that `closing` closes.
    fn visit(&mut self, start: usize, closing: Option<char>) -> Option<String> {
        let between = &self.source[self.last..start];
        let columns = |text: &str| text.chars().count();
        self.column = between.rfind('\n').map_or(self.column + columns(between), |at| columns(&between[at + 1..]));
        let ended = indentation(self.source, start)
            .map_or(0, |left| self.around.iter().rev().take_while(|(column, _)| *column >= left).count());
        let before = std::mem::replace(&mut self.last, start);
        if ended > 0 {
            let missing: String = self.around.iter().rev().take(ended).map(|(_, closing)| closing).collect();
            let line = line(self.source, before);
            return Some(format!("by the indentation, `{missing}` is missing at the end of line {line}"));
        }
        self.around.extend(closing.map(|closing| (self.column, closing)));
        None
    }
}

fn line(source: &str, position: usize) -> usize {
    1 + source[..position].bytes().filter(|byte| *byte == b'\n').count()
}

/// Returns the column of a form that begins its line.
fn indentation(source: &str, position: usize) -> Option<usize> {
    let before = source[..position].trim_end_matches([' ', '\t', '\r']);
    (before.is_empty() || before.ends_with('\n')).then_some(position - before.len())
}
