//! Enforces limits on what is sent.

use std::ops::Range;

use super::draft::{Draft, Item};
use super::parameters::{Limit, Parameters};

/// The name of the limit or option that removes an item of a draft; None for an item that stays.
type Removed = Option<&'static str>;

/// Enforces the limits, and makes the remaining messages begin with one of a user.
pub(super) fn enforce(parameters: &Parameters, draft: &mut Draft<'_>) {
    let mut removed = vec![None; draft.items.len()];
    for limit in parameters.limits() {
        let left = draft.items.iter().zip(&removed).filter(|(_, removed)| removed.is_none());
        let sent = left.map(|(item, _)| limit.weight(item.tokens)).sum::<usize>();
        if sent + draft.plan.history.request_size(limit) > limit.max() {
            Enforcing::new(limit, draft, &mut removed).run();
        }
    }
    if parameters.starts_with_user {
        begin_with_user(parameters, draft, &mut removed);
    }
    draft.remove(&removed);
}

/// Removes units until a limit holds. When it is exceeded, the history is cut to the limit's target, and that cut stays
/// until the limit is exceeded again, so that requests begin with the same messages for a while.
///
/// The positions of earlier cuts are not stored. Instead, the history is walked from its beginning, as if a request as
/// large as the present one had been made after each question, after each round of calls, and before each unit that has
/// a question with its answer. So the cut depends on the messages alone, also for a host that passes the whole history
/// each time.
struct Enforcing<'a, 'p> {
    limit: Limit,
    draft: &'a Draft<'p>,
    units: Vec<Range<usize>>,
    removed: &'a mut [Removed],
    /// The size of what is left of the walked units, of all system messages, and of what is sent besides the history.
    size: usize,
}

impl<'a, 'p> Enforcing<'a, 'p> {
    fn new(limit: Limit, draft: &'a Draft<'p>, removed: &'a mut [Removed]) -> Self {
        let mut units = Vec::new();
        let mut start = 0;
        for unit in draft.items.chunk_by(|left, right| left.unit == right.unit) {
            units.push(start..start + unit.len());
            start += unit.len();
        }
        Enforcing { limit, draft, units, removed, size: draft.plan.history.fixed_size(limit) }
    }

    fn run(mut self) {
        let items = &self.draft.items;
        let request = self.draft.plan.history.request_size(self.limit);
        // With new summaries, whose length was not known before, only as much as needed is removed.
        let is_new = self.draft.summaries().next().is_some();
        let target = if is_new { self.limit.max() } else { self.limit.target() };
        self.size += self.size_of(0..items.len(), |item| item.is_system);
        let last = self.units.len().saturating_sub(1);
        let beside = request - self.draft.plan.history.fixed_size(self.limit);
        for position in 0..self.units.len() {
            if position > 0 && !is_new && self.is_answered(position) && self.size + beside > self.limit.max() {
                self.size += beside;
                self.cut(position - 1, target, false);
                self.size -= beside;
            }
            self.size += self.size_of(self.units[position].clone(), |item| !item.is_system);
            if position == last {
                self.size += beside;
            }
            let was_sent = !is_new && items[self.units[position].clone()].last().is_some_and(|item| item.waits);
            if self.size > self.limit.max() && (position == last || was_sent) {
                self.cut(position, target, position == last);
            }
        }
    }

    /// True for a unit that has a question with its answer: a turn of a typed call.
    fn is_answered(&self, position: usize) -> bool {
        let unit = &self.draft.items[self.units[position].clone()];
        unit.first().is_some_and(|item| item.is_question) && unit.last().is_some_and(|item| item.is_answer)
    }

    fn size_of(&self, range: Range<usize>, counts: impl Fn(&Item) -> bool) -> usize {
        let items = self.draft.items[range.clone()].iter().zip(&self.removed[range]);
        items
            .filter(|(item, removed)| removed.is_none() && counts(item))
            .map(|(item, _)| self.limit.weight(item.tokens))
            .sum()
    }

    /// Removes units up to the one at `position`: first messages, until the size is within `target`; then, until it is
    /// within the limit, summaries, each of which replaces many messages; and at the end of the history the newest
    /// unit.
    fn cut(&mut self, position: usize, target: usize, is_last: bool) {
        let items = &self.draft.items;
        let end = self.units[position].end;
        let newest = match is_last {
            true => items.iter().rfind(|item| item.is_free && !item.is_summary),
            false => items[..end].last(),
        };
        let newest = newest.map(|item| item.unit);
        // The question of an exchange stays as long as the exchange is the current one.
        let question = items[..end].iter().rfind(|item| item.is_question).filter(|_| !is_last).map(|item| item.unit);
        let may_go = |item: &Item| Some(item.unit) != newest && Some(item.unit) != question;
        self.remove(position, target, &|item| !item.is_summary && may_go(item));
        self.remove(position, self.limit.max(), &|item| item.is_summary && may_go(item));
        if is_last {
            self.remove(position, self.limit.max(), &|item| Some(item.unit) == newest);
        }
    }

