//! The state of a history while strategies and limits are applied to it.

use std::ops::Range;
use std::rc::Rc;

use super::accounting::Counts;
use super::arrived::Arrivals;
use super::conversation::{Conversation, Exchange};
use super::fate::{Fate, Hold, MessageFate, Stub};
use super::message::{ChatMessage, Part};
use super::outcome::SentMessage;
use super::parameters::Limit;
use super::settled::{Settled, SettledSums};
use super::units::Units;
use crate::arrival::Arrival;
use crate::value::Str;

/// The messages of a conversation that are not settled, each with its tokens and its fate, and the size of the request
/// that is sent with them. Indexes and numbers of messages do not count the settled ones.
#[derive(Debug)]
pub(super) struct ManagedHistory {
    pub slots: Vec<Slot>,
    pub units: Units,
    /// The sums of the settled messages.
    pub settled: SettledSums,
    /// True when the first slot is the last question before the settled messages end.
    pub has_settled_question: bool,
    /// Tokens that are sent besides `slots`: the request, and `fixed_tokens`.
    pub request_tokens: usize,
    /// The part of `request_tokens` that each request of the conversation has: settled messages, tools, the schema, and
    /// what is not counted here.
    fixed_tokens: usize,
    /// Messages that are sent besides the history.
    pub request_messages: usize,
    /// The rounds of calls and results of the current exchange, between its question and its last round: the indexes of
    /// the messages. They are managed like the messages before the question.
    pub rounds: Range<usize>,
    /// True when strategies of the host are not shown the messages that wait for an answer.
    hides_pending: bool,
    /// True when tool results were cut because they did not fit.
    pub is_truncated: bool,
}

/// A message of a history.
#[derive(Debug)]
pub(super) struct Slot {
    /// The message; with stubs once results are cleared.
    pub message: Rc<ChatMessage>,
    /// The tokens of `message`.
    pub tokens: usize,
    /// The tokens of the message before any strategy or limit.
    pub tokens_before: usize,
    /// The message of the conversation. `message` began as the form in which it arrived.
    pub given: Rc<ChatMessage>,
    /// The tokens of `given`.
    pub tokens_given: usize,
    /// The texts that replace results of `given` in what is sent, whatever strategies and limits do.
    pub forms: Rc<[Stub]>,
    pub hold: Option<Hold>,
    pub fate: Fate,
    /// The strategy that decided the fate.
    pub strategy: Option<Str>,
    pub stubs: Vec<Stub>,
    /// The strategy or limit that made the stubs.
    pub stubbed_by: Option<Str>,
}

impl Slot {
    /// Notes that `strategy` has added stubs.
    pub fn mark_stubbed(&mut self, strategy: &Str) {
        self.fate = Fate::Stubbed;
        self.strategy = Some(strategy.clone());
        self.stubbed_by = self.strategy.clone();
    }

    /// True when the provider ignores the message, because it made a summary of it. It counts nothing.
    pub fn is_covered(&self) -> bool {
        self.hold == Some(Hold::Compaction) && self.fate == Fate::Dropped
    }

    /// The forms in which results are sent that no strategy and no limit has replaced.
    pub fn forms_left(&self) -> impl Iterator<Item = &Stub> {
        self.forms.iter().filter(|form| self.stubs.iter().all(|stub| stub.part != form.part))
    }

    /// The message of the conversation with the stubs.
    pub fn given_with_stubs(&self) -> Rc<ChatMessage> {
        if self.forms.is_empty() { self.message.clone() } else { Rc::new(self.given.with_stubs(&self.stubs)) }
    }

    /// The tokens without strategies: of a summary, those of the messages that it replaces, if known.
    pub fn replaced_tokens(&self) -> usize {
        self.given.summary.as_ref().and_then(|summary| summary.tokens).unwrap_or(self.tokens_given)
    }

    /// True when no strategy has dropped or summarised the message.
    pub fn is_present(&self) -> bool {
        self.fate.stays()
    }

    /// True when a strategy or a limit may remove the message.
    pub fn is_free(&self) -> bool {
        self.hold.is_none() && self.is_present()
    }

    /// True when the message counts in `minMessages` and among the last messages.
    pub fn is_counted(&self) -> bool {
        self.is_present() && !matches!(self.hold, Some(Hold::System | Hold::Pending))
    }
}

