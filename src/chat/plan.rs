//! What becomes of a conversation, before anyone is asked.

use std::rc::Rc;

use super::accounting::Counts;
use super::apply::{Applied, apply};
use super::conversation::{Conversation, Exchange};
use super::grouping::History;
use super::limits::Limit;
use super::message::{ChatMessage, Part, stub};
use super::parameters::{HostGroup, HostPlan, Parameters, Strategy, When};
use super::transcript::{instruction, summary_text, transcript};
use super::{ChatError, counted};
use crate::value::Str;

/// What becomes of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It stays as it is.
    Kept,
    /// A summary stands in its place.
    Summarized,
    /// It is left out.
    Dropped,
    /// It stays, its results are cleared.
    Stubbed,
}

impl Fate {
    /// As hosts see it.
    pub fn name(self) -> &'static str {
        match self {
            Fate::Kept => "kept",
            Fate::Summarized => "summarized",
            Fate::Dropped => "dropped",
            Fate::Stubbed => "stubbed",
        }
    }
}

/// What came of the strategies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HistoryOutcome {
    /// There was nothing to do.
    Unchanged,
    /// No strategy ran.
    Skipped,
    /// A strategy did something.
    Applied,
    /// Only a limit did.
    Trimmed,
}

impl HistoryOutcome {
    /// As hosts see it.
    pub fn name(&self) -> &'static str {
        match self {
            HistoryOutcome::Unchanged => "unchanged",
            HistoryOutcome::Skipped => "skipped",
            HistoryOutcome::Applied => "applied",
            HistoryOutcome::Trimmed => "trimmed",
        }
    }
}

/// Why a plan could not be made yet, or at all.
#[derive(Debug)]
pub enum Stop {
    /// It can't.
    Failed(ChatError),
    /// The host has to count these.
    Count(Vec<Str>),
    /// The host has to ask the strategy at that place.
    AskHost(HostQuestion),
}

/// What a strategy of the host's is shown.
#[derive(Debug)]
pub struct HostQuestion {
    /// Its place among the strategies.
    pub strategy: usize,
    /// The messages that are there, by their places in the conversation, with their tokens.
    pub messages: Vec<(usize, usize)>,
    /// Results that were cleared before: the places of messages, of results in them, and what stands there.
    pub stubs: Vec<(usize, Vec<(usize, Str)>)>,
}

impl From<ChatError> for Stop {
    fn from(error: ChatError) -> Stop {
        Stop::Failed(error)
    }
}

/// Messages that one summary takes the place of.
#[derive(Debug)]
pub struct Group {
    /// Their places in the conversation, in order.
    pub covers: Vec<usize>,
    /// What the model is told to do, unless facts are gathered.
    instruction: Str,
    /// The questions whose answers make the summary.
    pub requests: Vec<SummaryRequest>,
}

/// A question to a model.
#[derive(Debug)]
pub struct SummaryRequest {
    /// What the model is told to do.
    pub instruction: Str,
    /// The messages as a transcript.
    pub transcript: String,
    /// Their places in the conversation.
    pub covers: Vec<usize>,
    /// Of facts: the concept.
    pub concept: Option<Str>,
}

/// What becomes of a conversation.
#[derive(Debug)]
pub struct Plan {
    pub(super) history: History,
    pub(super) exchange: Exchange,
    pub(super) parameters: Parameters,
    /// The tokens of each message as it is now.
    pub(super) tokens: Vec<usize>,
    /// The tokens of each message as it came.
    pub(super) tokens_before: Vec<usize>,
    /// Tokens that are sent besides the history.
    pub(super) request_tokens: usize,
    /// Why a message has its fate, where a strategy says so.
    pub(super) reasons: Vec<Option<Str>>,
    /// Of each message, which of its results are cleared, and what stands there.
    pub(super) stubs: Vec<Vec<(usize, Str)>>,
    /// The summaries to come.
    pub groups: Vec<Group>,
    /// What was asked for, by name.
    pub strategy: Option<Str>,
    /// True when a strategy did something.
    pub(super) ran: bool,
    /// Why it did nothing.
    pub reason: Option<String>,
    /// True when no strategy ran although one was given.
    pub(super) skipped: bool,
    /// What the caller should know.
    pub warnings: Vec<String>,
}

