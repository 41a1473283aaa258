//! The digits of large integers in what a program gives away. To make them takes time that grows with the square of their
//! number, so it is done in pieces, while the program can still be stopped; the integers keep them.

use super::walk::{AT_A_TIME, Walk};
use crate::lisp::fault::EvalResult;
use crate::lisp::native::{Builtin, Context, Native, Next, Portion, Steps};
use crate::value::{Str, Value};
use crate::work;

/// What the frame of [`MakingDigits`] belongs to. Programs can't call it.
pub(super) static DIGITS: Builtin = Builtin {
    name: "digits",
    params: "",
    arity: (0, 0),
    doc: "Makes digits.",
    code: Native::Plain(|_, _| Ok(Value::Nil)),
};

/// Values that are looked through at once for a large integer.
const FEW: usize = 1000;

/// Whether it may take long to make the digits of the integers in some values.
pub(super) fn digits_take_long(values: &[Value]) -> bool {
    if !work::has_large_integers() {
        return false;
    }
    let mut walk = Walk::of(values.to_vec());
    for _ in 0..FEW {
        match walk.step() {
            None => return false,
            Some(Some(Value::BigInt(integer))) if integer.has_many_digits() => return true,
            Some(_) => {}
        }
    }
    true
}

/// Makes the digits of all integers in some values, then calls a tool with them, when there is one.
pub(super) struct MakingDigits {
    walk: Walk,
    tool: Option<(Str, Vec<Value>)>,
}

impl MakingDigits {
    pub fn of(values: Vec<Value>) -> Box<MakingDigits> {
        Box::new(MakingDigits { walk: Walk::of(values), tool: None })
    }

    /// The call of a tool, by its qualified name.
    pub fn before(tool: Str, args: Vec<Value>) -> Box<MakingDigits> {
        Box::new(MakingDigits { walk: Walk::of(args.clone()), tool: Some((tool, args)) })
    }
}

impl Steps for MakingDigits {
    fn step(&mut self, context: &mut Context<'_>, answer: Option<Value>) -> EvalResult<Next> {
        if let Some(answer) = answer {
            return Ok(Next::Done(answer));
        }
        let portion = Portion::begin(context);
        for _ in 0..AT_A_TIME {
            match self.walk.step() {
                None => {
                    return Ok(match self.tool.take() {
                        Some((tool, args)) => Next::CallOther(Value::Builtin(tool), args),
                        None => Next::Done(Value::Nil),
                    });
                }
                Some(Some(Value::BigInt(integer))) => integer.keep_digits(),
                Some(_) => continue,
            }
            if portion.is_over(context) {
                break;
            }
        }
        Ok(Next::Again)
    }
}
