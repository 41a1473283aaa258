//! Expressions without their flags: what each part matches.

use super::look::Look;

/// A part of an expression.
#[derive(Clone, Debug)]
pub enum Node {
    /// The empty text.
    Empty,
    /// One character.
    Char(char),
    /// A character of the class at this place.
    Class(usize),
    /// A position.
    Look(Look),
    /// A group that is captured, with its number from 1.
    Group(usize, Box<Node>),
    /// A part at least and at most so many times; any number of times without a maximum.
    Repeat {
        /// What is repeated.
        node: Box<Node>,
        /// The minimum.
        least: u32,
        /// The maximum.
        most: Option<u32>,
        /// Whether more are preferred to fewer.
        greedy: bool,
    },
    /// One behind the other.
    Row(Vec<Node>),
    /// One of these, the first ones preferred.
    Choice(Vec<Node>),
}

impl Node {
    /// The text that it matches when it is nothing but a text.
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
