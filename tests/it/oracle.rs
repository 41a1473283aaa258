//! Compares the language with its base, ptc_runner v0.5.2: public cases of the base as programs with their
//! outcomes there, and the list of the cases with another outcome here.
//!
//! `tests/oracle/cases.json` is read as [`from_json`] reads values. A case has an `id`, the
//! `program`, maybe programs `before` it and the index of its `data`; and its outcome: a `value`
//! with `signal`, `prints`, `calls` and `memory`, or the kind of an `error`, where `any` marks
//! cases that any outcome satisfies. The prints and calls of programs that failed there are
//! unknown. `tests/oracle/differences.json` groups the cases with another outcome by the sentence of the
//! design that explains them, and holds their outcome here.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::rc::Rc;

use turnfold::lisp::{Outcome, ProgramLimits, Progress, Signal, ToolReply, ToolRequest, ToolSpec, Vm};
use turnfold::value::{Names, PrintOptions, Str, Value, from_json, to_clojure};

#[test]
fn the_base_agrees_or_the_design_says_why_not() {
    let file = read("cases.json");
    let data_sets: Vec<Names<Value>> = list_at(&file, "data").iter().map(names).collect();
    let differences = read("differences.json");
    let mut listed = BTreeMap::new();
    for group in &list(&differences) {
        assert!(text_of(group, "design").ends_with('.'), "each group ends with a sentence of the design");
        for (id, outcome) in names(&member(group, "cases").expect("cases")).iter() {
            let known = listed.insert(id.to_string(), outcome.as_str().expect("a text").to_owned());
            assert_eq!(known, None, "{id} is listed twice");
        }
    }
    let mut groups: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    let mut wrong = String::new();
    for case in &list_at(&file, "cases") {
        let id = text_of(case, "id");
        let expected = expected(case);
        let got = run(case, &data_sets);
        let agrees = expected.any || expected.is(&got);
        let (agreeing, all) = groups.entry(id.split('/').next().unwrap_or_default().to_owned()).or_default();
        *all += 1;
        *agreeing += usize::from(agrees);
        let got = got.to_string();
        let problem = match (agrees, listed.remove(id)) {
            (true, None) => continue,
            (true, Some(_)) => "agrees, and is listed as a difference",
            (false, None) => "differs, and is not listed",
            (false, Some(known)) if known == got => continue,
            (false, Some(_)) => "differs in another way than it is listed",
        };
        let program = text_of(case, "program");
        writeln!(wrong, "{id} {problem}: {program}\n    there: {expected}\n    here:  {got}").unwrap();
    }
    for (group, (agreeing, all)) in &groups {
        println!("{group:16} {agreeing:4} of {all:4} agree");
    }
    let (agreeing, all) = groups.values().fold((0, 0), |sums, group| (sums.0 + group.0, sums.1 + group.1));
    println!("{:16} {agreeing:4} of {all:4} agree", "all");
    assert!(wrong.is_empty(), "{wrong}");
    assert!(listed.is_empty(), "listed, but no case: {listed:?}");
    assert_eq!(all, 575);
}

/// The actual or expected outcome of a program.
struct CaseOutcome {
    result: Result<Value, String>,
    signal: Option<String>,
    prints: Vec<String>,
    calls: Vec<(String, Value)>,
    /// Values as Clojure text, for the names that the case has.
    memory: Names<String>,
    any: bool,
}

impl CaseOutcome {
    /// Functions are equal when their text is equal: the base shows only their parameters.
    fn is(&self, other: &CaseOutcome) -> bool {
        let same_result = match (&self.result, &other.result) {
            (Ok(left @ Value::Closure(_)), Ok(right)) => clojure(left) == clojure(right),
            (left, right) => left == right,
        };
        same_result
            && self.signal == other.signal
            && self.prints == other.prints
            && self.calls == other.calls
            && self.memory.iter().eq(other.memory.iter())
    }
}

impl std::fmt::Display for CaseOutcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.result {
            Ok(value) => f.write_str(&clojure(value))?,
            Err(kind) => return write!(f, "error: {kind}"),
        }
        if let Some(signal) = &self.signal {
            write!(f, " by {signal}")?;
        }
        for (name, value) in self.memory.iter() {
            write!(f, "; {name} = {value}")?;
        }
        for line in &self.prints {
            write!(f, "; prints {line}")?;
        }
        for (name, args) in &self.calls {
            write!(f, "; calls {name} {}", clojure(args))?;
        }
        Ok(())
    }
}

