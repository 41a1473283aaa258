//! Programs that are suspended at any point give the same outcome as without suspension, and any text as a
//! program comes to an end.

use std::fs;
use std::rc::Rc;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use turnfold::lisp::{Outcome, ProgramLimits, Progress, ToolReply, ToolRequest, ToolSpec, Vm};
use turnfold::value::{Names, Str, Value, from_json, to_json};

use crate::golden::files;
use crate::language::blocks;

/// A program without syntax errors, with tool calls, prints and definitions in any position. The names `x`,
/// `y`, `n` and `f` are bound everywhere.
fn program() -> impl Strategy<Value = String> {
    vec(form(), 1..4).prop_map(|forms| {
        let forms: Vec<_> = forms.iter().map(|form| format!("(let [x 1 y [2 3] n 0 f inc] {form})")).collect();
        forms.join("\n")
    })
}

fn form() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        4 => select(vec!["x", "y", "n", "f", "g", "h", "data/xs", "data/m", "*1", "(count *calls)"]).prop_map(str::to_owned),
        2 => (-1..9_i64).prop_map(|number| number.to_string()),
        1 => select(vec!["nil", "true", "\"text\"", ":a", "{:a 1}", "#{1 2}", "2.5", "inc", "tool/echo"]).prop_map(str::to_owned),
    ];
    leaf.prop_recursive(6, 48, 3, |inner| {
        let one = |shapes: &'static [&'static str]| {
            let form = (select(shapes.to_vec()), inner.clone());
            form.prop_map(|(shape, a)| shape.replace("$a", &a))
        };
        let two = |shapes: &'static [&'static str]| {
            let form = (select(shapes.to_vec()), inner.clone(), inner.clone());
            form.prop_map(|(shape, a, b)| shape.replace("$a", &a).replace("$b", &b))
        };
        prop_oneof![
            4 => one(&["(tool/echo $a)", "(tool/echo {:v $a})", "(tool/add $a 1)", "(do (println $a) x)", "(do (def g $a) g)"]),
            1 => one(&["(tool/boom $a)", "(return $a)", "(fail $a)", "(inc $a)", "(nope-not-here $a)", "(reduced $a)"]),
            3 => one(COLLECTIONS),
            2 => one(CALLS),
            3 => two(BLOCKS),
            3 => two(LOOPS),
        ]
    })
}

/// Library functions that call a function for the elements of a collection.
const COLLECTIONS: &[&str] = &[
    "(map (fn [x] $a) [1 2 3])",
    "(mapv #(do % $a) data/xs)",
    "(pmap (fn [x] $a) [1 2 3])",
    "(filter (fn [x] $a) data/xs)",
    "(keep (fn [x] $a) data/xs)",
    "(mapcat (fn [x] [$a x]) [1 2])",
    "(some (fn [x] $a) [1 2])",
    "(every? (fn [x] $a) [1 2])",
    "(group-by (fn [x] $a) [1 2 3])",
    "(sort-by (fn [x] (str $a)) [3 1 2])",
    "(partition-by (fn [x] $a) [1 2 3])",
    "(map-indexed (fn [n x] $a) [:a :b])",
    "(update {:a 1} :a (fn [x] $a))",
    "(update-vals {:a 1 :b 2} (fn [x] $a))",
    "(take-while (fn [x] $a) [1 2])",
    "(max-by (fn [x] (count (str $a))) [1 2])",
    "(postwalk (fn [x] (do $a x)) [1 [2]])",
    "(map tool/echo [$a x])",
    "(pmap tool/echo [$a $a])",
    "(pmap h [1 x $a 2])",
];

