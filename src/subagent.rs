//! Agents that work in turns: the system prompt, the search for a program in a reply, and the loop.

pub mod reply;
pub mod run;
pub mod system_prompt;