/// A plan; with what comes of it, when no summary is needed for that.
#[derive(Debug)]
pub struct Planned {
    /// The plan.
    pub plan: Plan,
    /// None while summaries are missing.
    pub applied: Option<Applied>,
}

/// Plans what becomes of `conversation`. The same input gives the same plan.
pub fn plan(
    conversation: &Conversation,
    exchange: &Exchange,
    parameters: &Parameters,
    counts: &mut Counts,
) -> Result<Planned, Stop> {
    let history = History::new(&conversation.messages, exchange.messages.is_some());
    let tokens = conversation.messages.iter().map(|message| counts.message(message)).collect::<Vec<_>>();
    let request: usize = exchange.request().iter().map(|message| counts.message(message)).sum();
    let request_tokens = request + counts.request(&exchange.tools, exchange.schema.as_deref());
    let mut plan = Plan {
        reasons: vec![None; tokens.len()],
        stubs: vec![Vec::new(); tokens.len()],
        tokens_before: tokens.clone(),
        history,
        exchange: exchange.clone(),
        parameters: parameters.clone(),
        tokens,
        request_tokens,
        groups: Vec::new(),
        strategy: strategy_names(&parameters.strategies),
        ran: false,
        reason: None,
        skipped: false,
        warnings: Vec::new(),
    };
    counted_all(counts)?;
    for limit in plan.limits() {
        limit.check(&plan.history, &plan.tokens, plan.besides(limit))?;
    }
    let last = parameters.strategies.len().saturating_sub(1);
    for (place, strategy) in parameters.strategies.iter().enumerate() {
        plan.run(place, strategy, place == last, counts)?;
    }
    if !plan.groups.is_empty() {
        plan.write_requests(counts)?;
        return Ok(Planned { plan, applied: None });
    }
    let applied = apply(&plan, &[], counts)?;
    Ok(Planned { plan, applied: Some(applied) })
}

fn strategy_names(strategies: &[Strategy]) -> Option<Str> {
    let names = strategies.iter().map(Strategy::name).collect::<Vec<_>>();
    if names.is_empty() { None } else { Some(names.join(", ").into()) }
}

/// Stops until the host has counted what it must count.
pub(super) fn counted_all(counts: &mut Counts) -> Result<(), Stop> {
    let missing = counts.take_missing();
    if missing.is_empty() { Ok(()) } else { Err(Stop::Count(missing)) }
}

impl Plan {
    /// Limits in the order in which they are met.
    pub(super) fn limits(&self) -> Vec<Limit> {
        let Parameters { max_tokens, reserve_tokens, max_history_size, .. } = &self.parameters;
        let tokens = max_tokens.map(|most| Limit::Tokens(most.saturating_sub(*reserve_tokens)));
        [tokens, max_history_size.map(Limit::Messages)].into_iter().flatten().collect()
    }

    /// What is sent besides the history, in the measure of a limit.
    pub(super) fn besides(&self, limit: Limit) -> usize {
        match limit {
            Limit::Tokens(_) => self.request_tokens,
            Limit::Messages(_) => self.exchange.request().len(),
        }
    }

    fn is_over(&self, limit: Limit) -> bool {
        let there = self.tokens.iter().enumerate().filter(|(index, _)| self.history.is_there(*index));
        there.map(|(_, tokens)| limit.weight(*tokens)).sum::<usize>() + self.besides(limit) > limit.most()
    }

