//! Compiles nodes to the states of a matcher, with repetitions expanded.

use std::ops::Range;

use super::class::CharSet;
use super::look::Look;
use super::node::Node;
use super::translate::{AroundNode, Expression};

/// A state of a matcher. States refer to others by their index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Consumes this character.
    Char(char),
    /// Consumes a character of the class with this index.
    Class(u32),
    /// Continues with both states; the first one is preferred.
    Split(u32, u32),
    /// Continues with the state.
    Jump(u32),
    /// Continues only at a position of this kind.
    Look(Look),
    /// Continues only where the look-around with this index holds.
    Around(u32),
    /// Saves the position: `2 * n` is the start of group n, `2 * n + 1` its end.
    Save(u32),
    /// The expression is matched.
    Match,
}

/// The states of an expression.
#[derive(Debug)]
pub struct Automaton {
    /// The states; the first one is the start state.
    pub states: Vec<State>,
    /// The classes that states refer to.
    pub classes: Vec<CharSet>,
    /// Its look-around; nested look-around precedes the one that contains it.
    pub arounds: Vec<Around>,
    /// The number of groups, including the whole match.
    pub groups: usize,
    /// Whether it matches only at the start of the text.
    pub is_anchored: bool,
    /// The bytes with which a match can begin; none when it may be empty.
    pub first: Option<Box<[bool; 256]>>,
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
    pub groups: Option<(Range<usize>, u32)>,
}

/// The error for an expression with too many states.
#[derive(Debug)]
pub struct TooLarge;

impl Automaton {
    /// Compiles an expression to at most `max` states. A `whole` expression matches only whole texts.
    pub fn new(expression: Expression, whole: bool, max: usize) -> Result<Automaton, TooLarge> {
        let mut states = States { states: Vec::new(), max };
        states.push(State::Save(0))?;
        states.add(&expression.node)?;
        states.push(State::Save(1))?;
        if whole {
            states.push(State::Look(Look::End))?;
        }
        states.push(State::Match)?;
        let mut arounds = Vec::new();
        for AroundNode { is_behind, is_negated, node, groups } in expression.arounds {
            let start = states.program(&node.without_groups(!is_behind))?;
            let groups = match groups {
                Some(groups) => Some((groups, states.program(&node)?)),
                None => None,
            };
            arounds.push(Around { is_behind, is_negated, start, groups });
        }
        let mut automaton = Automaton {
            states: states.states,
            classes: expression.classes,
            arounds,
            groups: 1 + expression.groups,
            is_anchored: whole,
            first: None,
        };
        automaton.is_anchored |= automaton.begins_at_start();
        automaton.first = automaton.first_bytes();
        Ok(automaton)
    }

    /// Whether a state consumes a character.
    #[inline]
    pub fn consumes(&self, state: u32, character: char) -> bool {
        match self.states[state as usize] {
            State::Char(wanted) => wanted == character,
            State::Class(class) => self.classes[class as usize].contains(character),
            _ => false,
        }
    }

    /// Returns whether every match begins with the start of the text.
    fn begins_at_start(&self) -> bool {
        self.states.iter().find(|state| !matches!(state, State::Save(_))) == Some(&State::Look(Look::Start))
    }

    fn first_bytes(&self) -> Option<Box<[bool; 256]>> {
        let mut bytes = Box::new([false; 256]);
        let (mut seen, mut seen_classes) = (vec![false; self.states.len()], vec![false; self.classes.len()]);
        let mut pending = vec![0];
        while let Some(state_index) = pending.pop() {
            if std::mem::replace(&mut seen[state_index], true) {
                continue;
            }
            match self.states[state_index] {
                State::Char(character) => bytes[usize::from(character.encode_utf8(&mut [0; 4]).as_bytes()[0])] = true,
                State::Class(class) if std::mem::replace(&mut seen_classes[class as usize], true) => {}
                State::Class(class) => {
                    let class = &self.classes[class as usize];
                    (0..=u8::MAX)
                        .zip(bytes.iter_mut())
                        .for_each(|(byte, is_first)| *is_first |= class.begins_with(byte));
                }
                State::Split(first, second) => pending.extend([first as usize, second as usize]),
                State::Jump(to) => pending.push(to as usize),
                State::Look(_) | State::Around(_) | State::Save(_) => pending.push(state_index + 1),
                State::Match => return None,
            }
        }
        Some(bytes)
    }
}

