//! Rendering a history: from scratch, after a turn was added, after a turn in the middle changed.
//!
//! `cargo bench --bench render`; `npm run bench` compares with JavaScript.

use std::hint::black_box;
use std::rc::Rc;

use criterion::{BatchSize, BenchmarkId, Criterion, criterion_group, criterion_main};
use turnfold::compression::{RenderOptions, Renderer, Strategy};
use turnfold::turn::{ToolCall, Turn, TurnInit};
use turnfold::value::{Str, Value};

/// About 1 kB of JSON: a reply, a program, two prints, a call with three rows, twenty names.
fn turn(number: usize) -> Turn {
    let row = |row: usize| {
        Value::map([
            (Value::keyword("id"), Value::Int((number * 10 + row) as i64)),
            (Value::keyword("name"), Value::str(format!("Item {number}-{row}"))),
            (Value::keyword("price"), Value::Float(row as f64 * 9.75)),
        ])
    };
    let rows = Value::vector((0..3).map(row));
    let program = format!(
        "(def batch-{} (tool/search {{:query \"item {number}\" :limit 3}}))\n(println \"found\" (count batch-{}))",
        number % 20,
        number % 20
    );
    let names = (0..20).map(|name| {
        (Str::from(format!("batch-{name}")), if name == number % 20 { rows.clone() } else { Value::Int(name as i64) })
    });
    Turn::success(TurnInit {
        number: number as u32 + 1,
        raw_response: format!("Next I look at item {number}.\n\n```clojure\n{program}\n```").into(),
        program: Some(program.into()),
        result: Value::Int(3),
        prints: vec![format!("found 3 of item {number}").into(), "and nothing else worth a second look".into()],
        tool_calls: vec![ToolCall {
            name: "search".into(),
            args: Value::map([
                (Value::keyword("query"), Value::str(format!("item {number}"))),
                (Value::keyword("limit"), Value::Int(3)),
            ]),
            result: rows.clone(),
            ..ToolCall::default()
        }],
        memory: Some(Rc::new(names.collect())),
        defined: Some(vec![format!("batch-{}", number % 20).into()]),
        ..TurnInit::default()
    })
}

fn options(strategy: Option<Strategy>) -> RenderOptions {
    RenderOptions {
        mission: "Look at every item".into(),
        system_prompt: "SYSTEM".into(),
        max_turns: 20_000,
        strategy,
        ..RenderOptions::default()
    }
}

fn render(c: &mut Criterion) {
    let mut group = c.benchmark_group("render");
    for size in [10, 100, 1_000, 10_000] {
        let turns: Vec<Turn> = (0..size).map(turn).collect();
        let coalesced = || options(Some(Strategy::SingleUserCoalesced));
        group.bench_function(BenchmarkId::new("from scratch", size), |bench| {
            bench.iter(|| Renderer::new(coalesced(), turns.iter().cloned()).render(None));
        });
        let mut open = Renderer::new(coalesced(), turns.iter().cloned());
        group.bench_function(BenchmarkId::new("again", size), |bench| bench.iter(|| open.render(None)));
        group.bench_function(BenchmarkId::new("after one push", size), |bench| {
            bench.iter_batched_ref(
                || {
                    let mut renderer = Renderer::new(coalesced(), turns.iter().cloned());
                    black_box(renderer.render(None)).ok();
                    (renderer, turn(size))
                },
                |(renderer, turn)| {
                    renderer.push(turn.clone());
                    renderer.render(None)
                },
                BatchSize::LargeInput,
            );
        });
        group.bench_function(BenchmarkId::new("after an edit in the middle", size), |bench| {
            let edited = [turn(size / 2), turn(size / 2 + 1)];
            let mut at = 0;
            bench.iter(|| {
                at = 1 - at;
                open.replace(size / 2, edited[at].clone());
                open.render(None)
            });
        });
    }
    group.finish();

    let mut group = c.benchmark_group("strategies, 100 turns, from scratch");
    let turns: Vec<Turn> = (0..100).map(turn).collect();
    for strategy in Strategy::ALL.map(Some).into_iter().chain([None]) {
        let name = strategy.as_ref().map_or("none", Strategy::name);
        group.bench_function(name, |bench| {
            bench.iter(|| Renderer::new(options(strategy.clone()), turns.iter().cloned()).render(None));
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20).measurement_time(std::time::Duration::from_millis(700)).warm_up_time(std::time::Duration::from_millis(200));
    targets = render
}
criterion_main!(benches);
