//! The syntax tree of an expression, with its flags already applied.

use super::look::Look;

/// A part of an expression.
#[derive(Clone, Debug)]
pub enum Node {
    /// The empty text.
    Empty,
    /// One character.
    Char(char),
    /// A character of the class with this index.
    Class(usize),
    /// A position.
    Look(Look),
    /// A group that is captured, with its number from 1.
    Group(usize, Box<Node>),
    /// A repetition of a part; without a maximum, any number of times.
    Repeat {
        /// The repeated part.
        node: Box<Node>,
        /// The minimum.
        min: u32,
        /// The maximum.
        max: Option<u32>,
        /// Whether more repetitions are preferred to fewer.
        greedy: bool,
    },
    /// These parts, one after the other.
    Row(Vec<Node>),
    /// One of these parts; earlier ones are preferred.
    Choice(Vec<Node>),
}

impl Node {
    /// Returns the text that the part matches, if it is a literal text.
    pub fn literal(&self) -> Option<String> {
        match self {
            Node::Char(character) => Some((*character).into()),
            Node::Row(nodes) => nodes
                .iter()
                .map(|node| if let Node::Char(character) = node { Some(*character) } else { None })
                .collect::<Option<String>>()
                .filter(|text| !text.is_empty()),
            _ => None,
        }
    }
}
