//! Lines that a request has already are referred to.

use std::rc::Rc;

use super::accounting::Counts;
use super::arrived::{call_key, described_call, is_recall};
use super::fate::{Stub, StubbedPart};
use super::message::{CallPart, ChatMessage};
use super::outcome::SentMessage;
use crate::tokens::{Estimate, TokenCounter};
use crate::value::{Index, Names, hash_text};

/// Fewer lines in a row are repeated.
const FEWEST_LINES: usize = 4;

/// Fewer tokens are repeated.
const FEWEST_TOKENS: usize = 60;

/// The longest beginning of a line that a reference quotes, in characters.
const LONGEST_QUOTE: usize = 40;

/// Makes the hash of lines differ from other hashes of texts.
const SEED: u64 = 107;

/// Replaces lines of results that are in an earlier result of the same request by references to them, and returns the
/// tokens that this saves.
///
/// The references follow from the messages before them, so they stay the same while these do. What a strategy or a limit
/// has removed is not referred to. Lines that were referred to once are written out the next time: a model that asks for
/// them again needs them.
pub(super) fn refer(sent: &mut [SentMessage], counts: &mut Counts) -> usize {
    let messages: Vec<Rc<ChatMessage>> = sent.iter().map(|sent| sent.message.clone()).collect();
    let calls = messages.iter().flat_map(|message| message.calls());
    let calls: Names<CallPart> = calls.map(|call| (call_key(call.id, call.name).clone(), call)).collect();
    let mut shown = ShownLines::default();
    let mut saved = 0;
    for (message, sent) in messages.iter().zip(sent) {
        let mut stubs = Vec::new();
        for (position, result) in message.results().enumerate() {
            let call = calls.get(call_key(result.id, result.name)).copied();
            let is_recalled = call.is_some_and(|call| is_recall(call.name));
            let may_change = !message.is_pinned && !result.is_server && result.text.media == 0 && !is_recalled;
            if let Some(text) = shown.add(result.text, call, may_change) {
                stubs.push(Stub { part: StubbedPart::Result(position), text: text.into() });
            }
        }
        if stubs.is_empty() {
            continue;
        }
        sent.message = Rc::new(message.with_stubs(&stubs));
        sent.texts.retain(|text| stubs.iter().all(|stub| stub.part != text.part));
        sent.texts.extend(stubs);
        saved += counts.message(message).saturating_sub(counts.message(&sent.message));
    }
    saved
}

/// The results of a request so far.
#[derive(Default)]
struct ShownLines<'m> {
    results: Vec<ShownResult<'m>>,
    /// Where [`FEWEST_LINES`] lines in a row stand, by their hash: the result and the first line. The last place counts.
    places: Vec<(usize, usize)>,
    hashes: Index,
}

struct ShownResult<'m> {
    call: Option<CallPart<'m>>,
    lines: Vec<&'m str>,
    /// For each line, whether a reference has been made to it.
    is_referenced: Vec<bool>,
}

impl<'m> ShownLines<'m> {
    /// Adds a result, and returns its text with references; None when it has none.
    fn add(&mut self, text: &'m str, call: Option<CallPart<'m>>, may_change: bool) -> Option<String> {
        let lines: Vec<&str> = text.split('\n').collect();
        let hashes: Vec<u64> = lines.iter().map(|line| hash_text(SEED, line)).collect();
        let hash_at = |at: usize| {
            let next = hashes[at..at + FEWEST_LINES].iter();
            next.fold(0, |sum: u64, hash| sum.rotate_left(7) ^ hash)
        };
        let last = (lines.len() + 1).saturating_sub(FEWEST_LINES);
        let mut written: Vec<String> = Vec::new();
        let mut is_shown = vec![true; lines.len()];
        let (mut at, mut has_references) = (0, false);
        while at < lines.len() {
            let known = if may_change && at < last { self.place(hash_at(at)) } else { None };
            match known.and_then(|place| self.reference(place, &lines[at..])) {
                Some((count, note)) => {
                    written.push(note);
                    is_shown[at..at + count].fill(false);
                    (at, has_references) = (at + count, true);
                }
                None => {
                    written.push(lines[at].to_owned());
                    at += 1;
                }
            }
        }
        let result = self.results.len();
        for at in (0..last).filter(|at| is_shown[*at..at + FEWEST_LINES].iter().all(|is_shown| *is_shown)) {
            match self.hashes.find(hash_at(at), &mut |_| true) {
                Some(known) => self.places[known] = (result, at),
                None => {
                    self.hashes.push(hash_at(at));
                    self.places.push((result, at));
                }
            }
        }
        self.results.push(ShownResult { call, is_referenced: vec![false; lines.len()], lines });
        has_references.then(|| written.join("\n"))
    }

    fn place(&self, hash: u64) -> Option<(usize, usize)> {
        self.hashes.find(hash, &mut |_| true).map(|known| self.places[known])
    }

    /// Returns a reference to the lines from a place on with which `lines` begin, and their number.
    fn reference(&mut self, (result, first): (usize, usize), lines: &[&str]) -> Option<(usize, String)> {
        let target = &mut self.results[result];
        let same = target.lines[first..].iter().zip(lines).zip(&target.is_referenced[first..]);
        let count = same.take_while(|((known, line), is_referenced)| known == line && !**is_referenced).count();
        if count < FEWEST_LINES {
            return None;
        }
        let same = &lines[..count];
        let mut words = same.iter().filter(|line| !line.trim().is_empty()).map(|line| quote(line));
        let begin = words.next()?;
        let end = words.next_back().unwrap_or_else(|| begin.clone());
        let note = format!(
            "[{count} lines, the same as lines {}-{} of the result of {} above, from `{begin}` to `{end}`; call again to see them here]",
            first + 1,
            first + count,
            target.call.map_or("an earlier call".to_owned(), described_call)
        );
        let [saved, price] = [&same.join("\n"), &note].map(|text| Estimate.count(text));
        if saved < FEWEST_TOKENS || saved <= price {
            return None;
        }
        target.is_referenced[first..first + count].fill(true);
        Some((count, note))
    }
}

fn quote(line: &str) -> String {
    line.trim().chars().take(LONGEST_QUOTE).collect()
}
