//! The conversation that a plan and its summaries come to.

use std::rc::Rc;

use super::accounting::Counts;
use super::conversation::Conversation;
use super::limits::{Item, Limit};
use super::message::{ChatMessage, Summary};
use super::plan::{Fate, Group, HistoryOutcome, Plan, Stop, counted_all};
use super::transcript::{NO_FACTS, facts_text, summary_text};
use super::{ChatError, counted};
use crate::value::{Str, Value};

/// A message of the new conversation, for whoever holds the messages themselves.
#[derive(Clone, Debug)]
pub enum Entry {
    /// A message of the conversation before.
    Kept(usize),
    /// The same with some of its results cleared: their places among its results, and what stands there.
    Stubbed(usize, Vec<(usize, Str)>),
    /// A new one.
    Summary(Rc<ChatMessage>),
}

/// What came of a plan.
#[derive(Clone, Debug)]
pub struct Applied {
    /// What happened.
    pub outcome: HistoryOutcome,
    /// Why nothing more did.
    pub reason: Option<String>,
    /// The new conversation.
    pub conversation: Conversation,
    /// Where its messages come from.
    pub entries: Vec<Entry>,
    /// What became of each message of the conversation before, why, and its tokens.
    pub fates: Vec<(Fate, Option<Str>, usize)>,
    /// What the caller should know.
    pub warnings: Vec<String>,
    /// How many summaries there are.
    pub inserted: usize,
    /// Tokens of everything that would be sent, before and after.
    pub tokens: (usize, usize),
}

/// Puts the summaries in the places of what they stand for, and meets the limits.
///
/// `summaries` are the answers to the questions of the plan, in their order.
pub fn apply(plan: &Plan, summaries: &[Str], counts: &mut Counts) -> Result<Applied, Stop> {
    let asked: usize = plan.groups.iter().map(|group| group.requests.len()).sum();
    if asked != summaries.len() {
        let problem = format!("the plan asks for {}, got {}", counted(asked, "summary text"), summaries.len());
        return Err(Stop::Failed(
            ChatError::new("invalid_summaries", problem).hint("give one text for each of plan.requests"),
        ));
    }
    let mut made = Vec::new();
    let mut first = 0;
    for group in &plan.groups {
        let texts = summaries.iter().skip(first).take(group.requests.len()).collect::<Vec<_>>();
        made.push(Rc::new(summary(plan, group, &texts, first)?));
        first += group.requests.len();
    }
    let items = items(plan, &made, counts);
    counted_all(counts)?;
    for (group, message) in plan.groups.iter().zip(&made) {
        let covered: usize = group.covers.iter().map(|index| plan.tokens[*index]).sum();
        let tokens = counts.message(message);
        if tokens >= covered {
            let has = counted(group.covers.len(), "message");
            let problem = format!("a summary has {tokens} tokens, and the {has} that it stands for have {covered}");
            return Err(refused(plan, "longer", problem).into());
        }
    }
    Ok(finish(plan, &made, items))
}

fn refused(plan: &Plan, problem: &str, message: String) -> ChatError {
    let strategy = plan.strategy.clone().unwrap_or_default();
    ChatError::new("compression_failed", format!("{strategy}: {message}"))
        .with("problem", problem)
        .with("strategy", Value::Str(strategy))
        .hint("the conversation is as it was; call again, or use another strategy or model")
}

/// The message that stands for a group.
fn summary(plan: &Plan, group: &Group, texts: &[&Str], first: usize) -> Result<ChatMessage, ChatError> {
    let messages = group.covers.iter().map(|index| &plan.history.messages[*index]).collect::<Vec<_>>();
    for (place, text) in texts.iter().enumerate() {
        if text.trim().is_empty() {
            return Err(refused(plan, "empty", format!("the model gave an empty text for request {}", first + place)));
        }
    }
    let covers = messages.iter().map(|message| message.stands_for()).sum();
    let mut facts: Vec<(&str, String)> = Vec::new();
    for (request, text) in group.requests.iter().zip(texts) {
        let Some(concept) = &request.concept else { continue };
        let has_none = text.trim_matches([' ', '\n', '-', '.']).eq_ignore_ascii_case(NO_FACTS);
        match facts.last_mut() {
            _ if has_none => {}
            Some((known, lines)) if **known == **concept => {
                lines.push('\n');
                lines.push_str(text.trim());
            }
            _ => facts.push((concept, text.trim().into())),
        }
    }
    let of_facts = group.requests.iter().any(|request| request.concept.is_some());
    if of_facts && facts.is_empty() {
        let problem = "the model found no facts about any concept, and everything would be lost";
        return Err(refused(plan, "empty", problem.into()));
    }
    let text = match of_facts {
        true => facts_text(covers, &facts),
        false => summary_text(covers, &texts.iter().map(|text| text.to_string()).collect::<Vec<_>>()),
    };
    let mut message = ChatMessage::text(&plan.parameters.summary_role, text);
    message.at = messages.iter().rev().find_map(|message| message.at);
    let strategy = plan.reasons[group.covers[0]].clone().unwrap_or_default();
    message.summary = Some(Summary { covers, strategy });
    Ok(message)
}

