//! Properties of conversations that are kept from request to request: what earlier requests settled changes nothing.

use std::rc::Rc;

use proptest::prelude::*;
use turnfold::arrival::Arrival;
use turnfold::chat::{
    Applied, ChatMessage, Clearing, Conversation, Digest, Exchange, HistoryStrategy, OnOverflow, Parameters, Part,
    Planned, ResultOutcome, Settled, Summary, ToolNames, When, apply,
};
use turnfold::costs::{Prices, Tariff};
use turnfold::value::Str;

use crate::chat::{ManageRequest, counted};

/// What follows in a conversation, with the lengths of texts.
#[derive(Clone, Debug)]
enum Event {
    Question(usize),
    Answer(usize),
    /// As many calls as there are lengths of results.
    Round {
        results: Vec<usize>,
        is_pinned: bool,
    },
    System,
    Summary,
    /// A call without a result.
    Open,
    /// A result without a call.
    Orphan(usize),
}

fn event() -> impl Strategy<Value = Event> {
    let length = || prop_oneof![4 => 1..80_usize, 2 => 80..900_usize];
    prop_oneof![
        12 => length().prop_map(Event::Question),
        12 => length().prop_map(Event::Answer),
        40 => (prop::collection::vec(length(), 1..3), prop::bool::weighted(0.03))
            .prop_map(|(results, is_pinned)| Event::Round { results, is_pinned }),
        2 => Just(Event::System),
        1 => Just(Event::Summary),
        1 => prop_oneof![Just(Event::Open), length().prop_map(Event::Orphan)],
    ]
}

/// A text of that length with names, some of which other texts have too.
fn words(seed: usize, length: usize) -> String {
    let name = |number: usize| format!("from src/part-{}.ts with loadConfig{} ", number % 7, number % 11);
    (0..=length / 30).map(|word| name(seed * 3 + word)).collect::<String>()[..length.min(30)].to_owned()
        + &(1..=length / 30).map(|word| name(seed * 3 + word)).collect::<String>()
}

/// Lines that long results have in common.
fn repeated(length: usize) -> String {
    let lines = (0..length / 60).map(|line| format!("\nline {} of the file src/part-{line}.ts, as it is", line % 9));
    if length < 300 { String::new() } else { lines.collect() }
}

fn messages(events: &[Event], seconds: &[u16]) -> Vec<Rc<ChatMessage>> {
    let mut messages = vec![ChatMessage::text("system", "You help.")];
    for (number, event) in events.iter().enumerate() {
        let part = |role: &str, parts: Vec<Part>| {
            let mut message = ChatMessage::text(role, "");
            message.parts = parts;
            message
        };
        let call = |call: usize| Part::Call {
            id: format!("c{number}-{call}").into(),
            name: ["read", "search"][call].into(),
            args: format!("{{\"path\":\"src/part-{}.ts\",\"text\":\"{}\"}}", number % 7, words(number, 40))
                .as_str()
                .into(),
            is_server: false,
        };
        let result = |call: usize, length: usize| Part::Result {
            id: format!("c{number}-{call}").into(),
            name: ["read", "search"][call].into(),
            text: format!("{}{}", words(number + call, length), repeated(length)).as_str().into(),
            outcome: ResultOutcome::Returned,
            is_server: false,
        };
        match event {
            Event::Question(length) => messages.push(ChatMessage::text("user", words(number, *length))),
            Event::Answer(length) => messages.push(ChatMessage::text("assistant", words(number, *length))),
            Event::System => messages.push(ChatMessage::text("system", "It is late.")),
            Event::Summary => {
                let mut message = ChatMessage::text("user", "A summary of src/part-3.ts.");
                message.summary =
                    Some(Summary { covers: 3, strategy: "chunked".into(), followed: Some(number % 4), tokens: None });
                messages.push(message);
            }
            Event::Open => messages.push(part("assistant", vec![call(0)])),
            Event::Orphan(length) => messages.push(part("tool", vec![result(0, *length)])),
            Event::Round { results, is_pinned } => {
                let mut calls = part("assistant", (0..results.len()).map(call).collect());
                calls.is_pinned = *is_pinned;
                messages.push(calls);
                let results = results.iter().enumerate();
                messages.extend(results.map(|(call, length)| part("tool", vec![result(call, *length)])));
            }
        }
    }
    let mut now = 0;
    for (message, seconds) in messages.iter_mut().zip(seconds.iter().cycle()) {
        now += 1000 * i64::from(*seconds);
        message.at = (*seconds > 0).then_some(now);
    }
    messages.into_iter().map(Rc::new).collect()
}

fn strategy() -> impl Strategy<Value = HistoryStrategy> {
    let numbers = || (0..5_usize, prop::sample::select(&[0_usize, 0, 30, 200][..]), 0..6_usize, any::<bool>());
    prop_oneof![
        4 => numbers().prop_map(|(keep, at_least, names, has_inputs)| {
            let inputs = if has_inputs { ToolNames::All } else { ToolNames::Only(vec!["search".into()]) };
            let exclude = if keep == 1 { vec!["search".into()] } else { Vec::new() };
            HistoryStrategy::ClearToolResults(Clearing { keep, at_least, names, exclude, inputs })
        }),
        4 => (numbers(), 0..60_usize).prop_map(|((keep, at_least, names, has_handles), head)| {
            HistoryStrategy::Digest(Digest { keep, at_least, names, head, has_handles })
        }),
        1 => (0..12_usize).prop_map(HistoryStrategy::LastMessages),
    ]
}

