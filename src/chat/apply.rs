//! Makes summaries from a model's answers, and replaces the summarized messages with them.

use super::accounting::Counts;
use super::draft::Draft;
use super::error::{ChatError, counted};
use super::message::{ChatMessage, Summary};
use super::plan::Plan;
use super::requests::Group;
use super::stop::{Stop, require_counts};
use super::summary_names::left_out;
use super::transcript::{NO_FACTS, facts_text, summary_text};
use crate::value::{Str, Value};

/// Replaces each group of the plan with its summary. `answers` are the answers to the requests of all groups, in order. A
/// group stays as it was when an answer to it is None, or, with a warning, when its summary is not shorter.
pub(super) fn insert_summaries<'p>(
    plan: &'p Plan,
    answers: &[Option<Str>],
    counts: &mut Counts,
    warnings: &mut Vec<String>,
) -> Result<Draft<'p>, Stop> {
    check_number(plan, answers.len())?;
    let mut summaries = Vec::new();
    let mut rest = answers;
    for group in &plan.groups {
        let (own, others) = rest.split_at(group.requests.len());
        let given: Option<Vec<Str>> = own.iter().cloned().collect();
        summaries.push(match (&group.known, given) {
            (Some(known), _) => Some(known.clone()),
            (None, None) => None,
            (None, Some(given)) => {
                check_not_empty(plan, &given, answers.len() - rest.len())?;
                let message = summary(plan, group, &given)?;
                let tokens = counts.message(&message);
                Some((message, tokens))
            }
        });
        rest = others;
    }
    require_counts(counts)?;
    for (group, summary) in plan.groups.iter().zip(&mut summaries) {
        let covered = plan.history.tokens_of(&group.covers);
        if let Some((_, tokens)) = summary
            && *tokens >= covered
        {
            let (strategy, has) = (&group.strategy, counted(group.covers.len(), "message"));
            warnings.push(format!(
                "{strategy}: a summary has {tokens} tokens, and the {has} it would replace have {covered}; they stay"
            ));
            *summary = None;
        }
    }
    Ok(Draft::new(plan, summaries))
}

fn check_number(plan: &Plan, given: usize) -> Result<(), ChatError> {
    let needed = plan.groups.iter().map(|group| group.requests.len()).sum();
    if given == needed {
        return Ok(());
    }
    let problem = format!("the plan asks for {}, got {given}", counted(needed, "summary text"));
    Err(ChatError::new("invalid_summaries", problem).hint("give one text for each of plan.requests"))
}

/// Checks that no answer is empty. `first` is the index of the first of their requests in the plan.
fn check_not_empty(plan: &Plan, answers: &[Str], first: usize) -> Result<(), ChatError> {
    match answers.iter().position(|answer| answer.trim().is_empty()) {
        Some(index) => {
            Err(failed(plan, "empty", format!("the model gave an empty text for request {}", first + index)))
        }
        None => Ok(()),
    }
}

/// The message that replaces a group.
fn summary(plan: &Plan, group: &Group, answers: &[Str]) -> Result<ChatMessage, ChatError> {
    let messages = || group.covers.iter().map(|index| &plan.history.slots[*index].message);
    let covers = messages().map(|message| message.covers()).sum();
    let text = if group.requests.iter().any(|request| request.concept.is_some()) {
        let facts = facts(group, answers);
        if facts.is_empty() {
            let problem = "the model found no facts about any concept, and everything would be lost";
            return Err(failed(plan, "empty", problem.into()));
        }
        facts_text(covers, &facts)
    } else {
        let text = summary_text(covers, answers);
        let names = left_out(messages().map(|message| &**message), &text, plan.parameters.summary_names);
        text + &names
    };
    let mut message = ChatMessage::text(&plan.parameters.summary_role, text);
    message.at = messages().rev().find_map(|message| message.at);
    message.summary =
        Some(Summary { covers, strategy: group.strategy.clone(), followed: Some(followed(plan, group)), tokens: None });
    Ok(message)
}

/// The number of messages after those of a group.
fn followed(plan: &Plan, group: &Group) -> usize {
    plan.history.messages_after(group.covers.last().copied().unwrap_or(0))
}

/// The facts by concept, without the concepts about which the model found none.
fn facts<'g>(group: &'g Group, answers: &[Str]) -> Vec<(&'g str, String)> {
    let mut facts: Vec<(&str, String)> = Vec::new();
    for (request, answer) in group.requests.iter().zip(answers) {
        let Some(concept) = &request.concept else { continue };
        let is_none = answer.trim_matches([' ', '\n', '-', '.']).eq_ignore_ascii_case(NO_FACTS);
        match facts.last_mut() {
            _ if is_none => {}
            Some((known, lines)) if **known == **concept => {
                lines.push('\n');
                lines.push_str(answer.trim());
            }
            _ => facts.push((concept, answer.trim().into())),
        }
    }
    facts
}

fn failed(plan: &Plan, problem: &str, message: String) -> ChatError {
    let strategy = plan.strategy.clone().unwrap_or_default();
    ChatError::new("compression_failed", format!("{strategy}: {message}"))
        .with("problem", problem)
        .with("strategy", Value::Str(strategy))
        .hint("the conversation is unchanged; call again, or use another strategy or model")
}
