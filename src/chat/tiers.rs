//! The two tiers of a digest: the lines of folded rounds, and one short line for each call and message of the oldest work.
//!
//! The lines of a fold stay as they are while the first tier has room. When a fold makes it too large, its older half
//! moves into the message of the second tier, with the messages between: a fold changes what is sent anyway, so this
//! writes no other request to the cache anew. A short line keeps every name of what it shortens, and is made of the lines
//! alone: a host that keeps the folded conversation and one that gives the whole history get the same.

use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::rc::Rc;

use super::digest_line::digest_text;
use super::history::{ManagedHistory, Slot};
use super::media::NotedText;
use super::message::{ChatMessage, Part};
use super::parameters::{Digest, HistoryStrategy, Parameters};
use super::reduction::{PieceChange, Reduction, runs};
use crate::names::{ShownNames, is_part, list_names};
use crate::text::join;
use crate::tokens::{Estimate, TokenCounter};
use crate::value::{Str, sort};

/// The largest first tier, in tokens. When it is larger, half of it stays.
const BUDGET: usize = 6000;

/// The longest call in a short line, the longest result that stays, and the longest text of a message, in characters.
const CALL: usize = 120;
const RESULT: usize = 160;
const TEXT: usize = 600;

/// The tokens that a short line is assumed to have of those of its line, and of a message at most.
const SHARE: f64 = 0.5;
const MESSAGE: usize = 200;

/// The second tier grows by at most this share of what moves into it.
const LARGEST_SHARE: f64 = 0.8;

/// What precedes the short lines.
const HEADING: &str =
    "Older work, shortened further: tool(arguments) → result [names in it, after a word beside them]:\n";

/// The digest of a history in one of its requests.
#[derive(Clone, Debug)]
pub(super) struct Tiers {
    digest: Digest,
    /// The tokens that the provider adds to each message.
    message_tokens: usize,
    /// The tokens of a message of the first tier without its lines.
    around: usize,
    /// In their order.
    pub first: Vec<FirstTier>,
    /// The lines of the second tier, and their tokens.
    lines: Str,
    tokens: usize,
    /// The count of its message, as messages store it.
    pub counted: Cell<(u32, u32)>,
    /// The messages that they replace; one that a conversation has already is its own.
    pub moved: Vec<usize>,
    shown: Rc<ShownNames>,
}

/// A message of lines.
#[derive(Clone, Debug)]
pub(super) struct FirstTier {
    pub covers: Range<usize>,
    pub text: Str,
    /// True for a message that the conversation has already.
    pub is_given: bool,
    tokens: usize,
    /// The count of the message, as messages store it.
    pub counted: Cell<(u32, u32)>,
}

/// A fold of reductions, of which the first begins at a message, up to a number of them: the digest after it, and how many
/// messages it saves.
#[derive(Debug)]
pub(super) struct FoldStep {
    start: usize,
    end: usize,
    tiers: Rc<Tiers>,
    saved: usize,
}

/// The folds of a history, one after the other. Those that an earlier request has computed are looked up.
#[derive(Clone, Debug)]
pub(super) struct DigestFolds {
    given: Rc<Tiers>,
    known: Rc<RefCell<Vec<FoldStep>>>,
    made: usize,
}

/// Keeps the folds of these reductions that have read no message from this one on.
pub(super) fn keep_before(folds: &RefCell<Vec<FoldStep>>, reductions: &[Reduction], message: usize) {
    folds.borrow_mut().retain(|fold| reductions[..fold.end].last().is_none_or(|last| last.covers.end <= message));
}

impl DigestFolds {
    /// The folds of a history in which nothing is folded yet; None for another strategy.
    pub fn new(
        history: &ManagedHistory,
        parameters: &Parameters,
        known: &Rc<RefCell<Vec<FoldStep>>>,
    ) -> Option<DigestFolds> {
        let Some(HistoryStrategy::Digest(digest)) = parameters.strategies.last() else { return None };
        let given = Rc::new(Tiers::given(history, *digest, parameters.provider.message()));
        Some(DigestFolds { given, known: known.clone(), made: 0 })
    }

