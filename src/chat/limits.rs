//! Enforces limits on what is sent.

use std::ops::Range;

use super::draft::{Draft, DraftMessage};
use super::parameters::{Limit, Parameters};

/// The name of the limit or option that removes an item of a draft; None for an item that stays.
type Removed = Option<&'static str>;

/// Enforces the limits, and makes the remaining messages begin with one of a user.
pub(super) fn enforce(parameters: &Parameters, draft: &mut Draft<'_>) {
    let mut enforcing = Enforcing::new(parameters, draft);
    enforcing.run();
    let Enforcing { removed, removed_before, .. } = enforcing;
    draft.remove(&removed, &removed_before);
}

/// Removes units until the limits hold. When one is exceeded, or without a strategy its trigger, the history is cut to the
/// limit's target, and that cut stays until it is exceeded again, so that requests begin with the same messages for a while.
///
/// The positions of earlier cuts are not stored. Instead, the history is walked from its beginning, as if a request as
/// large as the present one had been made after each question, after each round of calls, and before each unit that has
/// a question with its answer. What such a request removes depends on the messages before it alone. So a cut is the same
/// in all later requests, also for a host that passes the whole history each time.
struct Enforcing<'a, 'p> {
    parameters: &'a Parameters,
    draft: &'a Draft<'p>,
    units: Vec<Range<usize>>,
    /// The items that are questions, and those with which a request may begin. Searching all items at each request would
    /// take time quadratic in the length of the history.
    questions: Vec<usize>,
    beginnings: Vec<usize>,
    /// What was removed since the last cut to begin with a user's message.
    answers: Vec<usize>,
    /// The walked units of which something is left.
    left: Vec<usize>,
    sizes: Vec<Size>,
    /// The messages that are sent after the walked units.
    request_messages: usize,
    removed: Vec<Removed>,
    /// What the previous request removed.
    removed_before: Vec<Removed>,
    /// True with new summaries of a model, whose length was not known before. Then only as much as needed is removed.
    is_new: bool,
}

/// The size, in the unit of a limit, of what is left of the walked units and of what is sent besides the history.
struct Size {
    limit: Limit,
    /// The size above which messages are removed.
    cut_above: usize,
    size: usize,
    /// The size of the request that is sent after the history.
    request: usize,
}

impl Size {
    fn exceeds(&self) -> bool {
        self.size > self.cut_above
    }
}

impl<'a, 'p> Enforcing<'a, 'p> {
    fn new(parameters: &'a Parameters, draft: &'a Draft<'p>) -> Self {
        let mut units = Vec::new();
        let mut start = 0;
        for unit in draft.items.chunk_by(|left, right| left.unit == right.unit) {
            units.push(start..start + unit.len());
            start += unit.len();
        }
        let beginnings = units.iter().filter_map(|unit: &Range<usize>| {
            let first = unit.clone().find(|index| !draft.items[*index].is_system)?;
            (!draft.items[first].is_answer).then_some(first)
        });
        let history = &draft.plan.history;
        let size = |limit| {
            let fixed = history.fixed_size(limit);
            let cut_above = parameters.cut_above(limit);
            Size { limit, cut_above, size: fixed, request: history.request_size(limit) - fixed }
        };
        Enforcing {
            parameters,
            draft,
            beginnings: beginnings.collect(),
            units,
            questions: (0..draft.items.len()).filter(|index| draft.items[*index].is_question).collect(),
            answers: Vec::new(),
            left: Vec::new(),
            sizes: parameters.limits().map(size).collect(),
            request_messages: 0,
            removed: vec![None; draft.items.len()],
            removed_before: Vec::new(),
            is_new: draft.summaries().any(|(group, _)| draft.plan.groups[group].known.is_none()),
        }
    }

