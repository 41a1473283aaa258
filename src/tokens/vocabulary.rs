//! A vocabulary as a table of joins: which two tokens make a third.
//!
//! Every token of more than one byte is the join of two earlier tokens, which result from its bytes when all earlier joins
//! are made. So the pairs are the whole vocabulary, and counting needs no token's text. The tokens 0 to 255 are the bytes;
//! the others are numbered by rank.

/// Stands for a missing token.
pub(super) const NONE: u32 = u32::MAX;

/// The most tokens that a vocabulary can have.
const MAX_TOKENS: usize = 1 << ID_BITS;
const ID_BITS: u32 = 18;

const FREE: u64 = u64::MAX;

/// A hash table from two tokens to their join.
pub(super) struct Vocabulary {
    /// Open addressing with linear probing: the pair in the high bits, the join in the low ones.
    slots: Vec<u64>,
    /// A hash shifted right by this many bits is the first slot to probe.
    shift: u32,
}

impl Vocabulary {
    /// Reads a saved vocabulary: the two parts of each token from 256 on, three bytes each, stored as six planes of one
    /// byte per token. None when `bytes` are not a vocabulary.
    pub fn read(bytes: &[u8]) -> Option<Vocabulary> {
        let count = bytes.len() / 6;
        if count == 0 || !bytes.len().is_multiple_of(6) || count + 256 > MAX_TOKENS {
            return None;
        }
        let capacity = (count * 2).next_power_of_two();
        let mut vocabulary = Vocabulary { slots: vec![FREE; capacity], shift: 64 - capacity.trailing_zeros() };
        for index in 0..count {
            let plane = |plane: usize| bytes.get(plane * count + index).map_or(0, |byte| u32::from(*byte));
            let token = |first: usize| plane(first) | plane(first + 1) << 8 | plane(first + 2) << 16;
            let (left, right, join) = (token(0), token(3), index as u32 + 256);
            if left >= join || right >= join {
                return None;
            }
            vocabulary.insert(left, right, join);
        }
        Some(vocabulary)
    }

    fn insert(&mut self, left: u32, right: u32, join: u32) {
        let key = key(left, right);
        let mut slot = self.slot(key);
        // At least half of the slots are free.
        while self.slots[slot] != FREE {
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        self.slots[slot] = key << ID_BITS | u64::from(join);
    }

    fn slot(&self, key: u64) -> usize {
        (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> self.shift) as usize
    }

    /// The join of two tokens, or [`NONE`]. Smaller joins take precedence.
    pub fn join(&self, left: u32, right: u32) -> u32 {
        let key = key(left, right);
        let mut slot = self.slot(key);
        loop {
            let found = self.slots[slot];
            if found >> ID_BITS == key {
                return found as u32 & (MAX_TOKENS as u32 - 1);
            }
            if found == FREE {
                return NONE;
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
    }
}

fn key(left: u32, right: u32) -> u64 {
    u64::from(left) << ID_BITS | u64::from(right)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// These pairs as a saved vocabulary.
    pub fn saved(pairs: &[(u32, u32)]) -> Vec<u8> {
        let byte = |token: u32, position: u32| (token >> (8 * position)) as u8;
        let left = (0..3).flat_map(|position| pairs.iter().map(move |pair| byte(pair.0, position)));
        let right = (0..3).flat_map(|position| pairs.iter().map(move |pair| byte(pair.1, position)));
        left.chain(right).collect()
    }

    #[test]
    fn pairs_have_their_joins() {
        let vocabulary = Vocabulary::read(&saved(&[(97, 98), (98, 97), (256, 99), (256, 257)])).unwrap();
        assert_eq!(vocabulary.join(97, 98), 256);
        assert_eq!(vocabulary.join(98, 97), 257);
        assert_eq!(vocabulary.join(256, 99), 258);
        assert_eq!(vocabulary.join(256, 257), 259);
        assert_eq!(vocabulary.join(97, 97), NONE);
        assert_eq!(vocabulary.join(258, 258), NONE);
    }

    #[test]
    fn what_is_no_vocabulary_is_refused() {
        for bytes in [&[][..], &[1; 5], &[1; 7], &saved(&[(256, 1)]), &saved(&[(1, 300)]), &vec![0; 6 * MAX_TOKENS]] {
            assert!(Vocabulary::read(bytes).is_none(), "{} bytes", bytes.len());
        }
    }
}
