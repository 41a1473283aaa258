//! Properties of managing any history with any strategy and limit.

use std::collections::HashMap;
use std::rc::Rc;

use proptest::prelude::*;
use turnfold::chat::{
    Applied, ChatMessage, Clearing, Concept, Conversation, Counts, Digest, Entry, Exchange, Fate, HistoryOutcome,
    HistoryStrategy as Managed, HostGroup, HostPlan, MessageFate, OnOverflow, Parameters, Part, Planned, ResultOutcome,
    Summary, Thresholds, TokenChange, ToolNames, When, apply,
};
use turnfold::costs::{Prices, Tariff};
use turnfold::value::{Str, Value};

use crate::chat::{ManageRequest, check_applied, counted};

/// One message of any kind, or several messages of one round.
#[derive(Clone, Debug)]
enum Stretch {
    Said {
        role: &'static str,
        text: &'static str,
        is_pinned: bool,
    },
    Summary(usize),
    /// Calls in one message or in several, a text after them, and the results of the calls with the indexes `answered`.
    Calls {
        ids: Vec<u8>,
        answered: Vec<usize>,
        apart: bool,
        meanwhile: Option<&'static str>,
        is_pinned: bool,
    },
    Result {
        id: u8,
        is_pinned: bool,
    },
    Empty,
}

/// Arguments that are shorter and longer than the stub of arguments.
const ARGS: [&str; 2] = ["{\"order\":77}", "{\"orders\":[77,78,79,80,81,82,83,84,85,86,87,88,89,90]}"];

const TEXTS: [&str; 5] =
    ["", "Yes.", "Where is it?", "The parcel left the depot in Leipzig and comes before noon today.", "größer 物 😀"];

fn stretch() -> impl Strategy<Value = Stretch> {
    let text = || prop::sample::select(&TEXTS[..]);
    let role = prop::sample::select(&["user", "assistant", "user", "assistant", "system", "developer", "critic"][..]);
    let said = (role, text(), prop::bool::weighted(0.1));
    let calls = (
        prop::collection::vec(0..6u8, 1..4),
        prop::collection::vec(0..3usize, 0..4),
        any::<bool>(),
        prop::option::weighted(0.2, text()),
        prop::bool::weighted(0.05),
    );
    prop_oneof![
        6 => said.prop_map(|(role, text, is_pinned)| Stretch::Said { role, text, is_pinned }),
        1 => (1..30usize).prop_map(Stretch::Summary),
        4 => calls.prop_map(|(ids, answered, apart, meanwhile, is_pinned)| {
            Stretch::Calls { ids, answered, apart, meanwhile, is_pinned }
        }),
        1 => (0..6u8, prop::bool::weighted(0.1)).prop_map(|(id, is_pinned)| Stretch::Result { id, is_pinned }),
        1 => Just(Stretch::Empty),
    ]
}

/// The id and the tool of a call. Calls from number 4 on have no id.
fn called(id: u8) -> (Str, Str) {
    if id < 4 { (format!("c{id}").into(), "f".into()) } else { ("".into(), format!("tool{id}").into()) }
}

fn message(role: &str, parts: Vec<Part>) -> ChatMessage {
    let mut message = ChatMessage::text(role, "");
    message.parts = parts;
    message
}

fn result(id: u8, text: &str) -> ChatMessage {
    let (id, name) = called(id);
    message(
        "tool",
        vec![Part::Result { id, name, text: text.into(), outcome: ResultOutcome::Returned, is_server: false }],
    )
}

fn pinned(mut message: ChatMessage, is_pinned: bool) -> ChatMessage {
    message.is_pinned = is_pinned;
    message
}

