//! Typed calls: case files with the messages of a call and the result of its replies.
//!
//! `## Given` holds a program as a Clojure map: `:signature`, a text or fields, `:adapter`, `:instructions`, `:demos`,
//! and `:reasoning` for thoughts before the other outputs. `## Refused` below it is the error of an invalid program.
//! `## Call` holds `:inputs` and `:history`, and other members of the program for this call. `## Messages` are sent to
//! the model, a `## Reply` is its text, `## Repair` the last message of the request that repeats the question, and
//! `## Result` the outputs or the error.

use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use turnfold::diagnostic::Diagnostic;
use turnfold::predict::{Adapter, BadTurn, ModelRequest, Program, ProgramError, RequestError};
use turnfold::signature::{self, Field, Mismatch, Signature, Type, parse_program};
use turnfold::value::{Value, from_json};

use crate::case::{Block, Case, items, member, shown, text, value};

const ADAPTERS: [Adapter; 3] = [Adapter::Default, Adapter::Chat, Adapter::Json];

/// The items of a list, none when it is absent.
fn list(value: Option<&Value>) -> &[Value] {
    match value {
        None | Some(Value::Nil) => &[],
        Some(value) => items(value),
    }
}

/// The given program, whose members a call may replace.
fn program(given: &Value, call: &Value) -> Result<Program, String> {
    let part = |name: &str| member(call, name).or_else(|| member(given, name));
    let read = signature::from_value(part("signature").expect("a signature"));
    let signature = read.map_err(|misplaced| refused(&misplaced.problem))?;
    let signature = if part("reasoning").is_some() { reasoned(&signature) } else { signature };
    let adapter = match part("adapter").map_or("default", text) {
        "default" => Adapter::Default,
        "chat" => Adapter::Chat,
        "json" => Adapter::Json,
        other => panic!("no adapter is called {other}"),
    };
    let made = Program::new(signature, None, adapter, part("instructions").map_or("", text), list(part("demos")));
    made.map_err(|problem| match problem {
        ProgramError::Signature(problem) => refused(&problem),
        ProgramError::Demo(turn) => bad_turn("invalid_demo", &turn),
    })
}

/// The signature with a reasoning output, as `ChainOfThought` of the package makes it.
fn reasoned(signature: &Signature) -> Signature {
    let mut reasoning = Field::new("reasoning", Type::String, false);
    reasoning.description = Some("your thoughts on the way to the other outputs".into());
    let outputs = [&[reasoning], signature.outputs()].concat();
    Signature::program(signature.parameters.clone(), outputs).expect("a signature")
}

fn refused(problem: &Diagnostic) -> String {
    format!("{{:error {}\n :message {}}}", shown(&problem.kind.into()), shown(&Value::str(&*problem.message)))
}

fn bad_turn(code: &str, turn: &BadTurn) -> String {
    format!("{{:error {code:?} :index {} :reason {:?}}}", turn.index, turn.reason)
}

fn problems(code: &str, problems: &[Mismatch]) -> String {
    let lines = problems.iter().map(|problem| shown(&Value::str(problem.to_string())));
    format!("{{:error {code:?}\n :problems [{}]}}", lines.collect::<Vec<_>>().join("\n            "))
}

/// The state of a call.
struct Called {
    program: Program,
    request: Result<ModelRequest, String>,
    /// The result of the last reply.
    result: String,
    /// The last message of the next request.
    next: String,
}

impl Called {
    fn new(given: &Value, call: &Value) -> Called {
        let program = program(given, call).unwrap_or_else(|problem| panic!("no program: {problem}"));
        let request = program.request(member(call, "inputs").expect("inputs"), list(member(call, "history")));
        let request = request.map_err(|refused| match refused {
            RequestError::Inputs(mismatches) => problems("validation_error", &mismatches),
            RequestError::History(turn) => bad_turn("invalid_history_element", &turn),
        });
        let (result, next) = match &request {
            Ok(request) => ("{}".into(), request.request.clone()),
            Err(refused) => (refused.clone(), String::new()),
        };
        Called { program, request, result, next }
    }

    fn reply(&mut self, reply: &str) {
        let request = &self.request.as_ref().expect("a request").request;
        match self.program.outputs(reply) {
            Ok(coerced) => {
                let outputs = shown(&coerced.value);
                let warnings = coerced.warnings.iter().map(|warning| shown(&Value::str(warning)));
                let warnings = warnings.collect::<Vec<_>>().join("\n            ");
                self.result = match &*warnings {
                    "" => format!("{{:outputs {outputs}}}"),
                    warnings => format!("{{:outputs {outputs}\n :warnings [{warnings}]}}"),
                };
            }
            Err(mismatches) => {
                self.result = problems("output_parse_failed", &mismatches);
                self.next = self.program.repair(request, reply, &mismatches);
            }
        }
    }