const CALLS: &[&str] = &[
    "((fn [x] $a) 7)",
    "((fn again [n] (if (< n 2) (do $a (again (inc n))) n)) 0)",
    "(apply (fn [x & y] $a) [1 2 3])",
    "((comp str (fn [x] $a)) 4)",
    "((juxt (fn [x] $a) (fn [x] x)) 5)",
    "((partial (fn [x y] $a) 1) [2])",
    "(let [f (fn [x] $a)] [(f 1) (f y)])",
    "(do (defn h \"Doc\" [x] $a) (h 3))",
    "(h $a)",
    "(-> $a (tool/echo) str)",
    "(try $a (catch Exception e (ex-message e)))",
    "(try (throw (ex-info \"own\" {:v $a})) (catch Exception e (:v (ex-data e))))",
    "(try (tool/boom $a) (catch ExceptionInfo e (dissoc (ex-data e) :args)))",
    "(loop [n 0] (try (if (< n 2) (tool/boom $a) n) (catch Exception e (recur (inc n)))))",
    "(some-> $a tool/echo first)",
    "(let [c (atom 1)] (try (swap! c (fn [x] $a)) (catch Exception e :kept)) @c)",
];

const BLOCKS: &[&str] = &[
    "[$a $b]",
    "{:a $a :b $b}",
    "(let [x $a y $b] [x y])",
    "(let [{:keys [a]} $a [x] $b] [a x])",
    "(if $a $b x)",
    "(when-let [x $a] $b)",
    "(and $a $b)",
    "(or $a $b)",
    "(cond $a 1 $b 2 :else 3)",
    "(case $a 1 $b :other)",
    "(str $a $b)",
    "(= $a $b)",
    "(do $a $b)",
    "(try $a (catch ArithmeticException e 1) (catch Exception e $b))",
    "(try $a (finally $b))",
    "(try (throw (ex-info \"own\" {})) (catch Exception e $a) (finally (println $b)))",
    "(pcalls (fn [] $a) (fn [] $b))",
    "(conj [$a] $b)",
    "(let [c (atom x)] (reset! c $a) [(swap-vals! c vector $b) @c])",
    "(do (def k (atom $a)) (swap! k (fn [x] $b)) k)",
];

const LOOPS: &[&str] = &[
    "(reduce (fn [x n] (do $a [x n])) $b [1 2])",
    "(reduce (fn [x n] (if (= n 2) (reduced $a) $b)) 0 [1 2 3])",
    "(loop [n 0 x $a] (if (< n 3) (recur (inc n) $b) x))",
    "(for [x [1 2] n [3 4] :when $a] $b)",
    "(doseq [x [1 2]] $a $b)",
    "(dotimes [n 2] $a $b)",
    "(pmap (fn [x] [(pmap (fn [n] $a) [1 2]) $b]) [1 2])",
    "(map (fn [x y] [$a $b]) [1 2] [3 4])",
    "(iterate-nothing $a $b)",
    "(pmap (fn [x] (if (= x 2) $a $b)) [1 2 3])",
    "(pmap (fn [x] (try $a (catch Exception e (println x) $b))) [1 2 3])",
    "(try (pmap (fn [x] (if (= x 2) (tool/boom $a) x)) [1 2 3]) (catch Exception e $b) (finally (println x)))",
];

/// How a host answers.
#[derive(Clone, Debug)]
struct Host {
    slice: u64,
    /// The waiting calls that are answered next: all, or one at a time by these indexes.
    order: Option<Vec<prop::sample::Index>>,
}

const AT_ONCE: Host = Host { slice: u64::MAX, order: None };

fn sandbox(slice: u64) -> Vm {
    let data = [
        ("xs", Value::vector([4.into(), 5.into()])),
        ("m", Value::map([(Value::keyword("a"), Value::vector([1.into()]))])),
    ];
    let data = data.into_iter().map(|(name, value)| (Str::from(name), value)).collect();
    let tools =
        ["echo", "add", "boom"].into_iter().map(|name| (Str::from(name), Rc::new(ToolSpec::default()))).collect();
    // How many branches are in memory at a time depends on which calls are answered first.
    let (heap_bytes, tool_calls, prints) = (u64::MAX, usize::MAX, usize::MAX);
    let limits = ProgramLimits { fuel: 200_000, heap_bytes, tool_calls, prints, slice, ..ProgramLimits::default() };
    Vm::new(data, tools, limits)
}

