//! Finds thoughts and fenced blocks in a model's reply.

/// The tags around the thoughts that reasoning models write before their reply.
const THOUGHTS: [(&str, &str); 2] = [("<think>", "</think>"), ("<thinking>", "</thinking>")];

/// A fenced block.
pub struct Block<'r> {
    /// The language after the opening fence; empty when there is none.
    pub tag: &'r str,
    /// The text between the fences.
    pub text: &'r str,
    /// Whether it has a closing fence.
    pub closed: bool,
}

/// The reply without the thoughts before it; none when the thoughts have no end.
///
/// Some providers omit the opening tag. A closing tag then only counts outside of blocks: a program may contain it in a
/// string.
pub fn behind_thoughts(reply: &str) -> Option<&str> {
    let start = reply.trim_start();
    if let Some((_, end)) = THOUGHTS.iter().find(|(begin, _)| start.starts_with(begin)) {
        let at = start.find(end)?;
        return Some(&start[at + end.len()..]);
    }
    let ends = THOUGHTS.iter().filter_map(|(_, end)| Some((reply.find(end)?, end.len())));
    match ends.min() {
        Some((at, length)) if blocks(&reply[..at]).iter().all(|block| block.closed) => Some(&reply[at + length..]),
        _ => Some(reply),
    }
}

/// The fenced blocks of a text, as in Markdown: a fence of three or more backticks or tildes is closed by one that is at
/// least as long. Some models write a block on one line; that counts too.
pub fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let mut open: Option<(&str, &str, usize)> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let content = line.trim();
        let fence = fence(content);
        match open {
            Some((opened, tag, from)) if fence.starts_with(opened) && fence.len() == content.len() => {
                blocks.push(Block { tag, text: &text[from..start], closed: true });
                open = None;
            }
            Some(_) => {}
            None if fence.len() >= 3 => {
                let info = &content[fence.len()..];
                match info.find(fence) {
                    Some(end) => {
                        let inside = &info[..end];
                        let (tag, text) = inside.split_once(char::is_whitespace).unwrap_or(("", inside));
                        blocks.push(Block { tag, text, closed: true });
                    }
                    None => open = Some((fence, info.split_whitespace().next().unwrap_or(""), at)),
                }
            }
            None => {}
        }
    }
    if let Some((_, tag, from)) = open {
        blocks.push(Block { tag, text: &text[from..], closed: false });
    }
    blocks
}

/// The run of backticks or tildes at the start of a line.
fn fence(line: &str) -> &str {
    let end = match line.bytes().next() {
        Some(mark @ (b'`' | b'~')) => line.bytes().take_while(|byte| *byte == mark).count(),
        _ => 0,
    };
    &line[..end]
}