    fn run(&mut self) {
        let items = &self.draft.items;
        let answer = self.draft.last_answer();
        for position in 0..self.units.len() {
            let unit = self.units[position].clone();
            let is_last = position + 1 == self.units.len();
            if position > 0 && !self.is_new && is_answered(&items[unit.clone()]) {
                self.add_request();
                self.cut(position - 1, false);
                self.remove_request();
            }
            if answer.is_some_and(|answer| unit.contains(&answer)) {
                self.removed_before.clone_from(&self.removed);
            }
            for Size { limit, size, .. } in &mut self.sizes {
                *size += items[unit.clone()].iter().map(|item| limit.weight(item.tokens)).sum::<usize>();
            }
            self.left.push(position);
            if is_last {
                self.add_request();
            }
            if is_last || (!self.is_new && items[unit].last().is_some_and(|item| item.waits)) {
                self.cut(position, is_last);
            }
        }
    }

    fn add_request(&mut self) {
        self.sizes.iter_mut().for_each(|size| size.size += size.request);
        self.request_messages = self.draft.plan.history.request_messages;
    }

    fn remove_request(&mut self) {
        self.sizes.iter_mut().for_each(|size| size.size -= size.request);
        self.request_messages = 0;
    }

    /// Enforces the limits on a request with the units up to the one at `position`.
    fn cut(&mut self, position: usize, is_last: bool) {
        for index in 0..self.sizes.len() {
            if self.sizes[index].exceeds() {
                self.cut_to_target(index, position, is_last);
                let (units, removed) = (&self.units, &self.removed);
                self.left.retain(|unit| removed[units[*unit].clone()].contains(&None));
            }
        }
        self.begin_with_user();
    }

    /// Removes units up to the one at `position`: first messages, until the size at `index` is within the target of its
    /// limit; then, until it is within the limit, summaries, each of which replaces many messages; and at last the newest
    /// unit. What waited for an answer stays: the last question and the last unit.
    fn cut_to_target(&mut self, index: usize, position: usize, is_last: bool) {
        let items = &self.draft.items[..self.units[position].end];
        let last = items.last().filter(|item| !is_last && item.waits);
        let question = items.iter().rfind(|item| last.is_some() && item.is_question);
        let waited = [last, question].map(|item| item.map(|item| item.unit));
        let is_free = |item: &DraftMessage| item.is_free && !waited.contains(&Some(item.unit));
        let newest = items.iter().rfind(|item| is_free(item) && !item.is_summary).map(|item| item.unit);
        let may_go = |item: &DraftMessage| is_free(item) && Some(item.unit) != newest;
        let limit = self.sizes[index].limit;
        // What an earlier cut removed to begin with a user's message would be removed by the limit now.
        for item in self.answers.drain(..) {
            self.removed[item] = self.removed[item].map(|_| limit.name());
        }
        let target = if self.is_new { limit.max() } else { limit.target() };
        self.remove_oldest(index, target, &|item| !item.is_summary && may_go(item));
        self.remove_oldest(index, limit.max(), &|item| item.is_summary && may_go(item));
        self.remove_oldest(index, limit.max(), &|item| is_free(item) && Some(item.unit) == newest);
    }

    /// Removes units, the oldest first, until the size at `index` is within `target`. Stops earlier when the size is
    /// small enough not to be cut and the next removal would leave less than half of that.
    fn remove_oldest(&mut self, index: usize, target: usize, may_go: &dyn Fn(&DraftMessage) -> bool) {
        let draft = self.draft;
        for unit in self.left.clone() {
            let Size { limit, cut_above, size, .. } = self.sizes[index];
            if size <= target {
                return;
            }
            let goes = |item: &usize| may_go(&draft.items[*item]) && self.removed[*item].is_none();
            let gone: Vec<usize> = self.units[unit].clone().filter(goes).collect();
            if size <= cut_above && 2 * (size - self.weigh(limit, &gone)) < cut_above {
                return;
            }
            self.remove(&gone, limit.name());
        }
    }

    fn remove(&mut self, items: &[usize], reason: &'static str) {
        for index in items {
            self.removed[*index] = Some(reason);
            for Size { limit, size, .. } in &mut self.sizes {
                *size -= limit.weight(self.draft.items[*index].tokens);
            }
        }
    }

    fn remove_answers(&mut self, items: &[usize]) {
        self.remove(items, "startWith");
        self.answers.extend(items);
    }

