//! Shorter forms of tool results, in which every name and number stays readable.
//!
//! A form is a pure function of the text, so a result is the same bytes in every request. Each form has an inverse, and a
//! form is used only when the inverse gives back what it was made from: a text that a form could misread stays as it is.

mod hits;
mod json;
mod node;
mod numbered;
mod repeated;
mod table;
mod terminal;

use std::borrow::Cow;

use crate::tokens::{Estimate, TokenCounter};
use crate::value::Value;

use crate::text::join;
pub(crate) use hits::is_hit;
use hits::{SearchHits, is_file_name};
use json::Json;
use numbered::NumberedLines;
use repeated::RepeatedLines;
use terminal::TerminalOutput;

/// How results are written from the first request on that has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// True when results are written in shorter forms, and lines that the request has already are referred to.
    pub is_lossless: bool,
    /// Results of more tokens are shown in part, with the handle by which the model recalls the whole.
    pub above: Option<usize>,
}

/// What a result is a result of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A file that the model may have to quote when it changes it: only the padding of line numbers is removed.
    File,
    /// Anything else.
    Other,
}

/// Arguments that name a file.
pub const FILE_ARGUMENTS: [&str; 10] = [
    "path",
    "file",
    "file_path",
    "filePath",
    "filename",
    "file_name",
    "absolute_path",
    "target_file",
    "notebook_path",
    "uri",
];

/// Arguments of calls that search.
const SEARCH_ARGUMENTS: [&str; 5] = ["pattern", "query", "regex", "glob", "search"];

/// Commands that print a file.
const READING_COMMANDS: [&str; 10] = ["cat", "head", "tail", "sed", "nl", "less", "more", "bat", "type", "Get-Content"];

impl Source {
    /// What a call with these arguments returns, by name or in their order.
    pub fn of(args: &Value) -> Source {
        let is_file = match args {
            Value::Map(members) => {
                let has = |names: &[&str]| {
                    names.iter().any(|name| members.get_keyword(name).is_some_and(|value| *value != Value::Nil))
                };
                let reads = members.iter().filter_map(|(_, value)| value.as_str()).any(is_reading_command);
                reads || (has(&FILE_ARGUMENTS) && !has(&SEARCH_ARGUMENTS))
            }
            Value::Vector(items) => {
                items.iter().filter_map(Value::as_str).any(|text| is_file_name(text) || is_reading_command(text))
            }
            _ => false,
        };
        if is_file { Source::File } else { Source::Other }
    }
}

/// True for a command line in which a command prints a file.
fn is_reading_command(text: &str) -> bool {
    text.split(['\n', ';', '&']).any(|command| {
        let first = command.split('|').next().and_then(|command| command.split_whitespace().next());
        first.is_some_and(|first| READING_COMMANDS.contains(&first))
    })
}

/// A way to write texts shorter.
trait ShortForm: Sync {
    /// True when it changes nothing but line numbers that a tool has added to a file.
    fn suits_files(&self) -> bool {
        false
    }

    /// Writes a text shorter; None when the form does not fit it.
    fn shorten(&self, text: &str) -> Option<String>;

    /// Returns what a text was made from; None for a text that this form has not made.
    fn restore(&self, short: &str) -> Option<String>;

    /// True when a restored text says the same as the given one. Forms that drop what nobody reads compare the rest.
    fn is_same(&self, given: &str, restored: &str) -> bool {
        given == restored
    }
}

/// In the order in which they are applied.
const FORMS: [&dyn ShortForm; 5] = [&TerminalOutput, &NumberedLines, &SearchHits, &Json, &RepeatedLines];

/// Shorter texts stay as they are, in bytes.
const SHORTEST: usize = 160;

/// A form is used when its text has at most this share of the tokens.
const LARGEST_SHARE: f64 = 0.97;

/// Returns a shorter form of the result of a call; None when the result stays as it is.
pub fn shortened(text: &str, source: Source) -> Option<String> {
    shortened_from(text, source, || Estimate.count(text)).map(|(short, _)| short)
}

/// Returns a shorter form with its estimated tokens. `tokens` gives those of the text.
pub fn shortened_from(text: &str, source: Source, tokens: impl FnOnce() -> usize) -> Option<(String, usize)> {
    if text.len() < SHORTEST {
        return None;
    }
    let mut short = Cow::Borrowed(text);
    for form in FORMS.iter().filter(|form| source == Source::Other || form.suits_files()) {
        let next = form.shorten(&short).filter(|next| next.len() < short.len());
        if let Some(next) = next
            && form.restore(&next).is_some_and(|restored| form.is_same(&short, &restored))
        {
            short = Cow::Owned(next);
        }
    }
    let Cow::Owned(short) = short else { return None };
    let after = Estimate.count(&short);
    (after as f64 <= tokens() as f64 * LARGEST_SHARE).then_some((short, after))
}

