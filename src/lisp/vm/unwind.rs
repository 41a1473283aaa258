//! Errors that `try` catches: finds the handler and removes the frames above its own.

use super::fiber::{Fiber, FiberState, Frame};
use super::registers::{clear, put};
use super::{RunningProgram, Vm};
use crate::lisp::chunk::Handler;
use crate::lisp::fault::Fault;

/// The number of registers that are cleared for one step.
const REGISTERS_PER_STEP: usize = 64;

impl Vm {
    /// Prepares a fiber to continue in the innermost handler of a fault; returns the fault when there is none.
    #[cold]
    pub(super) fn unwind(
        &self,
        run: &mut RunningProgram,
        fiber: &mut Fiber,
        fault: Box<Fault>,
    ) -> Result<(), Box<Fault>> {
        let handles = |handler: &&Handler, at: usize| {
            (usize::from(handler.start)..usize::from(handler.end)).contains(&at)
                && match handler.class {
                    Some(class) => fault.is_of(class),
                    None => true,
                }
        };
        // A limit is exceeded for the whole program.
        let found = fiber.frames.iter().enumerate().rev().filter(|_| fault.is_handled()).find_map(|(depth, frame)| {
            let Frame::Code(frame) = frame else { return None };
            // The instruction that failed or called is the one before the next.
            let at = frame.at.checked_sub(1)?;
            frame.code.handlers.iter().find(|handler| handles(handler, at)).map(|handler| (depth, *handler))
        });
        let Some((depth, handler)) = found else { return Err(fault) };
        let frames = fiber.frames.len() - depth;
        fiber.frames.truncate(depth + 1);
        let Some(Frame::Code(frame)) = fiber.frames.last_mut() else { unreachable!("just found") };
        frame.at = usize::from(handler.to);
        let removed = fiber.registers.get_mut(frame.base + frame.code.registers..).unwrap_or_default();
        clear(removed);
        run.meter.fuel += (frames + removed.len() / REGISTERS_PER_STEP) as u64;
        let value = match handler.class {
            Some(_) => fault.exception().unwrap_or_default(),
            None => fault.suspended(),
        };
        put(&mut fiber.registers[frame.base + usize::from(handler.dst)], value);
        fiber.state = FiberState::Ready(None);
        Ok(())
    }
}
