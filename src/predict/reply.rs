//! The outputs in a model's reply.
//!
//! A model that has seen turns of one form may write its reply in that form, whatever it was asked for. So every form
//! is read, the one that was asked for first.

use super::Adapter;
use super::lines::{MARKER, MARKER_END, label};
use crate::reply::{behind_thoughts, blocks};
use crate::signature::{Field, Mismatch, Type, values_of};
use crate::value::{Map, Value, read_json};

/// How many places are tried where an object may begin.
const MOST_OBJECTS: usize = 20;

/// What a reply has for the fields, not yet checked.
pub fn read(fields: &[Field], adapter: Adapter, reply: &str) -> Result<Map, Vec<Mismatch>> {
    let wrong = |message: &str| Err(vec![Mismatch { path: String::new(), message: message.into() }]);
    let Some(said) = behind_thoughts(reply) else {
        return wrong("the reply ends in the middle of its thoughts");
    };
    let said = said.trim();
    if said.is_empty() {
        return wrong("the reply is empty");
    }
    let all = blocks(said);
    let lines = match &*all {
        [block] if said.starts_with("```") && said.ends_with("```") => block.text,
        _ => said,
    };
    let forms: [&dyn Fn() -> Map; 3] =
        [&|| labelled(fields, lines), &|| marked(fields, lines), &|| object(fields, said)];
    let order = match adapter {
        Adapter::Default => [0, 2, 1],
        Adapter::Chat => [1, 2, 0],
        Adapter::Json => [2, 0, 1],
    };
    // A value of one form may look like another form, but has less of what is wanted.
    let (mut best, mut most) = (Map::default(), 0);
    for form in order {
        let found = forms[form]();
        let count = values_of(fields, &found).iter().flatten().count();
        if count > most {
            (best, most) = (found, count);
        }
    }
    if most > 0 {
        return Ok(best);
    }
    let shown = fields.iter().filter(|field| !field.hidden()).collect::<Vec<_>>();
    match *shown {
        // There is nothing that it could be but the one output.
        [field] if adapter == Adapter::Default => {
            Ok(Map::from_iter([(Value::keyword(&field.name), typed(field, said))]))
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

/// `Field: value` at the beginning of a line, each field once: what looks like one of those before is part of a value.
fn labelled(fields: &[Field], said: &str) -> Map {
    collect(fields, said, &|line| {
        // Decoration of Markdown; an indented line goes on with a value.
        let (name, rest) = line.trim_start_matches(['*', '#', '-', '>', '`']).split_once(':')?;
        let plain = line.trim_start_matches(['*', '#', '-', '>', '`', ' ']).len();
        let (name, rest) = match line.starts_with([' ', '\t']) {
            true => return None,
            false if plain != line.len() => (name, rest.trim_start_matches(['*', '`'])),
            false => (name, rest),
        };
        let name = name.trim_end_matches(['*', '`']).trim();
        Some((place_of(fields, name)?, rest))
    })
}

/// `[[ ## name ## ]]` at the beginning of a line, each field once. A marker of something else ends the value before.
fn marked(fields: &[Field], said: &str) -> Map {
    collect(fields, said, &|line| {
        let (name, rest) = line.strip_prefix(MARKER)?.split_once(MARKER_END)?;
        Some((place_of(fields, name.trim()).unwrap_or(usize::MAX), rest))
    })
}

/// The field of that name, spelled as it is or as its label, else in any case and with blanks.
fn place_of(fields: &[Field], name: &str) -> Option<usize> {
    let shown = |is_it: &dyn Fn(&Field) -> bool| fields.iter().position(|field| !field.hidden() && is_it(field));
    shown(&|field| *field.name == *name || label(&field.name) == name)
        .or_else(|| shown(&|field| field.name.eq_ignore_ascii_case(&name.replace(' ', "_"))))
}

/// Gives each field the text from the line that begins it to the line that begins another. `begins` says which field a
/// line begins, one beyond all for none, and what stands behind that.
fn collect(fields: &[Field], said: &str, begins: &dyn Fn(&str) -> Option<(usize, &str)>) -> Map {
    let mut texts: Vec<Option<Vec<&str>>> = vec![None; fields.len()];
    let mut current = None;
    for line in said.lines() {
        match begins(line) {
            Some((place, rest)) if texts.get(place).is_none_or(Option::is_none) => {
                current = Some(place);
                if let Some(text) = texts.get_mut(place) {
                    *text = Some(vec![rest]);
                }
            }
            _ => {
                if let Some(Some(text)) = current.and_then(|place| texts.get_mut(place)) {
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

/// The lines of a value without the indentation that keeps them from being fields.
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

/// The JSON object in a reply, when it has any of the fields: all of it, a block, or what stands in prose.
fn object(fields: &[Field], said: &str) -> Map {
    let read = |text: &str| match read_json(text.trim(), true) {
        Ok(Value::Map(map)) if values_of(fields, &map).iter().any(Option::is_some) => Some(map),
        _ => None,
    };
    if let Some(map) = read(said).or_else(|| blocks(said).iter().find_map(|block| read(block.text))) {
        return map;
    }
    let Some(end) = said.rfind('}') else { return Map::default() };
    let inside = &said[..end + 1];
    let starts = inside.match_indices('{').take(MOST_OBJECTS);
    starts.filter_map(|(start, _)| read(&inside[start..])).next().unwrap_or_default()
}

/// A text as the value that it is meant as. Whether it fits, is checked later.
fn typed(field: &Field, text: &str) -> Value {
    let text = text.trim();
    if field.optional && (text.is_empty() || matches!(text, "null" | "None" | "nil")) {
        return Value::Nil;
    }
    if matches!(field.ty, Type::String | Type::Keyword) {
        return Value::str(text);
    }
    let block = blocks(text);
    let json = match block.first() {
        Some(block) if text.starts_with(['`', '~']) => block.text.trim(),
        _ => text,
    };
    read_json(json, true).unwrap_or_else(|_| Value::str(text))
}

#[cfg(test)]
mod tests {
    use super::super::Program;
    use super::*;
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

    /// Read with whichever form was asked for.
    #[track_caller]
    fn gives(signature: &str, reply: &str, outputs_json: &str) {
        for adapter in FORMS {
            assert_eq!(outputs(signature, adapter, reply).as_deref(), Ok(outputs_json), "{adapter:?}");
        }
    }

    const TWO: &str = "q -> answer: str, score: float";
    const BOTH: &str = r#"{"answer":"yes","score":2.5}"#;

    #[test]
    fn every_form_is_read_whichever_was_asked_for() {
        gives(TWO, "Answer: yes\nScore: 2.5", BOTH);
        gives(TWO, "Sure!\n\n**Answer:** yes\n**Score**: 2.5", BOTH);
        gives(TWO, "- answer: yes\n- score: 2.5\n", BOTH);
        gives(TWO, "## Score: 2.5\nANSWER: yes", BOTH);
        gives(TWO, "[[ ## answer ## ]]\nyes\n\n[[ ## score ## ]]\n2.5\n\n[[ ## completed ## ]]\nbye", BOTH);
        gives(TWO, r#"{"answer": "yes", "score": 2.5}"#, BOTH);
        gives(TWO, "Here {it} is:\n```json\n{\"answer\": \"yes\", \"score\": 2.5, \"more\": 1}\n```\nDone.", BOTH);
        gives(TWO, "I say {\"answer\": \"yes\", \"score\": 2.5} then", BOTH);
        gives(TWO, "```\nAnswer: yes\nScore: 2.5\n```", BOTH);
        gives(TWO, "<think>Answer: no\nScore: 1</think>\nAnswer: yes\nScore: 2.5", BOTH);
    }

    #[test]
    fn values_go_on_until_another_field_begins() {
        gives(TWO, "Answer: a\n  b\n\n  Score: 1\nScore: 2.5", r#"{"answer":"a\nb\n\nScore: 1","score":2.5}"#);
        gives(TWO, "Score: 2.5\nAnswer: a\nb\n  c\nScore: 10", r#"{"answer":"a\nb\n  c\nScore: 10","score":2.5}"#);
        gives(TWO, "[[ ## answer ## ]]\na\n\nb\n[[ ## score ## ]]\n2.5", r#"{"answer":"a\n\nb","score":2.5}"#);
    }

    #[test]
    fn values_are_made_to_fit() {
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
    fn what_is_wrong_names_the_field_and_what_came() {
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
