//! What an agent is told before anything happens.

pub mod system_prompt;