fn written(stretches: &[Stretch], times: &[Option<u8>]) -> Conversation {
    let mut messages = Vec::new();
    for stretch in stretches {
        match stretch {
            Stretch::Said { role, text, is_pinned } => {
                messages.push(pinned(ChatMessage::text(role, *text), *is_pinned));
            }
            Stretch::Summary(covers) => {
                let summary =
                    Some(Summary { covers: *covers, strategy: "chunked".into(), followed: None, tokens: None });
                let mut message = ChatMessage::text("user", "Summary of some earlier messages.");
                message.summary = summary;
                messages.push(message);
            }
            Stretch::Calls { ids, answered, apart, meanwhile, is_pinned } => {
                let call = |number: &u8| {
                    let (id, name) = called(*number);
                    Part::Call { id, name, args: ARGS[usize::from(number % 2)].into(), is_server: false }
                };
                let mut calls = vec![message("assistant", ids.iter().map(call).collect())];
                if *apart {
                    calls = ids.iter().map(|id| message("assistant", vec![call(id)])).collect();
                }
                calls[0].is_pinned = *is_pinned;
                messages.append(&mut calls);
                messages.extend(meanwhile.map(|text| ChatMessage::text("user", text)));
                for place in answered {
                    messages.push(result(ids[place % ids.len()], "seventeen euros and fifty cents, two items, unpaid"));
                }
            }
            Stretch::Result { id, is_pinned } => {
                messages.push(pinned(result(*id, "nobody asked for this"), *is_pinned));
            }
            Stretch::Empty => messages.push(message("assistant", Vec::new())),
        }
    }
    let mut now = 0;
    for (message, time) in messages.iter_mut().zip(times) {
        now += i64::from(time.unwrap_or(0));
        message.at = time.map(|_| now);
    }
    Conversation::default().with(messages)
}

fn clearing(keep: usize, has_inputs: bool) -> Clearing {
    let inputs = if has_inputs { ToolNames::All } else { ToolNames::Only(vec!["tool5".into()]) };
    Clearing { keep, at_least: 0, names: 0, exclude: vec!["tool4".into()], inputs }
}

fn managed() -> impl Strategy<Value = Vec<Managed>> {
    let concepts = || {
        vec![
            Concept { name: "a".into(), description: "".into() },
            Concept { name: "b".into(), description: "B".into() },
        ]
    };
    let one = prop_oneof![
        Just(Managed::WholeHistory),
        (0..12usize).prop_map(Managed::LastMessages),
        (1..7usize).prop_map(Managed::Chunked),
        (0..400i64).prop_map(Managed::FromTimestamp),
        Just(Managed::PerSystemMessage),
        Just(Managed::RetrieveFacts(concepts())),
        (0..5usize, any::<bool>()).prop_map(|(keep, inputs)| Managed::ClearToolResults(clearing(keep, inputs))),
        (0..4usize, 0..60usize, 0..5usize, 0..40usize, any::<bool>()).prop_map(
            |(keep, at_least, names, head, has_handles)| {
                Managed::Digest(Digest { keep, at_least, names, head, has_handles })
            }
        ),
    ];
    (prop::option::weighted(0.2, 0..4usize), prop::option::weighted(0.9, one)).prop_map(|(keep, one)| {
        let first = keep.map(|keep| Managed::ClearToolResults(clearing(keep, keep > 1)));
        first.into_iter().chain(one).collect()
    })
}

fn parameters() -> impl Strategy<Value = Parameters> {
    let limits = (prop::option::of(10..400usize), prop::option::of(1..30usize), 0..9usize);
    let when = prop::option::of(any::<bool>());
    let numbers = (prop::sample::select(&[0usize, 0, 3, 10][..]), prop::sample::select(&[0usize, 2, 2, 5, 9][..]));
    let target = prop::sample::select(&[None, Some(0.3), Some(0.7), Some(1.0)][..]);
    let cuts = (prop::sample::select(&[1.0, 1.0, 0.6][..]), target, any::<bool>());
    (managed(), limits, when, numbers, prop::option::weighted(0.2, 1..500usize), cuts).prop_map(
        |(strategies, (max_tokens, max_history_size, reserve_tokens), when, numbers, pieces, cuts)| {
            let ((min_messages, keep_at_least), (trigger, target, starts_with_user)) = (numbers, cuts);
            let thresholds = Thresholds { trigger, target };
            Parameters {
                token_thresholds: thresholds,
                message_thresholds: thresholds,
                starts_with_user,
                strategies,
                when: when.map(|always| if always { When::Always } else { When::OverLimit }),
                min_messages,
                keep_at_least,
                max_tokens,
                reserve_tokens,
                max_history_size,
                summary_max_tokens: pieces,
                ..Parameters::default()
            }
        },
    )
}

