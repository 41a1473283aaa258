//! Numbers that describe many.

use super::arguments::{arg, not_taken};
use super::closures::made;
use super::steps;
use crate::lisp::fault::EvalResult;
use crate::lisp::native::{Begin, Builtin, Context};
use crate::lisp::number::to_number;
use crate::value::{Value, taken};

pub(super) const ROWS: &[Builtin] = &[
    steps("median", "coll", (1, 1), "The median of numbers, without nil; nil when there is none.", |_, args| {
        Ok(described(
            "coll",
            "(if (clojure.core/even? n) (clojure.core// (clojure.core/+ (clojure.core/nth xs (clojure.core/dec (clojure.core/quot n 2))) \
             (clojure.core/nth xs (clojure.core/quot n 2))) 2) (clojure.core/nth xs (clojure.core/quot n 2)))",
            args,
        ))
    }),
    steps(
        "percentile",
        "coll p",
        (2, 2),
        "The number below which p percent of the numbers are, between two of them in proportion.",
        percentile,
    ),
];

fn percentile(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult<Begin> {
    if !(0.0..=100.0).contains(&to_number(context.name, arg(args, 1))?.to_float()) {
        return not_taken(context, "a percentage from 0 to 100", &arg(args, 1).clone(), args);
    }
    Ok(described(
        "coll p",
        "(let [at (clojure.core// (clojure.core/* p (clojure.core/dec n)) 100) low (clojure.core/floor at) x (clojure.core/nth xs low)] \
         (if (clojure.core/== low at) x (clojure.core/+ x (clojure.core/* (clojure.core/- at low) \
         (clojure.core/- (clojure.core/nth xs (clojure.core/inc low)) x)))))",
        args,
    ))
}

/// Computes a body with the numbers of `coll` in order, `xs`, and their count, `n`; nil when there are none.
fn described(params: &str, body: &str, args: &mut [Value]) -> Begin {
    let sorted = "(clojure.core/sort (clojure.core/remove clojure.core/nil? coll))";
    let all = format!("(let [xs {sorted} n (clojure.core/count xs)] (if (clojure.core/zero? n) nil {body}))");
    Begin::Call(made(params, &format!("([{params}] {all})"), Vec::new()), taken(args))
}
