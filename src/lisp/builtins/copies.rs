//! Copies of large shared collections that a function changes: they are made in pieces before the function begins.

use super::arguments::{arg, take};
use super::maps::{close, open};
use crate::lisp::fault::EvalResult;
use crate::lisp::native::{Context, Next, Steps};
use crate::value::{Change, Copying, Value, taken};

/// The largest number of changes that are examined one by one; with more, the whole collection is copied.
const FEW: usize = 8;

/// Copies the first argument in pieces when changing it would copy much at once, then calls the builtin again, which
/// changes the copy in place. Every `step`th of the other arguments is a key or an element to change.
pub(super) fn copy_if_shared(
    context: &mut Context<'_>,
    args: &mut [Value],
    change: fn(&Value) -> Change<'_>,
    step: usize,
) -> EvalResult<()> {
    let Some((first, others)) = args.split_first() else { return Ok(()) };
    if !Copying::is_vast(first) {
        return Ok(());
    }
    let copying = match others.len() / step {
        ..=FEW => others.iter().step_by(step).find_map(|key| Copying::before(change(key), first, false)),
        _ => Copying::before(Change::Any, first, false),
    };
    match copying {
        Some(copying) => copy_then_call(context, args, Vec::new(), copying),
        None => Ok(()),
    }
}

/// Copies the collections along a path as [`copy_if_shared`] does, for builtins that set the value at a path.
pub(super) fn copy_path_if_shared(context: &mut Context<'_>, args: &mut [Value], path: &[Value]) -> EvalResult<()> {
    let (mut inner, mut is_shared) = (arg(args, 0), false);
    for (depth, key) in path.iter().enumerate() {
        if let Some(copying) = Copying::before(Change::Put(key), inner, is_shared) {
            return copy_then_call(context, args, path[..depth].to_vec(), copying);
        }
        if depth + 1 == path.len() {
            break;
        }
        let next = match (inner, key) {
            (Value::Map(map), key) => {
                is_shared |= map.is_shared();
                map.get(key)
            }
            (Value::Vector(items), Value::Int(index)) => {
                is_shared |= items.is_shared();
                usize::try_from(*index).ok().and_then(|index| items.get(index))
            }
            _ => None,
        };
        let Some(next) = next else { break };
        inner = next;
    }
    Ok(())
}

#[cold]
fn copy_then_call<T>(
    context: &mut Context<'_>,
    args: &mut [Value],
    path: Vec<Value>,
    copying: Copying,
) -> EvalResult<T> {
    context.meter.allocate(copying.bytes())?;
    context.work(Box::new(CopyThenCall { name: context.name, args: taken(args), path, copying }))
}

/// A call that waits for a copy of its first argument, or of the collection at a path in it.
struct CopyThenCall {
    name: &'static str,
    args: Vec<Value>,
    path: Vec<Value>,
    copying: Copying,
}

impl Steps for CopyThenCall {
    fn step(&mut self, context: &mut Context<'_>, answer: Option<Value>) -> EvalResult<Next> {
        if let Some(answer) = answer {
            return Ok(Next::Done(answer));
        }
        let Some(copy) = self.copying.advance() else { return Ok(Next::Continue) };
        let (opened, _) = open(context, take(&mut self.args, 0), &self.path, false)?;
        self.args[0] = close(context, opened, &self.path, copy)?;
        Ok(Next::CallOther(Value::Builtin(self.name.into()), std::mem::take(&mut self.args)))
    }
}