/// Pairs each result with its call: the newest call with its id, or without ids the oldest open call of its tool.
fn pairs(messages: &[Rc<ChatMessage>]) -> Vec<(usize, usize)> {
    let mut waiting: HashMap<(bool, Str), Vec<usize>> = HashMap::new();
    let mut pairs = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        for part in &message.parts {
            match part {
                Part::Call { id, name, .. } => {
                    let key = if id.is_empty() { (false, name.clone()) } else { (true, id.clone()) };
                    waiting.entry(key).or_default().push(index);
                }
                Part::Result { id, name, .. } => {
                    let key = if id.is_empty() { (false, name.clone()) } else { (true, id.clone()) };
                    let calls = waiting.entry(key).or_default();
                    if !calls.is_empty() {
                        pairs.push((if id.is_empty() { calls.remove(0) } else { calls.pop().unwrap() }, index));
                    }
                }
                _ => {}
            }
        }
    }
    pairs
}

struct Done {
    planned: Vec<MessageFate>,
    covers: Vec<Vec<usize>>,
    applied: Applied,
}

/// Plans, and applies the plan with short summaries.
fn done(
    conversation: &Conversation,
    exchange: &Exchange,
    parameters: &Parameters,
    characters: bool,
) -> Result<Done, turnfold::chat::ChatError> {
    let mut request =
        ManageRequest { parameters: parameters.clone(), counts_characters: characters, answers: Vec::new() };
    let mut counts = request.counts();
    let Planned { plan, applied } = request.plan(conversation, exchange, &mut counts)?;
    let requests: usize = plan.groups.iter().map(|group| group.requests.len()).sum();
    let texts = vec![Some(Str::from("s")); requests];
    if requests > 0 {
        let mut refused = texts.clone();
        refused[requests / 2] = Some(" \n".into());
        let error = counted(&mut counts, |counts| apply(&plan, &refused, counts)).expect_err("an empty summary");
        assert_eq!(error.code, "compression_failed");
    }
    let covers = plan.groups.iter().map(|group| group.covers.clone()).collect();
    let planned = applied.as_ref().map_or_else(|| plan.fates(), |applied| applied.fates.clone());
    let applied = match applied {
        Some(applied) => applied,
        None => counted(&mut counts, |counts| apply(&plan, &texts, counts))?,
    };
    Ok(Done { planned, covers, applied })
}

fn number(error: &turnfold::chat::ChatError, name: &str) -> i64 {
    match error.details.iter().find(|(known, _)| *known == name) {
        Some((_, Value::Int(number))) => *number,
        _ => panic!("no {name} in {error:?}"),
    }
}

fn stays(fate: Fate) -> bool {
    matches!(fate, Fate::Kept | Fate::Stubbed)
}

