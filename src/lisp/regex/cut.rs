//! Finds look-around in the source of an expression, because the parser does not know it.

/// Stands for look-around in the source that is parsed. Unicode assigns this character no meaning.
pub const MARKER: char = '\u{10FFFE}';

/// Look-around in a source.
#[derive(Debug)]
pub struct Cut<'s> {
    pub is_behind: bool,
    pub is_negated: bool,
    /// The source in it, and its byte offset.
    pub inner: &'s str,
    pub inner_start: usize,
    /// The length of the source with its brackets.
    pub length: usize,
}

/// Returns the source with each outermost look-around replaced by [`MARKER`], and the look-around. The error is the byte
/// offset of one that is not closed.
pub fn cut(source: &str) -> Result<(String, Vec<Cut<'_>>), usize> {
    let (mut outer, mut cuts) = (String::with_capacity(source.len()), Vec::new());
    let mut pieces = Pieces { source, at: 0 };
    while let Some(piece) = pieces.next() {
        let start = pieces.at - 1;
        let Some((sign, is_behind, is_negated)) = look_around(piece, &source[pieces.at..]) else {
            outer.push_str(piece);
            continue;
        };
        pieces.at += sign.len();
        let inner_start = pieces.at;
        let mut depth = 1;
        while depth > 0 {
            match pieces.next().ok_or(start)? {
                "(" => depth += 1,
                ")" => depth -= 1,
                _ => {}
            }
        }
        let inner = &source[inner_start..pieces.at - 1];
        cuts.push(Cut { is_behind, is_negated, inner, inner_start, length: pieces.at - start });
        outer.push(MARKER);
    }
    Ok((outer, cuts))
}

/// The sign of the look-around that begins with a bracket before `rest`, whether it looks behind, and whether it is negated.
fn look_around(piece: &str, rest: &str) -> Option<(&'static str, bool, bool)> {
    let kinds = [("?=", false, false), ("?!", false, true), ("?<=", true, false), ("?<!", true, true)];
    kinds.into_iter().find(|(sign, ..)| piece == "(" && rest.starts_with(sign))
}

/// The pieces of a source: classes in brackets, characters with the backslash before them, and single characters.
struct Pieces<'s> {
    source: &'s str,
    at: usize,
}

impl<'s> Iterator for Pieces<'s> {
    type Item = &'s str;

    fn next(&mut self) -> Option<&'s str> {
        let start = self.at;
        let mut open = 0;
        loop {
            let rest = &self.source[self.at..];
            let Some(first) = rest.chars().next() else { break };
            self.at += first.len_utf8();
            match first {
                '\\' => self.at += rest[1..].chars().next().map_or(0, char::len_utf8),
                '[' => {
                    open += 1;
                    // A bracket directly after the opening one is a character of the class.
                    let members = rest[1..].strip_prefix('^').unwrap_or(&rest[1..]);
                    self.at = self.source.len() - members.strip_prefix(']').unwrap_or(members).len();
                }
                ']' if open > 0 => open -= 1,
                _ => {}
            }
            if open == 0 {
                break;
            }
        }
        Some(&self.source[start..self.at]).filter(|piece| !piece.is_empty())
    }
}
