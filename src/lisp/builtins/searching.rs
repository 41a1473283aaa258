//! Searches for the matches of a regular expression, a limited number of steps at a time.

use std::rc::Rc;
use std::task::Poll;

use crate::lisp::fault::EvalResult;
use crate::lisp::native::{Begin, Context, ELEMENTS_PER_STEP};
use crate::lisp::pattern::{self, Found, Pattern};
use crate::lisp::task::{AsyncSteps, begin, pause, with};
use crate::value::Str;

/// Makes the result from the matches in a text.
type Then = dyn FnOnce(&mut Context<'_>, &Rc<Pattern>, &Str, Vec<Found>) -> EvalResult<Begin>;

/// Searches for at most `max` matches, from left to right and without overlap; then calls `then` with the matches.
pub(super) fn search(
    context: &mut Context<'_>,
    pattern: Rc<Pattern>,
    text: Str,
    max: usize,
    then: impl FnOnce(&mut Context<'_>, &Rc<Pattern>, &Str, Vec<Found>) -> EvalResult<Begin> + 'static,
) -> EvalResult<Begin> {
    // One copy of the code serves all callers.
    find_matches(
        context,
        TextSearch { pattern, text, max, search: Default::default(), found: Vec::new() },
        Box::new(then),
    )
}

fn find_matches(context: &mut Context<'_>, mut search: TextSearch, then: Box<Then>) -> EvalResult<Begin> {
    if search.advance(context)? {
        return then(context, &search.pattern, &search.text, search.found);
    }
    Ok(Begin::Work(AsyncSteps::new(async move {
        loop {
            let is_complete;
            (search, is_complete) = with(move |context| search.advance(context).map(|done| (search, done))).await;
            if is_complete {
                break;
            }
            pause().await;
        }
        Ok(begin(move |context| then(context, &search.pattern, &search.text, search.found)).await)
    })))
}

/// The largest amount of fuel that one step of a search uses.
pub(super) const AT_ONCE: u64 = 2 * ELEMENTS_PER_STEP as u64;

struct TextSearch {
    pattern: Rc<Pattern>,
    text: Str,
    max: usize,
    search: pattern::Search,
    found: Vec<Found>,
}

impl TextSearch {
    /// Continues the search; returns true when it is complete.
    fn advance(&mut self, context: &mut Context<'_>) -> EvalResult<bool> {
        let enough = context.meter.fuel.saturating_add(AT_ONCE);
        while self.found.len() < self.max {
            let left = enough.saturating_sub(context.meter.fuel);
            if left == 0 {
                return Ok(false);
            }
            match context.meter.find(&self.pattern, &self.text, &mut self.search, left)? {
                Poll::Ready(Some(found)) => self.found.push(found),
                Poll::Ready(None) => break,
                Poll::Pending => return Ok(false),
            }
            context.meter.elements(1 + 2 * self.pattern.groups())?;
        }
        Ok(true)
    }
}