    /// Restores items of one unit.
    fn restore(&mut self, items: &[usize]) {
        let Some(first) = items.first() else { return };
        let unit = self.unit_of(*first);
        let position = self.left.partition_point(|left| *left < unit);
        if self.left.get(position) != Some(&unit) {
            self.left.insert(position, unit);
        }
        for index in items {
            self.removed[*index] = None;
            for Size { limit, size, .. } in &mut self.sizes {
                *size += limit.weight(self.draft.items[*index].tokens);
            }
        }
    }

    fn unit_of(&self, item: usize) -> usize {
        self.units.partition_point(|unit| unit.end <= item)
    }

    fn weigh(&self, limit: Limit, items: &[usize]) -> usize {
        items.iter().map(|index| limit.weight(self.draft.items[*index].tokens)).sum()
    }

    /// After a cut, makes sure that what is left of the walked units does not begin with an answer or a result, which
    /// many providers refuse. Removes them up to the next message of a user, or restores the question that they belong to
    /// when that keeps more.
    fn begin_with_user(&mut self) {
        if !self.parameters.starts_with_user {
            return;
        }
        let items = &self.draft.items;
        let is_left = |index: &usize| self.removed[*index].is_none() && !items[*index].is_system;
        let mut left = self.left.iter().flat_map(|unit| self.units[*unit].clone()).filter(is_left).peekable();
        let (Some(&first), Some(newest)) = (left.peek(), self.left.last()) else { return };
        let is_cut = || self.removed[..first].iter().any(Option::is_some) || self.draft.has_gap_before(first);
        if !items[first].is_answer || !is_cut() {
            return;
        }
        let end = self.units[*newest].end;
        let after = self.beginnings.partition_point(|beginning| *beginning <= first);
        let begin = self.beginnings[after..].iter().copied().find(is_left).map_or(end, |begin| begin.min(end));
        let question = self.questions.partition_point(|question| *question < first).checked_sub(1);
        let keep = self.parameters.keep_at_least.saturating_sub(self.request_messages);
        // All that is left are answers without a question. They are not collected again at each request.
        if begin == end && keep > 0 && question.is_none() {
            return;
        }
        let mut answers = Vec::new();
        while let Some(index) = left.next_if(|index| *index < begin) {
            answers.push(index);
        }
        let is_free = |index: &usize| items[*index].is_free && !items[*index].is_summary;
        let can_go = answers.iter().all(is_free) && left.take(keep).count() == keep;
        let fills_half =
            |Size { limit, cut_above, size, .. }: &Size| 2 * (size - self.weigh(*limit, &answers)) >= *cut_above;
        if can_go && self.sizes.iter().all(fills_half) {
            self.remove_answers(&answers);
            return;
        }
        let unit = question.map_or(0..0, |question| self.units[self.unit_of(self.questions[question])].clone());
        let question: Vec<usize> = unit.filter(|index| *index < first).collect();
        let is_gone = question.iter().all(|index| self.removed[*index].is_some());
        let may_return = question.first().is_some_and(|index| is_gone && !items[*index].is_answer);
        // When the question does not fit, its oldest answers are removed to make room for it.
        let excess = self.sizes.iter().map(|Size { limit, size, .. }| {
            (*limit, (size + self.weigh(*limit, &question)).saturating_sub(limit.max()))
        });
        let mut excess: Vec<(Limit, usize)> = excess.collect();
        let mut room = 0;
        for unit in answers.chunk_by(|left, right| items[*left].unit == items[*right].unit) {
            if excess.iter().all(|(_, excess)| *excess == 0) || !unit.iter().all(is_free) {
                break;
            }
            room += unit.len();
            for (limit, excess) in &mut excess {
                *excess = excess.saturating_sub(self.weigh(*limit, unit));
            }
        }
        let fits = excess.iter().all(|(_, excess)| *excess == 0);
        if may_return && fits && room < answers.len() {
            self.remove_answers(&answers[..room]);
            self.restore(&question);
        } else if can_go {
            self.remove_answers(&answers);
        }
    }
}

/// True for a unit that has a question with its answer: a turn of a typed call.
fn is_answered(unit: &[DraftMessage]) -> bool {
    unit.first().is_some_and(|item| item.is_question) && unit.last().is_some_and(|item| item.is_answer)
}
