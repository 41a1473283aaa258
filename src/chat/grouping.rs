//! Which messages a strategy puts into which summary.

use std::rc::Rc;

use super::ChatError;
use super::message::ChatMessage;
use super::parameters::Strategy;
use super::plan::Fate;
use super::units::Units;

/// A history on its way through strategies and limits.
#[derive(Debug)]
pub(super) struct History {
    /// The messages, with their results cleared where that was done.
    pub messages: Vec<Rc<ChatMessage>>,
    pub units: Units,
    pub fates: Vec<Fate>,
    /// Why a message can't be touched: it is a system message, pinned, or waits for an answer.
    pub held: Vec<Option<&'static str>>,
}

impl History {
    /// @param has_request whether the host says what is asked now; else what waits for an answer at the end is.
    pub fn new(messages: &[Rc<ChatMessage>], has_request: bool) -> History {
        let units = Units::of(messages);
        let held = messages.iter().map(|message| match () {
            () if message.is_system() => Some("system"),
            () if message.is_pinned => Some("pinned"),
            () => None,
        });
        let (held, fates) = (held.collect(), vec![Fate::Kept; messages.len()]);
        let mut history = History { messages: messages.to_vec(), units, fates, held };
        history.hold_pairs_of_pins();
        history.hold_what_waits(has_request);
        history
    }

    /// A pair with one pinned half stays whole.
    fn hold_pairs_of_pins(&mut self) {
        for range in self.units.ranges.clone() {
            let is_pinned = |index: usize| self.held[index].is_some() && self.messages[index].has_tools();
            if range.clone().any(is_pinned) {
                for index in range.filter(|index| self.messages[*index].has_tools()) {
                    self.held[index].get_or_insert("pinned");
                }
            }
        }
    }

    fn hold_what_waits(&mut self, has_request: bool) {
        let speaks = |index: &usize| !self.messages[*index].is_system();
        let Some(last) = (0..self.messages.len()).rev().find(speaks) else { return };
        let is_open = |unit: usize| self.units.open.iter().any(|index| self.units.of[*index] == unit);
        let unit = self.units.of[last];
        let mut start = if is_open(unit) { self.units.ranges[unit].start } else { self.messages.len() };
        start = self.units.waits.map_or(start, |call| start.min(self.unit_start(call)));
        // Results which stand last have still to be seen by a model.
        let waits =
            start < self.messages.len() || self.messages[last].is_question() || self.messages[last].has_results();
        if waits && !has_request {
            start = start.min(self.units.ranges[unit].start);
            // The question that all of it goes back to.
            let question = (0..=last).rev().find(|index| self.messages[*index].is_question());
            start = self.unit_start(question.map_or(start, |question| question.min(start)));
        }
        for held in self.held.iter_mut().skip(start) {
            held.get_or_insert("pending");
        }
    }

    /// True for what a strategy or a limit may take away.
    pub fn is_free(&self, index: usize) -> bool {
        self.held[index].is_none() && self.is_there(index)
    }

    /// True for what was neither dropped nor summarised so far.
    pub fn is_there(&self, index: usize) -> bool {
        matches!(self.fates[index], Fate::Kept | Fate::Stubbed)
    }

    /// How many messages are there, without system messages and what waits for an answer.
    pub fn len(&self) -> usize {
        (0..self.messages.len()).filter(|index| self.counts(*index)).count()
    }

    /// True for what is there, is no system message and does not wait for an answer.
    fn counts(&self, index: usize) -> bool {
        self.is_there(index) && !matches!(self.held[index], Some("system" | "pending"))
    }