fn expected(case: &Value) -> CaseOutcome {
    let error = member(case, "error").map(|kind| kind.as_str().expect("a kind").to_owned());
    let any = error.as_deref() == Some("any");
    let result = match error {
        Some(kind) => Err(kind),
        None => Ok(member(case, "value").expect("a value or an error")),
    };
    let texts = |name| list_at(case, name).iter().map(|line| line.as_str().expect("a text").to_owned()).collect();
    let call = |call: &Value| match list(call).as_slice() {
        [name, args] => (name.as_str().expect("a name").to_owned(), args.clone()),
        _ => panic!("a name and arguments"),
    };
    CaseOutcome {
        result,
        signal: member(case, "signal").map(|signal| signal.as_str().expect("a signal").to_owned()),
        prints: texts("prints"),
        calls: list_at(case, "calls").iter().map(call).collect(),
        memory: known_memory(case),
        any,
    }
}

/// The definitions whose values the case has.
fn known_memory(case: &Value) -> Names<String> {
    let memory = member(case, "memory").map(|memory| names(&memory)).unwrap_or_default();
    memory.iter().map(|(name, value)| (name.clone(), value.as_str().expect("a text").to_owned())).collect()
}

fn run(case: &Value, data_sets: &[Names<Value>]) -> CaseOutcome {
    let data = match member(case, "data") {
        Some(Value::Int(place)) => data_sets[place as usize].clone(),
        _ => Names::default(),
    };
    let tools = TOOLS.iter().map(|name| (Str::from(*name), Rc::new(ToolSpec::default()))).collect();
    let mut sandbox = Vm::new(data, tools, ProgramLimits::default());
    for program in list_at(case, "before") {
        finish(&mut sandbox, program.as_str().expect("a program"));
    }
    let ended = finish(&mut sandbox, text_of(case, "program"));
    let result = match ended.result {
        Ok(value) => Ok(value),
        Err(problem) => {
            return CaseOutcome {
                result: Err(problem.kind.to_owned()),
                signal: None,
                prints: Vec::new(),
                calls: Vec::new(),
                memory: Names::default(),
                any: false,
            };
        }
    };
    let signal = ended.signal.map(|signal| match signal {
        Signal::Return => "return".to_owned(),
        Signal::Fail => "fail".to_owned(),
    });
    let memory = known_memory(case);
    let memory = memory.iter().map(|(name, _)| {
        let found = sandbox.definitions().find(|(known, _)| *known == name);
        (name.clone(), found.map_or_else(|| "not defined".into(), |(_, value)| clojure(value)))
    });
    CaseOutcome {
        result,
        signal,
        prints: ended.prints.iter().map(|line| line.to_string()).collect(),
        calls: ended.calls.iter().map(|call| (call.name.to_string(), by_text(&call.args))).collect(),
        memory: memory.collect(),
        any: false,
    }
}

fn finish(sandbox: &mut Vm, source: &str) -> Outcome {
    let mut step = sandbox.start(source, 0);
    loop {
        step = match step {
            Progress::Done(ended) => return *ended,
            Progress::Pause => sandbox.resume(),
            Progress::Calls(calls) => sandbox.answer(calls.into_iter().map(answer).collect()),
        }
    }
}

const TOOLS: [&str; 10] =
    ["add", "boom", "echo", "fail_soft", "get-user", "list_orders", "nothing", "ok_wrap", "one_to", "search"];

