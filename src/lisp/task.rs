//! Builtins as asynchronous blocks, which the machine runs as [`Steps`], without an executor. A block owns the values
//! that it visits and may borrow from them. It awaits calls of functions, pauses, and other builtins; it has no
//! [`Context`] between them: its work is counted by [`work::charge`](crate::work::charge), and [`with`] lends it a context.
//!
//! A call of a function from a block takes up to twice the time of one from [`Steps`]. Builtins that call a function for
//! each element are therefore steps: a closure, or a struct where several functions share the state.

use std::cell::Cell;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context as Polling, Poll, Waker};

use super::equality::{MANY, comparing};
use super::fault::EvalResult;
use super::native::{Begin, Context, ELEMENTS_PER_STEP, Next, Steps};
use crate::value::Value;

/// What a block awaits.
enum Awaited {
    /// The answer of the machine.
    Next(Next),
    /// The result of a builtin that this function begins.
    Begin(Box<BeginWith>),
}

type BeginWith = dyn FnOnce(&mut Context<'_>) -> EvalResult<Begin>;

thread_local! {
    /// What the running block awaits, and the value with which it continues. Both are empty between two polls.
    static AWAITED: Cell<Option<Awaited>> = const { Cell::new(None) };
    static ANSWER: Cell<Option<Value>> = const { Cell::new(None) };
}

/// A block that runs step by step.
pub struct AsyncSteps {
    block: Pin<Box<dyn Future<Output = EvalResult>>>,
    /// The steps of the builtin whose result the block awaits.
    steps: Option<Box<dyn Steps>>,
}

impl AsyncSteps {
    pub fn new(block: impl Future<Output = EvalResult> + 'static) -> Box<AsyncSteps> {
        Box::new(AsyncSteps { block: Box::pin(block), steps: None })
    }
}

impl Steps for AsyncSteps {
    fn step(&mut self, context: &mut Context<'_>, answer: Option<Value>) -> EvalResult<Next> {
        let mut answer = answer;
        loop {
            if let Some(steps) = &mut self.steps {
                match steps.step(context, answer)? {
                    Next::Done(value) => answer = Some(value),
                    next => return Ok(next),
                }
                self.steps = None;
            }
            ANSWER.set(answer.take());
            if let Poll::Ready(result) = self.block.as_mut().poll(&mut Polling::from_waker(Waker::noop())) {
                return result.map(Next::Done);
            }
            match AWAITED.take() {
                Some(Awaited::Next(next)) => return Ok(next),
                Some(Awaited::Begin(begin)) => {
                    let (next, steps) = begin(context)?.follow(context)?;
                    if let Next::Done(value) = next {
                        answer = Some(value);
                    } else {
                        self.steps = steps;
                        return Ok(next);
                    }
                }
                None => unreachable!("a block awaits only the machine"),
            }
        }
    }
}

/// Suspends the block; returns the answer. It must be awaited at once.
fn answer(awaited: Awaited) -> impl Future<Output = Value> {
    AWAITED.set(Some(awaited));
    let mut is_due = true;
    poll_fn(move |_| match std::mem::take(&mut is_due) {
        true => Poll::Pending,
        false => Poll::Ready(ANSWER.take().unwrap_or_default()),
    })
}

/// Requests a call from the machine; returns its result.
pub async fn request(next: Next) -> Value {
    answer(Awaited::Next(next)).await
}

/// Pauses the block once.
pub async fn pause() {
    request(Next::Continue).await;
}

/// Begins a builtin and runs it to its end; returns its result.
pub async fn begin(begin: impl FnOnce(&mut Context<'_>) -> EvalResult<Begin> + 'static) -> Value {
    answer(Awaited::Begin(Box::new(begin))).await
}

/// Runs `run` with the context; its error ends the builtin.
pub async fn with<R: 'static>(run: impl FnOnce(&mut Context<'_>) -> EvalResult<R> + 'static) -> R {
    let result = Rc::new(Cell::new(None));
    let kept = result.clone();
    begin(move |context| {
        kept.set(Some(run(context)?));
        Ok(Begin::Done(Value::Nil))
    })
    .await;
    result.take().expect("the block continues after `run`")
}

/// Returns whether each value equals the next one.
pub async fn are_equal(values: &[Value]) -> bool {
    for (number, pair) in values.windows(2).enumerate() {
        let Some(mut comparing) = comparing(&pair[0], &pair[1]) else { return false };
        loop {
            match comparing.advance(MANY, MANY) {
                Some(true) => break,
                Some(false) => return false,
                None => pause().await,
            }
        }
        if number % ELEMENTS_PER_STEP == ELEMENTS_PER_STEP - 1 {
            pause().await;
        }
    }
    true
}
