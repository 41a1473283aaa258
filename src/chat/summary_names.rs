//! What a summary leaves out: the names and values that its text does not have.
//!
//! A model that summarizes writes what it takes to be important. Names are exact or useless, and what later calls need of
//! them can be found in the messages without a model.

use std::borrow::Cow;

use super::digest_facts::pairs_in;
use super::digest_line::{flat, reads_file, without_header};
use super::message::{ChatMessage, Part};
use crate::names::{ShownNames, list_names_by_weight, unescaped};
use crate::text::join;
use crate::value::{Names, Value, read_json};

/// The weight of a name that a text or a call of the model has, beside one that a result has.
const USED: usize = 3;

/// Values may take one of as many parts of the list.
const VALUES: usize = 3;

/// The longest list of values of one result, in characters.
const LONGEST: usize = 100;

/// Returns what follows a summary of these messages: up to `max` names and labels with values that `summary` does not
/// have; an empty text without any. It is a function of the messages and the summary alone, so that it never changes.
pub(super) fn left_out<'m>(messages: impl Iterator<Item = &'m ChatMessage>, summary: &str, max: usize) -> String {
    if max == 0 {
        return String::new();
    }
    let mut files: Names<()> = Names::default();
    let mut texts: Vec<(Cow<'m, str>, usize)> = Vec::new();
    let mut results: Vec<&str> = Vec::new();
    for part in messages.flat_map(|message| &message.parts) {
        match part {
            Part::Text(text) | Part::Compaction { text, .. } => texts.push((unescaped(text), USED)),
            Part::Call { id, args, .. } => {
                let Ok(Value::Map(members)) = read_json(args, false) else {
                    texts.push((unescaped(args), USED));
                    continue;
                };
                // The names of the arguments are those of the tool.
                texts.push((join(members.iter().map(|(_, value)| flat(value)), "\n").into(), USED));
                if reads_file(&Value::Map(members)) {
                    files.insert(id.clone(), ());
                }
            }
            Part::Result { id, text, .. } => {
                let (_, text) = without_header(text);
                texts.push((unescaped(text), 1));
                if files.get(id).is_none() {
                    results.push(text);
                }
            }
            Part::Other(_) | Part::Media(_) | Part::Reasoning(_) | Part::Approval(_) => {}
        }
    }
    let values = values(&results, summary, max / VALUES);
    let mut shown = ShownNames::default();
    shown.add(summary);
    values.iter().for_each(|value| shown.add(value));
    let names = list_names_by_weight(&texts, max - values.len(), &mut shown);
    let lists = [names, join(&values, "; ")];
    let lists: Vec<String> = lists.into_iter().filter(|list| !list.is_empty()).collect();
    if lists.is_empty() {
        return String::new();
    }
    format!(
        "\n\nAlso in those messages (names after a word beside them, the most used first; values):\n{}",
        join(&lists, "\n")
    )
}

/// The newest labels with values that the summary does not have, each label once.
fn values(results: &[&str], summary: &str, max: usize) -> Vec<String> {
    let mut labels: Names<()> = Names::default();
    let mut values = Vec::new();
    for text in results.iter().rev() {
        for pair in pairs_in(text, summary, LONGEST) {
            if values.len() == max {
                return values;
            }
            let label = pair.split('=').next().unwrap_or_default();
            if labels.get(label).is_none() {
                labels.insert(label.into(), ());
                values.push(pair);
            }
        }
    }
    values
}