    fn messages(&self) -> Vec<Block> {
        let request = self.request.as_ref().unwrap_or_else(|refused| panic!("no messages: {refused}"));
        messages(request).into_iter().map(|(role, text)| Block::new(role, text)).collect()
    }
}

fn messages(request: &ModelRequest) -> Vec<(&str, &str)> {
    let before = request.before.iter().map(|(role, text)| (role.name(), &**text));
    let history = request.history.iter().flat_map(|[user, assistant]| [("user", &**user), ("assistant", &**assistant)]);
    before.chain(history).chain([("user", &*request.request)]).collect()
}

/// Returns the file with the library's actual output.
pub fn updated(source: &str) -> String {
    let mut given = Value::Nil;
    let mut called: Option<Called> = None;
    Case::read(source).updated(|section| {
        let first = || section.blocks[0].text.as_str();
        let call = || called.as_ref().expect("a call");
        match section.heading.as_str() {
            "" => None,
            "Given" => {
                given = value(first());
                None
            }
            "Call" => {
                called = Some(Called::new(&given, &value(first())));
                None
            }
            "Reply" => {
                called.as_mut().expect("a call").reply(first());
                None
            }
            "Refused" => match program(&given, &Value::map([])) {
                Err(problem) => Some(vec![Block::new("clojure", problem)]),
                Ok(_) => panic!("{} is a program", shown(&given)),
            },
            "Messages" => Some(call().messages()),
            "Repair" => Some(vec![Block::new("user", call().next.as_str())]),
            "Result" => Some(vec![Block::new("clojure", call().result.as_str())]),
            heading => panic!("unknown heading {heading}"),
        }
    })
}

/// Names that differ in more than spelling.
const NAMES: [&str; 6] = ["question", "contextURL", "été", "answer", "score_value", "Mood"];

/// Values that could be mistaken for fields or markers.
fn any_value() -> impl Strategy<Value = Value> {
    let text = "(Question: |Answer: |Mood: |\\[\\[ ## answer ## \\]\\]|\\n|\\r\\n|\\r|\\u{2028}|\\u{85}|  |x|\\{\"answer\": 1\\}|\\PC){0,10}";
    let leaf =
        prop_oneof![4 => text.prop_map(Value::str), 1 => Just(Value::Nil), 1 => any::<i64>().prop_map(Value::Int)];
    leaf.prop_recursive(2, 8, 3, |inner| {
        let key = select(vec!["a", "B", "_c", "Answer"]);
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..3).prop_map(Value::vector),
            proptest::collection::vec((key.prop_map(Value::keyword), inner), 0..3).prop_map(Value::map),
        ]
    })
}

/// A turn with some of the fields in any order, at least one input and one output, and keys in any form.
fn turn() -> impl Strategy<Value = Value> {
    let names = (subsequence(&NAMES[..3], 1..=3), subsequence(&NAMES[3..], 1..=3));
    let shuffled = names.prop_map(|(left, right)| [left, right].concat()).prop_shuffle();
    shuffled.prop_flat_map(|names| {
        let entries: Vec<_> = names
            .into_iter()
            .map(|name| {
                (any::<bool>(), any_value()).prop_map(move |(keyword, value)| {
                    (if keyword { Value::keyword(name) } else { Value::str(name) }, value)
                })
            })
            .collect();
        entries.prop_map(Value::map)
    })
}