    /// The digest after the folds so far.
    pub fn tiers(&self) -> Rc<Tiers> {
        match self.made.checked_sub(1) {
            None => self.given.clone(),
            Some(last) => self.known.borrow()[last].tiers.clone(),
        }
    }

    /// Folds the reductions that follow the last fold, up to `end`. Returns how many messages this saves.
    pub fn fold(&mut self, history: &ManagedHistory, reductions: &[Reduction], end: usize) -> usize {
        let before = self.tiers();
        let mut known = self.known.borrow_mut();
        let batch = &reductions[self.made.checked_sub(1).map_or(0, |last| known[last].end)..end];
        let start = batch.first().map_or(0, Reduction::index);
        if known.get(self.made).is_none_or(|fold| (fold.start, fold.end) != (start, end)) {
            known.truncate(self.made);
            let mut tiers = (*before).clone();
            let saved = tiers.fold(history, batch);
            known.push(FoldStep { start, end, tiers: Rc::new(tiers), saved });
        }
        self.made += 1;
        known[self.made - 1].saved
    }

    /// Begins again, and folds the reductions up to each of `ends`.
    pub fn fold_again(&mut self, history: &ManagedHistory, reductions: &[Reduction], ends: &[usize]) -> Rc<Tiers> {
        self.made = 0;
        for end in ends {
            self.fold(history, reductions, *end);
        }
        self.tiers()
    }
}

impl Tiers {
    /// The digest that the conversation has from earlier requests.
    fn given(history: &ManagedHistory, digest: Digest, message_tokens: usize) -> Tiers {
        let mut tiers = Tiers {
            digest,
            message_tokens,
            around: Estimate.count(&digest_text("", digest)) + message_tokens,
            first: Vec::new(),
            lines: "".into(),
            tokens: 0,
            counted: Cell::default(),
            moved: Vec::new(),
            shown: Rc::default(),
        };
        let digests = history.slots.iter().enumerate().filter_map(|(index, slot)| Some((index, digest_of(slot)?)));
        for (index, text) in digests {
            match text.strip_prefix(HEADING) {
                Some(lines) => {
                    let mut shown = ShownNames::default();
                    // The heading has no names.
                    text.add_names(&mut shown);
                    (tiers.shown, tiers.lines, tiers.moved) = (Rc::new(shown), lines.into(), vec![index]);
                    tiers.tokens = text.estimate() + message_tokens;
                }
                None => tiers.push(index..index + 1, text.text.clone(), Some(text.estimate())),
            }
        }
        tiers
    }

    /// Adds a message of lines; the tokens of one that the conversation has already are `given`.
    fn push(&mut self, covers: Range<usize>, text: Str, given: Option<usize>) {
        let tokens = given.unwrap_or_else(|| Estimate.count(&text)) + self.message_tokens;
        self.first.push(FirstTier { covers, text, is_given: given.is_some(), tokens, counted: Cell::default() });
    }

    /// Folds a batch of reductions, and returns how many messages this saves.
    fn fold(&mut self, history: &ManagedHistory, batch: &[Reduction]) -> usize {
        let newest = self.first.len();
        let mut saved = 0;
        for run in runs(batch).filter(|run| run[0].is_lines()) {
            if !self.shortens(run) {
                continue;
            }
            let lines = run.iter().filter_map(lines_of);
            let covers = run[0].covers.start..run[run.len() - 1].covers.end;
            saved += covers.len() - 1;
            self.push(covers, digest_text(&join(lines, "\n"), self.digest).into(), None);
        }
        // As it was expected when the fold was decided.
        let added = batch.iter().map(|reduction| reduction.left(history)).sum();
        let count = self.excess(newest, added);
        sort(&mut self.first, |left, right| left.covers.start.cmp(&right.covers.start));
        saved + self.demote(history, count).unwrap_or_default()
    }

    /// True for consecutive rounds whose lines are shorter than they, as a message.
    pub fn shortens(&self, run: &[Reduction]) -> bool {
        run.iter().map(|round| round.saved).sum::<usize>() > self.around
    }

