//! Finds thoughts and fenced blocks in a model's reply.

/// The tags around the thoughts that reasoning models write before their reply.
const THOUGHTS: [(&str, &str); 2] = [("<think>", "</think>"), ("<thinking>", "</thinking>")];

/// The largest number of doubtful fences of a reply that are examined; all others are read by the rules of Markdown.
/// Each may cost a pass over the reply, so the limit keeps the time linear.
const MAX_DOUBTS: usize = 32;

/// The longest tag in bytes.
const LONGEST_TAG: usize = 40;

/// A fenced block.
pub struct FencedBlock<'r> {
    /// The language after the opening fence; empty when there is none.
    pub tag: &'r str,
    /// The text between the fences.
    pub text: &'r str,
    /// The opening fence.
    pub fence: &'r str,
    /// Whether it ends before the reply does.
    pub closed: bool,
    /// Whether it is part of a line of prose. The prose may only mention it.
    pub inline: bool,
    /// The byte range of the block in the reply, including its fences.
    pub span: (usize, usize),
}

/// A text without the blanks and byte order marks around it.
pub fn trim(text: &str) -> &str {
    text.trim_matches(is_blank)
}

fn is_blank(character: char) -> bool {
    character.is_whitespace() || character == '\u{feff}'
}

/// The reply without the thoughts before it; none when the thoughts have no end.
///
/// Some providers omit the opening tag. A closing tag then only counts outside of blocks: a program may contain it in a
/// string.
pub fn without_thoughts(reply: &str) -> Option<&str> {
    let mut said = reply;
    loop {
        let start = said.trim_start_matches(is_blank);
        let Some((_, end)) = THOUGHTS.iter().find(|(begin, _)| start.starts_with(begin)) else { break };
        let at = start.find(end)?;
        said = &start[at + end.len()..];
    }
    if said.len() < reply.len() {
        return Some(said);
    }
    let ends = THOUGHTS.iter().filter_map(|(_, end)| Some((reply.find(end)?, end.len())));
    match ends.min() {
        Some((at, length)) if blocks(&reply[..at], &|_| false).iter().all(|block| block.closed) => {
            Some(&reply[at + length..])
        }
        _ => Some(reply),
    }
}

/// True when the reply begins with the opening tag of thoughts.
pub fn begins_with_thoughts(reply: &str) -> bool {
    let start = reply.trim_start_matches(is_blank);
    THOUGHTS.iter().any(|(begin, _)| start.starts_with(begin))
}

/// The fenced blocks of a text, as in Markdown: a fence of three or more backticks or tildes is closed by one that is at
/// least as long. Beyond Markdown, as models write them:
///
/// - A block may open after text on its line, and its code may begin on the line of the opening fence.
/// - The closing fence may follow the last line of code on the same line, and words may follow it.
/// - A fence inside of a string in double quotes is part of the code, if `reads` then accepts the code.
/// - A fence with a language ends the block before it.
/// - Fences that prose only mentions open nothing.
pub fn blocks<'r>(text: &'r str, reads: &dyn Fn(&str) -> bool) -> Vec<FencedBlock<'r>> {
    let mut scan = Scan { text, fences: fences(text), reads, doubts: MAX_DOUBTS };
    let mut blocks = Vec::new();
    let mut next = 0;
    while next < scan.fences.len() {
        let (block, behind) = scan.block(next);
        blocks.extend(block);
        next = behind;
    }
    blocks
}

/// Three or more backticks, or tildes at the start of a line.
#[derive(Clone, Copy)]
struct Fence {
    start: usize,
    end: usize,
    mark: u8,
    /// Where its line begins and ends, without blanks.
    line: (usize, usize),
}

impl Fence {
    fn begins_line(&self) -> bool {
        self.start == self.line.0
    }

    fn ends_line(&self) -> bool {
        self.end == self.line.1
    }

    /// Whether it can close a block that `open` opens.
    fn closes(&self, open: &Fence) -> bool {
        self.mark == open.mark && self.end - self.start >= open.end - open.start
    }
}

