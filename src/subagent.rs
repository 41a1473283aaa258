//! Agents that work in turns: what they are told, how a program is found in a reply, and the loop.

pub mod reply;
pub mod run;
pub mod system_prompt;
