//! Which messages a strategy replaces with which summary.

use std::ops::Range;

use super::error::{ChatError, counted};
use super::history::ManagedHistory;
use super::parameters::{HistoryStrategy, Limit, Parameters};
use super::requests::expected_message;

/// A group of messages that one summary replaces: their indexes, in order.
type GroupIndexes = Vec<usize>;

/// Returns the groups of a built-in strategy that asks for summaries, in order.
///
/// Groups of at most `min` tokens are skipped: a summary would not be shorter.
pub(super) fn groups(
    history: &ManagedHistory,
    strategy: &HistoryStrategy,
    parameters: &Parameters,
    min: usize,
    warnings: &mut Vec<String>,
) -> Result<Vec<GroupIndexes>, ChatError> {
    let mut groups = candidates(history, strategy, min)?;
    if !groups.is_empty() {
        warnings.extend(keep_newest(history, &mut groups, strategy, parameters.keep_at_least));
    }
    cover_excess(history, &mut groups, strategy, parameters);
    groups.retain(|group| history.tokens_of(group) > min && has_originals(history, group));
    Ok(groups)
}

/// When the history with summaries of the expected length would still exceed the trigger of a limit, adds the units that
/// follow the groups, the oldest first, until the target is reached: otherwise limits would remove them without a
/// summary. The newest unit stays. Earlier summaries are merged into the new one, except those of `chunked`.
fn cover_excess(
    history: &ManagedHistory,
    groups: &mut Vec<GroupIndexes>,
    strategy: &HistoryStrategy,
    parameters: &Parameters,
) {
    let end = groups.last().and_then(|group| group.last()).map_or(0, |last| last + 1);
    let merges = !matches!(strategy, HistoryStrategy::Chunked(_));
    let is_free = |unit: &&Range<usize>| {
        let mut slots = history.slots[(*unit).clone()].iter();
        unit.start >= end && slots.all(|slot| slot.is_free() && (merges || slot.message.summary.is_none()))
    };
    let mut units: Vec<_> = history.units.ranges.iter().filter(is_free).collect();
    units.pop();
    let mut units = units.into_iter();
    for limit in parameters.limits() {
        let mut size = expected_size(history, groups, limit, parameters);
        if size <= limit.trigger() {
            continue;
        }
        let mut covered = groups.last().map_or(0, |group| history.tokens_of(group));
        while size > limit.target() || groups.last().is_some_and(|group| !has_originals(history, group)) {
            let Some(unit) = units.next() else { return };
            let unit: GroupIndexes = unit.clone().collect();
            size -= unit.iter().map(|index| limit.weight(history.slots[*index].tokens)).sum::<usize>();
            let tokens = history.tokens_of(&unit);
            match groups.last_mut() {
                // Rounds of the current exchange have a summary of their own.
                Some(group) if group[0] >= history.rounds.start || unit[0] < history.rounds.start => {
                    size -= limit.weight(expected_message(covered, parameters));
                    covered += tokens;
                    group.extend(unit);
                }
                _ => {
                    covered = tokens;
                    groups.push(unit);
                }
            }
            size += limit.weight(expected_message(covered, parameters));
        }
    }
}

/// The size of the request with summaries of the expected length in place of the groups, in the unit of a limit.
fn expected_size(history: &ManagedHistory, groups: &[GroupIndexes], limit: Limit, parameters: &Parameters) -> usize {
    let all: usize = history.present().map(|index| limit.weight(history.slots[index].tokens)).sum();
    let covered: usize = groups.iter().flatten().map(|index| limit.weight(history.slots[*index].tokens)).sum();
    let expected = |group: &GroupIndexes| limit.weight(expected_message(history.tokens_of(group), parameters));
    let summaries: usize = groups.iter().map(expected).sum();
    all - covered + summaries + history.request_size(limit)
}