fn fences(text: &str) -> Vec<Fence> {
    let bytes = text.as_bytes();
    let mut fences = Vec::new();
    let mut line_start = 0;
    for line in text.split_inclusive('\n') {
        let content = line.trim_end_matches(is_blank);
        let end = line_start + content.len();
        let begin = end - content.trim_start_matches(is_blank).len();
        let mut at = begin;
        while at < end {
            let mark = bytes[at];
            if mark != b'`' && (mark != b'~' || at != begin) {
                at += 1;
                continue;
            }
            let start = at;
            at += bytes[at..end].iter().take_while(|byte| **byte == mark).count();
            if at - start >= 3 {
                fences.push(Fence { start, end: at, mark, line: (begin, end) });
            }
        }
        line_start += line.len();
    }
    fences
}

/// What follows a fence on its line.
struct Info {
    /// The byte range of the tag.
    tag: (usize, usize),
    /// Where the rest of the line begins.
    rest: usize,
}

struct Scan<'r, 'f> {
    text: &'r str,
    fences: Vec<Fence>,
    reads: &'f dyn Fn(&str) -> bool,
    /// How many more doubtful fences are examined.
    doubts: usize,
}

impl<'r> Scan<'r, '_> {
    /// Returns the block that a fence opens, and the index of the fence to continue with.
    fn block(&mut self, index: usize) -> (Option<FencedBlock<'r>>, usize) {
        let open = self.fences[index];
        let same_line = |fence: &&Fence| fence.line == open.line && fence.closes(&open);
        let beside = self.fences.get(index + 1).filter(same_line).map(|fence| fence.start);
        let info = self.info(&open);
        let line_end = beside.unwrap_or(open.line.1);
        let has_tag = info.tag.0 < info.tag.1;
        let behind_text = !open.begins_line();
        let directly = has_tag || info.rest == open.end;
        let code_beside = self.begins_code(info.rest) && (directly || !behind_text);
        // After text on its line, a fence may be followed by a language and code only; at the start of a line, Markdown
        // allows more.
        let mentioned = behind_text || (info.rest < line_end && !code_beside);
        let from = if code_beside {
            info.rest
        } else if let Some(end) = beside {
            let (tag, from) = if info.rest < end { (info.tag, info.rest) } else { ((open.end, open.end), open.end) };
            let text = &self.text[from..end];
            let block = (!behind_text && !text.trim().is_empty()).then(|| FencedBlock {
                tag: &self.text[tag.0..tag.1],
                text,
                fence: &self.text[open.start..open.end],
                closed: true,
                inline: false,
                span: (open.start, self.fences[index + 1].end),
            });
            return (block, index + 2);
        } else if behind_text && info.rest < line_end {
            return (None, index + 1);
        } else {
            // The code begins on the next line.
            self.text[open.line.1..].find('\n').map_or(self.text.len(), |at| open.line.1 + at + 1)
        };
        if mentioned && self.doubts == 0 {
            return (None, index + 1);
        }
        let close = self.close(index, from);
        let text = &self.text[from..close.map_or(self.text.len(), |close| self.fences[close].start)];
        let opens_next = close.is_some_and(|close| self.opens(&self.fences[close]));
        let blank = trim(text).is_empty();
        let is_block = match close {
            _ if mentioned && (blank || opens_next && (behind_text || !looks_like_code(text))) => false,
            Some(_) if behind_text && !has_tag => looks_like_code(text),
            Some(_) => !blank || !opens_next,
            None if mentioned => has_tag && looks_like_code(text),
            None => has_tag || !blank,
        };
        if !is_block {
            self.doubts = self.doubts.saturating_sub(usize::from(mentioned));
            return (None, index + 1);
        }
        let end = match close {
            Some(close) if opens_next => self.fences[close].start,
            Some(close) => self.fences[close].end,
            None => self.text.len(),
        };
        let block = FencedBlock {
            tag: &self.text[info.tag.0..info.tag.1],
            text,
            fence: &self.text[open.start..open.end],
            closed: close.is_some(),
            inline: behind_text && close.map_or(code_beside, |close| self.fences[close].line == open.line),
            span: (open.start, end),
        };
        let next = close.map_or(self.fences.len(), |close| close + usize::from(!opens_next));
        (Some(block), next)
    }

    /// The fence that closes a block whose text begins at `from`.
    ///
    /// Outside of strings and comments every fence closes, because neither Lisp nor JSON has one there. A missing quote
    /// turns other text into strings. So when a line that closes the block in Markdown is regarded as part of a string,
    /// the code has to be readable.
    fn close(&mut self, open: usize, from: usize) -> Option<usize> {
        let opening = self.fences[open];
        let mut scanner = LispScanner { bytes: self.text.as_bytes(), at: from, state: ScanState::Code };
        let (mut found, mut plain, mut quoted) = (None, None, None);
        for index in open + 1..self.fences.len() {
            look(1);
            let fence = self.fences[index];
            if !fence.closes(&opening) || fence.start < from {
                continue;
            }
            scanner.advance(fence.start);
            if matches!(scanner.state, ScanState::Code) || (self.doubts == 0 && fence.ends_line()) {
                found = Some(index);
                break;
            }
            if quoted.is_none() {
                quoted = Some(index);
                self.doubts = self.doubts.saturating_sub(1);
            }
            if plain.is_none() && fence.begins_line() && fence.ends_line() {
                plain = Some(index);
            }
        }
        let Some(end) = found else { return plain.or(quoted) };
        let fence = self.fences[end];
        let in_the_middle = !fence.begins_line() && !fence.ends_line();
        look(fence.start - from);
        if (plain.is_none() && !in_the_middle) || (self.reads)(&self.text[from..fence.start]) {
            return found;
        }
        if plain.is_none() && self.doubts > 0 {
            self.doubts -= 1;
            let whole = |fence: &Fence| fence.closes(&opening) && fence.begins_line() && fence.ends_line();
            plain = self.fences[end..].iter().position(whole).map(|behind| end + behind);
        }
        plain.or(found)
    }

    /// Whether a fence at the start of a line is followed by a language and nothing else except code.
    fn opens(&self, fence: &Fence) -> bool {
        let info = self.info(fence);
        let tag = &self.text[info.tag.0..info.tag.1];
        fence.begins_line()
            && info.tag.0 == fence.end
            && tag.starts_with(|first: char| first.is_ascii_alphabetic())
            && tag.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'+' | b'#'))
            && (info.rest == fence.line.1 || self.begins_code(info.rest))
    }

    fn info(&self, fence: &Fence) -> Info {
        let blanks = |from: usize| {
            let rest = &self.text[from..fence.line.1];
            fence.line.1 - rest.trim_start_matches(is_blank).len()
        };
        let start = blanks(fence.end);
        let mut end = start;
        for character in self.text[start..fence.line.1].chars() {
            let is_end = is_blank(character) || character == '`' || end - start >= LONGEST_TAG;
            if is_end || self.begins_code(end) {
                break;
            }
            end += character.len_utf8();
        }
        Info { tag: (start, end), rest: blanks(end) }
    }

    /// Whether code begins here, in place of the words and attributes that Markdown allows after a fence.
    fn begins_code(&self, at: usize) -> bool {
        let code = ["(", "[", ";", "{:", "{\"", "#(", "#{", "#_"];
        code.iter().any(|begin| self.text[at..].starts_with(begin))
    }
}

