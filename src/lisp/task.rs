//! Asynchronous blocks that pause, as steps of the machine: for comparisons and JSON, which borrow from the values that
//! they visit. A block awaits nothing but pauses, so that no executor is needed, and owns these values. It has no
//! [`Context`]: it counts its work, which the machine takes at each pause, when it also checks the memory.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::{Context as Polling, Poll, Waker};

use super::equality::{MANY, comparing};
use super::fault::EvalResult;
use super::native::{Context, ELEMENTS_PER_STEP, Next, Steps};
use crate::value::Value;

/// A task that runs step by step.
pub struct Paused(Pin<Box<dyn Future<Output = EvalResult>>>);

impl Paused {
    pub fn new(task: impl Future<Output = EvalResult> + 'static) -> Paused {
        Paused(Box::pin(task))
    }
}

impl Steps for Paused {
    fn step(&mut self, _: &mut Context<'_>, _: Option<Value>) -> EvalResult<Next> {
        match self.0.as_mut().poll(&mut Polling::from_waker(Waker::noop())) {
            Poll::Ready(result) => result.map(Next::Done),
            Poll::Pending => Ok(Next::Continue),
        }
    }
}

/// Pauses the task once.
pub async fn pause() {
    let mut is_due = true;
    poll_fn(|_| if std::mem::take(&mut is_due) { Poll::Pending } else { Poll::Ready(()) }).await;
}

/// Returns whether each value equals the next one.
pub async fn are_equal(values: Vec<Value>) -> bool {
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
