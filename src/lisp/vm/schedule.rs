//! Schedules fibers: selects the next one, and begins and joins the branches of concurrent builtins such as `pmap`.

use super::calls::push_work;
use super::fiber::{Exit, Fiber, FiberState, Fork};
use super::outgoing::{Outgoing, check, check_small};
use super::{Progress, RunningProgram, Vm};
use crate::diagnostic::Diagnostic;
use crate::lisp::fault::{EvalResult, Fault, refuse};
use crate::lisp::native::{Context, ELEMENTS_PER_STEP, Effects, Next};
use crate::lisp::task::AsyncSteps;
use crate::value::{Names, Value};
use crate::work;

/// The steps that are counted for beginning and ending a branch.
const STEPS_OF_A_BRANCH: u64 = 10;

impl Vm {
    /// Runs fibers until all of them wait for tools, a pause is due, or the program ends.
    pub(super) fn drive(&mut self) -> Progress {
        let Some(mut run) = self.run.take() else {
            return self.end(refuse(Diagnostic::new("internal", "no program is under way")));
        };
        // Discards the work of other code since the program paused.
        work::take();
        work::set_program(self.programs);
        while let Some(number) = run.ready.pop_front() {
            let Some(mut fiber) = run.fibers[number].take() else { continue };
            let exit = match run.meter.take_due() {
                Ok(false) if matches!(fiber.state, FiberState::Forked(_)) => {
                    run.fibers[number] = Some(fiber);
                    self.join_all(&mut run, number);
                    continue;
                }
                // Checked for each fiber, because many branches may end without taking a step.
                Ok(true) => Exit::Pause,
                Ok(false) => self.execute(&mut run, &mut fiber),
                Err(fault) => {
                    run.fibers[number] = Some(fiber);
                    self.run = Some(run);
                    return self.end(Err(fault));
                }
            };
            run.meter.take_work();
            match exit {
                Exit::Pause => {
                    run.fibers[number] = Some(fiber);
                    run.ready.push_front(number);
                    self.run = Some(run);
                    return Progress::Pause;
                }
                Exit::Wait(record) => {
                    run.callers.push(Some(number));
                    fiber.state = FiberState::Waiting(record);
                    let parent = fiber.parent;
                    run.fibers[number] = Some(fiber);
                    if let Some((parent, _)) = parent {
                        self.begin_branch(&mut run, parent);
                    }
                }
                Exit::Fork(fork) => {
                    fiber.state = FiberState::Forked(fork);
                    run.fibers[number] = Some(fiber);
                    self.begin_branch(&mut run, number);
                }
                Exit::Ended(result) => match (fiber.parent, run.meter.check_keys().and(result)) {
                    (None, result) => {
                        let result = match run.result.take() {
                            Some(known) => result.and(known),
                            None => {
                                let outgoing = self.result_and_definitions(&run, &fiber, &result);
                                match check_small(&mut run.meter, &outgoing) {
                                    Ok(true) => result,
                                    Ok(false) => {
                                        run.result = Some(result);
                                        fiber.frames.clear();
                                        fiber.state = FiberState::Ready(None);
                                        let checked = async {
                                            check(outgoing).await;
                                            Ok(Value::Nil)
                                        };
                                        push_work(&mut fiber, "return", 0, AsyncSteps::new(checked));
                                        run.fibers[number] = Some(fiber);
                                        run.ready.push_front(number);
                                        continue;
                                    }
                                    Err(fault) => Err(fault),
                                }
                            }
                        };
                        run.fibers[number] = Some(fiber);
                        self.run = Some(run);
                        return self.end(result);
                    }
                    (Some((parent, branch)), result) => {
                        run.free.push(number);
                        self.join(&mut run, parent, branch, (fiber.effects, result));
                    }
                },
            }
        }
        let requests = std::mem::take(&mut run.requests);
        self.run = Some(run);
        Progress::Calls(requests)
    }

    /// Returns the result of a program and its definitions, with values in place of atoms; nothing when it failed.
    fn result_and_definitions(&self, run: &RunningProgram, fiber: &Fiber, result: &EvalResult) -> Vec<Outgoing> {
        let value = match result {
            Ok(value) => value,
            Err(fault) => match &**fault {
                Fault::Return(value) | Fault::Fail(value) => value,
                Fault::Error(_) | Fault::Thrown(..) => return Vec::new(),
            },
        };
        let read = |value: &Value| run.meter.atoms.value(value).unwrap_or(value).clone();
        let mut outgoing = vec![(read(value), "the result".into())];
        // A name may have been defined several times.
        let names: Names<()> = fiber.effects.defined.iter().map(|(name, _)| (name.clone(), ())).collect();
        for (name, ()) in names.iter() {
            outgoing.extend(self.globals.definition(name).map(|value| (read(value), format!("`{name}`").into())));
        }
        outgoing
    }

