//! Properties of rendering any history.

use std::rc::Rc;

use proptest::prelude::*;
use turnfold::arrival::{Source, shortened};
use turnfold::compression::{
    Counting, Journal, Limits, MissingCounts, RenderOptions, Rendered, Renderer, Strategy as Compression,
};
use turnfold::costs::{Prices, Tariff};
use turnfold::lisp::ToolSpec;
use turnfold::message::SectionKind;
use turnfold::signature;
use turnfold::turn::{Memory, ToolCall, Turn, TurnInit};
use turnfold::value::{Closure, Str, Value};

use crate::conversation::{check_sections, check_stats};

fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z ]{0,12}", "\\PC{0,8}", "[a-z`\n#;\"]{0,20}"]
}

/// A text that a program prints; some have a shorter form.
fn print() -> impl Strategy<Value = String> {
    let records = proptest::collection::vec((0..99_u8, "[a-z]{1,9}"), 3..9).prop_map(|rows| {
        let rows: Vec<_> =
            rows.iter().map(|(id, name)| format!(r#"{{ "id": {id}, "is_ready": true, "name": "{name}" }}"#)).collect();
        format!("[{}]", rows.join(", "))
    });
    prop_oneof![4 => text(), 1 => records, 1 => "[a-z]{20,30}\n".prop_map(|line| line.repeat(9))]
}

fn name() -> impl Strategy<Value = Str> {
    prop_oneof!["[a-d]", "_[a-b]", "[a-c]{30,33}"].prop_map(Str::from)
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Nil),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::Int),
        any::<f64>().prop_map(Value::Float),
        // Values that are equal, or differ only in their text.
        proptest::sample::select(&[0.0, -0.0, 1.0, f64::NAN][..]).prop_map(Value::Float),
        Just(Value::Int(1)),
        text().prop_map(Value::str),
        "[a-z]{1,5}".prop_map(Value::keyword),
        (text(), proptest::option::of(text())).prop_map(|(params, doc)| {
            let doc = doc.map(Str::from);
            Value::Closure(Rc::new(Closure { params: params.into(), doc, ..Closure::default() }))
        }),
        any::<i32>().prop_map(|millis| Value::Date(millis.into())),
    ];
    leaf.prop_recursive(3, 12, 5, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..5).prop_map(Value::vector),
            proptest::collection::vec((inner.clone(), inner.clone()), 0..5).prop_map(Value::map),
            proptest::collection::vec(inner, 0..5).prop_map(Value::set),
        ]
    })
}

fn memory() -> impl Strategy<Value = Memory> {
    proptest::collection::vec((name(), value()), 0..4).prop_map(|names| Rc::new(names.into_iter().collect()))
}

fn call() -> impl Strategy<Value = ToolCall> {
    let args = prop_oneof![
        Just(Value::Nil),
        proptest::collection::vec(value(), 0..4).prop_map(Value::vector),
        proptest::collection::vec(("[a-z_]{1,4}".prop_map(Value::keyword), value()), 0..3).prop_map(Value::map),
    ];
    let name = prop_oneof!["[a-z-]{1,8}", Just("get".to_owned())];
    (name, args, value(), proptest::option::of(0.0..1e6)).prop_map(|(name, args, result, duration_ms)| ToolCall {
        name: name.into(),
        args,
        result,
        error: None,
        duration_ms,
        step: None,
    })
}

prop_compose! {
    fn turn()(
        success in proptest::bool::weighted(0.75),
        program in proptest::option::weighted(0.9, text()),
        raw_response in text(),
        result in value(),
        prints in proptest::collection::vec(print(), 0..4),
        tool_calls in proptest::collection::vec(call(), 0..3),
        memory in proptest::option::weighted(0.8, memory()),
        docs in proptest::collection::vec((name(), text()), 0..2),
        defined in proptest::option::of(proptest::collection::vec(name(), 0..3)),
        number in 0..100_u32,
        at in proptest::option::of(0..2_000_000_u32),
    ) -> Turn {
        let result = if success || !result.is_nil_or_empty() { result } else { "it failed".into() };
        let init = TurnInit {
            number,
            raw_response: raw_response.into(),
            program: program.map(Str::from),
            result,
            prints: prints.into_iter().map(Str::from).collect(),
            tool_calls,
            memory,
            docs: docs.into_iter().map(|(name, doc)| (name, doc.into())).collect(),
            defined,
            at: at.map(f64::from),
        };
        if success { Turn::success(init) } else { Turn::failure(init) }
    }
}

prop_compose! {
    fn journal()(
        keep in 0..3_usize,
        cache_read in 0.0..1.5_f64,
        cache_write in 0.0..2.0_f64,
        minimum in 0..200_usize,
        lifetime in proptest::option::of(0.0..1_000_000.0_f64),
        patience in 0.0..2.0_f64,
        budget in proptest::option::weighted(0.3, 0..300_usize),
        host in any::<bool>(),
    ) -> Journal {
        let tariff = Tariff { cache_read, cache_write, ..Tariff::in_units_of(1.0) };
        let prices = Prices { tariff, minimum, lifetime, ..Prices::DEFAULT };
        let counting = if host { Counting::Host } else { Counting::Estimate };
        Journal { keep, prices, patience, budget, counting }
    }
}

prop_compose! {
    fn options()(
        mission in text(),
        data in proptest::collection::vec((name(), value()), 0..3),
        max_turns in 1..8_usize,
        turns_left in proptest::option::of(0..5_usize),
        strategy in proptest::option::weighted(0.9, prop_oneof![
            Just(Compression::SingleUserCoalesced),
            (0..4_usize).prop_map(|keep| Compression::RollingWindow { keep }),
            Just(Compression::PerTurnSummary),
            (0..300_usize).prop_map(|budget| Compression::Aggressive { budget, counting: Counting::Estimate }),
            (0..900_usize).prop_map(|budget| Compression::Aggressive { budget, counting: Counting::Host }),
            journal().prop_map(Compression::Journal),
            journal().prop_map(Compression::Journal),
        ]),
        println in 0..6_usize,
        tool_calls in 0..5_usize,
        sample in 0..4_usize,
        print_length in prop_oneof![0..30_usize, Just(2000)],
        tool_results in any::<bool>(),
        lossless in any::<bool>(),
    ) -> RenderOptions {
        RenderOptions {
            mission: mission.into(),
            system_prompt: "SYSTEM".into(),
            tools: vec![
                (
                    "search".into(),
                    Rc::new(ToolSpec {
                        signature: Some(signature::parse("(q :string) -> [:string]").unwrap()),
                        ..ToolSpec::default()
                    }),
                ),
                ("get".into(), Rc::default()),
            ],
            data,
            max_turns,
            turns_left,
            strategy,
            limits: Limits { println, tool_calls, sample, print_length, tool_results, lossless, ..Limits::default() },
            ..RenderOptions::default()
        }
    }
}

fn turns() -> impl Strategy<Value = Vec<Turn>> {
    proptest::collection::vec(turn(), 0..7)
}

/// Renders; a host's counter counts a token for each byte.
fn render(renderer: &mut Renderer, memory: Option<&Memory>) -> Rendered {
    for _ in 0..4 {
        match renderer.render(memory.cloned()) {
            Ok(rendered) => return rendered,
            Err(MissingCounts(texts)) => renderer.supply_counts(texts.iter().map(String::len)),
        }
    }
    panic!("the renderer asks for counts again and again");
}

#[derive(Clone, Debug)]
enum Edit {
    Push(Turn),
    Insert(prop::sample::Index, Turn),
    Replace(prop::sample::Index, Turn),
    Remove(prop::sample::Index),
    Time(Option<u32>),
    Options(Box<RenderOptions>),
}

fn edit() -> impl Strategy<Value = Edit> {
    let place = any::<prop::sample::Index>;
    prop_oneof![
        3 => turn().prop_map(Edit::Push),
        1 => (place(), turn()).prop_map(|(place, turn)| Edit::Insert(place, turn)),
        1 => (place(), turn()).prop_map(|(place, turn)| Edit::Replace(place, turn)),
        1 => place().prop_map(Edit::Remove),
        1 => proptest::option::of(0..3_000_000_u32).prop_map(Edit::Time),
        1 => options().prop_map(|options| Edit::Options(Box::new(options))),
    ]
}

/// The turn with its prints in the forms in which `lossless` shows them.
fn shorter(turn: &Turn) -> Turn {
    let is_file = turn.tool_calls().iter().any(|call| Source::of(&call.args) == Source::File);
    let source = if is_file { Source::File } else { Source::Other };
    let form = |print: &Str| shortened(print, source).map_or_else(|| print.clone(), Str::from);
    turn.with_prints(turn.prints().iter().map(form).collect())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn lossless_shows_turns_as_if_they_had_printed_the_shorter_forms(turns in turns(), options in options()) {
        let with = |lossless: bool| RenderOptions { limits: Limits { lossless, ..options.limits.clone() }, ..options.clone() };
        let mut own = Renderer::new(with(true), turns.clone());
        let mut other = Renderer::new(with(false), turns.iter().map(shorter));
        prop_assert_eq!(render(&mut own, None).messages, render(&mut other, None).messages);
        // The turns stay as they are.
        own.set_options(with(false));
        let mut plain = Renderer::new(with(false), turns);
        prop_assert_eq!(render(&mut own, None).messages, render(&mut plain, None).messages);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn an_edited_renderer_gives_the_bytes_of_a_new_one(
        start in turns(),
        first in options(),
        edits in proptest::collection::vec((edit(), any::<bool>(), proptest::option::weighted(0.2, memory())), 1..8),
    ) {
        let mut options = first;
        let mut list = start.clone();
        let mut renderer = Renderer::new(options.clone(), start);
        let mut time = None;
        let mut before: Option<String> = None;
        for (edit, rendered_between, given) in edits {
            match edit {
                Edit::Push(turn) => {
                    list.push(turn.clone());
                    renderer.push(turn);
                }
                Edit::Insert(place, turn) => {
                    let index = place.index(list.len() + 1);
                    list.insert(index, turn.clone());
                    renderer.insert(index, turn);
                }
                Edit::Replace(place, turn) if !list.is_empty() => {
                    let index = place.index(list.len());
                    list[index] = turn.clone();
                    renderer.replace(index, turn);
                }
                Edit::Remove(place) if !list.is_empty() => {
                    let index = place.index(list.len());
                    list.remove(index);
                    renderer.remove(index);
                }
                Edit::Time(at) => {
                    time = at.map(f64::from);
                    renderer.set_time(time);
                }
                Edit::Options(changed) => {
                    options = *changed.clone();
                    renderer.set_options(*changed);
                }
                Edit::Replace(..) | Edit::Remove(..) => {}
            }
            if rendered_between {
                let open = render(&mut renderer, given.as_ref());
                let mut new = Renderer::new(options.clone(), list.iter().cloned());
                new.set_time(time);
                let fresh = render(&mut new, given.as_ref());
                prop_assert_eq!(&open.messages, &fresh.messages);
                prop_assert_eq!(&open.stats, &fresh.stats);
                prop_assert_eq!(&open.budget, &fresh.budget);
                prop_assert_eq!(open.repeated, fresh.repeated);
                prop_assert_eq!(&open.breakpoints, &fresh.breakpoints);
                prop_assert_eq!(&open.cost, &fresh.cost);
                let dropped = renderer.dropped(given.clone()).unwrap();
                prop_assert_eq!(format!("{dropped:?}"), format!("{:?}", new.dropped(given).unwrap()));
                check_sections(&open);
                check_stats(&open, &dropped);
                let all: String = open.messages.iter().map(|message| &*message.text).collect();
                if let Some(before) = before.replace(all.clone()) {
                    // Where one message ends the other may continue, so that the joined texts share more.
                    let (before, all) = (before.encode_utf16(), all.encode_utf16());
                    prop_assert!(open.shared_prefix <= before.zip(all).take_while(|(left, right)| left == right).count());
                }
            }
        }
    }

    #[test]
    fn a_journal_repeats_what_it_sent_until_it_folds(
        list in turns(),
        more in turns(),
        options in options(),
        journal in journal(),
        memory in proptest::option::weighted(0.2, memory()),
    ) {
        let options = RenderOptions { strategy: Some(Compression::Journal(journal)), max_turns: 20, turns_left: None, ..options };
        let mut renderer = Renderer::new(options, []);
        let mut before: Option<(String, Rendered)> = None;
        for turn in list.into_iter().chain(more) {
            renderer.set_time(turn.at());
            let rendered = render(&mut renderer, memory.as_ref());
            let all: String = rendered.messages.iter().map(|message| &*message.text).collect();
            let cost = rendered.cost.unwrap();
            if let Some((sent, _)) = &before && !cost.advice.reason.folds() {
                prop_assert!(all.starts_with(sent.as_str()), "{sent}\n=>\n{all}");
            }
            prop_assert_eq!(cost.bill.cost.is_finite(), true);
            let last = rendered.messages.last().unwrap();
            let kept: Vec<u16> = last.text.encode_utf16().take(rendered.repeated.unwrap()).collect();
            let ends = all.len() - last.text.len() + String::from_utf16(&kept).unwrap().len();
            before = Some((all[..ends].to_owned(), rendered));
            renderer.push(turn);
        }
    }

    #[test]
    fn a_journal_shows_every_name_and_what_the_last_turn_printed(
        list in turns(),
        options in options(),
        journal in journal(),
        given in proptest::option::weighted(0.2, memory()),
    ) {
        let limits = Limits { println: 10, print_length: 1000, lossless: false, ..options.limits.clone() };
        let options = RenderOptions { strategy: Some(Compression::Journal(Journal { budget: None, ..journal })), max_turns: 20, limits, ..options };
        let rendered = render(&mut Renderer::new(options, list.clone()), given.as_ref());
        let all: Vec<_> = rendered.messages.iter().map(|message| &*message.text).collect();
        let all = all.join("\n");
        let memory = given.or_else(|| list.iter().rev().find_map(|turn| turn.memory().cloned()));
        for (name, _) in memory.iter().flat_map(|memory| memory.iter()) {
            let shown = name.replace(['\n', '\r'], " ");
            prop_assert!(all.contains(shown.trim()), "{name:?} is not in\n{all}");
        }
        if let Some(last) = list.last().filter(|turn| turn.is_success()) {
            prop_assert!(last.prints().iter().all(|print| all.contains(&**print)));
        }
    }

    #[test]
    fn the_same_input_gives_the_same_bytes(list in turns(), options in options()) {
        let once = render(&mut Renderer::new(options.clone(), list.iter().cloned()), None);
        let again = render(&mut Renderer::new(options, list), None);
        prop_assert_eq!(once.messages, again.messages);
    }

    #[test]
    fn a_turn_leaves_the_stable_prefix_as_it_is(list in turns(), next in turn(), options in options()) {
        let prefix = |rendered: &Rendered| {
            let first = &rendered.messages[1];
            let stable = [SectionKind::Mission, SectionKind::Tool, SectionKind::Data, SectionKind::Expected, SectionKind::Separator];
            let stable = first.sections.iter().take_while(|section| stable.contains(&section.kind));
            let end = stable.filter(|section| section.kind != SectionKind::Separator).last().map_or(0, |last| last.end);
            first.text.encode_utf16().take(end).collect::<Vec<_>>()
        };
        let mut renderer = Renderer::new(options, list);
        let before = render(&mut renderer, None);
        renderer.push(next);
        let after = render(&mut renderer, None);
        prop_assert_eq!(prefix(&before), prefix(&after));
        prop_assert!(after.shared_prefix >= "SYSTEM".len() + prefix(&after).len());
    }

    #[test]
    fn the_mission_stands_first_and_the_turns_left_last(list in turns(), options in options()) {
        let mission = options.mission.clone();
        let rendered = render(&mut Renderer::new(options, list), None);
        prop_assert!(rendered.messages[1].text.starts_with(mission.trim_end()));
        let last = rendered.messages.last().unwrap();
        prop_assert_eq!(last.sections.last().unwrap().kind, SectionKind::TurnsLeft);
    }

    #[test]
    fn hidden_values_are_never_shown(list in turns(), mut options in options()) {
        let secret = Value::map([(Value::keyword("_token"), "s3cr3t".into()), (Value::keyword("shown"), 1.into())]);
        options.data = vec![("_key".into(), "s3cr3t".into()), ("config".into(), secret.clone())];
        let names = [("_k".into(), Value::str("s3cr3t")), ("config".into(), secret.clone())];
        let call = ToolCall { name: "f".into(), args: secret, ..ToolCall::default() };
        let last = Turn::success(TurnInit { memory: Some(Rc::new(names.into_iter().collect())), tool_calls: vec![call], ..TurnInit::default() });
        let rendered = render(&mut Renderer::new(options, list.into_iter().chain([last])), None);
        prop_assert!(rendered.messages.iter().all(|message| !message.text.contains("s3cr3t")));
    }

    #[test]
    fn a_saved_turn_loads_to_the_same_bytes(turn in turn()) {
        let saved = turn.to_json();
        let loaded = Turn::from_json(&saved).unwrap();
        prop_assert_eq!(&loaded, &turn);
        prop_assert_eq!(loaded.to_json(), saved);
    }

    #[test]
    fn any_text_is_a_turn_or_an_error(text in "\\PC{0,60}") {
        let _ = Turn::from_json(&text);
    }
}

#[test]
fn rendering_with_an_infinite_budget_is_the_coalesced_message() {
    let turn = Turn::success(TurnInit { prints: vec!["seen".into()], ..TurnInit::default() });
    let with = |strategy| {
        let options = RenderOptions { strategy: Some(strategy), ..RenderOptions::default() };
        Renderer::new(options, [turn.clone()]).render(None).unwrap().messages
    };
    let unlimited = Compression::Aggressive { budget: usize::MAX, counting: Counting::Estimate };
    assert_eq!(with(unlimited), with(Compression::SingleUserCoalesced));
}

#[test]
fn a_definition_whose_zero_changes_its_sign_is_written_again() {
    let turn = |zero: f64| {
        let names = [("x".into(), Value::Float(zero))];
        Turn::success(TurnInit { memory: Some(Rc::new(names.into_iter().collect())), ..TurnInit::default() })
    };
    let options = RenderOptions { strategy: Some(Compression::SingleUserCoalesced), ..RenderOptions::default() };
    let mut open = Renderer::new(options.clone(), [turn(0.0)]);
    render(&mut open, None);
    open.replace(0, turn(-0.0));
    let fresh = render(&mut Renderer::new(options, [turn(-0.0)]), None);
    assert_eq!(render(&mut open, None).messages, fresh.messages);
}
