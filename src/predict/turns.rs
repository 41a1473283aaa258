//! Turns of a conversation: earlier ones of a history, and demos.

use super::lines::{write_lines, write_marked};
use super::{Adapter, write_object};
use crate::signature::{Field, Signature, values_of};
use crate::value::Value;

/// A turn that is none of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadTurn {
    /// Its place, from 0.
    pub index: usize,
    /// `not_a_map`, `missing_input_fields` or `missing_output_fields`.
    pub reason: &'static str,
}

/// What a turn is made of.
pub struct Turns {
    /// The inputs, then the outputs; those that models see.
    fields: Vec<Field>,
    inputs: usize,
}

impl Turns {
    pub fn of(signature: &Signature) -> Turns {
        let shown = |field: &&Field| !field.hidden() && !field.is_history();
        let mut fields = signature.parameters.iter().filter(shown).cloned().collect::<Vec<_>>();
        let inputs = fields.len();
        fields.extend(signature.outputs().iter().filter(shown).cloned());
        Turns { fields, inputs }
    }

    /// What the user and the assistant say in a turn: the fields that are there, in the order of the signature.
    pub fn pair(&self, index: usize, turn: &Value, adapter: Adapter) -> Result<[String; 2], BadTurn> {
        let bad = |reason| Err(BadTurn { index, reason });
        let Value::Map(members) = turn else { return bad("not_a_map") };
        let values = values_of(&self.fields, members);
        let mut sides: [Vec<(&str, &Value)>; 2] = Default::default();
        for (place, (field, value)) in self.fields.iter().zip(values).enumerate() {
            if let Some(value) = value {
                sides[usize::from(place >= self.inputs)].push((&field.name, value));
            }
        }
        let [said, answered] = sides;
        if said.is_empty() {
            return bad("missing_input_fields");
        }
        if answered.is_empty() {
            return bad("missing_output_fields");
        }
        let mut pair = [String::new(), String::new()];
        let [user, assistant] = &mut pair;
        match adapter {
            Adapter::Default => {
                write_lines(&said, user);
                write_lines(&answered, assistant);
            }
            Adapter::Chat => {
                write_marked(&said, user);
                write_marked(&answered, assistant);
            }
            Adapter::Json => {
                write_lines(&said, user);
                write_object(&answered, assistant);
            }
        }
        Ok(pair)
    }
}
