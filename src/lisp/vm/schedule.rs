//! Which fiber runs next, and how branches begin and join.

use super::execute::{Exit, raised};
use super::fiber::{Callee, Fiber, Fork, Frame, NativeFrame, State};
use super::{Answer, Pending, Progress, Run, Vm};
use crate::lisp::builtins;
use crate::lisp::fault::{Fault, Outcome};
use crate::lisp::native::{Context, Effects, Next, Steps};
use crate::value::Value;

/// The one call that a branch makes.
struct Branch(Option<(Value, Vec<Value>)>);

impl Steps for Branch {
    fn step(&mut self, _: &mut Context<'_>, answer: Option<Value>) -> Outcome<Next> {
        Ok(match self.0.take() {
            Some((function, args)) => Next::CallOther(function, args),
            None => Next::Done(answer.unwrap_or_default()),
        })
    }

    fn visit(&self, see: &mut dyn FnMut(&Value)) {
        if let Some((function, args)) = &self.0 {
            see(function);
            args.iter().for_each(see);
        }
    }
}

impl Vm {
    /// Runs what can run until tools have to answer, a pause is due, or the program has ended.
    pub(super) fn drive(&mut self) -> Progress {
        let Some(mut run) = self.run.take() else {
            return self.end(Err(raised(crate::diagnostic::Diagnostic::new("internal", "no program is under way"))));
        };
        while let Some(number) = run.ready.pop_front() {
            let Some(mut fiber) = run.fibers[number].take() else { continue };
            let exit = self.execute(&mut run, &mut fiber);
            match exit {
                Exit::Pause => {
                    run.fibers[number] = Some(fiber);
                    run.ready.push_front(number);
                    self.run = Some(run);
                    return Progress::Pause;
                }
                Exit::Wait(pending, record) => {
                    fiber.state = State::Waiting(pending, record);
                    let parent = fiber.parent;
                    run.fibers[number] = Some(fiber);
                    if let Some((parent, _)) = parent {
                        self.begin_branch(&mut run, parent);
                    }
                }
                Exit::Fork(fork) => {
                    fiber.state = State::Forked(fork);
                    run.fibers[number] = Some(fiber);
                    self.begin_branch(&mut run, number);
                }
                Exit::Outcome(result) => match fiber.parent {
                    None => {
                        run.fibers[number] = Some(fiber);
                        self.run = Some(run);
                        return self.end(result);
                    }
                    Some((parent, branch)) => {
                        run.free.push(number);
                        self.join(&mut run, parent, branch, number, (fiber.effects, result));
                    }
                },
            }
        }
        let mut waiting = Vec::new();
        collect_waiting(&run, &mut waiting);
        self.run = Some(run);
        Progress::Calls(waiting)
    }

    /// Begins the next branch of a fiber that has forked; when all have ended, joins them. When
    /// all are begun and some wait, the fiber around it may begin its next branch.
    fn begin_branch(&mut self, run: &mut Run, number: usize) {
        let mut number = number;
        loop {
            let fibers = run.fibers.len();
            let Some(fiber) = &mut run.fibers[number] else { return };
            let depth = fiber.depth + fiber.frames.len();
            let parent = fiber.parent;
            let State::Forked(fork) = &mut fiber.state else { return };
            if let Some(job) = fork.jobs.pop() {
                let branch = fork.begun;
                fork.begun += 1;
                fork.results.push(None);
                let mut child = Fiber::empty(Some((number, branch)), depth);
                let builtin = builtins::find(fork.name).expect("a builtin has forked");
                let steps = Box::new(Branch(Some(job)));
                let function = Callee::Lookup(Value::Nil);
                child.frames.push(Frame::Native(Box::new(NativeFrame { builtin, function, steps, top: 0 })));
                let place = run.free.pop().unwrap_or(fibers);
                fork.children.push(place);
                if place == run.fibers.len() {
                    run.fibers.push(None);
                }
                run.fibers[place] = Some(child);
                run.ready.push_front(place);
                return;
            }
            if fork.ended == fork.results.len() {
                self.join_all(run, number);
                return;
            }
            match parent {
                Some((parent, _)) => number = parent,
                None => return,
            }
        }
    }