    /// Begins the next branch of a fiber that has forked, or joins the branches when all have ended.
    /// When all have begun and some wait, the parent of the fiber begins its next branch.
    fn begin_branch(&mut self, run: &mut RunningProgram, number: usize) {
        let mut number = number;
        loop {
            let fibers = run.fibers.len();
            let Some(fiber) = &mut run.fibers[number] else { return };
            let depth = fiber.depth + fiber.frames.len();
            let parent = fiber.parent;
            let defining = if fiber.effects.definitions.is_empty() { fiber.defining } else { Some(number) };
            let FiberState::Forked(fork) = &mut fiber.state else { return };
            let branch = fork.begun;
            if branch < fork.jobs.len() {
                let job = fork.jobs.call(branch);
                fork.begun += 1;
                run.meter.fuel += STEPS_OF_A_BRANCH;
                fork.results.push(None);
                let mut child = Fiber { defining, ..Fiber::empty(Some((number, branch)), depth) };
                // Not asynchronous, because there may be many branches.
                let mut call = Some(job);
                let steps = move |_: &mut Context<'_>, answer: Option<Value>| {
                    Ok(match call.take() {
                        Some((function, args)) => Next::CallOther(function, args),
                        None => Next::Done(answer.unwrap_or_default()),
                    })
                };
                push_work(&mut child, fork.name, 0, Box::new(steps));
                let position = run.free.pop().unwrap_or(fibers);
                fork.children.push(Some(position));
                if position == run.fibers.len() {
                    run.fibers.push(None);
                }
                run.fibers[position] = Some(child);
                run.ready.push_front(position);
                return;
            }
            if fork.ended == fork.results.len() {
                self.join_all(run, number);
                return;
            }
            match parent {
                Some((parent, _)) => {
                    run.meter.fuel += 1;
                    number = parent;
                }
                None => return,
            }
        }
    }

    /// Records the effects and the result of a branch.
    fn join(&mut self, run: &mut RunningProgram, parent: usize, branch: usize, ended: (Effects, EvalResult)) {
        if let Some(Fiber { state: FiberState::Forked(fork), .. }) = &mut run.fibers[parent] {
            fork.children[branch] = None;
            fork.results[branch] = Some(ended);
            fork.ended += 1;
        }
        self.begin_branch(run, parent);
    }

    /// Merges the effects of some branches, in order. After the last one, resumes the fiber that has forked with the
    /// vector of the results, or with the faults.
    fn join_all(&mut self, run: &mut RunningProgram, number: usize) {
        let Some(mut fiber) = run.fibers[number].take() else { return };
        let FiberState::Forked(mut fork) = std::mem::replace(&mut fiber.state, FiberState::Ready(None)) else { return };
        let branches = fork.joined..fork.results.len().min(fork.joined + ELEMENTS_PER_STEP);
        run.meter.fuel += branches.len() as u64;
        fork.joined = branches.end;
        fork.values.reserve(branches.len());
        for branch in branches {
            let Some((effects, result)) = fork.results[branch].take() else { continue };
            for (position, global) in effects.definitions.iter().cloned() {
                self.set_global(run, &mut fiber, position, global);
            }
            merge(&mut fiber.effects, effects);
            match result {
                Ok(value) => fork.values.push(value),
                Err(fault) => fork.faults.add(fault, &fork.jobs, branch),
            }
        }
        fiber.state = if fork.joined < fork.results.len() {
            FiberState::Forked(fork)
        } else {
            FiberState::Ready(Some(match fork.faults.joined(fork.name, &fork.jobs) {
                Some(fault) => Err(fault),
                None => run.meter.elements(fork.values.len()).map(|()| Value::from(fork.values)),
            }))
        };
        run.fibers[number] = Some(fiber);
        run.ready.push_front(number);
    }
}

fn merge(effects: &mut Effects, branch: Effects) {
    effects.prints.extend(branch.prints);
    effects.calls.extend(branch.calls);
    effects.defined.extend(branch.defined);
}

/// Collects the effects of a fiber and of the branches that it waits for, in order. Calls without a reply are abandoned.
pub(super) fn collect_effects(fibers: &mut [Option<Fiber>], number: usize) -> Effects {
    let mut effects = Effects::default();
    let mut pending = vec![BranchResult::Fiber(number)];
    while let Some(part) = pending.pop() {
        let number = match part {
            BranchResult::Fiber(number) => number,
            BranchResult::Outcome(ended) => {
                merge(&mut effects, ended);
                continue;
            }
        };
        let Some(fiber) = &mut fibers[number] else { continue };
        if let FiberState::Waiting(record) = fiber.state {
            fiber.effects.calls[record].1.abandon();
        }
        merge(&mut effects, std::mem::take(&mut fiber.effects));
        if let FiberState::Forked(Fork { results, children, .. }) = &mut fiber.state {
            let parts = results.iter_mut().zip(children).rev().filter_map(|(ended, child)| match ended.take() {
                Some((ended, _)) => Some(BranchResult::Outcome(ended)),
                None => child.map(BranchResult::Fiber),
            });
            pending.extend(parts);
        }
    }
    effects
}

enum BranchResult {
    Fiber(usize),
    Outcome(Effects),
}
