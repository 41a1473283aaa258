//! Finds the data of images and files in texts, which is neither counted nor shown as text.

use std::cell::OnceCell;
use std::ops::{Deref, RangeInclusive};

use crate::names::{CachedNames, ShownNames};
use crate::tokens::{Estimate, TokenCounter};
use crate::value::Str;

/// Tokens of an image or a file. Only its provider knows the exact number.
pub(super) const MEDIA_TOKENS: usize = 1000;

/// How many characters of data count as a token, up to [`MEDIA_TOKENS`].
const CHARS_PER_TOKEN: usize = 4;

/// The longest beginning of a data URL, and the longest name of a member, in bytes.
const LONGEST_LEAD: usize = 128;

/// Members whose values are data when they have this many characters of base64.
const DATA_MEMBERS: [&str; 12] = [
    "b64_json",
    "base64",
    "blob",
    "bytes",
    "data",
    "file",
    "file_data",
    "image",
    "image_data",
    "result",
    "signature",
    "thoughtSignature",
];
const SHORTEST_DATA: usize = 64;

/// The least number of characters of a data URL's data: base64 has groups of four.
const SHORTEST_URL: usize = 4;

/// The least number of characters of an encrypted member.
const SHORTEST_ENCRYPTED: usize = 16;

/// A quoted text of at least this many characters that can be base64, with letters of both cases and digits, is data.
const SHORTEST_UNNAMED: usize = 256;

/// The lengths of the lines into which some writers break base64; 64 and 76 characters are usual.
const LINE_LENGTHS: RangeInclusive<usize> = 60..=80;

/// The classes of the characters of base64, as bits; 0 for all others.
const CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            b'A'..=b'Z' => 1,
            b'a'..=b'z' => 2,
            b'0'..=b'9' => 4,
            b'+' | b'/' | b'-' | b'_' | b'=' => 8,
            _ => 0,
        };
        byte += 1;
    }
    classes
};

/// Letters of both cases and digits.
const MIXED: u8 = 7;

/// A text with notes, `[image/png, 12 kB]`, in place of the data of images and files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NotedText {
    /// The text with notes.
    pub text: Str,
    /// The number of images and files that notes replace.
    pub media: usize,
    /// The tokens as which they are counted.
    pub media_tokens: usize,
    pub(super) names: CachedNames,
    pub(super) estimate: CachedEstimate,
}

/// The estimated tokens of a text, once they are known. Equal texts have the same.
#[derive(Clone, Debug, Default)]
pub(super) struct CachedEstimate(OnceCell<usize>);

impl PartialEq for CachedEstimate {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for CachedEstimate {}

impl NotedText {
    /// Replaces data URLs in base64, and texts in quotes that are base64, with notes. Takes time linear in the length.
    pub fn of(text: Str) -> NotedText {
        let mut out = String::new();
        let (mut media, mut media_tokens, mut copied) = (0, 0, 0);
        for data in DataRuns::new(&text) {
            out.push_str(&text[copied..data.start]);
            out.push_str(&note(data.kind, data.length));
            copied = data.end;
            media += 1;
            media_tokens += (data.length / CHARS_PER_TOKEN).clamp(1, MEDIA_TOKENS);
        }
        if media == 0 {
            return text.into();
        }
        out.push_str(&text[copied..]);
        NotedText { media, media_tokens, ..out.into() }
    }

    /// The estimated tokens of the text, which is counted once.
    pub(super) fn estimate(&self) -> usize {
        *self.estimate.0.get_or_init(|| Estimate.count(&self.text))
    }

    /// Stores the estimated tokens of the text.
    pub(super) fn set_estimate(&self, tokens: usize) {
        self.estimate.0.get_or_init(|| tokens);
    }

    /// Adds the names in it.
    pub(super) fn add_names(&self, shown: &mut ShownNames) {
        shown.add_cached(&self.text, &self.names);
    }
}

impl Deref for NotedText {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl<T: Into<Str>> From<T> for NotedText {
    /// A text that is not searched for data.
    fn from(text: T) -> NotedText {
        NotedText {
            text: text.into(),
            media: 0,
            media_tokens: 0,
            names: CachedNames::default(),
            estimate: CachedEstimate::default(),
        }
    }
}

/// The note in place of `length` characters of base64.
fn note(kind: &str, length: usize) -> String {
    let bytes = length * 3 / 4;
    let (size, unit) = match bytes {
        0..1000 => (bytes, "bytes"),
        1000..1_000_000 => ((bytes + 500) / 1000, "kB"),
        _ => ((bytes + 500_000) / 1_000_000, "MB"),
    };
    format!("[{kind}, {size} {unit}]")
}

/// Data in a text, with the beginning of a data URL.
struct Data<'t> {
    start: usize,
    end: usize,
    /// The number of characters of base64.
    length: usize,
    /// The media type, or what else is known.
    kind: &'t str,
}

/// The data in a text, in order.
struct DataRuns<'t> {
    text: &'t str,
    next: usize,
}