/// Whether a text begins as code of Lisp or JSON does.
fn looks_like_code(text: &str) -> bool {
    trim(text).starts_with(['(', '[', '{', ';', '#', '"'])
}

enum ScanState {
    Code,
    /// In double quotes.
    Text,
    Comment,
}

/// Finds the strings and comments of Lisp.
struct LispScanner<'r> {
    bytes: &'r [u8],
    at: usize,
    state: ScanState,
}

impl LispScanner<'_> {
    fn advance(&mut self, to: usize) {
        look(to.saturating_sub(self.at));
        while self.at < to {
            let byte = self.bytes[self.at];
            self.at += 1;
            match (&self.state, byte) {
                // An escape, or a character.
                (ScanState::Code | ScanState::Text, b'\\') => self.at += 1,
                (ScanState::Code, b'"') => self.state = ScanState::Text,
                (ScanState::Code, b';') => self.state = ScanState::Comment,
                (ScanState::Text, b'"') | (ScanState::Comment, b'\n') => self.state = ScanState::Code,
                _ => {}
            }
        }
    }
}

/// Counts, for the tests, how many bytes and fences are visited.
fn look(count: usize) {
    #[cfg(test)]
    tests::LOOKED.set(tests::LOOKED.get() + count);
    let _ = count;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lisp;
    use std::cell::Cell;

    thread_local! {
        pub static LOOKED: Cell<usize> = const { Cell::new(0) };
    }

    /// The tag and the text of each block; a block that is not closed ends with `…`.
    fn found(text: &str) -> Vec<String> {
        let shown = |block: &FencedBlock<'_>| {
            format!("{}:{}{}", block.tag, block.text.trim(), if block.closed { "" } else { "…" })
        };
        blocks(text, &|code| lisp::read(code).is_ok()).iter().map(shown).collect()
    }

    #[test]
    fn markdown_is_read_as_markdown() {
        assert_eq!(found("a\n```clojure\n(f)\n```\nb\n~~~\nx\n~~~"), ["clojure:(f)", ":x"]);
        assert_eq!(found("````md\n```\nx\n```\n````"), ["md:```\nx\n```"]);
        assert_eq!(found("```python title=\"a.py\"\nf()\n```"), ["python:f()"]);
        assert_eq!(found("```clojure {.line-numbers}\n(f)\n```"), ["clojure:(f)"]);
        assert_eq!(found("1. So:\n   ```clojure\r\n   (f)\r\n   ```\r\n"), ["clojure:(f)"]);
        assert_eq!(found("```c++ int x```"), ["c++:int x"]);
        assert_eq!(found("```clojure\n\n```"), ["clojure:"]);
        assert_eq!(found("```clojure\n(f"), ["clojure:(f…"]);
        assert_eq!(found("```clojure\n"), ["clojure:…"]);
    }

    #[test]
    fn blocks_open_behind_text() {
        assert_eq!(found("Here it is: ```clojure\n(f)\n```"), ["clojure:(f)"]);
        assert_eq!(found("- ```clojure\n  (f)\n  ```\n"), ["clojure:(f)"]);
        assert_eq!(found("So: ```\n(f)\n```"), [":(f)"]);
        assert_eq!(found("So: ```clojure (f)``` it is"), ["clojure:(f)"]);
        assert_eq!(found("So: ```(f)```"), [":(f)"]);
        assert_eq!(found("So: ```json\n{\"a\": 1}\n```"), ["json:{\"a\": 1}"]);
        assert_eq!(found("So: ```clojure\n(f"), ["clojure:(f…"]);
    }

    #[test]
    fn code_begins_on_the_line_of_the_fence() {
        assert_eq!(found("```clojure (f)\n(g)\n```"), ["clojure:(f)\n(g)"]);
        assert_eq!(found("```clojure(f)\n(g)\n```"), ["clojure:(f)\n(g)"]);
        assert_eq!(found("```(f)\n(g)\n```"), [":(f)\n(g)"]);
        assert_eq!(found("```clojure ;; first\n(g)\n```"), ["clojure:;; first\n(g)"]);
        assert_eq!(found("```json {\"a\":\n1}\n```"), ["json:{\"a\":\n1}"]);
        assert_eq!(found("```clojure (f)```\nand\n```clojure\n(g)```"), ["clojure:(f)", "clojure:(g)"]);
        assert_eq!(found("\u{feff}```clojure (f)\n```"), ["clojure:(f)"]);
    }

    #[test]
    fn blocks_close_behind_code_and_before_words() {
        assert_eq!(found("```clojure\n(f)```\nDone."), ["clojure:(f)"]);
        assert_eq!(found("```clojure\n(f)``` Done."), ["clojure:(f)"]);
        assert_eq!(found("```clojure\n(f)\n``` Done.\nBye."), ["clojure:(f)"]);
        assert_eq!(found("```clojure\n(f)\n```Done.\n"), ["clojure:(f)"]);
        assert_eq!(found("```clojure\n(f ; last```"), ["clojure:(f ; last"]);
        assert_eq!(found("```clojure\n(f))``` Done."), ["clojure:(f))"]);
    }

    #[test]
    fn a_fence_with_a_language_ends_the_block_before_it() {
        assert_eq!(found("```clojure\n(f)\n```clojure\n(g)\n```"), ["clojure:(f)", "clojure:(g)"]);
        assert_eq!(found("```\n```clojure\n(f)\n```\n```"), ["clojure:(f)"]);
        assert_eq!(found("```md\nSo:\n```clojure\n(f)\n```\n```"), ["md:So:", "clojure:(f)"]);
    }

    #[test]
    fn fences_in_strings_are_code() {
        assert_eq!(found("```clojure\n(f \"```\")\n```"), ["clojure:(f \"```\")"]);
        assert_eq!(found("```clojure (f \"```\")```"), ["clojure:(f \"```\")"]);
        let report = "(f \"\n```json\n{}\n```\n```\n\")";
        assert_eq!(found(&format!("```clojure\n{report}\n```\nThat is \"it\".")), [format!("clojure:{report}")]);
        assert_eq!(found("```clojure\n;; a ``` \" here\n(f)\n```"), ["clojure:;; a ``` \" here\n(f)"]);
        assert_eq!(found("````clojure\n(f \"\n```\n\")\n````"), ["clojure:(f \"\n```\n\")"]);
    }

    #[test]
    fn a_missing_quote_makes_no_string_of_the_prose() {
        assert_eq!(found("```clojure\n(f \"a)\n```\nIt says \"b\"."), ["clojure:(f \"a)"]);
        assert_eq!(found("```clojure\n(f \"a)\n```\n5\" is\n```\n1\n```"), ["clojure:(f \"a)", ":1"]);
        assert_eq!(found("```clojure\n(f \"a)```\nBye."), ["clojure:(f \"a)"]);
    }

    #[test]
    fn fences_that_prose_mentions_open_nothing() {
        for prose in [
            "I will use a ```clojure block:",
            "I will use a ```clojure (or clj) block:",
            "I will use ``` as the fence.",
            "``` is the fence.",
            "The fence is ```",
            "The fence is ```clojure",
            "I wrap it in ```clojure```, `f` and ``g``.",
            "End with ```` ``` ````",
            "A fence ``` (three backticks) ends it.",
        ] {
            assert_eq!(found(&format!("{prose}\n```clojure\n(f)\n```")), ["clojure:(f)"], "{prose}");
            let reply = format!("```clojure\n(f)\n```\n{prose}");
            let blocks = blocks(&reply, &|code| lisp::read(code).is_ok());
            assert_eq!(blocks.iter().filter(|block| !block.inline).count(), 1, "{prose}");
        }
        assert_eq!(found("(f)\n```"), [""; 0]);
    }

    #[test]
    fn hostile_replies_are_looked_at_a_limited_number_of_times() {
        let many = |part: &str| part.repeat((1 << 20) / part.len());
        let falling: String = (3..1400).rev().map(|length| format!("x {}\n", "`".repeat(length))).collect();
        for reply in [
            many("`"),
            many("``` "),
            many("x ``` "),
            many("```\n"),
            many("x ```clojure\n"),
            many("```clojure\n"),
            many("```clojure\n\"\n```\n"),
            many("```clojure\n;\"\n```\n\"\n"),
            many("x ```clojure (\" ``` \n"),
            many("x ```clojure\n(\n```\" a\n"),
            many("```clojure\n)``` x\n"),
            many("``` \"a\n"),
            many("~~~ a\n```\n"),
            many("</think>```\n"),
            falling,
        ] {
            LOOKED.set(0);
            let _ = blocks(&reply, &|code| lisp::read(code).is_ok());
            let _ = without_thoughts(&reply);
            let times = LOOKED.get() / reply.len();
            assert!(times <= 2 * MAX_DOUBTS + 4, "{times} times: {:?}", &reply[..40]);
        }
    }
}