/// What is left with the summaries in place: each stands where the last message stood that it covers.
fn items(plan: &Plan, made: &[Rc<ChatMessage>], counts: &mut Counts) -> Vec<Item> {
    let mut items = Vec::new();
    let mut ends: Vec<(usize, usize)> = Vec::new();
    for (place, group) in plan.groups.iter().enumerate() {
        ends.push((group.covers.last().copied().unwrap_or(0), place));
    }
    ends.sort_unstable();
    let mut ends = ends.into_iter().peekable();
    let units = plan.history.units.ranges.len();
    for index in 0..plan.history.messages.len() {
        if plan.history.is_there(index) {
            items.push(Item {
                message: Some(index),
                group: 0,
                tokens: plan.tokens[index],
                is_summary: plan.history.messages[index].summary.is_some(),
                is_free: plan.history.is_free(index),
                unit: plan.history.units.of[index],
            });
        }
        while let Some((_, group)) = ends.next_if(|(end, _)| *end == index) {
            let tokens = counts.message(&made[group]);
            // One between a call and its result must not part them.
            let unit = plan.history.units.of[index];
            let is_inside = plan.history.units.ranges[unit].end > index + 1;
            let unit = if is_inside { unit } else { units + group };
            items.push(Item { message: None, group, tokens, is_summary: true, is_free: true, unit });
        }
    }
    items
}

fn finish(plan: &Plan, made: &[Rc<ChatMessage>], mut items: Vec<Item>) -> Applied {
    let mut fates = plan.fates();
    let mut trimmed = false;
    for limit in plan.limits() {
        let goes = limit.trim(&items, plan.besides(limit));
        trimmed |= goes.contains(&true);
        drop_from(plan, &items, &goes, limit, &mut fates);
        let mut place = 0;
        items.retain(|_| {
            place += 1;
            !goes[place - 1]
        });
    }
    let mut applied = Applied {
        outcome: match () {
            () if plan.ran => HistoryOutcome::Applied,
            () if trimmed => HistoryOutcome::Trimmed,
            () if plan.skipped => HistoryOutcome::Skipped,
            () => HistoryOutcome::Unchanged,
        },
        reason: plan.reason.clone(),
        conversation: Conversation::default(),
        entries: Vec::new(),
        fates,
        warnings: plan.warnings.clone(),
        inserted: 0,
        tokens: (plan.tokens().0, plan.request_tokens),
    };
    for item in &items {
        applied.tokens.1 += item.tokens;
        let (entry, message) = match item.message {
            None => {
                applied.inserted += 1;
                (Entry::Summary(made[item.group].clone()), &made[item.group])
            }
            Some(index) if plan.stubs[index].is_empty() => (Entry::Kept(index), &plan.history.messages[index]),
            Some(index) => (Entry::Stubbed(index, plan.stubs[index].clone()), &plan.history.messages[index]),
        };
        applied.entries.push(entry);
        applied.conversation.messages.push(message.clone());
    }
    if plan.ran && items.len() < 2 {
        let strategy = plan.strategy.as_deref().unwrap_or_default();
        let left = counted(items.len(), "message");
        applied.warnings.push(format!("{strategy} left {left} in the conversation, and context may be lost"));
    }
    applied
}

/// Says of the messages that go which limit took them; also of those that a summary covers which goes.
fn drop_from(plan: &Plan, items: &[Item], goes: &[bool], limit: Limit, fates: &mut [(Fate, Option<Str>, usize)]) {
    for (item, _) in items.iter().zip(goes).filter(|(_, goes)| **goes) {
        let own = item.message.map(|index| vec![index]);
        let covered = own.unwrap_or_else(|| plan.groups[item.group].covers.clone());
        for index in covered {
            fates[index].0 = Fate::Dropped;
            fates[index].1 = Some(limit.name().into());
        }
    }
}