    /// True when there is a digest.
    pub fn is_given(&self) -> bool {
        !(self.first.is_empty() && self.moved.is_empty())
    }

    /// Sets the tokens of the messages that the digest replaces: those of each of its messages at the last one, 0 at the
    /// others.
    pub fn measure(&self, history: &ManagedHistory, sizes: &mut [usize]) {
        for piece in self.first.iter().filter(|piece| !piece.is_given) {
            sizes[piece.covers.clone()].fill(0);
            sizes[piece.covers.end - 1] = piece.tokens;
        }
        if let Some(last) = self.moved.last().filter(|_| !self.is_second_given(history)) {
            self.moved.iter().for_each(|index| sizes[*index] = 0);
            sizes[*last] = self.tokens;
        }
    }

    /// What a fold that adds lines of `added` tokens changes besides: the first message that it moves, and the tokens that
    /// this saves, approximately.
    pub fn expected(&self, history: &ManagedHistory, added: usize) -> Option<(usize, usize)> {
        let pieces = &self.first[..self.excess(self.first.len(), added)];
        let end = pieces.last()?.covers.end;
        let lines: usize = pieces.iter().map(|piece| piece.tokens).sum();
        let messages = messages_before(history, end, pieces, &self.moved);
        let texts = messages.iter().map(|index| history.slots[*index].tokens_before.saturating_sub(MESSAGE));
        let start =
            [self.moved.first(), messages.first(), Some(&pieces[0].covers.start)].into_iter().flatten().min()?;
        Some((*start, (lines as f64 * (1.0 - SHARE)) as usize + texts.sum::<usize>()))
    }

    /// How many of the oldest messages of lines move when lines of `added` tokens are added; the first `before` may.
    fn excess(&self, before: usize, added: usize) -> usize {
        let tokens = |count: usize| self.first[..count].iter().map(|piece| piece.tokens).sum::<usize>();
        let mut left = added + tokens(before);
        // What is too large without the newest message did not become shorter. It is tried again when it has doubled.
        let doubled = |tokens: usize| (tokens / BUDGET).checked_ilog2();
        if doubled(left) == doubled(tokens(before.saturating_sub(1))) {
            return 0;
        }
        let more = self.first[..before].iter().take_while(|piece| {
            let moves = left > BUDGET / 2;
            left -= piece.tokens;
            moves
        });
        more.count()
    }

    /// Moves the first `count` messages of lines and what is between them, when that makes them much shorter. Returns how
    /// many messages this saves.
    fn demote(&mut self, history: &ManagedHistory, count: usize) -> Option<usize> {
        let pieces = &self.first[..count];
        let end = pieces.last()?.covers.end;
        let messages = messages_before(history, end, pieces, &self.moved);
        let before = pieces.iter().map(|piece| piece.tokens).sum::<usize>()
            + messages.iter().map(|index| history.slots[*index].tokens_before).sum::<usize>();
        let mut shown = ShownNames::after(&self.shown);
        let mut lines: Vec<String> = Vec::new();
        let mut messages_left = messages.iter().copied().peekable();
        for piece in pieces {
            while let Some(index) = messages_left.next_if(|index| *index < piece.covers.start) {
                lines.push(short_message(&history.slots[index].message, &mut shown));
            }
            let (_, own) = piece.text.split_once('\n').unwrap_or(("", &piece.text));
            lines.extend(own.lines().map(|line| short_line(line, &mut shown)));
        }
        let is_new = self.moved.is_empty();
        let given = (!is_new).then_some(&*self.lines);
        let all = join(given.into_iter().chain(lines.iter().map(String::as_str)), "\n");
        let tokens = Estimate.count(&format!("{HEADING}{all}")) + self.message_tokens;
        let added = tokens.saturating_sub(self.tokens);
        if added as f64 > LARGEST_SHARE * before as f64 {
            return None;
        }
        self.moved.extend(pieces.iter().flat_map(|piece| piece.covers.clone()).chain(messages.iter().copied()));
        sort(&mut self.moved, usize::cmp);
        self.first.drain(..count);
        (self.lines, self.tokens, self.shown) = (all.into(), tokens, shown.joined());
        self.counted = Cell::default();
        Some(count + messages.len() - usize::from(is_new))
    }