fn any_program(adapter: Adapter) -> Program {
    let text = "question, contextURL: Any, h: History, été: Any -> answer, score_value: Any, Mood: Any";
    Program::new(parse_program(text).unwrap(), None, adapter, "", &[]).unwrap_or_else(|_| panic!("no program"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn turns_of_a_history_are_pairs_before_a_request_that_they_do_not_change(
        turns in proptest::collection::vec(turn(), 0..5),
        question in any_value().prop_map(|value| Value::str(shown(&value))),
    ) {
        let inputs = Value::map([
            (Value::keyword("question"), question),
            (Value::keyword("contextURL"), 1.into()),
            (Value::keyword("été"), 2.into()),
        ]);
        let mut rendered = Vec::new();
        for adapter in ADAPTERS {
            let program = any_program(adapter);
            let without = program.request(&inputs, &[]).unwrap();
            let request = program.request(&inputs, &turns).unwrap();
            prop_assert_eq!(&request.before, &without.before);
            prop_assert_eq!(&request.request, &without.request);
            prop_assert_eq!(request.history.len(), turns.len());
            let all = messages(&request);
            let pairs = &all[request.before.len()..all.len() - 1];
            prop_assert_eq!(pairs.len(), 2 * turns.len());
            for (place, (role, _)) in pairs.iter().enumerate() {
                prop_assert_eq!(*role, if place % 2 == 0 { "user" } else { "assistant" });
            }
            for length in 0..turns.len() {
                let shorter = program.request(&inputs, &turns[..length]).unwrap();
                prop_assert_eq!(&shorter.history[..], &request.history[..length]);
            }
            rendered.push(request.history);
        }
        prop_assert!(rendered.iter().all(|history| *history == rendered[0]));
        for (turn, pair) in turns.iter().zip(&rendered[0]) {
            for (text, names) in pair.iter().zip([&NAMES[..3], &NAMES[3..]]) {
                let Value::Map(members) = turn else { unreachable!() };
                let has = |name: &&&str| [Value::keyword(name), Value::str(name)].iter().any(|key| members.get(key).is_some());
                let wanted: Vec<&str> = names.iter().filter(has).copied().collect();
                let ends_line = |c| matches!(c, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}');
                let lines = text.split(ends_line).filter(|line| !line.is_empty() && !line.starts_with("  "));
                let begun: Vec<String> = lines.map(|line| line.split(':').next().unwrap_or_default().to_lowercase()).collect();
                let wanted: Vec<String> = wanted.iter().map(|name| name.to_lowercase()).collect();
                prop_assert_eq!(begun, wanted, "{}", text);
            }
        }
    }

    /// Outputs that are written as a turn are read back unchanged.
    #[test]
    fn outputs_that_were_written_are_read_again(answer in any_value(), score in any_value()) {
        let Value::Str(answer) = answer else { return Ok(()) };
        let answer = Value::str(answer.trim().replace("\r\n", "\n").replace(['\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}'], " "));
        let turn = Value::map([
            (Value::keyword("question"), "x".into()),
            (Value::keyword("answer"), answer.clone()),
            (Value::keyword("score_value"), Value::vector([score.clone()])),
            (Value::keyword("Mood"), 1.into()),
        ]);
        for adapter in ADAPTERS {
            let program = any_program(adapter);
            let inputs = Value::map([
                (Value::keyword("question"), "x".into()),
                (Value::keyword("contextURL"), 1.into()),
                (Value::keyword("été"), 1.into()),
            ]);
            let request = program.request(&inputs, std::slice::from_ref(&turn)).unwrap();
            let outputs = program.outputs(&request.history[0][1]).unwrap().value;
            prop_assert_eq!(member(&outputs, "answer").unwrap().as_str().unwrap().trim(), answer.as_str().unwrap().trim());
            prop_assert_eq!(member(&outputs, "Mood"), Some(&Value::Int(1)));
        }
    }

    #[test]
    fn any_reply_is_read_or_refused(
        reply in "(Answer: |Mood: |N: |\\[\\[ ## |answer| ## \\]\\]|\\n|```|json|\\{|\\}|\"answer\"|:|\\[|\\]|,|<think>|</think>|\\*\\*|- |5|\\PC){0,30}",
    ) {
        for adapter in ADAPTERS {
            let text = "q -> answer, n: Optional[int], tags: list[str]?, mood: Literal['a', 5] | None";
            let program = Program::new(parse_program(text).unwrap(), None, adapter, "", &[]).unwrap_or_else(|_| panic!());
            match program.outputs(&reply) {
                Ok(coerced) => prop_assert!(matches!(member(&coerced.value, "answer"), Some(Value::Str(_)))),
                Err(problems) => {
                    prop_assert!(!problems.is_empty());
                    prop_assert!(program.repair("REQUEST", &reply, &problems).starts_with("REQUEST\n\n"));
                }
            }
        }
    }
}

#[test]
fn a_history_of_any_length_takes_time_in_proportion() {
    let program = any_program(Adapter::Default);
    let inputs = from_json(r#"{"question":"x","contextURL":1,"été":1}"#).unwrap();
    let turn = from_json(r#"{"question":"x","answer":"y"}"#).unwrap();
    let request = program.request(&inputs, &vec![turn; 100_000]).unwrap();
    assert_eq!(request.history.len(), 100_000);
}
