//! Simulates all paths through the states of an expression in parallel, character by character, and can pause after any
//! character.

use super::around::Positions;
use super::compile::{Automaton, State};

/// A group without a position.
const NOWHERE: u32 = u32::MAX;

/// A search for the first match in a text, with the state to resume after a pause.
#[derive(Debug)]
pub struct Matcher {
    /// The threads at the current character, and those at the next one.
    now: Threads,
    next: Threads,
    /// The stack of work that remains at one position.
    pending: Vec<Continuation>,
    /// For each state, the number of the last position at which it was reached.
    reached: Vec<u32>,
    /// The number of the current position.
    position: u32,
    /// The positions of the groups on the path that is being followed.
    groups: Vec<u32>,
    /// The positions of the best match so far.
    found: Option<Box<[u32]>>,
    /// The match whose groups in look-ahead are being found, and the number of look-arounds that remain.
    whole: Option<(Box<[u32]>, usize)>,
    /// The state with which a match begins; 0 for the whole expression.
    start: u32,
    /// The byte offset at which a match has to begin, if only one is possible.
    anchor: Option<usize>,
    /// The byte offset of the next character.
    at: usize,
}

/// Threads that wait for a character, in order of preference.
#[derive(Debug, Default)]
struct Threads {
    states: Vec<u32>,
    /// The positions of the groups of each thread.
    groups: Vec<u32>,
}

impl Threads {
    fn clear(&mut self) {
        self.states.clear();
        self.groups.clear();
    }
}

#[derive(Clone, Copy, Debug)]
enum Continuation {
    /// Continues at a state.
    State(u32),
    /// Restores the position of a group, for paths of lower preference.
    Group(u32, u32),
}

impl Matcher {
    /// Starts a search for a match that begins at `start` or later.
    pub fn new(automaton: &Automaton, start: usize) -> Matcher {
        Matcher {
            now: Threads::default(),
            next: Threads::default(),
            pending: Vec::new(),
            reached: vec![0; automaton.states.len()],
            position: 1,
            groups: vec![NOWHERE; 2 * automaton.groups],
            found: None,
            whole: None,
            start: 0,
            anchor: automaton.is_anchored.then_some(0),
            at: start,
        }
    }

    /// Restarts the search at another position in the same text.
    pub fn restart(&mut self, automaton: &Automaton, start: usize) {
        (self.start, self.anchor, self.whole) = (0, automaton.is_anchored.then_some(0), None);
        self.begin(start);
    }

    fn begin(&mut self, at: usize) {
        self.now.clear();
        self.position += 2;
        self.found = None;
        self.at = at;
    }

    /// Begins to find the groups in the next look-ahead of the match that was found; returns false when all groups are
    /// found.
    pub fn find_more_groups(&mut self, automaton: &Automaton) -> bool {
        let (mut whole, mut remaining) = match (self.whole.take(), self.found.take()) {
            (None, None) => return false,
            (None, Some(found)) => (found, automaton.arounds.len()),
            (Some((mut whole, remaining)), found) => {
                if let (Some(found), Some((groups, _))) = (found, &automaton.arounds[remaining].groups) {
                    let slots = 2 * groups.start..2 * groups.end;
                    whole[slots.clone()].copy_from_slice(&found[slots]);
                }
                (whole, remaining)
            }
        };
        // Outer look-around follows the look-around in it.
        while remaining > 0 {
            remaining -= 1;
            let Some((groups, start)) = &automaton.arounds[remaining].groups else { continue };
            if whole[2 * groups.start] != NOWHERE {
                let at = whole[2 * groups.start] as usize;
                (self.start, self.anchor) = (*start, Some(at));
                self.begin(at);
                self.whole = Some((whole, remaining));
                return true;
            }
        }
        self.found = Some(std::mem::take(&mut whole));
        false
    }

