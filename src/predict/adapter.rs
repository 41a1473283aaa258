//! The forms of requests and replies.

/// The form of a request and of the reply to it. Turns of a history have the same form with every adapter, so that a
/// conversation can continue with another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Adapter {
    /// One message; `Field: value` in both directions.
    Default,
    /// A system message with the instructions; a marker above each value.
    Chat,
    /// A system message with the instructions; a JSON object as the reply.
    Json,
}