/// The tools of the cases, as of hosts whose keys are all texts.
fn answer(call: ToolRequest) -> ToolReply {
    let args = by_text(&call.args);
    let int = |name: &str| match at(&args, name) {
        Some(Value::Int(number)) => number,
        _ => 0,
    };
    let limit = |default| if let Some(Value::Int(limit)) = at(&args, "limit") { limit as usize } else { default };
    let text = |name: &str| at(&args, name).and_then(|text| text.as_str().map(str::to_lowercase));
    let result = match &*call.tool {
        "add" => Ok((int("a") + int("b")).into()),
        "boom" => Err("kaboom".to_owned()),
        "echo" => Ok(args.clone()),
        "fail_soft" => Err("backend unavailable".to_owned()),
        "get-user" => match int("id") {
            1 => Ok(user(1, "Mara", &["admin", "ops"], Value::Nil)),
            2 => Ok(user(2, "Joss", &[], 1.into())),
            3 => Ok(user(3, "Pia", &["ops"], 2.into())),
            _ => Err("user not found".to_owned()),
        },
        "list_orders" => {
            let orders = [
                (10, 1, 99.9.into(), "paid"),
                (11, 2, 15.into(), "open"),
                (12, 1, 40.1.into(), "open"),
                (13, 3, 7.into(), "void"),
            ];
            let status = text("status");
            let wanted = orders.into_iter().filter(|order| status.as_deref().is_none_or(|status| status == order.3));
            Ok(Value::vector(wanted.map(|(id, user, total, status)| {
                record([("id", id.into()), ("user_id", user.into()), ("total", total), ("status", status.into())])
            })))
        }
        "nothing" => Ok(Value::Nil),
        "ok_wrap" => Ok(record([("wrapped", true.into())])),
        "one_to" => Ok(Value::vector((1..=if at(&args, "n").is_some() { int("n") } else { 1 }).map(Value::from))),
        _ => {
            let catalogue: [(&str, &str, Value, i64); 6] = [
                ("A1", "Red kettle", 24.5.into(), 3),
                ("B2", "Blue kettle", 31.into(), 0),
                ("C3", "Garden hose", 18.25.into(), 12),
                ("D4", "Red lamp", 60.into(), 1),
                ("E5", "Desk lamp", 42.75.into(), 7),
                ("F6", "Hose reel", 75.into(), 2),
            ];
            let query = text("query").unwrap_or_default();
            let found = catalogue.into_iter().filter(|entry| entry.1.to_lowercase().contains(&query)).take(limit(10));
            Ok(Value::vector(found.map(|(sku, title, price, stock)| {
                record([("sku", sku.into()), ("title", title.into()), ("price", price), ("stock", stock.into())])
            })))
        }
    };
    ToolReply::new(call.id, result)
}

fn user(id: i64, name: &str, tags: &[&str], manager: Value) -> Value {
    let tags = Value::vector(tags.iter().map(Value::str));
    record([("id", id.into()), ("name", name.into()), ("tags", tags), ("manager_id", manager)])
}

fn record<const N: usize>(entries: [(&str, Value); N]) -> Value {
    Value::map(entries.map(|(name, value)| (Value::str(name), value)))
}

/// A tool's arguments as the base passes them to a host: all keys are texts with underscores.
fn by_text(value: &Value) -> Value {
    match value {
        Value::Map(map) => Value::map(map.iter().map(|(key, value)| {
            let key = key.key_name().map_or_else(|| clojure(key), |name| name.replace('-', "_"));
            (Value::str(key), by_text(value))
        })),
        Value::Vector(items) => Value::vector(items.iter().map(by_text)),
        other => other.clone(),
    }
}

fn at(map: &Value, name: &str) -> Option<Value> {
    match map {
        Value::Map(map) => map.get(&Value::str(name)).cloned(),
        _ => None,
    }
}

fn clojure(value: &Value) -> String {
    to_clojure(value, &PrintOptions { filter_hidden: false, ..PrintOptions::default() }).text
}

fn read(name: &str) -> Value {
    let path = format!("{}/tests/oracle/{name}", env!("CARGO_MANIFEST_DIR"));
    from_json(&fs::read_to_string(path).unwrap()).unwrap_or_else(|problem| panic!("{name}: {problem}"))
}

fn member(map: &Value, name: &str) -> Option<Value> {
    match map {
        Value::Map(map) => map.get_keyword(name).cloned(),
        _ => panic!("a map with {name}"),
    }
}

fn text_of<'a>(map: &'a Value, name: &str) -> &'a str {
    match map {
        Value::Map(map) => map.get_keyword(name).and_then(Value::as_str).expect("a text"),
        _ => panic!("a map with {name}"),
    }
}

fn list(value: &Value) -> Vec<Value> {
    match value {
        Value::Vector(items) => items.iter().cloned().collect(),
        _ => panic!("a list"),
    }
}

pub fn list_at(map: &Value, name: &str) -> Vec<Value> {
    member(map, name).map(|items| list(&items)).unwrap_or_default()
}

fn names(map: &Value) -> Names<Value> {
    match map {
        Value::Map(map) => {
            map.iter().map(|(name, value)| (Str::from(name.key_name().expect("a name")), value.clone())).collect()
        }
        _ => panic!("a map"),
    }
}
