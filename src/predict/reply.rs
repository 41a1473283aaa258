//! Reads outputs from a model's reply.
//!
//! A model that has seen turns in one form may reply in that form instead of the requested one. So every form is tried,
//! the one of the adapter first.

use super::adapter::Adapter;
use super::notation::{MARKER, MARKER_END, label};
use crate::reply::{FencedBlock, begins_with_thoughts, blocks, trim, without_thoughts};
use crate::signature::{Field, Mismatch, Type, values_of};
use crate::value::{Map, Value, read_json};

/// The largest number of `{` that are tried as the beginning of an object.
const MAX_OBJECTS: usize = 20;

/// Characters of Markdown that models write before labels.
const MARKDOWN: [char; 5] = ['*', '#', '-', '>', '`'];

/// The values of the fields in a reply, not yet checked.
pub fn read(fields: &[Field], adapter: Adapter, reply: &str) -> Result<Map, Vec<Mismatch>> {
    let wrong = |message: &str| Err(vec![Mismatch { path: String::new(), message: message.into() }]);
    let Some(said) = without_thoughts(reply) else {
        return wrong("the reply ends in the middle of its thoughts");
    };
    let (mut best, mut max) = most_fields(fields, adapter, said);
    if may_be_value(reply, said) {
        let (whole, count) = most_fields(fields, adapter, reply);
        if count > max {
            (best, max) = (whole, count);
        }
    }
    if max > 0 {
        return Ok(best);
    }
    let reply = trim(said);
    if reply.is_empty() {
        return wrong("the reply is empty");
    }
    let shown: Vec<_> = fields.iter().filter(|field| !field.hidden()).collect();
    match *shown {
        // A reply in none of the forms is the value of the only output.
        [field] if adapter == Adapter::Default => {
            Ok(Map::from_iter([(Value::keyword(&field.name), typed(field, reply))]))
        }
        _ => {
            let wanted = match adapter {
                Adapter::Default => "it has none of the lines that are wanted",
                Adapter::Chat => "it has none of the markers that are wanted",
                Adapter::Json => "it has no JSON object with what is wanted",
            };
            wrong(wanted)
        }
    }
}

/// True when the tag before `said`, the rest of the reply, may be part of a value: thoughts without an opening tag end at
/// the end of a line.
fn may_be_value(reply: &str, said: &str) -> bool {
    let rest = said.trim_start_matches([' ', '\t']);
    said.len() < reply.len() && !begins_with_thoughts(reply) && !rest.is_empty() && !rest.starts_with(['\n', '\r'])
}

/// The values of the form in which the reply has the most fields, and their number. The value of a field may look like a
/// reply in another form, but then has fewer of the fields.
fn most_fields(fields: &[Field], adapter: Adapter, reply: &str) -> (Map, usize) {
    let reply = trim(reply);
    let all = blocks_in(reply);
    let lines = match &*all {
        [block] if block.closed && block.span == (0, reply.len()) => block.text,
        _ => reply,
    };
    let forms = match adapter {
        Adapter::Default => [Adapter::Default, Adapter::Json, Adapter::Chat],
        Adapter::Chat => [Adapter::Chat, Adapter::Json, Adapter::Default],
        Adapter::Json => [Adapter::Json, Adapter::Default, Adapter::Chat],
    };
    let (mut best, mut max) = (Map::default(), 0);
    for form in forms {
        let found = match form {
            Adapter::Default => labelled(fields, lines),
            Adapter::Chat => marked(fields, lines),
            Adapter::Json => object(fields, reply),
        };
        let count = values_of(fields, &found).iter().flatten().count();
        if count > max {
            (best, max) = (found, count);
        }
    }
    (best, max)
}

/// The fenced blocks of a reply, which may contain JSON.
fn blocks_in(text: &str) -> Vec<FencedBlock<'_>> {
    blocks(text, &|code| read_json(code.trim(), true).is_ok())
}

/// Reads `Field: value` lines. Each field begins once: a later line that looks like it is part of a value.
fn labelled(fields: &[Field], reply: &str) -> Map {
    collect(fields, reply, &|line| {
        // An indented line continues a value.
        if line.starts_with([' ', '\t']) {
            return None;
        }
        let (name, rest) = line.trim_start_matches(MARKDOWN).split_once(':')?;
        let rest = if line.starts_with(MARKDOWN) { rest.trim_start_matches(['*', '`']) } else { rest };
        let name = name.trim_end_matches(['*', '`']).trim();
        Some((field_of(fields, name)?, rest))
    })
}

/// Reads values below `[[ ## name ## ]]` markers. Each field begins once; a marker of no field ends the value before it.
fn marked(fields: &[Field], reply: &str) -> Map {
    collect(fields, reply, &|line| {
        let (name, rest) = line.strip_prefix(MARKER)?.split_once(MARKER_END)?;
        Some((field_of(fields, name.trim()).unwrap_or(usize::MAX), rest))
    })
}

