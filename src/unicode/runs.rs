//! Tables of all code points: those of one class stand in runs.

use std::cell::OnceCell;
use std::thread::LocalKey;

/// A class for every code point, by its letter in the table.
pub(super) struct Runs {
    /// How long each run is, in base 32: the most significant digit first, all but the last of a
    /// number 32 larger than they are, and every digit as a character from `0` on.
    pub lengths: &'static [u8],
    /// The letter of each run.
    pub letters: &'static [u8],
    /// The same, decoded when it is needed first.
    pub decoded: &'static LocalKey<OnceCell<Decoded>>,
}

/// The code point after the last one of each run, and the run's letter.
pub(super) type Decoded = Vec<(u32, u8)>;

impl Runs {
    /// The letter of a character's class.
    pub fn letter_of(&self, character: char) -> u8 {
        self.decoded.with(|decoded| {
            let runs = decoded.get_or_init(|| self.decode());
            let run = runs.partition_point(|(end, _)| *end <= u32::from(character));
            runs.get(run).map_or(0, |(_, letter)| *letter)
        })
    }

    /// The letters of all characters below `end`, for those who ask often.
    pub fn letters_below(&self, end: u32) -> Vec<u8> {
        let mut letters = Vec::with_capacity(end as usize);
        for (run_end, letter) in self.decode() {
            letters.resize(run_end.min(end) as usize, letter);
        }
        letters
    }

    fn decode(&self) -> Decoded {
        let mut letters = self.letters.iter();
        let mut runs = Vec::with_capacity(self.letters.len());
        let (mut end, mut length) = (0, 0);
        for digit in self.lengths {
            let digit = u32::from(digit - b'0');
            length = length * 32 + digit % 32;
            if digit < 32 {
                end += length;
                length = 0;
                if let Some(letter) = letters.next() {
                    runs.push((end, *letter));
                }
            }
        }
        runs
    }
}

/// The table for what `letter_of` says of each of these code points; what lies between them has
/// the letter of the one before.
#[cfg(test)]
pub(super) fn encode(codes: impl Iterator<Item = u32>, letter_of: impl Fn(char) -> u8) -> (String, String) {
    let mut runs: Vec<(u32, u8)> = Vec::new();
    for (code, character) in codes.filter_map(|code| Some((code, char::from_u32(code)?))) {
        let letter = letter_of(character);
        if runs.last().is_none_or(|(_, before)| *before != letter) {
            runs.push((code, letter));
        }
    }
    let ends = runs.iter().skip(1).map(|run| run.0).chain([u32::from(char::MAX) + 1]);
    let lengths = runs.iter().zip(ends).map(|((start, _), end)| digits(end - start)).collect();
    (lengths, runs.iter().map(|(_, letter)| char::from(*letter)).collect())
}

#[cfg(test)]
fn digits(mut number: u32) -> String {
    let mut digits = vec![b'0' + (number % 32) as u8];
    while number >= 32 {
        number /= 32;
        digits.push(b'P' + (number % 32) as u8);
    }
    digits.into_iter().rev().map(char::from).collect()
}
