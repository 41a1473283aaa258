//! Byte pair encoding of one piece: of all pairs of adjacent tokens that the vocabulary joins, the pair with the smallest
//! join is joined (the leftmost of equal ones), until no pair is left.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::vocabulary::{NONE, Vocabulary};

/// Up to this many bytes, a search for the next join is faster than a heap.
const SHORT: usize = 96;

/// The number of tokens of a piece of one byte or more.
pub(super) fn tokens(piece: &[u8], vocabulary: &Vocabulary) -> usize {
    if piece.len() > SHORT {
        return ends_of(&long(piece, vocabulary)).count();
    }
    short(piece, vocabulary)
}

/// Calls `each` with the position where each token of a piece ends, in order. The piece has two or more tokens.
pub(super) fn ends(piece: &[u8], vocabulary: &Vocabulary, each: impl FnMut(usize)) {
    ends_of(&long(piece, vocabulary)).for_each(each);
}

fn ends_of(next: &[u32]) -> impl Iterator<Item = usize> {
    std::iter::successors(next.first(), |end| next.get(**end as usize)).map(|end| *end as usize)
}

/// The number of tokens of a piece of at most [`SHORT`] bytes. O(n²).
fn short(piece: &[u8], vocabulary: &Vocabulary) -> usize {
    let (mut tokens, mut joins) = ([0; SHORT], [NONE; SHORT]);
    let mut length = piece.len();
    for (token, byte) in tokens.iter_mut().zip(piece) {
        *token = u32::from(*byte);
    }
    for (join, pair) in joins.iter_mut().zip(tokens[..length].windows(2)) {
        *join = vocabulary.join(pair[0], pair[1]);
    }
    loop {
        let (mut position, mut min) = (0, NONE);
        for (index, join) in joins[..length].iter().enumerate() {
            if *join < min {
                (position, min) = (index, *join);
            }
        }
        if min == NONE {
            return length;
        }
        length -= 1;
        for index in position + 1..length {
            tokens[index] = tokens[index + 1];
            joins[index - 1] = joins[index];
        }
        joins[length - 1] = NONE;
        tokens[position] = min;
        if position + 1 < length {
            joins[position] = vocabulary.join(tokens[position], tokens[position + 1]);
        }
        if position > 0 {
            joins[position - 1] = vocabulary.join(tokens[position - 1], tokens[position]);
        }
    }
}

/// Marks a token that was joined to the one before it.
const GONE: u32 = u32::MAX;

/// Returns, for the position of each token, the position where it ends and the next one begins. O(n log n).
fn long(piece: &[u8], vocabulary: &Vocabulary) -> Vec<u32> {
    let end = piece.len() as u32;
    let mut tokens = Vec::with_capacity(piece.len());
    for byte in piece {
        tokens.push(u32::from(*byte));
    }
    // The positions of the next and the previous token. Those of tokens that are gone are outdated.
    let mut next: Vec<u32> = (1..=end).collect();
    let mut before: Vec<u32> = (0..end).map(|position| position.wrapping_sub(1)).collect();
    // Joins and their positions. Outdated ones are skipped when they are popped.
    let mut joins = BinaryHeap::with_capacity(piece.len());
    let entry = |join: u32, position: u32| Reverse(u64::from(join) << 32 | u64::from(position));
    let mut found = Vec::with_capacity(piece.len());
    for (position, pair) in tokens.windows(2).enumerate() {
        let join = vocabulary.join(pair[0], pair[1]);
        if join != NONE {
            found.push(entry(join, position as u32));
        }
    }
    joins.extend(found);
    while let Some(Reverse(found)) = joins.pop() {
        let (join, position) = ((found >> 32) as u32, found as u32);
        let behind = next[position as usize];
        if tokens[position as usize] == GONE || behind >= end {
            continue;
        }
        if vocabulary.join(tokens[position as usize], tokens[behind as usize]) != join {
            continue;
        }
        tokens[position as usize] = join;
        tokens[behind as usize] = GONE;
        let after = next[behind as usize];
        next[position as usize] = after;
        if after < end {
            before[after as usize] = position;
            let join = vocabulary.join(join, tokens[after as usize]);
            if join != NONE {
                joins.push(entry(join, position));
            }
        }
        if position > 0 {
            let first = before[position as usize];
            let join = vocabulary.join(tokens[first as usize], join);
            if join != NONE {
                joins.push(entry(join, first));
            }
        }
    }
    next
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::vocabulary::tests::saved;
    use proptest::prelude::*;

    /// Few letters with many joins, some of which cross the borders of others.
    fn vocabulary() -> Vocabulary {
        let (a, b) = (u32::from(b'a'), u32::from(b'b'));
        let pairs =
            [(a, b), (b, a), (a, a), (256, 257), (258, 258), (256, b), (b, b), (260, 260), (259, 258), (261, a)];
        Vocabulary::read(&saved(&pairs)).unwrap()
    }

    #[test]
    fn of_equal_joins_the_first_is_made_first() {
        let vocabulary = vocabulary();
        assert_eq!(tokens(b"aaa", &vocabulary), 2);
        assert_eq!(tokens(b"aaaa", &vocabulary), 1);
        assert_eq!(tokens(b"abba", &vocabulary), 1);
        assert_eq!(tokens(b"xyz", &vocabulary), 3);
    }

    #[test]
    fn tokens_end_where_the_next_one_begins() {
        let mut found = Vec::new();
        ends(b"xaaab", &vocabulary(), |end| found.push(end));
        assert_eq!(found, [1, 3, 5]);
    }

    proptest! {
        #[test]
        fn both_ways_give_the_same(piece in "[abx]{1,96}") {
            let vocabulary = vocabulary();
            let next = long(piece.as_bytes(), &vocabulary);
            prop_assert_eq!(short(piece.as_bytes(), &vocabulary), ends_of(&next).count());
            prop_assert_eq!(ends_of(&next).last(), Some(piece.len()));
        }
    }
}