/// The field of a name or label, spelled exactly, else in any case and with spaces for underscores.
fn field_of(fields: &[Field], name: &str) -> Option<usize> {
    let shown = |is_it: &dyn Fn(&Field) -> bool| fields.iter().position(|field| !field.hidden() && is_it(field));
    shown(&|field| *field.name == *name || label(&field.name) == name)
        .or_else(|| shown(&|field| field.name.eq_ignore_ascii_case(&name.replace(' ', "_"))))
}

/// Assigns to each field the text from the line that begins it to the line that begins another one. `begins` returns
/// the index of the field that a line begins, with the rest of the line; an index without a field ends the value before
/// it.
fn collect(fields: &[Field], reply: &str, begins: &dyn Fn(&str) -> Option<(usize, &str)>) -> Map {
    let mut texts: Vec<Option<Vec<&str>>> = vec![None; fields.len()];
    let mut current = None;
    for line in reply.lines() {
        match begins(line) {
            Some((position, rest)) if texts.get(position).is_none_or(Option::is_none) => {
                current = Some(position);
                if let Some(text) = texts.get_mut(position) {
                    *text = Some(vec![rest]);
                }
            }
            _ => {
                if let Some(Some(text)) = current.and_then(|position| texts.get_mut(position)) {
                    text.push(line);
                }
            }
        }
    }
    let mut found = Map::default();
    for (field, text) in fields.iter().zip(&texts) {
        if let Some(lines) = text {
            found.insert(Value::keyword(&field.name), typed(field, &unindented(lines)));
        }
    }
    found
}

/// The lines of a value without the indentation that `write_lines` adds.
fn unindented(lines: &[&str]) -> String {
    let further = lines.get(1..).unwrap_or_default();
    let indented = further.iter().all(|line| line.starts_with("  ") || line.trim().is_empty());
    let mut text = String::new();
    for (index, line) in lines.iter().enumerate() {
        text.push_str(if index > 0 { "\n" } else { "" });
        text.push_str(if index > 0 && indented { line.strip_prefix("  ").unwrap_or_default() } else { line });
    }
    text
}

/// Reads a JSON object that has any of the fields: the whole reply, a block, or an object inside prose.
fn object(fields: &[Field], reply: &str) -> Map {
    let read = |text: &str| match read_json(text.trim(), true) {
        Ok(Value::Map(map)) if values_of(fields, &map).iter().any(Option::is_some) => Some(map),
        _ => None,
    };
    if let Some(map) = read(reply).or_else(|| blocks_in(reply).iter().find_map(|block| read(block.text))) {
        return map;
    }
    let Some(end) = reply.rfind('}') else { return Map::default() };
    let inside = &reply[..=end];
    let mut starts = inside.match_indices('{').take(MAX_OBJECTS);
    starts.find_map(|(start, _)| read(&inside[start..])).unwrap_or_default()
}

