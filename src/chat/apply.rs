//! Makes summaries of a model's answers, and puts them in the places of the messages that they replace.

use super::accounting::Counts;
use super::draft::Draft;
use super::error::{ChatError, counted};
use super::message::{ChatMessage, Summary};
use super::plan::Plan;
use super::requests::Group;
use super::stop::{Stop, require_counts};
use super::transcript::{NO_FACTS, facts_text, summary_text};
use crate::value::{Str, Value};

/// Replaces each group of the plan with its summary. `answers` are the answers to the requests of all groups, in order.
pub(super) fn insert_summaries<'p>(plan: &'p Plan, answers: &[Str], counts: &mut Counts) -> Result<Draft<'p>, Stop> {
    check_number(plan, answers.len())?;
    let mut summaries = Vec::new();
    let mut rest = answers;
    for group in &plan.groups {
        let (own, others) = rest.split_at(group.requests.len());
        check_not_empty(plan, own, answers.len() - rest.len())?;
        summaries.push(summary(plan, group, own)?);
        rest = others;
    }
    let draft = Draft::new(plan, summaries, counts);
    require_counts(counts)?;
    check_shorter(&draft)?;
    Ok(draft)
}

fn check_number(plan: &Plan, given: usize) -> Result<(), ChatError> {
    let needed = plan.groups.iter().map(|group| group.requests.len()).sum();
    if given == needed {
        return Ok(());
    }
    let problem = format!("the plan asks for {}, got {given}", counted(needed, "summary text"));
    Err(ChatError::new("invalid_summaries", problem).hint("give one text for each of plan.requests"))
}

/// @param first the index of the first request.
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
        summary_text(covers, answers)
    };
    let mut message = ChatMessage::text(&plan.parameters.summary_role, text);
    message.at = messages().rev().find_map(|message| message.at);
    message.summary = Some(Summary { covers, strategy: group.strategy.clone() });
    Ok(message)
}

/// The facts about each concept that the model found any about.
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

fn check_shorter(draft: &Draft<'_>) -> Result<(), ChatError> {
    let plan = draft.plan;
    for (group, tokens) in draft.summaries() {
        let covers = &plan.groups[group].covers;
        let covered = plan.history.tokens_of(covers);
        if tokens >= covered {
            let has = counted(covers.len(), "message");
            let problem = format!("the summary has {tokens} tokens; the {has} it replaces have {covered}");
            return Err(failed(plan, "longer", problem));
        }
    }
    Ok(())
}

fn failed(plan: &Plan, problem: &str, message: String) -> ChatError {
    let strategy = plan.strategy.clone().unwrap_or_default();
    ChatError::new("compression_failed", format!("{strategy}: {message}"))
        .with("problem", problem)
        .with("strategy", Value::Str(strategy))
        .hint("the conversation is unchanged; call again, or use another strategy or model")
}