fn check(conversation: &Conversation, exchange: &Exchange, parameters: &Parameters, characters: bool) {
    let Done { planned, covers, applied } = match done(conversation, exchange, parameters, characters) {
        Ok(done) => done,
        Err(error) => {
            match error.code {
                "missing_timestamp" => assert!(conversation.messages.iter().all(|message| message.at.is_none())),
                "max_tokens_below_system" => assert!(number(&error, "system") > number(&error, "most")),
                "pins_over_limit" => {
                    assert!(number(&error, "system") + number(&error, "pinned") > number(&error, "most"));
                }
                "request_over_budget" => assert!(number(&error, "needed") > number(&error, "most")),
                code => panic!("{code}: {}", error.message),
            }
            return;
        }
    };
    check_applied(conversation, &applied);
    let fate = |index: usize| applied.fates[index].fate;
    for (call, result) in pairs(&conversation.messages) {
        assert_eq!(stays(fate(call)), stays(fate(result)), "the pair {call} {result} is torn");
    }
    for (index, message) in conversation.messages.iter().enumerate() {
        assert!(!(message.is_system() || message.is_pinned) || fate(index) == Fate::Kept, "message {index} is gone");
    }
    for (index, (before, after)) in planned.iter().zip(&applied.fates).enumerate() {
        let by_limit = after.fate == Fate::Dropped
            && matches!(after.reason.as_deref(), Some("maxTokens" | "maxHistorySize" | "startWith"));
        // A summary that is not shorter than its messages is not used, and all of them stay.
        let is_unpaid = || {
            covers.iter().any(|group| group.contains(&index) && group.iter().all(|index| fate(*index) == Fate::Kept))
        };
        assert!(before == after || by_limit || is_unpaid(), "message {index}: planned {before:?}, became {after:?}");
    }
    // A summary takes the position of the last message that it replaces.
    let mut before = 0;
    let mut ends: Vec<usize> = covers.iter().map(|covers| covers[covers.len() - 1]).collect();
    ends.sort_unstable();
    for entry in &applied.entries {
        match entry {
            Entry::Kept(index) | Entry::Stubbed(index, _) => before = *index,
            Entry::Summary(_) => {
                while ends[0] < before {
                    ends.remove(0);
                }
                ends.remove(0);
            }
        }
    }
    let mut counts = Counts::new(parameters.provider, 0, characters);
    let sent = counted(&mut counts, |counts| {
        let all = applied.conversation.messages.iter().chain(exchange.messages.iter().flatten());
        let sum = all.map(|message| counts.message(message)).sum::<usize>() + counts.request(&[], None);
        let missing = counts.take_missing();
        if missing.is_empty() { Ok(sum) } else { Err(turnfold::chat::Stop::Count(missing)) }
    });
    let sent = sent.expect("it can be counted");
    assert_eq!(sent, applied.tokens.after, "the report has the tokens that are sent");
    assert!(parameters.max_tokens.is_none_or(|max| sent <= max.saturating_sub(parameters.reserve_tokens)));
    let messages = applied.conversation.messages.len() + exchange.messages.as_ref().map_or(0, Vec::len);
    assert!(parameters.max_history_size.is_none_or(|max| messages <= max));
    if applied.outcome == HistoryOutcome::Applied && covers.len() < conversation.messages.len() {
        let dropped = applied.fates.iter().any(|fate| fate.fate == Fate::Dropped);
        // Limits take precedence over `keepAtLeast`.
        let is_limited = parameters.max_tokens.is_some() || parameters.max_history_size.is_some();
        let min = if is_limited { 0 } else { parameters.keep_at_least.min(conversation.messages.len()) };
        assert!(dropped || applied.conversation.messages.len() >= min, "only {messages} messages are left");
    }

    // When a limit dropped the only summaries, `chunked` begins as in a history that was never summarised.
    let has_summaries = |conversation: &Conversation| conversation.messages.iter().any(|it| it.summary.is_some());
    if has_summaries(conversation) && !has_summaries(&applied.conversation) {
        return;
    }
    let again = done(&applied.conversation, exchange, parameters, characters);
    let again = again.unwrap_or_else(|error| panic!("the second time: {}", error.message)).applied;
    assert!(
        matches!(again.outcome, HistoryOutcome::Unchanged | HistoryOutcome::Skipped),
        "the second time it is {:?}: {:#?}",
        again.outcome,
        again.fates
    );
    assert_eq!(again.tokens, TokenChange { before: sent, after: sent });
}

/// Returns the stretch with one result for each call; `None` for stretches that are neither a request nor an answer.
fn answered(stretch: Stretch) -> Option<Stretch> {
    match stretch {
        Stretch::Calls { mut ids, is_pinned, .. } => {
            ids.sort_unstable();
            ids.dedup();
            let answered = (0..ids.len()).collect();
            Some(Stretch::Calls { ids, answered, apart: false, meanwhile: None, is_pinned })
        }
        Stretch::Said { role: "critic", .. } | Stretch::Summary(_) | Stretch::Result { .. } | Stretch::Empty => None,
        Stretch::Said { .. } => Some(stretch),
    }
}