    fn run(&mut self, place: usize, strategy: &Strategy, is_last: bool, counts: &mut Counts) -> Result<(), Stop> {
        if let Some(reason) = self.reason_to_skip() {
            self.skipped = !self.ran;
            if !self.ran {
                self.reason = Some(reason);
            }
            return Ok(());
        }
        self.skipped = false;
        match strategy {
            Strategy::ClearToolResults { keep } => {
                self.clear_results(*keep, counts);
                counted_all(counts)?;
            }
            Strategy::Host { plan: None, .. } => return Err(Stop::AskHost(self.question(place))),
            Strategy::Host { name, plan: Some(answer) } => {
                self.check_host(name, answer, is_last)?;
                self.follow_host(name, answer);
            }
            _ => {
                // What is hardly longer than the heading of a summary has no summary that is shorter.
                let worth = 2 * counts.message(&ChatMessage::text("", summary_text(2, &[])));
                counted_all(counts)?;
                let mut groups = self.history.groups(strategy, &self.tokens, worth)?;
                self.keep_at_least(&mut groups, strategy);
                groups.retain(|group| group.iter().map(|index| self.tokens[*index]).sum::<usize>() > worth);
                let name = strategy.name();
                self.summarize(groups.into_iter().map(|covers| HostGroup { covers, prompt: None }).collect(), &name);
            }
        }
        if !self.ran {
            let reason = match strategy {
                Strategy::ClearToolResults { .. } => "there is no result that could be cleared",
                _ => "there is nothing that the strategy would summarise",
            };
            self.reason = Some(reason.into());
        } else {
            self.reason = None;
        }
        Ok(())
    }

    fn reason_to_skip(&self) -> Option<String> {
        let limits = self.limits();
        let always = if limits.is_empty() { When::Always } else { When::OverLimit };
        if self.parameters.when.unwrap_or(always) == When::OverLimit && !limits.iter().any(|limit| self.is_over(*limit))
        {
            return Some("the history is within its limits".into());
        }
        let (length, least) = (self.history.len(), self.parameters.min_messages);
        let has = counted(length, "message");
        (length < least).then(|| format!("the history has {has}, and strategies run from minMessages, {least}, on"))
    }

    /// Replaces old results of tools, but for the last `keep`, by a word about it.
    fn clear_results(&mut self, keep: usize, counts: &mut Counts) {
        let mut kept = 0;
        for index in (0..self.history.messages.len()).rev() {
            let message = self.history.messages[index].clone();
            let results = message.parts.iter().filter_map(|part| match part {
                Part::Result { name, text, media, .. } => Some((name, text, *media)),
                _ => None,
            });
            let results = results.collect::<Vec<_>>();
            for (place, (name, text, media)) in results.iter().enumerate().rev() {
                kept += 1;
                if kept <= keep || !self.history.is_free(index) {
                    continue;
                }
                let stub = stub(name);
                if counts.text(&stub) < counts.result(text, *media) {
                    self.stubs[index].insert(0, (place, stub));
                }
            }
            if !self.stubs[index].is_empty() {
                let stubbed = Rc::new(message.with_stubs(&self.stubs[index]));
                self.tokens[index] = counts.message(&stubbed);
                self.history.messages[index] = stubbed;
                self.history.fates[index] = Fate::Stubbed;
                self.reasons[index] = Some("clearToolResults".into());
                self.ran = true;
            }
        }
    }

    /// Lets the newest messages stay until there are enough of them.
    fn keep_at_least(&mut self, groups: &mut Vec<Vec<usize>>, strategy: &Strategy) {
        if groups.is_empty() {
            return;
        }
        let least = self.parameters.keep_at_least;
        let there = (0..self.history.messages.len()).filter(|index| self.history.is_there(*index)).count();
        let mut covered = groups.iter().map(Vec::len).sum::<usize>();
        let all = covered;
        while there - covered + groups.len() < least {
            let Some(given) = self.history.give_back(groups) else {
                let all = counted(there, "message");
                self.warnings.push(format!("keepAtLeast asks for {least} messages, and the conversation has {all}"));
                return;
            };
            covered -= given;
        }
        // A chunk that is not filled any more waits until it is, unless it would be the first of all that is summarised:
        // the next call finds the same chunks then.
        if let (Strategy::Chunked(size), Some(last)) = (strategy, groups.last()) {
            let is_cut = all > covered && last.len() < *size;
            let is_first = groups.len() == 1 && self.history.messages.iter().all(|message| message.summary.is_none());
            if is_cut && !(is_first && all - covered < *size) {
                groups.pop();
            }
        }
    }

