//! Exact counts, with the vocabulary of an encoding.

use std::cell::RefCell;

use super::TokenCounter;
use super::merge::{ends, tokens};
use super::split::{cl100k, o200k, slice_at};
use super::vocabulary::Vocabulary;

/// A published encoding. Special tokens within a text are counted as plain text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// The encoding of GPT-4o and later models.
    O200k,
    /// The encoding of GPT-4 and GPT-3.5.
    Cl100k,
}

/// Counts the tokens of one encoding.
pub struct Exact {
    encoding: Encoding,
    vocabulary: Vocabulary,
    seen: RefCell<Seen>,
}

/// A cache of counted pieces. The hash of a piece determines its slot; a newer piece replaces an older one.
struct Seen {
    entries: Vec<PieceEntry>,
    /// Longer pieces: in scripts without spaces a piece is as long as a clause.
    long: Vec<(Box<[u8]>, usize)>,
}

/// The bytes of a piece padded with zeros, then its length and its number of tokens.
type PieceEntry = [u64; 4];
/// The longest piece of an entry.
const LONGEST: usize = 30;
const ENTRY_BITS: u32 = 15;
/// The longest piece that is cached.
const LONGEST_SEEN: usize = 400;
const LONG_BITS: u32 = 12;

impl Exact {
    /// A counter with a saved vocabulary; none when `saved` is not one.
    pub fn new(encoding: Encoding, saved: &[u8]) -> Option<Exact> {
        let vocabulary = Vocabulary::read(saved)?;
        let seen = Seen { entries: vec![[0; 4]; 1 << ENTRY_BITS], long: vec![Default::default(); 1 << LONG_BITS] };
        Some(Exact { encoding, vocabulary, seen: RefCell::new(seen) })
    }

    /// The lengths of the tokens of `text` in order, in UTF-16 units. A character counts for the token with its last
    /// byte, so that a token without the last byte of any character has the length 0.
    pub fn token_lengths(&self, text: &str) -> Vec<u32> {
        let mut seen = self.seen.borrow_mut();
        let (mut rest, mut lengths) = (text, Vec::new());
        while let Some(length) = self.piece_length(rest) {
            let count = self.count_piece(rest.as_bytes(), length, &mut seen);
            let (piece, behind) = slice_at(rest, length);
            let mut start = 0;
            let mut add = |end: usize| {
                let end = (start..=end).rfind(|offset| piece.is_char_boundary(*offset)).unwrap_or(start);
                lengths.push(piece[start..end].chars().map(|c| c.len_utf16() as u32).sum());
                start = end;
            };
            if count == 1 {
                add(length);
            } else {
                ends(piece.as_bytes(), &self.vocabulary, add);
            }
            rest = behind;
        }
        lengths
    }

    fn piece_length(&self, text: &str) -> Option<usize> {
        match self.encoding {
            Encoding::O200k => o200k(text),
            Encoding::Cl100k => cl100k(text),
        }
    }

    /// The number of tokens of the piece that is the first `length` bytes of `text`.
    fn count_piece(&self, text: &[u8], length: usize, seen: &mut Seen) -> usize {
        let (piece, _) = text.split_at(length);
        if length == 1 {
            return 1;
        }
        if length > LONGEST_SEEN {
            return tokens(piece, &self.vocabulary);
        }
        if length > LONGEST {
            let (known, count) = &mut seen.long[long_slot_of(piece)];
            if **known != *piece {
                (*known, *count) = (piece.into(), tokens(piece, &self.vocabulary));
            }
            return *count;
        }
        let mut entry = entry_of(text, length);
        let slot = slot_of(&entry);
        let known = seen.entries[slot];
        if (known[0], known[1], known[2], known[3] << 8) == (entry[0], entry[1], entry[2], entry[3] << 8) {
            return (known[3] >> 56) as usize;
        }
        let count = tokens(piece, &self.vocabulary);
        entry[3] |= (count as u64) << 56;
        seen.entries[slot] = entry;
        count
    }
}

impl TokenCounter for Exact {
    fn count(&self, text: &str) -> usize {
        let mut seen = self.seen.borrow_mut();
        let (mut rest, mut count) = (text, 0);
        while let Some(length) = self.piece_length(rest) {
            count += self.count_piece(rest.as_bytes(), length, &mut seen);
            (_, rest) = slice_at(rest, length);
        }
        count
    }
}

/// The entry, still without a count, of the piece that is the first `length` bytes of `text`.
fn entry_of(text: &[u8], length: usize) -> PieceEntry {
    let mut bytes = [0; 32];
    let mut entry = [0; 4];
    let behind = match text.first_chunk::<32>() {
        Some(chunk) => chunk,
        None => {
            for (to, from) in bytes.iter_mut().zip(text) {
                *to = *from;
            }
            &bytes
        }
    };
    for (index, (word, chunk)) in entry.iter_mut().zip(behind.chunks_exact(8)).enumerate() {
        let mut eight = [0; 8];
        eight.copy_from_slice(chunk);
        let kept = length.saturating_sub(8 * index).min(8) as u32;
        let mask = u64::MAX.checked_shr(64 - 8 * kept).unwrap_or(0);
        *word = u64::from_le_bytes(eight) & mask;
    }
    entry[3] |= (length as u64) << 48;
    entry
}

fn slot_of(entry: &PieceEntry) -> usize {
    let hash = entry.iter().fold(0, |hash, word| mixed(hash, *word));
    (hash >> (64 - ENTRY_BITS)) as usize
}

fn long_slot_of(piece: &[u8]) -> usize {
    let (words, rest) = piece.as_chunks::<8>();
    let mut hash = rest.iter().fold(0, |hash, byte| mixed(hash, u64::from(*byte)));
    for word in words {
        hash = mixed(hash, u64::from_le_bytes(*word));
    }
    (hash >> (64 - LONG_BITS)) as usize
}

fn mixed(hash: u64, word: u64) -> u64 {
    (hash.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
