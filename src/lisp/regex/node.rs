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
    /// A position at which the look-around with this index holds; with the number of the first group that is captured in it.
    Around(usize, Option<usize>),
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
    /// Returns the part without groups; with `is_reversed`, it matches reversed texts.
    pub fn without_groups(&self, is_reversed: bool) -> Node {
        let all = |nodes: &[Node]| nodes.iter().map(|node| node.without_groups(is_reversed)).collect::<Vec<_>>();
        match self {
            Node::Empty | Node::Char(_) | Node::Class(_) | Node::Look(_) => self.clone(),
            Node::Around(index, _) => Node::Around(*index, None),
            Node::Group(_, node) => node.without_groups(is_reversed),
            Node::Repeat { node, min, max, greedy } => {
                let node = Box::new(node.without_groups(is_reversed));
                Node::Repeat { node, min: *min, max: *max, greedy: *greedy }
            }
            Node::Row(nodes) => {
                let mut nodes = all(nodes);
                if is_reversed {
                    nodes.reverse();
                }
                Node::Row(nodes)
            }
            Node::Choice(nodes) => Node::Choice(all(nodes)),
        }
    }

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