impl<'t> DataRuns<'t> {
    fn new(text: &'t str) -> DataRuns<'t> {
        DataRuns { text, next: 0 }
    }

    /// The data of which the characters from `start` to `end` are the base64; None when they are text.
    fn data(&self, start: usize, end: usize, is_mixed: bool) -> Option<Data<'t>> {
        let (text, bytes) = (self.text, self.text.as_bytes());
        let length = end - start;
        if text[..start].ends_with(";base64,") {
            let first = start.saturating_sub(LONGEST_LEAD);
            let begin = first + bytes[first..start].windows(5).rposition(|five| five == b"data:")?;
            let header = text.get(begin + 5..start)?;
            let is_header = |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\'' | b'(' | b')');
            let kind = header.split(';').next().filter(|kind| !kind.is_empty()).unwrap_or("data");
            return header.bytes().all(is_header).then_some(Data { start: begin, end, length, kind });
        }
        let before = start.checked_sub(1).map(|index| bytes[index]);
        let is_quoted = match (before, bytes.get(end)) {
            // A program that writes data ends it with a line break.
            (None, next) if next.is_none() || end + line_break(&bytes[end..]) == bytes.len() => true,
            (Some(quote @ (b'"' | b'\'')), Some(next)) => *next == quote || *next == b'\\',
            _ => false,
        };
        if !is_quoted {
            return None;
        }
        let name = before.and_then(|_| member_before(&text[..start - 1])).unwrap_or_default();
        let is_encrypted = name.starts_with("encrypted") && length >= SHORTEST_ENCRYPTED;
        let is_named = DATA_MEMBERS.contains(&name) && length >= SHORTEST_DATA;
        let is_data = is_encrypted || is_named || (is_mixed && length >= SHORTEST_UNNAMED);
        let kind = if is_encrypted { "encrypted" } else { kind_of(&text[start..end]) };
        is_data.then_some(Data { start, end, length, kind })
    }
}

impl<'t> Iterator for DataRuns<'t> {
    type Item = Data<'t>;

    fn next(&mut self) -> Option<Data<'t>> {
        let bytes = self.text.as_bytes();
        while self.next < bytes.len() {
            let start = self.next;
            let (mut end, mut classes) = (start, 0);
            let mut line = start;
            while let Some(byte) = bytes.get(end) {
                let class = CLASSES[usize::from(*byte)];
                // Some writers of JSON escape slashes.
                let is_slash = *byte == b'\\' && bytes.get(end + 1) == Some(&b'/');
                if class != 0 || is_slash {
                    classes |= class;
                    end += 1;
                } else if let Some(next) = next_line(bytes, line, end) {
                    (line, end) = (next, next);
                } else {
                    break;
                }
            }
            self.next = end + 1;
            let may_begin = start == 0 || matches!(bytes[start - 1], b',' | b'"' | b'\'');
            if may_begin
                && end - start >= SHORTEST_URL
                && let Some(data) = self.data(start, end, classes & MIXED == MIXED)
            {
                return Some(data);
            }
        }
        None
    }
}

/// The start of the next line of base64 when the line from `line` to `end` is one: the next has the same length, or is
/// shorter and the last.
fn next_line(bytes: &[u8], line: usize, end: usize) -> Option<usize> {
    let length = end - line;
    let break_length = line_break(&bytes[end..]);
    if break_length == 0 || !LINE_LENGTHS.contains(&length) {
        return None;
    }
    let next = &bytes[end + break_length..];
    let next_length = next.iter().take(length + 1).take_while(|byte| CLASSES[usize::from(**byte)] != 0).count();
    let is_last =
        next_length < length && matches!(next.get(next_length), None | Some(b'\n' | b'\r' | b'"' | b'\'' | b'\\'));
    (next_length > 0 && (next_length == length || is_last)).then_some(end + break_length)
}

