//! Plans and results for JavaScript. They grow with the history, so they are passed as JSON text.

use serde::Serialize;

use crate::chat::{
    Applied, Entry, HistoryProblem, HostQuestion, MessageFate, Part, Plan, SentMessage, Stub, StubbedPart,
    SummaryRequest, TokenChange,
};
use crate::wasm::prices::RequestCostRecord;

/// The result of planning or applying, or what it needs from the host first.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Response<'a> {
    /// The host counts the tokens of these texts.
    Count {
        count: Vec<&'a str>,
    },
    /// The host runs one of its strategies.
    Host {
        host: QuestionRecord<'a>,
    },
    Plan {
        plan: PlanRecord<'a>,
    },
    Applied {
        applied: AppliedRecord<'a>,
    },
}

/// The input of a strategy of the host.
#[derive(Serialize)]
pub(super) struct QuestionRecord<'a> {
    strategy: usize,
    messages: Vec<ShownRecord>,
    stubbed: Vec<StubbedRecord<'a>>,
}

/// A message that is left.
#[derive(Serialize)]
struct ShownRecord {
    index: usize,
    tokens: usize,
}

/// A message with stubs in some of its parts.
#[derive(Serialize)]
struct StubbedRecord<'a> {
    index: usize,
    stubs: Vec<StubRecord<'a>>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum StubRecord<'a> {
    /// A text replaces the result at this index among the results of its message.
    Result { result: usize, text: &'a str },
    /// An object, as JSON, replaces the arguments of the call at this index among the calls of its message.
    Call { call: usize, args: &'a str },
}

impl QuestionRecord<'_> {
    pub fn of(question: &HostQuestion) -> QuestionRecord<'_> {
        let shown = |(index, tokens): &(usize, usize)| ShownRecord { index: *index, tokens: *tokens };
        QuestionRecord {
            strategy: question.strategy,
            messages: question.messages.iter().map(shown).collect(),
            stubbed: question.stubs.iter().map(|(index, stubs)| StubbedRecord::of(*index, stubs)).collect(),
        }
    }
}

impl StubbedRecord<'_> {
    fn of(index: usize, stubs: &[Stub]) -> StubbedRecord<'_> {
        let stubs = stubs.iter().map(|Stub { part, text }| match *part {
            StubbedPart::Result(result) => StubRecord::Result { result, text },
            StubbedPart::Call(call) => StubRecord::Call { call, args: text },
        });
        StubbedRecord { index, stubs: stubs.collect() }
    }
}

#[derive(Serialize)]
pub(super) struct PlanRecord<'a> {
    /// The tokens of each message that was not settled.
    sizes: Vec<usize>,
    fates: Vec<FateRecord<'a>>,
    requests: Vec<SummaryRequestRecord<'a>>,
    warnings: &'a [String],
    reason: Option<&'a str>,
    tokens: TokensRecord,
    /// The names of the strategies.
    strategy: Option<&'a str>,
    /// The cost of the request, when the parameters ask for it.
    cache: Option<RequestCostRecord>,
    /// The result when no summary is needed.
    ready: Option<AppliedRecord<'a>>,
    /// The texts with which messages of the conversation are sent in requests for summaries behind it.
    sent: Vec<StubbedRecord<'a>>,
}

/// The fate of `count` messages in a row. With a record for each message, the records of 10,000 messages take JavaScript
/// 5 ms to read, half of the time that planning takes.
#[derive(Serialize)]
struct FateRecord<'a> {
    count: usize,
    fate: &'static str,
    reason: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SummaryRequestRecord<'a> {
    /// The index of its group: one summary is made of the answers to all requests of a group.
    group: usize,
    /// The tokens of the messages of the group.
    covered: usize,
    instruction: &'a str,
    transcript: &'a str,
    behind: Option<usize>,
    covers: &'a [usize],
    expected_tokens: usize,
}

#[derive(Serialize)]
struct TokensRecord {
    before: usize,
    after: usize,
}

impl PlanRecord<'_> {
    /// `fates` are those of the plan.
    pub fn of<'a>(plan: &'a Plan, fates: &'a [MessageFate], ready: Option<&'a Applied>) -> PlanRecord<'a> {
        let request = |(group, request): (usize, &'a SummaryRequest)| SummaryRequestRecord {
            group,
            covered: plan.covered(group),
            instruction: &request.instruction,
            transcript: &request.transcript,
            behind: request.behind,
            covers: &request.covers,
            expected_tokens: plan.expected_tokens(request),
        };
        PlanRecord {
            sizes: fates.iter().map(|fate| fate.tokens).collect(),
            fates: fate_records(fates),
            requests: plan.requests().map(request).collect(),
            warnings: &plan.warnings,
            reason: plan.reason.as_deref(),
            tokens: TokensRecord::of(plan.tokens()),
            strategy: plan.strategy.as_deref(),
            cache: plan.cost().as_ref().map(RequestCostRecord::from),
            ready: ready.map(AppliedRecord::of),
            sent: sent_records(0, plan.sent_behind()),
        }
    }
}

