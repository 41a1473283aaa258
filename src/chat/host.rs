//! Strategies of the host: their input, and what their answers may do.

use super::error::ChatError;
use super::fate::{Fate, Hold};
use super::history::ManagedHistory;
use super::parameters::{HostGroup, HostPlan};
use super::stop::HostQuestion;
use crate::value::{Str, sort};

/// Returns the input of the strategy at index `strategy`.
pub(super) fn question(history: &ManagedHistory, strategy: usize) -> HostQuestion {
    let stubbed = history.slots.iter().enumerate().filter(|(_, slot)| !slot.stubs.is_empty());
    HostQuestion {
        strategy,
        messages: history
            .present()
            .filter(|index| history.is_shown(*index))
            .map(|index| (index, history.slots[index].tokens))
            .collect(),
        stubs: stubbed.map(|(index, slot)| (index, slot.stubs.clone())).collect(),
    }
}

/// Applies the answer of a strategy: drops messages, and returns the groups to summarise, in the order of their last
/// messages.
pub(super) fn follow(
    history: &mut ManagedHistory,
    name: &Str,
    answer: &HostPlan,
    is_last: bool,
) -> Result<Vec<HostGroup>, ChatError> {
    check(history, answer, is_last).map_err(|problem| {
        ChatError::new("invalid_strategy", format!("the strategy \"{name}\" {problem}"))
            .with("strategy", &**name)
            .hint("every message is in exactly one of keep, summarize and drop; calls stay with their results")
    })?;
    for index in &answer.drop {
        history.remove(*index, Fate::Dropped, name);
    }
    let mut groups = answer.summarize.clone();
    for group in &mut groups {
        sort(&mut group.covers, usize::cmp);
    }
    sort(&mut groups, |left, right| left.covers.last().cmp(&right.covers.last()));
    Ok(groups)
}

/// What an answer does with a message: the list that names it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum HostChoice {
    Keep,
    Drop,
    Group(usize),
}

/// Checks that an answer names each message once, removes none that is held, and keeps units together. An error is the
/// rest of a sentence about the strategy.
fn check(history: &ManagedHistory, answer: &HostPlan, is_last: bool) -> Result<(), String> {
    if !is_last && !answer.summarize.is_empty() {
        return Err("asks for a summary, which only the last strategy may do".into());
    }
    let choices = choices(history, answer)?;
    check_held(history, &choices)?;
    check_units(history, &choices)
}

/// The choice for each message; None for those that are not named.
fn choices(history: &ManagedHistory, answer: &HostPlan) -> Result<Vec<Option<HostChoice>>, String> {
    let mut choices = vec![None; history.slots.len()];
    let groups = answer.summarize.iter().enumerate().map(|(group, given)| (HostChoice::Group(group), &given.covers));
    for (choice, indexes) in
        [(HostChoice::Keep, &answer.keep), (HostChoice::Drop, &answer.drop)].into_iter().chain(groups)
    {
        if matches!(choice, HostChoice::Group(_)) && indexes.is_empty() {
            return Err("summarizes an empty group".into());
        }
        for index in indexes {
            match choices.get_mut(*index) {
                Some(named @ None) if history.slots[*index].is_present() => *named = Some(choice),
                Some(Some(_)) => return Err(format!("lists message {index} twice")),
                _ => return Err(format!("lists message {index}, which is not there")),
            }
        }
    }
    Ok(choices)
}

fn check_held(history: &ManagedHistory, choices: &[Option<HostChoice>]) -> Result<(), String> {
    for index in history.present() {
        match (choices[index], history.slots[index].hold) {
            (None, _) if !history.is_shown(index) => {}
            (None, _) => return Err(format!("does not list message {index}")),
            (Some(HostChoice::Drop | HostChoice::Group(_)), Some(hold)) => {
                let state = match hold {
                    Hold::System => "a system message",
                    Hold::Pinned => "pinned",
                    Hold::Pending => "waiting for an answer",
                    Hold::Compaction => "a summary of the provider",
                };
                return Err(format!("removes message {index}, which is {state}"));
            }
            _ => {}
        }
    }
    Ok(())
}

fn check_units(history: &ManagedHistory, choices: &[Option<HostChoice>]) -> Result<(), String> {
    for range in &history.units.ranges {
        let together = |index: &usize| history.slots[*index].message.shares_unit() && choices[*index].is_some();
        let mut members = range.clone().filter(together);
        let first = members.next().map(|index| choices[index]);
        if let Some(torn) = members.find(|index| Some(choices[*index]) != first) {
            return Err(format!("separates message {torn} from the rest of its unit"));
        }
    }
    Ok(())
}