    /// Takes in what a branch did and gave.
    fn join(&mut self, run: &mut Run, parent: usize, branch: usize, child: usize, ended: (Effects, Outcome)) {
        if let Some(Fiber { state: State::Forked(fork), .. }) = &mut run.fibers[parent] {
            fork.children.retain(|number| *number != child);
            fork.results[branch] = Some(ended);
            fork.ended += 1;
        }
        self.begin_branch(run, parent);
    }

    /// Merges what the branches did in their order, and goes on with what they gave. The first
    /// fault in that order is the fork's.
    fn join_all(&mut self, run: &mut Run, number: usize) {
        let Some(mut fiber) = run.fibers[number].take() else { return };
        let State::Forked(fork) = std::mem::replace(&mut fiber.state, State::Ready(None)) else { return };
        let mut values = Vec::with_capacity(fork.results.len());
        let mut fault = None;
        for (branch, ended) in fork.results.into_iter().enumerate() {
            let Some((effects, result)) = ended else { continue };
            for (place, global) in effects.definitions.iter().cloned() {
                match fiber.parent {
                    Some(_) => fiber.effects.definitions.push((place, global)),
                    None => {
                        let before = self.globals.set(place, global);
                        run.undo.push((place, before));
                    }
                }
            }
            merge(&mut fiber.effects, effects);
            match result {
                Ok(value) => values.push(value),
                Err(found) if fault.is_none() => fault = Some(Box::new(Fault::in_branch(*found, fork.name, branch))),
                Err(_) => {}
            }
        }
        let answer = match fault {
            Some(fault) => Err(fault),
            None => run.meter.elements(values.len()).map(|()| Value::from(values)),
        };
        fiber.state = State::Ready(Some(answer));
        run.fibers[number] = Some(fiber);
        run.ready.push_front(number);
    }

    pub(super) fn take_answer(&mut self, answer: Answer) {
        let Some(run) = &mut self.run else { return };
        let waits = |fiber: &Option<Fiber>| matches!(fiber, Some(Fiber { state: State::Waiting(pending, _), .. }) if pending.id == answer.id);
        let Some(number) = run.fibers.iter().position(waits) else { return };
        let Some(fiber) = &mut run.fibers[number] else { return };
        let State::Waiting(_, record) = fiber.state else { return };
        let record = &mut fiber.effects.calls[record];
        record.args = answer.args;
        record.duration_ms = answer.duration_ms;
        let result = match answer.result {
            Ok(value) => {
                record.result = Some(value.clone());
                Ok(value)
            }
            Err(problem) => {
                record.error = Some(problem.message.clone());
                Err(raised(problem))
            }
        };
        fiber.state = State::Ready(Some(result));
        run.ready.push_back(number);
    }
}

/// The calls that wait, in the order of their branches.
fn collect_waiting(run: &Run, waiting: &mut Vec<Pending>) {
    let mut pending = vec![0];
    while let Some(number) = pending.pop() {
        match run.fibers[number].as_ref().map(|fiber| &fiber.state) {
            Some(State::Waiting(call, _)) => waiting.push(call.clone()),
            Some(State::Forked(fork)) => pending.extend(fork.children.iter().rev()),
            _ => {}
        }
    }
}

fn merge(effects: &mut Effects, branch: Effects) {
    effects.prints.extend(branch.prints);
    effects.calls.extend(branch.calls);
    effects.defined.extend(branch.defined);
}

/// What a fiber and the branches that it waits for have done, in order.
pub(super) fn collect_effects(fibers: &mut [Option<Fiber>], number: usize) -> Effects {
    let mut effects = Effects::default();
    let mut pending = vec![Part::Fiber(number)];
    while let Some(part) = pending.pop() {
        let fiber = match part {
            Part::Fiber(number) => fibers[number].take(),
            Part::Outcome(ended) => {
                merge(&mut effects, ended);
                None
            }
        };
        let Some(fiber) = fiber else { continue };
        merge(&mut effects, fiber.effects);
        if let State::Forked(Fork { results, children, .. }) = fiber.state {
            let mut children = children.into_iter();
            let parts = results.into_iter().filter_map(|ended| match ended {
                Some((ended, _)) => Some(Part::Outcome(ended)),
                None => children.next().map(Part::Fiber),
            });
            pending.extend(parts.collect::<Vec<_>>().into_iter().rev());
        }
    }
    effects
}

enum Part {
    Fiber(usize),
    Outcome(Effects),
}
