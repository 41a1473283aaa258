//! Turns of a conversation, which are the history of a request and the demos of a program.

use super::adapter::Adapter;
use super::notation::{write_lines, write_marked, write_object};
use crate::signature::{Field, Signature, values_of};
use crate::value::Value;

/// Why a value is not a turn of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadTurn {
    /// Its index.
    pub index: usize,
    /// `not_a_map`, `missing_input_fields` or `missing_output_fields`.
    pub reason: &'static str,
}

/// The fields of a turn.
pub struct Turns {
    /// The inputs, then the outputs, without those that models do not see.
    fields: Vec<Field>,
    inputs: usize,
}

impl Turns {
    pub fn of(signature: &Signature) -> Turns {
        let shown = |field: &&Field| !field.hidden() && !field.is_history();
        let mut fields: Vec<_> = signature.parameters.iter().filter(shown).cloned().collect();
        let inputs = fields.len();
        fields.extend(signature.outputs().iter().filter(shown).cloned());
        Turns { fields, inputs }
    }

    /// The user and the assistant message of a turn, with the fields that it has in the order of the signature.
    pub fn pair(&self, index: usize, turn: &Value, adapter: Adapter) -> Result<[String; 2], BadTurn> {
        let bad = |reason| Err(BadTurn { index, reason });
        let Value::Map(members) = turn else { return bad("not_a_map") };
        let mut sides: [Vec<(&str, &Value)>; 2] = Default::default();
        for (position, (field, value)) in self.fields.iter().zip(values_of(&self.fields, members)).enumerate() {
            if let Some(value) = value {
                sides[usize::from(position >= self.inputs)].push((&field.name, value));
            }
        }
        let [inputs, outputs] = sides;
        if inputs.is_empty() {
            return bad("missing_input_fields");
        }
        if outputs.is_empty() {
            return bad("missing_output_fields");
        }
        let [mut user, mut assistant] = [String::new(), String::new()];
        match adapter {
            Adapter::Default => {
                write_lines(&inputs, &mut user);
                write_lines(&outputs, &mut assistant);
            }
            Adapter::Chat => {
                write_marked(&inputs, &mut user);
                write_marked(&outputs, &mut assistant);
            }
            Adapter::Json => {
                write_lines(&inputs, &mut user);
                write_object(&outputs, &mut assistant);
            }
        }
        Ok([user, assistant])
    }
}