    fn summarize(&mut self, groups: Vec<HostGroup>, name: &Str) {
        for HostGroup { covers, prompt } in groups {
            for index in &covers {
                self.history.fates[*index] = Fate::Summarized;
                self.reasons[*index] = Some(name.clone());
            }
            self.ran = true;
            let instruction = instruction(prompt.as_ref().or(self.parameters.summary_prompt.as_ref()), None);
            self.groups.push(Group { covers, instruction, requests: Vec::new() });
        }
    }

    fn question(&self, place: usize) -> HostQuestion {
        let there = (0..self.tokens.len()).filter(|index| self.history.is_there(*index));
        let stubs = self.stubs.iter().enumerate().filter(|(_, stubs)| !stubs.is_empty());
        HostQuestion {
            strategy: place,
            messages: there.map(|index| (index, self.tokens[index])).collect(),
            stubs: stubs.map(|(index, stubs)| (index, stubs.clone())).collect(),
        }
    }

    /// Refuses what no strategy may do: lose a message or count it twice, touch what is held, tear a pair.
    fn check_host(&self, name: &str, answer: &HostPlan, is_last: bool) -> Result<(), ChatError> {
        let wrong = |problem: String| {
            Err(ChatError::new("invalid_strategy", format!("the strategy \"{name}\" {problem}"))
                .with("strategy", name)
                .hint("every message stands in exactly one of keep, summarize and drop; calls stay with their results"))
        };
        if !is_last && !answer.summarize.is_empty() {
            return wrong("asks for a summary, which only the last strategy may do".into());
        }
        // 0: not named yet, 1: kept, 2: dropped, from 3: in a group.
        let mut places = vec![0; self.tokens.len()];
        let groups = answer.summarize.iter().map(|group| &group.covers);
        for (place, indexes) in [&answer.keep, &answer.drop].into_iter().chain(groups).enumerate() {
            if place >= 2 && indexes.is_empty() {
                return wrong("asks for a summary of nothing".into());
            }
            for index in indexes {
                match places.get_mut(*index) {
                    Some(named) if self.history.is_there(*index) && *named == 0 => *named = place + 1,
                    Some(named) if *named != 0 => return wrong(format!("names message {index} twice")),
                    _ => return wrong(format!("names message {index}, which is not there")),
                }
            }
        }
        for (index, place) in places.iter().enumerate().filter(|(index, _)| self.history.is_there(*index)) {
            match (self.history.held[index], place) {
                (_, 0) => return wrong(format!("does not say what becomes of message {index}")),
                (Some(held), 2..) => {
                    return wrong(format!("takes message {index} away, which is {}", said_of(held)));
                }
                _ => {}
            }
        }
        for range in &self.history.units.ranges {
            let mut tools =
                range.clone().filter(|index| self.history.messages[*index].is_bound() && places[*index] != 0);
            let first = tools.next().map(|index| places[index]);
            if let Some(torn) = tools.find(|index| Some(places[*index]) != first) {
                return wrong(format!("tears message {torn} from those that it belongs to"));
            }
        }
        Ok(())
    }

    fn follow_host(&mut self, name: &Str, answer: &HostPlan) {
        for index in &answer.drop {
            self.history.fates[*index] = Fate::Dropped;
            self.reasons[*index] = Some(name.clone());
            self.ran = true;
        }
        let mut groups = answer.summarize.clone();
        for group in &mut groups {
            group.covers.sort_unstable();
        }
        groups.sort_by_key(|group| group.covers.last().copied());
        self.summarize(groups, name);
    }