    /// Continues until the search ends or about `max` steps are taken; returns true when the search has ended. Adds
    /// the steps taken to `steps`.
    pub fn advance(
        &mut self,
        automaton: &Automaton,
        (text, positions): (&str, &Positions),
        max: u64,
        steps: &mut u64,
    ) -> bool {
        let enough = steps.saturating_add(max);
        while *steps < enough {
            if self.now.states.is_empty() {
                let is_over = self.found.is_some() || self.is_past_anchor();
                if is_over || !self.skip(automaton, text, steps) {
                    return true;
                }
            }
            if self.found.is_none() && !self.is_past_anchor() {
                self.follow(automaton, (text, positions), (self.start, self.at), false, steps);
            }
            let character = text[self.at..].chars().next();
            let next = self.at + character.map_or(1, char::len_utf8);
            for index in 0..self.now.states.len() {
                *steps += 1;
                let state_index = self.now.states[index];
                if matches!(automaton.states[state_index as usize], State::Match) {
                    let width = self.groups.len();
                    self.found = Some(self.now.groups[index * width..][..width].into());
                    // The remaining threads have lower preference.
                    break;
                }
                if character.is_some_and(|character| automaton.consumes(state_index, character)) {
                    let width = self.groups.len();
                    self.groups.copy_from_slice(&self.now.groups[index * width..][..width]);
                    self.follow(automaton, (text, positions), (state_index + 1, next), true, steps);
                }
            }
            std::mem::swap(&mut self.now, &mut self.next);
            self.next.clear();
            self.at = next;
            self.position += 1;
            if character.is_none() {
                return true;
            }
        }
        false
    }

    /// Returns the start and end of the match and of its groups, if there is a match; `u32::MAX` for a group that did
    /// not participate.
    pub fn take_found(&mut self) -> Option<Box<[u32]>> {
        self.found.take()
    }

    fn is_past_anchor(&self) -> bool {
        self.anchor.is_some_and(|anchor| self.at > anchor)
    }

    /// Moves to the next position at which a match can begin; returns false when there is none.
    fn skip(&mut self, automaton: &Automaton, text: &str, steps: &mut u64) -> bool {
        let Some(first) = automaton.first.as_ref().filter(|_| self.start == 0) else { return self.at <= text.len() };
        let rest = text.as_bytes().get(self.at..).unwrap_or_default();
        let skipped = rest.iter().position(|byte| first[usize::from(*byte)]);
        *steps += skipped.unwrap_or(rest.len()) as u64 / 8;
        self.at += skipped.unwrap_or(rest.len());
        self.position += 1;
        skipped.is_some()
    }

    /// Adds a thread for each character-consuming or matching state that is reachable from a state at a position.
    fn follow(
        &mut self,
        automaton: &Automaton,
        (text, positions): (&str, &Positions),
        (state, at): (u32, usize),
        is_next: bool,
        steps: &mut u64,
    ) {
        if state == self.start {
            self.groups.fill(NOWHERE);
        }
        let reached = self.position + u32::from(is_next);
        let threads = if is_next { &mut self.next } else { &mut self.now };
        self.pending.push(Continuation::State(state));
        while let Some(pending) = self.pending.pop() {
            let mut state_index = match pending {
                Continuation::State(state_index) => state_index,
                Continuation::Group(slot, position) => {
                    self.groups[slot as usize] = position;
                    continue;
                }
            };
            while std::mem::replace(&mut self.reached[state_index as usize], reached) != reached {
                *steps += 1;
                match automaton.states[state_index as usize] {
                    State::Jump(to) => state_index = to,
                    State::Split(first, second) => {
                        self.pending.push(Continuation::State(second));
                        state_index = first;
                    }
                    State::Save(slot) => {
                        let before = std::mem::replace(&mut self.groups[slot as usize], at as u32);
                        self.pending.push(Continuation::Group(slot, before));
                        state_index += 1;
                    }
                    State::Look(look) => {
                        if !look.holds(text, at) {
                            break;
                        }
                        state_index += 1;
                    }
                    State::Around(index) => {
                        if !positions.holds(automaton, index, at) {
                            break;
                        }
                        state_index += 1;
                    }
                    State::Char(_) | State::Class(_) | State::Match => {
                        *steps += self.groups.len() as u64 / 8;
                        threads.states.push(state_index);
                        threads.groups.extend_from_slice(&self.groups);
                        break;
                    }
                }
            }
        }
    }
}