    /// The text of the second tier.
    pub fn second(&self) -> String {
        format!("{HEADING}{}", self.lines)
    }

    /// True when the conversation has the second tier already as it is.
    pub fn is_second_given(&self, history: &ManagedHistory) -> bool {
        match &*self.moved {
            [] => true,
            [index] => digest_of(&history.slots[*index]).is_some_and(|text| text.starts_with(HEADING)),
            _ => false,
        }
    }
}

/// The lines of a round.
fn lines_of(reduction: &Reduction) -> Option<&str> {
    match &reduction.change {
        PieceChange::Lines(lines) => Some(lines),
        PieceChange::Stub(_) => None,
    }
}

/// The text of a message that is part of a digest and may change.
fn digest_of(slot: &Slot) -> Option<&NotedText> {
    let summary = slot.message.summary.as_ref().filter(|_| slot.hold.is_none())?;
    if *summary.strategy != *"digest" {
        return None;
    }
    match &*slot.message.parts {
        [Part::Text(text)] => Some(text),
        _ => None,
    }
}

/// The messages before `end` that move with the messages of lines before it: those that may be removed, are no part of a
/// call and no summary, and have not moved. A question stays until another one follows, because it may be the current one.
fn messages_before(history: &ManagedHistory, end: usize, pieces: &[FirstTier], moved: &[usize]) -> Vec<usize> {
    let is_covered = |index: usize| pieces.iter().any(|piece| piece.covers.contains(&index));
    let last_question = history.slots[..end].iter().rposition(|slot| slot.message.is_question());
    let moves = |index: &usize| {
        let slot = &history.slots[*index];
        let is_plain = slot.message.summary.is_none() && !slot.message.shares_unit() && !slot.message.is_system();
        let may_move = slot.hold.is_none() && is_plain;
        may_move && Some(*index) != last_question && !is_covered(*index) && !moved.contains(index)
    };
    (0..end).filter(moves).collect()
}

/// Shortens a line of the first tier to its call, or to the beginning of its text, and the names in the rest.
fn short_line(line: &str, shown: &mut ShownNames) -> String {
    let (call, result) = line.split_once(" → ").unwrap_or((line, ""));
    let (call, cut) = beginning(call, CALL);
    if result.is_empty() {
        return with_names(call, cut, shown);
    }
    // The names from what was cut already are listed with those that are cut now.
    let (text, names) = result.rsplit_once(" [").unwrap_or((result, ""));
    let (text, cut_now) = beginning(text, RESULT);
    with_names(format!("{call} → {text}"), &format!("{cut} {cut_now} {names}"), shown)
}

/// A message as one line: its beginning, and the names in the rest.
fn short_message(message: &ChatMessage, shown: &mut ShownNames) -> String {
    let texts = message.parts.iter().filter_map(|part| match part {
        Part::Text(text) | Part::Other(text) | Part::Compaction { text, .. } => Some((**text).to_owned()),
        Part::Media(kind) => Some(format!("({kind})")),
        _ => None,
    });
    let text = join(texts, " ");
    let text = text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
    let text = join(text, " ");
    let (head, cut) = beginning(&text, TEXT);
    with_names(format!("{}: {head}", message.role), cut, shown)
}

/// Splits a text after at most `max` characters: between two words, else before a character that no name has. The beginning
/// says that it was cut.
fn beginning(text: &str, max: usize) -> (String, &str) {
    let Some((end, _)) = text.char_indices().nth(max) else { return (text.to_owned(), "") };
    let fits = &text[..end];
    let between = fits.rfind(' ').filter(|end| *end > 0);
    let end = between.or_else(|| fits.rfind(|c| !is_part(c)).filter(|end| *end > 0)).unwrap_or(end);
    let (head, cut) = text.split_at(end);
    (format!("{head} …"), cut)
}

fn with_names(line: String, cut: &str, shown: &mut ShownNames) -> String {
    shown.add(&line);
    let names = list_names(cut, " ", usize::MAX, shown);
    if names.is_empty() { line } else { format!("{line} [{names}]") }
}