    /// The groups that become a summary each, in order.
    ///
    /// @param tokens of each message.
    /// @param least tokens that are worth a summary.
    pub fn groups(&self, strategy: &Strategy, tokens: &[usize], least: usize) -> Result<Vec<Vec<usize>>, ChatError> {
        let all = self.messages.len();
        let before = |end: usize| (0..end).filter(|index| self.is_free(*index)).collect();
        let mut groups = match strategy {
            Strategy::WholeHistory | Strategy::RetrieveFacts(_) => vec![before(all)],
            Strategy::LastMessages(count) => vec![before(self.start_of_last(*count))],
            Strategy::FromTimestamp(time) => vec![before(self.first_since(*time)?)],
            Strategy::Chunked(size) => self.chunks(*size, tokens, least),
            Strategy::PerSystemMessage => self.blocks(),
            Strategy::ClearToolResults { .. } | Strategy::Host { .. } => Vec::new(),
        };
        // A summary of nothing but summaries would only lose something.
        groups.retain(|group| group.iter().any(|index| self.messages[*index].summary.is_none()));
        Ok(groups)
    }

    /// Where the last messages begin, a unit whole.
    fn start_of_last(&self, count: usize) -> usize {
        let Some(place) = count.checked_sub(1) else { return self.messages.len() };
        let mut counted = (0..self.messages.len()).rev().filter(|index| self.counts(*index));
        counted.nth(place).map_or(0, |index| self.unit_start(index))
    }

    /// Where the messages since that time begin, a unit whole. A message without a time was said when the one before
    /// it was.
    fn first_since(&self, time: i64) -> Result<usize, ChatError> {
        if !(0..self.messages.len()).any(|index| self.is_free(index)) {
            return Ok(0);
        }
        let Some(first) = self.messages.iter().find_map(|message| message.at) else {
            let problem = "no message has a timestamp, so none is before or after another";
            return Err(ChatError::new("missing_timestamp", problem.into())
                .hint("give messages a timestamp, or use lastNMessages(n)"));
        };
        let mut now = first;
        for (index, message) in self.messages.iter().enumerate() {
            now = message.at.unwrap_or(now);
            if now >= time && !message.is_system() && self.is_there(index) {
                return Ok(self.unit_start(index));
            }
        }
        Ok(self.messages.len())
    }

    fn unit_start(&self, index: usize) -> usize {
        self.units.ranges[self.units.of[index]].start
    }

    /// Groups of at least `size` messages that are worth a summary, units whole. Once there are summaries, a group is
    /// filled before it is summarised.
    fn chunks(&self, size: usize, tokens: &[usize], least: usize) -> Vec<Vec<usize>> {
        let mut chunks: Vec<Vec<usize>> = Vec::new();
        let (mut chunk, mut sum) = (Vec::new(), 0);
        let mut has_summaries = false;
        for range in &self.units.ranges {
            for index in range.clone() {
                if self.messages[index].summary.is_some() {
                    has_summaries = true;
                } else if self.is_free(index) {
                    chunk.push(index);
                    sum += tokens[index];
                }
            }
            if chunk.len() >= size && sum > least {
                chunks.push(std::mem::take(&mut chunk));
                sum = 0;
            }
        }
        if !has_summaries {
            chunks.push(chunk);
        }
        chunks
    }

    /// The messages between system messages; those before the first one belong to its block.
    fn blocks(&self) -> Vec<Vec<usize>> {
        let mut blocks = vec![Vec::new()];
        let mut has_system = false;
        for range in &self.units.ranges {
            for index in range.clone() {
                if self.messages[index].is_system() {
                    if has_system {
                        blocks.push(Vec::new());
                    }
                    has_system = true;
                }
            }
            // A unit around a system message belongs to the block that it ends in.
            let free = range.clone().filter(|index| self.is_free(*index));
            blocks.last_mut().expect("there is a block").extend(free);
        }
        blocks
    }

    /// Takes the last unit out of the groups, for it is to stay, and a group that is nothing but summaries then. Says
    /// how many messages stay for that; None when there are no groups.
    pub fn give_back(&self, groups: &mut Vec<Vec<usize>>) -> Option<usize> {
        let group = groups.last_mut()?;
        let all = group.len();
        let last = self.units.of[*group.last()?];
        while group.pop_if(|index| self.units.of[*index] == last).is_some() {}
        if group.iter().any(|index| self.messages[*index].summary.is_none()) {
            return Some(all - group.len());
        }
        groups.pop();
        Some(all)
    }
}
