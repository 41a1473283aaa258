//! Searches for the matches of a regular expression, a limited number of steps at a time.

use std::rc::Rc;
use std::task::Poll;

use crate::lisp::fault::EvalResult;
use crate::lisp::native::{Begin, Context, ELEMENTS_PER_STEP, Next, Steps};
use crate::lisp::pattern::{self, Found, Pattern};
use crate::value::{Str, Value};

/// Makes the result from the matches in a text.
type Then = Box<dyn FnOnce(&mut Context<'_>, &Rc<Pattern>, &Str, Vec<Found>) -> EvalResult<Begin>>;

/// Searches for at most `max` matches, from left to right and without overlap; then calls `then` with the matches.
pub(super) fn search(
    context: &mut Context<'_>,
    pattern: Rc<Pattern>,
    text: Str,
    max: usize,
    then: impl FnOnce(&mut Context<'_>, &Rc<Pattern>, &Str, Vec<Found>) -> EvalResult<Begin> + 'static,
) -> EvalResult<Begin> {
    let mut search = TextSearch { pattern, text, max, search: Default::default(), found: Vec::new(), then: None };
    if search.advance(context)? {
        return then(context, &search.pattern, &search.text, search.found);
    }
    search.then = Some(Box::new(then));
    Ok(Begin::Work(Box::new(Searching::Matches(Box::new(search)))))
}

/// The largest amount of fuel that one step of a search uses.
pub(super) const AT_ONCE: u64 = 2 * ELEMENTS_PER_STEP as u64;

struct TextSearch {
    pattern: Rc<Pattern>,
    text: Str,
    max: usize,
    search: pattern::Search,
    found: Vec<Found>,
    then: Option<Then>,
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
            match self.pattern.find(context.meter, &self.text, &mut self.search, left)? {
                Poll::Ready(Some(found)) => self.found.push(found),
                Poll::Ready(None) => break,
                Poll::Pending => return Ok(false),
            }
            context.meter.elements(1 + 2 * self.pattern.groups())?;
        }
        Ok(true)
    }
}

enum Searching {
    /// The search for matches.
    Matches(Box<TextSearch>),
    /// Calls of a function with the matches.
    Calls(Box<dyn Steps>),
}

impl Steps for Searching {
    fn step(&mut self, context: &mut Context<'_>, answer: Option<Value>) -> EvalResult<Next> {
        let search = match self {
            Searching::Calls(steps) => return steps.step(context, answer),
            Searching::Matches(search) => search,
        };
        if !search.advance(context)? {
            return Ok(Next::Continue);
        }
        let Some(then) = search.then.take() else { return Ok(Next::Done(Value::Nil)) };
        let found = std::mem::take(&mut search.found);
        let (next, calls) = then(context, &search.pattern, &search.text, found)?.follow(context)?;
        if let Some(calls) = calls {
            *self = Searching::Calls(calls);
        }
        Ok(next)
    }
}
