//! All matches of a regular expression, which are looked for some at a time.

use std::rc::Rc;

use crate::lisp::fault::EvalResult;
use crate::lisp::native::{AT_A_TIME, Begin, Context, Next, Steps};
use crate::lisp::pattern::{Found, Pattern};
use crate::value::{Str, Value};

/// What is made of the matches in a text.
type Then = Box<dyn FnOnce(&mut Context<'_>, &Pattern, &str, Vec<Found>) -> EvalResult<Begin>>;

/// Looks for at most so many matches, from left to right and without overlap; then makes something of them.
pub(super) fn search(
    context: &mut Context<'_>,
    source: &Str,
    text: Str,
    most: usize,
    then: impl FnOnce(&mut Context<'_>, &Pattern, &str, Vec<Found>) -> EvalResult<Begin> + 'static,
) -> EvalResult<Begin> {
    let pattern = context.meter.patterns.get(source, false)?;
    let mut search = Search { pattern, text, most, place: 0, found: Vec::new(), then: None };
    if search.advance(context)? {
        return then(context, &search.pattern, &search.text, search.found);
    }
    search.then = Some(Box::new(then));
    Ok(Begin::Work(Box::new(Searching::Matches(search))))
}

struct Search {
    pattern: Rc<Pattern>,
    text: Str,
    most: usize,
    /// Where the next match is looked for.
    place: usize,
    found: Vec<Found>,
    then: Option<Then>,
}

impl Search {
    /// True when all matches are found.
    fn advance(&mut self, context: &mut Context<'_>) -> EvalResult<bool> {
        let matches = (&mut self.found, self.most);
        self.pattern.find_some(context.meter, &self.text, &mut self.place, matches, 2 * AT_A_TIME as u64)
    }
}

enum Searching {
    /// Matches are looked for.
    Matches(Search),
    /// Functions are called with them.
    Calls(Box<dyn Steps>),
}

impl Steps for Searching {
    fn step(&mut self, context: &mut Context<'_>, answer: Option<Value>) -> EvalResult<Next> {
        let search = match self {
            Searching::Calls(steps) => return steps.step(context, answer),
            Searching::Matches(search) => search,
        };
        if !search.advance(context)? {
            return Ok(Next::Again);
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
