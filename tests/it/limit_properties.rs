//! Properties of limits on chats whose host passes the whole history with each request.

use std::rc::Rc;

use proptest::prelude::*;
use turnfold::chat::{ChatMessage, Conversation, Exchange, OnOverflow, Parameters, Part, Planned, ResultOutcome};
use turnfold::costs::{Matching, Prices};

use crate::chat::ManageRequest;

/// What a model does with a request, and the lengths of texts.
#[derive(Clone, Debug)]
enum Step {
    /// It answers a question, which is asked when the previous step was an answer.
    Answer { question: usize, answer: usize },
    /// It calls a tool.
    Call { question: usize, result: usize },
    /// A message of the system comes first, then the model answers.
    Instruct { question: usize, instruction: usize },
}

fn step() -> impl Strategy<Value = Step> {
    let size = || 1..300_usize;
    prop_oneof![
        4 => (size(), size()).prop_map(|(question, answer)| Step::Answer { question, answer }),
        4 => (size(), size()).prop_map(|(question, result)| Step::Call { question, result }),
        1 => (size(), size()).prop_map(|(question, instruction)| Step::Instruct { question, instruction }),
    ]
}

/// A message whose text no other message has.
fn text(role: &str, step: usize, length: usize) -> ChatMessage {
    ChatMessage::text(role, format!("{role} {step}: {}", "x".repeat(length)))
}

fn calls(step: usize, result: usize) -> [ChatMessage; 2] {
    let id = format!("c{step}");
    let mut call = text("assistant", step, 0);
    call.parts = vec![Part::Call { id: id.as_str().into(), name: "read".into(), args: "{}".into(), is_server: false }];
    let mut answer = text("tool", step, 0);
    answer.parts = vec![Part::Result {
        id: id.into(),
        name: "read".into(),
        text: "x".repeat(result).into(),
        outcome: ResultOutcome::Returned,
        is_server: false,
    }];
    [call, answer]
}

proptest! {
    /// Requests begin with the messages of the previous one until those and the new messages exceed a limit. The cost
    /// of a request is computed with the beginning that it shares with the previous one.
    #[test]
    fn a_cut_stays_until_a_limit_is_exceeded_again(
        steps in prop::collection::vec(step(), 1..40),
        max_tokens in prop::option::weighted(0.8, 100..1000_usize),
        max_messages in prop::option::weighted(0.4, 4..20_usize),
        starts_with_user in prop::bool::weighted(0.8),
        keep_at_least in 0..4_usize,
        passes_question in any::<bool>(),
    ) {
        let parameters = Parameters {
            max_tokens,
            max_history_size: max_messages,
            starts_with_user,
            keep_at_least,
            on_overflow: OnOverflow::Send,
            prices: Prices { minimum: 0, lifetime: None, matching: Matching::Steps(1), ..Prices::DEFAULT },
            reports_cost: true,
            ..Parameters::default()
        };
        let mut request = ManageRequest { parameters, counts_characters: true, answers: Vec::new() };
        let mut whole: Vec<ChatMessage> = Vec::new();
        let mut previous: Option<(Vec<Rc<ChatMessage>>, usize)> = None;
        for (number, step) in steps.into_iter().enumerate() {
            let is_waiting = whole.last().is_some_and(|message| message.role == "tool".into());
            let (Step::Answer { question, .. } | Step::Call { question, .. } | Step::Instruct { question, .. }) = step;
            if let Step::Instruct { instruction, .. } = step && !is_waiting {
                whole.push(text("system", number, instruction));
            }
            if !is_waiting {
                whole.push(text("user", number, question));
            }
            let mut counts = request.counts();
            let (given, asked) = match passes_question && !is_waiting {
                true => whole.split_at(whole.len() - 1),
                false => (&whole[..], &[][..]),
            };
            let conversation = Conversation::default().with(given.to_vec());
            let asked: Vec<_> = asked.iter().cloned().map(Rc::new).collect();
            let messages = if asked.is_empty() { None } else { Some(asked.clone()) };
            let exchange = Exchange { messages, ..Exchange::default() };
            let Planned { applied, .. } = request.plan(&conversation, &exchange, &mut counts).unwrap();
            let applied = applied.expect("no model is needed");
            let mut sent = applied.conversation.messages.clone();
            sent.extend(asked);
            let mut size = |messages: &[Rc<ChatMessage>]| messages.iter().map(|message| counts.message(message)).sum::<usize>();
            // Providers count some tokens for each request.
            let fixed = applied.tokens.after - size(&sent);
            if let Some((before, length)) = previous {
                let same = before.iter().zip(&sent).take_while(|(old, new)| old.parts == new.parts).count();
                let new: Vec<_> = whole[length..].iter().cloned().map(Rc::new).collect();
                let fits = max_tokens.is_none_or(|max| fixed + size(&before) + size(&new) <= max)
                    && max_messages.is_none_or(|max| before.len() + new.len() <= max);
                // With `keep_at_least`, an answer can come first until more messages follow.
                let mut roles = before.iter().map(|message| &*message.role);
                let begins_with_user = roles.find(|role| *role != "system") == Some("user");
                let is_valid = begins_with_user || !starts_with_user;
                prop_assert!(same == before.len() || !(fits && is_valid), "{number}: {before:#?}\n=>\n{sent:#?}");
                let cost = applied.cost.expect("with prices");
                prop_assert_eq!(cost.bill.read, fixed + size(&sent[..same]), "{}: {:#?}\n=>\n{:#?}", number, before, sent);
                prop_assert_eq!(cost.bill.input(), applied.tokens.after);
            }
            previous = Some((sent, whole.len()));
            match step {
                Step::Answer { answer: length, .. } | Step::Instruct { instruction: length, .. } => {
                    whole.push(text("assistant", number, length));
                }
                Step::Call { result, .. } => whole.extend(calls(number, result)),
            }
        }
    }
}
