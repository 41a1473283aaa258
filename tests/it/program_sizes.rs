//! Programs of any size: each kind of form, with few parts and with more than code can hold, gives its value or
//! `program_too_large`, and leaves the sandbox as it was.

use proptest::prelude::*;
use proptest::sample::select;
use std::rc::Rc;
use turnfold::lisp::{Known, ProgramLimits, Progress, ToolReply, ToolRequest, ToolSpec, Vm, check};
use turnfold::value::{Names, Str, Value};

/// A kind of form, whose parts between « and » are repeated, `$i` being the number of the repetition; and its value
/// with `n` repetitions.
struct Shape(&'static str, fn(i64) -> Value);

fn number(count: i64) -> Value {
    Value::Int(count)
}

fn zero(_: i64) -> Value {
    Value::Int(0)
}

const SHAPES: &[Shape] = &[
    Shape("(+« 1»)", number),
    Shape("(let [x 1] (+« x»))", number),
    Shape("(let [f (fn [& xs] (count xs))] (f« 1»))", number),
    Shape("(defn f [& xs] (count xs)) (f« 1»)", number),
    Shape("((fn [& xs] (count xs))« 1»)", number),
    Shape("(count (vector« 1»))", number),
    Shape("(count [« 1»])", number),
    Shape("(let [x 1] (count [« x»]))", number),
    Shape("(count #{« $i»})", number),
    Shape("(let [x 1] (count #{x« :k$i»}))", |count| Value::Int(count + 1)),
    Shape("(count {« :k$i 1»})", number),
    Shape("(let [x 1] (count {« :k$i x»}))", number),
    Shape("(count [« [$i]»])", number),
    Shape("(count (conj []« (inc $i)»))", number),
    Shape("(count (tool/echo« 1»))", number),
    Shape("(:n (tool/echo :n 0« :k$i 1»))", zero),
    Shape("(let [f (fn [« a$i»] 0)] (if f 0 1))", zero),
    Shape("(defn f [« a$i» & more] 0) 0", zero),
    Shape("(apply #(count [% %&]) [0« $i»])", |_| Value::Int(2)),
    Shape("(count (#(vector« 1»)))", number),
    Shape("(let [x 0« a$i x»] x)", zero),
    Shape("(let [x 0« a$i (+ 0 x)»] x)", zero),
    Shape("(let [a0 0« a0 (+ 0 a0)»] a0)", zero),
    Shape("(loop [x 0« a$i x»] (if (= x 1) 0 (recur 1« x»)))", zero),
    Shape("(loop [x 0« [a$i] [x]»] x)", zero),
    Shape("(let [[« a$i»] [0]] 0)", zero),
    Shape("(let [[« _» x] [0]] 0)", zero),
    Shape("(let [{:keys [« a$i»]} {:a0 0}] 0)", zero),
    Shape("(let [{:keys [a] :or {« b$i 1»}} {:a 0}] a)", zero),
    Shape("(let [{:keys [« a$i»] :or {« a$i 0»}} {}] 0)", zero),
    Shape("(let [{« a$i :k$i»} {}] 0)", zero),
    Shape("(count (for [x [1]« y$i [1]»] 1))", |_| Value::Int(1)),
    Shape("(count (for [x [1]« :when x»] 1))", |_| Value::Int(1)),
    Shape("(do« (def a$i 0)» 0)", zero),
    Shape("« (def a 0)» 0", zero),
    Shape("« (defn f$i [] 0)» 0", zero),
    Shape("(when false« user/f$i») 0", zero),
    Shape("(declare« f$i») 0", zero),
    Shape("(cond« false $i» :else 0)", zero),
    Shape("(case -1« $i 1» 0)", zero),
    Shape("(case -1 (« $i») 1 0)", zero),
    Shape("(condp = -1« $i 1» 0)", zero),
    Shape("(and« true» 0)", zero),
    Shape("(or« nil» 0)", zero),
    Shape("(-> 0« (+ 0)»)", zero),
    Shape("(->> 0« (+ 0)»)", zero),
    Shape("(some-> 0« (+ 0)»)", zero),
    Shape("(cond-> 0« true (+ 0)»)", zero),
    Shape("(as-> 0 x« (+ x 0)»)", zero),
    Shape("(if true 0 \"«text $i »\")", zero),
    Shape("(if true 0 :k«k$i»)", zero),
    Shape("(def name«k$i» 0) 0", zero),
    Shape("(if true 0 {« \"k$i\" #{1}»})", zero),
    Shape("0 ;« comment»\n0", zero),
    Shape("0« #_$i» 0", zero),
    Shape("(defn f \"«doc »\" [] 0) 0", zero),
];

/// Kinds of forms that are wrong, or wrong with several parts.
const WRONG: &[&str] = &[
    "(fn [« 1»] 0)",
    "(fn« ([& a$i] 0)»)",
    "(let [« 1» 0] 0)",
    "(let [a« 1»] 0)",
    "(loop [« 1 [2]»] 0)",
    "(let [{« 1»} 2] 0)",
    "(let [[« 1»] 2] 0)",
    "(letfn [« (f$i [x] x)»] 0)",
    "(if« 1»)",
    "(1« 2»)",
    "(recur« 1»)",
    "(loop [x 2] (recur (dec x)« 1»))",
    "(for [« a$i»] 1)",
    "(def« a$i»)",
    "{« a$i»}",
    "1«0»",
    "«(»",
    "«)»",
    "«#(»",
    "«(fn [x] »1",
    "(«->»)",
    "« '»",
    "\"«\\\\»",
    "#\"«(»\"",
    "#{« 1 1»}",
    "« 1.5.5»",
    "« nope$i»",
];

fn repeated(template: &str, count: usize) -> String {
    let mut program = String::new();
    for (index, text) in template.split(['«', '»']).enumerate() {
        match index % 2 {
            0 => program.push_str(text),
            _ => (0..count).for_each(|number| program.push_str(&text.replace("$i", &number.to_string()))),
        }
    }
    program
}

impl Shape {
    fn program(&self, count: usize) -> String {
        repeated(self.0, count)
    }
}

/// Small numbers, and those around the limits of bytes, registers, labels and indexes.
fn count() -> impl Strategy<Value = usize> {
    let limits = select(vec![255_usize, 256, 0x7F00, 0x7FFF, 0x8000, 0xFFFF, 0x1_0000]);
    prop_oneof![
        2 => 0..40_usize,
        3 => (limits, -4..5_isize).prop_map(|(limit, more)| limit.saturating_add_signed(more)),
        1 => 0..150_000_usize,
    ]
}

fn sandbox() -> Vm {
    let tools = [("echo".into(), Rc::new(ToolSpec::default()))].into_iter().collect();
    Vm::new(Names::default(), tools, ProgramLimits::default())
}

fn run(sandbox: &mut Vm, source: &str) -> Result<Value, Str> {
    let mut request = sandbox.start(source, 0);
    loop {
        match request {
            Progress::Pause => request = sandbox.resume(),
            Progress::Done(outcome) => return outcome.result.map_err(|problem| problem.kind.into()),
            Progress::Calls(calls) => {
                let reply = |ToolRequest { id, args, .. }| ToolReply::new(id, Ok(args));
                request = sandbox.answer(calls.into_iter().map(reply).collect());
            }
        }
    }
}

/// Returns whether the program was small enough.
fn check_size(shape: &Shape, count: usize) -> bool {
    let program = shape.program(count);
    let mut sandbox = sandbox();
    let result = run(&mut sandbox, &program);
    let problems = check(&program, &Known::default());
    let is_too_large = result == Err("program_too_large".into());
    if is_too_large {
        assert!(problems.iter().any(|problem| problem.kind == "program_too_large"), "{} × {count}", shape.0);
    } else {
        assert_eq!(result, Ok(shape.1(count as i64)), "{} × {count}", shape.0);
        assert_eq!(problems, [], "{} × {count}", shape.0);
    }
    // Names of a program that did not run take no room.
    assert_eq!(run(&mut sandbox, "(def fresh 1) (defn other [x] (+ x fresh)) (other 2)"), Ok(Value::Int(3)));
    !is_too_large
}

#[test]
fn every_kind_of_form_takes_100_parts() {
    for shape in SHAPES {
        assert!(check_size(shape, 100), "{}", shape.0);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    #[test]
    fn a_form_with_any_number_of_parts_gives_its_value_or_is_too_large(shape in 0..SHAPES.len(), count in count()) {
        check_size(&SHAPES[shape], count);
    }

    #[test]
    fn wrong_and_large_forms_within_each_other_give_a_value_or_an_error(
        outer in form(),
        inner in form(),
        levels in 0..400_usize,
    ) {
        let program = outer.replacen('0', &format!("(do {inner})"), 1);
        let program = format!("{}{program}{}", "(fn [x] ".repeat(levels), ")".repeat(levels));
        let mut sandbox = sandbox();
        let _ = run(&mut sandbox, &program);
        let _ = check(&program, &Known::default());
        prop_assert_eq!(run(&mut sandbox, "(+ 1 2)"), Ok(Value::Int(3)));
    }
}

fn form() -> impl Strategy<Value = String> {
    let templates: Vec<_> = SHAPES.iter().map(|shape| shape.0).chain(WRONG.iter().copied()).collect();
    (select(templates), count()).prop_map(|(template, count)| repeated(template, count))
}

fn cases() -> u32 {
    std::env::var("FUZZ_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(60)
}