impl ManagedHistory {
    /// Makes the history of a conversation. Its sums are valid once no count is missing in `counts`.
    pub fn new(
        conversation: &Conversation,
        exchange: &Exchange,
        settled: &Settled,
        arrival: Option<Arrival>,
        counts: &mut Counts,
    ) -> ManagedHistory {
        let messages = settled.rest(conversation);
        let mut arrivals = arrival.map(Arrivals::new);
        let slot = |given: &Rc<ChatMessage>| {
            let (message, forms) = match &mut arrivals {
                Some(arrivals) => arrivals.next(given),
                None => (given.clone(), Rc::default()),
            };
            let tokens = counts.message(&message);
            let tokens_given = if forms.is_empty() { tokens } else { counts.message(given) };
            let hold = match () {
                () if message.is_system() => Some(Hold::System),
                () if message.is_pinned => Some(Hold::Pinned),
                () => None,
            };
            Slot {
                message,
                tokens,
                tokens_before: tokens,
                given: given.clone(),
                tokens_given,
                forms,
                hold,
                fate: Fate::Kept,
                strategy: None,
                stubs: Vec::new(),
                stubbed_by: None,
            }
        };
        let slots = messages.iter().map(slot).collect();
        let request = exchange.messages.as_deref().unwrap_or_default();
        let request_tokens = request.iter().map(|message| counts.message(message)).sum::<usize>();
        let sums = settled.sums;
        let fixed_tokens =
            counts.request(&exchange.tools, exchange.schema.as_deref()) + exchange.fixed_tokens + sums.tokens;
        let mut history = ManagedHistory {
            slots,
            units: Units::of(&messages),
            settled: sums,
            has_settled_question: settled.end() > sums.messages,
            request_tokens: request_tokens + fixed_tokens,
            fixed_tokens,
            request_messages: request.len(),
            rounds: 0..0,
            hides_pending: exchange.question.is_some(),
            is_truncated: false,
        };
        let compaction = history.hold_compaction();
        history.hold_pairs_of_pins();
        if let Some(compaction) = compaction {
            history.drop_covered(compaction, exchange.question.clone().unwrap_or_default());
        }
        history.hold_pending(exchange);
        history
    }

    /// Holds the message with the last summary that the provider made, and returns its index.
    fn hold_compaction(&mut self) -> Option<usize> {
        let index = self.slots.iter().rposition(|slot| slot.message.compaction().is_some())?;
        self.slots[index].hold.get_or_insert(Hold::Compaction);
        Some(index)
    }

    /// Drops what a summary of the provider covers: the units before its message, except messages that are held and the
    /// question of an exchange that goes on.
    fn drop_covered(&mut self, compaction: usize, question: Range<usize>) {
        let keeps_users = |part: &Part| matches!(part, Part::Compaction { keeps_users: true, .. });
        let is_users =
            |slot: &Slot| slot.message.is_system() || (*slot.message.role == *"user" && !slot.message.is_paired());
        if self.slots[compaction].message.parts.iter().any(keeps_users) && self.slots[..compaction].iter().all(is_users)
        {
            return;
        }
        let start = self.unit_start(compaction);
        for (index, slot) in self.slots[..start].iter_mut().enumerate() {
            if slot.hold.is_none() && !question.contains(&index) {
                (slot.hold, slot.fate) = (Some(Hold::Compaction), Fate::Dropped);
                (slot.tokens, slot.tokens_before, slot.tokens_given) = (0, 0, 0);
            }
        }
    }

    /// The messages that the provider ignores, because it made a summary of them.
    pub fn covered(&self) -> impl Iterator<Item = &Slot> {
        self.slots.iter().filter(|slot| slot.is_covered())
    }

    /// Returns the number of messages of the first request in which the calls are answered. When the calls' unit
    /// includes a question, that question has to be answered too. System messages are not answers.
    pub fn answered_at(&self, calls: &Range<usize>) -> usize {
        let asks = self.slots[calls.clone()].iter().any(|slot| slot.message.is_question());
        let answers = |message: &ChatMessage| !asks || message.is_question() || !message.has_tools();
        let answer =
            self.slots[calls.end..].iter().position(|Slot { message, .. }| !message.is_system() && answers(message));
        calls.end + answer.unwrap_or(self.slots.len() - calls.end) + 1
    }