/// Reads a text as the type of its field suggests. Whether the value fits is checked later.
fn typed(field: &Field, text: &str) -> Value {
    let text = text.trim();
    if (field.optional || field.ty.may_be_nil()) && (text.is_empty() || matches!(text, "null" | "None" | "nil")) {
        return Value::Nil;
    }
    if matches!(field.ty.unless_nil(), Type::String | Type::Keyword) {
        return Value::str(text);
    }
    let block = blocks_in(text);
    let json = match block.first() {
        Some(block) if text.starts_with(['`', '~']) => block.text.trim(),
        _ => text,
    };
    read_json(json, true).unwrap_or_else(|_| Value::str(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::predict::Program;
    use crate::signature::parse_program;
    use crate::value::to_json;

    const FORMS: [Adapter; 3] = [Adapter::Default, Adapter::Chat, Adapter::Json];

    fn outputs(signature: &str, adapter: Adapter, reply: &str) -> Result<String, String> {
        let program =
            Program::new(parse_program(signature).unwrap(), None, adapter, "", &[]).unwrap_or_else(|_| panic!());
        match program.outputs(reply) {
            Ok(coerced) => Ok(to_json(&coerced.value)),
            Err(problems) => Err(problems.iter().map(Mismatch::to_string).collect::<Vec<_>>().join("; ")),
        }
    }

    /// Checks the outputs with every adapter.
    #[track_caller]
    fn gives(signature: &str, reply: &str, outputs_json: &str) {
        for adapter in FORMS {
            assert_eq!(outputs(signature, adapter, reply).as_deref(), Ok(outputs_json), "{adapter:?}");
        }
    }

    const TWO: &str = "q -> answer: str, score: float";
    const BOTH: &str = r#"{"answer":"yes","score":2.5}"#;

    #[test]
    fn every_form_is_read_with_every_adapter() {
        gives(TWO, "Answer: yes\nScore: 2.5", BOTH);
        gives(TWO, "Sure!\n\n**Answer:** yes\n**Score**: 2.5", BOTH);
        gives(TWO, "- answer: yes\n- score: 2.5\n", BOTH);
        gives(TWO, "## Score: 2.5\nANSWER: yes", BOTH);
        gives(TWO, "[[ ## answer ## ]]\nyes\n\n[[ ## score ## ]]\n2.5\n\n[[ ## completed ## ]]\nbye", BOTH);
        gives(TWO, r#"{"answer": "yes", "score": 2.5}"#, BOTH);
        gives(TWO, "Here {it} is:\n```json\n{\"answer\": \"yes\", \"score\": 2.5, \"more\": 1}\n```\nDone.", BOTH);
        gives(TWO, "I say {\"answer\": \"yes\", \"score\": 2.5} then", BOTH);
        gives(TWO, "```\nAnswer: yes\nScore: 2.5\n```", BOTH);
        gives(TWO, "\u{feff}```\nAnswer: yes\nScore: 2.5\n```", BOTH);
        gives(TWO, "Here: ```json {\"answer\": \"yes\",\n\"score\": 2.5}``` Done.", BOTH);
        gives(TWO, "<think>Answer: no\nScore: 1</think>\nAnswer: yes\nScore: 2.5", BOTH);
    }

    #[test]
    fn values_end_where_another_field_begins() {
        gives(TWO, "Answer: a\n  b\n\n  Score: 1\nScore: 2.5", r#"{"answer":"a\nb\n\nScore: 1","score":2.5}"#);
        gives(TWO, "Score: 2.5\nAnswer: a\nb\n  c\nScore: 10", r#"{"answer":"a\nb\n  c\nScore: 10","score":2.5}"#);
        gives(TWO, "[[ ## answer ## ]]\na\n\nb\n[[ ## score ## ]]\n2.5", r#"{"answer":"a\n\nb","score":2.5}"#);
    }

    #[test]
    fn values_are_coerced_to_the_types_of_the_fields() {
        let signature = "q -> n: int, on: bool, tags: list[str], mood: Literal['good', 'bad'], note: Optional[str]";
        let read = r#"{"n":5,"on":true,"tags":["a","b"],"mood":"good","note":null}"#;
        gives(signature, "N: 5\nOn: True\nTags: [\"a\", \"b\"]\nMood: Good\nNote: null", read);
        gives(signature, "N: 5\nOn: true\nTags:\n```json\n[\"a\", \"b\"]\n```\nMood: \"good\"", read);
        gives("q -> _raw: Any?, a: str", "A: null", r#"{"_raw":null,"a":"null"}"#);
    }

    #[test]
    fn a_reply_without_a_form_is_the_one_output() {
        let said = |reply| outputs("q -> answer", Adapter::Default, reply);
        assert_eq!(said(" Paris.\nThat is all.").as_deref(), Ok(r#"{"answer":"Paris.\nThat is all."}"#));
        assert_eq!(outputs("q -> n: int", Adapter::Default, "42").as_deref(), Ok(r#"{"n":42}"#));
        assert!(outputs("q -> answer", Adapter::Json, "Paris").is_err());
        assert!(outputs("q -> answer", Adapter::Chat, "Paris").is_err());
    }

    #[test]
    fn tags_of_thoughts_may_be_part_of_a_value() {
        let tagged = r#"{"answer":"it ends in </think>, mostly","score":2.5}"#;
        gives(TWO, tagged, tagged);
        gives(TWO, "Answer: it ends in </think>, mostly\nScore: 2.5", tagged);
        gives(TWO, "Answer: <think>x</think>y\nScore: 2.5", r#"{"answer":"<think>x</think>y","score":2.5}"#);
        // Thoughts without an opening tag.
        gives(TWO, "Answer: no\nScore: 1?\n</think>\nAnswer: yes\nScore: 2.5", BOTH);
        gives(TWO, "Answer: no\nScore: 1?</think>Answer: yes\nScore: 2.5", BOTH);
        gives(TWO, "Answer: no</think> \n\n{\"answer\": \"yes\", \"score\": 2.5}", BOTH);
        assert_eq!(outputs("q -> a", Adapter::Default, "A: no </think>\nyes").as_deref(), Ok(r#"{"a":"yes"}"#));
    }

    #[test]
    fn errors_name_the_field_and_the_value() {
        let wrong = |adapter, reply| outputs(TWO, adapter, reply).unwrap_err();
        assert_eq!(wrong(Adapter::Default, "Answer: x\nScore: high"), "score: expected float, got string \"high\"");
        assert_eq!(wrong(Adapter::Default, "Answer: x"), "score: missing, expected float");
        assert_eq!(wrong(Adapter::Default, "I can't"), "it has none of the lines that are wanted");
        assert_eq!(wrong(Adapter::Chat, "I can't"), "it has none of the markers that are wanted");
        assert_eq!(wrong(Adapter::Json, "{\"a\":"), "it has no JSON object with what is wanted");
        assert_eq!(wrong(Adapter::Json, " "), "the reply is empty");
        assert_eq!(wrong(Adapter::Json, "<think>so"), "the reply ends in the middle of its thoughts");
    }
}
