//! Run-length encoded tables that give every code point a class.

use std::cell::OnceCell;
use std::thread::LocalKey;

/// A class for every code point, as a letter.
pub(super) struct Runs {
    /// The length of each run in base 32, the most significant digit first. A digit is written as the
    /// character `0` plus the digit; all digits of a number but its last are 32 larger.
    pub lengths: &'static [u8],
    /// The letter of each run.
    pub letters: &'static [u8],
    /// The decoded runs, filled on first use.
    pub decoded: &'static LocalKey<OnceCell<Decoded>>,
}

/// The code point after the last one of each run, and the run's letter.
pub(super) type Decoded = Vec<(u32, u8)>;

impl Runs {
    /// Returns the letter of a character's class.
    pub fn letter_of(&self, character: char) -> u8 {
        self.decoded.with(|decoded| {
            let runs = decoded.get_or_init(|| self.decode());
            let run = runs.partition_point(|(end, _)| *end <= u32::from(character));
            runs.get(run).map_or(0, |(_, letter)| *letter)
        })
    }

    /// Returns the letters of all characters below `end`, as a table for frequent look-ups.
    pub fn letters_below(&self, end: u32) -> Vec<u8> {
        let mut letters = Vec::with_capacity(end as usize);
        for (run_end, letter) in self.decode() {
            letters.resize(run_end.min(end) as usize, letter);
        }
        letters
    }

    /// Returns the first code point of each run, and the one after its last.
    pub fn ranges(&self) -> impl Iterator<Item = (u32, u32)> {
        let mut start = 0;
        self.decode().into_iter().map(move |(end, _)| (std::mem::replace(&mut start, end), end))
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

/// Encodes the lengths and letters of a table with the letters that `letter_of` gives to `codes`; code
/// points between these have the letter of the preceding one.
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
