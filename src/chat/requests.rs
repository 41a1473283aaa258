//! The requests for summaries.

use super::accounting::Counts;
use super::fate::Hold;
use super::history::ManagedHistory;
use super::message::ChatMessage;
use super::parameters::{Concept, HistoryStrategy, HostGroup, Parameters, SummaryPlace};
use super::transcript::{instruction, transcript};
use crate::value::Str;

/// The tokens that a name or value below a summary is expected to have.
const NAME: usize = 5;

/// The largest part of a group of which a summary may have a quarter, in tokens. Of the rest it may have an eighth.
const DENSE: usize = 4000;

/// Messages that one summary replaces.
#[derive(Debug)]
pub struct Group {
    /// Their indexes in the conversation, in order.
    pub covers: Vec<usize>,
    /// The requests whose answers make the summary; none when it is known.
    pub requests: Vec<SummaryRequest>,
    /// The message that replaces them, with its tokens, when no model writes it.
    pub(super) known: Option<(ChatMessage, usize)>,
    /// The strategy that asks for the summary.
    pub(super) strategy: Str,
}

impl Group {
    /// The tokens of the message that replaces the group, estimated when a model writes it.
    pub(super) fn expected_tokens(&self, history: &ManagedHistory, parameters: &Parameters) -> usize {
        let expected = || expected_message(history.tokens_of(&self.covers), parameters);
        self.known.as_ref().map_or_else(expected, |(_, tokens)| *tokens)
    }
}

/// A request for a summary, or for the facts about one concept.
#[derive(Debug)]
pub struct SummaryRequest {
    /// Instructions for the model.
    pub instruction: Str,
    /// The messages as a transcript; empty for a request that follows the conversation.
    pub transcript: String,
    /// How many messages of the conversation precede the instructions. None when the transcript is sent.
    pub behind: Option<usize>,
    /// Their indexes in the conversation.
    pub covers: Vec<usize>,
    /// The concept that facts are asked about. None when a summary is asked for.
    pub concept: Option<Str>,
}

/// The requests of a group: one for each concept of `retrieveFacts`, otherwise one; each split at `summaryMaxTokens`.
pub(super) fn group(
    history: &ManagedHistory,
    HostGroup { covers, prompt }: HostGroup,
    strategy: &HistoryStrategy,
    parameters: &Parameters,
    counts: &mut Counts,
    warnings: &mut Vec<String>,
) -> Group {
    let prompt = prompt.as_ref().or(parameters.summary_prompt.as_ref());
    let pieces = match parameters.summary_max_tokens {
        None => vec![covers.clone()],
        Some(max) => {
            let fixed = counts.text(&instruction(prompt, None, false)) + counts.request(&[], None);
            split(history, &covers, fixed, max, warnings)
        }
    };
    let is_behind =
        parameters.summary_place == SummaryPlace::Behind && pieces.len() == 1 && is_beginning(history, &covers);
    let request = |concept: Option<&Concept>, piece: &Vec<usize>| {
        let behind = piece.last().filter(|_| is_behind).map(|last| last + 1);
        let instruction = instruction(prompt, concept, is_behind);
        SummaryRequest {
            instruction: match concept {
                Some(_) => instruction,
                None => format!("{instruction}\n\n{}", length(history.tokens_of(piece))).into(),
            },
            transcript: match behind {
                Some(_) => String::new(),
                None => transcript(piece.iter().map(|index| (*index, &*history.slots[*index].message))),
            },
            behind,
            covers: piece.clone(),
            concept: concept.map(|concept| concept.name.clone()),
        }
    };
    let requests = match strategy {
        HistoryStrategy::RetrieveFacts(concepts) if !concepts.is_empty() => {
            let all = |concept| pieces.iter().map(move |piece| (concept, piece));
            concepts.iter().flat_map(all).map(|(concept, piece)| request(Some(concept), piece)).collect()
        }
        _ => pieces.iter().map(|piece| request(None, piece)).collect(),
    };
    Group { covers, requests, known: None, strategy: strategy.name() }
}

/// True when a group has all messages up to its last one, except those that stay, so that the conversation as it was
/// sent begins with them.
fn is_beginning(history: &ManagedHistory, covers: &[usize]) -> bool {
    let Some(last) = covers.last() else { return false };
    let is_unchanged = |index: usize| history.slots[index].stubs.is_empty();
    let stays = |index: usize| match history.slots[index].hold {
        Some(Hold::System | Hold::Pinned) => true,
        Some(Hold::Compaction) => history.slots[index].is_present(),
        _ => false,
    };
    (0..=*last).all(|index| is_unchanged(index) && (covers.binary_search(&index).is_ok() || stays(index)))
}

/// The instruction on the length of a summary of `tokens` tokens: at most half of them, and at most 2,500 words.
fn length(tokens: usize) -> String {
    let max = tokens.min(DENSE) / 4 + tokens.saturating_sub(DENSE) / 8;
    let words = (max.clamp(80, 3333).min(tokens / 2) * 3 / 4).next_multiple_of(10);
    format!("Write at most {words} words.")
}

/// The tokens that a summary is expected to have: three fifths of what it may have.
pub(super) fn expected_summary(covered: usize) -> usize {
    let expected = covered.min(DENSE) * 3 / 20 + covered.saturating_sub(DENSE) * 3 / 40;
    expected.clamp(40, 2000).min(covered)
}

/// The tokens that the message with a summary is expected to have, the names below it included.
pub(super) fn expected_message(covered: usize, parameters: &Parameters) -> usize {
    expected_summary(covered) + (NAME * parameters.summary_names).min(covered / 8)
}

/// Splits a group into pieces of whole units, whose requests have at most `max` tokens, `fixed` of which are not
/// transcript. A unit that is larger becomes a piece of its own, with a warning.
fn split(
    history: &ManagedHistory,
    covers: &[usize],
    fixed: usize,
    max: usize,
    warnings: &mut Vec<String>,
) -> Vec<Vec<usize>> {
    let mut pieces: Vec<Vec<usize>> = Vec::new();
    let (mut piece, mut size) = (Vec::new(), fixed);
    for unit in covers.chunk_by(|left, right| history.units.of[*left] == history.units.of[*right]) {
        let tokens = history.tokens_of(unit);
        if size + tokens > max && !piece.is_empty() {
            pieces.push(std::mem::take(&mut piece));
            size = fixed;
        }
        if fixed + tokens > max {
            let (first, size) = (unit[0], fixed + tokens);
            warnings.push(format!(
                "the request for the unit of message {first} has {size} tokens; summaryMaxTokens is {max}"
            ));
        }
        size += tokens;
        piece.extend(unit);
    }
    pieces.push(piece);
    pieces
}