/// The groups before `keepAtLeast` takes messages out of them.
fn candidates(
    history: &ManagedHistory,
    strategy: &HistoryStrategy,
    min: usize,
) -> Result<Vec<GroupIndexes>, ChatError> {
    let free_before =
        |end: usize| -> GroupIndexes { (0..end).filter(|index| history.slots[*index].is_free()).collect() };
    let mut groups = match strategy {
        HistoryStrategy::WholeHistory | HistoryStrategy::RetrieveFacts(_) => vec![free_before(history.slots.len())],
        HistoryStrategy::LastMessages(count) => vec![free_before(start_of_last(history, *count))],
        HistoryStrategy::FromTimestamp(time) => vec![free_before(first_since(history, *time)?)],
        HistoryStrategy::Chunked(size) => chunks(history, *size, min),
        HistoryStrategy::PerSystemMessage => blocks(history),
        HistoryStrategy::ClearToolResults(_) | HistoryStrategy::Digest(_) | HistoryStrategy::Host { .. } => Vec::new(),
    };
    // Rounds of the current exchange have a summary of their own, which follows their question.
    groups = groups.into_iter().flat_map(|group| split_group(group, history.rounds.start)).collect();
    groups.retain(|group| has_originals(history, group));
    Ok(groups)
}

/// Splits a group into the messages before an index and the rest.
fn split_group(mut group: GroupIndexes, index: usize) -> [GroupIndexes; 2] {
    let rounds = group.split_off(group.partition_point(|position| *position < index));
    [group, rounds]
}

/// True when not all messages of a group are summaries: a summary of summaries alone only loses content.
fn has_originals(history: &ManagedHistory, group: &[usize]) -> bool {
    group.iter().any(|index| history.slots[*index].message.summary.is_none())
}

/// The index of the first of the last `count` messages, moved to the start of its unit.
fn start_of_last(history: &ManagedHistory, count: usize) -> usize {
    let Some(position) = count.checked_sub(1) else { return history.slots.len() };
    let mut last = (0..history.slots.len()).rev().filter(|index| history.slots[*index].is_counted());
    last.nth(position).map_or(0, |index| history.unit_start(index))
}

/// The index of the first message since `time`, moved to the start of its unit. A message without a timestamp has the
/// time of the one before it.
fn first_since(history: &ManagedHistory, time: i64) -> Result<usize, ChatError> {
    if !history.slots.iter().any(|slot| slot.is_free()) {
        return Ok(0);
    }
    let Some(first) = history.slots.iter().find_map(|slot| slot.message.at) else {
        let problem = "no message has a timestamp, so none is before or after another";
        return Err(ChatError::new("missing_timestamp", problem.into())
            .hint("give messages a timestamp, or use lastNMessages(n)"));
    };
    let mut now = first;
    for (index, slot) in history.slots.iter().enumerate() {
        now = slot.message.at.unwrap_or(now);
        if now >= time && !slot.message.is_system() && slot.is_present() {
            return Ok(history.unit_start(index));
        }
    }
    Ok(history.slots.len())
}

/// Groups of whole units with at least `size` messages and more than `min` tokens. No group has both messages from
/// before the question of the current exchange and rounds of that exchange. Messages at the end that do not fill a
/// group form one only in a history without summaries; otherwise they wait until they fill one.
fn chunks(history: &ManagedHistory, size: usize, min: usize) -> Vec<GroupIndexes> {
    let has_summaries = history.slots.iter().any(|slot| slot.message.summary.is_some());
    let mut chunks: Vec<GroupIndexes> = Vec::new();
    let (mut chunk, mut tokens) = (Vec::new(), 0);
    for range in &history.units.ranges {
        if range.start == history.rounds.start {
            let rest = std::mem::take(&mut chunk);
            tokens = 0;
            chunks.extend((!has_summaries).then_some(rest));
        }
        for index in range.clone() {
            let slot = &history.slots[index];
            if slot.is_free() && slot.message.summary.is_none() {
                chunk.push(index);
                tokens += slot.tokens;
            }
        }
        if chunk.len() >= size && tokens > min {
            chunks.push(std::mem::take(&mut chunk));
            tokens = 0;
        }
    }
    chunks.extend((!has_summaries).then_some(chunk));
    chunks
}