/// A sandbox in which `g` and `h` are defined, as programs expect.
fn prepared(slice: u64) -> Vm {
    let mut sandbox = sandbox(slice);
    let ended = run(&mut sandbox, "(def g 0) (defn h [x] (tool/echo x) (if (= x 2) \"two\" x))", &AT_ONCE);
    assert!(ended.result.is_ok());
    sandbox
}

/// The outcome of a program.
fn run(sandbox: &mut Vm, source: &str, host: &Host) -> Outcome {
    let mut step = sandbox.start(source, 0);
    let mut waiting: Vec<ToolRequest> = Vec::new();
    let mut order = host.order.iter().flatten().cycle();
    loop {
        step = match step {
            Progress::Done(ended) => return *ended,
            Progress::Pause => sandbox.resume(),
            Progress::Calls(calls) => {
                waiting.extend(calls);
                assert!(!waiting.is_empty(), "nothing can go on");
                let answered = match order.next() {
                    None => std::mem::take(&mut waiting),
                    Some(index) => vec![waiting.remove(index.index(waiting.len()))],
                };
                sandbox.answer(answered.into_iter().map(answer).collect())
            }
        }
    }
}

fn answer(call: ToolRequest) -> ToolReply {
    let result = match (&*call.tool, &call.args) {
        ("boom", _) => Err("kaboom".to_owned()),
        ("add", Value::Vector(items)) => match items.as_slice() {
            [Value::Int(left), Value::Int(right)] => Ok(left.wrapping_add(*right).into()),
            _ => Err("not two integers".to_owned()),
        },
        _ => Ok(call.args.clone()),
    };
    ToolReply::new(call.id, result)
}

/// Everything that is observable of a program's outcome and of the sandbox after it.
fn account(sandbox: &Vm, ended: &Outcome) -> String {
    let mut lines = vec![match &ended.result {
        Ok(value) => to_json(value),
        Err(problem) => format!("{} {problem} {:?}", problem.kind, problem.span),
    }];
    lines.push(format!("{:?}", ended.signal));
    lines.extend(ended.prints.iter().map(|line| format!("prints {line}")));
    for call in &ended.calls {
        let result = to_json(&call.result);
        lines.push(format!("calls {} {} {result} {:?}", call.name, to_json(&call.args), call.error));
    }
    lines.extend(ended.defined.iter().map(|(name, doc)| format!("defined {name} {doc:?}")));
    lines.extend(ended.changed.iter().map(|(name, value)| format!("changed {name} {}", to_json(value))));
    lines.extend(sandbox.definitions().map(|(name, value)| format!("memory {name} {}", to_json(value))));
    lines.extend(sandbox.recent().iter().map(to_json));
    lines.push(to_json(sandbox.calls()));
    lines.join("\n")
}

/// An account without the return types of functions: a function with two names becomes two functions
/// when it is saved and loaded.
fn lasting(account: &str) -> String {
    let lines = account.lines().filter(|line| !line.starts_with("changed "));
    let mut lasting: String = lines.flat_map(|line| [line, "\n"]).collect();
    while let Some(start) = lasting.find(",\"returnType\":\"") {
        let length = lasting[start + 15..].find('"').expect("the end of a text");
        lasting.replace_range(start..start + 16 + length, "");
    }
    lasting
}

fn host() -> impl Strategy<Value = Host> {
    let order = vec(any::<prop::sample::Index>(), 1..8);
    let slice = prop_oneof![1..4_u64, 4..40_u64, Just(u64::MAX)];
    (slice, proptest::option::weighted(0.8, order)).prop_map(|(slice, order)| Host { slice, order })
}

