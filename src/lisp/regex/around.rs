//! Look-around: an expression that has to match before or after a position, or must not, and is no part of the match.
//!
//! Where it holds is found for all positions of a text in one pass over it: forwards for what has to stand before a
//! position, backwards and with the reversed expression for what has to follow. So a search takes time linear in the
//! text with look-around, too.

use super::compile::{Automaton, State};

/// Stands for look-around in the source that is parsed, because the parser does not know it. Unicode assigns this
/// character no meaning.
pub const MARKER: char = '\u{10FFFE}';

/// Look-around in a source.
#[derive(Debug)]
pub struct Cut<'s> {
    pub is_behind: bool,
    pub is_negated: bool,
    /// The source in it, and its byte offset.
    pub inner: &'s str,
    pub inner_start: usize,
    /// The length of the source with its brackets.
    pub length: usize,
}

/// Returns the source with each outermost look-around replaced by [`MARKER`], and the look-around. The error is the byte
/// offset of one that is not closed.
pub fn cut(source: &str) -> Result<(String, Vec<Cut<'_>>), usize> {
    let (mut outer, mut cuts) = (String::with_capacity(source.len()), Vec::new());
    let mut pieces = Pieces { source, at: 0 };
    while let Some(piece) = pieces.next() {
        let start = pieces.at - 1;
        let Some((sign, is_behind, is_negated)) = look_around(piece, &source[pieces.at..]) else {
            outer.push_str(piece);
            continue;
        };
        pieces.at += sign.len();
        let inner_start = pieces.at;
        let mut depth = 1;
        while depth > 0 {
            match pieces.next().ok_or(start)? {
                "(" => depth += 1,
                ")" => depth -= 1,
                _ => {}
            }
        }
        let inner = &source[inner_start..pieces.at - 1];
        cuts.push(Cut { is_behind, is_negated, inner, inner_start, length: pieces.at - start });
        outer.push(MARKER);
    }
    Ok((outer, cuts))
}

/// The sign of the look-around that begins with a bracket before `rest`, whether it looks behind, and whether it is negated.
fn look_around(piece: &str, rest: &str) -> Option<(&'static str, bool, bool)> {
    let kinds = [("?=", false, false), ("?!", false, true), ("?<=", true, false), ("?<!", true, true)];
    kinds.into_iter().find(|(sign, ..)| piece == "(" && rest.starts_with(sign))
}

/// The pieces of a source: classes in brackets, characters with the backslash before them, and single characters.
struct Pieces<'s> {
    source: &'s str,
    at: usize,
}

impl<'s> Iterator for Pieces<'s> {
    type Item = &'s str;

    fn next(&mut self) -> Option<&'s str> {
        let start = self.at;
        let mut open = 0;
        loop {
            let rest = &self.source[self.at..];
            let Some(first) = rest.chars().next() else { break };
            self.at += first.len_utf8();
            match first {
                '\\' => self.at += rest[1..].chars().next().map_or(0, char::len_utf8),
                '[' => {
                    open += 1;
                    // A bracket directly after the opening one is a character of the class.
                    let members = rest[1..].strip_prefix('^').unwrap_or(&rest[1..]);
                    self.at = self.source.len() - members.strip_prefix(']').unwrap_or(members).len();
                }
                ']' if open > 0 => open -= 1,
                _ => {}
            }
            if open == 0 {
                break;
            }
        }
        Some(&self.source[start..self.at]).filter(|piece| !piece.is_empty())
    }
}

/// Look-around of an automaton.
#[derive(Debug)]
pub struct Around {
    pub is_behind: bool,
    pub is_negated: bool,
    /// The first of the states that find where its expression matches; those of look-ahead are of the reversed
    /// expression.
    pub start: u32,
    /// The groups in it that are captured, and the first of the states that find them.
    pub groups: Option<(std::ops::Range<usize>, u32)>,
}

/// The positions in a text at which the expressions of look-around match.
#[derive(Debug, Default)]
pub struct Positions {
    /// For each look-around, one bit for each byte offset.
    found: Vec<Vec<u64>>,
    /// The pass that finds the positions of the next look-around.
    pass: Option<Pass>,
}

impl Positions {
    /// Finds the positions in a text, in about `max` steps; returns true when all of them are found. Adds the steps
    /// taken to `steps`.
    pub fn advance(&mut self, automaton: &Automaton, text: &str, max: u64, steps: &mut u64) -> bool {
        let enough = steps.saturating_add(max);
        while let Some(around) = automaton.arounds.get(self.found.len()) {
            let mut pass = self.pass.take().unwrap_or_else(|| Pass::new(automaton, around, text));
            loop {
                if *steps >= enough {
                    self.pass = Some(pass);
                    return false;
                }
                if pass.step(automaton, around, text, self, steps) {
                    break;
                }
            }
            self.found.push(pass.bits);
        }
        true
    }

    /// Whether look-around holds at a byte offset.
    pub fn holds(&self, automaton: &Automaton, index: u32, at: usize) -> bool {
        let is_found = self.found[index as usize][at / 64] >> (at % 64) & 1 == 1;
        is_found != automaton.arounds[index as usize].is_negated
    }
}

/// One pass over a text, with the states that wait for the character after the current position.
#[derive(Debug)]
struct Pass {
    now: Vec<u32>,
    next: Vec<u32>,
    /// For each state, the number of the last position at which it was reached.
    reached: Vec<u32>,
    position: u32,
    at: usize,
    bits: Vec<u64>,
}

impl Pass {
    fn new(automaton: &Automaton, around: &Around, text: &str) -> Pass {
        Pass {
            now: Vec::new(),
            next: Vec::new(),
            reached: vec![0; automaton.states.len()],
            position: 1,
            at: if around.is_behind { 0 } else { text.len() },
            bits: vec![0; text.len() / 64 + 1],
        }
    }

    /// Finds whether a match ends at the current position, and moves to the next one; returns true after the last one.
    fn step(
        &mut self,
        automaton: &Automaton,
        around: &Around,
        text: &str,
        positions: &Positions,
        steps: &mut u64,
    ) -> bool {
        let character = match around.is_behind {
            true => text[self.at..].chars().next(),
            false => text[..self.at].chars().next_back(),
        };
        let mut pending = std::mem::take(&mut self.next);
        // A match may begin at any position.
        pending.push(around.start);
        while let Some(state_index) = pending.pop() {
            if std::mem::replace(&mut self.reached[state_index as usize], self.position) == self.position {
                continue;
            }
            *steps += 1;
            match automaton.states[state_index as usize] {
                State::Jump(to) => pending.push(to),
                State::Split(first, second) => pending.extend([first, second]),
                State::Look(look) if !look.holds(text, self.at) => {}
                State::Around(index) if !positions.holds(automaton, index, self.at) => {}
                State::Look(_) | State::Around(_) | State::Save(_) => pending.push(state_index + 1),
                State::Match => self.bits[self.at / 64] |= 1 << (self.at % 64),
                State::Char(_) | State::Class(_) => self.now.push(state_index),
            }
        }
        let Some(character) = character else { return true };
        self.next = pending;
        let taken = self.now.drain(..).filter(|state| automaton.consumes(*state, character)).map(|state| state + 1);
        self.next.extend(taken);
        match around.is_behind {
            true => self.at += character.len_utf8(),
            false => self.at -= character.len_utf8(),
        }
        self.position += 1;
        false
    }
}