    /// Holds all calls, results and approvals of a unit when one of them is held.
    fn hold_pairs_of_pins(&mut self) {
        for range in &self.units.ranges {
            let unit = &mut self.slots[range.clone()];
            if unit.iter().any(|slot| slot.hold.is_some() && slot.message.is_paired()) {
                for slot in unit.iter_mut().filter(|slot| slot.message.is_paired()) {
                    slot.hold.get_or_insert(Hold::Pinned);
                }
            }
        }
    }

    /// Holds the messages that wait for an answer: calls whose results are still expected, results that no model has
    /// read yet, and their question. Rounds between that question and the last round are free.
    fn hold_pending(&mut self, exchange: &Exchange) {
        let Some(last) = self.slots.iter().rposition(|slot| !slot.message.is_system()) else { return };
        let end = self.slots.len();
        let is_open = |unit: usize| self.units.open.iter().any(|index| self.units.of[*index] == unit);
        let unit = self.units.of[last];
        let mut start = if is_open(unit) { self.units.ranges[unit].start } else { end };
        start = self.units.waits.map_or(start, |call| start.min(self.unit_start(call)));
        let message = &self.slots[last].message;
        let waits = start < end || message.is_question() || message.has_results();
        if waits && (exchange.messages.is_none() || exchange.question.is_some()) {
            start = start.min(self.units.ranges[unit].start);
            let question = exchange.question.clone().or_else(|| {
                let is_asked = |slot: &Slot| slot.message.is_question() && !slot.is_covered();
                let last = self.slots[..=last].iter().rposition(is_asked)?;
                Some(last..last + 1)
            });
            if let Some(question) = question.filter(|question| !question.is_empty() && question.end <= end) {
                let behind = self.units.ranges[self.units.of[question.end - 1]].end;
                let first = self.unit_start(question.start);
                self.rounds = behind.min(start)..start;
                self.hold(first..behind);
            }
        }
        self.hold(start..end);
    }

    fn hold(&mut self, pending: Range<usize>) {
        for slot in &mut self.slots[pending] {
            slot.hold.get_or_insert(Hold::Pending);
        }
    }

    /// True for a unit to which nothing is added later, and that waits for no answer, except a question that is alone.
    pub fn is_finished(&self, unit: &Range<usize>) -> bool {
        let is_open = self.units.open.first().is_some_and(|open| *open < unit.end);
        !is_open && self.is_closed(unit)
    }

    /// True for a unit to which nothing is added unless a call before it is answered.
    pub fn is_closed(&self, unit: &Range<usize>) -> bool {
        let is_open = self.units.open.iter().any(|open| unit.contains(open));
        let slots = &self.slots[unit.clone()];
        let is_finished = |slot: &Slot| {
            let joins = slot.message.parts.iter().any(|part| matches!(part, Part::Approval(_)));
            !joins && (slot.hold != Some(Hold::Pending) || (slots.len() == 1 && slot.message.is_question()))
        };
        !is_open && slots.iter().all(is_finished)
    }

    /// True for a message that strategies of the host are shown.
    pub fn is_shown(&self, index: usize) -> bool {
        !(self.hides_pending && self.slots[index].hold == Some(Hold::Pending))
    }

    /// Indexes of the messages that are left.
    pub fn present(&self) -> impl Iterator<Item = usize> {
        self.slots.iter().enumerate().filter(|(_, slot)| slot.is_present()).map(|(index, _)| index)
    }

    /// The number of messages after one. A summary counts as the messages that it replaces.
    pub fn messages_after(&self, index: usize) -> usize {
        self.slots[index + 1..].iter().map(|slot| slot.message.covers()).sum()
    }

    /// The index of the first message in the unit of a message.
    pub fn unit_start(&self, index: usize) -> usize {
        self.units.ranges[self.units.of[index]].start
    }

