//! Tasks: functions of the library that take long, written as asynchronous blocks that pause. They await nothing except
//! pauses.
//!
//! A task owns the values that it visits, so that it can borrow from them across pauses. It has no [`Context`]: it
//! counts the values that it makes with [`Bounds`](super::meter::Bounds), and the machine takes the count at each
//! pause.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context as Polling, Poll, Waker};

use super::equality::{MANY, comparing};
use super::fault::EvalResult;
use super::native::{Context, ELEMENTS_PER_STEP, Next, Steps};
use crate::value::Value;
use crate::work::{self, PIECE};

/// Counts the elements that a task visits, and decides when the task pauses.
pub struct Pace {
    /// The number of elements before the next pause.
    left: usize,
    /// The work count at which the task pauses even if `left` is not used up.
    end: u64,
}

/// A future that pauses the task if a pause is due, and is ready at once otherwise.
pub struct Pause {
    is_due: bool,
}

impl Pace {
    pub fn new() -> Pace {
        Pace { left: ELEMENTS_PER_STEP, end: work::done().saturating_add(PIECE) }
    }

    /// Counts elements, or work that takes as long. Awaiting the result pauses the task if a pause is due.
    #[inline]
    pub fn pass(&mut self, elements: usize) -> Pause {
        if self.left < elements || work::done() > self.end {
            return self.rest();
        }
        self.left -= elements;
        Pause { is_due: false }
    }

    /// Starts a new count. Awaiting the result always pauses the task.
    pub fn rest(&mut self) -> Pause {
        // The machine takes the work at the pause, so the work count restarts at 0.
        *self = Pace { left: ELEMENTS_PER_STEP, end: PIECE };
        Pause { is_due: true }
    }
}

impl Future for Pause {
    type Output = ();

    #[inline]
    fn poll(mut self: Pin<&mut Self>, _: &mut Polling<'_>) -> Poll<()> {
        if std::mem::take(&mut self.is_due) { Poll::Pending } else { Poll::Ready(()) }
    }
}

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

/// Returns whether each value equals the next one.
pub async fn are_equal(values: Vec<Value>) -> bool {
    let mut pace = Pace::new();
    for pair in values.windows(2) {
        let Some(mut comparing) = comparing(&pair[0], &pair[1]) else { return false };
        loop {
            match comparing.advance(MANY, MANY) {
                Some(true) => break,
                Some(false) => return false,
                None => pace.rest().await,
            }
        }
        pace.pass(1).await;
    }
    true
}

impl Context<'_> {
    /// Runs a task that visits `elements` elements. When they are many, this function fails, and the caller continues
    /// as the task: see [`Fault::Suspended`](super::fault::Fault::Suspended).
    pub fn task(&mut self, elements: usize, task: impl Future<Output = EvalResult> + 'static) -> EvalResult {
        self.do_task(elements, Paused::new(task))
    }

    fn do_task(&mut self, elements: usize, task: Paused) -> EvalResult {
        if elements >= ELEMENTS_PER_STEP {
            return self.work(Box::new(task));
        }
        let mut task = task;
        loop {
            if let Next::Done(value) = task.step(self, None)? {
                return Ok(value);
            }
        }
    }
}