/// The messages between system messages. The messages before the first system message are part of its block. A unit
/// around a system message is part of the block in which the unit ends.
fn blocks(history: &ManagedHistory) -> Vec<GroupIndexes> {
    let mut blocks = Vec::new();
    let mut block = Vec::new();
    let mut has_system = false;
    for range in &history.units.ranges {
        for index in range.clone() {
            if history.slots[index].message.is_system() {
                if has_system {
                    blocks.push(std::mem::take(&mut block));
                }
                has_system = true;
            }
        }
        block.extend(range.clone().filter(|index| history.slots[*index].is_free()));
    }
    blocks.push(block);
    blocks
}

/// Takes the newest units out of the groups until at least `min` messages stay; each summary counts as one. Returns a
/// warning when there are too few messages for that.
fn keep_newest(
    history: &ManagedHistory,
    groups: &mut Vec<GroupIndexes>,
    strategy: &HistoryStrategy,
    min: usize,
) -> Option<String> {
    let present = history.present().count();
    let planned = groups.iter().map(Vec::len).sum::<usize>();
    let mut covered = planned - keep_last_rounds(history, groups, min);
    while present - covered + groups.len() < min {
        let Some(kept) = keep_last_unit(history, groups) else {
            let has = counted(present, "message");
            return Some(format!("keepAtLeast is {min}; the conversation has {has}"));
        };
        covered -= kept;
    }
    if let HistoryStrategy::Chunked(size) = strategy {
        drop_cut_chunk(history, groups, *size, planned - covered);
    }
    None
}

/// Takes the newest rounds of the current exchange out of the groups until at least `min` of them stay; summaries are
/// not rounds. Returns the number of messages that are taken out of the groups.
fn keep_last_rounds(history: &ManagedHistory, groups: &mut Vec<GroupIndexes>, min: usize) -> usize {
    if history.rounds.is_empty() {
        return 0;
    }
    let in_rounds = |groups: &[GroupIndexes]| groups.last().is_some_and(|group| group[0] >= history.rounds.start);
    let is_round = |unit: &Range<usize>| history.slots[unit.start].message.summary.is_none();
    let units = &history.units.ranges[history.units.of[history.rounds.start]..];
    let all = units.iter().filter(|unit| is_round(unit)).count();
    // A unit with a pinned message does not count as taken, because that message stays.
    let is_taken = |taken: &&[usize]| {
        let unit = history.units.ranges[history.units.of[taken[0]]].clone();
        is_round(&unit) && taken.len() == unit.filter(|index| history.slots[*index].is_present()).count()
    };
    let taken_of = |group: &GroupIndexes| {
        let units = group.chunk_by(|left, right| history.units.of[*left] == history.units.of[*right]);
        units.filter(is_taken).count()
    };
    let mut kept = 0;
    while in_rounds(groups) {
        let groups_of_rounds = groups.iter().filter(|group| group[0] >= history.rounds.start);
        if all - groups_of_rounds.map(taken_of).sum::<usize>() >= min {
            break;
        }
        kept += keep_last_unit(history, groups).unwrap_or(0);
    }
    kept
}

/// Takes the last unit out of the last group, and removes the group when only summaries are left in it. Returns the
/// number of messages that stay; None when there are no groups.
fn keep_last_unit(history: &ManagedHistory, groups: &mut Vec<GroupIndexes>) -> Option<usize> {
    let group = groups.last_mut()?;
    let size = group.len();
    let unit = history.units.of[*group.last()?];
    while group.pop_if(|index| history.units.of[*index] == unit).is_some() {}
    if has_originals(history, group) {
        return Some(size - group.len());
    }
    groups.pop();
    Some(size)
}

/// Removes the last chunk when `keepAtLeast` took `kept` messages and left fewer than `size` in it: it waits until later
/// messages fill it, so that the next call finds the same chunks. The only chunk of a history without summaries stays.
fn drop_cut_chunk(history: &ManagedHistory, groups: &mut Vec<GroupIndexes>, size: usize, kept: usize) {
    let Some(last) = groups.last() else { return };
    let is_cut = kept > 0 && last.len() < size;
    let is_first = groups.len() == 1 && history.slots.iter().all(|slot| slot.message.summary.is_none());
    if is_cut && !(is_first && kept < size) {
        groups.pop();
    }
}