/// A strategy that needs no model.
fn reducing() -> impl Strategy<Value = Managed> {
    prop_oneof![
        (0..4usize, 0..40usize, 0..3usize, any::<bool>()).prop_map(|(keep, at_least, names, has_inputs)| {
            Managed::ClearToolResults(Clearing { at_least, names, ..clearing(keep, has_inputs) })
        }),
        (0..4usize, 0..60usize, 0..5usize, 0..40usize, any::<bool>()).prop_map(
            |(keep, at_least, names, head, has_handles)| {
                Managed::Digest(Digest { keep, at_least, names, head, has_handles })
            }
        ),
    ]
}

fn cases() -> ProptestConfig {
    ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn managing_keeps_units_and_held_messages_within_the_limits(
        stretches in prop::collection::vec(stretch(), 0..25),
        parameters in parameters(),
        request in prop::option::of(0..7u8),
        characters in prop::bool::weighted(0.2),
        times in prop::collection::vec(0..20u8, 120),
    ) {
        // Every message has a timestamp: a message without one has that of the message before, which may be removed.
        let times: Vec<_> = times.into_iter().map(Some).collect();
        let conversation = written(&stretches, &times);
        let exchange = Exchange {
            messages: request.map(|id| vec![Rc::new(match id {
                6 => ChatMessage::text("user", "And now?"),
                id => result(id, "late"),
            })]),
            ..Exchange::default()
        };
        check(&conversation, &exchange, &parameters, characters);
    }

    /// A host that gives the whole history with each request is sent the previous messages and new ones, until changing
    /// them is worth its price.
    #[test]
    fn a_history_that_grows_is_sent_as_before_until_it_is_worth_it_to_change_it(
        stretches in prop::collection::vec(stretch(), 0..25),
        strategy in reducing(),
        (cache_read, cache_write, patience) in (0.0..0.6_f64, 1.0..2.0_f64, 0.0..1.0_f64),
        lifetime in prop::option::of(1.0..60.0_f64),
        max in prop::option::weighted(0.3, 100..900_usize),
        min_messages in prop::sample::select(&[0_usize, 0, 4, 10][..]),
        times in prop::collection::vec(0..20u8, 120),
    ) {
        let times: Vec<_> = times.into_iter().map(Some).collect();
        // At each request, all calls before it have results.
        let mut stretches: Vec<_> = stretches.into_iter().filter_map(answered).collect();
        // No answer or call directly follows an answer.
        let is_answer = |stretch: &Stretch| matches!(stretch, Stretch::Said { role: "assistant", .. });
        let mut was_answered = true;
        stretches.retain(|stretch| match stretch {
            Stretch::Said { role: "system" | "developer", .. } => true,
            stretch if was_answered && (is_answer(stretch) || matches!(stretch, Stretch::Calls { .. })) => false,
            stretch => {
                was_answered = is_answer(stretch);
                true
            }
        });
        // Results are made long, so that each round is shorter as lines.
        let given = written(&stretches, &times);
        let lengthened = given.messages.iter().map(|message| {
            let mut message = (**message).clone();
            for part in &mut message.parts {
                if let Part::Result { text, .. } = part {
                    *text = text.repeat(8).into();
                }
            }
            message
        });
        let whole = Conversation::default().with(lengthened.collect::<Vec<_>>());
        let tariff = Tariff { cache_read, cache_write, ..Tariff::in_units_of(1.0) };
        let parameters = Parameters {
            strategies: vec![strategy],
            when: Some(When::WorthIt),
            prices: Prices { tariff, minimum: 0, lifetime, ..Prices::DEFAULT },
            patience,
            min_messages,
            keep_at_least: 0,
            max_tokens: max,
            on_overflow: OnOverflow::Send,
            starts_with_user: false,
            ..Parameters::default()
        };
        let mut before: Option<Vec<Rc<ChatMessage>>> = None;
        let asks = |index: usize| whole.messages[index].role == "assistant".into() && index > 0;
        for end in (1..whole.messages.len()).filter(|index| asks(*index)) {
            let conversation = Conversation::default().with(whole.messages[..end].iter().map(|message| (**message).clone()).collect::<Vec<_>>());
            let mut request = ManageRequest { parameters: parameters.clone(), counts_characters: false, answers: Vec::new() };
            let mut counts = request.counts();
            // The time of a request is that of the last message before it; after an answer, that of its own answer.
            let asked_at = whole.messages[if asks(end - 1) || end == 1 { end } else { end - 1 }].at;
            let answer = (0..end).rev().find(|index| *whole.messages[*index].role == *"assistant");
            let since = answer.and_then(|answer| whole.messages[answer].at);
            let pause = since.zip(asked_at).map(|(since, now)| (now - since).max(0) as f64);
            let exchange = Exchange { pause, ..Exchange::default() };
            let Planned { plan, applied } = request.plan(&conversation, &exchange, &mut counts).unwrap();
            let applied = applied.expect("no model is needed");
            let sent: Vec<_> = applied.conversation.messages.clone();
            let folds = plan.cost().is_none_or(|cost| cost.advice.reason.folds());
            let is_cut = applied.fates.iter().any(|fate| fate.fate == Fate::Dropped);
            if let Some(before) = before.replace(sent.clone())
                && !folds
                && !is_cut
            {
                prop_assert!(sent.len() >= before.len(), "{:#?}\n=>\n{:#?}", before, sent);
                for (old, new) in before.iter().zip(&sent) {
                    prop_assert_eq!(&old.parts, &new.parts);
                }
            }
            if is_cut {
                before = None;
            }
        }
    }

    #[test]
    fn from_timestamp_manages_messages_without_timestamps(
        stretches in prop::collection::vec(stretch(), 0..25),
        time in 0..400i64,
        times in prop::collection::vec(prop::option::of(0..20u8), 120),
    ) {
        let conversation = written(&stretches, &times);
        let strategies = vec![Managed::FromTimestamp(time)];
        let parameters = Parameters { strategies, min_messages: 0, ..Parameters::default() };
        check(&conversation, &Exchange::default(), &parameters, false);
    }

    #[test]
    fn a_strategy_of_the_host_separates_no_call_from_its_result(
        stretches in prop::collection::vec(stretch(), 0..25),
        places in prop::collection::vec(0..5usize, 120),
        max in prop::option::of(1..20usize),
    ) {
        let conversation = written(&stretches, &[]);
        let mut plan = HostPlan { summarize: vec![HostGroup::default(); 2], ..HostPlan::default() };
        for (index, place) in places.iter().enumerate().take(conversation.messages.len()) {
            match place {
                1 => plan.drop.push(index),
                2 | 3 => plan.summarize[place - 2].covers.push(index),
                _ => plan.keep.push(index),
            }
        }
        plan.summarize.retain(|group| !group.covers.is_empty());
        let strategies = vec![Managed::Host { name: "mine".into(), plan: Some(plan) }];
        let parameters = Parameters { strategies, min_messages: 0, max_history_size: max, when: Some(When::Always), ..Parameters::default() };
        match done(&conversation, &Exchange::default(), &parameters, false) {
            Err(error) => prop_assert!(
                matches!(error.code, "invalid_strategy" | "compression_failed" | "pins_over_limit" | "request_over_budget"),
                "{}", error.message
            ),
            Ok(Done { applied, .. }) => {
                check_applied(&conversation, &applied);
                for (call, result) in pairs(&conversation.messages) {
                    prop_assert_eq!(stays(applied.fates[call].fate), stays(applied.fates[result].fate));
                }
                prop_assert!(max.is_none_or(|max| applied.conversation.messages.len() <= max));
            }
        }
    }
}