    /// Writes what the model is asked: for each concept where facts are gathered, in pieces where it is too long.
    fn write_requests(&mut self, counts: &mut Counts) -> Result<(), Stop> {
        let concepts = match self.parameters.strategies.last() {
            Some(Strategy::RetrieveFacts(concepts)) => concepts.clone(),
            _ => Vec::new(),
        };
        let most = self.parameters.summary_max_tokens;
        let mut groups = std::mem::take(&mut self.groups);
        for group in &mut groups {
            let pieces = self.pieces(&group.covers, &group.instruction, most, counts);
            for concept in concepts.iter().map(Some).chain(concepts.is_empty().then_some(None)) {
                let instruction = match concept {
                    None => group.instruction.clone(),
                    Some(_) => instruction(self.parameters.summary_prompt.as_ref(), concept),
                };
                for covers in &pieces {
                    group.requests.push(SummaryRequest {
                        instruction: instruction.clone(),
                        transcript: self.transcript(covers),
                        covers: covers.clone(),
                        concept: concept.map(|concept| concept.name.clone()),
                    });
                }
            }
        }
        self.groups = groups;
        counted_all(counts)
    }

    fn transcript(&self, covers: &[usize]) -> String {
        transcript(&covers.iter().map(|index| (*index, &self.history.messages[*index])).collect::<Vec<_>>())
    }

    /// Stretches of a group whose requests are within the limit, units whole.
    fn pieces(
        &mut self,
        covers: &[usize],
        instruction: &str,
        most: Option<usize>,
        counts: &mut Counts,
    ) -> Vec<Vec<usize>> {
        let Some(most) = most else { return vec![covers.to_vec()] };
        let fixed = counts.text(instruction) + counts.request(&[], None);
        let mut pieces: Vec<Vec<usize>> = Vec::new();
        let (mut piece, mut sum) = (Vec::new(), fixed);
        let mut at = 0;
        while at < covers.len() {
            let unit = self.history.units.of[covers[at]];
            let members = covers
                .iter()
                .skip(at)
                .copied()
                .take_while(|index| self.history.units.of[*index] == unit)
                .collect::<Vec<_>>();
            at += members.len();
            let tokens = members.iter().map(|index| self.tokens[*index]).sum::<usize>();
            if sum + tokens > most && !piece.is_empty() {
                pieces.push(std::mem::take(&mut piece));
                sum = fixed;
            }
            if fixed + tokens > most {
                let size = fixed + tokens;
                self.warnings.push(format!(
                    "message {} with what belongs to it makes a request of {size} tokens, more than summaryMaxTokens, {most}",
                    members[0]
                ));
            }
            sum += tokens;
            piece.extend(members);
        }
        pieces.push(piece);
        pieces
    }

    /// The tokens of everything that would be sent, before and after; after a summary an estimate.
    pub fn tokens(&self) -> (usize, usize) {
        let before = self.tokens_before.iter().sum::<usize>() + self.request_tokens;
        let there = (0..self.tokens.len()).filter(|index| self.history.is_there(*index));
        let kept: usize = there.map(|index| self.tokens[index]).sum();
        let expected = |group: &Group| {
            let covered: usize = group.covers.iter().map(|index| self.tokens[*index]).sum();
            (covered / EXPECTED).clamp(LEAST_EXPECTED, MOST_EXPECTED).min(covered)
        };
        (before, kept + self.groups.iter().map(expected).sum::<usize>() + self.request_tokens)
    }

    /// What becomes of each message so far: its fate, the reason, its tokens as it came.
    pub fn fates(&self) -> Vec<(Fate, Option<Str>, usize)> {
        let mut fates = Vec::new();
        for (index, fate) in self.history.fates.iter().enumerate() {
            let held = self.history.held[index].map(Str::from);
            fates.push((*fate, self.reasons[index].clone().or(held), self.tokens_before[index]));
        }
        fates
    }
}

/// A summary is expected to take this part of what it covers, within these bounds, in tokens.
const EXPECTED: usize = 8;
const LEAST_EXPECTED: usize = 40;
const MOST_EXPECTED: usize = 500;

/// Why a message is held, in a sentence about it.
fn said_of(held: &str) -> &'static str {
    match held {
        "system" => "a system message",
        "pinned" => "pinned",
        _ => "waiting for an answer",
    }
}