fn parameters() -> impl Strategy<Value = Parameters> {
    let when = prop::sample::select(&[When::Always, When::WorthIt, When::WorthIt, When::OverLimit][..]);
    let limits = (prop::option::weighted(0.3, 400..6000_usize), prop::option::weighted(0.2, 10..80_usize));
    let arrival = prop::option::weighted(0.3, Just(Arrival { is_lossless: true, above: None }));
    let costs = (prop::sample::select(&[1.25, 2.0, 1.0][..]), prop::sample::select(&[0_usize, 200, 1024][..]));
    (prop::option::weighted(0.9, strategy()), when, limits, (0..12_usize, 0..3_usize), (costs, arrival)).prop_map(
        |(strategy, when, (max_tokens, max_history_size), (min_messages, keep_at_least), (costs, arrival))| {
            let (cache_write, minimum) = costs;
            let tariff = Tariff { cache_write, ..Tariff::in_units_of(1.0) };
            Parameters {
                strategies: strategy.into_iter().collect(),
                when: Some(when),
                prices: Prices { tariff, minimum, ..Prices::DEFAULT },
                min_messages,
                keep_at_least,
                max_tokens,
                max_history_size,
                on_overflow: OnOverflow::Send,
                arrival,
                ..Parameters::default()
            }
        },
    )
}

/// Plans each request of a conversation with what was settled before and is kept with the messages, and with copies of the
/// messages, with which nothing is kept. Returns how many messages were settled, and how many were planned, summed over the
/// requests.
fn compare(parameters: Parameters, whole: &[Rc<ChatMessage>]) -> (usize, usize) {
    let mut request = ManageRequest { parameters, counts_characters: false, answers: Vec::new() };
    let mut counts = request.counts();
    let (mut settled, mut kept) = (Settled::default(), Conversation::default());
    let (mut settled_sum, mut planned_sum) = (0, 0);
    for (number, message) in whole.iter().enumerate() {
        if message.role == "assistant".into() {
            let exchange = Exchange::default();
            let copied = kept.messages.iter().map(|message| Rc::new((**message).clone()));
            let copied = Conversation { messages: copied.collect() };
            let expected = request.plan(&copied, &exchange, &mut counts).unwrap();
            let Planned { plan, applied } = request.plan_after(&mut settled, &kept, &exchange, &mut counts).unwrap();
            let texts = vec![Some(Str::from("It is settled.")); plan.requests().count()];
            let [expected, applied] = [(expected.plan, expected.applied), (plan, applied)].map(|(plan, applied)| {
                applied.unwrap_or_else(|| counted(&mut counts, |counts| apply(&plan, &texts, counts)).unwrap())
            });
            let messages = [&kept.messages[..applied.settled], &applied.conversation.messages].concat();
            let sent = |messages: &[Rc<ChatMessage>]| {
                messages.iter().map(|message| (message.parts.clone(), message.summary.clone())).collect::<Vec<_>>()
            };
            assert_eq!(sent(&expected.conversation.messages), sent(&messages), "request {number}");
            assert_eq!(
                (expected.outcome, &expected.reason, &expected.warnings, expected.tokens, expected.cost),
                (applied.outcome, &applied.reason, &applied.warnings, applied.tokens, applied.cost),
                "request {number}"
            );
            let texts = |applied: &Applied| applied.sent.iter().map(|sent| sent.texts.clone()).collect::<Vec<_>>();
            assert!(texts(&expected).ends_with(&texts(&applied)), "request {number}");
            assert!(applied.fates.ends_with(&expected.fates[applied.settled..]), "request {number}");
            settled_sum += applied.settled;
            planned_sum += kept.messages.len() - applied.settled;
            kept = Conversation { messages };
        }
        kept.messages.push(message.clone());
    }
    (settled_sum, planned_sum)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_plan_after_settled_messages_is_the_plan_of_the_whole_conversation(
        first in prop_oneof![9 => Just(Event::Question(40)), 1 => event()],
        events in prop::collection::vec(event(), 5..50),
        seconds in prop::collection::vec(prop_oneof![Just(0_u16), 1..100_u16, 200..400_u16], 30),
        parameters in parameters(),
    ) {
        let events: Vec<Event> = std::iter::once(first).chain(events).collect();
        compare(parameters, &messages(&events, &seconds));
    }
}

/// The number of messages that plans read does not grow with the conversation.
#[test]
fn a_plan_reads_only_messages_about_which_something_is_to_be_decided() {
    let round = || Event::Round { results: vec![600, 40], is_pinned: false };
    let events: Vec<Event> = std::iter::once(Event::Question(40)).chain((0..250).map(|_| round())).collect();
    let whole = messages(&events, &[10]);
    let clearing = Clearing { keep: 3, at_least: 0, names: 5, exclude: Vec::new(), inputs: ToolNames::All };
    let digest = Digest { keep: 3, at_least: 0, names: 5, head: 40, has_handles: true };
    for (strategy, when) in [
        (None, When::Always),
        (Some(HistoryStrategy::ClearToolResults(clearing.clone())), When::Always),
        (Some(HistoryStrategy::ClearToolResults(clearing)), When::WorthIt),
        (Some(HistoryStrategy::Digest(digest)), When::Always),
        (Some(HistoryStrategy::Digest(digest)), When::WorthIt),
        (Some(HistoryStrategy::LastMessages(4)), When::OverLimit),
    ] {
        let name = format!("{strategy:?} {when:?}");
        let parameters = Parameters {
            strategies: strategy.into_iter().collect(),
            when: Some(when),
            max_tokens: Some(1_000_000),
            prices: Prices { tariff: Tariff { cache_read: 0.5, ..Tariff::in_units_of(1.0) }, ..Prices::DEFAULT },
            ..Parameters::default()
        };
        let (settled, planned) = compare(parameters, &whole);
        assert!(planned < 250 * 120, "{name}: {planned} messages are read, {settled} are settled");
    }
}