struct States {
    states: Vec<State>,
    max: usize,
}

impl States {
    fn push(&mut self, state: State) -> Result<usize, TooLarge> {
        if self.states.len() >= self.max {
            return Err(TooLarge);
        }
        self.states.push(state);
        Ok(self.states.len() - 1)
    }

    /// Adds the states of a node, with the end of its match, and returns the first one.
    fn program(&mut self, node: &Node) -> Result<u32, TooLarge> {
        let start = self.next();
        self.add(node)?;
        self.push(State::Match)?;
        Ok(start)
    }

    fn next(&self) -> u32 {
        self.states.len() as u32
    }

    /// Adds a split between the states that follow and the state past them, which the returned function sets. Prefers
    /// the states that follow when `greedy`, else the state past them.
    fn split(&mut self, greedy: bool) -> Result<impl FnOnce(&mut States) + use<>, TooLarge> {
        let state_index = self.push(State::Match)?;
        Ok(move |states: &mut States| {
            let (inside, past) = (state_index as u32 + 1, states.next());
            states.states[state_index] = if greedy { State::Split(inside, past) } else { State::Split(past, inside) };
        })
    }

    fn add(&mut self, node: &Node) -> Result<(), TooLarge> {
        match node {
            Node::Empty => {}
            Node::Char(character) => drop(self.push(State::Char(*character))?),
            Node::Class(class) => drop(self.push(State::Class(*class as u32))?),
            Node::Look(look) => drop(self.push(State::Look(*look))?),
            Node::Around(index, first_group) => {
                // The position from which its groups are found.
                if let Some(group) = first_group {
                    self.push(State::Save(2 * *group as u32))?;
                }
                self.push(State::Around(*index as u32))?;
            }
            Node::Group(number, node) => {
                self.push(State::Save(2 * *number as u32))?;
                self.add(node)?;
                self.push(State::Save(2 * *number as u32 + 1))?;
            }
            Node::Row(nodes) => nodes.iter().try_for_each(|node| self.add(node))?,
            Node::Choice(nodes) => {
                let mut jumps = Vec::new();
                for (index, node) in nodes.iter().enumerate() {
                    if index + 1 == nodes.len() {
                        self.add(node)?;
                        break;
                    }
                    let past = self.split(true)?;
                    self.add(node)?;
                    jumps.push(self.push(State::Match)?);
                    past(self);
                }
                let end = self.next();
                jumps.into_iter().for_each(|jump| self.states[jump] = State::Jump(end));
            }
            Node::Repeat { node, min, max, greedy } => self.repeat(node, *min, *max, *greedy)?,
        }
        Ok(())
    }

    fn repeat(&mut self, node: &Node, min: u32, max: Option<u32>, greedy: bool) -> Result<(), TooLarge> {
        // The last required repetition is the body of the loop.
        let (written, has_loop) = match max {
            None if min > 0 => (min - 1, true),
            None => (min, true),
            Some(_) => (min, false),
        };
        for _ in 0..written {
            let before = self.next();
            self.add(node)?;
            if self.next() == before {
                // The node has no states, however often it is repeated.
                return Ok(());
            }
        }
        if has_loop {
            return self.repeat_without_end(node, written < min, greedy);
        }
        let mut ends = Vec::new();
        for _ in min..max.unwrap_or(min) {
            ends.push(self.split(greedy)?);
            let before = self.next();
            self.add(node)?;
            if self.next() == before {
                break;
            }
        }
        ends.into_iter().for_each(|past| past(self));
        Ok(())
    }

    /// Adds a loop; its first iteration is required when `once`.
    fn repeat_without_end(&mut self, node: &Node, once: bool, greedy: bool) -> Result<(), TooLarge> {
        // The loop is entered as in `(x+)?`, so that an iteration that may be empty is tried before the loop ends.
        let enter = if once { None } else { Some(self.split(greedy)?) };
        let body = self.next();
        self.add(node)?;
        let (again, past) = (body, self.next() + 1);
        self.push(if greedy { State::Split(again, past) } else { State::Split(past, again) })?;
        if let Some(past) = enter {
            past(self);
        }
        Ok(())
    }
}