    /// What is sent of each message before strategies and limits.
    pub fn sent_before(&self) -> Vec<SentMessage> {
        let sent = |slot: &Slot| {
            let message =
                if slot.forms.is_empty() { slot.given.clone() } else { Rc::new(slot.given.with_stubs(&slot.forms)) };
            SentMessage { message, texts: slot.forms.to_vec() }
        };
        self.slots.iter().map(sent).collect()
    }

    /// The tokens of these messages.
    pub fn tokens_of(&self, indexes: &[usize]) -> usize {
        indexes.iter().map(|index| self.slots[*index].tokens).sum()
    }

    /// The size of what is sent besides the history, in the unit of a limit.
    pub fn request_size(&self, limit: Limit) -> usize {
        match limit {
            Limit::Tokens(..) => self.request_tokens,
            Limit::Messages(..) => self.settled.messages + self.request_messages,
        }
    }

    /// The size that each request of the conversation has besides `slots`, in the unit of a limit.
    pub fn fixed_size(&self, limit: Limit) -> usize {
        match limit {
            Limit::Tokens(..) => self.fixed_tokens,
            Limit::Messages(..) => self.settled.messages,
        }
    }

    /// Tokens that each request of the conversation has besides `slots`.
    pub fn fixed_tokens(&self) -> usize {
        self.fixed_tokens
    }

    /// The tokens that each of `requests` requests added on average to a request that has `tokens` now.
    pub fn growth(&self, tokens: usize, requests: usize) -> f64 {
        let messages = tokens.saturating_sub(self.fixed_tokens) + self.settled.tokens;
        messages as f64 / (self.settled.answers + requests).max(1) as f64
    }

    /// The number of settled messages, with the question before their end.
    pub fn settled_end(&self) -> usize {
        self.settled.messages + usize::from(self.has_settled_question)
    }

    /// True when a request with the unchanged messages exceeds the trigger of the limit.
    pub fn triggered_before(&self, limit: Limit) -> bool {
        let sent = self.slots.iter().filter(|slot| !slot.is_covered());
        let given = sent.map(|slot| limit.weight(slot.tokens_before)).sum::<usize>();
        given + self.request_size(limit) > limit.trigger()
    }

    /// True when a request with the messages as they are now exceeds the trigger of the limit.
    pub fn triggers(&self, limit: Limit) -> bool {
        let present = self.slots.iter().filter(|slot| slot.is_present());
        present.map(|slot| limit.weight(slot.tokens)).sum::<usize>() + self.request_size(limit) > limit.trigger()
    }

    /// Tokens of a request with the first `messages` messages of the conversation.
    pub fn given_tokens(&self, messages: usize) -> usize {
        self.fixed_tokens + self.slots[..messages].iter().map(|slot| slot.tokens_given).sum::<usize>()
    }

    /// Tokens of everything that would be sent with the unchanged conversation.
    pub fn all_given_tokens(&self) -> usize {
        self.slots.iter().map(|slot| slot.tokens_given).sum::<usize>() + self.request_tokens
    }

    /// Marks a message as removed from the history.
    pub fn remove(&mut self, index: usize, fate: Fate, strategy: &Str) {
        let slot = &mut self.slots[index];
        slot.fate = fate;
        slot.strategy = Some(strategy.clone());
    }

    /// The indexes of the model's answers. Each was the answer to a request with the messages before it.
    pub fn answers(&self) -> impl DoubleEndedIterator<Item = usize> {
        let slots = self.slots.iter().enumerate();
        slots.filter(|(_, slot)| *slot.message.role == *"assistant").map(|(index, _)| index)
    }

    /// Indexes of the messages that a strategy has changed.
    pub fn changed(&self) -> impl Iterator<Item = usize> {
        let changed = self.slots.iter().enumerate().filter(|(_, slot)| slot.fate != Fate::Kept);
        let is_held = |slot: &Slot| matches!(slot.hold, Some(Hold::Pending | Hold::Compaction));
        changed.filter(move |(_, slot)| !is_held(slot)).map(|(index, _)| index)
    }

    /// The fate of each message.
    pub fn fates(&self) -> Vec<MessageFate> {
        let fate = |slot: &Slot| MessageFate {
            fate: slot.fate,
            reason: slot.strategy.clone().or(slot.hold.map(|hold| hold.name().into())),
            tokens: slot.tokens_given,
        };
        self.slots.iter().map(fate).collect()
    }
}
