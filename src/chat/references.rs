//! Lines that a request has already are referred to.

use std::rc::{Rc, Weak};

use super::accounting::Counts;
use super::arrived::{call_key, described_call, is_recall};
use super::fate::{Stub, StubbedPart};
use super::message::ChatMessage;
use super::outcome::SentMessage;
use crate::text::join;
use crate::tokens::{Estimate, TokenCounter};
use crate::value::{Index, Names, Str, hash_text};

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
    let Some(last) = sent.last().map(|last| last.message.clone()) else { return 0 };
    let mut shown = ShownLines::take(sent);
    for sent in &sent[shown.messages.len()..] {
        shown.add_message(&sent.message);
    }
    let mut saved = 0;
    for (sent, read) in sent.iter_mut().zip(&shown.messages) {
        let Some((message, stubs)) = &read.changed else { continue };
        saved += counts.message(&sent.message).saturating_sub(counts.message(message));
        sent.message = message.clone();
        sent.texts.retain(|text| stubs.iter().all(|stub| stub.part != text.part));
        sent.texts.extend_from_slice(stubs);
    }
    last.shown_lines.0.replace(Some(Box::new(shown)));
    saved
}

/// The results of a request so far. The last message has them, for later requests that begin with the same messages.
#[derive(Default)]
struct ShownLines {
    messages: Vec<ScannedMessage>,
    /// The tools and the arguments of the calls.
    calls: Names<(Str, Str)>,
    results: Vec<ShownResult>,
    /// Where [`FEWEST_LINES`] lines in a row stand, by their hash: the result and the first line. The last place counts.
    places: Vec<(usize, usize)>,
    hashes: Index,
}

struct ScannedMessage {
    message: Weak<ChatMessage>,
    /// The message with references, and their texts.
    changed: Option<(Rc<ChatMessage>, Vec<Stub>)>,
}

struct ShownResult {
    call: Option<(Str, Str)>,
    text: Str,
    /// For each line, whether a reference has been made to it.
    is_referenced: Vec<bool>,
}

impl ShownLines {
    /// Takes those of an earlier request with which this one begins.
    fn take(sent: &[SentMessage]) -> ShownLines {
        let is_same =
            |(read, sent): (&ScannedMessage, &SentMessage)| read.message.as_ptr() == Rc::as_ptr(&sent.message);
        for (index, last) in sent.iter().enumerate().rev() {
            let fits =
                |shown: &ShownLines| shown.messages.len() == index + 1 && shown.messages.iter().zip(sent).all(is_same);
            if let Some(shown) = last.message.shown_lines.take_if(fits) {
                return shown;
            }
        }
        ShownLines::default()
    }

    fn add_message(&mut self, message: &Rc<ChatMessage>) {
        for call in message.calls() {
            self.calls.insert(call_key(call.id, call.name).clone(), (call.name.clone(), call.args.text.clone()));
        }
        let mut stubs = Vec::new();
        for (position, result) in message.results().enumerate() {
            let call = self.calls.get(call_key(result.id, result.name)).cloned();
            let is_recalled = call.as_ref().is_some_and(|(tool, _)| is_recall(tool));
            let may_change = !message.is_pinned && !result.is_server && result.text.media == 0 && !is_recalled;
            if let Some(text) = self.add(&result.text.text, call, may_change) {
                stubs.push(Stub { part: StubbedPart::Result(position), text: text.into() });
            }
        }
        let changed = (!stubs.is_empty()).then(|| (Rc::new(message.with_stubs(&stubs)), stubs));
        self.messages.push(ScannedMessage { message: Rc::downgrade(message), changed });
    }

    /// Adds a result, and returns its text with references; None when it has none.
    fn add(&mut self, text: &Str, call: Option<(Str, Str)>, may_change: bool) -> Option<String> {
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
        self.results.push(ShownResult { call, text: text.clone(), is_referenced: vec![false; lines.len()] });
        has_references.then(|| join(&written, "\n"))
    }

    fn place(&self, hash: u64) -> Option<(usize, usize)> {
        self.hashes.find(hash, &mut |_| true).map(|known| self.places[known])
    }

    /// Returns a reference to the lines from a place on with which `lines` begin, and their number.
    fn reference(&mut self, (result, first): (usize, usize), lines: &[&str]) -> Option<(usize, String)> {
        let target = &mut self.results[result];
        let known = target.text.split('\n').skip(first);
        let same = known.zip(lines).zip(&target.is_referenced[first..]);
        let count = same.take_while(|((known, line), is_referenced)| known == *line && !**is_referenced).count();
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
            target.call.as_ref().map_or("an earlier call".to_owned(), |(tool, args)| described_call(tool, args))
        );
        let [saved, price] = [&join(same, "\n"), &note].map(|text| Estimate.count(text));
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
