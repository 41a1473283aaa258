//! JSON as it is written.

/// Values that are nested deeper are not read.
const DEEPEST: usize = 100;

/// A value of JSON, whose numbers and texts are as they are written.
pub(super) enum JsonNode<'t> {
    /// A number, `true`, `false` or `null`.
    Scalar(&'t str),
    /// What is between the quotes.
    Text(&'t str),
    List(Vec<JsonNode<'t>>),
    /// The members in their order; of names what is between the quotes.
    Object(Vec<(&'t str, JsonNode<'t>)>),
}

impl<'t> JsonNode<'t> {
    /// Reads a text that is one value.
    pub fn read(text: &'t str) -> Option<JsonNode<'t>> {
        let mut reader = Reader { rest: text };
        let node = reader.node(0)?;
        reader.skip_blanks();
        reader.rest.is_empty().then_some(node)
    }

    /// Reads the value at the beginning of a text, and returns what follows it.
    pub fn read_first(text: &'t str) -> Option<(JsonNode<'t>, &'t str)> {
        let mut reader = Reader { rest: text };
        let node = reader.node(0)?;
        Some((node, reader.rest))
    }

    /// Writes the value without blanks.
    pub fn write(&self, out: &mut String) {
        match self {
            JsonNode::Scalar(text) => out.push_str(text),
            JsonNode::Text(text) => {
                out.push('"');
                out.push_str(text);
                out.push('"');
            }
            JsonNode::List(nodes) => {
                out.push('[');
                for (index, node) in nodes.iter().enumerate() {
                    out.push_str(if index > 0 { "," } else { "" });
                    node.write(out);
                }
                out.push(']');
            }
            JsonNode::Object(members) => {
                out.push('{');
                for (index, (key, node)) in members.iter().enumerate() {
                    out.push_str(if index > 0 { ",\"" } else { "\"" });
                    out.push_str(key);
                    out.push_str("\":");
                    node.write(out);
                }
                out.push('}');
            }
        }
    }

    /// True for the same value. The order of members has no meaning.
    pub fn is_same(&self, other: &JsonNode<'_>) -> bool {
        match (self, other) {
            (JsonNode::Scalar(left), JsonNode::Scalar(right)) | (JsonNode::Text(left), JsonNode::Text(right)) => {
                left == right
            }
            (JsonNode::List(left), JsonNode::List(right)) => {
                left.len() == right.len() && left.iter().zip(right).all(|(left, right)| left.is_same(right))
            }
            (JsonNode::Object(left), JsonNode::Object(right)) => {
                let is_member = |(index, (key, node)): (usize, &(&str, JsonNode))| {
                    // Members are mostly in the same order.
                    let same = right.get(index).filter(|(name, _)| name == key);
                    same.or_else(|| right.iter().find(|(name, _)| name == key))
                        .is_some_and(|(_, own)| node.is_same(own))
                };
                left.len() == right.len() && left.iter().enumerate().all(is_member)
            }
            _ => false,
        }
    }
}

struct Reader<'t> {
    rest: &'t str,
}

impl<'t> Reader<'t> {
    fn skip_blanks(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\n', '\r']);
    }

    fn takes(&mut self, expected: char) -> Option<()> {
        self.skip_blanks();
        self.rest = self.rest.strip_prefix(expected)?;
        Some(())
    }

    fn node(&mut self, depth: usize) -> Option<JsonNode<'t>> {
        self.skip_blanks();
        match self.rest.chars().next()? {
            _ if depth > DEEPEST => None,
            '"' => Some(JsonNode::Text(self.text()?)),
            '[' => {
                let item = |reader: &mut Self| reader.node(depth + 1);
                Some(JsonNode::List(self.items('[', ']', item)?))
            }
            '{' => {
                let member = |reader: &mut Self| {
                    reader.skip_blanks();
                    let key = reader.text()?;
                    reader.takes(':')?;
                    Some((key, reader.node(depth + 1)?))
                };
                Some(JsonNode::Object(self.items('{', '}', member)?))
            }
            _ => {
                let end = self.rest.find([',', ']', '}', ' ', '\t', '\n', '\r']).unwrap_or(self.rest.len());
                let (scalar, rest) = self.rest.split_at(end);
                self.rest = rest;
                is_scalar(scalar).then_some(JsonNode::Scalar(scalar))
            }
        }
    }

    fn items<T>(&mut self, open: char, close: char, item: impl Fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        self.takes(open)?;
        let mut items = Vec::new();
        if self.takes(close).is_some() {
            return Some(items);
        }
        loop {
            items.push(item(self)?);
            if self.takes(',').is_none() {
                self.takes(close)?;
                return Some(items);
            }
        }
    }

    /// Reads a quoted text, and returns what is between the quotes.
    fn text(&mut self) -> Option<&'t str> {
        let inside = self.rest.strip_prefix('"')?;
        let mut is_escaped = false;
        for (at, byte) in inside.bytes().enumerate() {
            match byte {
                _ if is_escaped => is_escaped = false,
                b'\\' => is_escaped = true,
                b'"' => {
                    self.rest = &inside[at + 1..];
                    return Some(&inside[..at]);
                }
                0..0x20 => return None,
                _ => {}
            }
        }
        None
    }
}

/// True for `true`, `false`, `null` and what can be a number of JSON.
pub(super) fn is_scalar(text: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'+' | b'-' | b'.' | b'e' | b'E');
    let begins = text.strip_prefix('-').unwrap_or(text).starts_with(|c: char| c.is_ascii_digit());
    matches!(text, "true" | "false" | "null") || (begins && text.bytes().all(is_part))
}
