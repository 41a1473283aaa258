//! Scans a JSON text without building its values.

/// A scanner of a JSON text without white space between its tokens, as encoders write it. A text of
/// another form gives `None`; the contents of skipped values are not checked.
pub struct Skim<'t> {
    text: &'t str,
    at: usize,
    /// True after an opening bracket, where no comma precedes the next item.
    is_first: bool,
    depth: usize,
    deepest: usize,
}

impl<'t> Skim<'t> {
    /// Starts at the beginning of `text`.
    pub fn new(text: &'t str) -> Skim<'t> {
        Skim { text, at: 0, is_first: false, depth: 0, deepest: 0 }
    }

    /// Enters the array or object whose opening bracket comes next.
    pub fn open(&mut self, bracket: u8) -> Option<()> {
        self.eat(bracket)?;
        self.is_first = true;
        self.enter();
        Some(())
    }

    /// Moves to the value of the next member of an object and returns the member's name as it is written; `Some(None)`
    /// after the last member.
    pub fn member(&mut self) -> Option<Option<&'t str>> {
        if self.ends(b'}')? {
            return Some(None);
        }
        let start = self.at + 1;
        self.string()?;
        let name = self.text.get(start..self.at - 1)?;
        self.eat(b':')?;
        Some(Some(name))
    }

    /// Skips the array that comes next and returns the number of its items.
    pub fn items(&mut self) -> Option<usize> {
        self.open(b'[')?;
        let mut count = 0;
        while self.item()?.is_some() {
            count += 1;
        }
        Some(count)
    }

    /// Skips the next item of an array and returns its text; `Some(None)` after the last item.
    pub fn item(&mut self) -> Option<Option<&'t str>> {
        if self.ends(b']')? { Some(None) } else { self.value().map(Some) }
    }

    /// Skips the value that comes next and returns its text.
    pub fn value(&mut self) -> Option<&'t str> {
        let start = self.at;
        match self.byte()? {
            b'"' => self.string()?,
            b'[' | b'{' => self.collection()?,
            _ => {
                while !matches!(self.byte()?, b',' | b']' | b'}') {
                    self.at += 1;
                }
            }
        }
        self.text.get(start..self.at)
    }

    /// Byte offset of the next token.
    pub fn position(&self) -> usize {
        self.at
    }

    /// True when nothing follows.
    pub fn is_at_end(&self) -> bool {
        self.at == self.text.len()
    }

    /// The largest nesting depth so far.
    pub fn deepest(&self) -> usize {
        self.deepest
    }

    /// Reads the closing bracket, or the comma before another item; returns whether it was the bracket.
    fn ends(&mut self, bracket: u8) -> Option<bool> {
        let is_end = self.byte()? == bracket;
        if is_end {
            self.at += 1;
            self.depth -= 1;
        } else if !self.is_first {
            self.eat(b',')?;
        }
        self.is_first = false;
        Some(is_end)
    }

    fn collection(&mut self) -> Option<()> {
        let outer = self.depth;
        loop {
            self.skip_to(|byte| matches!(byte, b'"' | b'[' | b']' | b'{' | b'}'))?;
            match self.byte()? {
                b'"' => {
                    self.string()?;
                    continue;
                }
                b'[' | b'{' => self.enter(),
                _ => self.depth -= 1,
            }
            self.at += 1;
            if self.depth == outer {
                return Some(());
            }
        }
    }

    fn string(&mut self) -> Option<()> {
        self.eat(b'"')?;
        loop {
            self.skip_to(|byte| matches!(byte, b'"' | b'\\'))?;
            self.at += 1;
            if self.text.as_bytes()[self.at - 1] == b'"' {
                return Some(());
            }
            // The escaped character.
            self.at += 1;
        }
    }

    /// Moves to the next byte for which `is_wanted` returns true.
    fn skip_to(&mut self, is_wanted: impl Fn(u8) -> bool) -> Option<()> {
        let rest = self.text.as_bytes().get(self.at..)?;
        self.at += rest.iter().position(|byte| is_wanted(*byte))?;
        Some(())
    }

    fn enter(&mut self) {
        self.depth += 1;
        self.deepest = self.deepest.max(self.depth);
    }

    fn eat(&mut self, sign: u8) -> Option<()> {
        (self.byte()? == sign).then(|| self.at += 1)
    }

    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::Skim;

    fn members(text: &str) -> Option<Vec<(&str, &str)>> {
        let mut skim = Skim::new(text);
        skim.open(b'{')?;
        let mut members = Vec::new();
        while let Some(name) = skim.member()? {
            members.push((name, skim.value()?));
        }
        skim.is_at_end().then_some(members)
    }

    #[test]
    fn members_are_found_with_their_texts() {
        let text = r#"{"a":1,"b":"x\"]}","c":[1,{"d":"["}],"e":{},"f":null}"#;
        let found = [("a", "1"), ("b", r#""x\"]}""#), ("c", r#"[1,{"d":"["}]"#), ("e", "{}"), ("f", "null")];
        assert_eq!(members(text).unwrap(), found);
        assert_eq!(members("{}"), Some(vec![]));
    }

    #[test]
    fn items_are_counted_and_nesting_measured() {
        let mut skim = Skim::new(r#"["a",[[]],{"b":[1,2]}]"#);
        assert_eq!((skim.items(), skim.is_at_end(), skim.deepest()), (Some(3), true, 3));
        assert_eq!(Skim::new("[]").items(), Some(0));
    }

    #[test]
    fn texts_of_another_form_are_given_up() {
        for text in [
            "",
            "[1]",
            "{",
            r#"{"a"}"#,
            r#"{"a":1"#,
            r#"{"a":"x"#,
            r#"{"a":1,}"#,
            r#"{"a":1}x"#,
            r#"{ "a":1}"#,
            r#"{"a":[1}"#,
        ] {
            assert_eq!(members(text), None, "{text}");
        }
    }
}
