//! Regular expressions whose matching can pause: a search goes on for so many steps at a time, and takes time linear in the
//! text. The syntax is that of the `regex` crates; classes and cases know ASCII only.

mod class;
mod compile;
mod look;
mod matcher;
mod node;
#[cfg(test)]
mod tests;
mod translate;

pub use compile::Program;
pub use matcher::Matcher;
pub use translate::Expression;