    /// Removes units, the oldest first, until the size is within `target`. Stops earlier when the size is within the
    /// limit and the next removal would leave less than half of the limit.
    fn remove(&mut self, position: usize, target: usize, may_go: &dyn Fn(&Item) -> bool) {
        for oldest in 0..=position {
            let unit = self.units[oldest].clone();
            if self.size <= target {
                return;
            }
            let size = self.size_of(unit.clone(), |item| item.is_free && may_go(item));
            if self.size <= self.limit.max() && 2 * (self.size - size) < self.limit.max() {
                return;
            }
            for index in unit {
                let item = &self.draft.items[index];
                if item.is_free && may_go(item) && self.removed[index].is_none() {
                    self.removed[index] = Some(self.limit.name());
                    self.size -= self.limit.weight(item.tokens);
                }
            }
        }
    }
}

/// After a cut, makes sure that the remaining messages do not begin with an answer or a result, which many providers
/// refuse. Removes them up to the next message of a user, or restores the question that they belong to when that keeps
/// more.
fn begin_with_user(parameters: &Parameters, draft: &Draft<'_>, removed: &mut [Removed]) {
    let items = &draft.items;
    let left: Vec<usize> =
        (0..items.len()).filter(|index| removed[*index].is_none() && !items[*index].is_system).collect();
    let begins = |position: &usize| {
        let unit = |position: usize| items[left[position]].unit;
        !items[left[*position]].is_answer && (*position == 0 || unit(*position - 1) != unit(*position))
    };
    let begin = (0..left.len()).find(begins).unwrap_or(left.len());
    let (answers, rest) = left.split_at(begin);
    let Some(first) = answers.first() else { return };
    let is_cut = draft.has_gap_before(*first) || removed[..*first].iter().any(Option::is_some);
    if !is_cut {
        return;
    }
    let is_free = |index: &usize| items[*index].is_free && !items[*index].is_summary;
    let can_go = answers.iter().all(is_free) && rest.len() >= parameters.keep_at_least.min(left.len());
    let weigh =
        |limit: Limit, some: &[usize]| some.iter().map(|index| limit.weight(items[*index].tokens)).sum::<usize>();
    // The size of what is sent now, by each limit.
    let sent: Vec<(Limit, usize)> = parameters
        .limits()
        .map(|limit| {
            let systems = (0..items.len()).filter(|index| items[*index].is_system && removed[*index].is_none());
            let systems: Vec<usize> = systems.collect();
            (limit, weigh(limit, &systems) + weigh(limit, &left) + draft.plan.history.request_size(limit))
        })
        .collect();
    let fills_half = sent.iter().all(|(limit, sent)| 2 * (sent - weigh(*limit, answers)) >= limit.max());
    if can_go && fills_half {
        answers.iter().for_each(|index| removed[*index] = Some("startWith"));
        return;
    }
    let question = (0..*first).rfind(|index| items[*index].is_question).map(|question| items[question].unit);
    let question: Vec<usize> = (0..*first).filter(|index| Some(items[*index].unit) == question).collect();
    let is_gone = question.iter().all(|index| removed[*index].is_some());
    let may_return = question.first().is_some_and(|index| is_gone && !items[*index].is_answer);
    // When the question does not fit, its oldest answers are removed to make room for it.
    let excess =
        sent.iter().map(|(limit, sent)| (*limit, (sent + weigh(*limit, &question)).saturating_sub(limit.max())));
    let mut excess: Vec<(Limit, usize)> = excess.collect();
    let mut room = 0;
    for unit in answers.chunk_by(|left, right| items[*left].unit == items[*right].unit) {
        if excess.iter().all(|(_, excess)| *excess == 0) || !unit.iter().all(is_free) {
            break;
        }
        room += unit.len();
        for (limit, excess) in &mut excess {
            *excess = excess.saturating_sub(weigh(*limit, unit));
        }
    }
    let fits = excess.iter().all(|(_, excess)| *excess == 0);
    if may_return && fits && room < answers.len() {
        answers[..room].iter().for_each(|index| removed[*index] = Some("startWith"));
        question.iter().for_each(|index| removed[*index] = None);
    } else if can_go {
        answers.iter().for_each(|index| removed[*index] = Some("startWith"));
    }
}
