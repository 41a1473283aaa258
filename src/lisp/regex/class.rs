//! Sets of characters.

/// A set of characters: sorted ranges that neither touch nor overlap.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CharSet {
    /// One bit for each ASCII character of the set.
    ascii: u128,
    ranges: Vec<(char, char)>,
}

impl CharSet {
    /// Makes the set of the characters of some ranges, which may be in any order.
    pub fn new(mut ranges: Vec<(char, char)>) -> CharSet {
        ranges.sort_unstable();
        let mut merged: Vec<(char, char)> = Vec::with_capacity(ranges.len());
        for (start, end) in ranges {
            match merged.last_mut() {
                Some(last) if after(last.1).is_none_or(|next| start <= next) => last.1 = last.1.max(end),
                _ => merged.push((start, end)),
            }
        }
        let mut ascii = 0;
        for (start, end) in &merged {
            for character in (*start..=*end).take_while(char::is_ascii) {
                ascii |= 1 << character as u32;
            }
        }
        CharSet { ascii, ranges: merged }
    }

    /// Returns the intersection of two sets.
    pub fn and(&self, other: &CharSet) -> CharSet {
        let (mut left, mut right) = (self.ranges.iter().peekable(), other.ranges.iter().peekable());
        let mut common = Vec::new();
        while let (Some(&&(from, to)), Some(&&(start, end))) = (left.peek(), right.peek()) {
            if from.max(start) <= to.min(end) {
                common.push((from.max(start), to.min(end)));
            }
            if to < end {
                left.next()
            } else {
                right.next()
            };
        }
        CharSet::new(common)
    }

    /// Returns the set of all other characters.
    pub fn negated(&self) -> CharSet {
        let mut others = Vec::with_capacity(self.ranges.len() + 1);
        let mut next = Some(char::MIN);
        for (start, end) in &self.ranges {
            if let (Some(next), Some(last)) = (next, before(*start))
                && next <= last
            {
                others.push((next, last));
            }
            next = after(*end);
        }
        others.extend(next.map(|next| (next, char::MAX)));
        CharSet::new(others)
    }

    /// Returns the set extended with the other case of each ASCII letter.
    pub fn ignoring_case(&self) -> CharSet {
        let mut ranges = self.ranges.clone();
        for (start, end) in &self.ranges {
            for letter in (*start..=*end).take_while(char::is_ascii).filter(char::is_ascii_alphabetic) {
                let other = char::from(letter as u8 ^ 0x20);
                ranges.push((other, other));
            }
        }
        CharSet::new(ranges)
    }

    /// Returns the ranges.
    pub fn ranges(&self) -> &[(char, char)] {
        &self.ranges
    }

    /// Returns whether the set contains a character.
    #[inline]
    pub fn contains(&self, character: char) -> bool {
        if character.is_ascii() {
            return self.ascii >> character as u32 & 1 == 1;
        }
        let position = self.ranges.partition_point(|(_, end)| *end < character);
        self.ranges.get(position).is_some_and(|(start, _)| *start <= character)
    }

    /// Returns whether the UTF-8 encoding of any character of the set begins with a byte.
    pub fn begins_with(&self, byte: u8) -> bool {
        match byte {
            0..=0x7F => self.contains(char::from(byte)),
            0x80..=0xBF => false,
            _ => self.ranges.last().is_some_and(|(_, end)| !end.is_ascii()),
        }
    }
}

/// Returns the next character; `None` after the last one.
fn after(character: char) -> Option<char> {
    match character {
        '\u{D7FF}' => Some('\u{E000}'),
        character => char::from_u32(character as u32 + 1),
    }
}

/// Returns the previous character; `None` before the first one.
fn before(character: char) -> Option<char> {
    match character {
        '\u{E000}' => Some('\u{D7FF}'),
        character => char::from_u32((character as u32).checked_sub(1)?),
    }
}