/// Joins lines, and keeps the line break at the end of the text from which they were split.
fn joined(mut lines: Vec<Cow<'_, str>>, text: &str) -> String {
    if text.ends_with('\n') {
        lines.push(Cow::Borrowed(""));
    }
    join(&lines, "\n")
}

/// The lines of a text, without an empty one after the last line break. Carriage returns are part of the lines.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.strip_suffix('\n').unwrap_or(text).split('\n')
}

/// Splits a whole number from the beginning of a text.
pub(crate) fn split_number(text: &str) -> Option<(&str, &str)> {
    let end = text.bytes().take_while(u8::is_ascii_digit).count();
    (end > 0).then(|| text.split_at(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn other(text: &str) -> Option<String> {
        shortened(text, Source::Other)
    }

    #[test]
    fn records_become_a_table() {
        let text = r#"[
  { "number": 101, "title": "Crash, on start", "state": "open", "user": { "login": "ada", "id": 7 }, "labels": ["bug"] },
  { "number": 102, "title": "true", "state": "closed", "user": { "login": "bob", "id": 8 }, "labels": [], "at": null },
  { "number": 1.50, "title": "", "state": "open", "user": { "login": "42", "id": 9 }, "labels": ["a", "b"] }
]"#;
        let table = "\
3 records:
number,title,state,user.login,user.id,labels,at
101,\"Crash, on start\",open,ada,7,[\"bug\"],
102,\"true\",closed,bob,8,[],null
1.50,\"\",open,\"42\",9,[\"a\",\"b\"],";
        assert_eq!(other(text).as_deref(), Some(table));
        assert!(Json.is_same(text, &Json.restore(table).unwrap()));
    }

    #[test]
    fn records_inside_of_an_object_become_a_table_and_the_rest_stays_readable() {
        let row = |id: usize| format!(r#"{{"id": {id}, "name": "worker-{id}", "is_ready": true, "zone": "eu-west"}}"#);
        let rows: Vec<_> = (1..=4).map(row).collect();
        let text = format!(
            r#"Exit code: 0
{{"total": 4, "next": null, "items": [{}], "took": {{"ms": 12}}}}"#,
            rows.join(", ")
        );
        let table = "\
Exit code: 0
total: 4
next: null
items: 4 records
id,name,is_ready,zone
1,worker-1,true,eu-west
2,worker-2,true,eu-west
3,worker-3,true,eu-west
4,worker-4,true,eu-west
took: {\"ms\":12}";
        assert_eq!(other(&text).as_deref(), Some(table));
    }

    #[test]
    fn json_lines_become_a_table() {
        let line =
            |id: usize| format!(r#"{{"level": "info", "request": {id}, "path": "/api/items/{id}", "status": 200}}"#);
        let text = (1..=3).map(line).collect::<Vec<_>>().join("\n") + "\n";
        let table = "\
3 lines of JSON:
level,request,path,status
info,1,/api/items/1,200
info,2,/api/items/2,200
info,3,/api/items/3,200
";
        assert_eq!(other(&text).as_deref(), Some(table));
    }

    #[test]
    fn other_json_loses_its_blanks_and_nothing_else() {
        let text = "{\n    \"name\": \"demo\\u0041 \\\" x\",\n    \"big\": 12345678901234567890,\n    \"list\": [ 1.0, 2e5, -0 ],\n    \"nested\": {\n        \"deep\": {\n            \"deeper\": [ true, false, null ]\n        }\n    }\n}\n";
        let short = r#"{"name":"demo\u0041 \" x","big":12345678901234567890,"list":[1.0,2e5,-0],"nested":{"deep":{"deeper":[true,false,null]}}}"#;
        assert_eq!(other(text).as_deref(), Some(short));
    }

    #[test]
    fn a_file_loses_the_padding_of_its_line_numbers_and_nothing_else() {
        let text: String = (8..=30).map(|n| format!("{n:>6}→    let value{n} = 1;   \n")).collect();
        let short: String = (8..=30).map(|n| format!("{n}→    let value{n} = 1;   \n")).collect();
        assert_eq!(shortened(&text, Source::File).as_deref(), Some(&*short));
        let json = "{\n  \"name\": \"demo\",\n".to_owned() + &"  \"a\": 1,\n".repeat(40) + "  \"z\": 1\n}\n";
        assert_eq!(shortened(&json, Source::File), None);
        assert!(shortened(&json, Source::Other).is_some());
    }

    #[test]
    fn hits_of_a_search_are_listed_below_their_file() {
        let file = "packages/server/src/handlers/requests.ts";
        let text = format!(
            "{file}:12:import {{ a }} from \"a\";\n{file}-13-\n{file}:14:import b;\n--\n{file}:90:import c;\nREADME.md:1:# import\n"
        );
        let short = format!(
            "{file}\n12:import {{ a }} from \"a\";\n13-\n14:import b;\n--\n90:import c;\nREADME.md:1:# import\n"
        );
        assert_eq!(other(&text), Some(short));
    }

    #[test]
    fn times_in_logs_are_no_line_numbers() {
        let text: String =
            (0..20).map(|n| format!("2026-11-02T10:{:02}:07 GET /api/items/{n} 200\n", n + 10)).collect();
        assert_eq!(other(&text), None);
    }

    #[test]
    fn equal_lines_in_a_row_are_counted() {
        let text = format!("start\n{}end\n", "waiting for the database to accept connections\n".repeat(12));
        let short = "start\nwaiting for the database to accept connections\n[the line above, 11 more times]\nend\n";
        assert_eq!(other(&text).as_deref(), Some(short));
        // A text that has such a note itself is not misread.
        let noted = text.replace("end", "[the line above, 2 more times]");
        assert_eq!(other(&noted), None);
    }

    #[test]
    fn colors_of_a_terminal_are_dropped() {
        let text: String = (0..20).map(|n| format!("\x1b[32m✓\x1b[0m \x1b[1mtest number {n}\x1b[22m   \n")).collect();
        let short: String = (0..20).map(|n| format!("✓ test number {n}\n")).collect();
        assert_eq!(other(&text), Some(short));
    }
}

/// Proptest needs a source of randomness, which a browser's wasm has not.
#[cfg(all(test, not(target_arch = "wasm32")))]
mod properties {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    /// A text of words, in which forms find what they look for.
    fn word() -> impl Strategy<Value = String> {
        prop_oneof![
            "[a-z]{1,6}( [a-z]{1,6}){0,2}",
            "-?[0-9]{1,4}(\\.[0-9]{1,2})?",
            prop_oneof![Just("true"), Just(""), Just("null"), Just("a, b"), Just("[x"), Just("3 records"), Just(" x ")]
                .prop_map(str::to_owned),
        ]
    }

    fn json() -> impl Strategy<Value = String> {
        let text = word().prop_map(|text| format!("\"{text}\""));
        let leaf = prop_oneof![text, Just("null".to_owned()), Just("1.50".to_owned()), Just("-12e3".to_owned())];
        let record = |value: BoxedStrategy<String>| {
            vec(("[a-d]{1,2}", value), 0..5).prop_map(|members| {
                let mut known: Vec<(String, String)> = Vec::new();
                for (key, value) in members {
                    if known.iter().all(|(name, _)| *name != key) {
                        known.push((key, value));
                    }
                }
                let members = known.iter().map(|(key, value)| format!("\"{key}\": {value}"));
                format!("{{ {} }}", members.collect::<Vec<_>>().join(",\n  "))
            })
        };
        leaf.prop_recursive(4, 60, 6, move |value| {
            let list = vec(value.clone(), 0..5).prop_map(|items| format!("[ {} ]", items.join(", ")));
            let records = vec(record(value.clone().boxed()), 2..6).prop_map(|items| format!("[{}]", items.join(",")));
            prop_oneof![list, record(value.boxed()), records]
        })
    }

    /// A text of several lines, of which many are alike.
    fn output() -> impl Strategy<Value = String> {
        let line = prop_oneof![
            word(),
            ("[ab]\\.ts|src/c|2026-01-02T10", "[:-]", 1..99u8, word())
                .prop_map(|(f, s, n, w)| format!("{f}{s}{n}{s}{w}")),
            (1..200u8, word()).prop_map(|(n, w)| format!("{n:>6}→{w}")),
            (1..200u8, word()).prop_map(|(n, w)| format!("{n}\t{w}")),
            word().prop_map(|word| format!("\x1b[1;31m{word}\x1b[0m  \x1b]0;title\x07")),
            prop_oneof![Just("--"), Just("a.ts"), Just("[the line above, 2 more times]")].prop_map(str::to_owned),
        ];
        vec((line, 1..5usize), 0..12)
            .prop_map(|runs| runs.iter().map(|(line, count)| format!("{line}\n").repeat(*count)).collect())
    }

    proptest! {
        #[test]
        fn what_a_form_of_json_was_made_from_is_restored(value in json(), before in prop_oneof![Just(""), Just("Output:\n")]) {
            let text = format!("{before}{value}");
            if let Some(short) = Json.shorten(&text) {
                let restored = Json.restore(&short);
                prop_assert!(restored.is_some_and(|restored| Json.is_same(&text, &restored)), "{}", short);
            }
        }

        #[test]
        fn a_text_without_notes_of_its_own_is_never_misread(text in output()) {
            let looks_written = |line: &str| {
                let is_numbered = split_number(line).is_some_and(|(_, rest)| rest.starts_with(['→', '\t', ':', '-']));
                is_numbered || line.starts_with('[') || is_file_name(line)
            };
            let plain = text.lines().filter(|line| !looks_written(line)).map(|line| format!("{line}\n"));
            let plain: String = plain.collect();
            for form in [&NumberedLines as &dyn ShortForm, &SearchHits, &RepeatedLines] {
                if let Some(short) = form.shorten(&plain) {
                    prop_assert_eq!(form.restore(&short), Some(plain.clone()));
                }
            }
        }
    }
}
