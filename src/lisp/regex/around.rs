//! Finds the positions at which look-around holds, in one pass over the text: forwards for look-behind, backwards and
//! with the reversed expression for look-ahead. So a search with look-around takes time linear in the text, too.

use super::compile::{Around, Automaton, State};

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
