//! Results as they are sent from the first request on that has them.

use std::rc::Rc;

use super::fate::{Stub, StubbedPart};
use super::handle::handle_of;
use super::media::NotedText;
use super::message::{ArrivedMessage, ChatMessage, ResultPart};
use crate::arrival::{Arrival, FILE_ARGUMENTS, Source, shortened_from};
use crate::names::{ShownNames, list_names};
use crate::value::{Map, Names, Str, Value, read_json};

/// The name of the tool that returns whole results. What it returns is shown in full.
const RECALL: &str = "recall";

/// How many characters of the beginning of a result are shown when it is shown in part, and how many names of the rest.
const HEAD: usize = 1200;
const NAMES: usize = 60;

/// The longest argument in the description of a call, in characters.
const LONGEST_ARGUMENT: usize = 80;

/// Makes the messages of a conversation as they are sent, one after the other.
pub(super) struct Arrivals {
    arrival: Arrival,
    /// The calls so far, by their ids, or by the names of their tools if they have none.
    calls: Names<KnownCall>,
}

/// The tool and the arguments.
type KnownCall = (Str, Str);

impl Arrivals {
    pub fn new(arrival: Arrival) -> Self {
        Arrivals { arrival, calls: Names::default() }
    }

    /// Returns the next message as it is sent, and the texts in it that replace results.
    pub fn next(&mut self, given: &Rc<ChatMessage>) -> (Rc<ChatMessage>, Rc<[Stub]>) {
        for call in given.calls().filter(|call| !call.is_server) {
            let known = (call.name.clone(), call.args.text.clone());
            self.calls.insert(call_key(call.id, call.name).clone(), known);
        }
        // Conversations with the same message may have other calls.
        let is_known = |known: &ArrivedMessage| {
            known.arrival == self.arrival && self.calls_of(given).eq(known.calls.iter().map(Option::as_ref))
        };
        let known = given.arrived.take().filter(is_known).unwrap_or_else(|| self.arrive(given));
        let message = known.message.clone().unwrap_or_else(|| given.clone());
        let forms = known.forms.clone();
        given.arrived.replace(Some(known));
        (message, forms)
    }

    fn arrive(&self, given: &ChatMessage) -> ArrivedMessage {
        let results = given.results().enumerate().filter(|_| !given.is_pinned);
        let forms = results.filter_map(|(index, result)| Some((index, self.form(result)?)));
        let forms: Vec<(usize, NotedText)> = forms.collect();
        let stub =
            |(index, form): &(usize, NotedText)| Stub { part: StubbedPart::Result(*index), text: form.text.clone() };
        let stubs: Rc<[Stub]> = forms.iter().map(stub).collect();
        let message = if forms.is_empty() { None } else { Some(Rc::new(given.with_stubs(&stubs))) };
        for (index, form) in &forms {
            let result = message.as_ref().and_then(|message| message.results().nth(*index));
            result.into_iter().for_each(|result| result.text.set_estimate(form.estimate()));
        }
        ArrivedMessage {
            arrival: self.arrival,
            calls: self.calls_of(given).map(Option::<&_>::cloned).collect(),
            forms: stubs,
            message,
        }
    }

    /// The calls of the results of a message, as far as they are known.
    fn calls_of(&self, given: &ChatMessage) -> impl Iterator<Item = Option<&KnownCall>> {
        given.results().map(|result| self.calls.get(call_key(result.id, result.name)))
    }

    fn form(&self, ResultPart { id, name, text, is_server, .. }: ResultPart<'_>) -> Option<NotedText> {
        if is_server || text.media > 0 {
            return None;
        }
        let call = self.calls.get(call_key(id, name));
        let source =
            call.and_then(|(_, args)| Some(Source::of(&Value::Map(arguments(args)?)))).unwrap_or(Source::Other);
        let short = if self.arrival.is_lossless { shortened_from(text, source, || text.estimate()) } else { None };
        let short = short.map(|(short, tokens)| {
            let short = NotedText::from(short);
            short.set_estimate(tokens);
            short
        });
        let is_recalled = call.is_some_and(|(tool, _)| is_recall(tool));
        let above = self.arrival.above.filter(|_| !is_recalled && !id.is_empty());
        above.and_then(|above| in_part(id, short.as_ref().unwrap_or(text), text, above).map(NotedText::from)).or(short)
    }
}

/// True for the tool that returns whole results.
pub(super) fn is_recall(tool: &str) -> bool {
    tool == RECALL
}

/// What identifies the call of a result: its id, or the name of the tool without one.
pub(super) fn call_key<'m>(id: &'m Str, name: &'m Str) -> &'m Str {
    if id.is_empty() { name } else { id }
}

/// Shows a result of more than `above` tokens in part: what it is, its beginning, and names in the rest. None when it is
/// not longer.
fn in_part(id: &str, shown: &NotedText, given: &str, above: usize) -> Option<String> {
    let tokens = shown.estimate();
    if tokens <= above {
        return None;
    }
    let end = shown.char_indices().nth(HEAD).map_or(shown.len(), |(at, _)| at);
    let end = shown[..end].rfind('\n').filter(|at| *at > 0).unwrap_or(end);
    let (head, rest) = shown.split_at(end);
    let mut known = ShownNames::default();
    known.add(head);
    let names = list_names(rest, ", ", NAMES, &mut known);
    let names = if names.is_empty() { names } else { format!("\nnames in the rest: {names}") };
    let lines = given.lines().count();
    let of = if lines == 1 { "1 line".to_owned() } else { format!("{lines} lines") };
    let handle = handle_of(id);
    let note = format!(
        "[the beginning of a result of {of}, about {tokens} tokens; {RECALL}({{\"id\": \"{handle}\"}}) returns all of it]"
    );
    Some(format!("{note}\n{head}\n[…]{names}"))
}

fn arguments(args: &str) -> Option<Map> {
    match read_json(args, true) {
        Ok(Value::Map(members)) => Some(members),
        _ => None,
    }
}

/// A call as a reader knows it: the tool, with the file or the first text among the arguments.
pub(super) fn described_call(tool: &str, args: &str) -> String {
    let members = arguments(args).unwrap_or_default();
    let named = FILE_ARGUMENTS.iter().find_map(|name| members.get_keyword(name)?.as_str());
    let argument = named.or_else(|| members.iter().find_map(|(_, value)| value.as_str()));
    let argument = argument.filter(|text| text.chars().count() <= LONGEST_ARGUMENT && !text.contains('\n'));
    format!("{tool}({})", argument.unwrap_or_default())
}