/// The length of the line break with which a text begins, as such or escaped as in JSON; 0 for others.
fn line_break(bytes: &[u8]) -> usize {
    let breaks: [&[u8]; 4] = [b"\n", b"\r\n", br"\n", br"\r\n"];
    breaks.into_iter().find(|line_break| bytes.starts_with(line_break)).map_or(0, <[u8]>::len)
}

/// The name of the member whose value begins in quotes after `text`: `"name": `.
fn member_before(text: &str) -> Option<&str> {
    let named = text.trim_end_matches('\\').trim_end_matches(' ').strip_suffix(':')?;
    let named = named.trim_end_matches(' ').strip_suffix(['"', '\''])?.trim_end_matches('\\');
    let first = named.len().saturating_sub(LONGEST_LEAD);
    let quote = named.as_bytes()[first..].iter().rposition(|byte| matches!(byte, b'"' | b'\''))?;
    named.get(first + quote + 1..)
}

/// The media type of which data in base64 has the first bytes; `data` for others.
fn kind_of(base64: &str) -> &'static str {
    let known = [
        ("iVBORw0KGgo", "image/png"),
        ("/9j/", "image/jpeg"),
        ("R0lGOD", "image/gif"),
        ("UklGR", "image/webp"),
        ("JVBERi0", "application/pdf"),
    ];
    known.iter().find(|(start, _)| base64.starts_with(start)).map_or("data", |(_, kind)| kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_in_a_text_becomes_a_note() {
        let noted = |text: &str| NotedText::of(text.into()).text.to_string();
        let png = format!("iVBORw0KGgo{}", "Ab3".repeat(200));
        assert_eq!(
            noted(&format!("see data:image/png;base64,{png}, and go on")),
            "see [image/png, 458 bytes], and go on"
        );
        assert_eq!(noted("data:image/gif;base64,AAAA"), "[image/gif, 3 bytes]");
        assert_eq!(
            noted(&format!(r#"{{"type":"image","data":"{png}","mimeType":"image/jpeg"}}"#)),
            r#"{"type":"image","data":"[image/png, 458 bytes]","mimeType":"image/jpeg"}"#
        );
        assert_eq!(
            noted(&format!(r#"{{"media_type":"application/pdf","data":"{}"}}"#, "A".repeat(4000))),
            r#"{"media_type":"application/pdf","data":"[data, 3 kB]"}"#
        );
        assert_eq!(noted(&format!(r#"[{{\"shot\":\"{png}\"}}]"#)), r#"[{\"shot\":\"[image/png, 458 bytes]\"}]"#);
        assert_eq!(
            noted(&format!(r#"{{"encrypted_content": "{}"}}"#, "x".repeat(2_000_000))),
            r#"{"encrypted_content": "[encrypted, 2 MB]"}"#
        );
        assert_eq!(noted(&png), "[image/png, 458 bytes]");
        let line = format!("{}\n", "Ab3+".repeat(19));
        let lines = format!("iVBORw0KGgoA{}\n{}", "Ab3+".repeat(16), line.repeat(19));
        assert_eq!(noted(&lines), "[image/png, 1 kB]\n");
        assert_eq!(
            noted(&format!("{{\"data\":\"{}\"}}", lines.replace('\n', r"\r\n"))),
            r#"{"data":"[image/png, 1 kB]\r\n"}"#
        );
        assert_eq!(noted(&format!("data:image/png;base64,{lines}in it")), "[image/png, 1 kB]\nin it");
        assert_eq!(noted(r"data:image\/png;base64,AAAA\/BBB="), "[image\\/png, 7 bytes]");
    }

    #[test]
    fn other_texts_stay() {
        for text in [
            "plain text".to_owned(),
            "x".repeat(5000),
            "a match for /^data:image.png;base64,/ in the code".to_owned(),
            format!(r#"{{"data":"{}"}}"#, "words of a text ".repeat(100)),
            format!(r#"{{"commit":"{}"}}"#, "0123456789abcdef".repeat(4)),
            format!("src/{}/b.ts", "Deep1/".repeat(100)),
            format!("{}\n", "0123456789abcdef".repeat(4)).repeat(20),
            format!("{}  file.txt\n", "0123456789ABCdef".repeat(4)).repeat(20),
            "é;base64,AAAA".to_owned(),
        ] {
            assert_eq!(NotedText::of(text.as_str().into()), text.as_str().into());
        }
    }
}
