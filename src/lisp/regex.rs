//! Regular expressions whose matching can pause: a search runs a limited number of steps at a time, and takes time
//! linear in the text. The syntax is that of the `regex` crates; classes and case-insensitivity cover only ASCII.

mod around;
mod category;
mod class;
mod compile;
mod cut;
mod look;
mod matcher;
mod node;
#[cfg(test)]
mod tests;
mod translate;

pub use around::Positions;
pub use compile::Automaton;
pub use matcher::Matcher;
pub use translate::Expression;