impl TokensRecord {
    fn of(TokenChange { before, after }: TokenChange) -> TokensRecord {
        TokensRecord { before, after }
    }
}

fn fate_records(fates: &[MessageFate]) -> Vec<FateRecord<'_>> {
    let runs = fates.chunk_by(|left, right| left.fate == right.fate && left.reason == right.reason);
    runs.filter_map(|run| {
        let first = run.first()?;
        Some(FateRecord { count: run.len(), fate: first.fate.name(), reason: first.reason.as_deref() })
    })
    .collect()
}

#[derive(Serialize)]
pub(super) struct AppliedRecord<'a> {
    outcome: &'static str,
    fates: Vec<FateRecord<'a>>,
    /// The messages of the new conversation.
    entries: Vec<EntryRecord<'a>>,
    /// The texts with which messages of the new conversation are sent in place of results.
    sent: Vec<StubbedRecord<'a>>,
    warnings: &'a [String],
    reason: Option<&'a str>,
    tokens: TokensRecord,
    /// For each group, whether its messages stay because it has no summary.
    left: &'a [bool],
    /// How many summaries there are.
    inserted: usize,
    cache: Option<RequestCostRecord>,
}

/// Messages of the new conversation.
#[derive(Serialize)]
#[serde(untagged)]
enum EntryRecord<'a> {
    /// The messages of the old conversation from one index up to another, exclusive.
    Kept {
        start: usize,
        end: usize,
    },
    Stubbed(StubbedRecord<'a>),
    Summary(SummaryRecord<'a>),
}

#[derive(Serialize)]
struct SummaryRecord<'a> {
    role: &'a str,
    content: &'a str,
    covers: usize,
    strategy: &'a str,
    followed: Option<usize>,
    tokens: Option<usize>,
    timestamp: Option<i64>,
}

impl AppliedRecord<'_> {
    pub fn of(applied: &Applied) -> AppliedRecord<'_> {
        AppliedRecord {
            outcome: applied.outcome.name(),
            fates: fate_records(&applied.fates),
            entries: EntryRecord::all(applied),
            sent: sent_records(applied.settled, &applied.sent),
            warnings: &applied.warnings,
            reason: applied.reason.as_deref(),
            tokens: TokensRecord::of(applied.tokens),
            left: &applied.unsummarized,
            inserted: applied.inserted,
            cache: applied.cost.as_ref().map(RequestCostRecord::from),
        }
    }
}

/// The messages from index `start` on that are sent with other texts.
fn sent_records(start: usize, sent: &[SentMessage]) -> Vec<StubbedRecord<'_>> {
    let changed = sent.iter().enumerate().filter(|(_, sent)| !sent.texts.is_empty());
    changed.map(|(index, sent)| StubbedRecord::of(start + index, &sent.texts)).collect()
}

impl EntryRecord<'_> {
    fn all(applied: &Applied) -> Vec<EntryRecord<'_>> {
        let mut records = vec![EntryRecord::Kept { start: 0, end: applied.settled }];
        for entry in &applied.entries {
            match (entry, records.last_mut()) {
                (Entry::Kept(index), Some(EntryRecord::Kept { end, .. })) if end == index => *end += 1,
                _ => records.push(EntryRecord::of(entry)),
            }
        }
        records
    }

    fn of(entry: &Entry) -> EntryRecord<'_> {
        match entry {
            Entry::Kept(index) => EntryRecord::Kept { start: *index, end: index + 1 },
            Entry::Stubbed(index, stubs) => EntryRecord::Stubbed(StubbedRecord::of(*index, stubs)),
            Entry::Summary(message) => {
                let text = message.parts.iter().find_map(|part| match part {
                    Part::Text(text) => Some(&**text),
                    _ => None,
                });
                let summary = message.summary.as_ref();
                EntryRecord::Summary(SummaryRecord {
                    role: &message.role,
                    content: text.unwrap_or_default(),
                    covers: summary.map_or(0, |summary| summary.covers),
                    strategy: summary.map_or("", |summary| &summary.strategy),
                    followed: summary.and_then(|summary| summary.followed),
                    tokens: summary.and_then(|summary| summary.tokens),
                    timestamp: message.at,
                })
            }
        }
    }
}

/// A problem for which providers would refuse a conversation.
#[derive(Serialize)]
pub(super) struct ProblemRecord<'a> {
    kind: &'static str,
    /// Of the message.
    index: usize,
    message: &'a str,
}

impl ProblemRecord<'_> {
    pub fn of(problem: &HistoryProblem) -> ProblemRecord<'_> {
        ProblemRecord { kind: problem.kind.name(), index: problem.index, message: &problem.message }
    }
}