/// The number of programs to try: `FUZZ_CASES`, or 400.
fn cases() -> u32 {
    std::env::var("FUZZ_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(400)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), ..ProptestConfig::default() })]

    #[test]
    fn a_program_that_stops_anywhere_gives_what_it_gives_without_stopping(
        programs in vec(program(), 1..3),
        host in host(),
    ) {
        let mut straight = prepared(u64::MAX);
        let mut stopping = prepared(host.slice);
        for program in programs {
            let expected = run(&mut straight, &program, &AT_ONCE);
            let got = run(&mut stopping, &program, &host);
            // A function's return type is that of the last answer, so it depends on their order.
            let seen = |account: String| if host.order.is_some() { lasting(&account) } else { account };
            prop_assert_eq!(seen(account(&straight, &expected)), seen(account(&stopping, &got)), "{}", program);
            prop_assert_eq!(expected.fuel, got.fuel, "{}", program);
        }
    }

    #[test]
    fn a_sandbox_goes_on_from_its_saved_state(before in vec(program(), 1..3), after in program()) {
        let mut kept = prepared(u64::MAX);
        for program in before {
            run(&mut kept, &program, &AT_ONCE);
        }
        let again = |value: &Value| from_json(&to_json(value)).unwrap();
        let mut loaded = sandbox(u64::MAX);
        kept.definitions().for_each(|(name, value)| loaded.define(name, again(value)));
        loaded.set_recent(kept.recent().each_ref().map(again));
        loaded.set_calls(again(kept.calls()));
        let expected = run(&mut kept, &after, &AT_ONCE);
        let got = run(&mut loaded, &after, &AT_ONCE);
        prop_assert_eq!(lasting(&account(&kept, &expected)), lasting(&account(&loaded, &got)), "{}", after);
    }
}

/// The examples of the manual, each block as one program.
fn examples() -> Vec<String> {
    let chapters = files("language").into_iter().map(|file| fs::read_to_string(file).unwrap());
    let mut blocks: Vec<String> = chapters.flat_map(|chapter| blocks(&chapter).map(|block| block.text)).collect();
    blocks.sort();
    blocks
}

/// Texts that are almost programs.
fn source() -> impl Strategy<Value = String> {
    let examples = examples();
    let tokens: Vec<String> = examples
        .iter()
        .flat_map(|block| block.split_inclusive([' ', '(', ')', '[', ']', '{', '}', '\n']))
        .map(str::to_owned)
        .chain(
            ["#(", "#{", "\"", "~", "'", "@", "#\"", "\\", "9999999999", "1e400", "(repeat 100000 x)"]
                .map(str::to_owned),
        )
        .collect();
    let line = select(examples.iter().flat_map(|block| block.lines()).map(str::to_owned).collect::<Vec<_>>());
    let edit = (any::<prop::sample::Index>(), 0..3_u8, select(tokens.clone()));
    let mutated = (line, vec(edit, 1..5)).prop_map(|(line, edits)| {
        let mut parts: Vec<String> = line.split_inclusive([' ', '(', ')']).map(str::to_owned).collect();
        for (place, kind, token) in edits {
            let place = place.index(parts.len() + 1);
            match kind {
                0 => parts.insert(place, token),
                1 if place < parts.len() => parts[place] = token,
                _ if place < parts.len() => drop(parts.remove(place)),
                _ => {}
            }
        }
        parts.concat()
    });
    prop_oneof![3 => mutated, 1 => vec(select(tokens), 0..30).prop_map(|tokens| tokens.concat()), 1 => ".{0,40}"]
}

/// The most that one step may exceed the fuel: a builtin's work within one step is counted after it is done.
const ONE_STEP: u64 = 1_000_000 + 4_000_000 / 16;

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

    #[test]
    fn any_text_comes_to_an_end_within_its_fuel(source in source(), fuel in select(vec![1, 50, 2000, 100_000])) {
        let tools = ["echo"].map(|name| (Str::from(name), Rc::new(ToolSpec::default()))).into_iter().collect();
        let limits = ProgramLimits { fuel, ..ProgramLimits::default() };
        let mut sandbox = Vm::new(Names::default(), tools, limits);
        let ended = run(&mut sandbox, &source, &AT_ONCE);
        prop_assert!(ended.fuel <= fuel + ONE_STEP, "{} steps", ended.fuel);
    }
}
